//! What is said at a field whose value is at other places of the file too, by YAML's anchors.

use std::fmt::Write as _;

use crate::{
    schema::pointer::Pointer,
    syntax::{
        shared_values::{SharedUse, SharedValue, list_shared_values},
        source::Source,
    },
};

/// As many lines of a file are named.
const NAMED_LINES: usize = 3;

/// A place of a form's value, and what is said there and at what is below it.
pub(crate) type SharedPlace = (Pointer, String);

/// The places of a form's value, at `base` of a document, that other places of the file have in
/// common with it.
pub(crate) fn shared_in(
    source: Option<&Source>,
    document: usize,
    base: &Pointer,
) -> Vec<SharedPlace> {
    let values = source.map(|source| list_shared_values(source, document)).unwrap_or_default();
    let mut places = Vec::new();
    for value in &values {
        // What is around the form's value counts for all of it.
        let below = |at: &Pointer| {
            at.strip_prefix(base).or_else(|| base.starts_with(at).then(Pointer::root))
        };
        if let Some(at) = below(&value.at).filter(|_| !value.uses.is_empty()) {
            places.push((at, anchor_words(value)));
        }
        for used in &value.uses {
            places.extend(below(&used.at).map(|at| (at, alias_words(value, used))));
        }
    }
    places
}

fn anchor_words(value: &SharedValue) -> String {
    let mut lines: Vec<usize> = value.uses.iter().map(|used| used.line).collect();
    lines.dedup();
    let mut named = String::new();
    for (row, line) in lines.iter().take(NAMED_LINES).enumerate() {
        let parting = match row {
            0 => "",
            _ if row + 1 == lines.len() => " and ",
            _ => ", ",
        };
        write!(named, "{parting}{line}").ok();
    }
    let more = match lines.len().checked_sub(NAMED_LINES) {
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more"),
    };
    let word = if lines.len() == 1 { "line" } else { "lines" };
    format!("&{} is used in {word} {named}{more} too: a change here changes it there", value.name)
}

fn alias_words(value: &SharedValue, used: &SharedUse) -> String {
    let (name, line) = (&value.name, value.line);
    match used.merged {
        false => format!("*{name}, from line {line}: a change here gives it a value of its own"),
        true => {
            format!("from line {line}, by <<: *{name}: a change here gives it a value of its own")
        }
    }
}

/// What is said at a place: of what is the closest above it, or of itself.
pub(super) fn words_at<'s>(shared: &'s [SharedPlace], at: &Pointer) -> Option<&'s str> {
    shared
        .iter()
        .filter(|(place, _)| at.starts_with(place))
        .max_by_key(|(place, _)| place.tokens().len())
        .map(|(_, words)| words.as_str())
}
