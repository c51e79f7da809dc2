//! Variables of requests: `{{var.NAME}}` is what each connection has for it, in cases, in calls, on
//! the screen.

use std::fs;

use toolcrib::{
    app::{
        history::HistoryMessage,
        message::{Message, ScreenId},
    },
    model::{
        call::{Event, EventKind, Outcome},
        entry::FileId,
        trace::{Head, Trace},
    },
    store::samples::SAMPLES,
};

use crate::support::{
    place::{Place, Ran},
    workbench::Workbench,
};

const SETTINGS: &str = "\
connection = \"dev\"
[variables]
left = \"6\"
[connections.dev]
transport = \"embedded\"
[connections.dev.variables]
right = 7
key = \"$SHOP_KEY\"
[connections.staging]
transport = \"embedded\"
variables = {right = 8, left = \"5\", floor = 2}
";

const CASE: &str = "\
case: product
call: calculator
arguments: {expression: \"{{var.left}} * {{var.right}}\"}
expect: {json: 42}
";

/// The files of the sample services with those settings, and more.
fn files<'f>(more: &[(&'f str, &'f str)]) -> Vec<(&'f str, &'f str)> {
    let sample = SAMPLES.iter().find(|sample| sample.name == "services").unwrap();
    let is_left = |(path, _): &(&str, &str)| *path != "toolcrib.toml" && !path.ends_with(".md");
    let rest = sample.files.iter().copied().filter(is_left);
    rest.chain([("toolcrib.toml", SETTINGS)]).chain(more.iter().copied()).collect()
}

fn call(place: &Place, expression: &str, options: &[&str]) -> Ran {
    let argument = format!("expression={expression}");
    place.run(&[&["call", "calculator", &argument], options].concat())
}

#[test]
fn a_case_sends_what_its_connection_has_unless_the_command_says_otherwise() {
    let place = Place::with(&files(&[("cases/product.yaml", CASE)]));
    place.run(&["test"]).ended(0, &["1 case passed"]);
    let there = place.run(&["test", "--connection", "staging"]);
    there.ended(1, &[]);
    assert!(there.data.contains("40"), "{}", there.data);
    let given = ["test", "--connection", "staging", "--var", "left=7", "--var", "right=6"];
    place.run(&given).ended(0, &["1 case passed"]);
    place.run(&["test", "--var", "lefft=7"]).ended(0, &["did you mean \"left\"?"]);
    place.run(&["test", "--var", "left"]).ended(2, &["\"left\" has no =", "--var NAME=VALUE"]);
}

#[test]
fn a_call_shows_what_is_sent_and_its_mock_gets_the_same() {
    let place = Place::with(&files(&[]));
    let both = "{{var.left}} * {{var.right}}";
    for (options, expected) in [
        (&["--dry-run", "--json"][..], "6 * 7"),
        (&["--dry-run", "--connection", "staging"], "5 * 8"),
        (&["--dry-run", "--var", "left=1"], "1 * 7"),
        (&["--mock=echo"], "6 * 7"),
    ] {
        let ran = call(&place, both, options);
        ran.ended(0, &[]);
        assert!(ran.data.contains(expected), "{expected}: {}", ran.data);
    }
    assert_eq!(call(&place, both, &[]).data.trim(), "42");
    let typed = call(&place, "{{var.right}}", &["--dry-run"]);
    typed.ended(2, &["expression is not text"]);
    let missing = call(&place, "{{var.rigth}}", &[]);
    missing.ended(2, &["\"rigth\" for connection \"dev\"; did you mean \"right\"?"]);
}

#[test]
fn a_variable_that_nothing_names_is_said() {
    let place = Place::with(&files(&[]));
    let words = |given: &str| call(&place, "{{var.new}}", &["--var", "new=1 + 1", "--var", given]);
    let ran = words("rigth=7");
    ran.ended(0, &["nothing names a variable \"rigth\"", "did you mean \"right\"?"]);
    assert!(!ran.words.contains("\"new\""), "{}", ran.words);
    // Also what only another connection has.
    for given in ["right=7", "floor=3"] {
        let ran = words(given);
        assert!(!ran.words.contains("nothing names"), "{}", ran.words);
    }
}

#[test]
fn a_call_that_is_sent_again_has_the_variables_of_its_connection_and_of_the_command() {
    let place = Place::with(&files(&[]));
    let resend = |options: &[&str]| {
        let again = ["history", "resend", "last", "--no-history"];
        place.run(&[&again, options].concat())
    };
    call(&place, "{{var.left}} * {{var.right}}", &[]).ended(0, &[]);
    assert_eq!(resend(&[]).data.trim(), "42");
    assert_eq!(resend(&["--connection", "staging"]).data.trim(), "40");
    assert_eq!(resend(&["--var", "left=1"]).data.trim(), "7");
    resend(&["--var", "lefft=1"]).ended(0, &["did you mean \"left\"?"]);
    call(&place, "{{var.key}} * 2", &["--var", "key=3"]).ended(0, &[]);
    resend(&["--connection", "staging"]).ended(2, &["\"key\" for connection \"staging\""]);
}

#[test]
fn calls_that_differ_in_their_variables_alone_are_told_apart_in_the_history() {
    let place = Place::with(&files(&[]));
    for options in [&[][..], &["--connection", "staging"]] {
        call(&place, "{{var.left}} * {{var.right}}", options).ended(0, &[]);
    }
    let listed = place.run(&["history"]).data;
    assert!(listed.contains("6 * 7") && listed.contains("5 * 8"), "{listed}");
}

#[test]
fn a_file_says_what_the_environment_is_for_requests_alone() {
    let place =
        Place::with(&files(&[("ours.env", "# ours\nexport SUM='111111 + 1'\nSHOP_KEY=1\n")]));
    let file = ["--env-file", "ours.env"];
    let ran = call(&place, "{{env.SUM}}", &file);
    assert_eq!(ran.data.trim(), "111112", "{}", ran.words);
    let kept = place.run(&["history", "show", "last", "--json"]);
    assert!(kept.data.contains("{{env.SUM}}") && !kept.data.contains("111111 +"), "{}", kept.data);
    call(&place, "{{env.SUM}}", &[]).ended(2, &["no variable SUM"]);
    call(&place, "{{var.key}}", &file).ended(2, &["environment variable SHOP_KEY is not set"]);
    fs::write(place.here.join("ours.env"), "A=1\nhunter2\n").unwrap();
    let ran = call(&place, "1 + 1", &file);
    ran.ended(2, &["line 2", "write NAME=VALUE"]);
    assert!(!ran.words.contains("hunter2"), "{}", ran.words);
    let long = format!("A={}\n", "x".repeat(1 << 20));
    fs::write(place.here.join("ours.env"), long).unwrap();
    call(&place, "1 + 1", &file).ended(2, &["more than 1 MB"]);
}

#[test]
fn doctor_names_a_secret_once_with_all_that_need_it() {
    let far = "[variables]\nkey = \"$SHOP_KEY\"\n[connections.a]\nservers = \"nats://a:1\"\n\
               [connections.b]\nservers = \"nats://b:1\"\ntoken-variable = \"OTHER_KEY\"\n";
    let place = Place::with(&[("toolcrib.toml", far)]);
    let rows = place.json(&["doctor", "--json"]);
    let about = |name: &str| -> Vec<&str> {
        let rows = rows.as_array().unwrap().iter();
        let named = rows.filter(|row| row["detail"].as_str().unwrap().contains(name));
        named.map(|row| row["check"].as_str().unwrap()).collect()
    };
    assert_eq!(about("OTHER_KEY"), ["connection b"]);
    let shared = about("SHOP_KEY");
    assert_eq!(shared.len(), 1, "{rows}");
    assert!(shared[0].starts_with("connections ") && shared[0].ends_with("a, b"), "{rows}");
}

#[test]
fn a_case_expects_what_its_connection_has() {
    let case = "case: limit\ncall: calculator\narguments: {expression: \"{{var.right}} + 0\"}\n\
                expect: {json: \"{{var.right}}\"}\n";
    let secret = case.replace("json: \"{{var.right}}\"", "contains: [\"{{var.key}}\"]");
    let place = Place::with(&files(&[("cases/limit.yaml", case), ("cases/secret.yaml", &secret)]));
    place.run(&["test", "limit"]).ended(0, &["1 case passed"]);
    place.run(&["test", "limit", "--connection", "staging"]).ended(0, &["1 case passed"]);
    place.run(&["test", "secret"]).ended(2, &["1 of 1 case couldn't run"]);
    let found = place.run(&["check"]);
    found.ended(0, &[]);
    let words = found.data.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("cases/secret.yaml:4:"), "{words}");
    assert!(words.contains("can't expect the secret variable \"key\""), "{words}");
    assert!(!words.contains("cases/limit.yaml"), "{words}");
}

#[test]
fn a_secret_is_filled_in_last_and_kept_nowhere() {
    let place = Place::with(&files(&[]));
    let run = |options: &[&str]| {
        let call = ["call", "calculator", "expression={{var.key}}"];
        let mut command = place.command(&[&call, options].concat());
        Ran::of(command.env("SHOP_KEY", "111111 + 1").output().unwrap())
    };
    let shown = run(&["--dry-run", "--json"]);
    assert!(shown.data.contains("{{var.key}}") && !shown.data.contains("111111"), "{}", shown.data);
    assert_eq!(run(&[]).data.trim(), "111112");
    let kept = place.run(&["history", "show", "last", "--json"]);
    assert!(kept.data.contains("{{var.key}}") && !kept.data.contains("111111 +"), "{}", kept.data);
    call(&place, "{{var.key}}", &[]).ended(2, &["the environment variable SHOP_KEY is not set"]);
    let given = call(&place, "{{var.password}}", &["--var", "password=111111 + 1", "--dry-run"]);
    assert!(given.data.contains("{{var.password}}"), "{}", given.data);

    let secret = format!(
        "{SETTINGS}[connections.more]\nservers = \"nats://127.0.0.1:1\"\n\
                          [connections.more.variables]\napi_key = \"hunter2hunter2\"\n"
    );
    fs::write(place.here.join("toolcrib.toml"), secret).unwrap();
    let found = place.run(&["check"]);
    found.ended(1, &[]);
    assert!(found.data.contains("error settings.secret"), "{}", found.data);
    assert!(!found.data.contains("hunter2"), "{}", found.data);
    call(&place, "1 + 1", &[]).ended(2, &["secrets don't belong in this file"]);
}

#[test]
fn a_secret_of_a_variable_is_allowed_by_its_name() {
    let far = "[connections.far]\nservers = \"nats://far.example:4222\"\n\
               variables = {key = \"$SHOP_KEY\"}\n";
    let place = Place::with(&[("toolcrib.toml", far)]);
    let is_allowed = || place.json(&["allow", "--json"])[0]["allowed"].clone();
    assert_eq!(is_allowed(), false);
    let given = place.json(&["allow", "far", "--variable", "key", "--json"]);
    assert_eq!(given[0]["secrets"][0]["from"], "the environment variable SHOP_KEY");
    assert_eq!(is_allowed(), true);
    place.run(&["allow", "far", "--forget"]).ended(0, &[]);
    assert_eq!(is_allowed(), false);
}

#[test]
fn check_names_what_nothing_defines_for_the_connection_of_a_case() {
    let typo = CASE.replace("right", "rigth");
    let there = CASE.replace("var.left", "var.key") + "connection: staging\n";
    let files = files(&[("cases/a.yaml", CASE), ("cases/b.yaml", &typo), ("cases/c.yaml", &there)]);
    let place = Place::with(&files);
    let found = place.run(&["check"]);
    found.ended(0, &[]);
    let words = found.data.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "cases/b.yaml:3:13 warning case.variable",
        "\"rigth\" for connection \"dev\"; did you mean \"right\"?",
        "cases/c.yaml:3:13 warning case.variable",
        "\"key\" for connection \"staging\"",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(!words.contains("cases/a.yaml"), "{words}");
    place.run(&["check", "--strict"]).ended(1, &[]);
    place.run(&["test", "b"]).ended(2, &["1 of 1 case couldn't run"]);
    place.run(&["test", "b", "--var", "rigth=7"]).ended(0, &["1 case passed"]);
}

#[test]
fn the_request_shows_the_variables_of_the_connection_that_is_chosen() {
    let mut bench = Workbench::files(&files(&[]), 200, 60).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("{{var.left}} * {{var.right}} + {{var.key}}");
    bench.keys("esc");
    let lines = [
        "left = 6 · the workspace",
        "right = 7 · connection dev",
        "key = •••• from the environment variable SHOP_KEY · connection dev",
    ];
    for line in lines {
        assert!(bench.shows(line), "{line}:\n{}", bench.screen());
    }
    let tool = bench.state.catalog.tool_called("calculator").unwrap().id().clone();
    let request = bench.state.build_request(&tool).unwrap();
    assert!(request.body.contains("6 * 7 + {{var.key}}"), "{}", request.body);
    assert!(request.arguments.contains("{{var.left}}"), "a case of it gets the names");
    bench.keys("C");
    assert!(bench.shows("left = 5, right = 8"), "{}", bench.screen());
    bench.types("staging");
    bench.keys("enter");
    let lines = [
        "left = 5 · connection staging",
        "right = 8 · connection staging",
        "key isn't defined for connection staging",
        "nothing defines the variable \"key\"",
    ];
    for line in lines {
        assert!(bench.shows(line), "{line}:\n{}", bench.screen());
    }
}

#[test]
fn a_field_of_a_number_takes_a_variable() {
    let tool = "tool_name: lamp\nafter_execution: suspend\n\
                target_subject: \"cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch\"\n\
                parameters: {type: object, properties: {count: {type: integer}}}\n";
    let files = [("tools.yaml", tool), ("toolcrib.toml", "[variables]\nlimit = 5\n")];
    let mut bench = Workbench::files(&files, 120, 36).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("{{var.");
    assert!(bench.shows("5 · the workspace"), "{}", bench.screen());
    bench.keys("enter esc");
    let tool = bench.state.catalog.tool_called("lamp").unwrap().id().clone();
    assert_eq!(bench.state.arguments_of(&tool)["count"], "{{var.limit}}", "{}", bench.screen());
    assert!(!bench.shows("expected") && bench.shows("limit = 5"), "{}", bench.screen());
}

#[test]
fn the_next_connection_is_one_action_away() {
    let mut bench = Workbench::files(&files(&[]), 120, 36).on(ScreenId::Invoke);
    for name in ["staging", "dev", "staging"] {
        bench.keys("@next-connection");
        let chosen = bench.state.network.connections.chosen.as_deref();
        assert_eq!(chosen, Some(name), "{}", bench.screen());
    }
}

#[test]
fn a_connection_shows_its_variables_and_where_they_are_from() {
    let bench = Workbench::files(&files(&[]), 120, 36).on(ScreenId::Connections);
    for line in ["left = 6 · the workspace", "right = 7", "key = •••• from"] {
        assert!(bench.shows(line), "{line}:\n{}", bench.screen());
    }
}

#[test]
fn names_are_offered_while_they_are_typed_and_those_that_nothing_defines_are_said() {
    let mut bench = Workbench::files(&files(&[]), 200, 60);
    bench.state.environment = vec!["HOME".into(), "SHOP_KEY".into()];
    let mut bench = bench.on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("{{var.");
    for line in ["var.left", "6 · the workspace", "var.key", "var.right", "7 · connection dev"] {
        assert!(bench.shows(line), "{line}:\n{}", bench.screen());
    }
    bench.types("r");
    assert!(!bench.shows("6 · the workspace"), "{}", bench.screen());
    bench.keys("enter");
    bench.types(" * {{env.");
    bench.keys("down");
    bench.clicks("env.SHOP_KEY");
    bench.types(" + {{va");
    bench.keys("esc");
    bench.types("r.rigth}} + {{env.NOBODY}}");
    let tool = bench.state.catalog.tool_called("calculator").unwrap().id().clone();
    let typed = "{{var.right}} * {{env.SHOP_KEY}} + {{var.rigth}} + {{env.NOBODY}}";
    assert_eq!(bench.state.arguments_of(&tool)["expression"], typed, "{}", bench.screen());
    for line in ["⚠ nothing defines the variable \"rigth\"", "⚠ the environment has no variable"]
    {
        assert!(bench.shows(line), "{line}:\n{}", bench.screen());
    }
}

#[test]
fn a_case_of_a_call_that_went_elsewhere_names_its_connection() {
    let mut bench = Workbench::files(&files(&[]), 120, 36).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("{{var.left}} * 8");
    for (chosen, name) in [(None, "calculator"), (Some("staging"), "calculator-2")] {
        bench.state.network.connections.chosen = chosen.map(str::to_owned);
        bench.keys("f6");
        let end = EventKind::End { outcome: Outcome::Succeeded, problem: None };
        bench.happens([(3, EventKind::Chunk { text: "40".into(), bytes: 2 }), (4, end)]);
        bench.keys("esc K enter");
        let file = FileId::new(format!("cases/{name}.yaml"));
        let kept = bench.state.documents.get(&file).unwrap().text.to_string();
        assert!(kept.contains("{{var.left}} * 8"), "{kept}");
        assert_eq!(kept.contains("\nconnection: staging\n"), chosen.is_some(), "{kept}");
        assert_eq!(kept.contains("\nconnection: "), chosen.is_some(), "{kept}");
    }
}

#[test]
fn the_history_shows_the_values_that_were_sent() {
    let mut bench = Workbench::sample("services", 120, 36);
    let head = Head {
        id: "00000001-0000".into(),
        tool: "echo".into(),
        system: "mcp".into(),
        connection: "dev".into(),
        arguments: r#"{"text":"{{var.shop}} {{var.key}}"}"#.into(),
        body: r#"{"name":"echo","arguments":{"text":"demo {{var.key}}"}}"#.into(),
        ..Head::default()
    };
    let end = EventKind::End { outcome: Outcome::Succeeded, problem: None };
    let events = [EventKind::Sent { bytes: 2 }, end].map(|kind| Event { at_ms: 1, kind });
    let trace = Trace { head, events: events.into() };
    bench.keys("5");
    bench.send(Message::History(HistoryMessage::Select(trace.head.id.clone())));
    bench.send(Message::History(HistoryMessage::Opened(Box::new(trace))));
    bench.draw();
    assert!(bench.shows(r#"{"text":"demo {{var.key}}"}"#), "{}", bench.screen());
}
