//! Connecting to the first broker of a connection that lets us in.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{link::Pulsar, meet::Brokers};
use crate::wire::transport::{bus::Doing, kept::Dial, socket};

/// Tries a connection's brokers in their order.
pub struct Dialling(pub Brokers);

impl Dial for Dialling {
    type Link = Pulsar;

    fn dial(&self) -> Doing<'_, Pulsar> {
        Box::pin(async move {
            let Self(brokers) = self;
            let mut problem = None;
            for server in &brokers.servers {
                let (said, heard) = mpsc::unbounded_channel();
                let broken = CancellationToken::new();
                match brokers.meet(server, said.clone(), broken.clone()).await {
                    Ok(met) => return Ok(Pulsar::new(brokers.clone(), met, said, heard, broken)),
                    Err(next) => problem = Some(next),
                }
            }
            Err(problem
                .unwrap_or_else(|| socket::no_server("there is no broker to connect to".into(), "add one to the connection")))
        })
    }
}
