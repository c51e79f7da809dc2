//! The bottom line: the mode, the keys that work here and now, and what was noticed.

use ratatui::{buffer::Buffer, layout::Rect};

use super::words;
use crate::{
    app::{actions::ActionId, input::Key},
    ui::{
        canvas::{Pen, text_width},
        styles::{Role, Styles},
    },
};

/// A key with what it does, and the action that a press on it does, where it is no plain key.
pub(super) type Hint = (String, String, Option<ActionId>);

/// Where things are that can be pressed, and a note that the line has no room for.
#[derive(Default)]
pub(super) struct BottomLine {
    pub places: Vec<(Rect, ActionId)>,
    pub keys: Vec<(Rect, Key)>,
    pub note: Rect,
}

/// Draws the line. A fresh notice is worth more than the keys; they come back with the next key.
/// Where there is no room for it, it is above the row `edge`, where the buttons of panes are.
pub(super) fn draw_bottom_line(
    buffer: &mut Buffer,
    (line, edge): (Rect, u16),
    styles: &Styles,
    in_edit: bool,
    (hints, note, note_act): (Vec<Hint>, &[(Role, String)], Option<ActionId>),
) -> BottomLine {
    let bar = styles[Role::Bar];
    let on_bar = |role: Role| words::on_bar(styles, role);
    let badge = if in_edit { (" EDIT ", Role::BadgeEdit) } else { (" NAV ", Role::BadgeNav) };
    let mut drawn = BottomLine::default();
    let mut pen = Pen::new(buffer, line, 0);
    pen.fill_rest(bar).move_to(line, 0).put_text(badge.0, styles[badge.1]).put_text(" ", bar);
    let note_cells = words::note_cells(note, line);
    let keep = note_cells.map_or(0, |cells| cells + 2);
    // The way to help is shown wherever anything is.
    let need = |(key, title, _): &Hint| text_width(key) + text_width(title) + 3;
    let last = hints.last().map_or(0, need);
    let count = hints.len();
    for (row, hint) in hints.into_iter().enumerate() {
        let others = if row + 1 < count { last } else { 0 };
        if pen.remaining_cells() < need(&hint) + others + keep {
            continue;
        }
        let (key, title, act) = hint;
        let x = pen.column_now();
        pen.put_text(&key, on_bar(Role::Key)).put_text(" ", bar).put_text(&title, bar);
        let place = Rect::new(x, line.y, pen.column_now() - x, 1);
        if let Some(act) = act {
            drawn.places.push((place, act));
        } else if let Ok(key) = key.parse() {
            drawn.keys.push((place, key));
        }
        pen.put_text("  ", bar);
    }
    match note_cells {
        Some(cells) => {
            words::put_note(&mut pen, note, cells, styles);
            let wide = u16::try_from(cells).unwrap_or(line.width).min(line.width);
            let place = Rect { x: line.right() - wide, width: wide, ..line };
            drawn.places.extend(note_act.map(|act| (place, act)));
        }
        None => drawn.note = words::draw_long_note(buffer, (line, edge), note, styles),
    }
    drawn
}
