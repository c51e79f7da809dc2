//! One request over HTTP and its answer: whole, or as a stream of events for who takes one.

use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, stream};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited, StreamBody};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::{Body as _, Frame, Incoming},
    header::{ACCEPT, ALLOW, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue},
};
use serde_json::{Map, Value};
use tokio::{net::TcpStream, time::timeout};

use super::{
    house::{Body, GatewayServer, LARGEST, PassedRequest, Refused},
    socket,
};
use crate::{
    engine::stub::play::{ReplyId, Step, StubOutput, StubPlay, body_bytes},
    model::size,
    systems::trustgraph::gateway::{endpoints::Endpoint, refusal::Refusal, served},
    wire::{
        accepting::{self, READING},
        systems::facets::decided::{ENDLESS, timed_steps},
    },
};

/// Where the socket is.
const SOCKET: &str = "/api/v1/socket";

/// Answers the requests of one connection until it ends; once stopped, the one under way is the
/// last.
pub(crate) async fn serve_connection(stream: TcpStream, house: Arc<GatewayServer>) {
    let stop = house.stop.clone();
    let answer = |request| {
        let house = Arc::clone(&house);
        async move { handle_request(request, &house).await }
    };
    accepting::serve_http(stream, stop, answer).await;
}

/// A whole answer in JSON.
fn json_response(status: u16, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(body.into()).boxed_unsync());
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn refusal_response(refusal: &Refusal) -> Response<Body> {
    let mut response = json_response(refusal.status(), refusal.body().to_string());
    if matches!(refusal, Refusal::Method(_)) {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    }
    response
}

async fn handle_request(request: Request<Incoming>, house: &Arc<GatewayServer>) -> Response<Body> {
    let takes_events = header_value(request.headers(), ACCEPT).contains("text/event-stream");
    let whole = request.uri().path().to_owned();
    let path = whole.strip_prefix(house.below.as_str()).unwrap_or_default();
    if let Err(cause) = house.admission.check_headers(request.headers()) {
        let (status, message) = (cause.status(), cause.message());
        let refusal = Refusal::NotAdmitted { status, message };
        return refusal_response(&house.new_telling(&whole, None).refuse(refusal).0);
    }
    if path == SOCKET {
        let no_socket =
            || refusal_response(&house.new_telling(&whole, None).refuse(Refusal::NoSocket).0);
        return socket::upgrade_socket(request, house).unwrap_or_else(no_socket);
    }
    let Some(at) = Endpoint::parse(path) else {
        return refusal_response(
            &house.new_telling(&whole, None).refuse(Refusal::Nowhere(whole.clone())).0,
        );
    };
    match read_request(request, &at, house).await {
        Ok(passed) => answer_response(passed, takes_events, house).await,
        Err(Refused(refusal)) => refusal_response(&refusal),
    }
}

async fn read_request(
    request: Request<Incoming>,
    at: &Endpoint,
    house: &GatewayServer,
) -> Result<PassedRequest, Refused> {
    let refuse = |refusal| Err(house.new_telling(&at.service, None).refuse(refusal));
    if request.method() != Method::POST {
        return refuse(Refusal::Method(request.method().to_string()));
    }
    if !house.lets_in(bearer_token(request.headers())) {
        return refuse(Refusal::Token);
    }
    let too_large = || Refusal::TooLarge(size::format_size(LARGEST as u64));
    let body = request.into_body();
    if body.size_hint().lower() > LARGEST as u64 {
        return refuse(too_large());
    }
    let Ok(read) = timeout(READING, Limited::new(body, LARGEST).collect()).await else {
        return refuse(Refusal::NotJson);
    };
    let body = match read {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => return refuse(too_large()),
        // It broke off, so nobody hears this.
        Err(_) => return refuse(Refusal::NotJson),
    };
    let body: Map<String, Value> = match serde_json::from_slice(&body) {
        Ok(Value::Object(body)) => body,
        Ok(_) => return refuse(Refusal::NoObject),
        Err(_) => return refuse(Refusal::NotJson),
    };
    house.route_request(at, None, &body, None)
}

fn bearer_token(headers: &HeaderMap) -> &str {
    header_value(headers, AUTHORIZATION).strip_prefix("Bearer ").unwrap_or_default()
}

fn header_value(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

async fn answer_response(
    passed: PassedRequest,
    takes_events: bool,
    house: &GatewayServer,
) -> Response<Body> {
    if passed.nobody {
        return json_response(200, served::empty_answer(&passed.service).to_string());
    }
    if takes_events && is_stream(&passed.play) {
        return streamed_response(passed, house);
    }
    whole_response(passed, house).await
}

/// Whether an answer is more than one message that ends it.
fn is_stream(play: &StubPlay) -> bool {
    let heard = |row| play.step(row).filter(|step| step.under == ReplyId::Own);
    match (heard(0), heard(1)) {
        (Some(one), None) => !one.said.is_last(),
        (first, _) => first.is_some(),
    }
}

/// The answer in one, once its last piece is there; without one, after the time that the gateway
/// has for a service.
async fn whole_response(passed: PassedRequest, house: &GatewayServer) -> Response<Body> {
    let PassedRequest { service, play, mut telling, .. } = passed;
    let mut steps = timed_steps(play, &house.stop);
    let mut text = String::new();
    while let Some(step) = steps.next().await {
        if step.under != ReplyId::Own {
            telling.answered.note = Some(served::NO_IDS);
            continue;
        }
        telling.answered.pieces += 1;
        let body = match &step.said {
            StubOutput::Chunk { text: piece, last } => {
                if !served::joins_chunks(&service) {
                    text.clear();
                }
                text.push_str(piece);
                if !last {
                    continue;
                }
                served::whole_answer(&service, &text)
            }
            StubOutput::Error { kind, message } => served::error_answer(&service, kind, message),
        };
        return json_response(200, body_bytes(step.body, body.to_string()));
    }
    if hold_open(house).await {
        refusal_response(&Refusal::Stopped)
    } else {
        json_response(200, served::timeout_answer().to_string())
    }
}

/// Says nothing for as long as the gateway waits for a service; whether it was stopped meanwhile.
async fn hold_open(house: &GatewayServer) -> bool {
    timeout(ENDLESS, house.stop.cancelled()).await.is_ok()
}

/// The answer piece by piece. One that does not end is held open.
fn streamed_response(passed: PassedRequest, house: &GatewayServer) -> Response<Body> {
    let PassedRequest { service, play, telling, .. } = passed;
    let steps = timed_steps(play, &house.stop);
    let stop = house.stop.clone();
    let events = stream::unfold((steps, telling, false), move |(mut steps, mut telling, ended)| {
        let (service, stop) = (service.clone(), stop.clone());
        async move {
            let Some(step) = steps.next().await else {
                if !ended {
                    let _ = timeout(ENDLESS, stop.cancelled()).await;
                }
                return None;
            };
            telling.answered.pieces += 1;
            let ended = ended || step.said.is_last();
            Some((Ok(Frame::data(event_bytes(&service, &step))), (steps, telling, ended)))
        }
    });
    let mut response = Response::new(StreamBody::new(events).boxed_unsync());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

fn event_bytes(service: &str, step: &Step) -> Bytes {
    let whole = match &step.said {
        StubOutput::Chunk { text, last } => served::stream_event(service, text, *last),
        StubOutput::Error { kind, message } => served::error_answer(service, kind, message),
    };
    [&b"data: "[..], &body_bytes(step.body, whole.to_string()), b"\n\n"].concat().into()
}
