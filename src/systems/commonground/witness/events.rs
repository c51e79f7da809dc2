//! Events of agents: states, steps, how a task ended, and the stream of tokens.

use serde_json::Value;

use super::{
    channel_message::{ChannelMessage, short_id},
    commands,
};
use crate::model::{
    call::CallError,
    clock::Millis,
    error_kind::ErrorKind,
    traffic::{Decoded, Part},
};

/// How the ids of steps begin that only take a result in.
pub(super) const TAKES_RESULT: &str = "step_res_";

pub(super) fn classify_message(heard: &ChannelMessage<'_>) -> Decoded {
    let subject = &heard.subject;
    if let Err(problem) = &heard.fields {
        return heard.of_turn(
            Part::Unreadable(problem.clone()),
            "unreadable",
            problem.message.clone(),
        );
    }
    let mut reading = match (subject.component.as_str(), subject.suffix.as_str()) {
        ("agent", "state") => classify_state(heard),
        ("agent", "step") => classify_step(heard),
        ("agent", "task") => classify_task(heard),
        ("agent", "inbox_progress") => {
            heard.of_turn(Part::Note, "inbox", heard.crossing.body_text())
        }
        ("sys", "action_ack") => commands::classify_ack(heard),
        ("sys", "marker") => heard.of_turn(Part::Note, "marker", heard.crossing.body_text()),
        _ => heard.of_turn(Part::Note, "event", heard.crossing.body_text()),
    };
    if subject.component == "agent" {
        reading.topic = Some(subject.target.clone());
    }
    reading
}

/// A text of the event's metadata.
fn metadata_text<'h>(heard: &'h ChannelMessage<'_>, name: &str) -> Option<&'h str> {
    heard.member("metadata")?.get(name)?.as_str().filter(|text| !text.is_empty())
}

fn classify_state(heard: &ChannelMessage<'_>) -> Decoded {
    let status = heard.text("status").unwrap_or("unknown");
    let mut words = Vec::new();
    let waits: Vec<&str> = heard
        .member("metadata")
        .and_then(|about| about.get("waiting_tool_call_ids")?.as_array())
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    words.extend(match (metadata_text(heard, "activity"), metadata_text(heard, "current_tool")) {
        (Some("awaiting_tool_result"), _) if waits.len() > 1 => {
            Some(format!("awaits {} results", waits.len()))
        }
        (Some("awaiting_tool_result"), _) => Some("awaits a result".to_owned()),
        (Some("executing_tool"), Some(tool)) => Some(format!("executes {tool}")),
        (Some(activity), _) => Some(activity.replace('_', " ")),
        (None, tool) => tool.map(str::to_owned),
    });
    words.extend(waits.iter().map(|call| short_id(call)));
    words.extend(
        heard.member("turn_epoch").and_then(Value::as_u64).map(|epoch| format!("epoch {epoch}")),
    );
    let due = metadata_text(heard, "resume_deadline").or_else(|| heard.text("resume_deadline"));
    let mut reading = heard.of_turn(Part::Note, "state", words.join(" · "));
    reading.state = Some(status.to_owned());
    reading.due = due.and_then(Millis::parse);
    if due.is_some() && reading.due.is_none() {
        reading
            .remarks
            .push(format!("its resume_deadline {:?} is no moment", due.unwrap_or_default()));
    }
    reading
}

fn classify_step(heard: &ChannelMessage<'_>) -> Decoded {
    let step = heard.text("step_id").unwrap_or("?");
    let phase = heard.text("phase").unwrap_or_default();
    let new = new_cards(heard);
    let cards = match new[..] {
        [] => String::new(),
        ref cards => format!(
            ": new {} {}",
            if cards.len() == 1 { "card" } else { "cards" },
            cards.iter().map(|card| short_id(card)).collect::<Vec<_>>().join(", ")
        ),
    };
    // Steps that only take a result in are named so.
    let what = if step.starts_with(TAKES_RESULT) { "takes a result in, " } else { "" };
    let reading =
        heard.of_turn(Part::Note, "step", format!("{what}{} {phase}{cards}", short_id(step)));
    Decoded { cards: new.into_iter().map(str::to_owned).collect(), ..reading }
}

/// The cards that came with a step.
pub(super) fn new_cards<'h>(heard: &'h ChannelMessage<'_>) -> Vec<&'h str> {
    heard
        .member("new_card_ids")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn classify_task(heard: &ChannelMessage<'_>) -> Decoded {
    let status = heard.text("status").unwrap_or("unknown");
    let mut words = vec![status.to_owned()];
    let cards = ["deliverable_card_id", "tool_result_card_id"].map(|name| heard.text(name));
    let named = ["deliverable", "result card"].into_iter().zip(cards);
    words.extend(named.filter_map(|(what, card)| Some(format!("{what} {}", short_id(card?)))));
    words.extend(
        heard
            .member("stats")
            .and_then(|stats| stats.get("duration_ms")?.as_f64())
            .map(|ms| format!("{ms:.0} ms")),
    );
    let problem = (!["success", "partial"].contains(&status))
        .then(|| task_error(status, heard.member("error")));
    words.extend(problem.as_ref().map(|problem| problem.message.clone()));
    let reading = heard.of_turn(Part::Outcome(problem), "task", words.join(" · "));
    Decoded { cards: cards.into_iter().flatten().map(str::to_owned).collect(), ..reading }
}

/// What an error says, which may be a text or a map.
fn task_error(status: &str, error: Option<&Value>) -> CallError {
    let text = |name: &str| error.and_then(|error| error.get(name)?.as_str()).map(str::to_owned);
    let message = text("message").or_else(|| error.and_then(Value::as_str).map(str::to_owned));
    CallError {
        kind: ErrorKind::parse(text("code").as_deref().unwrap_or(status)),
        message: message.unwrap_or_else(|| format!("the turn ended as {status}")),
        remedy: "its last cards say more".into(),
    }
}

/// A piece of what a model says. Of what begins the stream only the model's name is reported: the
/// rest is its configuration, with keys and addresses.
pub(super) fn classify_chunk(heard: &ChannelMessage<'_>) -> Decoded {
    let content = || heard.member("content").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut reading = match (heard.text("chunk_type"), &heard.fields) {
        (_, Err(problem)) => {
            heard.of_turn(Part::Unreadable(problem.clone()), "unreadable", problem.message.clone())
        }
        (Some("content"), _) => heard.of_turn(Part::Answer { last: false }, "says", content()),
        (Some("reasoning"), _) => heard.of_turn(Part::Answer { last: false }, "thinks", content()),
        (Some("start"), _) => {
            let config = heard.member("metadata").and_then(|about| about.get("llm_config"));
            let model =
                config.and_then(|config| config.get("model")?.as_str()).unwrap_or("a model");
            heard.of_turn(Part::Note, "begins", format!("{model} begins to answer"))
        }
        (Some("end"), _) => heard.of_turn(Part::Note, "ends", tokens(heard)),
        (kind, _) => heard.of_turn(
            Part::Note,
            "chunk",
            format!("{} {}", kind.unwrap_or("of no type"), content()),
        ),
    };
    reading.topic = Some(heard.subject.target.clone());
    reading
}

fn tokens(heard: &ChannelMessage<'_>) -> String {
    let count = |name: &str| heard.member("usage").and_then(|usage| usage.get(name)?.as_u64());
    match (count("prompt_tokens"), count("completion_tokens")) {
        (Some(read), Some(written)) => format!("read {read} tokens, wrote {written}"),
        (Some(read), None) => format!("read {read} tokens"),
        _ => "the answer ends".to_owned(),
    }
}
