//! Goes through the history's lines in order and sums each call up; finds text in them, also where
//! it is split over chunks.

use std::{collections::HashMap, sync::Arc};

use super::{
    lines::{self, Record},
    sent::sent_arguments,
    wanted::TraceFilter,
};
use crate::{
    model::{
        call::{Event, EventKind},
        case_result::CaseResult,
        trace::{Head, Listing, Summary, Trace, TraceId},
    },
    schema::ordering::PutInOrder,
};

/// How much of the arguments a list shows.
const SHOWN: usize = 200;

/// What was seen of the calls so far.
#[derive(Debug, Default)]
pub struct Tally {
    wanted: TraceFilter,
    calls: Vec<SeenCall>,
    rows: HashMap<TraceId, usize>,
    unread: usize,
}

#[derive(Debug)]
struct SeenCall {
    summary: Summary,
    /// The words that are looked for and weren't found yet.
    missing: Vec<String>,
    /// The end of the text so far, in small letters, where one of them may have begun.
    tail: String,
}

impl Tally {
    #[must_use]
    pub fn new(wanted: TraceFilter) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// Takes a line in. A chunk is read as a whole only when its text is looked for.
    pub fn add_line(&mut self, line: &str) {
        if self.wanted.texts.is_empty()
            && let Some((id, "chunk", rest)) = lines::peek_line(line)
        {
            let seen = self.rows.get(id).map(|row| &mut self.calls[*row]);
            // Its beginning is no longer kept where it is not known.
            if let (Some(seen), Some((at_ms, bytes))) = (seen, chunk_numbers(rest)) {
                seen.summary.add_chunk(at_ms, bytes);
            }
            return;
        }
        match lines::parse_line(line) {
            Some(Record::Head(head)) => self.begin_call(&head),
            Some(Record::Event(id, event)) => {
                if let Some(row) = self.rows.get(&id) {
                    let seen = &mut self.calls[*row];
                    seen.search_event(&event);
                    seen.summary.apply_event(&event);
                }
            }
            Some(Record::Rest(id, _, text)) => {
                if let Some(row) = self.rows.get(&id) {
                    self.calls[*row].search_text(&text);
                }
            }
            None => self.unread += usize::from(!line.trim().is_empty()),
        }
    }

    fn begin_call(&mut self, head: &Head) {
        let summary = Summary {
            id: head.id.clone(),
            at: head.at,
            tool: head.tool.clone(),
            connection: head.connection.clone(),
            arguments: sent_arguments(head).chars().take(SHOWN).collect::<String>().into(),
            outcome: None,
            error: None,
            sent_ms: None,
            took_ms: 0,
            first_ms: None,
            chunks: 0,
            size: 0,
            strays: 0,
            has_passed: None,
        };
        self.rows.insert(head.id.clone(), self.calls.len());
        let missing = self.wanted.texts.clone();
        let mut seen = SeenCall { summary, missing, tail: String::new() };
        for part in [&head.tool, &head.arguments, &head.body, &head.to, &head.connection] {
            seen.search_part(part);
        }
        self.calls.push(seen);
    }

    /// What fits, newest first, at most so many.
    #[must_use]
    pub fn into_listing(self, most: usize) -> Listing {
        let Self { wanted, calls, unread, .. } = self;
        let fitting = calls
            .into_iter()
            .filter(|seen| seen.missing.is_empty() && wanted.matches(&seen.summary));
        let mut calls: Vec<Summary> = fitting.map(|seen| seen.summary).collect();
        calls.order_by_key(|call| std::cmp::Reverse(call.at));
        let older = calls.len().saturating_sub(most);
        calls.truncate(most);
        Listing { calls, older, unread }
    }
}

impl SeenCall {
    fn search_event(&mut self, event: &Event) {
        if self.missing.is_empty() {
            return;
        }
        match &event.kind {
            EventKind::Chunk { text, .. } => self.search_text(text),
            EventKind::Headers { headers, .. } => self.search_part(&headers_text(headers)),
            EventKind::Stray { body, headers, .. } => {
                self.search_part(body);
                self.search_part(&headers_text(headers));
            }
            EventKind::Notice(words) => self.search_part(words),
            EventKind::Stage(stage) => {
                self.search_part(&stage.words);
                self.search_part(&stage.body);
            }
            EventKind::End { problem: Some(problem), .. } => {
                self.search_part(&format!("{} {}", problem.kind, problem.message));
            }
            _ => {}
        }
    }

    fn search_part(&mut self, part: &str) {
        let part = part.to_lowercase();
        self.missing.retain(|word| !part.contains(word.as_str()));
    }

    /// What comes next of the answer.
    fn search_text(&mut self, text: &str) {
        if self.missing.is_empty() {
            return;
        }
        self.tail.push_str(&text.to_lowercase());
        self.missing.retain(|word| !self.tail.contains(word.as_str()));
        let longest = self.missing.iter().map(String::len).max().unwrap_or_default();
        let from = self.tail.ceil_char_boundary(self.tail.len().saturating_sub(longest));
        self.tail.drain(..from);
    }
}

fn headers_text(headers: &[(String, String)]) -> String {
    headers.iter().map(|(name, value)| format!("{name}: {value}\n").to_lowercase()).collect()
}

impl Summary {
    fn add_chunk(&mut self, at_ms: u64, bytes: u64) {
        if self.outcome.is_none() {
            self.chunks += 1;
            self.size += bytes;
            self.first_ms.get_or_insert(at_ms);
            self.took_ms = at_ms;
        }
    }

    fn apply_event(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Chunk { bytes, .. } => self.add_chunk(event.at_ms, *bytes as u64),
            EventKind::Sent { .. } => _ = self.sent_ms.get_or_insert(event.at_ms),
            EventKind::Stray { .. } => self.strays += 1,
            EventKind::Stage(stage) => {
                let passed = CaseResult::from_stage(stage).map(|result| result.has_passed());
                self.has_passed = passed.or(self.has_passed);
            }
            EventKind::End { outcome, problem } if self.outcome.is_none() => {
                (self.outcome, self.took_ms) = (Some(*outcome), event.at_ms);
                self.error = problem.as_ref().map(|problem| problem.kind.clone());
            }
            _ => {}
        }
    }
}

/// Time and bytes at the start of what follows a chunk's name.
fn chunk_numbers(rest: &str) -> Option<(u64, u64)> {
    let rest = rest.strip_prefix(",\"at_ms\":")?;
    let (at_ms, rest) = rest.split_once(',')?;
    let (bytes, _) = rest.strip_prefix("\"bytes\":")?.split_once(',')?;
    Some((at_ms.parse().ok()?, bytes.parse().ok()?))
}

/// The whole of one call from the history's lines.
#[must_use]
pub(crate) fn of_call<'l>(id: &str, lines: impl Iterator<Item = &'l str>) -> Option<Trace> {
    let mut trace: Option<Trace> = None;
    // Which of the events are chunks.
    let mut chunks: Vec<usize> = Vec::new();
    for line in lines.filter(|line| lines::peek_line(line).is_some_and(|(of, ..)| of == id)) {
        match (lines::parse_line(line), &mut trace) {
            (Some(Record::Head(head)), None) => {
                trace = Some(Trace { head: *head, events: Vec::new() });
            }
            (Some(Record::Event(_, event)), Some(trace)) => {
                if matches!(event.kind, EventKind::Chunk { .. }) {
                    chunks.push(trace.events.len());
                }
                trace.events.push(event);
            }
            (Some(Record::Rest(_, chunk, rest)), Some(trace)) => {
                let event = chunks.get(chunk).and_then(|row| trace.events.get_mut(*row));
                if let Some(Event { kind: EventKind::Chunk { text, .. }, .. }) = event {
                    *text = [&**text, &rest].concat().into();
                }
            }
            _ => {}
        }
    }
    trace
}

/// The ids among these that begin with what was given of one.
#[must_use]
pub(crate) fn beginning_with<'c>(given: &str, calls: &'c [Summary]) -> Vec<&'c Arc<str>> {
    calls.iter().map(|call| &call.id).filter(|id| id.starts_with(given)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        call::{CallError, Outcome},
        clock::Millis,
        error_kind::ErrorKind,
    };

    fn head(id: &str, at: u64) -> String {
        lines::of_head(&Head {
            id: id.into(),
            at: Millis(at),
            tool: "ask".into(),
            arguments: "{\"q\":\"Why?\"}".into(),
            ..Head::default()
        })
    }

    fn chunk(id: &str, at_ms: u64, text: &str) -> String {
        lines::of_event(
            id,
            &Event { at_ms, kind: EventKind::Chunk { text: text.into(), bytes: text.len() + 60 } },
        )
    }

    fn end(id: &str, at_ms: u64, outcome: Outcome) -> String {
        let problem = CallError {
            kind: ErrorKind::parse("burnt"),
            message: "The oven".into(),
            remedy: String::new(),
        };
        let problem = (outcome != Outcome::Succeeded).then_some(problem);
        lines::of_event(id, &Event { at_ms, kind: EventKind::End { outcome, problem } })
    }

    fn history() -> Vec<String> {
        vec![
            head("a", 1_000),
            chunk("a", 5, "late del"),
            head("b", 2_000),
            chunk("a", 9, "iveries Ähm"),
            end("b", 3, Outcome::Failed),
            chunk("gone", 1, "x"),
            "{\"call\":\"a\",\"event\":\"chu".into(),
            end("a", 12, Outcome::Succeeded),
            head("c", 3_000),
            chunk("c", 7, "une"),
            "{\"call\":\"c\",\"event\":\"rest\",\"chunk\":0,\"text\":\"nded\"}".into(),
            "{\"call\":\"c\",\"event\":\"rest\",\"chunk\":7,\"text\":\"of nothing\"}".into(),
        ]
    }

    fn listed(query: &str) -> Listing {
        let mut tally = Tally::new(TraceFilter::parse(query, Millis(3_000)));
        history().iter().for_each(|line| tally.add_line(line));
        tally.into_listing(10)
    }

    #[test]
    fn calls_are_summed_up_newest_first() {
        for query in ["", "outcome:"] {
            let listing = listed(query);
            let ids: Vec<&str> = listing.calls.iter().map(|call| &*call.id).collect();
            assert_eq!((ids, listing.unread), (vec!["c", "b", "a"], 1));
            let (a, c) = (&listing.calls[2], &listing.calls[0]);
            assert_eq!(
                (a.outcome, a.took_ms, a.first_ms, a.chunks, a.size),
                (Some(Outcome::Succeeded), 12, Some(5), 2, 140)
            );
            assert_eq!((c.outcome, c.took_ms, c.chunks), (None, 7, 1));
        }
    }

    #[test]
    fn times_count_from_sending_on() {
        let mut tally = Tally::new(TraceFilter::parse("<10ms", Millis(3_000)));
        let sent = Event { at_ms: 400, kind: EventKind::Sent { bytes: 1 } };
        let lines = [
            head("a", 1_000),
            lines::of_event("a", &sent),
            chunk("a", 405, "late"),
            end("a", 407, Outcome::Succeeded),
        ];
        lines.iter().for_each(|line| tally.add_line(line));
        let call = &tally.into_listing(1).calls[0];
        assert_eq!((call.answered_in(), call.took_ms, call.sent_ms), (7, 407, Some(400)));
    }

    #[test]
    fn text_is_found_in_all_of_a_call_and_over_its_chunks() {
        let found =
            |query| listed(query).calls.iter().map(|call| call.id.to_string()).collect::<String>();
        assert_eq!(found("late deliveries"), "a");
        assert_eq!(found("ähm why? late ask"), "a");
        assert_eq!(found("\"late deliveries\""), "a");
        assert_eq!(found("\"deliveries late\""), "");
        assert_eq!(found("late oven"), "");
        assert_eq!(found("ähm"), "a");
        assert_eq!(found("why?"), "cba");
        assert_eq!(found("oven"), "b");
        assert_eq!(found("unended outcome:unf"), "c");
        assert_eq!(found("nowhere"), "");
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let mut tally = Tally::default();
        history().iter().for_each(|line| tally.add_line(line));
        let listing = tally.into_listing(1);
        assert_eq!((listing.calls.len(), listing.older), (1, 2));
    }

    #[test]
    fn one_call_is_taken_out_whole() {
        let history = history();
        let trace = of_call("a", history.iter().map(String::as_str)).unwrap();
        assert_eq!((trace.head.at, trace.events.len()), (Millis(1_000), 3));
        assert_eq!(of_call("gone", history.iter().map(String::as_str)), None);
        let trace = of_call("c", history.iter().map(String::as_str)).unwrap();
        assert_eq!(
            trace.events,
            [Event { at_ms: 7, kind: EventKind::Chunk { text: "unended".into(), bytes: 63 } }]
        );
    }
}
