//! Words of Unique's entries and of what `toolcrib.toml` says of them.

use serde_json::{Map, Value};

use crate::model::entry::SystemId;

pub const SYSTEM: SystemId = "unique";

/// The folder of schema files, and the table in `toolcrib.toml`.
pub const UNIQUE: &str = "unique";

/// A member of an entry: as the platform writes it, and as it reads it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub camel: &'static str,
    pub snake: &'static str,
}

const fn member(camel: &'static str, snake: &'static str) -> Member {
    Member { camel, snake }
}

pub const NAME: Member = member("name", "name");
pub const CONFIGURATION: Member = member("configuration", "configuration");
pub const DISPLAY_NAME: Member = member("displayName", "display_name");
pub const ICON: Member = member("icon", "icon");
pub const SELECTION_POLICY: Member = member("selectionPolicy", "selection_policy");
pub const IS_EXCLUSIVE: Member = member("isExclusive", "is_exclusive");
pub const IS_SUB_AGENT: Member = member("isSubAgent", "is_sub_agent");
pub const IS_ENABLED: Member = member("isEnabled", "is_enabled");
/// Only ever written by the platform.
pub const CONFIG_ERROR: Member = member("configError", "config_error");
/// Makes an entry that of an MCP server; also within the configuration.
pub const MCP_SOURCE_ID: Member = member("mcpSourceId", "mcp_source_id");

/// What an entry may have, in the order of its form.
pub const MEMBERS: [Member; 8] = [
    NAME,
    DISPLAY_NAME,
    ICON,
    SELECTION_POLICY,
    IS_ENABLED,
    IS_EXCLUSIVE,
    IS_SUB_AGENT,
    CONFIGURATION,
];

/// What a configuration says of the tool's function.
pub const TOOL_DESCRIPTION: Member = member("toolDescription", "tool_description");

/// What the configuration of an MCP entry has at least.
pub const MCP_REQUIRED: [Member; 3] =
    [member("serverId", "server_id"), member("serverName", "server_name"), MCP_SOURCE_ID];

pub const DEFAULT_ICON: &str = "IconBook";
pub const ICONS: [&str; 10] = [
    "IconAnalytics",
    DEFAULT_ICON,
    "IconFolderData",
    "IconIntegration",
    "IconTextCompare",
    "IconWorld",
    "IconQuickReply",
    "IconChatPlus",
    "IconTelescope",
    "IconChartBar",
];

pub const FORCED_BY_DEFAULT: &str = "ForcedByDefault";
pub const ON_BY_DEFAULT: &str = "OnByDefault";
pub const BY_USER: &str = "ByUser";
pub const POLICIES: [&str; 3] = [FORCED_BY_DEFAULT, ON_BY_DEFAULT, BY_USER];

pub const INTERNAL_SEARCH: &str = "InternalSearch";
pub const UPLOADED_SEARCH: &str = "UploadedSearch";
pub const SUB_AGENT: &str = "SubAgentTool";
/// Runs at the model's own API, so that no tool of the factory is made of it.
pub const CODE_INTERPRETER: &str = "code_interpreter";
/// Names that the platform's own packages register with the tool factory.
pub const FACTORY: [&str; 12] = [
    INTERNAL_SEARCH,
    UPLOADED_SEARCH,
    "WebSearch",
    "DeepResearch",
    "SwotAnalysis",
    "Skill",
    SUB_AGENT,
    "AskUser",
    "OpenFile",
    "RetrieveSearchScope",
    "TodoWrite",
    CODE_INTERPRETER,
];

/// Members of a schema file, as a server gives them beside a tool.
pub const JSON_SCHEMA: &str = "json_schema";
pub const UI_SCHEMA: &str = "ui_schema";
pub const DEFAULT_CONFIG: &str = "default_config";
/// What only a schema file has: the function's description and parameters, and what the tool's
/// class says of it.
pub const DESCRIPTION: &str = "description";
pub const PARAMETERS: &str = "parameters";
pub const TAKES_CONTROL: &str = "takes_control";
pub const IS_CAPABILITY: &str = "is_capability";

impl Member {
    /// The member of an object, by the name that counts: that of the platform before the other.
    #[must_use]
    pub fn find(self, members: &Map<String, Value>) -> Option<(&'static str, &Value)> {
        [self.camel, self.snake]
            .into_iter()
            .find_map(|name| members.get(name).map(|value| (name, value)))
    }

    /// The value of it in an entry.
    #[must_use]
    pub fn get(self, entry: &Value) -> Option<&Value> {
        self.find(entry.as_object()?).map(|(_, value)| value)
    }

    #[must_use]
    pub fn is_called(self, name: &str) -> bool {
        name == self.camel || name == self.snake
    }
}
