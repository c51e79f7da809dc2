//! The forms of an entry, of a schema file, and of what `toolcrib.toml` says of a turn.

use serde_json::{Map, Value, json};

use super::{
    config_schema::{ConfigSchema, ConfigSchemas, EntrySort},
    entries::is_setting,
    keys::{self, Member},
};
use crate::{
    engine::settings::gate_table,
    model::{
        catalog::Catalog,
        entry::{Entry, EntryKind},
        tool::Tool,
    },
    systems::{pydantic::camel_name, schema_form, system::EntryRules},
};

/// The schema of an entry's form, that of its configuration in it.
#[must_use]
pub fn entry_schema(entry: &Entry, catalog: &Catalog) -> Value {
    match entry.kind {
        _ if is_setting(entry) => settings(catalog),
        EntryKind::Tool => tool(&entry.value, catalog),
        EntryKind::Schema | EntryKind::Service | EntryKind::Server => schema_file(),
    }
}

/// What the schema of an entry demands. The configuration has checks of its own, which read it as
/// the platform does.
pub(super) fn entry_rules(entry: &Entry) -> EntryRules<'_> {
    let word = match entry.kind {
        _ if is_setting(entry) => "setting".to_owned(),
        EntryKind::Tool => keys::MEMBERS.map(|member| spelled(member, &entry.value)).join(" "),
        EntryKind::Schema | EntryKind::Service | EntryKind::Server => "schema".to_owned(),
    };
    EntryRules::new(word, || {
        let mut schema = entry_schema(entry, &Catalog::default());
        if entry.kind == EntryKind::Tool && !is_setting(entry) {
            let name = spelled(keys::CONFIGURATION, &entry.value);
            schema["properties"][name] = json!({"type": "object"});
        }
        schema
    })
}

/// How the fields of an entry are shown: its configuration as its tool says.
#[must_use]
pub fn entry_ui(entry: &Entry, catalog: &Catalog) -> Option<Value> {
    if entry.kind != EntryKind::Tool {
        return None;
    }
    let schema = ConfigSchemas::of_catalog(catalog).for_entry(&entry.value)?;
    Some(json!({keys::CONFIGURATION.camel: schema.ui_schema()?}))
}

/// The member as the entry spells it; where it does not have it, as its others are spelled.
fn spelled(member: Member, entry: &Value) -> &'static str {
    let none = Map::new();
    let members = entry.as_object().unwrap_or(&none);
    if let Some((name, _)) = member.find(members) {
        return name;
    }
    let is_other =
        |member: &Member| member.camel != member.snake && members.contains_key(member.snake);
    if keys::MEMBERS.iter().any(is_other) { member.snake } else { member.camel }
}

fn tool(entry: &Value, catalog: &Catalog) -> Value {
    let schemas = ConfigSchemas::of_catalog(catalog);
    let found = schemas.for_entry(entry);
    let (configuration, definitions) = configuration_schema(entry, found.as_ref());
    let mut names: Vec<&str> = schemas.names().chain(keys::FACTORY).collect();
    names.sort_unstable();
    names.dedup();
    let flag =
        |is: bool, help: &str| json!({"type": "boolean", "default": is, "description": help});
    let mut properties = Map::new();
    for member in keys::MEMBERS {
        let schema = match member {
            keys::NAME => {
                json!({"type": "string", "minLength": 1, "examples": names, "description": "The name under which the tool factory has the tool's class; of a sub-agent, what the model calls it by."})
            }
            keys::DISPLAY_NAME => {
                json!({"type": "string", "default": "", "description": "What the user sees."})
            }
            keys::ICON => {
                json!({"enum": keys::ICONS, "default": keys::DEFAULT_ICON, "description": "Anything else becomes IconBook."})
            }
            keys::SELECTION_POLICY => policy(),
            keys::IS_ENABLED => flag(true, "Off: the tool is never loaded."),
            keys::IS_EXCLUSIVE => flag(
                false,
                "Only available when the user chooses it, and then alone; left out of all other \
                turns.",
            ),
            keys::IS_SUB_AGENT => flag(
                false,
                "The configuration is that of a sub-agent: another space that is asked.",
            ),
            _ => configuration.clone(),
        };
        properties.insert(spelled(member, entry).to_owned(), schema);
    }
    let mut schema = json!({
        "type": "object", "properties": properties,
        "required": [keys::NAME.camel, keys::CONFIGURATION.camel],
    });
    if let Some(definitions) = definitions {
        schema["$defs"] = definitions;
    }
    schema
}

fn policy() -> Value {
    json!({
        "default": keys::BY_USER, "description": "Whether a user's turn starts with the tool.",
        "oneOf": [
            {"const": keys::FORCED_BY_DEFAULT, "title": keys::FORCED_BY_DEFAULT, "description": "Selected unless the user removes it: the first answer must call it."},
            {"const": keys::ON_BY_DEFAULT, "title": keys::ON_BY_DEFAULT, "description": "On \
                unless the user turns it off."},
            {"const": keys::BY_USER, "title": keys::BY_USER, "description": "Turned on by the \
                user."},
        ],
    })
}

/// The schema of an entry's configuration, and the definitions that it refers to.
fn configuration_schema(entry: &Value, found: Option<&ConfigSchema>) -> (Value, Option<Value>) {
    let Some(found) = found else {
        let where_from = match EntrySort::of_entry(entry) {
            EntrySort::SubAgent => keys::SUB_AGENT,
            _ => keys::NAME.get(entry).and_then(Value::as_str).unwrap_or("NAME"),
        };
        let help = format!(
            "The tool's own settings. Nothing here says what they are: put its schema into {}/{where_from}.json, or keep the list of a server that has it.",
            keys::UNIQUE
        );
        return (json!({"type": "object", "default": {}, "description": help}), None);
    };
    let mut schema = found.json_schema().clone();
    let definitions = schema.as_object_mut().and_then(|members| {
        members.shift_remove("$schema");
        members.shift_remove("$defs")
    });
    if let Some(written) = keys::CONFIGURATION.get(entry).and_then(Value::as_object)
        && let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut)
    {
        let respelled = |name: String| {
            let other = written.keys().find(|other| **other != name && camel_name(other) == name);
            other.filter(|_| !written.contains_key(&name)).cloned().unwrap_or(name)
        };
        *properties = std::mem::take(properties)
            .into_iter()
            .map(|(name, property)| (respelled(name), property))
            .collect();
    }
    (schema, definitions)
}

fn settings(catalog: &Catalog) -> Value {
    let own = catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM);
    let own: Vec<&Tool> = own.map(AsRef::as_ref).collect();
    let is_shared = |tool: &Tool| own.iter().filter(|other| other.name == tool.name).count() > 1;
    // Where several spaces have a name, each tool goes by its key.
    let names: Vec<&str> = own
        .iter()
        .map(|tool| if is_shared(tool) { tool.entry.key.as_str() } else { tool.name.as_str() })
        .collect();
    let tools = |help: &str| json!({"type": "array", "uniqueItems": true, "items": {"type": "string", "examples": names}, "description": help});
    json!({
        "type": "object", "description": "A turn: what the user chose before sending the message.",
        "properties": {
            "choices": tools("Tools that the user chose: the first answer has to call them. None: every tool may be called."),
            "disabled": tools("Tools that the user switched off."),
            "responses": {"type": "boolean", "default": false, "description": "The model is reached over the Responses API, which alone has code_interpreter."},
            "samples": {"type": "object", "description": "Values for the variables of prompts, over those of the configuration."},
            "tools": {
                "type": "object", "description": "When tools are available, for a workflow of \
                your own on top. Tools not listed are always available.",
                "additionalProperties": gate_table::table_schema(),
            },
        },
    })
}

fn schema_file() -> Value {
    json!({
        "type": "object", "description": "What a tool may be configured with, as its Config class says it.",
        "properties": {
            keys::JSON_SCHEMA: {"type": "object", "description": "The JSON Schema of the configuration: Config.model_json_schema()."},
            keys::UI_SCHEMA: {"type": "object", "description": "How its fields are shown: ui_schema_for_model(Config)."},
            keys::DEFAULT_CONFIG: {"type": "object", "description": "The configuration of a tool that says nothing: Config().model_dump(by_alias=True)."},
            keys::DESCRIPTION: {"type": "string", "format": "multiline", "description": "What the model reads of the tool."},
            keys::PARAMETERS: schema_form::schema_of_arguments(keys::PARAMETERS, "The JSON Schema of what the model gives to it."),
            keys::TAKES_CONTROL: {"type": "boolean", "default": false, "description": "Its class says that it answers the user itself."},
            keys::IS_CAPABILITY: {"type": "boolean", "default": false, "description": "Its class says that it stays when others are chosen."},
        },
        "$defs": schema_form::definitions("What it takes without it."),
    })
}
