//! What goes wrong on a connection, in words.

use serde_json::{Value, json};

use super::stages::fault_words;
use crate::{
    model::{
        call::{CallError, Outcome},
        error_kind::ErrorKind,
        shown::{page_text, shell_word, visible_text},
    },
    systems::mcp::{fault::Fault, opening::finding_words},
    wire::session::event_sink::CallEnd,
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

pub(super) fn not_connected() -> CallError {
    CallError::new(ErrorKind::ConnectionLost, "the server is not connected", "try again")
}

/// What a server wrote last beside messages.
#[derive(Default)]
pub(super) struct LastWords {
    errors: Vec<String>,
    /// What is on standard output and no JSON.
    noise: Vec<String>,
}

impl LastWords {
    pub(super) fn remember_error(&mut self, line: &str) {
        remember_line(&mut self.errors, line);
    }

    pub(super) fn remember_noise(&mut self, line: &str) {
        remember_line(&mut self.noise, line);
    }

    /// A server's end, with what it printed beside messages: mostly that says why.
    pub(super) fn added_to(&self, mut end: CallError) -> CallError {
        end.message.push_str(&written(&self.noise, NOISE));
        end
    }
}

fn remember_line(lines: &mut Vec<String>, line: &str) {
    const MOST: usize = 20;
    const LONGEST: usize = 500;
    if lines.len() >= MOST {
        lines.remove(0);
    }
    lines.push(line.chars().take(LONGEST).collect());
}

/// Why a connection cannot be opened.
pub(super) fn refused(
    server: &str,
    findings: &[&'static str],
    error: Option<&Value>,
    words: &LastWords,
) -> CallError {
    let said = error.map(|error| {
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        format!(": {} ({})", visible_text(message), error.get("code").unwrap_or(&json!(null)))
    });
    let reasons: Vec<String> =
        findings.iter().map(|id| format!("{} ({id})", finding_words(id))).collect();
    let message = format!(
        "can't communicate with the server: {}{}{}{}",
        reasons.join("; "),
        said.unwrap_or_default(),
        written(&words.noise, NOISE),
        written(&words.errors, "it wrote to standard error"),
    );
    let remedy = match findings.contains(&"era.not-modern") {
        true => "remove era = \"modern\" from the connection: then the era is detected".to_owned(),
        false if !words.noise.is_empty() => {
            "let the server print to standard error; standard output is for messages alone"
                .to_owned()
        }
        false => format!(
            "`toolcrib mcp frames {}` shows the messages; era = \"legacy\" or \"modern\" sets \
            how to start",
            shell_word(server)
        ),
    };
    let kind = match findings.contains(&"initialize.timeout") {
        true => ErrorKind::TimedOut,
        false => ErrorKind::NotUnderstood,
    };
    CallError::new(kind, message, remedy)
}

const NOISE: &str = "it wrote to standard output what isn't JSON";

/// Lines behind what says where they were written; nothing where there are none.
fn written(lines: &[String], begin: &str) -> String {
    match lines {
        [] => String::new(),
        lines => format!("; {begin}:\n{}", visible_lines(lines)),
    }
}

fn visible_lines(lines: &[String]) -> String {
    lines.iter().map(|line| visible_text(line)).collect::<Vec<_>>().join("\n")
}

pub(super) fn http_error(status: u16, body: &str) -> CallError {
    let shown = shown_body(body);
    if status == 0 {
        return CallError::new(ErrorKind::ConnectionLost, shown, "call it again");
    }
    let remedy = match status {
        429 | 503 => "try again later",
        _ => "check the server",
    };
    http_answer(status, &shown, remedy)
}

/// The server has too much to do, and says when to come back: after seconds, or at a time.
pub(super) fn busy(status: u16, body: &str, wait: &str) -> CallError {
    let when = match wait.parse::<u64>() {
        Ok(seconds) => format!("in {seconds} s"),
        Err(_) => format!("after {}", visible_text(wait)),
    };
    let shown = shown_body(body);
    let said = if shown.is_empty() { String::new() } else { format!("{shown}; ") };
    let words = format!("{said}retry-after: {}", visible_text(wait));
    http_answer(status, &words, &format!("try again {when}"))
}

fn http_answer(status: u16, words: &str, remedy: &str) -> CallError {
    let message = match words {
        "" => format!("HTTP {status}"),
        words => format!("HTTP {status}: {words}"),
    };
    CallError::new(ErrorKind::parse(&format!("{HTTP}{status}")), message, remedy)
}

/// What the kinds of failures begin with that a server answered with a status of HTTP.
const HTTP: &str = "http-";

/// How a call ends with such a problem: a status is an answer, all else is none.
pub(super) fn call_end(problem: CallError) -> CallEnd {
    let outcome = match problem.kind.as_str().starts_with(HTTP) {
        true => Outcome::Failed,
        false => Outcome::Lost,
    };
    (outcome, Some(problem))
}

/// The start of a body, without the tags of a page.
fn shown_body(body: &str) -> String {
    const MOST: usize = 300;
    let words = page_text(body).split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(MOST).collect()
}

/// No answer came in the time that one may take.
#[must_use]
pub(crate) fn timed_out() -> CallError {
    let message = "the server didn't answer in time";
    CallError::new(ErrorKind::TimedOut, message, "try again")
}

/// A server over HTTP did not take a request, as it no longer knows the session.
pub(super) fn session_gone() -> CallError {
    CallError { kind: ErrorKind::SessionGone, ..session_over() }
}

/// The same of one that it has taken, and that it may have done.
pub(super) fn session_gone_meanwhile() -> CallError {
    let remedy = "look at what the call did before you make it again";
    CallError { remedy: remedy.to_owned(), ..session_over() }
}

/// The session of a server over HTTP is over.
pub(super) fn session_over() -> CallError {
    let message = "the server no longer knows the session: it was restarted, or ended it";
    CallError::new(ErrorKind::ConnectionLost, message, "try again, which opens another")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_an_answer_and_a_cut_connection_is_none() {
        let failed = http_error(500, "<h1>Internal Server Error</h1>");
        assert_eq!(
            (failed.kind.as_str(), failed.message.as_str()),
            ("http-500", "HTTP 500: Internal Server Error")
        );
        assert_eq!(call_end(failed).0, Outcome::Failed);
        let lost = http_error(0, "the stream ended without an answer");
        assert_eq!(lost.kind, ErrorKind::ConnectionLost);
        assert_eq!(call_end(lost).0, Outcome::Lost);
        let busy = busy(429, "slow down", "7");
        assert_eq!(
            (busy.kind.as_str(), busy.message.as_str(), busy.remedy.as_str()),
            ("http-429", "HTTP 429: slow down; retry-after: 7", "try again in 7 s")
        );
    }

    #[test]
    fn a_remedy_names_the_connection_as_it_is_typed() {
        let remedy = |name| refused(name, &[], None, &LastWords::default()).remedy;
        assert!(remedy("lab").starts_with("`toolcrib mcp frames lab` shows"), "{}", remedy("lab"));
        assert!(remedy("my lab").contains("mcp frames 'my lab'"), "{}", remedy("my lab"));
    }
}
