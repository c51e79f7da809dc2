//! RabbitMQ through lapin: durable fanout exchanges, and queues bound to them for who listens.
//!
//! A message goes to an exchange with the routing key empty. Who shares with others listens on a
//! queue that all of the group share; who wants everything has a queue of its own, which goes with
//! the connection. Taken messages are acknowledged once they are in the line, so a slow listener
//! holds the broker back and nothing is dropped.

use super::{
    reconnecting::{self, Reconnecting},
    settings,
};
use crate::{
    model::{call::CallError, connection::Connection, transport::TransportKind},
    wire::secrets::Secrets,
};

mod bounded;
mod dial;
mod link;
mod messages;

/// Connects, or says why not.
pub(crate) async fn connect(
    connection: &Connection,
    secrets: &Secrets,
) -> Result<Reconnecting<link::Rabbit>, CallError> {
    let dial = dial::Rabbits::new(connection, secrets).await?;
    reconnecting::connect(TransportKind::RabbitMq, settings::display_address(connection), dial)
        .await
}
