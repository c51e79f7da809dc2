//! TrustGraph's tool services on a bus: requests carry the header `id`; answers come on the response subject that every caller hears, or in the
//! call's inbox, whichever the service uses.

use super::ride::{Ride, Route, Way};
use crate::{
    model::{
        call::{CallProblem, Request},
        entry::SystemId,
        problem::Problem,
    },
    systems::{
        system::{Message, Reply},
        trustgraph::{queue, reply, request},
    },
    wire::transport::message::Packet,
};

pub struct TrustGraphRide;

impl Ride for TrustGraphRide {
    fn system(&self) -> SystemId {
        "trustgraph"
    }

    fn route(&self, request: &Request) -> Result<Route, CallProblem> {
        let subject = |queue: &str| {
            queue::nats_subject(queue).map_err(|Problem { doing, cause, remedy, .. }| CallProblem {
                kind: "bad-subject".into(),
                message: format!("{doing}: {cause}"),
                remedy,
            })
        };
        let route = Route { to: subject(&request.to)?, answers: request.reply.as_deref().map(subject).transpose()? };
        if route.answers.as_ref() == Some(&route.to) {
            return Err(CallProblem {
                kind: "bad-subject".into(),
                message: format!("requests and responses have the same subject, {}", route.to),
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
