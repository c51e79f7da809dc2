//! MCP servers that other programs have configured: found, shown without secrets, taken over as
//! connections that start the same.

use std::{env, fs};

use serde_json::{Value, json};

use crate::support::place::Place;

const CURSOR: &str = r#"{"mcpServers": {
  "files": {"command": "npx", "args": ["-y", "server-files", "${userHome}/data", "${workspaceFolder}"], "env": {"LOG": "debug", "FILES_TOKEN": "${env:MY_TOKEN}"}},
  "literal": {"command": "run", "env": {"API_KEY": "hunter2-hunter2", "PLAIN": "a"}},
  "flag": {"command": "run", "args": ["--api-key", "hunter2-hunter2"]},
  "depends": {"command": "run", "args": ["${env:MY_TOKEN}"]},
  "remote": {"url": "http://127.0.0.1:9/mcp", "headers": {"Authorization": "Bearer ${env:REMOTE_TOKEN}"}},
  "keyed": {"url": "http://127.0.0.1:9/mcp", "headers": {"X-Key": "hunter2-hunter2", "X-Api-Key": "${env:MY_KEY}", "X-Tenant": "acme", "Accept": "a/b"}},
  "odd": {"url": "http://127.0.0.1:9/mcp", "headers": {"X Key": "a"}},
  "old": {"type": "sse", "url": "http://127.0.0.1:9/sse"},
  "socket": {"type": "ws", "url": "http://127.0.0.1:9/ws"},
  "off": {"command": "run", "disabled": true}
}}"#;

const CODE: &str = r#"{
  // Comments are fine here.
  "inputs": [{"type": "promptString", "id": "key", "password": true}],
  "servers": {"asking": {"type": "stdio", "command": "ask", "env": {"SECRET": "${input:key}"}}},
}"#;

fn place() -> Place {
    let place = Place::with(&[
        ("toolcrib.toml", "# mine\nname = \"lab\"\n"),
        (".vscode/mcp.json", CODE),
        (".vscode/settings.json", r#"{"editor.fontSize": 12}"#),
    ]);
    fs::create_dir_all(place.home.path().join(".cursor")).unwrap();
    fs::write(place.home.path().join(".cursor/mcp.json"), CURSOR).unwrap();
    place
}

fn settings(place: &Place) -> String {
    fs::read_to_string(place.here.join("toolcrib.toml")).unwrap()
}

#[test]
fn servers_are_found_where_they_lie_and_shown_without_secrets() {
    let place = place();
    let listed = place.run(&["import", "mcp"]);
    listed.ended(0, &["config.secret-inline", "--take NAME"]);
    for part in [
        ".vscode/mcp.json",
        ".cursor/mcp.json",
        "npx -y server-files ${userHome}/data",
        "run --api-key ***",
        "http://127.0.0.1:9/mcp",
        "disabled",
        "the transport ws is not spoken here",
    ] {
        assert!(listed.data.contains(part), "{part:?} is not in:\n{}", listed.data);
    }
    let json = place.run(&["import", "mcp", "--json"]);
    for told in [&listed.data, &listed.words, &json.data, &json.words] {
        assert!(!told.contains("hunter2"), "{told}");
    }
    let found = json.json();
    let forms: Vec<&Value> = found.as_array().unwrap().iter().map(|file| &file["form"]).collect();
    assert_eq!(forms, ["vscode", "cursor"]);
    assert_eq!(settings(&place), "# mine\nname = \"lab\"\n");

    let none = Place::with(&[("toolcrib.toml", "")]);
    none.run(&["import", "mcp"]).ended(0, &["no program has MCP servers"]);
}

#[test]
fn servers_are_taken_with_references_in_the_place_of_secrets() {
    let place = place();
    let taken =
        place.run(&["import", "mcp", "--take", "files", "remote", "asking", "literal", "keyed"]);
    taken.ended(
        0,
        &[
            "toolcrib allow files",
            "secret set asking-SECRET",
            "secret set literal-API_KEY",
            "secret set keyed-X-Key",
            "header Accept is left out",
        ],
    );
    let written = settings(&place);
    assert!(written.starts_with("# mine\nname = \"lab\"\n"), "{written}");
    assert!(!written.contains("hunter2"), "{written}");
    let home = place.home.path().canonicalize().unwrap();
    let here = place.here.canonicalize().unwrap();
    for line in [
        "[connections.files]".to_owned(),
        format!("\"server-files\", \"{}/data\", \"{}\"]", home.display(), here.display()),
        "\"$MY_TOKEN\"".to_owned(),
        "token-variable = \"REMOTE_TOKEN\"".to_owned(),
        "servers = [\"http://127.0.0.1:9/mcp\"]".to_owned(),
        "\"asking-SECRET\"".to_owned(),
        "\"literal-API_KEY\"".to_owned(),
        "\"keyed-X-Key\"".to_owned(),
        "\"$MY_KEY\"".to_owned(),
        "\"acme\"".to_owned(),
    ] {
        assert!(written.contains(&line), "{line} is not in:\n{written}");
    }
    // They are settings without a fault, and nothing of it may start yet.
    let checked = place.run(&["check"]);
    assert!(!checked.data.contains("settings."), "{}", checked.data);
    place.run(&["mcp", "ping", "literal"]).ended(2, &["which you have not allowed"]);
    place.run(&["import", "mcp", "--take", "files"]).ended(1, &["already"]);
}

#[test]
fn what_cannot_be_taken_is_left_with_its_reason() {
    let place = place();
    let line = ["import", "mcp", "--all", "--json"];
    let mut command = place.command(&line);
    let ran = crate::support::place::Ran::of(command.env("MY_TOKEN", "a").output().unwrap());
    assert_eq!(ran.code, Some(1), "{}", ran.words);
    let told = ran.json();
    let names = |member: &str| -> Vec<String> {
        let rows = told[member].as_array().unwrap().iter();
        rows.map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("taken"), ["asking", "files", "keyed", "literal", "old", "remote"]);
    assert_eq!(names("left"), ["depends", "flag", "odd", "off", "socket"]);
    let reasons = told["left"].to_string();
    for words in [
        "argument 1 names MY_TOKEN",
        "argument 2 looks like a secret",
        "can't be the name of a header",
        "disabled",
        "transport ws",
    ] {
        assert!(reasons.contains(words), "{words:?} is not in {reasons}");
    }
    // The transport of 2024-11-05 is of the legacy era alone.
    let old = &told["taken"][4]["table"];
    assert_eq!(old["servers"], json!(["http://127.0.0.1:9/sse"]), "{old}");
    assert_eq!((&old["transport"], &old["era"]), (&json!("http"), &json!("legacy")), "{old}");
    place.run(&["import", "mcp", "--take", "nobody"]).ended(2, &["no configuration has"]);
}

/// What was taken over starts, as it did for the other program.
#[test]
fn a_server_that_was_taken_from_a_file_is_called() {
    let python = env::var("TOOLCRIB_PYTHON").expect("eval \"$(tests/setup)\" says where Python is");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/services/mcp_server.py");
    let other = json!({"mcpServers": {"test": {"command": python, "args": [script], "env": {"GIVEN": "${NOBODY:-b}"}}}});
    let place =
        Place::with(&[("toolcrib.toml", "name = \"lab\"\n"), ("other.json", &other.to_string())]);
    place.run(&["import", "mcp", "other.json", "--take", "test"]).ended(0, &[]);
    place.run(&["call", "environment", "--connection", "test"]).ended(2, &["not allowed"]);
    place.run(&["mcp", "allow", "test"]).ended(0, &[]);
    let called = place.run(&["call", "environment", "--connection", "test"]);
    assert!(called.data.split_whitespace().any(|name| name == "GIVEN"), "{}", called.data);
    place.run(&["import", "mcp", "nowhere.json"]).ended(2, &["nowhere.json"]);
}

#[test]
fn what_a_configuration_asks_for_is_left_to_be_given() {
    let code = r#"{"inputs": [{"type": "promptString", "id": "folder", "default": "/tmp"}, {"type": "promptString", "id": "mode"}],
        "servers": {"notes": {"command": "run", "args": ["${input:folder}", "--as", "${input:mode}"], "env": {"LEVEL": "${input:mode}"}},
                    "lost": {"command": "run", "args": ["${input:nowhere}"]}}}"#;
    let place = Place::with(&[("toolcrib.toml", ""), (".vscode/mcp.json", code)]);
    let found = place.json(&["import", "mcp", "--json"]);
    let notes = &found[0]["servers"][0];
    assert_eq!(notes["asks"], json!(["mode"]), "{found}");
    assert_eq!(notes["table"]["args"], json!(["/tmp", "--as", "${input:mode}"]));
    assert_eq!(notes["table"]["env"]["LEVEL"], "${input:mode}");
    let taken = place.run(&["import", "mcp", "--take", "notes"]);
    taken.ended(1, &["it asks for mode"]);
}
