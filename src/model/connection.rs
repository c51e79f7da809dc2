//! A connection: where calls go, under a name, and what single systems need to know of that. Of
//! secrets it holds where they lie.

use std::{collections::BTreeMap, fmt, path::Path, time::Duration};

use serde_json::{Map, Value};

use super::{entry::SystemId, problem::Problem, transport::TransportKind};
use crate::schema::phrase::value_text;

/// [`Connection::largest_answer`] unless the settings say otherwise.
pub(crate) const LARGEST_ANSWER: u64 = 256 * MIB;

/// The unit in which the settings give sizes.
pub(crate) const MIB: u64 = 1024 * 1024;

/// Settings of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    pub name: String,
    pub endpoint: Endpoint,
    pub credentials: Credentials,
    /// Headers that each request over HTTP carries, by their names as they were written.
    pub headers: BTreeMap<String, SettingValue>,
    /// What `{{var.NAME}}` is in its requests; those of the workspace are among them.
    pub variables: RequestVariables,
    pub tls: Tls,
    /// How many bytes an answer may have; a call whose answer has more is ended.
    pub largest_answer: u64,
    /// How long each message of an answer may take; `None`: as with any other connection.
    pub timeout: Option<Duration>,
    /// The same for single tools, by their names.
    pub tool_timeouts: BTreeMap<String, Duration>,
    /// What single systems need to know of it. One that is not among them has said nothing.
    pub settings: BTreeMap<SystemId, SystemSettings>,
}

/// Where a connection leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Nowhere: to the sample services within this process.
    Embedded,
    /// Servers to try in order, by addresses without credentials: `nats://127.0.0.1:4222`.
    Servers { transport: TransportKind, addresses: Vec<String> },
    /// A server that is started.
    Process(ServerCommand),
}

/// What starts a server that is spoken with over its standard input and output. No shell reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerCommand {
    pub command: String,
    pub args: Vec<String>,
    /// Variables beside the few that every server gets.
    pub env: BTreeMap<String, SettingValue>,
    /// The folder that it runs in; `None`: the one that toolcrib runs in.
    pub dir: Option<String>,
}

/// The value of a variable that a server gets, or of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    Text(String),
    Secret(SecretAt),
}

/// What `{{var.NAME}}` is in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestVariable {
    /// A text, a number, or true or false.
    Shown(Value),
    /// The same under the name of a secret: neither shown nor kept.
    Hidden(Value),
    /// Looked up when a request that names it is sent.
    Secret(SecretAt),
}

impl fmt::Display for RequestVariable {
    /// The value; of a secret dots, and where it lies.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shown(value) => f.write_str(&value_text(value)),
            Self::Hidden(_) => f.write_str("••••"),
            Self::Secret(at) => write!(f, "•••• from {at}"),
        }
    }
}

/// Variables of requests by their names.
pub type RequestVariables = BTreeMap<String, RequestVariable>;

impl fmt::Display for SettingValue {
    /// A text as it is, and of a secret where it lies.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Secret(at) => write!(f, "({at})"),
        }
    }
}

impl fmt::Display for ServerCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.command)?;
        self.args.iter().try_for_each(|arg| match arg.is_empty() || arg.contains([' ', '"']) {
            true => write!(f, " {arg:?}"),
            false => write!(f, " {arg}"),
        })
    }
}

/// What one system needs to know of a connection, as the schema that the system gives describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemSettings {
    /// Members as they were written, but for those that name where a secret lies.
    pub values: Map<String, Value>,
    /// Where secrets lie, by what they open.
    pub secrets: BTreeMap<&'static str, SecretAt>,
    /// Other connections, by what they are for.
    pub connections: BTreeMap<&'static str, Connection>,
}

impl SystemSettings {
    /// A member that is a text.
    #[must_use]
    pub fn text_value(&self, key: &str) -> Option<&str> {
        self.values.get(key)?.as_str()
    }
}

/// Under this name our secrets stand together in the system's key store.
pub(crate) const KEPT_AS: &str = "toolcrib";

/// Where a secret lies. Settings name the place and never hold the secret, which is looked up when
/// connecting.
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
            endpoint: Endpoint::Embedded,
            credentials: Credentials::None,
            headers: BTreeMap::new(),
            variables: BTreeMap::new(),
            tls: Tls::default(),
            largest_answer: LARGEST_ANSWER,
            timeout: None,
            tool_timeouts: BTreeMap::new(),
            settings: BTreeMap::new(),
        }
    }

    /// A NATS connection to one address without credentials.
    pub fn nats(name: impl Into<String>, server: impl Into<String>) -> Self {
        Self::from_address(TransportKind::Nats, name, server)
    }

    /// A connection over HTTP to one address without credentials.
    pub fn http(name: impl Into<String>, server: impl Into<String>) -> Self {
        Self::from_address(TransportKind::Http, name, server)
    }

    /// A connection to one address without credentials.
    pub fn from_address(
        transport: TransportKind,
        name: impl Into<String>,
        server: impl Into<String>,
    ) -> Self {
        let endpoint = Endpoint::Servers { transport, addresses: vec![server.into()] };
        Self { name: name.into(), endpoint, ..Self::embedded() }
    }

    /// A connection to a server that this command starts.
    pub fn process(name: impl Into<String>, command: ServerCommand) -> Self {
        Self { name: name.into(), endpoint: Endpoint::Process(command), ..Self::embedded() }
    }

    /// The same over the same transport to other addresses.
    #[must_use]
    pub fn with_addresses(self, addresses: Vec<String>) -> Self {
        let endpoint = Endpoint::Servers { transport: self.transport(), addresses };
        Self { endpoint, ..self }
    }

    /// The same, its server started in this folder or in one of its own, whose path counts from
    /// this one.
    #[must_use]
    pub fn placed_in(mut self, root: &Path) -> Self {
        if let Endpoint::Process(command) = &mut self.endpoint {
            let dir = command.dir.as_ref().map_or_else(|| root.to_owned(), |dir| root.join(dir));
            command.dir = Some(dir.to_string_lossy().into_owned());
        }
        self
    }

    /// The same with what a system needs to know of it.
    #[must_use]
    pub fn with_settings(mut self, system: SystemId, settings: SystemSettings) -> Self {
        self.settings.insert(system, settings);
        self
    }

    #[must_use]
    pub fn transport(&self) -> TransportKind {
        match self.endpoint {
            Endpoint::Embedded => TransportKind::Embedded,
            Endpoint::Servers { transport, .. } => transport,
            Endpoint::Process(_) => TransportKind::Stdio,
        }
    }

    /// The addresses that it leads to; none where it leads to no server.
    #[must_use]
    pub fn addresses(&self) -> &[String] {
        match &self.endpoint {
            Endpoint::Embedded | Endpoint::Process(_) => &[],
            Endpoint::Servers { addresses, .. } => addresses,
        }
    }

    /// What starts its server; `None` where it leads elsewhere.
    #[must_use]
    pub fn command(&self) -> Option<&ServerCommand> {
        match &self.endpoint {
            Endpoint::Process(command) => Some(command),
            Endpoint::Embedded | Endpoint::Servers { .. } => None,
        }
    }

    /// Whether it stays within this process, where nobody else hears or answers.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        self.endpoint == Endpoint::Embedded
    }

    /// That it leads elsewhere than to what is wanted, "an MCP server", as the cause of a problem.
    #[must_use]
    pub fn leads_elsewhere(&self, wanted: &str) -> String {
        match self.is_embedded() {
            true => format!("the embedded connection has toolcrib's samples alone, not {wanted}"),
            false => {
                let (name, title) = (&self.name, self.transport().title());
                format!("connection \"{name}\" leads to {title}, not to {wanted}")
            }
        }
    }

    /// Whether it leads where the other one does, in the same way: variables are of requests, and
    /// don't count.
    #[must_use]
    pub fn leads_as(&self, other: &Self) -> bool {
        let bare = |one: &Self| Self { variables: RequestVariables::new(), ..one.clone() };
        self == other || bare(self) == bare(other)
    }

    /// Where the secrets lie that its requests may name.
    pub fn variable_secrets(&self) -> impl Iterator<Item = &SecretAt> {
        self.variables.values().filter_map(|variable| match variable {
            RequestVariable::Secret(at) => Some(at),
            RequestVariable::Shown(_) | RequestVariable::Hidden(_) => None,
        })
    }

    /// Where all secrets lie that it needs.
    pub fn secrets(&self) -> impl Iterator<Item = &SecretAt> {
        let named = match &self.credentials {
            Credentials::Password { password: at, .. } | Credentials::Token { token: at } => {
                Some(at)
            }
            Credentials::None | Credentials::File { .. } => None,
        };
        let env = self.command().into_iter().flat_map(|command| command.env.values());
        let values = env.chain(self.headers.values()).filter_map(|value| match value {
            SettingValue::Secret(at) => Some(at),
            SettingValue::Text(_) => None,
        });
        named
            .into_iter()
            .chain(values)
            .chain(self.settings.values().flat_map(|settings| settings.secrets.values()))
            .chain(self.variable_secrets())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_variables_lead_nowhere_else() {
        let dev = Connection::http("dev", "http://localhost");
        let mut other = dev.clone();
        other.variables.insert("shop".into(), RequestVariable::Shown("a".into()));
        assert!(dev != other && dev.leads_as(&other));
        let elsewhere = other.with_addresses(vec!["http://localhost:1".into()]);
        assert!(!dev.leads_as(&elsewhere));
    }
}
