//! Calls of tools and agents: what is asked for, and in which of its ways it is run.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{
    connector::request::RemoteRequest,
    entries::EntrySort,
    field_texts::{pieces::text_pieces, step_fields::piece_origins},
    java, keys,
    steps::{
        order::{RunOrder, StepRange},
        plan::{is_dynamic, templates_of},
        prepare::{ParameterOrigin, PreparedStep, left_open_remark, prepare_step},
    },
    stream::{StreamPiece, StreamReader},
    template::{marks::PARAMETERS, parse::find_placeholders},
    tool_parameters::ToolSpec,
};
use crate::{
    model::{
        call::Request,
        catalog::Catalog,
        connection::Connection,
        problem::{Problem, ProblemKind},
        stage::event_data,
        tool::Tool,
    },
    systems::facets::{
        calls::{CallOf, Calls, RouteOffer},
        steps::{
            SeenValue, SentStep, StepChoice, StepFeed, StepInput, StepPreview, StepReport,
            StepResult, Steps,
        },
        templates::PieceOrigin,
    },
};

/// The ways that a call can take: each step by ourselves, or the whole by the cluster.
pub const LOCAL: &str = "local";
pub const SERVER: &str = "server";
pub const ASYNC: &str = "async";
pub const STREAM: &str = "stream";

pub struct OpenSearchCalls;

impl Calls for OpenSearchCalls {
    fn answered_by(&self) -> &'static str {
        "an OpenSearch cluster"
    }

    fn build_request(&self, call: &CallOf<'_>) -> Result<Request, Problem> {
        let connection = call.connection;
        let offers = self.call_routes(call.tool, connection);
        let route = match call.route {
            Some(word) => offers.iter().find(|offer| offer.id == word).ok_or_else(|| {
                let known: Vec<&str> = offers.iter().map(|offer| offer.id).collect();
                let cause = format!("{word} isn't a route of this call");
                Problem::new(ProblemKind::Input, "calling", cause)
                    .with_remedy(format!("use one of {}", known.join(", ")))
            })?,
            None => {
                offers.iter().find(|offer| offer.closed.is_none()).or(offers.first()).ok_or_else(
                    || Problem::new(ProblemKind::Input, "calling", "there is no route to call it"),
                )?
            }
        };
        if let Some(closed) = &route.closed {
            return Err(Problem::new(ProblemKind::Input, "calling", closed.clone()));
        }
        let arguments = call.arguments.to_json();
        let order = RunOrder {
            entry: (*call.tool.entry.value.parsed()).clone(),
            arguments: parse_object(&arguments),
            range: StepRange::default(),
            behind: entries_behind(call.catalog, &call.tool.entry.value, &arguments),
        };
        Ok(call.new_request(route.id, order.to_body()))
    }

    fn call_routes(&self, tool: &Tool, _: &Connection) -> Vec<RouteOffer> {
        let entry = &tool.entry.value;
        let sort = EntrySort::of_entry(entry);
        let local = RouteOffer {
            id: LOCAL,
            title: "each step by toolcrib, over the cluster's API",
            closed: RunOrder {
                entry: (*tool.entry.value.parsed()).clone(),
                arguments: Map::new(),
                range: StepRange::default(),
                behind: Vec::new(),
            }
            .read_plan()
            .err(),
        };
        if sort != EntrySort::Agent {
            return vec![local];
        }
        let has_id = entry.get(keys::AGENT_ID).is_some_and(Value::is_string);
        let unknown = (!has_id).then(|| {
            "the cluster doesn't know the agent yet: its entry has no agent_id. \
            `toolcrib push opensearch` registers it and saves its id"
                .to_owned()
        });
        let offer = |id, title| RouteOffer { id, title, closed: unknown.clone() };
        vec![
            local,
            offer(SERVER, "the whole agent by the cluster"),
            offer(ASYNC, "the whole agent by the cluster, its task followed"),
            offer(STREAM, "the whole agent by the cluster, shown as it works"),
        ]
    }

    /// What it says: the rest of an event is the same in each.
    fn frame_label(&self, frame: &str) -> Option<String> {
        match StreamReader::default().push_data(&event_data(frame)?).into_iter().next()? {
            StreamPiece::Text(text) => Some(Value::from(text).to_string()),
            StreamPiece::ToolCall { name, .. }
            | StreamPiece::ToolResult { name, .. }
            | StreamPiece::Event { name, .. } => Some(name),
            StreamPiece::Failed(_) => Some("error".to_owned()),
            StreamPiece::Done | StreamPiece::Ended => Some("end".to_owned()),
            StreamPiece::Unreadable => None,
        }
    }

    fn request_arguments(&self, body: &str) -> Option<String> {
        let order = RunOrder::from_body(body)?;
        Some(Value::Object(order.arguments).to_string())
    }

    fn request_route(&self, request: &Request) -> Option<String> {
        (request.to != LOCAL).then(|| request.to.clone())
    }
}

/// The models that an entry or its arguments name, and the connectors that it or those go through.
/// Credentials stay where they are.
fn entries_behind(catalog: &Catalog, entry: &Value, arguments: &str) -> Vec<Value> {
    let named = format!("{entry}{arguments}");
    let of_sort = |sort: EntrySort| {
        let own = catalog.entries().filter(|entry| entry.system == keys::SYSTEM);
        own.filter(move |entry| EntrySort::of_entry(&entry.value) == sort)
    };
    let is_named = |value: &Value, member: &str, text: &str| {
        value[member].as_str().is_some_and(|id| !id.is_empty() && text.contains(id))
    };
    let models: Vec<Value> = of_sort(EntrySort::Model)
        .filter(|entry| is_named(&entry.value, keys::MODEL_ID, &named))
        .map(|entry| (*entry.value).clone())
        .collect();
    let asked =
        models.iter().fold(named, |text, model| text + &model[keys::CONNECTOR_ID].to_string());
    let connectors = of_sort(EntrySort::Connector)
        .filter(|entry| is_named(&entry.value, keys::CONNECTOR_ID, &asked))
        .map(|entry| {
            let mut connector = (*entry.value).clone();
            if let Some(members) = connector.as_object_mut() {
                members.shift_remove("credential");
            }
            connector
        });
    let connectors: Vec<Value> = connectors.collect();
    [models, connectors].concat()
}

fn parse_object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

impl Steps for OpenSearchCalls {
    fn choose_steps(&self, request: Request, choice: &StepChoice) -> Result<Request, Problem> {
        let problem = |cause: String| Problem::new(ProblemKind::Input, "choosing steps", cause);
        let mut order = RunOrder::from_body(&request.body)
            .filter(|_| request.to == LOCAL)
            .ok_or_else(|| {
                problem("the cluster runs it as a whole".into()).with_remedy("use --route local")
            })?;
        let plan = order.read_plan().map_err(problem)?;
        let find = |name: &Option<String>| {
            name.as_deref().map(|name| plan.find_step(name)).transpose().map_err(problem)
        };
        let only = find(&choice.only)?;
        order.range.from = only.or(find(&choice.from)?).unwrap_or_default();
        order.range.until = match only {
            Some(only) => Some(only),
            None => find(&choice.until)?,
        };
        order.range.outputs = choice.outputs.clone();
        Ok(Request { body: order.to_body().into(), ..request })
    }

    fn preview_steps(&self, request: &Request) -> Result<Vec<StepPreview>, String> {
        let Some(order) = RunOrder::from_body(&request.body) else { return Ok(Vec::new()) };
        if request.to != LOCAL {
            let whole = whole_request(&order, &request.to).ok_or("the entry has no agent_id")?;
            let mut preview = preview_whole(&request.name, &whole);
            if order.read_plan().is_ok() {
                let words = "the cluster runs all of it; the route local runs its tools one by one";
                preview.remarks.push(words.into());
            }
            return Ok(vec![preview]);
        }
        let plan = order.read_plan()?;
        let begun = order.begin();
        let numbers = order.step_numbers(plan.steps.len());
        let outputs = StepOutputs::of_steps(&plan.steps);
        Ok(numbers
            .clone()
            .filter_map(|number| Some((number, plan.steps.get(number)?)))
            .map(|(number, step)| {
                // What later steps stored before is not there yet.
                let mut state = begun.clone();
                state.outputs.retain(|(_, step, _)| *step < number);
                let mut prepared =
                    prepare_step(number, step, &state).with_remote(step, &order.behind);
                note_outputs(&mut prepared, |name| {
                    outputs.step_before(name, number).is_some_and(|step| numbers.contains(&step))
                });
                StepPreview {
                    inputs: inputs_of(step, &prepared),
                    feeds: outputs.feeds_of(number, step),
                    ..preview_of(&prepared)
                }
            })
            .collect())
    }

    fn outputs_of(&self, body: &str, stages: &[(String, String)]) -> Map<String, Value> {
        let before = RunOrder::from_body(body).map(|order| order.range.outputs);
        let mut outputs = before.unwrap_or_default();
        for (_, body) in stages.iter().filter(|(name, _)| name == STEP_ANSWER) {
            let answer = parse_object(body);
            let stored = answer.get("stored").cloned();
            let (Some(Value::String(name)), Some(stored)) = (answer.get("stored_as"), stored)
            else {
                continue;
            };
            let step = answer.get("step").and_then(Value::as_u64).unwrap_or(1).saturating_sub(1);
            outputs.insert(name.clone(), json!({"step": step, "stored": stored}));
        }
        outputs
    }

    fn report_steps(&self, stages: &[(String, String)]) -> Vec<StepReport> {
        let mut reports: Vec<StepReport> = Vec::new();
        for (stage, body) in stages {
            let step = parse_object(body);
            let number = step.get("step").and_then(Value::as_u64);
            let Some(number) = number.and_then(|number| usize::try_from(number).ok()) else {
                continue;
            };
            let known = reports.iter_mut().find(|report| report.number == number);
            match (stage.as_str(), known) {
                (STEP_REQUEST, None) => {
                    let name = step.get("name").and_then(Value::as_str).unwrap_or_default();
                    let (name, sent) = (name.to_owned(), sent_of(&step));
                    reports.push(StepReport { number, name, sent, result: None });
                }
                (STEP_ANSWER, Some(report)) => report.result = Some(result_of(&step)),
                _ => {}
            }
        }
        reports
    }

    fn choice_of(&self, body: &str) -> Option<StepChoice> {
        let order = RunOrder::from_body(body)?;
        let is_whole = order.range.from == 0 && order.range.until.is_none();
        let plan = order.read_plan().unwrap_or_default();
        let is_only =
            |name: &str| plan.steps.iter().filter(|step| step.called() == name).count() == 1;
        let name = |number: usize| {
            let name = plan.steps.get(number).map(ToolSpec::called).filter(|name| is_only(name));
            name.map_or_else(|| (number + 1).to_string(), str::to_owned)
        };
        (!is_whole).then(|| StepChoice {
            from: (order.range.from > 0).then(|| name(order.range.from)),
            until: order.range.until.map(name),
            only: None,
            outputs: order.range.outputs,
        })
    }
}

/// What a step-request says that it sent.
fn sent_of(request: &Map<String, Value>) -> Option<SentStep> {
    let text = |name: &str| request.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(SentStep { method: text("method")?, path: text("path")?, body: text("body") })
}

/// What a step can be given in the place of what it sees: what its templates ask for; where the
/// cluster runs it, every parameter.
fn inputs_of(step: &ToolSpec, prepared: &PreparedStep) -> Vec<StepInput> {
    let mut names: Vec<&str> = Vec::new();
    for (_, template) in templates_of(step) {
        names.extend(find_placeholders(template, PARAMETERS).into_iter().map(|found| found.name));
    }
    if !is_dynamic(step) {
        names.extend(prepared.seen.iter().map(|seen| seen.name.as_str()));
    }
    let mut inputs: Vec<StepInput> = Vec::new();
    for name in names {
        if inputs.iter().any(|known| known.name == name) {
            continue;
        }
        let seen = prepared.seen.iter().find(|seen| seen.name == name);
        inputs.push(StepInput {
            argument: format!("{}.{name}", step.called()),
            name: name.to_owned(),
            value: seen.and_then(|seen| seen.value.clone()),
            origin: seen.map_or_else(|| "it has no value".into(), |seen| seen.origin.words()),
        });
    }
    inputs
}

/// What a step-answer says, as [`super::steps::answer::StepAnswer::to_json`] wrote it.
fn result_of(answer: &Map<String, Value>) -> StepResult {
    let text = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let processed = answer.get("processed").filter(|value| !value.is_null());
    let remarks = answer.get("remarks").and_then(Value::as_array).into_iter().flatten();
    StepResult {
        status: answer.get("status").and_then(Value::as_u64).unwrap_or_default(),
        raw: text("raw"),
        problem: answer.get(STEP_PROBLEM).and_then(Value::as_str).map(str::to_owned),
        filtered: text("filtered"),
        processed: processed.map(|value| java::value_text(value, java::Numbers::AsRead)),
        stored_as: text("stored_as"),
        stored: text("stored"),
        escaped_twice: text("escaped_twice"),
        remarks: remarks.filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

/// The stages of a run, by the names that traces tell them by.
pub const STEP_REQUEST: &str = "step-request";
pub const STEP_ANSWER: &str = "step-answer";
/// The member of a step-answer that says why nothing is made of it.
pub const STEP_PROBLEM: &str = "problem";

/// Which steps store under which names.
struct StepOutputs(HashMap<String, Vec<usize>>);

impl StepOutputs {
    fn of_steps(steps: &[ToolSpec]) -> Self {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, step) in steps.iter().enumerate() {
            let name = format!("{}{}", step.called(), keys::OUTPUT_SUFFIX);
            by_name.entry(name).or_default().push(number);
        }
        Self(by_name)
    }

    /// The step, from 0, whose output a step sees under a name: the last one before it.
    fn step_before(&self, name: &str, number: usize) -> Option<usize> {
        let stored = self.0.get(name)?;
        let before = stored.partition_point(|step| *step < number);
        stored.get(before.checked_sub(1)?).copied()
    }

    /// The outputs that a step's parameters ask for.
    fn feeds_of(&self, number: usize, step: &ToolSpec) -> Vec<StepFeed> {
        let mut feeds: Vec<StepFeed> = Vec::new();
        for (into, text) in step.parameters.iter().chain(&step.config) {
            for placeholder in find_placeholders(text.as_deref().unwrap_or_default(), PARAMETERS) {
                let Some(from) = self.step_before(placeholder.name, number) else { continue };
                let feed = StepFeed { from: from + 1, into: into.clone() };
                if !feeds.contains(&feed) {
                    feeds.push(feed);
                }
            }
        }
        feeds
    }
}

/// Says of names that steps before give a value once they ran.
fn note_outputs(prepared: &mut PreparedStep, is_output: impl Fn(&str) -> bool) {
    for name in prepared.unfilled_names() {
        if is_output(&name) {
            prepared.remarks.push(format!("{name} is available once the previous step has run"));
        } else {
            prepared.remarks.push(format!("{name} has no value"));
        }
    }
    for name in std::mem::take(&mut prepared.left_open) {
        prepared.remarks.push(match is_output(&name) {
            true => format!("{name} is available once the previous step has run"),
            false => left_open_remark(&name),
        });
    }
}

/// A step as people and scripts read it.
#[must_use]
pub fn preview_of(prepared: &PreparedStep) -> StepPreview {
    let (line, body) = match &prepared.request {
        Ok(request) => (format!("{} {}", request.method, request.path), request.body.clone()),
        Err(why) => (format!("can't be sent: {why}"), None),
    };
    let origins = piece_origins(prepared);
    let origin_of = |name: &str| origins.get(name).copied().unwrap_or(PieceOrigin::Tool);
    let pieces = |part: &str| {
        let rendered = prepared.request.iter().flat_map(|request| &request.rendered);
        let found = rendered.into_iter().find(|(name, _)| *name == part);
        found.map(|(_, rendered)| text_pieces(rendered, &origin_of)).unwrap_or_default()
    };
    StepPreview {
        number: prepared.number + 1,
        name: prepared.called.clone(),
        path_pieces: pieces(keys::URI),
        body_pieces: pieces(keys::REQUEST_BODY),
        feeds: Vec::new(),
        inputs: Vec::new(),
        line,
        is_sendable: prepared.request.is_ok(),
        body,
        seen: prepared
            .seen
            .iter()
            .map(|seen| SeenValue {
                name: seen.name.clone(),
                value: seen.value.clone().unwrap_or_else(|| "null".into()),
                origin: seen.origin.words(),
                is_own: seen.origin == ParameterOrigin::Tool,
            })
            .collect(),
        remarks: [
            prepared.remarks.clone(),
            prepared.remote.iter().flat_map(RemoteRequest::lines).collect(),
        ]
        .concat(),
        json: prepared.to_json(),
    }
}

/// The request by which the cluster runs an agent as a whole: its path, and its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeRequest {
    pub path: String,
    pub body: String,
}

/// What asks the cluster to run the agent of an order by one of its ways; `None` where the entry
/// does not say under which id the cluster has it.
#[must_use]
pub fn whole_request(order: &RunOrder, route: &str) -> Option<WholeRequest> {
    let agent = order.entry.get(keys::AGENT_ID)?.as_str()?;
    let ending = match route {
        STREAM => "/stream",
        ASYNC => "?async=true",
        _ => "",
    };
    Some(WholeRequest {
        path: format!("{}/agents/{agent}/_execute{ending}", keys::ML),
        body: json!({ keys::PARAMETERS: order.arguments }).to_string(),
    })
}

fn preview_whole(name: &str, whole: &WholeRequest) -> StepPreview {
    StepPreview {
        is_sendable: true,
        number: 1,
        name: name.to_owned(),
        line: format!("POST {}", whole.path),
        body: Some(whole.body.clone()),
        path_pieces: Vec::new(),
        body_pieces: Vec::new(),
        feeds: Vec::new(),
        inputs: Vec::new(),
        seen: Vec::new(),
        remarks: Vec::new(),
        json: json!({"step": 1, "name": name, "method": "POST", "path": whole.path, "body": whole.body}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_a_stream_is_labelled_with_what_it_says() {
        let event = |data: Value| {
            let data = json!({"inference_results": [{"output": [{"name": "response", "dataAsMap": data}]}]});
            OpenSearchCalls.frame_label(&format!("data: {data}"))
        };
        let said = event(json!({"content": " jumps", "is_last": false}));
        assert_eq!(said.as_deref(), Some(r#"" jumps""#));
        assert_eq!(event(json!({"content": "", "is_last": true})).as_deref(), Some("end"));
        assert_eq!(
            OpenSearchCalls.frame_label("data: {\"error\": \"no\"}").as_deref(),
            Some("error")
        );
        assert_eq!(OpenSearchCalls.frame_label(": ping"), None);
    }
}
