//! What OpenSearch needs to know of a connection: that it leads to a cluster, and how often what
//! failed on the way is sent again.

use serde_json::{Value, json};

use super::keys;
use crate::{
    engine::settings::system_settings::SettingsSchema,
    model::{connection::Connection, transport::TransportKind},
};

const RETRIES: &str = "retries";

/// How often a request is sent again where nobody says.
const USUAL_RETRIES: u64 = 2;

/// They stand in a table of their own; an empty one says that a cluster is there.
pub(crate) const SETTINGS: SettingsSchema =
    SettingsSchema::in_table(keys::SYSTEM, (&[TransportKind::Http], "over HTTP"), schema);

fn schema() -> Value {
    json!({
        "type": "object",
        "description": "The OpenSearch cluster",
        "properties": {
            RETRIES: {
                "type": "integer", "minimum": 0, "maximum": 10, "default": USUAL_RETRIES,
                "description": "How often a request that changes nothing (GET, HEAD) is sent again when the connection broke, or the cluster is too busy",
            },
        },
    })
}

/// How often a request over it that changes nothing is sent again.
#[must_use]
pub(crate) fn retries(connection: &Connection) -> u64 {
    let settings = connection.settings.get(keys::SYSTEM);
    let said = settings.and_then(|settings| settings.values.get(RETRIES)?.as_u64());
    said.unwrap_or(USUAL_RETRIES)
}
