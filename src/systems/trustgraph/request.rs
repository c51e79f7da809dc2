//! The request of a tool-service call: JSON text inside JSON, correlated by the header `id`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    model::{
        call::{CallError, Request},
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
        service::{Parameter, Service},
        tool::Tool,
    },
    systems::facets::calls::CallOf,
};

/// The header that ties replies to their request.
pub const ID: &str = "id";

/// The type of tools that a service answers for.
const TOOL_SERVICE: &str = "tool-service";

/// The request of a call, exactly as it will be sent. Values are sent as they stand; whether they
/// fit is a matter of checks.
pub(crate) fn build_request(call: &CallOf<'_>) -> Result<Request, Problem> {
    let service = service_of(call)?;
    let to = service.request_queue.clone().filter(|queue| !queue.is_empty()).ok_or_else(|| {
        call_problem(call.tool, format!("its service \"{}\" has no request queue", service.key()))
            .with_remedy(
                "give the service a request-queue, such as non-persistent://tg/request/NAME",
            )
    })?;
    let config = service_configuration(&call.tool.entry.value, &service.parameters);
    Ok(Request {
        reply: service.response_queue.clone().filter(|queue| !queue.is_empty()),
        headers: vec![(ID.into(), call.correlation.into())],
        ..call.new_request(to, request_body(call.user, &config, &call.arguments.to_json()))
    })
}

fn service_of<'c>(call: &CallOf<'c>) -> Result<&'c Service, Problem> {
    let tool = call.tool;
    if tool.kind != TOOL_SERVICE {
        return Err(call_problem(tool, format!("it is of type \"{}\", which TrustGraph's own agent runs", tool.kind))
            .with_remedy("choose a connection to TrustGraph's gateway (https:// or wss://), or a tool of type tool-service: only those have a service on the bus"));
    }
    let Some(key) = tool.service.as_deref().filter(|key| !key.is_empty()) else {
        return Err(call_problem(tool, "it names no service")
            .with_remedy("set its service to the key of a tool-service entry"));
    };
    call.catalog.service_by_key(tool.entry.system, key).ok_or_else(|| {
        let known: Vec<&str> = call.catalog.services.iter().map(Service::key).collect();
        let known = if known.is_empty() {
            "there is none yet".into()
        } else {
            format!("there is {}", known.join(", "))
        };
        call_problem(tool, format!("its service \"{key}\" does not exist"))
            .with_remedy(format!("name an existing service ({known}), add it, or mock the tool"))
    })
}

pub(super) fn call_problem(tool: &Tool, cause: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::Input, format!("calling {}", tool.name), cause)
}

/// The configuration that a tool's entry gives its service: the declared parameters alone, in the
/// entry's order, of any JSON type.
#[must_use]
pub(crate) fn service_configuration(entry: &Value, parameters: &[Parameter]) -> Map<String, Value> {
    let declared = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
    let members = entry.as_object().into_iter().flatten().filter(|(name, _)| declared(name));
    members.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The body that carries a call: configuration and arguments travel as JSON text, the arguments to
/// the letter.
#[must_use]
pub fn request_body(user: &str, config: &Map<String, Value>, arguments: &str) -> Arc<str> {
    let mut body = Map::new();
    body.insert("user".into(), user.into());
    body.insert("config".into(), Value::Object(config.clone()).to_string().into());
    body.insert("arguments".into(), arguments.into());
    Value::Object(body).to_string().into()
}

/// A request as the service that gets it reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ServiceRequest {
    pub user: String,
    pub config: Map<String, Value>,
    pub arguments: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
struct Envelope {
    user: Option<String>,
    config: Option<Value>,
    arguments: Option<Value>,
}

/// Reads a request's body; absent fields have their defaults.
pub(crate) fn parse_request(body: &[u8]) -> Result<ServiceRequest, CallError> {
    let envelope: Envelope = serde_json::from_slice(body)
        .map_err(|error| unfit_error(format!("the body is not a request: {error}")))?;
    Ok(ServiceRequest {
        user: envelope.user.unwrap_or_default(),
        config: parse_inner_json("config", envelope.config)?,
        arguments: parse_inner_json("arguments", envelope.arguments)?,
    })
}

fn parse_inner_json(field: &str, value: Option<Value>) -> Result<Map<String, Value>, CallError> {
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::String(text)) if text.is_empty() => Ok(Map::new()),
        Some(Value::String(text)) => serde_json::from_str(&text)
            .map_err(|error| unfit_error(format!("{field} is not a JSON object: {error}"))),
        Some(_) => Err(unfit_error(format!("{field} must be text that holds JSON"))),
    }
}

fn unfit_error(message: String) -> CallError {
    CallError { kind: ErrorKind::ToolServiceError, message, remedy: String::new() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn both_maps_travel_as_json_text() {
        let body = request_body(
            "alice",
            &object(json!({"collection": "customers"})),
            r#"{"question":"Why \"now\"?","n":1.50}"#,
        );
        let outer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(outer["user"], "alice");
        assert_eq!(outer["config"], r#"{"collection":"customers"}"#);
        assert_eq!(outer["arguments"], r#"{"question":"Why \"now\"?","n":1.50}"#);
    }

    #[test]
    fn empty_maps_are_braces() {
        assert_eq!(
            &*request_body("", &Map::new(), "{}"),
            r#"{"user":"","config":"{}","arguments":"{}"}"#
        );
    }

    #[test]
    fn only_declared_parameters_are_configuration() {
        let entry =
            json!({"type": "tool-service", "limit": 5, "name": "x", "style": ["pun"], "other": 1});
        let parameter = |name: &str| Parameter { name: name.into(), required: false };
        let config = service_configuration(
            &entry,
            &[parameter("style"), parameter("limit"), parameter("absent")],
        );
        assert_eq!(Value::Object(config).to_string(), r#"{"limit":5,"style":["pun"]}"#);
    }

    #[test]
    fn a_service_reads_defaults_and_names_what_it_cannot_read() {
        assert_eq!(parse_request(b"{}"), Ok(ServiceRequest::default()));
        for (body, word) in [
            (&b"nonsense"[..], "not a request"),
            (b"\xff", "not a request"),
            (br#"{"config": "{not json"}"#, "config is not"),
            (br#"{"config": {"style": "pun"}}"#, "config must be text"),
            (br#"{"arguments": "[1]"}"#, "arguments is not"),
        ] {
            let problem = parse_request(body).unwrap_err();
            assert_eq!(problem.kind, ErrorKind::ToolServiceError);
            assert!(problem.message.contains(word), "{}", problem.message);
        }
    }

    proptest! {
        #[test]
        fn what_is_rendered_reads_back(user in ".*", names in proptest::collection::btree_map(".*", "\\PC*", 0..5), number in any::<i64>()) {
            let mut arguments: Map<String, Value> = names.into_iter().map(|(name, text)| (name, text.into())).collect();
            arguments.insert("n".into(), number.into());
            let config = Map::new();
            let asked = parse_request(request_body(&user, &config, &Value::Object(arguments.clone()).to_string()).as_bytes()).unwrap();
            prop_assert_eq!(asked, ServiceRequest { user, config, arguments });
        }
    }
}
