//! Cases whose arguments the schema of their tool refuses.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;

use super::table::{arguments_schema, deployment_at};
use crate::{
    engine::{
        case::{
            ask::AskCase,
            expected::{collect_texts, expected_texts, unexpected_words},
            script::Case,
        },
        lint::check::safe_text,
        mask::MASKED,
        settings::connections::find_connection,
        template,
        variables::{DEFINE, undefined_words},
    },
    model::{
        catalog::Catalog,
        connections::Connections,
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

/// A case that names a variable which nothing defines for its connection.
pub(super) const UNDEFINED_VARIABLE: &str = "case.variable";

const ARGUMENTS: &str = "arguments";

/// How a text looks where a part of it was a secret.
const PLACES: [&str; 4] = [":***@", "Bearer ***", "Basic ***", "=***"];

/// Where what a case sends has the sign that a secret is left out, as a case has that was kept from a
/// call: sent as it is, the call would mean something else. The places are those of the case.
#[must_use]
pub fn masked_arguments(case: &Case) -> Vec<Pointer> {
    let certain = masked_texts(case).into_iter().filter(|one| one.is_secrets);
    certain.map(|one| one.at).collect()
}

/// A text with that sign in it.
struct MaskedText {
    at: Pointer,
    /// It is there in a secret's place. Else it may be of the text itself, as in Markdown.
    is_secrets: bool,
}

fn masked_texts(case: &Case) -> Vec<MaskedText> {
    let texts = sent_texts(case).into_iter().filter(|(_, text)| text.contains(MASKED));
    let masked = texts.map(|(at, text)| {
        let is_secrets = text == MASKED || PLACES.iter().any(|place| text.contains(place));
        MaskedText { at, is_secrets }
    });
    masked.collect()
}

/// The texts of what a case sends, with their places in the case.
fn sent_texts(case: &Case) -> Vec<(Pointer, &str)> {
    let mut texts = Vec::new();
    let root = Pointer::root();
    collect_texts(case.arguments.value(), &root.child(ARGUMENTS), &mut texts);
    if let Some(meta) = &case.meta {
        collect_texts(meta.value(), &root.child("meta"), &mut texts);
    }
    let outputs = case.steps.iter().flat_map(|steps| &steps.outputs);
    let at = root.child("steps").child("outputs");
    outputs.for_each(|(name, value)| collect_texts(value, &at.child(name), &mut texts));
    texts
}

/// The connection that a case names, also before its tool: `CONNECTION/TOOL`, where no file has
/// tools of that system, which can list them.
#[must_use]
pub(crate) fn named_connection<'c>(
    case: &'c Case,
    catalog: &Catalog,
    connections: &Connections,
) -> Option<&'c str> {
    let before_tool = || {
        let (name, _) = case.tool.split_once('/')?;
        let mut tools = catalog.tools.iter();
        let is_saved = tools.any(|tool| connections.assigned_name(tool) == Some(name));
        let is_own = is_saved || catalog.tool_called(&case.tool).is_some();
        let known = connections.find_by_name(name).filter(|_| !is_own)?;
        deployment_at(known).map(|_| name)
    };
    case.connection.as_deref().or_else(before_tool)
}

/// The variables that a case names, each as often as it does.
pub(crate) fn named_variables(case: &Case) -> impl Iterator<Item = &str> {
    let texts = sent_texts(case).into_iter().chain(expected_texts(&case.expect));
    texts.flat_map(|(_, text)| template::variable_names(text))
}

/// The variables that a case names and nothing defines for the connection that it is called over,
/// in words, each at its first place; and the secrets among those that it expects.
#[must_use]
pub(super) fn undefined_variables(
    case: &Case,
    catalog: &Catalog,
    connections: &Connections,
) -> Vec<(Pointer, String)> {
    let (sent, expected) = (sent_texts(case), expected_texts(&case.expect));
    let named = sent
        .iter()
        .chain(&expected)
        .flat_map(|(at, text)| template::variable_names(text).map(move |name| (at, name)));
    let mut named = named.peekable();
    // To find the connection takes a while, and most cases name none.
    if named.peek().is_none() {
        return Vec::new();
    }
    let own = named_connection(case, catalog, connections);
    let connection = match (own, catalog.tool_called(&case.tool)) {
        (Some(name), _) => find_connection(connections, name).ok(),
        (None, Some(tool)) => Some(connections.for_tool(tool)),
        (None, None) => Some(connections.current()),
    };
    // That there is none is said elsewhere.
    let Some(connection) = connection else { return Vec::new() };
    let mut seen = BTreeSet::new();
    let undefined =
        named.filter(|(_, name)| !connection.variables.contains_key(*name) && seen.insert(*name));
    let words = |name| match undefined_words(name, &connection) {
        // It says which name is meant.
        words if words.ends_with('?') => words,
        words => format!("{words}; {DEFINE}"),
    };
    let undefined = undefined.map(|(at, name)| (at.clone(), words(name)));
    let names = |(at, text)| template::variable_names(text).map(move |name| (at, name));
    let expected = expected.iter().map(|(at, text)| (at, *text)).flat_map(names);
    let secret = expected
        .filter_map(|(at, name)| Some((Pointer::clone(at), unexpected_words(name, &connection)?)));
    undefined.chain(secret).collect()
}

/// What is wrong with such an argument, and the way out.
#[must_use]
pub fn masked_words(at: &Pointer) -> String {
    format!(
        "{} is {MASKED}, in place of a secret that isn't kept: write {{{{env.NAME}}}} there, and set \
         that variable where the case runs",
        place_words(at)
    )
}

/// A place of a case as people name it: arguments by their names alone.
fn place_words(at: &Pointer) -> String {
    match at.tokens() {
        [first, rest @ ..] if first == ARGUMENTS => rest.join("."),
        tokens => tokens.join("."),
    }
}

fn masked_finding_words(one: &MaskedText) -> (Severity, String) {
    match one.is_secrets {
        true => (Severity::Error, masked_words(&one.at)),
        false => {
            let words = format!(
                "{} has {MASKED} in it, which is sent as it is: where a secret was, write \
                 {{{{env.NAME}}}}",
                place_words(&one.at)
            );
            (Severity::Warning, words)
        }
    }
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
    // What is filled in from an answer or a variable is known when it is called.
    let text_at = |issue: &Issue| issue.at.get(arguments).and_then(Value::as_str);
    let is_known = |issue: &Issue| !text_at(issue).is_some_and(template::is_filled_in);
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
    let finding = |code, severity, pointer: Pointer, message: String| {
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
    let masked = masked_texts(&case).into_iter().map(|one| {
        let (severity, words) = masked_finding_words(&one);
        finding(MASKED_ARGUMENT, severity, one.at, words)
    });
    let mut findings: Vec<Finding> = masked.collect();
    if let Some(tool) = catalog.tool_called(&case.tool) {
        findings.extend(refused_arguments(tool, &case).into_iter().map(|issue| {
            let message = format!(
                "{}: the schema of \"{}\" refuses it; a case that expects this says how the call \
                 ends",
                issue_words(&issue),
                tool.entry.key
            );
            let at = Pointer::root().child(ARGUMENTS).join(&issue.at);
            finding(REFUSED_ARGUMENTS, Severity::Warning, at, message)
        }));
    }
    findings
}
