//! Questions that many may answer: everything that comes within a time.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::time::{Instant, timeout_at};

use crate::{
    model::{
        call::CallError,
        connection::Connection,
        problem::{Problem, ProblemKind},
    },
    wire::{
        connector::Connector,
        transport::{
            bus::{Bus, SubscriptionShare},
            message::{Address, Incoming, Outgoing, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// More answers than that are not taken: somebody floods the subject.
const MOST: usize = 10_000;

/// Whether everybody who listens at a subject can be asked there.
pub(super) fn can_ask_all(connection: &Connection) -> bool {
    let spec = connection.transport().spec();
    connection.transport().is_bus() && spec.has_inbox && !connection.is_embedded()
}

/// The open connection.
pub(super) async fn open_bus(
    connector: &dyn Connector,
    connection: &Connection,
) -> Result<Arc<dyn Bus>, Problem> {
    connector.open_bus(connection).await.map_err(|error| search_problem(connection, error))
}

pub(super) fn search_problem(connection: &Connection, error: CallError) -> Problem {
    let doing = format!("looking for services on {}", connection.name);
    Problem::new(ProblemKind::Unreachable, doing, error.message).with_remedy(error.remedy)
}

/// Asks with a message without a body, and listens in its inbox.
///
/// # Errors
/// When it can't be sent.
pub(super) async fn ask_all(bus: &dyn Bus, subject: &str) -> Result<QueueReceiver, CallError> {
    let inbox = bus.new_inbox().unwrap_or_else(|| Address::ephemeral(subject));
    let answers = bus.subscribe(&inbox, SubscriptionShare::Each).await?;
    let question = Outgoing {
        to: Address::ephemeral(subject),
        reply: Some(inbox),
        headers: Vec::new(),
        body: Bytes::new(),
        expires: None,
    };
    bus.send(question).await?;
    Ok(answers)
}

/// What comes until that moment.
pub(super) async fn collect_until(mut answers: QueueReceiver, until: Instant) -> Vec<Packet> {
    let mut packets = Vec::new();
    while packets.len() < MOST {
        match timeout_at(until, answers.next()).await {
            Ok(Some(Incoming::Packet(packet))) => packets.push(packet),
            // Nobody listens where it was asked.
            Ok(Some(
                Incoming::Headers(_)
                | Incoming::Wire(_)
                | Incoming::Begun
                | Incoming::NoResponders
                | Incoming::Gap,
            )) => {}
            Ok(Some(Incoming::Failed(_) | Incoming::Ended) | None) | Err(_) => break,
        }
    }
    packets
}

/// The moment when waiting ends.
pub(super) fn end_of(wait: Duration) -> Instant {
    Instant::now() + wait
}
