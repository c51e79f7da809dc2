//! The tools that running systems have: which of them the list shows, and below it how listing them
//! went and which servers have more.

use std::{collections::HashSet, sync::Arc};

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{
        deployed::{DeployedTools, Progress},
        state::State,
    },
    model::{connection::Connection, tool::Tool},
    ui::{
        canvas::{Pen, mark_chosen, text_width, visible_text, wrap_to},
        styles::Role,
        view::Look,
    },
};

/// So many lines the listing of one system takes at most.
const MOST_LINES: usize = 4;

/// The sign of a tool that was listed of a running system.
pub(super) const DEPLOYED: &str = "◆ ";

/// What is listed of running systems beside the workspace's tools: what was saved of a server is
/// among these already.
pub(super) fn unsaved_tools(state: &State) -> Vec<&Arc<Tool>> {
    let mut unsaved = Vec::new();
    for DeployedTools { connection, catalog, .. } in state.deployed_lists() {
        let there = Some(connection.name.as_str());
        let is_saved = |tool: &&Arc<Tool>| state.network.connections.assigned_name(tool) == there;
        let saved: HashSet<&str> =
            state.catalog.tools.iter().filter(is_saved).map(|tool| tool.name.as_str()).collect();
        let listed = catalog.tools.iter();
        unsaved.extend(listed.filter(|tool| !saved.contains(tool.name.as_str())));
    }
    unsaved
}

/// Those of the servers that have more tools than are here; none where there is nothing at all, as
/// the pane beside it then says how to list something.
pub(super) fn unlisted_names<'n>(unlisted: &'n [String], state: &State) -> Vec<&'n str> {
    if state.catalog.tools.is_empty() && state.deployed_lists().next().is_none() {
        return Vec::new();
    }
    let is_listed = |name: &str| state.deployed_lists().any(|list| list.connection.name == name);
    unlisted.iter().map(String::as_str).filter(|name| !is_listed(name)).collect()
}

/// Draws below the list how the listing of running systems went, and which servers have more, where
/// the cursor may be; answers how many lines that takes.
pub(super) fn draw_deployed(
    buffer: &mut Buffer,
    area: Rect,
    look: Look<'_>,
    (unlisted, at_unlisted): (&[&str], Option<bool>),
    state: &State,
) -> u16 {
    let mut parts: Vec<_> = state.deployed_lists().map(|list| listing_words(list, state)).collect();
    let more_from = parts.len();
    if !unlisted.is_empty() {
        let words = format!("list the tools of {} …", unlisted.join(", "));
        parts.push(("+ ", words, Role::Accent));
    }
    let indent = usize::from(area.width).min(1);
    let mut lines = Vec::new();
    for (at, (sign, words, role)) in parts.into_iter().enumerate() {
        let room = usize::from(area.width).saturating_sub(indent + text_width(sign));
        let most = MOST_LINES.min(usize::from(area.height / 2));
        let wrapped = wrap_to(&visible_text(&words), room, most);
        for (row, text) in wrapped.into_iter().enumerate() {
            let before = if row == 0 { sign } else { "" };
            lines.push((before, text, role, at >= more_from));
        }
    }
    lines.truncate(usize::from(area.height / 2));
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let below = Rect { y: area.bottom() - height, height, ..area };
    let styles = look.styles;
    for (line, (before, text, role, is_more)) in (0_u16..).zip(&lines) {
        Pen::new(buffer, below, line)
            .put_text(" ", styles[*role])
            .put_text(before, styles[Role::Info])
            .put_text(text, styles[*role]);
        let row = Rect { y: below.y + line, height: 1, ..below };
        if *is_more || *role == Role::Error {
            look.mouse.presses(row, "deployed-tools");
        }
        if let Some(focused) = at_unlisted.filter(|_| *is_more) {
            mark_chosen(buffer, row, 0, styles, focused);
        }
    }
    height
}

/// How the listing of a system went, or goes.
fn listing_words(list: &DeployedTools, state: &State) -> (&'static str, String, Role) {
    let DeployedTools { connection, progress, catalog, .. } = list;
    let name = &connection.name;
    match progress {
        Progress::UnderWay => ("", format!("listing the tools of {name} …"), Role::Dim),
        Progress::Listed => {
            let others = match state.catalog.tools.is_empty() {
                true => "",
                false => "; the others are in this folder",
            };
            let is_last = state.deployed_lists().last().is_some_and(|last| last.turn == list.turn);
            let others = if is_last { others } else { "" };
            (DEPLOYED, format!("{} deployed on {name}{others}", catalog.tools.len()), Role::Dim)
        }
        Progress::Failed(problem) => {
            let cause = problem.cause.lines().next().unwrap_or_default();
            ("", format!("{name}: {cause}"), Role::Error)
        }
    }
}

/// What is said where there is no tool; a connection that isn't the one in use may have some.
pub(super) fn empty_words(state: &State, unlisted: &[String]) -> String {
    if !unlisted.is_empty() {
        return "no tools in this workspace".into();
    }
    let current = state.current_connection().name;
    let others = state.network.connections.known.iter().filter(|known| known.name != current);
    let names: Vec<&str> = others.map(|known| known.name.as_str()).collect();
    let embedded = Connection::embedded().name;
    match names.iter().any(|name| *name != embedded) {
        true => format!(
            "no tools in this workspace; {} chooses a connection: {}",
            state.keymap.way_to("connection"),
            names.join(", ")
        ),
        false => "no tools in this workspace".into(),
    }
}
