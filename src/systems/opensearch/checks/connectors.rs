//! Connectors: where their actions go, with what.

use serde_json::Value;

use super::{each::actions, requests::sample_text};
use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean},
            context::LintContext,
        },
        workflow::similar::nearest_name,
    },
    model::entry::Entry,
    systems::opensearch::{
        connector::{
            address::check_url,
            headers::{has_parameter, takes_parameters},
        },
        keys, strict_json,
        template::marks::{CREDENTIAL, PARAMETERS},
    },
};

const ACTION_TYPE: &str = "action_type";

pub(super) fn header(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let protocol = entry.value.get(keys::PROTOCOL).and_then(Value::as_str);
    for (at, action) in actions(&entry.value) {
        let headers = action.get("headers").and_then(Value::as_object);
        for (name, value) in headers.into_iter().flatten() {
            let Some(text) = value.as_str().filter(|text| has_parameter(text)) else { continue };
            if takes_parameters(name, protocol) {
                continue;
            }
            let words = format!("{name} can't use ${{parameters.…}}: the cluster rejects the call");
            report
                .add_finding(entry, at.child("headers").child(name.as_str()), words)
                .fix_set("use the credential", Value::from(text.replace(PARAMETERS, CREDENTIAL)));
        }
    }
}

/// What an action can be for.
const ACTION_TYPES: &[&str] =
    &["predict", "execute", "batch_predict", "cancel_batch_predict", "batch_predict_status"];

/// How long an action's name may be.
const LONGEST_NAME: usize = 64;

pub(super) fn action(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let is_type = |word: &str| ACTION_TYPES.iter().any(|known| known.eq_ignore_ascii_case(word));
    for (at, action) in actions(&entry.value) {
        let text = |member: &str| action.get(member).and_then(Value::as_str);
        let kind = text(ACTION_TYPE).unwrap_or_default();
        if !is_type(kind) {
            let near = nearest_name(kind, ACTION_TYPES.iter().copied());
            let types = ACTION_TYPES.join(", ");
            let words = match kind {
                "" => format!("{ACTION_TYPE} is missing; use one of {types}"),
                _ => format!("\"{kind}\" isn't an action type{}", did_you_mean(near)),
            };
            let finding = report.add_finding(entry, at.child(ACTION_TYPE), words);
            if let Some(near) = near {
                finding.fix_set(format!("set to \"{near}\""), Value::from(near));
            }
        }
        for member in [keys::METHOD, "url"] {
            if text(member).is_none() {
                let words = format!("{member} is missing: the cluster rejects the connector");
                report.add_finding(entry, at.child(member), words);
            }
        }
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if let Some(name) = text(keys::NAME)
            && (name.is_empty()
                || name.len() > LONGEST_NAME
                || !name.chars().all(is_letter)
                || is_type(name))
        {
            let words = format!(
                "an action's name is up to {LONGEST_NAME} letters, digits, - and _, and no type of action"
            );
            report.add_finding(entry, at.child(keys::NAME), words);
        }
    }
}

pub(super) fn url(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for (at, action) in actions(&entry.value) {
        let Some(url) = action.get("url").and_then(Value::as_str) else { continue };
        if url.starts_with(PARAMETERS) {
            continue;
        }
        if let Err(why) = check_url(&sample_text(url)) {
            report.add_finding(entry, at.child("url"), format!("the url isn't valid: {why}"));
        }
    }
}

pub(super) fn body(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for (at, action) in actions(&entry.value) {
        let Some(body) = action.get(keys::REQUEST_BODY).and_then(Value::as_str) else { continue };
        let sample = sample_text(body);
        let lines = || sample.lines().map(str::trim).filter(|line| !line.is_empty());
        let is_ndjson = lines().all(strict_json::is_structured);
        if sample.trim() != "0" && !strict_json::is_structured(&sample) && !is_ndjson {
            let words = "request_body isn't a JSON object or array";
            report.add_finding(entry, at.child(keys::REQUEST_BODY), words);
        }
    }
}
