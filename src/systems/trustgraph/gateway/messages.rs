//! The gateway's errors in words: what each of them really means, and the way out.

use serde_json::Value;

use crate::model::{call::CallError, error_kind::ErrorKind};

/// What the gateway says in place of every error of its agent.
pub(crate) const AGENTS_ERROR: &str = "'Error' object has no attribute 'code'";

/// An error of the gateway: of itself, or of a service behind it.
#[derive(Debug, PartialEq)]
pub(crate) enum GatewayError {
    /// The service was asked, and failed.
    Service(CallError),
    /// It was not asked.
    Refused(CallError),
}

/// What an `error` member says, which may be a text or an object; `status` is that of HTTP, where
/// it has one.
#[must_use]
pub(crate) fn classify_error(error: &Value, status: Option<u16>) -> GatewayError {
    let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let (kind, said) = match error {
        Value::String(said) => ("", said.as_str()),
        _ => (part("type"), part("message")),
    };
    let kind = if kind.is_empty() { ErrorKind::GatewayError.as_str() } else { kind };
    if let Some(refusal) = refusal_error(kind, said, status) {
        return GatewayError::Refused(refusal);
    }
    GatewayError::Service(match said {
        AGENTS_ERROR => CallError::new(
            ErrorKind::AgentError,
            "the agent failed, and the gateway hides why (it says: 'Error' object has no attribute 'code')",
            format!(
                "name the broker behind the gateway (--broker, or `broker` in the connection's settings) to see the true error; \
                 it is in the agent's log too, and passes on the broker: {}",
                watch_hint("agent")
            ),
        ),
        "" if matches!(error, Value::Object(_)) => CallError::new(
            ErrorKind::parse(kind),
            "the service behind the gateway didn't answer in time, or failed without an error",
            "check whether that service is running, and check its log",
        ),
        "" => CallError::new(
            ErrorKind::parse(kind),
            format!("the gateway says: {error}"),
            "check the gateway's log",
        ),
        key if is_quoted(key) => CallError::new(
            ErrorKind::parse(kind),
            format!("the request lacks the member {key}, as the gateway reads it"),
            "compare the body with what the service takes; the gateway names only the missing key",
        ),
        said => CallError::new(
            ErrorKind::parse(kind),
            said,
            "check what was sent, and the log of the service behind the gateway",
        ),
    })
}

/// How to hear what a service answers where it answers first.
fn watch_hint(service: &str) -> String {
    format!(
        "toolcrib watch response:tg:{service}:WORKSPACE:FLOW --connection BROKER (mostly default:default)"
    )
}

/// A Python `KeyError` is nothing but the key in quotes.
fn is_quoted(said: &str) -> bool {
    said.len() > 2
        && said.starts_with('\'')
        && said.ends_with('\'')
        && !said[1..said.len() - 1].contains([' ', '\''])
}

/// Why the service was not even asked.
fn refusal_error(kind: &str, said: &str, status: Option<u16>) -> Option<CallError> {
    let token = "set token-variable or token-key of the connection to a valid token (an API key \
        tg_…, or a login's jwt)";
    if kind == "auth-required" || status == Some(401) || said == "auth failure" {
        return Some(CallError::new(
            ErrorKind::Refused,
            "the gateway denied access: the token is missing, wrong or expired",
            token,
        ));
    }
    if kind == "access-denied" || status == Some(403) || said == "access denied" {
        let message = "the gateway accepts the token, but it may not do that (access denied)";
        return Some(CallError::new(
            ErrorKind::Refused,
            message,
            "get the permission, or use another token",
        ));
    }
    if kind == "workspace-not-found" || said == "workspace not found" {
        let remedy =
            "correct `workspace` in the connection's settings; left out, it is the token's own";
        return Some(CallError::new(
            ErrorKind::NoWorkspace,
            "the gateway has no such workspace",
            remedy,
        ));
    }
    if let Some(flow) = said.strip_prefix("Invalid flow ") {
        let remedy =
            "start the flow, or correct `flow` and `workspace` in the connection's settings";
        return Some(CallError::new(
            ErrorKind::NoFlow,
            format!("the flow {flow} (workspace/flow) is not running"),
            remedy,
        ));
    }
    if kind == "unknown-service" || said == "unknown kind" || said == "unknown service" {
        let remedy =
            "this version of the gateway may not have it; compare the path with its documentation";
        return Some(CallError::new(
            ErrorKind::NoService,
            "the gateway has no such service",
            remedy,
        ));
    }
    match status {
        Some(404) => Some(CallError::new(
            ErrorKind::NoGateway,
            "there is no such path at that address, so it may be no TrustGraph gateway",
            "give the connection the gateway's own address, without /api/v1; if an MCP server is \
             there, set the connection's system to mcp",
        )),
        Some(status @ 300..=399) => Some(CallError::new(
            ErrorKind::NoGateway,
            format!(
                "HTTP status {status}: what answers there sends us elsewhere, and a token goes nowhere else"
            ),
            "give the connection the gateway's own address, with https:// where it is encrypted",
        )),
        Some(status @ 400..=599) => {
            let message = if said.is_empty() {
                format!("HTTP status {status}")
            } else {
                format!("HTTP status {status}: {said}")
            };
            Some(CallError::new(
                ErrorKind::Refused,
                message,
                "check what was sent, and the gateway's log",
            ))
        }
        _ => None,
    }
}

/// An answer with nothing in it, which is how the gateway says that something failed.
#[must_use]
pub(crate) fn empty_answer_error(service: &str) -> CallError {
    let cause = match service {
        "mcp-tool" => {
            "which is how it reports an MCP tool that it does not know, or whose server is down"
        }
        _ => "which is how it reports that the prompt or the language model failed",
    };
    CallError::new(
        ErrorKind::EmptyAnswer,
        format!("the gateway sent an empty answer, {cause}"),
        format!(
            "the gateway hides the error: check the service's log, or watch its broker: {}",
            watch_hint(service)
        ),
    )
}

/// The start of every text in which an MCP tool says an error; the flag that says so is lost on the
/// way.
const MCP_ERROR: &str = "Error executing tool";

/// Whether a text is one in which an MCP tool says an error.
#[must_use]
pub(crate) fn is_mcp_error(text: &str) -> bool {
    text.starts_with(MCP_ERROR)
}

/// The error that an MCP tool's text says.
#[must_use]
pub(crate) fn mcp_error(text: &str) -> Option<CallError> {
    let remedy = "the MCP tool itself failed; check the arguments";
    is_mcp_error(text).then(|| CallError::new(ErrorKind::McpToolError, text, remedy))
}

/// A message that is no answer of the gateway's.
#[must_use]
pub(crate) fn unreadable_error(kind: ErrorKind, message: String) -> CallError {
    CallError::new(
        kind,
        message,
        "check the raw message; is this the address of a TrustGraph gateway, without a proxy?",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(trouble: GatewayError) -> (bool, String, String) {
        match trouble {
            GatewayError::Service(problem) => (false, problem.kind.to_string(), problem.message),
            GatewayError::Refused(problem) => (true, problem.kind.to_string(), problem.message),
        }
    }

    #[test]
    fn each_measured_error_has_its_meaning() {
        let object = |of: &str, said: &str| json!({"type": of, "message": said});
        for (error, status, refused, word, part) in [
            (json!("auth failure"), Some(401), true, "refused", "token"),
            (object("auth-required", "auth failure"), None, true, "refused", "token"),
            (object("access-denied", "access denied"), None, true, "refused", "may not"),
            (json!("workspace not found"), Some(404), true, "no-workspace", "workspace"),
            (json!("unknown kind"), Some(404), true, "no-service", "no such service"),
            (json!("Invalid flow default/nope"), Some(200), true, "no-flow", "default/nope"),
            (json!(""), Some(404), true, "no-gateway", "no such path"),
            (json!("invalid json"), Some(400), true, "refused", "invalid json"),
            (
                object("gateway-error", "'value'"),
                Some(200),
                false,
                "gateway-error",
                "member 'value'",
            ),
            (object("gateway-error", ""), Some(200), false, "gateway-error", "didn't answer"),
            (object("gateway-error", AGENTS_ERROR), None, false, "agent-error", "hides why"),
            (object("error", "Bad message"), None, false, "error", "Bad message"),
        ] {
            let told = kind(classify_error(&error, status));
            assert_eq!((told.0, told.1.as_str()), (refused, word), "{error}");
            assert!(told.2.contains(part), "{error}: {}", told.2);
        }
    }
}
