//! What has to be known of a server's tools when they are called.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex as Lock},
};

use serde_json::Value;

use super::tasks::as_task;
use crate::systems::mcp::{
    fault::Fault, headers::mirror_headers, negotiate::Transport, rpc::build::Call, version::Era,
};

/// The tools of a server, by name.
pub(crate) type KnownTools = Arc<Lock<HashMap<String, ToolFacts>>>;

/// What one tool wants and promises.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ToolFacts {
    /// What its answers are held against.
    pub output_schema: Option<Value>,
    /// Where arguments are wanted among the headers too.
    pub input_schema: Option<Value>,
    /// It can be called as a task alone; of the legacy era.
    pub needs_task: bool,
}

impl ToolFacts {
    /// Of a tool as its server lists it, with its name.
    #[must_use]
    pub fn from_tool(mut tool: Value) -> Option<(String, Self)> {
        let name = tool.get("name")?.as_str()?.to_owned();
        let mut take = |member: &str| tool.get_mut(member).map(Value::take);
        let output_schema = take("outputSchema");
        let input_schema = take("inputSchema");
        let has_headers = |schema: &Value| schema.to_string().contains("\"x-mcp-header\"");
        let needs_task = tool["execution"]["taskSupport"] == "required";
        let input_schema = input_schema.filter(has_headers);
        Some((name, Self { output_schema, input_schema, needs_task }))
    }

    /// A call as the tool wants it: as a task, with arguments among the headers.
    #[must_use]
    pub fn prepare(
        self,
        call: Call,
        (name, era): (&str, Option<Era>),
        transport: Transport,
    ) -> PreparedCall {
        let plain = |call| PreparedCall { call, ..PreparedCall::default() };
        match (era, transport, self.input_schema) {
            (Some(Era::Legacy), _, _) if self.needs_task => plain(as_task(call)),
            (Some(Era::Modern), Transport::Http, Some(schema)) => {
                let arguments = call.params.get("arguments");
                let arguments = arguments.as_ref().and_then(Value::as_object).cloned();
                match mirror_headers(name, &schema, &arguments.unwrap_or_default()) {
                    Ok(mut mirrored) => {
                        // The others every request has.
                        mirrored.retain(|(name, _)| name.starts_with("Mcp-Param-"));
                        PreparedCall { call, mirrored, faults: Vec::new() }
                    }
                    Err(faults) => PreparedCall { call, mirrored: Vec::new(), faults },
                }
            }
            _ => plain(call),
        }
    }
}

/// A call that can be sent.
#[derive(Debug, Default)]
pub(crate) struct PreparedCall {
    pub call: Call,
    /// Headers of its arguments.
    pub mirrored: Vec<(String, String)>,
    /// What is wrong with those that its tool wants.
    pub faults: Vec<Fault>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::literal::Literal;

    #[test]
    fn arguments_stand_among_the_headers_where_a_tool_wants_them() {
        let schema = json!({"type": "object", "properties":
            {"region": {"type": "string", "x-mcp-header": "Region"}, "n": {"type": "integer"}}});
        let (name, facts) =
            ToolFacts::from_tool(json!({"name": "t", "inputSchema": schema})).unwrap();
        let call = Call::for_tool(&name, &Literal::from(json!({"region": "eu", "n": 1})));
        let prepare = |facts: &ToolFacts, era, transport| {
            facts.clone().prepare(call.clone(), (&name, Some(era)), transport)
        };
        let sent = prepare(&facts, Era::Modern, Transport::Http);
        assert_eq!(sent.mirrored, [("Mcp-Param-Region".to_owned(), "eu".to_owned())]);
        for (era, transport) in [(Era::Legacy, Transport::Http), (Era::Modern, Transport::Stdio)] {
            assert_eq!(prepare(&facts, era, transport).mirrored, []);
        }
        let nested =
            json!({"type": "array", "items": {"type": "string", "x-mcp-header": "Region"}});
        let odd = json!({"name": "t", "inputSchema": {"properties": {"region": nested}}});
        let (_, odd) = ToolFacts::from_tool(odd).unwrap();
        let sent = prepare(&odd, Era::Modern, Transport::Http);
        assert_eq!(sent.faults[0].id, "header.unreachable");
        let (_, task) =
            ToolFacts::from_tool(json!({"name": "t", "execution": {"taskSupport": "required"}}))
                .unwrap();
        let sent = prepare(&task, Era::Legacy, Transport::Stdio);
        assert!(sent.call.params.get("task").is_some());
    }
}
