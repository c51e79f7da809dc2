//! The API's own rules as findings, with its texts.

use crate::{
    engine::{lint::check::Report, workflow::similar::nearest_name},
    model::{
        entry::Entry,
        finding::{Finding, Severity},
    },
    schema::pointer::Pointer,
    syntax::{
        edit::Edit,
        python::{PythonOddity, Reading},
        source::Source,
    },
    systems::commonground::{
        keys,
        rules::{self, Refusal, Rule},
    },
};

/// Stable codes with what they say, by rule. The API's answer to each is an error.
pub const CODES: &[(Rule, &str, &str)] = &[
    (Rule::Tags, "definition.tag", "A YAML tag that the API's parser doesn't support."),
    (Rule::Mapping, "definition.malformed", "The definition isn't a map."),
    (Rule::Name, "definition.no-name", "The definition's name is missing or blank."),
    (
        Rule::Fields,
        "definition.wrong-type",
        "A required member is missing, or has a type that the API rejects.",
    ),
    (Rule::Items, "definition.bare-array", "An array in the parameters doesn't define its items."),
    (Rule::Schema, "definition.schema-invalid", "The parameters aren't a JSON Schema."),
    (
        Rule::Reserved,
        "definition.name-reserved",
        "The name is that of one of CommonGround's own tools.",
    ),
    (
        Rule::Lifecycle,
        "definition.lifecycle",
        "`after_execution` is neither suspend nor terminate.",
    ),
    (Rule::Subject, "definition.subject", "`target_subject` isn't a subject of a tool service."),
    (
        Rule::Storable,
        "definition.not-json",
        "A value that JSON doesn't have: a date, a set, bytes, NaN.",
    ),
];

/// A key that the API stores as another text than it is written.
pub const KEY_NOT_TEXT: (&str, &str) = (
    "definition.key-not-text",
    "A nested key isn't text in YAML 1.1; the API stores it as converted to JSON text.",
);

fn code(rule: Rule) -> &'static str {
    CODES.iter().find(|(of, ..)| *of == rule).map_or("definition.malformed", |(_, code, _)| code)
}

/// What the management API refuses in an entry, as it reads its text.
#[must_use]
pub fn refusal_findings(entry: &Entry, source: &Source) -> Vec<Finding> {
    let place = entry.id.place();
    let Some(read) = source.as_python_at(place.document, &place.at) else { return Vec::new() };
    let mut findings = Vec::new();
    for refusal in rules::refusals(&read) {
        report_refusal(entry, &read, &refusal, &mut findings);
    }
    for (at, oddity) in &read.oddities {
        if let (PythonOddity::Key(kind), [_, _, _, ..]) = (oddity, at.tokens()) {
            let message = format!(
                "for the API this key isn't text but of type {kind}; it stores it as text; put it \
                in quotes"
            );
            Report::new(KEY_NOT_TEXT.0, Severity::Warning, &mut findings).add_finding(
                entry,
                at.clone(),
                message,
            );
        }
    }
    findings
}

fn report_refusal(entry: &Entry, read: &Reading, refusal: &Refusal, findings: &mut Vec<Finding>) {
    let mut message = match &refusal.field {
        Some(field) => {
            format!("the API rejects it ({}): {}: {}", refusal.status, field.name, refusal.text)
        }
        None => format!("the API rejects it ({}): {}", refusal.status, refusal.text),
    };
    // What is there is no text to the API although it looks like one.
    let read_as = read.oddities.iter().find_map(|(at, oddity)| match oddity {
        PythonOddity::Differs(value) if *at == refusal.at => Some(value.to_string()),
        PythonOddity::NotJson(kind) if *at == refusal.at && refusal.rule == Rule::Fields => {
            Some(format!("a {kind}"))
        }
        _ => None,
    });
    if let Some(read_as) = read_as {
        message.push_str(&format!("; it reads {read_as} here: put it in quotes"));
    }
    let mut report = Report::new(code(refusal.rule), Severity::Error, findings);
    let found = report.add_finding(entry, refusal.at.clone(), message);
    let given = refusal.at.get(&entry.value);
    match (refusal.rule, given.and_then(serde_json::Value::as_str)) {
        (Rule::Lifecycle, Some(text)) => {
            let near =
                nearest_name(text, [keys::SUSPEND, keys::TERMINATE]).unwrap_or(keys::SUSPEND);
            found.fix_set(format!("make it \"{near}\""), near);
        }
        (Rule::Fields, _)
            if refusal.field.as_ref().is_some_and(|field| field.kind == "dict_type") =>
        {
            found.fix_edits(
                "make it an empty map",
                [Edit::Set { at: refusal.at.clone(), to: serde_json::json!({}).into() }],
            );
        }
        (Rule::Items, _) => {
            let at: Pointer = refusal.at.child("items");
            found.fix_edits(
                "set its items to strings",
                [Edit::Set { at, to: serde_json::json!({"type": "string"}).into() }],
            );
        }
        _ => {}
    }
}
