//! Values as Python prints them: `str` and `repr`.

use minijinja::{Error, Value, value::ValueKind};

use super::{
    arguments::allow_length,
    kinds::{as_float, is_tuple},
    series::{print_view, series_type},
};
use crate::syntax::python::text::{float_repr, text_repr};

/// Values within values are printed no deeper.
const DEEPEST: usize = 100;

/// `str(value)`; of what is undefined, nothing.
///
/// # Errors
/// It is too long.
pub(super) fn str(value: &Value) -> Result<String, Error> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None if value.is_undefined() => Ok(String::new()),
        None => repr(value),
    }
}

/// `repr(value)`
///
/// # Errors
/// It is too long.
pub(super) fn repr(value: &Value) -> Result<String, Error> {
    let mut out = String::new();
    write_repr(&mut out, value, 0)?;
    Ok(out)
}

fn write_repr(out: &mut String, value: &Value, depth: usize) -> Result<(), Error> {
    allow_length(out.len())?;
    if depth > DEEPEST {
        out.push('…');
        return Ok(());
    }
    match value.kind() {
        ValueKind::Undefined => out.push_str("Undefined"),
        ValueKind::String => out.push_str(&text_repr(value.as_str().unwrap_or_default())),
        ValueKind::Number => match as_float(value) {
            Some(float) => out.push_str(&float_repr(float)),
            None => out.push_str(&value.to_string()),
        },
        _ if series_type(value).is_some() => match print_view(value, &repr) {
            Some(text) => out.push_str(&text?),
            None => out.push_str(&value.to_string()),
        },
        ValueKind::Seq | ValueKind::Iterable if value.len().is_some() => {
            let (open, close) = if is_tuple(value) { ('(', ')') } else { ('[', ']') };
            out.push(open);
            for (row, item) in value.try_iter()?.enumerate() {
                out.push_str(if row > 0 { ", " } else { "" });
                write_repr(out, &item, depth + 1)?;
            }
            out.push_str(if is_tuple(value) && value.len() == Some(1) { "," } else { "" });
            out.push(close);
        }
        ValueKind::Map => {
            out.push('{');
            for (row, key) in value.try_iter()?.enumerate() {
                out.push_str(if row > 0 { ", " } else { "" });
                write_repr(out, &key, depth + 1)?;
                out.push_str(": ");
                write_repr(out, &value.get_item(&key)?, depth + 1)?;
            }
            out.push('}');
        }
        _ => out.push_str(&value.to_string()),
    }
    Ok(())
}

/// A text as HTML has it.
pub(super) fn escaped(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => made.push_str("&amp;"),
            '<' => made.push_str("&lt;"),
            '>' => made.push_str("&gt;"),
            '\'' => made.push_str("&#39;"),
            '"' => made.push_str("&#34;"),
            letter => made.push(letter),
        }
    }
    made
}
