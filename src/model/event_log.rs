//! The events of a call that stay in memory.

use std::collections::VecDeque;

use super::{
    event::{Event, EventKind, LoggedEvent, StrayCause},
    stage::Stage,
};

/// How many of a call's first events stay in memory, and how many bytes of what they carry.
const FIRST_EVENTS: usize = 200;
const FIRST_BYTES: usize = 1024 * 1024;
/// The same of its last events. The last one always stays, however large.
const LAST_EVENTS: usize = 5_000;
const LAST_BYTES: usize = 4 * 1024 * 1024;
/// One result up to this size stays beside those bytes: its images are shown and saved.
const RESULT_BYTES: usize = 16 * 1024 * 1024;

/// A call's events: the first and the last, and a count of those dropped between.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    first: Vec<Logged>,
    first_bytes: usize,
    last: VecDeque<Logged>,
    last_bytes: usize,
    let_go: u64,
    chunks: u64,
    has_result: bool,
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
    pub(super) fn push(&mut self, event: Event, start: usize) {
        let weight = self.weigh(&event);
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

    /// What an event counts for, in bytes.
    fn weigh(&mut self, event: &Event) -> usize {
        let weight = event.payload_len();
        let is_result =
            matches!(&event.kind, EventKind::Stage(stage) if &*stage.name == Stage::RESULT);
        if is_result && weight <= RESULT_BYTES && !std::mem::replace(&mut self.has_result, true) {
            return 0;
        }
        weight
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

    /// How many events of a mark are no longer in memory.
    #[must_use]
    pub fn marked_gone(&self, mark: EventMark) -> usize {
        usize::try_from(self.gone.count(mark)).unwrap_or(usize::MAX)
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

        // A picture comes in its frame and in the result, and then the call ends.
        let stage = |name: &str, bytes: usize| {
            EventKind::Stage(Stage {
                name: name.into(),
                words: String::new(),
                body: "a".repeat(bytes).into(),
                frame: None,
            })
        };
        let mut log = EventLog::default();
        for kind in [stage("frame", LAST_BYTES + 1), stage(Stage::RESULT, LAST_BYTES + 1)] {
            log.push(Event { at_ms: 1, kind }, 0);
        }
        log.push(Event { at_ms: 2, kind: EventKind::Notice("ended".into()) }, 0);
        let has_result = |log: &EventLog| {
            log.iter().any(|event| matches!(&event.kind, EventKind::Stage(stage) if &*stage.name == Stage::RESULT))
        };
        assert!(has_result(&log) && log.let_go() == 1, "{}", log.let_go());
        // A second one is an event like the others.
        log.push(Event { at_ms: 3, kind: stage(Stage::RESULT, LAST_BYTES + 1) }, 0);
        log.push(Event { at_ms: 4, kind: EventKind::Notice("ended".into()) }, 0);
        assert!(!has_result(&log) && log.let_go() == 4, "{}", log.let_go());

        let huge = logged(3, LAST_BYTES + 1);
        assert_eq!((huge.len(), huge.gap()), (1, Some((0, 2))), "the last one stays");
        assert!(!huge.is_empty());
    }
}
