//! Writes values as JSON in a given layout.

use crate::syntax::draft::Draft;

/// How new JSON is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// One level of indentation; `None`: all on one line.
    pub unit: Option<String>,
    pub eol: &'static str,
    /// Lists of plain values stay on one line even where objects do not.
    pub short_lists: bool,
    /// No blanks behind colons and commas.
    pub compact: bool,
    /// Letters beyond ASCII are written as escapes.
    pub ascii: bool,
}

impl Layout {
    /// Two blanks a level.
    pub fn plain(eol: &'static str) -> Self {
        Self { unit: Some("  ".into()), eol, short_lists: false, compact: false, ascii: false }
    }

    pub fn on_one_line(&self) -> Self {
        Self { unit: None, ..self.clone() }
    }

    /// What stands between a comma and the next child on the same line.
    pub fn gap(&self) -> &'static str {
        if self.compact { "" } else { " " }
    }
}

/// The value as JSON; lines behind its first begin with `indent`.
pub fn value(draft: &Draft, layout: &Layout, indent: &str) -> String {
    let mut text = String::new();
    write(&mut text, draft, layout, indent);
    text
}

/// A text as JSON, in quotes.
pub fn string(text: &str, layout: &Layout) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    if !layout.ascii {
        return quoted;
    }
    let mut plain = String::with_capacity(quoted.len());
    for letter in quoted.chars() {
        match letter.is_ascii() {
            true => plain.push(letter),
            false => letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| plain.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    plain
}

/// A member: key, colon, value.
pub fn member(key: &str, draft: &Draft, layout: &Layout, indent: &str) -> String {
    format!("{}:{}{}", string(key, layout), layout.gap(), value(draft, layout, indent))
}

fn write(out: &mut String, draft: &Draft, layout: &Layout, indent: &str) {
    match draft {
        Draft::Null => out.push_str("null"),
        Draft::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Draft::Number { text, .. } => out.push_str(text),
        Draft::Text(text) => out.push_str(&string(text, layout)),
        Draft::List(items) => {
            let short = layout.short_lists && items.iter().all(Draft::is_leaf);
            let layout = if short { &layout.on_one_line() } else { layout };
            let inner = inner(layout, indent);
            bracketed(out, ['[', ']'], items.iter().map(|item| value(item, layout, &inner)), layout, indent);
        }
        Draft::Object(members) => {
            let inner = inner(layout, indent);
            let members = members.iter().map(|(key, to)| member(key, to, layout, &inner));
            bracketed(out, ['{', '}'], members, layout, indent);
        }
    }
}

fn inner(layout: &Layout, indent: &str) -> String {
    format!("{indent}{}", layout.unit.as_deref().unwrap_or_default())
}

fn bracketed(
    out: &mut String,
    [open, close]: [char; 2],
    children: impl ExactSizeIterator<Item = String>,
    layout: &Layout,
    indent: &str,
) {
    let parted = layout.unit.is_some() && children.len() > 0;
    let inner = inner(layout, indent);
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
