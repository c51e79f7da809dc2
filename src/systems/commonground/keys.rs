//! The words of a CommonGround tool definition.

use crate::model::entry::SystemId;

pub const SYSTEM: SystemId = "commonground";

pub const TOOL_NAME: &str = "tool_name";
/// Stands in for [`TOOL_NAME`] where that is missing.
pub const NAME: &str = "name";
pub const DESCRIPTION: &str = "description";
pub const TARGET_SUBJECT: &str = "target_subject";
pub const AFTER_EXECUTION: &str = "after_execution";
pub const PARAMETERS: &str = "parameters";
pub const OPTIONS: &str = "options";

/// The members that the API keeps, in the order in which a definition is shown.
pub const MEMBERS: [&str; 6] =
    [TOOL_NAME, DESCRIPTION, TARGET_SUBJECT, AFTER_EXECUTION, PARAMETERS, OPTIONS];

pub const SUSPEND: &str = "suspend";
pub const TERMINATE: &str = "terminate";

pub const ARGS: &str = "args";
pub const DEFAULTS: &str = "defaults";
pub const FIXED: &str = "fixed";
pub const ENVS: &str = "envs";
pub const JINA: &str = "jina";
/// The old name of [`JINA`], still read.
pub const OPENAPI: &str = "openapi";
pub const UI_ALLOWED: &str = "ui_allowed";
pub const SUSPEND_TIMEOUT: &str = "suspend_timeout_seconds";
pub const TIMEOUT: &str = "timeout_seconds";

/// Names of CommonGround's own tools, which no definition may have.
pub const RESERVED: [&str; 5] =
    ["delegate_async", "launch_principal", "ask_expert", "fork_join", "provision_agent"];
