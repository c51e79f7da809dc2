//! Cases whose arguments the schema of their tool refuses.

use std::sync::Arc;

use serde_json::Value;

use super::table::arguments_schema;
use crate::{
    engine::{
        case::{ask::AskCase, script::Case},
        lint::check::safe_text,
        mask::MASKED,
        template,
    },
    model::{
        catalog::Catalog,
        entry::FileId,
        finding::{Finding, Severity, Site},
        tool::Tool,
    },
    schema::{
        pointer::Pointer,
        validate::{Checker, Issue},
    },
    syntax::source::Source,
};

/// A case that calls its tool with what the tool's schema refuses.
pub const REFUSED_ARGUMENTS: &str = "case.arguments";

/// A case with the sign of a secret that wasn't kept, where the secret itself has to be.
pub const MASKED_ARGUMENT: &str = "case.masked-secret";

/// Where a case's arguments have the sign that a secret is left out, as a case has that was kept from a
/// call: sent as it is, the call would mean something else.
#[must_use]
pub fn masked_arguments(case: &Case) -> Vec<Pointer> {
    let mut places = Vec::new();
    collect_masked(case.arguments.value(), &Pointer::root(), &mut places);
    places
}

fn collect_masked(value: &Value, at: &Pointer, places: &mut Vec<Pointer>) {
    match value {
        Value::String(text) if text == MASKED => places.push(at.clone()),
        Value::Array(items) => {
            for (row, item) in items.iter().enumerate() {
                collect_masked(item, &at.item(row), places);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                collect_masked(member, &at.child(name), places);
            }
        }
        _ => {}
    }
}

/// What is wrong with such an argument, and the way out.
#[must_use]
pub fn masked_words(at: &Pointer) -> String {
    format!(
        "{} is {MASKED}, in place of a secret that isn't kept: write {{{{env.NAME}}}} there, and set \
         that variable where the case runs",
        at.tokens().join(".")
    )
}

/// What the tool's schema refuses of a case's arguments: nothing where the case expects that the
/// call fails, or goes on from steps that ran before.
#[must_use]
pub fn refused_arguments(tool: &Tool, case: &Case) -> Vec<Issue> {
    let is_on_purpose = !case.expect.needs_success();
    if is_on_purpose || case.steps.is_some() {
        return Vec::new();
    }
    let schema = Arc::new(arguments_schema(tool));
    let arguments = case.arguments.value();
    // What is filled in from an answer is known when it is there.
    let is_known = |issue: &Issue| {
        !issue.at.get(arguments).and_then(Value::as_str).is_some_and(template::names_answer)
    };
    let checker = Checker::compile_lenient(&schema).checker;
    let issues = checker.map_or_else(Vec::new, |checker| checker.issues(arguments));
    issues.into_iter().filter(is_known).collect()
}

/// An issue in a sentence: `bright is above 9`.
#[must_use]
pub fn issue_words(issue: &Issue) -> String {
    match issue.at.is_root() {
        true => format!("the arguments: {}", issue.words),
        false => format!("{} {}", issue.at.tokens().join("."), issue.words),
    }
}

/// The findings of a case's arguments, in a file that may be a case.
#[must_use]
pub(super) fn case_findings(catalog: &Catalog, file: &FileId, source: &Source) -> Vec<Finding> {
    // What a case calls is no object, so that a case is never a text of sections.
    if source.sections(0).is_some() {
        return Vec::new();
    }
    let is_case = |value: &Value| Case::is_one(value) && !AskCase::is_one(value);
    let Some(case) =
        source.value(0).filter(|value| is_case(value)).and_then(|_| Case::from_source(source).ok())
    else {
        return Vec::new();
    };
    let finding = |code, severity, at: &Pointer, message: String| {
        let pointer = Pointer::root().child("arguments").join(at);
        let mut around = std::iter::successors(Some(pointer.clone()), Pointer::parent);
        let place = around.find_map(|at| source.find_place(0, &at));
        let (line, column) = place.map_or((1, 1), |place| (place.line, place.column));
        Finding::new(
            code,
            severity,
            safe_text(&message),
            Site { file: file.clone(), entry: None, pointer, line, column },
        )
    };
    let masked = masked_arguments(&case);
    let masked =
        masked.iter().map(|at| finding(MASKED_ARGUMENT, Severity::Error, at, masked_words(at)));
    let mut findings: Vec<Finding> = masked.collect();
    if let Some(tool) = catalog.tool_called(&case.tool) {
        findings.extend(refused_arguments(tool, &case).into_iter().map(|issue| {
            let message = format!(
                "{}: the schema of \"{}\" refuses it; a case that expects this says how the call \
                 ends",
                issue_words(&issue),
                tool.entry.key
            );
            finding(REFUSED_ARGUMENTS, Severity::Warning, &issue.at, message)
        }));
    }
    findings
}
