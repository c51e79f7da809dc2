//! Writes values as TOML: keys, values on one line, and whole texts with tables.

use crate::syntax::draft::Draft;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    Basic,
    /// Between `'`: nothing is an escape.
    Literal,
    /// Between `"""`, on several lines.
    Lines,
    /// Between `'''`.
    LiteralLines,
    /// A date or time, without quotes.
    Bare,
}

impl Quote {
    /// As an existing value is written.
    pub fn detect(written: &str) -> Self {
        match written.as_bytes() {
            [b'"', b'"', b'"', ..] => Self::Lines,
            [b'\'', b'\'', b'\'', ..] => Self::LiteralLines,
            [b'"', ..] => Self::Basic,
            [b'\'', ..] => Self::Literal,
            [b'0'..=b'9', ..] if written.contains(['-', ':']) => Self::Bare,
            _ => Self::Basic,
        }
    }
}

pub(crate) fn print_key(key: &str) -> String {
    let bare = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if bare { key.to_owned() } else { basic_string(key) }
}

/// The keys of a path with dots between.
pub(crate) fn print_path(keys: &[String]) -> String {
    keys.iter().map(|name| print_key(name)).collect::<Vec<_>>().join(".")
}

/// A text in the given quotes where they can hold it, else in double quotes. `eol` would part the
/// lines of long ones: readers differ on whether `\r\n` within a text is one break, so there are no
/// such texts where lines end with it.
pub(crate) fn print_text(text: &str, quote: Quote, eol: &str) -> String {
    let on_lines = text.contains('\n') && eol == "\n";
    let sound = |letter: char| letter == '\t' || !letter.is_control();
    match quote {
        Quote::Literal if text.chars().all(|letter| letter != '\'' && sound(letter)) => {
            format!("'{text}'")
        }
        Quote::Lines if on_lines => format!("\"\"\"{eol}{}\"\"\"", basic_lines(text, eol)),
        Quote::LiteralLines
            if on_lines
                && !text.contains("''")
                && !text.ends_with('\'')
                && text.chars().all(|letter| letter == '\n' || sound(letter)) =>
        {
            format!("'''{eol}{}'''", text.replace('\n', eol))
        }
        Quote::Bare if text.parse::<toml_edit::Datetime>().is_ok() => text.to_owned(),
        _ => basic_string(text),
    }
}

/// A value on one line.
pub(crate) fn print_value(draft: &Draft) -> String {
    match draft {
        // Without a word for it; callers refuse it before.
        Draft::Null => "\"\"".into(),
        Draft::Flag(flag) => flag.to_string(),
        Draft::Number { text, .. } => text.clone(),
        Draft::Text(text) => self::print_text(text, Quote::Basic, "\n"),
        Draft::List(items) => {
            format!("[{}]", items.iter().map(print_value).collect::<Vec<_>>().join(", "))
        }
        Draft::Object(members) if members.is_empty() => "{}".into(),
        Draft::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, to)| format!("{} = {}", print_key(name), print_value(to)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
    }
}

/// `key = value`, a long text on lines of its own.
pub(crate) fn print_member(name: &str, to: &Draft, eol: &str) -> String {
    let value = match to {
        Draft::Text(text) if text.trim_end_matches('\n').contains('\n') => {
            self::print_text(text, Quote::Lines, eol)
        }
        other => print_value(other),
    };
    format!("{} = {value}", print_key(name))
}

/// A text of its own: members first, tables behind them.
pub(crate) fn print_whole(to: &Draft, eol: &str) -> String {
    let Draft::Object(members) = to else { return print_value(to) + eol };
    let lines = print_body(members, &[], eol);
    if lines.is_empty() { String::new() } else { lines.join(eol) + eol }
}

/// The lines of a table with its header. `list`: as one of an array of tables.
pub(crate) fn print_section(
    path: &[String],
    members: &[(String, Draft)],
    list: bool,
    eol: &str,
) -> Vec<String> {
    let name = self::print_path(path);
    let header = if list { format!("[[{name}]]") } else { format!("[{name}]") };
    std::iter::once(header).chain(print_body(members, path, eol)).collect()
}

/// Whether a value is written as tables with headers rather than on one line.
pub(crate) fn is_section(to: &Draft) -> bool {
    let table = |item: &Draft| matches!(item, Draft::Object(members) if !members.is_empty());
    match to {
        Draft::List(items) => !items.is_empty() && items.iter().all(table),
        other => table(other),
    }
}

/// The sections of a value below a path, each after a blank line.
pub(crate) fn print_sections(path: &[String], to: &Draft, eol: &str) -> Vec<String> {
    match to {
        // The headers of what it holds say that it is there.
        Draft::Object(members)
            if !members.is_empty() && members.iter().all(|(_, to)| is_section(to)) =>
        {
            print_body(members, path, eol)
        }
        Draft::Object(members) => {
            std::iter::once(String::new()).chain(print_section(path, members, false, eol)).collect()
        }
        Draft::List(items) => items
            .iter()
            .filter_map(|item| if let Draft::Object(members) = item { Some(members) } else { None })
            .flat_map(|members| {
                std::iter::once(String::new()).chain(print_section(path, members, true, eol))
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn print_body(members: &[(String, Draft)], path: &[String], eol: &str) -> Vec<String> {
    let (below, own): (Vec<_>, Vec<_>) = members.iter().partition(|(_, to)| is_section(to));
    let mut lines: Vec<String> = own.iter().map(|(name, to)| print_member(name, to, eol)).collect();
    for (name, to) in below {
        let path: Vec<String> = path.iter().chain([name]).cloned().collect();
        lines.extend(print_sections(&path, to, eol));
    }
    // The text of a new file does not begin with the blank line that parts its tables.
    if path.is_empty() && lines.first().is_some_and(String::is_empty) {
        lines.remove(0);
    }
    lines
}

fn basic_lines(text: &str, eol: &str) -> String {
    let escaped: Vec<String> = text.split('\n').map(escape_basic).collect();
    escaped.join(eol)
}

fn basic_string(text: &str) -> String {
    format!("\"{}\"", escape_basic(text))
}

fn escape_basic(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if letter.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(letter))),
            letter => out.push(letter),
        }
    }
    out
}
