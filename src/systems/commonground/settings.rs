//! What CommonGround needs to know of a connection: the channel of a project, and what else of that
//! deployment is known.

use serde_json::{Value, json};

use super::keys;
use crate::{
    engine::settings::{
        connections::holds_credentials,
        system_settings::{Rule, SecretMember, SettingsSchema},
    },
    model::{
        connection::{Connection, SecretAt, SystemSettings},
        transport::{Traffic, TransportKind},
    },
};

/// The transports that it rides on.
pub(crate) const TRANSPORTS: &[TransportKind] = &[TransportKind::Nats];

const VERSION: &str = "version";
const PROJECT: &str = "project";
const CHANNEL: &str = "channel";
const AGENT: &str = "agent";
const API: &str = "api";
const POSTGRES: &str = "postgres";

/// They stand in a table of their own.
pub(crate) const SETTINGS: SettingsSchema = SettingsSchema {
    required: ("settings.no-channel", "CommonGround is called in a channel of a project"),
    rules: &[
        id_rule(VERSION),
        id_rule(PROJECT),
        id_rule(CHANNEL),
        id_rule(AGENT),
        Rule {
            key: API,
            code: "settings.api",
            words: "must be the address of the management API without user and password: http://HOST:PORT",
            holds: is_api,
        },
    ],
    secrets: &[SecretMember {
        key: POSTGRES,
        written: &["postgres", "dsn", "postgres-dsn", "password"],
    }],
    ..SettingsSchema::in_table(keys::SYSTEM, (TRANSPORTS, "over NATS"), schema)
};

const fn id_rule(key: &'static str) -> Rule {
    let words = "is part of every subject, so it must be made of letters, digits, _ and - only";
    Rule { key, code: "settings.id", words, holds: is_id }
}

/// Whether a text can stand in a subject as an id: dots, spaces and wildcards would make another
/// subject of it.
fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

fn is_api(address: &str) -> bool {
    let is_http = TransportKind::of_address(address)
        .is_some_and(|kind| kind.spec().traffic == Traffic::Exchange);
    is_http && !holds_credentials(address)
}

fn schema() -> Value {
    let text = |words: &str| json!({"type": "string", "description": words});
    json!({
        "type": "object",
        "description": "The channel of a CommonGround project",
        "properties": {
            PROJECT: text("The project's id"),
            CHANNEL: text("The channel's id"),
            VERSION: text("The version in every subject; v1r4"),
            AGENT: text("The agent that calls are made as. Default: a new one for each session"),
            API: text("The management API: http://HOST:PORT"),
            "postgres-variable": text("The environment variable with PostgreSQL's address"),
            "postgres-key": text("Name of PostgreSQL's address in the system's key store"),
        },
        "required": [PROJECT, CHANNEL],
    })
}

/// A channel of a project. Ids are made of letters, digits, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The version that is in every subject: `v1r4`.
    pub version: String,
    pub project: String,
    pub channel: String,
    /// The agent in whose name calls are made; `None`: one of our own is made for each session.
    pub agent: Option<String>,
    /// The management API: `http://127.0.0.1:8099`.
    pub api: Option<String>,
    /// Where the address of the deployment's PostgreSQL lies, password and all.
    pub postgres: Option<SecretAt>,
}

impl Channel {
    /// The one version that is spoken.
    pub const VERSION: &'static str = "v1r4";

    /// A channel of which nothing else is known.
    pub fn new(project: impl Into<String>, channel: impl Into<String>) -> Self {
        Self {
            version: Self::VERSION.into(),
            project: project.into(),
            channel: channel.into(),
            agent: None,
            api: None,
            postgres: None,
        }
    }

    /// The channel that a connection leads to; `None`: it leads to no CommonGround.
    #[must_use]
    pub fn from_connection(connection: &Connection) -> Option<Self> {
        let settings = connection.settings.get(keys::SYSTEM)?;
        let text = |key| settings.text_value(key).map(str::to_owned);
        Some(Self {
            version: text(VERSION).unwrap_or_else(|| Self::VERSION.into()),
            agent: text(AGENT),
            api: text(API),
            postgres: settings.secrets.get(POSTGRES).cloned(),
            ..Self::new(text(PROJECT)?, text(CHANNEL)?)
        })
    }

    /// A connection that leads to it.
    #[must_use]
    pub fn apply_to(self, connection: Connection) -> Connection {
        let Self { version, project, channel, agent, api, postgres } = self;
        let values = [
            (VERSION, Some(version)),
            (PROJECT, Some(project)),
            (CHANNEL, Some(channel)),
            (AGENT, agent),
            (API, api),
        ];
        let values = values
            .into_iter()
            .filter_map(|(key, text)| Some((key.to_owned(), Value::String(text?))));
        let secrets = postgres.into_iter().map(|at| (POSTGRES, at)).collect();
        connection.with_settings(
            keys::SYSTEM,
            SystemSettings { values: values.collect(), secrets, ..SystemSettings::default() },
        )
    }
}

/// The same connection without the agent that it names, so that one of our own is made.
#[must_use]
pub(crate) fn without_agent(mut connection: Connection) -> Connection {
    if let Some(settings) = connection.settings.get_mut(keys::SYSTEM) {
        settings.values.shift_remove(AGENT);
    }
    connection
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_on_a_connection_is_read_from_it() {
        let plain = Connection::nats("cg", "nats://h");
        assert_eq!(Channel::from_connection(&plain), None);
        let channel = Channel {
            agent: Some("ann-1".into()),
            api: Some("http://h:2".into()),
            postgres: Some(SecretAt::KeyStore("lab".into())),
            ..Channel::new("lab", "public")
        };
        let there = channel.clone().apply_to(plain);
        assert_eq!(Channel::from_connection(&there).as_ref(), Some(&channel));
        assert_eq!(
            Channel::from_connection(&without_agent(there)),
            Some(Channel { agent: None, ..channel })
        );
    }
}
