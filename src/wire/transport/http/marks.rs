//! What is said of a message beside its headers and its body, as headers that no server can send:
//! their names begin with a colon.

use super::events::Event;
use crate::wire::transport::message::Packet;

/// The method of a request; without it, it is a POST.
const METHOD: &str = ":method";

/// The path of a request in the place of the address's own, with its query.
const PATH: &str = ":path";

/// The status of an answer.
const STATUS: &str = ":status";

/// What marks one event of several, with the event's name where it has one.
const EVENT: &str = ":event";

/// The id that an event has for who asks for what came after it.
const ID: &str = ":id";

/// After how many milliseconds to ask again.
const RETRY: &str = ":retry";

/// What asks to be notified when the stream of an answer begins.
const BEGINNING: &str = ":beginning";

/// What asks for the lines of a stream as they come.
const LINES: &str = ":lines";

fn mark_value<'h>(headers: &'h [(String, String)], mark: &str) -> Option<&'h str> {
    headers.iter().find(|(name, _)| name == mark).map(|(_, value)| value.as_str())
}

/// The header that makes a request one of that method.
#[must_use]
pub fn method_header(word: &str) -> (String, String) {
    (METHOD.to_owned(), word.to_owned())
}

/// The header that sends a request to another path of the same server: `/there?as=it`.
#[must_use]
pub fn path_header(path: &str) -> (String, String) {
    (PATH.to_owned(), path.to_owned())
}

/// The header that has [`Incoming::Begun`](super::super::message::Incoming::Begun) come before the
/// first event of an answer that is a stream of them.
#[must_use]
pub fn beginning_header() -> (String, String) {
    (BEGINNING.to_owned(), String::new())
}

/// Whether a request asks for that.
pub(super) fn wants_beginning(headers: &[(String, String)]) -> bool {
    mark_value(headers, BEGINNING).is_some()
}

/// The header that has the events of a stream come with the lines that they were, and as
/// [`Incoming::Wire`](super::super::message::Incoming::Wire) what is none.
#[must_use]
pub fn lines_header() -> (String, String) {
    (LINES.to_owned(), String::new())
}

/// Whether a request asks for that.
pub(super) fn wants_lines(headers: &[(String, String)]) -> bool {
    mark_value(headers, LINES).is_some()
}

/// Whether a header of a request is a mark for the transport, which is not sent.
pub(super) fn is_mark(name: &str) -> bool {
    name.starts_with(':')
}

/// The method of a request with these headers.
pub(super) fn method_of(headers: &[(String, String)]) -> &str {
    mark_value(headers, METHOD).unwrap_or("POST")
}

/// The path that a request goes to, where it is not the address's own.
pub(super) fn path_of(headers: &[(String, String)]) -> Option<&str> {
    mark_value(headers, PATH)
}

/// The status that a whole answer came with; of an event of a stream there is none.
#[must_use]
pub fn response_status(packet: &Packet) -> Option<u16> {
    // The first event of a stream has it for those who read the headers.
    if is_event(packet) {
        return None;
    }
    mark_value(&packet.headers, STATUS)?.parse().ok()
}

/// Where an answer redirects to, in words; none is followed.
#[must_use]
pub fn redirect_words(packet: &Packet) -> Option<String> {
    response_status(packet).filter(|status| (300..400).contains(status))?;
    let (_, place) = packet.headers.iter().find(|(name, _)| name == "location")?;
    Some(format!("the server redirects to {place}, which isn't followed"))
}

/// The headers that came with an answer, and its status; not those of a single event.
pub fn answer_headers(packet: &Packet) -> impl Iterator<Item = &(String, String)> {
    packet.headers.iter().filter(|(name, _)| !is_mark(name) || name == STATUS)
}

/// Whether it is one event of a stream of them.
#[must_use]
pub fn is_event(packet: &Packet) -> bool {
    mark_value(&packet.headers, EVENT).is_some()
}

/// The name of one event of a stream; empty where it is a plain message.
#[must_use]
pub fn event_name(packet: &Packet) -> Option<&str> {
    mark_value(&packet.headers, EVENT)
}

pub(super) fn of_status(status: u16) -> Vec<(String, String)> {
    vec![(STATUS.to_owned(), status.to_string())]
}

pub(super) fn of_event(event: &Event) -> Vec<(String, String)> {
    let id = (!event.id.is_empty()).then(|| event.id.clone());
    let rest = [(ID, id), (RETRY, event.retry.map(|retry| retry.to_string()))];
    let rest = rest.into_iter().filter_map(|(mark, value)| Some((mark.to_owned(), value?)));
    [(EVENT.to_owned(), event.name.clone())].into_iter().chain(rest).collect()
}
