//! What a connection says those who wait for an answer: packets with the stages on the way to it.

use std::{borrow::Cow, fmt::Write as _, mem};

use bytes::Bytes;
use serde_json::{Number, Value};

use crate::{
    model::{
        shown::visible_text,
        size,
        stage::{FRAME as WIRE_FRAME, FrameWay, Stage},
    },
    systems::mcp::{fault::Fault, notice::LogLevel},
    wire::{
        session::event_sink::{EventSink, SinkClosed},
        transport::message::Packet,
    },
};

/// What a packet says: the answer, or a stage on the way to it by its name.
pub(crate) const STAGE: &str = ":stage";
/// The stage in words.
pub(crate) const WORDS: &str = ":words";
/// The stage that is the answer; its body is the reply as it came.
pub(crate) const ANSWER: &str = "answer";
/// The stage that only says that the server is at work; nothing is notified of it.
pub(crate) const ALIVE: &str = "alive";
/// The stage that brings headers of a transport: they are behind the packet's first two.
const HEADERS: &str = "headers";
/// The stage that says that a resource has changed; its body is the notification.
pub(crate) const UPDATED: &str = "updated";
/// The stage that says what of a subscription the server will serve; its body is the notification.
pub(crate) const SUBSCRIBED: &str = "subscribed";
/// The stage that says that a list has changed; its body is the notification.
pub(crate) const CHANGED: &str = "changed";
/// The revision of the protocol that is spoken.
pub(crate) const VERSION: &str = ":version";
/// What the tool promises of its answer, as JSON.
pub(crate) const PROMISED: &str = ":promised";
/// One thing that is wrong with what came.
pub(crate) const FAULT: &str = ":fault";
/// A person is asked from here on (`begins`), or no longer (`ends`); no call is impatient meanwhile.
pub(crate) const QUESTION: &str = ":question";

/// The body is a frame that went this way: `in`, `out`; where nothing is said, it came.
pub(crate) const FRAME: &str = ":frame";

/// A frame that was sent for a call.
#[must_use]
pub(crate) fn sent_frame(text: &str) -> Packet {
    let mut packet = stage(WIRE_FRAME, &frame_words(FrameWay::Out, text.len()), text);
    packet.headers.push((FRAME.to_owned(), FrameWay::Out.as_str().to_owned()));
    packet
}

/// A frame that came for a call which was given up.
#[must_use]
pub(crate) fn late_frame(text: &str) -> Packet {
    let body = Bytes::copy_from_slice(text.as_bytes());
    Packet { subject: None, reply: None, headers: Vec::new(), body }
}

/// The lines of an event that say more than its frame, or of none; `None` where there are none.
#[must_use]
pub(crate) fn wire_lines(lines: &str) -> Option<Packet> {
    let beside = |line: &&str| !line.starts_with("data") && *line != "event: message";
    let lines: Vec<&str> = lines.lines().filter(beside).collect();
    let words = frame_words(FrameWay::In, lines.iter().map(|line| line.len()).sum());
    (!lines.is_empty()).then(|| stage(Stage::WIRE, &words, &lines.join("\n")))
}

/// An answer, with the revision that is spoken, what is wrong with it, and what its tool promises.
#[must_use]
pub(crate) fn answer_packet(
    text: String,
    version: Option<&str>,
    faults: &[Fault],
    promised: Option<&Value>,
) -> Packet {
    let header = |name: &str, value: String| (name.to_owned(), value);
    let mut headers = vec![header(STAGE, ANSWER.to_owned())];
    headers.extend(version.map(|version| header(VERSION, version.to_owned())));
    headers.extend(faults.iter().map(|fault| header(FAULT, fault_words(fault))));
    headers.extend(promised.map(|schema| header(PROMISED, schema.to_string())));
    Packet { subject: None, reply: None, headers, body: text.into() }
}

/// What went or came beside frames, as the packet's own headers; none where nothing did.
#[must_use]
pub(crate) fn beside_frames(way: FrameWay, beside: Vec<(String, String)>) -> Option<Packet> {
    if beside.is_empty() {
        return None;
    }
    let of_stage = [(STAGE, HEADERS), (FRAME, way.as_str())];
    let of_stage = of_stage.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let headers = of_stage.into_iter().chain(beside).collect();
    Some(Packet { subject: None, reply: None, headers, body: Bytes::new() })
}

/// A frame in a few words.
#[must_use]
pub(crate) fn frame_words(way: FrameWay, bytes: usize) -> String {
    format!("{} {}", way.sign(), size::format_size(bytes as u64))
}

/// A stage on the way to an answer.
#[must_use]
pub(crate) fn stage(name: &str, words: &str, body: &str) -> Packet {
    stage_of_bytes(name, words.to_owned(), Bytes::copy_from_slice(body.as_bytes()))
}

/// The same with words and a body that need not be copied.
#[must_use]
pub(crate) fn stage_of_bytes(name: &str, words: String, body: Bytes) -> Packet {
    let words = match visible_text(&words) {
        Cow::Borrowed(_) => words,
        Cow::Owned(shown) => shown,
    };
    let headers = vec![(STAGE.to_owned(), name.to_owned()), (WORDS.to_owned(), words)];
    Packet { subject: None, reply: None, headers, body }
}

/// What is wrong, and where.
#[must_use]
pub(crate) fn fault_words(fault: &Fault) -> String {
    let at = fault.at.to_string();
    let at = if at.is_empty() { at } else { format!(" at {at}") };
    format!("{}{at}: {}", fault.id, fault.words)
}

/// How far a call is.
#[must_use]
pub(crate) fn progress_words(
    progress: &Number,
    total: Option<&Number>,
    message: Option<&str>,
    faults: &[Fault],
) -> String {
    let mut words = String::with_capacity(24 + message.map_or(0, str::len));
    // What is written into memory cannot fail.
    let _ = write!(words, "{progress}");
    if let Some(total) = total {
        let _ = write!(words, " of {total}");
    }
    if let Some(message) = message {
        words.extend([": ", message]);
    }
    for fault in faults {
        words.extend([" (", &fault_words(fault), ")"]);
    }
    words
}

/// A line of a server's log.
#[must_use]
pub(crate) fn log_words(level: Option<LogLevel>, logger: Option<&str>, data: &Value) -> String {
    let level = level.map_or("log", LogLevel::as_str);
    let logger = logger.map(|logger| format!(" {logger}")).unwrap_or_default();
    match data.as_str() {
        Some(text) => format!("{level}{logger}: {text}"),
        None => format!("{level}{logger}: {data}"),
    }
}

/// Whether a packet says nothing of how far a call is: it was sent with it, or came beside frames.
pub(crate) fn is_beside_stages(packet: &Packet) -> bool {
    [Some(HEADERS), Some(Stage::WIRE)].contains(&said(packet, STAGE))
        || said(packet, FRAME) == Some(FrameWay::Out.as_str())
}

/// Reports who made the call of a stage on the way to its answer.
pub(crate) async fn tell_stage(mut packet: Packet, sink: &mut EventSink) -> Result<(), SinkClosed> {
    if said(&packet, STAGE) == Some(HEADERS) {
        let way = said(&packet, FRAME).and_then(FrameWay::of_word).unwrap_or(FrameWay::In);
        return sink.emit_headers(way, packet.headers.iter().skip(2)).await;
    }
    let told = packet.headers.iter_mut().find(|(name, _)| name == WORDS);
    let words = told.map(|(_, words)| mem::take(words)).unwrap_or_default();
    let name = said(&packet, STAGE).unwrap_or_default();
    // Most of it is UTF-8, which is found out faster than what is not is replaced.
    let body = str::from_utf8(&packet.body)
        .map_or_else(|_| String::from_utf8_lossy(&packet.body), Cow::Borrowed);
    let way = said(&packet, FRAME).and_then(FrameWay::of_word);
    match way.or((!body.is_empty()).then_some(FrameWay::In)) {
        Some(way) => sink.emit_frame(way, (name, words), &*body).await,
        None => sink.emit_stage(name, words, "").await,
    }
}

/// The answer as it crossed the wire. A large one is not kept twice.
pub(crate) async fn tell_answer(packet: &Packet, sink: &mut EventSink) -> Result<(), SinkClosed> {
    const LARGEST: usize = 1024 * 1024;
    let words = frame_words(FrameWay::In, packet.body.len());
    if packet.body.len() > LARGEST {
        let words = format!("{words}; its text is the answer");
        return sink.emit_stage(WIRE_FRAME, words, "").await;
    }
    let body = String::from_utf8_lossy(&packet.body);
    sink.emit_frame(FrameWay::In, (WIRE_FRAME, words), &*body).await
}

/// What a packet says of itself.
#[must_use]
pub(crate) fn said<'p>(packet: &'p Packet, name: &str) -> Option<&'p str> {
    packet.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
