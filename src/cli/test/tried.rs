//! Cases as they went.

use serde_json::{Value, json};

use crate::{
    cli::{cases::CaseFile, data_files::BrokenFile, report_paths::typed_path},
    engine::case::{tries::CaseTry, verdict::Verdict},
    model::problem::{Problem, ProblemKind},
};

/// How a case went.
#[derive(Clone, Debug, Default)]
pub(super) struct CaseRun {
    /// The last one counts.
    pub tries: Vec<CaseTry>,
    /// Why it wasn't run, where it wasn't.
    pub skipped: Option<&'static str>,
    /// A call was made again, as another one may have ended the server.
    pub was_resent: bool,
    /// What kept its call from being made, where that was so.
    uncalled: Option<ProblemKind>,
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseStatus {
    Passed,
    /// It passed when it was tried again.
    Flaky,
    Failed,
    /// Its tool was not called, or nobody was there to answer.
    NotRun,
    Skipped,
}

impl CaseStatus {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Flaky => "flaky",
            Self::Failed => "failed",
            Self::NotRun => "not-run",
            Self::Skipped => "skipped",
        }
    }

    #[must_use]
    pub fn is_good(self) -> bool {
        matches!(self, Self::Passed | Self::Flaky)
    }

    #[must_use]
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::NotRun)
    }
}

impl CaseRun {
    #[must_use]
    pub fn skipped(why: &'static str) -> Self {
        Self { skipped: Some(why), ..Self::default() }
    }

    /// Its call couldn't even be made.
    #[must_use]
    pub fn not_called(problem: &Problem) -> Self {
        let run = Self::of_verdict(Verdict::not_called(problem));
        Self { uncalled: Some(problem.kind), ..run }
    }

    /// How it went in the last try, where that was one call.
    pub fn only_verdict(&mut self) -> Option<&mut Verdict> {
        match &mut self.tries.last_mut()?.runs[..] {
            [verdict] => Some(verdict),
            _ => None,
        }
    }

    fn of_verdict(verdict: Verdict) -> Self {
        Self { tries: vec![CaseTry::of_verdict(verdict)], ..Self::default() }
    }
}

/// A case and how it went.
pub(super) struct TriedCase {
    pub filed: CaseFile,
    pub run: CaseRun,
    /// The line that is at fault in a file that holds no case.
    broken_line: Option<usize>,
}

impl TriedCase {
    #[must_use]
    pub fn new(filed: CaseFile, run: CaseRun) -> Self {
        Self { filed, run, broken_line: None }
    }

    /// A file that holds no case.
    #[must_use]
    pub fn broken(one: BrokenFile) -> Self {
        let run = CaseRun::of_verdict(Verdict::unreadable(&one.problem));
        let filed = CaseFile { path: one.path, ..CaseFile::default() };
        Self { filed, run, broken_line: one.line }
    }

    #[must_use]
    pub fn status(&self) -> CaseStatus {
        match self.run.tries.as_slice() {
            [] => CaseStatus::Skipped,
            [only] if only.has_passed() => CaseStatus::Passed,
            [.., last] if last.has_passed() => CaseStatus::Flaky,
            [.., last] if last.has_run() => CaseStatus::Failed,
            _ => CaseStatus::NotRun,
        }
    }

    /// Whether it didn't run since something here is at fault, and not because nobody answered.
    #[must_use]
    pub fn is_own_fault(&self) -> bool {
        use ProblemKind as Kind;

        match self.run.uncalled {
            Some(kind) => !matches!(kind, Kind::Unreachable | Kind::Refused | Kind::TimedOut),
            None => self.verdict().is_some_and(|verdict| verdict.answer.is_own_fault()),
        }
    }

    /// The try that counts; `None`: it was skipped.
    #[must_use]
    pub fn last_try(&self) -> Option<&CaseTry> {
        self.run.tries.last()
    }

    /// The run that shows how it went.
    #[must_use]
    pub fn verdict(&self) -> Option<&Verdict> {
        self.last_try()?.telling_run()
    }

    /// What is wrong with it; nothing where it passed or was skipped.
    #[must_use]
    pub fn differences(&self) -> Vec<String> {
        let bad = self.last_try().filter(|_| self.status().is_bad());
        bad.map(CaseTry::differences).unwrap_or_default()
    }

    /// How many of several runs held.
    #[must_use]
    pub fn runs_words(&self) -> Option<String> {
        self.last_try()?.runs_words()
    }

    /// How each try failed before the last one, in a line.
    #[must_use]
    pub fn failed_tries(&self) -> Vec<String> {
        let Some((_, before)) = self.run.tries.split_last() else { return Vec::new() };
        let words = |tried: &CaseTry| {
            tried.telling_run().map(|run| run.differences().collect::<Vec<_>>().join("; "))
        };
        before.iter().filter_map(words).collect()
    }

    /// The same where it passed at last.
    #[must_use]
    pub fn failed_tries_if_flaky(&self) -> Vec<String> {
        match self.status() {
            CaseStatus::Flaky => {
                let tries = self.failed_tries().into_iter().zip(1..);
                tries.map(|(words, number)| format!("try {number}: {words}")).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How long its answers took, from sending on.
    #[must_use]
    pub fn took_ms(&self) -> u64 {
        self.last_try().map_or(0, CaseTry::took_ms)
    }

    /// The line of its file where what differs first is expected.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        let mut findings = self.verdict().into_iter().flat_map(|verdict| &verdict.findings);
        self.line_of(findings.find(|finding| finding.difference.is_some())?.what)
    }

    /// The line of its file where that is expected, or the one that is at fault in a broken file.
    #[must_use]
    pub fn line_of(&self, what: &str) -> Option<usize> {
        self.broken_line.or_else(|| self.filed.line_of(what))
    }

    /// For scripts.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let tool = Some(&self.filed.case.tool).filter(|tool| !tool.is_empty());
        let mut value = json!({
            "case": self.filed.display_name(),
            "file": typed_path(&self.filed.path),
            "tool": tool,
            "status": self.status().as_str(),
        });
        let Value::Object(members) = &mut value else { return value };
        if let Some(Value::Object(verdict)) = self.verdict().map(Verdict::to_json) {
            members.extend(verdict);
        }
        members.insert("holds".into(), self.status().is_good().into());
        let mut add = |name: &str, value: Value| members.insert(name.to_owned(), value);
        if let Some(why) = self.run.skipped {
            add("skipped", why.into());
        }
        if let Some(last) = self.last_try().filter(|last| last.count > 1) {
            add("runs", last.runs.iter().map(Verdict::to_json).collect());
            add("held", last.held().into());
            add("needed", last.needed.into());
        }
        if self.run.tries.len() > 1 {
            add("tries", self.run.tries.len().into());
            add("failed_tries", self.failed_tries().into());
        }
        if self.run.was_resent {
            add("resent", true.into());
        }
        value
    }
}
