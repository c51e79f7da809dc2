//! What a connection to a proxy says: in whose name its requests are made.

use serde_json::{Map, Value, json};

use super::keys::{self, CONTEXT};
use crate::{
    engine::settings::system_settings::SettingsSchema,
    model::{connection::Connection, transport::TransportKind},
};

/// They stand in a table of their own; an empty one says that a proxy is there.
pub const SETTINGS: SettingsSchema =
    SettingsSchema::in_table(keys::SYSTEM, (&[TransportKind::Http], "over HTTP"), schema);

fn schema() -> Value {
    let property = |help: &str| json!({"type": "string", "description": format!("{help}; sent with each request")});
    let properties: Map<String, Value> =
        CONTEXT.iter().map(|known| (known.key.to_owned(), property(known.help))).collect();
    json!({
        "type": "object", "description": "Unique's search proxy",
        "properties": properties,
    })
}

/// The headers that a connection gives to every request.
#[must_use]
pub fn context_headers(connection: &Connection) -> Vec<(String, String)> {
    let settings = connection.settings.get(keys::SYSTEM);
    let header = |known: &keys::ContextKey| {
        let value = settings?.text_value(known.key).filter(|value| !value.is_empty())?;
        Some((known.header.to_owned(), value.to_owned()))
    };
    CONTEXT.iter().filter_map(header).collect()
}
