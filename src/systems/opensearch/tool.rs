//! An entry as a tool, and the function that a model sees of it.

use serde_json::{Map, Value, json};

use super::{
    entries::EntrySort,
    keys,
    steps::plan::{Plan, templates_of},
    template::{marks::PARAMETERS, parse::find_placeholders},
};
use crate::{
    model::{
        entry::Entry,
        tool::{Function, Tool},
    },
    systems::gate_tables,
};

/// The tool that an entry describes, read leniently. Its gate is written elsewhere; see
/// [`gate_tables`].
#[must_use]
pub fn read_tool(entry: &Entry) -> Tool {
    let own = entry.key.rsplit('/').next().unwrap_or(&entry.key);
    let name = entry.value.get(keys::NAME).and_then(Value::as_str).unwrap_or(own);
    Tool { kind: kind_of(&entry.value), ..gate_tables::read_tool(entry, name) }
}

/// `dynamic`, `flow agent`, `MLModelTool`.
fn kind_of(entry: &Value) -> String {
    let sort = EntrySort::of_entry(entry);
    match (sort, entry.get(keys::TYPE).and_then(Value::as_str)) {
        (EntrySort::Agent, Some(kind)) => format!("{kind} agent"),
        (EntrySort::Typed | EntrySort::Listed, Some(kind)) => kind.to_owned(),
        _ => sort.as_str().to_owned(),
    }
}

/// Name, description and parameters: what its attributes say, else every name that its templates
/// ask for and nothing else gives.
#[must_use]
pub fn model_function(tool: &Tool) -> Function {
    let entry = &tool.entry.value;
    let parameters = declared_schema(entry).unwrap_or_else(|| asked_schema(entry));
    Function::new(&tool.name, &tool.description, parameters)
}

/// The schema that `attributes.input_schema` holds, as a text or as an object.
#[must_use]
pub fn declared_schema(entry: &Value) -> Option<Value> {
    let schema = entry.get(keys::ATTRIBUTES)?.get(keys::INPUT_SCHEMA)?;
    match schema {
        Value::String(text) => serde_json::from_str(text).ok().filter(Value::is_object),
        other => other.is_object().then(|| other.clone()),
    }
}

/// A schema of the names that an entry's templates ask for, each a text; required where no default
/// represents it.
#[must_use]
pub fn asked_schema(entry: &Value) -> Value {
    let mut properties = Map::new();
    let mut required: Vec<Value> = Vec::new();
    let plan = Plan::of_entry(entry);
    let mut stored: Vec<String> = Vec::new();
    // Where a model chooses the steps, it gives them what they take.
    let steps = if plan.is_open { &[] } else { plan.steps.as_slice() };
    for step in steps {
        for (_, template) in templates_of(step) {
            let mut quotes = QuoteScan::new(template);
            for found in find_placeholders(template, PARAMETERS) {
                let is_quoted = quotes.is_quoted_at(found.range.start);
                let is_given = step.parameters.contains_key(found.name)
                    || step.config.contains_key(found.name)
                    || stored.iter().any(|name| name == found.name);
                if is_given || properties.contains_key(found.name) {
                    continue;
                }
                properties.insert(found.name.to_owned(), property_of(found.default, is_quoted));
                if found.default.is_none() {
                    required.push(found.name.into());
                }
            }
        }
        stored.push(format!("{}{}", step.called(), keys::OUTPUT_SUFFIX));
    }
    if properties.is_empty() && EntrySort::of_entry(entry) == EntrySort::Agent {
        properties.insert("question".into(), json!({"type": "string"}));
        if plan.is_open {
            required.push("question".into());
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

/// Reports of places in a template, one after another, whether they stand between quotes.
struct QuoteScan<'t> {
    template: &'t str,
    is_body: bool,
    at: usize,
    is_quoted: bool,
}

impl<'t> QuoteScan<'t> {
    fn new(template: &'t str) -> Self {
        let is_body = template.trim_start().starts_with(['{', '[']);
        Self { template, is_body, at: 0, is_quoted: false }
    }

    /// Whether a place, which is behind those asked for before, is between quotes; paths are text
    /// throughout.
    fn is_quoted_at(&mut self, at: usize) -> bool {
        let bytes = self.template.as_bytes();
        while self.is_body && self.at < at {
            match bytes[self.at] {
                b'\\' if self.is_quoted => self.at += 1,
                b'"' => self.is_quoted = !self.is_quoted,
                _ => {}
            }
            self.at += 1;
        }
        self.is_quoted || !self.is_body
    }
}

/// A text, or whatever is in JSON without quotes: a number where the default is one.
fn property_of(default: Option<&str>, is_quoted: bool) -> Value {
    let mut property = if is_quoted {
        json!({"type": "string"})
    } else if default.is_some_and(|default| default.parse::<f64>().is_ok()) {
        json!({"type": "number"})
    } else {
        json!({})
    };
    if let Some(default) = default.filter(|default| *default != "null") {
        property["description"] = format!("Default: {default}").into();
    }
    property
}
