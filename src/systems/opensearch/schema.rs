//! The forms of tools, agents and connectors.

use std::{
    collections::{BTreeSet, HashSet},
    iter,
};

use serde_json::{Map, Value, json};

use super::{
    dynamic::METHODS,
    entries::{AGENT_TYPES, EntrySort},
    keys,
    processors::read::TYPES,
};
use crate::{
    engine::secret::{is_secret_name, looks_secret},
    model::entry::Entry,
    schema::node::NAMES_VARIABLE,
    systems::{gate_tables, schema_form, system::EntryRules},
};

/// The schema of an entry's form.
#[must_use]
pub fn entry_schema(entry: &Entry) -> Value {
    if gate_tables::is_setting(entry) {
        return gate_tables::settings_schema();
    }
    schema_of(EntrySort::of_entry(&entry.value), &entry.value)
}

fn schema_of(sort: EntrySort, value: &Value) -> Value {
    let mut schema = match sort {
        EntrySort::Dynamic => tool(dynamic_parameters(value)),
        EntrySort::Typed => tool(typed_parameters(value)),
        EntrySort::Composite => composite(value),
        EntrySort::Agent => agent(value),
        EntrySort::Connector => connector(),
        EntrySort::Model => model(),
        EntrySort::Listed => listed(),
    };
    schema["$defs"] = schema_form::definitions("What the tool takes without it.");
    schema
}

/// What the schema of an entry demands: it depends on what the entry is, and on the types of its
/// steps, whose parameters have fields.
pub(super) fn entry_rules(entry: &Entry) -> EntryRules<'_> {
    if gate_tables::is_setting(entry) {
        return EntryRules::new("setting", gate_tables::settings_schema);
    }
    let value = &*entry.value;
    let sort = EntrySort::of_entry(value);
    let steps = STEPS.into_iter().filter_map(|list| value.get(list)?.as_array()).flatten();
    let types: BTreeSet<&str> = iter::once(value)
        .chain(steps)
        .filter_map(|tool| tool.get(keys::TYPE)?.as_str())
        .filter(|kind| has_fields(kind))
        .collect();
    let word = types.into_iter().fold(sort.as_str().to_owned(), |word, kind| word + " " + kind);
    EntryRules::new(word, move || {
        let mut schema = schema_of(sort, &without_parameters(value));
        allow_any_parameters(&mut schema);
        schema
    })
}

/// Parameters may be anything: what is no text becomes its JSON text.
fn allow_any_parameters(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let properties = members.get_mut("properties").and_then(Value::as_object_mut);
            if let Some(parameters) = properties.and_then(|all| all.get_mut(keys::PARAMETERS)) {
                let required = parameters.get("required").cloned().unwrap_or_else(|| json!([]));
                *parameters = json!({"type": "object", "required": required});
            }
            members.values_mut().for_each(allow_any_parameters);
        }
        Value::Array(items) => items.iter_mut().for_each(allow_any_parameters),
        _ => {}
    }
}

/// The lists of steps that an entry may have.
const STEPS: [&str; 2] = [keys::TOOL_STEPS, keys::TOOLS];

/// An entry without what only itself has fields for.
fn without_parameters(entry: &Value) -> Value {
    let mut entry = entry.clone();
    if let Some(members) = entry.as_object_mut() {
        members.remove(keys::PARAMETERS);
    }
    for list in STEPS {
        let steps = entry.get_mut(list).and_then(Value::as_array_mut);
        for step in steps.into_iter().flatten().filter_map(Value::as_object_mut) {
            step.remove(keys::PARAMETERS);
        }
    }
    entry
}

/// Whether tools of a type have fields of their own.
fn has_fields(kind: &str) -> bool {
    kind == keys::DYNAMIC_TOOL || !parameters_of_type(kind).is_empty()
}

/// A model as a cluster has it; what it says is the cluster's.
fn model() -> Value {
    json!({
        "type": "object",
        "properties": {
            keys::NAME: text("Its name"),
            keys::MODEL_ID: text("The id by which tools and agents name it"),
            "function_name": text("What kind of model it is: remote, text_embedding, …"),
            "model_state": text("Whether it is deployed"),
            keys::CONNECTOR_ID: text("The connector through which it is asked"),
            keys::DESCRIPTION: text("What it is for"),
        },
        "required": [keys::NAME, keys::MODEL_ID],
    })
}

fn text(help: &str) -> Value {
    json!({"type": "string", "description": help})
}

fn template(help: &str) -> Value {
    json!({"type": "string", "format": "multiline", "description": help})
}

fn texts(help: &str) -> Value {
    json!({"type": "object", "default": {}, "description": help})
}

/// Parameters that the cluster reads of every tool.
fn common_parameters() -> Map<String, Value> {
    let mut properties = Map::new();
    let filter = "JSONPath that selects a part of the output for later steps; if it finds \
        nothing, the output is unchanged";
    properties.insert(keys::OUTPUT_FILTER.into(), text(filter));
    properties.insert(keys::OUTPUT_PROCESSORS.into(), processors());
    properties.insert(
        keys::INPUT.into(),
        template("A template; where it becomes a JSON object, its members are parameters"),
    );
    properties
}

/// A list of processors, or its JSON text. A type may be written in any case, so that it is not
/// one of a list here.
fn processors() -> Value {
    let path = text("JSONPath: conditional, for_each, jsonpath_filter, process_and_set, set_field");
    let properties = json!({
        keys::TYPE: {"type": "string", "examples": TYPES, "description": "What it does"},
        "path": path,
        "paths": {"type": "array", "items": {"type": "string"}, "description": "JSONPaths: remove_jsonpath"},
        "pattern": text("A regular expression: regex_capture, regex_replace"),
        "replacement": text("$1 is the first group: regex_replace"),
        "replace_all": {"type": "boolean", "default": true, "description": "Every match, or the first: regex_replace"},
        "groups": text("Numbers of the groups that are kept, as a text: 1, or [1,2]: regex_capture"),
        "extract_type": {"type": "string", "examples": ["auto", "object", "array"], "description": "What is looked for: extract_json"},
        "value": {"description": "What is set: set_field"},
        "source_path": text("JSONPath of what is set, in the place of value: set_field"),
        "default": {"description": "Where nothing is found: extract_json, jsonpath_filter, set_field; a list of processors: conditional"},
        "processors": {"type": "array", "items": {"type": "object"}, "description": "What is done there: for_each, process_and_set"},
        "routes": {"type": "array", "items": {"type": "object"}, "description": "Conditions with lists of processors: conditional"},
        "escape_json": {"type": "boolean", "default": false, "description": "Escape the text: to_string"},
    });
    let item = json!({
        "type": "object", "required": [keys::TYPE], "properties": properties,
        "additionalProperties": true,
    });
    json!({
        "description": "Processors for the output, applied in order before output_filter",
        "anyOf": [
            {"type": "array", "items": item, "title": "a list"},
            {"type": "string", "format": "multiline", "title": "its JSON text"},
        ],
    })
}

fn dynamic_parameters(entry: &Value) -> Value {
    let is_built = entry.get(keys::TYPE).and_then(Value::as_str) == Some(keys::DYNAMIC_TOOL);
    let mut properties = Map::new();
    properties.insert(
        keys::METHOD.into(),
        json!({"type": "string", "enum": METHODS, "description": "In capitals"}),
    );
    properties.insert(
        keys::URI.into(),
        text(
            "The path on the cluster, with its query: \
        /${parameters.index}/_search. Values are inserted unchanged",
        ),
    );
    properties.insert(
        keys::REQUEST_BODY.into(),
        template(
            "JSON with ${parameters.NAME} or \
        ${parameters.NAME:-DEFAULT}. Values are inserted unchanged: a quote in one breaks the JSON",
        ),
    );
    properties.insert(
        keys::RESPONSE_FILTER.into(),
        text("JSONPath that selects a part of the answer; if it finds nothing, the step fails"),
    );
    properties.extend(common_parameters());
    add_missing(&mut properties, own_texts(iter::once(entry)));
    let required = if is_built { json!([keys::METHOD, keys::URI]) } else { json!([keys::URI]) };
    json!({
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": true,
        "description": "What the tool sends, and defaults for its placeholders",
    })
}

/// What tools of a type take, as far as it is known here.
fn parameters_of_type(kind: &str) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut add = |name: &str, schema: Value| drop(properties.insert(name.into(), schema));
    match kind {
        keys::MODEL_TOOL => {
            add(keys::MODEL_ID, text("The model"));
            add("prompt", template("Its input, if the connector's body uses it"));
            add("response_field", text("The member of the answer that is the output: response"));
        }
        keys::AGENT_TOOL => add(keys::AGENT_ID, text("The agent that is run")),
        keys::CONNECTOR_TOOL => {
            add(keys::CONNECTOR_ID, text("The connector that is called"));
            add("connector_action", text("The action of it that is run: execute"));
        }
        _ => {}
    }
    properties
}

/// Parameters of these tools that are texts and stand in no schema, so that each is one field.
fn own_texts<'e>(tools: impl Iterator<Item = &'e Value>) -> Map<String, Value> {
    let parameters = tools.filter_map(|tool| tool.get(keys::PARAMETERS)?.as_object()).flatten();
    let mut properties = Map::new();
    let mut others: HashSet<&str> = HashSet::new();
    for (name, value) in parameters {
        match value {
            Value::String(value) => {
                let schema =
                    properties.entry(name.clone()).or_insert_with(|| json!({"type": "string"}));
                // Only a field of several lines can be given one, so that none changes as it is typed.
                if value.contains('\n') {
                    schema["format"] = "multiline".into();
                }
                if is_secret_name(name) || looks_secret(name, value).is_some() {
                    schema["writeOnly"] = true.into();
                }
            }
            _ => drop(others.insert(name)),
        }
    }
    properties.retain(|name, _| !others.contains(name.as_str()));
    properties
}

fn typed_parameters(entry: &Value) -> Value {
    let kind = entry.get(keys::TYPE).and_then(Value::as_str).unwrap_or_default();
    let mut properties = parameters_of_type(kind);
    properties.extend(common_parameters());
    add_missing(&mut properties, own_texts(iter::once(entry)));
    json!({
        "type": "object", "properties": properties, "additionalProperties": true,
        "description": "Defaults: a request's parameters override them",
    })
}

fn add_missing(properties: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, schema) in more {
        properties.entry(name).or_insert(schema);
    }
}

fn tool_properties(parameters: Value) -> Map<String, Value> {
    let mut properties = Map::new();
    properties.insert(
        keys::TYPE.into(),
        text("The tool's type: DynamicTool, MLModelTool, SearchIndexTool, …"),
    );
    properties
        .insert(keys::NAME.into(), text("Unique in an agent; without it the type is the name"));
    properties.insert(keys::DESCRIPTION.into(), template("What the tool does, for the model"));
    properties.insert(keys::PARAMETERS.into(), parameters);
    properties.insert(keys::CONFIG.into(), texts("Parameters that nothing overrides"));
    properties.insert(keys::ATTRIBUTES.into(), json!({
        "type": "object", "additionalProperties": true,
        "properties": {
            keys::INPUT_SCHEMA: {
                "description": "JSON Schema of what a model gives: as text or as an object",
                "anyOf": [
                    schema_form::schema_of_arguments("an object", "Fields for each argument"),
                    {"type": "string", "format": "multiline", "title": "its JSON text"},
                ],
            },
            keys::REQUIRED_PARAMETERS: {"description": "The only parameters that the tool gets: a list of names"},
            "strict": {"type": "boolean", "default": false},
        },
    }));
    properties.insert(
        keys::INCLUDE_OUTPUT.into(),
        json!({
            "type": "boolean", "default": false,
            "description": "Include this step's output in the agent's answer; the last step's is \
            always included",
        }),
    );
    properties
}

fn tool(parameters: Value) -> Value {
    json!({
        "type": "object", "properties": tool_properties(parameters), "required": [keys::TYPE],
        "additionalProperties": true,
    })
}

/// The schema of those steps that a member of an entry lists.
fn step_schema(entry: &Value, member: &str) -> Value {
    let steps = || entry.get(member).and_then(Value::as_array).into_iter().flatten();
    let mut properties = Map::new();
    for step in steps() {
        properties.extend(parameters_of_type(step[keys::TYPE].as_str().unwrap_or_default()));
    }
    properties.insert(keys::METHOD.into(), json!({"type": "string", "enum": METHODS}));
    properties
        .insert(keys::URI.into(), text("The path on the cluster, of steps that call its API"));
    properties.insert(keys::REQUEST_BODY.into(), template("JSON with ${parameters.NAME}"));
    properties.insert(keys::RESPONSE_FILTER.into(), text("JSONPath"));
    properties.extend(common_parameters());
    add_missing(&mut properties, own_texts(steps()));
    tool(json!({"type": "object", "properties": properties, "additionalProperties": true}))
}

fn composite(entry: &Value) -> Value {
    let steps = json!({
        "type": "array", "minItems": 1, "items": step_schema(entry, keys::TOOL_STEPS),
        "description": "Steps in order; each sees the outputs before it as ${parameters.STEP.output}",
    });
    let mut rest = tool_properties(texts("Defaults for all steps"));
    let mut properties = Map::new();
    // What makes it one is before what it seldom says.
    for name in [keys::NAME, keys::DESCRIPTION] {
        properties.extend(rest.shift_remove(name).map(|schema| (name.to_owned(), schema)));
    }
    properties.insert(keys::TOOL_STEPS.into(), steps);
    properties.extend(rest);
    json!({
        "type": "object", "properties": properties, "required": [keys::TOOL_STEPS],
        "additionalProperties": true,
    })
}

fn agent(entry: &Value) -> Value {
    json!({
        "type": "object", "required": [keys::NAME, keys::TYPE], "additionalProperties": true,
        "properties": {
            keys::NAME: {"type": "string", "minLength": 1, "maxLength": 128, "description": "The agent's name"},
            keys::TYPE: {"type": "string", "examples": AGENT_TYPES, "description": "flow and \
                conversational_flow run their tools in order; for other types a model chooses"},
            keys::AGENT_ID: text("Its id in the cluster; toolcrib calls it by this"),
            keys::DESCRIPTION: template("What the agent is for"),
            keys::TOOLS: {"type": "array", "items": step_schema(entry, keys::TOOLS), "description": "In order. Each sees the outputs before it as ${parameters.TOOL.output}"},
            "llm": {
                "type": "object", "additionalProperties": true, "description": "The model that \
                chooses tools, for types other than flow",
                "properties": {keys::MODEL_ID: text("Its id"), keys::PARAMETERS: texts("Its parameters")},
            },
            "memory": {
                "type": "object", "additionalProperties": true, "description": "Where conversations are kept",
                "properties": {keys::TYPE: {"type": "string", "examples": ["conversation_index"]}},
            },
            keys::PARAMETERS: texts("Parameters of the agent"),
            "app_type": text("What the agent is used for: rag, os_chat, …"),
        },
    })
}

fn connector() -> Value {
    json!({
        "type": "object", "required": [keys::NAME, keys::PROTOCOL, keys::ACTIONS], "additionalProperties": true,
        "properties": {
            keys::NAME: text("The connector's name"),
            keys::CONNECTOR_ID: text("Its id in the cluster"),
            keys::DESCRIPTION: template("The service behind it"),
            "version": {"description": "A number of your own"},
            keys::PROTOCOL: {"type": "string", "examples": ["http", "aws_sigv4", "mcp_sse", "mcp_streamable_http"], "description": "The protocol"},
            keys::PARAMETERS: texts("Defaults for placeholders; a request's values override them"),
            "credential": {
                "type": "object", "default": {},
                "additionalProperties": {"type": "string", "writeOnly": true, NAMES_VARIABLE: true},
                "description": "Secrets for ${credential.NAME} in headers, which the cluster encrypts. $NAME is an environment variable, whose value is sent with a push",
            },
            keys::ACTIONS: {
                "type": "array", "description": "What it can do",
                "items": {
                    "type": "object", "required": ["action_type", keys::METHOD, "url"], "additionalProperties": true,
                    "properties": {
                        "action_type": {"type": "string", "examples": ["predict", "execute"]},
                        keys::METHOD: {"type": "string", "examples": METHODS},
                        "url": text("https://… with ${parameters.NAME}; nothing is percent-encoded"),
                        "headers": {
                            "type": "object", "default": {}, "additionalProperties": {"type": "string"},
                            "description": "Values with ${credential.NAME}, and ${parameters.NAME} where that is allowed",
                        },
                        keys::REQUEST_BODY: template("JSON with ${parameters.NAME}; values are \
                            escaped, objects and lists are inserted unchanged"),
                        "pre_process_function": template("Makes the model's input: a built-in \
                        function, or a Painless script"),
                        "post_process_function": template("Makes the tool's output: a built-in \
                        function, or a Painless script"),
                    },
                },
            },
            "client_config": texts("Limits and retries of the cluster's client"),
        },
    })
}

fn listed() -> Value {
    json!({
        "type": "object", "additionalProperties": true,
        "description": "A tool as the cluster lists it; it can only be changed in the cluster",
        "properties": {
            keys::NAME: text("Its name"), keys::TYPE: text("Its type"),
            keys::DESCRIPTION: template("What it does"), "version": text("Its version"),
            keys::ATTRIBUTES: {"type": "object", "additionalProperties": true},
        },
    })
}
