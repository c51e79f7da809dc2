//! What the checks of a set look at.

use super::words::WordCounter;
use crate::model::{
    catalog::Catalog,
    health::HealthSettings,
    tool::{Function, Tool},
};

/// One tool, as a model gets it.
pub(super) struct ToolView<'v> {
    pub tool: &'v Tool,
    pub function: &'v Function,
    pub tokens: usize,
    pub settings: &'v HealthSettings,
}

/// What is kept of a tool to compare it with others.
pub(super) struct Measured {
    /// Its row in the catalog.
    pub row: usize,
    pub tokens: usize,
    /// What its name says: a number for each word, in order, synonyms as one.
    pub name: Vec<u64>,
    /// The words of its description, each once.
    pub description: Vec<u64>,
}

/// All tools that any request can get.
pub(super) struct ToolSet<'s> {
    pub catalog: &'s Catalog,
    pub measured: &'s [Measured],
    pub settings: &'s HealthSettings,
    pub words: &'s WordCounter,
}

impl<'s> ToolSet<'s> {
    pub fn tool(&self, measured: &Measured) -> &'s Tool {
        &self.catalog.tools[measured.row]
    }
}
