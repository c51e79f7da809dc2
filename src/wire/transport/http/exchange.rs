//! One request and what comes back for it.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::{Bytes, BytesMut};
use futures::stream;
use reqwest::{
    Body, Client, Method, RequestBuilder, Response,
    header::{
        ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
        USER_AGENT,
    },
};
use rustls::ClientConfig;
use tokio::sync::oneshot;

use super::{
    authorization::Authorization,
    client,
    coding::BodyDecoder,
    events::{Events, Part},
    marks, messages,
};
use crate::{
    engine::mask::MASKED,
    model::call::CallError,
    wire::{
        spawning::spawn,
        transport::{
            message::{Incoming, Outgoing, Packet, WIRE},
            message_queue::QueueSender,
            settings::Server,
        },
    },
};

/// Makes requests to one server.
pub(crate) struct RequestSender {
    client: Client,
    authorization: Authorization,
    /// The address without its path, and what is before the path of a message.
    origin: String,
    base: String,
    server: Server,
    /// How many bytes one answer may have.
    largest: usize,
}

/// The header in which some servers want a key.
const API_KEY: &str = "x-api-key";

/// Whether a request has left.
type SendResult = Result<(), CallError>;

/// Reports that once.
#[derive(Clone)]
struct SendNotice(Arc<Mutex<Option<oneshot::Sender<SendResult>>>>);

impl SendNotice {
    fn take_sender(&self) -> Option<oneshot::Sender<SendResult>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn confirm_sent(&self) {
        // Asked for again, it has long been reported; and whoever asked may have gone.
        let _ = self.take_sender().map(|sender| sender.send(Ok(())));
    }

    /// The problem is given back when the request had left before.
    fn report_failure(&self, problem: CallError) -> Option<CallError> {
        let Some(sender) = self.take_sender() else { return Some(problem) };
        let _ = sender.send(Err(problem));
        None
    }
}

impl RequestSender {
    /// # Errors
    /// When no client can be made of these settings.
    pub fn new(
        server: &Server,
        encryption: Option<&ClientConfig>,
        authorization: Authorization,
        largest: u64,
    ) -> Result<Self, CallError> {
        let client = client::build_client(HeaderMap::new(), encryption)?;
        let largest = usize::try_from(largest).unwrap_or(usize::MAX);
        Ok(Self {
            client,
            authorization,
            origin: client::origin_url(server, encryption.is_some()),
            base: client::base_url(server, encryption.is_some()),
            server: server.clone(),
            largest,
        })
    }

    /// The headers of a message's request: its own go in the place of the usual ones.
    fn request_headers(
        &self,
        headers: &[(String, String)],
        bytes: usize,
    ) -> Result<HeaderMap, CallError> {
        let mut own = HeaderMap::new();
        own.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if bytes > 0 || marks::method_of(headers) == "POST" {
            own.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            own.insert(CONTENT_LENGTH, bytes.into());
        }
        let mut given = HeaderMap::new();
        for (name, value) in headers.iter().filter(|(name, _)| !marks::is_mark(name)) {
            let header =
                HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
            let (header, mut value) = header.ok_or_else(|| messages::bad_header(name))?;
            value.set_sensitive(header == AUTHORIZATION || header == API_KEY);
            given.append(header, value);
        }
        own.extend(given);
        self.authorization.add_to(&mut own);
        Ok(own)
    }

    /// The same as they may be seen; none of a message that can't be sent.
    pub fn shown_headers(&self, message: &Outgoing) -> Vec<(String, String)> {
        let headers = self.request_headers(&message.headers, message.body.len());
        let agent = (USER_AGENT.to_string(), client::USER_AGENT.to_owned());
        let shown = |(name, value): (&HeaderName, &HeaderValue)| {
            let value = if value.is_sensitive() { MASKED } else { value.to_str().unwrap_or("?") };
            (name.to_string(), value.to_owned())
        };
        let mut shown: Vec<_> = headers.iter().flatten().map(shown).collect();
        shown.extend((!shown.is_empty()).then_some(agent));
        shown
    }

    /// A message as a request.
    fn build_request(
        &self,
        to: &str,
        headers: &[(String, String)],
        body: Bytes,
        leaving: &SendNotice,
    ) -> Result<RequestBuilder, CallError> {
        let word = marks::method_of(headers);
        let method = Method::from_bytes(word.as_bytes()).map_err(|_| messages::bad_method(word))?;
        let own = self.request_headers(headers, body.len())?;
        let url = match marks::path_of(headers) {
            Some(path) => format!("{}{path}", self.origin),
            // The address itself, as it was written.
            None if to.is_empty() => format!("{}{}", self.origin, self.server.path),
            None => format!("{}{to}", self.base),
        };
        let request = self.client.request(method, url).headers(own);
        if body.is_empty() {
            // Nobody asks for a body that is none; what hinders the request is reported in the
            // inbox.
            leaving.confirm_sent();
            return Ok(request);
        }
        Ok(request.body(self::signalling_body(body, leaving.clone())))
    }

    /// Sends the request; what comes back goes into the inbox, and the request ends when nobody
    /// listens there any more. It is done when the request has left.
    pub async fn send_request(
        &self,
        message: Outgoing,
        inbox: QueueSender,
    ) -> Result<(), CallError> {
        let (sender, gone) = oneshot::channel();
        let leaving = SendNotice(Arc::new(Mutex::new(Some(sender))));
        let request =
            self.build_request(&message.to.name, &message.headers, message.body, &leaving)?;
        let (server, largest) = (self.server.clone(), self.largest);
        let tells_beginning = marks::wants_beginning(&message.headers);
        let keeps_lines = marks::wants_lines(&message.headers);
        spawn(async move {
            let listener = inbox.clone();
            let answering = async {
                let answered = match request.send().await {
                    Ok(response) => {
                        // Who has left needs not be notified.
                        if tells_beginning && is_stream(&response) {
                            let _ = inbox.push(Incoming::Begun).await;
                        }
                        let events =
                            if keeps_lines { Events::with_lines() } else { Events::default() };
                        read_response(response, events, (&inbox, &server, largest)).await
                    }
                    Err(error) => Err(messages::request_failed(&server, &error)),
                };
                if let Some(problem) =
                    answered.err().and_then(|problem| leaving.report_failure(problem))
                {
                    // Who has left needs not be notified.
                    let _ = inbox.push(Incoming::Failed(problem)).await;
                }
            };
            tokio::select! {
                () = listener.closed() => {}
                () = answering => {}
            }
        });
        gone.await.unwrap_or_else(|_| Err(messages::nobody_waits()))
    }
}

/// The body, which says when it is asked for: the connection is there then.
fn signalling_body(bytes: Bytes, leaving: SendNotice) -> Body {
    Body::wrap_stream(stream::once(async move {
        leaving.confirm_sent();
        Ok::<_, Infallible>(bytes)
    }))
}

/// Whether an answer is a stream of events.
fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

async fn read_response(
    response: Response,
    events: Events,
    (inbox, server, largest): (&QueueSender, &Server, usize),
) -> Result<(), CallError> {
    let status = marks::of_status(response.status().as_u16());
    // They came once, so they are reported once: with the first message.
    let mut headers = headers_of(&response);
    let is_shown = events.keeps_lines();
    if !is_stream(&response) {
        let whole = read_whole(response, server, largest).await?;
        // Who has left needs nothing.
        let _ = inbox.push(to_incoming(status, &mut headers, whole)).await;
        return Ok(());
    }
    headers.splice(0..0, status);
    // Whoever shows what crosses the wire is told when the answer began: its first event may come
    // much later.
    if is_shown && inbox.push(Incoming::Headers(headers.clone())).await.is_err() {
        return Ok(());
    }
    let ended = read_stream(response, events, &mut headers, (inbox, server, largest)).await;
    // Of a stream without any message they say why it has none.
    if !headers.is_empty() && !is_shown {
        let _ = inbox.push(Incoming::Headers(headers)).await;
    }
    ended?;
    let _ = inbox.push(Incoming::Ended).await;
    Ok(())
}

async fn read_whole(
    mut response: Response,
    server: &Server,
    largest: usize,
) -> Result<Bytes, CallError> {
    let mut decoder = BodyDecoder::of_headers(response.headers());
    let mut whole = BytesMut::new();
    while let Some(piece) = next_piece(&mut response, server).await? {
        for part in decoder.parts(&piece) {
            whole.extend_from_slice(&decoder.decode(part)?);
            if whole.len() > largest {
                return Err(messages::too_large(server, largest));
            }
        }
    }
    if !whole.is_empty() {
        decoder.finish()?;
    }
    Ok(whole.freeze())
}

/// Hands on the events of a stream until it ends, and the one that it ends in the middle of where
/// lines are shown.
async fn read_stream(
    response: Response,
    mut events: Events,
    headers: &mut Vec<(String, String)>,
    to: (&QueueSender, &Server, usize),
) -> Result<(), CallError> {
    let ended = read_events(response, &mut events, headers, to).await;
    if let Some(begun) = events.take_begun() {
        // Who has left needs nothing.
        let _ = to.0.push(Incoming::Wire(begun)).await;
    }
    ended
}

/// Hands on the events of a stream until it ends, or nobody takes them any more.
async fn read_events(
    mut response: Response,
    events: &mut Events,
    headers: &mut Vec<(String, String)>,
    (inbox, server, largest): (&QueueSender, &Server, usize),
) -> Result<(), CallError> {
    let mut decoder = BodyDecoder::of_headers(response.headers());
    let mut has_come = false;
    while let Some(piece) = next_piece(&mut response, server).await? {
        has_come |= !piece.is_empty();
        for part in decoder.parts(&piece) {
            for part in events.push_parts(&decoder.decode(part)?) {
                let message = match part {
                    Part::Event(event, lines) => {
                        let mut marks = marks::of_event(&event);
                        marks.extend(lines.map(|lines| (WIRE.to_owned(), lines)));
                        to_incoming(marks, headers, event.data.into())
                    }
                    Part::Beside(lines) => Incoming::Wire(lines),
                };
                if inbox.push(message).await.is_err() {
                    return Ok(());
                }
            }
            if events.buffered_len() > largest {
                return Err(messages::too_large(server, largest));
            }
        }
    }
    if has_come { decoder.finish() } else { Ok(()) }
}

async fn next_piece(response: &mut Response, server: &Server) -> Result<Option<Bytes>, CallError> {
    response.chunk().await.map_err(|error| messages::response_broken(server, &error))
}

fn headers_of(response: &Response) -> Vec<(String, String)> {
    let written = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    response.headers().iter().map(|(name, value)| (name.to_string(), written(value))).collect()
}

fn to_incoming(
    mut marks: Vec<(String, String)>,
    headers: &mut Vec<(String, String)>,
    body: Bytes,
) -> Incoming {
    marks.append(headers);
    Incoming::Packet(Packet { subject: None, reply: None, headers: marks, body })
}
