//! Values that are set or removed within another one, by paths.

use serde_json::Value;

use crate::{schema::pointer::Pointer, systems::opensearch::json_path::JsonPath};

/// Sets a value everywhere a path leads; where it leads nowhere, its last member is made again.
///
/// # Errors
/// When the path leads nowhere and no member can be made there.
pub fn set_value(root: &mut Value, path: &str, value: &Value) -> Result<(), String> {
    let places = JsonPath::parse(path)?.locate(root);
    if places.iter().any(Pointer::is_root) {
        return Err(format!("{path} is the whole output, which cannot be set"));
    }
    if places.is_empty() {
        return add_member(root, path, value);
    }
    for place in places {
        if let Some(slot) = place.get_mut(root) {
            *slot = value.clone();
        }
    }
    Ok(())
}

/// Adds the last member that a path names to what the rest of it leads to.
fn add_member(root: &mut Value, path: &str, value: &Value) -> Result<(), String> {
    let dot = path.rfind('.');
    let Some(dot) = dot.filter(|dot| path.rfind('[').is_none_or(|bracket| bracket < *dot)) else {
        return Err(format!("{path} doesn't exist, and only members can be created"));
    };
    let (parent, name) = (&path[..dot], &path[dot + 1..]);
    let places = JsonPath::parse(parent)?.locate(root);
    if places.is_empty() {
        return Err(format!("{parent} doesn't exist"));
    }
    for place in places {
        let members = place.get_mut(root).and_then(Value::as_object_mut);
        members
            .ok_or_else(|| format!("{parent} isn't an object, so {name} can't be added"))?
            .insert(name.to_owned(), value.clone());
    }
    Ok(())
}

/// Removes whatever a path leads to.
///
/// # Errors
/// When it leads nowhere, or to the whole.
pub fn remove_value(root: &mut Value, path: &str) -> Result<(), String> {
    let places = JsonPath::parse(path)?.locate(root);
    if places.is_empty() {
        return Err(format!("{path} doesn't exist"));
    }
    if places.iter().any(Pointer::is_root) {
        return Err(format!("{path} is the whole output, which cannot be removed"));
    }
    // From the end, so that places before stay where they are.
    for place in places.iter().rev() {
        let (Some(parent), Some(last)) = (place.parent(), place.last()) else { continue };
        match parent.get_mut(root) {
            Some(Value::Object(members)) => {
                members.shift_remove(last);
            }
            Some(Value::Array(items)) => {
                if let Some(index) = place.last_index().filter(|index| *index < items.len()) {
                    items.remove(index);
                }
            }
            _ => {}
        }
    }
    Ok(())
}
