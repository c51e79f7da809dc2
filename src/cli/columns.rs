//! Rows in columns that stand under each other.

use std::io;

use unicode_width::UnicodeWidthStr as _;

use super::out::{Out, Tint};

/// A cell: its text, and how it is shown.
pub struct Cell {
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

/// Writes a head and rows, each column as wide as its widest cell; the last one as wide as it likes.
pub fn write(out: &mut Out, head: &[&str], rows: Vec<Vec<Cell>>) -> io::Result<()> {
    let head = head.iter().map(|text| Cell::tinted(Tint::Dim, *text)).collect();
    let rows: Vec<Vec<Cell>> = [head].into_iter().chain(rows).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |cell: &Cell| out.text(&cell.text).width();
    let widths: Vec<usize> =
        (0..columns).map(|column| rows.iter().filter_map(|row| row.get(column)).map(width).max().unwrap_or_default()).collect();
    for row in &rows {
        let mut line = String::new();
        let mut gap = 0;
        for (cell, wide) in row.iter().zip(&widths) {
            line.extend(std::iter::repeat_n(' ', gap));
            line.push_str(&cell.tint.map_or_else(|| out.text(&cell.text).into_owned(), |tint| out.tint(tint, &cell.text)));
            gap = wide + 2 - out.text(&cell.text).width();
        }
        out.line(line.trim_end())?;
    }
    Ok(())
}
