//! Agents and connectors taken from a cluster and sent to one: the cluster is another workspace,
//! served.

use std::fs;

use crate::support::{
    place::{Place, Ran},
    serving::Serving,
};

const SETTINGS: (&str, &str) = (
    "toolcrib.toml",
    "connection = \"cluster\"\n[connections.cluster]\ntransport = \"http\"\nservers = [\"http://127.0.0.1:0\"]\n[connections.cluster.opensearch]\n",
);

const THERE: (&str, &str) = (
    "there.json",
    r#"[
    {"name": "books", "type": "flow", "agent_id": "a1", "description": "Reads books", "tools": [
        {"type": "ListIndexTool", "name": "list", "parameters": {"size": 3}}]},
    {"name": "echo", "connector_id": "c1", "protocol": "http", "version": 1, "parameters": {"endpoint": "echo.example"}, "actions": [
        {"action_type": "predict", "method": "POST", "url": "https://${parameters.endpoint}/v1", "request_body": "{\"q\": \"${parameters.q}\"}"}]},
    {"name": "SearchIndexTool", "type": "SearchIndexTool", "version": "undefined", "description": "Searches",
        "attributes": {"input_schema": "{\"type\":\"object\",\"properties\":{\"input\":{\"type\":\"object\"}}}", "strict": false}}
    ]"#,
);

/// A cluster with some entries, and a workspace that leads to it.
fn cluster(files: &[(&str, &str)]) -> (Serving, Place) {
    let there = Place::with(&[SETTINGS, THERE]);
    let mut serving = Serving::start(&there, "cluster", &[]);
    let settings = SETTINGS.1.replace("http://127.0.0.1:0", &serving.address());
    let here = Place::with(&[&[("toolcrib.toml", settings.as_str())], files].concat());
    (serving, here)
}

fn read(place: &Place, file: &str) -> String {
    fs::read_to_string(place.here.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn push(place: &Place, words: &[&str]) -> Ran {
    place.run(&[&["push", "opensearch"], words].concat())
}

#[test]
fn what_a_cluster_has_is_taken_in_and_can_be_called() {
    let (_serving, here) = cluster(&[]);
    let ran = here.run(&["import", "opensearch"]);
    ran.ended(0, &["Built into the system, so left out"]);
    let agent = read(&here, "opensearch/books.yaml");
    for words in ["agent_id: a1", "size: \"3\"", "description: Reads books"] {
        assert!(agent.contains(words), "{agent}");
    }
    assert!(read(&here, "opensearch/echo.yaml").contains("connector_id: c1"));
    assert!(read(&here, "opensearch/SearchIndexTool.yaml").contains("input_schema"));
    here.run(&["check"]).ended(0, &[]);
    let called = here.run(&["call", "books", "--route", "server"]);
    called.ended(0, &[]);
    assert!(called.data.starts_with("row,health,status"), "{}", called.data);
    here.run(&["import", "opensearch"]).ended(0, &["are already here, unchanged"]);
    push(&here, &["--yes"]).ended(0, &["nothing to write: everything is already there"]);
}

#[test]
fn what_is_pushed_is_shown_first_and_its_id_is_kept() {
    let mine = r#"{
  "name": "mine",
  "type": "flow",
  "tools": [{"type": "ListIndexTool", "parameters": {}}]
}
"#;
    let (_serving, here) = cluster(&[("mine.json", mine)]);
    let dry = push(&here, &["--dry-run"]);
    dry.ended(0, &["nothing was written (--dry-run): 1 added"]);
    assert!(dry.data.contains("+ agent/mine"), "{}", dry.data);
    push(&here, &[]).ended(2, &["there is no terminal to ask on"]);

    push(&here, &["--yes"]).ended(0, &["written and verified: 1 added", "in mine.json"]);
    assert!(read(&here, "mine.json").contains("\"agent_id\": \"toolcrib-agent-"));
    let called = here.run(&["call", "mine", "--route", "server"]);
    assert!(called.data.starts_with("row,health,status"), "{}", called.data);

    // Under its id it stays the same, whatever it is called.
    let text = read(&here, "mine.json").replace("\"mine\"", "\"ours\"");
    fs::write(here.here.join("mine.json"), text).unwrap();
    let dry = push(&here, &["--dry-run"]);
    assert!(dry.data.contains("~ agent/mine"), "{}", dry.data);
    push(&here, &["--yes"]).ended(0, &["written and verified: 1 changed"]);

    let dry = push(&here, &["--delete", "--dry-run"]);
    assert!(dry.data.contains("- agent/books") && dry.data.contains("- connector/echo"));
    push(&here, &["--delete", "--yes"]).ended(0, &["2 deleted"]);
    push(&here, &["--delete", "--yes"]).ended(0, &["nothing to write"]);
}

#[test]
fn ids_of_what_is_there_already_are_kept_and_credentials_never_shown() {
    let agent = r#"{"name": "books", "type": "flow", "description": "Reads books", "tools": [
        {"type": "ListIndexTool", "name": "list", "parameters": {"size": 3}}]}"#;
    let connector = |version: u32| {
        let named = r#"{"name": "echo", "protocol": "http", "parameters": {"endpoint": "echo.example"},
            "credential": {"key": "keep-me-secret"}, "version": "#;
        let actions = r#", "actions": [{"action_type": "predict", "method": "POST",
            "url": "https://${parameters.endpoint}/v1", "request_body": "{\"q\": \"${parameters.q}\"}"}]}"#;
        format!("{named}{version}{actions}")
    };
    let (_serving, here) = cluster(&[("agent.json", agent), ("echo.json", &connector(1))]);
    push(&here, &["--yes", "--dry-run"]).ended(2, &[]);
    push(&here, &["--dry-run"]).ended(0, &["nothing to write"]);
    assert!(!read(&here, "agent.json").contains("a1"));
    push(&here, &["--yes"])
        .ended(0, &["nothing to write", "in agent.json", "assigned there in echo.json"]);
    assert!(
        read(&here, "agent.json").contains("\"agent_id\": \"a1\""),
        "{}",
        read(&here, "agent.json")
    );

    // Another version: the change is shown, its credential not; an import keeps the one of here.
    fs::write(here.here.join("echo.json"), connector(2)).unwrap();
    let dry = push(&here, &["--dry-run"]);
    assert!(dry.data.contains("~ connector/echo") && dry.data.contains("(hidden)"), "{}", dry.data);
    assert!(!dry.data.contains("keep-me"), "{}", dry.data);
    here.run(&["import", "opensearch"]).ended(0, &["Different there", "connector/echo"]);
    here.run(&["import", "opensearch", "--overwrite"]).ended(0, &[]);
    let taken = read(&here, "echo.json");
    assert!(taken.contains("keep-me-secret") && taken.contains("c1"), "{taken}");
    push(&here, &["--dry-run"]).ended(0, &["nothing to write"]);
    here.run(&["import", "opensearch"]).ended(0, &["are already here, unchanged"]);
}

#[test]
fn a_credential_is_a_variable_of_the_environment() {
    let connector = r#"{"name": "new", "version": 1, "protocol": "http", "credential": {"key": "$SERVICE_KEY"},
        "actions": [{"action_type": "predict", "method": "POST", "url": "https://service.example",
            "headers": {"Authorization": "Bearer ${credential.key}"}, "request_body": "{}"}]}"#;
    let (_serving, here) = cluster(&[("new.json", connector)]);
    here.run(&["check", "--strict"]).ended(0, &[]);
    push(&here, &["--yes"]).ended(2, &["SERVICE_KEY isn't set", "nothing is written"]);
    let mut command = here.command(&["push", "opensearch", "--yes"]);
    let ran = Ran::of(command.env("SERVICE_KEY", "s3cret-of-mine").output().unwrap());
    ran.ended(0, &["written and verified: 1 added"]);
    assert!(!format!("{}{}", ran.data, ran.words).contains("s3cret-of-mine"));
    assert!(read(&here, "new.json").contains("\"$SERVICE_KEY\""));
}

#[test]
fn one_that_would_be_refused_keeps_all_back() {
    let files = [
        (
            "good.json",
            r#"{"name": "good", "type": "flow", "tools": [{"type": "ListIndexTool", "parameters": {}}]}"#,
        ),
        (
            "bad.json",
            r#"{"name": "bad", "type": "conversational", "tools": [{"type": "ListIndexTool", "parameters": {}}]}"#,
        ),
    ];
    let (_serving, here) = cluster(&files);
    push(&here, &["--yes"]).ended(
        1,
        &[
            "agent/bad: We need model information for the conversational agent type",
            "nothing was written",
        ],
    );
    let left = push(&here, &["--dry-run"]);
    assert!(left.data.contains("+ agent/good"), "{}", left.data);
}

#[test]
fn an_address_alone_is_asked_for_the_system_that_is_named() {
    let (_serving, here) = cluster(&[]);
    let settings = read(&here, "toolcrib.toml");
    let address = settings.split('"').find(|part| part.starts_with("http://")).unwrap();
    let ran = here.run(&["import", "opensearch", "--dry-run", "--connection", address]);
    ran.ended(0, &["nothing was written (--dry-run)"]);
    assert!(ran.data.contains("opensearch/books.yaml"), "{}", ran.data);
}

#[test]
fn an_address_alone_leads_to_the_system_of_all_tools() {
    let (_serving, here) = cluster(&[(
        "own.json",
        r#"[{"name": "health", "type": "DynamicTool", "parameters": {"method": "GET", "uri": "/"}}]"#,
    )]);
    let without = read(&here, "toolcrib.toml").replace("[connections.cluster.opensearch]\n", "");
    fs::write(here.here.join("toolcrib.toml"), without).unwrap();
    let ran = here.run(&["tools", "--deployed"]);
    ran.ended(0, &[]);
    assert!(ran.data.contains("books"), "{}", ran.data);
}
