//! The top line: the workspace, the screens, the mode and the connection.

use ratatui::{buffer::Buffer, layout::Rect, style::Modifier};

use super::words::on_bar;
use crate::{
    app::{actions::ActionId, message::Health, state::State},
    model::context::Mode,
    ui::{
        canvas::{Pen, text_width, truncate_text},
        screens::ScreenRow,
        styles::{Role, Styles},
        widgets::panes::SIDE_BY_SIDE,
    },
};

/// Draws it; answers what can be pressed on it.
pub(super) fn draw_top_line(
    buffer: &mut Buffer,
    line: Rect,
    styles: &Styles,
    tabs: &[ScreenRow],
    state: &State,
) -> Vec<(Rect, ActionId)> {
    let bar = styles[Role::Bar];
    let changed = if state.documents.changed_files().next().is_some() { "*" } else { "" };
    let (sign, words) = connection_words(state);
    // Where there is little room, the screens' names stand closer, and the mode is worth more
    // than the program's name.
    let is_narrow = line.width < SIDE_BY_SIDE;
    let (name, gap, mode) = match line.width {
        0..SIDE_BY_SIDE => ("", " ", state.mode.short_name().to_owned()),
        SIDE_BY_SIDE..116 => ("toolcrib", " ", state.mode.short_name().to_owned()),
        116..140 => ("toolcrib", "  ", format!("{} mode", state.mode)),
        _ => ("toolcrib", "   ", format!("{} mode", state.mode)),
    };
    let title = |row: &ScreenRow| {
        if is_narrow { row.short } else { state.keymap.action(row.action).title }
    };
    let mut places = Vec::new();
    let mut pen = Pen::new(buffer, line, 0);
    pen.fill_rest(bar)
        .move_to(line, 0)
        .put_text(" ", bar)
        .put_text(name, styles[Role::BarActive])
        .put_text(if is_narrow { "" } else { " · " }, bar);
    let named: Vec<&ScreenRow> = tabs.iter().filter(|row| (row.named)(state)).collect();
    let wide: usize = named.iter().map(|row| text_width(title(row)) + 2 + gap.len()).sum();
    let right = text_width(&words) + text_width(&mode) + 8;
    let room =
        usize::from(line.width).saturating_sub(wide + right.min(40) + text_width(name) + 6).max(8);
    // What is unsaved is seen however long the name is.
    let name = truncate_text(&state.workspace, room - changed.len());
    pen.put_text(&name, bar).put_text(changed, bar);
    let start = usize::from(pen.column_now()) + if is_narrow { 1 } else { 3 };
    let middle = (usize::from(line.width).saturating_sub(wide + right) / 2).max(start);
    pen.move_to(line, u16::try_from(middle).unwrap_or(0));
    for row in named {
        let active = row.id == state.screen;
        let style =
            if active { styles[Role::BarActive].add_modifier(Modifier::UNDERLINED) } else { bar };
        let key = state.keymap.display_key(row.action);
        let x = pen.column_now();
        pen.put_text(&key, on_bar(styles, Role::Key)).put_text(" ", bar);
        pen.put_text(title(row), style);
        places.push((Rect::new(x, line.y, pen.column_now() - x, 1), row.action));
        pen.put_text(gap, bar);
    }
    let right = (mode, sign, &*words);
    places.extend(draw_right(&mut pen, line, styles, right, state.mode));
    places
}

/// The connection for all calls: the sign of its condition, and its name with what is to be said.
fn connection_words(state: &State) -> ((&'static str, Role), String) {
    let connection = state.connection_here();
    let condition = state.network.conditions.get(&connection.name).cloned().unwrap_or_default();
    let sign = match condition.health {
        Health::Idle => ("○", Role::Dim),
        Health::Good => ("●", Role::Success),
        Health::Busy => ("◐", Role::Warning),
        Health::Bad => ("✗", Role::Error),
    };
    let words = match condition.words.as_str() {
        "" => connection.name,
        words => format!("{} · {words}", connection.name),
    };
    (sign, words)
}

/// The mode, where there is room for it, and the connection at the right end.
fn draw_right(
    pen: &mut Pen<'_>,
    line: Rect,
    styles: &Styles,
    (mode, sign, words): (String, (&str, Role), &str),
    chosen: Mode,
) -> Vec<(Rect, ActionId)> {
    let bar = styles[Role::Bar];
    let mut places = Vec::new();
    let room = pen.remaining_cells();
    let shown = truncate_text(words, room.saturating_sub(4)).into_owned();
    let left = room.saturating_sub(text_width(&shown) + 3);
    let fits = |mode: &str| left > text_width(mode) + 2;
    let mode = if fits(&mode) { mode } else { chosen.abbreviation().into() };
    if fits(&mode) {
        pen.skip(u16::try_from(left - text_width(&mode) - 2).unwrap_or(0));
        let x = pen.column_now();
        let is_usual = chosen == Mode::Document;
        let style = if is_usual { bar } else { on_bar(styles, Role::Warning) };
        pen.put_text(&mode, style);
        places.push((Rect::new(x, line.y, pen.column_now() - x, 1), "switch-mode"));
        pen.put_text("  ", bar);
    } else {
        pen.skip(u16::try_from(left).unwrap_or(0));
    }
    let x = pen.column_now();
    pen.put_text(sign.0, on_bar(styles, sign.1)).put_text(" ", bar).put_text(&shown, bar);
    places.push((Rect::new(x, line.y, pen.column_now().saturating_sub(x), 1), "connection"));
    places
}
