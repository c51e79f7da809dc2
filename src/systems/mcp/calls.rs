//! Calls of a server's tools: the parameters of `tools/call`, as they will be sent.

use serde_json::{Map, Value, json};

use super::{keys, settings};
use crate::{
    model::{
        call::Request,
        problem::{Problem, ProblemKind},
    },
    systems::facets::calls::{CallOf, Calls},
};

/// The method that calls a tool.
pub const CALL: &str = "tools/call";

pub struct McpCalls;

impl Calls for McpCalls {
    fn build_request(&self, call: &CallOf<'_>) -> Result<Request, Problem> {
        if !settings::is_at(call.connection) {
            let cause = format!(
                "connection \"{}\" leads to {}, not to an MCP server",
                call.connection.name,
                call.connection.transport().title()
            );
            let problem = Problem::new(ProblemKind::Input, "calling", cause);
            return Err(problem.with_remedy(WANTED));
        }
        let arguments = call.arguments.to_json();
        Ok(Request {
            tool: call.tool.id().clone(),
            system: keys::SYSTEM,
            name: call.tool.name.clone(),
            to: CALL.to_owned(),
            reply: None,
            headers: Vec::new(),
            correlation: call.correlation.to_owned(),
            body: format!(r#"{{"name":{},"arguments":{arguments}}}"#, json!(call.tool.name)).into(),
            arguments: arguments.into(),
        })
    }

    fn add_meta(&self, request: &Request, meta: &Map<String, Value>) -> Option<Request> {
        let inside = request.body.strip_suffix('}')?;
        let body = format!("{inside},\"_meta\":{}}}", Value::Object(meta.clone()));
        Some(Request { body: body.into(), ..request.clone() })
    }

    fn request_arguments(&self, body: &str) -> Option<String> {
        let body: Value = serde_json::from_str(body).ok()?;
        Some(body.get("arguments")?.to_string())
    }
}

/// What a connection to a server takes, to go on after "name".
pub const WANTED: &str =
    "name a connection with system = \"mcp\": `toolcrib mcp add NAME -- COMMAND` makes one";
