//! Calls of a server's tools: the parameters of `tools/call`, as they will be sent.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json, value::RawValue};

use super::{contents, keys, settings, tool_findings::meta_key_faults};
use crate::{
    model::{
        call::Request,
        connection::Connection,
        content_part::ContentPart,
        entry::{EntryForm, EntryId, EntryPlace, FileId},
        problem::{Problem, ProblemKind},
        settings::SETTINGS,
        traffic::FRAMES,
    },
    schema::pointer::Pointer,
    systems::facets::{
        call_meta::MetaFault,
        calls::{CallOf, Calls},
    },
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
        let meta =
            call.meta.map_or_else(String::new, |meta| format!(",\"_meta\":{}", meta.to_json()));
        Ok(Request {
            tool: call.tool.id().clone(),
            system: keys::SYSTEM,
            name: call.tool.name.clone(),
            to: CALL.to_owned(),
            reply: None,
            headers: Vec::new(),
            correlation: call.correlation.to_owned(),
            body: format!(r#"{{"name":{},"arguments":{arguments}{meta}}}"#, json!(call.tool.name))
                .into(),
            arguments: arguments.into(),
        })
    }

    fn frame_request(
        &self,
        connection: &Connection,
        frame: &str,
        correlation: &str,
    ) -> Option<Request> {
        // It is of no tool: it has the place of its connection.
        let place = EntryPlace {
            file: FileId::new(SETTINGS),
            document: 0,
            at: Pointer::root().child("connections").child(connection.name.as_str()),
            form: EntryForm::Plain,
        };
        settings::is_at(connection).then(|| Request {
            tool: EntryId::new(place),
            system: keys::SYSTEM,
            name: format!("frame to {}", connection.name),
            to: FRAMES.to_owned(),
            reply: None,
            headers: Vec::new(),
            correlation: correlation.to_owned(),
            arguments: "{}".into(),
            body: frame.into(),
        })
    }

    fn meta_faults(&self, meta: &Map<String, Value>) -> Option<Vec<MetaFault>> {
        let root = Pointer::root();
        let faults = meta_key_faults(meta, &root).map(|fault| MetaFault {
            words: format!("{}: {:?} {}", fault.id, fault.at.tokens().concat(), fault.words),
            at: fault.at,
            option: None,
        });
        Some(faults.collect())
    }

    fn request_arguments(&self, body: &str) -> Option<String> {
        let body: Value = serde_json::from_str(body).ok()?;
        Some(body.get("arguments")?.to_string())
    }

    fn request_meta(&self, body: &str) -> Option<String> {
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(body).ok()?;
        Some(members.get("_meta")?.get().to_owned())
    }

    fn answer_parts(&self, result: &Value) -> Vec<ContentPart> {
        contents::answer_parts(result)
    }
}

/// What a connection to a server takes, to go on after "name".
pub const WANTED: &str =
    "name a connection with system = \"mcp\": `toolcrib mcp add NAME -- COMMAND` makes one";
