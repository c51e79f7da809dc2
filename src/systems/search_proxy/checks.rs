//! What is wrong with tools of the proxy: what it refuses, and what it drops without a word.

use serde_json::Value;

use super::{
    keys::{self, Endpoint, provider_of},
    tool::{configuration_schema, exposed_names},
};
use crate::{
    engine::{
        conformance::issue_message,
        lint::{
            self,
            check::{Check, CheckLevel, Report, Run, did_you_mean, member_pointer},
            context::LintContext,
        },
        workflow::similar::nearest_name,
    },
    model::{finding::Finding, tool::Tool},
    schema::validate::Checker,
    systems::{
        gate_tables,
        pydantic::{read_configuration, written_place},
    },
};

/// Every check of this system.
pub const CHECKS: &[Check] = &[
    Check {
        code: "proxy.endpoint",
        severity: CheckLevel::ERROR,
        about: "The proxy has no such endpoint: the tool cannot be called.",
        run: Run::Tool(endpoint),
    },
    Check {
        code: "proxy.provider",
        severity: CheckLevel::ERROR,
        about: "The entry has no engine or crawler: the proxy rejects the request.",
        run: Run::Tool(provider),
    },
    Check {
        code: "proxy.configuration",
        severity: CheckLevel::ERROR,
        about: "The proxy rejects every request with this configuration (HTTP 422).",
        run: Run::Tool(configuration),
    },
    Check {
        code: "proxy.ignored-key",
        severity: CheckLevel::WARNING,
        about: "The proxy ignores the member.",
        run: Run::Tool(ignored_key),
    },
    Check {
        code: "proxy.exposed",
        severity: CheckLevel::WARNING,
        about: "The proxy has no such member, so the model can't give it.",
        run: Run::Tool(exposed),
    },
    Check {
        code: "proxy.gate-malformed",
        severity: CheckLevel::ERROR,
        about: "A value of [search-proxy] in toolcrib.toml has the wrong type.",
        run: Run::Entry(gate_tables::find_malformed),
    },
    Check {
        code: "proxy.gate-unknown",
        severity: CheckLevel::WARNING,
        about: "[search-proxy] in toolcrib.toml has an unknown key, or a tool that doesn't exist.",
        run: Run::Entry(gate_tables::find_unknown),
    },
];

/// What is wrong with the entries of this system.
#[must_use]
pub fn check_catalog(context: &LintContext<'_>) -> Vec<Finding> {
    lint::run_checks(CHECKS, context, |system| system == keys::SYSTEM)
}

fn endpoint(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    if Endpoint::of_entry(&tool.entry.value).is_some() {
        return;
    }
    let word = tool.entry.value.get(keys::ENDPOINT).and_then(Value::as_str).unwrap_or_default();
    let words = Endpoint::ALL.map(Endpoint::as_str);
    let near = nearest_name(word, words);
    let message = format!("no endpoint \"{word}\"{}: {}", did_you_mean(near), words.join(", "));
    let found = report.add_finding(&tool.entry, member_pointer(keys::ENDPOINT), message);
    if let Some(near) = near {
        found.fix_set(format!("set to \"{near}\""), Value::from(near));
    }
}

fn provider(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let entry = &tool.entry.value;
    let Some(endpoint) = Endpoint::of_entry(entry) else { return };
    if provider_of(entry).is_none_or(str::is_empty) {
        let chooser = endpoint.chooser();
        let message = format!("{chooser} is missing: it says who answers");
        report.add_finding(&tool.entry, member_pointer(chooser), message);
    }
}

fn configuration(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(given) = tool.entry.value.get(keys::CONFIGURATION) else { return };
    let Some(schema) = configuration_schema(&tool.entry.value) else { return };
    let Ok(checker) = Checker::compile(&schema) else { return };
    let reading = read_configuration(given, &schema);
    for issue in checker.issues(&reading.value) {
        let at = member_pointer(keys::CONFIGURATION).join(&written_place(given, &issue.at));
        report.add_finding(&tool.entry, at, issue_message(&issue));
    }
}

fn ignored_key(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(given) = tool.entry.value.get(keys::CONFIGURATION) else { return };
    let Some(schema) = configuration_schema(&tool.entry.value) else { return };
    for ignored in read_configuration(given, &schema).ignored {
        let name = ignored.at.last().unwrap_or_default().to_owned();
        let near = nearest_name(&name, ignored.known.iter().map(String::as_str));
        let message = format!("\"{name}\" has no effect{}", did_you_mean(near));
        let at = member_pointer(keys::CONFIGURATION).join(&ignored.at);
        let found = report.add_finding(&tool.entry, at, message);
        match near {
            Some(near) => found.fix_rename(near),
            None => found.fix_remove(format!("remove \"{name}\"")),
        }
    }
}

fn exposed(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(schema) = configuration_schema(&tool.entry.value) else { return };
    let Some(known) = schema.get("properties").and_then(Value::as_object) else { return };
    for (row, name) in exposed_names(&tool.entry.value).enumerate() {
        if known.contains_key(name) {
            continue;
        }
        let near = nearest_name(name, known.keys().map(String::as_str));
        let message = format!("\"{name}\" has no effect{}", did_you_mean(near));
        let at = member_pointer(keys::EXPOSED).item(row);
        let found = report.add_finding(&tool.entry, at, message);
        if let Some(near) = near {
            found.fix_set(format!("set to \"{near}\""), Value::from(near));
        }
    }
}
