//! Markdown as a terminal can show it: bold, code, lists, headings, links as text.

use crate::ui::canvas::{visible, width};

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Face {
    pub bold: bool,
    pub code: bool,
    pub link: bool,
}

/// A line in pieces.
pub type Line = Vec<(Face, String)>;

/// The text broken into lines of at most `cells` cells. What is no Markdown comes out as it stands; paragraphs keep an empty line between them.
#[must_use]
pub fn lines(text: &str, cells: usize) -> Vec<Line> {
    let cells = cells.max(4);
    let mut lines: Vec<Line> = Vec::new();
    let mut fenced = false;
    for source in text.trim().lines() {
        let line = source.trim_end();
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            lines.push(vec![(Face { code: true, ..Face::default() }, visible(line).into_owned())]);
            continue;
        }
        if line.is_empty() {
            if lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(Vec::new());
            }
            continue;
        }
        block(line, cells, &mut lines);
    }
    lines
}

/// A paragraph's line, a heading or an item.
fn block(line: &str, cells: usize, lines: &mut Vec<Line>) {
    let body = line.trim_start();
    let indent = (line.len() - body.len()).min(8);
    let heading = body.trim_start_matches('#');
    let level = body.len() - heading.len();
    if (1..=6).contains(&level) && heading.starts_with(' ') {
        let bold = inline(heading.trim()).into_iter().map(|(face, text)| (Face { bold: true, ..face }, text));
        wrap(&bold.collect::<Vec<_>>(), (cells, 0), lines);
        return;
    }
    let bullet = ["- ", "* ", "+ "].iter().find_map(|mark| body.strip_prefix(mark));
    let digits = body.chars().take_while(char::is_ascii_digit).count();
    let number = (1..=3).contains(&digits).then(|| body[digits..].strip_prefix(". ")).flatten();
    let (mark, rest) = match (bullet, number) {
        (Some(rest), _) => ("• ".to_owned(), rest),
        (_, Some(rest)) => (body[..digits + 2].to_owned(), rest),
        _ => (String::new(), body),
    };
    let hang = if mark.is_empty() { 0 } else { indent + width(&mark) };
    let mut pieces = vec![(Face::default(), format!("{}{mark}", " ".repeat(if mark.is_empty() { 0 } else { indent })))];
    pieces.extend(inline(rest));
    wrap(&pieces, (cells, hang.min(cells / 2)), lines);
}

/// The pieces of a line. A mark without its end is text.
fn inline(text: &str) -> Line {
    let mut pieces: Line = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some((face, inner, after)) = marked(rest, plain.chars().last()) {
            if !plain.is_empty() {
                pieces.push((Face::default(), std::mem::take(&mut plain)));
            }
            pieces.push((face, inner));
            rest = after;
            continue;
        }
        let escaped = letter == '\\' && rest[1..].starts_with(|next: char| next.is_ascii_punctuation());
        let taken = if escaped { &rest[1..2] } else { &rest[..letter.len_utf8()] };
        plain.push_str(taken);
        rest = &rest[taken.len() + usize::from(escaped)..];
    }
    if !plain.is_empty() {
        pieces.push((Face::default(), plain));
    }
    pieces.into_iter().map(|(face, text)| (face, visible(&text).into_owned())).collect()
}

fn marked(rest: &str, before: Option<char>) -> Option<(Face, String, &str)> {
    let within = |mark: &str| {
        let inner = rest.strip_prefix(mark)?;
        let end = inner.find(mark)?;
        let text = &inner[..end];
        (!text.trim().is_empty() && (mark == "`" || text.trim() == text)).then(|| (text.to_owned(), &inner[end + mark.len()..]))
    };
    if let Some((text, after)) = within("`") {
        return Some((Face { code: true, ..Face::default() }, text, after));
    }
    // Names such as __init__ and snake_case are no marks.
    let at_start = before.is_none_or(|before| !before.is_alphanumeric());
    for mark in ["**", "__"] {
        if let Some((text, after)) =
            within(mark).filter(|(_, after)| mark == "**" || at_start && !after.starts_with(char::is_alphanumeric))
        {
            return Some((Face { bold: true, ..Face::default() }, text, after));
        }
    }
    for mark in ["*", "_"] {
        if let Some((text, after)) =
            within(mark).filter(|(text, after)| at_start && !text.starts_with(mark) && !after.starts_with(char::is_alphanumeric))
        {
            return Some((Face::default(), text, after));
        }
    }
    let inner = rest.strip_prefix('[')?;
    let (words, target) = inner.split_once("](")?;
    let (target, after) = target.split_once(')')?;
    if words.contains(['[', ']', '\n']) || target.contains(char::is_whitespace) {
        return None;
    }
    let shown = if words == target || words.is_empty() { target.to_owned() } else { format!("{words} ({target})") };
    Some((Face { link: true, ..Face::default() }, shown, after))
}

/// Breaks pieces between words; words that are longer than a line are cut.
fn wrap(pieces: &[(Face, String)], (cells, hang): (usize, usize), lines: &mut Vec<Line>) {
    let mut line: Line = Vec::new();
    let mut used = 0;
    for (face, text) in pieces {
        for word in text.split_inclusive(' ') {
            let bare = width(word.trim_end());
            if used > hang && used + bare > cells {
                lines.push(trimmed(std::mem::take(&mut line)));
                used = hang;
                line.push((Face::default(), " ".repeat(hang)));
            }
            for part in cut(word, cells - hang) {
                if used > hang && used + width(part.trim_end()) > cells {
                    lines.push(trimmed(std::mem::take(&mut line)));
                    used = hang;
                    line.push((Face::default(), " ".repeat(hang)));
                }
                used += width(part);
                match line.last_mut().filter(|(last, _)| last == face) {
                    Some((_, text)) => text.push_str(part),
                    None => line.push((*face, part.to_owned())),
                }
            }
        }
    }
    lines.push(trimmed(line));
}

/// A word in parts of at most `cells` cells.
fn cut(word: &str, cells: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut used = 0;
    for (at, letter) in word.char_indices() {
        let wide = width(letter.encode_utf8(&mut [0; 4]));
        if used + wide > cells && at > start && letter != ' ' {
            parts.push(&word[start..at]);
            (start, used) = (at, 0);
        }
        used += wide;
    }
    parts.push(&word[start..]);
    parts
}

fn trimmed(mut line: Line) -> Line {
    if let Some((_, last)) = line.last_mut() {
        last.truncate(last.trim_end().len());
    }
    line.retain(|(_, text)| !text.is_empty());
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn flat(text: &str, cells: usize) -> Vec<String> {
        lines(text, cells).iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect()).collect()
    }

    #[test]
    fn marks_become_faces_and_names_stay_names() {
        let pieces = inline("**Bold** `a_b` [docs](https://x.y) snake_case 2 * 3 * 4 \\*");
        let bold: Vec<_> = pieces.iter().filter(|(face, _)| face.bold).map(|(_, text)| text.as_str()).collect();
        let code: Vec<_> = pieces.iter().filter(|(face, _)| face.code).map(|(_, text)| text.as_str()).collect();
        assert_eq!((bold, code), (vec!["Bold"], vec!["a_b"]));
        let all: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(all, "Bold a_b docs (https://x.y) snake_case 2 * 3 * 4 *");
    }

    #[test]
    fn items_hang_and_headings_lose_their_mark() {
        assert_eq!(
            flat("# Head\n\n- one two three four\n  1. sub\n\n\nend", 12),
            ["Head", "", "• one two", "  three four", "  1. sub", "", "end"]
        );
        assert!(lines("# Head", 20)[0][0].0.bold);
        assert_eq!(flat("```\n*x*\n```", 20), ["*x*"]);
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide_and_no_word_is_lost(text in "[a-z日 *_`\\[\\]()\n-]{0,80}", cells in 8_usize..40) {
            for line in flat(&text, cells) {
                prop_assert!(width(&line) <= cells, "{line:?}");
            }
            let letters = |text: &str| text.chars().filter(|letter| letter.is_alphabetic()).collect::<String>();
            if !text.contains("```") {
                prop_assert_eq!(letters(&flat(&text, cells).concat()), letters(&text));
            }
        }
    }
}
