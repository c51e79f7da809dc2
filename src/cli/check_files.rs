//! What `toolcrib check` says of files as such: those that couldn't be read, and one that is named
//! and holds nothing that is known.

use serde_json::{Map, Value};

use super::opened::OpenWorkspace;
use crate::{
    engine::{
        case::{ask::AskCase, script::Case},
        scenario::script::Scenario,
    },
    model::{
        entry::FileId,
        finding::{Finding, Severity, Site},
        settings::SETTINGS,
    },
    schema::pointer::Pointer,
    systems::lock::LOCK,
};

/// The file couldn't be read.
pub(super) const NOT_READ: &str = "file.not-read";
/// The file was named, and holds no descriptor or other document that is known.
pub(super) const NOT_KNOWN: &str = "file.not-recognized";

/// Folders of documents that have commands of their own, which say what is wrong in them.
const FOLDERS: [&str; 4] = ["cases", "scenarios", "stubs", "recordings"];

/// Of each file that couldn't be read.
pub(super) fn unread_findings(opened: &OpenWorkspace) -> impl Iterator<Item = Finding> {
    let unread = opened.end.unread.iter();
    unread.map(|(file, problem)| new_finding(NOT_READ, file, problem.cause.clone()))
}

/// Of the file that was named.
pub(super) fn unknown_finding(opened: &OpenWorkspace) -> Option<Finding> {
    let file = opened.asked.as_ref().filter(|file| !is_known(opened, file))?;
    let message =
        "no descriptor, test or other document is recognized in it; only its syntax was checked";
    Some(new_finding(NOT_KNOWN, file, message.into()))
}

/// Whether a file holds something that is checked: a descriptor, a document with a schema, or what
/// other commands read. What isn't well-formed has a finding of its own.
pub(super) fn is_known(opened: &OpenWorkspace, file: &FileId) -> bool {
    let Some(source) = opened.source(file) else { return true };
    let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    let is_other = |value: &Value| {
        Case::is_one(value)
            || AskCase::is_one(value)
            || Scenario::from_value(value).is_ok()
            || value.get("services").is_some_and(Value::is_array)
            || value.as_object().is_some_and(|sections| sections.values().all(is_empty))
    };
    opened.catalog.of_file(file).next().is_some()
        || [SETTINGS, LOCK].contains(&file.as_str())
        || file.as_str().split('/').rev().skip(1).any(|folder| FOLDERS.contains(&folder))
        || source.text().contains("$schema")
        || source.value(0).is_none_or(|value| is_other(value))
}

/// A warning about a file as such.
pub(super) fn new_finding(code: &'static str, file: &FileId, message: String) -> Finding {
    let site =
        Site { file: file.clone(), entry: None, pointer: Pointer::root(), line: 1, column: 1 };
    Finding { code, severity: Severity::Warning, message, site, fix: None, others: Vec::new() }
}
