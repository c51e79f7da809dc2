//! Cases of the workspace that are being called, and how they went.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::documents::Document;
use crate::{
    engine::case::{choice::AskVerdict, script::Case, verdict::Verdict},
    model::{call::CallId, entry::FileId},
};

/// So many are called at once.
pub(crate) const AT_ONCE: usize = 4;

#[derive(Debug, Default)]
pub struct Cases {
    /// What is still to be called, in order.
    pub waiting: VecDeque<FileId>,
    pub running: HashMap<CallId, (FileId, Box<Case>)>,
    /// How each went last.
    pub verdicts: BTreeMap<FileId, Verdict>,
    /// The same of ask cases, by their recorded runs.
    pub asks: BTreeMap<FileId, AskVerdict>,
    /// Ask cases that are tried.
    pub trying: BTreeSet<FileId>,
    /// What is being tried together.
    pub asked: Vec<FileId>,
    /// The case that the program is opened with, until the workspace is read.
    pub opening: Option<FileId>,
    /// The same from then on: lists begin at it.
    pub chosen: Option<FileId>,
    /// Grows each time a call of a case is shown that nobody selected.
    pub shown_turn: u64,
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

    /// Whether a case passed; `None`: it was not tried yet.
    #[must_use]
    pub fn has_passed(&self, file: &FileId) -> Option<bool> {
        let called = self.verdicts.get(file).map(Verdict::has_passed);
        called.or_else(|| self.asks.get(file).map(AskVerdict::has_passed))
    }

    /// What does not hold first in a case, as it went last.
    #[must_use]
    pub fn first_difference(&self, file: &FileId) -> Option<String> {
        let called = self.verdicts.get(file).and_then(|verdict| verdict.differences().next());
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

/// The case that a file holds; `None` where it is none, the issue in words where it is a broken
/// one.
#[must_use]
pub(crate) fn read_case(document: &Document) -> Option<Result<Case, String>> {
    let source = document.source.as_ref().ok()?;
    // What it calls is no object, so that a case is never a text of sections.
    if source.sections(0).is_some() || !Case::is_one(source.value(0)?) {
        return None;
    }
    Some(Case::from_source(source).map_err(|issue| issue.to_string()))
}
