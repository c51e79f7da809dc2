//! Tools with a connection of their own: called, tested, served and shown through it, unless
//! another is chosen.

use serde_json::{Value, json};
use toolcrib::{
    app::message::{DocumentMessage, Loaded, Message, ScreenId},
    model::{entry::FileId, settings::SETTINGS},
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
    bench.send(Message::Document(DocumentMessage::LoadEnded { names, skipped: Vec::new() }));
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
