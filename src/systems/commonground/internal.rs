//! The tools that PMO answers itself. Every project has them, the management API lists none of
//! them, and no definition may have their names.

use serde_json::{Value, json};

use super::keys;
use crate::model::{call::CallError, error_kind::ErrorKind};

/// All of them, as definitions.
#[must_use]
pub(crate) fn definitions() -> Vec<Value> {
    keys::RESERVED.iter().filter_map(|name| definition(name)).collect()
}

/// The definition of one of them.
#[must_use]
pub(crate) fn definition(name: &str) -> Option<Value> {
    let text = || json!({"type": "string"});
    let target = || {
        json!({
            "target_strategy": {
                "type": "string", "enum": ["new", "reuse", "clone"],
                "description": "new: an agent of a profile; reuse: an agent that is there; clone: a copy of one, with its output",
            },
            "target_ref": {"type": "string", "description": "the profile's name for new, else the agent's id"},
            "instruction": text(),
            "context_box_id": text(),
        })
    };
    let started = ["target_strategy", "target_ref", "instruction"];
    let (description, properties, required, options) = match name {
        "delegate_async" => (
            "Starts a turn of another agent.",
            target(),
            json!(started),
            json!({"ui_allowed": true}),
        ),
        "launch_principal" => (
            "Starts a turn of a new agent.",
            json!({"profile_name": text(), "instruction": text()}),
            json!(["profile_name", "instruction"]),
            json!({}),
        ),
        "ask_expert" => (
            "Asks a new agent a question.",
            json!({"expert_profile": text(), "question": text(), "include_history": {"type": "boolean"}}),
            json!(["expert_profile", "question"]),
            json!({}),
        ),
        "fork_join" => (
            "Starts turns of several agents and waits for all of them.",
            json!({
                "tasks": {"type": "array", "items": {
                    "type": "object", "properties": target(), "required": started, "additionalProperties": false,
                }},
                "fail_fast": {"type": "boolean"},
                "deadline_seconds": {"type": "number"},
            }),
            json!(["tasks"]),
            json!({"suspend_timeout_seconds": 120}),
        ),
        "provision_agent" => (
            "Makes an agent, or changes one.",
            json!({
                "action": {"type": "string", "enum": ["ensure", "create", "derive"]},
                "agent_id": text(), "profile_name": text(), "profile_box_id": text(), "derived_from": text(), "display_name": text(),
                "owner_agent_id": text(), "worker_target": text(), "active_channel_id": text(),
                "tags": {"type": "array", "items": text()},
                "metadata": {"type": "object", "additionalProperties": true},
            }),
            json!(["action", "agent_id"]),
            json!({"ui_allowed": true}),
        ),
        _ => return None,
    };
    let parameters = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    Some(json!({
        "tool_name": name,
        "description": description,
        "target_subject": format!("cg.v1r4.{{project_id}}.{{channel_id}}.cmd.sys.pmo.internal.{name}"),
        "after_execution": keys::SUSPEND,
        "parameters": parameters,
        "options": options,
    }))
}

/// A turn that a call started, and that goes on after the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Started {
    pub agent: String,
    pub turn: String,
}

/// The turn that a result reports; `None` where the tool starts none.
#[must_use]
pub(crate) fn started_turn(tool: &str, result: &Value) -> Option<Started> {
    let text =
        |name: &str| result[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    is_internal(tool).then_some(())?;
    Some(Started { agent: text("agent_id")?, turn: text("agent_turn_id")? })
}

/// Why PMO did not do what a call asked for: its result is a success that says so.
#[must_use]
pub fn refusal_error(tool: &str, result: &Value) -> Option<CallError> {
    let status = result["status"].as_str().filter(|_| is_internal(tool))?;
    let (words, remedy) = match status {
        "busy" => {
            ("the agent has another turn under way", "wait until it ends, or start another agent")
        }
        "rejected" | "error" => ("PMO doesn't do it", "check PMO's log"),
        _ => return None,
    };
    let code = result["error_code"].as_str().unwrap_or(status);
    let agent =
        result["agent_id"].as_str().map_or_else(String::new, |agent| format!(" (agent {agent})"));
    Some(CallError::new(
        ErrorKind::parse(code),
        format!("{tool} was refused, {code}{agent}: {words}"),
        remedy,
    ))
}

fn is_internal(tool: &str) -> bool {
    keys::RESERVED.contains(&tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::commonground::{preflight::ServiceKind, subject::Subject};

    #[test]
    fn each_reserved_name_is_a_tool_that_can_be_called() {
        let all = definitions();
        assert_eq!(all.len(), keys::RESERVED.len());
        for definition in &all {
            let subject = Subject::parse(definition["target_subject"].as_str().unwrap()).unwrap();
            assert_eq!(
                (subject.component.as_str(), subject.target.as_str()),
                ("sys", "pmo"),
                "{definition}"
            );
            assert_eq!(ServiceKind::from_target(&subject.target), ServiceKind::Plain);
            let required = definition["parameters"]["required"].as_array().unwrap();
            let named = |name: &Value| {
                definition["parameters"]["properties"].get(name.as_str().unwrap()).is_some()
            };
            assert!(!required.is_empty() && required.iter().all(named), "{definition}");
        }
        assert_eq!(definition("word_count"), None);
    }

    #[test]
    fn a_result_tells_of_the_turn_or_why_there_is_none() {
        let result = json!({"status": "accepted", "agent_id": "counter", "agent_turn_id": "turn_7", "turn_epoch": 1});
        let turn = Started { agent: "counter".into(), turn: "turn_7".into() };
        assert_eq!(
            (started_turn("delegate_async", &result), refusal_error("delegate_async", &result)),
            (Some(turn), None)
        );
        assert_eq!(
            started_turn("word_count", &result),
            None,
            "another tool's result may hold anything"
        );
        let busy = json!({"status": "busy", "error_code": "agent_busy", "agent_id": "counter"});
        let problem = refusal_error("delegate_async", &busy).unwrap();
        assert!(
            problem.kind.as_str() == "agent_busy" && problem.message.contains("counter"),
            "{problem:?}"
        );
        assert_eq!(
            (started_turn("delegate_async", &busy), refusal_error("word_count", &busy)),
            (None, None)
        );
    }
}
