//! Conversations and their messages. A message with a parent is a trace of that one.

use serde_json::{Map, Value, json};

use super::{
    answer::{ClusterAnswer, ClusterRequest},
    documents::written,
    records::{MEMORY, MESSAGE, RecordKind},
    search::answer_search,
    state::ClusterState,
};
use crate::model::clock::Millis;

const PARENT: &str = "parent_message_id";

/// Begins a conversation, and says its id.
pub fn begin_memory(state: &mut ClusterState, name: &str, now: Millis) -> String {
    let time = now.to_timestamp();
    let memory = json!({"create_time": time, "updated_time": time, "name": name});
    add_with_id(state, MEMORY, memory)
}

/// Adds a message to a conversation, and says its id; `members` say what was asked and answered.
pub fn add_message(
    state: &mut ClusterState,
    memory: &str,
    members: &Map<String, Value>,
    now: Millis,
) -> String {
    let mut message = json!({"memory_id": memory, "create_time": now.to_timestamp()});
    let known = [
        "input",
        "prompt_template",
        "response",
        "origin",
        "additional_info",
        PARENT,
        "trace_number",
    ];
    for name in known {
        if let Some(value) = members.get(name).filter(|value| !value.is_null()) {
            message[name] = value.clone();
        }
    }
    if let Some(kept) = state.records.get_mut(MEMORY, memory) {
        kept["updated_time"] = now.to_timestamp().into();
    }
    add_with_id(state, MESSAGE, message)
}

fn add_with_id(state: &mut ClusterState, kind: RecordKind, value: Value) -> String {
    let id = state.records.add(kind, value);
    if let Some(kept) = state.records.get_mut(kind, &id) {
        kept[kind.id] = id.as_str().into();
    }
    id
}

/// The messages of a conversation, or the traces of a message.
#[must_use]
pub fn messages_of(state: &ClusterState, memory: &str) -> Vec<Value> {
    let all = state.records.of_kind(MESSAGE).map(|(_, message)| message);
    all.filter(|message| message["memory_id"] == memory && message.get(PARENT).is_none())
        .cloned()
        .collect()
}

fn traces_of(state: &ClusterState, message: &str) -> Vec<Value> {
    let all = state.records.of_kind(MESSAGE).map(|(_, trace)| trace);
    all.filter(|trace| trace[PARENT] == message).cloned().collect()
}

/// The answer to a request below `memory`; `None` where the path leads nowhere.
pub fn answer_memory(
    state: &mut ClusterState,
    path: &[&str],
    request: &ClusterRequest,
) -> Option<ClusterAnswer> {
    let body = match request.members() {
        Ok(body) => body,
        Err(refused) => return Some(*refused),
    };
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
    let done = |body: Value| Some(ClusterAnswer::json(200, body));
    match (request.method.as_str(), path) {
        ("POST", []) => {
            let id = begin_memory(state, text("name"), request.now);
            done(json!({ "memory_id": id }))
        }
        ("GET", []) => {
            let all: Vec<&Value> = state.records.of_kind(MEMORY).map(|(_, value)| value).collect();
            done(json!({ "memories": all }))
        }
        ("GET" | "POST", ["_search"]) => Some(search_kind(state, MEMORY, None, &body)),
        ("GET", ["message", id, "traces"]) => match state.records.get(MESSAGE, id) {
            Some(_) => done(json!({ "traces": traces_of(state, id) })),
            None => Some(missing(MESSAGE, id)),
        },
        ("GET", ["message", id]) => Some(get_record(state, MESSAGE, id)),
        ("PUT", ["message", id]) => Some(update_record(state, MESSAGE, id, body)),
        ("GET", [id]) => Some(get_record(state, MEMORY, id)),
        ("PUT", [id]) => Some(update_record(state, MEMORY, id, body)),
        ("DELETE", [id]) => Some(delete_memory(state, id)),
        (_, [id, ..]) if state.records.get(MEMORY, id).is_none() => Some(missing(MEMORY, id)),
        ("GET", [id, "messages"]) => done(json!({ "messages": messages_of(state, id) })),
        ("POST", [id, "messages"]) => {
            let message = add_message(state, id, &body, request.now);
            done(json!({ "message_id": message }))
        }
        ("GET" | "POST", [id, "_search"]) => Some(search_kind(state, MESSAGE, Some(id), &body)),
        _ => None,
    }
}

fn search_kind(
    state: &ClusterState,
    kind: RecordKind,
    memory: Option<&str>,
    body: &Map<String, Value>,
) -> ClusterAnswer {
    let is_of = |value: &Value| memory.is_none_or(|memory| value["memory_id"] == memory);
    let rows = state.records.of_kind(kind).filter(|(_, value)| is_of(value));
    match answer_search(&mut rows.map(|(id, value)| (kind.index, id, value)), body) {
        Ok(found) => ClusterAnswer::json(200, found),
        Err(why) => ClusterAnswer::failure(400, why),
    }
}

fn get_record(state: &ClusterState, kind: RecordKind, id: &str) -> ClusterAnswer {
    let found = state.records.get(kind, id);
    found.map_or_else(|| missing(kind, id), |value| ClusterAnswer::json(200, value.clone()))
}

fn update_record(
    state: &mut ClusterState,
    kind: RecordKind,
    id: &str,
    body: Map<String, Value>,
) -> ClusterAnswer {
    let Some(kept) = state.records.get_mut(kind, id) else { return missing(kind, id) };
    for (name, value) in body {
        kept[name.as_str()] = value;
    }
    ClusterAnswer::json(200, written(kind.index, id, "updated"))
}

fn delete_memory(state: &mut ClusterState, id: &str) -> ClusterAnswer {
    let messages = state.records.of_kind(MESSAGE).filter(|(_, value)| value["memory_id"] == id);
    let messages: Vec<String> = messages.map(|(id, _)| id.to_owned()).collect();
    for message in messages {
        state.records.remove(MESSAGE, &message);
    }
    let success = state.records.remove(MEMORY, id);
    ClusterAnswer::json(200, json!({ "success": success }))
}

fn missing(kind: RecordKind, id: &str) -> ClusterAnswer {
    let noun = kind.noun;
    let mut letters = noun.chars();
    let capital = letters.next().map(|letter| letter.to_ascii_uppercase()).into_iter();
    let noun: String = capital.chain(letters).collect();
    ClusterAnswer::failure(404, format!("{noun} [{id}] not found"))
}
