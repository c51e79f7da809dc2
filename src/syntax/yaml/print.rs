//! Writes values as YAML in a given manner: block style, with short lists in brackets and long
//! texts as blocks.

use super::scalar::{self, Quote};
use crate::syntax::draft::Draft;

/// A list in brackets is not made longer than this.
const FLOW_WIDTH: usize = 76;

/// What new values may be written as. What is around a place can forbid the freer ways: a comment
/// below a block text would become part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarFreedom {
    Free,
    /// Texts stay on one line.
    NoBlockTexts,
    /// Everything stays on one line.
    OneLine,
}

impl ScalarFreedom {
    pub const ALL: [Self; 3] = [Self::Free, Self::NoBlockTexts, Self::OneLine];
}

/// How new YAML is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlStyle {
    /// Spaces by which a member is indented under its object's key.
    pub unit: usize,
    /// Spaces by which the dash of a list is indented under its key.
    pub dash: usize,
    /// Lists of plain values stand in brackets.
    pub short_lists: bool,
    pub quote: Quote,
    pub key_quote: Quote,
    pub caution: ScalarFreedom,
}

impl Default for YamlStyle {
    fn default() -> Self {
        Self {
            unit: 2,
            dash: 2,
            short_lists: true,
            quote: Quote::Plain,
            key_quote: Quote::Plain,
            caution: ScalarFreedom::Free,
        }
    }
}

/// What a new value is behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueParent {
    /// A key and its colon.
    Key,
    /// A dash and this many spaces.
    Dash(usize),
}

/// A value as it is written: what follows on the line of its key or dash, and the lines below that,
/// indented as seen from the column of the key or dash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub head: String,
    pub body: Vec<String>,
}

pub(crate) fn print_entry(draft: &Draft, manner: &YamlStyle, behind: ValueParent) -> Entry {
    match draft {
        Draft::Text(text) if manner.caution == ScalarFreedom::Free && scalar::is_block(text) => {
            let (head, body) = scalar::literal_block(text, &" ".repeat(manner.unit));
            Entry { head, body }
        }
        Draft::List(_) if !is_short(draft, manner) => {
            entry_below(print_list(draft, manner), manner.dash, behind)
        }
        Draft::Object(members)
            if !members.is_empty() && manner.caution != ScalarFreedom::OneLine =>
        {
            entry_below(print_object(draft, manner), manner.unit, behind)
        }
        _ => Entry { head: flow_value(draft, manner, false), body: Vec::new() },
    }
}

/// The lines of a value that represents itself.
pub(crate) fn print_lines(draft: &Draft, manner: &YamlStyle) -> Vec<String> {
    match draft {
        Draft::List(_) if !is_short(draft, manner) => print_list(draft, manner),
        Draft::Object(members)
            if !members.is_empty() && manner.caution != ScalarFreedom::OneLine =>
        {
            print_object(draft, manner)
        }
        _ => {
            let Entry { head, body } = print_entry(draft, manner, ValueParent::Key);
            std::iter::once(head).chain(body).collect()
        }
    }
}

/// A key with more letters is none to readers of YAML unless a question mark is before it.
const LONGEST_KEY: usize = 1_000;

/// The lines of one member of a block.
pub(crate) fn print_member(key: &str, value: &Draft, manner: &YamlStyle) -> Vec<String> {
    let Entry { head, body } = print_entry(value, manner, ValueParent::Key);
    let blank = if head.is_empty() { "" } else { " " };
    let key = print_key(key, manner);
    let lines = if key.chars().count() > LONGEST_KEY {
        vec![format!("? {key}"), format!(":{blank}{head}")]
    } else {
        vec![format!("{key}:{blank}{head}")]
    };
    lines.into_iter().chain(body).collect()
}

/// The lines of one item of a block, its dash included.
pub(crate) fn print_item(value: &Draft, manner: &YamlStyle, gap: usize) -> Vec<String> {
    let Entry { head, body } = print_entry(value, manner, ValueParent::Dash(gap));
    std::iter::once(format!("-{}{head}", " ".repeat(gap))).chain(body).collect()
}

/// The value on one line, as it can stand between brackets.
pub(crate) fn print_flow(draft: &Draft, manner: &YamlStyle) -> String {
    flow_value(draft, manner, true)
}

/// A member between braces.
pub(crate) fn flow_member(key: &str, value: &Draft, manner: &YamlStyle) -> String {
    format!("{}: {}", scalar::print_text(key, manner.key_quote, true), print_flow(value, manner))
}

fn print_key(key: &str, manner: &YamlStyle) -> String {
    scalar::print_text(key, manner.key_quote, false)
}

fn flow_value(draft: &Draft, manner: &YamlStyle, within: bool) -> String {
    match draft {
        Draft::Null => "null".into(),
        Draft::Flag(flag) => flag.to_string(),
        Draft::Number { text, spelled: true } => text.clone(),
        Draft::Number { text, spelled: false } => print_number(text),
        Draft::Text(text) => scalar::print_text(text, manner.quote, within),
        Draft::List(items) => format!(
            "[{}]",
            items.iter().map(|item| print_flow(item, manner)).collect::<Vec<_>>().join(", ")
        ),
        Draft::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(key, value)| flow_member(key, value, manner)).collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

/// Readers of YAML 1.1 take `1e21` for text; they want a point and a sign.
fn print_number(text: &str) -> String {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else { return text.to_owned() };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['+', '-']) { "" } else { "+" };
    format!("{mantissa}{point}e{sign}{exponent}")
}

fn is_short(draft: &Draft, manner: &YamlStyle) -> bool {
    match draft {
        Draft::List(items) if items.is_empty() || manner.caution == ScalarFreedom::OneLine => true,
        Draft::List(items) => {
            let plain = |item: &Draft| {
                item.is_leaf() && !matches!(item, Draft::Text(text) if scalar::is_block(text))
            };
            manner.short_lists
                && items.iter().all(plain)
                && print_flow(draft, manner).chars().count() <= FLOW_WIDTH
        }
        _ => false,
    }
}

fn entry_below(lines: Vec<String>, indent: usize, behind: ValueParent) -> Entry {
    match behind {
        ValueParent::Key => Entry { head: String::new(), body: indent_lines(lines, indent) },
        ValueParent::Dash(gap) => {
            let mut lines = lines.into_iter();
            let head = lines.next().unwrap_or_default();
            Entry { head, body: indent_lines(lines, 1 + gap) }
        }
    }
}

fn print_object(draft: &Draft, manner: &YamlStyle) -> Vec<String> {
    let Draft::Object(members) = draft else { return Vec::new() };
    members.iter().flat_map(|(key, value)| print_member(key, value, manner)).collect()
}

fn print_list(draft: &Draft, manner: &YamlStyle) -> Vec<String> {
    let Draft::List(items) = draft else { return Vec::new() };
    items.iter().flat_map(|value| print_item(value, manner, 1)).collect()
}

/// Blank lines stay empty.
pub(crate) fn indent_lines(lines: impl IntoIterator<Item = String>, indent: usize) -> Vec<String> {
    let indent = " ".repeat(indent);
    lines
        .into_iter()
        .map(|line| if line.is_empty() { line } else { format!("{indent}{line}") })
        .collect()
}
