//! A finding: a lint result with its place and, where possible, its fix.

use std::{ops::Deref, sync::Arc};

use super::entry::{EntryId, FileId};
use crate::{
    schema::{ordering::PutInOrder, pointer::Pointer},
    syntax::edit::Edit,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// What a check found. `code` is stable: `states.never-produced`.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    pub site: Site,
    pub fix: Option<Fix>,
    /// Other ways to fix it, where only its author knows what is meant.
    pub others: Vec<Fix>,
    /// The other places that it is about.
    pub related: Vec<RelatedPlace>,
}

/// Another place that a finding is about, and what is to be said there.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedPlace {
    pub site: Site,
    /// Shared by places of which the same is said: there may be thousands.
    pub message: Arc<str>,
}

impl Finding {
    /// One without a fix, at a place alone.
    #[must_use]
    pub fn new(code: &'static str, severity: Severity, message: String, site: Site) -> Self {
        Self { code, severity, message, site, fix: None, others: Vec::new(), related: Vec::new() }
    }

    /// The finding as it is shown where only some files are asked about: as it is where its own place
    /// is asked about, else at each of its other places that is.
    #[must_use]
    pub fn shown_for(self, is_asked: impl Fn(&FileId) -> bool) -> Vec<Self> {
        if is_asked(&self.site.file) {
            return vec![self];
        }
        let asked = self.related.iter().filter(|place| is_asked(&place.site.file));
        let turned = |place: &RelatedPlace| Self {
            code: self.code,
            severity: self.severity,
            message: place.message.to_string(),
            site: place.site.clone(),
            fix: None,
            others: Vec::new(),
            related: vec![RelatedPlace {
                site: self.site.clone(),
                message: self.message.as_str().into(),
            }],
        };
        asked.map(turned).collect()
    }

    /// Adds another place that it is about, and what is to be said there.
    pub fn relate(&mut self, site: Site, message: String) {
        // Of thousands of places there are few different things to say, or but one place each: so a
        // text is there once, and no room is kept for a second place.
        const NEAR: usize = 16;
        let mut said = self.related.iter().rev().take(NEAR).map(|place| &place.message);
        let same = said.find(|said| ***said == *message).cloned();
        if self.related.is_empty() {
            self.related.reserve_exact(1);
        }
        self.related.push(RelatedPlace { site, message: same.unwrap_or_else(|| message.into()) });
    }

    /// The message after its place, on one line: `toolcrib.toml:3: …`.
    #[must_use]
    pub(crate) fn site_words(&self) -> String {
        format!("{}:{}: {}", self.site.file, self.site.line, self.message)
    }

    /// Every way to fix it, the likeliest first.
    pub fn fixes(&self) -> impl Iterator<Item = &Fix> {
        self.fix.iter().chain(&self.others)
    }

    /// What they do, as alternatives; `None` where there is none.
    #[must_use]
    pub fn fix_words(&self) -> Option<String> {
        self.fix.as_ref()?;
        let labels: Vec<&str> = self.fixes().map(|fix| fix.label.as_str()).collect();
        Some(labels.join(", or "))
    }
}

/// Findings in the order of their places, found by entry at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    all: Vec<Finding>,
    /// The rows of those that are in an entry, by their entries. A map would take as much room as
    /// short findings do.
    by_entry: Vec<usize>,
    errors: usize,
    warnings: usize,
}

impl Findings {
    /// Those of one entry, in order.
    pub fn for_entry(&self, entry: &EntryId) -> impl Iterator<Item = &Finding> {
        let entry_of = |row: &usize| self.all.get(*row).and_then(|one| one.site.entry.as_ref());
        let first = self.by_entry.partition_point(|row| entry_of(row) < Some(entry));
        let from_there = self.by_entry[first..].iter().filter_map(|row| self.all.get(*row));
        from_there.take_while(move |one| one.site.entry.as_ref() == Some(entry))
    }

    /// How many are errors.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// How many are warnings.
    #[must_use]
    pub fn warning_count(&self) -> usize {
        self.warnings
    }
}

impl From<Vec<Finding>> for Findings {
    fn from(mut all: Vec<Finding>) -> Self {
        all.shrink_to_fit();
        all.iter_mut().for_each(|finding| finding.related.shrink_to_fit());
        let is_in_entry = |row: &usize| all[*row].site.entry.is_some();
        let mut by_entry: Vec<usize> = (0..all.len()).filter(is_in_entry).collect();
        by_entry.shrink_to_fit();
        by_entry.order_by_key(|row| all[*row].site.entry.as_ref());
        let count = |severity| all.iter().filter(|finding| finding.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        Self { all, by_entry, errors, warnings }
    }
}

impl Deref for Findings {
    type Target = [Finding];

    fn deref(&self) -> &[Finding] {
        &self.all
    }
}

/// Where a finding is.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    pub file: FileId,
    pub entry: Option<EntryId>,
    /// Within the entry; within the file where there is no entry.
    pub pointer: Pointer,
    /// From 1; 0 where the place is not known.
    pub line: usize,
    pub column: usize,
}

/// A change that fixes a finding, offered under one key.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// What it does: `rename to "applicable-states"`.
    pub label: String,
    pub edits: Vec<EntryEdit>,
    /// What is meant stays the same, and nothing that was written is lost: it may be made without
    /// being looked at.
    pub is_safe: bool,
}

/// An edit within an entry (pointers are the entry's own), whatever way the entry is written in its
/// file.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryEdit {
    pub entry: EntryId,
    pub edit: Edit,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::entry::EntryPlace;

    fn finding(entry: Option<usize>, message: &str) -> Finding {
        let file = FileId::new("tools.yaml");
        let id = |row| EntryId::new(EntryPlace::plain(file.clone(), 0, Pointer::root().item(row)));
        let entry = entry.map(id);
        let site = Site { file: file.clone(), entry, pointer: Pointer::root(), line: 1, column: 1 };
        Finding::new("a.code", Severity::Note, message.to_owned(), site)
    }

    #[test]
    fn findings_of_an_entry_are_found_in_their_order() {
        let rows = [Some(7), None, Some(10), Some(7), Some(9), Some(7)];
        let all: Vec<_> =
            rows.iter().enumerate().map(|(row, of)| finding(*of, &row.to_string())).collect();
        let findings = Findings::from(all);
        let of = |entry: usize| -> Vec<&str> {
            let id = finding(Some(entry), "").site.entry.unwrap();
            findings.for_entry(&id).map(|one| one.message.as_str()).collect()
        };
        assert_eq!(of(7), ["0", "3", "5"]);
        assert_eq!((of(10), of(9), of(8), of(11)), (vec!["2"], vec!["4"], vec![], vec![]));
    }

    #[test]
    fn what_is_said_of_many_places_is_kept_once() {
        let mut one = finding(Some(1), "first");
        for row in 0..100 {
            one.relate(finding(Some(row), "").site, format!("word {}", row % 3));
        }
        let texts: Vec<&Arc<str>> = one.related.iter().map(|place| &place.message).collect();
        assert_eq!((&**texts[4], texts.len()), ("word 1", 100));
        let is_shared = |text: &&Arc<str>| texts[..3].iter().any(|one| Arc::ptr_eq(one, text));
        assert!(texts[3..].iter().all(is_shared));
    }
}
