//! The function that a model sees of a tool: fixed and environment names gone, defaults shown.

use serde_json::{Map, Value, json};

use super::keys;
use crate::model::tool::{Function, Tool};

/// Name, description and parameters, as CommonGround's worker hands them to its model.
#[must_use]
pub(crate) fn model_function(tool: &Tool) -> Function {
    let value = &*tool.entry.value;
    let given = value
        .get(keys::PARAMETERS)
        .filter(|parameters| parameters.as_object().is_some_and(|members| !members.is_empty()));
    let parameters = given.cloned().unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    let parameters =
        visible_parameters(parameters, value.get(keys::OPTIONS).unwrap_or(&Value::Null));
    Function::new(&tool.name, &tool.description, parameters)
}

/// The parameters without the names that `options` fixes or takes from the environment, and with
/// its defaults, which stand as they are written: variables in them are not filled in. A default
/// that the schema has already stays, and a default lifts no requirement.
#[must_use]
pub fn visible_parameters(mut parameters: Value, options: &Value) -> Value {
    let hidden = |name: &str| is_hidden(options, name);
    if let Some(Value::Object(properties)) = parameters.get_mut("properties") {
        properties.retain(|name, _| !hidden(name));
        for (name, default) in default_arguments(options).into_iter().flatten() {
            if let Some(Value::Object(property)) = properties.get_mut(name) {
                property.entry("default").or_insert_with(|| default.clone());
            }
        }
    }
    if let Some(Value::Array(required)) = parameters.get_mut("required") {
        required.retain(|name| !name.as_str().is_some_and(hidden));
    }
    parameters
}

/// `args.defaults`, where it is a map.
#[must_use]
pub(crate) fn default_arguments(options: &Value) -> Option<&Map<String, Value>> {
    options.get(keys::ARGS)?.get(keys::DEFAULTS)?.as_object()
}

/// `args.fixed`, where it is a map.
#[must_use]
pub(crate) fn fixed_arguments(options: &Value) -> Option<&Map<String, Value>> {
    options.get(keys::ARGS)?.get(keys::FIXED)?.as_object()
}

/// Whether a model does not see an argument: it is fixed, or is among `envs`, whatever is written
/// there.
#[must_use]
pub(crate) fn is_hidden(options: &Value, name: &str) -> bool {
    let envs = options.get(keys::ENVS).and_then(Value::as_object);
    [fixed_arguments(options), envs].into_iter().flatten().any(|names| names.contains_key(name))
}
