//! A call's events as rows: time, what it was, what it held.

use serde_json::json;

use crate::{
    engine,
    model::{
        call::{Call, CallError, Event, EventKind, LoggedEvent, Outcome},
        case_result::CaseResult,
        event_log::{EventLog, EventMark},
        shown::shorten,
        size,
        stage::FrameWay,
    },
    schema::count::count_text,
    ui::styles::Role,
};

/// How many letters of a chunk are looked at for its row.
const LONGEST: usize = 4_000;

/// One line of the log.
pub(crate) struct LogRow {
    pub time: String,
    pub what: String,
    pub role: Role,
    pub text: String,
}

/// Which events a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventFilter {
    /// All but answers to other calls, of which any number may come, and the lines that crossed the
    /// wire.
    Own,
    Strays,
    /// What crossed the wire, to the byte.
    Frames,
}

impl EventFilter {
    fn mark(self) -> EventMark {
        match self {
            Self::Own => EventMark::Own,
            Self::Strays => EventMark::Stray,
            Self::Frames => EventMark::Frame,
        }
    }

    /// Where among its rows events are missing, and how many.
    fn gap(self, events: &EventLog) -> Option<(usize, u64)> {
        let (_, count) = events.gap()?;
        (self != Self::Strays).then(|| (events.marked_before_gap(self.mark()), count))
    }
}

/// A row of a list of events: one in memory, or the gap where some were dropped.
#[derive(Clone, Copy)]
pub(crate) enum EventRow<'c> {
    /// With the call that holds its text, and its place among the chunks, where it is one.
    Event(&'c LoggedEvent, &'c Call, ChunkPlace),
    Gap(u64),
}

/// Which of the chunks it is.
#[derive(Clone, Copy)]
pub(crate) struct ChunkPlace {
    pub number: u64,
    /// How many milliseconds it came after the one before; the first after the request.
    pub wait: Option<u64>,
}

/// The rows of a call, in order. They are not gathered: each is found when it is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Listing<'c> {
    call: &'c Call,
    which: EventFilter,
}

impl<'c> Listing<'c> {
    pub fn from_call(call: &'c Call, which: EventFilter) -> Self {
        Self { call, which }
    }

    pub fn len(&self) -> usize {
        let events = &self.call.events;
        events.marked_count(self.which.mark()) + usize::from(self.which.gap(events).is_some())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, row: usize) -> Option<EventRow<'c>> {
        let events = &self.call.events;
        let row = match self.which.gap(events) {
            Some((at, count)) if row == at => return Some(EventRow::Gap(count)),
            Some((at, _)) if row > at => row - 1,
            _ => row,
        };
        let event = events.marked_row(self.which.mark(), row)?;
        let place = ChunkPlace { number: events.chunks_to(event), wait: events.wait_before(event) };
        Some(EventRow::Event(events.get(event)?, self.call, place))
    }
}

impl<'c> EventRow<'c> {
    /// The frame that it holds, and the way that this went.
    pub fn frame(&self) -> Option<(FrameWay, &'c str)> {
        match self {
            Self::Event(event, ..) => match &event.kind {
                EventKind::Stage(stage) => Some((stage.frame?, &*stage.body)),
                _ => None,
            },
            Self::Gap(_) => None,
        }
    }

    /// How large the frame was, of which what crossed the wire may be only a part.
    pub fn frame_size(&self) -> String {
        if let Self::Event(event, ..) = self
            && let EventKind::Stage(stage) = &event.kind
            && stage.is_wire()
        {
            return stage.words.split_once(' ').map_or("", |(_, size)| size).to_owned();
        }
        size::format_size(self.frame().map_or(0, |(_, text)| text.len()) as u64)
    }

    /// Whether it is what crossed the wire, and no frame that can be sent.
    pub fn is_wire(&self) -> bool {
        let Self::Event(event, ..) = self else { return false };
        matches!(&event.kind, EventKind::Stage(stage) if stage.is_wire())
    }

    pub fn log_row(&self) -> LogRow {
        let (event, call, number) = match self {
            Self::Event(event, call, place) => (event, call, place.number),
            Self::Gap(count) => {
                let text = gap_words(*count);
                return LogRow { time: String::new(), what: "…".into(), role: Role::Dim, text };
            }
        };
        let quoted = |text: &str| {
            serde_json::Value::from(text.chars().take(400).collect::<String>()).to_string()
        };
        let (what, role, text) = match &event.kind {
            EventKind::Sent { bytes } => {
                ("request".to_owned(), Role::Info, size::format_size(*bytes as u64))
            }
            EventKind::Chunk { text, .. } => {
                (format!("chunk {number}"), Role::Dim, quoted(&call.text.slice(text.clone())))
            }
            EventKind::Headers { way, headers } => {
                let words = engine::events::format_headers(headers);
                ("headers".to_owned(), Role::Info, format!("{} {words}", way.sign()))
            }
            EventKind::Stray { cause, body, .. } => (
                "stray".to_owned(),
                Role::Warning,
                format!("{}: {}", cause.message(), quoted(body)),
            ),
            EventKind::Notice(words) => ("notice".to_owned(), Role::Warning, words.clone()),
            EventKind::Stage(stage) => (stage.name.to_string(), Role::Info, stage.words.clone()),
            EventKind::End { outcome, problem } => {
                let role = outcome_role(*outcome);
                let why = problem.as_ref().map_or_else(String::new, CallError::words);
                (call_sign(call).1.to_owned(), role, why)
            }
        };
        LogRow { time: format!("+{}", event.at_ms), what, role, text }
    }

    /// How long the chunk was waited for, and whether it is the first that was waited for longest.
    pub fn wait(&self) -> Option<(u64, bool)> {
        match self {
            Self::Event(_, call, ChunkPlace { number, wait }) => {
                let wait = (*wait)?;
                let is_longest =
                    call.chunks > 2 && call.times.longest_wait == Some((wait, *number));
                Some((wait, is_longest))
            }
            Self::Gap(_) => None,
        }
    }

    /// The event as `call --json` prints it, but that the text of a chunk comes first; of a long text only the start: a piece may be
    /// megabytes long, and a row is one line.
    pub fn raw_json(&self) -> String {
        match self {
            Self::Event(event, call, _) => {
                let event: Event = call
                    .event_with_text(event)
                    .map_text(|text| shorten(&text, LONGEST).into_owned().into());
                if let EventKind::Chunk { text, bytes } = &event.kind {
                    let (at_ms, text) = (event.at_ms, &**text);
                    return json!({"at_ms": at_ms, "text": text, "bytes": bytes}).to_string();
                }
                engine::events::event_json(&event).to_string()
            }
            Self::Gap(count) => gap_words(*count),
        }
    }
}

/// What is said in the place of events that memory doesn't hold.
pub(super) fn gap_words(count: u64) -> String {
    let events =
        count_text(usize::try_from(count).unwrap_or(usize::MAX), "event was", "events were");
    format!("{events} dropped from memory; `toolcrib history show` reads the kept call")
}

/// How an outcome is coloured, on every screen: what the user cancelled hasn't failed.
pub(crate) fn outcome_role(outcome: Outcome) -> Role {
    match outcome {
        Outcome::Succeeded => Role::Success,
        Outcome::Cancelled => Role::Warning,
        Outcome::Failed | Outcome::TimedOut | Outcome::Lost => Role::Error,
    }
}

/// The sign of an outcome.
pub(crate) fn outcome_sign(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "✓",
        Outcome::Cancelled => "■",
        Outcome::Failed | Outcome::TimedOut | Outcome::Lost => "✗",
    }
}

/// The state of a call as a sign, words and a role.
pub(crate) fn call_sign(call: &Call) -> (&'static str, &'static str, Role) {
    use crate::model::call::CallState;
    match &call.state {
        CallState::Opening => ("◌", "connecting", Role::Info),
        CallState::Waiting => ("◌", "waiting", Role::Info),
        CallState::Streaming => ("●", "streaming", Role::Accent),
        CallState::Ended { outcome, problem, .. } => {
            let kind = problem.as_ref().map(|problem| &problem.kind);
            let words = outcome.ending_words(kind, call.chunks);
            (outcome_sign(*outcome), words, outcome_role(*outcome))
        }
    }
}

/// The same, of a test what its case made of the answer.
pub(crate) fn result_sign(call: &Call) -> (&'static str, &'static str, Role) {
    match call.tested.as_ref().map(CaseResult::has_passed) {
        Some(passed) => test_sign(passed),
        None => call_sign(call),
    }
}

/// Whether a case passed as a sign, words and a role.
pub(crate) fn test_sign(passed: bool) -> (&'static str, &'static str, Role) {
    match passed {
        true => ("✓", "passed", Role::Success),
        false => ("✗", "failed", Role::Error),
    }
}

/// A span of time as people read it.
pub(crate) fn format_duration(ms: u64) -> String {
    let tenths = ms.saturating_add(50) / 100;
    match ms {
        0..1_000 => format!("{ms} ms"),
        _ if tenths < 600 => format!("{}.{} s", tenths / 10, tenths % 10),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}
