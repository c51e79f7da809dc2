//! What a session needs to know of a system: where its requests go and what its answers mean.

use bytes::Bytes;

use crate::{
    model::{
        call::{CallError, Request},
        transport::TransportKind,
    },
    systems::facets::calls::Reply,
    wire::transport::message::{Address, Packet},
};

/// Where a request goes and where, beside the transport's own inbox (if it has any), its answer may
/// come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub to: Address,
    pub answers: Option<Address>,
}

/// Where a reply came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyChannel {
    /// The subject that all callers of the service listen to.
    Shared,
    /// This call's own inbox.
    Inbox,
}

/// A request as it is handed to a transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// How one system's calls ride on transports.
pub trait Exchange: Sync {
    /// The addresses of a request as that transport spells them, or why there are none.
    fn route(&self, request: &Request, transport: TransportKind) -> Result<Route, CallError>;

    /// What goes over that transport: headers and body as they are, unless the transport wants them
    /// wrapped.
    fn pack_request(&self, request: &Request, transport: TransportKind) -> Packed {
        let _ = transport;
        Packed {
            headers: request.headers.clone(),
            body: Bytes::copy_from_slice(request.body.as_bytes()),
        }
    }

    /// What to look at where no answer came in time over that transport, before more time is given;
    /// `None` where nothing is known but what the transport says.
    fn no_answer_hint(&self, transport: TransportKind) -> Option<&'static str> {
        let _ = transport;
        None
    }

    /// Reads the messages of one call.
    fn new_reader<'r>(
        &self,
        request: &'r Request,
        transport: TransportKind,
    ) -> Box<dyn Reader + 'r>;
}

/// Knows what came before in its call.
pub trait Reader: Send {
    /// What a message means to the caller.
    fn read_packet(&mut self, channel: ReplyChannel, packet: &Packet) -> Reply;
}
