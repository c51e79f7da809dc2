//! Carries out what is asked of the history: records calls, lists and opens kept ones, replays,
//! exports, removes.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{mpsc, watch},
    task::AbortHandle,
    time::Instant,
};

use super::now::now_millis;
use crate::{
    app::{
        calls::CallMessage,
        effect::Effect,
        history::{self, HistoryMessage},
        message::Message,
        notices::NoticeKind,
    },
    engine::trace::{lines, wanted::TraceFilter},
    model::{
        call::{Event, Request},
        connection::Connection,
        entry::EntryId,
        problem::Problem,
        trace::{Head, Trace, TraceId},
    },
    store::{
        files::{self, Expected, OutsideLinks},
        history::{History, Recorder},
    },
    systems::calling,
    wire::spawning::{spawn, spawn_blocking},
};

/// How many events of a replay travel in one message at most.
const EVENTS: usize = 256;

/// A call's place in the history, until it cannot be written.
#[derive(Clone, Default)]
pub(crate) struct Record {
    recorder: Arc<Mutex<Option<Recorder>>>,
}

impl Record {
    /// Puts events into the history; a message when that fails for the first time.
    pub fn record_events(&self, events: &[Event]) -> Option<Message> {
        let mut recorder = self.recorder.lock().unwrap_or_else(PoisonError::into_inner);
        let problem = recorder.as_mut()?.record_events(events).err()?;
        *recorder = None;
        Some(not_kept(&problem))
    }
}

fn not_kept(problem: &Problem) -> Message {
    Message::History(HistoryMessage::NotKept(problem.clone()))
}

/// The history, and what is under way with it.
pub(crate) struct HistoryRecorder {
    history: Arc<History>,
    messages: mpsc::Sender<Message>,
    wanted: watch::Sender<(u64, String)>,
    opening: watch::Sender<Option<TraceId>>,
    replay: Option<AbortHandle>,
}

impl HistoryRecorder {
    /// Must be called within the runtime.
    pub fn new(history: History, messages: mpsc::Sender<Message>) -> Self {
        let history = Arc::new(history);
        let (wanted, opening) = (watch::Sender::default(), watch::Sender::default());
        spawn(list_traces(Arc::clone(&history), wanted.subscribe(), messages.clone()));
        spawn(open_traces(Arc::clone(&history), opening.subscribe(), messages.clone()));
        Self { history, messages, wanted, opening, replay: None }
    }

    /// Where calls are kept.
    pub fn history(&self) -> Arc<History> {
        Arc::clone(&self.history)
    }

    /// Begins a call in the history; it is made although it cannot be kept.
    pub fn begin_record(&self, request: &Request, connection: &Connection) -> Record {
        let begun = self.history.begin_call(&Head::from_request(request, connection, now_millis()));
        let complain = |problem: Problem| {
            let messages = self.messages.clone();
            spawn(async move { messages.send(not_kept(&problem)).await });
        };
        Record { recorder: Arc::new(Mutex::new(begun.map_err(complain).ok())) }
    }

    /// Carries out one of its effects; never waits.
    pub fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::ListKept { turn, query } => drop(self.wanted.send_replace((turn, query))),
            Effect::OpenKept(id) => drop(self.opening.send_replace(Some(id))),
            Effect::CompareKept([before, after]) => {
                self.spawn_reply(move |history| {
                    Ok(Message::History(HistoryMessage::Compared(Arc::new([
                        history.load_trace(&before)?,
                        history.load_trace(&after)?,
                    ]))))
                });
            }
            Effect::Replay { trace, speed } => {
                self.stop_replay();
                self.replay =
                    Some(spawn(replay_trace(trace, speed, self.messages.clone())).abort_handle());
            }
            Effect::StopReplay => self.stop_replay(),
            Effect::ExportKept { id, path } => self.spawn_reply(move |history| {
                export_trace(&history.load_trace(&id)?, Path::new(&path))?;
                Ok(Message::Notice(NoticeKind::Done, format!("the call is in {path}")))
            }),
            // One line, as those of the call itself.
            Effect::KeepResult { call, arguments, event } => {
                if let Err(problem) = self.history.add_event(&call, &arguments, &event) {
                    let messages = self.messages.clone();
                    spawn(async move { messages.send(not_kept(&problem)).await });
                }
            }
            Effect::ReadLastArguments { tool, name } => {
                self.spawn_reply(move |history| last_arguments(history, tool, &name));
            }
            Effect::RemoveKept(id) => self.spawn_reply(move |history| {
                history
                    .remove_calls(|of| of == &*id)
                    .map(|_| Message::History(HistoryMessage::Changed))
            }),
            _ => {}
        }
    }

    fn spawn_reply(
        &self,
        work: impl FnOnce(&History) -> Result<Message, Problem> + Send + 'static,
    ) {
        let (history, messages) = (Arc::clone(&self.history), self.messages.clone());
        spawn_blocking(move || {
            let message = work(&history).unwrap_or_else(Message::Failed);
            // The loop may have ended; then nobody needs to know.
            let _ = messages.blocking_send(message);
        });
    }

    fn stop_replay(&mut self) {
        if let Some(replay) = self.replay.take() {
            replay.abort();
        }
    }
}

/// Reads the history for what was asked last.
async fn list_traces(
    history: Arc<History>,
    mut wanted: watch::Receiver<(u64, String)>,
    messages: mpsc::Sender<Message>,
) {
    while wanted.changed().await.is_ok() {
        let (turn, query) = wanted.borrow_and_update().clone();
        let history = Arc::clone(&history);
        let read =
            spawn_blocking(move || history.list_calls(TraceFilter::parse(&query, now_millis())))
                .await;
        let message = match read {
            Ok(Ok(listing)) => {
                Message::History(HistoryMessage::Listed { turn, listing: Arc::new(listing) })
            }
            Ok(Err(problem)) => Message::History(HistoryMessage::NotListed { turn, problem }),
            Err(_) => continue,
        };
        if messages.send(message).await.is_err() {
            return;
        }
    }
}

/// Opens the call that was asked for last.
async fn open_traces(
    history: Arc<History>,
    mut opening: watch::Receiver<Option<TraceId>>,
    messages: mpsc::Sender<Message>,
) {
    while opening.changed().await.is_ok() {
        let Some(id) = opening.borrow_and_update().clone() else { continue };
        let (history, wanted) = (Arc::clone(&history), id.clone());
        let message = match spawn_blocking(move || history.load_trace(&wanted)).await {
            Ok(Ok(trace)) => Message::History(HistoryMessage::Opened(Box::new(trace))),
            Ok(Err(problem)) => Message::History(HistoryMessage::NotOpened { id, problem }),
            Err(_) => continue,
        };
        if messages.send(message).await.is_err() {
            return;
        }
    }
}

/// The arguments of the newest kept call of a tool, as a message that puts them into its form.
fn last_arguments(history: &History, tool: EntryId, name: &str) -> Result<Message, Problem> {
    let wanted = TraceFilter::parse(&format!("\"tool:{name}\""), now_millis());
    let listing = history.list_calls(wanted)?;
    let Some(call) = listing.calls.iter().find(|call| &*call.tool == name) else {
        let words = format!("the history has no call of {name}");
        return Ok(Message::Notice(NoticeKind::Hint, words));
    };
    let head = history.load_trace(&call.id)?.head;
    let meta = calling::request_meta(&head.system, &head.body);
    let route = calling::request_route(&history::request_of(&head, None));
    let arguments = head.arguments;
    Ok(Message::Call(CallMessage::EditSent { tool, arguments, meta, route }))
}

/// Reports events in their times, `speed` times as fast; those that are due are reported together.
async fn replay_trace(trace: Arc<Trace>, speed: u32, messages: mpsc::Sender<Message>) {
    let began = Instant::now();
    let mut rest = trace.events.as_slice();
    let due = |event: &Event| match speed {
        0 => began,
        speed => began + Duration::from_millis(event.at_ms) / speed,
    };
    loop {
        if let Some(next) = rest.first() {
            tokio::time::sleep_until(due(next)).await;
        }
        let now = Instant::now();
        let count = rest.iter().take(EVENTS).take_while(|event| due(event) <= now).count();
        let (events, later) = rest.split_at(count);
        rest = later;
        let ended = rest.is_empty();
        let message = Message::History(HistoryMessage::Replayed {
            id: trace.head.id.clone(),
            events: events.to_vec(),
            ended,
        });
        if messages.send(message).await.is_err() || ended {
            return;
        }
    }
}

fn export_trace(trace: &Trace, path: &Path) -> Result<(), Problem> {
    let events = trace.events.iter().map(|event| lines::of_event(&trace.head.id, event));
    let text: String = std::iter::once(lines::of_head(&trace.head)).chain(events).collect();
    // A name alone is in this folder.
    let path = &Path::new(".").join(path);
    let folder = path.parent().unwrap_or(path);
    let doing = || format!("making {}", folder.display());
    fs::create_dir_all(folder).map_err(|error| files::io_problem(&doing(), &error))?;
    files::save_file(folder, path, &text, Expected::Absent, OutsideLinks::Refuse)
        .map(drop)
        .map_err(|error| error.problem().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_alone_is_exported_into_this_folder() {
        let name = format!("exported-{}.jsonl", std::process::id());
        export_trace(&Trace::default(), Path::new(&name)).unwrap();
        assert!(fs::read_to_string(&name).unwrap().starts_with('{'));
        fs::remove_file(&name).unwrap();
    }
}
