//! MCP servers that run: started only where the user agreed, listed, called, cancelled, ended.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::Command,
    sync::Arc,
};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use toolcrib::{
    model::{
        call::{Event, EventKind, Limits, Request, StrayCause},
        entry::{EntryId, EntryPlace, FileId},
        stage::Stage,
    },
    schema::pointer::Pointer,
    systems::settings::parse_settings,
    wire::{registry::Registry, systems::facets::opener::News},
};

use crate::{
    plain::{self, assert_in_order},
    support::{
        place::{Place, Ran},
        terminal,
    },
};

/// The server of these tests.
pub(crate) fn script() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/services/mcp_server.py");
    path.to_str().unwrap().to_owned()
}

pub(crate) fn python() -> String {
    env::var("TOOLCRIB_PYTHON").expect("eval \"$(tests/setup)\" says where Python is")
}

/// A workspace with one server that was added on the command line, started in that way.
pub(crate) fn place(how: &str) -> Place {
    place_with(&[], how)
}

pub(crate) fn place_with(env: &[&str], how: &str) -> Place {
    let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
    let (python, script) = (python(), script());
    let mut line = vec!["mcp", "add", "test"];
    env.iter().for_each(|pair| line.extend(["--env", pair]));
    line.extend(["--", &python, &script]);
    line.extend((!how.is_empty()).then_some(how));
    place.run(&line).ended(0, &["toolcrib.toml"]);
    place
}

pub(crate) fn call(place: &Place, words: &[&str]) -> Ran {
    place.run(&[&["call", "--connection", "test"], words].concat())
}

/// The events of a call.
pub(crate) fn events(place: &Place, words: &[&str]) -> Vec<Value> {
    call(place, &[words, &["--json"]].concat()).events()
}

pub(crate) fn stages<'e>(events: &'e [Value], name: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == "stage" && event["stage"] == name).collect()
}

#[test]
fn a_tool_is_called_of_a_server_that_is_started_for_it() {
    let place = Place::with(&[]);
    let (python, script) = (python(), script());
    let ran = place.run(&["mcp", "call", "echo", "text=hi", "--", &python, &script]);
    ran.ended(0, &[]);
    assert_eq!(ran.data, "hi");

    // The command is one of the folder that it is typed in.
    let server = fs::read_to_string(&script).unwrap();
    let files = [("toolcrib.toml", "name = \"lab\"\n"), ("below/server.py", server.as_str())];
    let place = Place::with(&files);
    let mut command =
        place.command(&["mcp", "call", "echo", "text=hi", "--", &python, "server.py"]);
    let ran = Ran::of(command.current_dir(place.here.join("below")).output().unwrap());
    ran.ended(0, &[]);
    assert_eq!(ran.data, "hi");
}

#[test]
fn a_server_is_added_pinged_listed_and_kept() {
    let place = place("");
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    assert!(settings.starts_with("name = \"lab\"\n") && settings.contains("system = \"mcp\""));
    // The first connection of a workspace without tools is the one that calls go through.
    assert!(settings.contains("\nconnection = \"test\"\n"), "{settings}");
    place.run(&["mcp", "add", "test", "--", "true"]).ended(2, &["already"]);
    place.run(&["mcp", "add", "other", "--", "true"]).ended(0, &[]);
    let after = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    assert!(after.contains("\nconnection = \"test\"\n"), "{after}");
    place.run(&["mcp", "remove", "other"]).ended(0, &["removed connection \"other\""]);
    assert_eq!(fs::read_to_string(place.here.join("toolcrib.toml")).unwrap(), settings);
    place.run(&["mcp", "remove", "other"]).ended(2, &["other"]);
    let pinged = place.run(&["mcp", "ping", "test"]);
    assert!(pinged.data.contains("test 7 speaks MCP 2025-11-25 (legacy era) and has 9 tools"));
    let listed = place.json(&["mcp", "list", "test", "--json"]);
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!((names.len(), names[0], names[8]), (9, "echo", "environment"));

    place.run(&["mcp", "keep", "test"]).ended(0, &["saved 9 tools in mcp/test.json"]);
    let tools = place.json(&["tools", "--json"]);
    assert_eq!(tools.as_array().map(Vec::len), Some(9));
    let deployed = place.json(&["tools", "--deployed", "--connection", "test", "--json"]);
    let echo = &deployed.as_array().unwrap()[0];
    assert_eq!((&echo["name"], &echo["here"]), (&json!("echo"), &json!(true)));
    assert_eq!(echo["parameters"]["required"], json!(["text"]));
    // A kept tool goes to the connection of its server's name.
    let said = place.run(&["call", "test/echo", "text=hi"]);
    assert_eq!((said.code, said.data.trim()), (Some(0), "hi"), "{}", said.words);
}

#[test]
fn what_a_server_prints_before_it_ends_is_quoted() {
    let server = "print('Error: config file not found'); raise SystemExit(2)";
    let place = Place::with(&[("toolcrib.toml", "")]);
    let ran = place.run(&["mcp", "ping", "--", &python(), "-c", server]);
    ran.ended(3, &["ended with code 2", "standard output", "Error: config file not found"]);
}

#[test]
fn what_changed_since_it_was_kept_is_told_by_severity() {
    let place = place("");
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    let more = format!("{settings}\n[connections.test.env]\nMORE = \"1\"\n");
    fs::write(place.here.join("toolcrib.toml"), more).unwrap();
    // The command is another one now.
    place.run(&["mcp", "list", "test"]).ended(2, &["not allowed", "MORE=1"]);
    let allowed = place.run(&["mcp", "allow", "test", "--json"]);
    allowed.ended(0, &[]);
    let allowed = &allowed.json()[0];
    assert_eq!((&allowed["allowed"], &allowed["env"]), (&json!(true), &json!({"MORE": "1"})));
    place.run(&["mcp", "list", "test"]).ended(0, &["differ from the saved list", "tool.removed"]);
    let told = place.run(&["mcp", "keep", "test"]);
    told.ended(1, &["--accept"]);
    assert_eq!(
        told.data,
        "breaking: echo: input.required-added at /inputSchema/properties/more\nbreaking: environment: tool.removed\n"
    );
    let told = place.run(&["mcp", "keep", "test", "--json"]);
    assert_eq!(
        (told.code, told.json()[0]["change"].as_str()),
        (Some(1), Some("input.required-added"))
    );
    place.run(&["mcp", "keep", "test", "--accept"]).ended(0, &["saved 8 tools in"]);
    place.run(&["mcp", "keep", "test"]).ended(0, &["nothing changed"]);
}

#[test]
fn a_list_is_kept_again_where_only_the_era_is_another_one() {
    let place = place("");
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    let file = place.here.join("mcp/test.json");
    let kept = fs::read_to_string(&file).unwrap();
    let other = kept.replace("\"legacy\"", "\"modern\"").replace("2025-11-25", "2026-07-28");
    assert_ne!(kept, other);
    fs::write(&file, other).unwrap();
    let told = place.run(&["mcp", "keep", "test"]);
    told.ended(0, &["saved "]);
    assert_eq!(told.data.trim(), "it uses version 2025-11-25 now; it used 2026-07-28");
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.contains("\"era\": \"legacy\""), "{kept}");
    place.run(&["mcp", "keep", "test"]).ended(0, &["nothing changed"]);
}

#[test]
fn the_folder_of_a_server_counts_from_the_workspace() {
    let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n"), ("sub/there.txt", "")]);
    let folder = place.here.join("sub");
    fs::copy(script(), folder.join("copy.py")).unwrap();
    let add = ["mcp", "add", "test", "--dir", "sub", "--", &python(), "copy.py"];
    place.run(&add).ended(0, &[]);
    // From anywhere in it: the consent is for the same command.
    let mut command = place.command(&["call", "echo", "text=a", "--connection", "test"]);
    let called = Ran::of(command.current_dir(&folder).output().unwrap());
    assert_eq!((called.code, called.data.trim()), (Some(0), "a"), "{}", called.words);
}

#[test]
fn a_call_tells_what_changed_since_the_tools_were_kept() {
    let place = place("");
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    assert_eq!(stages(&events(&place, &["echo", "text=a"]), "drift"), Vec::<&Value>::new());
    let file = place.here.join("mcp/test.json");
    let kept = fs::read_to_string(&file).unwrap();
    let other = kept.replace("Says it again", "Says it twice").replace("\"die\"", "\"live\"");
    fs::write(&file, other).unwrap();
    let told = events(&place, &["echo", "text=a"]);
    let drift = stages(&told, "drift");
    assert_eq!(drift.len(), 1, "{told:#?}");
    assert_eq!(
        drift[0]["text"],
        "its tools differ from the saved list: 1 breaking (live), 1 trust (echo), 1 compatible \
        (die); `toolcrib mcp keep test` shows what changed"
    );
    assert_eq!(told.last().unwrap()["outcome"], "succeeded");
    call(&place, &["echo", "text=a"]).ended(0, &["1 breaking (live)"]);
}

#[test]
fn the_era_of_a_kept_server_is_not_probed_again() {
    let told = tempfile::tempdir().unwrap();
    let file = told.path().join("methods");
    let place = place_with(&[&format!("METHODS={}", file.display())], "");
    let methods = || {
        call(&place, &["echo", "text=a"]).ended(0, &[]);
        let methods = fs::read_to_string(&file).unwrap();
        fs::remove_file(&file).unwrap();
        methods
    };
    let first = |methods: String| methods.lines().next().unwrap_or_default().to_owned();
    assert_eq!(first(methods()), "server/discover");
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    fs::remove_file(&file).unwrap();
    assert_eq!(first(methods()), "initialize");

    // What speaks the other era by now is probed after all.
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    let modern = settings.replace("mcp_server.py\"", "mcp_server.py\", \"modern\"");
    assert_ne!(settings, modern);
    fs::write(place.here.join("toolcrib.toml"), modern).unwrap();
    place.run(&["mcp", "allow", "test"]).ended(0, &[]);
    let methods = methods();
    let opening: Vec<&str> = methods.lines().take(2).collect();
    assert_eq!(opening, ["initialize", "server/discover"]);
}

#[test]
fn nothing_starts_that_the_user_did_not_allow() {
    let settings = format!(
        "[connections.test]\nsystem = \"mcp\"\ncommand = \"sh\"\nargs = [\"-c\", \"touch started; exec {} {}\"]\n",
        python(),
        script()
    );
    let place = Place::with(&[("toolcrib.toml", &settings)]);
    let marker = place.here.join("started");
    call(&place, &["echo", "text=a"]).ended(2, &["not allowed"]);
    let told = place.run(&["mcp", "ping", "test"]);
    told.ended(2, &["which you have not allowed", "argument touch started", "toolcrib allow test"]);
    assert!(!marker.exists());
    call(&place, &["echo", "text=a", "--allow-start"]).ended(0, &[]);
    assert!(marker.exists());
    fs::remove_file(&marker).unwrap();
    // That was for once.
    place.run(&["mcp", "ping", "test"]).ended(2, &["not allowed"]);
    let allowed = place.run(&["mcp", "allow", "test"]);
    assert!(allowed.data.contains("argument touch started"), "{}", allowed.data);
    place.run(&["mcp", "ping", "test"]).ended(0, &[]);
    place.run(&["mcp", "allow", "test", "--forget"]).ended(0, &[]);
    place.run(&["mcp", "ping", "test"]).ended(2, &["not allowed"]);
}

#[test]
fn a_start_that_fails_says_what_the_server_said() {
    let place = place("fails");
    place
        .run(&["mcp", "ping", "test"])
        .ended(3, &["ended with code 3", "ModuleNotFoundError: no module named 'nothing'"]);
    let missing = place.run(&["mcp", "ping", "--", "/no/such/server"]);
    missing.ended(3, &["can't start /no/such/server"]);
}

#[test]
fn a_server_that_a_probe_ends_is_started_again() {
    let place = place("dies-on-probe");
    let said = call(&place, &["echo", "text=hi"]);
    assert_eq!((said.code, said.data.trim()), (Some(0), "hi"), "{}", said.words);
}

#[test]
fn what_a_server_prints_is_told_and_the_call_goes_on() {
    let place = place("prints");
    let events = events(&place, &["rubbish"]);
    let odd = stages(&events, "odd");
    assert!(odd[0]["text"].as_str().unwrap().contains("debug: in rubbish"), "{events:#?}");
    assert_eq!(events.last().unwrap()["outcome"], "succeeded");
    assert!(events.iter().any(|event| event["event"] == "chunk" && event["text"] == "fine"));
}

#[test]
fn progress_is_told_live_and_all_of_it() {
    let place = place("");
    let counted = call(&place, &["count", "to:=100000", "--no-history"]);
    counted.ended(0, &["\n100000 of 100000: step 100000\n"]);
    assert_eq!(counted.words.lines().count(), 100_000);
    let events = events(&place, &["count", "to:=3"]);
    let progress: Vec<&Value> = stages(&events, "progress");
    assert_eq!(progress.len(), 3, "{events:#?}");
    assert_eq!(progress[2]["body"]["params"]["progress"], 3);
}

#[test]
fn promises_of_answers_are_held_and_the_answer_is_kept() {
    let place = place("");
    let kept = events(&place, &["number", "n:=12345678901234567890123"]);
    assert_eq!(kept.last().unwrap()["outcome"], "succeeded", "{kept:#?}");
    let result = stages(&kept, "result")[0]["body"].to_string();
    assert!(result.contains("12345678901234567890123"), "{result}");
    let broken = call(&place, &["number", "n=x"]);
    broken.ended(
        1,
        &["result.structured-mismatch at /result/structuredContent", "doesn't match the tool"],
    );
    assert!(broken.data.contains(r#"{"n": "x"}"#), "{}", broken.data);
}

#[test]
fn a_tool_that_fails_is_told_with_what_the_server_wrote_meanwhile() {
    let place = place("");
    call(&place, &["fail"]).ended(1, &["the database is locked", "Error executing tool fail"]);
    let events = events(&place, &["fail"]);
    assert_eq!(stages(&events, "stderr")[0]["text"], "the database is locked");
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    let kept = fs::read_to_string(place.here.join("mcp/test.json")).unwrap();
    fs::write(place.here.join("mcp/test.json"), kept.replace("\"rubbish\"", "\"gone\"")).unwrap();
    let gone = call(&place, &["gone"]);
    gone.ended(1, &["Unknown tool: gone (-32602)", r#"data of the error: {"n":9007199254740993}"#]);
    assert!(!gone.words.contains("(-32602) (-32602)"), "{}", gone.words);
}

#[test]
fn a_server_that_dies_in_a_call_leaves_its_last_words() {
    let place = place("");
    call(&place, &["die"]).ended(3, &["ended by signal 9", "out of memory"]);
}

#[test]
fn a_server_gets_the_variables_that_are_named_and_no_others() {
    let place = place_with(&["PLAIN=a", "TOKEN=$MY_TOKEN"], "");
    let lacking = call(&place, &["environment"]);
    lacking.ended(2, &["MY_TOKEN"]);
    let line = ["call", "environment", "--connection", "test"];
    let mut command = place.command(&line);
    command
        .env("MY_TOKEN", "hunter2-hunter2")
        .env("OTHER", "b")
        .env("PATH", env::var("PATH").unwrap());
    let ran = Ran::of(command.output().unwrap());
    let names: Vec<&str> = ran.data.split_whitespace().collect();
    assert!(names.contains(&"TOKEN") && names.contains(&"PLAIN") && names.contains(&"PATH"));
    assert!(!names.contains(&"MY_TOKEN") && !names.contains(&"OTHER"), "{names:?}");
}

#[test]
fn frames_are_shown_both_ways_from_the_first() {
    let place = place("");
    let shown = place.run(&["mcp", "frames", "test", "--once", "--json"]).events();
    let directions: Vec<&str> =
        shown.iter().take(4).filter_map(|frame| frame["direction"].as_str()).collect();
    assert_eq!(directions, ["out", "in", "out", "in"]);
    let frame = |row: usize| -> Value {
        serde_json::from_str(shown[row]["frame"].as_str().unwrap()).unwrap()
    };
    assert_eq!(
        (&frame(0)["method"], &frame(1)["error"]["code"]),
        (&json!("server/discover"), &json!(-32601))
    );
    assert_eq!(frame(2)["method"], "initialize");
    let plain = place.run(&["mcp", "frames", "--once", "--", &python(), &script()]);
    assert!(plain.data.contains("→") && plain.data.contains("notifications/initialized"));
}

/// Ctrl-C while the server waits: it is told, and ends.
#[cfg(unix)]
#[test]
fn a_call_that_is_cancelled_is_cancelled_at_the_server_too() {
    let told = tempfile::tempdir().unwrap();
    let file = told.path().join("cancelled");
    let place = place_with(&[&format!("CANCELLED={}", file.display())], "");
    let mut running = place.command(&["call", "wait", "--connection", "test"]).spawn().unwrap();
    let mut words = BufReader::new(running.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("waiting") {
        line.clear();
        assert!(words.read_line(&mut line).unwrap() > 0, "it ended before it waited");
    }
    let interrupted = Command::new("kill").args(["-INT", &running.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    assert_eq!(running.wait().unwrap().code(), Some(130));
    let cancelled: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert!(cancelled["requestId"].is_number() && cancelled["reason"].is_string(), "{cancelled}");
}

/// A real server that speaks both eras.
#[test]
fn a_server_of_the_python_sdk_is_spoken_with_in_either_era() {
    let server = r#"
from mcp.server.mcpserver import MCPServer, Context
server = MCPServer("kitchen", version="1")
@server.tool()
async def slow(context: Context, steps: int = 3) -> str:
    """Tells how far it is."""
    for step in range(steps):
        await context.report_progress(step + 1, steps, f"step {step + 1}")
    await context.debug("all is ready")
    await context.warning("the oven is hot")
    return "done"
server.run()
"#;
    for (era, level, logs) in [
        ("auto", "", true),
        ("auto", "log-level = \"warning\"\n", false),
        ("legacy", "", true),
        ("legacy", "log-level = \"info\"\n", true),
    ] {
        let spoken = match era {
            "auto" => "2026-07-28 (modern era)",
            _ => "2025-11-25 (legacy era)",
        };
        let settings = format!(
            "[connections.test]\nsystem = \"mcp\"\nera = \"{era}\"\n{level}command = \"{}\"\nargs = [\"server.py\"]\n",
            python()
        );
        let place = Place::with(&[("toolcrib.toml", &settings), ("server.py", server)]);
        let refused = call(&place, &["slow"]);
        refused.ended(2, &["allow"]);
        assert!(!refused.words.contains("there is no tool"), "{}", refused.words);
        place.run(&["mcp", "allow", "test"]).ended(0, &[]);
        let pinged = place.run(&["mcp", "ping", "test"]);
        assert!(pinged.data.contains(spoken), "{era}: {} {}", pinged.data, pinged.words);
        let called = call(&place, &["slow", "steps:=4"]);
        called.ended(0, &["4 of 4: step 4", "warning: the oven is hot"]);
        let told = called.words.contains("debug: all is ready");
        assert_eq!(told, logs, "{era} {level}: {}", called.words);
        assert_eq!(called.data.trim_end(), "done");
        // What takes no text is read as JSON, which needs no other sign.
        call(&place, &["slow", "steps=2"]).ended(0, &["2 of 2: step 2"]);
        call(&place, &["slow", "steps=two"]).ended(2, &["steps is not a whole number"]);
    }
}

#[test]
fn the_workbench_asks_before_it_starts_a_server() {
    let settings = format!(
        "[connections.test]\nsystem = \"mcp\"\ncommand = \"{}\"\nargs = [\"{}\"]\n",
        python(),
        script()
    );
    let kept = r#"{"server": "test", "version": "2025-11-25", "tools": [{"name": "echo"}]}"#;
    let place = Place::with(&[("toolcrib.toml", &settings), ("mcp/test.json", kept)]);
    let mut screen = terminal::toolcrib([".", "--connection", "test"])
        .folder(&place.here)
        .home(place.home.path())
        .size(160, 40)
        .start();
    screen.wait_for("test/echo");
    screen.press(["6"]);
    screen.wait_for("test · toolcrib.toml");
    screen.press(["t"]);
    screen.wait_for("Start the server of test?");
    screen.press(["esc"]);
    screen.wait_gone("Start the server of test?");
    screen.wait_for("It starts a server");
    screen.wait_for("mcp_server.py");
    screen.press(["t"]);
    screen.wait_for("Start the server of test?");
    screen.press(["right", "enter"]);
    screen.wait_for("test 7 speaks MCP 2025-11-25");
    // It was kept for the next time, for this command alone.
    let mut ping = place.command(&["mcp", "ping", "test"]);
    ping.env("XDG_STATE_HOME", place.home.path().join(".local/state"));
    Ran::of(ping.output().unwrap()).ended(0, &[]);
}

#[test]
fn tools_of_a_server_are_listed_where_a_workspace_has_none() {
    let settings = format!(
        "connection = \"test\"\n[connections.test]\nsystem = \"mcp\"\ncommand = {:?}\nargs = [{:?}]\n",
        python(),
        script()
    );
    let place = Place::with(&[("toolcrib.toml", &settings)]);
    let mut screen =
        terminal::toolcrib(["."]).folder(&place.here).home(place.home.path()).size(120, 36).start();
    screen.wait_for("test");
    screen.press(["3"]);
    screen.wait_for("Enter lists the tools of test");
    screen.wait_for("[ Deployed tools ]");
    screen.press(["enter"]);
    screen.wait_for("Start the server of test?");
    screen.press(["right", "enter"]);
    screen.wait_for("echo");
    screen.wait_for("[ Send F6 ]");
}

#[test]
fn tools_are_listed_again_after_their_server_could_not_start() {
    let place = Place::with(&[]);
    let late = place.here.join("late.py");
    let settings = format!(
        "connection = \"test\"\n[connections.test]\nsystem = \"mcp\"\ncommand = {:?}\nargs = [{late:?}]\n",
        python(),
    );
    fs::write(place.here.join("toolcrib.toml"), settings).unwrap();
    let mut screen =
        terminal::toolcrib(["."]).folder(&place.here).home(place.home.path()).size(120, 36).start();
    screen.wait_for("test");
    screen.press(["3"]);
    screen.wait_for("Enter lists the tools of test");
    screen.press(["enter"]);
    screen.wait_for("Start the server of test?");
    screen.press(["right", "enter"]);
    screen.wait_for("can't open file");
    fs::copy(script(), &late).unwrap();
    screen.press(["enter"]);
    screen.wait_for("echo");
    screen.wait_for("[ Send F6 ]");
}

#[test]
fn an_empty_folder_is_one_answer_away_from_a_server_s_tools() {
    let place = Place::with(&[]);
    let mut screen =
        terminal::toolcrib(["."]).folder(&place.here).home(place.home.path()).size(80, 24).start();
    screen.wait_for("Welcome to toolcrib");
    screen.press(["m"]);
    screen.wait_for("Connect an MCP server");
    screen.wait_for("server-everything");
    screen.press(["ctrl+a", "delete"]);
    screen.paste(&format!("test {} {}", python(), script()));
    screen.wait_for("[connections.test]");
    // Who typed the command isn't asked whether it may be started.
    screen.press(["enter"]);
    screen.wait_for("9 tools are deployed on test");
    // The list has the keys: one of its tools is to be chosen.
    screen.press(["/"]);
    screen.type_text("echo");
    screen.press(["enter", "enter", "enter"]);
    screen.type_text("hello there");
    screen.press(["enter", "f6"]);
    screen.wait_for("succeeded");
    screen.wait_for("hello there");
    // A call of a tool that no file defines is kept as a case, and run here and by scripts.
    screen.press(["@keep-case"]);
    screen.wait_for("Keep as case");
    screen.press(["enter"]);
    screen.wait_for("cases/echo.yaml");
    screen.press(["@cases"]);
    screen.wait_for("Run all (1)");
    screen.press(["enter"]);
    screen.wait_for("1 case passed");
    screen.press(["ctrl+q"]);
    screen.wait_end();
    let case = fs::read_to_string(place.here.join("cases/echo.yaml")).unwrap();
    assert!(case.contains("call: echo\nconnection: test\n"), "{case}");
    place.run(&["test", "--allow-start"]).ended(0, &["1 case passed"]);
    let closed = place.run(&["test"]);
    closed.ended(2, &[]);
    assert!(closed.data.contains("starts a server, which you have"), "{}", closed.data);
    let elsewhere = place.run(&["test", "--connection", "embedded"]);
    elsewhere.ended(2, &[]);
    assert!(elsewhere.data.contains("there is no tool \"echo\""), "{}", elsewhere.data);
    // It is in the file, and calls go there from now on.
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    assert!(
        settings.starts_with("connection = \"test\"\n\n[connections.test]\nsystem = \"mcp\"\n")
    );
}

/// A server with one tool, whose call takes it away.
const SHRINKING: &str = r#"
import json, sys
tools = [{"name": "shrink", "inputSchema": {"type": "object"}}]
def say(message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get("id"), message.get("method")
    if method == "initialize":
        say({"id": id, "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "s", "version": "1"}}})
    elif method == "tools/list":
        say({"id": id, "result": {"tools": tools}})
    elif method == "tools/call":
        tools = []
        say({"method": "notifications/tools/list_changed"})
        say({"id": id, "result": {"content": []}})
    elif id is not None:
        say({"id": id, "error": {"code": -32601, "message": "no such method"}})
"#;

/// The same in the modern era: it says so to who listens for it, and answers calls only then.
const MODERN_SHRINKING: &str = r#"
import json, sys
tools = [{"name": "shrink", "inputSchema": {"type": "object"}}]
listening, calls = None, []
def say(message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def result(id, **members): say({"id": id, "result": {"resultType": "complete", **members}})
def notify(method, **params): say({"method": "notifications/" + method, "params": {**params, "_meta": {"io.modelcontextprotocol/subscriptionId": listening}}})
for line in sys.stdin:
    message = json.loads(line)
    id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if method == "server/discover":
        result(id, supportedVersions=["2026-07-28"], capabilities={"tools": {"listChanged": True}}, ttlMs=0, cacheScope="private",
               _meta={"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}})
    elif method == "tools/list":
        result(id, tools=tools, ttlMs=0, cacheScope="private")
    elif method == "tools/call":
        calls.append(id)
    elif method == "subscriptions/listen":
        listening = id
        notify("subscriptions/acknowledged", notifications=params["notifications"])
    elif id is not None:
        say({"id": id, "error": {"code": -32601, "message": "no such method"}})
    while listening is not None and calls:
        tools = []
        notify("tools/list_changed")
        result(calls.pop(), content=[])
"#;

#[tokio::test]
async fn a_list_that_changes_is_held_against_the_kept_one_at_once() {
    for server in [SHRINKING, MODERN_SHRINKING] {
        says_at_once_that_a_tool_is_gone(server, true).await;
    }
}

#[tokio::test]
async fn a_list_that_changes_is_read_again_where_none_is_kept() {
    for server in [SHRINKING, MODERN_SHRINKING] {
        says_at_once_that_a_tool_is_gone(server, false).await;
    }
}

async fn says_at_once_that_a_tool_is_gone(server: &str, is_kept: bool) {
    let place = Place::with(&[("toolcrib.toml", ""), ("server.py", server)]);
    place.run(&["mcp", "add", "test", "--", &python(), "server.py"]).ended(0, &[]);
    if is_kept {
        place.run(&["mcp", "keep", "test"]).ended(0, &["mcp/test.json"]);
    }
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    let settings = parse_settings(&settings).0;
    let connection = settings.connections.find_by_name("test").unwrap();

    let (told, mut hears) = mpsc::unbounded_channel();
    let registry = Registry::default()
        .in_workspace(&place.here)
        .asking(Arc::new(|_| true))
        .telling(Arc::new(move |words| told.send(words).unwrap()));
    registry.open_bus(connection).await.unwrap();
    let request = call_of("shrink");
    let (events, mut heard) = mpsc::channel(64);
    registry.run_call(connection, request, Limits::default(), events).await;
    while heard.recv().await.is_some() {}
    assert_eq!(hears.recv().await.unwrap(), News::Tools("test".into()));
    if is_kept {
        let words = "test: its tools differ from the saved list: 1 breaking (shrink); `toolcrib \
            mcp keep test` shows what changed";
        assert_eq!(hears.recv().await.unwrap(), News::Words(words.into()));
    }
    registry.close().await;
}

fn call_of(tool: &str) -> Request {
    let source = EntryPlace::plain(FileId::new("mcp/test.json"), 0, Pointer::root());
    Request {
        tool: EntryId::new(source),
        system: "mcp",
        name: tool.into(),
        to: "tools/call".into(),
        reply: None,
        headers: Vec::new(),
        correlation: "1".into(),
        arguments: "{}".into(),
        body: json!({"name": tool, "arguments": {}}).to_string().into(),
        mock: None,
    }
}

#[tokio::test]
async fn what_is_sent_to_cancel_a_call_is_reported_with_it() {
    let place = place("");
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    let settings = parse_settings(&settings).0;
    let connection = settings.connections.find_by_name("test").unwrap();
    let registry = Registry::default().in_workspace(&place.here).asking(Arc::new(|_| true));
    let (events, mut heard) = mpsc::channel(64);
    let wait = json!({"name": "wait", "arguments": {"late": true}}).to_string();
    let request = Request { body: wait.into(), ..call_of("wait") };
    let mut call = Box::pin(registry.run_call(connection, request, Limits::default(), events));
    let is_progress = |event: &Event| matches!(&event.kind, EventKind::Stage(stage) if &*stage.name == Stage::PROGRESS);
    loop {
        tokio::select! {
            () = &mut call => panic!("it waits until it is cancelled"),
            event = heard.recv() => if is_progress(&event.unwrap()) { break },
        }
    }
    drop(call);
    let mut sent = None;
    // What the server still says isn't part of the answer.
    let mut late = Vec::new();
    while late.len() < 2 {
        match heard.recv().await.unwrap().kind {
            EventKind::Stage(stage) => sent = Some(stage.body),
            EventKind::Stray { cause: StrayCause::Late, body, .. } => late.push(body),
            other => panic!("{other:?}"),
        }
    }
    assert!(sent.as_ref().unwrap().contains("notifications/cancelled"), "{sent:?}");
    assert!(late[0].contains("still at work") && late[1].contains("done all the same"), "{late:?}");
    // The end of the connection doesn't wait for more.
    registry.close().await;
    assert!(heard.recv().await.is_none());
}

/// A server whose version and only tool say how often it was started.
const COUNTED: &str = r#"
import json, sys
with open("starts", "a") as file: file.write("x")
count = len(open("starts").read())
for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get("method")
    if method == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "counted", "version": f"v{count}"}}
    elif method == "tools/list":
        result = {"tools": [{"name": f"tool-{count}", "description": "d", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": "all is well"}], "structuredContent": {"count": count}}
    elif "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"#;

fn counted_place() -> Place {
    let place = Place::with(&[("toolcrib.toml", ""), ("server.py", COUNTED)]);
    let python = python();
    place.run(&["mcp", "add", "own", "--", &python, "server.py"]).ended(0, &["toolcrib.toml"]);
    place
}

#[test]
fn a_server_is_started_again_and_its_tools_are_listed_again() {
    let place = counted_place();
    let lines =
        ["show-invoke", "deployed-tools", "restart-server", "show-connections", "reconnect"];
    let said = plain::run(&place, &["--plain"], &lines);
    assert_in_order(&said.data, &["own/tool-1", "connected to own", "own/tool-2", "connected"]);
    let changed = "since they were listed before: 1 breaking (tool-1), 1 compatible (tool-2)";
    assert!(said.data.contains(changed), "{}", said.data);
    assert_eq!(fs::read_to_string(place.here.join("starts")).unwrap(), "xxx");

    let before = plain::run(&counted_place(), &["--plain"], &["restart-server"]);
    assert!(before.data.contains("the server of own doesn't run"), "{}", before.data);
}

#[test]
fn tools_of_several_servers_are_listed_beside_each_other_and_called_on_their_own() {
    let place = counted_place();
    let python = python();
    place.run(&["mcp", "add", "test", "--", &python, &script()]).ended(0, &[]);
    let home = place.home.path();
    let mut screen = terminal::toolcrib::<&str>([])
        .folder(&place.here)
        .home(home)
        .variable("XDG_CONFIG_HOME", home.join("config"))
        .variable("XDG_STATE_HOME", home.join("state"))
        .size(120, 36)
        .start();
    screen.wait_for("Connections");
    screen.press(["3"]);
    // That which calls go to was allowed, and is listed unasked.
    screen.wait_for("own/tool-1");
    // So was the other one, and neither list takes the other's place.
    screen.wait_for("test/echo");
    screen.wait_for("own/tool-1");
    screen.click_on("test/echo");
    screen.press(["/"]);
    screen.type_text("echo");
    screen.press(["enter", "enter", "enter"]);
    screen.type_text("hello there");
    screen.press(["enter", "f6"]);
    screen.wait_for("succeeded");
    screen.wait_for("hello there");
}

#[test]
fn tools_that_are_not_as_kept_are_named_when_a_server_is_started_again() {
    let place = counted_place();
    place.run(&["mcp", "keep", "own"]).ended(0, &[]);
    let lines = ["show-connections", "reconnect", "quit"];
    let said = plain::run(&place, &["--plain"], &lines);
    let changed = "own: its tools differ from the saved list: 1 breaking (tool-1), 1 compatible \
        (tool-2)";
    assert_in_order(&said.data, &["connected to own", changed]);
}

#[test]
fn a_kept_list_does_not_silence_the_lock() {
    let place = place("");
    place.run(&["lock"]).ended(0, &[]);
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    let more = format!("{settings}\n[connections.test.env]\nMORE = \"1\"\n");
    fs::write(place.here.join("toolcrib.toml"), more).unwrap();
    place.run(&["mcp", "allow", "test"]).ended(0, &[]);
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    let told = call(&place, &["echo", "text=a", "--no-check"]);
    told.ended(0, &["it has changed since it was locked: 2 breaking"]);
    assert!(!told.words.contains("saved list"), "{}", told.words);
    // Arguments are refused by what is kept, which may be old.
    let refused = call(&place, &["test/echo", "text=a"]);
    refused.ended(2, &["more is required", "as mcp/test.json has it"]);
}

#[test]
fn a_banner_on_standard_output_is_named_where_a_server_is_looked_at() {
    let place = place("prints");
    let words = "frame.not-json: it prints something else to standard output";
    place.run(&["mcp", "ping", "test"]).ended(0, &[words]);
    let report = place.run(&["mcp", "conformance", "test"]);
    report.ended(1, &[]);
    assert!(report.data.contains("broken"), "{}", report.data);
    assert!(report.data.contains("stdio.output"), "{}", report.data);
    let fine = crate::mcp_live::place("").run(&["mcp", "ping", "test"]);
    assert!(!fine.words.contains("frame.not-json"), "{}", fine.words);
}

#[test]
fn data_beside_an_answers_text_is_told_and_expected_by_cases() {
    let place = counted_place();
    let called = place.run(&["call", "tool-1", "--connection", "own"]);
    called.ended(0, &[]);
    assert_eq!(called.data, "all is well\n{\"count\":2}\n");
    assert!(!called.words.contains("count"), "{}", called.words);
}

#[test]
fn a_tool_that_is_neither_here_nor_at_the_server_is_looked_for_there() {
    let place = counted_place();
    let call = |tool| place.run(&["call", tool, "--connection", "own"]);
    call("tol-1")
        .ended(2, &["connection \"own\" has no tool \"tol-1\"", "did you mean \"tool-1\"?"]);
    let lists = "`toolcrib tools --deployed --connection own` lists those that are there";
    call("nosuch").ended(2, &["connection \"own\" has no tool \"nosuch\"", lists]);
}

/// A server that reads and never answers.
const SILENT: &str = "[connections.mute]\nsystem = \"mcp\"\ncommand = \"sleep\"\nargs = [\"60\"]\n";

#[test]
fn a_server_that_never_answers_is_named_and_waited_for_no_longer_than_asked() {
    let kept = r#"{"server": "mute", "tools": [{"name": "a", "description": "d", "inputSchema": {"type": "object"}}]}"#;
    let place = Place::with(&[("toolcrib.toml", SILENT), ("mcp/mute.json", kept)]);
    // One is listed first, the other is called at once.
    for tool in ["other", "mute/a"] {
        let line = ["call", tool, "--connection", "mute", "--timeout", "2500ms", "--allow-start"];
        let words = ["waiting for mute to answer", "\"mute\" didn't open within 2.5 s"];
        place.run(&line).ended(4, &words);
    }
}

#[test]
fn a_case_of_a_tool_that_is_only_deployed_may_be_mocked() {
    let place = place("");
    fs::create_dir(place.here.join("cases")).unwrap();
    let case = "call: echo\nconnection: test\narguments: {text: a}\nexpect:\n  contains: [Hail]\n";
    fs::write(place.here.join("cases/one.yaml"), case).unwrap();
    let called = place.run(&["test"]);
    called.ended(1, &["1 of 1 case failed"]);
    assert!(called.data.contains("it is not in \"a\""), "{}", called.data);
    place.run(&["test", "--mock", "--mock-text", "Hail"]).ended(0, &["1 case passed"]);
    place.run(&["test", "--mock", "--mock-text", "Fog"]).ended(1, &["1 of 1 case failed"]);
    // Its own stub has its key, with the server's name.
    fs::create_dir_all(place.here.join("stubs")).unwrap();
    let stub = "stub: a\nservices:\n  test/echo:\n    rules:\n      - answer: Hail\n";
    fs::write(place.here.join("stubs/test-echo.yaml"), stub).unwrap();
    place.run(&["test", "--mock"]).ended(0, &["1 case passed"]);
}

#[test]
fn a_case_names_a_deployed_tool_with_its_connection_as_a_call_does() {
    let place = place("");
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    let elsewhere = settings.replace("connection = \"test\"", "connection = \"embedded\"");
    fs::write(place.here.join("toolcrib.toml"), elsewhere).unwrap();
    fs::create_dir(place.here.join("cases")).unwrap();
    let case = "call: test/echo\narguments: {text: a}\nexpect: {contains: [a]}\n";
    fs::write(place.here.join("cases/one.yaml"), case).unwrap();
    place.run(&["call", "test/echo", "text=a"]).ended(0, &[]);
    place.run(&["test"]).ended(0, &["1 case passed"]);
    let checked = place.run(&["check"]);
    assert!(!checked.data.contains("file.malformed"), "{}", checked.data);
    let other = place.run(&["test", "--connection", "embedded"]);
    other.ended(2, &[]);
    assert!(other.data.contains("there is no tool \"test/echo\""), "{}", other.data);
    place.run(&["mcp", "add", "staging", "--", &python(), &script()]).ended(0, &[]);
    place.run(&["test", "--connection", "staging"]).ended(0, &["1 case passed"]);
    // Where a file has the server's tools, a slip is found without the server.
    place.run(&["mcp", "keep", "test"]).ended(0, &["saved 9 tools"]);
    let slip = case.replace("echo", "ecko");
    fs::write(place.here.join("cases/one.yaml"), slip).unwrap();
    let checked = place.run(&["check"]);
    assert!(checked.data.contains("file.malformed"), "{}", checked.data);
}

#[test]
fn groups_of_a_kept_tool_are_no_second_server() {
    let place = counted_place();
    place.run(&["mcp", "keep", "own"]).ended(0, &["saved 1 tool"]);
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    let more = format!("{settings}\n[mcp.own.tools.tool-1]\ngroups = [\"math\"]\n");
    fs::write(place.here.join("toolcrib.toml"), more).unwrap();
    let checked = place.run(&["check"]);
    checked.ended(0, &[]);
    assert!(!checked.data.contains("identity.duplicate-key"), "{}", checked.data);
}
