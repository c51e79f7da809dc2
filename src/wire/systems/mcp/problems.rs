//! What goes wrong on a connection, in words.

use serde_json::{Value, json};

use super::stages::fault_words;
use crate::{
    model::{call::CallError, error_kind::ErrorKind, shown::visible_text},
    systems::mcp::{fault::Fault, opening::finding_words},
};

pub(super) fn odd(text: &str, faults: &[Fault]) -> String {
    const MOST: usize = 200;
    let why: Vec<String> = faults.iter().map(fault_words).collect();
    let shown: String = text.chars().take(MOST).collect();
    format!("the server wrote {shown:?}, which {}", why.join("; "))
}

pub(super) fn lost() -> CallError {
    CallError::new(ErrorKind::ConnectionLost, "the server ended", "try again")
}

/// Keeps a line of standard error of a server that does not answer yet, and the last ones before it.
pub(super) fn remember_words(words: &mut Vec<String>, line: &str) {
    const MOST: usize = 20;
    if words.len() >= MOST {
        words.remove(0);
    }
    words.push(line.to_owned());
}

/// Why a connection cannot be opened; `words` is what the server wrote to standard error.
pub(super) fn refused(
    findings: &[&'static str],
    error: Option<&Value>,
    words: &[String],
) -> CallError {
    let said = error.map(|error| {
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        format!(": {} ({})", visible_text(message), error.get("code").unwrap_or(&json!(null)))
    });
    let reasons: Vec<String> =
        findings.iter().map(|id| format!("{} ({id})", finding_words(id))).collect();
    let last = match words.is_empty() {
        true => String::new(),
        false => format!("; it wrote to standard error:\n{}", visible_lines(words)),
    };
    let message = format!(
        "can't communicate with the server: {}{}{last}",
        reasons.join("; "),
        said.unwrap_or_default()
    );
    let remedy = match findings.contains(&"era.not-modern") {
        true => {
            "this server doesn't speak the modern era; without era = \"modern\" the era is detected"
        }
        false => {
            "`toolcrib mcp frames NAME` shows the messages; era = \"legacy\" or \"modern\" sets \
            how to start"
        }
    };
    let kind = match findings.contains(&"initialize.timeout") {
        true => ErrorKind::TimedOut,
        false => ErrorKind::NotUnderstood,
    };
    CallError::new(kind, message, remedy)
}

fn visible_lines(lines: &[String]) -> String {
    lines.iter().map(|line| visible_text(line)).collect::<Vec<_>>().join("\n")
}

pub(super) fn http_error(status: u16, body: &str) -> CallError {
    const MOST: usize = 300;
    let shown: String = body.chars().take(MOST).collect();
    let message = match status {
        0 => shown,
        status => format!("HTTP {status}: {shown}"),
    };
    CallError::new(ErrorKind::parse(&format!("http-{status}")), message, "check the server")
}

/// No answer came in the time that one may take.
#[must_use]
pub(crate) fn timed_out() -> CallError {
    let message = "the server didn't answer in time";
    CallError::new(ErrorKind::TimedOut, message, "try again")
}

/// The session of a server over HTTP is over.
#[must_use]
pub(crate) fn session_gone() -> CallError {
    let message = "the server no longer knows the session";
    CallError::new(ErrorKind::ConnectionLost, message, "try again")
}

/// The server wants a token, and no more is known.
pub(super) fn unauthorized() -> CallError {
    let message = "the server requires authentication (401)";
    CallError::new(ErrorKind::Unauthorized, message, "set token-variable or token-key")
}

/// A tool wants arguments among headers that cannot be: over HTTP it must not be called.
pub(super) fn unusable_headers(faults: &[Fault]) -> CallError {
    let faults: Vec<String> = faults.iter().map(fault_words).collect();
    let message = format!("the tool's schema is wrong: {}", faults.join("; "));
    let remedy = "correct its x-mcp-header; clients leave such a tool out over HTTP";
    CallError::new(ErrorKind::BadHeader, message, remedy)
}
