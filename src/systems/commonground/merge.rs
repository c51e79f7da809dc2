//! How the arguments that a model gives become those that the tool gets: environment names out,
//! defaults in, fixed values over all.

use serde_json::{Map, Value};

use super::{context::Context, function, keys, template};
use crate::syntax::python::text::strip;

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

/// Merges what a model gave with a tool's options. What is malformed in them counts as absent, as
/// upstream has it.
#[must_use]
pub fn merge_arguments(given: &Map<String, Value>, options: &Value, context: &Context) -> Merged {
    let mut merged = Merged {
        arguments: given.clone(),
        envs: environment_variables(options),
        ..Merged::default()
    };
    for name in merged.envs.keys() {
        merged.arguments.shift_remove(name);
    }
    for (name, value) in function::default_arguments(options).into_iter().flatten() {
        if !merged.arguments.contains_key(name) && !merged.envs.contains_key(name) {
            merged.insert_filled(name, value, context);
            merged.defaults_applied.push(name.clone());
        }
    }
    for (name, value) in function::fixed_arguments(options).into_iter().flatten() {
        if !merged.envs.contains_key(name) {
            merged.insert_filled(name, value, context);
            merged.fixed_applied.push(name.clone());
        }
    }
    merged.defaults_applied.sort();
    merged.fixed_applied.sort();
    merged
}

impl Merged {
    /// Puts a value in, its variables filled where it is text; text within maps and lists stays as
    /// written.
    fn insert_filled(&mut self, name: &str, value: &Value, context: &Context) {
        self.unfilled.retain(|(of, _)| of != name);
        let value = match value {
            Value::String(text) => {
                let filled = template::fill(text, context);
                self.unfilled.extend(
                    filled.unfilled.into_iter().map(|variable| (name.to_owned(), variable)),
                );
                filled.text.into()
            }
            other => other.clone(),
        };
        self.arguments.insert(name.to_owned(), value);
    }
}

/// `envs`: the names with the variables that stand for them, trimmed; a blank one is ignored.
#[must_use]
pub(crate) fn environment_variables(options: &Value) -> Map<String, Value> {
    let given = options.get(keys::ENVS).and_then(Value::as_object);
    let named = |variable: &Value| {
        variable.as_str().map(strip).filter(|variable| !variable.is_empty()).map(Value::from)
    };
    given
        .into_iter()
        .flatten()
        .filter_map(|(name, variable)| Some((name.clone(), named(variable)?)))
        .collect()
}

/// The arguments of a model's call as the worker reads them, and the code of what is wrong with
/// them.
#[must_use]
pub fn parse_given(raw: &Value) -> (Map<String, Value>, Option<&'static str>) {
    let as_raw = |value: Value| Map::from_iter([("_raw".to_owned(), value)]);
    let value = match raw {
        Value::Null => return (Map::new(), None),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(value) => value,
            Err(_) => return (as_raw(raw.clone()), Some("invalid_arguments_json")),
        },
        other => other.clone(),
    };
    match value {
        Value::Object(members) => (members, None),
        other => (as_raw(other), None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(given: &Value, options: &Value) -> Merged {
        merge_arguments(
            given.as_object().unwrap(),
            options,
            &Context { project_id: "demo".into(), ..Context::default() },
        )
    }

    #[test]
    fn a_blank_variable_of_the_environment_touches_nothing() {
        let envs = json!({"a": " KEY\n", "b": " ", "c": "", "d": 5, "e": null});
        let given = json!({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5});
        let merged =
            merged(&given, &json!({"envs": envs, "args": {"fixed": {"b": "{project_id}"}}}));
        assert_eq!(json!(merged.envs), json!({"a": "KEY"}));
        assert_eq!(json!(merged.arguments), json!({"b": "demo", "c": 3, "d": 4, "e": 5}));
    }

    #[test]
    fn a_fixed_value_over_a_default_notes_both() {
        let merged =
            merged(&json!({}), &json!({"args": {"defaults": {"b": 1, "a": 1}, "fixed": {"b": 2}}}));
        assert_eq!(
            (json!(merged.arguments), merged.fixed_applied),
            (json!({"a": 1, "b": 2}), vec!["b".to_owned()])
        );
        assert_eq!(merged.defaults_applied, ["a", "b"]);
    }

    #[test]
    fn what_is_no_object_is_kept_as_raw() {
        for (raw, arguments, error) in [
            (json!("[1]"), json!({"_raw": [1]}), None),
            (json!("7"), json!({"_raw": 7}), None),
            (json!("null"), json!({"_raw": null}), None),
            (json!([1]), json!({"_raw": [1]}), None),
            (json!(false), json!({"_raw": false}), None),
            (json!(""), json!({"_raw": ""}), Some("invalid_arguments_json")),
            (json!(null), json!({}), None),
        ] {
            let (got, told) = parse_given(&raw);
            assert_eq!((json!(got), told), (arguments, error), "{raw}");
        }
    }
}
