//! An answer's bytes in rows, as numbers and as signs. Only the rows that are seen are made.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    model::answer_text::AnswerText,
    ui::{
        canvas::{Pen, mark_chosen},
        styles::{Role, Styles},
        widgets::list::ListCursor,
    },
};

/// Cells that a row of sixteen needs.
const WIDE: u16 = 76;

/// How many bytes stand in a row.
fn in_a_row(cells: u16) -> usize {
    if cells >= WIDE { 16 } else { 8 }
}

/// How many rows a text has.
#[must_use]
pub(crate) fn row_count(text: &AnswerText, cells: u16) -> usize {
    text.len().div_ceil(in_a_row(cells))
}

/// Draws the rows that are seen.
pub(crate) fn draw_hex(
    buffer: &mut Buffer,
    area: Rect,
    styles: &Styles,
    text: &AnswerText,
    cursor: &mut ListCursor,
    focused: bool,
) {
    let each = in_a_row(area.width);
    for (line, row) in (0_u16..).zip(cursor.visible_rows(row_count(text, area.width), area.height))
    {
        let start = row * each;
        let bytes = text.bytes(start..start + each);
        let numbers: String = bytes.iter().map(|byte| format!("{byte:02x} ")).collect();
        let sign = |byte: &u8| {
            if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '·' }
        };
        Pen::new(buffer, area, line)
            .put_text(&format!("{start:08x}  "), styles[Role::LineNumber])
            .put_column(&numbers, each * 3 + 1, styles[Role::Text])
            .put_text(&bytes.iter().map(sign).collect::<String>(), styles[Role::SyntaxText]);
        if row == cursor.row && focused {
            mark_chosen(buffer, area, line, styles, focused);
        }
    }
}
