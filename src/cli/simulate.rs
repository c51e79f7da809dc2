//! `toolcrib simulate`: runs scenarios and says where they differ from what they expect.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{
    data_files::BrokenFile,
    deployed::print_diff,
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    report::write_annotations,
    report_paths::typed_path,
    request::unknown_state,
    scenarios::{self, ScenarioFile, ScenarioFiles},
    wrap::wrap,
};
use crate::{
    engine::{
        filter::join_names,
        junit::{Checked, Suite, render_report},
        scenario::{
            accept::{accept_run, unrunnable_words},
            coverage::Coverage,
            junit::scenario_suite,
            script::Scenario,
            trial::{self, ScenarioRun, StepEnd, TrialStep},
        },
        simulate::{audit, metrics},
    },
    model::{
        context::Mode,
        problem::{Problem, ProblemKind},
    },
    runtime::now::now_millis,
    schema::count::count_text,
    store::files::{self, Expected, OutsideLinks},
    syntax::source::Source,
};

/// A workspace of scenarios, and what they exercised of it.
struct ReadWorkspace {
    home: Option<PathBuf>,
    /// The mode that it is read in, where a scenario names one.
    mode: Option<Mode>,
    opened: OpenWorkspace,
    coverage: Coverage,
}

/// Each workspace once, for each mode that it is read in.
#[derive(Default)]
struct Workspaces(Vec<ReadWorkspace>);

impl Workspaces {
    /// The row of the one that a scenario is of, which is opened where it is the first.
    fn open_for(
        &mut self,
        script: &ScenarioFile,
        global: &Global,
        out: &CommandOutput,
    ) -> Result<usize, Problem> {
        // A scenario's own mode counts for how its tools are read too.
        let mode = script.scenario.mode;
        let home = if global.workspace.is_some() { None } else { script.workspace_root() };
        let is_same = |known: &ReadWorkspace| {
            let is_of_mode = |mode| mode == known.opened.settings.mode;
            known.home == home && mode.map_or(known.mode.is_none(), is_of_mode)
        };
        if let Some(row) = self.0.iter().position(is_same) {
            return Ok(row);
        }
        let global = Global { mode: mode.map(Into::into).or(global.mode), ..global.clone() };
        let opened = OpenWorkspace::read_ruled(&global, home.as_deref(), out)?;
        opened.warn_of_refusals(out);
        let coverage = Coverage::new(&opened.tools);
        self.0.push(ReadWorkspace { home, mode, opened, coverage });
        Ok(self.0.len() - 1)
    }

    /// The name of each, and what was exercised of it.
    fn coverage(self) -> Vec<(String, Coverage)> {
        self.0.into_iter().map(|known| (known.opened.workspace.name(), known.coverage)).collect()
    }
}

#[derive(Args, Debug)]
pub(crate) struct Simulate {
    /// Scenarios: a file, a folder, or the name of a file in `scenarios`; by default all of the
    /// workspace's folder `scenarios`
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,

    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,

    /// Also list which states, transitions and tools of the workspace were exercised, and which
    /// weren't
    #[arg(long)]
    coverage: bool,

    /// Take what happens now for what is expected, in each scenario that fails: shows what changes,
    /// and writes the files
    #[arg(long, conflicts_with_all = ["format", "json", "coverage", "audit", "metrics"])]
    update: bool,

    /// Write the audit record to a file, or - for stdout
    #[arg(long, value_name = "FILE|-")]
    audit: Option<String>,

    /// Write the counters in the Prometheus text format to a file, or - for stdout
    #[arg(long, value_name = "FILE|-")]
    metrics: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    /// For CI: a suite for each scenario, a case for each step
    Junit,
    /// Annotations of GitHub's workflows
    Github,
}

/// Scenarios as they went, with what they exercised of each workspace.
struct Report<'r> {
    scripted: &'r [ScenarioFile],
    trials: &'r [ScenarioRun],
    /// Files that hold no scenario.
    broken: &'r [BrokenFile],
    /// A workspace's name and its coverage, where that was asked for.
    coverage: Vec<(String, Coverage)>,
}

/// Whose place on stdout the report has to leave.
#[derive(Clone, Copy, PartialEq)]
enum Stdout {
    Report,
    /// The report goes to stderr.
    Record,
}

impl Simulate {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let files = match self.scenarios.as_slice() {
            [] => scenarios::read_scenarios(&[scenarios::of_workspace(global)?])?,
            given => scenarios::read_scenarios(&scenarios::named_files(given, global))?,
        };
        let format = if global.json { Format::Json } else { self.format };
        let ScenarioFiles { scripted, broken } = files;
        // Nothing but a file that can't be read is, for people, an error like others.
        if let ([], [only], Format::Human) = (scripted.as_slice(), broken.as_slice(), format) {
            return Err(only.problem.clone().into());
        }
        let stdout = self.stdout_use(format, scripted.len())?;
        let mut workspaces = Workspaces::default();
        let mut trials = Vec::new();
        for script in &scripted {
            let row = workspaces.open_for(script, global, out)?;
            trials.push(self.try_scenario(script, &mut workspaces.0[row], out)?);
        }
        let coverage = if self.coverage { workspaces.coverage() } else { Vec::new() };
        let report = Report { scripted: &scripted, trials: &trials, broken: &broken, coverage };
        match format {
            Format::Human => report.write_human(out, stdout)?,
            Format::Json => out.print_json(&report.to_json())?,
            Format::Junit | Format::Github => report.write_suites(format, out)?,
        }
        Ok(match trials.iter().all(ScenarioRun::has_passed) {
            _ if !broken.is_empty() => Ending::Usage,
            true => Ending::Done,
            false => Ending::Found,
        })
    }

    /// Runs a scenario, and takes what happens for what is expected where that is wanted.
    fn try_scenario(
        &self,
        script: &ScenarioFile,
        ReadWorkspace { opened, coverage, .. }: &mut ReadWorkspace,
        out: &mut CommandOutput,
    ) -> Result<ScenarioRun, StopReason> {
        let opened = &*opened;
        let (profiles, mode) = (&opened.settings.profiles, opened.settings.mode);
        let (scenario, tools) = (&script.scenario, &opened.tools);
        let trial = trial::run_scenario(scenario, tools, profiles, mode, now_millis());
        let file = typed_path(&script.path);
        if !trial.unknown_groups.is_empty() {
            let groups = join_names(&trial.unknown_groups);
            out.warn(format_args!("{file}: no tool is in {groups}"));
        }
        let start = script.scenario.start.state.as_deref();
        if let Some(words) = start.and_then(|state| unknown_state(opened, state)) {
            out.warn(format_args!("{file}: {words}"));
        }
        if script.scenario.steps.is_empty() {
            out.warn(format_args!("{file}: it has no steps, so that nothing is tested"));
        }
        self.write_records(&trial, opened, out)?;
        let trial = match self.update && !trial.has_passed() {
            true => update_file(script, &trial, opened, out)?,
            false => trial,
        };
        coverage.add_simulation(&trial.simulation);
        Ok(trial)
    }

    fn stdout_use(&self, format: Format, scenarios: usize) -> Result<Stdout, Problem> {
        let wrong = |cause: &str, remedy: &str| {
            Err(Problem::new(ProblemKind::Input, "simulating", cause).with_remedy(remedy))
        };
        let to_stdout =
            [&self.audit, &self.metrics].into_iter().flatten().filter(|to| *to == "-").count();
        if scenarios > 1 && (self.audit.is_some() || self.metrics.is_some()) {
            return wrong(
                "a record covers one scenario, and there are several",
                "name one scenario file",
            );
        }
        match (to_stdout, format) {
            (0, _) => Ok(Stdout::Report),
            (1, Format::Human) => Ok(Stdout::Record),
            _ => wrong("more than one thing would go to stdout", "give one of them a file"),
        }
    }

    /// Writes the records that were asked for.
    fn write_records(
        &self,
        trial: &ScenarioRun,
        opened: &OpenWorkspace,
        out: &mut CommandOutput,
    ) -> Result<(), StopReason> {
        let profiles = &opened.settings.profiles;
        if let Some(to) = &self.audit {
            let id = uuid::Uuid::new_v4().to_string();
            let record = audit::audit_record(&trial.simulation, &opened.tools, profiles, &id);
            match to.as_str() {
                "-" => out.print_json(&record)?,
                file => write_file(file, &format!("{record:#}\n"))?,
            }
        }
        if let Some(to) = &self.metrics {
            let page = metrics::render_metrics(&trial.simulation, &opened.tools, profiles);
            match to.as_str() {
                "-" => out.print_raw(&page)?,
                file => write_file(file, &page)?,
            }
        }
        Ok(())
    }
}

/// Writes what happened into a scenario's file, after showing what changes there, and runs it again.
fn update_file(
    script: &ScenarioFile,
    trial: &ScenarioRun,
    opened: &OpenWorkspace,
    out: &mut CommandOutput,
) -> Result<ScenarioRun, StopReason> {
    let file = typed_path(&script.path);
    let failed = |cause: String| {
        Problem::new(ProblemKind::Input, format!("updating {file}"), cause)
            .with_remedy("change it in an editor")
    };
    if let Some(words) = unrunnable_words(trial) {
        out.warn(format_args!("{file}: {words}"));
    }
    let text = accept_run(&script.source, trial, &opened.tools).map_err(failed)?;
    if text == **script.source.text() {
        return Ok(trial.clone());
    }
    let source = Source::parse(script.source.format(), text.as_str())
        .map_err(|error| failed(error.to_string()))?;
    let value = source.value(0).ok_or_else(|| failed("it would be empty".to_owned()))?;
    let scenario = Scenario::from_value(value).map_err(|issue| failed(issue.to_string()))?;
    out.print_line(out.tint(Tint::Bold, &out.safe_text(&file)))?;
    print_diff(out, script.source.text().as_ref(), &text)?;
    write_file(&file, &text)?;
    let settings = &opened.settings;
    let (profiles, mode) = (&settings.profiles, settings.mode);
    Ok(trial::run_scenario(&scenario, &opened.tools, profiles, mode, now_millis()))
}

fn write_file(file: &str, text: &str) -> Result<(), Problem> {
    let path = Path::new(file);
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    files::save_file(folder, path, text, Expected::Anything, OutsideLinks::Allow)
        .map(drop)
        .map_err(|refused| refused.problem().clone())
}

impl Report<'_> {
    fn scripted_trials(&self) -> impl Iterator<Item = (&ScenarioFile, &ScenarioRun)> {
        self.scripted.iter().zip(self.trials)
    }

    /// A list of scenarios; with the coverage an object of both.
    fn to_json(&self) -> Value {
        let of = |(script, trial): (&ScenarioFile, &ScenarioRun)| json!({"file": typed_path(&script.path), "name": script.display_name(), "holds": trial.has_passed(), "steps": trial.to_json()});
        let coverage = |(workspace, coverage): &(String, Coverage)| {
            let mut value = coverage.to_json();
            value["workspace"] = workspace.as_str().into();
            value
        };
        let none = |one: &BrokenFile| json!({"file": typed_path(&one.path), "holds": false, "error": one.words(), "steps": []});
        let all = self.broken.iter().map(none).chain(self.scripted_trials().map(of));
        match self.coverage.is_empty() {
            true => all.collect(),
            false => json!({
                "scenarios": all.collect::<Value>(),
                "coverage": self.coverage.iter().map(coverage).collect::<Value>(),
            }),
        }
    }

    fn write_suites(&self, format: Format, out: &mut CommandOutput) -> std::io::Result<()> {
        let suite = |(script, trial): (&ScenarioFile, &ScenarioRun)| {
            scenario_suite(script.display_name(), typed_path(&script.path), trial)
        };
        let broken = self.broken.iter().map(|one| {
            let file = typed_path(&one.path);
            let differences = vec![one.words()];
            let case = Checked {
                name: "the file".into(),
                differences,
                is_error: true,
                ..Checked::default()
            };
            Suite { name: file.clone(), file, cases: vec![case], started: None }
        });
        let suites: Vec<Suite> = broken.chain(self.scripted_trials().map(suite)).collect();
        match format {
            Format::Github => write_annotations(&suites, out)?,
            _ => out.print_raw(&render_report("toolcrib simulate", &suites))?,
        }
        self.coverage.iter().for_each(|(_, coverage)| out.print_status(coverage.summary()));
        self.print_summary(out);
        Ok(())
    }

    fn write_human(&self, out: &mut CommandOutput, stdout: Stdout) -> std::io::Result<()> {
        for one in self.broken {
            let mark = out.tint(Tint::Bad, "✗");
            let mut lines = vec![format!("{mark} {}", out.safe_text(&typed_path(&one.path)))];
            lines.extend(wrap(&out.safe_text(&one.words()), "    "));
            write_lines(out, stdout, &lines)?;
        }
        for (script, trial) in self.scripted_trials() {
            let mut lines = vec![out.tint(Tint::Bold, &script.display_name())];
            for (row, step) in trial.steps.iter().enumerate() {
                lines.extend(step_lines(out, row + 1, step));
            }
            write_lines(out, stdout, &lines)?;
        }
        for (workspace, coverage) in &self.coverage {
            let mut lines = vec![format!(
                "{} {}",
                out.tint(Tint::Bold, &format!("coverage of {workspace}:")),
                coverage.summary()
            )];
            lines.extend(
                coverage.missed_lines().iter().flat_map(|line| wrap(&out.safe_text(line), "  ")),
            );
            write_lines(out, stdout, &lines)?;
        }
        self.print_summary(out);
        Ok(())
    }

    fn print_summary(&self, out: &CommandOutput) {
        let failed = self.trials.iter().filter(|trial| !trial.has_passed()).count();
        let failed = failed + self.broken.len();
        let differences: usize = self.trials.iter().map(ScenarioRun::difference_count).sum();
        let all = count_text(self.trials.len() + self.broken.len(), "scenario", "scenarios");
        out.print_status(match failed {
            0 => format!("{all} passed"),
            _ if differences == 0 => format!("{failed} of {all} failed"),
            _ => format!(
                "{failed} of {all} failed: {}",
                count_text(differences, "difference", "differences")
            ),
        });
    }
}

fn write_lines(out: &mut CommandOutput, stdout: Stdout, lines: &[String]) -> std::io::Result<()> {
    match stdout {
        Stdout::Report => lines.iter().try_for_each(|line| out.print_line(line)),
        Stdout::Record => {
            lines.iter().for_each(|line| out.print_status(line));
            Ok(())
        }
    }
}

fn step_lines(out: &CommandOutput, number: usize, step: &TrialStep) -> Vec<String> {
    let holds = step.expectations.iter().all(|expectation| expectation.difference.is_none());
    let mark = match (step.expectations.is_empty(), holds) {
        (true, _) => out.tint(Tint::Dim, "-"),
        (false, true) => out.tint(Tint::Good, "✓"),
        (false, false) => out.tint(Tint::Bad, "✗"),
    };
    let tool = step.tool.as_deref().unwrap_or("(looks only)");
    let moved =
        if step.before == step.after { String::new() } else { format!(" → {}", step.after) };
    let end = match &step.end {
        StepEnd::Looked => String::new(),
        end => format!(" {}", end.as_str()),
    };
    let mut lines = vec![format!(
        "{number:>3} {mark} {}",
        out.safe_text(&format!("{}: {tool}{end}{moved}", step.before))
    )];
    if let StepEnd::Refused { reasons, fix } = &step.end {
        lines.extend(reasons.iter().flat_map(|reason| wrap(reason, "        ")));
        lines.extend(fix.iter().flat_map(|fix| wrap(&format!("→ {fix}"), "        ")));
    }
    for expectation in &step.expectations {
        if let Some(difference) = &expectation.difference {
            lines.extend(wrap(
                &format!("{}: expected {}", expectation.what, expectation.expected),
                "      ",
            ));
            lines.extend(wrap(difference, "        "));
        }
    }
    lines
}
