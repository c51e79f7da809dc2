//! A connection: an ecosystem's settings under a name. Of secrets it holds where they lie.

use std::fmt;

use super::{problem::Problem, transport::TransportKind};

/// [`Connection::largest_answer`] unless the settings say otherwise.
pub const LARGEST_ANSWER: u64 = 256 * MIB;

/// The unit in which the settings give sizes.
pub const MIB: u64 = 1024 * 1024;

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
    /// How many bytes an answer may have; a call whose answer has more is ended.
    pub largest_answer: u64,
}

/// The part of a deployment that requests to its gateway are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gateway {
    /// `None`: the workspace that the token belongs to.
    pub workspace: Option<String>,
    pub flow: String,
    /// The broker behind it, where the agent can be listened to; `None`: it is not known.
    pub broker: Option<Box<Connection>>,
}

impl Default for Gateway {
    fn default() -> Self {
        Self { workspace: None, flow: "default".into(), broker: None }
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

    /// Whether a text can stand in a subject as an id: dots, blanks and wildcards would make another subject of it.
    #[must_use]
    pub fn is_id(text: &str) -> bool {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    }
}

/// Under this name our secrets stand together in the system's key store.
pub const KEPT_AS: &str = "toolcrib";

/// Where a secret lies. Settings name the place and never hold the secret, which is looked up when connecting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SecretAt {
    /// The environment variable of that name.
    Variable(String),
    /// The system's key store, under that name.
    KeyStore(String),
}

impl fmt::Display for SecretAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "the environment variable {name}"),
            Self::KeyStore(name) => write!(f, "the secret \"{name}\" of the key store"),
        }
    }
}

/// Who we are to the other side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Credentials {
    #[default]
    None,
    Password {
        user: String,
        password: SecretAt,
    },
    Token {
        token: SecretAt,
    },
    /// A NATS credentials file.
    File {
        path: String,
    },
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
            largest_answer: LARGEST_ANSWER,
        }
    }

    /// Where all secrets lie that it needs.
    pub fn secrets(&self) -> impl Iterator<Item = &SecretAt> {
        let named = match &self.credentials {
            Credentials::Password { password: at, .. } | Credentials::Token { token: at } => Some(at),
            Credentials::None | Credentials::File { .. } => None,
        };
        named.into_iter().chain(self.channel.as_ref().and_then(|channel| channel.postgres.as_ref()))
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
