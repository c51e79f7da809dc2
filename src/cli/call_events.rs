//! A call on its way: sent, its events shown as they come and kept in the history.

use std::{future::pending, path::PathBuf, pin::pin, sync::Arc, time::Duration};

use futures::future::Either;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::{sync::mpsc, task::JoinHandle, time::Instant};

use super::{
    answering::QuestionDesk,
    call_preview::request_json,
    ending::{CommandResult, Ending, StopReason, end_event, of_call},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, print_problem},
    query::QueriedAnswer,
    saving::SavedAnswer,
    signals::{interrupted, wait_for_many, with_limit},
    strays::Strays,
};
use crate::{
    engine::{events, query::Query},
    model::{
        call::{CallError, Event, EventKind, Limits, Outcome, Request},
        catalog::Catalog,
        connection::Connection,
        problem::Problem,
        size,
        stage::Stage,
        trace::Head,
    },
    runtime::{now::now_millis, registry},
    schema::count::count_text,
    store::{
        history::{History, Recorder},
        paths::Paths,
        secrets,
    },
    wire::{now::elapsed_ms, registry::Registry, spawning::spawn},
};

/// Events on their way at most; more make the wire wait.
const QUEUE: usize = 256;

/// How a request goes out, and what becomes of its answer.
pub(crate) struct Sending<'s> {
    pub opened: &'s OpenWorkspace,
    pub catalog: &'s Catalog,
    /// The tool's key, for people.
    pub key: &'s str,
    pub connection: Connection,
    pub limits: Limits,
    /// How long the connection may take to open.
    pub timeout: Option<Duration>,
    /// The answers to what the server asks meanwhile.
    pub answers: &'s [String],
    /// Where the answer is written to.
    pub save: Option<PathBuf>,
    /// The part of it that is printed; `None`: all of it.
    pub query: Option<Query>,
    /// Whether the history gets the call.
    pub is_kept: bool,
}

/// The limits of a call that has a time limit of its own, or none.
pub(crate) fn call_limits(timeout: Option<Duration>, linger: Duration) -> Limits {
    let limits = Limits { linger, ..Limits::default() };
    timeout.map_or(limits, |time| limits.within(time))
}

impl Sending<'_> {
    /// Sends the request, and says its events as they come.
    pub fn send(self, request: Request, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let Sending { opened, connection, .. } = self;
        let (asks, questions) = mpsc::channel(1);
        // What keeps it from being made is found before the history has it.
        let desk = QuestionDesk::new(questions, self.answers, self.catalog)?;
        let recorder = match self.is_kept {
            true => begin_recording(opened, &request, &connection, out),
            false => None,
        };
        let teller = EventPrinter {
            request: request_json(&request, &connection, 0),
            out,
            // In place of events, the part is what is printed.
            json: global.json && self.query.is_none(),
            key: self.key,
            recorder,
            open_line: false,
            strays: Strays::default(),
            chunks: 0,
            bytes: 0,
            sent: None,
            first: None,
            answer: self.save.map(|path| SavedAnswer::new(path, request.system)),
            queried: self.query.map(|query| QueriedAnswer::new(query, global.json)),
            structured: None,
        };
        let registry = registry::of_workspace(&opened.workspace.root).with_questions(asks);
        let request = (request, self.limits, self.timeout);
        wait_for_many("calling", stream_call(registry, connection, request, desk, teller))
    }
}

/// The history of the workspace.
pub(crate) fn open_history(opened: &OpenWorkspace) -> Result<Arc<History>, Problem> {
    let mask = secrets::build_mask(&opened.settings.connections.known);
    Ok(Arc::new(History::for_workspace(&Paths::of_user()?, &opened.workspace.root, mask)))
}

/// Begins the call in the history; a call is made although it cannot be kept.
fn begin_recording(
    opened: &OpenWorkspace,
    request: &Request,
    connection: &Connection,
    out: &CommandOutput,
) -> Option<Recorder> {
    let begun = open_history(opened).and_then(|history| {
        history.begin_call(&Head::from_request(request, connection, now_millis()))
    });
    begun
        .map_err(|problem| {
            out.warn(format_args!("couldn't save this call in the history: {problem}"));
        })
        .ok()
}

/// Runs the call and says its events as they come, until its end or an interruption.
async fn stream_call(
    registry: Registry,
    connection: Connection,
    (request, limits, opening): (Request, Limits, Option<Duration>),
    mut desk: QuestionDesk<'_>,
    mut teller: EventPrinter<'_>,
) -> CommandResult {
    let began = Instant::now();
    let name = connection.name.clone();
    let (sender, mut events) = mpsc::channel(QUEUE);
    let mut interrupt = pin!(interrupted());
    let mut opened = match request.mock {
        // The connection opens before anything is said of the call.
        None => Either::Left(Box::pin(with_limit(&name, opening, pending::<()>()))),
        Some(_) => Either::Right(pending()),
    };
    let mut is_open = false;
    // Beside this: what comes is read while what came is kept and shown.
    let registry = Arc::new(registry);
    let caller = Arc::clone(&registry);
    let mut call =
        spawn(async move { caller.run_call(&connection, request, limits, sender).await });
    let mut running = true;
    let mut has_ended = false;
    let mut ending = Ending::Done;
    let mut batch = Vec::with_capacity(QUEUE);
    loop {
        let count = tokio::select! {
            biased;
            () = &mut interrupt => {
                give_up(call, events, &registry).await;
                let at_ms = teller.record_cancelled(began);
                return teller.print_end(at_ms, Outcome::Cancelled, None);
            }
            count = events.recv_many(&mut batch, QUEUE) => count,
            Err(late) = &mut opened, if !is_open => {
                give_up(call, events, &registry).await;
                let at_ms = elapsed_ms(began);
                let kind = EventKind::End { outcome: Outcome::TimedOut, problem: Some(late.clone()) };
                teller.record_events(&[Event { at_ms, kind }]);
                return teller.print_end(at_ms, Outcome::TimedOut, Some(late));
            }
            _ = &mut call, if running => {
                running = false;
                continue;
            }
            () = desk.step(teller.out) => continue,
        };
        if count == 0 {
            registry.close().await;
            teller.strays.rest().into_iter().for_each(|words| teller.out.print_status(words));
            if desk.has_refused_answer() && matches!(ending, Ending::Done | Ending::Found) {
                ending = Ending::Usage;
            }
            return match teller.answer.take() {
                Some(answer) => answer.save_parts(teller.out).and(Ok(ending)),
                None => Ok(ending),
            };
        }
        is_open = true;
        // What is seen is kept.
        teller.record_events(&batch);
        has_ended |= batch.iter().any(|event| matches!(event.kind, EventKind::End { .. }));
        let mut left = batch.len();
        for event in batch.drain(..) {
            left -= 1;
            if let Some(answer) = &mut teller.answer {
                answer.add_event(&event.kind);
            }
            if let Some(queried) = &mut teller.queried {
                queried.add_event(&event.kind);
            }
            match teller.print_event(event, left == 0 && events.is_empty()) {
                Ok(ended) => ending = ended.unwrap_or(ending),
                // What can't be written, such as to a pipe that is closed, cancels the call.
                Err(reason) => {
                    give_up(call, events, &registry).await;
                    if !has_ended {
                        teller.record_cancelled(began);
                    }
                    return Err(reason);
                }
            }
        }
    }
}

/// Cancels a call, and ends its connection. Nobody takes what is still reported of it: who reports it
/// would wait for that.
async fn give_up(call: JoinHandle<()>, events: mpsc::Receiver<Event>, registry: &Registry) {
    // Once it has stopped, it is cancelled at the server.
    if !call.is_finished() {
        call.abort();
        let _ = call.await;
    }
    drop(events);
    registry.close().await;
}

/// Whether structured content is an object with the text in it and nothing else, which some SDKs make
/// of every text.
fn wraps_text(structured: &str, text: &str) -> bool {
    // The text as JSON is no shorter than itself.
    structured.len() > text.len()
        && serde_json::from_str::<Map<String, Value>>(structured)
            .is_ok_and(|members| members.len() == 1 && members.values().all(|value| value == text))
}

/// A piece of the answer as a line of JSON, which borrows its text.
#[derive(Serialize)]
struct Chunk<'t> {
    event: &'static str,
    at_ms: u64,
    text: &'t str,
}

/// Reports a call's events to whoever reads the output.
struct EventPrinter<'t> {
    out: &'t mut CommandOutput,
    json: bool,
    key: &'t str,
    request: Value,
    /// Where the call is kept in the history.
    recorder: Option<Recorder>,
    /// The last text did not end its line.
    open_line: bool,
    strays: Strays,
    chunks: u64,
    bytes: u64,
    sent: Option<u64>,
    first: Option<u64>,
    /// The answer, where it is to be saved.
    answer: Option<SavedAnswer>,
    /// The answer, where only a part of it is printed.
    queried: Option<QueriedAnswer>,
    /// Structured content that the text doesn't repeat, which follows the text.
    structured: Option<Arc<str>>,
}

impl EventPrinter<'_> {
    /// Puts events into the history, until that fails.
    fn record_events(&mut self, events: &[Event]) {
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
    fn record_cancelled(&mut self, began: Instant) -> u64 {
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
    /// once when nothing follows at once, whatever came last: the lines that a chunk was made of
    /// come after it.
    fn print_event(
        &mut self,
        event: Event,
        is_last_for_now: bool,
    ) -> Result<Option<Ending>, StopReason> {
        let ended = self.write_event(event)?;
        if is_last_for_now {
            self.out.flush()?;
        }
        Ok(ended)
    }

    fn write_event(&mut self, event: Event) -> Result<Option<Ending>, StopReason> {
        let at_ms = event.at_ms;
        match event.kind {
            EventKind::Sent { .. } => {
                self.sent.get_or_insert(at_ms);
                self.request["at_ms"] = at_ms.into();
                if self.json {
                    self.out.json_line(&self.request)?;
                }
            }
            EventKind::Chunk { text, bytes } => {
                self.chunks += 1;
                self.bytes += bytes as u64;
                self.first.get_or_insert(at_ms);
                if self.queried.is_some() {
                    return Ok(None);
                }
                self.structured.take_if(|structured| wraps_text(structured, &text));
                match self.json {
                    true => self.out.json_line(&Chunk { event: "chunk", at_ms, text: &text })?,
                    false => self.out.print_raw(&text)?,
                }
                self.open_line =
                    if text.is_empty() { self.open_line } else { !text.ends_with('\n') };
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
            }
            // What it holds is reported besides.
            EventKind::Stage(stage) if stage.is_frame_alone() => {
                self.out.print_detail(format_args!("{} {}", stage.words, stage.body));
            }
            EventKind::Stage(stage) if &*stage.name == Stage::STRUCTURED => {
                self.structured = Some(stage.body).filter(|_| self.queried.is_none());
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

    fn print_end(
        &mut self,
        at_ms: u64,
        outcome: Outcome,
        problem: Option<CallError>,
    ) -> CommandResult {
        match self.queried.take() {
            Some(queried) if outcome == Outcome::Succeeded => queried.print(self.out)?,
            Some(queried) => queried.print_whole(self.out)?,
            None => {}
        }
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
        // How long the connection took to open, and its server to start, is beside that.
        let sent = self.sent.unwrap_or(0);
        let since_sent = |ms: u64| ms.saturating_sub(sent);
        let first = self.first.map(|ms| format!(", the first after {} ms", since_sent(ms)));
        let connected = self.sent.map(|ms| format!("; connected after {ms} ms"));
        let size = size::format_size(self.bytes);
        self.out.print_detail(format_args!(
            "{} after {} ms: {}, {size}{}{}",
            outcome.as_str(),
            since_sent(at_ms),
            count_text(self.chunks, "chunk", "chunks"),
            first.unwrap_or_default(),
            connected.unwrap_or_default()
        ));
        Ok(ending)
    }
}
