//! `_meta` of an MCP server with Unique's keys: what it says beside a tool, what a call says beside
//! its arguments, and what the platform does not see of an answer.

use serde_json::{Map, Value, json};

use super::{
    keys,
    tool_response::{REFERENCE, tool_call_response},
};
use crate::{
    schema::pointer::Pointer,
    systems::{
        facets::call_meta::{
            AnswerNote, AnswerView, CallMeta, ConfigurationForm, GivenMeta, MetaFault, MetaForms,
        },
        pydantic::{configuration_faults, with_defaults},
    },
};

const PREFIX: &str = "unique.app/";
pub const CONFIG_SCHEMA: &str = "unique.app/config-schema";
pub const CONFIG: &str = "unique.app/config";
pub const USER_ID: &str = "unique.app/auth/user-id";
pub const COMPANY_ID: &str = "unique.app/auth/company-id";
pub const CHAT_ID: &str = "unique.app/chat/chat-id";
const REQUIREMENTS: &str = "unique.app/context-requirements";

/// What comes with a message at the platform: the key, and what it is.
const CONTEXT: [(&str, &str); 8] = [
    (USER_ID, "The user; only used without a bearer token."),
    (COMPANY_ID, "The user's company; only used without a bearer token."),
    (CHAT_ID, "The chat that the message is in."),
    ("unique.app/chat/user-message-id", "The user's message."),
    ("unique.app/chat/assistant-id", "The space."),
    ("unique.app/chat/parent-chat-id", "The chat that asked this one."),
    ("unique.app/chat/last-assistant-message-id", "The answer before the message."),
    ("unique.app/chat/last-user-message-text", "What the user wrote."),
];

/// What a tool of a server may be configured with, or the JSON Schema of that alone; `None` where the
/// server does not say.
#[must_use]
pub fn config_schema(tool: &Value) -> Option<&Value> {
    let is_schema = |said: &&Value| {
        said.get(keys::JSON_SCHEMA).is_some()
            || said.get("properties").is_some_and(Value::is_object)
    };
    tool.get("_meta")?.get(CONFIG_SCHEMA).filter(is_schema)
}

fn json_schema_of(said: &Value) -> &Value {
    said.get(keys::JSON_SCHEMA).unwrap_or(said)
}

/// The keys of a member of the requirements.
fn wanted_keys<'t>(tool: &'t Value, member: &str) -> Vec<&'t str> {
    let listed = tool.get("_meta").and_then(|meta| meta.get(REQUIREMENTS)?.get(member)?.as_array());
    listed.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A key of the context as it is sent: a short name is that of the key that ends with it, one that
/// the tool's server names before those of the platform.
fn context_key<'k>(tool: &'k Value, name: &'k str) -> &'k str {
    let of_server = ["required", "optional"].map(|member| wanted_keys(tool, member));
    let known = of_server.into_iter().flatten().chain(CONTEXT.map(|(key, _)| key));
    let mut known: Vec<&str> = known.collect();
    known.retain(|key| *key == name || short_key(key) == name);
    known.iter().find(|key| **key == name).or(known.first()).copied().unwrap_or(name)
}

/// The end of a key, which is enough to name it.
fn short_key(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(_, last)| last)
}

/// Servers that say of their tools what Unique reads.
pub struct UniqueMeta;

impl CallMeta for UniqueMeta {
    fn meta_forms(&self, tool: &Value) -> Option<MetaForms> {
        let meta = tool.get("_meta")?.as_object()?;
        if !meta.keys().any(|key| key.starts_with(PREFIX)) {
            return None;
        }
        let required = wanted_keys(tool, "required");
        let named = required.iter().copied().chain(wanted_keys(tool, "optional"));
        let mut properties = Map::new();
        for key in named {
            let help = CONTEXT.iter().find(|(known, _)| *known == key).map(|(_, help)| *help);
            properties.insert(
                key.to_owned(),
                json!({"type": "string", "title": key.trim_start_matches(PREFIX), "description": help.unwrap_or_default()}),
            );
        }
        Some(MetaForms {
            configuration: config_schema(tool).map(configuration_form),
            context: json!({"type": "object", "properties": properties, "required": required}),
            is_closed: false,
        })
    }

    /// `unique.app/chat/chat-id` is no key by the protocol's rules, and what the platform sends.
    fn is_own_key(&self, key: &str) -> bool {
        key.starts_with(PREFIX)
    }

    fn build_meta(&self, tool: &Value, given: &GivenMeta) -> Map<String, Value> {
        let mut meta = Map::new();
        if let Some(configuration) = &given.configuration {
            meta.insert(CONFIG.to_owned(), configuration.clone());
        }
        for (name, value) in &given.context {
            meta.insert(context_key(tool, name).to_owned(), value.clone());
        }
        meta
    }

    fn meta_faults(&self, tool: &Value, meta: &Map<String, Value>) -> Vec<MetaFault> {
        let mut faults = Vec::new();
        if let Some(configuration) = meta.get(CONFIG) {
            // The server takes the object as JSON text too.
            let parsed = configuration.as_str().and_then(|text| serde_json::from_str(text).ok());
            let configuration = parsed.as_ref().unwrap_or(configuration);
            let wrong = match config_schema(tool) {
                None => vec!["the server declares no configuration for this tool".to_owned()],
                Some(said) => configuration_faults(configuration, json_schema_of(said)),
            };
            faults.extend(wrong.into_iter().map(|words| MetaFault {
                at: Pointer::root().child(CONFIG),
                words,
                option: None,
            }));
        }
        for key in wanted_keys(tool, "required") {
            if !meta.contains_key(key) {
                // Two that the server requires may end alike.
                let short = short_key(key);
                let short = if context_key(tool, short) == key { short } else { key };
                faults.push(MetaFault {
                    at: Pointer::root().child(key),
                    words: format!("{key} is required"),
                    option: Some(format!("--context {short}=…")),
                });
            }
        }
        faults
    }

    fn answer_notes(&self, sent: &Value, result: &Value) -> Vec<AnswerNote> {
        if is_own(sent) { unseen_parts(result) } else { Vec::new() }
    }

    fn answer_view(&self, sent: &Value, result: &Value) -> Option<AnswerView> {
        let name = sent.get("name").and_then(Value::as_str).filter(|_| is_own(sent))?;
        let arguments = sent.get("arguments").cloned().unwrap_or_else(|| json!({}));
        Some(AnswerView {
            name: "unique-response",
            words: "Unique's toolkit makes this ToolCallResponse of it",
            value: tool_call_response(name, &arguments, result),
        })
    }
}

/// Whether a call says something that only Unique reads.
fn is_own(sent: &Value) -> bool {
    let meta = sent.get("_meta").and_then(Value::as_object);
    meta.is_some_and(|meta| meta.keys().any(|key| key.starts_with(PREFIX)))
}

/// The form of what a tool may be configured with, with the server's defaults in the place of those
/// of the schema.
fn configuration_form(said: &Value) -> ConfigurationForm {
    let defaults = said.get(keys::DEFAULT_CONFIG).and_then(Value::as_object);
    let schema = with_defaults(json_schema_of(said).clone(), defaults.unwrap_or(&Map::new()));
    ConfigurationForm {
        member: CONFIG,
        schema,
        ui: said.get(keys::UI_SCHEMA).cloned(),
        unset: "the server's own counts",
    }
}

/// What the platform's wrapper of MCP tools drops of an answer: it reads the texts and images of
/// `content`, and nothing else.
#[must_use]
pub fn unseen_parts(result: &Value) -> Vec<AnswerNote> {
    let mut notes = Vec::new();
    let mut note = |id, at: Pointer, words: String| notes.push(AnswerNote { id, at, words });
    let root = Pointer::root();
    if result.get("isError") == Some(&Value::Bool(true)) {
        note(
            "unique.error-unseen",
            root.child("isError"),
            "the platform does not look at isError: the text reaches the model as a success".into(),
        );
    }
    if result.get("structuredContent").is_some_and(|content| !content.is_null()) {
        note(
            "unique.content-unseen",
            root.child("structuredContent"),
            "the platform does not read the structured content, only texts and images".into(),
        );
    }
    let blocks = result.get("content").and_then(Value::as_array);
    for (row, block) in blocks.into_iter().flatten().enumerate() {
        let at = root.child("content").item(row);
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind != "text" && kind != "image" {
            let words = format!("the platform drops blocks of type \"{}\"", kind.escape_debug());
            note("unique.content-unseen", at, words);
        } else if block
            .get("_meta")
            .is_some_and(|meta| meta.get(REFERENCE).is_some_and(|it| !it.is_object()))
        {
            let words = "the reference is no object, so that it is dropped".to_owned();
            note("unique.content-unseen", at.child("_meta"), words);
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> Value {
        json!({"name": "joke", "_meta": {
            CONFIG_SCHEMA: {
                "json_schema": {"type": "object", "properties": {"maxWords": {"type": "integer", "maximum": 9}}},
                "ui_schema": {}, "default_config": {"maxWords": 4},
            },
            REQUIREMENTS: {"required": ["unique.app/chat/chat-id"], "optional": ["unique.app/auth/user-id"]},
        }})
    }

    fn given(configuration: Option<Value>, context: &[(&str, &str)]) -> GivenMeta {
        let context =
            context.iter().map(|(name, text)| ((*name).to_owned(), Value::from(*text))).collect();
        GivenMeta { configuration, context }
    }

    #[test]
    fn a_call_says_its_configuration_and_its_context() {
        let forms = UniqueMeta.meta_forms(&tool()).unwrap();
        assert_eq!(forms.context["required"], json!(["unique.app/chat/chat-id"]));
        assert_eq!(forms.context["properties"].as_object().unwrap().len(), 2);
        let form = forms.configuration.unwrap();
        assert_eq!(
            (form.member, &form.schema["properties"]["maxWords"]["default"]),
            (CONFIG, &json!(4))
        );
        let whole = given(Some(json!({"max_words": 3})), &[("chat-id", "c"), ("own", "x")]);
        let meta = UniqueMeta.build_meta(&tool(), &whole);
        assert_eq!(UniqueMeta.meta_faults(&tool(), &meta), []);
        assert_eq!(
            Value::Object(meta),
            json!({CONFIG: {"max_words": 3}, "unique.app/chat/chat-id": "c", "own": "x"})
        );
        assert!(UniqueMeta.meta_forms(&json!({"_meta": {"other": 1}})).is_none());
    }

    #[test]
    fn a_short_name_is_that_of_a_key_that_the_server_names() {
        let required = json!(["unique.app/chat-id", "own/tenant", "unique.app/auth/user-id"]);
        let tool = json!({"_meta": {REQUIREMENTS: {"required": required}}});
        let faults = UniqueMeta.meta_faults(&tool, &Map::new());
        let options: Vec<String> = faults.into_iter().filter_map(|fault| fault.option).collect();
        assert_eq!(options, ["--context chat-id=…", "--context tenant=…", "--context user-id=…"]);
        let context = [("chat-id", "c"), ("tenant", "t"), ("user-id", "u"), ("company-id", "1")];
        let meta = UniqueMeta.build_meta(&tool, &given(None, &context));
        let keys: Vec<&str> = meta.keys().map(String::as_str).collect();
        assert_eq!(keys, ["unique.app/chat-id", "own/tenant", USER_ID, COMPANY_ID]);
        assert_eq!(UniqueMeta.meta_faults(&tool, &meta), []);
        let both = json!(["a/x", "b/x"]);
        let tool = json!({"_meta": {REQUIREMENTS: {"required": both}}});
        let faults = UniqueMeta.meta_faults(&tool, &Map::new());
        let options: Vec<String> = faults.into_iter().filter_map(|fault| fault.option).collect();
        assert_eq!(options, ["--context x=…", "--context b/x=…"]);
    }

    #[test]
    fn a_json_schema_alone_says_what_a_tool_is_configured_with() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let tool = json!({"_meta": {CONFIG_SCHEMA: schema}});
        assert_eq!(UniqueMeta.meta_forms(&tool).unwrap().configuration.unwrap().schema, schema);
        let wrong = UniqueMeta.build_meta(&tool, &given(Some(json!({"n": "x"})), &[]));
        assert_eq!(UniqueMeta.meta_faults(&tool, &wrong).len(), 1);
        let right = UniqueMeta.build_meta(&tool, &given(Some(json!({"n": 1})), &[]));
        assert_eq!(UniqueMeta.meta_faults(&tool, &right), []);
    }

    #[test]
    fn what_the_server_would_not_take_is_told_before() {
        for configuration in
            [json!({"maxWords": 12, "tone": "x"}), json!(r#"{"maxWords": 12, "tone": 1}"#)]
        {
            let meta = UniqueMeta.build_meta(&tool(), &given(Some(configuration), &[]));
            let faults = UniqueMeta.meta_faults(&tool(), &meta).into_iter();
            let told: Vec<_> = faults.map(|fault| (fault.words, fault.option)).collect();
            assert_eq!(
                told,
                [
                    ("maxWords is more than 9".to_owned(), None),
                    ("tone is nothing that the tool is configured with".to_owned(), None),
                    (
                        "unique.app/chat/chat-id is required".to_owned(),
                        Some("--context chat-id=…".to_owned())
                    ),
                ]
            );
        }
    }

    #[test]
    fn what_the_platform_does_not_see_of_an_answer_is_told() {
        let result = json!({
            "isError": true, "structuredContent": {},
            "content": [
                {"type": "text", "text": "x"}, {"type": "resource_link"},
                {"type": "text", "text": "y", "_meta": {REFERENCE: 3}},
            ],
        });
        let sent = json!({"_meta": {"unique.app/chat/chat-id": "c"}});
        let told: Vec<String> = UniqueMeta
            .answer_notes(&sent, &result)
            .into_iter()
            .map(|note| format!("{} {}", note.id, note.at))
            .collect();
        assert_eq!(
            told,
            [
                "unique.error-unseen /isError",
                "unique.content-unseen /structuredContent",
                "unique.content-unseen /content/1",
                "unique.content-unseen /content/2/_meta",
            ]
        );
        assert_eq!(UniqueMeta.answer_notes(&json!({}), &result), []);
        assert_eq!(UniqueMeta.answer_view(&json!({"name": "joke"}), &result), None);
        let sent = json!({"name": "joke", "_meta": {"unique.app/chat/chat-id": "c"}});
        let view = UniqueMeta.answer_view(&sent, &result).unwrap();
        assert_eq!(
            (view.value["name"].as_str(), &view.value["content"]),
            (Some("joke"), &json!("x\n\ny"))
        );
    }
}
