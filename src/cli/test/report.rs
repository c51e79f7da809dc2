//! What came of cases, as people, scripts and CI read it.

use std::{collections::BTreeMap, path::Path};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::tried::{CaseStatus, TriedCase};
use crate::{
    cli::{
        ask_cases::{self, TriedAsk},
        cases::AskFile,
        ending::{Ending, StopReason},
        escaped_json,
        out::{CommandOutput, Tint},
        report::{self, annotations},
        report_paths::typed_path,
        wrap::wrap,
    },
    engine::junit::{self, Checked, Suite},
    model::{
        clock::Millis,
        entry::FileId,
        finding::{Finding, Severity, Site},
    },
    schema::{count::count_text, pointer::Pointer},
};

/// How the report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Human,
    Json,
    /// For CI
    Junit,
    /// Annotations of GitHub's workflows
    Github,
    /// For code scanning services
    Sarif,
}

/// A run of cases when it is over.
pub(super) struct Report {
    pub tried: Vec<TriedCase>,
    pub asked: Vec<TriedAsk>,
    /// Ask cases that were not tried, and why.
    pub unasked: Vec<AskFile>,
    pub why_unasked: &'static str,
    pub started: Millis,
    pub was_interrupted: bool,
}

impl Report {
    /// The whole of it in a format; `None`: people have read it as it came.
    #[must_use]
    pub fn render(&self, format: Format) -> Option<String> {
        let text = match format {
            Format::Human => return None,
            Format::Json => escaped_json::pretty_text(&self.to_json()),
            Format::Junit => junit::render_report("toolcrib test", &self.suites()),
            Format::Github => {
                annotations(&self.suites()).iter().map(|line| format!("{line}\n")).collect()
            }
            Format::Sarif => escaped_json::pretty_text(&self.to_sarif()),
        };
        Some(text)
    }

    fn to_json(&self) -> Value {
        let skipped = |filed: &AskFile| {
            json!({
                "case": filed.display_name(),
                "file": typed_path(&filed.path),
                "ask": filed.case.question,
                "status": CaseStatus::Skipped.as_str(),
                "holds": false,
                "skipped": self.why_unasked,
            })
        };
        let asked = self.asked.iter().map(ask_cases::to_json);
        let tried = self.tried.iter().map(TriedCase::to_json);
        tried.chain(asked).chain(self.unasked.iter().map(skipped)).collect()
    }

    /// A suite for each folder.
    fn suites(&self) -> Vec<Suite> {
        let mut folders: BTreeMap<String, Vec<Checked>> = BTreeMap::new();
        let mut add = |path: &Path, checked: Checked| {
            let folder = path.parent().map(typed_path).unwrap_or_default();
            let folder = if folder.is_empty() { ".".to_owned() } else { folder };
            let file = Some(typed_path(path));
            folders.entry(folder).or_default().push(Checked { file, ..checked });
        };
        self.tried.iter().for_each(|one| add(&one.filed.path, to_checked(one)));
        self.asked.iter().for_each(|one| add(&one.filed.path, ask_cases::to_checked(one)));
        for filed in &self.unasked {
            let skipped = Some(self.why_unasked.to_owned());
            let checked = Checked { name: filed.display_name(), skipped, ..Checked::default() };
            add(&filed.path, checked);
        }
        let started = self.started.to_timestamp();
        let suite = |(folder, cases): (String, Vec<Checked>)| Suite {
            name: folder.clone(),
            file: folder,
            cases,
            started: Some(started.clone()),
        };
        folders.into_iter().map(suite).collect()
    }

    /// A result for each expectation that differs, at its line.
    fn to_sarif(&self) -> Value {
        let finding = |path: &Path, line: Option<usize>, code, message| Finding {
            code,
            severity: Severity::Error,
            message,
            site: Site {
                file: FileId::new(typed_path(path)),
                entry: None,
                pointer: Pointer::root(),
                line: line.unwrap_or(1),
                column: 1,
            },
            fix: None,
            others: Vec::new(),
            related: Vec::new(),
        };
        let mut findings = Vec::new();
        for one in self.tried.iter().filter(|one| one.status().is_bad()) {
            let path = &one.filed.path;
            for found in one.verdict().into_iter().flat_map(|verdict| &verdict.findings) {
                let Some(message) = found.sentence() else { continue };
                let message = format!("{}: {message}", one.filed.display_name());
                findings.push(finding(path, one.line_of(found.what), found.what, message));
            }
        }
        for one in self.asked.iter().filter(|one| !one.has_passed()) {
            let message = format!("{}: {}", one.filed.display_name(), one.differences().join("; "));
            findings.push(finding(&one.filed.path, None, "ask", message));
        }
        report::sarif_report(&report::Report {
            command: "test",
            files: &[],
            findings: &findings,
            shown: &|file| file.as_str().to_owned(),
            entry: &|_| None,
            unchecked: &[],
        })
    }

    /// Those that failed once more in a line each, where others were printed between or after them.
    pub fn print_failed(&self, out: &mut CommandOutput) -> Result<(), StopReason> {
        let failed: Vec<&TriedCase> =
            self.tried.iter().filter(|one| one.status().is_bad()).collect();
        let asked: Vec<&TriedAsk> = self.asked.iter().filter(|one| !one.has_passed()).collect();
        let count = failed.len() + asked.len();
        if count == 0 || self.tried.len() + self.asked.len() == 1 {
            return Ok(());
        }
        out.print_line("")?;
        let line = |name: String, file: &Path, differences: Vec<String>| {
            let file = typed_path(file);
            let of = if name == file { name } else { format!("{name}  {file}") };
            let first = differences.into_iter().next().unwrap_or_default();
            (of, first.lines().next().unwrap_or_default().to_owned())
        };
        let calls = failed
            .iter()
            .map(|one| line(one.filed.display_name(), &one.filed.path, one.differences()));
        let asks = asked
            .iter()
            .map(|one| line(one.filed.display_name(), &one.filed.path, one.differences()));
        for (of, first) in calls.chain(asks) {
            let mark = out.tint(Tint::Bad, "✗");
            let first = out.tint(Tint::Dim, &first);
            let of = out.safe_text(&of).into_owned();
            out.print_line(format!("{mark} {of}  {first}"))?;
        }
        out.flush()?;
        Ok(())
    }

    /// The counts in a sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        let count = |wanted| self.tried.iter().filter(|one| one.status() == wanted).count();
        let failed_asks = self.asked.iter().filter(|one| !one.has_passed()).count();
        let failed = count(CaseStatus::Failed) + failed_asks;
        let all = self.tried.len() + self.asked.len() + self.unasked.len();
        let all = count_text(all, "case", "cases");
        let skipped = count(CaseStatus::Skipped) + self.unasked.len();
        let mut words = match (failed, count(CaseStatus::NotRun)) {
            (0, 0) if skipped > 0 => {
                let passed = count(CaseStatus::Passed) + count(CaseStatus::Flaky);
                format!("{} of {all} passed", passed + self.asked.len())
            }
            (0, 0) => format!("{all} passed"),
            (0, unrun) => format!("{unrun} of {all} couldn't run"),
            (failed, 0) => format!("{failed} of {all} failed"),
            (failed, unrun) => format!("{failed} of {all} failed, {unrun} couldn't run"),
        };
        for (count, word) in [(count(CaseStatus::Flaky), "flaky"), (skipped, "skipped")] {
            if count > 0 {
                words.push_str(&format!(", {count} {word}"));
            }
        }
        words
    }

    /// Where no case that ran differs, it says what kept the others from running.
    #[must_use]
    pub fn ending(&self, has_broken: bool) -> Ending {
        let bad: Vec<&TriedCase> = self.tried.iter().filter(|one| one.status().is_bad()).collect();
        let has_run = |one: &&TriedCase| one.status() == CaseStatus::Failed;
        match bad.as_slice() {
            _ if self.was_interrupted => Ending::Interrupted,
            _ if has_broken => Ending::Usage,
            _ if self.asked.iter().any(|one| !one.has_passed()) => Ending::Found,
            [] => Ending::Done,
            bad if bad.iter().any(has_run) => Ending::Found,
            bad if bad.iter().any(|one| one.is_own_fault()) => Ending::Usage,
            _ => Ending::Unreachable,
        }
    }
}

/// A case as it went, for people; of those that passed nothing where only failures are wanted.
pub(super) fn print_result(
    tried: &TriedCase,
    only_failures: bool,
    out: &mut CommandOutput,
) -> Result<(), StopReason> {
    let status = tried.status();
    if only_failures && !status.is_bad() {
        return Ok(());
    }
    let (mark, tint) = match status {
        CaseStatus::Passed => ("✓", Tint::Good),
        CaseStatus::Flaky => ("✓", Tint::Odd),
        CaseStatus::Failed | CaseStatus::NotRun => ("✗", Tint::Bad),
        CaseStatus::Skipped => ("-", Tint::Dim),
    };
    let tool = &tried.filed.case.tool;
    let name = format!("{}  {tool}", tried.filed.display_name());
    let name = out.safe_text(name.trim_end()).into_owned();
    let tries = tried.run.tries.len();
    let notes = [
        tried.runs_words().filter(|_| status.is_good()),
        (status == CaseStatus::Flaky).then(|| format!("flaky: passed on try {tries}")),
        tried.run.skipped.map(|why| format!("skipped: {why}")),
        tried.run.was_resent.then(|| "sent again, as the server ended".to_owned()),
    ];
    let notes: String = notes.into_iter().flatten().map(|note| format!("  {note}")).collect();
    let took = match status {
        CaseStatus::Skipped => String::new(),
        _ => format!("  {}", out.tint(Tint::Dim, &format!("{} ms", tried.took_ms()))),
    };
    out.print_line(format!("{} {name}{notes}{took}", out.tint(tint, mark)))?;
    for difference in tried.differences().into_iter().chain(tried.failed_tries_if_flaky()) {
        for part in difference.split('\n') {
            for line in wrap(&out.safe_text(part), "    ") {
                out.print_line(line)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn to_checked(one: &TriedCase) -> Checked {
    Checked {
        name: one.filed.display_name(),
        line: one.line(),
        differences: one.differences(),
        took_ms: one.run.skipped.is_none().then(|| one.took_ms()),
        skipped: one.run.skipped.map(str::to_owned),
        is_error: one.status() == CaseStatus::NotRun,
        failed_tries: one.failed_tries(),
        ..Checked::default()
    }
}
