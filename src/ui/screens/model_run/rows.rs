//! The rows of a run as lines: in short for the list, in full for the pane beside it.

use serde_json::Value;

use crate::{
    app::agent_run::{
        ModelRun, WaitingCall,
        items::{Item, ItemKind, ReplyFacts},
    },
    engine::agent_loop::{run::Answered, turn::Usage},
    model::call::Outcome,
    schema::{count::count_text, parse::pretty_json},
    ui::{
        answer::events::{format_duration, outcome_role},
        canvas::{pad_text, wrap_to},
        styles::Role,
        widgets::reading::{self, Line},
    },
};

/// Cells for what a row is.
const LABEL: usize = 9;

/// Lines of a result or of a list of tools that are shown in the list.
const SHORT: usize = 6;

/// More of a text is not wrapped for the list.
const LONGEST: usize = 200_000;

/// What a row is, its words with their role, and how many lines of them are shown.
struct Shown {
    label: &'static str,
    role: Role,
    parts: Vec<(Role, String)>,
    most: usize,
}

fn shown(label: &'static str, role: Role, words: impl Into<String>) -> Shown {
    Shown { label, role, parts: vec![(Role::Text, words.into())], most: usize::MAX }
}

/// A row in lines of so many cells.
pub(super) fn short_lines(item: &Item, cells: usize) -> Vec<Line> {
    let Shown { label, role, parts, most } = shown_item(item);
    let room = cells.saturating_sub(LABEL + 1).max(1);
    let plain = |role: Role| if item.is_left { Role::Ghost } else { role };
    let mut lines: Vec<Line> = Vec::new();
    for (part, text) in parts {
        let text: &str = &text;
        let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
        let wrapped: Vec<String> = reading::wrapped_lines(&text[..end], part, room)
            .into_iter()
            .filter_map(|line| line.into_iter().next().map(|(_, words)| words))
            .collect();
        let more = wrapped.len().saturating_sub(most);
        let seen = wrapped.len() - if more > 1 { more } else { 0 };
        lines.extend(wrapped.into_iter().take(seen).map(|words| vec![(plain(part), words)]));
        if more > 1 {
            lines.push(vec![(plain(Role::Dim), format!("… {more} more lines"))]);
        }
    }
    for (row, line) in lines.iter_mut().enumerate() {
        let label = if row == 0 { label } else { "" };
        line.insert(0, (plain(role), format!("{} ", pad_text(label, LABEL))));
    }
    lines
}

fn shown_item(item: &Item) -> Shown {
    match &item.kind {
        ItemKind::System(text) => Shown { most: SHORT, ..shown("system", Role::Dim, text) },
        ItemKind::Message(text) => shown("you", Role::Accent, text),
        ItemKind::Request { reply, state, tools, .. } => {
            let words = format!("{reply} · state {state} · {}", tools_words(tools));
            let parts = vec![(Role::Dim, words)];
            Shown { label: "request", role: Role::Dim, parts, most: SHORT / 2 }
        }
        ItemKind::Reply { text, facts, .. } => {
            let mut parts = Vec::new();
            if !text.is_empty() || facts.is_none() {
                parts.push((Role::Text, text.clone()));
            }
            parts.extend(facts.as_ref().map(|facts| (Role::Dim, facts_words(facts))));
            Shown { label: "model", role: Role::Heading, parts, most: usize::MAX }
        }
        ItemKind::Call { tool, arguments, fault, is_edited } => {
            let edited = if *is_edited { " (edited)" } else { "" };
            let mut parts = vec![(Role::Text, format!("{tool} {arguments}{edited}"))];
            parts.extend(fault.as_ref().map(|fault| (Role::Error, fault.clone())));
            Shown { label: "→ call", role: Role::Transition, parts, most: SHORT }
        }
        ItemKind::Result { answered, outcome, text, took_ms, .. } => {
            let role = match (answered, outcome) {
                (Answered::Refused, Outcome::Failed | Outcome::TimedOut | Outcome::Lost) => {
                    Role::Warning
                }
                _ => outcome_role(*outcome),
            };
            let words = (Role::Dim, result_words(*answered, *outcome, *took_ms));
            let parts = vec![words, (Role::Text, text.clone())];
            Shown { label: "← result", role, parts, most: SHORT }
        }
        ItemKind::Moved { from, to } => Shown {
            parts: vec![(Role::State, format!("{from} → {to}"))],
            ..shown("state", Role::Dim, "")
        },
        ItemKind::Back(words) => shown("back", Role::Warning, words),
        ItemKind::Notice(words) => shown("note", Role::Warning, words),
        ItemKind::End { outcome, problem } => {
            let role = outcome_role(*outcome);
            let mut parts =
                vec![(role, format!("{} after {}", outcome.as_str(), format_duration(item.at_ms)))];
            if let Some(problem) = problem {
                parts.push((Role::Error, problem.words()));
                parts.push((Role::Info, problem.remedy.clone()));
            }
            Shown { label: "end", role: Role::Dim, parts, most: usize::MAX }
        }
    }
}

/// The call that waits, as the last row of the list.
pub(super) fn waiting_lines(call: &WaitingCall, cells: usize) -> Vec<Line> {
    let edited = if call.is_edited() { " (edited)" } else { "" };
    let name = &call.planned.call.name;
    let arguments = match call.is_edited() {
        true => call.argument_value().to_string(),
        false => call.planned.call.arguments.clone(),
    };
    let room = cells.saturating_sub(LABEL + 1).max(1);
    let mut lines: Vec<Line> = wrap_to(&format!("{name} {arguments}{edited}"), room, SHORT)
        .into_iter()
        .map(|words| vec![(Role::Text, words)])
        .collect();
    if let Some(fault) = call.planned.fault.as_ref().filter(|_| !call.is_edited()) {
        lines.extend(reading::wrapped_lines(&fault.to_string(), Role::Error, room));
    }
    for (row, line) in lines.iter_mut().enumerate() {
        let label = if row == 0 { "? call" } else { "" };
        line.insert(0, (Role::Warning, format!("{} ", pad_text(label, LABEL))));
    }
    lines
}

/// A row as the title of a pane.
pub(super) fn title_of(item: &Item) -> String {
    match &item.kind {
        ItemKind::System(_) => "System prompt".into(),
        ItemKind::Message(_) => "Message".into(),
        ItemKind::Request { reply, .. } => format!("Request {reply}"),
        ItemKind::Reply { reply, .. } => format!("Reply {reply}"),
        ItemKind::Call { tool, .. } => format!("Call of {tool}"),
        ItemKind::Result { tool, .. } => format!("Result of {tool}"),
        ItemKind::Moved { .. } => "State".into(),
        ItemKind::Back(_) => "Back".into(),
        ItemKind::Notice(_) => "Note".into(),
        ItemKind::End { .. } => "End".into(),
    }
}

/// All of a row, in lines of so many cells.
pub(super) fn full_lines(item: &Item, cells: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut put = |role, text: &str| lines.extend(reading::wrapped_lines(text, role, cells));
    if item.is_left {
        put(Role::Warning, "The run went another way from before this.");
    }
    put(Role::Dim, &format!("after {}", format_duration(item.at_ms)));
    match &item.kind {
        ItemKind::Request { state, tools, body, .. } => {
            put(Role::Text, &format!("state {state}"));
            put(Role::Text, "");
            put(Role::Dim, &format!("{}:", count_text(tools.len(), "tool", "tools")));
            tools.iter().for_each(|tool| put(Role::Text, tool));
            if !body.is_empty() {
                put(Role::Text, "");
                put(Role::Dim, &format!("sent, {}:", count_text(body.len(), "byte", "bytes")));
                lines.extend(text_lines(body, cells));
            }
        }
        ItemKind::Call { arguments, fault, is_edited, .. } => {
            if *is_edited {
                put(Role::Info, "edited: the model sees these arguments as its own");
            }
            if let Some(fault) = fault {
                put(Role::Error, fault);
            }
            lines.push(Vec::new());
            lines.extend(value_lines(arguments, cells));
        }
        ItemKind::Result { answered, outcome, text, took_ms, trace, .. } => {
            put(Role::Dim, &result_words(*answered, *outcome, *took_ms));
            if let Some(trace) = trace {
                put(Role::Dim, &format!("kept in the history as {trace}"));
            }
            lines.push(Vec::new());
            lines.extend(text_lines(text, cells));
        }
        ItemKind::Reply { text, facts, .. } => {
            if let Some(facts) = facts {
                put(Role::Dim, &facts_words(facts));
            }
            lines.push(Vec::new());
            lines.extend(text_lines(text, cells));
        }
        _ => {
            lines.push(Vec::new());
            for (role, text) in shown_item(item).parts {
                lines.extend(reading::wrapped_lines(&text, role, cells));
            }
        }
    }
    lines
}

/// A row as a text, to copy or to print.
pub(crate) fn plain_text(item: &Item) -> String {
    let Shown { label, parts, .. } = shown_item(item);
    let words: Vec<String> = parts.into_iter().map(|(_, words)| words).collect();
    format!("{}: {}", label.trim_start_matches(['→', '←', ' ']), words.join("\n"))
}

fn text_lines(text: &str, cells: usize) -> Vec<Line> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() || value.is_array() => value_lines(&value, cells),
        _ => reading::wrapped_lines(text, Role::Text, cells),
    }
}

fn value_lines(value: &Value, cells: usize) -> Vec<Line> {
    match value.as_str() {
        Some(text) => reading::wrapped_lines(text, Role::Text, cells),
        None => reading::json_lines(&pretty_json(value, None), cells),
    }
}

fn tools_words(tools: &[String]) -> String {
    if tools.is_empty() { "no tools".into() } else { tools.join(", ") }
}

fn result_words(answered: Answered, outcome: Outcome, took_ms: u64) -> String {
    match answered {
        Answered::Called => format!("{} after {}", outcome.as_str(), format_duration(took_ms)),
        Answered::Mocked | Answered::Recorded => {
            format!("{} ({})", outcome.as_str(), answered.as_str())
        }
        Answered::Refused | Answered::Invalid => answered.as_str().to_owned(),
    }
}

fn facts_words(facts: &ReplyFacts) -> String {
    let first = facts.first_ms.map(|ms| format!("first after {}", format_duration(ms)));
    let parts = [
        Some(match facts.calls {
            0 => facts.stop.as_str().to_owned(),
            calls => count_text(calls, "call", "calls"),
        }),
        Some(format!("after {}", format_duration(facts.took_ms))),
        first,
        facts.usage.map(usage_words),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

pub(super) fn usage_words(usage: Usage) -> String {
    match usage {
        Usage { input, output, cached: 0 } => format!("{input} tokens in, {output} out"),
        Usage { input, output, cached } => {
            format!("{input} tokens in ({cached} cached), {output} out")
        }
    }
}

/// How far the run is, in words, and their role.
pub(super) fn stage_words(run: &ModelRun) -> (Role, String) {
    if let Some(end) = &run.end {
        return (outcome_role(end.outcome), end.outcome.as_str().to_owned());
    }
    if let Some(call) = &run.waiting {
        return (Role::Warning, format!("{} waits for you", call.planned.call.name));
    }
    match run.items.all().last().map(|item| &item.kind) {
        Some(ItemKind::Call { tool, .. }) => (Role::Info, format!("calling {tool} …")),
        Some(ItemKind::Reply { facts: None, .. }) => (Role::Info, "the model speaks …".into()),
        _ => (Role::Info, "waiting for the model …".into()),
    }
}
