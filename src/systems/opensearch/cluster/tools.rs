//! Models, and tools that the framework brings along.

use serde_json::{Map, Value, json};

use super::{
    answer::{ClusterAnswer, ClusterRequest, inference_results},
    records::MODEL,
    state::ClusterState,
    stubs::reply_named,
};
use crate::{
    schema::phrase::value_text,
    systems::opensearch::{
        keys,
        template::{marks::PARAMETERS, render::render_template, text_map::stringify_values},
    },
};

/// Tools of ml-commons and of the skills plugin by type, with what they say of themselves.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("AgentTool", "Use this tool to run any agent."),
    ("ConnectorTool", "This tool will invoke external service."),
    ("IndexMappingTool", "This tool gets index mapping information from a certain index."),
    ("ListIndexTool", "This tool gets index information from the OpenSearch cluster."),
    ("MLModelTool", "Use this tool to run any model."),
    ("PPLTool", "Use this tool to translate a question into PPL and run it."),
    ("RAGTool", "Use this tool to retrieve helpful information and answer from it."),
    (
        "SearchIndexTool",
        "Use this tool to search an index by providing two parameters: 'index' for the index name, and 'query' for the OpenSearch DSL formatted query.",
    ),
    ("VectorDBTool", "Use this tool to search a vector index."),
    ("VisualizationTool", "Use this tool to find user created visualizations."),
    ("WebSearchTool", "Use this tool to search the web."),
];

/// The list of tools, as `GET /_plugins/_ml/tools` has it.
#[must_use]
pub fn list_tools(state: &ClusterState) -> Vec<Value> {
    let is_listed = |kind: &str| state.listed.iter().any(|tool| tool["type"] == kind);
    let own = BUILT_IN.iter().filter(|(kind, _)| !is_listed(kind)).map(|(kind, about)| {
        json!({"name": kind, "description": about, "type": kind, "version": "undefined"})
    });
    own.chain(state.listed.iter().cloned()).collect()
}

/// What a model answers: its stub, else what it is asked.
#[must_use]
pub fn predict(state: &ClusterState, id: &str, request: &ClusterRequest) -> ClusterAnswer {
    let body = match request.members() {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    let parameters = match body.get(keys::PARAMETERS) {
        Some(Value::Object(parameters)) => fill_in(parameters),
        _ => body,
    };
    let record = state.records.get(MODEL, id);
    let name = record.and_then(|model| model["name"].as_str()).unwrap_or(id);
    if let Some(reply) = reply_named(&state.stubs, &[id, name], &parameters) {
        return reply.to_answer(response_entry);
    }
    if record.is_none() {
        return ClusterAnswer::failure(
            404,
            format!("Failed to find model with the provided model id: {id}"),
        );
    }
    let asked = ["prompt", "question", "input", "messages", "text_docs"]
        .iter()
        .find_map(|name| parameters.get(*name))
        .map_or_else(|| Value::Object(parameters.clone()).to_string(), value_text);
    let mut answer = ClusterAnswer::json(
        200,
        inference_results(vec![response_entry(&format!("I was asked: {asked}"))]),
    );
    answer.told.service = id.to_owned();
    answer
}

/// Parameters whose values are filled in, as a connector does it that asks for them.
fn fill_in(parameters: &Map<String, Value>) -> Map<String, Value> {
    let texts = stringify_values(parameters);
    let filled = |value: &Value| {
        let text = value.as_str().filter(|text| text.contains(PARAMETERS))?;
        // A value that cannot be filled in stays as it is.
        render_template(text, PARAMETERS, &texts).ok().map(|rendered| rendered.text.into())
    };
    let pair = |(name, value): (&String, &Value)| {
        (name.clone(), filled(value).unwrap_or_else(|| value.clone()))
    };
    parameters.iter().map(pair).collect()
}

fn response_entry(text: &str) -> Value {
    json!({"name": "response", "dataAsMap": {"response": text}})
}

/// Runs a tool of the framework's own, or its stub.
#[must_use]
pub fn run_tool(state: &ClusterState, kind: &str, request: &ClusterRequest) -> ClusterAnswer {
    let body = match request.members() {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    let Some(Value::Object(parameters)) = body.get(keys::PARAMETERS) else {
        return ClusterAnswer::failure(400, "Tool input data can not be empty.");
    };
    if let Some(reply) = reply_named(&state.stubs, &[kind], parameters) {
        return reply.to_answer(result_entry);
    }
    let is_known = BUILT_IN.iter().any(|(known, _)| *known == kind)
        || state.listed.iter().any(|tool| tool["type"] == kind);
    if !is_known {
        return ClusterAnswer::failure(400, format!("Tool not found: {kind}"));
    }
    let said = match kind {
        "ListIndexTool" => Ok(index_rows(state)),
        "IndexMappingTool" => index_mappings(state, parameters),
        "SearchIndexTool" => search_index(state, parameters),
        _ => Err(Box::new(ClusterAnswer::failure(
            501,
            format!("this stand-in for a cluster has no {kind}; write a stub of that name"),
        ))),
    };
    let mut answer = match said {
        Ok(text) => ClusterAnswer::json(200, inference_results(vec![result_entry(&text)])),
        Err(refused) => *refused,
    };
    answer.told.service = kind.to_owned();
    answer
}

fn result_entry(text: &str) -> Value {
    json!({"name": "response", "result": text})
}

fn index_rows(state: &ClusterState) -> String {
    let head = "row,health,status,index,pri(number of primary shards),rep(number of replica shards),docs.count(number of available documents)\n";
    let rows = state
        .documents
        .counts()
        .enumerate()
        .map(|(row, (name, count))| format!("{},green,open,{name},1,0,{count}\n", row + 1));
    rows.fold(head.to_owned(), |text, row| text + &row)
}

type Said = Result<String, Box<ClusterAnswer>>;

/// The indices that `index` names: a list as JSON text, or one name.
fn index_mappings(state: &ClusterState, parameters: &Map<String, Value>) -> Said {
    let named = parameters.get("index").map(value_text).unwrap_or_default();
    let names: Vec<String> = serde_json::from_str(&named).unwrap_or_else(|_| vec![named]);
    let mapping = |name: &String| {
        let path = format!("/{name}/_mapping");
        let request = ClusterRequest { method: "GET".into(), path, ..ClusterRequest::default() };
        let answer = state
            .documents
            .clone()
            .answer(&request)
            .unwrap_or_else(|| ClusterAnswer::no_handler(&request));
        match answer.is_failure() {
            true => Err(Box::new(answer)),
            false => Ok(format!("index: {name}\n\nmappings:\n{}\n", answer.body_text())),
        }
    };
    names.iter().map(mapping).collect()
}

/// Each hit as a line of JSON.
fn search_index(state: &ClusterState, parameters: &Map<String, Value>) -> Said {
    let input = parameters.get(keys::INPUT).map(value_text).unwrap_or_default();
    let input: Map<String, Value> = serde_json::from_str(&input).unwrap_or_default();
    let named = |name: &str| parameters.get(name).or_else(|| input.get(name));
    let (Some(index), Some(query)) = (named("index"), named("query")) else {
        let details = "SearchIndexTool's two parameter: index and query are required!";
        return Err(Box::new(ClusterAnswer::failure(400, details)));
    };
    let body: Map<String, Value> = match query {
        Value::Object(body) => body.clone(),
        other => serde_json::from_str(&value_text(other)).map_err(|_| {
            let details = "Invalid query format: the query is no JSON object";
            Box::new(ClusterAnswer::failure(400, details))
        })?,
    };
    let found = state.documents.search_body(&value_text(index), &body)?;
    let hits = found["hits"]["hits"].as_array().into_iter().flatten();
    let line = |hit: &Value| json!({"_index": hit["_index"], "_source": hit["_source"], "_id": hit["_id"], "_score": hit["_score"]});
    Ok(hits.map(|hit| line(hit).to_string() + "\n").collect())
}
