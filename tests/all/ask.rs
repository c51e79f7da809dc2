//! A model in front of the tools: the loop from the question to the answer, each decision, and
//! everything that endpoints do wrong.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    model_server::{ModelServer, anthropic, openai, stream, whole},
    place::{Place, Ran},
    terminal,
};

const KEY: &str = "key-0123456789-of-a-model";

/// The demo's tools, and a model at this address.
fn place(url: &str, api: &str) -> Place {
    let sample = Place::sample("demo");
    let [tools, services] = ["tools.yaml", "services.yaml"]
        .map(|name| fs::read_to_string(sample.here.join(name)).unwrap());
    let settings = format!(
        "connection = \"embedded\"\n[context]\ngroups = [\"read-only\"]\n\
         [prices.small]\ninput = 2.0\noutput = 10.0\n\
         [connections.gpt]\nservers = \"{url}\"\ntoken-variable = \"MODEL_KEY\"\n\
         [connections.gpt.model]\nname = \"small\"\napi = \"{api}\"\n"
    );
    Place::with(&[
        ("toolcrib.toml", &settings),
        ("tools.yaml", &tools),
        ("services.yaml", &services),
    ])
}

fn run(place: &Place, words: &[&str]) -> Ran {
    Ran::of(place.command(words).env("MODEL_KEY", KEY).output().unwrap())
}

/// The events of a name.
fn of<'e>(events: &'e [Value], name: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}

fn tool_names(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["function"]["name"].as_str().or(tool["name"].as_str())).collect()
}

#[test]
fn a_model_that_is_not_there_is_said_before_that_nobody_can_be_asked() {
    let place = Place::sample("demo");
    place.run(&["ask", "x", "--model", "nosuch"]).ended(2, &["there is no connection \"nosuch\""]);
    place.run(&["ask", "x", "--model", "mock"]).ended(2, &["nobody can be asked"]);
}

#[test]
fn a_question_goes_over_two_states_to_an_answer() {
    let server = ModelServer::start(vec![
        stream(&openai::calls(&[("query-customers", r#"{"question": "What is late?"}"#)])),
        stream(&openai::calls(&[("calculator", r#"{"expression": "6*7"}"#)])),
        stream(&openai::words("It is 42.")),
    ]);
    let place = place(&server.url, "openai");
    let ran = run(&place, &["ask", "How many?", "--model", "gpt", "--yes"]);
    ran.ended(0, &["state: undefined → findings", "calculator succeeded", ": 42", "cost 0.001200"]);
    assert_eq!(ran.data.trim_end(), "It is 42.");

    let asked = server.asked();
    assert!(asked[0].head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{}", asked[0].head);
    assert!(asked[0].head.contains(&format!("authorization: Bearer {KEY}")));
    // Each request has the tools of its state, and no other.
    let offered: Vec<_> = asked.iter().map(|asked| tool_names(&asked.body)).collect();
    assert_eq!(
        offered,
        [
            vec!["query-customers", "tell-joke"],
            vec!["query-customers", "calculator", "tell-joke"],
            vec!["calculator", "tell-joke"],
        ]
    );
    let last = asked[2].body["messages"].as_array().unwrap();
    assert_eq!(
        last.last().unwrap(),
        &json!({"role": "tool", "tool_call_id": "call-0", "content": "42"})
    );

    // The run and its two calls are in the history, without the key.
    let calls = place.json(&["history", "--json"]);
    let tools: Vec<_> =
        calls.as_array().unwrap().iter().map(|call| call["tool"].as_str().unwrap()).collect();
    assert_eq!(tools.len(), 3, "{tools:?}");
    assert!(tools.contains(&"ask:gpt"), "{tools:?}");
    let shown = place.run(&["history", "show", &id_of(&calls, "ask:gpt"), "--json"]);
    assert!(shown.data.contains("tool-result") && !shown.data.contains(KEY), "{}", shown.data);
}

/// Also of a reply that fails.
#[test]
fn how_long_the_model_took_to_its_first_words_is_said() {
    let words = openai::words("It is 42.");
    let server = ModelServer::start(vec![stream(&words[..1]), stream(&words)]);
    let place = place(&server.url, "openai");
    let asked = ["ask", "How many?", "--model", "gpt", "--yes"];
    run(&place, &asked).ended(3, &["lost after", ", its first words after "]);
    let ran = run(&place, &[&asked[..], &["--json"]].concat());
    let events = ran.events();
    assert!(of(&events, "end")[0]["first_ms"].is_u64(), "{events:?}");
}

fn id_of(calls: &Value, tool: &str) -> String {
    let call = calls.as_array().unwrap().iter().find(|call| call["tool"] == tool);
    call.unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn anthropics_messages_do_the_same() {
    let server = ModelServer::start(vec![
        stream(&anthropic::calls(&[
            ("query-customers", r#"{"question": "Late?"}"#),
            ("tell-joke", r#"{"topic": "rain"}"#),
        ])),
        stream(&anthropic::words("Two things.")),
    ]);
    let place = place(&server.url, "anthropic");
    let ran = run(&place, &["ask", "What?", "--model", "gpt", "--yes", "--json"]);
    ran.ended(0, &[]);
    let events = ran.events();
    let end = of(&events, "end")[0];
    assert_eq!(
        (&end["answer"], &end["calls"], &end["usage"]),
        (&json!("Two things."), &json!(2), &json!({"input": 200, "output": 40, "cached": 0}))
    );
    // Parallel calls go one after the other, and the state with them.
    let moves: Vec<_> = of(&events, "state").iter().map(|event| event["to"].clone()).collect();
    assert_eq!(moves, [json!("findings"), json!("undefined")]);
    let asked = server.asked();
    assert!(asked[0].head.starts_with("POST /v1/messages HTTP/1.1"), "{}", asked[0].head);
    assert!(asked[0].head.contains(&format!("x-api-key: {KEY}")), "{}", asked[0].head);
    assert!(!asked[0].head.contains("authorization"), "{}", asked[0].head);
    let results = asked[1].body["messages"][2]["content"].as_array().unwrap();
    let ids: Vec<_> = results.iter().map(|result| result["tool_use_id"].clone()).collect();
    assert_eq!(ids, [json!("toolu_0"), json!("toolu_1")]);
}

#[test]
fn calls_that_cannot_be_made_are_reported_to_the_model() {
    let server = ModelServer::start(vec![
        stream(&openai::calls(&[
            ("calculator", r#"{"expression": "1"}"#),
            ("tell-jok", "{}"),
            ("tell-joke", r#"{"topic": "#),
            ("tell-joke", r#"{"topic": 3}"#),
            ("tell-joke", r#"{"topic": "{{env.MODEL_KEY}}"}"#),
        ])),
        stream(&openai::words("I give up.")),
    ]);
    let place = place(&server.url, "openai");
    let ran = run(&place, &["ask", "How?", "--model", "gpt", "--yes", "--json"]);
    ran.ended(0, &[]);
    let events = ran.events();
    let faults: Vec<_> =
        of(&events, "tool-call").iter().map(|event| event["fault"]["type"].clone()).collect();
    assert_eq!(
        faults,
        ["hidden", "no-tool", "not-json", "bad-arguments", "names-variable"].map(Value::from)
    );
    let asked = server.asked();
    let messages = asked[1].body["messages"].as_array().unwrap();
    let results: Vec<&str> =
        messages[2..].iter().map(|message| message["content"].as_str().unwrap()).collect();
    assert!(results[0].contains("not in undefined"), "{results:?}");
    assert!(results[1].contains("did you mean \"tell-joke\""), "{results:?}");
    assert!(!ran.data.contains(KEY));
}

#[test]
fn mocks_send_nothing_to_tools_and_a_run_is_run_again_without_the_model() {
    let server = ModelServer::start(vec![
        stream(&openai::calls(&[("query-customers", r#"{"question": "Late?"}"#)])),
        stream(&openai::words("Nobody knows.")),
    ]);
    let place = place(&server.url, "openai");
    let ran = run(&place, &["ask", "Who?", "--model", "gpt", "--mock", "--mock-text", "nobody"]);
    ran.ended(0, &["query-customers succeeded (mocked): nobody"]);
    drop(server);
    let again = place.run(&["ask", "--replay", "last", "--json"]);
    again.ended(0, &[]);
    let events = again.events();
    let result = of(&events, "tool-result")[0];
    assert_eq!((&result["answered"], &result["text"]), (&json!("recorded"), &json!("nobody")));
    assert_eq!(of(&events, "end")[0]["answer"], "Nobody knows.");
}

#[test]
fn what_endpoints_do_wrong_is_said() {
    let cut: Vec<String> = openai::words("Half of it").into_iter().take(1).collect();
    let failed =
        ["data: {\"error\":{\"message\":\"Overloaded\",\"type\":\"server_error\"}}\n\n".to_owned()];
    let error = |message: &str| json!({"error": {"message": message, "type": "oops"}}).to_string();
    for (answer, code, words) in [
        (stream(&cut), 3, "ends in the middle"),
        (stream(&failed), 1, "Overloaded (server_error)"),
        (stream(&["data: {nonsense\n\n".to_owned()]), 1, "not JSON"),
        (whole("401 Unauthorized", "", &error("Bad key")), 3, "check the key"),
        (whole("404 Not Found", "", &error("No such model")), 2, "No such model"),
        (whole("500 Internal Server Error", "", "<html>oops</html>"), 1, "500: <html>oops"),
        (
            whole("429 Too Many Requests", "retry-after: 3600\r\n", &error("Slow down")),
            1,
            "asks to wait 3600 s",
        ),
        (
            whole(
                "429 Too Many Requests",
                "date: Tue, 24 Nov 2026 03:00:00 GMT\r\nretry-after: Tue, 24 Nov 2026 05:00:00 GMT\r\n",
                &error("Slow down"),
            ),
            1,
            "asks to wait 7200 s",
        ),
        (whole("200 OK", "", "no json"), 1, "not JSON"),
    ] {
        let server = ModelServer::start(vec![answer]);
        let place = place(&server.url, "openai");
        let ran = run(&place, &["ask", "Why?", "--model", "gpt", "--yes"]);
        ran.ended(code, &[words]);
        assert!(!ran.words.contains(KEY), "{}", ran.words);
    }
}

#[test]
fn a_rate_limit_is_waited_for_and_a_refusal_and_a_limit_end_the_run() {
    let limited = whole(
        "429 Too Many Requests",
        "retry-after: 0\r\n",
        r#"{"error":{"message":"Slow down"}}"#,
    );
    let server = ModelServer::start(vec![limited.clone(), limited, stream(&openai::words("Now."))]);
    let ran = run(&place(&server.url, "openai"), &["ask", "Why?", "--model", "gpt", "--yes"]);
    ran.ended(0, &["Slow down; asked again in 0 s (2 of 3)"]);
    assert_eq!(ran.data.trim_end(), "Now.");

    let refused = [
        "data: {\"choices\":[{\"delta\":{\"refusal\":\"I can't.\"},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n",
    ];
    let server = ModelServer::start(vec![stream(&refused.map(str::to_owned))]);
    let ran = run(&place(&server.url, "openai"), &["ask", "Why?", "--model", "gpt", "--yes"]);
    ran.ended(1, &["the model stopped: refused"]);
    assert!(ran.data.contains("I can't."));

    let joke = stream(&openai::calls(&[("tell-joke", r#"{"topic": "rain"}"#)]));
    let server = ModelServer::start(vec![joke.clone(), joke]);
    let ran = run(
        &place(&server.url, "openai"),
        &["ask", "Why?", "--model", "gpt", "--mock", "--max-turns", "2"],
    );
    ran.ended(1, &["no answer after 2 replies", "--max-turns"]);
}

#[test]
fn the_mock_model_calls_tools_without_an_account() {
    let place = Place::sample("demo");
    let ran =
        place.run(&["ask", "What is new?", "--model", "mock", "--yes", "--groups", "read-only"]);
    ran.ended(0, &["state: undefined → findings", "3 calls"]);
    assert!(
        ran.data.starts_with(
            "This is the mock model. It called query-customers, calculator, tell-joke."
        ),
        "{}",
        ran.data
    );

    let question = r#"First query-customers, then calculator {"expression": "6*7"}"#;
    let asked = ["ask", question, "--model", "mock", "--yes", "--groups", "read-only"];
    let ran = place.run(&asked);
    ran.ended(0, &[r#"→ calculator {"expression":"6*7"}"#, "2 calls"]);
    assert!(ran.data.trim_end().ends_with("The last answer: 42"), "{}", ran.data);
    // It is kept, and run again, as any other.
    place.run(&["ask", "--replay", "last"]).ended(0, &["3 replies, 2 calls"]);

    let dry = place.run(&[&asked[..4], &["--dry-run"]].concat());
    dry.ended(0, &["to the mock model, which sends nothing:"]);
}

#[test]
fn nothing_is_sent_without_a_decision_and_a_model() {
    let server = ModelServer::start(Vec::new());
    let place = place(&server.url, "openai");
    run(&place, &["ask", "Why?", "--model", "gpt"]).ended(2, &["--yes", "--mock"]);
    run(&place, &["ask", "Why?", "--yes"]).ended(2, &["--model"]);
    run(&place, &["ask", "Why?", "--model", "embedded", "--yes"])
        .ended(2, &["leads to no model", "there are: gpt, mock"]);
    let missing = place.run(&["ask", "Why?", "--model", "gpt", "--yes"]);
    missing.ended(2, &["MODEL_KEY is not set"]);
    let asking = ["ask", "Why?", "--model", "gpt", "--yes"];
    let empty = place.command(&asking).env("MODEL_KEY", "").output().unwrap();
    Ran::of(empty).ended(2, &["MODEL_KEY is empty"]);
    let denied = place.run(&["ask", "Why?", "--model", "gpt", "--dry-run", "--groups", "none"]);
    denied.ended(0, &["the model gets no tools: none is available for these groups"]);
    let dry = place.json(&["ask", "Why?", "--model", "gpt", "--dry-run"]);
    assert_eq!(tool_names(&dry), ["query-customers", "tell-joke"]);
    let said = place.run(&["ask", "Why?", "--model", "gpt", "--dry-run"]);
    said.ended(0, &["/v1/chat/completions:"]);
    assert!(server.asked().is_empty());
}

#[test]
fn each_call_is_decided_at_the_terminal() {
    let joke = || stream(&openai::calls(&[("tell-joke", r#"{"topic": "rain"}"#)]));
    let server = ModelServer::start(vec![
        joke(),
        joke(),
        joke(),
        joke(),
        joke(),
        stream(&openai::words("Done.")),
    ]);
    let place = place(&server.url, "openai");
    let mut terminal = terminal::toolcrib(["ask", "Jokes!", "--model", "gpt"])
        .size(120, 60)
        .folder(&place.here)
        .home(place.home.path())
        .variable("MODEL_KEY", KEY)
        .start();
    let decide = |keys: &str, seen: &str| {
        terminal.wait_for("Enter call");
        terminal.write(keys.as_bytes());
        terminal.wait_for(seen);
    };
    decide("r not funny\r", "← tell-joke refused: The user refused this call: not funny");
    decide("e topic=snow\r", r#"{"topic":"snow"}"#);
    decide("m\r", "(mocked)");
    decide("x\r", "none of the choices");
    decide("\r", "tell-joke succeeded after");
    decide("a\r", "Done.");
    assert!(terminal.wait_end().success());
    let asked = server.asked();
    let edited = &asked[2].body["messages"][3]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(edited, r#"{"topic":"snow"}"#);
}

#[test]
fn a_breakpoint_stops_and_a_run_goes_back_with_a_message() {
    let customers = || stream(&openai::calls(&[("query-customers", r#"{"question": "Late?"}"#)]));
    let sum = || stream(&openai::calls(&[("calculator", r#"{"expression": "6*7"}"#)]));
    let server =
        ModelServer::start(vec![customers(), sum(), customers(), stream(&openai::words("Done."))]);
    let place = place(&server.url, "openai");
    let mut terminal = terminal::toolcrib([
        "ask",
        "How?",
        "--model",
        "gpt",
        "--yes",
        "--break",
        "tool:calculator",
    ])
    .size(120, 60)
    .folder(&place.here)
    .home(place.home.path())
    .variable("MODEL_KEY", KEY)
    .variable("XDG_STATE_HOME", place.home.path().join("state"))
    .start();
    terminal.wait_for("calculator in state findings");
    terminal.write(b"b 3\r");
    terminal.wait_for("there are replies 1 to 2");
    terminal.write(b"b 1 Ask them again.\r");
    terminal.wait_for("back to before reply 1, in state undefined: Ask them again.");
    terminal.wait_for("Done.");
    assert!(terminal.wait_end().success());
    let asked = server.asked();
    assert_eq!(tool_names(&asked[2].body), ["query-customers", "tell-joke"]);
    let messages = asked[2].body["messages"].as_array().unwrap();
    let said: Vec<_> = messages.iter().map(|message| message["content"].clone()).collect();
    assert_eq!(said, [json!("How?"), json!("Ask them again.")]);
    // A replay goes the way that was taken in the end.
    let again = place.run(&["ask", "--replay", "last", "--json"]);
    again.ended(0, &[]);
    assert_eq!(of(&again.events(), "end")[0]["calls"], 1);
    run(&place, &["ask", "How?", "--model", "gpt", "--yes", "--break", "error"])
        .ended(2, &["a breakpoint asks at a terminal"]);
    run(&place, &["ask", "How?", "--model", "gpt", "--yes", "--break", "nowhere"])
        .ended(2, &["tool:NAME"]);
}
