//! What a set of tools may cost a model, and whose rules its schemas have to fit: the table
//! `[health]` of `toolcrib.toml`.

use serde_json::Value;

use super::context::Name;

/// Who gets a tool's schema, each with limits of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelApi {
    OpenAi,
    /// OpenAI with `strict: true`.
    OpenAiStrict,
    Anthropic,
    /// Anthropic with `strict: true`.
    AnthropicStrict,
    /// Gemini's `parameters`, which take a part of OpenAPI's schemas.
    Gemini,
    /// Clients of MCP servers: VS Code, Claude Desktop, Cursor.
    Mcp,
}

impl ModelApi {
    pub const ALL: [Self; 6] = [
        Self::OpenAi,
        Self::OpenAiStrict,
        Self::Anthropic,
        Self::AnthropicStrict,
        Self::Gemini,
        Self::Mcp,
    ];

    /// The API without its strict mode, where this is one.
    #[must_use]
    pub fn of_strict(self) -> Option<Self> {
        match self {
            Self::OpenAiStrict => Some(Self::OpenAi),
            Self::AnthropicStrict => Some(Self::Anthropic),
            Self::OpenAi | Self::Anthropic | Self::Gemini | Self::Mcp => None,
        }
    }

    /// Stable: files name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai-strict",
            Self::Anthropic => "anthropic",
            Self::AnthropicStrict => "anthropic-strict",
            Self::Gemini => "gemini",
            Self::Mcp => "mcp",
        }
    }

    /// For people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI",
            Self::OpenAiStrict => "OpenAI's strict mode",
            Self::Anthropic => "Anthropic",
            Self::AnthropicStrict => "Anthropic's strict mode",
            Self::Gemini => "Gemini",
            Self::Mcp => "an MCP client",
        }
    }
}

/// How many tokens something may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub tokens: usize,
    /// The workspace gives it, so that it is a rule and more than advice.
    pub is_given: bool,
}

/// What the health of a set of tools is measured by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthSettings {
    /// The findings are wanted wherever the workspace is checked.
    pub enabled: bool,
    /// Of one tool, as OpenAI's API gets it.
    pub tool_tokens: Budget,
    /// Of all tools that a request gets in one state.
    pub state_tokens: Budget,
    /// From how many words in common on two descriptions are too alike, in percent.
    pub alike: usize,
    /// Whose limits count; those of a strict mode also for each tool that asks for it.
    pub apis: Vec<ModelApi>,
    /// The workspace names them: then what they refuse is a warning, also what SDKs rewrite themselves.
    pub are_apis_given: bool,
    /// The groups of a request, as the workspace's context has them; `None`: every group.
    pub groups: Option<Vec<Name>>,
    /// The workspace's own groups, as [`crate::model::settings::WorkspaceSettings::groups`] has them:
    /// a request may name them, too.
    pub custom_groups: Value,
}

impl Default for HealthSettings {
    fn default() -> Self {
        let advised = |tokens| Budget { tokens, is_given: false };
        Self {
            enabled: false,
            tool_tokens: advised(800),
            state_tokens: advised(10_000),
            alike: 80,
            // What Anthropic's strict mode refuses is in nearly every tool, and few ask for it.
            apis: ModelApi::ALL
                .into_iter()
                .filter(|api| *api != ModelApi::AnthropicStrict)
                .collect(),
            are_apis_given: false,
            groups: None,
            custom_groups: Value::Null,
        }
    }
}
