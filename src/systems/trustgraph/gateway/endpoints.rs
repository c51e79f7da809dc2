//! Where a request goes on the gateway, and what it is sent.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::{
    model::{
        call::Request,
        connection::Connection,
        entry::{EntryId, EntryPlace, FileId},
        problem::Problem,
        tool::Tool,
        transport::Traffic,
    },
    schema::pointer::Pointer,
    systems::{
        facets::calls::CallOf,
        trustgraph::{
            descriptor::text_member,
            keys,
            request::{ID, call_problem},
            settings::Gateway,
        },
    },
};

/// The header that names the workspace of a request.
pub(crate) const WORKSPACE: &str = "workspace";

/// How every path of the gateway begins.
const API: &str = "/api/v1/";

/// A service behind the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub service: String,
    /// The flow whose service it is; `None` for services of the workspace.
    pub flow: Option<String>,
}

impl Endpoint {
    #[must_use]
    pub fn of_workspace(service: &str) -> Self {
        Self { service: service.to_owned(), flow: None }
    }

    #[must_use]
    pub fn of_flow(service: &str, gateway: &Gateway) -> Self {
        Self { service: service.to_owned(), flow: Some(gateway.flow.clone()) }
    }

    /// The endpoint of a path; `None` when the path is none of the gateway's.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        let rest = path.strip_prefix(API)?;
        let Some((flow, service)) =
            rest.strip_prefix("flow/").and_then(|rest| rest.split_once("/service/"))
        else {
            return (!rest.is_empty()).then(|| Self::of_workspace(rest));
        };
        Some(Self { service: service.to_owned(), flow: Some(flow.to_owned()) })
    }

    /// The path over HTTP.
    #[must_use]
    pub fn path(&self) -> String {
        match &self.flow {
            Some(flow) => format!("{API}flow/{flow}/service/{}", self.service),
            None => format!("{API}{}", self.service),
        }
    }

    /// A request to it over that connection. Where frames do not name the workspace, the body does.
    fn build_request(
        &self,
        asked: &RequestIdentity<'_>,
        mut body: Map<String, Value>,
        arguments: Option<(&str, &str)>,
    ) -> Request {
        let RequestIdentity { name, tool, correlation, connection, written } = asked;
        let mut headers = vec![(ID.to_owned(), (*correlation).to_owned())];
        match (
            Gateway::from_connection(connection).workspace,
            connection.transport().spec().traffic,
        ) {
            (Some(workspace), Traffic::Exchange) => {
                drop(body.insert(WORKSPACE.into(), workspace.into()));
            }
            (Some(workspace), _) => headers.push((WORKSPACE.to_owned(), workspace)),
            (None, _) => {}
        }
        Request {
            tool: tool.clone(),
            system: keys::SYSTEM,
            name: (*name).to_owned(),
            to: self.path(),
            reply: None,
            headers,
            correlation: (*correlation).to_owned(),
            arguments: (*written).into(),
            body: with_arguments(&body, arguments),
            mock: None,
        }
    }
}

/// Who asks, under which id, and over which connection.
struct RequestIdentity<'a> {
    name: &'a str,
    tool: EntryId,
    correlation: &'a str,
    connection: &'a Connection,
    /// The arguments, as they were written.
    written: &'a str,
}

/// What represents a tool in requests that no tool is called with.
fn no_tool() -> EntryId {
    EntryId::new(EntryPlace::plain(FileId::new(""), 0, Pointer::root()))
}

/// What a call sends to the service behind its type of tool.
type Body = fn(&CallOf<'_>) -> Result<Map<String, Value>, Problem>;

/// Types of tools that can be called over the gateway, the services behind them, and the member
/// that the arguments stand in.
const SERVICES: &[(&str, &str, Body, Option<&str>)] = &[
    ("mcp-tool", "mcp-tool", mcp_body, Some("parameters")),
    ("prompt", "prompt", prompt_body, Some("variables")),
    // As the agent does it: through the prompt service, not the model itself.
    (
        "text-completion",
        "prompt",
        |_| Ok(into_object(json!({"id": "question"}))),
        Some("variables"),
    ),
    ("knowledge-query", "graph-rag", knowledge_body, None),
    ("structured-query", "structured-query", structured_body, None),
];

/// Services that answer in pieces when they are asked to.
const STREAMING: [&str; 2] = ["prompt", "graph-rag"];

/// The request of a call, exactly as it will be sent.
pub(crate) fn build_request(call: &CallOf<'_>) -> Result<Request, Problem> {
    let tool = call.tool;
    let Some((_, service, body, arguments)) = SERVICES.iter().find(|(of, ..)| *of == tool.kind)
    else {
        return Err(no_endpoint(tool));
    };
    let mut body = body(call)?;
    // Over HTTP only the last piece arrives, which holds no text.
    if call.connection.transport().spec().traffic == Traffic::Pipe && STREAMING.contains(service) {
        body.insert("streaming".into(), true.into());
    }
    let endpoint = Endpoint::of_flow(service, &Gateway::from_connection(call.connection));
    let written = call.arguments.to_json();
    let asked = RequestIdentity {
        name: &tool.name,
        tool: tool.id().clone(),
        correlation: call.correlation,
        connection: call.connection,
        written: &written,
    };
    Ok(endpoint.build_request(&asked, body, arguments.map(|key| (key, &*written))))
}

/// A request to a service of the connection's flow that no tool is called with, such as `agent`.
#[must_use]
pub(crate) fn of_flow(
    service: &str,
    body: Map<String, Value>,
    correlation: &str,
    connection: &Connection,
) -> Request {
    let asked =
        RequestIdentity { name: service, tool: no_tool(), correlation, connection, written: "{}" };
    Endpoint::of_flow(service, &Gateway::from_connection(connection))
        .build_request(&asked, body, None)
}

/// A request to a service of the workspace itself, such as `config`.
#[must_use]
pub(crate) fn of_workspace(
    service: &str,
    body: Map<String, Value>,
    correlation: &str,
    connection: &Connection,
) -> Request {
    let asked =
        RequestIdentity { name: service, tool: no_tool(), correlation, connection, written: "{}" };
    Endpoint::of_workspace(service).build_request(&asked, body, None)
}

/// The body, with the arguments as they were written.
fn with_arguments(body: &Map<String, Value>, arguments: Option<(&str, &str)>) -> Arc<str> {
    let mut text = Value::Object(body.clone()).to_string();
    if let Some((key, written)) = arguments {
        text.pop();
        let comma = if body.is_empty() { "" } else { "," };
        text.push_str(&format!("{comma}{}:{written}}}", Value::from(key)));
    }
    text.into()
}

fn mcp_body(call: &CallOf<'_>) -> Result<Map<String, Value>, Problem> {
    let named = call.tool.service.as_deref().filter(|key| !key.is_empty());
    let named = named.ok_or_else(|| {
        call_problem(call.tool, "it names no MCP tool")
            .with_remedy("set its mcp-tool to the key of an mcp entry")
    })?;
    Ok(into_object(json!({"name": named})))
}

fn prompt_body(call: &CallOf<'_>) -> Result<Map<String, Value>, Problem> {
    let named = text_member(&call.tool.entry.value, "template").filter(|id| !id.is_empty());
    let named = named.ok_or_else(|| {
        call_problem(call.tool, "it names no prompt")
            .with_remedy("set its template to the id of a prompt")
    })?;
    Ok(into_object(json!({"id": named})))
}

fn knowledge_body(call: &CallOf<'_>) -> Result<Map<String, Value>, Problem> {
    Ok(into_object(json!({"query": question(call), "collection": collection(call.tool)})))
}

fn structured_body(call: &CallOf<'_>) -> Result<Map<String, Value>, Problem> {
    Ok(into_object(json!({"question": question(call), "collection": collection(call.tool)})))
}

fn question(call: &CallOf<'_>) -> Value {
    call.arguments.value().get("question").cloned().unwrap_or_default()
}

fn collection(tool: &Tool) -> &str {
    text_member(&tool.entry.value, "collection")
        .filter(|name| !name.is_empty())
        .unwrap_or("default")
}

/// The members of an object; none of anything else.
pub(crate) fn into_object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn no_endpoint(tool: &Tool) -> Problem {
    match tool.kind.as_str() {
        "tool-service" => call_problem(tool, "TrustGraph's gateway has no endpoint for tool services")
            .with_remedy("choose a connection to the broker that the service listens on: pulsar://, amqp://, kafka:// or nats://"),
        "row-embeddings-query" => call_problem(tool, "it needs embeddings of its text first, \
        which only the agent requests")
            .with_remedy("let the agent call it"),
        other => call_problem(tool, format!("the gateway has no service for the type \"{other}\""))
            .with_remedy("choose a tool of type mcp-tool, prompt, text-completion, knowledge-query or structured-query"),
    }
}

/// A request as one frame on the gateway's socket.
#[must_use]
pub(crate) fn request_frame(
    endpoint: &Endpoint,
    correlation: &str,
    workspace: Option<&str>,
    body: &str,
) -> String {
    let mut head = Map::new();
    head.insert("id".into(), correlation.into());
    head.extend(workspace.map(|workspace| (WORKSPACE.to_owned(), workspace.into())));
    head.insert("service".into(), endpoint.service.as_str().into());
    head.extend(endpoint.flow.as_deref().map(|flow| ("flow".to_owned(), flow.into())));
    with_arguments(&head, Some(("request", body))).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{connection::Connection, context::Mode, transport::TransportKind},
        schema::literal::Literal,
        syntax::source::{Format, Source},
        systems::read,
    };

    const TOOLS: &str = r#"{"tool": {
        "echo": {"type": "mcp-tool", "name": "echo", "description": "d", "mcp-tool": "server-echo"},
        "ask": {"type": "prompt", "name": "ask", "description": "d", "template": "agent-ask"},
        "think": {"type": "text-completion", "name": "think", "description": "d"},
        "know": {"type": "knowledge-query", "name": "know", "description": "d", "collection": "books"},
        "nameless": {"type": "prompt", "name": "nameless", "description": "d"},
        "joke": {"type": "tool-service", "name": "joke", "description": "d", "service": "s"}}}"#;

    fn rendered(key: &str, connection: &Connection, arguments: &str) -> Result<Request, Problem> {
        let file = FileId::new("t.json");
        let source = Source::parse(Format::Json, TOOLS).unwrap();
        let catalog = read::read_catalog([(&file, &source)], Mode::Document);
        let tool = catalog.tool_called(key).unwrap();
        let arguments = Literal::parse(arguments).unwrap();
        build_request(&CallOf {
            catalog: &catalog,
            tool,
            user: "alice",
            arguments: &arguments,
            meta: None,
            correlation: "r-1",
            connection,
            route: None,
        })
    }

    fn socket() -> Connection {
        Connection::from_address(TransportKind::WebSocket, "tg", "ws://h")
    }

    #[test]
    fn each_type_has_its_service_and_arguments_go_as_they_were_written() {
        let sent = |key, arguments| {
            rendered(key, &socket(), arguments)
                .map(|sent| (sent.to, sent.body.to_string()))
                .unwrap()
        };
        let at = |service: &str| format!("/api/v1/flow/default/service/{service}");
        assert_eq!(
            sent("echo", r#"{"x": 1.50}"#),
            (at("mcp-tool"), r#"{"name":"server-echo","parameters":{"x": 1.50}}"#.into())
        );
        assert_eq!(
            sent("ask", "{}"),
            (at("prompt"), r#"{"id":"agent-ask","streaming":true,"variables":{}}"#.into())
        );
        let think = r#"{"id":"question","streaming":true,"variables":{"question":"why?"}}"#;
        assert_eq!(sent("think", r#"{"question":"why?"}"#), (at("prompt"), think.into()));
        let know = r#"{"query":"why?","collection":"books","streaming":true}"#;
        assert_eq!(sent("know", r#"{"question":"why?"}"#), (at("graph-rag"), know.into()));
    }

    #[test]
    fn over_http_nothing_streams_and_the_workspace_is_in_the_body() {
        let gateway =
            Gateway { workspace: Some("w".into()), flow: "f".into(), ..Gateway::default() };
        let http =
            gateway.apply_to(Connection::from_address(TransportKind::Http, "tg", "http://h"));
        let sent = rendered("ask", &http, "{}").unwrap();
        assert_eq!(sent.to, "/api/v1/flow/f/service/prompt");
        assert_eq!(&*sent.body, r#"{"id":"agent-ask","workspace":"w","variables":{}}"#);
    }

    #[test]
    fn what_the_gateway_cannot_do_says_where_it_can_be_done() {
        let service = rendered("joke", &socket(), "{}").unwrap_err();
        assert!(
            service.cause.contains("no endpoint for tool services")
                && service.remedy.contains("broker"),
            "{service}"
        );
        assert!(rendered("nameless", &socket(), "{}").unwrap_err().remedy.contains("template"));
    }

    #[test]
    fn paths_are_read_back_and_frames_hold_the_request() {
        for endpoint in
            [Endpoint::of_workspace("config"), Endpoint::of_flow("agent", &Gateway::default())]
        {
            assert_eq!(Endpoint::parse(&endpoint.path()), Some(endpoint));
        }
        assert_eq!(Endpoint::parse("request:tg:joke"), None);
        let agent = Endpoint::of_flow("agent", &Gateway::default());
        let framed =
            r#"{"id":"r","workspace":"w","service":"agent","flow":"default","request":{"a": 1.0}}"#;
        assert_eq!(request_frame(&agent, "r", Some("w"), r#"{"a": 1.0}"#), framed);
        assert_eq!(
            request_frame(&Endpoint::of_workspace("config"), "r", None, "{}"),
            r#"{"id":"r","service":"config","request":{}}"#
        );
    }
}
