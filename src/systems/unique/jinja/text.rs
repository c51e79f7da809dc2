//! Values as Python prints them: `str` and `repr`.

use minijinja::{Error, Value, value::ValueKind};

use super::{arguments::allow_length, series::series_type};
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

/// The float that a number is.
pub(super) fn as_float(value: &Value) -> Option<f64> {
    let is_float = value.kind() == ValueKind::Number && !value.is_integer();
    f64::try_from(value.clone()).ok().filter(|_| is_float)
}

/// What Python calls a value's type.
pub(super) fn type_name(value: &Value) -> &'static str {
    if let Some(kind) = series_type(value) {
        return kind;
    }
    match value.kind() {
        ValueKind::Undefined => "Undefined",
        ValueKind::None => "NoneType",
        ValueKind::Bool => "bool",
        ValueKind::Number if as_float(value).is_some() => "float",
        ValueKind::Number => "int",
        ValueKind::String => "str",
        ValueKind::Seq | ValueKind::Iterable if is_tuple(value) => "tuple",
        ValueKind::Seq | ValueKind::Iterable => "list",
        ValueKind::Map => "dict",
        _ => "object",
    }
}

/// What `groupby` makes is one, too.
fn is_tuple(value: &Value) -> bool {
    let is_group = || value.get_attr("grouper").is_ok_and(|grouper| !grouper.is_undefined());
    value.is_tuple() || is_group()
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
        _ if series_type(value).is_some() => out.push_str(&value.to_string()),
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
