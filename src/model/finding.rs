//! A finding: a lint result with its place and, where possible, its fix.

use std::{collections::HashMap, ops::Deref};

use super::entry::{EntryId, FileId};
use crate::{schema::pointer::Pointer, syntax::edit::Edit};

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
    pub message: String,
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
            message: place.message.clone(),
            site: place.site.clone(),
            fix: None,
            others: Vec::new(),
            related: vec![RelatedPlace { site: self.site.clone(), message: self.message.clone() }],
        };
        asked.map(turned).collect()
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
    of: HashMap<EntryId, Vec<usize>>,
    errors: usize,
    warnings: usize,
}

impl Findings {
    /// Those of one entry, in order.
    pub fn for_entry(&self, entry: &EntryId) -> impl Iterator<Item = &Finding> {
        self.of.get(entry).into_iter().flatten().filter_map(|row| self.all.get(*row))
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
        let mut of: HashMap<EntryId, Vec<usize>> = HashMap::new();
        for (row, finding) in all.iter().enumerate() {
            if let Some(entry) = &finding.site.entry {
                of.entry(entry.clone()).or_default().push(row);
            }
        }
        let count = |severity| all.iter().filter(|finding| finding.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        Self { all, of, errors, warnings }
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
