//! Answering a call by hand: the form of its answer, what the content rules say of that, and the
//! card that it becomes.
//!
//! An answer is an object with `status`, `result`, `error` and `after_execution`, as a result's
//! card has them, but for the result, which is the text that was written: JSON, else plain words.
//! What is left out is filled in as CommonGround's own builder does it.

use serde_json::{Map, Value, json};

use super::{
    after::{AfterExecution, AfterSource},
    card::{self, Card, ContentFault},
    context::Context,
    keys,
    result::{self, Author, BuiltResult, STATUSES, ToolResult},
    routes,
};
use crate::{
    model::{clock::Millis, tool::Tool},
    schema::pointer::Pointer,
    systems::facets::by_hand::{Preview, WaitingCall},
};

const STATUS: &str = "status";
const RESULT: &str = "result";
const ERROR: &str = "error";
const SUCCESS: &str = "success";
const MEMBERS: [&str; 4] = [STATUS, RESULT, ERROR, keys::AFTER_EXECUTION];
/// The codes that CommonGround's own services use.
const CODES: [&str; 7] = [
    "bad_request",
    "not_found",
    "conflict",
    "auth_failed",
    "upstream_unavailable",
    "tool_timeout",
    "internal_error",
];

/// A call that waits for its result, as far as its answer and its card need it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waiting {
    pub tool: String,
    /// Who the result will be from: `tool.lamp`.
    pub author: String,
    pub context: Context,
    pub call: Card,
    /// What the command says of `after_execution`.
    pub command: Option<AfterExecution>,
}

impl Waiting {
    /// The result's card as it will be stored, but for its id and its moment.
    #[must_use]
    pub fn preview_card(&self, built: &BuiltResult) -> Value {
        let author = Author { id: &self.author, function: &self.tool };
        let card = result::card("", author, &self.context, &self.call, built);
        json!({
            "card_id": "made when it is sent",
            "tenant_id": card.project_id,
            "tool_call_id": card.tool_call_id,
            "content": card.content,
            "metadata": card.stored_labels("the moment of writing"),
        })
    }
}

impl WaitingCall for Waiting {
    fn tool_name(&self) -> &str {
        &self.tool
    }

    fn caller_id(&self) -> &str {
        &self.context.agent_id
    }

    /// The moment of the call, and the time that the tool's options give it.
    fn due(&self, tool: Option<&Tool>) -> Option<Millis> {
        let made = Millis::parse(&self.call.created_at)?;
        let seconds = tool.map_or_else(|| routes::waiting_of(&Value::Null), routes::wait_seconds);
        Some(Millis(made.0.saturating_add(seconds.saturating_mul(1_000))))
    }

    fn labeled_ids(&self) -> Vec<(&'static str, String)> {
        let context = &self.context;
        let epoch =
            context.turn_epoch.map_or_else(String::new, |epoch| format!(" · epoch {epoch}"));
        let (step, call) = (context.step_id.clone(), context.tool_call_id.clone());
        let ids = [
            ("agent", context.agent_id.clone()),
            ("turn", format!("{}{epoch}", context.turn_id())),
            ("step", step),
            ("call", call),
        ];
        ids.into_iter().filter(|(_, text)| !text.is_empty()).collect()
    }

    fn id_line(&self) -> String {
        let epoch =
            self.context.turn_epoch.map_or_else(String::new, |epoch| format!(", epoch {epoch}"));
        format!("{}, {}{epoch}", self.context.tool_call_id, self.context.turn_id())
    }

    fn question(&self) -> Option<String> {
        None
    }

    fn caller_outcome(&self) -> String {
        let after = self.command.unwrap_or(AfterExecution::Suspend);
        format!("{}: {}", after.as_str(), after.description())
    }

    fn blank_answer(&self) -> Value {
        blank_answer()
    }

    fn answer_schema(&self, answer: &Value) -> Value {
        answer_schema(answer, self.command)
    }

    fn answer_fault(&self, answer: &Value) -> Option<(Pointer, String)> {
        answer_fault(answer)
    }

    fn leftover_member(&self, answer: &Value) -> Option<Pointer> {
        (answer[STATUS] == SUCCESS && answer.get(ERROR).is_some())
            .then(|| Pointer::root().child(ERROR))
    }

    fn refusal_answer(&self, message: &str) -> Value {
        json!({STATUS: "failed", ERROR: {"code": "refused", "message": message}})
    }

    fn refusal_note(&self) -> Option<&'static str> {
        Some("gets a failed result with the code \"refused\" and this message")
    }

    fn parse_line(&self, line: &str) -> Result<Value, String> {
        parse_line(line)
    }

    fn how_to_type(&self) -> &'static str {
        "type the result in one line, as JSON or plain text; {\"error\": {\"code\": …, \
        \"message\": …}} fails; {\"status\": \"partial\", \"result\": …, \"error\": …, \"after_execution\": …} sets everything"
    }

    fn preview(&self, answer: &Value) -> Preview {
        let built = build_from_answer(answer, self.command);
        let after = built.after;
        Preview {
            title: "Card",
            written: self.preview_card(&built),
            then: format!(
                "{}: {} ({})",
                after.after.as_str(),
                after.after.description(),
                after.origin.message()
            ),
            told: Some(built.report("the card's id")),
        }
    }
}

/// An answer as its form begins.
fn blank_answer() -> Value {
    json!({STATUS: SUCCESS})
}

/// The form of an answer as it is: what did not succeed needs an error, and a success must not have
/// one.
fn answer_schema(answer: &Value, command: Option<AfterExecution>) -> Value {
    let succeeds = answer[STATUS] == SUCCESS;
    let mut properties = Map::new();
    properties.insert(
        STATUS.into(),
        json!({
            "enum": STATUSES, "default": SUCCESS,
            "description": "The status. Everything but success needs an error, also a partial \
            result.",
        }),
    );
    let result = match succeeds {
        true => {
            "What the tool returns: JSON, such as {\"on\": true}, or plain text. null is an empty \
            result."
        }
        false => "A partial result. Default: the error, as CommonGround's own tools do.",
    };
    if !succeeds {
        properties.insert(ERROR.into(), error_schema());
    }
    let least = u8::from(succeeds);
    properties.insert(
        RESULT.into(),
        json!({"type": "string", "format": "textarea", "minLength": least, "description": result}),
    );
    let after = command.unwrap_or(AfterExecution::Suspend);
    properties.insert(
        keys::AFTER_EXECUTION.into(),
        json!({
            "enum": [AfterExecution::Suspend.as_str(), AfterExecution::Terminate.as_str()], "default": after.as_str(),
            "description": format!(
                "What happens to the turn. suspend: {}. terminate: {}. Default: as the command \
                says, {}.",
                AfterExecution::Suspend.description(), AfterExecution::Terminate.description(), after.as_str(),
            ),
        }),
    );
    let required = if succeeds { [STATUS, RESULT] } else { [STATUS, ERROR] };
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn error_schema() -> Value {
    json!({
        "type": "object", "required": ["code", "message"],
        "description": "Why it did not succeed.",
        "properties": {
            "code": {"type": "string", "minLength": 1, "examples": CODES, "description": "A \
            short, stable code, such as bad_request."},
            "message": {"type": "string", "minLength": 1, "description": "What went wrong, for \
            users."},
            "detail": {"description": "Details, as JSON."},
        },
    })
}

/// The result of what is written: JSON, else the words themselves.
///
/// # Errors
/// When it begins as JSON, and is none.
fn parse_result(text: &str) -> Result<Value, String> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => Ok(value),
        Err(error) if text.trim_start().starts_with(['{', '[', '"']) => {
            Err(format!("begins as JSON, and is none: {error}"))
        }
        Err(_) => Ok(text.into()),
    }
}

/// What is wrong with an answer, by the rules of the store among others: the place, and why.
fn answer_fault(answer: &Value) -> Option<(Pointer, String)> {
    let after = answer
        .get(keys::AFTER_EXECUTION)
        .cloned()
        .unwrap_or_else(|| AfterExecution::Suspend.as_str().into());
    let content = json!({STATUS: answer[STATUS], keys::AFTER_EXECUTION: after, RESULT: answer[RESULT], ERROR: answer[ERROR]});
    let known = answer[STATUS].as_str().is_none_or(|status| STATUSES.contains(&status));
    if !known {
        return Some((
            Pointer::root().child(STATUS),
            format!("is none of {}", STATUSES.join(", ")),
        ));
    }
    if let Some(Err(words)) = answer[RESULT].as_str().map(parse_result) {
        return Some((Pointer::root().child(RESULT), words));
    }
    let fault = card::content_fault(&card::tagged_result(&content))?;
    let member = match fault {
        ContentFault::AfterExecution => keys::AFTER_EXECUTION,
        ContentFault::Field(name) => name,
        ContentFault::Status => STATUS,
        ContentFault::NoTag | ContentFault::UnknownTag => {
            return Some((Pointer::root(), fault.message()));
        }
        ContentFault::ErrorForbidden
        | ContentFault::ErrorRequired
        | ContentFault::ErrorIncomplete => ERROR,
    };
    Some((Pointer::root().child(member), fault.message()))
}

/// The result that an answer results in.
#[must_use]
pub(crate) fn build_from_answer(answer: &Value, command: Option<AfterExecution>) -> BuiltResult {
    let status = answer[STATUS].as_str().unwrap_or(SUCCESS);
    let mut error = answer[ERROR].clone();
    if let Some(members) = error.as_object_mut() {
        members.entry("source").or_insert_with(|| "tool".into());
    }
    let written = answer[RESULT].as_str().filter(|text| !text.trim().is_empty());
    let result = match written {
        Some(text) => parse_result(text).unwrap_or_else(|_| text.into()),
        None if status == "failed" => {
            json!({"error_code": error["code"], "error_message": error["message"], "error": error})
        }
        None => Value::Null,
    };
    let said = AfterSource { command, ..AfterSource::default() };
    let after_execution = answer.get(keys::AFTER_EXECUTION);
    result::build(&ToolResult {
        status: &status.into(),
        result: &result,
        error: Some(&error),
        after_execution,
        said,
    })
}

/// An answer as a person types it in one line: a result, in JSON or in plain words;
/// `{"error": {"code": …, "message": …}}`; or the whole answer, with its `status`.
///
/// # Errors
/// What is wrong with it, for whoever typed it.
fn parse_line(line: &str) -> Result<Value, String> {
    let line = line.trim();
    if line.is_empty() {
        return Err("nothing is written there; null is an empty result".into());
    }
    let value = parse_result(line).map_err(|words| format!("it {words}"))?;
    let answer = match value.as_object() {
        Some(members) if is_whole(members) => {
            let mut answer = value.clone();
            if let Some(result) = answer.get_mut(RESULT) {
                *result = result.to_string().into();
            }
            answer
        }
        Some(members) if members.contains_key(ERROR) && members.len() == 1 => {
            failed_answer(&value[ERROR])
        }
        _ => json!({STATUS: SUCCESS, RESULT: line}),
    };
    match answer_fault(&answer) {
        Some((at, words)) => Err(format!("{} {words}", at.tokens().join(" › ")).trim().to_owned()),
        None => Ok(answer),
    }
}

fn is_whole(members: &Map<String, Value>) -> bool {
    let known = |name: &String| MEMBERS.contains(&name.as_str());
    members.get(STATUS).and_then(Value::as_str).is_some_and(|status| STATUSES.contains(&status))
        && members.keys().all(known)
}

fn failed_answer(error: &Value) -> Value {
    let error = match error {
        Value::String(message) => json!({"message": message}),
        other => other.clone(),
    };
    let mut answer = json!({STATUS: "failed", ERROR: error});
    if let Some(members) = answer[ERROR].as_object_mut() {
        members.entry("code").or_insert_with(|| "internal_error".into());
        members.entry("message").or_insert_with(|| "it did not work".into());
    }
    answer
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schema::validate::Checker;

    fn issues(answer: &Value) -> Vec<String> {
        let checker = Checker::compile(&answer_schema(answer, None)).unwrap();
        checker.issues(answer).iter().map(|issue| format!("{} {}", issue.at, issue.words)).collect()
    }

    #[test]
    fn answers_are_typed_as_results_errors_or_whole() {
        assert_eq!(parse_line("on"), Ok(json!({"status": "success", "result": "on"})));
        assert_eq!(
            build_from_answer(&parse_line(r#"{"on": true}"#).unwrap(), None).result,
            json!({"on": true})
        );
        assert_eq!(build_from_answer(&parse_line("\"true\"").unwrap(), None).result, json!("true"));
        let burnt = json!({"status": "failed", "error": {"code": "burnt", "message": "the bulb"}});
        assert_eq!(parse_line(r#"{"error": {"code": "burnt", "message": "the bulb"}}"#), Ok(burnt));
        assert_eq!(
            parse_line(r#"{"error": "the bulb"}"#).unwrap()["error"]["code"],
            "internal_error"
        );
        let late = r#"{"status": "timeout", "error": {"code": "tool_timeout", "message": "late"}, "after_execution": "terminate"}"#;
        assert_eq!(
            build_from_answer(&parse_line(late).unwrap(), None).after.after,
            AfterExecution::Terminate
        );
        // A result that only looks like a whole answer is one.
        assert_eq!(
            build_from_answer(&parse_line(r#"{"status": "open", "door": 1}"#).unwrap(), None)
                .result["status"],
            "open"
        );
        let partly =
            r#"{"status": "partial", "result": [1], "error": {"code": "a", "message": "b"}}"#;
        assert_eq!(build_from_answer(&parse_line(partly).unwrap(), None).result, json!([1]));
        assert!(parse_line(r#"{"on": tru"#).unwrap_err().contains("begins as JSON"));
        assert!(
            parse_line(r#"{"status": "partial", "result": 1}"#)
                .unwrap_err()
                .contains("must have an \"error\"")
        );
        assert!(parse_line(r#"{"error": {"code": "", "message": "m"}}"#).is_err());
        assert!(parse_line("  ").is_err());
    }

    #[test]
    fn the_form_asks_for_what_the_status_needs() {
        assert_eq!(issues(&blank_answer()), ["/result is required"]);
        assert_eq!(issues(&json!({"status": "failed"})), ["/error is required"]);
        let halves = json!({"status": "partial", "result": "1", "error": {"code": ""}});
        assert_eq!(issues(&halves).len(), 2, "{:?}", issues(&halves));
        assert_eq!(
            answer_schema(&blank_answer(), Some(AfterExecution::Terminate))["properties"]["after_execution"]
                ["default"],
            "terminate"
        );
    }

    #[test]
    fn what_the_store_would_refuse_is_told_at_its_place() {
        let at =
            |answer: Value| answer_fault(&answer).map(|(at, _)| at.to_string()).unwrap_or_default();
        assert_eq!(at(json!({"status": "success", "result": "{\"on\": tru"})), "/result");
        assert_eq!(
            at(json!({"status": "success", "result": "1", "error": {"code": "a", "message": "b"}})),
            "/error"
        );
        assert_eq!(
            at(json!({"status": "failed", "error": {"code": "", "message": "b"}})),
            "/error"
        );
        assert_eq!(
            at(json!({"status": "failed", "error": {"code": " ", "message": "b"}})),
            "",
            "the store takes a space"
        );
        assert_eq!(at(json!({"status": "done"})), "/status");
        assert_eq!(
            at(json!({"status": "success", "after_execution": "later"})),
            "/after_execution"
        );
        assert_eq!(at(json!({"status": "success"})), "");
    }

    #[test]
    fn the_card_is_the_one_that_is_written() {
        let call = json!({"card_id": "c", "type": "tool.call", "tool_call_id": "call", "created_at": "2026-01-01T12:00:00+00:00",
            "content": {}, "metadata": {"step_id": "s", "trace_id": "t"}});
        let context = Context {
            project_id: "lab".into(),
            tool_call_id: "call".into(),
            agent_turn_id: Some("u".into()),
            ..Context::default()
        };
        let waiting = Waiting {
            tool: "lamp".into(),
            author: "tool.lamp".into(),
            context,
            call: Card::from_value(&call).unwrap(),
            command: Some(AfterExecution::Terminate),
        };
        let failed = json!({"status": "failed", "error": {"code": "burnt", "message": "the bulb"}});
        let card = waiting.preview_card(&build_from_answer(&failed, waiting.command));
        assert_eq!(card["content"]["after_execution"], "terminate");
        assert_eq!(card["content"]["result"]["error_code"], "burnt");
        assert_eq!(card["content"]["error"]["source"], "tool");
        assert_eq!(
            (&card["metadata"]["step_id"], &card["metadata"]["function_name"]),
            (&json!("s"), &json!("lamp"))
        );
        assert_eq!(waiting.due(None), Millis::parse("2026-01-01T12:00:30Z"));
    }

    proptest! {
        /// What the form and the store take is written as it was given.
        #[test]
        fn a_sound_answer_is_built_as_it_stands(status in 0_usize..5, code in "[a-z ]{0,3}", after in 0_usize..3, with in any::<bool>()) {
            let mut answer = json!({"status": STATUSES[status], "result": "7"});
            if with {
                answer["error"] = json!({"code": code, "message": "m"});
            }
            if let Some(after) = ["suspend", "terminate"].get(after) {
                answer["after_execution"] = (*after).into();
            }
            let built = build_from_answer(&answer, None);
            if answer_fault(&answer).is_none() {
                prop_assert_eq!(card::content_fault(&card::tagged_result(&built.content())), None);
                prop_assert_eq!(&built.status, STATUSES[status]);
                prop_assert!(issues(&answer).is_empty(), "{:?}", issues(&answer));
            }
        }
    }
}
