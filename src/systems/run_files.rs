//! What keeps cases, scenarios and stubs from being run as they are: found by `check` and on the
//! screen alike.

use serde_json::Value;

use super::case_arguments::{UNDEFINED_VARIABLE, named_connection, undefined_variables};
use crate::{
    engine::{
        case::{
            page as cases,
            read::{AnyCase, read_any_case, repeated_key},
            script::Case,
        },
        lint::check::did_you_mean,
        members::{FileIssue, file_issue, several_documents},
        scenario::{page as scenarios, script::Scenario},
        settings::connections::find_connection,
        stub::{
            page as stubs,
            read::{read_stub, unreached_rules},
        },
        workflow::similar::nearest_name,
    },
    model::{
        catalog::Catalog,
        connections::Connections,
        entry::FileId,
        finding::{Finding, Severity, Site},
        problem::Problem,
    },
    schema::pointer::Pointer,
    syntax::source::Source,
};

/// A case, a scenario or a stub has something in it that its command refuses, or never looks at.
const MALFORMED: &str = "file.malformed";

const EMPTY_SCENARIO: &str = "the file is empty: a scenario has a start and steps";

/// The file couldn't be read.
pub const NOT_READ: &str = "file.not-read";

/// Of a file that couldn't be read.
#[must_use]
pub fn unread_finding(file: &FileId, problem: &Problem) -> Finding {
    new_finding(NOT_READ, file, problem.cause.clone())
}

/// What the command of a case, a scenario or a stub would say of its file; nothing of another file.
/// `missing` says in words that there is no tool of that name.
#[must_use]
pub fn run_findings(
    file: &FileId,
    source: &Source,
    catalog: &Catalog,
    connections: &Connections,
    missing: impl Fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let issues = issues_of(file, source, catalog, connections, missing);
    let finding = |(code, severity, issue): (&'static str, Severity, FileIssue)| {
        let unplaced = new_finding(code, file, issue.message);
        Finding { severity, ..at_place(unplaced, source, issue.at) }
    };
    issues.into_iter().map(finding).collect()
}

/// That a catalog has no tool of that name, in words; `None`: it has one.
#[must_use]
pub fn missing_tool(catalog: &Catalog, name: &str) -> Option<String> {
    let several = catalog.ambiguous_tools(name);
    if !several.is_empty() {
        let addresses: Vec<String> = several.iter().map(|tool| tool.address()).collect();
        let choice = addresses.join(" or ");
        return Some(format!("tools of several systems have the key \"{name}\": choose {choice}"));
    }
    if catalog.tool_called(name).is_some() {
        return None;
    }
    let tools = catalog.tools.iter();
    let names = tools.flat_map(|tool| [tool.entry.key.as_str(), tool.name.as_str()]);
    let near = did_you_mean(nearest_name(name, names));
    Some(format!("there is no tool \"{}\" in this workspace{near}", name.escape_debug()))
}

/// That the connection of a case isn't there, or its tool. One that names a connection may call what only
/// runs there.
fn uncallable(
    case: &Case,
    catalog: &Catalog,
    connections: &Connections,
    missing: impl Fn(&str) -> Option<String>,
) -> Option<FileIssue> {
    let (member, message) = match named_connection(case, catalog, connections) {
        Some(name) => {
            let problem = find_connection(connections, name).err()?;
            ("connection", format!("{}: {}", problem.cause, problem.remedy))
        }
        None => ("call", missing(&case.tool)?),
    };
    Some(FileIssue { at: Pointer::root().child(member), message })
}

fn issues_of(
    file: &FileId,
    source: &Source,
    catalog: &Catalog,
    connections: &Connections,
    missing: impl Fn(&str) -> Option<String>,
) -> Vec<(&'static str, Severity, FileIssue)> {
    // A file of many sections is one of descriptors; its value would be put together for this, and
    // held.
    if source.sections(0).is_some() {
        return Vec::new();
    }
    let value = source.value(0);
    // What is in the folder of its command is read by that, whatever it looks like.
    let folder = file.path().parent().and_then(|folder| folder.file_name());
    let is_in = |name: &str| folder.is_some_and(|folder| folder == name);
    let is_scenario = || is_in(scenarios::FOLDER);
    let count = source.document_count();
    let refused = if let Some(read) = read_any_case(source, is_in(cases::FOLDER)) {
        match read {
            Ok(AnyCase::Call(case)) => match uncallable(&case, catalog, connections, missing) {
                Some(issue) => Some(issue),
                None => {
                    let undefined = undefined_variables(&case, catalog, connections).into_iter();
                    let issues = undefined.map(|(at, message)| FileIssue { at, message });
                    // A command may still define them, with --var.
                    return issues
                        .map(|issue| (UNDEFINED_VARIABLE, Severity::Warning, issue))
                        .collect();
                }
            },
            Ok(AnyCase::Ask(_)) => None,
            // A key that is there twice has a finding of its own.
            Err(issue) => Some(issue).filter(|_| repeated_key(source).is_none()),
        }
    } else if count > 1 && is_scenario() {
        Some(file_issue(&Pointer::root(), several_documents(count, "scenario")))
    } else if value.is_some_and(|value| is_stub(value)) || is_in(stubs::FOLDER) {
        match read_stub(source) {
            Err(issue) => Some(issue),
            Ok(stub) => {
                let unreached = unreached_rules(&stub).into_iter();
                return unreached.map(|issue| (MALFORMED, Severity::Warning, issue)).collect();
            }
        }
    } else if is_scenario() {
        match value {
            Some(value) => Scenario::from_value(value).err(),
            None => Some(file_issue(&Pointer::root(), EMPTY_SCENARIO)),
        }
    } else {
        None
    };
    refused.into_iter().map(|issue| (MALFORMED, Severity::Error, issue)).collect()
}

/// Whether a document is a stub, or was meant to be: a file of Docker Compose has services, too, which
/// have no rules.
#[must_use]
pub fn is_stub(value: &Value) -> bool {
    let has_rules = |service: &Value| service.get("rules").is_some();
    match value.get("services") {
        Some(Value::Object(services)) => services.values().any(has_rules),
        Some(Value::Array(services)) => services.iter().any(has_rules),
        _ => false,
    }
}

/// The same at that place of the file.
#[must_use]
pub fn at_place(finding: Finding, source: &Source, at: Pointer) -> Finding {
    let place = source.find_place(0, &at);
    let (line, column) = place.map_or((1, 1), |place| (place.line, place.column));
    Finding { site: Site { pointer: at, line, column, ..finding.site }, ..finding }
}

/// A warning about a file as such.
#[must_use]
pub fn new_finding(code: &'static str, file: &FileId, message: String) -> Finding {
    let site =
        Site { file: file.clone(), entry: None, pointer: Pointer::root(), line: 1, column: 1 };
    Finding::new(code, Severity::Warning, message, site)
}
