//! Plain mode where a server asks, where there is something to read, where a value is a secret, and
//! where a text is edited elsewhere.

use std::fs;

use super::{
    mcp_live::place,
    plain::{assert_in_order, demo, run},
};
use crate::support::{place::Place, terminal::toolcrib};

#[test]
fn what_a_server_asks_during_a_call_is_answered() {
    let place = place("");
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    let script = [
        "invoke ask",
        "send",
        "waiting",
        "show",
        "send",
        "set name Ann",
        "fields",
        "send",
        "invoke",
        "answer text",
        "quit",
    ];
    let arguments = [".", "--plain", "--connection", "test", "--allow-start"];
    let ran = run(&place, &arguments, &script);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.data, ran.words);
    assert_in_order(
        &ran.data,
        &[
            "test asks elicitation/create",
            "Calls waiting for an answer: 1",
            "Who are you?",
            "name is required",
            "name: text, required, now \"Ann\"",
            "age: whole number",
            "ended: ask succeeded",
            r#""name": "Ann""#,
        ],
    );
    assert!(!ran.data.contains("only changes the drawing"), "{}", ran.data);
}

#[test]
fn resources_of_a_server_are_listed_and_read() {
    let place = place("reads");
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    let script = [
        "connections",
        "select test",
        "open-resources",
        "list notes",
        "select test://notes.md",
        "read",
        "quit",
    ];
    let arguments = [".", "--plain", "--connection", "test", "--allow-start"];
    let ran = run(&place, &arguments, &script);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.data, ran.words);
    let said = ["connected to test", "1. test://notes.md: Resources, notes", "# test://notes.md"];
    assert_in_order(&ran.data, &said);
    assert!(ran.data.matches("Resources and prompts: ").count() > 1, "{}", ran.data);
    assert!(!ran.data.contains("Type show to see it"), "{}", ran.data);
}

#[test]
fn a_secret_is_asked_for_and_never_printed() {
    let schema = r#"{"type": "object", "properties": {
        "user": {"type": "string"}, "token": {"type": "string", "format": "password"}}}"#;
    let place = Place::with(&[("schema.json", schema)]);
    let script = ["form", "ann", "hunter2", "fields", "form token", "", "fields", "done"];
    let ran = run(&place, &["form", "schema.json", "-o", "doc.json", "--plain"], &script);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.data, ran.words);
    let said = format!("{}{}", ran.data, ran.words);
    assert_in_order(&said, &["token (hidden)", "set (hidden)"]);
    assert!(!said.contains("hunter2"), "{said}");
    let saved: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(place.here.join("doc.json")).unwrap()).unwrap();
    assert_eq!(saved, serde_json::json!({"user": "ann", "token": "hunter2"}));
}

#[test]
fn a_file_is_printed_without_its_secrets() {
    let schema = r#"{"type": "object", "properties": {
        "pw": {"type": "string", "format": "password"}, "n": {"type": "integer"}}}"#;
    let files = [
        ("schema.json", schema),
        ("doc.yaml", "# kept\npw: ab1\nn: 1\n"),
        ("there.yaml", "pw: cd2\n"),
    ];
    let place = Place::with(&files);
    let script = ["file", "set pw ef3", "set n 2", "file", "done", "cancel", "quit", "d"];
    let ran =
        run(&place, &["form", "schema.json", "doc.yaml", "-o", "there.yaml", "--plain"], &script);
    let said = format!("{}{}", ran.data, ran.words);
    let shown = ["# kept\npw: ***\nn: 1", "pw: ***\nn: 2", "What overwriting would change", "n: 2"];
    assert_in_order(&said, &shown);
    for secret in ["ab1", "cd2", "ef3"] {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
}

#[test]
fn a_file_that_is_not_there_yet_is_written_without_an_edit() {
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#;
    let place = Place::with(&[("schema.json", schema), ("doc.json", "{\"n\": 1}\n")]);
    let new = ["form", "schema.json", "-o", "new.yaml", "--plain"];
    run(&place, &new, &["done"]).ended(0, &[]);
    assert_eq!(fs::read_to_string(place.here.join("new.yaml")).unwrap(), "{}\n");
    let other = ["form", "schema.json", "doc.json", "-o", "doc.yaml", "--plain"];
    run(&place, &other, &["save", "done"]).ended(0, &[]);
    assert_eq!(fs::read_to_string(place.here.join("doc.yaml")).unwrap(), "n: 1\n");
}

#[test]
fn a_service_with_the_key_of_its_tool_gets_a_file_of_its_own() {
    let place = Place::with(&[]);
    let script = [
        "new",
        "tool-service",
        "weather",
        "set description The weather of a city",
        "set service weather",
        "make service",
        "save all",
        "quit",
    ];
    let ran = run(&place, &[".", "--plain"], &script);
    let files = ["weather.json", "weather-service.json"];
    let said = format!("{}\n{}", ran.data, ran.words);
    assert!(files.iter().all(|file| place.here.join(file).exists()), "{said}");
    let found = place.run(&["check", "--json"]);
    assert!(!found.data.contains("there is no service"), "{}", found.data);
}

#[test]
fn the_first_service_of_a_tool_is_asked_for_with_its_default() {
    for (answer, key, file) in
        [("", "weather-service", "weather-service.json"), ("forecast", "forecast", "forecast.json")]
    {
        let place = Place::with(&[]);
        let start = ["new", "tool-service", "weather", "make service", answer];
        let script = [&start[..], &["fields", "save all", "quit"]].concat();
        let ran = run(&place, &[".", "--plain"], &script);
        assert_in_order(
            &ran.data,
            &[
                "New service for weather",
                "It becomes the service of weather.",
                "Current text: weather-service.",
                &format!("Added service {key}"),
                "Tools · weather>",
                &format!("now \"{key}\""),
            ],
        );
        assert!(place.here.join(file).exists(), "{file}: {}\n{}", ran.data, ran.words);
    }
}

#[cfg(unix)]
#[test]
fn a_text_is_edited_in_the_users_editor_where_there_is_a_terminal() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = demo();
    let editor = place.here.join("editor.sh");
    fs::write(&editor, "#!/bin/sh\nsed -i 's/Tell a joke/Say a joke/' \"$1\"\n").unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let mut terminal = toolcrib([place.here.as_os_str()])
        .variable("TOOLCRIB_PLAIN", "1")
        .variable("EDITOR", &editor)
        .start();
    terminal.wait_for("Tools · query-customers>");
    terminal.type_text("editor tell-joke\r");
    terminal.type_text("show tell-joke\r");
    terminal.wait_for("Description: Say a joke");
    terminal.type_text("quit\r");
    assert!(terminal.wait_end().success());
    // Over a pipe there is none, and what works in its place is said.
    let ran = run(&place, &[".", "--plain"], &["editor tell-joke", "quit"]);
    assert!(ran.data.contains("Use instead: set FIELD VALUE"), "{}", ran.data);
}

#[test]
fn a_service_has_no_key_with_spaces() {
    let script =
        ["new", "tool-service", "weather", "make service", "a b", "sky", "save all", "quit"];
    let place = Place::with(&[]);
    let ran = run(&place, &[".", "--plain"], &script);
    let said = ["the key of a service can't hold spaces", "Added service sky"];
    assert_in_order(&ran.data, &said);
    assert!(place.here.join("sky.json").exists(), "{}", ran.data);
}

#[test]
fn two_kept_calls_are_compared_by_their_numbers() {
    let place = demo();
    for topic in ["tea", "rain", "cats"] {
        let call = ["call", "tell-joke", &format!("topic={topic}"), "--mock=echo"];
        place.run(&call).ended(0, &[]);
    }
    let ran = run(&place, &[".", "--plain"], &["history", "compare 1 3", "quit"]);
    let wanted = ["tell-joke compared", "-   \"topic\": \"tea\"", "+   \"topic\": \"cats\""];
    assert_in_order(&ran.data, &wanted);
}
