//! A cluster made of a workspace: clients that others wrote speak with it, and toolcrib's own calls
//! go there.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{
    place::{Place, Ran},
    services::{program, script},
    serving::Serving,
    terminal::toolcrib,
};

const SETTINGS: (&str, &str) = (
    "toolcrib.toml",
    "connection = \"cluster\"\n[connections.cluster]\ntransport = \"http\"\nservers = [\"http://127.0.0.1:0\"]\n[connections.cluster.opensearch]\n",
);

const AGENTS: (&str, &str) = (
    "agents.json",
    r#"[
    {"name": "books", "type": "conversational_flow", "agent_id": "a1", "memory": {"type": "conversation_index"}, "tools": [
        {"type": "ListIndexTool", "name": "list", "parameters": {}},
        {"type": "MLModelTool", "name": "llm", "parameters": {"model_id": "m1", "prompt": "${parameters.question}"}}]},
    {"name": "thinker", "type": "conversational", "agent_id": "a2", "llm": {"model_id": "m1"}, "memory": {"type": "conversation_index"}, "tools": [
        {"type": "ListIndexTool", "name": "list", "parameters": {}}]},
    {"name": "screen", "type": "ag_ui", "agent_id": "a3", "llm": {"model_id": "m1"}, "tools": []}
    ]"#,
);

const STUB: (&str, &str) = (
    "stubs/cluster.yaml",
    r#"
services:
  m1:
    rules:
      - name: busy
        when: {contains: storm}
        error: {type: "503", message: "Error from remote service: overloaded"}
      - name: any
        answer: ["It ", "blows."]
"#,
);

#[test]
fn clients_of_others_are_answered() {
    let place = Place::with(&[SETTINGS, AGENTS]);
    let mut serving = Serving::start(&place, "cluster", &[]);
    let output = Command::new(program("TOOLCRIB_OPENSEARCH_PYTHON"))
        .arg(script("opensearch_clients.py"))
        .arg(serving.address())
        .output()
        .unwrap();
    let ran = Ran::of(output);
    ran.ended(0, &[]);
    // Above it stands what opensearch-py-ml prints.
    let told: Value = serde_json::from_str(ran.data.lines().last().unwrap()).unwrap();
    let model = "I was asked: wind?";
    let llm = "I was asked: wind: {\\\"_index\\\":\\\"books\\\"";
    for (member, wanted) in [
        ("version", json!("3.9.0")),
        ("health", json!("green")),
        ("found", json!(["The wind blows"])),
        ("tool", json!("ListIndexTool")),
        ("listed", json!(true)),
        ("credential", json!(false)),
        ("task", json!("COMPLETED")),
        ("model", json!("DEPLOYED")),
        ("asked", json!({ "response": model })),
        ("in_use", json!(409)),
        ("agent", json!("books")),
        ("same_memory", json!(true)),
        ("messages", json!([["wind", true], ["nothing", false]])),
        ("traces", json!(["search", "llm"])),
        ("agents", json!(["books", "books"])),
        (
            "refused",
            json!([
                "Invalid Agent Type",
                "Agent name cannot be empty or exceed max length of 128 characters",
                "Duplicate tool defined in agent configuration"
            ]),
        ),
    ] {
        assert_eq!(told[member], wanted, "{member}: {told:#}");
    }
    assert!(told["first"]["llm"].as_str().unwrap().starts_with(llm), "{told:#}");
    assert_eq!(told["async"], told["first"]["llm"]);
    assert!(told["gone"].as_str().unwrap().starts_with("Failed to find agent"), "{told:#}");
    serving.interrupt();
}

fn call(place: &Place, address: &str, words: &[&str]) -> Ran {
    place.run(&[&["call", "--connection", address], words].concat())
}

fn stages<'e>(events: &'e [Value], name: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == "stage" && event["stage"] == name).collect()
}

#[test]
fn a_workspaces_agents_are_run_by_the_rules_of_a_stub() {
    let place = Place::with(&[SETTINGS, AGENTS, STUB]);
    let mut serving = Serving::start(&place, "cluster", &["--stub", "stubs/cluster.yaml"]);
    let address = serving.address();
    let asked = |words: &[&str]| call(&place, &address, words);

    assert_eq!(asked(&["books", "question=wind", "--route", "server"]).data, "It blows.");
    assert_eq!(asked(&["books", "question=wind", "--route", "async"]).data, "It blows.");
    let streamed = asked(&["thinker", "question=use list", "--route", "stream"]);
    streamed.ended(0, &["the agent calls list"]);
    assert_eq!(streamed.data, "It blows.");
    assert_eq!(asked(&["screen", "question=wind", "--route", "stream"]).data, "It blows.");
    // Step by step, on the same cluster.
    assert_eq!(asked(&["books", "question=wind"]).data, "It blows.");

    let failed = asked(&["books", "question=storm", "--route", "server"]);
    failed.ended(1, &["HTTP 503: Error from remote service: overloaded", "try again later"]);

    let ran = asked(&["books", "question=wind", "--route", "server", "--json"]);
    let traces = ran.events();
    let origins: Vec<&Value> =
        stages(&traces, "trace").iter().map(|trace| &trace["body"]["origin"]).collect();
    assert_eq!(origins, ["list", "llm"], "{traces:#?}");
    serving.interrupt();
}

#[test]
fn a_conversation_goes_on_where_its_memory_is_named() {
    let place = Place::with(&[SETTINGS, AGENTS, STUB]);
    let mut serving = Serving::start(&place, "cluster", &[]);
    let address = serving.address();
    let memory = |words: &[&str]| {
        let words = [&["books", "--route", "server", "--no-check", "--json"], words].concat();
        let events = call(&place, &address, &words).events();
        let response = stages(&events, "response")[0]["body"].clone();
        response["inference_results"][0]["output"][0]["result"].as_str().unwrap().to_owned()
    };
    let first = memory(&["question=wind"]);
    let named = format!("memory_id={first}");
    assert_eq!(memory(&["question=rain", &named]), first);
    assert_ne!(memory(&["question=rain"]), first);
    serving.interrupt();
}

#[test]
fn only_who_the_connection_names_is_let_in() {
    let settings = SETTINGS.1.replace(
        "[connections.cluster.opensearch]",
        "user = \"ada\"\npassword-variable = \"CLUSTER_PASSWORD\"\n[connections.cluster.opensearch]",
    );
    let place = Place::with(&[("toolcrib.toml", &settings), AGENTS, STUB]);
    let mut command = place.command(&["serve", "--stub", "stubs/cluster.yaml"]);
    let mut serving = Serving::of(command.env("CLUSTER_PASSWORD", "s3cret-word"));
    let address = serving.address();
    call(&place, &address, &["books", "question=wind"]).ended(1, &["HTTP 401: Unauthorized"]);
    let there = settings.replace("http://127.0.0.1:0", &address);
    std::fs::write(place.here.join("toolcrib.toml"), there).unwrap();
    let mut command = place.command(&["call", "books", "question=wind"]);
    let ran = Ran::of(command.env("CLUSTER_PASSWORD", "s3cret-word").output().unwrap());
    ran.ended(0, &[]);
    assert_eq!(ran.data, "It blows.");
}

#[test]
fn a_cluster_answers_for_all_it_has_or_for_nothing() {
    let place = Place::with(&[SETTINGS, AGENTS]);
    place.run(&["serve", "books"]).ended(2, &["a cluster answers for all of its tools"]);
}

#[test]
fn the_sample_opens_with_a_cluster_beside_it() {
    let mut terminal = toolcrib(["demo", "--sample", "opensearch"]).start();
    terminal.wait_for("answer_from_books");
    terminal.press(["3"]);
    // The rendered request of the first step.
    terminal.wait_for("POST /books/_search");
    assert!(terminal.presses() <= 5);
    terminal.press(["f6"]);
    terminal.wait_for("Wind is air that moves.");
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
}
