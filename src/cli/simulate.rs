//! `toolcrib simulate`: runs scenarios and says where they differ from what they expect.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::{
    ending::{Ended, Ending},
    global::Global,
    opened::Opened,
    out::{Out, Tint},
    scenarios::{self, Scripted},
    wrap::wrap,
};
use crate::{
    engine::{
        filter::list,
        scenario::trial::{self, StepEnd, Trial, TrialStep},
        simulate::{audit, metrics},
    },
    model::problem::{Problem, ProblemKind},
    runtime::event_loop::now,
    store::files::{self, Expected, Outside},
};

#[derive(Args, Debug)]
pub struct Simulate {
    /// Scenario files, or folders of them
    #[arg(required = true, value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,

    /// Where the audit record goes: a file, or - for stdout
    #[arg(long, value_name = "FILE|-")]
    audit: Option<String>,

    /// Where the counters go, in the Prometheus text format: a file, or - for stdout
    #[arg(long, value_name = "FILE|-")]
    metrics: Option<String>,
}

/// Whose place on stdout the report has to leave.
#[derive(Clone, Copy, PartialEq)]
enum Stdout {
    Report,
    /// The report goes to stderr.
    Record,
}

impl Simulate {
    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        let scripted = scenarios::read(&self.scenarios)?;
        let stdout = self.stdout(global, scripted.len())?;
        let mut workspaces: Vec<(Option<PathBuf>, Opened)> = Vec::new();
        let mut trials = Vec::new();
        for script in &scripted {
            let home = if global.workspace.is_some() { None } else { script.home() };
            let known = workspaces.iter().position(|(of, _)| *of == home);
            let row = match known {
                Some(row) => row,
                None => {
                    workspaces.push((home.clone(), Opened::read_at(global, home.as_deref(), out)?));
                    workspaces.len() - 1
                }
            };
            let opened = &workspaces[row].1;
            let settings = &opened.settings;
            let trial = trial::run(&script.scenario, &opened.tools, &settings.profiles, settings.mode, now());
            if !trial.unknown_groups.is_empty() {
                out.warn(format_args!("{}: no tool is in {}", script.path.display(), list(&trial.unknown_groups)));
            }
            self.keep(&trial, opened, out)?;
            trials.push(trial);
        }
        report(global, out, stdout, &scripted, &trials)?;
        Ok(if trials.iter().all(Trial::holds) { Ending::Done } else { Ending::Found })
    }

    fn stdout(&self, global: &Global, scenarios: usize) -> Result<Stdout, Problem> {
        let wrong = |cause: &str, remedy: &str| Err(Problem::new(ProblemKind::Input, "simulating", cause).remedy(remedy));
        let to_stdout = [&self.audit, &self.metrics].into_iter().flatten().filter(|to| *to == "-").count();
        if scenarios > 1 && (self.audit.is_some() || self.metrics.is_some()) {
            return wrong("one record is of one scenario, and there are several", "name one scenario file");
        }
        match (to_stdout, global.json) {
            (0, _) => Ok(Stdout::Report),
            (1, false) => Ok(Stdout::Record),
            _ => wrong("more than one thing would go to stdout", "give one of them a file"),
        }
    }

    /// Writes the records that were asked for.
    fn keep(&self, trial: &Trial, opened: &Opened, out: &mut Out) -> Result<(), super::ending::Halt> {
        let profiles = &opened.settings.profiles;
        if let Some(to) = &self.audit {
            let id = uuid::Uuid::new_v4().to_string();
            let record = audit::record(&trial.simulation, &opened.tools, profiles, &id);
            match to.as_str() {
                "-" => out.json(&record)?,
                file => write(file, &format!("{record:#}\n"))?,
            }
        }
        if let Some(to) = &self.metrics {
            let page = metrics::text(&trial.simulation, &opened.tools, profiles);
            match to.as_str() {
                "-" => out.raw(&page)?,
                file => write(file, &page)?,
            }
        }
        Ok(())
    }
}

fn write(file: &str, text: &str) -> Result<(), Problem> {
    let path = Path::new(file);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    files::save(folder, path, text, Expected::Anything, Outside::Allow).map(drop).map_err(|refused| refused.problem().clone())
}

fn report(global: &Global, out: &mut Out, stdout: Stdout, scripted: &[Scripted], trials: &[Trial]) -> std::io::Result<()> {
    if global.json {
        return match trials {
            [trial] => out.json(&trial.to_json()),
            _ => {
                let of = |(script, trial): (&Scripted, &Trial)| json!({"file": script.path.display().to_string(), "name": script.name(), "holds": trial.holds(), "steps": trial.to_json()});
                out.json(&scripted.iter().zip(trials).map(of).collect::<Value>())
            }
        };
    }
    for (script, trial) in scripted.iter().zip(trials) {
        let mut lines = vec![out.tint(Tint::Bold, &script.name())];
        for (row, step) in trial.steps.iter().enumerate() {
            lines.extend(step_lines(out, row + 1, step));
        }
        match stdout {
            Stdout::Report => lines.iter().try_for_each(|line| out.line(line))?,
            Stdout::Record => lines.iter().for_each(|line| out.say(line)),
        }
    }
    let failed = trials.iter().filter(|trial| !trial.holds()).count();
    let differences: usize = trials.iter().map(Trial::differences).sum();
    out.say(match failed {
        0 => format!("as expected: {}", count(trials.len(), "scenario")),
        _ => format!("{failed} of {} not as expected: {}", count(trials.len(), "scenario"), count(differences, "difference")),
    });
    Ok(())
}

fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

fn step_lines(out: &Out, number: usize, step: &TrialStep) -> Vec<String> {
    let holds = step.expectations.iter().all(|expectation| expectation.difference.is_none());
    let mark = match (step.expectations.is_empty(), holds) {
        (true, _) => out.tint(Tint::Dim, "-"),
        (false, true) => out.tint(Tint::Good, "✓"),
        (false, false) => out.tint(Tint::Bad, "✗"),
    };
    let tool = step.tool.as_deref().unwrap_or("(looks only)");
    let moved = if step.before == step.after { String::new() } else { format!(" → {}", step.after) };
    let end = match &step.end {
        StepEnd::Looked => String::new(),
        end => format!(" {}", end.word()),
    };
    let mut lines = vec![format!("{number:>3} {mark} {}", out.text(&format!("{}: {tool}{end}{moved}", step.before)))];
    if let StepEnd::Refused { reasons, fix } = &step.end {
        lines.extend(reasons.iter().flat_map(|reason| wrap(reason, "        ")));
        lines.extend(fix.iter().flat_map(|fix| wrap(&format!("→ {fix}"), "        ")));
    }
    for expectation in &step.expectations {
        if let Some(difference) = &expectation.difference {
            lines.extend(wrap(&format!("{}: expected {}", expectation.what, expectation.expected), "      "));
            lines.extend(wrap(difference, "        "));
        }
    }
    lines
}
