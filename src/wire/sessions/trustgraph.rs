//! TrustGraph's tool services on a bus: requests carry the header `id`; answers come on the response subject that every caller hears, or in the
//! call's inbox, whichever the service uses.

use super::ride::{Ride, Route, Way};
use crate::{
    model::{
        call::{CallProblem, Request},
        connection::TransportKind,
        entry::SystemId,
        problem::Problem,
    },
    systems::{
        system::{Message, Reply},
        trustgraph::{queue, reply, request},
    },
    wire::transport::message::{Address, Packet},
};

pub struct TrustGraphRide;

/// Where a queue is on a transport, or why it has no place there.
pub fn address(queue: &str, transport: TransportKind) -> Result<Address, CallProblem> {
    let spelled = queue::spelled(queue, transport);
    let spelled = spelled.map_err(|Problem { doing, cause, remedy, .. }| CallProblem {
        kind: "bad-subject".into(),
        message: format!("{doing}: {cause}"),
        remedy,
    })?;
    Ok(Address { name: spelled.name, kept: spelled.kept })
}

impl Ride for TrustGraphRide {
    fn system(&self) -> SystemId {
        "trustgraph"
    }

    fn route(&self, request: &Request, transport: TransportKind) -> Result<Route, CallProblem> {
        let address = |queue: &str| address(queue, transport);
        let route = Route { to: address(&request.to)?, answers: request.reply.as_deref().map(address).transpose()? };
        if route.answers.as_ref() == Some(&route.to) {
            return Err(CallProblem {
                kind: "bad-subject".into(),
                message: format!("requests and responses have the same address, {}", route.to.name),
                remedy: "give the service a response-queue of its own, such as non-persistent://tg/response/NAME".into(),
            });
        }
        Ok(route)
    }

    fn read(&self, sent: &Request, way: Way, packet: &Packet) -> Reply {
        let named = packet.headers.iter().any(|(name, _)| name == request::ID);
        if way == Way::Inbox && !named && !reply::is_foreign(&packet.body) {
            // Nobody else knows this inbox, so what comes without an id is for this call.
            let headers = [(request::ID.to_owned(), sent.correlation.clone())];
            return reply::decode(&sent.correlation, &Message { headers: &headers, body: &packet.body });
        }
        reply::decode(&sent.correlation, &Message { headers: &packet.headers, body: &packet.body })
    }
}
