//! What a cluster refuses to register, by the rules of its ML framework (ml-commons 950f056):
//! `MLAgent`, `MLToolSpec`, `LLMSpec`, `MLCreateConnectorInput`, `AwsConnector`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{entries::AGENT_TYPES, keys};

/// How long an agent's name may be, in UTF-16 units.
pub const LONGEST_NAME: usize = 128;

/// Protocols of connectors, as they are written.
pub const PROTOCOLS: &[&str] = &["aws_sigv4", "http", "mcp_sse", "mcp_streamable_http"];

/// Types of agents that run their tools in order, which need one.
const FLOW_TYPES: [&str; 2] = ["flow", "conversational_flow"];
/// Types of agents that ask a model what to do.
const ASKING_TYPES: [&str; 2] = ["conversational", "plan_execute_and_reflect"];

fn is_among(kind: &str, types: &[&str]) -> bool {
    types.iter().any(|known| known.eq_ignore_ascii_case(kind))
}

/// Whether agents of a type run their tools in order.
#[must_use]
pub fn is_flow(agent_type: &str) -> bool {
    is_among(agent_type, &FLOW_TYPES)
}

/// Whether agents of a type can't be registered without a model.
#[must_use]
pub fn needs_model(agent_type: &str) -> bool {
    is_among(agent_type, &ASKING_TYPES)
}

/// Whether a connector leads to an MCP server.
#[must_use]
pub fn is_mcp(protocol: &str) -> bool {
    matches!(protocol, "mcp_sse" | "mcp_streamable_http")
}

/// What a credential or the parameters of a connector have to hold for AWS, in the cluster's words
/// where they don't.
const AWS_PARTS: [(&[&str], bool, &str); 3] = [
    (&["access_key", "secret_key"], false, "Missing credential"),
    (&["service_name"], true, "Missing service name"),
    (&["region"], true, "Missing region"),
];

/// The parts that a connector for AWS lacks, each with what a cluster says then.
pub fn missing_aws_parts(
    connector: &Map<String, Value>,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let has = |member: &str, name: &str| {
        connector.get(member).and_then(|map| map.get(name)).is_some_and(|value| !value.is_null())
    };
    AWS_PARTS.iter().flat_map(move |(names, in_parameters, details)| {
        let is_there = move |name: &str| {
            has(keys::CREDENTIAL, name) || *in_parameters && has(keys::PARAMETERS, name)
        };
        names.iter().filter(move |name| !is_there(name)).map(move |name| (*name, *details))
    })
}

/// That a cluster takes an agent.
///
/// # Errors
/// With what it answers.
pub fn check_agent(body: &Map<String, Value>) -> Result<(), String> {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let tools: &[Value] = match body.get(keys::TOOLS) {
        None => &[],
        Some(Value::Array(tools)) => tools,
        Some(other) => return Err(unexpected("[START_ARRAY]", other)),
    };
    for tool in tools {
        if !tool.is_object() {
            return Err(unexpected("[START_OBJECT]", tool));
        }
        if tool.get(keys::TYPE).and_then(Value::as_str).is_none() {
            return Err("tool type is null".into());
        }
    }
    match body.get(keys::LLM) {
        None => {}
        Some(llm) if !llm.is_object() => return Err(unexpected("[START_OBJECT]", llm)),
        Some(llm) if llm.get(keys::MODEL_ID).is_none_or(Value::is_null) => {
            return Err("model id is null".into());
        }
        Some(_) => {}
    }
    let name = text(keys::NAME).ok_or("Agent name can't be null")?;
    if name.trim().is_empty() || name.encode_utf16().count() > LONGEST_NAME {
        return Err(format!(
            "Agent name cannot be empty or exceed max length of {LONGEST_NAME} characters"
        ));
    }
    let agent_type = text(keys::TYPE).ok_or("Agent type can't be null")?;
    if !is_among(agent_type, AGENT_TYPES) {
        return Err("Invalid Agent Type".into());
    }
    if needs_model(agent_type) && !body.contains_key(keys::LLM) && !body.contains_key("model") {
        return Err("We need model information for the conversational agent type".into());
    }
    let mut seen = BTreeSet::new();
    let called = |tool: &Value| {
        tool.get(keys::NAME)
            .or_else(|| tool.get(keys::TYPE))
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    if !tools.iter().all(|tool| seen.insert(called(tool))) {
        return Err("Duplicate tool defined in agent configuration".into());
    }
    Ok(())
}

/// That a cluster takes a connector; one that it has already may lack what it keeps.
///
/// # Errors
/// With what it answers.
pub fn check_connector(body: &Map<String, Value>, is_new: bool) -> Result<(), String> {
    let has_text = |name: &str| body.get(name).is_some_and(|value| value.is_string());
    if !has_text(keys::NAME) {
        return Err("Connector name is null".into());
    }
    if is_new && body.get(keys::VERSION).is_none_or(Value::is_null) {
        return Err("Connector version is null".into());
    }
    let Some(protocol) = body.get(keys::PROTOCOL).and_then(Value::as_str) else {
        return Err("Connector protocol is null".into());
    };
    if !PROTOCOLS.contains(&protocol) {
        let known = PROTOCOLS.join(", ");
        return Err(format!("Unsupported connector protocol. Please use one of [{known}]"));
    }
    if !is_new {
        return Ok(());
    }
    let credential = body.get(keys::CREDENTIAL).and_then(Value::as_object);
    if credential.is_none_or(Map::is_empty) && !is_mcp(protocol) {
        return Err("Connector credential is null or empty list".into());
    }
    let url = body.get("url").and_then(Value::as_str);
    if is_mcp(protocol) && url.is_none_or(|url| url.trim().is_empty()) {
        return Err("MCP Connector url is null or blank".into());
    }
    if protocol == "aws_sigv4"
        && let Some((_, details)) = missing_aws_parts(body).next()
    {
        return Err(details.into());
    }
    Ok(())
}

/// What a cluster says of a value of another kind.
fn unexpected(wanted: &str, found: &Value) -> String {
    let found = match found {
        Value::Null => "VALUE_NULL",
        Value::Bool(_) => "VALUE_BOOLEAN",
        Value::Number(_) => "VALUE_NUMBER",
        Value::String(_) => "VALUE_STRING",
        Value::Array(_) => "START_ARRAY",
        Value::Object(_) => "START_OBJECT",
    };
    format!("Failed to parse object: expecting token of type {wanted} but found [{found}]")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn agent_error(value: &Value) -> String {
        check_agent(value.as_object().unwrap()).err().unwrap_or_default()
    }

    fn connector_error(value: &Value, is_new: bool) -> String {
        check_connector(value.as_object().unwrap(), is_new).err().unwrap_or_default()
    }

    #[test]
    fn agents_are_refused_in_the_clusters_words() {
        let cases = [
            (json!({"name": "a", "type": "flow"}), ""),
            (json!({"name": "a", "type": "FLOW", "tools": []}), ""),
            (json!({"type": "flow"}), "Agent name can't be null"),
            (json!({"name": " ", "type": "flow"}), "Agent name cannot be empty"),
            // A letter beyond 16 bits counts twice.
            (json!({"name": "😀".repeat(65), "type": "flow"}), "Agent name cannot be empty"),
            (json!({"name": "a"}), "Agent type can't be null"),
            (json!({"name": "a", "type": "flwo"}), "Invalid Agent Type"),
            (json!({"name": "a", "type": "conversational"}), "We need model information"),
            (json!({"name": "a", "type": "conversational", "llm": {}}), "model id is null"),
            (json!({"name": "a", "type": "flow", "llm": {}}), "model id is null"),
            (json!({"name": "a", "type": "conversational", "llm": {"model_id": "m"}}), ""),
            (
                json!({"name": "a", "type": "flow", "tools": {}}),
                "Failed to parse object: expecting token of type [START_ARRAY] but found [START_OBJECT]",
            ),
            (
                json!({"name": "a", "type": "flow", "tools": ["X"]}),
                "Failed to parse object: expecting token of type [START_OBJECT] but found [VALUE_STRING]",
            ),
            (json!({"name": "a", "type": "flow", "tools": [{"name": "b"}]}), "tool type is null"),
            (
                json!({"name": "a", "type": "flow", "tools": [{"type": "X"}, {"type": "Y", "name": "X"}]}),
                "Duplicate tool defined",
            ),
        ];
        for (agent, wanted) in cases {
            let told = agent_error(&agent);
            assert!(
                told.starts_with(wanted) && told.is_empty() == wanted.is_empty(),
                "{agent}: {told}"
            );
        }
    }

    #[test]
    fn a_new_connector_needs_more_than_one_that_is_there() {
        let whole =
            json!({"name": "c", "version": 1, "protocol": "http", "credential": {"k": "v"}});
        assert_eq!(connector_error(&whole, true), "");
        for (member, new, there) in [
            ("name", "Connector name is null", "Connector name is null"),
            ("version", "Connector version is null", ""),
            ("protocol", "Connector protocol is null", "Connector protocol is null"),
            ("credential", "Connector credential is null or empty list", ""),
        ] {
            let mut part = whole.clone();
            part.as_object_mut().unwrap().shift_remove(member);
            assert_eq!(
                (&*connector_error(&part, true), &*connector_error(&part, false)),
                (new, there)
            );
        }
        let of = |protocol: &str, more: Value| {
            let mut value = json!({"name": "c", "version": 1, "protocol": protocol});
            value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            connector_error(&value, true)
        };
        // A protocol is written as it is.
        assert!(of("HTTP", json!({"credential": {"k": "v"}})).starts_with("Unsupported connector"));
        assert_eq!(of("mcp_sse", json!({})), "MCP Connector url is null or blank");
        assert_eq!(of("mcp_sse", json!({"url": "https://h"})), "");
        let keys = json!({"access_key": "a", "secret_key": "b", "service_name": "bedrock"});
        assert_eq!(of("aws_sigv4", json!({"credential": keys})), "Missing region");
        let region = json!({"region": "r", "secret_key": "not here"});
        assert_eq!(of("aws_sigv4", json!({"credential": keys, "parameters": region})), "");
        let half = json!({"access_key": "a"});
        assert_eq!(
            of("aws_sigv4", json!({"credential": half, "parameters": region})),
            "Missing credential"
        );
    }
}
