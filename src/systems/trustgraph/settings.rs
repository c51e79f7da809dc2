//! What TrustGraph needs to know of a connection: which part of a deployment requests to its
//! gateway are for.

use serde_json::{Value, json};

use super::keys;
use crate::{
    engine::settings::{
        connections::find_connection,
        system_settings::{ConnectionMember, SettingsSchema},
    },
    model::{
        connection::{Connection, SystemSettings},
        connections::Connections,
        problem::{Problem, ProblemKind},
        transport::TransportKind,
    },
};

/// The transports over which its gateway is spoken to.
const GATEWAY: &[TransportKind] = &[TransportKind::Http, TransportKind::WebSocket];

const WORKSPACE: &str = "workspace";
const FLOW: &str = "flow";
const BROKER: &str = "broker";

/// They stand among the connection's own keys.
pub(crate) const SETTINGS: SettingsSchema = SettingsSchema {
    system: keys::SYSTEM,
    table: None,
    named_by: None,
    transports: GATEWAY,
    counts: "behind a gateway",
    schema,
    required: ("", ""),
    rules: &[],
    secrets: &[],
    connections: &[ConnectionMember { key: BROKER, code: "settings.broker", find: find_broker }],
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            WORKSPACE: {"type": "string", "description": "The workspace of the deployment. \
                Default: the token's own"},
            FLOW: {"type": "string", "default": "default", "description": "The flow that flow \
                services belong to"},
            BROKER: {"type": "string", "description": "The broker behind the gateway, a \
                connection's name or an address: shows the tools that the agent really has, and its true errors"},
        },
    })
}

/// Whether a transport leads to the gateway, which has services of its own and no queues.
#[must_use]
pub(crate) fn is_gateway(transport: TransportKind) -> bool {
    GATEWAY.contains(&transport)
}

/// The connection to a broker behind a gateway: by name, or by address.
///
/// # Errors
/// When there is none, or it leads to no broker.
pub(crate) fn find_broker(connections: &Connections, wanted: &str) -> Result<Connection, Problem> {
    let broker = find_connection(connections, wanted)?;
    if !broker.transport().is_bus() || broker.is_embedded() {
        let cause = broker.leads_elsewhere("a broker");
        let remedy = "name the broker behind the gateway: pulsar://HOST:6650, amqp://HOST:5672 or kafka://HOST:9092";
        return Err(
            Problem::new(ProblemKind::Input, "choosing the broker", cause).with_remedy(remedy)
        );
    }
    Ok(broker)
}

/// The part of a deployment that requests to its gateway are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gateway {
    /// `None`: the workspace that the token belongs to.
    pub workspace: Option<String>,
    pub flow: String,
    /// The broker behind it, where the agent can be listened to; `None`: it is not known.
    pub broker: Option<Connection>,
}

impl Default for Gateway {
    fn default() -> Self {
        Self { workspace: None, flow: "default".into(), broker: None }
    }
}

impl Gateway {
    /// What a connection says of it.
    #[must_use]
    pub fn from_connection(connection: &Connection) -> Self {
        let usual = Self::default();
        let Some(settings) = connection.settings.get(keys::SYSTEM) else { return usual };
        Self {
            workspace: settings.text_value(WORKSPACE).map(str::to_owned),
            flow: settings.text_value(FLOW).map_or(usual.flow, str::to_owned),
            broker: settings.connections.get(BROKER).cloned(),
        }
    }

    /// A connection that says this.
    #[must_use]
    pub fn apply_to(self, connection: Connection) -> Connection {
        let values = [(WORKSPACE, self.workspace), (FLOW, Some(self.flow))];
        let values = values
            .into_iter()
            .filter_map(|(key, text)| Some((key.to_owned(), Value::String(text?))));
        let connections = self.broker.into_iter().map(|broker| (BROKER, broker)).collect();
        connection.with_settings(
            keys::SYSTEM,
            SystemSettings { values: values.collect(), connections, ..SystemSettings::default() },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_on_a_connection_is_read_from_it() {
        let plain = Connection::from_address(TransportKind::WebSocket, "tg", "ws://h");
        assert_eq!(Gateway::from_connection(&plain), Gateway::default());
        let broker = Some(Connection::nats("bus", "nats://h"));
        let gateway = Gateway { workspace: Some("w".into()), flow: "f".into(), broker };
        assert_eq!(Gateway::from_connection(&gateway.clone().apply_to(plain)), gateway);
    }
}
