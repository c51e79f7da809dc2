//! Mocks: tools whose service is not there are answered for, by `toolcrib call --mock` and
//! `toolcrib serve --mock`.

use serde_json::{Value, json};
use tokio::sync::mpsc;
use toolcrib::{
    app::{
        calls::{CallMessage, CallPart, CallText},
        effect::Effect,
        message::{Message, ScreenId},
    },
    model::{
        call::{EventKind, Limits, Outcome, Request},
        entry::FileId,
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
    wire::registry::Registry,
};

use super::mcp_serve::{Client, text};
use crate::support::{
    nats::NatsServer, place::Place, services::foreign_call, serving::Serving, workbench::Workbench,
};

/// A tool whose service nobody wrote, and one of an MCP server that is not there.
const TOOLS: &str = "
tool:
  forecast:
    type: tool-service
    name: forecast
    description: Tells the weather
    service: weather
    arguments: [{name: city, type: string, description: Where}]
";

const SERVICES: &str = "
tool-service:
  weather:
    id: weather
    request-queue: request:tg:weather
    response-queue: response:tg:weather
";

const KEPT: &str = r#"{"server": "station", "era": "legacy", "version": "2025-11-25", "tools": [{"name": "measure", "description": "Measures",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
    "outputSchema": {"type": "object", "required": ["degrees", "at", "sky"], "properties": {
        "degrees": {"type": "number", "minimum": -40, "maximum": 50},
        "at": {"type": "string", "format": "date-time"},
        "sky": {"enum": ["clear", "cloudy", "rain"]}}}}]}"#;

fn place() -> Place {
    Place::with(&[
        ("tools.yaml", TOOLS),
        ("services.yaml", SERVICES),
        ("mcp/station.json", KEPT),
        ("toolcrib.toml", "[connections.station]\ncommand = \"/nowhere/station\"\n"),
    ])
}

fn outcome(events: &[Value]) -> &Value {
    &events.last().unwrap()["outcome"]
}

fn answer(events: &[Value]) -> String {
    events.iter().filter_map(|event| event["text"].as_str()).collect()
}

#[test]
fn a_call_is_answered_with_an_example_of_the_output_schema_in_pieces() {
    let place = place();
    let call = |seed: &str| {
        let flags = ["call", "measure", "city=Basel", "--mock", "--mock-seed", seed, "--json"];
        let ran = place.run(&flags);
        ran.ended(0, &[]);
        ran.events()
    };
    let events = call("3");
    assert_eq!(outcome(&events), "succeeded", "{events:?}");
    assert_eq!(events[0]["connection"], "mock");
    let chunks = events.iter().filter(|event| event["event"] == "chunk").count();
    assert!((2..=6).contains(&chunks), "{events:?}");
    let value: Value = serde_json::from_str(&answer(&events)).unwrap();
    assert!((-40.0..=50.0).contains(&value["degrees"].as_f64().unwrap()), "{value}");
    assert!(["clear", "cloudy", "rain"].contains(&value["sky"].as_str().unwrap()), "{value}");
    assert_eq!(answer(&call("3")), answer(&events), "the same seed");
    assert_ne!(answer(&call("4")), answer(&events), "another seed");
}

#[test]
fn a_mock_echoes_says_what_it_is_given_fails_and_repeats_a_kept_answer() {
    let place = place();
    let run = |flags: &[&str]| place.run(&[&["call", "forecast", "city=Basel"], flags].concat());
    let echoed: Value = serde_json::from_str(&run(&["--mock=echo"]).data).unwrap();
    assert_eq!(echoed, json!({"city": "Basel"}));
    let said = run(&["--mock", "--mock-text", "Sunny, no wind.", "--mock-chunks", "1"]);
    said.ended(0, &[]);
    assert_eq!(said.data.trim_end(), "Sunny, no wind.");
    run(&["--mock", "--mock-error", "overheated: The sensor is hot"])
        .ended(1, &["The sensor is hot"]);
    // What a mock said is no answer of the service.
    let kept = run(&["--mock=kept"]);
    assert!(kept.data.contains("mock answer of forecast"), "{}", kept.data);
    kept.ended(0, &["the history has no answer of forecast yet"]);
    run(&["--mock=nothing"]).ended(2, &["example, kept, echo"]);
    run(&["--mock-text", "alone"]).ended(2, &["--mock"]);
    let history = place.json(&["history", "--json"]);
    let connections: Vec<&Value> =
        history.as_array().unwrap().iter().map(|call| &call["connection"]).collect();
    assert_eq!(connections, [&json!("mock"); 4], "{history}");
}

#[test]
fn cases_are_tried_without_their_services() {
    let case = "call: forecast\narguments: {city: Basel}\nconnection: gone\nexpect: {json: {city: Basel}}\n";
    let files = [("tools.yaml", TOOLS), ("services.yaml", SERVICES), ("cases/echo.yaml", case)];
    let place = Place::with(&files);
    place.run(&["test", "--mock=echo"]).ended(0, &["1 case passed"]);
    // Another mock says something else; without one the case's connection is wanted.
    place.run(&["test", "--mock", "--mock-text", "Fog"]).ended(1, &["1 of 1 case failed"]);
    place.run(&["test"]).ended(2, &["1 of 1 case couldn't run"]);
    place.run(&["test", "--mock-text", "Fog"]).ended(2, &["--mock"]);
}

#[test]
fn an_answer_that_the_service_gave_is_what_a_mock_repeats() {
    let place = Place::sample("services");
    let asked = ["call", "calculator", "expression=6 * 7"];
    assert_eq!(place.run(&asked).data.trim_end(), "42");
    let kept = ["call", "calculator", "expression=1 + 1", "--mock=kept"];
    assert_eq!(place.run(&kept).data.trim_end(), "42");
}

#[test]
fn mocks_answer_callers_on_a_bus_and_clients_of_mcp() {
    let (server, place) = (NatsServer::start(), place());
    let flags = ["--mock", "--mock-text", "Fog", "forecast"];
    let mut serving = Serving::start(&place, &server.url(), &flags);
    assert_eq!(serving.line(), "listening on tg.request.weather for forecast");
    let body =
        json!({"user": "ann", "config": "{}", "arguments": "{\"city\": \"Basel\"}"}).to_string();
    let said = foreign_call(&server.url(), "tg.request.weather", "tg.response.weather", &body);
    assert!(said.to_string().contains("Fog"), "{said}");

    let mut client = Client::legacy(&place, &["--mock=echo"]);
    let echoed = client.call("forecast", json!({"city": "Bern"}));
    assert_eq!(serde_json::from_str::<Value>(text(&echoed)).unwrap(), json!({"city": "Bern"}));
    let mut names = client.names();
    names.sort();
    assert_eq!(names, ["forecast", "measure"]);
    // A tool that is named keeps its own description and schema.
    let mut client = Client::legacy(&place, &["--mock=echo", "measure"]);
    let listed = client.ask("tools/list", json!({}));
    let tool = &listed["result"]["tools"][0];
    assert_eq!(tool["description"], "Measures", "{listed}");
    assert!(tool["inputSchema"]["properties"]["city"].is_object(), "{listed}");
}

/// Runs the newest call of the workbench as the program does, and shows what came of it.
fn run_call(bench: &mut Workbench) -> Request {
    let Some(Effect::Call { request, connection, .. }) = bench.effects.last().cloned() else {
        panic!("{:?}", bench.effects)
    };
    let running = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let events = running.block_on(async {
        let (sender, mut receiver) = mpsc::channel(64);
        let registry = Registry::default();
        let calling = registry.run_call(&connection, (*request).clone(), Limits::default(), sender);
        let (_, events) = tokio::join!(calling, async {
            let mut events = Vec::new();
            while let Some(event) = receiver.recv().await {
                events.push((event.at_ms, event.kind));
            }
            events
        });
        events
    });
    bench.happens(events);
    *request
}

#[test]
fn the_workbench_mocks_a_tool_and_keeps_the_mock_as_a_stub() {
    let files = [("tools.yaml", TOOLS), ("services.yaml", SERVICES)];
    let mut bench = Workbench::files(&files, 120, 40).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("Basel");
    bench.keys("esc m");
    assert!(bench.screen().contains("nothing is sent"), "{}", bench.screen());
    assert!(bench.shows("next call is mocked"), "{}", bench.screen());
    bench.keys("f6");
    let request = run_call(&mut bench);
    assert!(request.mock.is_some());
    assert!(bench.screen().contains("This is a mock answer of forecast"), "{}", bench.screen());
    assert!(bench.shows("succeeded · mocked"), "{}", bench.screen());
    // What it answers is said in the form, and counts for the next call.
    let tool = bench.state.catalog.tool_called("forecast").unwrap().id().clone();
    let edit = |to: Value, name: &str| Edit::Set { at: Pointer::root().child(name), to: to.into() };
    let text = CallText { tool, part: CallPart::Mock };
    let edits = vec![edit("text".into(), "answer"), edit("Fog until noon".into(), "text")];
    bench.send(Message::Call(CallMessage::EditText { text, edits }));
    bench.keys("f6");
    run_call(&mut bench);
    assert!(bench.screen().contains("Fog until noon"), "{}", bench.screen());
    bench.keys("ctrl+p");
    bench.types("keep mock");
    bench.keys("enter");
    bench.keys("enter");
    let kept = bench.state.documents.get(&FileId::new("stubs/forecast.yaml")).unwrap();
    let stub = kept.source.as_ref().unwrap().text().to_owned();
    assert!(stub.contains("Fog") && stub.contains("forecast"), "{stub}");
    // A case of it is answered by the mock, too.
    bench.keys("K");
    assert!(bench.screen().contains("This answer is a mock's"), "{}", bench.screen());
    bench.keys("enter");
    bench.keys("t");
    assert!(bench.shows("mocked tools by their mock"), "{}", bench.screen());
    bench.keys("esc");
    bench.keys("t enter");
    let request = run_call(&mut bench);
    assert!(request.mock.is_some());
    assert!(bench.shows("1 case passed"), "{}", bench.screen());
    bench.keys("esc");
    // Without the mock the request is the service's again.
    bench.keys("m");
    assert!(!bench.shows("next call is mocked"), "{}", bench.screen());
    bench.keys("f6");
    let Some(Effect::Call { request, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert!(request.mock.is_none());
    // And what was sent is answered by the mock once the tool is mocked.
    bench.happens([(5, EventKind::End { outcome: Outcome::Succeeded, problem: None })]);
    bench.keys("m R");
    let Some(Effect::Call { request, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert!(request.mock.is_some());
}

#[test]
fn every_tool_is_mocked_at_once_and_no_more() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    let count = bench.state.catalog.tools.len();
    bench.keys("@mock-all");
    assert_eq!(bench.state.invoke.mocks.len(), count);
    assert!(bench.shows("tools are mocked"), "{}", bench.screen());
    bench.keys("@mock-all");
    assert!(bench.state.invoke.mocks.is_empty(), "{}", bench.screen());
    // Of some that are mocked already it makes all.
    bench.keys("3 m @mock-all");
    assert_eq!(bench.state.invoke.mocks.len(), count);
}

#[test]
fn a_mock_answers_by_the_tools_own_stub() {
    let stub = "stub: forecast\nservices:\n  forecast:\n    rules:\n      - when: {contains: Basel}\n        \
                answer: Fog until noon\n      - answer: No idea\n";
    let files = [("tools.yaml", TOOLS), ("services.yaml", SERVICES), ("stubs/forecast.yaml", stub)];
    let place = Place::with(&files);
    let call = |words: &[&str]| {
        let ran = place.run(&[&["call", "forecast"], words].concat());
        ran.ended(0, &[]);
        ran.data
    };
    assert_eq!(call(&["city=Basel", "--mock"]).trim(), "Fog until noon");
    assert_eq!(call(&["city=Bern", "--mock"]).trim(), "No idea");
    assert!(call(&["city=Bern", "--mock=example"]).contains("a mock answer of forecast"));
    assert_eq!(call(&["city=Bern", "--mock", "--mock-text", "Sun"]).trim(), "Sun");

    let mut bench = Workbench::files(&files, 120, 40).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("Basel");
    bench.keys("esc m");
    assert!(bench.shows("stubs/forecast.yaml answers"), "{}", bench.screen());
    bench.keys("f6");
    run_call(&mut bench);
    assert!(bench.shows("Fog until noon"), "{}", bench.screen());
}

/// Calls the tool with a mock that answers with a text.
fn mock_with_hail(bench: &mut Workbench) {
    bench.keys("enter");
    bench.types("Basel");
    bench.keys("esc m");
    assert!(bench.shows("mocked"), "{}", bench.screen());
    let tool = bench.state.catalog.tool_called("forecast").unwrap().id().clone();
    let edit = Edit::Set { at: Pointer::root().child("text"), to: "Hail".into() };
    let text = CallText { tool, part: CallPart::Mock };
    bench.send(Message::Call(CallMessage::EditText { text, edits: vec![edit] }));
    bench.keys("f6");
    run_call(bench);
}

#[test]
fn a_case_kept_from_a_mock_passes_with_the_mock() {
    let files = [("tools.yaml", TOOLS), ("services.yaml", SERVICES)];
    let mut bench = Workbench::files(&files, 120, 40).on(ScreenId::Invoke);
    mock_with_hail(&mut bench);
    bench.keys("K enter");
    let file = |name: &str| bench.state.documents.get(&FileId::new(name)).unwrap().text.to_string();
    let (case, stub) = (file("cases/forecast.yaml"), file("stubs/forecast.yaml"));
    assert!(case.contains("Hail") && stub.contains("Hail"), "{case}{stub}");
    let place = Place::with(&[
        files[0],
        files[1],
        ("cases/forecast.yaml", &case),
        ("stubs/forecast.yaml", &stub),
    ]);
    place.run(&["test", "--mock"]).ended(0, &["1 case passed"]);
}

#[test]
fn a_case_kept_from_a_mock_leaves_rules_that_are_there() {
    let stub = "stub: forecast\nservices:\n  forecast:\n    rules:\n      - when: {contains: Bern}\n        \
                answer: Sun\n      - answer: Fog\n";
    let files = [("tools.yaml", TOOLS), ("services.yaml", SERVICES), ("stubs/forecast.yaml", stub)];
    let mut bench = Workbench::files(&files, 120, 40).on(ScreenId::Invoke);
    mock_with_hail(&mut bench);
    bench.keys("K");
    let said = bench.screen().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("stubs/forecast.yaml as it is"), "{said}");
    bench.keys("enter");
    let file = |name: &str| bench.state.documents.get(&FileId::new(name)).unwrap().text.to_string();
    assert!(file("cases/forecast.yaml").contains("Hail"));
    assert_eq!(file("stubs/forecast.yaml"), stub);
}

#[test]
fn undo_takes_back_what_was_typed_and_is_no_value() {
    let files = [("tools.yaml", TOOLS), ("services.yaml", SERVICES)];
    let mut bench = Workbench::files(&files, 120, 40).on(ScreenId::Invoke);
    bench.keys("m down down enter backspace");
    bench.types("many");
    bench.keys("esc");
    assert!(bench.shows("seed     many"), "{}", bench.screen());
    bench.keys("u");
    assert!(bench.shows("Undid the typing in seed"), "{}", bench.screen());
    assert!(!bench.shows("many"), "{}", bench.screen());
    bench.keys("u");
    assert!(bench.shows("there is nothing to undo"), "{}", bench.screen());
}

#[test]
fn a_time_that_is_none_is_said_at_its_field() {
    let files = [("tools.yaml", TOOLS), ("services.yaml", SERVICES)];
    let mut bench = Workbench::files(&files, 120, 40).on(ScreenId::Invoke);
    bench.keys("m");
    let tool = bench.state.catalog.tool_called("forecast").unwrap().id().clone();
    let to = "soon".into();
    let edits = vec![Edit::Set { at: Pointer::root().child("delay"), to }];
    let text = CallText { tool, part: CallPart::Mock };
    bench.send(Message::Call(CallMessage::EditText { text, edits }));
    bench.draw();
    let field = bench.find("soon").1;
    let said = bench.find("✗ write 500ms").1;
    assert_eq!(said, field + 1, "{}", bench.screen());
}
