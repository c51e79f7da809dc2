//! Where the schema that a model gets is in the tool's own entry.

use serde_json::Value;

use super::set::ToolView;
use crate::schema::pointer::Pointer;

/// How deep in an entry, and in how many of its values a schema is looked for.
const DEEPEST: usize = 6;
const MOST_LOOKED_AT: usize = 400;

/// The place in the entry of a place in the function's parameters; of what isn't there as it is, the
/// argument that it belongs to, or the entry itself.
pub(super) fn find_in_entry(view: &ToolView<'_>, at: &Pointer) -> Pointer {
    let entry = view.tool.entry.value.parsed();
    if let Some(place) = find_verbatim(view, at, &entry) {
        return place;
    }
    // Arguments as a list: {"name": …}.
    let named = |item: &Value, name: &str| {
        item.get("name").and_then(Value::as_str).is_some_and(|own| own == name)
    };
    let place = first_argument(at).and_then(|name| {
        search(&entry, |value| value.as_array()?.iter().position(|item| named(item, name)))
    });
    place.map_or_else(Pointer::root, |(list, row)| list.item(row))
}

/// The place where the entry has just that part of the schema.
pub(super) fn find_schema(view: &ToolView<'_>, at: &Pointer) -> Option<Pointer> {
    find_verbatim(view, at, &view.tool.entry.value.parsed())
}

fn find_verbatim(view: &ToolView<'_>, at: &Pointer, entry: &Value) -> Option<Pointer> {
    let parameters = &view.function.parameters;
    let own = parameters.get("properties")?.as_object()?;
    let (name, property) = match first_argument(at) {
        Some(name) => own.get_key_value(name)?,
        None => own.iter().next()?,
    };
    let is_it = |value: &Value| {
        (value.get("properties")?.get(name)? == property && at.get(value) == at.get(parameters))
            .then_some(())
    };
    let (base, ()) = search(entry, is_it)?;
    Some(base.join(at))
}

/// The argument that a place in the parameters belongs to.
fn first_argument(at: &Pointer) -> Option<&str> {
    match at.tokens() {
        [first, name, ..] if first == "properties" => Some(name),
        _ => None,
    }
}

/// The first value of an entry, level by level, that answers.
fn search<T>(entry: &Value, look: impl Fn(&Value) -> Option<T>) -> Option<(Pointer, T)> {
    let mut level = vec![(Pointer::root(), entry)];
    let mut seen = 0;
    for _ in 0..DEEPEST {
        let mut below = Vec::new();
        for (at, value) in level {
            seen += 1;
            if seen > MOST_LOOKED_AT {
                return None;
            }
            if let Some(found) = look(value) {
                return Some((at, found));
            }
            match value {
                Value::Object(members) => {
                    below.extend(members.iter().map(|(key, value)| (at.child(key), value)));
                }
                Value::Array(items) => {
                    below.extend(items.iter().enumerate().map(|(row, item)| (at.item(row), item)));
                }
                _ => {}
            }
        }
        level = below;
    }
    None
}
