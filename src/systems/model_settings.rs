//! What a connection says of the model behind it: the table `model` of a connection over HTTP.

use serde_json::{Map, Value, json};

use crate::{
    engine::{
        agent_loop::{
            api::ModelApi,
            apis::{APIS, MOCK, api_of_word},
        },
        settings::{
            connections::{holds_credentials, refuse_credentials},
            system_settings::{Rule, SettingsSchema},
        },
    },
    model::{
        connection::{Connection, SystemSettings},
        connections::Connections,
        entry::SystemId,
        problem::{Problem, ProblemKind},
        transport::TransportKind,
    },
};

/// The name of the mock model, unless a connection has it.
pub const MOCK_MODEL: &str = "mock";

/// Under this word a connection holds what is said of its model.
pub const MODEL: SystemId = "model";

const NAME: &str = "name";
const API: &str = "api";
const MAX_TOKENS: &str = "max-tokens";
const BODY: &str = "body";

/// The settings of a model's connection.
pub const SETTINGS: SettingsSchema = SettingsSchema {
    required: ("settings.no-model", "a model's connection says which model it asks for"),
    rules: &[Rule {
        key: API,
        code: "settings.model-api",
        words: "must be \"openai\" or \"anthropic\"",
        holds: |word| api_of_word(word).is_some(),
    }],
    ..SettingsSchema::in_table(MODEL, (&[TransportKind::Http], "over HTTP"), schema)
};

fn schema() -> Value {
    let words: Vec<&str> = APIS.iter().map(|api| api.word()).collect();
    json!({
        "type": "object",
        "description": "The model behind it, for `toolcrib ask`",
        "properties": {
            NAME: {
                "type": "string",
                "description": "The model's name at its endpoint: gpt-4.1-mini, claude-sonnet-4-5, llama3.1",
            },
            API: {
                "type": "string", "enum": words, "default": words.first(),
                "description": "openai: chat completions, as Ollama, llama.cpp, vLLM and LiteLLM have them too; anthropic: messages",
            },
            MAX_TOKENS: {
                "type": "integer", "minimum": 1,
                "description": "The maximum number of tokens of a reply",
            },
            BODY: {
                "type": "object",
                "description": "Members to add to each request: temperature = 0",
            },
        },
        "required": [NAME],
    })
}

/// A model behind a connection.
#[derive(Clone)]
pub struct ModelSettings {
    pub name: String,
    pub api: &'static dyn ModelApi,
    pub max_tokens: Option<u64>,
    pub body: Map<String, Value>,
}

impl ModelSettings {
    /// What the connection says; `None` where it leads to no model.
    #[must_use]
    pub fn from_connection(connection: &Connection) -> Option<Self> {
        let settings = connection.settings.get(MODEL)?;
        if connection.is_embedded() {
            return Some(Self::mock());
        }
        Some(Self {
            name: settings.text_value(NAME)?.to_owned(),
            api: settings.text_value(API).and_then(api_of_word).unwrap_or(APIS[0]),
            max_tokens: settings.values.get(MAX_TOKENS).and_then(Value::as_u64),
            body: object(settings, BODY),
        })
    }

    /// Those of the mock model.
    fn mock() -> Self {
        Self { name: MOCK_MODEL.to_owned(), api: MOCK, max_tokens: None, body: Map::new() }
    }
}

fn object(settings: &SystemSettings, key: &str) -> Map<String, Value> {
    settings.values.get(key).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The model's connection of that name; [`MOCK_MODEL`] leads to the mock where no connection is
/// called so.
///
/// # Errors
/// When there is none, or it leads to no model.
pub fn find_model(
    connections: &Connections,
    wanted: &str,
) -> Result<(Connection, ModelSettings), Problem> {
    if wanted == MOCK_MODEL && connections.find_by_name(wanted).is_none() {
        let mock = Connection { name: MOCK_MODEL.to_owned(), ..Connection::embedded() };
        let mock = mock.with_settings(MODEL, SystemSettings::default());
        return Ok((mock, ModelSettings::mock()));
    }
    let models: Vec<&str> = connections
        .known
        .iter()
        .filter(|known| known.settings.contains_key(MODEL))
        .map(|known| known.name.as_str())
        .chain([MOCK_MODEL])
        .collect();
    let problem = |cause: String| {
        let remedy = match models.as_slice() {
            [_] => "add [connections.NAME] with servers = \"URL\", and [connections.NAME.model] with name = \"MODEL\", to toolcrib.toml; or use \"mock\", which needs no account".to_owned(),
            models => format!("there are: {}", models.join(", ")),
        };
        Problem::new(ProblemKind::Input, "choosing the model", cause).with_remedy(remedy)
    };
    let found = connections.find_by_name(wanted);
    if found.is_none() && holds_credentials(wanted) && wanted.contains(':') {
        return Err(refuse_credentials("choosing the model"));
    }
    let known = found
        .ok_or_else(|| problem(format!("there is no connection \"{}\"", wanted.escape_debug())))?;
    let model = ModelSettings::from_connection(known)
        .ok_or_else(|| problem(format!("the connection \"{}\" leads to no model", known.name)))?;
    Ok((known.clone(), model))
}
