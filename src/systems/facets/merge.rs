//! What a tool gets of what a model gives.

use serde_json::{Map, Value};

use crate::model::{connection::Connection, merging::Merging, tool::Tool};

/// Gives its tools other arguments than those of the model.
pub trait Merge: Sync {
    /// The way of a call's arguments to the tool, with what-if values for the variables that are
    /// filled in; `None` where the tool gets just what is given.
    fn trace_arguments(
        &self,
        tool: &Tool,
        given: &Map<String, Value>,
        connection: &Connection,
        variables: &[(String, String)],
    ) -> Option<Merging>;

    /// What the tool's service makes of a call with these arguments, line by line, or why it makes
    /// nothing of it; `None` where nothing is known of that.
    fn preview_request(
        &self,
        tool: &Tool,
        given: &Map<String, Value>,
    ) -> Option<Result<Vec<String>, String>>;
}
