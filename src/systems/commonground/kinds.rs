//! First values of new definitions.

use serde_json::{Value, json};

use super::{keys, subject};
use crate::{
    model::entry::EntryKind,
    systems::system::{NewEntry, NewPlace, OWN_NAME},
};

/// A tool of one's own, and one that CommonGround's Jina service answers.
#[must_use]
pub(crate) fn new_entry_kinds() -> Vec<NewEntry> {
    let kind = |type_name, help, value| NewEntry {
        system: keys::SYSTEM,
        kind: EntryKind::Tool,
        type_name,
        place: NewPlace::Alone,
        named: &[keys::TOOL_NAME],
        help,
        value,
    };
    vec![
        kind(
            "commonground tool",
            "A CommonGround tool: commands over NATS to a service of your own.",
            external_tool(),
        ),
        kind(
            "commonground jina",
            "A CommonGround tool that its Jina service answers: a web search, or reading a page.",
            jina_tool(),
        ),
    ]
}

fn external_tool() -> Value {
    json!({
        keys::TOOL_NAME: "",
        keys::DESCRIPTION: "",
        keys::TARGET_SUBJECT: format!("cg.{}.{{project_id}}.{{channel_id}}.cmd.tool.{OWN_NAME}.call", subject::VERSION),
        keys::AFTER_EXECUTION: keys::SUSPEND,
        keys::PARAMETERS: {"type": "object", "properties": {}, "required": []},
        keys::OPTIONS: {},
    })
}

fn jina_tool() -> Value {
    json!({
        keys::TOOL_NAME: "",
        keys::DESCRIPTION: "",
        keys::TARGET_SUBJECT: format!("cg.{}.{{project_id}}.{{channel_id}}.cmd.tool.jina.search", subject::VERSION),
        keys::AFTER_EXECUTION: keys::SUSPEND,
        keys::PARAMETERS: {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "What to look for."}},
            "required": ["query"],
        },
        keys::OPTIONS: {
            keys::JINA: {
                "mode": "search", "base_url": "https://s.jina.ai", "path": "/search", "method": "GET", "auth_env": "JINA_API_KEY",
            },
        },
    })
}
