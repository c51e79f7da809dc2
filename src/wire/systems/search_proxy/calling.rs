//! A call: an answer that comes whole, or the events of an agent that is listened to.

use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::{
    engine::subset::quoted_start,
    model::{
        call::{CallError, EventKind, Limits, Outcome},
        error_kind::ErrorKind,
        shown::not_utf8_words,
        size,
        stage::{FrameWay, Stage},
    },
    systems::search_proxy::{
        answer::{
            StreamEvent, citation_lines, is_failure, read_answer, read_error, read_event,
            upstream_answer,
        },
        calls::STREAMED,
        keys::Endpoint,
    },
    wire::{
        session::{
            event_sink::{CallEnd, EventSink, SinkClosed},
            messages::timed_out,
        },
        systems::facets::multi_step::CallContext,
        transport::{
            http::{
                marks,
                request::{HttpRequest, send_request, shown_headers},
            },
            message::{Incoming, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// What the events of a stream look like.
const WANTED: &str = r#"an event is {"type": "delta", "text": …}, {"type": "done", "response": {…}} or {"error": {"code": …, "message": …}}"#;

/// Makes the call.
pub(crate) async fn call(
    context: CallContext<'_>,
    sink: &mut EventSink,
) -> Result<CallEnd, SinkClosed> {
    let request = context.request;
    let path = request.to.strip_suffix(STREAMED).unwrap_or(&request.to);
    let Some(endpoint) = Endpoint::ALL.into_iter().find(|known| known.path() == path) else {
        let message = format!("{} is no endpoint of a search proxy", request.to);
        let problem = CallError::new(ErrorKind::BadRequest, message, "correct the tool");
        return Ok((Outcome::Lost, Some(problem)));
    };
    let sent = HttpRequest {
        method: "POST",
        path: &request.to,
        headers: &request.headers,
        body: &request.body,
        keeps_lines: true,
    };
    let headers = shown_headers(context.bus, &sent);
    let receiver = match send_request(context.bus, &sent).await {
        Ok(receiver) => receiver,
        Err(problem) => return Ok((Outcome::Lost, Some(problem))),
    };
    sink.emit(EventKind::Sent { bytes: request.body.len() }).await?;
    sink.emit_headers(FrameWay::Out, &headers).await?;
    sink.emit_wire(FrameWay::Out, &*request.body).await?;
    let listening = Listening {
        receiver,
        limits: context.limits,
        address: context.bus.display_address(),
        pieces: 0,
        since: Instant::now(),
        is_cut: false,
        written: String::new(),
        unknown: 0,
    };
    listening.hear(endpoint, sink).await
}

/// What comes back for a request.
struct Listening {
    receiver: QueueReceiver,
    limits: Limits,
    /// Where the proxy is, for people.
    address: String,
    /// How many events have come.
    pieces: usize,
    /// When the last one did.
    since: Instant,
    /// What came last is the beginning of an event.
    is_cut: bool,
    /// What the agent wrote so far.
    written: String,
    /// How many events were none that is known.
    unknown: usize,
}

impl Listening {
    async fn hear(
        mut self,
        endpoint: Endpoint,
        sink: &mut EventSink,
    ) -> Result<CallEnd, SinkClosed> {
        loop {
            let packet = match self.next_packet(sink).await {
                Ok(Some(packet)) => packet,
                Ok(None) => {
                    self.tell_unknown(sink).await?;
                    return Ok(self.ended_early());
                }
                Err(end) => return Ok(end),
            };
            sink.emit_headers(FrameWay::In, marks::answer_headers(&packet)).await?;
            if !marks::is_event(&packet) {
                return self.tell_whole(endpoint, &packet, sink).await;
            }
            self.pieces += 1;
            if let Some(end) = self.tell_event(&packet, sink).await? {
                self.tell_unknown(sink).await?;
                return Ok(end);
            }
        }
    }

    /// The next that comes back; `None` when no more comes.
    async fn next_packet(&mut self, sink: &mut EventSink) -> Result<Option<Packet>, CallEnd> {
        let Limits { first, idle, total, .. } = self.limits;
        let patience = if self.pieces == 0 { first } else { idle };
        let last = sink.opened + total + sink.held;
        let until = last.min(self.since + patience);
        let left = |SinkClosed| (Outcome::Cancelled, None);
        sink.emit_noted_wire().await.map_err(left)?;
        let come = loop {
            match timeout_at(until, self.receiver.next()).await {
                Ok(Some(Incoming::Headers(headers))) => {
                    sink.emit_headers(FrameWay::In, &headers).await.map_err(left)?;
                }
                Ok(Some(Incoming::Wire(lines))) => {
                    // A comment that is cut is only long.
                    self.is_cut = size::split_cut(&lines).is_some() && !lines.starts_with(':');
                    sink.emit_wire(FrameWay::In, lines).await.map_err(left)?;
                }
                come => break come,
            }
        };
        self.since = Instant::now();
        match come {
            Ok(Some(Incoming::Packet(mut packet))) => {
                self.is_cut = false;
                sink.note_wire(packet.take_wire());
                Ok(Some(packet))
            }
            Ok(Some(Incoming::Failed(problem))) => Err((Outcome::Lost, Some(problem))),
            Ok(Some(_) | None) => Ok(None),
            Err(_) => {
                let remedy = format!(
                    "{}; the configuration's timeout is how long the proxy waits for its engine",
                    self.limits.more_time
                );
                let problem = timed_out(self.limits, until == last, self.pieces, remedy);
                Err((Outcome::TimedOut, Some(problem)))
            }
        }
    }

    /// How many unknown events there were, where there was more than the one that was shown.
    async fn tell_unknown(&self, sink: &mut EventSink) -> Result<(), SinkClosed> {
        if self.unknown < 2 {
            return Ok(());
        }
        let words = format!("stream.unknown-event: {} events of that kind in all", self.unknown);
        sink.emit_stage("finding", words, "").await
    }

    fn ended_early(&self) -> CallEnd {
        let message = match self.pieces {
            _ if self.is_cut => {
                "the stream ended in the middle of an event, which Raw shows as far as it came"
                    .to_owned()
            }
            0 => format!("{} ended before the answer", self.address),
            _ => "the stream ended without its last event (done)".to_owned(),
        };
        let problem = CallError::new(ErrorKind::ConnectionLost, message, "send it again");
        (Outcome::Lost, Some(problem))
    }

    /// An answer that came at once.
    async fn tell_whole(
        &self,
        endpoint: Endpoint,
        packet: &Packet,
        sink: &mut EventSink,
    ) -> Result<CallEnd, SinkClosed> {
        let body = String::from_utf8_lossy(&packet.body);
        if body.len() as u64 > self.limits.answer {
            let most = size::format_size(self.limits.answer);
            let message = format!("the answer has more than {most}");
            let remedy = "raise largest-answer of the connection, or request less";
            let problem = CallError::new(ErrorKind::AnswerTooLarge, message, remedy);
            return Ok((Outcome::Lost, Some(problem)));
        }
        let status = marks::response_status(packet).unwrap_or_default();
        if is_failure(status) {
            if let Some(said) = upstream_answer(&body) {
                sink.emit_stage("upstream", "what the engine itself answered", said).await?;
            }
            let retry = packet.headers.iter().find(|(name, _)| name == "retry-after");
            let problem = read_error(status, &body, retry.map(|(_, value)| value.as_str()));
            return Ok((Outcome::Failed, Some(problem)));
        }
        let Ok(answer) = serde_json::from_str::<Value>(&body) else {
            let message = "the answer is not JSON";
            let remedy = "check that a search proxy is there";
            let problem = CallError::new(ErrorKind::NotJson, message, remedy);
            return Ok((Outcome::Lost, Some(problem)));
        };
        let read = read_answer(endpoint, &answer);
        for fault in read.faults {
            sink.emit_stage("finding", fault, "").await?;
        }
        sink.emit_stage(Stage::RESULT, "the whole answer", body.as_ref()).await?;
        let bytes = packet.body.len();
        sink.emit(EventKind::Chunk { text: read.text.into(), bytes }).await?;
        Ok((Outcome::Succeeded, None))
    }

    /// An event of the stream; the end where it is the last.
    async fn tell_event(
        &mut self,
        packet: &Packet,
        sink: &mut EventSink,
    ) -> Result<Option<CallEnd>, SinkClosed> {
        let Ok(data) = std::str::from_utf8(&packet.body) else {
            let message = not_utf8_words(&packet.body, "event");
            let problem = CallError::new(ErrorKind::NotUtf8, message, "let the proxy send UTF-8");
            return Ok(Some((Outcome::Lost, Some(problem))));
        };
        match read_event(data) {
            StreamEvent::Delta(text) => {
                self.written += &text;
                let bytes = packet.body.len();
                sink.emit(EventKind::Chunk { text: text.into(), bytes }).await?;
                Ok(None)
            }
            StreamEvent::Done(answer) => {
                if answer["answer"].as_str().is_some_and(|answer| answer != self.written) {
                    let words = "stream.differs at /response/answer: the whole answer is not what \
                                 was streamed";
                    sink.emit_stage("finding", words, "").await?;
                }
                sink.emit_stage(Stage::RESULT, "the whole answer", answer.to_string()).await?;
                let sources = citation_lines(&answer);
                if !sources.is_empty() {
                    sink.emit(EventKind::Chunk { text: sources.into(), bytes: 0 }).await?;
                }
                Ok(Some((Outcome::Succeeded, None)))
            }
            StreamEvent::Failed(problem) => Ok(Some((Outcome::Failed, Some(problem)))),
            StreamEvent::Unknown(data) => {
                self.unknown += 1;
                if self.unknown == 1 {
                    let words = format!("stream.unknown-event: {}: {WANTED}", quoted_start(&data));
                    sink.emit_stage("finding", words, Value::from(data).to_string()).await?;
                }
                Ok(None)
            }
        }
    }
}
