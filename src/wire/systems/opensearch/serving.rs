//! The stand-in for a cluster over HTTP: takes connections at an address, until it is stopped.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use futures::{StreamExt, stream};
use http_body_util::{BodyExt, Full, Limited, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    Request, Response, StatusCode,
    body::{Frame, Incoming},
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    engine::stub::play::{self, StubOutput, StubPlay, body_bytes},
    model::{
        call::CallError,
        connection::{Connection, Credentials},
        stub::Fault,
    },
    systems::opensearch::cluster::{
        access::Access,
        answer::{AnswerContent, ClusterAnswer, ClusterRequest, inference_results},
        routes::{answer_request, served_paths},
        state::ClusterState,
    },
    wire::{
        accepting::{self, BoundAddress, READING},
        guard::Admission,
        now::now_millis,
        secrets::Secrets,
        systems::facets::{
            decided::{ENDLESS, timed_steps},
            responder::Report,
        },
    },
};

/// How much one request may hold.
const LARGEST: usize = 16 * 1024 * 1024;
/// Between two events of a stream, so that a person sees them come.
const PAUSE: Duration = Duration::from_millis(20);

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// A stand-in that listens already.
pub(crate) struct ClusterServer {
    listener: TcpListener,
    at: SocketAddr,
    shared: SharedCluster,
}

/// What its connections share.
struct SharedCluster {
    state: Mutex<ClusterState>,
    access: Access,
    base_path: String,
    admission: Admission,
    reports: Option<mpsc::Sender<Report>>,
    stop: CancellationToken,
}

impl ClusterServer {
    /// Listens where the connection leads to, or at another address. Who calls must be who the
    /// connection says.
    ///
    /// # Errors
    /// When the connection wants encryption, its secret is not there, or the address is not ours to
    /// listen at.
    pub async fn start(
        connection: &Connection,
        secrets: &Secrets,
        listen: Option<&str>,
        state: ClusterState,
    ) -> Result<Self, CallError> {
        let access = match &connection.credentials {
            Credentials::Password { user, password } => Access::Password {
                user: user.clone(),
                password: secrets.resolve_own(connection, password).await?,
            },
            Credentials::Token { token } => {
                Access::Token(secrets.resolve_own(connection, token).await?)
            }
            Credentials::None | Credentials::File { .. } => Access::Open,
        };
        let BoundAddress { listener, at, base_path, admission } =
            BoundAddress::bind(connection, listen).await?;
        let shared = SharedCluster {
            state: Mutex::new(state),
            access,
            base_path,
            admission,
            reports: None,
            stop: CancellationToken::new(),
        };
        Ok(Self { listener, at, shared })
    }

    /// The address to connect to, as connections are written.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.at, self.shared.base_path)
    }

    /// Whether other machines may reach it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.at.ip().is_loopback()
    }

    /// What is answered for, each with its path.
    #[must_use]
    pub fn served(&self) -> Vec<(String, String)> {
        served_paths(&self.shared.lock_state())
    }

    /// Answers until `stop`, then ends the answers under way. Reports that nobody takes in time are
    /// left out.
    pub async fn run(self, reports: mpsc::Sender<Report>, stop: CancellationToken) {
        let Self { listener, shared, .. } = self;
        let shared =
            Arc::new(SharedCluster { reports: Some(reports), stop: stop.clone(), ..shared });
        let tasks = TaskTracker::new();
        let attend = |stream| serve_connection(stream, Arc::clone(&shared));
        accepting::accept_until(listener, &tasks, &stop, attend).await;
    }
}

async fn serve_connection(stream: TcpStream, shared: Arc<SharedCluster>) {
    let stop = shared.stop.clone();
    let answer = |request| {
        let shared = Arc::clone(&shared);
        async move { shared.handle_request(request).await }
    };
    accepting::serve_http(stream, stop, answer).await;
}

impl SharedCluster {
    fn lock_state(&self) -> std::sync::MutexGuard<'_, ClusterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn handle_request(&self, request: Request<Incoming>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        if let Err(cause) = self.admission.check_headers(&parts.headers) {
            return plain_response(cause.status(), "text/plain", cause.message());
        }
        let method = parts.method.as_str().to_owned();
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
        let target = target.strip_prefix(self.base_path.as_str()).unwrap_or(target).to_owned();
        let authorization = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let body = match timeout(READING, Limited::new(body, LARGEST).collect()).await {
            Ok(Ok(body)) => String::from_utf8_lossy(&body.to_bytes()).into_owned(),
            // Too long, or too slow, or broken off: nobody may hear this.
            _ => return plain_response(413, "text/plain", "the request is too large"),
        };
        let answer = if self.access.lets_in(authorization.unwrap_or_default()) {
            let request = ClusterRequest::from_target(&method, &target, &body, now_millis());
            answer_request(&mut self.lock_state(), &request)
        } else {
            Access::refusal()
        };
        self.report(&method, &target, &answer);
        self.respond(answer).await
    }

    fn report(&self, method: &str, target: &str, answer: &ClusterAnswer) {
        let Some(reports) = &self.reports else { return };
        // A slow reader of reports must not slow the answers.
        let _ = reports.try_send(report_of(method, target, answer));
    }

    async fn respond(&self, answer: ClusterAnswer) -> Response<Body> {
        if answer.fault == Some(Fault::Silence) {
            // The caller gives up first, or is reported when serving ends.
            let _ = timeout(ENDLESS, self.stop.cancelled()).await;
            return plain_response(503, "text/plain", "it was stopped");
        }
        if !answer.after.is_zero() {
            tokio::select! {
                () = sleep(answer.after) => {}
                () = self.stop.cancelled() => {}
            }
        }
        let is_json = !matches!(answer.body.0, AnswerContent::Text(_));
        let kind = if is_json { "application/json; charset=UTF-8" } else { "text/plain" };
        let text = match answer.body.0 {
            AnswerContent::Events(events) => return self.stream_events(events),
            AnswerContent::Play(play) => return self.stream_play(play),
            AnswerContent::Json(value) => value.to_string(),
            AnswerContent::Text(text) => text,
        };
        let spoiled = match answer.fault {
            Some(Fault::BrokenJson) => play::Body::Cut,
            Some(Fault::NotUtf8) => play::Body::NotUtf8,
            _ => play::Body::Whole,
        };
        plain_response(answer.status, kind, body_bytes(spoiled, text))
    }

    fn stream_events(&self, events: Vec<Value>) -> Response<Body> {
        let told = stream::iter(events).then(|event| async move {
            sleep(PAUSE).await;
            Ok(Frame::data(event_bytes(event.to_string().as_bytes())))
        });
        event_response(StreamBody::new(told.take_until(self.stop.clone().cancelled_owned())))
    }

    /// The pieces of a stub, each when its time has come.
    fn stream_play(&self, play: StubPlay) -> Response<Body> {
        let told = timed_steps(play, &self.stop).map(|step| {
            let event = match step.said {
                StubOutput::Chunk { text, last } => inference_results(vec![
                    json!({"name": "response", "dataAsMap": {"content": text, "is_last": last}}),
                ]),
                StubOutput::Error { message, .. } => json!({ "error": message }),
            };
            Ok(Frame::data(event_bytes(&body_bytes(step.body, event.to_string()))))
        });
        event_response(StreamBody::new(told))
    }
}

fn plain_response(status: u16, kind: &'static str, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(body.into()).boxed_unsync());
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn event_response<S>(body: StreamBody<S>) -> Response<Body>
where
    S: stream::Stream<Item = Result<Frame<Bytes>, Infallible>> + Send + 'static,
{
    let mut response = Response::new(body.boxed_unsync());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

fn event_bytes(data: &[u8]) -> Bytes {
    [&b"data: "[..], data, b"\n\n"].concat().into()
}

/// What became of one request.
fn report_of(method: &str, target: &str, answer: &ClusterAnswer) -> Report {
    let told = &answer.told;
    let rule = told.rule.as_ref().map_or_else(String::new, |rule| format!(" by \"{rule}\""));
    let of = if told.service.is_empty() { String::new() } else { format!(" {}", told.service) };
    let why =
        told.problem.as_ref().map_or_else(String::new, |problem| format!(": {}", problem.message));
    let is_failure = answer.is_failure();
    let verb = if is_failure { "refused" } else { "answered" };
    let words = format!("{} {method} {target}{rule}{why}", answer.status);
    Report {
        number: 0,
        tool: told.service.clone(),
        caller: String::new(),
        line: format!("{verb}{of} {words}"),
        words,
        answered: !is_failure,
        problem: told.problem.clone(),
        details: Vec::new(),
        json: json!({
            "event": "call", "service": told.service, "method": method, "path": target,
            "status": answer.status, "rule": told.rule,
            "error": told.problem.as_ref().map(|problem| problem.message.as_str()),
        }),
    }
}
