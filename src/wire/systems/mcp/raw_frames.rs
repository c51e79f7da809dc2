//! Frames that are sent as they are, also such as no client should send: what comes back, and when.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::{
    listing::begin,
    stages::{ANSWER, STAGE, answer_packet, frame_words, said, stage, tell_answer, tell_stage},
};
use crate::{
    model::{
        call::{CallError, EventKind, Outcome},
        error_kind::ErrorKind,
        stage::{FRAME, FrameWay},
    },
    systems::mcp::{
        rpc::{
            build::Call,
            frame::{Frame, Kind},
            id::Id,
        },
        turn::{OpenedServer, Outgoing},
    },
    wire::{
        session::event_sink::{CallEnd, EventSink, SinkClosed},
        systems::facets::multi_step::CallContext,
        transport::{
            message::{Incoming, Packet},
            message_queue::QueueSender,
        },
    },
};

/// How long after a frame that asks for no answer something may come back.
const PATIENCE: Duration = Duration::from_secs(2);

/// A frame as it is to be sent, with the headers that HTTP wants beside it.
#[must_use]
pub(super) fn outgoing_frame(text: &str, opened: Option<&OpenedServer>) -> Outgoing {
    let frame = Frame::parse(text);
    let method = match &frame.kind {
        Kind::Request { method, .. } | Kind::Notification { method, .. } => method.as_str(),
        _ => "",
    };
    let mut call = Call::from_method(method);
    for (name, value) in frame.params().as_object().into_iter().flatten() {
        call = call.with_param(name, &value.clone().into());
    }
    let headers = opened.map(|opened| call.headers(&opened.spoken)).unwrap_or_default();
    Outgoing { text: text.to_owned(), headers, id: asked_id(&frame), wait: None }
}

/// The id under which an answer is to come.
fn asked_id(frame: &Frame) -> Option<Id> {
    match &frame.kind {
        Kind::Request { id, .. } => Some(id.clone()),
        _ => None,
    }
}

/// Who waits for what comes back.
#[derive(Default)]
pub(super) struct RawFrames(Vec<(Option<Id>, QueueSender)>);

impl RawFrames {
    pub fn wait_for(&mut self, id: Option<Id>, inbox: QueueSender) {
        self.0.retain(|(_, inbox)| !inbox.is_closed());
        self.0.push((id, inbox));
    }

    /// Hands a frame on to those who wait; whether it is the answer of one of them.
    pub async fn take_frame(&mut self, frame: &Frame) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let row = match &frame.kind {
            // Without an id the other side could not read what was sent.
            Kind::Reply { id, .. } => self.0.iter().position(|(asked, _)| match (asked, id) {
                (Some(asked), Some(id)) => asked.as_text() == id.as_text(),
                (_, id) => id.is_none(),
            }),
            _ => None,
        };
        match row {
            Some(row) => {
                let (_, inbox) = self.0.remove(row);
                let packet = answer_packet(frame.text().to_owned(), None, &[], None);
                // Who has left needs no answer.
                let _ = inbox.push(Incoming::Packet(packet)).await;
                true
            }
            None => {
                let words = frame_words(FrameWay::In, frame.text().len());
                let told = stage(FRAME, &words, frame.text());
                for (_, inbox) in &self.0 {
                    let _ = inbox.push(Incoming::Packet(told.clone())).await;
                }
                false
            }
        }
    }

    /// Hands what went or came beside a frame on to who waits for its answer.
    pub async fn take_headers(&self, id: &Id, told: &Packet) {
        for (_, inbox) in self.0.iter().filter(|(asked, _)| asked.as_ref() == Some(id)) {
            let _ = inbox.push(Incoming::Packet(told.clone())).await;
        }
    }

    /// The same of the body that an HTTP server answered a request with.
    pub async fn take_body(&mut self, id: &Id, body: &str) -> bool {
        let row = self.0.iter().position(|(asked, _)| asked.as_ref() == Some(id));
        let Some(row) = row else { return false };
        let (_, inbox) = self.0.remove(row);
        let _ = inbox.push(Incoming::Packet(answer_packet(body.to_owned(), None, &[], None))).await;
        true
    }
}

/// Sends a frame and says what comes back, up to its answer. Where it asks for none, nothing that
/// comes back is a success.
pub(super) async fn send_frame(
    context: CallContext<'_>,
    sink: &mut EventSink,
) -> Result<CallEnd, SinkClosed> {
    let CallContext { bus, request, limits, .. } = context;
    let asks = asked_id(&Frame::parse(&*request.body)).is_some();
    let mut receiver = match begin(bus, &request.to, request.body.to_string()).await {
        Ok(receiver) => receiver,
        Err(problem) => return Ok((Outcome::Lost, Some(problem))),
    };
    sink.emit(EventKind::Sent { bytes: request.body.len() }).await?;
    let patience = if asks { limits.first } else { PATIENCE };
    let mut until = Instant::now() + patience;
    loop {
        let heard = tokio::select! {
            heard = receiver.next() => heard,
            () = sleep_until(until) => {
                let seconds = patience.as_secs_f64();
                let message = format!("no answer within {seconds} s");
                if asks {
                    let problem = CallError::new(ErrorKind::TimedOutFirst, message, "");
                    return Ok((Outcome::TimedOut, Some(problem)));
                }
                sink.emit(EventKind::Notice(message)).await?;
                return Ok((Outcome::Succeeded, None));
            }
        };
        let packet = match heard {
            Some(Incoming::Packet(packet)) => packet,
            Some(Incoming::Failed(problem)) => return Ok((Outcome::Lost, Some(problem))),
            Some(_) => continue,
            None => {
                let message = format!("{} ended", bus.display_address());
                let problem = CallError::new(ErrorKind::ConnectionLost, message, "send it again");
                return Ok((Outcome::Lost, Some(bus.close_reason().unwrap_or(problem))));
            }
        };
        if said(&packet, STAGE) != Some(ANSWER) {
            tell_stage(packet, sink).await?;
            until = Instant::now() + patience;
            continue;
        }
        tell_answer(&packet, sink).await?;
        let text = String::from_utf8_lossy(&packet.body).into_owned();
        let refused = refusal_of(&text);
        sink.emit(EventKind::Chunk { bytes: text.len(), text: text.into() }).await?;
        return Ok(match refused {
            Some(problem) => (Outcome::Failed, Some(problem)),
            None => (Outcome::Succeeded, None),
        });
    }
}

/// The error that an answer is.
fn refusal_of(text: &str) -> Option<CallError> {
    let frame = Frame::parse(text);
    let Kind::Reply { error: Some(error), .. } = &frame.kind else { return None };
    let error = frame.parse_value(error);
    let message = error["message"].as_str().unwrap_or_default();
    Some(CallError::new(ErrorKind::parse(&error["code"].to_string()), message, ""))
}
