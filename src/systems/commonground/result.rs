//! Results: the content of a result's card, its labels, and the report that goes to the caller's
//! inbox.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{
    after::{self, AfterExecution, AfterSource, Effective, Origin},
    card::{self, Card},
    context::Context,
};
use crate::syntax::python::text as python;

/// What a result may be called; anything else becomes a failure.
pub(crate) const STATUSES: [&str; 5] = ["success", "failed", "canceled", "timeout", "partial"];

/// What a tool's code gives.
#[derive(Clone, Copy, Debug)]
pub struct ToolResult<'g> {
    /// Anything that is not one of [`STATUSES`] makes a failure of it.
    pub status: &'g Value,
    pub result: &'g Value,
    /// A map with `code` and `message`, or anything else, which then is the message.
    pub error: Option<&'g Value>,
    /// What the tool's code itself says of the turn: a value that is none makes a failure of it.
    pub after_execution: Option<&'g Value>,
    pub said: AfterSource,
}

impl<'g> ToolResult<'g> {
    /// A success that says nothing of its turn.
    #[must_use]
    pub fn success(result: &'g Value, said: AfterSource) -> Self {
        Self { status: &SUCCEEDED, result, error: None, after_execution: None, said }
    }
}

const SUCCESS: &str = "success";
const FAILED: &str = "failed";
static SUCCEEDED: LazyLock<Value> = LazyLock::new(|| SUCCESS.into());
static HAS_FAILED: LazyLock<Value> = LazyLock::new(|| FAILED.into());

/// A result ready to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltResult {
    pub status: String,
    pub after: Effective,
    pub result: Value,
    pub error: Option<Value>,
}

impl BuiltResult {
    /// The content of the card, without the tag of its class.
    #[must_use]
    pub fn content(&self) -> Value {
        json!({"status": self.status, "after_execution": self.after.after.as_str(), "result": self.result, "error": self.error})
    }

    /// What the caller's inbox gets; it never crosses NATS.
    #[must_use]
    pub fn report(&self, result_card: &str) -> Value {
        let after = self.after.after.as_str();
        json!({"after_execution": after, "status": self.status, "tool_result_card_id": result_card})
    }
}

/// Builds a result the way CommonGround's own builder does, its corrections included.
#[must_use]
pub fn build(given: &ToolResult<'_>) -> BuiltResult {
    let known = given.status.as_str().filter(|status| STATUSES.contains(status));
    let mut error = given.error.filter(|error| !error.is_null()).cloned();
    if known.is_none() && !error.as_ref().is_some_and(python::is_true) {
        error = Some(json!({
            "code": "invalid_status", "message": format!("invalid tool status={}", python::repr(given.status)),
            "detail": {"status": given.status},
        }));
    }
    let mut error = match (error, known) {
        (Some(error), _) => Some(normalize_error(&error)),
        (None, Some(SUCCESS)) => None,
        (None, _) => Some(error_from_result(given.result)),
    };
    let mut status = known.filter(|status| *status != SUCCESS || error.is_none()).unwrap_or(FAILED);
    let said = given.after_execution.filter(|said| !said.is_null());
    let explicit = said.and_then(AfterExecution::from_value);
    if let (Some(said), None) = (said, explicit) {
        let said = python::str(said);
        let message = format!("invalid after_execution={}", python::repr(&said.as_str().into()));
        let detail = json!({"after_execution": said});
        error = Some(
            json!({"code": "invalid_after_execution", "message": message, "detail": detail, "source": SOURCE}),
        );
        status = FAILED;
    }
    let after = match (said, explicit) {
        (Some(_), None) => Effective { after: AfterExecution::Suspend, origin: Origin::Default },
        _ => after::on_writing(
            AfterSource { explicit: explicit.or(given.said.explicit), ..given.said },
            given.result,
        ),
    };
    BuiltResult { status: status.into(), after, result: given.result.clone(), error }
}

/// A failure with its code and message, in the shape that CommonGround's own tools give.
#[must_use]
pub fn failed_result(code: &str, message: &str, command: Option<AfterExecution>) -> BuiltResult {
    refused_result(code, message, None, AfterSource { command, ..AfterSource::default() })
}

/// The same where something else decides what becomes of the turn.
#[must_use]
pub fn refused_result(
    code: &str,
    message: &str,
    after_execution: Option<&Value>,
    said: AfterSource,
) -> BuiltResult {
    let error = json!({"code": code, "message": message, "source": SOURCE, "http_status": http_status(code)});
    let result = json!({"error_code": code, "error_message": message, "error": error});
    build(&ToolResult {
        status: &HAS_FAILED,
        result: &result,
        error: Some(&error),
        after_execution,
        said,
    })
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

/// Who an error is from where it does not say.
const SOURCE: &str = "tool";
const INTERNAL: &str = "internal_error";

/// An error in the one shape that is stored.
fn normalize_error(error: &Value) -> Value {
    let Some(members) = error.as_object() else {
        return json!({"code": INTERNAL, "message": python::str(error), "source": SOURCE});
    };
    let has = |name: &str| members.contains_key(name);
    let or = |name: &str, absent: &str| match members.get(name) {
        Some(value) if python::is_true(value) => value.clone(),
        _ => absent.into(),
    };
    let mut whole = if has("code") && has("message") {
        members.clone()
    } else if has("error_code") || has("error_message") {
        let lifted =
            [("code", or("error_code", INTERNAL)), ("message", or("error_message", UNKNOWN))];
        let detail = members.get("detail").map(|detail| ("detail", detail.clone()));
        lifted.into_iter().chain(detail).map(|(name, value)| (name.to_owned(), value)).collect()
    } else {
        Map::from_iter([
            ("code".to_owned(), INTERNAL.into()),
            ("message".to_owned(), python::str(error).into()),
        ])
    };
    whole.entry("source").or_insert_with(|| SOURCE.into());
    whole.into()
}

const UNKNOWN: &str = "unknown error";

/// The error of a failure that gave none: what its result says about it.
fn error_from_result(result: &Value) -> Value {
    if ["error_code", "error_message"].iter().any(|name| result.get(name).is_some()) {
        return normalize_error(result);
    }
    json!({"code": "unknown_error", "message": UNKNOWN, "source": SOURCE})
}

/// The labels of a result's card: lineage copied from the call's card, else from the message.
#[must_use]
pub(crate) fn labels(context: &Context, function: &str, call: &Card) -> Map<String, Value> {
    let mut labels = Map::new();
    let copied = |name, own| {
        call.label(name).map(python::strip).filter(|label| !label.is_empty()).unwrap_or(own)
    };
    for (name, value) in [
        ("agent_turn_id", context.turn_id()),
        ("tool_call_id", &context.tool_call_id),
        ("role", "tool"),
        ("function_name", function),
        ("step_id", copied("step_id", &context.step_id)),
        ("trace_id", copied("trace_id", &context.trace_id)),
        ("parent_step_id", copied("parent_step_id", &context.parent_step_id)),
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
pub fn card(
    id: &str,
    author: Author<'_>,
    context: &Context,
    call: &Card,
    built: &BuiltResult,
) -> Card {
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
pub fn check_result_card(
    pointer: &str,
    card: Option<&Card>,
    call: &str,
) -> Result<(), &'static str> {
    if python::strip(pointer).is_empty() {
        return Err("missing_card_id");
    }
    let card = card.ok_or("card_not_found")?;
    if card.kind != card::RESULT {
        return Err("invalid_card_type");
    }
    if !call.is_empty() && card.tool_call_id != call {
        return Err("tool_call_id_mismatch");
    }
    if card.holds_result() { Ok(()) } else { Err("protocol_violation") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::commonground::card::{content_fault, tagged_result};

    fn error(status: &Value, result: &Value, error: Option<&Value>) -> Value {
        let built = build(&ToolResult {
            status,
            result,
            error,
            after_execution: None,
            said: AfterSource::default(),
        });
        built.error.unwrap_or_default()
    }

    #[test]
    fn whatever_is_given_the_store_takes_what_is_built() {
        let odd = [
            json!(null),
            json!("text"),
            json!({"code": "x"}),
            json!(7),
            json!({"error_code": "a"}),
            json!({}),
        ];
        for status in
            STATUSES.into_iter().chain(["", "odd"]).map(Value::from).chain([json!(null), json!(5)])
        {
            for error in &odd {
                for result in &odd {
                    for after_execution in
                        [None, Some(&json!("later")), Some(&json!(" terminate "))]
                    {
                        let said = AfterSource::default();
                        let built = build(&ToolResult {
                            status: &status,
                            result,
                            error: Some(error),
                            after_execution,
                            said,
                        });
                        assert_eq!(
                            content_fault(&tagged_result(&built.content())),
                            None,
                            "{status} {error} {result}"
                        );
                    }
                }
            }
        }
        let built = failed_result("bad_request", "no text", Some(AfterExecution::Terminate));
        assert_eq!(
            (built.after.after, built.report("r")["tool_result_card_id"].as_str()),
            (AfterExecution::Terminate, Some("r"))
        );
    }

    #[test]
    fn what_the_tool_says_of_its_turn_counts_before_the_result() {
        let result = json!({"__cg_control": {"after_execution": "terminate"}});
        let said = AfterSource {
            service: Some(AfterExecution::Terminate),
            command: Some(AfterExecution::Terminate),
            ..AfterSource::default()
        };
        let built = |after: Value| {
            build(&ToolResult {
                after_execution: Some(&after),
                ..ToolResult::success(&result, said)
            })
        };
        let own = built(json!(" suspend "));
        assert_eq!(
            (own.after.after, own.after.origin, own.error),
            (AfterExecution::Suspend, Origin::Explicit, None)
        );
        assert_eq!(built(json!(null)).after.origin, Origin::Control);
        let unknown = built(json!("later"));
        assert_eq!(
            (unknown.after.after, unknown.status.as_str()),
            (AfterExecution::Suspend, "failed")
        );
        let error = json!({"code": "invalid_after_execution", "message": "invalid after_execution='later'",
            "detail": {"after_execution": "later"}, "source": "tool"});
        assert_eq!(unknown.error, Some(error));
    }

    #[test]
    fn errors_are_brought_into_one_shape() {
        let failed = json!("failed");
        let of_result = |result: Value| error(&failed, &result, None);
        assert_eq!(
            of_result(json!({"error": {"code": "a", "message": "b"}}))["code"],
            "unknown_error"
        );
        let block = json!({"error_code": "a", "error_message": "b", "detail": null, "error_detail": 1, "error": {"code": "c"}});
        assert_eq!(
            of_result(block),
            json!({"code": "a", "message": "b", "detail": null, "source": "tool"})
        );
        assert_eq!(
            of_result(json!({"error_message": "b"})),
            json!({"code": "internal_error", "message": "b", "source": "tool"})
        );
        assert_eq!(of_result(json!({"error_code": ""}))["code"], "internal_error");
        let given = |given: Value| error(&failed, &json!(null), Some(&given));
        assert_eq!(given(json!({"code": "x", "on": true}))["message"], "{'code': 'x', 'on': True}");
        assert_eq!(given(json!([1, null]))["message"], "[1, None]");
        assert_eq!(given(json!({"message": "m"}))["code"], "internal_error");
        assert_eq!(error(&json!("success"), &json!(1), Some(&json!({})))["message"], "{}");
        assert_eq!(error(&json!("odd"), &json!(1), Some(&json!("")))["code"], "invalid_status");
        assert_eq!(error(&json!("odd"), &json!(1), Some(&json!("x")))["code"], "internal_error");
        assert_eq!(error(&json!(null), &json!(1), None)["message"], "invalid tool status=None");
    }

    #[test]
    fn blank_labels_of_the_call_give_way() {
        let call = Card {
            labels: Map::from_iter([("step_id".to_owned(), json!(" "))]),
            ..Card::default()
        };
        let context = Context { step_id: "own".into(), ..Context::default() };
        assert_eq!(labels(&context, "lamp", &call)["step_id"], "own");
    }

    #[test]
    fn a_card_is_usable_by_its_call_its_kind_and_its_content() {
        let card = |value: Value| Card::from_value(&value);
        let labelled = card(
            json!({"card_id": "r", "content": {}, "metadata": {"type": "tool.result", "tool_call_id": "c"}}),
        );
        assert_eq!(
            check_result_card("r", labelled.as_ref(), "c"),
            Ok(()),
            "the call stands in the labels alone"
        );
        let text = card(
            json!({"card_id": "r", "type": "tool.result", "tool_call_id": "c", "content": {"__type__": "TextContent"}}),
        );
        assert_eq!(check_result_card("r", text.as_ref(), "c"), Err("protocol_violation"));
        assert_eq!(check_result_card("r", labelled.as_ref(), "d"), Err("tool_call_id_mismatch"));
        assert_eq!(check_result_card("\u{1f}", labelled.as_ref(), "c"), Err("missing_card_id"));
    }
}
