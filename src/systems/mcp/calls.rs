//! Calls of a server's tools: the parameters of `tools/call`, as they will be sent.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json, value::RawValue};

use super::{
    contents, copies, keys,
    rpc::frame::{Frame, Kind},
    settings,
    tool_findings::meta_key_faults,
};
use crate::{
    model::{
        call::Request,
        connection::Connection,
        content_part::ContentPart,
        copied::Copied,
        entry::{EntryId, EntryPlace, FileId},
        problem::{Problem, ProblemKind},
        settings::SETTINGS,
        traffic::FRAMES,
    },
    schema::{literal::Literal, pointer::Pointer},
    systems::facets::{
        call_meta::MetaFault,
        calls::{CallOf, Calls},
    },
};

/// The method that calls a tool.
pub const CALL: &str = "tools/call";

pub struct McpCalls;

impl Calls for McpCalls {
    fn answered_by(&self) -> &'static str {
        "an MCP server"
    }

    fn build_request(&self, call: &CallOf<'_>) -> Result<Request, Problem> {
        if !settings::is_at(call.connection) {
            return Err(nothing_answers(call));
        }
        let entry = call.tool.entry.value.parsed();
        let arguments = with_defaults(&entry["inputSchema"], call.arguments);
        let meta =
            call.meta.map_or_else(String::new, |meta| format!(",\"_meta\":{}", meta.to_json()));
        let body = format!(r#"{{"name":{},"arguments":{arguments}{meta}}}"#, json!(call.tool.name));
        Ok(Request { arguments: arguments.into(), ..call.new_request(CALL, body) })
    }

    fn given_arguments(&self, mut schema: Value) -> Value {
        let filled: Vec<String> =
            required_defaults(&schema).map(|(name, _)| name.to_owned()).collect();
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| !filled.iter().any(|filled| name == filled));
        }
        schema
    }

    fn copies(&self, request: &Request, connection: &Connection) -> Vec<Copied> {
        match request.to == CALL {
            true => copies::of_call(request, connection),
            false => Vec::new(),
        }
    }

    fn frame_label(&self, frame: &str) -> Option<String> {
        match Frame::parse(frame).kind {
            Kind::Request { method, .. } | Kind::Notification { method, .. } => Some(method),
            Kind::Reply { error: Some(_), .. } => Some("error".to_owned()),
            Kind::Reply { .. } => Some("result".to_owned()),
            Kind::Batch(_) | Kind::Several(_) | Kind::Foreign | Kind::Noise => None,
        }
    }

    fn frame_request(
        &self,
        connection: &Connection,
        frame: &str,
        correlation: &str,
    ) -> Option<Request> {
        // It is of no tool: it has the place of its connection.
        let place = EntryPlace::plain(
            FileId::new(SETTINGS),
            0,
            Pointer::root().child("connections").child(connection.name.as_str()),
        );
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
            mock: None,
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

/// The members that a schema requires and has defaults for.
fn required_defaults(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    required.filter_map(Value::as_str).filter_map(|name| {
        let default = schema.get("properties")?.get(name)?.get("default")?;
        Some((name, default))
    })
}

/// Arguments as they are sent, with the defaults of what is required and not given.
fn with_defaults(schema: &Value, arguments: &Literal) -> String {
    let text = arguments.to_json().into_owned();
    let Some(given) = arguments.value().as_object() else { return text };
    let missing = required_defaults(schema).filter(|(name, _)| !given.contains_key(*name));
    let missing: Vec<String> =
        missing.map(|(name, default)| format!("{}:{default}", json!(name))).collect();
    match text.trim_end().strip_suffix('}') {
        Some(open) if !missing.is_empty() => {
            let comma = if given.is_empty() { "" } else { "," };
            format!("{open}{comma}{}}}", missing.join(","))
        }
        _ => text,
    }
}

/// That a call goes to no server.
fn nothing_answers(call: &CallOf<'_>) -> Problem {
    let connection = call.connection;
    let (cause, remedy) = match connection.is_embedded() {
        true => (
            format!("nothing answers {} yet", call.tool.entry.key),
            "mock it (--mock), or connect its server: on Connections (6), or with `toolcrib mcp \
             add NAME -- COMMAND`",
        ),
        false => (connection.leads_elsewhere(McpCalls.answered_by()), WANTED),
    };
    Problem::new(ProblemKind::Input, "calling", cause).with_remedy(remedy)
}

/// What a connection to a server takes, to go on after "name".
pub const WANTED: &str =
    "name a connection with system = \"mcp\": `toolcrib mcp add NAME -- COMMAND` makes one";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_and_has_a_default_need_not_be_given() {
        let schema = json!({"required": ["n", "text", "odd"], "properties": {
            "n": {"type": "integer", "default": 5}, "text": {"type": "string"}, "late": {"default": 1}}});
        assert_eq!(McpCalls.given_arguments(schema.clone())["required"], json!(["text", "odd"]));
        for (given, sent) in [
            ("{}", r#"{"n":5}"#),
            (
                r#"{"text":"a","big":12345678901234567890123}"#,
                r#"{"text":"a","big":12345678901234567890123,"n":5}"#,
            ),
            (r#"{"n":1.0}"#, r#"{"n":1.0}"#),
        ] {
            assert_eq!(with_defaults(&schema, &Literal::parse(given).unwrap()), sent);
        }
        assert_eq!(McpCalls.given_arguments(json!(true)), json!(true));
    }
}
