//! Connecting to the first broker of a connection that lets us in.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{link::Pulsar, meet::Brokers};
use crate::wire::transport::{bus::BusFuture, reconnecting::TransportDial, socket};

/// Tries a connection's brokers in their order.
pub(crate) struct BrokerDial(pub Brokers);

impl TransportDial for BrokerDial {
    type Link = Pulsar;

    fn dial(&self) -> BusFuture<'_, Pulsar> {
        let Self(brokers) = self;
        Box::pin(socket::first_reachable(&brokers.servers, move |server| async move {
            let (said, heard) = mpsc::unbounded_channel();
            let broken = CancellationToken::new();
            let met = brokers.connect_server(server, said.clone(), broken.clone()).await?;
            Ok(Pulsar::new(brokers.clone(), met, said, heard, broken))
        }))
    }
}
