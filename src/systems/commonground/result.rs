//! Results: the content of a result's card, its labels, and the report that goes to the caller's inbox.

use serde_json::{Map, Value, json};

use super::{
    after::{self, After, Effective, Said},
    card::{self, Card},
    context::Context,
};

/// What a result may be called; anything else becomes a failure.
pub const STATUSES: [&str; 5] = ["success", "failed", "canceled", "timeout", "partial"];

/// What a tool's code gives.
#[derive(Clone, Copy, Debug)]
pub struct Given<'g> {
    pub status: &'g str,
    pub result: &'g Value,
    /// A map with `code` and `message`, or a text.
    pub error: Option<&'g Value>,
    pub said: Said,
}

/// A result ready to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    pub status: String,
    pub after: Effective,
    pub result: Value,
    pub error: Option<Value>,
}

impl Built {
    /// The content of the card, without the tag of its class.
    #[must_use]
    pub fn content(&self) -> Value {
        json!({"status": self.status, "after_execution": self.after.after.word(), "result": self.result, "error": self.error})
    }

    /// What the caller's inbox gets; it never crosses NATS.
    #[must_use]
    pub fn report(&self, result_card: &str) -> Value {
        let after = self.after.after.word();
        json!({"after_execution": after, "status": self.status, "tool_result_card_id": result_card})
    }
}

/// Builds a result the way CommonGround's own builder does, its corrections included.
#[must_use]
pub fn build(given: &Given<'_>) -> Built {
    let known = STATUSES.contains(&given.status);
    let error = match given.error.filter(|error| !error.is_null()) {
        _ if !known => Some(json!({
            "code": "invalid_status", "message": format!("invalid tool status='{}'", given.status),
            "detail": {"status": given.status}, "source": "tool",
        })),
        Some(error) => Some(whole(error)),
        None if given.status == "success" => None,
        None => Some(lifted(given.result)),
    };
    let status = match given.status {
        "success" if error.is_none() => "success",
        "success" => "failed",
        status if known => status,
        _ => "failed",
    };
    Built { status: status.into(), after: after::on_writing(given.said, given.result), result: given.result.clone(), error }
}

/// A failure with its code and message, in the shape that CommonGround's own tools give.
#[must_use]
pub fn failed(code: &str, message: &str, command: Option<After>) -> Built {
    let error = json!({"code": code, "message": message, "source": "tool", "http_status": http_status(code)});
    let result = json!({"error_code": code, "error_message": message, "error": error});
    build(&Given { status: "failed", result: &result, error: Some(&error), said: Said { command, ..Said::default() } })
}

fn http_status(code: &str) -> u16 {
    match code {
        "bad_request" | "invalid_after_execution" => 400,
        "auth_failed" => 403,
        "not_found" => 404,
        "conflict" => 409,
        "upstream_unavailable" => 503,
        "tool_timeout" => 504,
        _ => 500,
    }
}

fn whole(error: &Value) -> Value {
    match error {
        Value::Object(members) => {
            let mut members = members.clone();
            members.entry("code").or_insert_with(|| "unknown_error".into());
            members.entry("message").or_insert_with(|| "unknown error".into());
            members.entry("source").or_insert_with(|| "tool".into());
            Value::Object(members)
        }
        Value::String(text) => json!({"code": "internal_error", "message": text, "source": "tool"}),
        other => json!({"code": "internal_error", "message": other.to_string(), "source": "tool"}),
    }
}

/// The error of a failure that gave none: what its result says about it.
fn lifted(result: &Value) -> Value {
    if result["error"].is_object() {
        return whole(&result["error"]);
    }
    let Some(code) = result["error_code"].as_str() else {
        return whole(&Value::Object(Map::new()));
    };
    let mut error =
        json!({"code": code, "message": result["error_message"].as_str().unwrap_or("unknown error"), "source": "tool"});
    if let Some(detail) = result.get("error_detail") {
        error["detail"] = detail.clone();
    }
    error
}

/// The labels of a result's card: lineage copied from the call's card, else from the message.
#[must_use]
pub fn labels(context: &Context, function: &str, call: &Card) -> Map<String, Value> {
    let mut labels = Map::new();
    for (name, value) in [
        ("agent_turn_id", context.agent_turn_id.as_str()),
        ("tool_call_id", &context.tool_call_id),
        ("role", "tool"),
        ("function_name", function),
        ("step_id", call.label("step_id").unwrap_or(&context.step_id)),
        ("trace_id", call.label("trace_id").unwrap_or(&context.trace_id)),
        ("parent_step_id", call.label("parent_step_id").unwrap_or(&context.parent_step_id)),
    ] {
        if !value.is_empty() {
            labels.insert(name.into(), value.into());
        }
    }
    labels
}

/// Whose result it is.
#[derive(Clone, Copy, Debug)]
pub struct Author<'a> {
    /// Who reports it too: `tool.lamp`.
    pub id: &'a str,
    /// The tool's name.
    pub function: &'a str,
}

/// The card of a result, before the store adds when it was made.
#[must_use]
pub fn card(id: &str, author: Author<'_>, context: &Context, call: &Card, built: &Built) -> Card {
    Card {
        id: id.into(),
        project_id: context.project_id.clone(),
        kind: card::RESULT.into(),
        author_id: author.id.into(),
        tool_call_id: context.tool_call_id.clone(),
        created_at: String::new(),
        content: card::tagged_result(&built.content()),
        labels: labels(context, author.function, call),
    }
}

/// Why the worker cannot use a result it was pointed to; in the order of its checks.
///
/// # Errors
/// CommonGround's code for it.
pub fn usable(pointer: &str, card: Option<&Card>, call: &str) -> Result<(), &'static str> {
    if pointer.trim().is_empty() {
        return Err("missing_card_id");
    }
    let card = card.ok_or("card_not_found")?;
    if card.kind != card::RESULT {
        return Err("invalid_card_type");
    }
    if card.tool_call_id != call {
        return Err("tool_call_id_mismatch");
    }
    if card.holds_result() { Ok(()) } else { Err("invalid_tool_result_type") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::commonground::card::{content_fault, tagged_result};

    #[test]
    fn whatever_is_given_the_store_takes_what_is_built() {
        let odd = [json!(null), json!("text"), json!({"code": "x"}), json!(7), json!({"error_code": "a"})];
        for status in STATUSES.into_iter().chain(["", "odd"]) {
            for error in &odd {
                for result in &odd {
                    let built = build(&Given { status, result, error: Some(error), said: Said::default() });
                    assert_eq!(content_fault(&tagged_result(&built.content())), None, "{status} {error} {result}");
                }
            }
        }
        let built = failed("bad_request", "no text", Some(After::Terminate));
        assert_eq!((built.after.after, built.report("r")["tool_result_card_id"].as_str()), (After::Terminate, Some("r")));
    }
}
