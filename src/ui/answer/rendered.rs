//! An answer as Markdown; as it grows, only its last blocks are made again.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    model::{answer_text::AnswerText, size},
    ui::{
        canvas::Pen,
        styles::{Role, Styles},
        widgets::{
            list::ListCursor,
            markdown::{GrowingText, TextFace},
        },
    },
};

/// A longer text is shown as Markdown up to here.
const LONGEST: usize = 256 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Rendered {
    text: GrowingText,
    /// The text goes on where the Markdown ends.
    is_cut: bool,
}

impl Rendered {
    /// How many lines there are.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.text.lines().len() + usize::from(self.is_cut)
    }

    /// Draws the lines that are seen.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        text: &AnswerText,
        cursor: &mut ListCursor,
    ) {
        let start = start_of(text);
        self.text.render(&start, usize::from(area.width));
        self.is_cut = start.len() < text.len();
        for (line, row) in (0_u16..).zip(cursor.visible_rows(self.row_count(), area.height)) {
            let mut pen = Pen::new(buffer, area, line);
            match self.text.lines().get(row) {
                Some(pieces) => {
                    for (face, piece) in pieces {
                        pen.put_text(piece, styles[face_role(*face)]);
                    }
                }
                None => {
                    let most = size::format_size(LONGEST as u64);
                    let words = format!("… Markdown is shown up to {most}; Text shows all");
                    pen.put_text(&words, styles[Role::Text]);
                }
            }
        }
    }
}

/// How a piece of Markdown is shown.
pub(crate) fn face_role(face: TextFace) -> Role {
    match face {
        TextFace { code: true, .. } => Role::SyntaxText,
        TextFace { link: true, .. } => Role::Info,
        TextFace { bold: true, .. } => Role::Heading,
        TextFace { .. } => Role::Text,
    }
}

fn start_of(text: &AnswerText) -> Cow<'_, str> {
    text.slice(0..LONGEST)
}
