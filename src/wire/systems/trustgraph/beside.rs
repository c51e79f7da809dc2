//! Looks, before serving, whether somebody answers on the same queues already: two would answer
//! every call twice.
//!
//! No broker says this to everybody. So the queue is sent one request that every service refuses
//! before it does anything, and who refuses is there. A service that is busy for longer than the
//! wait, or that says nothing to what it cannot read, is not noticed.

use std::time::Duration;

use bytes::Bytes;
use futures::future::join_all;
use tokio::time::timeout;

use super::{exchange::queue_address, offers::ServedService};
use crate::{
    model::error_kind::ErrorKind,
    systems::trustgraph::{reply, request},
    wire::transport::{
        bus::{Bus, SubscriptionShare},
        message::{Address, Incoming, Outgoing, Packet},
        message_queue::QueueReceiver,
    },
};

/// How long a service may take to refuse.
const PATIENCE: Duration = Duration::from_secs(1);

/// Neither part holds JSON, so that no tool runs.
const REQUEST: &[u8] = br#"{"config": "{", "arguments": "{"}"#;

/// How the ids of such requests begin.
const PROBE: &str = "toolcrib-probe-";

/// Whether a request only asks who is there.
#[must_use]
pub(crate) fn is_probe(id: &str) -> bool {
    id.starts_with(PROBE)
}

/// A warning for each offer that somebody answers for already.
pub async fn conflict_warnings(bus: &dyn Bus, offers: &[ServedService]) -> Vec<String> {
    let warned = join_all(offers.iter().map(|offer| conflict_warning(bus, offer))).await;
    warned.into_iter().flatten().collect()
}

async fn conflict_warning(bus: &dyn Bus, offer: &ServedService) -> Option<String> {
    let at = queue_address(&offer.request, bus.transport()).ok()?;
    // Where messages are kept, a request that nobody takes would wait for the next service.
    if at.kept {
        return None;
    }
    let found = timeout(PATIENCE, probe_service(bus, offer, &at)).await.ok().flatten()?;
    let name = &offer.name;
    match found {
        ServiceLookup::Service => Some(format!(
            "a service already answers on {}: with this one running, too, every call of {name} \
            gets two answers; stop one of the two, or \
             give the stub a request-queue and a response-queue of its own",
            at.name
        )),
        // Elsewhere they share the calls.
        ServiceLookup::Own if !bus.transport().spec().shares => Some(format!(
            "another `toolcrib serve` already answers on {}, and on {} both answer every call of \
            {name}; stop one of the two",
            at.name,
            bus.transport().title()
        )),
        ServiceLookup::Own => None,
    }
}

/// Who answers.
enum ServiceLookup {
    Service,
    Own,
}

async fn probe_service(
    bus: &dyn Bus,
    offer: &ServedService,
    at: &Address,
) -> Option<ServiceLookup> {
    let id = format!("{PROBE}{}", uuid::Uuid::new_v4());
    let inbox = bus.new_inbox();
    let answers = match &offer.response {
        Some(queue) => Some(queue_address(queue, bus.transport()).ok()?),
        None => None,
    };
    let mut lines = Vec::new();
    for place in [&answers, &inbox].into_iter().flatten() {
        lines.push(bus.subscribe(place, SubscriptionShare::Each).await.ok()?);
    }
    let headers = vec![(request::ID.to_owned(), id.clone())];
    let body = Bytes::from_static(REQUEST);
    let sent = bus
        .send(Outgoing { to: at.clone(), reply: inbox, headers, body, expires: Some(PATIENCE) })
        .await;
    // Where there is no such place, there is nobody.
    sent.ok()?;
    let hearing = lines.iter_mut().map(|line| Box::pin(first_answer(line, &id)));
    let (found, ..) = futures::future::select_all(hearing.collect::<Vec<_>>()).await;
    found
}

/// Who answers on a line; `None`: the broker says that nobody does.
async fn first_answer(line: &mut QueueReceiver, id: &str) -> Option<ServiceLookup> {
    loop {
        match line.next().await {
            Some(Incoming::Packet(packet)) if is_for(&packet, id) => {
                return Some(classify_answerer(&packet));
            }
            Some(Incoming::NoResponders) | None => return None,
            Some(_) => {}
        }
    }
}

fn is_for(packet: &Packet, id: &str) -> bool {
    packet.headers.iter().any(|(name, value)| name == request::ID && value == id)
}

fn classify_answerer(packet: &Packet) -> ServiceLookup {
    let fields = serde_json::from_slice(&packet.body).unwrap_or_default();
    match reply::error_of(&fields) {
        Some(problem) if problem.kind == ErrorKind::ToolcribServes => ServiceLookup::Own,
        _ => ServiceLookup::Service,
    }
}
