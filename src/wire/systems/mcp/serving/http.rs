//! Clients over HTTP: each request, and its answer in one or as a stream of events.

use std::{
    net::SocketAddr,
    sync::{Arc, PoisonError},
};

use futures::future::BoxFuture;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::{
    HeaderMap, Method, Request, Response,
    body::Incoming,
    header::{
        ACCEPT, ALLOW, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, ORIGIN, WWW_AUTHENTICATE,
    },
};
use serde_json::Value;
use tokio::{net::TcpListener, sync::mpsc, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    handler::{FRAMES, RequestHandler},
    pipes::refuse_request,
    questions::{self, PendingQuestions},
    replay::StreamReader,
    responses::{
        Body, EVENTS, JSON, empty_response, events_response, refusal, refused_request,
        reply_response, resumable_response, whole_response,
    },
    running::RunningRequests,
    sessions::{Session, Sessions},
    subscriptions::{FollowedResources, OwnFrames},
    tasks::{run_task_call, run_task_request},
};
use crate::{
    model::problem::{Problem, ProblemKind},
    systems::mcp::{
        rpc::frame::{Frame, Kind},
        server::{
            dialogue::{ClientRequest, Dialogue},
            envelope::{is_modern, unsupported_version},
            http_rules::Repeated,
            reply::{Reply, tools_changed_frame},
        },
        version::{Era, Versions},
    },
    wire::{
        accepting::{self, READING},
        guard::{ServerReach, admits_token},
        spawning::boxed,
        systems::facets::tool_server::{ListenPlace, ListeningServer},
    },
};

/// Where clients ask.
const PATH: &str = "/mcp";
/// How much one request may hold.
const LARGEST: usize = 16 * 1024 * 1024;
const SESSION: &str = "Mcp-Session-Id";
const VERSION: &str = "MCP-Protocol-Version";
const LAST_EVENT: &str = "Last-Event-ID";

/// A server that listens already.
pub(crate) struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    clients: Clients,
}

struct Clients {
    handler: Arc<RequestHandler>,
    sessions: Sessions,
    reach: ServerReach,
    /// What each request has to bring.
    token: Option<String>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl HttpServer {
    /// # Errors
    /// When the address is not ours to listen at.
    pub async fn bind(handler: Arc<RequestHandler>, place: ListenPlace) -> Result<Self, Problem> {
        let ListenPlace { address, token } = place;
        let unheard = |error: std::io::Error| {
            let doing = format!("listening at {address}");
            Problem::new(ProblemKind::Input, doing, error.to_string())
                .with_remedy("choose an address of this machine and a port that is free")
        };
        let listener = TcpListener::bind(&address).await.map_err(unheard)?;
        let address = listener.local_addr().map_err(unheard)?;
        let reach = ServerReach::of_address(address);
        let clients = Clients {
            handler,
            sessions: Sessions::default(),
            reach,
            token,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        Ok(Self { listener, address, clients })
    }
}

impl ListeningServer for HttpServer {
    fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn run(self: Box<Self>, stop: CancellationToken) -> BoxFuture<'static, ()> {
        let Self { listener, clients, .. } = *self;
        let clients = Arc::new(Clients { stop: stop.clone(), ..clients });
        Box::pin(async move {
            let attend = |stream| {
                let clients = Arc::clone(&clients);
                let stop = clients.stop.clone();
                async move {
                    let answer = |request| {
                        let clients = Arc::clone(&clients);
                        async move { clients.answer_request(request).await }
                    };
                    accepting::serve_http(stream, stop, answer).await;
                }
            };
            accepting::accept_until(listener, &clients.tasks, &stop, attend).await;
        })
    }
}

/// What a client takes.
#[derive(Clone, Copy)]
struct Accepted {
    events: bool,
    json: bool,
}

impl Accepted {
    fn from_headers(headers: &HeaderMap) -> Self {
        let said = header_values(headers, ACCEPT.as_str()).join(",").to_ascii_lowercase();
        let takes = |kind: &str| {
            said.is_empty()
                || said
                    .split(',')
                    .filter_map(|part| part.split(';').next())
                    .any(|part| [kind, "*/*"].contains(&part.trim()))
        };
        Self { events: takes(EVENTS) && !said.is_empty(), json: takes(JSON) }
    }
}

/// What the requests of a client have in common while they are under way.
struct RequestsOf {
    running: RunningRequests,
    questions: Option<PendingQuestions>,
    /// What it follows, and where it is given what it did not ask for.
    client: (FollowedResources, OwnFrames),
}

/// The client that a request is of, for as long as the request takes.
struct Caller {
    /// `None`: every request represents itself, and ends with its stream.
    session: Option<Arc<Session>>,
    accepted: Accepted,
}

impl Clients {
    async fn answer_request(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let headers = request.headers();
        let host = header_values(headers, HOST.as_str());
        if !matches!(host.as_slice(), [host] if self.reach.admits_host(host)) {
            return refusal(421, "the header Host names another server");
        }
        let origins = header_values(headers, ORIGIN.as_str());
        if !origins.iter().all(|origin| self.reach.admits_origin(origin)) {
            return refusal(403, "pages of that origin may not ask here");
        }
        let given = header_values(headers, AUTHORIZATION.as_str());
        if !self.token.as_deref().is_none_or(|token| admits_token(token, &given)) {
            let mut response = refusal(401, "a bearer token is required, and this is none");
            let challenge = HeaderValue::from_static("Bearer realm=\"toolcrib\"");
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
            return response;
        }
        if request.uri().path() != PATH {
            return refusal(404, "the server is at /mcp");
        }
        match *request.method() {
            Method::POST => self.answer_post(request).await,
            Method::GET => self.open_stream(headers),
            Method::DELETE => self.end_session(headers),
            _ => {
                let mut response = refusal(405, "use POST, GET or DELETE");
                let allowed = HeaderValue::from_static("POST, GET, DELETE");
                response.headers_mut().insert(ALLOW, allowed);
                response
            }
        }
    }

    async fn answer_post(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let headers = request.headers().clone();
        let accepted = Accepted::from_headers(&headers);
        if !accepted.events && !accepted.json {
            return refusal(406, "the client takes neither JSON nor a stream of events");
        }
        let kind = header_values(&headers, CONTENT_TYPE.as_str()).concat().to_ascii_lowercase();
        if !kind.starts_with(JSON) {
            return refusal(415, "the body is to be application/json");
        }
        let text = match read_body(request.into_body()).await {
            Ok(text) => text,
            Err(reply) => return reply_response(reply),
        };
        let frame = Frame::parse(text);
        match find_route(&headers, &frame) {
            Route::Modern => self.answer_modern(&frame, &headers, accepted).await,
            Route::Begin => self.begin_session(&frame, accepted).await,
            Route::Legacy(id) => match self.sessions.find(&id) {
                Some(session) => {
                    if let Err(reply) = check_legacy_version(&headers) {
                        return reply_response(reply);
                    }
                    let caller = Caller { session: Some(Arc::clone(&session)), accepted };
                    let asked = self.handle_frame(&session, frame);
                    self.answer_asked(asked, caller).await
                }
                None => refusal(404, "there is no such session; send initialize again"),
            },
            Route::Nowhere => {
                let message = "the header Mcp-Session-Id is missing: send initialize first, or the protocol version in _meta";
                refusal(400, message)
            }
        }
    }

    async fn answer_modern(
        self: &Arc<Self>,
        frame: &Frame,
        headers: &HeaderMap,
        accepted: Accepted,
    ) -> Response<Body> {
        if let Kind::Request { id, method, .. } = &frame.kind {
            let params = frame.params();
            if is_modern(&params) {
                let row = params.get("name").and_then(Value::as_str);
                let row = row.and_then(|name| self.handler.toolbox.find_row(name));
                let repeated = Repeated {
                    method,
                    params: &params,
                    input_schema: row.and_then(|row| self.handler.toolbox.input_schema(row)),
                };
                let values = |name: &str| header_values(headers, name);
                if let Err(refused) = repeated.check_headers(&values) {
                    return reply_response(refused.to_reply(Some(id), Era::Modern));
                }
            }
        } else if let Kind::Notification { .. } = &frame.kind {
            // Closing a stream is what cancels here; nothing else can be said.
            return match modern_version(headers) {
                Some(version) if !Versions::default().modern.contains(&version) => {
                    let refused = unsupported_version(&version, &Versions::default());
                    reply_response(refused.to_reply(None, Era::Modern))
                }
                _ => empty_response(202),
            };
        }
        let asked = self.handler.handle_message(&mut Dialogue::stateless(), frame);
        self.answer_asked(vec![asked], Caller { session: None, accepted }).await
    }

    async fn begin_session(self: &Arc<Self>, frame: &Frame, accepted: Accepted) -> Response<Body> {
        let mut dialogue = Dialogue::default();
        let asked = self.handler.handle_message(&mut dialogue, frame);
        let is_begun = dialogue.is_initialized();
        let session = Session::new(dialogue);
        let caller = Caller { session: None, accepted };
        let mut response = self.answer_asked(vec![asked], caller).await;
        if is_begun && let Ok(id) = HeaderValue::from_str(&self.sessions.insert(session)) {
            response.headers_mut().insert(SESSION, id);
        }
        response
    }

    fn handle_frame(&self, session: &Session, frame: Frame) -> Vec<ClientRequest> {
        let mut dialogue = session.dialogue.lock().unwrap_or_else(PoisonError::into_inner);
        match dialogue.split_messages(frame) {
            Ok(messages) => {
                let handle = |message| self.handler.handle_message(&mut dialogue, &message);
                messages.into_iter().map(handle).collect()
            }
            Err(reply) => vec![ClientRequest::Reply(reply)],
        }
    }

    /// Answers what the messages of a request come to: with one frame, or with all that comes of
    /// them until the last is done.
    async fn answer_asked(
        self: &Arc<Self>,
        asked: Vec<ClientRequest>,
        caller: Caller,
    ) -> Response<Body> {
        let is_alone = asked.len() == 1;
        let (frames, frame_receiver) = mpsc::channel(FRAMES);
        let mut replies = Vec::new();
        let mut begun = Vec::new();
        for asked in asked {
            match asked {
                ClientRequest::Reply(reply) if is_alone => return reply_response(reply),
                ClientRequest::Reply(reply) => replies.push(reply.text),
                ClientRequest::Cancel(id) => {
                    if let Some(session) = &caller.session {
                        session.running.cancel(&id);
                    }
                }
                ClientRequest::Answer { id, answer } => {
                    if let Some(session) = &caller.session {
                        session.questions.answer(&id, answer);
                    }
                }
                ClientRequest::Nothing => {}
                ClientRequest::Listen(_) if !caller.accepted.events => {
                    return refusal(406, "subscriptions/listen is answered by a stream of events");
                }
                ClientRequest::Call(_)
                | ClientRequest::Relay(_)
                | ClientRequest::Listen(_)
                | ClientRequest::Task(_)
                | ClientRequest::Follow(_) => begun.push(asked),
            }
        }
        if begun.is_empty() && replies.is_empty() {
            return empty_response(202);
        }
        // Whoever takes one answer alone cannot be asked anything before it.
        let session = caller.session.as_ref();
        let questions = session.map(|session| session.questions.clone());
        let of = RequestsOf {
            running: session.map(|session| session.running.clone()).unwrap_or_default(),
            questions: questions.filter(|_| caller.accepted.events),
            client: session
                .map(|session| (session.followed.clone(), session.own.clone()))
                .unwrap_or_default(),
        };
        let mut cancelled = Vec::new();
        for asked in begun {
            match self.begin_request(asked, &of, &frames) {
                Ok(token) => cancelled.push(token),
                Err(reply) if is_alone => return reply_response(reply),
                Err(reply) => replies.push(reply.text),
            }
        }
        if !replies.is_empty() {
            self.tasks.spawn(boxed(async move {
                for reply in replies {
                    // Who has left needs nothing.
                    let _ = frames.send(reply).await;
                }
            }));
        } else {
            drop(frames);
        }
        // Without a session nobody else can cancel: the request ends with its stream.
        let guards = match &caller.session {
            None => cancelled.into_iter().map(CancellationToken::drop_guard).collect(),
            Some(_) => Vec::new(),
        };
        match (caller.accepted.events, &caller.session) {
            (true, Some(session)) if session.resumes_streams() => {
                resumable_response(StreamReader::new(session.streams.begin(frame_receiver), 0))
            }
            (true, _) => events_response(frame_receiver, guards),
            (false, _) => whole_response(frame_receiver, is_alone, guards).await,
        }
    }

    fn begin_request(
        self: &Arc<Self>,
        asked: ClientRequest,
        of: &RequestsOf,
        frames: &mpsc::Sender<String>,
    ) -> Result<CancellationToken, Reply> {
        let (id, spoken) = match &asked {
            ClientRequest::Call(call) => (&call.id, &call.spoken),
            ClientRequest::Relay(request) => (&request.id, &request.spoken),
            ClientRequest::Listen(listening) => (&listening.id, &listening.spoken),
            ClientRequest::Follow(asked) => (&asked.id, &asked.spoken),
            ClientRequest::Task(request) => (&request.id, &request.spoken),
            _ => return Ok(CancellationToken::new()),
        };
        let Some(running) = of.running.begin(id) else {
            return Err(refuse_request().to_reply(Some(id), spoken.era));
        };
        let token = running.cancelled.clone();
        let (frames, questions) = (frames.clone(), of.questions.clone());
        let caller = questions::Caller { frames, running, questions };
        self.tasks.spawn(boxed(Arc::clone(self).run_request(asked, caller, of.client.clone())));
        Ok(token)
    }

    async fn run_request(
        self: Arc<Self>,
        asked: ClientRequest,
        caller: questions::Caller,
        client: (FollowedResources, OwnFrames),
    ) {
        let handler = Arc::clone(&self.handler);
        match asked {
            ClientRequest::Call(call) => {
                // Nobody is to wait for a call when the server is to end.
                let working = run_task_call(handler, *call, caller);
                self.stop.run_until_cancelled(working).await;
            }
            ClientRequest::Relay(request) => {
                self.stop.run_until_cancelled(handler.run_relay(request, caller)).await;
            }
            ClientRequest::Listen(listening) => {
                let questions::Caller { frames, running, .. } = caller;
                handler.run_listening(listening, frames, running, self.stop.clone()).await;
            }
            ClientRequest::Task(request) => {
                self.stop.run_until_cancelled(run_task_request(handler, request, caller)).await;
            }
            ClientRequest::Follow(asked) => {
                let following = handler.run_following(asked, caller, client);
                self.stop.run_until_cancelled(following).await;
            }
            _ => {}
        }
    }

    /// The stream on which a client of the legacy era hears what is said unasked.
    fn open_stream(self: &Arc<Self>, headers: &HeaderMap) -> Response<Body> {
        if !Accepted::from_headers(headers).events {
            return refusal(406, "the client takes no stream of events");
        }
        let session = match self.named_session(headers) {
            Ok(session) => session,
            Err(reply) => return reply_response(reply),
        };
        let last = header_values(headers, LAST_EVENT);
        if let Some(reader) = last.first().and_then(|last| session.streams.resume(last)) {
            return resumable_response(reader);
        }
        let Some(stream) = Arc::clone(&session).take_stream() else {
            return refusal(409, "the session has a stream already");
        };
        let (frames, frame_receiver) = mpsc::channel(FRAMES);
        session.own.open(frames.clone());
        let mut changes = self.handler.changes();
        let (stop, ended) = (self.stop.clone(), session.ended.clone());
        self.tasks.spawn(boxed(async move {
            let _stream = stream;
            loop {
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = ended.cancelled() => return,
                    () = frames.closed() => return,
                    changed = changes.changed() => {
                        let sent = frames.send(tools_changed_frame(None));
                        if changed.is_err() || sent.await.is_err() {
                            return;
                        }
                    }
                }
            }
        }));
        events_response(frame_receiver, Vec::new())
    }

    fn end_session(&self, headers: &HeaderMap) -> Response<Body> {
        match self.named_session(headers) {
            Ok(_) => {
                header_values(headers, SESSION).iter().for_each(|id| {
                    self.sessions.remove(id);
                });
                empty_response(204)
            }
            Err(reply) => reply_response(reply),
        }
    }

    fn named_session(&self, headers: &HeaderMap) -> Result<Arc<Session>, Reply> {
        let ids = header_values(headers, SESSION);
        let Some(id) = ids.first() else {
            let is_modern = modern_version(headers).is_some();
            return Err(match is_modern {
                true => refused_request(405, "there are no sessions in this version; use POST"),
                false => refused_request(400, "the header Mcp-Session-Id is missing"),
            });
        };
        self.sessions.find(id).ok_or_else(|| refused_request(404, "there is no such session"))
    }
}

/// How a message is to be answered.
enum Route {
    /// It represents itself.
    Modern,
    /// It begins a session.
    Begin,
    /// It is of this session.
    Legacy(String),
    Nowhere,
}

fn find_route(headers: &HeaderMap, frame: &Frame) -> Route {
    let is_modern_body = is_modern(&frame.params());
    if let Some(id) = header_values(headers, SESSION).into_iter().next()
        && modern_version(headers).is_none()
        && !is_modern_body
    {
        return Route::Legacy(id);
    }
    let says_modern = modern_version(headers).is_some() || is_modern_body;
    match &frame.kind {
        _ if says_modern => Route::Modern,
        Kind::Request { method, .. } if method == "initialize" => Route::Begin,
        // What is no message is refused as such, whoever sent it.
        Kind::Noise | Kind::Foreign => Route::Modern,
        _ => Route::Nowhere,
    }
}

/// The version of the modern era that a request names in its headers.
fn modern_version(headers: &HeaderMap) -> Option<String> {
    let version = header_values(headers, VERSION).into_iter().next()?;
    (Era::from_version(&version) == Era::Modern).then_some(version)
}

fn check_legacy_version(headers: &HeaderMap) -> Result<(), Reply> {
    let known = Versions::default().legacy;
    match header_values(headers, VERSION).into_iter().find(|version| !known.contains(version)) {
        Some(version) => {
            Err(refused_request(400, &format!("unsupported protocol version {version}")))
        }
        None => Ok(()),
    }
}

fn header_values(headers: &HeaderMap, name: &str) -> Vec<String> {
    let values = headers.get_all(name).iter();
    values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
}

async fn read_body(body: Incoming) -> Result<String, Reply> {
    let Ok(read) = timeout(READING, Limited::new(body, LARGEST).collect()).await else {
        return Err(refused_request(408, "the body did not come in time"));
    };
    match read {
        Ok(body) => Ok(String::from_utf8_lossy(&body.to_bytes()).into_owned()),
        Err(error) if error.is::<LengthLimitError>() => {
            Err(refused_request(413, "the body is too large"))
        }
        // It broke off, so nobody hears this.
        Err(_) => Err(refused_request(400, "the body broke off")),
    }
}
