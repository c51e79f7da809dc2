//! An agent at work: its tools one after another by the rules of the local engine; where a model
//! chooses them, those that the question names, and then the model.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{
    answer::{ClusterAnswer, ClusterRequest, inference_results},
    memory::{add_message, begin_memory, messages_of},
    records::{AGENT, TASK},
    state::{ClusterState, members_of},
    stubs::reply_named,
};
use crate::{
    schema::phrase::value_text,
    systems::opensearch::{
        agent_answer::read_answer as read_agent_answer,
        keys,
        steps::{answer::read_answer, plan::Plan, prepare::prepare_step, state::RunState},
        tool_parameters::ToolSpec,
    },
};

/// Answers a request that a run makes.
pub type Ask = fn(&mut ClusterState, &ClusterRequest) -> ClusterAnswer;

/// Agents that call agents end here.
const DEEPEST: usize = 8;

/// An agent's run that came to its end.
struct AgentRun {
    /// `memory_id` and the message's id, where the agent keeps a memory.
    kept: Vec<Value>,
    steps: Vec<RanStep>,
    entries: Vec<Value>,
    after: Duration,
    service: String,
    rule: Option<String>,
}

/// A tool that was run.
struct RanStep {
    called: String,
    input: String,
    output: String,
}

/// Answers a request to execute an agent, at once, as a task, or as a stream of events.
pub fn execute_agent(
    state: &mut ClusterState,
    ask: Ask,
    id: &str,
    request: &ClusterRequest,
    is_stream: bool,
) -> ClusterAnswer {
    let run = match run_agent(state, ask, id, request) {
        Ok(run) => run,
        Err(refused) => return *refused,
    };
    let agent_type = state.records.get(AGENT, id).map(|agent| value_text(&agent[keys::TYPE]));
    let mut answer = if is_stream {
        let is_typed = agent_type.is_some_and(|kind| kind.eq_ignore_ascii_case("ag_ui"));
        ClusterAnswer::events(if is_typed { typed_events(&run) } else { plain_events(&run) })
    } else {
        let entries = run.kept.iter().chain(&run.entries).cloned().collect();
        ClusterAnswer::json(200, inference_results(entries))
    };
    answer.after = run.after;
    answer.told.service = run.service;
    answer.told.rule = run.rule;
    match request.query_value("async") == Some("true") && !is_stream {
        true => begin_task(state, answer, &run.kept, request),
        false => answer,
    }
}

/// The answer goes into a task, which is done when it is asked after the second time.
fn begin_task(
    state: &mut ClusterState,
    answer: ClusterAnswer,
    kept: &[Value],
    request: &ClusterRequest,
) -> ClusterAnswer {
    let response: Value = serde_json::from_str(&answer.body_text()).unwrap_or_default();
    let task = json!({
        "task_type": "AGENT_EXECUTION", "function_name": "AGENT", "state": "RUNNING",
        "create_time": request.now.0, "last_update_time": request.now.0, "is_async": true,
        "response": response,
    });
    let id = state.records.add(TASK, task);
    let mut begun = json!({"task_id": id, "status": "RUNNING"});
    if !kept.is_empty() {
        let members: Map<String, Value> = kept
            .iter()
            .filter_map(|entry| Some((entry["name"].as_str()?.to_owned(), entry["result"].clone())))
            .collect();
        begun["response"] = members.into();
    }
    ClusterAnswer { body: ClusterAnswer::json(200, begun).body, ..answer }
}

fn run_agent(
    state: &mut ClusterState,
    ask: Ask,
    id: &str,
    request: &ClusterRequest,
) -> Result<AgentRun, Box<ClusterAnswer>> {
    let failed = |status, details: String| Box::new(ClusterAnswer::failure(status, details));
    let Some(agent) = state.records.get(AGENT, id).cloned() else {
        return Err(failed(404, format!("Failed to find agent with the provided agent id: {id}")));
    };
    if request.depth >= DEEPEST {
        return Err(failed(500, "agents call each other in a circle".into()));
    }
    let mut parameters = given_parameters(request)?;
    let name = agent[keys::NAME].as_str().unwrap_or(id).to_owned();
    let question = asked_text(&parameters);
    let kept = remember_question(state, &agent, &mut parameters, &question, request);
    let mut run = AgentRun {
        kept: kept.iter().flat_map(|kept| kept.entries()).collect(),
        steps: Vec::new(),
        entries: Vec::new(),
        after: Duration::ZERO,
        service: name.clone(),
        rule: None,
    };
    if let Some(reply) = reply_named(&state.stubs, &[id, &name], &parameters) {
        (run.after, run.rule) = (reply.after, reply.told.rule.clone());
        match &reply.said {
            Ok(text) => run.entries.push(json!({"name": "response", "result": text})),
            Err(_) => return Err(Box::new(reply.to_answer(|text| json!({ "result": text })))),
        }
    } else {
        let plan = Plan::of_entry(&agent);
        let plan = plan
            .with_selection(parameters.get(keys::SELECTED_TOOLS))
            .map_err(|why| failed(400, why))?;
        run_steps(state, ask, &plan, &parameters, request, &mut run)?;
        if plan.is_open {
            ask_model(state, ask, &agent, (&parameters, &question), request, &mut run)?;
        }
    }
    if let Some(kept) = kept {
        kept.finish(state, &run, request);
    }
    Ok(run)
}

/// What a request gives: its parameters, or the text of its `input`.
fn given_parameters(request: &ClusterRequest) -> Result<Map<String, Value>, Box<ClusterAnswer>> {
    let body = request.members()?;
    match (body.get(keys::PARAMETERS), body.get(keys::INPUT)) {
        (Some(Value::Object(parameters)), _) => Ok(parameters.clone()),
        (_, Some(input)) => Ok(Map::from_iter([("question".to_owned(), value_text(input).into())])),
        _ => {
            let details = "Agent input data can not be empty.";
            Err(Box::new(ClusterAnswer::failure(400, details)))
        }
    }
}

fn asked_text(parameters: &Map<String, Value>) -> String {
    let asked = ["question", "input", "prompt"].iter().find_map(|name| parameters.get(*name));
    asked.map(value_text).unwrap_or_default()
}

/// A conversation that a run goes into.
struct KeptMessage {
    memory: String,
    message: String,
}

impl KeptMessage {
    fn entries(&self) -> [Value; 2] {
        [
            json!({"name": "memory_id", "result": self.memory}),
            json!({"name": "parent_message_id", "result": self.message}),
        ]
    }

    /// Keeps the answer, and a trace of each tool.
    fn finish(self, state: &mut ClusterState, run: &AgentRun, request: &ClusterRequest) {
        for (row, step) in run.steps.iter().enumerate() {
            let trace = json!({
                "input": step.input, "response": step.output, "origin": step.called,
                "parent_message_id": self.message, "trace_number": row + 1,
            });
            add_message(state, &self.memory, &members_of(Some(&trace)), request.now);
        }
        if let Some(message) = state.records.get_mut(super::records::MESSAGE, &self.message) {
            message["response"] = run.text().into();
        }
    }
}

/// Begins a message, where the agent keeps a memory; what was said before goes into `chat_history`.
fn remember_question(
    state: &mut ClusterState,
    agent: &Value,
    parameters: &mut Map<String, Value>,
    question: &str,
    request: &ClusterRequest,
) -> Option<KeptMessage> {
    agent.get("memory").filter(|memory| memory.is_object())?;
    let memory = match parameters.get("memory_id").map(value_text) {
        Some(memory) => memory,
        None => begin_memory(state, question, request.now),
    };
    let said: String = messages_of(state, &memory)
        .iter()
        .map(|message| {
            let text = |name: &str| message[name].as_str().unwrap_or_default();
            format!("Human: {}\nAI: {}\n", text("input"), text("response"))
        })
        .collect();
    if !said.is_empty() {
        parameters.insert("chat_history".into(), said.into());
    }
    let members = json!({"input": question, "origin": agent[keys::NAME]});
    let message = add_message(state, &memory, &members_of(Some(&members)), request.now);
    Some(KeptMessage { memory, message })
}

impl AgentRun {
    fn text(&self) -> String {
        read_agent_answer(&inference_results(self.entries.clone())).text
    }
}

/// Runs the tools of a plan; of one that a model orders, those that the question names.
fn run_steps(
    state: &mut ClusterState,
    ask: Ask,
    plan: &Plan,
    parameters: &Map<String, Value>,
    request: &ClusterRequest,
    run: &mut AgentRun,
) -> Result<(), Box<ClusterAnswer>> {
    let question = asked_text(parameters);
    let is_wanted = |step: &ToolSpec| !plan.is_open || question.contains(step.called());
    let mut known = RunState::from_arguments(parameters);
    let last = plan.steps.len().saturating_sub(1);
    for (number, step) in plan.steps.iter().enumerate().filter(|(_, step)| is_wanted(step)) {
        let prepared = prepare_step(number, step, &known);
        let refused = |details: String| {
            Box::new(ClusterAnswer::failure(400, format!("{}: {details}", step.called())))
        };
        let sent = prepared.request.map_err(refused)?;
        let body = sent.body.unwrap_or_default();
        let own = ClusterRequest::from_target(&sent.method, &sent.path, &body, request.now);
        let answer = ask(state, &ClusterRequest { depth: request.depth + 1, ..own });
        run.after += answer.after;
        if answer.is_failure() {
            return Err(Box::new(answer));
        }
        let read = read_answer(step, &prepared.parameters, answer.status, &answer.body_text())
            .map_err(|problem| refused(problem.message))?;
        known.store_output(number, step.called(), &read.stored);
        let output = read.stored.filtered;
        let input = parameters.get(keys::INPUT).map_or(question.as_str(), |_| body.as_str());
        if !plan.is_open && (number == last || step.is_included) {
            let name = if last == 0 { "response" } else { step.called() };
            run.entries.push(json!({"name": name, "result": output}));
        }
        run.steps.push(RanStep {
            called: step.called().to_owned(),
            input: input.to_owned(),
            output,
        });
    }
    Ok(())
}

/// The model has the last word, with what the tools said before it.
fn ask_model(
    state: &mut ClusterState,
    ask: Ask,
    agent: &Value,
    (parameters, question): (&Map<String, Value>, &str),
    request: &ClusterRequest,
    run: &mut AgentRun,
) -> Result<(), Box<ClusterAnswer>> {
    let Some(model) = agent["llm"][keys::MODEL_ID].as_str() else {
        let details = "We need model information for the conversational agent type";
        return Err(Box::new(ClusterAnswer::failure(400, details)));
    };
    let mut given = members_of(agent["llm"].get(keys::PARAMETERS));
    given.extend(parameters.clone());
    let said: Vec<String> =
        run.steps.iter().map(|step| format!("{}: {}", step.called, step.output)).collect();
    let prompt = [vec![question.to_owned()], said].concat().join("\n");
    given.insert("prompt".into(), prompt.into());
    let own = ClusterRequest {
        method: "POST".into(),
        path: format!("{}/models/{model}/_predict", keys::ML),
        body: json!({ keys::PARAMETERS: given }).to_string(),
        now: request.now,
        depth: request.depth + 1,
        ..ClusterRequest::default()
    };
    let answer = ask(state, &own);
    run.after += answer.after;
    if answer.is_failure() {
        return Err(Box::new(answer));
    }
    let response = serde_json::from_str(&answer.body_text()).unwrap_or_default();
    let text = read_agent_answer(&response).text;
    run.entries.push(json!({"name": "response", "dataAsMap": {"response": text}}));
    Ok(())
}

/// The pieces of a stream: calls of tools as a model gives them, what the tools said, the text word
/// by word.
fn plain_events(run: &AgentRun) -> Vec<Value> {
    let piece = |content: &str, is_last: bool| {
        let said =
            json!({"name": "response", "dataAsMap": {"content": content, "is_last": is_last}});
        inference_results(run.kept.iter().cloned().chain([said]).collect())
    };
    let mut events = Vec::new();
    for (row, step) in run.steps.iter().enumerate() {
        let begun = json!([{"index": 0, "id": format!("call-{row}"), "type": "function",
            "function": {"name": step.called, "arguments": ""}}]);
        let arguments = json!([{"index": 0, "function": {"arguments": json!({"input": step.input}).to_string()}}]);
        events.push(piece(&begun.to_string(), false));
        events.push(piece(&arguments.to_string(), false));
    }
    events.extend(run.text().split_inclusive(' ').map(|word| piece(word, false)));
    events.push(piece("", true));
    events
}

/// The same as events of AG-UI.
fn typed_events(run: &AgentRun) -> Vec<Value> {
    let mut events = vec![json!({"type": "RUN_STARTED", "threadId": "t1", "runId": "r1"})];
    for (row, step) in run.steps.iter().enumerate() {
        let call = format!("call-{row}");
        events.extend([
            json!({"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": step.called}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": json!({"input": step.input}).to_string()}),
            json!({"type": "TOOL_CALL_END", "toolCallId": call}),
            json!({"type": "TOOL_CALL_RESULT", "toolCallId": call, "content": step.output}),
        ]);
    }
    events.push(json!({"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"}));
    let text = run.text();
    let words = text.split_inclusive(' ');
    events.extend(
        words.map(|word| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": word})),
    );
    events.push(json!({"type": "TEXT_MESSAGE_END", "messageId": "m1"}));
    events.push(json!({"type": "RUN_FINISHED", "threadId": "t1", "runId": "r1"}));
    events
}
