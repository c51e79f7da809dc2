//! Cases of the workspace that are being called, and how they went.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::documents::Document;
use crate::{
    engine::case::{
        choice::AskVerdict,
        expected::ExpectedValues,
        read::{AnyCase, read_any_case},
        script::Case,
        tries::CaseTry,
    },
    model::{call::CallId, entry::FileId},
};

/// So many are called at once.
const AT_ONCE: usize = 4;

#[derive(Debug, Default)]
pub struct Cases {
    /// What is still to be called, in order.
    pub waiting: VecDeque<WaitingCase>,
    pub running: HashMap<CallId, RunningCase>,
    /// How each went last.
    pub tries: BTreeMap<FileId, CaseTry>,
    /// The same of ask cases, by their recorded runs.
    pub asks: BTreeMap<FileId, AskVerdict>,
    /// Ask cases that are tried.
    pub trying: BTreeSet<FileId>,
    /// What is being tried together.
    pub asked: Vec<FileId>,
    /// The one that the user asked for alone: its calls are shown.
    pub only: Option<FileId>,
    /// The case that the program is opened with, until the workspace is read.
    pub opening: Option<FileId>,
    /// The same from then on: lists begin at it.
    pub chosen: Option<FileId>,
    /// Grows each time a call of a case is shown that nobody selected.
    pub shown_turn: u64,
}

/// A case that is still to be called.
#[derive(Debug)]
pub struct WaitingCase {
    pub file: FileId,
    /// The earlier cases whose answers it names, by the word that it has for the tool.
    pub needs: BTreeMap<String, Vec<FileId>>,
    /// It looks at times, so that no other is called beside it.
    pub is_alone: bool,
}

/// A case whose call is under way.
#[derive(Debug)]
pub struct RunningCase {
    pub file: FileId,
    /// With the answers that it names.
    pub case: Box<Case>,
    /// What its connection has for the variables that it expects.
    pub values: ExpectedValues,
    /// Its runs so far.
    pub tried: CaseTry,
}

/// How many of the cases that were tried together hold, and how many do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerdictCounts {
    pub hold: usize,
    pub differ: usize,
}

impl Cases {
    /// Whether some have not ended.
    #[must_use]
    pub fn under_way(&self) -> bool {
        !self.running.is_empty() || !self.waiting.is_empty() || !self.trying.is_empty()
    }

    /// Takes the next one that may be called now: fewer than [`AT_ONCE`] are, those that it needs
    /// have ended, and none is to be alone.
    pub fn take_next(&mut self) -> Option<WaitingCase> {
        let is_alone = |running: &RunningCase| running.case.expect.looks_at_times();
        if self.running.len() >= AT_ONCE || self.running.values().any(is_alone) {
            return None;
        }
        let row = self.next_row()?;
        self.waiting.remove(row)
    }

    fn next_row(&self) -> Option<usize> {
        let running = self.running.values().map(|running| &running.file);
        let unended: HashSet<&FileId> =
            self.waiting.iter().map(|waiting| &waiting.file).chain(running).collect();
        let may_begin = |waiting: &WaitingCase| {
            let mut needs = waiting.needs.values().flatten();
            (self.running.is_empty() || !waiting.is_alone)
                && needs.all(|file| !unended.contains(file))
        };
        self.waiting.iter().position(may_begin)
    }

    /// Whether a case passed; `None`: it was not tried yet.
    #[must_use]
    pub fn has_passed(&self, file: &FileId) -> Option<bool> {
        let called = self.tries.get(file).map(CaseTry::has_passed);
        called.or_else(|| self.asks.get(file).map(AskVerdict::has_passed))
    }

    /// What does not hold first in a case, as it went last.
    #[must_use]
    pub fn first_difference(&self, file: &FileId) -> Option<String> {
        let called = self.tries.get(file).and_then(CaseTry::first_difference);
        called.or_else(|| self.asks.get(file)?.differences().into_iter().next())
    }

    /// How many of those that were tried together hold, and how many do not.
    #[must_use]
    pub fn verdict_counts(&self) -> VerdictCounts {
        let verdicts = self.asked.iter().filter_map(|file| self.has_passed(file));
        let (hold, differ): (Vec<_>, Vec<_>) = verdicts.partition(|passed| *passed);
        VerdictCounts { hold: hold.len(), differ: differ.len() }
    }
}

/// The case of a call that a file holds; `None` where it is none, the issue in words where it is a
/// broken one.
#[must_use]
pub(crate) fn read_case(document: &Document) -> Option<Result<Case, String>> {
    match read_any_case(document.source.as_ref().ok()?, false)? {
        Ok(AnyCase::Call(case)) => Some(Ok(*case)),
        Ok(AnyCase::Ask(_)) => None,
        Err(issue) => Some(Err(issue.to_string())),
    }
}
