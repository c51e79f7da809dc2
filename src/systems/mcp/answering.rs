//! A request of a server that a person answers: the form of its answer, what is wrong with one, and
//! what the server gets.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{
    asked::{Decision, Kind, ServerRequest, form_defaults, sampling_result, url_host},
    fault::Fault,
};
use crate::{
    model::{clock::Millis, shown::visible_text, tool::Tool},
    schema::{pointer::Pointer, validate::Checker},
    systems::facets::by_hand::{Preview, WaitingCall},
};

const ACTION: &str = "action";
const CONTENT: &str = "content";
const ERROR: &str = "error";
const ACCEPT: &str = "accept";
/// The model that an answer by hand names.
const MODEL: &str = "toolcrib";
/// The code of a refusal by the user, as the specification's examples have it.
const REFUSED: i64 = -1;

/// A request that waits for its answer.
#[derive(Clone, Debug)]
pub struct WaitingRequest {
    /// The connection to the server that asks.
    pub server: String,
    pub asked: ServerRequest,
    /// Everything that is wrong with the request.
    pub faults: Vec<Fault>,
}

/// The answer to a request as its frame carries it.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Result(Value),
    Refusal { code: i64, message: String },
}

impl Answer {
    /// What a person's answer means.
    #[must_use]
    pub fn from_value(answer: Value) -> Self {
        match answer.get(ERROR) {
            Some(error) => Self::Refusal {
                code: error.get("code").and_then(Value::as_i64).unwrap_or(REFUSED),
                message: error["message"].as_str().unwrap_or_default().to_owned(),
            },
            None => Self::Result(answer),
        }
    }
}

impl WaitingRequest {
    fn message(&self) -> Cow<'_, str> {
        match &self.asked.kind {
            Kind::Form { message, .. } | Kind::Url { message, .. } => visible_text(message),
            _ => Cow::Borrowed("an answer in place of a model"),
        }
    }

    /// What an answer lacks by its schema and beyond, in a line.
    fn issue_of(&self, answer: &Value) -> Option<String> {
        let schema = self.answer_schema(answer);
        // A schema that cannot be used forbids nothing; its faults are reported beside the request.
        let issue = Checker::compile(&schema)
            .ok()
            .and_then(|checker| checker.issues(answer).into_iter().next())
            .map(|issue| (issue.at, issue.words));
        let (at, words) = issue.or_else(|| self.answer_fault(answer))?;
        Some(format!("{} {words}", at.tokens().join(" › ")).trim_start().to_owned())
    }

    fn check(&self, answer: Value) -> Result<Value, String> {
        self.issue_of(&answer).map_or(Ok(answer), Err)
    }
}

impl WaitingCall for WaitingRequest {
    fn tool_name(&self) -> &str {
        &self.asked.method
    }

    fn caller_id(&self) -> &str {
        &self.server
    }

    fn due(&self, _: Option<&Tool>) -> Option<Millis> {
        // Servers do not say how long they wait.
        None
    }

    fn labeled_ids(&self) -> Vec<(&'static str, String)> {
        let mut labeled = vec![("says", self.message().into_owned())];
        if let Kind::Url { url, .. } = &self.asked.kind {
            labeled.push(("host", visible_text(url_host(url)).into_owned()));
            labeled.push(("url", visible_text(url).into_owned()));
        }
        let odd = self.faults.iter().map(|fault| ("odd", format!("{}: {}", fault.id, fault.words)));
        labeled.extend(odd);
        labeled
    }

    fn id_line(&self) -> String {
        let ids = self.labeled_ids().into_iter();
        ids.map(|(label, text)| if label == "says" { text } else { format!("{label} {text}") })
            .collect::<Vec<_>>()
            .join("; ")
    }

    fn question(&self) -> Option<String> {
        match &self.asked.kind {
            Kind::Sampling => None,
            _ => Some(self.id_line()),
        }
    }

    fn caller_outcome(&self) -> String {
        match &self.asked.kind {
            Kind::Url { .. } => "open the URL in a browser yourself; toolcrib doesn't".to_owned(),
            _ => "its call continues with your answer".to_owned(),
        }
    }

    fn blank_answer(&self) -> Value {
        match &self.asked.kind {
            Kind::Form { schema, .. } => {
                Decision::Accept(Some(form_defaults(schema))).into_result()
            }
            // A yes is somebody's own.
            Kind::Url { .. } => Decision::Decline.into_result(),
            _ => sampling_result("", MODEL),
        }
    }

    fn answer_schema(&self, answer: &Value) -> Value {
        let action = json!({
            "enum": [ACCEPT, "decline", "cancel"],
            "description": "accept sends the values; decline refuses; cancel closes the question \
            without an answer",
        });
        match &self.asked.kind {
            Kind::Form { schema, .. } if answer[ACTION] == ACCEPT => json!({
                "type": "object", "required": [ACTION, CONTENT], "additionalProperties": false,
                "properties": {ACTION: action, CONTENT: schema},
            }),
            Kind::Form { .. } | Kind::Url { .. } => json!({
                "type": "object", "required": [ACTION], "properties": {ACTION: action},
            }),
            _ if answer.get(ERROR).is_some() => json!({
                "type": "object", "required": [ERROR], "additionalProperties": false,
                "properties": {ERROR: {
                    "type": "object", "required": ["code", "message"],
                    "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
                }},
            }),
            _ => json!({
                "type": "object", "required": ["role", CONTENT, "model"],
                "properties": {
                    CONTENT: {"type": "object", "required": ["type"], "properties": {
                        "type": {"type": "string", "enum": ["text", "image", "audio", "tool_use"]},
                        "text": {"type": "string", "format": "textarea", "description": "The \
                        model's answer"},
                    }},
                    "model": {"type": "string", "description": "The model that is reported to the server"},
                    "stopReason": {"type": "string", "examples": ["endTurn", "stopSequence", "maxTokens", "toolUse"]},
                    "role": {"enum": ["assistant", "user"], "default": "assistant"},
                },
            }),
        }
    }

    fn answer_fault(&self, answer: &Value) -> Option<(Pointer, String)> {
        let is_empty = answer[CONTENT]["type"] == "text" && answer[CONTENT]["text"] == "";
        (self.asked.kind == Kind::Sampling && is_empty).then(|| {
            (
                Pointer::root().child(CONTENT).child("text"),
                "is empty; a model says something".into(),
            )
        })
    }

    fn leftover_member(&self, answer: &Value) -> Option<Pointer> {
        let is_refused = matches!(self.asked.kind, Kind::Form { .. }) && answer[ACTION] != ACCEPT;
        (is_refused && answer.get(CONTENT).is_some()).then(|| Pointer::root().child(CONTENT))
    }

    fn refusal_answer(&self, message: &str) -> Value {
        match self.asked.kind {
            Kind::Sampling => json!({ERROR: {"code": REFUSED, "message": message}}),
            _ => Decision::Decline.into_result(),
        }
    }

    fn refusal_note(&self) -> Option<&'static str> {
        match self.asked.kind {
            Kind::Sampling => Some("gets a JSON-RPC error with the code -1 and this message"),
            _ => None,
        }
    }

    fn parse_line(&self, line: &str) -> Result<Value, String> {
        let word = line.trim();
        let is_elicited = self.asked.kind != Kind::Sampling;
        let object = || serde_json::from_str::<Map<String, Value>>(word);
        let answer = match (word, &self.asked.kind) {
            ("decline", _) if is_elicited => Decision::Decline.into_result(),
            ("cancel", _) if is_elicited => Decision::Cancel.into_result(),
            (ACCEPT, Kind::Url { .. }) => Decision::Accept(None).into_result(),
            (_, Kind::Url { .. }) => return Err("it isn't accept, decline or cancel".into()),
            (ACCEPT, Kind::Form { schema, .. }) => {
                Decision::Accept(Some(form_defaults(schema))).into_result()
            }
            (_, Kind::Form { schema, .. }) => {
                let mut content = form_defaults(schema);
                content.extend(object().map_err(|error| format!("it isn't an object: {error}"))?);
                Decision::Accept(Some(content)).into_result()
            }
            ("refuse", _) => self.refusal_answer("the user declined it"),
            _ => match object() {
                Ok(whole) if whole.contains_key(CONTENT) || whole.contains_key(ERROR) => {
                    whole.into()
                }
                _ => sampling_result(word, MODEL),
            },
        };
        self.check(answer)
    }

    fn how_to_type(&self) -> &'static str {
        match self.asked.kind {
            Kind::Form { .. } => {
                "type the values as JSON ({} or accept: the defaults), or decline, or cancel"
            }
            Kind::Url { .. } => {
                "open the URL yourself if you trust it; type accept, decline or cancel"
            }
            _ => "type what the model says, in one line, or refuse",
        }
    }

    fn preview(&self, answer: &Value) -> Preview {
        let written = match Answer::from_value(answer.clone()) {
            Answer::Result(result) => json!({"result": result}),
            Answer::Refusal { code, message } => {
                json!({ERROR: {"code": code, "message": message}})
            }
        };
        Preview { title: "Result", written, then: self.caller_outcome(), told: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::mcp::rpc::build::Client;

    fn waiting(method: &str, params: Value) -> WaitingRequest {
        let capabilities = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}});
        let client = Client { capabilities, ..Client::new("t", "1") };
        let mut asked = ServerRequest::from_request(method, params, &client);
        let faults = std::mem::take(&mut asked.faults);
        WaitingRequest { server: "s".into(), asked, faults }
    }

    fn form() -> WaitingRequest {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "minLength": 1}, "age": {"type": "integer", "default": 30}}});
        waiting("elicitation/create", json!({"message": "Who?", "requestedSchema": schema}))
    }

    #[test]
    fn a_form_is_answered_with_its_defaults_and_checked() {
        let form = form();
        assert_eq!(form.blank_answer(), json!({"action": "accept", "content": {"age": 30}}));
        assert_eq!(
            form.parse_line(r#"{"name": "Ann"}"#),
            Ok(json!({"action": "accept", "content": {"age": 30, "name": "Ann"}}))
        );
        let refused = form.parse_line("accept").unwrap_err();
        assert!(refused.contains("content › name"), "{refused}");
        let refused = form.parse_line(r#"{"name": "Ann", "age": "x"}"#).unwrap_err();
        assert!(refused.contains("content › age"), "{refused}");
        assert!(form.parse_line("Ann").is_err());
        assert_eq!(form.parse_line(" decline "), Ok(json!({"action": "decline"})));
        let declined = json!({"action": "decline", "content": {}});
        assert_eq!(form.leftover_member(&declined), Some(Pointer::root().child("content")));
        assert_eq!(form.leftover_member(&form.blank_answer()), None);
    }

    #[test]
    fn a_url_is_shown_whole_and_wants_a_yes() {
        let url = waiting(
            "elicitation/create",
            json!({"mode": "url", "message": "Log in", "url": "https://bank.x@evil.x/a?b=\u{1b}c"}),
        );
        assert_eq!(url.blank_answer(), json!({"action": "decline"}));
        assert_eq!(url.parse_line("accept"), Ok(json!({"action": "accept"})));
        assert!(url.parse_line("").is_err() && url.parse_line("{}").is_err());
        let line = url.id_line();
        assert!(line.contains("host evil.x; url https://bank.x@evil.x/a?b=␛c"), "{line}");
        assert!(line.contains("elicit.url-user"), "{line}");
    }

    #[test]
    fn a_model_is_answered_for_with_words_or_refused() {
        let model = waiting("sampling/createMessage", json!({"messages": [], "maxTokens": 9}));
        assert_eq!(model.parse_line("hello").unwrap()["content"]["text"], "hello");
        assert!(model.parse_line("").is_err(), "a model says something");
        let whole =
            r#"{"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"}"#;
        assert_eq!(model.parse_line(whole).unwrap()["model"], "m");
        let refused = Answer::from_value(model.parse_line("refuse").unwrap());
        assert!(matches!(refused, Answer::Refusal { code: -1, .. }), "{refused:?}");
        assert!(model.check(model.refusal_answer("no")).is_ok());
    }
}
