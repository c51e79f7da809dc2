//! What MCP needs to know of a connection: that a server of its own is there, and how to speak with
//! it.

use serde_json::{Value, json};

use super::{keys, negotiate::EraChoice};
use crate::{
    engine::settings::system_settings::{Rule, SettingsSchema},
    model::{
        connection::{Connection, SystemSettings},
        transport::TransportKind,
    },
};

/// The key that says that a connection leads to a server.
const SYSTEM: &str = "system";

/// They stand among the connection's own keys.
pub const SETTINGS: SettingsSchema = SettingsSchema {
    system: keys::SYSTEM,
    table: None,
    transports: &[TransportKind::Stdio, TransportKind::Http],
    counts: "to a server that is started or over HTTP",
    schema,
    required: ("", ""),
    rules: &[
        Rule {
            key: SYSTEM,
            code: "settings.system",
            words: "must be \"mcp\"; connections to other systems leave it out",
            holds: |word| word == keys::SYSTEM,
        },
        Rule {
            key: keys::ERA,
            code: "settings.era",
            words: "must be \"auto\", \"legacy\" (up to 2025-11-25) or \"modern\" (from 2026-07-28 on)",
            holds: |word| ["auto", "legacy", "modern"].contains(&word),
        },
    ],
    secrets: &[],
    connections: &[],
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            SYSTEM: {"type": "string", "enum": [keys::SYSTEM], "description": "An MCP server is there"},
            keys::ERA: {"type": "string", "enum": ["auto", "legacy", "modern"], "default": "auto", "description": "How to speak with it: as its answer to a probe says, as up to 2025-11-25, or as from 2026-07-28 on"},
        },
    })
}

/// Whether a connection leads to a server.
#[must_use]
pub fn is_at(connection: &Connection) -> bool {
    let settings = connection.settings.get(keys::SYSTEM);
    settings.is_some_and(|settings| settings.text_value(SYSTEM).is_some())
}

/// A connection that leads to a server, whatever it said of that.
#[must_use]
pub fn on(connection: Connection) -> Connection {
    let values = [(SYSTEM.to_owned(), json!(keys::SYSTEM))].into_iter().collect();
    connection.with_settings(keys::SYSTEM, SystemSettings { values, ..SystemSettings::default() })
}

/// The era that is to be spoken.
#[must_use]
pub fn era(connection: &Connection) -> EraChoice {
    match connection.settings.get(keys::SYSTEM).and_then(|settings| settings.text_value(keys::ERA))
    {
        Some("legacy") => EraChoice::Legacy,
        Some("modern") => EraChoice::Modern,
        _ => EraChoice::Auto,
    }
}
