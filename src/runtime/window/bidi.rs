//! Text that is read from right to left: the order in which the cells of a row are drawn.

use std::ops::Range;

use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

/// The cells of a row from left to right, as the index of each, and whether it is read from right to
/// left. `None`: they are drawn as they come.
pub(super) fn drawn_order(texts: &[&str]) -> Option<Vec<(usize, bool)>> {
    if !has_turned(texts) {
        return None;
    }
    let mut order: Vec<_> = (0..texts.len()).map(|index| (index, false)).collect();
    for part in parts(texts) {
        let cells = &texts[part.clone()];
        if !has_turned(cells) {
            continue;
        }
        let text = cells.concat();
        let info = BidiInfo::new(&text, Some(Level::ltr()));
        let mut at = 0;
        let levels: Vec<Level> = cells
            .iter()
            .map(|cell| {
                let level = info.levels.get(at).copied().unwrap_or_else(Level::ltr);
                at += cell.len();
                level
            })
            .collect();
        for (place, index) in BidiInfo::reorder_visual(&levels).into_iter().enumerate() {
            order[part.start + place] = (part.start + index, levels[index].is_rtl());
        }
    }
    Some(order)
}

/// A sign as it is drawn within text that is read from right to left.
pub(super) fn mirrored(text: &str) -> &str {
    match text {
        "(" => ")",
        ")" => "(",
        "[" => "]",
        "]" => "[",
        "{" => "}",
        "}" => "{",
        "<" => ">",
        ">" => "<",
        "«" => "»",
        "»" => "«",
        other => other,
    }
}

/// Whether a letter of Hebrew, Arabic and the like is in there.
fn has_turned(texts: &[&str]) -> bool {
    // What most rows have is not looked up: these letters are beyond it.
    let is_turned = |letter: char| {
        letter >= '\u{590}'
            && !('\u{2010}'..='\u{d7ff}').contains(&letter)
            && matches!(bidi_class(letter), BidiClass::R | BidiClass::AL)
    };
    texts.iter().any(|text| text.chars().any(is_turned))
}

/// The parts of a row that are texts of their own: what is between lines of frames, quotes, and the
/// gaps of columns.
fn parts(texts: &[&str]) -> Vec<Range<usize>> {
    let is_blank = |at: usize| texts.get(at).is_some_and(|text| *text == " ");
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, text) in texts.iter().enumerate() {
        let is_gap = is_blank(at) && (is_blank(at + 1) || at > 0 && is_blank(at - 1));
        if is_gap || is_edge(text) {
            parts.push(start..at);
            start = at + 1;
        }
    }
    parts.push(start..texts.len());
    parts
}

fn is_edge(text: &str) -> bool {
    let first = text.chars().next();
    first.is_some_and(|sign| sign == '"' || ('\u{2500}'..='\u{25ff}').contains(&sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row as it is drawn.
    fn drawn(row: &str) -> String {
        let cells: Vec<String> = row.chars().map(String::from).collect();
        let texts: Vec<&str> = cells.iter().map(String::as_str).collect();
        let Some(order) = drawn_order(&texts) else { return row.to_owned() };
        let shown = order.into_iter().map(|(index, is_turned)| match is_turned {
            true => mirrored(texts[index]),
            false => texts[index],
        });
        shown.collect()
    }

    #[test]
    fn words_are_read_from_the_right_and_what_is_around_them_stays() {
        assert_eq!(drawn("state: תוחוד"), "state: דוחות");
        assert_eq!(drawn("שלום עולם, 12 abc"), "12 ,םלוע םולש abc");
        assert_eq!(drawn("תקריר"), "רירקת");
        assert_eq!(drawn("plain text (1)"), "plain text (1)");
    }

    #[test]
    fn frames_quotes_and_columns_stay_where_they_are() {
        assert_eq!(drawn("│ אב │ גד │"), "│ בא │ דג │");
        assert_eq!(drawn("אב  גד"), "בא  דג");
        assert_eq!(drawn(r#"["אב", "גד"]"#), r#"["בא", "דג"]"#);
    }

    #[test]
    fn numbers_keep_their_order_and_brackets_open_to_the_left() {
        assert_eq!(drawn("אב 123 (גד) הו"), "וה (דג) 123 בא");
    }
}
