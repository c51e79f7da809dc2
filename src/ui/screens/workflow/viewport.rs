//! The part of a picture that is in view on a pane: where it begins, and what is where.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use crate::{
    engine::{
        canvas_text::{Cell, Drawing},
        layout::picture::{BoxArea, Picture, Point},
    },
    ui::{
        canvas::visible_text,
        styles::{Role, Styles},
    },
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Viewport {
    /// Where the picture is drawn on the screen.
    pub inside: Rect,
    /// The picture's cell at the upper left corner; less than nothing where the picture is smaller
    /// and centred.
    pub offset: (i32, i32),
}

impl Viewport {
    /// Moves the view over a picture as far as that goes.
    pub fn pan(&mut self, (right, down): (i32, i32), picture: &Picture) {
        self.offset = (self.offset.0.saturating_add(right), self.offset.1.saturating_add(down));
        self.clamp(picture);
    }

    /// Keeps the picture in view; a small one is centred.
    pub fn clamp(&mut self, picture: &Picture) {
        let keep = |offset: i32, size: usize, room: u16| {
            let (size, room) = (i32::try_from(size).unwrap_or(i32::MAX), i32::from(room));
            if size <= room { -((room - size) / 2) } else { offset.clamp(0, size - room) }
        };
        self.offset = (
            keep(self.offset.0, picture.width, self.inside.width),
            keep(self.offset.1, picture.height, self.inside.height),
        );
    }

    /// Brings a point into the middle.
    pub fn show_point(&mut self, point: Point, picture: &Picture) {
        let middle = |at: usize, room: u16| i32::try_from(at).unwrap_or(0) - i32::from(room / 2);
        self.offset = (middle(point.x, self.inside.width), middle(point.y, self.inside.height));
        self.clamp(picture);
    }

    /// Brings a box into the middle.
    pub fn show_box(&mut self, area: BoxArea, picture: &Picture) {
        let BoxArea { x, y, width, height } = area;
        self.show_point(Point { x: x + width / 2, y: y + height / 2 }, picture);
    }

    /// The cell of the picture at a cell of the screen; `None` beside the picture.
    pub fn point_at(&self, column: u16, row: u16) -> Option<Point> {
        let along = |cell: u16, start: u16, offset: i32| {
            usize::try_from(i32::from(cell) - i32::from(start) + offset).ok()
        };
        Some(Point {
            x: along(column, self.inside.x, self.offset.0)?,
            y: along(row, self.inside.y, self.offset.1)?,
        })
    }

    /// Where a box is on the screen, as far as it is in view.
    pub fn screen_area(&self, area: BoxArea) -> Option<Rect> {
        let cell = |at: usize, start: u16, offset: i32| {
            i32::try_from(at).ok().map(|at| at - offset + i32::from(start))
        };
        let (left, top) = (
            cell(area.x, self.inside.x, self.offset.0)?,
            cell(area.y, self.inside.y, self.offset.1)?,
        );
        let (right, bottom) =
            (left + i32::try_from(area.width).ok()?, top + i32::try_from(area.height).ok()?);
        let held = |at: i32, start: u16, end: u16| {
            u16::try_from(at.clamp(i32::from(start), i32::from(end))).unwrap_or(start)
        };
        let (x, y) = (
            held(left, self.inside.x, self.inside.right()),
            held(top, self.inside.y, self.inside.bottom()),
        );
        let (right, bottom) = (
            held(right, self.inside.x, self.inside.right()),
            held(bottom, self.inside.y, self.inside.bottom()),
        );
        (right > x && bottom > y).then(|| Rect::new(x, y, right - x, bottom - y))
    }

    /// Whether all of a box is in view.
    pub fn shows_whole(&self, area: BoxArea) -> bool {
        self.screen_area(area).is_some_and(|seen| {
            (usize::from(seen.width), usize::from(seen.height)) == (area.width, area.height)
        })
    }

    /// The part of the picture that is in view.
    pub fn visible_part(&self, picture: &Picture) -> BoxArea {
        let part = |offset: i32, size: usize, room: u16| {
            let begin = usize::try_from(offset.max(0)).unwrap_or(0).min(size);
            (begin, usize::from(room).min(size - begin))
        };
        let (x, width) = part(self.offset.0, picture.width, self.inside.width);
        let (y, height) = part(self.offset.1, picture.height, self.inside.height);
        BoxArea { x, y, width, height }
    }

    /// Puts the cells of that part on the screen; `paint` says a cell's text and how it looks.
    pub fn draw_cells<'d>(
        &self,
        buffer: &mut Buffer,
        drawing: &'d Drawing,
        paint: impl Fn(&'d Cell) -> (&'d str, Style),
    ) {
        let lead = |offset: i32| u16::try_from(offset.min(0).unsigned_abs()).unwrap_or(u16::MAX);
        for (y, cells) in (lead(self.offset.1)..).zip(drawing.rows()) {
            let shown = cells.iter().enumerate().filter(|(_, cell)| !cell.text.is_empty());
            for (x, cell) in shown {
                let x = u16::try_from(x).unwrap_or(u16::MAX).saturating_add(lead(self.offset.0));
                let (text, style) = paint(cell);
                self.put_text(buffer, (x, y), text, style);
            }
        }
    }

    fn put_text(&self, buffer: &mut Buffer, (x, y): (u16, u16), text: &str, style: Style) {
        let (x, y) = (self.inside.x.saturating_add(x), self.inside.y.saturating_add(y));
        if self.inside.contains((x, y).into()) && buffer.area.contains((x, y).into()) {
            let room = usize::from(self.inside.right() - x);
            buffer.set_stringn(x, y, &*visible_text(text), room, style);
        }
    }

    /// Puts signs on the pane's edge where the picture goes on.
    pub fn draw_ways_out(&self, buffer: &mut Buffer, picture: &Picture, styles: &Styles) {
        let Self { inside, offset } = *self;
        let beyond = |size: usize, offset: i32, room: u16| {
            i32::try_from(size).unwrap_or(i32::MAX) > offset + i32::from(room)
        };
        let (left, right, middle) =
            (inside.x.saturating_sub(1), inside.right(), inside.y + inside.height / 2);
        let signs = [
            (offset.0 > 0, (left, middle), "‹"),
            (beyond(picture.width, offset.0, inside.width), (right, middle), "›"),
            (offset.1 > 0, (right, inside.y), "▴"),
            (
                beyond(picture.height, offset.1, inside.height),
                (right, inside.bottom().saturating_sub(1)),
                "▾",
            ),
        ];
        for (_, at, sign) in signs.into_iter().filter(|(goes_on, ..)| *goes_on) {
            if let Some(cell) = buffer.cell_mut(at) {
                cell.set_symbol(sign).set_style(styles[Role::Accent]);
            }
        }
    }
}
