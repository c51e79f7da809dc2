//! MCP servers that others wrote, as their packages install: listed, called, asked back, cancelled,
//! killed. `tests/setup` installs them.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use super::mcp_live::{call, events, stages};
use crate::support::{
    place::Place,
    services::{free_port, program, script},
};

/// A workspace with a connection `test` to what a command starts, which is allowed.
fn place_of(command: &[&str], settings: &str) -> Place {
    let text = format!(
        "[connections.test]\nsystem = \"mcp\"\ncommand = {}\nargs = {}\n{settings}",
        json!(command[0]),
        json!(command[1..])
    );
    let place = Place::with(&[("toolcrib.toml", &text)]);
    place.run(&["mcp", "allow", "test"]).ended(0, &[]);
    place
}

/// The command of a server in JavaScript.
fn javascript(package: &str) -> [String; 2] {
    let programs = program("TOOLCRIB_NPM");
    let main = programs.join(format!("../@modelcontextprotocol/{package}/dist/index.js"));
    [programs.join("node"), main].map(|path| path.to_str().unwrap().to_owned())
}

/// The command of a server in Python that was installed beside it.
fn python_server(name: &str) -> String {
    let path = program("TOOLCRIB_PYTHON").with_file_name(name);
    path.to_str().unwrap().to_owned()
}

fn everything(settings: &str) -> Place {
    let [node, main] = javascript("server-everything");
    place_of(&[&node, &main], settings)
}

fn odd(mode: &str) -> Place {
    let python = program("TOOLCRIB_PYTHON");
    let script = script("mcp_odd_server.py");
    place_of(&[python.to_str().unwrap(), script.to_str().unwrap(), mode], "")
}

fn tool_names(place: &Place) -> Vec<String> {
    let listed = place.json(&["mcp", "list", "test", "--json"]);
    let tools = listed["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// The whole result of a call.
fn result(place: &Place, words: &[&str]) -> Value {
    let events = events(place, words);
    let results = stages(&events, "result");
    results.first().unwrap_or_else(|| panic!("{events:#?}"))["body"].clone()
}

#[test]
fn everything_has_the_tools_that_what_is_declared_gives_it() {
    let bare = tool_names(&everything("capabilities = []\n"));
    let usual = tool_names(&everything(""));
    let all = tool_names(&everything("roots = [\".\"]\n"));
    assert_eq!((bare.len(), usual.len(), all.len()), (13, 16, 17), "{all:?}");
    assert!(!usual.contains(&"get-roots-list".to_owned()));
}

#[test]
fn everything_answers_with_progress_structure_and_pictures() {
    let place = everything("");
    let slow = ["trigger-long-running-operation", "duration:=0.1", "steps:=4"];
    call(&place, &slow).ended(0, &["1 of 4", "4 of 4"]);
    let weather = result(&place, &["get-structured-content", "location=Chicago"]);
    assert_eq!(weather["structuredContent"]["temperature"], 36, "{weather}");
    let picture = result(&place, &["get-tiny-image"]);
    assert_eq!(picture["content"][1]["mimeType"], "image/png", "{picture}");
}

#[test]
fn everything_asks_its_user_a_model_and_for_folders() {
    let place = everything("roots = [\".\"]\n");
    let form = r#"{"name": "Ann", "check": true}"#;
    let asked = call(&place, &["trigger-elicitation-request", "--answer", form]);
    asked.ended(0, &["elicitation/create", "accepted"]);
    assert!(asked.data.contains("- Name: Ann"), "{}", asked.data);
    let declined = call(&place, &["trigger-elicitation-request"]);
    declined.ended(0, &["declined, because nobody answered"]);
    let model = ["trigger-sampling-request", "prompt=hi", "--answer", "Four words of mine."];
    let sampled = call(&place, &model);
    sampled.ended(0, &["sampling/createMessage"]);
    assert!(sampled.data.contains("Four words of mine."), "{}", sampled.data);
    let folders = call(&place, &["get-roots-list"]);
    let here = format!("file://{}", place.here.display());
    assert!(folders.data.contains(&here), "{}{}", folders.data, folders.words);
}

#[test]
fn everything_works_at_a_task_and_asks_on_the_way() {
    let place = everything("");
    let answer = r#"{"interpretation": "technical"}"#;
    let line = ["simulate-research-query", "topic=java", "ambiguous:=true", "--answer", answer];
    let done = call(&place, &line);
    let told = ["is working: Gathering sources", "is input_required", "accepted", "is completed"];
    done.ended(0, &told);
    assert!(done.data.contains("Research Report: java (technical)"), "{}", done.data);
}

/// A call that is under way: it has told something of its work.
struct UnderWay {
    child: Child,
    words: BufReader<std::process::ChildStderr>,
}

impl UnderWay {
    fn start(place: &Place) -> Self {
        let line = ["trigger-long-running-operation", "duration:=3600", "steps:=36000"];
        let mut command = place.command(&[&["call", "--connection", "test"], &line[..]].concat());
        let mut child = command.spawn().unwrap();
        let mut words = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains(" of 36000") {
            line.clear();
            assert!(words.read_line(&mut line).unwrap() > 0, "it ended before it worked");
        }
        Self { child, words }
    }

    /// The process of the server that it started.
    fn server(&self) -> String {
        let parent = self.child.id().to_string();
        let found = Command::new("pgrep").args(["-P", &parent]).output().unwrap();
        String::from_utf8(found.stdout).unwrap().trim().to_owned()
    }

    fn wait_end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.words.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

fn signal(name: &str, process: &str) {
    assert!(Command::new("kill").args([name, process]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn everything_is_left_alone_when_its_call_is_cancelled() {
    let place = everything("");
    let call = UnderWay::start(&place);
    let server = call.server();
    signal("-INT", &call.child.id().to_string());
    let (code, words) = call.wait_end();
    assert_eq!(code, Some(130), "{words}");
    let alive = Command::new("kill").args(["-0", &server]).stderr(Stdio::null()).status();
    assert!(!alive.unwrap().success(), "the server {server} is still there");
    let kept = place.json(&["history", "--json"]);
    assert_eq!(kept[0]["outcome"], "cancelled", "{kept}");
}

#[cfg(unix)]
#[test]
fn everything_killed_midway_ends_its_call_with_the_reason() {
    let place = everything("");
    let call = UnderWay::start(&place);
    signal("-KILL", &call.server());
    let (code, words) = call.wait_end();
    assert_eq!(code, Some(3), "{words}");
    assert!(words.contains("ended by signal 9"), "{words}");
}

/// A server that listens; killed on drop.
struct Listening(Child);

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn everything_over_http_tells_asks_and_goes_on() {
    let port = free_port();
    let [node, main] = javascript("server-everything");
    let mut command = Command::new(node);
    command.args([&main, "streamableHttp"]).env("PORT", port.to_string());
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut words = BufReader::new(child.stderr.take().unwrap());
    let _listening = Listening(child);
    let mut line = String::new();
    while !line.contains("listening") {
        line.clear();
        assert!(words.read_line(&mut line).unwrap() > 0, "it ended before it listened");
    }
    std::thread::spawn(move || words.read_to_end(&mut Vec::new()));
    let settings = format!(
        "[connections.test]\nsystem = \"mcp\"\ntransport = \"http\"\nservers = \"http://127.0.0.1:{port}/mcp\"\n"
    );
    let place = Place::with(&[("toolcrib.toml", &settings)]);
    let slow = ["trigger-long-running-operation", "duration:=0.1", "steps:=2"];
    call(&place, &slow).ended(0, &["2 of 2"]);
    let form = r#"{"name": "Ann"}"#;
    let asked = call(&place, &["trigger-elicitation-request", "--answer", form]);
    assert!(asked.data.contains("- Name: Ann"), "{}{}", asked.data, asked.words);
}

#[test]
fn files_are_read_where_the_server_allows_it() {
    let [node, main] = javascript("server-filesystem");
    let allowed = tempfile::tempdir().unwrap();
    fs::write(allowed.path().join("a.txt"), "in the argument's folder").unwrap();
    let place = place_of(&[&node, &main, allowed.path().to_str().unwrap()], "");
    let path = |at: PathBuf| format!("path={}", at.display());
    let inside = call(&place, &["read_text_file", &path(allowed.path().join("a.txt"))]);
    assert_eq!((inside.code, inside.data.trim()), (Some(0), "in the argument's folder"));
    let outside = call(&place, &["read_text_file", &path(place.here.join("toolcrib.toml"))]);
    outside.ended(1, &["mcp-tool-error", "Access denied"]);
}

#[test]
fn the_file_server_allows_the_folders_that_it_is_told_from_the_first_call_on() {
    let [node, main] = javascript("server-filesystem");
    let place = place_of(&[&node, &main], "roots = [\".\"]\n");
    let path = format!("path={}", place.here.join("toolcrib.toml").display());
    let inside = call(&place, &["read_text_file", &path]);
    assert_eq!(inside.code, Some(0), "{}{}", inside.data, inside.words);
    assert!(inside.data.contains("roots = [\".\"]"), "{}", inside.data);
}

#[test]
fn time_is_told_in_both_eras_and_its_errors_are_errors() {
    let server = python_server("mcp-server-time");
    for (era, spoken) in [("modern", "2026-07-28"), ("legacy", "2025-11-25")] {
        let settings = format!("era = \"{era}\"\n");
        let place = place_of(&[&server, "--local-timezone", "UTC"], &settings);
        let pinged = place.run(&["mcp", "ping", "test"]);
        assert!(pinged.data.contains(spoken), "{era}: {}", pinged.data);
        let told = result(&place, &["get_current_time", "timezone=Europe/Zurich"]);
        assert_eq!(told["structuredContent"]["timezone"], "Europe/Zurich", "{told}");
        call(&place, &["get_current_time", "timezone=Nowhere"]).ended(1, &["mcp-tool-error"]);
    }
}

#[test]
fn git_is_asked_about_a_repository() {
    let server = python_server("mcp-server-git");
    let place = place_of(&[&server], "");
    let repository = place.here.join("repository");
    fs::create_dir(&repository).unwrap();
    let made = Command::new("git").args(["init", "-q", "-b", "trunk"]).arg(&repository).status();
    assert!(made.unwrap().success());
    let at = |path: PathBuf| format!("repo_path={}", path.display());
    let status = call(&place, &["git_status", &at(repository)]);
    assert!(status.data.contains("trunk"), "{}{}", status.data, status.words);
    call(&place, &["git_status", &at(place.here.join("nowhere"))]).ended(1, &["mcp-tool-error"]);
}

/// The package is of an SDK before the one that is there.
#[test]
fn a_server_that_cannot_start_says_why() {
    let server = python_server("mcp-server-sqlite");
    let place = place_of(&[&server, "--db-path", "here.sqlite"], "");
    let failed = place.run(&["mcp", "ping", "test"]);
    failed.ended(3, &["ended with code 1", "Error"]);
    assert!(failed.words.contains("Traceback"), "{}", failed.words);
}

#[test]
fn what_is_odd_stays_as_it_came() {
    for mode in ["legacy", "modern"] {
        let place = odd(mode);
        let listed = place.run(&["mcp", "list", "test", "--json"]);
        for exact in [
            "12345678901234567890123",
            "1.50",
            "\"x-unknown\"",
            "\"vendorHint\"",
            "\"noschema\"",
            "9007199254740993",
        ] {
            assert!(listed.data.contains(exact), "{mode}: {exact} is not in {}", listed.data);
        }
        let told = events(&place, &["odd"]);
        let result = stages(&told, "result")[0]["body"].to_string();
        for exact in ["12345678901234567890123", "1.10", "\"x-block\":7", "\"hologram\""] {
            assert!(result.contains(exact), "{mode}: {exact} is not in {result}");
        }
        assert_eq!(told.last().unwrap()["outcome"], "succeeded", "{mode}: {told:#?}");
        // Whatever a server writes, no terminal is steered by it.
        let shown = place.run(&["mcp", "list", "test"]);
        assert!(shown.data.contains("red") && !shown.data.contains('\u{1b}'), "{}", shown.data);
    }
}
