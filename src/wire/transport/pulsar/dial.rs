//! Connecting to the first broker of a connection that lets us in.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{link::Pulsar, meet::Brokers};
use crate::{
    model::{call::CallError, connection::Connection},
    wire::{
        secrets::Secrets,
        transport::{reconnecting::TransportDial, socket},
    },
};

/// Tries a connection's brokers in their order.
pub(crate) struct BrokerDial(Brokers);

impl TransportDial for BrokerDial {
    type Link = Pulsar;

    async fn new(connection: &Connection, secrets: &Secrets) -> Result<Self, CallError> {
        Brokers::new(connection, secrets).await.map(Self)
    }

    async fn dial(&self) -> Result<Pulsar, CallError> {
        let Self(brokers) = self;
        socket::first_reachable(&brokers.servers, move |server| async move {
            let (said, heard) = mpsc::unbounded_channel();
            let broken = CancellationToken::new();
            let met = brokers.connect_server(server, said.clone(), broken.clone()).await?;
            Ok(Pulsar::new(brokers.clone(), met, said, heard, broken))
        })
        .await
    }
}
