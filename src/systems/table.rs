//! Every system, one row each.

use serde_json::Value;

use super::{commonground, system::System, trustgraph};
use crate::model::tool::Tool;

/// Every system, in the order in which they are asked whether a file is theirs.
pub const SYSTEMS: &[&dyn System] = &[&trustgraph::TrustGraph, &commonground::CommonGround];

/// The system of that id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn System> {
    SYSTEMS.iter().copied().find(|system| system.id() == id)
}

/// The JSON Schema of what a model gives to a tool. It is made anew each time: workspaces are large and tools that are looked at few.
#[must_use]
pub fn arguments(tool: &Tool) -> Value {
    by_id(tool.entry.system).map_or(Value::Bool(true), |system| system.function(tool).parameters)
}
