//! Where text breaks into rows: one rule for prose, styled text, text views and editors.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use super::canvas::text_width;

/// How many cells the rows of a line have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowWidths {
    pub first: usize,
    pub others: usize,
}

impl RowWidths {
    /// All rows have that many cells, at least one.
    #[must_use]
    pub fn all(cells: usize) -> Self {
        Self { first: cells.max(1), others: cells.max(1) }
    }
}

/// The rows of a line without its line break, as byte ranges that join to the line. A row ends
/// after a blank or a tab where there is one, else within the word, never within a grapheme.
/// Spaces may hang over the edge. `cell_width` says how many cells a grapheme takes.
pub(crate) fn line_rows(
    line: &str,
    widths: RowWidths,
    cell_width: fn(&str) -> usize,
) -> impl Iterator<Item = Range<usize>> {
    LineRows { line, widths, cell_width, start: Some(0) }
}

struct LineRows<'l> {
    line: &'l str,
    widths: RowWidths,
    cell_width: fn(&str) -> usize,
    /// Where the next row begins.
    start: Option<usize>,
}

impl Iterator for LineRows<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.start?;
        let room = if start == 0 { self.widths.first } else { self.widths.others };
        let (mut taken, mut after_blank) = (0, None);
        for (offset, grapheme) in self.line[start..].grapheme_indices(true) {
            let at = start + offset;
            taken += (self.cell_width)(grapheme);
            if taken > room && at > start && grapheme != " " {
                let end = after_blank.unwrap_or(at);
                self.start = Some(end);
                return Some(start..end);
            }
            if matches!(grapheme, " " | "\t") {
                after_blank = Some(at + grapheme.len());
            }
        }
        self.start = None;
        Some(start..self.line.len())
    }
}

/// A text in lines of at most `cells` cells, without the spaces at which they break. Its own line
/// breaks stay.
#[must_use]
pub(crate) fn wrap(text: &str, cells: usize) -> Vec<String> {
    let lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
    lines
        .flat_map(|line| {
            line_rows(line, RowWidths::all(cells), text_width)
                .map(|row| line[row].trim_end_matches(' ').to_owned())
        })
        .collect()
}

/// The same for text in several styles.
pub(crate) fn wrap_styled<S: Copy + PartialEq>(
    pieces: &[(S, String)],
    widths: RowWidths,
) -> Vec<Vec<(S, String)>> {
    let text: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
    let mut rows = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        rows.extend(line_rows(line, widths, text_width).map(|row| {
            let shown =
                start + row.start..start + row.start + line[row].trim_end_matches(' ').len();
            pieces_within(pieces, shown)
        }));
        start += line.len() + 1;
    }
    rows
}

/// The part of the joined pieces in a range of bytes; neighbours in one style are one
/// piece.
fn pieces_within<S: Copy + PartialEq>(
    pieces: &[(S, String)],
    range: Range<usize>,
) -> Vec<(S, String)> {
    let mut row: Vec<(S, String)> = Vec::new();
    let mut start = 0;
    for (style, text) in pieces {
        let from = range.start.clamp(start, start + text.len()) - start;
        let to = range.end.clamp(start, start + text.len()) - start;
        start += text.len();
        if from < to {
            match row.last_mut().filter(|(last, _)| last == style) {
                Some((_, joined)) => joined.push_str(&text[from..to]),
                None => row.push((*style, text[from..to].to_owned())),
            }
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_breaks_after_blanks_and_words_that_are_too_long_break_within() {
        assert_eq!(wrap("one two  three", 8), ["one two", "three"]);
        assert_eq!(wrap("one\r\n\n two", 8), ["one", "", " two"]);
        assert_eq!(wrap("a 日本語日本語", 5), ["a", "日本", "語日", "本語"]);
    }

    #[test]
    fn styles_stay_with_their_letters() {
        let pieces =
            [(1, "one tw".to_owned()), (2, "o three".to_owned()), (2, "\nfour".to_owned())];
        let expected = vec![
            vec![(1, "one".to_owned())],
            vec![(1, "tw".to_owned()), (2, "o".to_owned())],
            vec![(2, "three".to_owned())],
            vec![(2, "four".to_owned())],
        ];
        assert_eq!(wrap_styled(&pieces, RowWidths { first: 4, others: 6 }), expected);
    }

    proptest! {
        #[test]
        fn rows_fit_and_join_to_the_line(line in "[a-z 日👩‍👧\t]{0,60}", first in 2_usize..12, others in 2_usize..12) {
            let rows: Vec<_> = line_rows(&line, RowWidths { first, others }, text_width).collect();
            prop_assert_eq!(rows.iter().map(|row| &line[row.clone()]).collect::<String>(), line.as_str());
            for (number, row) in rows.into_iter().enumerate() {
                let room = if number == 0 { first } else { others };
                prop_assert!(text_width(line[row.clone()].trim_end_matches(' ')) <= room, "{:?}", &line[row]);
            }
        }

        #[test]
        fn wrapped_lines_fit_and_lose_nothing_but_blanks(text in "[a-z 日\n]{0,60}", cells in 2_usize..20) {
            let lines = wrap(&text, cells);
            prop_assert!(lines.iter().all(|line| text_width(line) <= cells));
            let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
            let styled = wrap_styled(&[((), text)], RowWidths::all(cells));
            let joined: Vec<String> = styled.iter().map(|row| row.iter().map(|(_, text)| text.as_str()).collect()).collect();
            prop_assert_eq!(joined, lines);
        }
    }
}
