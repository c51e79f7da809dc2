//! Connectors: where their actions go, with what.

use serde_json::Value;

use super::{each::actions, requests::sample_text};
use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        workflow::similar::nearest_name,
    },
    model::entry::Entry,
    schema::pointer::Pointer,
    systems::opensearch::{
        connector::{
            address::check_url,
            headers::{has_parameter, takes_parameters},
        },
        entries::EntrySort,
        keys,
        registration::{PROTOCOLS, is_mcp, missing_aws_parts},
        strict_json,
        template::{
            marks::{CREDENTIAL, PARAMETERS},
            parse::find_placeholders,
        },
    },
};

const ACTION_TYPE: &str = "action_type";
const HEADERS: &str = "headers";

pub(super) fn fields(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if EntrySort::of_entry(&entry.value) != EntrySort::Connector {
        return;
    }
    let text = |member: &str| entry.value.get(member).and_then(Value::as_str);
    if text(keys::NAME).is_none_or(str::is_empty) {
        let words = "name is missing: the cluster rejects the connector";
        report.add_finding(entry, member_pointer(keys::NAME), words);
    }
    if !is_registered(entry) && entry.value.get(keys::VERSION).is_none_or(Value::is_null) {
        report
            .add_finding(
                entry,
                member_pointer(keys::VERSION),
                "version is missing: the cluster rejects a new connector without it",
            )
            .fix_set("set to 1", Value::from(1));
    }
    let protocol = text(keys::PROTOCOL).unwrap_or_default();
    if !PROTOCOLS.contains(&protocol) {
        let near = nearest_name(protocol, PROTOCOLS.iter().copied());
        let words = format!(
            "\"{protocol}\" is no protocol; they are {}{}",
            PROTOCOLS.join(", "),
            did_you_mean(near)
        );
        let finding = report.add_finding(entry, member_pointer(keys::PROTOCOL), words);
        if let Some(near) = near {
            finding.fix_set(format!("set to \"{near}\""), Value::from(near));
        }
    }
}

/// Whether a cluster has a connector, so that it keeps what the entry leaves out.
fn is_registered(entry: &Entry) -> bool {
    entry.value.get(keys::CONNECTOR_ID).is_some_and(Value::is_string)
}

pub(super) fn credential(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if EntrySort::of_entry(&entry.value) != EntrySort::Connector {
        return;
    }
    let home = member_pointer(keys::CREDENTIAL);
    let own = entry.value.get(keys::CREDENTIAL).and_then(Value::as_object);
    let protocol = entry.value.get(keys::PROTOCOL).and_then(Value::as_str).unwrap_or_default();
    let Some(own) = own.filter(|own| !own.is_empty()) else {
        if !is_registered(entry) && !is_mcp(protocol) {
            let words = "the cluster rejects a new connector without a credential; its values can \
                be variables: \"key\": \"$SERVICE_KEY\"";
            report.add_finding(entry, home, words);
        }
        return;
    };
    if let Some(members) = entry.value.as_object().filter(|_| protocol == "aws_sigv4") {
        for (name, _) in missing_aws_parts(members) {
            let words = format!("aws_sigv4 needs {name}");
            report.add_finding(entry, home.child(name), words);
        }
    }
    let of_mcp = (Pointer::root(), &*entry.value);
    for (at, holder) in actions(&entry.value).into_iter().chain([of_mcp]) {
        let headers = holder.get(HEADERS).and_then(Value::as_object);
        for (name, value) in headers.into_iter().flatten() {
            for found in find_placeholders(value.as_str().unwrap_or_default(), CREDENTIAL) {
                if own.contains_key(found.name) {
                    continue;
                }
                let near = nearest_name(found.name, own.keys().map(String::as_str));
                let words = format!("credential has no \"{}\"{}", found.name, did_you_mean(near));
                report.add_finding(entry, at.child(HEADERS).child(name.as_str()), words);
            }
        }
    }
}

/// Methods of a connector's actions; a cluster doesn't mind capitals.
const ACTION_METHODS: [&str; 4] = ["POST", "GET", "PUT", "DELETE"];

pub(super) fn header(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let protocol = entry.value.get(keys::PROTOCOL).and_then(Value::as_str);
    for (at, action) in actions(&entry.value) {
        let headers = action.get(HEADERS).and_then(Value::as_object);
        for (name, value) in headers.into_iter().flatten() {
            let Some(text) = value.as_str().filter(|text| has_parameter(text)) else { continue };
            if takes_parameters(name, protocol) {
                continue;
            }
            let words = format!("{name} can't use ${{parameters.…}}: the cluster rejects the call");
            report
                .add_finding(entry, at.child(HEADERS).child(name.as_str()), words)
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
        if let Some(method) = text(keys::METHOD)
            && !ACTION_METHODS.iter().any(|known| known.eq_ignore_ascii_case(method))
        {
            let words = format!(
                "\"{method}\" is no method of connectors; they are {}",
                ACTION_METHODS.join(", ")
            );
            report.add_finding(entry, at.child(keys::METHOD), words);
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
