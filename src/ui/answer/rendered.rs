//! An answer as Markdown, made anew only when the text or the width changed.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    model::size,
    ui::{
        canvas::Pen,
        styles::{Role, Styles},
        widgets::{
            list::ListCursor,
            markdown::{self, Face, Line},
        },
    },
};

/// A longer text is shown as Markdown up to here.
const LONGEST: usize = 256 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Rendered {
    /// Of which text and width the lines were made.
    of: (usize, u16),
    lines: Vec<Line>,
    /// How often they were made.
    pub made: u64,
}

impl Rendered {
    /// How many lines there are.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.lines.len()
    }

    /// Draws the lines that are seen.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        text: &str,
        cursor: &mut ListCursor,
    ) {
        let start = start_of(text);
        if self.of != (start.len(), area.width) || self.made == 0 {
            self.of = (start.len(), area.width);
            self.made += 1;
            self.lines = markdown::render_lines(start, usize::from(area.width));
            if start.len() < text.len() {
                let words = format!(
                    "… Markdown is shown up to {}; Text shows all",
                    size::format_size(LONGEST as u64)
                );
                self.lines.push(vec![(Face::default(), words)]);
            }
        }
        for (line, row) in (0_u16..).zip(cursor.visible_rows(self.lines.len(), area.height)) {
            let mut pen = Pen::new(buffer, area, line);
            for (face, piece) in &self.lines[row] {
                pen.put_text(piece, styles[face_role(*face)]);
            }
        }
    }
}

fn face_role(face: Face) -> Role {
    match face {
        Face { code: true, .. } => Role::SyntaxText,
        Face { link: true, .. } => Role::Info,
        Face { bold: true, .. } => Role::Heading,
        Face { .. } => Role::Text,
    }
}

fn start_of(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
