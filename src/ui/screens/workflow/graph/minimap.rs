//! The whole picture small, in a corner, where it is larger than the pane; a press on it goes
//! there.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Block, BorderType, Clear, Widget},
};

use super::layout::LaidGraph;
use crate::{
    engine::layout::picture::{BoxArea, Point},
    ui::styles::{Role, Styles},
};

/// What is drawn: which part of the picture is in view, and which boxes to mark.
pub(crate) struct MiniMap {
    pub view: BoxArea,
    pub current: Option<usize>,
    pub selected: Option<usize>,
}

/// The corner for the map of a picture of some size on a pane: the one where it is in the way least,
/// the lower right one where several are alike. `None` where there is no room.
pub(crate) fn map_area<K: Ord>(
    inside: Rect,
    picture: (usize, usize),
    in_the_way: impl Fn(Rect) -> K,
) -> Option<Rect> {
    if inside.width < 48 || inside.height < 14 {
        return None;
    }
    let most = ((inside.width / 4).min(32), (inside.height / 4).clamp(4, 14));
    // Both sides shrink alike, so that the map has the shape of the picture.
    let scale =
        picture.0.div_ceil(usize::from(most.0)).max(picture.1.div_ceil(usize::from(most.1))).max(1);
    let side = |size: usize, most: u16| {
        u16::try_from(size.div_ceil(scale)).unwrap_or(most).clamp(3, most) + 2
    };
    let (width, height) = (side(picture.0, most.0), side(picture.1, most.1));
    let (right, bottom) = (inside.right() - width, inside.bottom() - height);
    let corners = [(right, bottom), (right, inside.y), (inside.x, bottom), (inside.x, inside.y)];
    corners
        .map(|(x, y)| Rect::new(x, y, width, height))
        .into_iter()
        .min_by_key(|map| in_the_way(*map))
}

/// The point of the picture that a cell of the map shows.
pub(crate) fn picture_point(laid: &LaidGraph, map: Rect, column: u16, row: u16) -> Point {
    let scaled = |at: u16, start: u16, room: u16, size: usize| {
        let room = usize::from(room.saturating_sub(2)).max(1);
        (2 * usize::from(at.saturating_sub(start + 1)).min(room - 1) + 1) * size / (2 * room)
    };
    let picture = &laid.picture;
    Point {
        x: scaled(column, map.x, map.width, picture.width),
        y: scaled(row, map.y, map.height, picture.height),
    }
}

impl MiniMap {
    pub fn draw(&self, buffer: &mut Buffer, map: Rect, laid: &LaidGraph, styles: &Styles) {
        Clear.render(map, buffer);
        let block = Block::bordered()
            .border_type(BorderType::Plain)
            .border_style(styles[Role::Border])
            .style(styles[Role::Text]);
        let inside = block.inner(map);
        block.render(map, buffer);
        let picture = &laid.picture;
        let cell = |point: Point| {
            let scaled = |at: usize, room: u16, size: usize| {
                at.min(size.saturating_sub(1)) * usize::from(room) / size.max(1)
            };
            let (x, y) = (
                scaled(point.x, inside.width, picture.width),
                scaled(point.y, inside.height, picture.height),
            );
            (inside.x + u16::try_from(x).unwrap_or(0), inside.y + u16::try_from(y).unwrap_or(0))
        };
        let first = cell(Point { x: self.view.x, y: self.view.y });
        let last = cell(Point {
            x: (self.view.x + self.view.width).saturating_sub(1),
            y: (self.view.y + self.view.height).saturating_sub(1),
        });
        // What is in view is dotted, so that it is seen without colour.
        let seen = Rect::new(first.0, first.1, last.0 - first.0 + 1, last.1 - first.1 + 1)
            .intersection(inside);
        for position in seen.positions() {
            buffer[position].set_symbol("·").set_style(styles[Role::SelectedDim]);
        }
        let middle = |area: &BoxArea| {
            cell(Point { x: area.x + area.width / 2, y: area.y + area.height / 2 })
        };
        let mut mark = |row: usize, sign: &str, role: Role| {
            if let Some(cell) =
                laid.picture.boxes.get(row).and_then(|placed| buffer.cell_mut(middle(&placed.area)))
            {
                cell.set_symbol(sign);
                if let Some(colour) = styles[role].fg {
                    cell.set_fg(colour);
                }
            }
        };
        (0..laid.picture.boxes.len()).for_each(|row| mark(row, "▪", Role::Dim));
        self.selected.into_iter().for_each(|row| mark(row, "◆", Role::Accent));
        self.current.into_iter().for_each(|row| mark(row, "●", Role::Available));
    }
}
