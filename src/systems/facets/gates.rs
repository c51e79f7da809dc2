//! Which groups and states a tool asks for, as edits of its entry.

use serde_json::Value;

use crate::model::{
    context::Mode,
    finding::EntryEdit,
    tool::{Gate, Tool},
};

/// Has tools that a request gets by its groups and its state.
pub trait Gates: Sync {
    /// The edits after which a tool, read in that mode, has this gate.
    fn gate_edits(&self, tool: &Tool, to: &Gate, mode: Mode) -> Vec<EntryEdit>;

    /// The first value of a new tool, with a gate.
    fn add_gate(&self, value: Value, gate: &Gate) -> Value;
}
