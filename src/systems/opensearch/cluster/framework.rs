//! The paths below `/_plugins/_ml`.

use serde_json::{Map, Value, json};

use super::{
    answer::{ClusterAnswer, ClusterRequest},
    documents::written,
    memory::answer_memory,
    records::{AGENT, CONNECTOR, MCP_TOOL, MODEL, MODEL_GROUP, PLAIN_KINDS, RecordKind, TASK},
    runs::{Ask, execute_agent},
    search::answer_search,
    state::{ClusterState, flatten_agent},
    stubs::reply_named,
    tools::{list_tools, predict, run_tool},
};
use crate::systems::opensearch::{
    keys,
    registration::{check_agent, check_connector},
};

/// The answer to a request below the framework's path; `ask` answers the requests that it makes
/// itself.
pub fn answer_framework(
    state: &mut ClusterState,
    ask: Ask,
    path: &[&str],
    request: &ClusterRequest,
) -> ClusterAnswer {
    match (request.method.as_str(), path) {
        ("GET", ["tools"]) => ClusterAnswer::json(200, list_tools(state).into()),
        ("GET", ["tools", name]) => {
            match list_tools(state).into_iter().find(|tool| tool["name"] == *name) {
                Some(tool) => ClusterAnswer::json(200, tool),
                None => ClusterAnswer::failure(
                    404,
                    format!("Failed to find tool information with the provided tool name: {name}"),
                ),
            }
        }
        ("POST", ["tools", "_execute", kind]) => run_tool(state, kind, request),
        ("POST", ["agents", id, "_execute"]) => execute_agent(state, ask, id, request, false),
        ("POST", ["agents", id, "_execute", "stream"]) => {
            execute_agent(state, ask, id, request, true)
        }
        ("POST", ["models", id, "_predict"]) => predict(state, id, request),
        ("POST", ["_predict", _, id]) => predict(state, id, request),
        ("POST", ["models", id, "_predict", "stream"]) => predict_stream(state, id, request),
        ("POST", ["models", id, "_deploy" | "_load"]) => {
            set_model_state(state, id, "DEPLOYED", request)
        }
        ("POST", ["models", id, "_undeploy" | "_unload"]) => {
            set_model_state(state, id, "UNDEPLOYED", request)
        }
        ("POST", ["agents", "_register"]) => register(state, AGENT, request),
        ("POST", ["connectors", "_create"]) => register(state, CONNECTOR, request),
        ("POST", ["models", "_register" | "_upload"]) => register(state, MODEL, request),
        ("POST", ["model_groups", "_register"]) => register(state, MODEL_GROUP, request),
        ("GET", ["tasks", id]) => read_task(state, id),
        ("GET" | "POST", ["profile", ..]) => ClusterAnswer::json(200, json!({"nodes": {}})),
        ("GET", ["stats", ..] | [_, "stats", ..]) => ClusterAnswer::json(200, json!({"nodes": {}})),
        (_, ["memory", rest @ ..]) => answer_memory(state, rest, request)
            .unwrap_or_else(|| ClusterAnswer::no_handler(request)),
        (_, ["mcp", "tools", word]) => answer_mcp_tools(state, word, request),
        (method, [kind, rest @ ..]) => {
            let kind = PLAIN_KINDS.iter().find(|known| known.path == *kind);
            let answered = kind.and_then(|kind| match (method, rest) {
                ("GET" | "POST", ["_search"]) => Some(search(state, *kind, request)),
                ("GET", [id]) => Some(get(state, *kind, id)),
                ("PUT", [id]) => Some(update(state, *kind, id, request)),
                ("DELETE", [id]) => Some(delete(state, *kind, id)),
                _ => None,
            });
            answered.unwrap_or_else(|| ClusterAnswer::no_handler(request))
        }
        _ => ClusterAnswer::no_handler(request),
    }
}

/// A stub's pieces in their own time, else the whole answer as one piece.
fn predict_stream(state: &ClusterState, id: &str, request: &ClusterRequest) -> ClusterAnswer {
    let body = match request.members() {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    let parameters = body.get(keys::PARAMETERS).and_then(Value::as_object).cloned();
    if let Some(reply) = reply_named(&state.stubs, &[id], &parameters.unwrap_or_default()) {
        return ClusterAnswer { told: reply.told, ..ClusterAnswer::play(reply.play) };
    }
    let whole = predict(state, id, request);
    if whole.is_failure() {
        return whole;
    }
    let answer: Value = serde_json::from_str(&whole.body_text()).unwrap_or_default();
    let text = answer["inference_results"][0]["output"][0]["dataAsMap"]["response"].clone();
    let piece = |content: Value, is_last: bool| {
        super::answer::inference_results(vec![
            json!({"name": "response", "dataAsMap": {"content": content, "is_last": is_last}}),
        ])
    };
    ClusterAnswer {
        told: whole.told,
        ..ClusterAnswer::events(vec![piece(text, false), piece("".into(), true)])
    }
}

fn set_model_state(
    state: &mut ClusterState,
    id: &str,
    word: &str,
    request: &ClusterRequest,
) -> ClusterAnswer {
    let Some(model) = state.records.get_mut(MODEL, id) else { return missing(MODEL, id) };
    model["model_state"] = word.into();
    if word == "UNDEPLOYED" {
        return ClusterAnswer::json(200, json!({"toolcrib": {"stats": {id: "undeployed"}}}));
    }
    let task = add_done_task(state, "DEPLOY_MODEL", id, request);
    ClusterAnswer::json(
        200,
        json!({"task_id": task, "task_type": "DEPLOY_MODEL", "status": "COMPLETED"}),
    )
}

fn add_done_task(
    state: &mut ClusterState,
    kind: &str,
    model: &str,
    request: &ClusterRequest,
) -> String {
    let task = json!({
        "model_id": model, "task_type": kind, "function_name": "REMOTE", "state": "COMPLETED",
        "worker_node": ["toolcrib"], "create_time": request.now.0,
        "last_update_time": request.now.0, "is_async": true,
    });
    state.records.add(TASK, task)
}

/// Registers what a body says, or refuses it as the framework does.
fn register(state: &mut ClusterState, kind: RecordKind, request: &ClusterRequest) -> ClusterAnswer {
    let body = match request.members() {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    if let Err(details) = check_record(kind, &body, true) {
        return ClusterAnswer::failure(400, details);
    }
    let mut value = Value::Object(body);
    if kind == AGENT {
        value = flatten_agent(value);
    }
    value["created_time"] = request.now.0.into();
    value["last_updated_time"] = request.now.0.into();
    if kind == MODEL {
        value["model_state"] = "DEPLOYED".into();
        value["algorithm"] = "REMOTE".into();
        let id = state.records.add(kind, value);
        let task = add_done_task(state, "REGISTER_MODEL", &id, request);
        let answer = json!({"task_id": task, "status": "CREATED", "model_id": id});
        return ClusterAnswer::json(200, answer);
    }
    let id = state.records.add(kind, value);
    let mut answer = json!({ kind.id: id });
    if kind == MODEL_GROUP {
        answer["status"] = "CREATED".into();
    }
    ClusterAnswer::json(200, answer)
}

/// That the framework takes a new record of that kind (`agent`, `connector`), or why it does not.
fn check_record(kind: RecordKind, body: &Map<String, Value>, is_new: bool) -> Result<(), String> {
    match kind {
        AGENT => check_agent(body),
        CONNECTOR => check_connector(body, is_new),
        _ => match body.get(keys::NAME).is_some_and(Value::is_string) {
            true => Ok(()),
            false => Err(format!("{} name is null", kind.noun)),
        },
    }
}

fn search(state: &ClusterState, kind: RecordKind, request: &ClusterRequest) -> ClusterAnswer {
    let body = match request.members() {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    let mut rows = state.records.of_kind(kind).map(|(id, value)| (kind.index, id, value));
    match answer_search(&mut rows, &body) {
        Ok(mut found) => {
            let hits = found["hits"]["hits"].as_array_mut();
            hits.into_iter().flatten().for_each(|hit| hide_secrets(&mut hit["_source"]));
            ClusterAnswer::json(200, found)
        }
        Err(why) => ClusterAnswer::failure(400, why),
    }
}

/// A connector's credentials are never reported.
fn hide_secrets(value: &mut Value) {
    if let Some(members) = value.as_object_mut() {
        members.remove("credential");
    }
}

fn get(state: &ClusterState, kind: RecordKind, id: &str) -> ClusterAnswer {
    let Some(value) = state.records.get(kind, id) else { return missing(kind, id) };
    let mut value = value.clone();
    hide_secrets(&mut value);
    ClusterAnswer::json(200, value)
}

/// A task that runs is done when it is asked after the next time.
fn read_task(state: &mut ClusterState, id: &str) -> ClusterAnswer {
    let Some(task) = state.records.get_mut(TASK, id) else { return missing(TASK, id) };
    let told = task.clone();
    if told["state"] == "RUNNING" {
        task["state"] = "COMPLETED".into();
        let mut running = told;
        if let Some(members) = running.as_object_mut() {
            members.remove("response");
        }
        return ClusterAnswer::json(200, running);
    }
    ClusterAnswer::json(200, told)
}

/// Members that are named take the place of those that were there, as an update does it.
fn update(
    state: &mut ClusterState,
    kind: RecordKind,
    id: &str,
    request: &ClusterRequest,
) -> ClusterAnswer {
    let body = match request.members() {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    let Some(there) = state.records.get(kind, id) else { return missing(kind, id) };
    let mut changed = there.clone();
    if kind == AGENT && body.get(keys::TYPE).is_some_and(|new| *new != there[keys::TYPE]) {
        return ClusterAnswer::failure(400, "Agent type cannot be updated");
    }
    for (name, value) in &body {
        changed[name.as_str()] = value.clone();
    }
    if kind == AGENT || kind == CONNECTOR {
        let members = changed.as_object().cloned().unwrap_or_default();
        if let Err(details) = check_record(kind, &members, false) {
            return ClusterAnswer::failure(400, details);
        }
    }
    if kind == AGENT {
        changed = flatten_agent(changed);
    }
    changed["last_updated_time"] = request.now.0.into();
    state.records.put(kind, id, changed);
    ClusterAnswer::json(200, written(kind.index, id, "updated"))
}

fn delete(state: &mut ClusterState, kind: RecordKind, id: &str) -> ClusterAnswer {
    let used: Vec<String> = state
        .records
        .of_kind(MODEL)
        .filter(|(_, model)| kind == CONNECTOR && model[keys::CONNECTOR_ID] == id)
        .map(|(model, _)| model.to_owned())
        .collect();
    if !used.is_empty() {
        let details = format!(
            "{} models are still using this connector, please delete or update the models first: [{}]",
            used.len(),
            used.join(", ")
        );
        return ClusterAnswer::failure(409, details);
    }
    match state.records.remove(kind, id) {
        true => ClusterAnswer::json(200, written(kind.index, id, "deleted")),
        false => missing(kind, id),
    }
}

fn missing(kind: RecordKind, id: &str) -> ClusterAnswer {
    let noun = kind.noun;
    ClusterAnswer::failure(404, format!("Failed to find {noun} with the provided {noun} id: {id}"))
}

/// Tools that the cluster offers as an MCP server.
fn answer_mcp_tools(
    state: &mut ClusterState,
    word: &str,
    request: &ClusterRequest,
) -> ClusterAnswer {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let listed = body[keys::TOOLS].as_array().cloned().unwrap_or_default();
    let named = |tool: &Value| {
        let name = tool.get(keys::NAME).or_else(|| tool.get(keys::TYPE)).and_then(Value::as_str);
        name.unwrap_or_default().to_owned()
    };
    match (request.method.as_str(), word) {
        ("GET", "_list") => {
            let tools: Vec<&Value> =
                state.records.of_kind(MCP_TOOL).map(|(_, tool)| tool).collect();
            ClusterAnswer::json(200, json!({ "tools": tools }))
        }
        ("POST", "_register" | "_update") => {
            for tool in listed {
                state.records.put(MCP_TOOL, &named(&tool), tool);
            }
            ClusterAnswer::json(200, json!({"toolcrib": {word.trim_start_matches('_'): true}}))
        }
        ("POST", "_remove") => {
            let names: Vec<String> = serde_json::from_str(&request.body).unwrap_or_default();
            names.iter().for_each(|name| {
                state.records.remove(MCP_TOOL, name);
            });
            ClusterAnswer::json(200, json!({"toolcrib": {"removed": true}}))
        }
        _ => ClusterAnswer::no_handler(request),
    }
}
