//! What kinds of values there are in Python.

use minijinja::{Value, value::ValueKind};

use super::series::series_type;

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

/// The float that a number is.
pub(super) fn as_float(value: &Value) -> Option<f64> {
    let is_float = value.kind() == ValueKind::Number && !value.is_integer();
    f64::try_from(value.clone()).ok().filter(|_| is_float)
}

/// As Python counts them, true and false among them.
pub(super) fn is_number(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Number | ValueKind::Bool)
}

/// Small where it can be, as all others are.
pub(super) fn whole(number: i128) -> Value {
    i64::try_from(number).map_or_else(|_| Value::from(number), Value::from)
}

/// What `groupby` makes is one, too.
pub(super) fn is_tuple(value: &Value) -> bool {
    let is_group = || value.get_attr("grouper").is_ok_and(|grouper| !grouper.is_undefined());
    value.is_tuple() || is_group()
}

/// Whether a value can be a key of a dict: one that has no items, or a tuple of a few such.
pub(super) fn is_key(value: &Value) -> bool {
    const MOST: usize = 100;
    let is_plain = |value: &Value| {
        !matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map)
    };
    let is_short = || value.is_tuple() && value.len().is_some_and(|len| len <= MOST);
    is_plain(value)
        || is_short() && value.try_iter().is_ok_and(|mut items| items.all(|item| is_plain(&item)))
}
