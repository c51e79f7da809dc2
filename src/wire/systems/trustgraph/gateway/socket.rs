//! One WebSocket, on which many requests run at once, each under its id.

use std::sync::Arc;

use bytes::Bytes;
use futures::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Empty};
use hyper::{
    Request, Response, StatusCode,
    body::Incoming,
    header::{
        CONNECTION, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION,
        UPGRADE,
    },
    upgrade::Upgraded,
};
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value, json};
use tokio::{sync::mpsc, task::JoinSet};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message,
        handshake::derive_accept_key,
        protocol::{
            Role, WebSocketConfig,
            frame::{
                Frame,
                coding::{Data, OpCode},
            },
        },
    },
};

use super::house::{Body, GatewayServer, LARGEST, PassedRequest, Refused};
use crate::{
    engine::stub::play::{self, Step, StubOutput, body_bytes},
    systems::trustgraph::gateway::{
        endpoints::{Endpoint, WORKSPACE},
        refusal::Refusal,
        served,
    },
    wire::{
        spawning::boxed,
        systems::facets::decided::{self, timed_steps},
    },
};

/// How many requests of one socket run at once; more wait.
const AT_ONCE: usize = 64;
/// How many frames wait for a slow caller before the answers wait.
const QUEUE: usize = 64;

/// The answer to whoever asks for a socket, which is open from then on; `None`: it was not one that
/// was asked for.
#[must_use]
pub(crate) fn upgrade_socket(
    mut request: Request<Incoming>,
    house: &Arc<GatewayServer>,
) -> Option<Response<Body>> {
    let headers = request.headers();
    let says = |name, word: &[u8]| {
        headers
            .get(name)
            .is_some_and(|value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(word))
    };
    if !says(UPGRADE, b"websocket") || !says(SEC_WEBSOCKET_VERSION, b"13") {
        return None;
    }
    let accept = derive_accept_key(headers.get(SEC_WEBSOCKET_KEY)?.as_bytes());
    let upgrade = hyper::upgrade::on(&mut request);
    let attended = Arc::clone(house);
    house.tasks.spawn(boxed(async move {
        // Who left before it was open needs nothing.
        if let Ok(upgraded) = upgrade.await {
            serve_socket(upgraded, attended).await;
        }
    }));
    let mut response = Response::new(Empty::new().boxed_unsync());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_ACCEPT, HeaderValue::from_str(&accept).ok()?);
    Some(response)
}

async fn serve_socket(upgraded: Upgraded, house: Arc<GatewayServer>) {
    let config =
        WebSocketConfig::default().max_message_size(Some(LARGEST)).max_frame_size(Some(LARGEST));
    let socket =
        WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
    let (mut sink, mut stream) = socket.split();
    let (say, mut said) = mpsc::channel(QUEUE);
    let writing = async {
        while let Some(message) = said.recv().await {
            if sink.send(message).await.is_err() {
                return;
            }
        }
        // The last word, if anybody still listens.
        let _ = sink.close().await;
    };
    let reading = async move {
        let mut calls = JoinSet::new();
        let mut let_in = house.lets_in("");
        loop {
            let heard = tokio::select! {
                () = house.stop.cancelled() => break,
                Some(_) = calls.join_next(), if !calls.is_empty() => continue,
                heard = stream.next(), if calls.len() < AT_ONCE => heard,
            };
            match heard {
                Some(Ok(Message::Text(text))) => {
                    handle_frame(text.as_bytes(), &mut let_in, &house, &say, &mut calls).await;
                }
                Some(Ok(Message::Binary(bytes))) => {
                    handle_frame(&bytes, &mut let_in, &house, &say, &mut calls).await;
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            }
        }
        while calls.join_next().await.is_some() {}
    };
    tokio::join!(reading, writing);
}

/// A frame as it comes.
async fn handle_frame(
    bytes: &[u8],
    let_in: &mut bool,
    house: &Arc<GatewayServer>,
    say: &mpsc::Sender<Message>,
    calls: &mut JoinSet<()>,
) {
    let frame: Map<String, Value> = serde_json::from_slice(bytes).unwrap_or_default();
    let text = |name: &str| frame.get(name).and_then(Value::as_str);
    if text("type") == Some("auth") {
        *let_in = house.lets_in(text("token").unwrap_or_default());
        let answer = match *let_in {
            true => json!({"type": "auth-ok", "default_workspace": house.workspace()}),
            false => json!({"type": "auth-failed", "error": "auth failure"}),
        };
        let _ = say.send(Message::text(answer.to_string())).await;
        return;
    }
    let id = text("id").map(str::to_owned);
    match read_request(&frame, *let_in, house) {
        Ok((id, passed)) => {
            let (house, say) = (Arc::clone(house), say.clone());
            calls.spawn(boxed(async move { send_answer(&id, passed, &house, &say).await }));
        }
        // Who has left needs nothing.
        Err(Refused(refusal)) => {
            drop(say.send(Message::text(refusal.to_frame(id.as_deref()).to_string())).await);
        }
    }
}

fn read_request(
    frame: &Map<String, Value>,
    let_in: bool,
    house: &GatewayServer,
) -> Result<(String, PassedRequest), Refused> {
    let text = |name: &str| frame.get(name).and_then(Value::as_str);
    let service = text("service").unwrap_or_default();
    let refuse = |refusal| Err(house.new_telling(service, text("id")).refuse(refusal));
    if !let_in {
        return refuse(Refusal::Token);
    }
    let (Some(id), Some(Value::Object(request)), false) =
        (text("id"), frame.get("request"), service.is_empty())
    else {
        return refuse(Refusal::BadFrame);
    };
    let at = Endpoint { service: service.to_owned(), flow: text("flow").map(str::to_owned) };
    Ok((id.to_owned(), house.route_request(&at, text(WORKSPACE), request, Some(id))?))
}

async fn send_answer(
    id: &str,
    passed: PassedRequest,
    house: &GatewayServer,
    say: &mpsc::Sender<Message>,
) {
    let PassedRequest { service, play, nobody, mut telling } = passed;
    if nobody {
        let frame = served::response_frame(Some(id), &served::empty_answer(&service), true);
        let _ = say.send(Message::text(frame.to_string())).await;
        return;
    }
    let alone = play.step(1).is_none();
    let mut steps = timed_steps(play, &house.stop);
    while let Some(step) = steps.next().await {
        if say.send(response_frame(id, &service, &step, alone)).await.is_err() {
            return;
        }
        telling.answered.pieces += 1;
    }
}

fn response_frame(id: &str, service: &str, step: &Step, alone: bool) -> Message {
    let response = match &step.said {
        StubOutput::Chunk { text, last } => match alone && *last {
            true => served::whole_answer(service, text),
            false => served::answer_chunk(service, text, *last),
        },
        StubOutput::Error { kind, message } => served::error_answer(service, kind, message),
    };
    let frame =
        served::response_frame(decided::reply_id(step.under, id), &response, step.said.is_last())
            .to_string();
    match step.body {
        play::Body::NotUtf8 => {
            // As a broken server sends it; whoever reads it has to end the socket.
            let bytes: Bytes = body_bytes(step.body, frame).into();
            Message::Frame(Frame::message(bytes, OpCode::Data(Data::Text), true))
        }
        // Half of what was ASCII or whole characters; what is lost at the edge makes no difference
        // to what it rehearses.
        body => Message::text(String::from_utf8_lossy(&body_bytes(body, frame)).into_owned()),
    }
}
