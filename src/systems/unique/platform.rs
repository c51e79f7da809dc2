//! A call of an MCP server's tool as Unique's Platform API takes it (`POST /mcp/call-tool`). It
//! needs an account, so that it was never sent from here.

use serde_json::{Map, Value};

use super::{config_schema::EntrySort, keys, meta};
use crate::{
    model::tool::Tool,
    schema::literal::Literal,
    systems::facets::renderings::{Rendering, Renderings},
};

const WORD: &str = "unique-platform";
const URL: &str = "https://gateway.unique.app/public/chat-gen2/mcp/call-tool";
/// As unique-sdk 2026.44 says it.
const VERSION: &str = "2023-12-06";
/// What only the user knows.
const VARIABLES: [&str; 6] = [
    "UNIQUE_API_KEY",
    "UNIQUE_APP_ID",
    "UNIQUE_USER_ID",
    "UNIQUE_COMPANY_ID",
    "MESSAGE_ID",
    "CHAT_ID",
];

/// Calls of the platform's own API.
pub struct PlatformCalls;

impl Renderings for PlatformCalls {
    fn word(&self) -> &'static str {
        WORD
    }

    fn render_call(
        &self,
        tool: &Tool,
        arguments: &Literal,
        meta: &Map<String, Value>,
    ) -> Option<Rendering> {
        if !is_server_tool(tool) {
            return None;
        }
        let given = |key: &str, variable: &str| {
            let text = meta.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.map_or_else(|| format!("${variable}"), str::to_owned)
        };
        let chat = given(meta::CHAT_ID, "CHAT_ID");
        let headers = vec![
            ("authorization", "Bearer $UNIQUE_API_KEY".to_owned()),
            ("x-app-id", "$UNIQUE_APP_ID".to_owned()),
            ("x-user-id", given(meta::USER_ID, "UNIQUE_USER_ID")),
            ("x-company-id", given(meta::COMPANY_ID, "UNIQUE_COMPANY_ID")),
            ("x-api-version", VERSION.to_owned()),
            ("content-type", "application/json".to_owned()),
        ];
        let body = format!(
            "{{\n  \"name\": {}, \"messageId\": \"$MESSAGE_ID\", \"chatId\": {},\n  \"arguments\": {}\n}}",
            Value::from(tool.name.as_str()),
            Value::from(chat),
            arguments.to_json()
        );
        let configured = if meta.contains_key(meta::CONFIG) {
            " The configuration is no part of it: the platform sends that of the space."
        } else {
            ""
        };
        let note = format!(
            "Not sent: toolcrib has no account there. Copy it, and run it where UNIQUE_API_KEY \
             and the other variables are set.{configured}"
        );
        Some(Rendering {
            title: "Call over Unique's Platform API",
            note,
            method: "POST",
            url: URL.to_owned(),
            headers,
            body,
            variables: VARIABLES.to_vec(),
        })
    }
}

/// Whether the platform would call it so: a tool as an MCP server lists it, or an entry of a space
/// that represents one.
fn is_server_tool(tool: &Tool) -> bool {
    let value = &tool.entry.value;
    match tool.entry.system == keys::SYSTEM {
        true => EntrySort::of_entry(value) == EntrySort::Mcp,
        false => value.get("inputSchema").is_some_and(Value::is_object),
    }
}
