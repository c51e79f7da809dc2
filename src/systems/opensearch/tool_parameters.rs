//! Which parameters a tool gets, of those of its entry and of the request.

use serde_json::Value;

use super::{
    java::{self, Numbers},
    keys, lenient_json,
    template::{
        marks::PARAMETERS,
        render::render_template,
        text_map::{TextMap, stringify_values, text_of},
    },
};

/// A tool's own part of its parameters, as its entry says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolSpec {
    pub tool_type: String,
    pub name: Option<String>,
    pub parameters: TextMap,
    pub config: TextMap,
    pub attributes: TextMap,
    /// Its output belongs to the agent's answer.
    pub is_included: bool,
}

impl ToolSpec {
    /// What an entry says; a member of another shape counts as absent.
    #[must_use]
    pub fn from_entry(entry: &Value) -> Self {
        let text = |member: &str| entry.get(member).and_then(Value::as_str).map(str::to_owned);
        let map = |member: &str| {
            entry.get(member).and_then(Value::as_object).map(stringify_values).unwrap_or_default()
        };
        Self {
            tool_type: text(keys::TYPE).unwrap_or_default(),
            name: text(keys::NAME),
            parameters: map(keys::PARAMETERS),
            config: map(keys::CONFIG),
            attributes: map(keys::ATTRIBUTES),
            is_included: entry.get(keys::INCLUDE_OUTPUT).is_some_and(|value| *value == true),
        }
    }

    /// What it is called in an agent: its name, or its type where it has none.
    #[must_use]
    pub fn called(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.tool_type)
    }
}

/// The parameters that a tool gets: its own, over them those of the request, over them those that
/// name the tool (`<tool>.x`), over all its `config`.
#[must_use]
pub fn merge_parameters(tool: &ToolSpec, request: &TextMap) -> TextMap {
    let mut merged = tool.parameters.clone();
    merged.extend(request.iter().map(|(name, value)| (name.clone(), value.clone())));
    let own = format!("{}.", tool.called());
    let of_type = format!("{}.", tool.tool_type);
    let description = format!("{own}description");
    for (name, value) in request {
        if name.starts_with(&own) && *name != description {
            merged.remove(name);
            merged.insert(name.replace(&own, ""), value.clone());
        } else if name.starts_with(&of_type) {
            merged.remove(name);
        }
    }
    merged.extend(tool.config.iter().map(|(name, value)| (name.clone(), value.clone())));
    merged
}

/// The parameters of a tool that takes `input`: only those that its attributes require, where they
/// name some; `input` filled in, and its members over the others where it is an object.
#[must_use]
pub fn unpack_input(parameters: &TextMap, attributes: &TextMap) -> TextMap {
    let mut unpacked = required_parameters(parameters, attributes);
    if !unpacked.contains_key(keys::INPUT) {
        return unpacked;
    }
    let Some(input) = text_of(parameters, keys::INPUT) else { return unpacked };
    // What goes wrong leaves the input as it is; upstream only logs it.
    let Ok(rendered) = render_template(input, PARAMETERS, parameters) else { return unpacked };
    unpacked.insert(keys::INPUT.into(), Some(rendered.text.clone()));
    // A number that no double holds is not written, and nothing of the input is taken then.
    if let Ok(members) = lenient_json::read_members(&rendered.text)
        && !members.values().any(java::is_too_large)
    {
        unpacked.extend(
            members
                .into_iter()
                .map(|(name, value)| (name, Some(java::value_text(&value, Numbers::Doubles)))),
        );
    }
    unpacked
}

fn required_parameters(parameters: &TextMap, attributes: &TextMap) -> TextMap {
    let Some(required) = text_of(attributes, keys::REQUIRED_PARAMETERS) else {
        return parameters.clone();
    };
    // What cannot be read names none.
    let names = lenient_json::read_names(required).unwrap_or_default();
    names
        .into_iter()
        .flatten()
        .map(|name| {
            let value = parameters.get(&name).cloned().flatten();
            (name, value)
        })
        .collect()
}
