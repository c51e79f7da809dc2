//! First values of new entries.

use serde_json::{Value, json};

use super::{
    keys,
    types::{self, Arguments, ToolType},
};
use crate::{
    model::entry::EntryKind,
    systems::system::{NewEntry, NewPlace, OWN_NAME},
};

/// One for each type of tool, then service and MCP server.
#[must_use]
pub(crate) fn new_entry_kinds() -> Vec<NewEntry> {
    let tools = types::TYPES.iter().map(|of| NewEntry {
        system: keys::SYSTEM,
        kind: EntryKind::Tool,
        type_name: of.name,
        place: NewPlace::Map(keys::TOOLS),
        named: &[keys::NAME],
        help: of.about,
        value: new_tool(of),
    });
    let service = NewEntry {
        system: keys::SYSTEM,
        kind: EntryKind::Service,
        type_name: "service",
        place: NewPlace::Map(keys::SERVICES),
        named: &[keys::ID],
        help: "What answers for tools of type tool-service: its queues and the configuration it takes.",
        value: json!({
            keys::ID: "",
            keys::REQUEST_QUEUE: format!("request:tg:{OWN_NAME}"),
            keys::RESPONSE_QUEUE: format!("response:tg:{OWN_NAME}"),
            keys::CONFIG_PARAMS: [],
        }),
    };
    let server = NewEntry {
        system: keys::SYSTEM,
        kind: EntryKind::Server,
        type_name: "mcp server",
        place: NewPlace::Map(keys::SERVERS),
        named: &[],
        help: "Where an MCP server answers, for tools of type mcp-tool.",
        value: json!({keys::URL: ""}),
    };
    tools.chain([service, server]).collect()
}

fn new_tool(of: &ToolType) -> Value {
    let mut value = json!({keys::TYPE: of.name, keys::NAME: "", keys::DESCRIPTION: ""});
    for field in of.fields.iter().filter(|field| field.required) {
        value[field.key] = "".into();
    }
    if of.arguments == Arguments::Listed {
        value[keys::ARGUMENTS] = json!([]);
    }
    value
}
