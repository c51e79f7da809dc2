//! What a step sends, and what it makes of the answer.

use serde_json::Value;

use super::each::{StepAt, own_steps};
use crate::{
    engine::{
        lint::{
            check::{Report, member_pointer},
            context::LintContext,
        },
        schema_faults::text_faults,
    },
    model::{entry::Entry, tool::Tool},
    syntax::edit::Edit,
    systems::opensearch::{
        dynamic::METHODS,
        entries::EntrySort,
        json_path::JsonPath,
        keys,
        processors::read::{Processor, read_processors},
        steps::plan::is_dynamic,
        strict_json,
        template::{
            marks::PARAMETERS,
            parse::{Part, parse_template},
            text_map::text_of,
        },
    },
};

/// A template with something in the place of each placeholder: texts between quotes, else a number.
pub(super) fn sample_text(template: &str) -> String {
    let mut text = String::new();
    let mut is_quoted = false;
    for part in parse_template(template, PARAMETERS) {
        match part {
            Part::Text(plain) => {
                let mut letters = plain.chars();
                while let Some(letter) = letters.next() {
                    text.push(letter);
                    match letter {
                        '\\' if is_quoted => text.extend(letters.next()),
                        '"' => is_quoted = !is_quoted,
                        _ => {}
                    }
                }
            }
            Part::Placeholder(placeholder) => {
                text.push_str(placeholder.default.unwrap_or(if is_quoted { "x" } else { "0" }));
            }
        }
    }
    text
}

fn dynamic_steps(entry: &Entry) -> impl Iterator<Item = StepAt> {
    own_steps(entry).into_iter().filter(|step| is_dynamic(&step.spec))
}

pub(super) fn uri(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for step in dynamic_steps(entry) {
        let uri = text_of(&step.spec.parameters, keys::URI);
        if uri.is_none_or(|uri| uri.trim().is_empty()) {
            let words = "a path on the cluster is missing: uri";
            report.add_finding(entry, step.parameter(keys::URI), words);
        }
    }
}

pub(super) fn method(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for step in dynamic_steps(entry) {
        let at = step.parameter(keys::METHOD);
        let Some(method) = text_of(&step.spec.parameters, keys::METHOD) else {
            // Steps of the proposal name none.
            if step.spec.tool_type == keys::DYNAMIC_TOOL && step.at.is_root() {
                let has_body = step.spec.parameters.contains_key(keys::REQUEST_BODY);
                let likely = if has_body { "POST" } else { "GET" };
                report
                    .add_finding(entry, at, "the method is missing")
                    .fix_set(format!("set to {likely}"), Value::from(likely));
            }
            continue;
        };
        if METHODS.contains(&method) || method.contains(PARAMETERS) {
            continue;
        }
        let capitals = method.trim().to_uppercase();
        let found = report.add_finding(entry, at, format!("\"{method}\" is no method"));
        if METHODS.contains(&capitals.as_str()) {
            found.fix_set(format!("write {capitals}"), Value::from(capitals));
        }
    }
}

/// Tools of the cluster's own types have a description where none is given.
pub(super) fn no_description(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let value = &*tool.entry.value;
    let is_lacking = match (EntrySort::of_entry(value), value.get(keys::DESCRIPTION)) {
        (EntrySort::Dynamic | EntrySort::Composite, None | Some(Value::Null)) => true,
        (EntrySort::Dynamic | EntrySort::Composite | EntrySort::Typed, Some(given)) => {
            given.as_str().is_some_and(|text| text.trim().is_empty())
        }
        _ => false,
    };
    if is_lacking {
        let at = member_pointer(keys::DESCRIPTION);
        let words = "no description: a model can't know when to use it";
        report.add_finding(&tool.entry, at, words);
    }
}

pub(super) fn schema_text(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let given = entry.value.get(keys::ATTRIBUTES).and_then(|given| given.get(keys::INPUT_SCHEMA));
    let Some(text) = given.and_then(Value::as_str) else { return };
    let at = member_pointer(keys::ATTRIBUTES).child(keys::INPUT_SCHEMA);
    for words in text_faults(text) {
        report.add_finding(entry, at.clone(), words);
    }
}

pub(super) fn body(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for step in dynamic_steps(entry) {
        let body = text_of(&step.spec.parameters, keys::REQUEST_BODY);
        let Some(body) = body.filter(|body| !body.is_empty() && *body != "null") else { continue };
        let is_all_placeholder = sample_text(body).trim() == "0";
        if let Err(error) = strict_json::parse_unique(&sample_text(body))
            && !is_all_placeholder
        {
            let words = format!("request_body is not JSON: {error}");
            report.add_finding(entry, step.parameter(keys::REQUEST_BODY), words);
        }
    }
}

/// What a body or a path is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Search,
    Model,
}

fn use_of_path(path: &str) -> Option<Use> {
    let path = path.split('?').next().unwrap_or_default();
    if path.ends_with("/_predict") {
        Some(Use::Model)
    } else {
        path.ends_with("/_search").then_some(Use::Search)
    }
}

fn use_of_body(body: &str) -> Option<Use> {
    let value: Value = serde_json::from_str(&sample_text(body)).ok()?;
    if value.get("query").is_some() {
        Some(Use::Search)
    } else {
        value.get(keys::PARAMETERS).map(|_| Use::Model)
    }
}

pub(super) fn swapped_body(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let steps: Vec<StepAt> = dynamic_steps(entry).collect();
    let uses = |step: &StepAt| {
        let path = text_of(&step.spec.parameters, keys::URI).and_then(use_of_path)?;
        let body = text_of(&step.spec.parameters, keys::REQUEST_BODY).and_then(use_of_body)?;
        Some((path, body))
    };
    for step in &steps {
        let Some((path, body)) = uses(step).filter(|(path, body)| path != body) else { continue };
        let words = match path {
            Use::Search => "a search has the body of a model's call",
            Use::Model => "a model's call has the body of a search",
        };
        let at = step.parameter(keys::REQUEST_BODY);
        let found = report.add_finding(entry, at.clone(), words);
        let is_other = |other: &&StepAt| uses(other) == Some((body, path));
        let Some(other) = steps.iter().find(is_other) else { continue };
        let text = |step: &StepAt| {
            Value::from(text_of(&step.spec.parameters, keys::REQUEST_BODY).unwrap_or_default())
        };
        let edits = [
            Edit::Set { at, to: text(other).into() },
            Edit::Set { at: other.parameter(keys::REQUEST_BODY), to: text(step).into() },
        ];
        let label = format!("swap it with the body of \"{}\"", other.spec.called());
        found.fix_edits(label, edits);
    }
}

pub(super) fn filter(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for step in own_steps(entry) {
        for name in [keys::RESPONSE_FILTER, keys::OUTPUT_FILTER] {
            let filter = text_of(&step.spec.parameters, name);
            let Some(filter) = filter.filter(|text| !text.is_empty() && *text != "null") else {
                continue;
            };
            if let Err(why) = JsonPath::parse(filter)
                && !filter.contains(PARAMETERS)
            {
                report.add_finding(entry, step.parameter(name), format!("{name}: {why}"));
            }
        }
    }
}

pub(super) fn processors(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for step in own_steps(entry) {
        let Some(listed) = text_of(&step.spec.parameters, keys::OUTPUT_PROCESSORS) else {
            continue;
        };
        let faults = match read_processors(&Value::from(listed)) {
            Ok(read) => read.iter().flat_map(Processor::path_faults).collect(),
            Err(why) => vec![why],
        };
        for why in faults {
            let words = format!("{}: {why}", keys::OUTPUT_PROCESSORS);
            report.add_finding(entry, step.parameter(keys::OUTPUT_PROCESSORS), words);
        }
    }
}
