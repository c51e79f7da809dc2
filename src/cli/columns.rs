//! Rows in columns that stand under each other.

use std::io;

use unicode_width::UnicodeWidthStr as _;

use super::{
    out::{CommandOutput, Tint},
    wrap::{WIDTH, wrap},
};

/// A cell: its text, and how it is shown.
pub(crate) struct Cell {
    text: String,
    tint: Option<Tint>,
}

impl Cell {
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), tint: None }
    }

    #[must_use]
    pub fn tinted(tint: Tint, text: impl Into<String>) -> Self {
        Self { text: text.into(), tint: Some(tint) }
    }
}

/// A last column that begins further to the right is not broken into lines.
const RIGHTMOST: usize = 56;

/// Writes a head and rows, each column as wide as its widest cell. The last one is broken at spaces
/// where it would leave the terminal.
pub(crate) fn write_table(
    out: &mut CommandOutput,
    head: &[&str],
    rows: Vec<Vec<Cell>>,
) -> io::Result<()> {
    let head = head.iter().map(|text| Cell::tinted(Tint::Dim, *text)).collect();
    let rows: Vec<Vec<Cell>> = [head].into_iter().chain(rows).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |cell: &Cell| out.safe_text(&cell.text).width();
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(width).max().unwrap_or_default()
        })
        .collect();
    let last = columns.saturating_sub(1);
    for row in &rows {
        let mut line = String::new();
        let mut at = 0;
        for (column, (cell, wide)) in row.iter().zip(&widths).enumerate() {
            let text = out.safe_text(&cell.text);
            let show =
                |text: &str| cell.tint.map_or_else(|| text.to_owned(), |tint| out.tint(tint, text));
            if column == last && at + text.width() > WIDTH && at <= RIGHTMOST {
                let indent = " ".repeat(at);
                let lines = wrap(&text, &indent);
                let parts: Vec<String> = lines.iter().map(|part| show(part.trim_start())).collect();
                line.push_str(&parts.join(&format!("\n{indent}")));
            } else {
                line.push_str(&show(&text));
                line.extend(std::iter::repeat_n(' ', wide + 2 - text.width()));
            }
            at += wide + 2;
        }
        out.print_line(line.trim_end())?;
    }
    Ok(())
}
