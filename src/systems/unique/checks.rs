//! What is wrong with Unique's entries: what the platform would do without a word, and what it
//! refuses.

mod configuration;
mod each;
mod members;
mod turn;

use super::keys;
use crate::{
    engine::lint::{
        self,
        check::{Check, CheckLevel, Run},
        context::LintContext,
    },
    model::finding::Finding,
};

/// Every check of this system.
pub const CHECKS: &[Check] = &[
    Check {
        code: "entry.refused",
        severity: CheckLevel::ERROR,
        about: "The platform rejects the entry and with it the whole list: the space has no tools.",
        run: Run::All(members::refused),
    },
    Check {
        code: "entry.icon",
        severity: CheckLevel::WARNING,
        about: "The platform doesn't know the icon and shows IconBook.",
        run: Run::Tool(members::icon),
    },
    Check {
        code: "entry.ignored-key",
        severity: CheckLevel::WARNING,
        about: "The platform ignores the key.",
        run: Run::Tool(members::ignored_key),
    },
    Check {
        code: "entry.two-spellings",
        severity: CheckLevel::WARNING,
        about: "A member is set in both spellings; only the one in camelCase applies.",
        run: Run::Tool(members::two_spellings),
    },
    Check {
        code: "entry.config-error",
        severity: CheckLevel::NOTE,
        about: "configError is set by the platform; a file's value is dropped.",
        run: Run::Tool(members::config_error),
    },
    Check {
        code: "entry.read-as",
        severity: CheckLevel::NOTE,
        about: "A member is read as true or false although it is neither.",
        run: Run::Tool(members::read_as),
    },
    Check {
        code: "identity.no-description",
        severity: CheckLevel::WARNING,
        about: "The tool has no description: a model can't know when to use it.",
        run: Run::Tool(members::no_description),
    },
    Check {
        code: "entry.sub-agent-flag",
        severity: CheckLevel::WARNING,
        about: "The configuration is read as a sub-agent's, but the entry isn't one.",
        run: Run::Tool(members::sub_agent_flag),
    },
    Check {
        code: "config.schema",
        severity: CheckLevel::ERROR,
        about: "The text of toolInputJsonSchema isn't JSON, or no JSON Schema: a model gets no arguments.",
        run: Run::Tool(members::schema_text),
    },
    Check {
        code: "entry.no-assistant",
        severity: CheckLevel::WARNING,
        about: "A sub-agent has no assistantId: there is no space that it could ask.",
        run: Run::Tool(members::no_assistant),
    },
    Check {
        code: "entry.exclusive-unread",
        severity: CheckLevel::WARNING,
        about: "isExclusive of an MCP server's tool or a sub-agent has no effect: the platform makes their settings itself.",
        run: Run::Tool(members::exclusive_unread),
    },
    Check {
        code: "config.unknown-tool",
        severity: CheckLevel::WARNING,
        about: "None of the platform's own tools has this name; if no package registers it, the \
            tool is silently disabled.",
        run: Run::All(configuration::unknown_tool),
    },
    Check {
        code: "config.rejected",
        severity: CheckLevel::ERROR,
        about: "The tool's class rejects the configuration: the platform disables the tool \
            without details.",
        run: Run::All(configuration::rejected),
    },
    Check {
        code: "config.ignored-key",
        severity: CheckLevel::WARNING,
        about: "The tool's class doesn't know the key and drops it.",
        run: Run::All(configuration::ignored_key),
    },
    Check {
        code: "config.two-spellings",
        severity: CheckLevel::WARNING,
        about: "A key of the configuration is set in both spellings; only the one in camelCase \
            applies.",
        run: Run::All(configuration::two_spellings),
    },
    Check {
        code: "config.read-as",
        severity: CheckLevel::NOTE,
        about: "A value is converted: a text to a number, a number to true.",
        run: Run::All(configuration::read_as),
    },
    Check {
        code: "config.mcp",
        severity: CheckLevel::WARNING,
        about: "The configuration of an MCP server's tool lacks a value that the platform sets; \
            nothing checks it.",
        run: Run::Tool(configuration::mcp),
    },
    Check {
        code: "prompt.template",
        severity: CheckLevel::WARNING,
        about: "A text of the configuration is an invalid template; the tool fails when it \
            renders it.",
        run: Run::Tool(configuration::template),
    },
    Check {
        code: "prompt.not-rendered",
        severity: CheckLevel::WARNING,
        about: "The platform doesn't render a text that looks like a template: a model reads its \
            braces.",
        run: Run::Tool(configuration::not_rendered),
    },
    Check {
        code: "turn.malformed",
        severity: CheckLevel::ERROR,
        about: "A value of `[unique]` in toolcrib.toml has the wrong type.",
        run: Run::Entry(turn::malformed),
    },
    Check {
        code: "turn.unknown-key",
        severity: CheckLevel::WARNING,
        about: "`[unique]` in toolcrib.toml has an unknown key.",
        run: Run::Entry(turn::unknown_key),
    },
    Check {
        code: "turn.unknown-tool",
        severity: CheckLevel::WARNING,
        about: "`[unique]` in toolcrib.toml has a tool that doesn't exist.",
        run: Run::Entry(turn::unknown_tool),
    },
];

/// What is wrong with the entries of this system.
#[must_use]
pub fn check_catalog(context: &LintContext<'_>) -> Vec<Finding> {
    let is_own = |system| system == keys::SYSTEM;
    // Most workspaces have none.
    if !context.catalog.entries().any(|entry| is_own(entry.system)) {
        return Vec::new();
    }
    lint::run_checks(CHECKS, context, is_own)
}
