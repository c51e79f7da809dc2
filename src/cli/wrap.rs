//! Sentences broken into lines that a terminal of 80 columns holds.

use unicode_width::UnicodeWidthStr as _;

use crate::model::shown::visible_text;

/// Text is broken so that lines stay within this.
pub(crate) const WIDTH: usize = 80;

/// The text in lines that begin with `indent`, broken at spaces, with nothing in it that steers a
/// terminal. Line breaks in it stay. Unlike on a screen (`ui::line_wrap`), a word that is longer
/// than a line stays whole: paths and addresses are copied from here.
#[must_use]
pub(crate) fn wrap(text: &str, indent: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for part in text.split('\n') {
        let part = visible_text(part);
        let mut line = String::from(indent);
        // How many cells the line takes; a space joins no two signs into one.
        let (mut cells, mut empty) = (indent.len(), true);
        for word in part.split(' ').filter(|word| !word.is_empty()) {
            let room = cells_of(word);
            if !empty && cells + 1 + room > WIDTH {
                lines.push(std::mem::replace(&mut line, String::from(indent)));
                (cells, empty) = (indent.len(), true);
            }
            if !empty {
                line.push(' ');
                cells += 1;
            }
            line.push_str(word);
            cells += room;
            empty = false;
        }
        lines.push(line);
    }
    lines
}

/// The cells of a word: each of plain letters takes one.
fn cells_of(word: &str) -> usize {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain { word.len() } else { word.width() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_within_the_width_and_lose_no_word() {
        let text = "word ".repeat(60) + "\n\u{1b}[31m" + &"x".repeat(90);
        let lines = wrap(&text, "    ");
        assert!(
            lines[..lines.len() - 1]
                .iter()
                .all(|line| line.width() <= WIDTH && line.starts_with("    word")),
            "{lines:?}"
        );
        assert_eq!(
            lines
                .iter()
                .flat_map(|line| line.split_whitespace())
                .filter(|word| *word == "word")
                .count(),
            60
        );
        assert!(lines.last().unwrap().starts_with("    ␛[31mxxx"));
    }
}
