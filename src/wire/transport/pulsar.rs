//! Pulsar through a client of our own, which needs neither `protoc` nor C: topics are looked up,
//! produced to and subscribed to.
//!
//! Who wants everything subscribes under a name of their own that the broker forgets with the
//! connection; who shares with others subscribes under the group's name. On topics that keep their
//! messages a slow listener holds the broker back. On those that do not, the broker would throw
//! away what is not taken at once, so it is taken, and what has no room in the line is counted.

use super::{
    reconnecting::{self, Reconnecting},
    settings,
};
use crate::{
    model::{call::CallError, connection::Connection, transport::TransportKind},
    wire::secrets::Secrets,
};

mod commands;
mod dial;
pub(crate) mod frame;
mod link;
mod meet;
mod messages;
mod wire;

/// Connects, or says why not.
pub(crate) async fn connect(
    connection: &Connection,
    secrets: &Secrets,
) -> Result<Reconnecting<link::Pulsar>, CallError> {
    let brokers = meet::Brokers::new(connection, secrets).await?;
    reconnecting::connect(
        TransportKind::Pulsar,
        settings::display_address(connection),
        dial::BrokerDial(brokers),
    )
    .await
}
