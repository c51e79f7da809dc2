//! What every request of a connection over HTTP says, and where it goes: the session, the token, the
//! path that the server sent us to.

use std::sync::{Arc, Mutex as Lock, PoisonError};

use bytes::Bytes;
use tokio::sync::mpsc;

use super::{
    arrival::TransportArrival,
    auth::authority::{Authority, PresentedToken},
};
use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    systems::mcp::url,
    wire::transport::{
        bus::{Bus, SubscriptionShare},
        http::marks,
        message::{Address, Outgoing, Packet},
        message_queue::QueueReceiver,
    },
};

pub(super) const VERSION: &str = "MCP-Protocol-Version";

/// What every request of a connection says, and where it goes.
#[derive(Clone)]
pub(super) struct SharedLink {
    pub bus: Arc<dyn Bus>,
    /// Of the one server that it leads to; `None`: it could be several.
    pub server: Option<Server>,
    /// Who has its tokens; they go to one server alone.
    pub authority: Option<Arc<Authority>>,
    pub said: Arc<Lock<SessionFacts>>,
    /// Why the server refused a request, where more is known than its status.
    pub refusal: Arc<Lock<Option<CallError>>>,
    pub arrivals: mpsc::Sender<TransportArrival>,
}

#[derive(Clone)]
pub(super) struct Server {
    pub origin: Arc<str>,
    /// Path and query of its address.
    pub target: Arc<str>,
}

#[derive(Clone, Default)]
pub(super) struct SessionFacts {
    pub session: Option<String>,
    pub version: Option<String>,
    /// Where the server sends us, on its own origin.
    pub path: Option<String>,
    /// Where frames are posted to in the old transport.
    pub post_path: Option<String>,
}

impl SharedLink {
    pub fn said(&self) -> SessionFacts {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn update(&self, change: impl FnOnce(&mut SessionFacts)) {
        change(&mut self.said.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Makes a request; gives where its answer comes.
    pub async fn request(
        &self,
        path: Option<&str>,
        mut headers: Vec<(String, String)>,
        body: Bytes,
    ) -> Result<MadeRequest, CallError> {
        let inbox = self.bus.new_inbox().ok_or_else(|| {
            CallError::new(ErrorKind::NoTransport, "this isn't HTTP", "give an address of http://")
        })?;
        headers.extend(path.map(marks::path_header));
        let receiver = self.bus.subscribe(&inbox, SubscriptionShare::Each).await?;
        let to = Address::ephemeral("");
        let message = Outgoing { to, reply: Some(inbox), headers, body, expires: None };
        let headers = self.bus.request_headers(&message);
        self.bus.send(message).await?;
        Ok(MadeRequest { receiver, headers })
    }

    /// What to send with a request so that it is let in.
    pub async fn present(
        &self,
        method: &str,
        path: Option<&str>,
    ) -> Result<PresentedToken, CallError> {
        let (Some(authority), Some(server)) = (&self.authority, &self.server) else {
            return Ok(PresentedToken::default());
        };
        let url = format!("{}{}", server.origin, path.unwrap_or(&server.target));
        authority.present(method, &url).await
    }

    pub async fn post(&self, post: &Post) -> Result<SentRequest, CallError> {
        let said = self.said();
        let path = said.post_path.or(said.path);
        let presented = self.present("POST", path.as_deref()).await?;
        let mut headers = post.headers.clone();
        headers.push(marks::lines_header());
        headers.extend(presented.headers);
        let in_session = said.session.is_some();
        headers.extend(said.session.map(|id| ("Mcp-Session-Id".to_owned(), id)));
        let made = self.request(path.as_deref(), headers, post.body.clone()).await?;
        Ok(SentRequest { made, token: presented.token, in_session })
    }

    /// The GET of a stream: of what comes from now on, or came after the last event.
    pub async fn get(&self, last: Option<&String>) -> Result<SentRequest, CallError> {
        let said = self.said();
        let header = |name: &str, value: String| (name.to_owned(), value);
        let accept = header("Accept", "text/event-stream".into());
        let mut headers = vec![marks::method_header("GET"), marks::beginning_header(), accept];
        let in_session = said.session.is_some();
        headers.extend(said.session.map(|id| header("Mcp-Session-Id", id)));
        headers.extend(said.version.map(|version| header(VERSION, version)));
        headers.extend(last.map(|id| header("Last-Event-ID", id.clone())));
        let presented = self.present("GET", said.path.as_deref()).await?;
        headers.extend(presented.headers);
        let made = self.request(said.path.as_deref(), headers, Bytes::new()).await?;
        Ok(SentRequest { made, token: presented.token, in_session })
    }

    pub fn note_refusal(&self, problem: CallError) {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
    }

    /// Where a redirect leads, on this origin.
    pub fn redirected_path(&self, packet: &Packet) -> Option<String> {
        url::path_of_redirect(&self.server.as_ref()?.origin, packet_header(packet, "location")?)
    }
}

/// What is posted, kept for as long as it may have to be posted again.
#[derive(Clone)]
pub(super) struct Post {
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// A request that was sent: where its answer comes, and its headers as they may be seen.
pub(super) struct MadeRequest {
    pub receiver: QueueReceiver,
    pub headers: Vec<(String, String)>,
}

/// The same, and what went with it.
pub(super) struct SentRequest {
    pub made: MadeRequest,
    pub token: Option<String>,
    /// It went with the id of a session.
    pub in_session: bool,
}

/// The first header of that name.
pub(super) fn packet_header<'p>(packet: &'p Packet, wanted: &'static str) -> Option<&'p str> {
    packet_headers(packet, wanted).next()
}

/// Every header of that name.
pub(super) fn packet_headers<'p>(
    packet: &'p Packet,
    wanted: &'static str,
) -> impl Iterator<Item = &'p str> {
    let headers = packet.headers.iter();
    let wanted = headers.filter(move |(name, _)| name.eq_ignore_ascii_case(wanted));
    wanted.map(|(_, value)| value.as_str())
}
