//! The forms in which servers are configured elsewhere.

/// Whose form a configuration is in; each has its own keys and its own variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    ClaudeDesktop,
    /// `.mcp.json` of Claude Code, and what most READMEs show.
    McpJson,
    VsCode,
    Cursor,
    Zed,
    Codex,
    /// The manifest of a bundle.
    Mcpb,
    /// `server.json` of the registry.
    ServerJson,
}

impl Form {
    pub const ALL: [Self; 8] = [
        Self::ClaudeDesktop,
        Self::McpJson,
        Self::VsCode,
        Self::Cursor,
        Self::Zed,
        Self::Codex,
        Self::Mcpb,
        Self::ServerJson,
    ];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::McpJson => "mcp-json",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::Zed => "zed",
            Self::Codex => "codex",
            Self::Mcpb => "mcpb",
            Self::ServerJson => "server-json",
        }
    }

    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.as_str() == name)
    }
}
