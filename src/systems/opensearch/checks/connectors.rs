//! Connectors: where their actions go, with what.

use serde_json::Value;

use super::{each::actions, requests::sample_text};
use crate::{
    engine::lint::{check::Report, context::LintContext},
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

pub(super) fn header(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let protocol = entry.value.get(keys::PROTOCOL).and_then(Value::as_str);
    for (at, action) in actions(&entry.value) {
        let headers = action.get("headers").and_then(Value::as_object);
        for (name, value) in headers.into_iter().flatten() {
            let Some(text) = value.as_str().filter(|text| has_parameter(text)) else { continue };
            if takes_parameters(name, protocol) {
                continue;
            }
            let words = format!("{name} takes no ${{parameters.…}}: the cluster refuses the call");
            report.add_finding(entry, at.child("headers").child(name.as_str()), words).fix_set(
                "take it from the credential",
                Value::from(text.replace(PARAMETERS, CREDENTIAL)),
            );
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
            report.add_finding(entry, at.child("url"), format!("the url cannot be reached: {why}"));
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
            let words = "request_body is no JSON object or array";
            report.add_finding(entry, at.child(keys::REQUEST_BODY), words);
        }
    }
}
