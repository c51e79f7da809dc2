//! What models get of tools: the functions that they see, and tools under those names.

use serde_json::json;

use super::table::by_id;
use crate::{
    engine::gated::Slot,
    model::tool::{Function, Tool},
};

/// The function that a model sees of a tool.
#[must_use]
pub(crate) fn function_of(tool: &Tool) -> Function {
    match by_id(tool.entry.system) {
        Some(system) => system.model_function(tool),
        None => Function::new(&tool.name, &tool.description, json!({"type": "object"})),
    }
}

/// Tools, row for row, under the names of their functions.
#[must_use]
pub(crate) fn slots_of_models(tools: &[Slot], functions: &[Function]) -> Vec<Slot> {
    let named = |(slot, function): (&Slot, &Function)| Slot {
        name: function.name.as_str().into(),
        ..slot.clone()
    };
    tools.iter().zip(functions).map(named).collect()
}
