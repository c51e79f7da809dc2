//! The bucket in which services mark what they run: keys, and what a marker says.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Marks of tool commands; watching it gives the result card of any call.
pub(crate) const TOOL_BUCKET: &str = "cg_tool_idem_v1";
/// Marks of UI actions, kept for a day.
pub(crate) const ACTION_BUCKET: &str = "cg_ui_action_idem_v1";

/// The key of a call: `tool.{project}.{tool}.{sha-256 of the call id}`.
#[must_use]
pub fn tool_key(project: &str, tool: &str, call: &str) -> String {
    call_key("tool", project, tool, call)
}

/// The key of a call in a namespace.
#[must_use]
pub fn call_key(namespace: &str, project: &str, tool: &str, call: &str) -> String {
    let digest = Sha256::digest(call.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    [namespace, project, tool].map(key_part).into_iter().chain([hex]).collect::<Vec<_>>().join(".")
}

/// A run of characters outside `[A-Za-z0-9_-]` becomes one underscore, and so does nothing at all.
fn key_part(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut outside = false;
    for c in text.chars() {
        let plain = c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        match (plain, outside) {
            (true, _) => out.push(c),
            (false, false) => out.push('_'),
            (false, true) => {}
        }
        outside = !plain;
    }
    if out.is_empty() { "_".into() } else { out }
}

/// What a marker says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Marker {
    /// Somebody runs it since then.
    Running { since: Option<f64> },
    /// It was run, and this went back to the caller.
    Done { result_card: Option<String>, status: Option<String>, after_execution: Option<String> },
}

/// Reads a marker; `None` where it is none.
#[must_use]
pub(crate) fn parse_marker(value: &Value) -> Option<Marker> {
    let text = |name: &str| value["payload"][name].as_str().map(str::to_owned);
    match value["status"].as_str()? {
        "running" => Some(Marker::Running { since: value["timestamp"].as_f64() }),
        "done" => Some(Marker::Done {
            result_card: text("tool_result_card_id"),
            status: text("status"),
            after_execution: text("after_execution"),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_of_odd_characters_is_one_underscore() {
        assert!(tool_key("a..b", "täl k", "c").starts_with("tool.a_b.t_l_k."));
        assert!(tool_key("", "", "c").starts_with("tool._._."));
    }

    #[test]
    fn markers_are_read() {
        assert_eq!(
            parse_marker(&json!({"status": "running", "timestamp": 3.5})),
            Some(Marker::Running { since: Some(3.5) })
        );
        let done = json!({"status": "done", "timestamp": 4, "payload": {"status": "success", "tool_result_card_id": "r"}});
        let expected = Marker::Done {
            result_card: Some("r".into()),
            status: Some("success".into()),
            after_execution: None,
        };
        assert_eq!(parse_marker(&done), Some(expected));
        assert_eq!(parse_marker(&json!({"status": "odd"})), None);
    }
}
