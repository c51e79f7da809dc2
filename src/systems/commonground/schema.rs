//! The JSON Schema for the form of a definition, [`options`] for those of the executor.

mod options;

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value, json};

use super::{
    context::Context,
    entries, keys,
    subject::{self, SUBJECT_VARIABLES, Subject, VERSION},
};
use crate::{
    model::{catalog::Catalog, entry::Entry},
    systems::{gate_tables, schema_form, system::EntryRules},
};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

const OF_DEFAULT: &str = "The default. Only shown to the model: options.args.defaults sets it.";

/// The schema of a definition; properties stand in form order.
#[must_use]
pub(crate) fn entry_schema(entry: &Entry, catalog: &Catalog) -> Value {
    if gate_tables::is_setting(entry) {
        return gate_tables::settings_schema();
    }
    let value = &*entry.value;
    let name = entries::name_key(value);
    let mut properties = Map::new();
    let mut put = |key: &str, schema: Value| drop(properties.insert(key.to_owned(), schema));
    put(
        name,
        json!({"title": "tool name", "type": "string", "minLength": 1, "description": "Its name for the model. Every model's API accepts letters, digits, - and _."}),
    );
    put(
        keys::DESCRIPTION,
        json!({"title": "description", "type": ["string", "null"], "format": "multiline", "description": "For the model: what it does and when to use it."}),
    );
    put(keys::TARGET_SUBJECT, target(value, catalog));
    put(
        keys::AFTER_EXECUTION,
        json!({
            "title": "after execution", "description": "What a result does to the model's turn.",
            "oneOf": [
                {"const": keys::SUSPEND, "title": keys::SUSPEND, "description": "The turn waits for the result; then the model continues with it."},
                {"const": keys::TERMINATE, "title": keys::TERMINATE, "description": "The result ends the turn and is its outcome."},
            ],
        }),
    );
    put(
        keys::PARAMETERS,
        schema_form::schema_of_arguments("parameters", "What the model gives with each call."),
    );
    put(keys::OPTIONS, options::options_schema(value));
    json!({
        "$schema": DRAFT, "title": "Tool", "type": "object", "properties": properties,
        "required": [name, keys::TARGET_SUBJECT, keys::AFTER_EXECUTION], "$defs": schema_form::definitions(OF_DEFAULT),
    })
}

/// What the schema of a definition demands. Its parameters, and the values that are set for them,
/// have checks of their own.
pub(crate) fn entry_rules(entry: &Entry) -> EntryRules<'_> {
    if gate_tables::is_setting(entry) {
        return EntryRules::new("setting", gate_tables::settings_schema);
    }
    let name = entries::name_key(&entry.value);
    let given = entry.value.get(keys::OPTIONS);
    let others = [keys::TIMEOUT, keys::OPENAPI]
        .into_iter()
        .filter(|key| given.is_some_and(|options| options.get(key).is_some()));
    let others: Vec<&str> = others.collect();
    EntryRules::new(format!("{name} {}", others.join(" ")), move || {
        let options: Map<String, Value> =
            others.iter().map(|key| ((*key).to_owned(), Value::Null)).collect();
        let value = json!({name: "", keys::OPTIONS: options});
        let bare = Entry { value: Arc::new(value).into(), ..entry.clone() };
        let mut schema = entry_schema(&bare, &Catalog::default());
        if let Some(members) = schema.as_object_mut() {
            members.shift_remove("$defs");
        }
        if let Some(properties) = schema["properties"].as_object_mut() {
            properties.shift_remove(keys::PARAMETERS);
        }
        schema
    })
}

/// The subject, with what it becomes and who would hear it.
fn target(value: &Value, catalog: &Catalog) -> Value {
    let of =
        |value: &Value| value.get(keys::TARGET_SUBJECT).and_then(Value::as_str).map(str::to_owned);
    let mut known: BTreeSet<String> = catalog
        .tools
        .iter()
        .filter(|tool| tool.entry.system == keys::SYSTEM)
        .filter_map(|tool| of(&tool.entry.value))
        .collect();
    known.insert(format!("cg.{VERSION}.{{project_id}}.{{channel_id}}.cmd.tool.NAME.call"));
    let variables = SUBJECT_VARIABLES.map(|name| format!("{{{name}}}")).join(", ");
    let mut help =
        format!("Where the command goes: eight parts between dots. {variables} are filled in.");
    if let Some(subject) = of(value) {
        let context = Context {
            project_id: "demo".into(),
            channel_id: "public".into(),
            agent_id: "agent".into(),
            ..Context::default()
        };
        let sent = subject::render_subject(&subject, &context).text;
        help.push_str(&format!(" In the channel public of the project demo: {sent}"));
        if let Some(parsed) = Subject::parse(&sent) {
            help.push_str(&format!(
                ", received by services that listen on {}",
                parsed.service_filter()
            ));
        }
    }
    json!({"title": "target subject", "type": "string", "minLength": 1, "examples": known, "description": help})
}
