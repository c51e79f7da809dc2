//! What tools bring to a model beside their functions.

use crate::model::{catalog::Catalog, tool::Tool};

/// Has tools with prompts of their own.
pub trait Prompts: Sync {
    /// The prompts of a tool, in the order in which a model reads them.
    fn tool_prompts(&self, tool: &Tool, catalog: &Catalog) -> Vec<Prompt>;

    /// What else of the tool decides how a model gets to use it, each in a sentence.
    fn tool_remarks(&self, tool: &Tool, catalog: &Catalog) -> Vec<String>;
}

/// A text that a model reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What it is: `System prompt`.
    pub title: &'static str,
    /// Where it is in the tool's configuration.
    pub place: String,
    /// The entry does not say it; its tool does.
    pub is_default: bool,
    /// As the model reads it, on samples; or why it cannot be read.
    pub rendered: Result<String, String>,
    /// Variables that nothing gives a value, so that they are empty.
    pub unknown: Vec<String>,
}
