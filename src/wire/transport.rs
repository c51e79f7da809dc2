//! How bytes travel: one file and one row for each transport. A transport knows no system.
//!
//! [`bus`] says what each offers: subscribe, send, and the state of the connection.
//! [`message_queue`] is the bounded queue between the network and whoever listens.

pub mod bus;
pub(crate) mod confirm;
pub mod connection_event;
pub mod embedded;
pub mod http;
#[cfg(feature = "kafka")]
pub mod kafka;
pub mod message;
pub mod message_queue;
#[cfg(feature = "nats")]
pub mod nats;
pub mod pattern;
pub mod process;
#[cfg(feature = "pulsar")]
pub mod pulsar;
#[cfg(feature = "rabbitmq")]
pub mod rabbitmq;
pub mod reconnecting;
pub mod settings;
pub mod socket;
pub mod websocket;

use std::sync::Arc;

use bus::{Bus, BusFuture};
use reconnecting::TransportDial;

use super::secrets::Secrets;
use crate::model::{connection::Connection, transport::TransportKind};

/// Opens a connection of one kind.
type Open = for<'a> fn(&'a Connection, &'a Secrets) -> BusFuture<'a, Arc<dyn Bus>>;

/// Every transport that is built in.
const TRANSPORTS: &[(TransportKind, Open)] = &[
    (TransportKind::Embedded, |_, _| {
        Box::pin(async { Ok(Arc::new(embedded::Embedded::default()) as Arc<dyn Bus>) })
    }),
    #[cfg(feature = "nats")]
    (TransportKind::Nats, |connection, secrets| {
        Box::pin(async { Ok(Arc::new(nats::connect(connection, secrets).await?) as Arc<dyn Bus>) })
    }),
    #[cfg(feature = "rabbitmq")]
    (TransportKind::RabbitMq, open_reconnecting::<rabbitmq::dial::Rabbits>),
    #[cfg(feature = "pulsar")]
    (TransportKind::Pulsar, open_reconnecting::<pulsar::dial::BrokerDial>),
    #[cfg(feature = "kafka")]
    (TransportKind::Kafka, open_reconnecting::<kafka::dial::Brokers>),
    (TransportKind::Http, |connection, secrets| {
        Box::pin(async { Ok(Arc::new(http::connect(connection, secrets).await?) as Arc<dyn Bus>) })
    }),
    (TransportKind::WebSocket, open_reconnecting::<websocket::dial::Gateways>),
    (TransportKind::Stdio, |connection, secrets| {
        Box::pin(async { Ok(Arc::new(process::open(connection, secrets).await?) as Arc<dyn Bus>) })
    }),
];

fn open_reconnecting<'a, D: TransportDial>(
    connection: &'a Connection,
    secrets: &'a Secrets,
) -> BusFuture<'a, Arc<dyn Bus>> {
    Box::pin(async {
        let bus = reconnecting::connect::<D>(connection, secrets).await?;
        Ok(Arc::new(bus) as Arc<dyn Bus>)
    })
}

/// Whether this build has the transport.
#[must_use]
pub(crate) fn is_built_in(kind: TransportKind) -> bool {
    TRANSPORTS.iter().any(|(built_in, _)| *built_in == kind)
}

/// Opens a connection by its kind of transport. `None`: no transport of that kind is built in.
#[must_use]
pub(crate) fn open_bus<'a>(
    connection: &'a Connection,
    secrets: &'a Secrets,
) -> Option<BusFuture<'a, Arc<dyn Bus>>> {
    TRANSPORTS
        .iter()
        .find(|(kind, _)| *kind == connection.transport())
        .map(|(_, open)| open(connection, secrets))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::transport;

    #[cfg(all(feature = "nats", feature = "rabbitmq", feature = "pulsar", feature = "kafka"))]
    #[test]
    fn every_transport_that_is_offered_can_be_opened() {
        let opened: Vec<TransportKind> = TRANSPORTS.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(opened, transport::TRANSPORTS);
    }
}
