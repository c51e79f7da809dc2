//! Where each argument of a tool goes in a request over HTTP.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::tool::{HttpRequest, PortableTool};

/// Members of a parameter that say how it is written.
const STYLES: [&str; 7] =
    ["style", "explode", "allowReserved", "allowEmptyValue", "deprecated", "example", "examples"];
/// Those of them that change nothing of what is sent.
const NEVER_SENT: [&str; 3] = ["deprecated", "example", "examples"];
const IN: &str = "in";
const NAME: &str = "name";
const BODY: &str = "body";
/// In a place: the argument is the whole body, not a member of it.
const WHOLE: &str = "whole";

/// Where an argument goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ArgumentPlace {
    /// `path`, `query`, `header` or `body`.
    place: String,
    /// Its name there, where it is another.
    name: Option<String>,
    /// How it is written there.
    more: Map<String, Value>,
}

impl ArgumentPlace {
    fn new(place: &str) -> Self {
        Self { place: place.to_owned(), name: None, more: Map::new() }
    }

    /// A member of the body.
    pub(super) fn in_body() -> Self {
        Self::new(BODY)
    }

    pub(super) fn whole_body() -> Self {
        let more = Map::from_iter([(WHOLE.to_owned(), Value::Bool(true))]);
        Self { more, ..Self::new(BODY) }
    }

    /// The place of an OpenAPI parameter.
    pub(super) fn of_parameter(parameter: &Value, name: &str, place: &str) -> Self {
        let members = STYLES
            .into_iter()
            .filter_map(|key| parameter.get(key).map(|value| (key.to_owned(), value.clone())));
        Self { name: Some(name.to_owned()), more: members.collect(), ..Self::new(place) }
    }

    /// Where an argument goes of which nothing is said.
    pub(super) fn default_for(name: &str, in_path: &[&str], has_body: bool) -> Self {
        if in_path.contains(&name) {
            return Self { name: Some(name.to_owned()), ..Self::new("path") };
        }
        match has_body {
            true => Self::in_body(),
            false => Self { name: Some(name.to_owned()), ..Self::new("query") },
        }
    }

    /// As it is kept for an argument.
    pub(super) fn to_value(&self, argument: &str) -> Value {
        let mut value = json!({IN: self.place});
        if let Some(name) = self.name.as_ref().filter(|name| *name != argument) {
            value[NAME] = name.as_str().into();
        }
        if let Some(members) = value.as_object_mut() {
            members.extend(self.more.clone());
        }
        value
    }

    fn from_value(value: &Value, argument: &str) -> Option<Self> {
        let mut more = value.as_object()?.clone();
        let place = more.shift_remove(IN)?.as_str()?.to_owned();
        let name = more.shift_remove(NAME).and_then(|name| name.as_str().map(str::to_owned));
        let name = name.or_else(|| (place != BODY).then(|| argument.to_owned()));
        Some(Self { place, name, more })
    }

    fn is_whole_body(&self) -> bool {
        self.place == BODY && self.more.contains_key(WHOLE)
    }
}

/// Arguments as the parts of a request.
#[derive(Default)]
pub(super) struct SplitArguments {
    pub parameters: Vec<Value>,
    pub body: Option<Value>,
    pub is_body_required: bool,
    is_body_one_argument: bool,
}

impl SplitArguments {
    /// Whether the schema of all arguments is no part of the request.
    pub(super) fn is_in_parts(&self) -> bool {
        self.is_body_one_argument || !self.parameters.is_empty()
    }
}

/// Whether requests of a method usually have a body.
#[must_use]
pub(super) fn has_body(method: &str) -> bool {
    matches!(method, "post" | "put" | "patch")
}

/// The names between braces in a path.
#[must_use]
pub(super) fn path_names(path: &str) -> Vec<&str> {
    let parts = path.split('{').skip(1).filter_map(|part| part.split_once('}'));
    parts.map(|(name, _)| name).collect()
}

/// Where each argument goes, and how it is written there.
#[must_use]
pub(super) fn argument_places(
    tool: &PortableTool,
    request: &HttpRequest,
) -> BTreeMap<String, Value> {
    let in_path = path_names(&request.path);
    let has_body = has_body(&request.method.to_ascii_lowercase());
    let place = |name: &String| {
        let kept = request.places.get(name);
        let place = kept
            .and_then(|value| ArgumentPlace::from_value(value, name))
            .unwrap_or_else(|| ArgumentPlace::default_for(name, &in_path, has_body));
        let is_in_path = place.place == "path";
        let mut value = place.to_value(name);
        if let Some(members) = value.as_object_mut() {
            members.retain(|key, _| {
                !(NEVER_SENT.contains(&key.as_str()) || is_in_path && key == NAME)
            });
        }
        (name.clone(), value)
    };
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(|all| all.keys()).map(place).collect()
}

/// Arguments as parameters where their place says so; the rest is the body.
#[must_use]
pub(super) fn split_arguments(tool: &PortableTool, method: &str, path: &str) -> SplitArguments {
    let schema = &tool.parameters;
    let mut rest = schema.clone();
    let mut split = SplitArguments { is_body_required: true, ..SplitArguments::default() };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|all| all.iter().any(|known| known == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let in_path = path_names(path);
    let mut of_body = 0;
    for (name, property) in properties.into_iter().flatten() {
        let kept = tool.http.as_ref().and_then(|http| http.places.get(name));
        let place = kept
            .and_then(|value| ArgumentPlace::from_value(value, name))
            .unwrap_or_else(|| ArgumentPlace::default_for(name, &in_path, has_body(method)));
        if place.is_whole_body() {
            split.is_body_required = is_required(name);
            split.is_body_one_argument = true;
            split.body = Some(property.clone());
        } else if place.place == BODY {
            of_body += 1;
            continue;
        } else {
            split.parameters.push(write_parameter(name, property, &place, is_required(name)));
        }
        remove_property(&mut rest, name);
    }
    let is_needed = of_body > 0 || (has_body(method) && split.parameters.is_empty());
    if split.body.is_none() && is_needed {
        split.body = Some(rest);
    }
    split
}

fn write_parameter(
    argument: &str,
    schema: &Value,
    place: &ArgumentPlace,
    is_required: bool,
) -> Value {
    let name = place.name.as_deref().unwrap_or(argument);
    let mut parameter = json!({NAME: name, IN: place.place, "schema": schema});
    if is_required || place.place == "path" {
        parameter["required"] = true.into();
    }
    if let Some(members) = parameter.as_object_mut() {
        members.extend(place.more.clone());
    }
    parameter
}

fn remove_property(schema: &mut Value, name: &str) {
    if let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        members.shift_remove(name);
    }
    if let Some(names) = schema.get_mut("required").and_then(Value::as_array_mut) {
        names.retain(|known| known != name);
    }
}
