//! The issues of a form, for those around it.

use std::collections::HashMap;

use serde_json::Value;

use super::{reply::FormReply, view::Form};
use crate::schema::{fields::decided_at, messages, pointer::Pointer, validate::Issue};

/// What was typed in fields and is no value.
#[derive(Debug, Default)]
pub(crate) struct Drafts(HashMap<Pointer, (String, String)>);

impl Drafts {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where and why they are no values.
    pub fn issues(&self) -> Vec<String> {
        self.0
            .iter()
            .map(|(at, (_, words))| format!("{} {words}", at.words_in(&Value::Null)))
            .collect()
    }
}

impl Form {
    /// Whether values are checked: not by a schema that is invalid as a whole.
    #[must_use]
    pub fn is_checked(&self) -> bool {
        self.checker.is_some()
    }

    /// The issues, field by field: what was typed and is no value comes first.
    #[must_use]
    pub fn all_issues(&self) -> Vec<Issue> {
        let draft = |(at, (_, words)): (&Pointer, &(String, String))| Issue {
            at: at.clone(),
            words: words.clone(),
            keyword: "type".to_owned(),
        };
        let mut told: Vec<Issue> = self.invalid_drafts().map(draft).collect();
        told.sort_by_key(|issue| issue.at.to_string());
        told.extend(
            self.issues().iter().filter(|issue| !self.drafts.contains_key(&issue.at)).cloned(),
        );
        told
    }

    /// Where names of members have to match a pattern, that is said of those that don't.
    pub(super) fn explain_names(&mut self) {
        let mut issues = std::mem::take(&mut self.issues);
        for issue in issues.iter_mut().filter(|issue| issue.keyword == "additionalProperties") {
            let object = issue.at.parent().unwrap_or_default();
            let checker = self.checker.as_ref();
            let node = decided_at(&self.schema, checker, &self.view, &self.value, &object);
            if let Some(node) = node.filter(|node| !node.object.patterns.is_empty()) {
                let words = messages::pattern_words(&node.object);
                issue.words = format!("{}: {words}", issue.words);
            }
        }
        self.issues = issues;
    }

    fn invalid_drafts(&self) -> impl Iterator<Item = (&Pointer, &(String, String))> {
        self.drafts.iter().filter(|(_, (_, words))| !words.is_empty())
    }

    /// What was typed and is no value yet, each with its reason: it will not be in the value.
    #[must_use]
    pub fn draft_issues(&self) -> Vec<String> {
        let mut drafts: Vec<_> = self.invalid_drafts().collect();
        drafts.sort_by_key(|(at, _)| at.to_string());
        drafts
            .into_iter()
            .map(|(at, (_, words))| format!("{} {words}", self.place_words(at)))
            .collect()
    }

    /// The first of these, with what would be sent in its place.
    #[must_use]
    pub fn unsent_draft(&self) -> Option<String> {
        /// A longer value is not named.
        const LONGEST: usize = 40;
        let (at, (_, words)) = self.invalid_drafts().min_by_key(|(at, _)| at.to_string())?;
        let instead = match at.get(self.value()).map(ToString::to_string) {
            None => "would be left out".to_owned(),
            Some(before) if before.len() <= LONGEST => format!("{before} would be sent"),
            Some(_) => "the value from before would be sent".to_owned(),
        };
        Some(format!("{} {words}, and {instead}", self.place_words(at)))
    }

    /// All that was typed and is no value, to be compared with what is typed later.
    #[must_use]
    pub fn draft_texts(&self) -> Vec<String> {
        let mut texts: Vec<String> =
            self.invalid_drafts().map(|(at, (text, _))| format!("{at} {text}")).collect();
        texts.sort();
        texts
    }

    /// Takes out what was typed and is no value, for when the same value is shown again.
    pub(crate) fn take_drafts(&mut self) -> Drafts {
        let mut drafts = std::mem::take(&mut self.drafts);
        drafts.retain(|_, (_, words)| !words.is_empty());
        Drafts(drafts)
    }

    /// Shows again what was typed before.
    pub(crate) fn put_drafts(&mut self, drafts: Drafts) {
        self.drafts.extend(drafts.0);
        self.place_remarks();
        self.refresh_editor();
    }

    fn place_words(&self, at: &Pointer) -> String {
        if at.is_root() { "the text".to_owned() } else { at.words_in(self.value()) }
    }

    /// Takes back what was typed in the focused field and is no value.
    pub fn drop_draft(&mut self) -> FormReply {
        let at = &self.focus.0;
        if self.drafts.get(at).is_none_or(|(_, words)| words.is_empty()) {
            return FormReply::Ignored;
        }
        let words = format!("Undid the typing in {}", at.words_in(self.value()));
        self.drafts.remove(&self.focus.0.clone());
        self.editor = None;
        self.place_remarks();
        FormReply::Refused(words)
    }

    /// How the schema is read where it does not say so itself.
    #[must_use]
    pub fn assumed_draft(&self) -> Option<&str> {
        self.reading.as_deref()
    }

    /// What in the uiSchema has no effect.
    #[must_use]
    pub fn ui_notes(&self) -> &[String] {
        &self.ui_notes
    }
}
