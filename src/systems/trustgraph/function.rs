//! The function that a model sees of a tool.

use super::descriptor;
use crate::model::tool::{Function, Tool};

/// Name, description and arguments, as TrustGraph's agent shows them to its model.
#[must_use]
pub(crate) fn model_function(tool: &Tool) -> Function {
    let parameters = descriptor::arguments_schema(&tool.entry.value, &tool.kind);
    Function::new(&tool.name, &tool.description, parameters)
}
