//! Checks that hold for every system: one table of rows, each with a code, a severity and a
//! function.
//!
//! [`mod@check`] says what a row is and [`context`] what its function can ask; the other files hold
//! the functions, by what they look at. A system adds its own table of the same rows. [`syntax`]
//! turns what is odd in a text into findings.

pub mod check;
pub mod context;
mod gates;
pub(crate) mod identity;
mod secrets;
mod services;
mod states;
pub mod syntax;

use std::sync::Arc;

use check::{Check, CheckLevel, Report, Run};
use context::LintContext;

use crate::{
    model::{
        entry::SystemId,
        finding::{Finding, Severity},
        tool::Tool,
    },
    syntax::parallel::{join, map_slices},
};

/// Every check that is no system's own.
pub const CHECKS: &[Check] = &[
    Check {
        code: "identity.duplicate-key",
        severity: CheckLevel::WARNING,
        about: "Two entries of a kind have the same key; if both are loaded, the last one applies.",
        run: Run::All(identity::duplicate_key),
    },
    Check {
        code: "identity.duplicate-name",
        severity: CheckLevel::WARNING,
        about: "Two tools have the same name; a model can't distinguish them, and the last one \
            loaded applies.",
        run: Run::All(identity::duplicate_name),
    },
    Check {
        code: "identity.twins",
        severity: CheckLevel::NOTE,
        about: "Two tools differ only in their names: a model has no basis to choose between them.",
        run: Run::All(identity::twin_tools),
    },
    Check {
        code: "identity.name-refused",
        severity: CheckLevel::NOTE,
        about: "The name has characters that the function-calling APIs of OpenAI and Anthropic \
            reject.",
        run: Run::Tool(identity::name_refused),
    },
    Check {
        code: "groups.empty",
        severity: CheckLevel::WARNING,
        about: "The tool is in no group: only a request for \"*\" gets it.",
        run: Run::Tool(gates::no_group),
    },
    Check {
        code: "groups.wildcard",
        severity: CheckLevel::WARNING,
        about: "\"*\" among a tool's groups is a group of that name, not a wildcard.",
        run: Run::Tool(gates::wildcard_group),
    },
    Check {
        code: "groups.comma",
        severity: CheckLevel::WARNING,
        about: "A group's name contains a comma: probably several names in one text.",
        run: Run::Tool(gates::comma_in_group),
    },
    Check {
        code: "names.blanks",
        severity: CheckLevel::WARNING,
        about: "A group or state starts or ends with a space; names match exactly.",
        run: Run::Tool(gates::surrounding_blanks),
    },
    Check {
        code: "names.near-duplicate",
        severity: CheckLevel::WARNING,
        about: "Two names of groups or states differ only in case, spaces or dashes; names match \
            exactly.",
        run: Run::All(gates::near_duplicates),
    },
    Check {
        code: "groups.near-name",
        severity: CheckLevel::WARNING,
        about: "Only one tool is in the group, and its name is one letter away from a group of \
            several.",
        run: Run::All(gates::near_groups),
    },
    Check {
        code: "gates.write-reachable",
        severity: CheckLevel::WARNING,
        about: "A tool that seems to change data is also in a group whose name means reading.",
        run: Run::Tool(gates::write_reachable),
    },
    Check {
        code: "states.empty",
        severity: CheckLevel::WARNING,
        about: "The list of states is empty: the tool is never available.",
        run: Run::Tool(states::empty_states),
    },
    Check {
        code: "states.never-produced",
        severity: CheckLevel::WARNING,
        about: "A tool waits for a state that no tool leads to.",
        run: Run::All(states::never_produced),
    },
    Check {
        code: "states.never-awaited",
        severity: CheckLevel::NOTE,
        about: "A tool leads to a state that no tool lists.",
        run: Run::All(states::never_awaited),
    },
    Check {
        code: "states.dead-end",
        severity: CheckLevel::WARNING,
        about: "A tool leads to a state in which no tool is available.",
        run: Run::All(states::dead_end),
    },
    Check {
        code: "states.trap",
        severity: CheckLevel::NOTE,
        about: "Tools lead into states that no tool leaves again, even with all groups.",
        run: Run::All(states::state_trap),
    },
    Check {
        code: "states.unreachable",
        severity: CheckLevel::WARNING,
        about: "The tool is hidden in \"undefined\", and no run from there reaches a state that \
                shows it.",
        run: Run::All(states::unreachable_tool),
    },
    Check {
        code: "service.unused",
        severity: CheckLevel::NOTE,
        about: "No tool uses the service.",
        run: Run::All(services::unused_service),
    },
    Check {
        code: "service.same-queue",
        severity: CheckLevel::ERROR,
        about: "Requests and responses share one queue: the service would answer itself.",
        run: Run::Service(services::same_queue),
    },
    Check {
        code: "service.queue-shared",
        severity: CheckLevel::WARNING,
        about: "Two services read requests from the same queue: each request goes to one of them.",
        run: Run::All(services::queue_shared),
    },
    Check {
        code: "secrets.in-descriptor",
        severity: CheckLevel::WARNING,
        about: "A value looks like a key, a token or a password.",
        run: Run::Entry(secrets::in_descriptor),
    },
];

/// Findings of the checks that hold for every system.
#[must_use]
pub(crate) fn run_common_checks(context: &LintContext<'_>) -> Vec<Finding> {
    run_checks(CHECKS, context, |_| true)
}

/// The codes of a table of checks, each with its sentence.
#[must_use]
pub fn sentences(checks: &[Check]) -> Vec<(&'static str, &'static str)> {
    checks.iter().map(|check| (check.code, check.about)).collect()
}

/// Findings of a table of checks on the entries whose system is `of`; checks of the whole choose
/// for themselves.
#[must_use]
pub fn run_checks(
    checks: &[Check],
    context: &LintContext<'_>,
    of: fn(SystemId) -> bool,
) -> Vec<Finding> {
    let run = |look: &dyn Fn(&Run, &mut Report<'_>), findings: &mut Vec<Finding>| {
        for check in checks {
            if let Some(severity) = check.severity.in_mode(context.mode()) {
                look(&check.run, &mut Report::new(check.code, severity, findings));
            }
        }
    };
    let catalog = context.catalog;
    // Entry by entry and on clones: what an entry says is read once for all checks, and then it
    // goes.
    let of_tools = |tools: &[Arc<Tool>]| {
        let mut findings = Vec::new();
        for tool in tools.iter().filter(|tool| of(tool.entry.system)) {
            let tool = Tool::clone(tool);
            let _ = tool.entry.value.shared();
            let look = |check: &Run, report: &mut Report<'_>| match check {
                Run::Entry(look) => look(context, &tool.entry, report),
                Run::Tool(look) => look(context, &tool, report),
                Run::Service(_) | Run::All(_) => {}
            };
            run(&look, &mut findings);
        }
        findings
    };
    let of_all = || {
        let mut findings = Vec::new();
        let look = |check: &Run, report: &mut Report<'_>| {
            if let Run::All(look) = check {
                look(context, report);
            }
        };
        run(&look, &mut findings);
        findings
    };
    // Checks of the whole stay on this thread: some keep what they have compiled.
    let (of_all, mut findings) =
        join(catalog.tools.len(), of_all, || map_slices(&catalog.tools, of_tools));
    for service in catalog.services.iter().filter(|service| of(service.entry.system)) {
        let service = service.clone();
        let look = |check: &Run, report: &mut Report<'_>| match check {
            Run::Entry(look) => look(context, &service.entry, report),
            Run::Service(look) => look(context, &service, report),
            Run::Tool(_) | Run::All(_) => {}
        };
        run(&look, &mut findings);
    }
    for entry in catalog.others.iter().filter(|entry| of(entry.system)) {
        let entry = entry.clone();
        let look = |check: &Run, report: &mut Report<'_>| {
            if let Run::Entry(look) = check {
                look(context, &entry, report);
            }
        };
        run(&look, &mut findings);
    }
    findings.extend(of_all);
    findings
}

/// Sorts findings as people read them: by file, place, severity, code.
pub(crate) fn sort_findings(findings: &mut [Finding]) {
    let order =
        |finding: &Finding| -> (crate::model::entry::FileId, usize, usize, Severity, &'static str) {
            (
                finding.site.file.clone(),
                finding.site.line,
                finding.site.column,
                finding.severity,
                finding.code,
            )
        };
    findings.sort_by_cached_key(order);
}
