//! A UI action against what the UI worker will check, and the acknowledgements that follow.

use serde_json::{Map, Value, json};

use super::{
    command::Command,
    fault::{CommandFate, Fault, Part, Stage},
    headers,
    known::Known,
    preflight,
    result::BuiltResult,
    subject::Subject,
};

/// The worker target of agents that a UI may act through.
pub(crate) const UI_WORKER: &str = "ui_worker";

/// What is known about the world that an action is sent into.
#[derive(Clone, Debug, Default)]
pub struct ActionWorld {
    /// What the roster says the agent runs on.
    pub worker_target: Known<String>,
    /// Whether the tool's row has `options.ui_allowed`.
    pub ui_allowed: Known<bool>,
    /// Whether the agent has something else under way.
    pub busy: Known<bool>,
    /// Whether the id was used before.
    pub repeated: Known<()>,
}

/// Everything that is wrong with an action, in the order in which the worker meets it; the first
/// decides.
#[must_use]
pub fn preflight_action(command: &Command, world: &ActionWorld) -> Vec<Fault> {
    let mut faults = Vec::new();
    let body: Map<String, Value> = serde_json::from_str(&command.body).unwrap_or_default();
    let text = |name: &str| {
        body.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    };
    let header = |name| headers::find_value(&command.headers, name);
    check_silent_drops(command, &body, &mut faults);

    let mut rejected = |at, code, text: &str| {
        faults.push(Fault::refusal(at, Stage::Ingress, text, code, code));
    };
    if text("tool_name").is_none() {
        rejected(Part::Field("tool_name".into()), "missing_required_fields", "it names no tool");
    }
    if header(headers::TURN).is_none() {
        rejected(
            Part::Header(headers::TURN),
            "missing_agent_turn_id",
            "it is missing; every action needs a new turn id",
        );
    }
    match &world.worker_target {
        Known::Unknown => {}
        Known::Absent => rejected(
            Part::Roster,
            "agent_not_found",
            "the project has no such agent: make one for the UI",
        ),
        Known::Found(target) if target != UI_WORKER => {
            rejected(
                Part::Roster,
                "invalid_worker_target",
                "the agent runs on another worker than ui_worker",
            );
        }
        Known::Found(_) => {}
    }
    match world.ui_allowed {
        Known::Unknown => {}
        Known::Absent => rejected(
            Part::Tool,
            "tool_definition_missing",
            "the project has no such tool: push its definition",
        ),
        Known::Found(false) => {
            rejected(Part::Tool, "ui_not_allowed", "the tool's options lack \"ui_allowed\": true");
        }
        Known::Found(true) => {}
    }
    if !body.get("args").is_some_and(Value::is_object) {
        rejected(
            Part::Field("args".into()),
            "invalid_args",
            "it must be an object, empty at least",
        );
    }
    if body.get("metadata").is_some_and(|metadata| !metadata.is_object()) {
        rejected(
            Part::Field("metadata".into()),
            "invalid_metadata",
            "it must be an object where it is there",
        );
    }
    if matches!(world.busy, Known::Found(true)) {
        rejected(
            Part::Agent,
            "busy",
            "the agent is busy with another action; if that never ends it is stuck: make a new one",
        );
    }
    if matches!(world.repeated, Known::Found(())) {
        let text = "an action of this id was sent before: this one leases the turn, is then refused, and wedges the agent for good";
        faults.push(Fault {
            at: Part::Field("action_id".into()),
            stage: Stage::Claim,
            fate: CommandFate::Stalled,
            text: text.into(),
            says: None,
        });
    }
    faults
}

/// What the worker does not answer at all.
fn check_silent_drops(command: &Command, body: &Map<String, Value>, faults: &mut Vec<Fault>) {
    let mut silent = |at, text: String, fate| {
        faults.push(Fault { at, stage: Stage::Ingress, fate, text, says: None });
    };
    let subject = Subject::parse(&command.subject);
    if !subject.is_some_and(|subject| {
        subject.category == "cmd" && subject.component == "sys" && subject.suffix == "action"
    }) {
        silent(
            Part::Subject,
            "actions are sent to cg.v1r4.PROJECT.CHANNEL.cmd.sys.ui.action".into(),
            CommandFate::Unheard,
        );
    }
    if headers::find_value(&command.headers, headers::AGENT).is_none() {
        silent(
            Part::Header(headers::AGENT),
            "it is missing, and nothing is answered".into(),
            CommandFate::Dropped,
        );
    }
    if let Some(name) = preflight::control_fields(body).first() {
        let text = "identity belongs in the headers; with it in the body there is no answer, \
            although older documents show it there";
        silent(Part::Field((*name).into()), text.into(), CommandFate::Dropped);
    }
    if body.get("action_id").and_then(Value::as_str).is_none_or(|id| id.trim().is_empty()) {
        silent(
            Part::Field("action_id".into()),
            "it is missing, and nothing is answered".into(),
            CommandFate::Dropped,
        );
    }
}

/// The acknowledgement of an action that is let through.
#[must_use]
pub fn accepted_ack(action: &str, agent: &str) -> Value {
    json!({"action_id": action, "agent_id": agent, "status": "accepted"})
}

/// The acknowledgement of an action that is not.
#[must_use]
pub fn rejected_ack(action: &str, agent: &str, code: &str) -> Value {
    json!({"action_id": action, "agent_id": agent, "status": "rejected", "error_code": code})
}

/// The acknowledgement that closes an action: its tool's result.
#[must_use]
pub fn closing_ack(action: &str, agent: &str, result: &BuiltResult, result_card: &str) -> Value {
    let mut ack = json!({"action_id": action, "agent_id": agent, "status": "done", "tool_result_card_id": result_card});
    if let Some(error) = &result.error {
        ack["status"] = "rejected".into();
        ack["error_code"] = error["code"].clone();
        ack["error"] = error["message"].clone();
    }
    ack
}
