//! A row of names of which one is chosen.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::input::{Mouse, MouseKind},
    ui::{
        canvas::{Pen, text_width},
        styles::{Role, Styles},
    },
};

#[derive(Clone, Debug, Default)]
pub(crate) struct Tabs {
    pub at: usize,
    places: Vec<Rect>,
    note: Rect,
}

impl Tabs {
    /// Draws the names on the first line of `area`; `note` is at its right.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        names: &[String],
        note: &str,
        styles: &Styles,
    ) {
        self.places.clear();
        self.note = Rect::default();
        let mut pen = Pen::new(buffer, area, 0);
        // Where there is little room, they stand closer.
        let roomy = names.iter().map(|name| text_width(name) + 3).sum::<usize>() + text_width(note)
            <= usize::from(area.width);
        for (row, name) in names.iter().enumerate() {
            if row > 0 {
                pen.put_text("│", styles[Role::Border]);
            }
            let words = if roomy { format!(" {name} ") } else { name.clone() };
            self.places.push(Rect::new(
                pen.column_now(),
                area.y,
                u16::try_from(text_width(&words)).unwrap_or(0),
                1,
            ));
            pen.put_text(&words, styles[if row == self.at { Role::Accent } else { Role::Dim }]);
        }
        if pen.remaining_cells() > text_width(note) {
            pen.put_right(note, styles[Role::Dim]);
            let wide = u16::try_from(text_width(note)).unwrap_or(0);
            self.note =
                Rect { x: area.right().saturating_sub(wide), width: wide, height: 1, ..area };
        }
    }

    /// Whether the words at the right are pressed.
    #[must_use]
    pub fn note_pressed(&self, mouse: Mouse) -> bool {
        matches!(mouse.kind, MouseKind::Down(_))
            && self.note.contains((mouse.column, mouse.row).into())
    }

    /// Chooses the name under a press; whether there was one.
    pub fn handle_mouse(&mut self, mouse: Mouse) -> bool {
        let pressed = matches!(mouse.kind, MouseKind::Down(_));
        let hit =
            self.places.iter().position(|place| place.contains((mouse.column, mouse.row).into()));
        match hit {
            Some(row) if pressed => {
                self.at = row;
                true
            }
            _ => false,
        }
    }
}
