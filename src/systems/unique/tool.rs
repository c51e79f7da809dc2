//! An entry as a tool, and the function that a model sees of it.

use serde_json::{Value, json};

use super::{
    config_schema::{ConfigSchema, EntrySort},
    keys::{self, Member},
    prompts::function_description,
};
use crate::{
    engine::settings::gate_table::GATE_KEYS,
    model::{
        entry::Entry,
        tool::{Function, Gate, Tool},
    },
    systems::gate_tables,
};

/// What the configuration of a sub-agent says of its function.
pub const INPUT_SCHEMA: Member =
    Member { camel: "toolInputJsonSchema", snake: "tool_input_json_schema" };
pub const ASSISTANT_ID: Member = Member { camel: "assistantId", snake: "assistant_id" };
const MESSAGE_HELP: Member = Member {
    camel: "paramDescriptionSubAgentUserMessage",
    snake: "param_description_sub_agent_user_message",
};
const MESSAGE_DEFAULT: &str = "This is the message that will be sent to the sub-agent.";

/// The tool that an entry describes, read leniently. Its gate is written elsewhere; see
/// [`gate_tables`].
#[must_use]
pub fn read_tool(entry: &Entry) -> Tool {
    let name = keys::NAME.get(&entry.value).and_then(Value::as_str).unwrap_or(&entry.key);
    Tool {
        name: name.to_owned(),
        name_key: keys::NAME.camel,
        kind: sort_word(EntrySort::of_entry(&entry.value)).to_owned(),
        description: own_description(&entry.value).unwrap_or_default().to_owned(),
        service: None,
        gate: Gate::ungated(),
        keys: GATE_KEYS,
        gate_table: Some(gate_tables::table_pointer(keys::SYSTEM, name)),
        known: None,
        entry: entry.clone(),
    }
}

fn sort_word(sort: EntrySort) -> &'static str {
    match sort {
        EntrySort::Mcp => "mcp",
        EntrySort::SubAgent => "sub-agent",
        EntrySort::Factory => "factory",
    }
}

/// The description that a configuration gives its function.
fn own_description(entry: &Value) -> Option<&str> {
    keys::TOOL_DESCRIPTION.get(keys::CONFIGURATION.get(entry)?)?.as_str()
}

/// Name, description and parameters, as the platform hands them to a model; what nothing in the
/// workspace says is left empty.
#[must_use]
pub fn model_function(tool: &Tool) -> Function {
    let known = |name: &str| tool.known.as_deref().and_then(|known| known.get(name));
    let nothing = || json!({"type": "object", "properties": {}});
    let (description, parameters) = match EntrySort::of_entry(&tool.entry.value) {
        EntrySort::SubAgent => {
            (Some(tool.description.clone()), sub_agent_parameters(&tool.entry.value))
        }
        EntrySort::Mcp => {
            let description = known("description").and_then(Value::as_str);
            (description.map(str::to_owned), known("inputSchema").cloned())
        }
        EntrySort::Factory => {
            let schema = tool.known.as_ref().and_then(ConfigSchema::of_known);
            let own = function_description(tool, schema.as_ref());
            let said = || known(keys::DESCRIPTION).and_then(Value::as_str).map(str::to_owned);
            let parameters = known(keys::PARAMETERS).or_else(|| known("inputSchema")).cloned();
            (own.or_else(said), parameters)
        }
    };
    let description = description.unwrap_or_else(|| tool.description.clone());
    Function::new(&tool.name, description, parameters.unwrap_or_else(nothing))
}

/// What a model gives to a sub-agent: its own schema where there is one, else a message.
fn sub_agent_parameters(entry: &Value) -> Option<Value> {
    let configuration = keys::CONFIGURATION.get(entry).unwrap_or(&Value::Null);
    let own = INPUT_SCHEMA.get(configuration).and_then(Value::as_str).unwrap_or_default();
    if !own.is_empty() {
        return serde_json::from_str(own).ok();
    }
    let help = MESSAGE_HELP.get(configuration).and_then(Value::as_str).unwrap_or(MESSAGE_DEFAULT);
    Some(json!({
        "properties": {
            "user_message": {"description": help, "title": "User Message", "type": "string"},
        },
        "required": ["user_message"], "title": "SubAgentToolInput", "type": "object",
    }))
}
