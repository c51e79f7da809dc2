//! What a cluster says when it refuses or fails: four shapes of JSON and plain text.

use serde_json::Value;

use crate::model::{
    call::CallError,
    error_kind::ErrorKind,
    shown::{page_text, short_line},
};

/// How long a plain text is quoted.
const LONGEST: usize = 400;

/// Whether an answer with this status is a failure: redirects aren't followed.
#[must_use]
pub fn is_failure(status: u16) -> bool {
    status >= 300
}

/// What an answer says that is a failure, with what to do.
#[must_use]
pub fn read_error(status: u16, body: &str) -> CallError {
    let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    let (kind, message) = match &value["error"] {
        Value::Object(error) => {
            let text = |member: &str| error.get(member).and_then(Value::as_str);
            let kind = text("type").unwrap_or_default();
            let reason = text("reason").unwrap_or_default();
            // Upstream's reason says the same of every failure; its details say which.
            let message = match text("details") {
                Some(details) if reason.is_empty() || is_general(reason) => details.to_owned(),
                Some(details) => format!("{reason}: {details}"),
                None => with_place(reason, error.get("root_cause")),
            };
            (kind.to_owned(), message)
        }
        Value::String(error) => (String::new(), error.clone()),
        _ => (String::new(), short_text(body)),
    };
    let message = if message.is_empty() {
        "the cluster gave no \
        details"
            .to_owned()
    } else {
        message
    };
    let kind = match kind.as_str() {
        "" => ErrorKind::parse(&format!("http-{status}")),
        other => ErrorKind::parse(other),
    };
    CallError::new(kind, format!("HTTP {status}: {message}"), remedy_for(status, &message))
}

fn is_general(reason: &str) -> bool {
    matches!(reason, "Invalid Request" | "System Error")
}

/// A reason with the line and column that a parser names.
fn with_place(reason: &str, causes: Option<&Value>) -> String {
    let cause = causes.and_then(|causes| causes.get(0));
    let number = |member: &str| cause.and_then(|cause| cause.get(member)?.as_u64());
    match (number("line"), number("col")) {
        (Some(line), Some(column)) => format!("{reason} (line {line}, column {column})"),
        _ => reason.to_owned(),
    }
}

fn short_text(body: &str) -> String {
    short_line(&page_text(body), LONGEST)
}

fn remedy_for(status: u16, message: &str) -> String {
    if let Some(setting) = setting_in(message) {
        return format!("enable it: set {setting} to true in the cluster's settings");
    }
    match status {
        300..=399 => "use that address in the connection if it is the right one",
        401 => "set credentials in the connection: user with password-variable, or token-variable",
        403 => "get a role that allows this",
        _ if message.contains("no handler found") => {
            "check uri and method; if the path starts with /_plugins/_ml, the ML plugin is missing"
        }
        _ if message.contains("Tool type not found") => {
            "the server has no tool of that type; let the steps be run here (--route local)"
        }
        _ if message.contains("Tool not found") => "check type: the server has no such tool",
        _ if message.contains("(line ") => {
            "correct request_body, at that line and column of what was sent"
        }
        _ if message.contains("no such index") => {
            "check the index in uri and where its value is \
            from"
        }
        _ if message.contains("Failed to find model") => "check model_id",
        _ if message.contains("Failed to find agent") => {
            "check agent_id; `toolcrib push opensearch` registers the agent"
        }
        _ if message.contains("not filled in payload") => {
            "set these parameters, or add defaults to the connector's request_body"
        }
        404 => "check the path and the names in it",
        429 | 503 => "try again later",
        _ => "",
    }
    .to_owned()
}

/// The setting that a message names: `plugins.ml_commons.…`.
fn setting_in(message: &str) -> Option<&str> {
    let start = message.find("plugins.ml_commons.")?;
    let rest = &message[start..];
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shape_says_its_own() {
        for (status, body, message, remedy) in [
            (
                400,
                r#"{"status":400,"error":{"type":"IllegalArgumentException","reason":"Invalid Request","details":"Tool not found: X"}}"#,
                "HTTP 400: Tool not found: X",
                "check type",
            ),
            (
                400,
                r#"{"error":{"root_cause":[{"type":"parsing_exception","reason":"bad","line":1,"col":18}],"type":"parsing_exception","reason":"bad"},"status":400}"#,
                "HTTP 400: bad (line 1, column 18)",
                "correct request_body",
            ),
            (
                400,
                r#"{"error":"no handler found for uri [/_plugins/_ml/tools] and method [GET]"}"#,
                "HTTP 400: no handler found for uri [/_plugins/_ml/tools] and method [GET]",
                "ML plugin",
            ),
            (401, "Unauthorized", "HTTP 401: Unauthorized", "password-variable"),
            (
                403,
                r#"{"status":403,"error":{"type":"OpenSearchStatusException","reason":"System Error","details":"The agent framework is disabled. To enable, update the setting plugins.ml_commons.agent_framework_enabled to true."}}"#,
                "HTTP 403: The agent framework is disabled. To enable, update the setting plugins.ml_commons.agent_framework_enabled to true.",
                "set plugins.ml_commons.agent_framework_enabled to true",
            ),
            (500, "", "HTTP 500: the cluster gave no details", ""),
        ] {
            let error = read_error(status, body);
            assert_eq!(error.message, message);
            assert!(error.remedy.contains(remedy), "{}", error.remedy);
        }
        assert_eq!(read_error(400, r#"{"error":{"type":"x","reason":"y"}}"#).kind.as_str(), "x");
    }
}
