//! How calls fail, in words that tell the way out. The kinds are stable: scripts tell them apart.

use std::time::Duration;

use crate::{
    model::{
        call::{CallError, Limits, StrayCause},
        connection::Connection,
        error_kind::ErrorKind,
        size,
        transport::TransportKind,
    },
    schema::count::count_text,
    wire::{systems::facets::exchange::Route, transport::bus::Receipt},
};

fn pieces_text(pieces: u64) -> String {
    count_text(pieces, "piece", "pieces")
}

fn format_duration(duration: Duration) -> String {
    if duration.as_millis().is_multiple_of(1000) {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}

pub(crate) fn no_responders(route: &Route, place: &str) -> CallError {
    let remedy = match place == Connection::embedded().name {
        true => {
            "the embedded connection has toolcrib's samples alone: choose the connection that the \
            service is on, or mock it (on Invoke, or with --mock)"
        }
        false => {
            "start the service, or mock it (on Invoke, or with --mock); if it is running, compare \
            its subject with the request-queue"
        }
    };
    let message = format!("no service listens on {} at {place}", route.to.name);
    CallError::new(ErrorKind::NoResponders, message, remedy)
}

pub(crate) fn connection_lost(place: &str, pieces: u64) -> CallError {
    CallError::new(
        ErrorKind::ConnectionLost,
        format!(
            "the connection to {place} broke after {} of the answer; later ones may be missing",
            pieces_text(pieces)
        ),
        "send it again once the connection is back",
    )
}

/// The broker itself didn't return a message to us.
pub(crate) fn silent_broker(place: &str) -> CallError {
    CallError::new(
        ErrorKind::ConnectionLost,
        format!(
            "{place} doesn't respond, not even to us: the request may not have reached the service"
        ),
        "check whether the server is stopped or overloaded, and whether the service has received \
         the request before you send it again",
    )
}

pub(crate) fn stream_without_end(place: &str) -> CallError {
    CallError::new(
        ErrorKind::ConnectionLost,
        format!("{place} ended its stream of events, and none of them was marked as the last"),
        "check the chunks that arrived; the service may have failed",
    )
}

/// What was waited for may have come while nobody could hear it.
pub(crate) fn lost_meanwhile(place: &str) -> CallError {
    CallError::new(
        ErrorKind::ConnectionLost,
        format!(
            "the connection to {place} broke while the call was under way, and its result was not \
             received"
        ),
        "check whether the result already exists before you send it again",
    )
}

pub(crate) fn no_way_back(transport: &str) -> CallError {
    CallError::new(
        ErrorKind::NoWayBack,
        format!(
            "the service names no response queue, and {transport} has no inbox that could take its answer"
        ),
        "give the service a response-queue, such as response:tg:NAME",
    )
}

pub(crate) fn permission_denied(words: &str) -> CallError {
    CallError::new(
        ErrorKind::Refused,
        words.to_owned(),
        "get permission to publish and subscribe there, or use other credentials",
    )
}

pub(crate) fn answer_too_large(limits: Limits) -> CallError {
    CallError::new(
        ErrorKind::AnswerTooLarge,
        format!("the answer grew past {} and was stopped there", size::format_size(limits.answer)),
        "request less; what arrived so far is kept",
    )
}

/// One message that is more than a whole answer may be; `before`: the text that came until then.
pub(crate) fn message_too_large(limits: Limits, size: u64, before: u64) -> CallError {
    let before = if before == 0 {
        String::new()
    } else {
        format!("; {} of text came before it", size::format_size(before))
    };
    CallError::new(
        ErrorKind::AnswerTooLarge,
        format!(
            "a message of the answer has {}, more than the {} that an answer may have{before}",
            size::format_size(size),
            size::format_size(limits.answer)
        ),
        "request less, or let the service send its answer in chunks",
    )
}

pub(crate) fn slow_consumer(messages: u64, bytes: u64) -> CallError {
    let what = if messages == 0 {
        "an unknown number of messages was dropped".into()
    } else {
        format!("{messages} messages ({}) were dropped", size::format_size(bytes))
    };
    CallError::new(
        ErrorKind::SlowConsumer,
        format!("the answer has gaps: {what}, because they arrived faster than they could be read"),
        "let the service send fewer and larger chunks, or read its output faster",
    )
}

/// What the broker said of a request: the stage's name, and the words.
pub(crate) fn receipt_stage(receipt: &Receipt) -> (&'static str, String) {
    match receipt {
        Receipt::Kept { stream, sequence, duplicate: false } => {
            ("kept", format!("JetStream keeps the request: stream {stream}, message {sequence}"))
        }
        Receipt::Kept { stream, sequence, duplicate: true } => (
            "duplicate",
            format!(
                "JetStream already had this request, by its Nats-Msg-Id: stream {stream}, message \
                {sequence}; who reads the stream does not get it again"
            ),
        ),
        Receipt::Refused { stream, cause } => (
            "not-kept",
            format!(
                "JetStream does not keep the request: stream {stream} says {cause}; only current \
                 subscribers received it"
            ),
        ),
    }
}

/// How many replies came that were none of the call's, by what was wrong with their ids.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StrangerCounts {
    unknown: u64,
    nameless: u64,
    foreign: u64,
    fieldless: u64,
}

impl StrangerCounts {
    pub fn count_stray(&mut self, cause: StrayCause) {
        match cause {
            StrayCause::UnknownId => self.unknown += 1,
            StrayCause::NoId => self.nameless += 1,
            StrayCause::ForeignId => self.foreign += 1,
            StrayCause::NoFields => self.fieldless += 1,
            StrayCause::Late | StrayCause::Duplicate | StrayCause::Unreadable => {}
        }
    }

    /// Whether all of them have ids of other calls.
    fn are_of_others(self) -> bool {
        matches!(self, Self { unknown: 0, nameless: 0, fieldless: 0, foreign: 1.. })
    }

    /// What they say about a call that got no answer, where they may have been meant for it.
    fn reply_hint(self) -> Option<String> {
        let one = match self {
            Self { fieldless: 1.., .. } => {
                "a reply with the request's id arrived, but it has none of response, error and \
                end_of_stream"
            }
            Self { unknown: 1.., .. } => {
                "a reply with id \"unknown\" arrived: the service couldn't read a request"
            }
            Self { nameless: 1.., .. } => {
                "a reply without an id arrived: a service must return the id of the request"
            }
            Self { foreign: 1.., .. } => {
                "a reply with another id arrived: it belongs to another call, or the service \
                doesn't return the request's id"
            }
            _ => return None,
        };
        Some(format!("{one}; see the stray messages"))
    }
}

/// Nothing of the answer came in time.
pub(crate) fn timed_out_first(
    limits: Limits,
    route: &Route,
    transport: TransportKind,
    strangers: StrangerCounts,
    receipt: Option<&Receipt>,
    hint: Option<&str>,
) -> CallError {
    let message =
        format!("no answer came within {}", format_duration(limits.first.min(limits.total)));
    if let Some(remedy) = strangers.reply_hint() {
        // A reply of another call says nothing about the service of this one.
        let unheard = transport.spec().unheard.trim_end_matches(", ");
        let remedy = match strangers.are_of_others() && !unheard.is_empty() {
            true => format!("{remedy}; also check {unheard}"),
            false => remedy,
        };
        return CallError::new(ErrorKind::TimedOutFirst, message, remedy);
    }
    if let Some(hint) = hint {
        let remedy = format!("{hint}, or {}", limits.more_time);
        return CallError::new(ErrorKind::TimedOutFirst, message, remedy);
    }
    if !transport.is_bus() {
        return CallError::new(
            ErrorKind::TimedOutFirst,
            message,
            format!("check whether the server hangs, or {}", limits.more_time),
        );
    }
    if let Some(receipt) = receipt {
        let remedy = match receipt {
            Receipt::Kept { stream, sequence, .. } => {
                format!(
                    "stream {stream} keeps the request as message {sequence}; start the service that reads it, or {}",
                    limits.more_time
                )
            }
            Receipt::Refused { stream, cause } => {
                format!("stream {stream} does not keep the request: {cause}; make room in it")
            }
        };
        return CallError::new(ErrorKind::TimedOutFirst, message, remedy);
    }
    let heard = route.answers.as_ref().map_or("its inbox", |answers| &answers.name);
    CallError::new(
        ErrorKind::TimedOutFirst,
        message,
        format!(
            "the call listened on {heard}; check {}the response-queue and whether replies have \
            the request's id, or {}",
            transport.spec().unheard,
            limits.more_time
        ),
    )
}

pub(crate) fn timed_out_idle(limits: Limits, pieces: u64) -> CallError {
    CallError::new(
        ErrorKind::TimedOutIdle,
        format!(
            "after {} nothing more arrived for {}, and none had end_of_stream",
            pieces_text(pieces),
            format_duration(limits.idle)
        ),
        format!(
            "the service must end its answer with end_of_stream: true; or {}",
            limits.more_time
        ),
    )
}

pub(crate) fn timed_out_total(limits: Limits, pieces: u64) -> CallError {
    CallError::new(
        ErrorKind::TimedOutTotal,
        format!(
            "the answer did not end within {} ({} came)",
            format_duration(limits.total),
            pieces_text(pieces)
        ),
        format!(
            "{}, or request less; a service ends its answer with end_of_stream: true; what arrived \
            so far is kept",
            limits.more_time
        ),
    )
}

/// No end came in the time that a request over HTTP may take; `pieces` messages of its answer did.
pub(crate) fn timed_out(
    limits: Limits,
    is_total: bool,
    pieces: usize,
    remedy: impl Into<String>,
) -> CallError {
    let came = || pieces_text(pieces as u64);
    let (kind, message) = match (is_total, pieces) {
        (true, 0) => (ErrorKind::TimedOutTotal, no_answer(limits.total)),
        (false, 0) => (ErrorKind::TimedOutFirst, no_answer(limits.first)),
        (true, _) => {
            let within = format_duration(limits.total);
            let words = format!("the answer did not end within {within} ({} came)", came());
            (ErrorKind::TimedOutTotal, words)
        }
        (false, _) => {
            let silent = format_duration(limits.idle);
            let words = format!("after {} nothing more arrived for {silent}", came());
            (ErrorKind::TimedOutIdle, words)
        }
    };
    CallError::new(kind, message, remedy)
}

fn no_answer(limit: Duration) -> String {
    format!("no answer within {}", format_duration(limit))
}

pub(crate) const GAP: &str =
    "messages were dropped because they arrived faster than they were read";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::transport::message::Address;

    #[test]
    fn a_time_limit_says_whether_anything_came() {
        let limits = Limits { total: Duration::from_secs(3), ..Limits::default() };
        let words = |is_total, pieces| timed_out(limits, is_total, pieces, "").message;
        assert_eq!(words(true, 0), "no answer within 3 s");
        assert_eq!(words(true, 1), "the answer did not end within 3 s (1 piece came)");
        assert_eq!(words(false, 2), "after 2 pieces nothing more arrived for 30 s");
    }

    #[test]
    fn a_request_that_a_watch_took_is_said_to_have_no_service_perhaps() {
        let route = Route { to: Address::ephemeral("tg.request.x"), answers: None };
        let remedy = |strays: &[StrayCause]| {
            let mut counts = StrangerCounts::default();
            strays.iter().for_each(|cause| counts.count_stray(*cause));
            let limits = Limits::default();
            timed_out_first(limits, &route, TransportKind::Nats, counts, None, None).remedy
        };
        let watched = "whether the service runs (while a watch listens";
        assert!(remedy(&[]).contains(watched), "{}", remedy(&[]));
        let of_others = remedy(&[StrayCause::ForeignId]);
        assert!(of_others.contains("another id") && of_others.contains(watched), "{of_others}");
        let nameless = remedy(&[StrayCause::ForeignId, StrayCause::NoId]);
        assert!(!nameless.contains(watched), "a service answers: {nameless}");
    }

    #[test]
    fn a_service_that_is_silent_is_to_be_looked_at_or_given_more_time() {
        let route = Route { to: Address::ephemeral("/api/v1/x"), answers: None };
        let (limits, counts) = (Limits::default(), StrangerCounts::default());
        let transport = TransportKind::Nats;
        let problem = timed_out_first(limits, &route, transport, counts, None, Some("look at it"));
        assert_eq!(problem.remedy, format!("look at it, or {}", limits.more_time));
    }
}
