//! A call's events as `toolcrib call` prints them: its answer, what is said on the way, its end.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{
    ending::{CommandResult, Ending, StopReason, end_event, of_call},
    out::{CommandOutput, print_problem},
    saving::SavedAnswer,
    strays::Strays,
};
use crate::{
    engine::events,
    model::{
        call::{CallError, Event, EventKind, Outcome},
        size,
        stage::Stage,
    },
    schema::count::count_text,
    store::history::Recorder,
};

/// A piece of the answer as a line of JSON, which borrows its text.
#[derive(Serialize)]
struct Chunk<'t> {
    event: &'static str,
    at_ms: u64,
    text: &'t str,
}

/// Reports a call's events to whoever reads the output.
pub(super) struct EventPrinter<'t> {
    pub out: &'t mut CommandOutput,
    pub json: bool,
    pub key: &'t str,
    pub request: Value,
    /// Where the call is kept in the history.
    pub recorder: Option<Recorder>,
    /// The last text did not end its line.
    pub open_line: bool,
    pub strays: Strays,
    pub chunks: u64,
    pub bytes: u64,
    pub first: Option<u64>,
    /// The answer, where it is to be saved.
    pub answer: Option<SavedAnswer>,
    /// Structured content that the text doesn't repeat, which follows the text.
    pub structured: Option<Arc<str>>,
}

impl EventPrinter<'_> {
    /// Puts events into the history, until that fails.
    pub fn record_events(&mut self, events: &[Event]) {
        if let Some(Err(problem)) =
            self.recorder.as_mut().map(|recorder| recorder.record_events(events))
        {
            self.recorder = None;
            self.out.warn(format_args!(
                "couldn't save the rest of this call in the history: \
                    {problem}"
            ));
        }
    }

    /// Puts into the history that the call ends now, before its answer did; when that was.
    pub fn record_cancelled(&mut self, began: Instant) -> u64 {
        let at_ms = elapsed_ms(began);
        let kind = EventKind::End { outcome: Outcome::Cancelled, problem: None };
        self.record_events(&[Event { at_ms, kind }]);
        at_ms
    }

    /// Says words on a line of their own.
    fn print_status_line(&mut self, words: String) -> std::io::Result<()> {
        if self.open_line && self.out.end_line_for_status()? {
            self.open_line = false;
        }
        // What came before is before them.
        self.out.flush()?;
        self.out.print_status(words);
        Ok(())
    }

    /// Reports an event; answers with the ending when it is the end. What is written is seen at
    /// once when nothing follows at once.
    pub fn print_event(
        &mut self,
        event: Event,
        is_last_for_now: bool,
    ) -> Result<Option<Ending>, StopReason> {
        let at_ms = event.at_ms;
        match event.kind {
            EventKind::Sent { .. } => {
                self.request["at_ms"] = at_ms.into();
                if self.json {
                    self.out.json_line(&self.request)?;
                }
            }
            EventKind::Chunk { text, bytes } => {
                self.chunks += 1;
                self.bytes += bytes as u64;
                self.first.get_or_insert(at_ms);
                self.structured.take_if(|structured| wraps_text(structured, &text));
                match self.json {
                    true => self.out.json_line(&Chunk { event: "chunk", at_ms, text: &text })?,
                    false => self.out.print_raw(&text)?,
                }
                self.open_line =
                    if text.is_empty() { self.open_line } else { !text.ends_with('\n') };
                if is_last_for_now {
                    self.out.flush()?;
                }
            }
            EventKind::Headers { way, headers } if !self.json => {
                let words = events::format_headers(&headers);
                self.out.print_detail(format_args!("{} headers: {words}", way.sign()));
            }
            headers @ EventKind::Headers { .. } => {
                self.out.json_line(&events::event_json(&Event { at_ms, kind: headers }))?;
            }
            EventKind::Stray { cause, id, body, .. } if !self.json => {
                match self.strays.describe(cause, id.as_deref(), &body) {
                    (words, true) => self.print_status_line(words)?,
                    (words, false) => self.out.print_detail(words),
                }
            }
            stray @ EventKind::Stray { .. } => {
                self.out.json_line(&events::event_json(&Event { at_ms, kind: stray }))?;
            }
            EventKind::Notice(words) => self.print_status_line(words)?,
            EventKind::Stage(stage) if self.json => {
                let mut line = String::with_capacity(stage.body.len() + stage.words.len() + 128);
                line.push('{');
                events::write_stage(&mut line, at_ms, (&stage).into());
                line.push_str("}\n");
                self.out.print_json_text(&line)?;
                if is_last_for_now {
                    self.out.flush()?;
                }
            }
            // What it holds is reported besides.
            EventKind::Stage(stage) if stage.is_frame_alone() => {
                self.out.print_detail(format_args!("{} {}", stage.words, stage.body));
            }
            EventKind::Stage(stage) if &*stage.name == Stage::STRUCTURED => {
                self.structured = Some(stage.body);
            }
            // So is what the answer is made of.
            EventKind::Stage(stage) if &*stage.name == Stage::RESULT => {
                self.out.print_detail(stage.words);
            }
            EventKind::Stage(stage) => self.print_status_line(stage.words)?,
            EventKind::End { outcome, problem } => {
                return self.print_end(at_ms, outcome, problem).map(Some);
            }
        }
        Ok(None)
    }

    pub fn print_end(
        &mut self,
        at_ms: u64,
        outcome: Outcome,
        problem: Option<CallError>,
    ) -> CommandResult {
        if self.json {
            let mut end = end_event(at_ms, outcome, problem.as_ref());
            end["chunks"] = self.chunks.into();
            self.out.json_line(&end)?;
        } else if let Some(structured) = self.structured.take() {
            let line_end = if self.open_line { "\n" } else { "" };
            self.out.print_raw(&format!("{line_end}{structured}\n"))?;
        } else if self.open_line {
            self.out.end_line()?;
        }
        self.out.flush()?;
        let ending = Ending::of_call(outcome, problem.as_ref());
        if let Some(problem) = problem.filter(|_| !self.json) {
            print_problem(&of_call(outcome, problem, format!("calling {}", self.key)));
        }
        let first =
            self.first.map_or_else(String::new, |first| format!(", the first after {first} ms"));
        let size = size::format_size(self.bytes);
        self.out.print_detail(format_args!(
            "{} after {at_ms} ms: {}, {size}{first}",
            outcome.as_str(),
            count_text(self.chunks, "chunk", "chunks")
        ));
        Ok(ending)
    }
}

/// Whether structured content is an object with the text in it and nothing else, which some SDKs make
/// of every text.
fn wraps_text(structured: &str, text: &str) -> bool {
    // The text as JSON is no shorter than itself.
    structured.len() > text.len()
        && serde_json::from_str::<Map<String, Value>>(structured)
            .is_ok_and(|members| members.len() == 1 && members.values().all(|value| value == text))
}

/// Since when, in milliseconds.
pub(super) fn elapsed_ms(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
