//! The JSON Schema for the form of an entry, with choices from the catalog.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    descriptor, keys,
    types::{self, Field, FieldKind},
};
use crate::{
    model::{
        catalog::Catalog,
        context::{Mode, UNDEFINED},
        entry::{Entry, EntryKind},
        service::{Parameter, Service},
    },
    systems::{schema_form, system::EntryRules},
};

/// A text that Python's `int()` takes.
const COUNT: &str = r"^\s*[+-]?\p{Nd}+(_\p{Nd}+)*\s*$";

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

const OF_DEFAULT: &str = "What the service takes without it. It isn't sent.";

/// The schema of an entry of any kind; properties stand in form order.
#[must_use]
pub(crate) fn entry_schema(entry: &Entry, catalog: &Catalog) -> Value {
    match entry.kind {
        EntryKind::Tool => tool(entry, catalog, named_service(entry, catalog)),
        EntryKind::Service => service(),
        EntryKind::Server => server(),
        EntryKind::Schema => Value::Bool(true),
    }
}

/// What the schema of an entry demands whichever service it names. What a service asks for and the
/// schema of the arguments have checks of their own, and so have types of arguments that
/// TrustGraph doesn't mind.
pub(crate) fn entry_rules(entry: &Entry, mode: Mode) -> Option<EntryRules<'_>> {
    Some(match entry.kind {
        EntryKind::Schema => return None,
        EntryKind::Service | EntryKind::Server => {
            EntryRules::new(entry.kind.as_str(), || entry_schema(entry, &Catalog::default()))
        }
        EntryKind::Tool => {
            let value = &*entry.value;
            let of = types::by_name(type_name(value)).map_or("", |of| of.name);
            let word = format!(
                "tool {of} {} {}",
                is_in_document_spelling(value, keys::MCP_TOOL),
                states_keys(value, mode).join(" ")
            );
            EntryRules::new(word, move || {
                let nothing = Catalog::new(mode, Vec::new(), Vec::new(), Vec::new());
                let mut schema = tool(entry, &nothing, None);
                if let Some(members) = schema.as_object_mut() {
                    members.shift_remove("$defs");
                }
                if let Some(properties) = schema["properties"].as_object_mut() {
                    properties.shift_remove(keys::ARGUMENTS_SCHEMA);
                    if let Some(arguments) = properties.get_mut(keys::ARGUMENTS) {
                        arguments["items"]["properties"][keys::TYPE] = json!({"type": "string"});
                    }
                }
                schema
            })
        }
    })
}

/// Whether a tool has a field under the name that the document gives it: of that there is a check.
fn is_in_document_spelling(tool: &Value, key: &str) -> bool {
    key == keys::MCP_TOOL
        && tool.get(key).is_none()
        && descriptor::text_member(tool, keys::MCP_TOOL_DOCUMENT).is_some()
}

fn type_name(tool: &Value) -> &str {
    descriptor::text_member(tool, keys::TYPE).unwrap_or_default()
}

/// The service that a tool names and takes its configuration from.
fn named_service<'c>(entry: &Entry, catalog: &'c Catalog) -> Option<&'c Service> {
    bound_service(entry, type_name(&entry.value), catalog)
}

/// What the schema of an entry depends on, beside the names and services of the catalog.
#[must_use]
pub(crate) fn schema_word(entry: &Entry, catalog: &Catalog) -> String {
    let value = &*entry.value;
    if entry.kind != EntryKind::Tool {
        return entry.kind.as_str().to_owned();
    }
    let type_name = type_name(value);
    let mut word = format!(
        "{} {type_name:?} {} {} {}",
        entry.kind.as_str(),
        is_in_document_spelling(value, keys::MCP_TOOL),
        states_keys(value, catalog.mode).join(" "),
        other_spellings(value).into_iter().collect::<Vec<_>>().join(" ")
    );
    if let Some(service) = bound_service(entry, type_name, catalog) {
        for Parameter { name, required } in &service.parameters {
            let of = value.get(name).filter(|_| !properties_fixed(name)).map(configured_type);
            word += &format!(" {name:?} {required} {of:?}");
        }
    }
    word
}

/// The service that a tool takes its configuration from.
fn bound_service<'c>(entry: &Entry, type_name: &str, catalog: &'c Catalog) -> Option<&'c Service> {
    let named = descriptor::text_member(&entry.value, keys::SERVICE)
        .filter(|_| type_name == "tool-service");
    named.and_then(|key| catalog.service_by_key(entry.system, key))
}

fn tool(entry: &Entry, catalog: &Catalog, service: Option<&Service>) -> Value {
    let value = &*entry.value;
    let of = types::by_name(type_name(value));
    let names = catalog.gate_names();
    let groups: Vec<&str> = names.groups.iter().map(|group| &**group).collect();
    let states: BTreeSet<&str> =
        names.states.iter().map(|state| &**state).chain([UNDEFINED]).collect();
    let mut properties = Map::new();
    let mut put = |key: &str, schema: Value| drop(properties.insert(key.to_owned(), schema));

    put(
        keys::NAME,
        json!({"title": "name", "type": "string", "minLength": 1, "description": "Its name for \
            the model. Every model's API accepts letters, digits, - and _."}),
    );
    put(
        keys::TYPE,
        json!({"title": "type", "enum": types::TYPES.iter().map(|of| of.name).collect::<Vec<_>>(), "description": of.map_or("What answers its calls.", |of| of.about)}),
    );
    put(
        keys::DESCRIPTION,
        json!({"title": "description", "type": "string", "format": "multiline", "description": "For the model: what it does and when to use it."}),
    );
    put(
        keys::GROUP,
        list(
            "group",
            "Visible to requests for any of these groups. Default: \"default\".",
            &groups,
        ),
    );
    put(
        keys::STATE,
        json!({"title": "state", "type": "string", "examples": states, "description": "The state \
            after a successful call. Default: the state stays."}),
    );
    for key in states_keys(value, catalog.mode) {
        put(
            key,
            list(
                "available in",
                "The states in which it is available. Default, or with \"*\": every state.",
                &states,
            ),
        );
    }
    for field in of.map_or(&[][..], |of| of.fields) {
        put(field.key, own_field(field, catalog));
    }
    for parameter in service.map_or(&[][..], |service| &service.parameters) {
        if !properties_fixed(&parameter.name) {
            put(&parameter.name, configuration(&parameter.name, value.get(&parameter.name)));
        }
    }
    if of.is_none_or(|of| of.arguments == types::Arguments::Listed) {
        put(keys::ARGUMENTS, arguments(value));
        put(keys::ARGUMENTS_SCHEMA, arguments_schema());
    }

    let mut required: Vec<&str> = vec![keys::NAME, keys::TYPE, keys::DESCRIPTION];
    required.extend(
        of.map_or(&[][..], |of| of.fields)
            .iter()
            .filter(|field| field.required && !is_in_document_spelling(value, field.key))
            .map(|field| field.key),
    );
    required.extend(
        service
            .map_or(&[][..], |service| &service.parameters)
            .iter()
            .filter(|parameter| parameter.required)
            .map(|parameter| parameter.name.as_str()),
    );
    json!({
        "$schema": DRAFT, "title": "Tool", "type": "object", "properties": properties,
        "required": required, "$defs": schema_form::definitions(OF_DEFAULT),
    })
}

/// The states keys that the entry has; for an entry without any, the one that the deployed code
/// reads.
fn states_keys(value: &Value, mode: Mode) -> Vec<&'static str> {
    let has = |key: &&'static str| value.get(key).is_some();
    let mut keys: Vec<_> =
        [keys::STATES_DEPLOYED, keys::STATES_DOCUMENT].into_iter().filter(has).collect();
    if keys.is_empty() || (mode == Mode::AsDeployed && keys == [keys::STATES_DOCUMENT]) {
        keys.insert(0, keys::STATES_DEPLOYED);
    }
    keys
}

/// Whether a key means something of its own on every tool, whatever a service declares.
fn properties_fixed(key: &str) -> bool {
    [
        keys::NAME,
        keys::TYPE,
        keys::DESCRIPTION,
        keys::GROUP,
        keys::STATE,
        keys::STATES_DEPLOYED,
        keys::SERVICE,
        keys::ARGUMENTS,
        keys::ARGUMENTS_SCHEMA,
    ]
    .contains(&key)
}

fn list(title: &str, help: &str, examples: impl Serialize) -> Value {
    json!({
        "title": title, "description": help, "type": "array", "uniqueItems": true,
        "items": {"type": "string", "minLength": 1, "examples": examples},
    })
}

fn own_field(field: &Field, catalog: &Catalog) -> Value {
    let mut schema = json!({"title": field.key, "type": "string", "description": field.about});
    match field.kind {
        FieldKind::Text => {}
        FieldKind::Count { default } => {
            schema = json!({
                "title": field.key, "description": field.about, "default": default,
                "anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": COUNT, "title": "as text"}],
            });
        }
        FieldKind::Service => {
            let keys: BTreeSet<_> = catalog
                .services
                .iter()
                .filter(|service| service.entry.system == keys::SYSTEM)
                .map(|service| service.key())
                .collect();
            // Suggestions: a service can be named before it is made.
            schema["examples"] = json!(keys);
        }
        FieldKind::Server => {
            let keys: BTreeSet<_> = catalog
                .others
                .iter()
                .filter(|entry| entry.system == keys::SYSTEM && entry.kind == EntryKind::Server)
                .map(|entry| &entry.key)
                .collect();
            schema["examples"] = json!(keys);
        }
    }
    if field.required {
        schema["minLength"] = json!(1);
    }
    schema
}

/// A value for the service: text, unless the entry has something else there.
fn configuration(name: &str, present: Option<&Value>) -> Value {
    // It does not name the service, so that tools of services that take the same have one form.
    let mut schema = json!({"title": name, "description": "Configuration that the service gets with every call."});
    if let Some(of) = present.map_or(Some("string"), configured_type) {
        schema[keys::TYPE] = of.into();
    }
    schema
}

/// The type that a configured value has in its schema; none where it is no plain value.
fn configured_type(present: &Value) -> Option<&'static str> {
    match present {
        Value::Null | Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(_) => Some("number"),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Types of arguments that are written in another way and understood: `str`, `Int`.
fn other_spellings(tool: &Value) -> BTreeSet<&str> {
    let listed = tool.get(keys::ARGUMENTS).and_then(Value::as_array).into_iter().flatten();
    let named = listed.filter_map(|item| descriptor::text_member(item, keys::TYPE));
    let is_other = |named: &&str| {
        !ARGUMENT_TYPES.contains(named) && descriptor::argument_type(named).is_some()
    };
    named.filter(is_other).collect()
}

const ARGUMENT_TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

fn arguments(tool: &Value) -> Value {
    let mut types = ARGUMENT_TYPES.to_vec();
    types.extend(other_spellings(tool));
    json!({
        "title": "arguments", "description": "What the model gives with each call.", "type": "array",
        "items": {
            "type": "object", "title": "argument",
            "properties": {
                "name": {"title": "name", "type": "string", "minLength": 1, "description": "Its name for the model."},
                "type": {"title": "type", "type": "string", "enum": types, "default": "string", "description": "The kind of value that the model gives. Not checked at run time."},
                "description": {"title": "description", "type": "string", "description": "For the \
                model: how to fill it in."},
            },
            "required": ["name", "type", "description"],
        },
    })
}

fn arguments_schema() -> Value {
    let words = "A JSON Schema for the arguments, if a list of names and types isn't enough: \
        choices, bounds, nested values. The form and the checks of a call use it; TrustGraph \
        stores it but reads the list.";
    schema_form::schema_of_arguments("arguments schema", words)
}

fn service() -> Value {
    let queue = |which: &str, class: &str, title: &str| {
        json!({
            "title": title, "type": "string", "minLength": 1,
            "description": format!("The queue that {which}: non-persistent://tg/{class}/NAME or {class}:tg:NAME."),
        })
    };
    json!({
        "$schema": DRAFT, "title": "Tool service", "type": "object",
        "properties": {
            "id": {"title": "id", "type": "string", "minLength": 1, "description": "What tools \
            refer to as their service. The deployed code uses the configuration key instead: keep both the same."},
            "request-queue": queue("takes requests", "request", "request queue"),
            "response-queue": queue("brings answers", "response", "response queue"),
            "config-params": {
                "title": "configuration", "description": "Values that each tool gives to the service.", "type": "array",
                "items": {
                    "type": "object", "title": "parameter",
                    "properties": {
                        "name": {"title": "name", "type": "string", "minLength": 1, "description": "The key in the tool with the value."},
                        "required": {"title": "required", "type": "boolean", "default": false, "description": "Whether every tool must set it."},
                    },
                    "required": ["name"],
                },
            },
        },
        "required": ["id", "request-queue", "response-queue"],
    })
}

fn server() -> Value {
    json!({
        "$schema": DRAFT, "title": "MCP server", "type": "object",
        "properties": {
            "url": {"title": "url", "type": "string", "format": "uri", "minLength": 1, "description": "The server's address."},
            "remote-name": {"title": "remote name", "type": "string", "description": "The tool's \
            name on the server. Default: this entry's key."},
            "auth-token": {"title": "token", "type": "string", "writeOnly": true, "description": "Stored as plain text by TrustGraph: keep it out of shared files."},
        },
        "required": ["url"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::entry::FileId,
        syntax::source::{Format, Source},
        systems::read,
    };

    #[test]
    fn entries_with_one_word_have_one_schema_whatever_their_services_are_called() {
        let service = |name: &str, takes: &str| {
            format!(
                "  {name}:\n    id: {name}\n    request-queue: request:tg:{name}\n    response-queue: response:tg:{name}\n    config-params: [{takes}]\n"
            )
        };
        let tool = |name: &str, service: &str, rest: &str| {
            format!(
                "  {name}:\n    type: tool-service\n    name: {name}\n    description: d\n    service: {service}\n{rest}"
            )
        };
        let text = [
            "tool-service:\n".to_owned(),
            service("one", "{name: style, required: true}"),
            service("two", "{name: style, required: true}"),
            service("free", "{name: style}"),
            service("other", "{name: limit, required: true}"),
            "tool:\n".to_owned(),
            tool("a", "one", "    style: dry\n"),
            tool("b", "two", "    style: dry\n"),
            tool("c", "two", "    style: 3\n"),
            tool("d", "free", "    style: dry\n"),
            tool("e", "other", ""),
            tool("f", "nobody", ""),
        ];
        let (file, source) =
            (FileId::new("t.yaml"), Source::parse(Format::Yaml, text.concat()).unwrap());
        let catalog = read::read_catalog([(&file, &source)], Mode::Document);
        let made: Vec<_> = catalog
            .tools
            .iter()
            .map(|tool| (schema_word(&tool.entry, &catalog), entry_schema(&tool.entry, &catalog)))
            .collect();
        assert_eq!(made.len(), 6);
        for (one, other) in made.iter().flat_map(|one| made.iter().map(move |other| (one, other))) {
            assert_eq!(one.0 == other.0, one.1 == other.1, "{one:?} {other:?}");
        }
        assert_eq!(made[0].0, made[1].0);
    }
}
