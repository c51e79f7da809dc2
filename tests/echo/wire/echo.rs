//! Echo on the wire: what a server sends back is the answer, and a status that is no success its
//! error.

use toolcrib::{
    model::{
        call::{CallError, Request},
        entry::SystemId,
        error_kind::ErrorKind,
        transport::{Traffic, TransportKind},
    },
    systems::facets::calls::Reply,
    wire::{
        systems::{
            facets::exchange::{Exchange, Reader, ReplyChannel, Route},
            live::{CallDriver, LiveSystem},
        },
        transport::{
            http::marks,
            message::{Address, Packet},
        },
    },
};

use super::pure::SYSTEM;

pub struct LiveEcho;

impl LiveSystem for LiveEcho {
    fn id(&self) -> SystemId {
        SYSTEM
    }

    fn call_driver(&self) -> Option<CallDriver<'_>> {
        Some(CallDriver::Exchange(self))
    }
}

impl Exchange for LiveEcho {
    fn route(&self, request: &Request, transport: TransportKind) -> Result<Route, CallError> {
        if transport.spec().traffic != Traffic::Exchange {
            let message = format!("{} has no paths", transport.title());
            return Err(CallError::new(
                ErrorKind::BadSubject,
                message,
                "choose a connection to http://",
            ));
        }
        Ok(Route { to: Address::ephemeral(request.to.clone()), answers: None })
    }

    fn new_reader<'r>(&self, _: &'r Request, _: TransportKind) -> Box<dyn Reader + 'r> {
        Box::new(Whole)
    }
}

struct Whole;

impl Reader for Whole {
    fn read_packet(&mut self, _: ReplyChannel, packet: &Packet) -> Reply {
        let text = String::from_utf8_lossy(&packet.body).into_owned();
        match marks::response_status(packet) {
            Some(status) if !(200..300).contains(&status) => Reply::Error(CallError::new(
                ErrorKind::parse(&format!("http-{status}")),
                text,
                "check the server",
            )),
            _ => Reply::Chunk { text, last: true },
        }
    }
}
