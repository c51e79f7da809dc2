//! Cases read off CommonGround's live services: what becomes of a tool command or a UI action, by
//! its faults.

use serde_json::{Map, Value, json};
use toolcrib::systems::commonground::{
    action,
    after::{AfterExecution, AfterSource as Lifecycles},
    card::Card,
    command::Command,
    fault::{CommandFate, KnownText, verdict},
    headers::{self, AGENT},
    known::Known,
    preflight::{self, CommandWorld, ServiceKind, body::Body},
    report::{Request, Turn},
    result::{self, ToolResult},
};

use super::same;

fn command_of(case: &Value, body: String) -> Command {
    let headers = case["headers"].as_object().into_iter().flatten();
    let text = |(name, value): (&String, &Value)| {
        (name.clone(), value.as_str().unwrap_or_default().to_owned())
    };
    Command {
        subject: case["subject"].as_str().unwrap_or_default().into(),
        headers: headers.map(text).collect(),
        body,
    }
}

fn world_of(case: &Value, command: &Command) -> CommandWorld {
    let world = &case["world"];
    let given = &world["call_card"];
    let body = Body::parse(&command.body);
    let said =
        |name: &str| body.data().and_then(|data| data.get(name)).cloned().unwrap_or_default();
    // The store has one card.
    let pointed = said("tool_call_card_id");
    let card = (given["present"] == json!(true) && pointed == "card_a1").then(|| {
        Card::from_value(&json!({
            "card_id": "card_a1", "tenant_id": given["project"], "tool_call_id": given["tool_call_id"], "content": given["content"],
            "metadata": labels(given),
        }))
    });
    let agent =
        command.headers.iter().find(|(name, _)| name == AGENT).map(|(_, value)| json!(value));
    let known = agent
        .filter(|agent| world["roster"].as_array().is_some_and(|roster| roster.contains(agent)));
    let tool = said("tool_name");
    let tools = world["tools"]
        .as_object()
        .is_some_and(|tools| tools.contains_key(tool.as_str().unwrap_or_default()));
    // The turn is that of the one agent that the roster has.
    let turn =
        if headers_name(command) && known.is_none() { None } else { world["turn_epoch"].as_u64() };
    CommandWorld {
        service: if case["service"] == "openapi" {
            ServiceKind::Strict
        } else {
            ServiceKind::Plain
        },
        card: Known::looked_up(card.flatten()),
        turn: Known::looked_up(turn.map(|epoch| Turn { epoch })),
        request: Known::looked_up(world["request_depth"].as_u64().map(|depth| Request { depth })),
        // Whoever is not named at all is not looked up.
        worker_target: if headers_name(command) {
            Known::looked_up(known.map(|_| "worker_generic".into()))
        } else {
            Known::Unknown
        },
        result: Known::Absent,
        registered: Known::looked_up((tools || tool == "jina_search").then_some(())),
        listeners: Known::Unknown,
    }
}

fn headers_name(command: &Command) -> bool {
    headers::find_value(&command.headers, AGENT).is_some()
}

/// What the store wrote about the call's card.
fn labels(card: &Value) -> Value {
    let mut labels = card["metadata"].as_object().cloned().unwrap_or_default();
    labels.extend(card.get("type").map(|kind| ("type".to_owned(), kind.clone())));
    labels.into()
}

/// The verdict on a command in the vector's words.
pub fn command(case: &Value) -> Result<(), String> {
    let command = command_of(case, case["body"].as_str().unwrap_or_default().into());
    let faults = preflight::preflight_command(&command, &world_of(case, &command));
    let verdict = verdict(&faults);
    let mut got = Map::from_iter([
        ("outcome".to_owned(), json!(verdict.fate.as_str())),
        ("deliveries".to_owned(), json!(verdict.fate.deliveries())),
        ("marker".to_owned(), json!(verdict.marker)),
    ]);
    let refusal = preflight::refusal_result(&command, &verdict);
    if let Some(after) = refusal
        .as_ref()
        .map(|built| built.after.after)
        .or(preflight::stored_after(&command, &verdict))
    {
        got.insert("after_execution".into(), after.as_str().into());
    }
    if verdict.fate == CommandFate::Stalled {
        got.insert("blocked_seconds_at_least".into(), 30.into());
    }
    if let Some(error) = refusal.and_then(|built| built.error) {
        got.insert("error_code".into(), error["code"].clone());
        got.insert("error_message".into(), error["message"].clone());
    }
    match verdict.because.and_then(|fault| fault.says.as_ref()) {
        None | Some(KnownText::Result { .. }) => {}
        Some(KnownText::Log(text)) => drop(got.insert("log_message".into(), json!(text))),
        Some(KnownText::Report(code)) => drop(got.insert("report_code".into(), json!(code))),
    }
    if verdict.fate != CommandFate::Executed
        && verdict.because.is_none_or(|fault| fault.text.is_empty())
    {
        return Err("nothing says why".into());
    }
    same("what becomes of it", &got.into(), &case["expect"])
}

/// The acknowledgements, as a worker that has the same checks gives them.
pub fn action(case: &Value) -> Result<(), String> {
    let (payload, world) = (&case["payload"], &case["world"]);
    let command = command_of(case, payload.to_string());
    let agent =
        command.headers.iter().find(|(name, _)| name == AGENT).map_or("", |(_, value)| value);
    let tool = &world["tools"][payload["tool_name"].as_str().unwrap_or_default()];
    let known = action::ActionWorld {
        worker_target: Known::looked_up(world["roster"][agent].as_str().map(str::to_owned)),
        ui_allowed: Known::looked_up(tool["ui_allowed"].as_bool()),
        busy: Known::Found(world["agent_state"] != "idle"),
        repeated: Known::Absent,
    };
    let id = payload["action_id"].as_str().unwrap_or_default();
    let faults = action::preflight_action(&command, &known);
    let acks = match faults.first() {
        None => vec![
            action::accepted_ack(id, agent),
            action::closing_ack(id, agent, &word_count(&payload["args"]), "card_r"),
        ],
        Some(fault) if fault.fate == CommandFate::Dropped => Vec::new(),
        Some(fault) => match &fault.says {
            Some(KnownText::Result { code, .. }) => vec![action::rejected_ack(id, agent, code)],
            other => return Err(format!("{fault} says {other:?}")),
        },
    };
    let shape = |ack: &Value| {
        let mut shape = json!({"status": ack["status"]});
        if ack["tool_result_card_id"].is_string() {
            shape["result_card"] = true.into();
        }
        if ack["error_code"].is_string() {
            shape["error_code"] = ack["error_code"].clone();
        }
        shape
    };
    same(
        "the acknowledgements",
        &json!(acks.iter().map(shape).collect::<Vec<_>>()),
        &case["expect"]["acks"],
    )
}

/// What the service behind the vectors answers.
fn word_count(arguments: &Value) -> result::BuiltResult {
    if arguments["text"].is_string() {
        let said = Lifecycles { command: Some(AfterExecution::Suspend), ..Lifecycles::default() };
        return result::build(&ToolResult::success(&json!({}), said));
    }
    result::failed_result(
        "bad_request",
        "mode=map requires string field 'text'",
        Some(AfterExecution::Suspend),
    )
}
