//! Tools as they are offered to clients that speak a protocol of their own.

use std::sync::Arc;

use serde_json::Value;

use crate::model::{
    entry::SystemId,
    tool::{Function, Tool},
};

/// A tool that is offered.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedTool {
    /// What names it in the workspace.
    pub key: String,
    /// Where it comes from; `None`: a stub of no tool.
    pub system: Option<SystemId>,
    /// As a model sees it.
    pub function: Function,
    /// Its entry as the workspace has it, where the tool itself is called; `None` where a stub
    /// answers, which keeps none of the entry's promises.
    pub entry: Option<Arc<Value>>,
}

impl ServedTool {
    /// A tool of the workspace that is called itself.
    #[must_use]
    pub fn from_tool(tool: &Tool, function: Function) -> Self {
        Self {
            key: tool.entry.key.clone(),
            system: Some(tool.entry.system),
            function,
            entry: Some(tool.entry.value.parsed()),
        }
    }
}
