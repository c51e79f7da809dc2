//! Numbers as they are written, where a value would round them: on the way out of a form and back
//! in.

use serde_json::Value;

use crate::{
    schema::{decimal, literal::Literal, pointer::Pointer},
    syntax::source::{Format, Source},
};

/// The places of numbers that are held as floats.
pub(super) fn collect_floats(value: &Value, at: &Pointer, found: &mut Vec<Pointer>) {
    match value {
        Value::Number(number) if decimal::is_float(number) => found.push(at.clone()),
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(row, item)| collect_floats(item, &at.item(row), found));
        }
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(name, member)| collect_floats(member, &at.child(name), found));
        }
        _ => {}
    }
}

/// How the numbers in a value are written that it would round, by their places below it.
pub(super) fn number_spellings(to: &Literal) -> Vec<(Pointer, String)> {
    let mut places = Vec::new();
    collect_floats(to.value(), &Pointer::root(), &mut places);
    let Some(text) = to.source_text().filter(|_| !places.is_empty()) else { return Vec::new() };
    let Ok(source) = Source::parse(Format::Json, text) else { return Vec::new() };
    let written =
        |at: Pointer| source.written_text(0, &at).map(str::to_owned).map(|text| (at, text));
    places.into_iter().filter_map(written).collect()
}

/// A text as a value, with its numbers as they are written.
pub(super) fn parse_literal(text: &str) -> Option<Literal> {
    if let Ok(literal) = Literal::parse(text) {
        return Some(literal);
    }
    let source = Source::parse(Format::Yaml, text).ok()?;
    let value = source.value(0)?;
    spell_literal(value, &Pointer::root(), &|at| source.written_text(0, at).map(str::to_owned))
}

/// A value with the spelling of its numbers, where that is one of JSON and means the same.
pub(super) fn spell_literal(
    value: &Value,
    at: &Pointer,
    written: &dyn Fn(&Pointer) -> Option<String>,
) -> Option<Literal> {
    let mut text = String::new();
    write_value(value, at, written, &mut text);
    Literal::parse(&text).ok()
}

fn write_value(
    value: &Value,
    at: &Pointer,
    written: &dyn Fn(&Pointer) -> Option<String>,
    text: &mut String,
) {
    match value {
        Value::Number(number) => {
            let means = |text: &String| {
                serde_json::from_str(text).is_ok_and(|read| decimal::numbers_equal(&read, number))
            };
            let spelling =
                Some(at).filter(|_| decimal::is_float(number)).and_then(written).filter(means);
            text.push_str(&spelling.unwrap_or_else(|| number.to_string()));
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_value(item, &at.item(index), written, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::String(name.clone()).to_string());
                text.push(':');
                write_value(member, &at.child(name.clone()), written, text);
            }
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}
