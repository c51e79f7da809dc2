//! Holds what a server answers against the specification: one verdict for each rule.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    checks::ROWS,
    codes,
    fault::{Fault, NOISE},
    opening::finding_words,
    tool_findings::tool_findings,
    version::{Era, FIRST_MODERN},
};
use crate::{
    model::{
        finding::Severity,
        shown::{shorten, visible_text},
    },
    systems::facets::examined::{Examined, Verdict},
};

/// A cursor that no server gives.
pub const NO_CURSOR: &str = "toolcrib-asks-for-no-such-page";
/// A tool that no server has.
pub const NO_TOOL: &str = "toolcrib_asks_for_no_such_tool";
/// A method that no server has.
pub const NO_METHOD: &str = "toolcrib/no-such-method";

/// The member of what represents a reply, where none came: why.
pub const LOST: &str = "lost";

const TOOLS: (&str, &str) =
    ("tools", "Every tool is described as the specification and the clients want it.");
const PAGES: (&str, &str) = ("list.pages", "Every page of tools/list is a list, and leads on.");
/// The rules that a server is asked for, each by its id and in words.
pub const CURSOR: (&str, &str) =
    ("list.cursor", "A cursor that was never given is refused (-32602).");
const STABLE: (&str, &str) = ("list.stable", "The same list has the same order when asked again.");
pub const CACHING: (&str, &str) =
    ("list.caching", "A list of the modern era says resultType, ttlMs and cacheScope.");
pub const METHOD: (&str, &str) = ("method.unknown", "An unknown method is refused (-32601).");
pub const TOOL: (&str, &str) =
    ("call.unknown-tool", "A call of an unknown tool is an error of the protocol (-32602).");
pub const ENVELOPE: (&str, &str) =
    ("call.bad-envelope", "A call that names no tool is an error of the protocol (-32602).");
pub const PING: (&str, &str) = ("ping", "A ping is answered with an empty result (legacy era).");
const OUTPUT: (&str, &str) =
    ("stdio.output", "Only messages are on standard output when the server starts.");
const HOST: (&str, &str) =
    ("http.host", "A request that names another host is refused (421, or another 4xx).");
const ORIGIN: (&str, &str) =
    ("http.origin", "A request of a page of another origin is refused (403).");

/// The rules of tools, where the server has none.
pub const WITH_TOOLS: [(&str, &str); 7] = [TOOLS, PAGES, CURSOR, STABLE, CACHING, TOOL, ENVELOPE];
/// The rules of HTTP.
pub const OVER_HTTP: [(&str, &str); 2] = [HOST, ORIGIN];

fn broken(
    (rule, about): (&'static str, &'static str),
    severity: Severity,
    details: Vec<String>,
) -> Examined {
    Examined { rule, about, verdict: Verdict::Broken { severity, details } }
}

fn judged(
    (rule, about): (&'static str, &'static str),
    severity: Severity,
    details: Vec<String>,
) -> Examined {
    match details.is_empty() {
        true => Examined::kept(rule, about),
        false => broken((rule, about), severity, details),
    }
}

/// What is wrong with the tools themselves, a verdict for each code.
#[must_use]
pub fn examine_tools(tools: &[Value], version: &str) -> Vec<Examined> {
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let mut found: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (row, tool) in tools.iter().enumerate() {
        let name = tool["name"].as_str().map_or_else(|| format!("#{row}"), str::to_owned);
        let mut others = names.clone();
        if let Some(own) = others.iter().position(|other| Some(*other) == tool["name"].as_str()) {
            others.remove(own);
        }
        for Fault { id, at, words } in tool_findings(tool, version, &others) {
            let place = if at.is_root() { String::new() } else { format!(" at {at}") };
            let line = format!("{}{place}: {words}", visible_text(&name));
            found.entry(id).or_default().push(line);
        }
    }
    if found.is_empty() {
        return vec![Examined::kept(TOOLS.0, TOOLS.1)];
    }
    let of = |(code, details): (&'static str, Vec<String>)| {
        let row = ROWS.iter().find(|row| row.code == code);
        let (severity, about) =
            row.map_or((Severity::Warning, TOOLS.1), |row| (row.severity, row.about));
        broken((code, about), severity, details)
    };
    found.into_iter().map(of).collect()
}

/// What a server printed before it was open, as its profile says it.
#[must_use]
pub fn examine_output(findings: &Value) -> Examined {
    let found = findings.as_array().into_iter().flatten().any(|id| id == NOISE);
    let words = found.then(|| finding_words(NOISE).to_owned());
    judged(OUTPUT, Severity::Error, words.into_iter().collect())
}

/// What is wrong with the pages of the list.
#[must_use]
pub fn examine_pages(faults: &[Fault]) -> Examined {
    let words = faults.iter().map(|fault| format!("{}: {}", fault.id, fault.words));
    judged(PAGES, Severity::Error, words.collect())
}

/// Both times the same list was asked for.
#[must_use]
pub fn examine_order(first: &[Value], again: &[Value]) -> Examined {
    let names = |tools: &[Value]| -> Vec<String> {
        tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
    };
    let (first, again) = (names(first), names(again));
    let details = match first == again {
        true => Vec::new(),
        false => vec![format!("first {}, then {}", first.join(", "), again.join(", "))],
    };
    judged(STABLE, Severity::Warning, details)
}

/// What a list of the modern era says beside its items.
#[must_use]
pub fn examine_caching(reply: &Value, version: &str) -> Examined {
    if Era::from_version(version) == Era::Legacy {
        let why = format!("the server speaks {version}; this is from {FIRST_MODERN} on");
        return Examined::skipped(CACHING.0, CACHING.1, why);
    }
    let result = &reply["result"];
    let mut details = Vec::new();
    if result["resultType"].as_str().is_none() {
        details.push("resultType is missing".to_owned());
    }
    if result["ttlMs"].as_f64().is_none_or(|time| time < 0.0) {
        details.push("ttlMs is no number, or negative".to_owned());
    }
    if !["public", "private"].contains(&result["cacheScope"].as_str().unwrap_or_default()) {
        details.push("cacheScope is neither public nor private".to_owned());
    }
    judged(CACHING, Severity::Error, details)
}

/// The answer to [`NO_CURSOR`].
#[must_use]
pub fn examine_cursor(reply: &Value) -> Examined {
    examine_refusal(CURSOR, reply, codes::INVALID_PARAMS, Severity::Warning)
}

/// The answer to [`NO_METHOD`].
#[must_use]
pub fn examine_method(reply: &Value) -> Examined {
    examine_refusal(METHOD, reply, codes::METHOD_NOT_FOUND, Severity::Error)
}

/// The answer to a call of [`NO_TOOL`].
#[must_use]
pub fn examine_tool_call(reply: &Value) -> Examined {
    examine_refusal(TOOL, reply, codes::INVALID_PARAMS, Severity::Error)
}

/// The answer to a call without a name.
#[must_use]
pub fn examine_envelope(reply: &Value) -> Examined {
    examine_refusal(ENVELOPE, reply, codes::INVALID_PARAMS, Severity::Error)
}

/// An error of that code is right, another one is odd; a result that is an error is so too, as some
/// servers have it; any other result is worse.
fn examine_refusal(
    rule: (&'static str, &'static str),
    reply: &Value,
    code: i64,
    severity: Severity,
) -> Examined {
    if let Some(lost) = examine_lost(rule, reply) {
        return lost;
    }
    let Some(error) = reply.get("error") else {
        let result = &reply["result"];
        let is_error = result["isError"] == Value::Bool(true);
        let severity = if is_error { Severity::Warning } else { severity };
        let words = if is_error { "it is a result with isError" } else { "it is a result" };
        return broken(rule, severity, vec![format!("{words}: {}", excerpt(result))]);
    };
    match codes::error_code(error) {
        Some(given) if given == code => Examined::kept(rule.0, rule.1),
        _ => broken(rule, Severity::Warning, vec![format!("the error is {}", excerpt(error))]),
    }
}

/// What is said of a request that was not answered; `None`: it was.
fn examine_lost(rule: (&'static str, &'static str), reply: &Value) -> Option<Examined> {
    let lost = reply.get(LOST)?.as_str().unwrap_or_default();
    Some(broken(rule, Severity::Error, vec![visible_text(lost).into_owned()]))
}

/// The answer to a ping.
#[must_use]
pub fn examine_ping(reply: &Value, version: &str) -> Examined {
    if let Some(lost) = examine_lost(PING, reply) {
        return lost;
    }
    if Era::from_version(version) == Era::Modern {
        let why = format!("the server speaks {version}, which has no ping");
        return Examined::skipped(PING.0, PING.1, why);
    }
    match reply.get("result").and_then(Value::as_object) {
        Some(_) => Examined::kept(PING.0, PING.1),
        None => broken(PING, Severity::Error, vec![excerpt(reply)]),
    }
}

/// The status of a request for another host.
#[must_use]
pub fn examine_host(status: u16) -> Examined {
    examine_status(HOST, status, (400..500).contains(&status), Severity::Warning)
}

/// The status of a request of a page of another origin.
#[must_use]
pub fn examine_origin(status: u16) -> Examined {
    examine_status(ORIGIN, status, status == 403, Severity::Error)
}

fn examine_status(
    rule: (&'static str, &'static str),
    status: u16,
    is_kept: bool,
    severity: Severity,
) -> Examined {
    match status {
        401 => Examined::skipped(rule.0, rule.1, "the server asks for a token first (401)"),
        _ if is_kept => Examined::kept(rule.0, rule.1),
        _ => broken(rule, severity, vec![format!("it is answered with {status}")]),
    }
}

/// As much of an answer as a line can hold.
fn excerpt(value: &Value) -> String {
    const MOST: usize = 160;
    let text = value.to_string();
    shorten(&visible_text(&text), MOST).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn word(examined: &Examined) -> &'static str {
        match &examined.verdict {
            Verdict::Kept => "kept",
            Verdict::Broken { severity, .. } => severity.as_str(),
            Verdict::Skipped(_) => "skipped",
        }
    }

    #[test]
    fn a_refusal_is_an_error_of_its_code() {
        for (reply, verdict) in [
            (json!({"error": {"code": -32602, "message": "x"}}), "kept"),
            (json!({"error": {"code": -32603, "message": "x"}}), "warning"),
            (json!({"error": {"code": "x"}}), "warning"),
            (json!({"result": {"content": [], "isError": true}}), "warning"),
            (json!({"result": {"content": []}}), "error"),
            (json!({LOST: "the server ended"}), "error"),
        ] {
            assert_eq!(word(&examine_tool_call(&reply)), verdict, "{reply}");
            assert_eq!(word(&examine_envelope(&reply)), verdict, "{reply}");
        }
        assert_eq!(word(&examine_cursor(&json!({"result": {"tools": []}}))), "warning");
        assert_eq!(word(&examine_method(&json!({"error": {"code": -32601}}))), "kept");
        assert_eq!(word(&examine_method(&json!({"result": {}}))), "error");
    }

    #[test]
    fn each_era_has_its_rules() {
        let list = json!({"result": {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}});
        assert_eq!(word(&examine_caching(&list, "2026-07-28")), "kept");
        assert_eq!(
            word(&examine_caching(&json!({"result": {"ttlMs": -1}}), "2026-07-28")),
            "error"
        );
        assert_eq!(word(&examine_caching(&json!({"result": {}}), "2025-11-25")), "skipped");
        assert_eq!(word(&examine_ping(&json!({"result": {}}), "2025-11-25")), "kept");
        assert_eq!(word(&examine_ping(&json!({"error": {}}), "2025-11-25")), "error");
        assert_eq!(word(&examine_ping(&json!({"error": {}}), "2026-07-28")), "skipped");
        assert_eq!(word(&examine_ping(&json!({LOST: "not answered"}), "")), "error");
    }

    #[test]
    fn statuses_and_lists_are_judged() {
        let origin = |status| word(&examine_origin(status));
        assert_eq!(
            [origin(403), origin(200), origin(400), origin(401)],
            ["kept", "error", "error", "skipped"]
        );
        let host = |status| word(&examine_host(status));
        assert_eq!([host(421), host(403), host(200)], ["kept", "kept", "warning"]);
        let tools = |names: &[&str]| -> Vec<Value> {
            names.iter().map(|name| json!({"name": name, "description": "x", "inputSchema": {"type": "object"}})).collect()
        };
        assert_eq!(word(&examine_order(&tools(&["a", "b"]), &tools(&["a", "b"]))), "kept");
        assert_eq!(word(&examine_order(&tools(&["a", "b"]), &tools(&["b", "a"]))), "warning");
        assert_eq!(examine_tools(&tools(&["a", "b"]), "2025-11-25").len(), 1);
        let found = examine_tools(&[json!({"name": "a"}), json!({"name": "a"})], "2025-11-25");
        let rules: Vec<_> = found.iter().map(|examined| (examined.rule, word(examined))).collect();
        assert_eq!(
            rules,
            [
                ("input.missing", "error"),
                ("tool.name-duplicate", "error"),
                ("tool.no-description", "warning")
            ]
        );
    }
}
