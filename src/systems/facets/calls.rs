//! Calls of a system's tools: the request, the ways that it could take, and what comes back.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::call_meta::MetaFault;
use crate::{
    model::{
        call::{CallError, Request, StrayCause},
        catalog::Catalog,
        connection::Connection,
        content_part::ContentPart,
        copied::Copied,
        problem::Problem,
        tool::Tool,
        transport::TransportKind,
    },
    schema::literal::Literal,
};

/// Has tools that can be called. How the calls ride on transports is the other half, in
/// `wire::systems`.
pub trait Calls: Sync {
    /// What has to be there to answer calls, for people: `an MCP server`.
    fn answered_by(&self) -> &'static str;

    /// The request of a call, exactly as it will be sent. `correlation` is a fresh id that the
    /// caller made.
    fn build_request(&self, call: &CallOf<'_>) -> Result<Request, Problem>;

    /// The schema of a tool's arguments as far as they have to be given: without what the request
    /// fills in by itself.
    fn given_arguments(&self, schema: Value) -> Value {
        schema
    }

    /// The ways that a call of the tool could take over that connection, the one that is taken
    /// unasked first; none where there is but one.
    fn call_routes(&self, tool: &Tool, connection: &Connection) -> Vec<RouteOffer> {
        let _ = (tool, connection);
        Vec::new()
    }

    /// The same request once more under a fresh id, so that its answer can be known from the first
    /// one's.
    fn repeat_request(&self, request: Request, correlation: &str) -> Request {
        let fresh = |(name, value)| {
            if value == request.correlation {
                (name, correlation.to_owned())
            } else {
                (name, value)
            }
        };
        Request {
            headers: request.headers.into_iter().map(fresh).collect(),
            correlation: correlation.to_owned(),
            ..request
        }
    }

    /// What the protocol does not allow in the `_meta` of a call; `None` where the system's calls
    /// have no such thing.
    fn meta_faults(&self, meta: &Map<String, Value>) -> Option<Vec<MetaFault>> {
        let _ = meta;
        None
    }

    /// A request that sends a frame as it is over a connection; `None` where the system has no
    /// frames there.
    fn frame_request(
        &self,
        connection: &Connection,
        frame: &str,
        correlation: &str,
    ) -> Option<Request> {
        let _ = (connection, frame, correlation);
        None
    }

    /// The same call for other programs: texts to be taken there, without any secret.
    fn copies(&self, request: &Request, connection: &Connection) -> Vec<Copied> {
        let _ = (request, connection);
        Vec::new()
    }

    /// What a frame is, in a word or two; `None` where the system has no frames, or it is none.
    fn frame_label(&self, frame: &str) -> Option<String> {
        let _ = frame;
        None
    }

    /// A queue's address as the transport spells it (a subject, an exchange, a topic); as it is
    /// where the system knows no better.
    fn queue_subject(&self, address: &str, transport: TransportKind) -> Result<String, Problem> {
        let _ = transport;
        Ok(address.to_owned())
    }

    /// The arguments that a request's body carries, as a JSON object; `None` where it carries none.
    fn request_arguments(&self, body: &str) -> Option<String>;

    /// The `_meta` that a request's body carries, as a JSON object; `None` where it carries none.
    fn request_meta(&self, body: &str) -> Option<String> {
        let _ = body;
        None
    }

    /// The way that a request takes, by its word, where it has to be named for another request to
    /// take the same.
    fn request_route(&self, request: &Request) -> Option<String> {
        let _ = request;
        None
    }

    /// The parts of an answer that is more than text, of what came with its stage
    /// `result`; none where answers are text alone.
    fn answer_parts(&self, result: &Value) -> Vec<ContentPart> {
        let _ = result;
        Vec::new()
    }
}

/// What a request is made from.
#[derive(Clone, Copy, Debug)]
pub struct CallOf<'c> {
    pub catalog: &'c Catalog,
    pub tool: &'c Tool,
    pub user: &'c str,
    /// An object, its numbers as they were typed.
    pub arguments: &'c Literal,
    /// What is said beside them in `_meta`, an object; `None`: nothing.
    pub meta: Option<&'c Literal>,
    pub correlation: &'c str,
    /// Where it is to go.
    pub connection: &'c Connection,
    /// The way to take there, of those that [`Calls::call_routes`] offers; `None`: the first that is
    /// open.
    pub route: Option<&'c str>,
}

impl CallOf<'_> {
    /// A request to that place, with the arguments as they were typed. Headers, and where its answer
    /// comes, are its system's to add.
    #[must_use]
    pub fn new_request(&self, to: impl Into<String>, body: impl Into<Arc<str>>) -> Request {
        Request {
            tool: self.tool.id().clone(),
            system: self.tool.entry.system,
            name: self.tool.name.clone(),
            to: to.into(),
            reply: None,
            headers: Vec::new(),
            correlation: self.correlation.to_owned(),
            arguments: self.arguments.to_json().into(),
            body: body.into(),
            mock: None,
        }
    }
}

/// A way that a call could take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteOffer {
    /// Its word: `ui`.
    pub id: &'static str,
    /// For people: what it is.
    pub title: &'static str,
    /// Why it is closed, and what would open it; `None`: it is open.
    pub closed: Option<String>,
}

/// A message as a transport received it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'m> {
    pub headers: &'m [(String, String)],
    pub body: &'m [u8],
}

/// What a message means.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// A piece of the answer; `last` when the stream ends with it.
    Chunk { text: String, last: bool },
    /// The service's error, which ends the call.
    Error(CallError),
    /// The service was not asked: what is before it refuses. The call is lost.
    Refused(CallError),
    /// Not for this call.
    Stray { cause: StrayCause, id: Option<String> },
    /// For this call, but it cannot be understood; the call is lost.
    Unreadable(CallError),
}
