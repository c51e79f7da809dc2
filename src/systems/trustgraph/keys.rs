//! The keys of TrustGraph's entries, spelt once.

use crate::model::entry::SystemId;

/// TrustGraph's row in `systems::table`.
pub(crate) const SYSTEM: SystemId = "trustgraph";

pub(crate) const TYPE: &str = "type";
pub(crate) const NAME: &str = "name";
pub(crate) const DESCRIPTION: &str = "description";
pub(crate) const GROUP: &str = "group";
pub(crate) const STATE: &str = "state";
pub(crate) const ARGUMENTS: &str = "arguments";
/// A JSON Schema for the arguments, where the list cannot say what they are. Ours: TrustGraph keeps
/// it and does not read it.
pub(crate) const ARGUMENTS_SCHEMA: &str = "arguments-schema";
/// The states key of the deployed code.
pub(crate) const STATES_DEPLOYED: &str = "applicable-states";
/// The states key of the document, which the deployed code ignores.
pub(crate) const STATES_DOCUMENT: &str = "available_in_states";
pub(crate) const SERVICE: &str = "service";
pub(crate) const MCP_TOOL: &str = "mcp-tool";
/// The document's spelling of [`MCP_TOOL`], which the deployed code ignores.
pub(crate) const MCP_TOOL_DOCUMENT: &str = "mcp_tool_id";

pub(crate) const ID: &str = "id";
pub(crate) const REQUEST_QUEUE: &str = "request-queue";
pub(crate) const RESPONSE_QUEUE: &str = "response-queue";
pub(crate) const CONFIG_PARAMS: &str = "config-params";
pub(crate) const REQUIRED: &str = "required";

pub(crate) const URL: &str = "url";
pub(crate) const REMOTE_NAME: &str = "remote-name";
pub(crate) const AUTH_TOKEN: &str = "auth-token";

pub(crate) const TEMPLATE: &str = "template";
/// The type of tools that a prompt template answers for, and the configuration type of templates.
pub(crate) const PROMPT: &str = "prompt";
/// How the keys of prompt templates begin.
pub(crate) const TEMPLATES: &str = "template.";

/// The configuration type of tools.
pub(crate) const TOOLS: &str = "tool";
/// The configuration type of services.
pub(crate) const SERVICES: &str = "tool-service";
/// The type of tools that a tool service answers for.
pub(crate) const TOOL_SERVICE: &str = "tool-service";
/// The configuration type of MCP servers.
pub(crate) const SERVERS: &str = "mcp";
