//! The sample from its first step to its last, on the stand-in that comes with it; and OpenSearch's
//! own MCP server in front of a server that answers as OpenSearch does.

use serde_json::{Value, json};

use crate::support::{
    cluster::MemoryCluster,
    place::{Place, Ran},
    services::program,
    serving::Serving,
};

fn call(place: &Place, address: &str, words: &[&str]) -> Ran {
    place.run(&[&["call", "--connection", address], words].concat())
}

#[test]
fn the_sample_is_run_stepped_and_tried_again() {
    let place = Place::sample("opensearch");
    let stub = ["--stub", "stubs/cluster.yaml", "--listen", "127.0.0.1:0"];
    let mut serving = Serving::start(&place, "cluster", &stub);
    let address = serving.address();
    let ask = |words: &[&str]| call(&place, &address, words);

    let stats = ask(&["node_stats"]);
    stats.ended(0, &[]);
    let nodes: Value = serde_json::from_str(&stats.data).unwrap();
    assert_eq!(nodes["toolcrib"]["name"], "toolcrib");

    let whole = ask(&["answer_from_books", "question=wind"]);
    assert_eq!(whole.data, "Wind is air that moves.");
    let first = ask(&["answer_from_books", "question=wind", "--until", "search"]);
    assert!(first.data.contains("from high to low pressure"), "{}", first.data);
    let second = ask(&["answer_from_books", "question=wind", "--step", "2"]);
    assert_eq!(second.data, "Wind is air that moves.");

    let failed = ask(&["answer_from_books", "question=storm"]);
    failed.ended(
        1,
        &[
            "step 2 of 2, answer: HTTP 503: Error from remote service: overloaded",
            "try again later",
        ],
    );
    let again = ask(&["answer_from_books", "question=rain", "--from", "answer"]);
    again.ended(0, &[]);
    assert_eq!(again.data, "The books do not say.");
    serving.interrupt();
}

const BEHIND: &str = r#"[
    {"name": "gpt", "model_id": "m1", "function_name": "remote", "connector_id": "c1"},
    {"name": "echo", "connector_id": "c1", "protocol": "http", "version": 1, "parameters": {"endpoint": "h.example"}, "actions": [
        {"action_type": "predict", "method": "POST", "url": "https://${parameters.endpoint}/v1",
            "headers": {"Authorization": "Bearer ${credential.key}"}, "request_body": "{\"q\": \"${parameters.prompt}\"}",
            "post_process_function": "connector.post_process.openai.embedding"}]},
    {"name": "asks", "type": "flow", "tools": [{"type": "MLModelTool", "name": "llm", "parameters": {"model_id": "m1", "prompt": "say \"hi\" to ${parameters.who}"}}]}
    ]"#;

#[test]
fn a_dry_run_shows_what_the_connector_behind_a_model_sends() {
    let settings = "connection = \"cluster\"\n[connections.cluster]\ntransport = \"http\"\nservers = [\"http://127.0.0.1:9\"]\n";
    let place = Place::with(&[("toolcrib.toml", settings), ("all.json", BEHIND)]);
    let ran = place.run(&["call", "asks", "who=Ada", "--no-check", "--dry-run"]);
    ran.ended(0, &[]);
    for words in [
        "→ POST /_plugins/_ml/models/m1/_predict",
        "connector echo then sends POST https://h.example/v1",
        "its header Authorization",
        r#"its body {"q": "say \"hi\" to Ada"}"#,
        "connector.post_process.openai.embedding selects $.data[*].embedding of the answer",
    ] {
        assert!(ran.data.contains(words), "{words:?} is not in:\n{}", ran.data);
    }
}

#[test]
fn its_own_mcp_server_is_listed_and_called() {
    let server = MemoryCluster::start();
    let command = program("TOOLCRIB_OPENSEARCH_PYTHON").with_file_name("opensearch-mcp-server-py");
    let text = format!(
        "[connections.search]\nsystem = \"mcp\"\ncommand = {}\nenv = {{ OPENSEARCH_URL = {}, OPENSEARCH_NO_AUTH = \"true\" }}\n",
        json!(command),
        json!(server.url)
    );
    let place = Place::with(&[("toolcrib.toml", &text)]);
    place.run(&["mcp", "allow", "search"]).ended(0, &[]);
    place.run(&["mcp", "keep", "search"]).ended(0, &[]);
    let listed = place.json(&["mcp", "list", "search", "--json"]);
    let names: Vec<&Value> =
        listed["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert!(names.contains(&&json!("GenericOpenSearchApiTool")), "{names:?}");

    let generic =
        |words: &[&str]| place.run(&[&["call", "search/GenericOpenSearchApiTool"], words].concat());
    let write =
        ["path=/books/_doc/1?refresh=true", "method=PUT", "body:={\"text\":\"The wind blows\"}"];
    generic(&write).ended(0, &[]);
    let query = "body:={\"query\":{\"match\":{\"text\":\"wind\"}}}";
    let found = generic(&["path=/books/_search", "method=POST", query]);
    found.ended(0, &[]);
    assert!(found.data.contains("The wind blows"), "{}", found.data);
    let indices = place.run(&["call", "search/ListIndexTool"]);
    assert!(indices.data.contains("books"), "{}\n{}", indices.data, indices.words);
}
