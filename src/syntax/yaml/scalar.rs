//! Writes scalars of YAML: plain where every reader takes it for text, else in quotes or as a
//! block.

use super::resolve;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    /// Without quotes where that is safe, else in double quotes.
    Plain,
    Single,
    Double,
}

impl Quote {
    /// As an existing scalar is written.
    pub fn detect(written: &str) -> Self {
        match written.as_bytes().first() {
            Some(b'"') => Self::Double,
            Some(b'\'') => Self::Single,
            _ => Self::Plain,
        }
    }
}

/// A text on one line. `flow`: it is to stand between brackets.
pub(crate) fn print_text(text: &str, quote: Quote, flow: bool) -> String {
    match quote {
        Quote::Plain if is_plain(text, flow) => text.to_owned(),
        Quote::Single if text.chars().all(is_printable) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => double_quoted(text),
    }
}

/// Whether a text can stand without quotes and still be text to readers of YAML 1.2 and 1.1.
fn is_plain(text: &str, flow: bool) -> bool {
    let indicator = text.starts_with(|first: char| "-?:,[]{}#&*!|>'\"%@`= \t<".contains(first));
    let inner =
        text.contains(": ") || text.contains(" #") || text.contains(":\t") || text.contains("\t#");
    let outer = text.ends_with([' ', '\t', ':']);
    let bracketed = flow && text.contains([',', '[', ']', '{', '}', ':']);
    let marker = text.starts_with("...");
    !(indicator || inner || outer || bracketed || marker)
        && text.chars().all(is_printable)
        && resolve::is_text(text)
}

fn is_printable(letter: char) -> bool {
    letter == '\t'
        || !(letter.is_control()
            || matches!(letter, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}'))
}

fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if is_printable(letter) => out.push(letter),
            letter => match u32::from(letter) {
                code @ ..=0xff => out.push_str(&format!("\\x{code:02x}")),
                code @ ..=0xffff => out.push_str(&format!("\\u{code:04x}")),
                code => out.push_str(&format!("\\U{code:08x}")),
            },
        }
    }
    out.push('"');
    out
}

/// Whether a text can be written as a literal block (`|`) whose value does not hang on what follows
/// it.
pub(crate) fn is_block(text: &str) -> bool {
    text.trim_end_matches('\n').contains('\n')
        && !text.ends_with("\n\n")
        && !text.trim().is_empty()
        && text.chars().all(|letter| letter == '\n' || is_printable(letter))
}

/// Whether a text is one line that a block which is already there can hold.
pub(crate) fn is_one_line(text: &str) -> bool {
    let line = text.strip_suffix('\n').unwrap_or(text);
    !line.trim().is_empty() && line.chars().all(is_printable)
}

/// The header and the lines of a literal block, the lines indented by `unit`.
pub(crate) fn literal_block(text: &str, unit: &str) -> (String, Vec<String>) {
    let chomp = if text.ends_with('\n') { "" } else { "-" };
    // Spaces that begin the text would be taken for its indentation.
    let indicator =
        if text.starts_with([' ', '\n', '\t']) { unit.len().to_string() } else { String::new() };
    let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
    (format!("|{indicator}{chomp}"), lines.map(|line| indent_line(line, unit)).collect())
}

/// The header and the lines of a folded block, filled up to `width`; `None` where folding would not
/// give the text back.
pub(crate) fn folded_block(text: &str, unit: &str, width: usize) -> Option<(String, Vec<String>)> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let sound = |line: &str| !line.starts_with([' ', '\t']) && !line.ends_with([' ', '\t']);
    if body.is_empty()
        || body.starts_with('\n')
        || body.ends_with('\n')
        || !body.split('\n').all(sound)
    {
        return None;
    }
    let mut lines = Vec::new();
    for (row, paragraph) in body.split('\n').enumerate() {
        if row > 0 {
            // A break of the text is a blank line here: a plain line end reads as a blank.
            lines.push(String::new());
        }
        if paragraph.is_empty() {
            continue;
        }
        fill_lines(paragraph, unit, width, &mut lines);
    }
    Some((if text.ends_with('\n') { ">".to_owned() } else { ">-".to_owned() }, lines))
}

/// Breaks a paragraph at single spaces.
fn fill_lines(paragraph: &str, unit: &str, width: usize, lines: &mut Vec<String>) {
    let mut line = String::new();
    for word in paragraph.split(' ') {
        let breaks = !line.is_empty()
            && !word.is_empty()
            && !line.ends_with(' ')
            && line.chars().count() + 1 + word.chars().count() > width;
        if breaks {
            lines.push(indent_line(&line, unit));
            line.clear();
        } else if !line.is_empty() || word.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(indent_line(&line, unit));
}

fn indent_line(line: &str, unit: &str) -> String {
    if line.is_empty() { String::new() } else { format!("{unit}{line}") }
}
