//! What sending the workspace's entries changes where they are sent, as something to look at first.

use serde_json::Value;

use super::item::Item;
use crate::model::entry::SystemId;

/// What becomes of entries there that the workspace does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbsentEntries {
    Keep,
    Delete,
}

/// One entry that changes there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub section: &'static str,
    pub key: String,
    /// Its text now; `None`: it is not there.
    pub before: Option<String>,
    /// Its text then; `None`: it goes.
    pub after: Option<String>,
}

/// Everything that a push changes, and what is there afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    pub system: SystemId,
    pub changes: Vec<Change>,
    /// What a user should know before, each in a sentence.
    pub notes: Vec<String>,
    /// All entries as they are afterwards.
    pub after: Vec<Item>,
    /// How many tools are then of use there, or why none would be.
    pub loads: Result<usize, String>,
    /// Write once more what makes the agent load everything, even where nothing changes.
    pub reload: bool,
}

impl Change {
    /// `+`, `~` or `-`.
    #[must_use]
    pub fn sign(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "+",
            (_, None) => "-",
            _ => "~",
        }
    }

    #[must_use]
    pub fn action_name(&self) -> &'static str {
        match self.sign() {
            "+" => "add",
            "-" => "delete",
            _ => "change",
        }
    }

    /// `tool/tell-joke`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.section, self.key)
    }

    /// Both texts laid out for comparing, without the member `secret` (the one that the system's
    /// deployment names); empty where there is none.
    #[must_use]
    pub fn redacted_texts(&self, secret: Option<&str>) -> [String; 2] {
        [&self.before, &self.after]
            .map(|text| text.as_deref().map_or_else(String::new, |text| lay_out(text, secret)))
    }
}

/// The text with a member on each line; a secret is not shown.
fn lay_out(text: &str, secret: Option<&str>) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return format!("{text}\n") };
    if let Some(hidden) = secret.and_then(|secret| value.get_mut(secret)) {
        *hidden = "(hidden)".into();
    }
    serde_json::to_string_pretty(&value).map_or_else(|_| text.to_owned(), |text| text + "\n")
}

impl Push {
    /// One that changes nothing.
    #[must_use]
    pub fn empty(system: SystemId) -> Self {
        Self {
            system,
            changes: Vec::new(),
            notes: Vec::new(),
            after: Vec::new(),
            loads: Ok(0),
            reload: false,
        }
    }

    /// What is not there as it was to be, each in a sentence; `now` is what was read back.
    #[must_use]
    pub fn unmet_changes(&self, now: &[Item]) -> Vec<String> {
        let found = |change: &Change| {
            now.iter().find(|item| item.section == change.section && item.key == change.key)
        };
        let told = self.changes.iter().filter_map(|change| match (&change.after, found(change)) {
            (None, Some(_)) => Some(format!("{} still exists", change.name())),
            (Some(_), None) => Some(format!("{} doesn't exist", change.name())),
            (Some(after), Some(item)) if !same(&item.text, after) => {
                Some(format!("{} differs from what was sent", change.name()))
            }
            _ => None,
        });
        told.collect()
    }

    /// How much of it is there, in words; `now` is what was read back.
    #[must_use]
    pub fn progress(&self, now: &[Item]) -> String {
        let unmet = self.unmet_changes(now);
        let (all, done) = (self.changes.len(), self.changes.len() - unmet.len());
        match done {
            0 if all > 0 => "nothing was written".to_owned(),
            _ if unmet.is_empty() => "everything was written anyway".to_owned(),
            _ => format!("{done} of {all} changes were written; {}", unmet.join("; ")),
        }
    }

    /// What changes, in words: `2 added, 1 changed`.
    #[must_use]
    pub fn summary(&self) -> String {
        let count = |sign: &str| self.changes.iter().filter(|change| change.sign() == sign).count();
        let counted = [("+", "added"), ("~", "changed"), ("-", "deleted")]
            .map(|(sign, word)| (count(sign), word));
        let parts: Vec<String> = counted
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        if parts.is_empty() { "nothing changes".into() } else { parts.join(", ") }
    }
}

/// Whether two texts say the same; where they are JSON, the order of members and the spaces between
/// them do not count.
fn same(one: &str, other: &str) -> bool {
    match (serde_json::from_str::<Value>(one), serde_json::from_str::<Value>(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
