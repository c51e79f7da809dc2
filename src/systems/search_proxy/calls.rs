//! Calls of a proxy's tools: one flat object, what was configured beside what is asked.

use serde_json::{Map, Value, json};

use super::{
    answer::{StreamEvent, read_event},
    keys::{self, CONTEXT, Endpoint, configuration_of, header_of},
    settings::context_headers,
    tool::configuration_schema,
};
use crate::{
    model::{
        call::Request,
        connection::Connection,
        problem::{Problem, ProblemKind},
        stage::event_data,
        tool::Tool,
        transport::Traffic,
    },
    schema::{literal::Literal, pointer::Pointer},
    systems::{
        facets::{
            call_meta::{AnswerNote, CallMeta, ConfigurationForm, GivenMeta, MetaFault, MetaForms},
            calls::{CallOf, Calls, RouteOffer},
        },
        pydantic::{configuration_faults, with_defaults},
    },
};

/// The ways in which an agent's answer comes.
const STREAM: &str = "stream";
const WHOLE: &str = "whole";
/// What a path has behind an endpoint's own where the answer is streamed.
pub const STREAMED: &str = "/stream";

/// What a connection to a proxy takes, to go on after "name".
pub const WANTED: &str =
    "one over http from toolcrib.toml that has a [connections.NAME.search-proxy] table";

pub struct ProxyCalls;

impl Calls for ProxyCalls {
    fn answered_by(&self) -> &'static str {
        "a search proxy"
    }

    fn build_request(&self, call: &CallOf<'_>) -> Result<Request, Problem> {
        let problem = |cause: String, remedy: &str| {
            Problem::new(ProblemKind::Input, "calling", cause).with_remedy(remedy)
        };
        let entry = &call.tool.entry.value;
        let endpoint = Endpoint::of_entry(entry).ok_or_else(|| {
            let words = Endpoint::ALL.map(Endpoint::as_str).join(", ");
            let cause = format!("{} does not say which endpoint it calls", call.tool.entry.key);
            problem(cause, &format!("set {} to one of {words}", keys::ENDPOINT))
        })?;
        let provider = keys::provider_of(entry).ok_or_else(|| {
            let cause = format!("{} does not say who answers it", call.tool.entry.key);
            problem(cause, &format!("set {}", endpoint.chooser()))
        })?;
        if call.connection.transport().spec().traffic != Traffic::Exchange {
            let cause = call.connection.leads_elsewhere(self.answered_by());
            return Err(problem(
                cause,
                &format!("name {WANTED}, or mock it (on Invoke, or with --mock)"),
            ));
        }
        let offers = self.call_routes(call.tool, call.connection);
        let route = match call.route {
            Some(word) if !offers.iter().any(|offer| offer.id == word) => {
                let cause = format!("{word} isn't a route of this call");
                return Err(problem(cause, "leave out --route, or take stream or whole"));
            }
            Some(word) => Some(word),
            None => offers.first().map(|offer| offer.id),
        };
        let meta = call.meta.map(Literal::value).and_then(Value::as_object);
        let mut sent = Map::new();
        sent.insert(endpoint.chooser().to_owned(), provider.into());
        sent.extend(configuration_of(entry));
        let own = meta.and_then(|meta| meta.get(keys::CONFIGURATION)?.as_object());
        sent.extend(own.cloned().unwrap_or_default());
        let to =
            format!("{}{}", endpoint.path(), if route == Some(STREAM) { STREAMED } else { "" });
        Ok(Request {
            headers: request_headers(call.connection, meta),
            ..call.new_request(to, merged_text(sent, call.arguments))
        })
    }

    fn call_routes(&self, tool: &Tool, _: &Connection) -> Vec<RouteOffer> {
        if Endpoint::of_entry(&tool.entry.value) != Some(Endpoint::AgentSearch) {
            return Vec::new();
        }
        let offer = |id, title| RouteOffer { id, title, closed: None };
        vec![
            offer(STREAM, "the answer as the agent writes it"),
            offer(WHOLE, "the whole answer at once"),
        ]
    }

    /// Nothing is wrong with it by any protocol; the forms say what is.
    fn meta_faults(&self, _: &Map<String, Value>) -> Option<Vec<MetaFault>> {
        Some(Vec::new())
    }

    /// What it says: the rest of an event is the same in each.
    fn frame_label(&self, frame: &str) -> Option<String> {
        match read_event(&event_data(frame)?) {
            StreamEvent::Delta(text) => Some(Value::from(text).to_string()),
            StreamEvent::Done(_) => Some("done".to_owned()),
            StreamEvent::Failed(_) => Some("error".to_owned()),
            StreamEvent::Unknown(_) => None,
        }
    }

    fn request_arguments(&self, body: &str) -> Option<String> {
        let body: Map<String, Value> = serde_json::from_str(body).ok()?;
        let asked = [keys::QUERY, keys::URLS];
        let asked = body.into_iter().filter(|(name, _)| asked.contains(&name.as_str()));
        Some(Value::Object(asked.collect()).to_string())
    }

    fn request_route(&self, request: &Request) -> Option<String> {
        (request.to == Endpoint::AgentSearch.path()).then(|| WHOLE.to_owned())
    }

    fn request_meta(&self, body: &str) -> Option<String> {
        let mut body: Map<String, Value> = serde_json::from_str(body).ok()?;
        let of_calls = [keys::QUERY, keys::URLS, keys::ENGINE, keys::CRAWLER];
        body.retain(|name, _| !of_calls.contains(&name.as_str()));
        (!body.is_empty()).then(|| json!({ keys::CONFIGURATION: body }).to_string())
    }
}

/// The connection's headers, and those of this call in their place.
fn request_headers(
    connection: &Connection,
    meta: Option<&Map<String, Value>>,
) -> Vec<(String, String)> {
    let mut headers = context_headers(connection);
    let own = meta.into_iter().flatten().filter(|(name, _)| *name != keys::CONFIGURATION);
    for (name, value) in own {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        headers.retain(|(known, _)| known != name);
        headers.push((name.clone(), value));
    }
    headers
}

/// An object with the members of both: the arguments' own as they were typed.
fn merged_text(mut sent: Map<String, Value>, arguments: &Literal) -> String {
    let asked = arguments.value().as_object();
    sent.retain(|name, _| !asked.is_some_and(|asked| asked.contains_key(name)));
    let sent = Value::Object(sent).to_string();
    if asked.is_none_or(Map::is_empty) {
        return sent;
    }
    let asked = arguments.to_json();
    let asked = asked.trim().strip_prefix('{').unwrap_or_default();
    match sent.strip_suffix('}') {
        Some("{") | None => format!("{{{asked}"),
        Some(sent) => format!("{sent},{asked}"),
    }
}

/// What a call of the proxy's tools says beside its arguments.
pub struct ProxyMeta;

impl CallMeta for ProxyMeta {
    fn meta_forms(&self, tool: &Value) -> Option<MetaForms> {
        Endpoint::of_entry(tool)?;
        let property = |known: &keys::ContextKey| {
            let schema = json!({"type": "string", "title": known.key, "description": known.help});
            (known.header.to_owned(), schema)
        };
        let properties: Map<String, Value> = CONTEXT.iter().map(property).collect();
        Some(MetaForms {
            configuration: configuration_schema(tool).map(|schema| ConfigurationForm {
                member: keys::CONFIGURATION,
                schema: with_defaults(schema, &configuration_of(tool)),
                ui: None,
                unset: "the entry's own counts",
            }),
            context: json!({"type": "object", "properties": properties}),
            is_closed: true,
        })
    }

    fn is_own_key(&self, key: &str) -> bool {
        key == keys::CONFIGURATION || CONTEXT.iter().any(|known| known.header == key)
    }

    fn build_meta(&self, _: &Value, given: &GivenMeta) -> Map<String, Value> {
        let mut meta = Map::new();
        if let Some(configuration) = &given.configuration {
            meta.insert(keys::CONFIGURATION.to_owned(), configuration.clone());
        }
        for (key, value) in &given.context {
            meta.insert(header_of(key).to_owned(), value.clone());
        }
        meta
    }

    fn meta_faults(&self, tool: &Value, meta: &Map<String, Value>) -> Vec<MetaFault> {
        let given = meta.get(keys::CONFIGURATION).zip(configuration_schema(tool));
        let wrong = given.map(|(given, schema)| configuration_faults(given, &schema));
        let fault = |words| MetaFault {
            at: Pointer::root().child(keys::CONFIGURATION),
            words,
            option: None,
        };
        wrong.into_iter().flatten().map(fault).collect()
    }

    fn answer_notes(&self, _: &Value, _: &Value) -> Vec<AnswerNote> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_a_stream_is_labelled_with_what_it_says() {
        for (frame, label) in [
            (r#"data: {"type": "delta", "text": " jumps\n"}"#, Some(r#"" jumps\n""#)),
            (r#"data: {"type": "done", "response": {"answer": ""}}"#, Some("done")),
            (r#"data: {"error": {"code": "E", "message": "no"}}"#, Some("error")),
            (r#"data: {"type": "delta", "te… (90 bytes in all)"#, None),
            (": ping", None),
            (r#"{"query": "x"}"#, None),
        ] {
            assert_eq!(ProxyCalls.frame_label(frame).as_deref(), label, "{frame}");
        }
    }

    #[test]
    fn arguments_go_before_what_is_configured_and_keep_their_spelling() {
        let configured = |value: Value| value.as_object().cloned().unwrap_or_default();
        let asked = Literal::parse(r#"{"query": "x", "fetchSize": 3.0}"#).unwrap();
        assert_eq!(
            merged_text(configured(json!({"engine": "near", "fetchSize": 9})), &asked),
            r#"{"engine":"near","query": "x", "fetchSize": 3.0}"#
        );
        let nothing = Literal::parse("{}").unwrap();
        assert_eq!(
            merged_text(configured(json!({"engine": "near"})), &nothing),
            r#"{"engine":"near"}"#
        );
    }

    #[test]
    fn a_body_says_what_it_was_made_of() {
        let body = r#"{"engine":"near","query":"x","gl":"de"}"#;
        assert_eq!(ProxyCalls.request_arguments(body).unwrap(), r#"{"query":"x"}"#);
        assert_eq!(ProxyCalls.request_meta(body).unwrap(), r#"{"configuration":{"gl":"de"}}"#);
        assert_eq!(ProxyCalls.request_meta(r#"{"engine":"near","query":"x"}"#), None);
    }
}
