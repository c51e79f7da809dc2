//! The tools that a server lists, beside those that the workspace keeps of it: what changed, and
//! keeping it.

use std::collections::BTreeMap;

use crate::{
    app::{
        compose::plan::Plan,
        connection_test::Report,
        documents::Change,
        message::{DocumentMessage, Message},
        state::State,
    },
    model::entry::FileId,
    systems::{
        facets::kept_tools::{Drift, KeptTools, ListedTools, ToolChange},
        table,
    },
    ui::{
        overlays::checklist::{Checklist, Row},
        styles::Role,
        view::Reply,
        widgets::reading::{Line, wrapped_lines},
    },
};

pub(super) const NOTHING_LISTED: &str = "test the connection (t) first: it lists a server's tools";

/// What the last test of a connection listed, and what the workspace keeps of it.
struct ComparedTools<'s> {
    keeper: &'static dyn KeptTools,
    listed: &'s ListedTools,
    file: FileId,
    /// The text of its file; `None`: nothing is kept.
    text: Option<String>,
    drift: Option<Drift>,
}

fn find_kept<'s>(state: &'s State, name: &str) -> Option<ComparedTools<'s>> {
    let connection = state.network.connections.find_by_name(name)?;
    let keeper = table::kept_tools_at(connection)?;
    let (_, Report::Reached(reached)) = state.network.tests.reports.get(name)? else { return None };
    let listed = reached.listed.as_ref()?;
    let file = FileId::new(keeper.path(name));
    let document = state.documents.present(&file);
    let text = document.map(|document| document.text.whole_text().to_string());
    let drift = text.as_deref().and_then(|text| keeper.compare(text, listed));
    Some(ComparedTools { keeper, listed, file, text, drift })
}

/// What is said of it below a test.
pub(super) fn kept_lines(state: &State, name: &str, cells: usize) -> Vec<Line> {
    let Some(kept) = find_kept(state, name) else { return Vec::new() };
    let mut lines = vec![Line::new(), vec![(Role::Heading, "kept".to_owned())]];
    let mut say = |role, text: &str| lines.extend(wrapped_lines(text, role, cells));
    let file = kept.file.as_str();
    match &kept.drift {
        None if kept.text.is_none() => {
            say(
                Role::Dim,
                &format!(
                    "Its tools aren't saved in the workspace. K saves them in \
                {file}."
                ),
            );
        }
        None => say(Role::Warning, &format!("{file} has no tool list.")),
        Some(drift) if drift.is_none() => say(Role::Success, &format!("✓ same as in {file}")),
        Some(drift) => {
            for (severity, count) in count_changes(&drift.changes) {
                say(severity_role(severity), &format!("⚠ {count} {severity}"));
            }
            if let Some(older) = &drift.older_version {
                let version = &kept.listed.version;
                say(Role::Info, &format!("It uses version {version} now; it used {older}."));
            }
            say(Role::Dim, &format!("K shows what changed since {file}, and accepts it."));
        }
    }
    lines
}

/// How many changes there are of each severity, the worst first.
fn count_changes(changes: &[ToolChange]) -> Vec<(&'static str, usize)> {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for change in changes {
        match counts.iter_mut().find(|(severity, _)| *severity == change.severity) {
            Some((_, count)) => *count += 1,
            None => counts.push((change.severity, 1)),
        }
    }
    counts
}

fn severity_role(severity: &str) -> Role {
    match severity {
        "breaking" => Role::Error,
        "compatible" => Role::Info,
        _ => Role::Warning,
    }
}

/// Keeps the tools of a server; where some of them are kept in another shape, those to accept are
/// ticked first.
///
/// # Errors
/// When there is nothing to keep.
pub(super) fn keep_tools(state: &State, name: &str) -> Result<Reply, String> {
    let kept = find_kept(state, name).ok_or(NOTHING_LISTED)?;
    let file = kept.file.clone();
    let Some(text) = kept.text else {
        let text = kept.keeper.print(kept.listed).into();
        return Ok(change_file(format!("keep the tools of {name}"), Change::Create { file, text }));
    };
    let drift = kept.drift.ok_or_else(|| format!("{} has no tool list", file.as_str()))?;
    if drift.is_none() {
        return Err(format!("its tools are the same as in {}", file.as_str()));
    }
    let (keeper, listed) = (kept.keeper, kept.listed.clone());
    let mut of_tools: BTreeMap<String, Vec<ToolChange>> = BTreeMap::new();
    for change in drift.changes {
        of_tools.entry(change.tool.clone()).or_default().push(change);
    }
    let label = format!("accept the changed tools of {name}");
    if of_tools.is_empty() {
        let text = keeper.print(&listed).into();
        return Ok(change_file(label, Change::Text { file, text }));
    }
    let names: Vec<String> = of_tools.keys().cloned().collect();
    let rows = of_tools.into_iter().map(|(tool, changes)| to_row(tool, &changes)).collect();
    let title = format!("What changed at {name}");
    let then = move |ticked: &[usize], _: &State| {
        let chosen: Vec<&str> =
            ticked.iter().filter_map(|row| names.get(*row)).map(String::as_str).collect();
        // With all of them, their order is the server's too.
        let after = match chosen.len() == names.len() {
            true => Some(keeper.print(&listed)),
            false => keeper.accept_tools(&text, &listed, &chosen),
        };
        let text = after.ok_or("the saved list can't be read")?.into();
        Ok(change_file(label.clone(), Change::Text { file: file.clone(), text }))
    };
    let list = Checklist::new(title, "Accept the ticked tools", rows, Reply::Handled, then);
    Ok(Reply::Open(Box::new(list)))
}

fn to_row(tool: String, changes: &[ToolChange]) -> Row {
    let worst = changes.first().map_or("", |change| change.severity);
    let mut details = Vec::new();
    for change in changes {
        let at = if change.at.is_empty() { String::new() } else { format!(" at {}", change.at) };
        let words = format!("{}: {}{at}", change.severity, change.id);
        details.push((severity_role(change.severity), words));
        // A whole tool is long, and nothing to compare.
        if !change.at.is_empty() {
            let lines = |text: &Option<String>, sign: &str, role| -> Vec<(Role, String)> {
                let lines = text.iter().flat_map(|text| text.lines());
                lines.map(|line| (role, format!("{sign} {line}"))).collect()
            };
            details.extend(lines(&change.before, "-", Role::Removed));
            details.extend(lines(&change.after, "+", Role::Added));
        }
    }
    let title = if tool == "*" { "the order of the list".to_owned() } else { tool };
    Row { title, note: worst.to_owned(), details, refusal: None, is_on: false }
}

fn change_file(label: String, change: Change) -> Reply {
    Reply::send(Message::Document(DocumentMessage::Compose(Plan::new(label, vec![change]))))
}
