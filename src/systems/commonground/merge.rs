//! How the arguments that a model gives become those that the tool gets: environment names out, defaults in, fixed values over all.

use serde_json::{Map, Value, json};

use super::{context::Context, function, keys, template};

/// Arguments as the dispatcher puts them on the call card, and what it notes beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    pub arguments: Map<String, Value>,
    /// Names, sorted.
    pub defaults_applied: Vec<String>,
    /// Names, sorted.
    pub fixed_applied: Vec<String>,
    /// The variable that the executor reads for each name.
    pub envs: Map<String, Value>,
    /// Variables in a value that could not be filled in: the argument's name, the variable's.
    pub unfilled: Vec<(String, String)>,
}

/// Merges what a model gave with a tool's options. What is malformed in them counts as absent, as upstream has it.
#[must_use]
pub fn merge(given: &Map<String, Value>, options: &Value, context: &Context) -> Merged {
    let mut merged = Merged { arguments: given.clone(), envs: envs(options), ..Merged::default() };
    for name in merged.envs.keys() {
        merged.arguments.shift_remove(name);
    }
    for (name, value) in function::defaults(options).into_iter().flatten() {
        if !merged.arguments.contains_key(name) && !merged.envs.contains_key(name) {
            merged.put(name, value, context);
            merged.defaults_applied.push(name.clone());
        }
    }
    for (name, value) in function::fixed(options).into_iter().flatten() {
        if !merged.envs.contains_key(name) {
            merged.put(name, value, context);
            merged.fixed_applied.push(name.clone());
            merged.defaults_applied.retain(|other| other != name);
        }
    }
    merged.defaults_applied.sort();
    merged.fixed_applied.sort();
    merged
}

impl Merged {
    /// Puts a value in, its variables filled where it is text; text within maps and lists stays as written.
    fn put(&mut self, name: &str, value: &Value, context: &Context) {
        self.unfilled.retain(|(of, _)| of != name);
        let value = match value {
            Value::String(text) => {
                let filled = template::fill(text, context);
                self.unfilled.extend(filled.unfilled.into_iter().map(|variable| (name.to_owned(), variable)));
                filled.text.into()
            }
            other => other.clone(),
        };
        self.arguments.insert(name.to_owned(), value);
    }
}

/// `envs`: the names with the variables that stand for them.
#[must_use]
pub fn envs(options: &Value) -> Map<String, Value> {
    let given = options.get(keys::ENVS).and_then(Value::as_object);
    given
        .into_iter()
        .flatten()
        .filter(|(_, variable)| variable.is_string())
        .map(|(name, to)| (name.clone(), to.clone()))
        .collect()
}

/// The arguments of a model's call as the worker reads them, and the code of what is wrong with them.
#[must_use]
pub fn parse_given(raw: &Value) -> (Map<String, Value>, Option<&'static str>) {
    let parsed = match raw {
        Value::Null => return (Map::new(), None),
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    };
    match parsed {
        Some(Value::Object(members)) => (members, None),
        _ => (Map::from_iter([("_raw".to_owned(), json!(raw))]), Some("invalid_arguments_json")),
    }
}
