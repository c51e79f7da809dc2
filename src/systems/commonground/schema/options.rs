//! The form of a definition's `options`: values that do not come from the model, the request of the
//! Jina service, waiting times.

use serde_json::{Map, Value, json};

use crate::systems::commonground::{context::VARIABLES, function, keys};

/// The form of the options of a definition.
pub(crate) fn options_schema(definition: &Value) -> Value {
    let none = Value::Null;
    let options = definition.get(keys::OPTIONS).unwrap_or(&none);
    let declared = definition
        .get(keys::PARAMETERS)
        .and_then(|parameters| parameters.get("properties"))
        .and_then(Value::as_object);
    let mut properties = Map::new();
    let mut put = |key: &str, schema: Value| drop(properties.insert(key.to_owned(), schema));
    let fixed = function::fixed_arguments(options);
    let defaults = values(
        "defaults",
        "Used for arguments that the model doesn't give; null, empty text and 0 count as given. The model sees them.",
        declared,
        |name| !function::is_hidden(options, name),
    );
    let present = |name: &str| fixed.is_some_and(|fixed| fixed.contains_key(name));
    let fixed_form = values(
        "fixed",
        "Override what the model gives. It doesn't see these names.",
        declared,
        present,
    );
    put(
        keys::ARGS,
        json!({
            "title": "arguments", "type": "object", "description": "Values that don't come from the model. {variables} in texts are filled in.",
            "properties": {keys::DEFAULTS: defaults, keys::FIXED: fixed_form},
        }),
    );
    put(
        keys::ENVS,
        json!({
            "title": "from the environment", "type": "object",
            "description": "Argument → environment variable, which the service reads when it runs. The model doesn't see these names; only the variable's name is saved.",
            "additionalProperties": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "title": "variable"},
        }),
    );
    put(
        keys::UI_ALLOWED,
        json!({"title": "allow UI calls", "type": "boolean", "default": false, "description": "Allows UI actions to call the tool, including toolcrib's own calls."}),
    );
    put(keys::SUSPEND_TIMEOUT, seconds("waiting time"));
    if options.get(keys::TIMEOUT).is_some() {
        put(keys::TIMEOUT, seconds("timeout, its other name"));
    }
    if options.get(keys::OPENAPI).is_some() {
        put(keys::OPENAPI, jina("jina, its old name"));
    }
    put(keys::JINA, jina("jina"));
    json!({"title": "options", "type": "object", "description": "Settings that the model doesn't control.", "properties": properties})
}

fn seconds(title: &str) -> Value {
    json!({
        "title": title, "type": "number", "exclusiveMinimum": 0, "default": 30,
        "description": "Seconds that a turn waits for the result; at least 30.",
    })
}

/// Values by argument: declared ones as their parameter says, others as anything.
fn values(
    title: &str,
    help: &str,
    declared: Option<&Map<String, Value>>,
    offered: impl Fn(&str) -> bool,
) -> Value {
    let properties: Map<String, Value> = declared
        .into_iter()
        .flatten()
        .filter(|(name, _)| offered(name))
        .map(|(name, schema)| (name.clone(), value_of(name, schema)))
        .collect();
    let anything = json!({
        "anyOf": [
            {"title": "text", "type": "string", "examples": variables()},
            {"title": "number", "type": "number"},
            {"title": "yes or no", "type": "boolean"},
            {"title": "JSON"},
        ],
    });
    json!({"title": title, "type": "object", "description": help, "properties": properties, "additionalProperties": anything})
}

/// A value for a parameter. Texts may hold variables, so that no choice or pattern holds for them.
fn value_of(name: &str, schema: &Value) -> Value {
    let of_type = schema.get("type").and_then(Value::as_str);
    match of_type {
        Some("string") => {
            let listed =
                schema.get("enum").and_then(Value::as_array).into_iter().flatten().cloned();
            let examples: Vec<Value> =
                listed.chain(variables().into_iter().map(Value::from)).collect();
            json!({"title": name, "type": "string", "examples": examples})
        }
        Some(plain @ ("integer" | "number" | "boolean")) => {
            let mut shown = json!({"title": name, "type": plain});
            for key in ["minimum", "maximum", "enum"] {
                if let Some(bound) = schema.get(key) {
                    shown[key] = bound.clone();
                }
            }
            shown
        }
        _ => json!({"title": name}),
    }
}

fn variables() -> Vec<String> {
    VARIABLES.iter().map(|name| format!("{{{name}}}")).collect()
}

fn jina(title: &str) -> Value {
    json!({
        "title": title, "type": "object", "description": "The request that CommonGround's Jina service makes from the arguments.",
        "properties": {
            "mode": {"title": "mode", "enum": ["search", "reader", "read", "crawl"], "description": "search looks things up; the others read a page. Omitted: derived from the host."},
            "base_url": {"title": "base url", "type": "string", "examples": ["https://s.jina.ai", "https://r.jina.ai"], "description": "s.jina.ai for search, r.jina.ai for reading; no other host is reached."},
            "path": {"title": "path", "type": "string", "default": "/search", "description": "For search."},
            "endpoint_template": {"title": "endpoint", "type": "string", "default": "/{url}", "description": "For reading; {url} becomes the page's address, percent-encoded."},
            "method": {"title": "method", "enum": ["GET", "POST"], "default": "GET", "description": "GET sends the arguments in the address, POST as JSON."},
            "auth_env": {"title": "key from", "type": "string", "default": "JINA_API_KEY", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "description": "The environment variable with the key. Unset: no key is sent."},
            "accept": {"title": "accept", "type": "string", "default": "text/plain", "description": "The format of the answer."},
            "timeout_s": {"title": "seconds", "type": "number", "exclusiveMinimum": 0, "description": "Timeout of the request."},
            "headers": {"title": "headers", "type": "object", "additionalProperties": {"type": "string"}, "description": "Further headers; never keys."},
            "defaults": {"title": "defaults", "type": "object", "description": "Defaults for arguments of the request."},
        },
    })
}
