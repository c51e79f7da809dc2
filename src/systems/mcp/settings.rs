//! What MCP needs to know of a connection: that a server of its own is there, and how to speak with
//! it.

use serde_json::{Value, json};

use super::{
    keys,
    negotiate::EraChoice,
    notice::LogLevel,
    token_settings::{self, GrantKind},
    version::Era,
};
use crate::{
    engine::settings::system_settings::{NEEDS_ADDRESS, Rule, SettingsSchema},
    model::{
        connection::{Connection, SystemSettings},
        transport::TransportKind,
    },
};

/// The key that says that a connection leads to a server.
const SYSTEM: &str = "system";

/// The level of logs of a connection that asks for none.
const NO_LOGS: &str = "off";

/// They stand among the connection's own keys.
pub const SETTINGS: SettingsSchema = SettingsSchema {
    system: keys::SYSTEM,
    table: None,
    named_by: Some(SYSTEM),
    transports: &[TransportKind::Stdio, TransportKind::Http],
    counts: "to a server that is started or over HTTP",
    schema,
    required: ("", ""),
    rules: &[
        Rule {
            key: SYSTEM,
            code: "settings.system",
            words: "must be \"mcp\"; connections to other systems omit it",
            holds: |word| word == keys::SYSTEM,
        },
        Rule {
            key: keys::ERA,
            code: "settings.era",
            words: "must be \"auto\", \"legacy\" (up to 2025-11-25) or \"modern\" (from 2026-07-28 on)",
            holds: |word| ["auto", "legacy", "modern"].contains(&word),
        },
        Rule {
            key: keys::LOG_LEVEL,
            code: "settings.log-level",
            words: "must be \"debug\", \"info\", \"notice\", \"warning\", \"error\", \"critical\", \"alert\", \"emergency\" or \"off\"",
            holds: |word| word == NO_LOGS || LogLevel::parse(word).is_some(),
        },
        Rule {
            key: keys::CAPABILITIES,
            code: "settings.capabilities",
            words: "must be a list of \"elicitation\", \"elicitation-url\", \"sampling\", \"sampling-tools\", \"roots\" and \"tasks\"",
            holds: |word| Capability::parse(word).is_some(),
        },
        Rule {
            key: keys::GRANT,
            code: "settings.grant",
            words: "must be \"browser\", where you allow it on a page, \"client-credentials\", \"workload-identity\" or \"enterprise-managed\"",
            holds: |word| GrantKind::parse(word).is_some(),
        },
    ],
    secrets: token_settings::SECRETS,
    connections: &[],
};

/// Something that a client can declare to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Capability {
    Elicitation,
    ElicitationUrl,
    Sampling,
    SamplingTools,
    Roots,
    Tasks,
}

impl Capability {
    const ALL: [Self; 6] = [
        Self::Elicitation,
        Self::ElicitationUrl,
        Self::Sampling,
        Self::SamplingTools,
        Self::Roots,
        Self::Tasks,
    ];
    /// What is declared where the connection does not say it: all that a person can answer.
    const DEFAULT: [Self; 4] =
        [Self::Elicitation, Self::ElicitationUrl, Self::Sampling, Self::Tasks];

    fn as_str(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::ElicitationUrl => "elicitation-url",
            Self::Sampling => "sampling",
            Self::SamplingTools => "sampling-tools",
            Self::Roots => "roots",
            Self::Tasks => "tasks",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// Where it is among the capabilities of a client.
    fn path(self) -> &'static [&'static str] {
        match self {
            Self::Elicitation => &["elicitation", "form"],
            Self::ElicitationUrl => &["elicitation", "url"],
            Self::Sampling => &["sampling"],
            Self::SamplingTools => &["sampling", "tools"],
            Self::Roots => &["roots"],
            Self::Tasks => &["extensions", "io.modelcontextprotocol/tasks"],
        }
    }
}

fn schema() -> Value {
    let words = |capabilities: &[Capability]| -> Vec<&str> {
        capabilities.iter().map(|capability| capability.as_str()).collect()
    };
    let levels = LogLevel::ALL.iter().map(|level| level.as_str());
    let log_levels: Vec<&str> = levels.chain([NO_LOGS]).collect();
    let mut schema = json!({
        "type": "object",
        "properties": {
            SYSTEM: {"type": "string", "enum": [keys::SYSTEM], "description": "It is an MCP \
                server"},
            keys::ERA: {"type": "string", "enum": ["auto", "legacy", "modern"], "default": "auto", "description": "The protocol's era: detected by a probe, up to 2025-11-25, or from 2026-07-28 on"},
            keys::LOG_LEVEL: {
                "type": "string", "enum": log_levels, "default": LogLevel::Debug.as_str(),
                "description": "The least level of logs that calls ask the server for; in the \
                legacy era it is asked only where this is set",
            },
            keys::CAPABILITIES: {
                "type": "array", "uniqueItems": true,
                "items": {"type": "string", "enum": words(&Capability::ALL)},
                "default": words(&Capability::DEFAULT),
                "description": "What toolcrib declares to the server: that a person fills in forms and opens URLs, answers in the place of a model (also with tools), gives folders, follows tasks. Many servers have other tools then",
            },
            keys::ROOTS: {
                "type": "array", "items": {"type": "string"},
                "description": "Folders that the server gets when it requests roots, relative to \
                the workspace's. Default: none",
            },
        },
    });
    for (key, mut property) in token_settings::properties() {
        property[NEEDS_ADDRESS] = true.into();
        schema["properties"][key] = property;
    }
    schema
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

/// The least level of logs that a connection names; none where it names none, or wants none.
#[must_use]
pub fn chosen_log_level(connection: &Connection) -> Option<LogLevel> {
    LogLevel::parse(connection.settings.get(keys::SYSTEM)?.text_value(keys::LOG_LEVEL)?)
}

/// The one that requests of the modern era ask for: all logs unless the connection says otherwise.
#[must_use]
pub fn log_level(connection: &Connection) -> Option<LogLevel> {
    let settings = connection.settings.get(keys::SYSTEM);
    match settings.and_then(|settings| settings.text_value(keys::LOG_LEVEL)) {
        Some(word) => LogLevel::parse(word),
        None => Some(LogLevel::Debug),
    }
}

/// The same connection, spoken with in that era.
#[must_use]
pub fn with_era(connection: Connection, era: Era) -> Connection {
    let mut settings = connection.settings.get(keys::SYSTEM).cloned().unwrap_or_default();
    settings.values.insert(keys::ERA.to_owned(), json!(era.as_str()));
    connection.with_settings(keys::SYSTEM, settings)
}

/// What is declared to a server: what the connection names, and roots where it has some.
#[must_use]
pub fn client_capabilities(connection: &Connection) -> Value {
    let mut declared = match list_of(connection, keys::CAPABILITIES) {
        Some(words) => words.into_iter().filter_map(Capability::parse).collect(),
        None => Capability::DEFAULT.to_vec(),
    };
    if !roots(connection).is_empty() {
        declared.push(Capability::Roots);
    }
    let mut capabilities = json!({});
    for capability in declared {
        let mut at = &mut capabilities;
        for name in capability.path() {
            at = &mut at[*name];
            if at.is_null() {
                *at = json!({});
            }
        }
    }
    capabilities
}

/// The folders that a server is informed, as the connection names them.
#[must_use]
pub fn roots(connection: &Connection) -> Vec<&str> {
    list_of(connection, keys::ROOTS).unwrap_or_default()
}

/// The connection with these folders in the place of its own.
#[must_use]
pub fn with_roots(connection: Connection, roots: &[String]) -> Connection {
    let mut settings = connection.settings.get(keys::SYSTEM).cloned().unwrap_or_default();
    settings.values.insert(keys::ROOTS.to_owned(), json!(roots));
    connection.with_settings(keys::SYSTEM, settings)
}

fn list_of<'c>(connection: &'c Connection, key: &str) -> Option<Vec<&'c str>> {
    let items = connection.settings.get(keys::SYSTEM)?.values.get(key)?.as_array()?;
    Some(items.iter().filter_map(Value::as_str).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(values: &Value) -> Connection {
        let values = values.as_object().cloned().unwrap_or_default();
        let settings = SystemSettings { values, ..SystemSettings::default() };
        Connection::embedded().with_settings(keys::SYSTEM, settings)
    }

    #[test]
    fn what_is_ticked_is_declared() {
        let declared = |values: Value| client_capabilities(&connection(&values));
        assert_eq!(
            declared(json!({})),
            json!({"elicitation": {"form": {}, "url": {}}, "sampling": {},
                "extensions": {"io.modelcontextprotocol/tasks": {}}})
        );
        assert_eq!(declared(json!({"capabilities": []})), json!({}));
        assert_eq!(
            declared(json!({"capabilities": ["sampling-tools"], "roots": ["."]})),
            json!({"sampling": {"tools": {}}, "roots": {}})
        );
        let told = with_roots(connection(&json!({"era": "legacy"})), &["a".to_owned()]);
        assert_eq!((roots(&told), era(&told)), (vec!["a"], EraChoice::Legacy));
    }
}
