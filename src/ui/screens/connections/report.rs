//! The right pane: what goes through a connection, how its last test went, and what is there.

use super::{kept, sign_in};
use crate::{
    app::{
        connection_test::{ConnectionReport, Report},
        message::Health,
        state::State,
    },
    model::{
        connection::Connection,
        problem::Problem,
        server_item::{ItemKind, ListTiming},
        server_profile::ServerProfile,
    },
    schema::count::count_text,
    systems::table,
    ui::{
        canvas::{sentence_case, visible_text},
        styles::Role,
        widgets::reading::{Line, wrapped_lines},
    },
};

/// So many entries are named; the rest is counted.
const NAMED: usize = 200;

/// So many faults of tools are named before what else is there.
const FAULTS: usize = 5;

pub(super) fn report_lines(state: &State, name: &str, cells: usize) -> Vec<Line> {
    let Some(connection) = state.connection_named(name) else {
        return wrapped_lines(
            "Its settings can't be used yet: see the errors in the form.",
            Role::Warning,
            cells,
        );
    };
    let mut lines = heading("calls");
    for text in call_notes(state, name) {
        lines.extend(wrapped_lines(&text, Role::Text, cells));
    }
    if let Some(text) = system_note(state, &connection) {
        lines.extend(wrapped_lines(&text, Role::Dim, cells));
    }
    let secrets: Vec<String> = connection.secrets().map(ToString::to_string).collect();
    if !secrets.is_empty() {
        lines.push(Line::new());
        lines.extend(heading("secrets"));
        lines.extend(secrets.iter().flat_map(|place| {
            wrapped_lines(&format!("read from {place} when it is used"), Role::Text, cells)
        }));
    }
    if !connection.variables.is_empty() {
        lines.push(Line::new());
        lines.extend(heading("variables"));
    }
    let shared = &state.network.connections.variables;
    for (name, variable) in &connection.variables {
        let origin = if shared.get(name) == Some(variable) { " · the workspace" } else { "" };
        let text = format!("{name} = {variable}{origin}");
        lines.extend(wrapped_lines(&visible_text(&text), Role::Text, cells));
    }
    if connection.tls.required && connection.tls.ca_file.is_none() {
        lines.push(Line::new());
        lines.extend(wrapped_lines(
            "encrypted; the system's certificate authorities are trusted",
            Role::Dim,
            cells,
        ));
    }
    lines.push(Line::new());
    lines.extend(heading("test"));
    let report = state.network.tests.reports.get(name).map(|(_, report)| report);
    // What a failed test says needs no second time.
    let has_failed = matches!(report, Some(Report::Failed(_)));
    if let Some(condition) = state
        .network
        .conditions
        .get(name)
        .filter(|condition| !condition.words.is_empty() && !has_failed)
    {
        let role = if condition.health == Health::Bad { Role::Error } else { Role::Warning };
        lines.extend(wrapped_lines(&condition.words, role, cells));
    }
    match report {
        None => lines.extend(wrapped_lines(
            "t connects and queries the server. Nothing is sent to a service.",
            Role::Dim,
            cells,
        )),
        Some(Report::UnderWay) => lines.extend(wrapped_lines("◐ asking …", Role::Warning, cells)),
        Some(Report::NotAllowed(permission)) => {
            let told = format!(
                "It {}, which you haven't allowed yet. t asks you to allow exactly this:",
                permission.words()
            );
            lines.extend(wrapped_lines(&told, Role::Warning, cells));
            lines.extend(wrapped_lines(&permission.lines().join("\n"), Role::Text, cells));
        }
        Some(Report::Failed(problem)) => lines.extend(problem_lines(problem, cells)),
        Some(Report::Reached(reached)) => {
            lines.extend(reached_lines(reached, &connection, cells));
            lines.extend(kept::kept_lines(state, name, cells));
        }
    }
    lines.extend(sign_in::sign_in_lines(state, name, cells));
    lines
}

fn heading(text: &str) -> Vec<Line> {
    vec![vec![(Role::Heading, text.to_owned())]]
}

fn call_notes(state: &State, name: &str) -> Vec<String> {
    let connections = &state.network.connections;
    let mut all = Vec::new();
    if connections.chosen.as_deref() == Some(name) {
        all.push("Used for all calls of this session.".to_owned());
    }
    if connections.usual == name {
        all.push("The default: used for tools without a connection of their own.".to_owned());
    }
    let tools: Vec<&str> = connections
        .of_tools
        .iter()
        .filter(|(_, of)| *of == name)
        .map(|(tool, _)| tool.as_str())
        .collect();
    if !tools.is_empty() {
        all.push(format!("Always used for {}.", tools.join(", ")));
    }
    if let Some(chosen) =
        connections.chosen.as_ref().filter(|chosen| *chosen != name && !all.is_empty())
    {
        all.push(format!("In this session, all calls use {chosen}."));
    }
    if all.is_empty() {
        all.push(
            "Not used now. The actions menu (.) makes it the default, or uses it for all \
            calls of this session."
                .into(),
        );
    }
    all
}

/// Which system import, push and serve speak with through a connection, and what says so.
fn system_note(state: &State, connection: &Connection) -> Option<String> {
    let (system, _) = table::deployment_at(connection)?;
    let title = system.title();
    let written = state.network.connections.find_by_name(&connection.name);
    if written.is_some_and(|written| !written.settings.is_empty()) {
        return Some(format!("Import and push use it for {title}."));
    }
    let why = if connection.settings.is_empty() {
        "because it has no settings for another system; add them in the form to change that"
    } else {
        "because all tools here are of that system"
    };
    Some(format!("Import and push use it for {title}, {why}."))
}

fn problem_lines(problem: &Problem, cells: usize) -> Vec<Line> {
    let mut lines = wrapped_lines(&format!("✗ {}", problem.cause), Role::Error, cells);
    lines.extend(remedy_lines(&problem.remedy, cells));
    lines
}

/// What to do, as a sentence.
fn remedy_lines(remedy: &str, cells: usize) -> Vec<Line> {
    let end = if remedy.is_empty() || remedy.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    wrapped_lines(&format!("{}{end}", sentence_case(remedy)), Role::Text, cells)
}

fn reached_lines(reached: &ConnectionReport, connection: &Connection, cells: usize) -> Vec<Line> {
    let who = if reached.greeting.is_empty() {
        connection.transport().title()
    } else {
        &reached.greeting
    };
    let mut lines =
        wrapped_lines(&format!("● {who}, after {} ms", reached.took_ms), Role::Success, cells);
    for problem in &reached.untold {
        lines.extend(wrapped_lines(&format!("⚠ {}", problem.cause), Role::Warning, cells));
        lines.extend(remedy_lines(&problem.remedy, cells));
    }
    if let Some(drift) = &reached.drift {
        lines.extend(wrapped_lines(&format!("⚠ {drift}"), Role::Warning, cells));
    }
    lines.extend(server_lines(reached, cells));
    if let Some(there) = &reached.there {
        lines.push(Line::new());
        lines.push(vec![(Role::Heading, format!("on the server {}", there.len()))]);
        lines.extend(list_lines(there.iter().cloned(), there.len(), cells));
        let deployment = table::deployment_at(connection).map(|(_, deployment)| deployment);
        let read_only = deployment.and_then(|deployment| deployment.read_only());
        // How tools of a server are kept is below.
        if table::kept_tools_at(connection).is_none() {
            let words = read_only.unwrap_or(
                "“import…” in the command palette (Ctrl+P) writes them to files; “push…” sends \
                yours.",
            );
            lines.extend(wrapped_lines(words, Role::Dim, cells));
        }
    }
    // What a server of tools has is listed above.
    let listeners = reached.listeners.as_ref();
    if let Some(listeners) = listeners.filter(|_| table::kept_tools_at(connection).is_none()) {
        lines.push(Line::new());
        let is_gateway = !connection.transport().is_bus();
        let heading = if is_gateway { "prompt templates" } else { "listening" };
        lines.push(vec![(Role::Heading, format!("{heading} {}", listeners.len()))]);
        let row = |(name, of): &(String, String)| {
            if is_gateway { name.clone() } else { format!("{name} → {of}") }
        };
        lines.extend(list_lines(listeners.iter().map(row), listeners.len(), cells));
    }
    if reached.there.is_none() && reached.untold.is_empty() {
        lines.push(Line::new());
        lines.extend(wrapped_lines(
            "Its services can't be listed here. Watch (4) shows the traffic.",
            Role::Dim,
            cells,
        ));
    }
    lines
}

/// What a server has beside its tools, and what is odd about its lists.
fn server_lines(reached: &ConnectionReport, cells: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for words in &reached.list_faults {
        lines.extend(wrapped_lines(&format!("⚠ {words}"), Role::Warning, cells));
    }
    let shown = reached.tool_faults.iter().take(FAULTS);
    lines
        .extend(shown.flat_map(|words| wrapped_lines(&format!("⚠ {words}"), Role::Warning, cells)));
    let more = reached.tool_faults.len().saturating_sub(FAULTS);
    if more > 0 {
        let words = format!(
            "… and {more} more about its tools; K saves the list, and `toolcrib \
            check` shows all"
        );
        lines.extend(wrapped_lines(&words, Role::Dim, cells));
    }
    if let Some(profile) = &reached.profile {
        lines.extend(profile_lines(profile, &reached.timings, cells));
    }
    let counts = ItemKind::ALL.into_iter().filter_map(|kind| {
        let count = reached.items.iter().filter(|item| item.kind == kind).count();
        let many = kind.title().to_lowercase();
        (count > 0).then(|| count_text(count as u64, many.trim_end_matches('s'), &many))
    });
    let counts: Vec<String> = counts.collect();
    if !counts.is_empty() {
        lines.push(Line::new());
        lines.extend(wrapped_lines(&counts.join(", "), Role::Heading, cells));
        lines.extend(wrapped_lines("o opens them.", Role::Dim, cells));
    }
    lines
}

/// What a server says of itself, and how it gave its lists.
fn profile_lines(profile: &ServerProfile, timings: &[ListTiming], cells: usize) -> Vec<Line> {
    let warnings = profile.findings.iter().map(|words| format!("⚠ {words}"));
    let mut lines: Vec<Line> =
        warnings.flat_map(|words| wrapped_lines(&words, Role::Warning, cells)).collect();
    for fact in &profile.facts {
        let words = format!("{}: {}", fact.label, fact.words);
        lines.extend(wrapped_lines(&words, Role::Text, cells));
    }
    let timings: Vec<String> = timings.iter().map(ListTiming::message).collect();
    if !timings.is_empty() {
        let words = format!("lists: {}", timings.join("; "));
        lines.extend(wrapped_lines(&words, Role::Text, cells));
    }
    if let Some(instructions) = &profile.instructions {
        lines.push(Line::new());
        lines.extend(heading("instructions for models"));
        lines.extend(wrapped_lines(instructions, Role::Text, cells));
    }
    lines
}

fn list_lines(rows: impl Iterator<Item = String>, count: usize, cells: usize) -> Vec<Line> {
    let mut lines: Vec<Line> =
        rows.take(NAMED).flat_map(|row| wrapped_lines(&row, Role::Text, cells)).collect();
    if count > NAMED {
        lines.extend(wrapped_lines(&format!("… and {} more", count - NAMED), Role::Dim, cells));
    }
    lines
}
