//! A tool on its way from one form to another, with what has no place in a tool.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{fate::Fate, tool::PortableTool};
use crate::schema::pointer::Pointer;

/// A tool to be carried, and what of its entry is left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Baggage {
    pub tool: PortableTool,
    /// What is left behind, except where [`Self::own`] is written.
    pub lost: Vec<Fate>,
    pub own: Option<OwnForm>,
    /// Fields that other files say of it than that of its entry.
    pub beside: Vec<&'static str>,
    pub origin: Origin,
}

/// What it was read of, where that is a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// The form of the document, as `--to` takes it; empty where none has it alone.
    pub form: &'static str,
    /// Its place there.
    pub at: Pointer,
    /// What no tool has of what is there, by its place within.
    pub rest: BTreeMap<String, Value>,
}

/// What a target of the same word writes as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnForm {
    /// The system or format that it was read of, as `--to` takes it.
    pub word: &'static str,
    /// The key of the entry.
    pub key: String,
    /// The member that holds the name.
    pub name_key: &'static str,
    /// The whole entry of a system; of a format, the members that a tool has no place for.
    pub value: Value,
}

impl Baggage {
    #[must_use]
    pub fn new(tool: PortableTool) -> Self {
        Self { tool, lost: Vec::new(), own: None, beside: Vec::new(), origin: Origin::default() }
    }

    /// Its own form, if a target of this word writes it.
    #[must_use]
    pub fn own_for(&self, word: &str) -> Option<&OwnForm> {
        self.own.as_ref().filter(|own| own.word == word)
    }
}
