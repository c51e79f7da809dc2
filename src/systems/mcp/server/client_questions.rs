//! What a client can be asked while its call is under way, on behalf of a server behind the tool,
//! and how each era asks it.

use serde_json::{Value, json};

use super::reply::{Reply, ServerInfo, TASKS};
use crate::{
    schema::literal::Literal,
    systems::mcp::rpc::{
        build::{Members, SpokenVersion, request_frame},
        id::Id,
    },
};

/// The key of the one question that a result asks.
const QUESTION: &str = "question";

/// What a client has declared that it can answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientAbilities(Value);

impl ClientAbilities {
    /// Of the client's capabilities, as it wrote them.
    #[must_use]
    pub fn new(capabilities: &Value) -> Self {
        Self(capabilities.clone())
    }

    fn declares(&self, path: &str) -> bool {
        self.0.pointer(path).is_some_and(|declared| !declared.is_null())
    }

    /// Whether it takes a task in the place of a result, from 2026-07-28 on.
    #[must_use]
    pub fn takes_tasks(&self) -> bool {
        let extensions = self.0.get("extensions");
        extensions
            .and_then(|extensions| extensions.get(TASKS))
            .is_some_and(|tasks| !tasks.is_null())
    }

    /// Whether it can answer a request with these parameters.
    #[must_use]
    pub fn can_answer(&self, method: &str, params: &Value) -> bool {
        match method {
            "elicitation/create" if params["mode"] == "url" => self.declares("/elicitation/url"),
            // Without modes, forms are meant.
            "elicitation/create" => {
                self.declares("/elicitation/form")
                    || (self.declares("/elicitation") && !self.declares("/elicitation/url"))
            }
            "sampling/createMessage" if params.get("tools").is_some() => {
                self.declares("/sampling/tools")
            }
            "sampling/createMessage" => self.declares("/sampling"),
            _ => false,
        }
    }
}

/// The answers with which a client of the modern era repeats its call.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatedCall {
    /// As the result had it that asked.
    pub state: String,
    responses: Value,
}

impl RepeatedCall {
    /// Of the parameters of a call; `None`: it is not repeated.
    #[must_use]
    pub fn from_params(params: &Value) -> Option<Self> {
        let state = params.get("requestState")?.as_str()?.to_owned();
        let responses = params.get("inputResponses").cloned().unwrap_or_default();
        Some(Self { state, responses })
    }

    /// What the client answers to the question; `None` where it does not.
    #[must_use]
    pub fn answer(&self) -> Option<&Value> {
        self.responses.get(QUESTION).filter(|answer| answer.is_object())
    }
}

/// The request that asks a client of the legacy era.
#[must_use]
pub fn question_frame(id: &Id, method: &str, params: &Value) -> String {
    let members = params.as_object().into_iter().flatten();
    let params = members.fold(Members::default(), |params, (name, value)| {
        params.with_member(name, &Literal::from(value.clone()))
    });
    request_frame(id, method, &params)
}

/// The result that asks a client of the modern era; it repeats the call with that state.
#[must_use]
pub fn question_reply(
    about: &ServerInfo,
    (id, spoken): (&Id, &SpokenVersion),
    (method, params): (&str, &Value),
    state: &str,
) -> Reply {
    let request = json!({"method": method, "params": params});
    let result = json!({"inputRequests": {QUESTION: request}, "requestState": state});
    about.typed_result(id, spoken, "input_required", result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_asked_what_it_declared() {
        let can = |capabilities: Value, method: &str, params: Value| {
            ClientAbilities::new(&capabilities).can_answer(method, &params)
        };
        let (form, url) = (json!({"mode": "form"}), json!({"mode": "url"}));
        let elicit = "elicitation/create";
        assert!(can(json!({"elicitation": {}}), elicit, json!({})));
        assert!(!can(json!({"elicitation": {}}), elicit, url.clone()));
        assert!(can(json!({"elicitation": {"url": {}}}), elicit, url));
        assert!(!can(json!({"elicitation": {"url": {}}}), elicit, form.clone()));
        assert!(!can(json!({}), elicit, form));
        let sample = "sampling/createMessage";
        assert!(can(json!({"sampling": {}}), sample, json!({})));
        assert!(!can(json!({"sampling": {}}), sample, json!({"tools": []})));
        assert!(!can(json!({"roots": {}}), "roots/list", json!({})));
    }

    #[test]
    fn a_call_is_repeated_with_its_state() {
        let params =
            json!({"requestState": "s", "inputResponses": {"question": {"action": "accept"}}});
        let repeated = RepeatedCall::from_params(&params).unwrap();
        assert_eq!((repeated.state.as_str(), repeated.answer().is_some()), ("s", true));
        let bare = RepeatedCall::from_params(&json!({"requestState": "s"})).unwrap();
        assert_eq!(bare.answer(), None);
        assert_eq!(RepeatedCall::from_params(&json!({"name": "x"})), None);
    }
}
