//! Tools with a connection of their own: called, tested, served and shown through it, unless
//! another is chosen.

use serde_json::{Value, json};
use toolcrib::{
    app::{
        effect::Effect,
        history::HistoryMessage,
        input::{Button, Input, Mods, Mouse, MouseKind},
        message::{DocumentMessage, Loaded, Message, ScreenId},
    },
    model::{
        call::{CallError, Event, EventKind, Outcome},
        entry::FileId,
        error_kind::ErrorKind,
        settings::SETTINGS,
        trace::{Head, Trace},
    },
    store::samples::SAMPLES,
    syntax::source::{Format, Source},
};

use crate::support::{nats::NatsServer, place::Place, services::Responder, workbench::Workbench};

/// The sample, where jokes go to that server and everything else stays within the process; with
/// more files.
fn place(server: &str, more: &[(&str, &str)]) -> Place {
    with_settings(
        &format!("[connections.jokes]\nservers = \"{server}\"\ntools = [\"tell-joke\"]\n"),
        more,
    )
}

/// The sample with these lines after its settings.
fn with_settings(lines: &str, more: &[(&str, &str)]) -> Place {
    let sample = SAMPLES.iter().find(|sample| sample.name == "services").unwrap();
    let (_, settings) = sample.files.iter().find(|(path, _)| *path == "toolcrib.toml").unwrap();
    let settings = format!("{settings}\n{lines}");
    let rest = sample.files.iter().copied().filter(|(path, _)| *path != "toolcrib.toml");
    let files: Vec<_> =
        rest.chain([("toolcrib.toml", settings.as_str())]).chain(more.iter().copied()).collect();
    Place::with(&files)
}

fn connection_of(place: &Place, arguments: &[&str]) -> Value {
    let ran = place.run(&[&["call"], arguments, &["--dry-run", "--json", "--no-check"]].concat());
    ran.json()["connection"].clone()
}

#[test]
fn each_call_goes_through_the_connection_of_its_tool() {
    let server = NatsServer::start();
    let place = place(&server.url(), &[]);
    assert_eq!(connection_of(&place, &["tell-joke"]), json!("jokes"));
    assert_eq!(connection_of(&place, &["calculator"]), json!("embedded"));
    assert_eq!(
        connection_of(&place, &["tell-joke", "--connection", "local"]),
        json!("local"),
        "the flag counts for all"
    );
    assert_eq!(
        connection_of(&place, &["tell-joke", "--connection", &server.url()]),
        json!(server.url())
    );

    place.run(&["call", "calculator", "expression=1 + 2"]).ended(0, &[]);
    place.run(&["call", "tell-joke", "topic=llamas"]).ended(3, &["no service listens"]);
    let _service = Responder::start(&server.url(), "response");
    place.run(&["call", "tell-joke", "topic=llamas"]).ended(0, &[]);
    place
        .run(&["call", "tell-joke", "topic=llamas", "--connection", "nats://127.0.0.1:1"])
        .ended(3, &["couldn't connect"]);
}

#[test]
fn cases_go_through_the_connection_of_their_tool_unless_they_name_another() {
    let server = NatsServer::start();
    let own = "case: own\ncall: tell-joke\narguments: {topic: llamas}\nexpect: {chunks: 1}\n";
    let within = "case: within\ncall: tell-joke\narguments: {topic: llamas}\nconnection: embedded\nexpect: {contains: [llama]}\n";
    let place = place(&server.url(), &[("cases/own.yaml", own), ("cases/within.yaml", within)]);
    let ran = place.run(&["test", "--json"]);
    let held = |ran: &Value, case: &str| {
        ran.as_array().unwrap().iter().find(|row| row["case"] == case).unwrap()["outcome"].clone()
    };
    assert_eq!(
        (held(&ran.json(), "own"), held(&ran.json(), "within")),
        (json!("lost"), json!("succeeded")),
        "{}",
        ran.data
    );
    let _service = Responder::start(&server.url(), "response");
    place.run(&["test"]).ended(0, &[]);
}

#[test]
fn tools_of_two_connections_are_served_apart() {
    let place = place("nats://127.0.0.1:1", &[]);
    place.run(&["serve", "tell-joke", "calculator"]).ended(
        2,
        &["calls of tell-joke go through connection \"jokes\", those of calculator through \"embedded\"", "serve them separately"],
    );
    place.run(&["serve", "tell-joke"]).ended(3, &["couldn't connect to nats://127.0.0.1:1"]);
}

#[test]
fn a_tool_that_is_not_there_is_told_with_its_line() {
    let place = with_settings(
        "[connections.jokes]\nservers = 'nats://h:1'\ntools = ['calculator', 'tell-jok']\n",
        &[],
    );
    let ran = place.run(&["check"]);
    assert!(
        ran.data
            .contains("settings.unknown-tool\n  there is no tool \"tell-jok\" in this workspace; did you mean \"tell-joke\"?"),
        "{}",
        ran.data
    );
    assert!(ran.data.contains("toolcrib.toml:14:24 "), "{}", ran.data);
}

#[test]
fn the_screen_says_where_a_call_goes_and_keeps_what_is_chosen() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    let text = "[connections.local]\nservers = 'nats://127.0.0.1:4222'\n";
    let loaded =
        Loaded { source: Source::parse(Format::Toml, text), text: text.into(), held: None };
    bench.send(Message::Document(DocumentMessage::Loaded(vec![(FileId::new(SETTINGS), loaded)])));
    let names = bench.state.documents.iter().map(|(file, _)| file.clone()).collect();
    bench.send(Message::Document(DocumentMessage::LoadEnded {
        names,
        skipped: Vec::new(),
        unread: Vec::new(),
    }));
    let joke = bench.state.catalog.tool_called("tell-joke").unwrap().id().clone();
    bench.send(Message::Select(joke));
    bench.draw();
    assert!(bench.shows("tg.request.joke (embedded)"), "{}", bench.screen());

    bench.keys("@tool-connection");
    assert!(bench.shows("Calls of tell-joke always go through"), "{}", bench.screen());
    bench.types("local");
    bench.keys("enter");
    assert!(bench.shows("tg.request.joke (nats)"), "{}", bench.screen());
    assert!(
        bench.shows("○ local"),
        "the top line tells this tool's connection: {}",
        bench.screen()
    );
    let calculator = bench.state.catalog.tool_called("calculator").unwrap().id().clone();
    bench.send(Message::Select(calculator));
    bench.draw();
    assert!(bench.shows("(embedded)") && bench.shows("○ embedded"), "{}", bench.screen());

    bench.send(Message::Show(ScreenId::Tools));
    bench.keys("C");
    assert!(bench.shows("embedded; 1 tool has a connection of its own"), "{}", bench.screen());
    bench.keys("esc");
    bench.keys("u");
    assert_eq!(
        bench.state.network.connections.of_tools.len(),
        0,
        "an edit of the settings is taken back"
    );
}

/// Two servers whose kept lists have a tool of one name.
fn two_servers() -> [(&'static str, String); 3] {
    let list = |server: &str, words: &str| {
        json!({"server": server, "era": "legacy", "version": "2025-11-25", "tools": [{
            "name": "search", "description": words,
            "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
        }]})
        .to_string()
    };
    let settings = "connection = \"shop\"\n[connections.shop]\nsystem = \"mcp\"\ncommand = \"true\"\n\
                    [connections.shop2]\nsystem = \"mcp\"\ncommand = \"true\"\n\
                    [connections.gpt]\nservers = \"http://127.0.0.1:1\"\n\
                    [connections.gpt.model]\nname = \"small\"\n";
    [
        (SETTINGS, settings.to_owned()),
        ("mcp/shop.json", list("shop", "Searches the shop.")),
        ("mcp/shop2.json", list("shop2", "Searches the other shop.")),
    ]
}

fn as_texts<'f>(files: &'f [(&'static str, String)]) -> Vec<(&'f str, &'f str)> {
    files.iter().map(|(name, text)| (*name, text.as_str())).collect()
}

#[test]
fn of_two_tools_of_one_name_the_one_of_the_connection_is_meant() {
    let place = Place::with(&as_texts(&two_servers()));
    let called = |arguments: &[&str]| {
        place.run(&[&["call"], arguments, &["--mock", "--no-history", "--json"]].concat())
    };
    called(&["search", "q=a"]).ended(0, &["shop/search is called; shop2/search has the same name"]);
    let other = called(&["search", "q=a", "--connection", "shop2"]);
    assert!(!other.words.contains("same name"), "{}", other.words);
    assert_eq!(connection_of(&place, &["search", "q=a", "--connection", "shop2"]), json!("shop2"));
    assert_eq!(connection_of(&place, &["shop2/search", "q=a"]), json!("shop2"));
    // Models take a name once.
    let dry = place.run(&["ask", "Why?", "--model", "gpt", "--dry-run"]);
    dry.ended(0, &["the model doesn't get shop2/search"]);
    assert_eq!(dry.json()["tools"].as_array().unwrap().len(), 1);
}

#[test]
fn a_call_of_the_second_tool_of_a_name_is_kept_and_edited_as_its_own() {
    let mut bench = Workbench::files(&as_texts(&two_servers()), 120, 36);
    let id = bench.state.catalog.tool_called("shop2/search").unwrap().id().clone();
    let head = Head {
        id: "00000001-0000".into(),
        tool: "search".into(),
        system: "mcp".into(),
        connection: "shop2".into(),
        arguments: r#"{"q":"a"}"#.into(),
        body: "{}".into(),
        ..Head::default()
    };
    let end = EventKind::End { outcome: Outcome::Succeeded, problem: None };
    let events =
        [EventKind::Sent { bytes: 2 }, EventKind::Chunk { text: "found".into(), bytes: 5 }, end];
    let events = events.into_iter().map(|kind| Event { at_ms: 1, kind }).collect();
    let trace = Trace { head, events };
    bench.keys("5");
    bench.send(Message::History(HistoryMessage::Select(trace.head.id.clone())));
    bench.send(Message::History(HistoryMessage::Opened(Box::new(trace))));
    bench.draw();
    assert!(bench.shows("search on shop2"), "{}", bench.screen());
    bench.keys("K enter");
    let kept = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Save { text, .. } => text.clone(),
        _ => None,
    });
    assert!(kept.as_deref().unwrap_or_default().contains("call: shop2/search"), "{kept:?}");
    bench.keys("e");
    assert_eq!(bench.state.selected.as_ref(), Some(&id));
    assert!(bench.shows("shop2/search"), "{}", bench.screen());
}

#[test]
fn a_tool_that_is_called_elsewhere_says_so() {
    let mut bench = Workbench::files(&as_texts(&two_servers()), 120, 36);
    bench.keys("3");
    assert!(!bench.shows("called on"), "{}", bench.screen());
    bench.state.network.connections.chosen = Some("shop2".into());
    bench.draw();
    assert!(bench.shows("called on shop2"), "{}", bench.screen());
    // And a call that fails there says that it was.
    bench.keys("f6");
    let failed = Some(CallError::new(ErrorKind::Missing, "Unknown tool: search", ""));
    bench.happens([(5, EventKind::End { outcome: Outcome::Failed, problem: failed })]);
    assert!(bench.shows("not on its own shop"), "{}", bench.screen());
    bench.keys("esc down");
    assert!(bench.shows("shop2/search") && !bench.shows("called on"), "{}", bench.screen());
}

/// Invoke with two tools of a server, `order` chosen.
fn orders() -> Workbench {
    let list = json!({"server": "shop", "era": "legacy", "version": "2025-11-25", "tools": [{
        "name": "order", "description": "Orders.", "inputSchema": {"type": "object",
        "properties": {"count": {"type": "integer"}, "note": {"type": "string"}}},
    }, {
        "name": "pay", "description": "Pays.", "inputSchema": {"type": "object",
        "properties": {"sum": {"type": "integer"}}},
    }]})
    .to_string();
    let settings =
        "connection = \"shop\"\n[connections.shop]\nsystem = \"mcp\"\ncommand = \"true\"\n";
    let files = [(SETTINGS, settings), ("mcp/shop.json", list.as_str())];
    let mut bench = Workbench::files(&files, 120, 36);
    bench.keys("3");
    bench
}

/// What the last call sends, where there is one.
fn sent_arguments(bench: &Workbench) -> Option<Value> {
    let body = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Call { request, .. } => Some(request.body.to_string()),
        _ => None,
    });
    Some(serde_json::from_str::<Value>(&body?).unwrap()["arguments"].clone())
}

fn switch_json(bench: &mut Workbench) {
    bench.keys("alt+w");
}

#[test]
fn arguments_are_edited_as_json_and_in_their_form_again() {
    let mut bench = orders();
    bench.keys("enter");
    bench.types("4");
    switch_json(&mut bench);
    assert!(bench.shows("\"count\": 4") && !bench.shows("note"), "{}", bench.screen());
    bench.keys("ctrl+a");
    bench.types("{\"count\": 7, \"note\": \"two\", \"more\": 1.50}");
    bench.keys("esc f6");
    let sent = sent_arguments(&bench).unwrap().to_string();
    assert_eq!(sent, r#"{"count":7,"note":"two","more":1.50}"#);
    // What breaks the schema is said at the text, and once before it is sent.
    bench.keys("ctrl+x enter ctrl+a");
    bench.types("{\"count\": \"many\"}");
    bench.keys("f6");
    assert!(bench.shows("send again"), "{}", bench.screen());
    assert_eq!(sent_arguments(&bench).unwrap()["count"], 7);
    switch_json(&mut bench);
    assert!(bench.shows("count") && bench.shows("note"), "a form: {}", bench.screen());
    assert!(bench.shows("many"), "{}", bench.screen());
    bench.keys("u");
    assert!(!bench.shows("many"), "{}", bench.screen());
}

#[test]
fn text_of_an_argument_is_selected_by_dragging() {
    let mut bench = orders();
    bench.clicks("note");
    bench.types("red house");
    let ((from, row), (to, _)) = (bench.find("red"), bench.find("house"));
    let left = Button::Left;
    for (kind, column) in
        [(MouseKind::Down(left), from), (MouseKind::Drag(left), to), (MouseKind::Up(left), to)]
    {
        bench.input(&Input::Mouse(Mouse { kind, column, row, mods: Mods::default() }));
    }
    bench.types("blue ");
    assert!(bench.shows("blue house"), "{}", bench.screen());
}

#[test]
fn json_that_cannot_be_read_is_sent_for_nothing_else_and_stays() {
    let mut bench = orders();
    switch_json(&mut bench);
    bench.keys("ctrl+a");
    bench.types("{\"count\": 7");
    bench.keys("f6");
    assert!(bench.shows("would be sent; "), "{}", bench.screen());
    // Another broken text is asked about as the first one was.
    bench.keys("enter ctrl+a");
    bench.types("{\"count\": 8");
    bench.keys("f6");
    assert_eq!(sent_arguments(&bench), None, "{}", bench.screen());
    // It isn't left for the form, where it couldn't be seen.
    switch_json(&mut bench);
    assert!(bench.shows("{\"count\": 8") && !bench.shows("note"), "{}", bench.screen());
    bench.types("}");
    bench.keys("f6");
    assert_eq!(sent_arguments(&bench), Some(json!({"count": 8})), "{}", bench.screen());
}

#[test]
fn what_is_typed_waits_while_another_tool_is_chosen() {
    let mut bench = orders();
    bench.keys("enter");
    bench.types("4x");
    bench.keys("esc esc down");
    assert!(bench.shows("sum") && !bench.shows("count"), "{}", bench.screen());
    bench.keys("up");
    assert!(bench.shows("4x"), "{}", bench.screen());
    bench.keys("tab f6");
    assert!(bench.shows("and would be left out; "), "{}", bench.screen());
}

#[test]
fn what_is_sent_for_a_field_that_cannot_be_read_is_said() {
    let mut bench = orders();
    bench.keys("enter");
    bench.types("4x");
    bench.keys("f6");
    assert!(bench.shows("and would be left out; "), "{}", bench.screen());
    bench.keys("ctrl+u");
    bench.types("4");
    bench.keys("enter");
    bench.keys("up enter ctrl+u");
    bench.types("4x");
    bench.keys("f6");
    assert!(bench.shows("and 4 would be sent; "), "{}", bench.screen());
    bench.keys("esc I");
    assert!(bench.shows("As it is defined") && bench.shows("Orders."), "{}", bench.screen());
}

#[test]
fn nobody_is_answered_for_whom_the_workspace_does_not_know() {
    let tools = "tool:\n  weather:\n    type: tool-service\n    name: weather\n    description: Tells \
                 the weather\n    service: weather\ntool-service:\n  weather:\n    id: weather\n    \
                 request-queue: request:tg:weather\n    response-queue: response:tg:weather\n";
    let place = Place::with(&[("tools.yaml", tools)]);
    let ran = place.run(&["serve", "--connection", "nats://127.0.0.1:1"]);
    ran.ended(2, &["no tool of this workspace has a sample", "--mock"]);
}

#[test]
fn the_tool_that_is_shown_first_has_its_connection_in_the_top_line() {
    let settings = "[connections.own]\ntransport = \"embedded\"\ntools = [\"calculator\"]\n";
    let sample = SAMPLES.iter().find(|sample| sample.name == "services").unwrap();
    let is_left = |(path, _): &(&str, &str)| *path != "toolcrib.toml" && !path.ends_with(".md");
    let rest = sample.files.iter().copied().filter(is_left);
    let files: Vec<_> = rest.chain([("toolcrib.toml", settings)]).collect();
    let mut bench = Workbench::files(&files, 120, 36).on(ScreenId::Invoke);
    bench.state.selected = None;
    assert_eq!(bench.state.connection_here().name, "own");
}
