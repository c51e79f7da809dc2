//! Commands: to tools, to the worker behind a UI, to the workers of agents; and what the UI worker
//! acknowledges.

use serde_json::Value;

use super::{
    super::{ack::Ack, action, headers, idempotency, preflight},
    channel_message::{ChannelMessage, SYSTEM, short_id},
};
use crate::model::{
    call::CallError,
    error_kind::ErrorKind,
    traffic::{Decoded, Part},
};

/// What the watchdog says when it rings for an inbox that nobody empties.
pub(super) const WATCHDOG: &str = "watchdog_pending_inbox";

pub(super) fn classify_message(heard: &ChannelMessage<'_>) -> Decoded {
    let subject = &heard.subject;
    match (subject.component.as_str(), subject.target.as_str(), subject.suffix.as_str()) {
        ("tool", ..) => classify_tool(heard, &subject.target),
        // The tools that are built in are named by their suffix.
        ("sys", "pmo", suffix) if suffix.starts_with("internal.") => {
            classify_tool(heard, suffix.trim_start_matches("internal."))
        }
        ("sys", "ui", "action") => ui_action(heard),
        ("agent", _, "wakeup") => classify_wakeup(heard),
        _ => heard.of_turn(Part::Note, "command", heard.crossing.body_text()),
    }
}

fn classify_tool(heard: &ChannelMessage<'_>, target: &str) -> Decoded {
    let name = heard.text("tool_name").unwrap_or(target);
    let card = heard.text("tool_call_card_id");
    let call = heard.header(headers::CALL);
    let mut words = vec![name.to_owned()];
    words.extend(card.map(|card| format!("call card {}", short_id(card))));
    words.extend(heard.text("after_execution").map(|after| format!("then {after}")));
    words.extend(heard.header(headers::EPOCH).map(|epoch| format!("epoch {epoch}")));
    let part = match &heard.fields {
        Err(problem) if problem.kind != ErrorKind::TooLarge => Part::Unreadable(problem.clone()),
        _ => Part::Request,
    };
    // A card may be sent with a call that is not its own, so that it names the call only where
    // nothing else does.
    let mut reading = heard.of_call(call.or(card), part, "command", words.join(" · "));
    let key = call.map(|call| idempotency::tool_key(&heard.subject.project_id, name, call));
    reading.ties.also.extend(key);
    reading.topic = Some(name.to_owned());
    reading.cards = card.map(str::to_owned).into_iter().collect();
    let own = heard.subject.component == "sys";
    let world = preflight::CommandWorld {
        service: preflight::ServiceKind::from_target(target),
        ..preflight::CommandWorld::default()
    };
    let faults =
        if own { Vec::new() } else { preflight::preflight_command(&heard.command(), &world) };
    reading.remarks = faults.iter().map(ToString::to_string).collect();
    reading
}

fn ui_action(heard: &ChannelMessage<'_>) -> Decoded {
    let name = heard.text("tool_name").unwrap_or("no tool");
    let arguments = heard.member("args").map(Value::to_string).unwrap_or_default();
    let mut reading = heard.of_call(
        heard.text("action_id"),
        Part::Request,
        "action",
        format!("{name} {arguments}"),
    );
    reading.topic = Some(name.to_owned());
    let faults = action::preflight_action(&heard.command(), &action::ActionWorld::default());
    reading.remarks = faults.iter().map(ToString::to_string).collect();
    reading
}

/// What the UI worker says about an action.
pub(super) fn classify_ack(heard: &ChannelMessage<'_>) -> Decoded {
    let Ack { status, card, code, error, .. } = &heard.ack();
    let pointer = card
        .as_deref()
        .map(|card| format!(" · result card {}", short_id(card)))
        .unwrap_or_default();
    let code = code.as_deref().unwrap_or(status);
    let (part, text) = match heard.ack() {
        ack if !ack.is_final() => (Part::Note, "accepted: the worker runs it".to_owned()),
        ack if !ack.is_failure() => (Part::Answer { last: true }, format!("{status}{pointer}")),
        _ => {
            let message = error.clone().unwrap_or_else(|| format!("the UI worker says {code}"));
            let problem = CallError::new(ErrorKind::parse(code), message.as_str(), remedy(code));
            (Part::Error(problem), format!("{code}: {message}{pointer}"))
        }
    };
    let mut reading = heard.of_call(heard.text("action_id"), part, "ack", text);
    reading.cards.extend(card.clone());
    reading.remarks.extend(Some(remedy(code)).filter(|words| !words.is_empty()).map(str::to_owned));
    reading
}

/// What to do about a refusal of the UI worker.
fn remedy(code: &str) -> &'static str {
    match code {
        "ui_not_allowed" => "the tool's options lack \"ui_allowed\": true",
        "tool_definition_missing" => "the project has no such tool: push its definition",
        "invalid_args" => "\"args\" must be an object, empty at least",
        "invalid_metadata" => "\"metadata\" must be an object where it is there",
        "missing_agent_turn_id" => {
            "the header CG-Turn-Id is missing: every action wants a new turn id"
        }
        "agent_not_found" => "the project has no such agent: make one for the UI",
        "invalid_worker_target" => {
            "the agent runs on another worker: an action wants one with worker_target ui_worker"
        }
        "dispatch_failed" => {
            "the worker could not send the tool's command: its target_subject has fewer than eight parts, or names another project or channel; \
             a failed result card in the agent's box has the cause"
        }
        "busy" | "agent_busy" => {
            "the agent has another action under way; if that never ends it is wedged: make a new agent"
        }
        _ => "",
    }
}

fn classify_wakeup(heard: &ChannelMessage<'_>) -> Decoded {
    let worker = &heard.subject.target;
    let reason = heard.text("reason");
    if reason == Some(WATCHDOG) {
        let row =
            heard.text("inbox_id").map(|row| format!(" of {}", short_id(row))).unwrap_or_default();
        let id =
            format!("watchdog {}.{}.{worker}", heard.subject.project_id, heard.subject.channel_id);
        let text = format!("rings {worker} every 5 s: an inbox row{row} is still pending");
        let topic = Some(format!("watchdog {worker}"));
        return Decoded {
            id: Some(id),
            topic,
            routine: true,
            ..Decoded::new(Some(SYSTEM), Part::Other, "watchdog", text)
        };
    }
    let (part, text) = match (reason, &heard.fields) {
        (_, Err(problem)) => (Part::Unreadable(problem.clone()), problem.message.clone()),
        (Some(reason), _) => (Part::Request, format!("{worker}: {reason}")),
        (None, _) => {
            (Part::Note, format!("{worker}: something waits in the inbox, such as a result"))
        }
    };
    heard.of_turn(part, "wakeup", text)
}
