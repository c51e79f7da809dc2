//! What comes of calls, and what is noticed, as lines.

use std::collections::HashMap;

use super::words;
use crate::{
    app::{
        notices::{Notice, NoticeKind},
        state::State,
    },
    engine::{agent_loop::event::AgentEvent, events},
    model::{
        call::{Call, CallId, EventKind, LoggedEvent, StrayCause},
        duration,
        stage::FrameWay,
        stub::MOCK_CONNECTION,
    },
    schema::count::count_text,
};

/// Letters of one piece that are printed.
const LONGEST: usize = 4_000;

/// What was printed already.
#[derive(Default)]
pub(crate) struct Printed {
    events: HashMap<CallId, u64>,
    notice: Option<Notice>,
    /// The run of a model, and how much of it.
    run: (u64, usize),
    /// Answers are printed as they come, line by line, and nothing beside them.
    pub without_times: bool,
    /// The beginning of a line of an answer, until its end has come.
    open_lines: HashMap<CallId, String>,
    /// The ends that were printed: a tool, and how long its call took.
    ended: Vec<(String, u64)>,
}

impl Printed {
    /// What was noticed since, the oldest first.
    pub fn new_notices(&mut self, state: &State) -> Vec<String> {
        let new: Vec<&Notice> = state
            .notices
            .iter()
            .rev()
            .take_while(|notice| Some(*notice) != self.notice.as_ref())
            .collect();
        let ended = std::mem::take(&mut self.ended);
        let lines = new.iter().rev().filter_map(|notice| unsaid_notice(notice, &ended)).collect();
        self.notice = state.notices.iter().next_back().cloned();
        lines
    }

    /// What came of a model's run since; a reply once it is whole.
    pub fn new_run_events(&mut self, state: &State) -> Vec<String> {
        let Some(run) = &state.invoke.agent.run else { return Vec::new() };
        let mut lines = Vec::new();
        if self.run.0 != run.turn {
            self.run = (run.turn, 0);
            lines.push(format!("Asking {}: {}", run.source_name(), run.setup.question));
        }
        let new = run.log.iter().skip(self.run.1);
        lines.extend(new.flat_map(|(at_ms, event)| run_event_lines(*at_ms, event)));
        self.run.1 = run.log.len();
        lines
    }

    /// What came of calls since. Of a request that is sent many times only the result counts.
    pub fn new_events(&mut self, state: &State) -> Vec<String> {
        let mut lines = Vec::new();
        for call in state.invoke.calls.iter() {
            let total = event_count(call);
            let seen = self.events.insert(call.id, total).unwrap_or(0);
            let is_one_of_many =
                state.invoke.batch.as_ref().is_some_and(|batch| batch.running.contains(&call.id));
            if seen >= total || is_one_of_many {
                continue;
            }
            if seen == 0 {
                lines.push(format!("Calling {}.", named_call(call)));
            }
            let new = usize::try_from(total - seen).unwrap_or(usize::MAX);
            let rows = call.events.len();
            // Answers to other calls are counted when the call is shown.
            let rows = (rows.saturating_sub(new)..rows).filter(|row| !is_foreign(call, *row));
            for row in rows {
                lines.extend(self.live_lines(call, row));
            }
        }
        let calls = &state.invoke.calls;
        self.events.retain(|id, _| calls.get(*id).is_some());
        self.open_lines.retain(|id, _| calls.get(*id).is_some());
        lines
    }
}

impl Printed {
    /// What is printed of an event as it comes. Headers have ids, which `show` prints.
    fn live_lines(&mut self, call: &Call, row: usize) -> Vec<String> {
        let Some(event) = call.events.get(row) else { return Vec::new() };
        if let EventKind::End { .. } = event.kind {
            self.ended.push((call.request.name.to_string(), event.at_ms));
        }
        match &event.kind {
            EventKind::Headers { .. } => Vec::new(),
            _ if !self.without_times => event_lines(call, row),
            EventKind::Chunk { text, .. } => {
                let open = self.open_lines.entry(call.id).or_default();
                let piece = call.text.slice(text.clone());
                // What is open has no end of a line.
                let Some((end, rest)) = piece.rsplit_once('\n') else {
                    open.push_str(&piece);
                    return Vec::new();
                };
                let whole = std::mem::replace(open, rest.to_owned()) + end;
                vec![whole]
            }
            EventKind::Sent { .. } => Vec::new(),
            EventKind::End { .. } => {
                let open = self.open_lines.remove(&call.id).filter(|open| !open.is_empty());
                let words = event_words(call, event, 0).unwrap_or_default();
                open.into_iter().chain([words]).collect()
            }
            _ => event_words(call, event, 0).into_iter().collect(),
        }
    }
}

/// The line of a notice; of one that a call has ended, which was printed, what else it says.
fn unsaid_notice(notice: &Notice, ended: &[(String, u64)]) -> Option<String> {
    let rest = ended.iter().find_map(|(tool, took_ms)| {
        let words = notice.text.strip_prefix(tool.as_str())?;
        let (_, rest) =
            words.split_once(&format!(" after {}", duration::print_rounded(*took_ms)))?;
        Some(rest.trim_start_matches(['.', ';', ' ']))
    });
    match rest {
        None => Some(notice_line(notice)),
        Some("") => None,
        Some(rest) => Some(notice_line(&Notice { text: rest.to_owned(), ..notice.clone() })),
    }
}

fn run_event_lines(at_ms: u64, event: &AgentEvent) -> Vec<String> {
    let words = match event {
        // It is printed once it is whole.
        AgentEvent::Text(_) => return Vec::new(),
        AgentEvent::Replied { reply, .. } if !reply.text.is_empty() => {
            format!("{}\n{}", event.summary(), reply.text)
        }
        AgentEvent::Returned { text, .. } => format!("{}: {text}", event.summary()),
        AgentEvent::Moved { .. } => format!("state: {}", event.summary()),
        AgentEvent::Called { .. } => format!("call: {}", event.summary()),
        _ => event.summary(),
    };
    let mut lines = words.lines();
    let first = format!("+{at_ms} ms {}", lines.next().unwrap_or_default());
    std::iter::once(first).chain(lines.map(|line| format!("  {line}"))).collect()
}

fn event_count(call: &Call) -> u64 {
    call.events.len() as u64 + call.events.gap().map_or(0, |(_, gone)| gone)
}

fn notice_line(notice: &Notice) -> String {
    match notice.kind {
        NoticeKind::Done | NoticeKind::Hint => words::without_arrows(&notice.text),
        NoticeKind::Warning => format!("Warning: {}", words::without_arrows(&notice.text)),
        NoticeKind::Problem => format!("Error: {}", notice.text),
    }
}

/// The tool of a call, and what it goes over.
fn named_call(call: &Call) -> String {
    match &*call.connection {
        MOCK_CONNECTION => format!("{} (mocked)", call.request.name),
        connection => format!("{} over {connection}", call.request.name),
    }
}

/// All that happened in a call, and how it ended.
pub(crate) fn call_lines(call: &Call) -> Vec<String> {
    let mut lines = vec![format!("Call of {}", named_call(call))];
    lines.push(format!("Arguments: {}", call.request.arguments));
    let (foreign, own): (Vec<usize>, Vec<usize>) =
        (0..call.events.len()).partition(|row| is_foreign(call, *row));
    lines.extend(own.into_iter().flat_map(|row| event_lines(call, row)));
    if !foreign.is_empty() {
        let count = count_text(foreign.len(), "message", "messages");
        lines.push(format!("{count} not part of the answer: {}", StrayCause::ForeignId.message()));
    }
    if call.outcome().is_none() {
        lines.push("It hasn't ended.".to_owned());
    }
    lines
}

/// Whether an event is an answer to another call.
fn is_foreign(call: &Call, row: usize) -> bool {
    call.events.get(row).is_some_and(|event| {
        matches!(event.kind, EventKind::Stray { cause: StrayCause::ForeignId, .. })
    })
}

fn event_lines(call: &Call, row: usize) -> Vec<String> {
    let Some(event) = call.events.get(row) else { return Vec::new() };
    let Some(words) = event_words(call, event, call.events.chunks_to(row)) else {
        return Vec::new();
    };
    let mut lines = words.lines();
    let first = format!("+{} ms {}", event.at_ms, lines.next().unwrap_or_default());
    std::iter::once(first).chain(lines.map(|line| format!("  {line}"))).collect()
}

fn event_words(call: &Call, event: &LoggedEvent, number: u64) -> Option<String> {
    Some(match &event.kind {
        EventKind::Sent { bytes } => format!("request sent, {bytes} bytes"),
        EventKind::Headers { way, headers } => {
            let words = if *way == FrameWay::Out { "headers sent" } else { "headers" };
            format!("{words} {}", events::format_headers(headers))
        }
        EventKind::Chunk { text, .. } => {
            let text = call.text.slice(text.clone());
            match text.chars().count() > LONGEST {
                true => {
                    let start: String = text.chars().take(LONGEST).collect();
                    format!("chunk {number}: {start}… (type answer text to see all)")
                }
                false => format!("chunk {number}: {text}"),
            }
        }
        EventKind::Stray { cause, .. } => {
            format!("stray message, not part of the answer: {}", cause.message())
        }
        EventKind::Notice(words) => format!("notice: {words}"),
        EventKind::Stage(stage) if stage.is_frame_alone() => return None,
        EventKind::Stage(stage) => format!("{}: {}", stage.name, stage.words),
        EventKind::End { outcome, problem } => {
            let pieces = count_text(usize::try_from(call.chunks).unwrap_or(0), "chunk", "chunks");
            let why = problem.as_ref().map_or_else(String::new, |problem| {
                let remedy = match problem.remedy.as_str() {
                    "" => String::new(),
                    remedy => format!(". What to do: {remedy}"),
                };
                format!(". {}{remedy}", problem.words())
            });
            format!("ended: {} {}, {pieces}{why}", call.request.name, outcome.as_str())
        }
    })
}

/// A call in a line.
pub(crate) fn call_line(call: &Call) -> String {
    let outcome = call.outcome().map_or("running", |outcome| outcome.as_str());
    let arguments: String = call.request.arguments.chars().take(100).collect();
    format!("{} {outcome} {arguments}", call.request.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::clock::Millis;

    #[test]
    fn the_notice_of_an_end_that_was_printed_adds_only_what_else_it_says() {
        let ended = [("joke".to_owned(), 1_500), ("joke".to_owned(), 40)];
        let unsaid = |text: &str| {
            let notice = Notice { text: text.into(), kind: NoticeKind::Done, at: Millis(0) };
            unsaid_notice(&notice, &ended)
        };
        assert_eq!(unsaid("joke succeeded after 1.5 s"), None);
        assert_eq!(unsaid("joke succeeded after 40 ms"), None);
        assert!(unsaid("joke lost after 40 ms; m mocks its service").unwrap().contains("m mocks"));
        assert!(unsaid("Saved tools.yaml").is_some());
    }
}
