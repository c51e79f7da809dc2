//! A pane: an edge with a title at the top, and what is at its right and bottom.

use ratatui::{buffer::Buffer, layout::Rect, style::Style, symbols::border::ROUNDED as EDGE};

use crate::ui::{
    canvas::{text_width, truncate_text, visible_text},
    styles::{Role, Styles},
};

/// An edge around content.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pane<'p> {
    pub title: &'p str,
    /// At the right of the top edge.
    pub note: &'p str,
    /// At the right of the bottom edge.
    pub foot: &'p str,
    pub focused: bool,
}

impl Pane<'_> {
    /// Draws the edge and answers the area inside.
    pub fn draw(&self, buffer: &mut Buffer, area: Rect, styles: &Styles) -> Rect {
        let edge = styles[if self.focused { Role::BorderFocus } else { Role::Border }];
        draw_edge(buffer, area, styles[Role::Text].patch(edge));
        let inside = Rect {
            x: area.x.saturating_add(1).min(area.right()),
            y: area.y.saturating_add(1).min(area.bottom()),
            width: area.width.saturating_sub(2),
            height: area.height.saturating_sub(2),
        };
        let title_style = styles[if self.focused { Role::Accent } else { Role::Title }];
        let room = usize::from(area.width.saturating_sub(4));
        let title = visible_text(self.title);
        // Without colours nothing else says where the keys go.
        let title = match self.focused && styles.is_colourless() {
            true => format!("▸{title}").into(),
            false => title,
        };
        let shown = truncate_text(&title, room);
        if !shown.is_empty() {
            write_at(buffer, area, area.left() + 1, area.top(), &format!(" {shown} "), title_style);
        }
        if let Some((place, note)) = self.place_note(area) {
            write_at(buffer, area, place.x, place.y, &format!(" {note} "), styles[Role::Dim]);
        }
        draw_foot(self.foot, buffer, area, styles);
        inside
    }

    /// The note as far as it fits, and where it is, with a space at each side.
    fn place_note(&self, area: Rect) -> Option<(Rect, String)> {
        let room = usize::from(area.width.saturating_sub(4));
        let title = visible_text(self.title);
        let left = room.saturating_sub(text_width(&truncate_text(&title, room)) + 2);
        if self.note.is_empty() || left <= 4 {
            return None;
        }
        let note = visible_text(self.note);
        let note = truncate_text(&note, left - 2).into_owned();
        let width = u16::try_from(text_width(&note)).unwrap_or(0) + 2;
        let x = area.right().saturating_sub(width + 1);
        Some((Rect { x, width, height: 1.min(area.height), ..area }, note))
    }

    /// Where the note is; empty where it has no room.
    pub fn note_area(&self, area: Rect) -> Rect {
        self.place_note(area).map(|(place, _)| place).unwrap_or_default()
    }
}

/// Draws the edge alone: what is inside has its ground already, and is most of the screen.
fn draw_edge(buffer: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buffer.area);
    let last = area.bottom().saturating_sub(1);
    for y in area.top()..area.bottom() {
        let (left, middle, right) = match y {
            _ if y == area.top() => (EDGE.top_left, EDGE.horizontal_top, EDGE.top_right),
            _ if y == last => (EDGE.bottom_left, EDGE.horizontal_bottom, EDGE.bottom_right),
            _ => (EDGE.vertical_left, "", EDGE.vertical_right),
        };
        let start = buffer.index_of(area.left(), y);
        let row = buffer.content.get_mut(start..start + usize::from(area.width));
        let Some([first, between @ .., last]) = row else { continue };
        first.set_symbol(left).set_style(style);
        last.set_symbol(right).set_style(style);
        if !middle.is_empty() {
            between.iter_mut().for_each(|cell| {
                cell.set_symbol(middle).set_style(style);
            });
        }
    }
}

/// Writes at the right of a pane's bottom edge: for what is known once the pane's inside is drawn.
pub(crate) fn draw_foot(foot: &str, buffer: &mut Buffer, area: Rect, styles: &Styles) {
    if foot.is_empty() || area.height < 2 {
        return;
    }
    let foot = visible_text(foot);
    let foot = truncate_text(&foot, usize::from(area.width.saturating_sub(4)));
    let x = area.right().saturating_sub(u16::try_from(text_width(&foot)).unwrap_or(0) + 3);
    write_at(buffer, area, x, area.bottom() - 1, &format!(" {foot} "), styles[Role::Dim]);
}

fn write_at(buffer: &mut Buffer, area: Rect, x: u16, y: u16, text: &str, style: Style) {
    let area = area.intersection(buffer.area);
    if area.contains((x, y).into()) {
        let room = usize::from(area.right().saturating_sub(x + 1));
        buffer.set_stringn(x, y, text, room, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{available_themes, styles_named};

    #[test]
    fn without_colours_the_pane_with_the_keys_has_a_mark() {
        let styles = styles_named(&available_themes(&[]).0, "dark");
        let top = |focused: bool, styles: &Styles| {
            let area = Rect::new(0, 0, 16, 3);
            let mut buffer = Buffer::empty(area);
            Pane { title: "Answer", focused, ..Pane::default() }.draw(&mut buffer, area, styles);
            buffer.content[..16].iter().map(|cell| cell.symbol().to_owned()).collect::<String>()
        };
        let plain = styles.without_colour();
        assert_eq!(top(true, &plain), "╭ ▸Answer ─────╮");
        assert_eq!(top(false, &plain), "╭ Answer ──────╮");
        assert_eq!(top(true, &styles), "╭ Answer ──────╮");
    }
}
