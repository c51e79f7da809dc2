//! Answers of the server over HTTP: one frame, or each frame as an event.

use std::{convert::Infallible, time::Duration};

use bytes::Bytes;
use futures::stream;
use http_body_util::{BodyExt, Empty, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    Response, StatusCode,
    body::Frame as BodyFrame,
    header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
};
use tokio::{sync::mpsc, time::timeout};

use super::replay::StreamReader;
use crate::systems::mcp::{
    codes,
    rpc::frame::{Frame, Kind},
    server::reply::{Refusal, Reply},
    version::Era,
};

/// A stream on which nothing is said for so long says that it is still there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);
/// After how many milliseconds a client may come back to a stream that broke.
const RETRY: u64 = 500;

pub(super) const EVENTS: &str = "text/event-stream";
pub(super) const JSON: &str = "application/json";

pub(super) type Body = UnsyncBoxBody<Bytes, Infallible>;

pub(super) fn refusal(status: u16, words: &str) -> Response<Body> {
    reply_response(refused_request(status, words))
}

/// Why a request is not for this server, or not as it is to be.
pub(super) fn refused_request(status: u16, words: &str) -> Reply {
    let reply = Refusal::new(codes::INVALID_REQUEST, words).to_reply(None, Era::Modern);
    Reply { status, ..reply }
}

pub(super) fn reply_response(reply: Reply) -> Response<Body> {
    let mut response = with_status(reply.status, Full::new(reply.text.into()).boxed_unsync());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

pub(super) fn empty_response(status: u16) -> Response<Body> {
    with_status(status, Empty::new().boxed_unsync())
}

fn with_status(status: u16, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

/// What is cancelled when nobody reads the stream any more.
pub(super) type Guards = Vec<tokio_util::sync::DropGuard>;

/// Each frame as an event, as it comes.
pub(super) fn events_response(
    frame_receiver: mpsc::Receiver<String>,
    guards: Guards,
) -> Response<Body> {
    let events =
        stream::unfold((frame_receiver, guards), |(mut frame_receiver, guards)| async move {
            let text = match timeout(SIGN_OF_LIFE, frame_receiver.recv()).await {
                Ok(Some(frame)) => format!("event: message\ndata: {frame}\n\n"),
                Ok(None) => return None,
                Err(_) => ": still here\n\n".to_owned(),
            };
            Some((Ok(BodyFrame::data(Bytes::from(text))), (frame_receiver, guards)))
        });
    stream_response(StreamBody::new(events).boxed_unsync())
}

/// Each frame as an event with an id, after an empty one with the id from which it can be gone on.
pub(super) fn resumable_response(reader: StreamReader) -> Response<Body> {
    let first = format!("id: {}\nretry: {RETRY}\ndata:\n\n", reader.last_id());
    let events = stream::unfold((Some(first), reader), |(first, mut reader)| async move {
        let text = match first {
            Some(first) => first,
            None => match timeout(SIGN_OF_LIFE, reader.next()).await {
                Ok(Some(frame)) => {
                    format!("event: message\nid: {}\ndata: {frame}\n\n", reader.last_id())
                }
                Ok(None) => return None,
                Err(_) => ": still here\n\n".to_owned(),
            },
        };
        Some((Ok(BodyFrame::data(Bytes::from(text))), (None, reader)))
    });
    stream_response(StreamBody::new(events).boxed_unsync())
}

fn stream_response(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENTS));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// The answers alone, in one.
pub(super) async fn whole_response(
    mut frame_receiver: mpsc::Receiver<String>,
    is_alone: bool,
    guards: Guards,
) -> Response<Body> {
    let mut answers = Vec::new();
    while let Some(frame) = frame_receiver.recv().await {
        if matches!(Frame::parse(frame.as_str()).kind, Kind::Reply { .. }) {
            answers.push(frame);
        }
    }
    drop(guards);
    match (is_alone, answers.pop()) {
        (true, Some(text)) => reply_response(Reply { text, status: 200 }),
        // It was cancelled.
        (_, None) => empty_response(204),
        (false, Some(last)) => {
            answers.push(last);
            reply_response(Reply { text: format!("[{}]", answers.join(",")), status: 200 })
        }
    }
}
