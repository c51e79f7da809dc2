//! The keys of TrustGraph's entries, spelt once.

use crate::model::entry::SystemId;

/// TrustGraph's row in `systems::table`.
pub const SYSTEM: SystemId = "trustgraph";

pub const TYPE: &str = "type";
pub const NAME: &str = "name";
pub const DESCRIPTION: &str = "description";
pub const GROUP: &str = "group";
pub const STATE: &str = "state";
pub const ARGUMENTS: &str = "arguments";
/// A JSON Schema for the arguments, where the list cannot say what they are. Ours: TrustGraph keeps
/// it and does not read it.
pub const ARGUMENTS_SCHEMA: &str = "arguments-schema";
/// The states key of the deployed code.
pub const STATES_DEPLOYED: &str = "applicable-states";
/// The states key of the document, which the deployed code ignores.
pub const STATES_DOCUMENT: &str = "available_in_states";
pub const SERVICE: &str = "service";
pub const MCP_TOOL: &str = "mcp-tool";
/// The document's spelling of [`MCP_TOOL`], which the deployed code ignores.
pub const MCP_TOOL_DOCUMENT: &str = "mcp_tool_id";

pub const ID: &str = "id";
pub const REQUEST_QUEUE: &str = "request-queue";
pub const RESPONSE_QUEUE: &str = "response-queue";
pub const CONFIG_PARAMS: &str = "config-params";
pub const REQUIRED: &str = "required";

pub const URL: &str = "url";
pub const REMOTE_NAME: &str = "remote-name";
pub const AUTH_TOKEN: &str = "auth-token";

pub const TEMPLATE: &str = "template";
/// The type of tools that a prompt template answers for, and the configuration type of templates.
pub const PROMPT: &str = "prompt";
/// How the keys of prompt templates begin.
pub const TEMPLATES: &str = "template.";

/// The configuration type of tools.
pub const TOOLS: &str = "tool";
/// The configuration type of services.
pub const SERVICES: &str = "tool-service";
/// The type of tools that a tool service answers for.
pub const TOOL_SERVICE: &str = "tool-service";
/// The configuration type of MCP servers.
pub const SERVERS: &str = "mcp";
