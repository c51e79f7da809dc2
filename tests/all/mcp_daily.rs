//! What one does every day with an MCP server: find a tool, call it, call yesterday's again.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib::{
    app::{
        effect::Effect,
        history::HistoryMessage,
        input::Input,
        message::{ConnectionMessage, Message, Purpose, ScreenId},
        question::Question,
    },
    model::{
        call::{Event, EventKind, Outcome},
        problem::{Problem, ProblemKind},
        trace::{Head, Trace},
    },
    systems::{deployed::item::Item, permission::Permission, start::Start},
};

use crate::support::{place::Place, workbench::Workbench};

const SETTINGS: &str = "connection = \"sky\"\n[connections.sky]\nsystem = \"mcp\"\ntransport = \"http\"\nservers = [\"http://127.0.0.1:9/mcp\"]\n";

fn kept(tools: &Value) -> String {
    json!({"server": "sky", "version": "2025-11-25", "tools": tools}).to_string()
}

/// A workspace that keeps the tools of a server, on Invoke.
fn open(tools: &Value, size: (u16, u16)) -> Workbench {
    let kept = kept(tools);
    let files = [("mcp/sky.json", &*kept), ("toolcrib.toml", SETTINGS)];
    Workbench::files(&files, size.0, size.1).on(ScreenId::Invoke)
}

fn many_tools() -> Value {
    let tool = |number: usize| {
        json!({"name": format!("tool_{number:03}"), "inputSchema": {"type": "object"},
            "description": format!("Does invoice number {number}")})
    };
    let mut tools: Vec<Value> = (0..60).map(tool).collect();
    tools[7]["title"] = "Weather of a city".into();
    tools[9]["annotations"] = json!({"destructiveHint": true, "idempotentHint": false});
    tools.into()
}

#[test]
fn the_time_of_a_tool_that_the_kept_list_lacks_is_a_finding() {
    let settings = format!("{SETTINGS}tool-timeouts = {{tool_001 = \"2m\", tool_0x2 = \"2m\"}}\n");
    let kept = kept(&many_tools());
    let place = Place::with(&[("mcp/sky.json", &*kept), ("toolcrib.toml", &*settings)]);
    let ran = place.run(&["check"]);
    let unknown = "there is no tool \"tool_0x2\" in mcp/sky.json";
    assert!(ran.data.contains(unknown), "{}", ran.data);
    assert!(!ran.data.contains("there is no tool \"tool_001\""), "{}", ran.data);
}

#[test]
fn tools_are_found_by_their_titles_and_descriptions() {
    for screen in [ScreenId::Invoke, ScreenId::Tools] {
        let mut bench = open(&many_tools(), (120, 36)).on(screen);
        if screen == ScreenId::Invoke {
            bench.keys("shift+tab");
        }
        for (text, shown, first) in
            [("number 39", "1 of 60", "tool_039"), ("weather", "1 of 60", "tool_007")]
        {
            bench.keys("/");
            bench.types(text);
            assert!(bench.shows(shown) && bench.shows(first), "{text}: {}", bench.screen());
            bench.keys("esc");
        }
        bench.keys("/");
        bench.types("invoice number 5x");
        assert!(bench.shows("0 of 60"), "{}", bench.screen());
        bench.keys("backspace");
        // Each number with a 5.
        assert!(bench.shows("15 of 60"), "{}", bench.screen());
    }
}

#[test]
fn what_a_tool_says_it_does_to_the_world_is_seen_before_it_is_sent() {
    for size in [(120, 36), (80, 24)] {
        let mut bench = open(&many_tools(), size);
        bench.keys("shift+tab /");
        bench.types("is:destructive");
        assert!(bench.shows("1 of 60"), "{}", bench.screen());
        let row =
            bench.screen().lines().find(|line| line.contains("● sky/tool_009")).map(str::to_owned);
        assert!(row.is_some_and(|row| row.contains('!')), "{}", bench.screen());
        bench.keys("enter tab");
        assert!(bench.shows("destructive · not idempotent"), "{}", bench.screen());
    }
}

#[test]
fn pasted_arguments_are_all_of_them() {
    let customer = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let schema = json!({"type": "object", "required": ["query"], "properties": {
        "query": {"type": "string"}, "limit": {"type": "integer"}, "customer": customer}});
    let tool = json!({"name": "find", "inputSchema": schema});
    let whole = r#"{"query": "x", "limit": 12345678901234567890, "customer": {"name": "Ada"}}"#;
    let arguments = |bench: &Workbench| {
        bench.state.arguments_of(&bench.state.catalog.tools[0].id().clone()).to_string()
    };
    let mut bench = open(&json!([tool]), (120, 36));
    bench.input(&Input::Paste(whole.into()));
    assert_eq!(arguments(&bench), whole.replace(": ", ":").replace(", ", ","));
    assert!(bench.shows("the pasted arguments are in the form"), "{}", bench.screen());
    assert!(bench.shows("Ada"), "{}", bench.screen());
    bench.keys("u");
    assert_eq!(arguments(&bench), "{}");
    // A text that is typed takes it as it is.
    bench.keys("enter");
    bench.input(&Input::Paste(r#"{"limit": 3}"#.into()));
    bench.keys("esc");
    assert_eq!(arguments(&bench), r#"{"query":"{\"limit\": 3}"}"#, "{}", bench.screen());
    // What has other members is a value of the field, as before.
    let mut bench = open(&json!([tool]), (120, 36));
    bench.input(&Input::Paste(r#"{"other": 1}"#.into()));
    assert!(arguments(&bench).starts_with(r#"{"query":"#), "{}", bench.screen());
}

#[test]
fn a_command_that_no_system_is_named_for_is_reported() {
    let settings = "[connections.dev]\ncommand = \"serve\"\n";
    let place = Place::with(&[("toolcrib.toml", settings)]);
    let ran = place.run(&["check"]);
    ran.ended(0, &[]);
    let words = ran.data.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("settings.no-system"), "{words}");
    assert!(words.contains("add system = \"mcp\""), "{words}");
    let named = format!("{settings}system = \"mcp\"\n");
    let data = Place::with(&[("toolcrib.toml", &*named)]).run(&["check"]).data;
    assert!(!data.contains("settings.no-system"), "{data}");
}

#[test]
fn a_server_without_a_saved_list_is_listed_when_invoke_opens_if_it_was_allowed() {
    let lists = |bench: &Workbench| {
        let effects = bench.effects.iter();
        effects.filter(|effect| matches!(effect, Effect::ListAllowed(_))).count()
    };
    let mut bench = Workbench::files(&[("toolcrib.toml", SETTINGS)], 120, 36).on(ScreenId::Invoke);
    assert_eq!(lists(&bench), 1);
    assert!(bench.shows("Enter lists the tools of sky"), "{}", bench.screen());
    // It was: the runtime answers with this, also twice.
    for _ in 0..2 {
        bench.send(Message::Connection(ConnectionMessage::ListAllowed("sky".into())));
    }
    let read = |effect: &&Effect| matches!(effect, Effect::ReadDeployed { .. });
    assert_eq!(bench.effects.iter().filter(read).count(), 1, "{:?}", bench.effects);
    let bench = bench.on(ScreenId::History).on(ScreenId::Invoke);
    assert_eq!(lists(&bench), 1, "it is under way");
    let saved = open(&many_tools(), (120, 36));
    assert_eq!(lists(&saved), 0);
    // Those that calls don't go to by default, too.
    let two = "[connections.sky]\nsystem = \"mcp\"\ncommand = \"sky\"\n\n\
        [connections.sea]\nsystem = \"mcp\"\ncommand = \"sea\"\n";
    let mut bench = Workbench::files(&[("toolcrib.toml", two)], 120, 36).on(ScreenId::Invoke);
    assert_eq!(lists(&bench), 2);
    bench.send(Message::Connection(ConnectionMessage::ListAllowed("sea".into())));
    assert!(bench.effects.iter().any(|effect| read(&effect)), "{:?}", bench.effects);
}

#[test]
fn a_tool_whose_server_is_not_connected_says_so_in_a_line() {
    let kept = kept(&json!([{"name": "weather", "inputSchema": {"type": "object"}}]));
    let bench = Workbench::files(&[("mcp/sky.json", &kept)], 120, 36).on(ScreenId::Invoke);
    assert!(bench.shows("nothing answers sky/weather yet"), "{}", bench.screen());
    assert!(bench.shows("mocks the service"), "{}", bench.screen());
}

#[test]
fn a_tool_is_called_by_the_name_of_its_server_and_its_own() {
    let sample = Place::sample("services");
    let settings = format!(
        "[connections.sums]\nsystem = \"mcp\"\ncommand = {:?}\nargs = [\"serve\", \"--mcp\"]\n\
         dir = {:?}\n",
        env!("CARGO_BIN_EXE_toolcrib"),
        sample.here.display().to_string(),
    );
    let own = "tool:\n  joke: {type: text-completion, name: joke, description: Tells a joke}\n";
    let place = Place::with(&[("toolcrib.toml", &settings), ("tools.yaml", own)]);
    let call = |tool: &str| place.run(&["call", tool, "expression=6 * 7", "--allow-start"]);
    let called = call("sums/calculator");
    called.ended(0, &[]);
    assert_eq!(called.data.trim(), "42");
    let remedy = "it may be a tool of sums: `toolcrib call sums/calculator` asks there";
    call("calculator").ended(2, &[remedy, "`toolcrib mcp keep sums`"]);
    call("sums/calculatr").ended(2, &["\"sums\" has no tool \"calculatr\"", "calculator"]);
}

/// A call of a tool that only its server has, as the history has it.
fn yesterdays(tool: &str) -> Trace {
    let end = EventKind::End { outcome: Outcome::Succeeded, problem: None };
    Trace {
        head: Head {
            id: "00000001-0000".into(),
            tool: tool.into(),
            system: "mcp".into(),
            connection: "sky".into(),
            transport: "http".into(),
            arguments: r#"{"city":"Bern"}"#.into(),
            body: json!({"name": tool, "arguments": {"city": "Bern"}}).to_string().into(),
            ..Head::default()
        },
        events: vec![Event { at_ms: 3, kind: end }],
    }
}

/// A workspace without kept tools, on History, with a call of `weather`.
fn without_tools(tool: &str) -> Workbench {
    let mut bench = Workbench::files(&[("toolcrib.toml", SETTINGS)], 120, 36).on(ScreenId::History);
    let trace = yesterdays(tool);
    bench.send(Message::History(HistoryMessage::Select(trace.head.id.clone())));
    bench.send(Message::History(HistoryMessage::Opened(Box::new(trace))));
    bench.draw();
    bench.effects.clear();
    bench
}

/// The listing that was asked for last.
fn asked(bench: &Workbench) -> Purpose {
    match bench.effects.last() {
        Some(Effect::ReadDeployed { purpose, connection }) => {
            assert_eq!(connection.name, "sky");
            *purpose
        }
        other => panic!("nothing is listed: {other:?}"),
    }
}

fn lists(bench: &mut Workbench, read: Result<&[&str], Problem>) {
    let purpose = asked(bench);
    let item = |name: &&str| Item {
        system: "mcp",
        section: "tools",
        key: format!("sky/{name}"),
        text: json!({"name": name, "inputSchema": {"type": "object",
            "properties": {"city": {"type": "string"}}}})
        .to_string(),
    };
    let read = read.map(|names| names.iter().map(item).collect());
    bench.send(Message::Connection(ConnectionMessage::Deployed { purpose, read }));
    bench.draw();
}

fn sent(bench: &Workbench) -> Option<(String, String)> {
    bench.effects.iter().find_map(|effect| match effect {
        Effect::Call { request, connection, .. } => {
            Some((request.name.clone(), connection.name.clone()))
        }
        _ => None,
    })
}

#[test]
fn yesterdays_call_is_sent_again_once_its_server_listed_its_tools() {
    let mut bench = without_tools("weather");
    bench.keys("R");
    assert!(bench.shows("listing the tools of sky"), "{}", bench.screen());
    assert_eq!(sent(&bench), None);
    lists(&mut bench, Ok(&["weather", "time"]));
    assert_eq!(sent(&bench), Some(("weather".into(), "sky".into())), "{}", bench.screen());
    assert_eq!(bench.state.screen, ScreenId::Invoke);

    let mut bench = without_tools("weather");
    bench.keys("e");
    lists(&mut bench, Ok(&["weather"]));
    assert!(bench.shows("Bern") && sent(&bench).is_none(), "{}", bench.screen());
    assert_eq!(bench.state.screen, ScreenId::Invoke);
}

#[test]
fn yesterdays_call_waits_for_consent_and_says_why_it_cant_be_sent() {
    // The server may not be started: nothing is sent later either.
    let mut bench = without_tools("weather");
    bench.keys("R");
    let purpose = asked(&bench);
    let permission = Permission::Start(Start {
        program: "/bin/true".into(),
        args: Vec::new(),
        dir: "/".into(),
        env: Vec::new(),
    });
    bench.send(Message::Connection(ConnectionMessage::NotAllowed {
        connection: "sky".into(),
        permission: Box::new(permission),
        purpose,
    }));
    assert!(matches!(bench.state.question, Some(Question::Allow { .. })));
    bench.send(Message::DropQuestion);
    assert_eq!(bench.state.invoke.kept.awaited, None);

    let mut bench = without_tools("weather");
    bench.keys("R");
    let gone = Problem::new(ProblemKind::Unreachable, "listing", "nobody answers");
    lists(&mut bench, Err(gone));
    assert!(bench.shows("nobody answers") && sent(&bench).is_none(), "{}", bench.screen());

    bench.keys("R");
    lists(&mut bench, Ok(&["time"]));
    assert!(bench.shows("sky no longer has a tool weather"), "{}", bench.screen());
    bench.effects.clear();
    bench.keys("R");
    assert!(bench.shows("sky no longer has a tool weather"), "{}", bench.screen());
    assert_eq!(bench.effects, [], "it isn't listed again and again");
}

#[test]
fn calls_that_are_compared_from_invoke_are_seen_at_80_columns() {
    let tool = json!({"name": "weather", "inputSchema": {"type": "object"}});
    let mut bench = open(&json!([tool]), (80, 24));
    for text in ["sun", "rain"] {
        bench.keys("f6");
        bench.happens([
            (3, EventKind::Chunk { text: text.into(), bytes: 4 }),
            (4, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
        ]);
    }
    bench.keys("@compare-session");
    assert_eq!(bench.state.screen, ScreenId::History);
    let [mut before, mut after] = [yesterdays("weather"), yesterdays("weather")];
    for (trace, text) in [(&mut before, "sun"), (&mut after, "rain")] {
        let kind = EventKind::Chunk { text: text.into(), bytes: 4 };
        trace.events.insert(0, Event { at_ms: 1, kind });
    }
    bench.send(Message::History(HistoryMessage::Compared(Arc::new([before, after]))));
    bench.draw();
    assert!(bench.shows("- sun") && bench.shows("+ rain"), "{}", bench.screen());
}

#[test]
fn find_in_an_answer_counts_and_goes_on_after_it_was_left() {
    let tool = json!({"name": "weather", "inputSchema": {"type": "object"}});
    let mut bench = open(&json!([tool]), (120, 36));
    bench.keys("f6");
    let rows: Vec<Value> = (0..40).map(|row| json!({"row": row, "sky": row % 10})).collect();
    let text = json!(rows).to_string().replace("},", "},\n");
    bench.happens([
        (3, EventKind::Chunk { text: text.into(), bytes: 4 }),
        (4, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
    ]);
    bench.clicks("Answer");
    bench.keys("/");
    bench.types("\"sky\":3");
    assert!(bench.shows(" 1 of 4 "), "{}", bench.screen());
    bench.keys("enter enter");
    assert!(bench.shows(" 3 of 4 "), "{}", bench.screen());
    bench.keys("up");
    assert!(bench.shows(" 2 of 4 "), "{}", bench.screen());
    bench.keys("esc");
    assert!(!bench.shows(" of 4 "), "{}", bench.screen());
    bench.keys("/ enter");
    assert!(bench.shows(" of 4 "), "{}", bench.screen());
    bench.types("x");
    assert!(bench.shows("not found") && !bench.shows(" of 4 "), "{}", bench.screen());
}
