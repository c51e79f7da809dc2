//! TrustGraph's calls: to tool services on a bus, and to the services behind its gateway.
//!
//! On a bus requests carry the header `id`; answers come on the response subject that every caller
//! hears, or in the call's inbox, whichever the service uses. Over the gateway's socket the id is
//! in each frame; over HTTP an answer comes back on the connection of its request.

use bytes::Bytes;

use crate::{
    model::{
        call::{CallError, Request},
        error_kind::ErrorKind,
        problem::Problem,
        transport::{Traffic, TransportKind},
    },
    systems::{
        facets::calls::{Message, Reply},
        trustgraph::{
            gateway::{
                answer::{Answer, Wrapping},
                endpoints::{self, Endpoint, WORKSPACE},
            },
            queue, reply, request, settings,
        },
    },
    wire::{
        systems::facets::exchange::{Exchange, Packed, Reader, ReplyChannel, Route},
        transport::{
            http::marks,
            message::{Address, Packet},
        },
    },
};

pub(crate) struct TrustGraphExchange;

/// Where a queue is on a transport, or why it has no place there.
pub fn queue_address(queue: &str, transport: TransportKind) -> Result<Address, CallError> {
    let spelled = queue::spell_queue(queue, transport);
    let spelled = spelled.map_err(|Problem { doing, cause, remedy, .. }| CallError {
        kind: ErrorKind::BadSubject,
        message: format!("{doing}: {cause}"),
        remedy,
    })?;
    Ok(Address { name: spelled.name, kept: spelled.kept })
}

impl Exchange for TrustGraphExchange {
    fn route(&self, request: &Request, transport: TransportKind) -> Result<Route, CallError> {
        if Endpoint::parse(&request.to).is_some() {
            return behind_gateway(request, transport);
        }
        let address = |queue: &str| queue_address(queue, transport);
        let route = Route {
            to: address(&request.to)?,
            answers: request.reply.as_deref().map(address).transpose()?,
        };
        if route.answers.as_ref() == Some(&route.to) {
            return Err(CallError {
                kind: ErrorKind::BadSubject,
                message: format!("requests and responses have the same address, {}", route.to.name),
                remedy: "give the service a response-queue of its own, such as non-persistent://tg/response/NAME".into(),
            });
        }
        Ok(route)
    }

    fn pack_request(&self, request: &Request, transport: TransportKind) -> Packed {
        let body = Bytes::copy_from_slice(request.body.as_bytes());
        match (transport.spec().traffic, Endpoint::parse(&request.to)) {
            (Traffic::Pipe, Some(endpoint)) => {
                let workspace = request
                    .headers
                    .iter()
                    .find(|(name, _)| name == WORKSPACE)
                    .map(|(_, value)| value.as_str());
                let frame = endpoints::request_frame(
                    &endpoint,
                    &request.correlation,
                    workspace,
                    &request.body,
                );
                Packed { headers: Vec::new(), body: frame.into() }
            }
            (Traffic::Exchange, _) => Packed { headers: vec![marks::lines_header()], body },
            _ => Packed { headers: request.headers.clone(), body },
        }
    }

    fn no_answer_hint(&self, transport: TransportKind) -> Option<&'static str> {
        let words = "check whether the service behind the gateway is running (the gateway itself \
            waits ten minutes for it)";
        settings::is_gateway(transport).then_some(words)
    }

    fn new_reader<'r>(
        &self,
        request: &'r Request,
        transport: TransportKind,
    ) -> Box<dyn Reader + 'r> {
        if settings::is_gateway(transport) {
            Box::new(BehindGateway {
                sent: request,
                transport,
                answer: Answer::for_path(&request.to),
            })
        } else {
            Box::new(OnBus { sent: request })
        }
    }
}

fn behind_gateway(request: &Request, transport: TransportKind) -> Result<Route, CallError> {
    let to = Address::ephemeral(request.to.clone());
    match transport.spec().traffic {
        Traffic::Pipe => {
            Ok(Route { to, answers: Some(Address::ephemeral(request.correlation.clone())) })
        }
        Traffic::Exchange => Ok(Route { to, answers: None }),
        Traffic::Bus => Err(CallError {
            kind: ErrorKind::BadSubject,
            message: format!(
                "the request is for the gateway ({}), and this connection leads to {}",
                request.to,
                transport.title()
            ),
            remedy: "choose a connection to the gateway: https:// or wss://".into(),
        }),
    }
}

struct OnBus<'r> {
    sent: &'r Request,
}

impl Reader for OnBus<'_> {
    fn read_packet(&mut self, channel: ReplyChannel, packet: &Packet) -> Reply {
        let correlation = &self.sent.correlation;
        let named = packet.headers.iter().any(|(name, _)| name == request::ID);
        if channel == ReplyChannel::Inbox && !named && !reply::is_foreign(&packet.body) {
            // Nobody else knows this inbox, so what comes without an id is for this call.
            let headers = [(request::ID.to_owned(), correlation.clone())];
            return reply::decode(correlation, &Message { headers: &headers, body: &packet.body });
        }
        reply::decode(correlation, &Message { headers: &packet.headers, body: &packet.body })
    }
}

struct BehindGateway<'r> {
    sent: &'r Request,
    transport: TransportKind,
    answer: Answer,
}

impl Reader for BehindGateway<'_> {
    fn read_packet(&mut self, _: ReplyChannel, packet: &Packet) -> Reply {
        let wrapping = match self.transport.spec().traffic {
            Traffic::Pipe => Wrapping::Framed { id: &self.sent.correlation },
            _ if marks::is_event(packet) => Wrapping::Piece,
            _ => Wrapping::Bare { status: marks::response_status(packet) },
        };
        self.answer.read_message(&packet.body, wrapping)
    }
}
