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
        let mut empty = true;
        for word in part.split(' ').filter(|word| !word.is_empty()) {
            if !empty && line.width() + 1 + word.width() > WIDTH {
                lines.push(std::mem::replace(&mut line, String::from(indent)));
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            line.push_str(word);
            empty = false;
        }
        lines.push(line);
    }
    lines
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
