//! A connection: an ecosystem's settings under a name. Secrets stand as names of environment variables.

use super::problem::Problem;

/// How bytes travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransportKind {
    /// In process, with toolcrib's own sample services.
    Embedded,
    Nats,
    RabbitMq,
    Pulsar,
    Kafka,
    /// TrustGraph's gateway, one request after another.
    Http,
    /// TrustGraph's gateway, over one socket on which answers stream.
    WebSocket,
}

impl TransportKind {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Nats => "nats",
            Self::RabbitMq => "rabbitmq",
            Self::Pulsar => "pulsar",
            Self::Kafka => "kafka",
            Self::Http => "http",
            Self::WebSocket => "websocket",
        }
    }

    /// Whether every call has an inbox of its own, beside the queue that all callers hear.
    #[must_use]
    pub fn has_inbox(self) -> bool {
        matches!(self, Self::Embedded | Self::Nats)
    }

    /// Whether it leads to a gateway, which has services of its own and no queues.
    #[must_use]
    pub fn is_gateway(self) -> bool {
        matches!(self, Self::Http | Self::WebSocket)
    }

    /// Its name for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Embedded => "the embedded connection",
            Self::Nats => "NATS",
            Self::RabbitMq => "RabbitMQ",
            Self::Pulsar => "Pulsar",
            Self::Kafka => "Kafka",
            Self::Http => "a gateway over HTTP",
            Self::WebSocket => "a gateway over WebSocket",
        }
    }
}

/// Settings of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    pub name: String,
    pub transport: TransportKind,
    /// Addresses to try in order, without credentials: `nats://127.0.0.1:4222`. Empty for embedded.
    pub servers: Vec<String>,
    pub credentials: Credentials,
    pub tls: Tls,
    /// What is addressed behind a gateway.
    pub gateway: Gateway,
    /// The channel of a CommonGround project that it leads to; `None`: it leads to no CommonGround.
    pub channel: Option<Channel>,
}

/// The part of a deployment that requests to its gateway are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gateway {
    /// `None`: the workspace that the token belongs to.
    pub workspace: Option<String>,
    pub flow: String,
}

impl Default for Gateway {
    fn default() -> Self {
        Self { workspace: None, flow: "default".into() }
    }
}

/// A channel of a CommonGround project, and what else of that deployment is known. Ids are made of letters, digits, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The version that stands in every subject: `v1r4`.
    pub version: String,
    pub project: String,
    pub channel: String,
    /// The agent in whose name calls are made; `None`: one of our own is made for each session.
    pub agent: Option<String>,
    /// The management API: `http://127.0.0.1:8099`.
    pub api: Option<String>,
    /// The variable that holds the address of the deployment's PostgreSQL, password and all.
    pub postgres_variable: Option<String>,
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
            postgres_variable: None,
        }
    }

    /// Whether a text can stand in a subject as an id: dots, blanks and wildcards would make another subject of it.
    #[must_use]
    pub fn is_id(text: &str) -> bool {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    }
}

/// Who we are to the other side. Values come from the named environment variables when connecting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Credentials {
    #[default]
    None,
    /// The user's name, and the variable that holds the password.
    Password { user: String, password_variable: String },
    /// The variable that holds the token.
    Token { token_variable: String },
    /// A NATS credentials file.
    File { path: String },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    pub required: bool,
    /// PEM file with the authorities to trust; `None`: the system's.
    pub ca_file: Option<String>,
    pub cert_file: Option<String>,
    pub key_file: Option<String>,
}

impl Connection {
    /// The connection that is always there.
    #[must_use]
    pub fn embedded() -> Self {
        Self {
            name: "embedded".into(),
            transport: TransportKind::Embedded,
            servers: Vec::new(),
            credentials: Credentials::None,
            tls: Tls::default(),
            gateway: Gateway::default(),
            channel: None,
        }
    }

    /// A NATS connection to one address without credentials.
    pub fn nats(name: impl Into<String>, server: impl Into<String>) -> Self {
        Self::to(TransportKind::Nats, name, server)
    }

    /// A connection to one address without credentials.
    pub fn to(transport: TransportKind, name: impl Into<String>, server: impl Into<String>) -> Self {
        Self { name: name.into(), transport, servers: vec![server.into()], ..Self::embedded() }
    }
}

/// The state of a connection, in words for the top line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    Idle,
    Connecting,
    Connected,
    Reconnecting { attempt: usize },
    Failed(Problem),
}
