//! A call: one use of a tool; its request, its events with their times, its outcome.

use std::{borrow::Cow, sync::Arc};

use super::{
    answer_text::AnswerText,
    case_result::CaseResult,
    clock::Millis,
    entry::{EntryId, SystemId},
    error_kind::ErrorKind,
    event_log::EventLog,
    piece_times::PieceTimes,
    problem::ProblemKind,
    stub::{MOCK_CONNECTION, MockCall},
};
pub use super::{
    event::{CallError, Event, EventKind, Headers, LoggedEvent, Outcome, StrayCause},
    limits::Limits,
};

/// Unique in this session; counts from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub u64);

/// The request exactly as it will be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub tool: EntryId,
    /// The system that rendered it and reads its answer.
    pub system: SystemId,
    /// The tool's model-facing name.
    pub name: String,
    /// Queue address as in the descriptor: `non-persistent://tg/request/joke`.
    pub to: String,
    /// Queue address that answers come on, beside the transport's own inbox.
    pub reply: Option<String>,
    pub headers: Vec<(String, String)>,
    /// The value of header `id`.
    pub correlation: String,
    /// The arguments that it was made from, as a JSON object; numbers as they were typed.
    pub arguments: Arc<str>,
    pub body: Arc<str>,
    /// It is answered by this within the program, and nothing is sent.
    pub mock: Option<Arc<MockCall>>,
}

impl Request {
    /// The connection that a call of it goes over, for people and the history.
    #[must_use]
    pub fn connection_name<'n>(&self, connection: &'n str) -> &'n str {
        if self.mock.is_some() { MOCK_CONNECTION } else { connection }
    }
}

/// Where a call is in its life.
#[derive(Clone, Debug, PartialEq)]
pub enum CallState {
    /// Asked for; nothing has gone out yet.
    Opening,
    /// Sent; chunks may come.
    Waiting,
    Streaming,
    Ended {
        outcome: Outcome,
        problem: Option<CallError>,
        at_ms: u64,
    },
}

/// One use of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    pub id: CallId,
    pub request: Request,
    pub connection: String,
    pub started: Millis,
    /// When its request was sent, which is after its connection was opened; `None`: it wasn't.
    pub sent_ms: Option<u64>,
    pub state: CallState,
    pub events: EventLog,
    /// The answer so far: chunks joined without a separator.
    pub text: AnswerText,
    pub chunks: u64,
    pub strays: u64,
    pub times: PieceTimes,
    pub empty_chunks: u64,
    /// The name of the case that it was made for, where somebody ran tests.
    pub case: Option<Arc<str>>,
    /// What that case made of the answer, once there is one.
    pub tested: Option<CaseResult>,
}

impl Call {
    #[must_use]
    pub fn new(
        id: CallId,
        request: Request,
        connection: impl Into<String>,
        started: Millis,
    ) -> Self {
        Self {
            id,
            request,
            connection: connection.into(),
            started,
            sent_ms: None,
            state: CallState::Opening,
            events: EventLog::default(),
            text: AnswerText::default(),
            chunks: 0,
            strays: 0,
            times: PieceTimes::default(),
            empty_chunks: 0,
            case: None,
            tested: None,
        }
    }

    /// The body of the last stage of that name that is in memory.
    #[must_use]
    pub fn stage_body(&self, name: &str) -> Option<&Arc<str>> {
        self.events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Stage(stage) if &*stage.name == name => Some(&stage.body),
            _ => None,
        })
    }

    /// Takes an event in. After the end only strays count, and what a broker says of the request.
    pub fn apply_event(&mut self, event: Event) {
        let start = self.text.len();
        let ended = matches!(self.state, CallState::Ended { .. });
        match &event.kind {
            EventKind::Stray { .. } => self.strays += 1,
            EventKind::Stage(stage) => {
                self.tested = CaseResult::from_stage(stage).or_else(|| self.tested.take());
            }
            _ if ended => return,
            EventKind::Sent { .. } => {
                self.sent_ms.get_or_insert(event.at_ms);
                self.state = CallState::Waiting;
            }
            EventKind::Chunk { text, .. } => {
                self.state = CallState::Streaming;
                self.text.push_str(text);
                self.chunks += 1;
                self.empty_chunks += u64::from(text.is_empty());
                self.times.note_piece(text, event.at_ms);
            }
            EventKind::Headers { .. } | EventKind::Notice(_) => {}
            EventKind::End { outcome, problem } => {
                self.state = CallState::Ended {
                    outcome: *outcome,
                    problem: problem.clone(),
                    at_ms: event.at_ms,
                };
                self.text.shrink_to_fit();
            }
        }
        self.events.push(event, start);
    }

    /// An event of this call with the text that it brought.
    #[must_use]
    pub fn event_with_text(&self, event: &LoggedEvent) -> Event<Cow<'_, str>> {
        event.clone().map_text(|text| self.text.slice(text))
    }

    /// The stages on its way that are in memory: name and body.
    #[must_use]
    pub fn stage_bodies(&self) -> Vec<(String, String)> {
        let stage = |event: &LoggedEvent| match &event.kind {
            EventKind::Stage(stage) => Some((stage.name.to_string(), stage.body.to_string())),
            _ => None,
        };
        self.events.iter().filter_map(stage).collect()
    }

    /// Whether it was answered by a mock, so that nothing was sent.
    #[must_use]
    pub fn is_mocked(&self) -> bool {
        self.connection == MOCK_CONNECTION
    }

    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match &self.state {
            CallState::Ended { outcome, .. } => Some(*outcome),
            _ => None,
        }
    }

    /// Why it ended otherwise than it should.
    #[must_use]
    pub fn problem(&self) -> Option<&CallError> {
        match &self.state {
            CallState::Ended { problem, .. } => problem.as_ref(),
            _ => None,
        }
    }

    /// Whether it ended because there was nobody to answer it: a mock would.
    #[must_use]
    pub fn found_nobody(&self) -> bool {
        let Some(problem) = self.problem() else { return false };
        let is_silent = matches!(problem.kind, ErrorKind::NoService | ErrorKind::TimedOutFirst);
        // Whoever got the request and is gone since was there.
        let was_there = problem.kind == ErrorKind::ConnectionLost && self.was_sent();
        self.request.mock.is_none()
            && self.chunks == 0
            && !was_there
            && (is_silent || problem.kind.problem_kind() == ProblemKind::Unreachable)
    }

    /// Whether its request was sent.
    #[must_use]
    pub fn was_sent(&self) -> bool {
        self.sent_ms.is_some()
    }

    /// How long after its request a moment of it was, in milliseconds: how long the connection took
    /// to open, and its server to start, says nothing about a tool.
    #[must_use]
    pub fn since_sent(&self, at_ms: u64) -> u64 {
        at_ms.saturating_sub(self.sent_ms.unwrap_or(0))
    }

    /// From its request to its end; `None`: it has not ended.
    #[must_use]
    pub fn answered_in(&self) -> Option<u64> {
        match &self.state {
            CallState::Ended { at_ms, .. } => Some(self.since_sent(*at_ms)),
            _ => None,
        }
    }

    /// From its request to the first piece.
    #[must_use]
    pub fn first_after(&self) -> Option<u64> {
        self.times.first_ms.map(|ms| self.since_sent(ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{
            entry::{EntryPlace, FileId},
            event_log::EventMark,
        },
        schema::pointer::Pointer,
    };

    #[test]
    fn a_chunks_text_is_kept_once_and_strays_are_found_where_they_are() {
        let mut call = streamed_call();
        for at_ms in 0..10_000 {
            let kind = match at_ms % 7 {
                3 => EventKind::Stray {
                    cause: if at_ms % 2 == 0 { StrayCause::Late } else { StrayCause::ForeignId },
                    id: None,
                    headers: [].into(),
                    body: "{}".into(),
                },
                _ => EventKind::Chunk { text: format!("ä{at_ms} ").into(), bytes: 1 },
            };
            call.apply_event(Event { at_ms, kind });
        }
        for event in call.events.iter() {
            if let EventKind::Chunk { text, .. } = call.event_with_text(event).kind {
                assert_eq!(text, format!("ä{} ", event.at_ms));
            }
        }
        let is_stray =
            |row: &usize| matches!(call.events.get(*row).unwrap().kind, EventKind::Stray { .. });
        let rows: Vec<usize> = (0..call.events.len()).filter(is_stray).collect();
        assert_eq!(call.events.marked_count(EventMark::Stray), rows.len());
        let found: Vec<usize> =
            (0..).map_while(|stray| call.events.marked_row(EventMark::Stray, stray)).collect();
        assert_eq!(found, rows);
        let is_own = |row: &usize| {
            let kind = &call.events.get(*row).unwrap().kind;
            !matches!(kind, EventKind::Stray { cause: StrayCause::ForeignId, .. })
        };
        let own: Vec<usize> = (0..call.events.len()).filter(is_own).collect();
        let found: Vec<usize> =
            (0..).map_while(|number| call.events.marked_row(EventMark::Own, number)).collect();
        assert_eq!(found, own);
        assert!(
            own.len() < call.events.len() && call.events.marked_count(EventMark::Own) == own.len()
        );
    }

    fn streamed_call() -> Call {
        let tool = EntryPlace::plain(FileId::new("tools.yaml"), 0, Pointer::root());
        let request = Request {
            tool: EntryId::new(tool),
            system: "",
            name: "one".into(),
            to: String::new(),
            reply: None,
            headers: Vec::new(),
            correlation: String::new(),
            arguments: "{}".into(),
            body: "{}".into(),
            mock: None,
        };
        Call::new(CallId(1), request, "here", Millis(0))
    }
}
