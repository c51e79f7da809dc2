//! The words of a CommonGround tool definition.

use crate::model::entry::SystemId;

pub(crate) const SYSTEM: SystemId = "commonground";

pub(crate) const TOOL_NAME: &str = "tool_name";
/// Replaces [`TOOL_NAME`] where that is missing.
pub(crate) const NAME: &str = "name";
pub(crate) const DESCRIPTION: &str = "description";
pub(crate) const TARGET_SUBJECT: &str = "target_subject";
pub(crate) const AFTER_EXECUTION: &str = "after_execution";
pub(crate) const PARAMETERS: &str = "parameters";
pub(crate) const OPTIONS: &str = "options";

/// The members that the API keeps, in the order in which a definition is shown.
pub(crate) const MEMBERS: [&str; 6] =
    [TOOL_NAME, DESCRIPTION, TARGET_SUBJECT, AFTER_EXECUTION, PARAMETERS, OPTIONS];

pub(crate) const SUSPEND: &str = "suspend";
pub(crate) const TERMINATE: &str = "terminate";

pub(crate) const ARGS: &str = "args";
pub(crate) const DEFAULTS: &str = "defaults";
pub(crate) const FIXED: &str = "fixed";
pub(crate) const ENVS: &str = "envs";
pub(crate) const JINA: &str = "jina";
/// The old name of [`JINA`], still read.
pub(crate) const OPENAPI: &str = "openapi";
pub(crate) const UI_ALLOWED: &str = "ui_allowed";
pub(crate) const SUSPEND_TIMEOUT: &str = "suspend_timeout_seconds";
pub(crate) const TIMEOUT: &str = "timeout_seconds";

/// Names of CommonGround's own tools, which no definition may have.
pub(crate) const RESERVED: [&str; 5] =
    ["delegate_async", "launch_principal", "ask_expert", "fork_join", "provision_agent"];
