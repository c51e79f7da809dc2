//! Tools as they are offered to clients that speak a protocol of their own.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    model::{
        entry::SystemId,
        stub::{StubAnswer, StubService},
        tool::{Function, Tool},
    },
    schema::validate::Checker,
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
    /// Its entry as the workspace has it, without the promises that a stub wouldn't keep; `None`: a
    /// stub of no tool.
    pub entry: Option<Arc<Value>>,
    /// A stub answers in its place.
    pub is_stubbed: bool,
}

/// The member of an entry that promises structured content.
const OUTPUT_SCHEMA: &str = "outputSchema";

impl ServedTool {
    /// A tool of the workspace that is called itself.
    #[must_use]
    pub fn from_tool(tool: &Tool, function: Function) -> Self {
        Self {
            key: tool.entry.key.clone(),
            system: Some(tool.entry.system),
            function,
            entry: Some(tool.entry.value.parsed()),
            is_stubbed: false,
        }
    }

    /// The same, answered by a stub: what it promises stays if the stub keeps it.
    #[must_use]
    pub fn answered_by(self, stub: &StubService) -> Self {
        let entry = self.entry.map(|entry| match entry.get(OUTPUT_SCHEMA) {
            Some(schema) if !keeps_promise(stub, schema) => {
                let mut kept = Arc::unwrap_or_clone(entry);
                if let Some(members) = kept.as_object_mut() {
                    members.shift_remove(OUTPUT_SCHEMA);
                }
                Arc::new(kept)
            }
            _ => entry,
        });
        Self { entry, is_stubbed: true, ..self }
    }

    /// Whether a stub's answers are to be structured content, too, as is promised of the tool.
    #[must_use]
    pub fn is_structured(&self) -> bool {
        self.is_stubbed
            && self.entry.as_ref().is_some_and(|entry| entry.get(OUTPUT_SCHEMA).is_some())
    }
}

/// Whether all that a stub answers is JSON that matches the schema.
fn keeps_promise(stub: &StubService, schema: &Value) -> bool {
    let Ok(checker) = Checker::compile(schema) else { return false };
    let matches = |answer: &StubAnswer| {
        let text: String = answer.pieces.iter().map(|piece| piece.text.as_str()).collect();
        let value: Result<Value, _> = serde_json::from_str(&text);
        !answer.echo
            && value.is_ok_and(|value| value.is_object() && checker.issues(&value).is_empty())
    };
    let fails = |answer: &StubAnswer| answer.error.is_some() || answer.fault.is_some();
    stub.rules.iter().all(|rule| fails(&rule.then) || matches(&rule.then))
}
