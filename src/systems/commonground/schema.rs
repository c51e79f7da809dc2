//! The JSON Schema for the form of a definition.

use serde_json::{Value, json};

use super::keys;
use crate::model::{catalog::Catalog, entry::Entry};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of a definition; properties stand in form order.
#[must_use]
pub fn schema(_: &Entry, _: &Catalog) -> Value {
    json!({
        "$schema": DRAFT, "title": "Tool", "type": "object",
        "properties": {
            keys::TOOL_NAME: {"title": "tool name", "type": "string", "minLength": 1, "description": "What the model calls it by. Letters, digits, - and _ pass every model's API."},
            keys::DESCRIPTION: {"title": "description", "type": ["string", "null"], "format": "multiline", "description": "What the model reads to choose it: what it does, when to use it."},
            keys::TARGET_SUBJECT: {"title": "target subject", "type": "string", "minLength": 1, "description": "Where the command goes: eight parts between dots; {project_id}, {channel_id} and {agent_id} are filled in."},
            keys::AFTER_EXECUTION: {"title": "after execution", "enum": [keys::SUSPEND, keys::TERMINATE], "description": "suspend: the model goes on with the result. terminate: the result ends the turn."},
            keys::PARAMETERS: {"title": "parameters", "type": "object", "description": "What the model gives with each call, as a JSON Schema."},
            keys::OPTIONS: {"title": "options", "type": "object", "description": "Defaults, fixed values, keys from the environment, waiting time."},
        },
        "required": [keys::TOOL_NAME, keys::TARGET_SUBJECT, keys::AFTER_EXECUTION],
    })
}
