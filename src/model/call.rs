//! A call: one use of a tool; its request, its events with their times, its outcome.

use std::{borrow::Cow, collections::VecDeque, ops::Range, sync::Arc};

pub use super::limits::Limits;
use super::{
    answer_text::AnswerText,
    case_result::CaseResult,
    clock::Millis,
    entry::{EntryId, SystemId},
    error_kind::ErrorKind,
    piece_times::PieceTimes,
    problem::{Problem, ProblemKind, without_os_number},
    shared_text::SharedText,
    stage::{FrameWay, Stage},
    stub::{MOCK_CONNECTION, MockCall},
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

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Succeeded,
    /// The service answered with an error.
    Failed,
    Cancelled,
    TimedOut,
    /// Nothing could answer: no server, no responders, refused, the connection ended, the reply
    /// made no sense.
    Lost,
}

impl Outcome {
    pub const ALL: [Self; 5] =
        [Self::Succeeded, Self::Failed, Self::Cancelled, Self::TimedOut, Self::Lost];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed-out",
            Self::Lost => "lost",
        }
    }

    /// The outcome of that word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// How a call ended in the words of lists and filters, which part what is [`Self::Lost`]: with
    /// what kind of error, and after how many chunks.
    #[must_use]
    pub fn ending_words(self, kind: Option<&ErrorKind>, chunks: u64) -> &'static str {
        match self {
            Self::Lost if kind.is_some_and(ErrorKind::is_unreadable) => Self::LOST[0],
            Self::Lost if chunks > 0 => Self::LOST[1],
            Self::Lost => Self::LOST[2],
            Self::TimedOut => "timed out",
            other => other.as_str(),
        }
    }

    /// The words of [`Self::ending_words`] for what is [`Self::Lost`].
    pub const LOST: [&'static str; 3] = ["unreadable", "cut off", "no answer"];
}

/// Why a message is not part of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StrayCause {
    /// The id of another call.
    ForeignId,
    /// The id `unknown`: the service could not read the request's id.
    UnknownId,
    /// No id at all.
    NoId,
    /// It came after the end.
    Late,
    /// The same message once more.
    Duplicate,
    /// It is for this call, but it cannot be understood.
    Unreadable,
    /// It is for this call, but has none of the fields that an answer has.
    NoFields,
}

impl StrayCause {
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::ForeignId => "id of a different call",
            Self::UnknownId => "id \"unknown\": the service could not read the request",
            Self::NoId => "no id",
            Self::Late => "came after the end",
            Self::Duplicate => "came twice",
            Self::Unreadable => "can't be read",
            Self::NoFields => "no response, error or end_of_stream in it",
        }
    }

    /// The cause of those words.
    #[must_use]
    pub fn of_words(words: &str) -> Option<Self> {
        let known = [
            Self::ForeignId,
            Self::UnknownId,
            Self::NoId,
            Self::Late,
            Self::Duplicate,
            Self::Unreadable,
            Self::NoFields,
        ];
        known.into_iter().find(|cause| cause.message() == words)
    }
}

/// Names and values that come beside a message's body, in their order; a name may stand there more
/// than once.
pub type Headers = Arc<[(String, String)]>;

/// `T` is the text of a chunk: itself, or where in the answer it is.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind<T = SharedText> {
    /// The connection was there and the request went out.
    Sent {
        bytes: usize,
    },
    /// What the messages of that way carry beside their body, from here on: the answer's, and the
    /// request's where its transport adds some. Said when it comes and when it changes, without
    /// secrets.
    Headers {
        way: FrameWay,
        headers: Headers,
    },
    /// A piece of the answer; empty pieces are kept.
    Chunk {
        text: T,
        bytes: usize,
    },
    Stray {
        cause: StrayCause,
        id: Option<String>,
        headers: Headers,
        body: Arc<str>,
    },
    /// Something about the connection, in words: "reconnecting to …".
    Notice(String),
    /// How far the call has come, where its way has several stages.
    Stage(Stage),
    End {
        outcome: Outcome,
        problem: Option<CallError>,
    },
}

/// Why a call did not succeed: the wire's `{type, message}`, or ours, with what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    pub kind: ErrorKind,
    pub message: String,
    pub remedy: String,
}

impl CallError {
    pub fn new(kind: ErrorKind, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        let message = without_os_number(message.into());
        Self { kind, message, remedy: remedy.into() }
    }

    /// What went wrong, for people: with the kind where that is the other side's own word.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.kind {
            ErrorKind::Told(kind) => format!("{kind}: {}", self.message),
            _ => self.message.clone(),
        }
    }

    /// The same for whoever was only about to reach the other side; `doing` says what was under
    /// way.
    pub fn while_doing(self, doing: impl Into<String>) -> Problem {
        Problem::new(self.kind.problem_kind(), doing, self.message).with_remedy(self.remedy)
    }
}

impl From<Problem> for CallError {
    fn from(problem: Problem) -> Self {
        Self::new(problem.kind.into(), problem.cause, problem.remedy)
    }
}

/// What happened in a call, `at_ms` milliseconds after it began.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<T = SharedText> {
    pub at_ms: u64,
    pub kind: EventKind<T>,
}

/// An event as a call keeps it: of a chunk's text only the place in [`Call::text`], which holds it.
pub type LoggedEvent = Event<Range<usize>>;

impl<T> Event<T> {
    /// The same with another text, where it is a chunk.
    pub fn map_text<U>(self, map: impl FnOnce(T) -> U) -> Event<U> {
        let kind = match self.kind {
            EventKind::Chunk { text, bytes } => EventKind::Chunk { text: map(text), bytes },
            EventKind::Sent { bytes } => EventKind::Sent { bytes },
            EventKind::Headers { way, headers } => EventKind::Headers { way, headers },
            EventKind::Stray { cause, id, headers, body } => {
                EventKind::Stray { cause, id, headers, body }
            }
            EventKind::Notice(words) => EventKind::Notice(words),
            EventKind::Stage(stage) => EventKind::Stage(stage),
            EventKind::End { outcome, problem } => EventKind::End { outcome, problem },
        };
        Event { at_ms: self.at_ms, kind }
    }
}

/// How many of a call's first events stay in memory, and how many bytes of what they carry.
pub(crate) const FIRST_EVENTS: usize = 200;
pub(crate) const FIRST_BYTES: usize = 1024 * 1024;
/// The same of its last events. The last one always stays, however large.
pub(crate) const LAST_EVENTS: usize = 5_000;
pub(crate) const LAST_BYTES: usize = 4 * 1024 * 1024;

impl Event {
    /// Bytes of what it carries.
    #[must_use]
    pub fn payload_len(&self) -> usize {
        match &self.kind {
            EventKind::Chunk { text, .. } => text.len(),
            EventKind::Stray { body, .. } => body.len(),
            EventKind::Stage(stage) => stage.body.len(),
            EventKind::Sent { .. }
            | EventKind::Headers { .. }
            | EventKind::Notice(_)
            | EventKind::End { .. } => 0,
        }
    }
}

/// A call's events: the first and the last, and a count of those dropped between.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    first: Vec<Logged>,
    first_bytes: usize,
    last: VecDeque<Logged>,
    last_bytes: usize,
    let_go: u64,
    chunks: u64,
    marked: Marked,
    /// How many of them were dropped.
    gone: Marked,
    /// When the request was sent, or the last chunk came.
    waits_since: Option<u64>,
}

/// Events that are looked at without the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventMark {
    Stray,
    /// Any event but an answer to another call, of which there are any number where others call,
    /// too, and but the lines that crossed the wire.
    Own,
    /// It holds a frame as it crossed the wire.
    Frame,
}

/// How many events there are of each mark.
#[derive(Clone, Copy, Debug, Default)]
struct Marked {
    strays: u64,
    own: u64,
    frames: u64,
}

impl Marked {
    fn add<T>(&mut self, kind: &EventKind<T>) {
        self.strays += u64::from(matches!(kind, EventKind::Stray { .. }));
        let is_foreign = matches!(kind, EventKind::Stray { cause: StrayCause::ForeignId, .. });
        let is_wire = matches!(kind, EventKind::Stage(stage) if stage.is_wire());
        self.own += u64::from(!is_foreign && !is_wire);
        let is_frame = matches!(kind, EventKind::Stage(stage) if stage.frame.is_some());
        self.frames += u64::from(is_frame);
    }

    fn count(&self, mark: EventMark) -> u64 {
        match mark {
            EventMark::Stray => self.strays,
            EventMark::Own => self.own,
            EventMark::Frame => self.frames,
        }
    }
}

/// An event with its weight, and the number of the chunks and of the marked events up to it, those
/// that were dropped among them.
#[derive(Clone, Debug)]
struct Logged {
    event: LoggedEvent,
    weight: usize,
    chunks: u64,
    marked: Marked,
    /// How long a chunk came after the one before, and the first after the request.
    wait: Option<u64>,
}

impl EventLog {
    /// Takes an event in; the text of a chunk is in the answer from the byte `start` on.
    fn push(&mut self, event: Event, start: usize) {
        let weight = event.payload_len();
        self.chunks += u64::from(matches!(event.kind, EventKind::Chunk { .. }));
        self.marked.add(&event.kind);
        let is_chunk = matches!(event.kind, EventKind::Chunk { .. });
        let wait = self.waits_since.filter(|_| is_chunk).map(|at| event.at_ms.saturating_sub(at));
        if is_chunk || matches!(event.kind, EventKind::Sent { .. }) {
            self.waits_since = Some(event.at_ms);
        }
        let event = event.map_text(|text| start..start + text.len());
        let logged = Logged { event, weight, chunks: self.chunks, marked: self.marked, wait };
        let is_early = self.last.is_empty() && self.let_go == 0;
        if is_early && self.first.len() < FIRST_EVENTS && self.first_bytes + weight <= FIRST_BYTES {
            self.first_bytes += weight;
            self.first.push(logged);
            return;
        }
        self.last_bytes += weight;
        self.last.push_back(logged);
        while self.last.len() > LAST_EVENTS || (self.last_bytes > LAST_BYTES && self.last.len() > 1)
        {
            let Some(gone) = self.last.pop_front() else { break };
            self.last_bytes -= gone.weight;
            self.let_go += 1;
            self.gone.add(&gone.event.kind);
        }
    }

    /// Events in memory, in order, with [`EventLog::gap`] between the first and the last.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &LoggedEvent> + Clone {
        self.first.iter().chain(&self.last).map(|logged| {
            #[cfg(test)]
            work::count_event();
            &logged.event
        })
    }

    #[must_use]
    pub fn get(&self, row: usize) -> Option<&LoggedEvent> {
        self.logged_at(row).map(|logged| &logged.event)
    }

    /// How many chunks there were up to an event in memory, itself and those that were dropped
    /// among them.
    #[must_use]
    pub fn chunks_to(&self, row: usize) -> u64 {
        self.logged_at(row).map_or(self.chunks, |logged| logged.chunks)
    }

    /// How long the chunk in that row came after the one before, and the first after the request.
    pub fn wait_before(&self, row: usize) -> Option<u64> {
        self.logged_at(row)?.wait
    }

    fn logged_at(&self, row: usize) -> Option<&Logged> {
        #[cfg(test)]
        work::count_event();
        self.first.get(row).or_else(|| self.last.get(row.checked_sub(self.first.len())?))
    }

    /// How many events of a mark are in memory.
    #[must_use]
    pub fn marked_count(&self, mark: EventMark) -> usize {
        let count = self.marked.count(mark) - self.gone.count(mark);
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// How many of them stand before [`EventLog::gap`].
    #[must_use]
    pub fn marked_before_gap(&self, mark: EventMark) -> usize {
        let count = self.first.last().map_or(0, |logged| logged.marked.count(mark));
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// The row of one of those in memory, which count from 0. It is found by the numbers beside the
    /// events, without going through them.
    #[must_use]
    pub fn marked_row(&self, mark: EventMark, number: usize) -> Option<usize> {
        if number >= self.marked_count(mark) {
            return None;
        }
        let number = number as u64;
        let is_before = |count: u64| {
            move |logged: &Logged| {
                #[cfg(test)]
                work::count_event();
                logged.marked.count(mark) <= count
            }
        };
        let row = self.first.partition_point(is_before(number));
        if row < self.first.len() {
            return Some(row);
        }
        Some(row + self.last.partition_point(is_before(number + self.gone.count(mark))))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len() + self.last.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty() && self.last.is_empty()
    }

    /// How many events between the first and the last are no longer in memory.
    #[must_use]
    pub fn let_go(&self) -> u64 {
        self.let_go
    }

    /// Before which of the rows in memory events are missing, and how many; `None` when all are
    /// there.
    #[must_use]
    pub fn gap(&self) -> Option<(usize, u64)> {
        (self.let_go > 0).then_some((self.first.len(), self.let_go))
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
            EventKind::Sent { .. } => self.state = CallState::Waiting,
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
        self.events.iter().any(|event| matches!(event.kind, EventKind::Sent { .. }))
    }
}

/// How many events of logs were looked at; a measure of work that tests hold.
#[cfg(test)]
pub(crate) mod work {
    use std::cell::Cell;

    thread_local! {
        static LOOKED_AT: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn count_event() {
        LOOKED_AT.set(LOOKED_AT.get() + 1);
    }

    /// So many on this thread so far.
    pub(crate) fn events_looked_at() -> u64 {
        LOOKED_AT.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::entry::{EntryForm, EntryPlace, FileId},
        schema::pointer::Pointer,
    };

    fn logged(count: usize, bytes: usize) -> EventLog {
        let mut log = EventLog::default();
        for at_ms in 0..count as u64 {
            let kind = EventKind::Chunk { text: "a".repeat(bytes).into(), bytes };
            log.push(Event { at_ms, kind }, 0);
        }
        log
    }

    #[test]
    fn what_stays_in_memory_is_bounded_in_number_and_in_bytes() {
        let many = logged(10_000, 1);
        assert_eq!(
            (many.len(), many.gap()),
            (FIRST_EVENTS + LAST_EVENTS, Some((FIRST_EVENTS, 4_800)))
        );
        assert_eq!(many.get(FIRST_EVENTS).map(|event| event.at_ms), Some(5_000));

        let each = LAST_BYTES / 8;
        let large = logged(100, each);
        assert_eq!((large.len(), large.gap()), (2 + 8, Some((2, 90))));
        let held: usize = large.first.iter().chain(&large.last).map(|logged| logged.weight).sum();
        assert!(held <= FIRST_BYTES + LAST_BYTES, "{held}");
        let times: Vec<u64> = large.iter().map(|event| event.at_ms).collect();
        assert_eq!(times, [0, 1, 92, 93, 94, 95, 96, 97, 98, 99]);

        let huge = logged(3, LAST_BYTES + 1);
        assert_eq!((huge.len(), huge.gap()), (1, Some((0, 2))), "the last one stays");
        assert!(!huge.is_empty());
    }

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
        let tool = EntryPlace {
            file: FileId::new("tools.yaml"),
            document: 0,
            at: Pointer::root(),
            form: EntryForm::Plain,
        };
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
