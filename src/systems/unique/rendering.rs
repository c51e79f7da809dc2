//! Which texts of a configuration the platform renders as templates. Of its own tools that is known;
//! what a tool of another package does is in its code.

use serde_json::Value;

use super::{config_schema::EntrySort, keys};
use crate::{schema::pointer::Pointer, systems::pydantic::camel_name};

/// What becomes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendering {
    Rendered,
    /// A model reads it as it is written.
    AsWritten,
    Unknown,
}

/// The platform's own tools whose code is known, with the members that they render.
const KNOWN: [(&str, &[&str]); 5] = [
    ("AskUser", &[]),
    ("OpenFile", &[]),
    ("RetrieveSearchScope", &[]),
    ("TodoWrite", &["toolDescription", "systemPrompt", "executionReminder", "verificationNudge"]),
    (keys::CODE_INTERPRETER, &["toolDescriptionForSystemPrompt"]),
];
/// What is rendered of sub-agents: texts of these lists and members.
const OF_SUB_AGENTS: [&str; 2] = ["systemRemindersConfig", "answerSubstringsJinjaTemplate"];

impl Rendering {
    /// Of the text at a place of an entry's configuration.
    #[must_use]
    pub fn of_text(entry: &Value, at: &Pointer) -> Self {
        let is_rendered = match EntrySort::of_entry(entry) {
            EntrySort::Mcp => false,
            EntrySort::SubAgent => {
                at.tokens().iter().any(|token| OF_SUB_AGENTS.contains(&&*camel_name(token)))
            }
            EntrySort::Factory => {
                let name = keys::NAME.get(entry).and_then(Value::as_str);
                let known = KNOWN.iter().find(|(known, _)| Some(*known) == name);
                let Some((_, members)) = known else { return Self::Unknown };
                at.last().is_some_and(|member| members.contains(&&*camel_name(member)))
            }
        };
        if is_rendered { Self::Rendered } else { Self::AsWritten }
    }
}
