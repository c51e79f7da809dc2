//! Writes values as JSON in a given layout.

use super::dialect;
use crate::syntax::draft::Draft;

/// How new JSON is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// One level of indentation; `None`: all on one line.
    pub unit: Option<String>,
    pub eol: &'static str,
    /// Lists of plain values stay on one line even where objects do not.
    pub short_lists: bool,
    /// No spaces behind colons and commas.
    pub compact: bool,
    /// Letters beyond ASCII are written as escapes.
    pub ascii: bool,
    /// Texts are in single quotes (JSON5).
    pub single: bool,
    /// How keys are written.
    pub keys: Keys,
}

/// How new keys are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    Double,
    /// In single quotes (JSON5).
    Single,
    /// Without quotes where they are names (JSON5), else as texts are.
    Bare,
}

impl Layout {
    /// Two spaces a level.
    pub fn with_eol(eol: &'static str) -> Self {
        Self {
            unit: Some("  ".into()),
            eol,
            short_lists: false,
            compact: false,
            ascii: false,
            single: false,
            keys: Keys::Double,
        }
    }

    pub fn on_one_line(&self) -> Self {
        Self { unit: None, ..self.clone() }
    }

    /// What is between a comma and the next child on the same line.
    pub fn gap(&self) -> &'static str {
        if self.compact { "" } else { " " }
    }
}

/// The value as JSON; lines behind its first begin with `indent`.
pub(crate) fn print_value(draft: &Draft, layout: &Layout, indent: &str) -> String {
    let mut text = String::new();
    write_value(&mut text, draft, layout, indent);
    text
}

/// A key as it is written beside others.
pub(crate) fn print_key(key: &str, layout: &Layout) -> String {
    match layout.keys {
        Keys::Bare if dialect::is_name(key) && (key.is_ascii() || !layout.ascii) => key.to_owned(),
        Keys::Bare => print_string(key, layout),
        Keys::Double => print_string(key, &Layout { single: false, ..layout.clone() }),
        Keys::Single => print_string(key, &Layout { single: true, ..layout.clone() }),
    }
}

/// A text as JSON, in quotes.
pub(crate) fn print_string(text: &str, layout: &Layout) -> String {
    let mut quoted = serde_json::Value::from(text).to_string();
    if layout.single {
        quoted = to_single_quotes(&quoted);
    }
    if !layout.ascii {
        return quoted;
    }
    let mut plain = String::with_capacity(quoted.len());
    for letter in quoted.chars() {
        match letter.is_ascii() {
            true => plain.push(letter),
            false => letter
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| plain.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    plain
}

/// A text in double quotes put into single ones.
fn to_single_quotes(quoted: &str) -> String {
    let mut text = String::with_capacity(quoted.len() + 2);
    let mut letters = quoted[1..quoted.len() - 1].chars();
    text.push('\'');
    while let Some(letter) = letters.next() {
        match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('"') => text.push('"'),
                next => text.extend(['\\'].into_iter().chain(next)),
            },
            ('\'', _) => text.push_str("\\'"),
            _ => text.push(letter),
        }
    }
    text.push('\'');
    text
}

/// A member: key, colon, value.
pub(crate) fn print_member(key: &str, draft: &Draft, layout: &Layout, indent: &str) -> String {
    format!(
        "{}:{}{}",
        self::print_key(key, layout),
        layout.gap(),
        print_value(draft, layout, indent)
    )
}

fn write_value(out: &mut String, draft: &Draft, layout: &Layout, indent: &str) {
    match draft {
        Draft::Null => out.push_str("null"),
        Draft::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Draft::Number { text, .. } => out.push_str(text),
        Draft::Text(text) => out.push_str(&print_string(text, layout)),
        Draft::List(items) => {
            let short = layout.short_lists && items.iter().all(Draft::is_leaf);
            let layout = if short { &layout.on_one_line() } else { layout };
            let inner = inner_indent(layout, indent);
            write_brackets(
                out,
                ['[', ']'],
                items.iter().map(|item| print_value(item, layout, &inner)),
                layout,
                indent,
            );
        }
        Draft::Object(members) => {
            let inner = inner_indent(layout, indent);
            let members = members.iter().map(|(key, to)| print_member(key, to, layout, &inner));
            write_brackets(out, ['{', '}'], members, layout, indent);
        }
    }
}

fn inner_indent(layout: &Layout, indent: &str) -> String {
    format!("{indent}{}", layout.unit.as_deref().unwrap_or_default())
}

fn write_brackets(
    out: &mut String,
    [open, close]: [char; 2],
    children: impl ExactSizeIterator<Item = String>,
    layout: &Layout,
    indent: &str,
) {
    let parted = layout.unit.is_some() && children.len() > 0;
    let inner = inner_indent(layout, indent);
    out.push(open);
    for (row, child) in children.enumerate() {
        if row > 0 {
            out.push(',');
        }
        if parted {
            out.push_str(layout.eol);
            out.push_str(&inner);
        } else if row > 0 {
            out.push_str(layout.gap());
        }
        out.push_str(&child);
    }
    if parted {
        out.push_str(layout.eol);
        out.push_str(indent);
    }
    out.push(close);
}
