//! Cells that a terminal fills with an image itself: placeholders of kitty's graphics protocol.
//! Each says by its colour which image it is of, and by two marks over its letter which row and
//! column.

use std::ops::RangeInclusive;

use ratatui::{buffer::Buffer, layout::Rect, style::Color};

/// The letter of such a cell.
pub(crate) const LETTER: &str = "\u{10eeee}";

/// Marks in their order, the first of which is for row or column 0: the protocol's, of which no
/// terminal has more rows than these.
const MARKS: &[RangeInclusive<char>] = &[
    '\u{305}'..='\u{305}',
    '\u{30d}'..='\u{30e}',
    '\u{310}'..='\u{310}',
    '\u{312}'..='\u{312}',
    '\u{33d}'..='\u{33f}',
    '\u{346}'..='\u{346}',
    '\u{34a}'..='\u{34c}',
    '\u{350}'..='\u{352}',
    '\u{357}'..='\u{357}',
    '\u{35b}'..='\u{35b}',
    '\u{363}'..='\u{36f}',
    '\u{483}'..='\u{487}',
    '\u{592}'..='\u{595}',
    '\u{597}'..='\u{599}',
    '\u{59c}'..='\u{5a1}',
    '\u{5a8}'..='\u{5a9}',
    '\u{5ab}'..='\u{5ac}',
    '\u{5af}'..='\u{5af}',
    '\u{5c4}'..='\u{5c4}',
    '\u{610}'..='\u{617}',
    '\u{657}'..='\u{65b}',
    '\u{65d}'..='\u{65e}',
    '\u{6d6}'..='\u{6dc}',
    '\u{6df}'..='\u{6e2}',
    '\u{6e4}'..='\u{6e4}',
    '\u{6e7}'..='\u{6e8}',
    '\u{6eb}'..='\u{6ec}',
    '\u{730}'..='\u{730}',
    '\u{732}'..='\u{733}',
    '\u{735}'..='\u{736}',
    '\u{73a}'..='\u{73a}',
    '\u{73d}'..='\u{73d}',
    '\u{73f}'..='\u{741}',
    '\u{743}'..='\u{743}',
    '\u{745}'..='\u{745}',
    '\u{747}'..='\u{747}',
    '\u{749}'..='\u{74a}',
    '\u{7eb}'..='\u{7f1}',
    '\u{7f3}'..='\u{7f3}',
    '\u{816}'..='\u{819}',
    '\u{81b}'..='\u{823}',
    '\u{825}'..='\u{827}',
    '\u{829}'..='\u{82d}',
];

fn marks() -> Vec<char> {
    MARKS.iter().flat_map(Clone::clone).collect()
}

/// Draws the rows that fit of the image with that number of 24 bits, from row `above` on.
pub(crate) fn draw(buffer: &mut Buffer, area: Rect, above: u16, number: u32) {
    let marks = marks();
    let mark = |number: u16| marks.get(usize::from(number));
    let [_, red, green, blue] = number.to_be_bytes();
    for row in 0..area.height {
        let Some(row_mark) = mark(above + row) else { return };
        for column in 0..area.width {
            let Some(cell) = buffer.cell_mut((area.x + column, area.y + row)) else { continue };
            // Without a mark for it, a column is that behind the one before.
            let mut text = format!("{LETTER}{row_mark}");
            text.extend(mark(column));
            cell.set_symbol(&text).set_fg(Color::Rgb(red, green, blue));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::canvas::text_width;

    #[test]
    fn a_placeholder_names_its_image_row_and_column_in_one_cell() {
        let mut buffer = Buffer::with_lines(["abcd", "efgh"]);
        draw(&mut buffer, Rect::new(1, 0, 2, 2), 3, 0x0a_0b_0c);
        let texts = |row: u16| [1, 2].map(|column| buffer[(column, row)].symbol().to_owned());
        assert_eq!(texts(0), ["\u{10eeee}\u{310}\u{305}", "\u{10eeee}\u{310}\u{30d}"]);
        assert_eq!(texts(1), ["\u{10eeee}\u{312}\u{305}", "\u{10eeee}\u{312}\u{30d}"]);
        assert_eq!(buffer[(1, 0)].fg, Color::Rgb(10, 11, 12));
        assert_eq!((buffer[(0, 0)].symbol(), buffer[(3, 1)].symbol()), ("a", "h"));
        assert_eq!(text_width(buffer[(2, 1)].symbol()), 1);
    }

    #[test]
    fn each_mark_takes_no_cell_and_is_there_once() {
        let marks = marks();
        assert!(marks.is_sorted() && marks.len() > 120, "{}", marks.len());
        for mark in marks {
            assert_eq!(text_width(&format!("{LETTER}{mark}{mark}")), 1, "{mark:?}");
        }
    }
}
