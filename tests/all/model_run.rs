//! A model in front of the tools, on the screen and in plain mode: asking, each decision, going
//! back, what endpoints do wrong, kept runs.

use std::{fs, io::Write as _, process::Stdio};

use serde_json::{Value, json};

use crate::support::{
    model_server::{HELD, ModelServer, openai, stream, whole},
    place::{Place, Ran},
    terminal::{self, Terminal},
};

const KEY: &str = "key-0123456789-of-a-model";

/// The demo's tools, and a model at this address.
fn place(url: &str) -> Place {
    let sample = Place::sample("demo");
    let [tools, services] = ["tools.yaml", "services.yaml"]
        .map(|name| fs::read_to_string(sample.here.join(name)).unwrap());
    let settings = format!(
        "connection = \"embedded\"\n[context]\ngroups = [\"read-only\"]\n\
         [prices.small]\ninput = 2.0\noutput = 10.0\n\
         [connections.gpt]\nservers = \"{url}\"\ntoken-variable = \"MODEL_KEY\"\n\
         [connections.gpt.model]\nname = \"small\"\n"
    );
    Place::with(&[
        ("toolcrib.toml", &settings),
        ("tools.yaml", &tools),
        ("services.yaml", &services),
    ])
}

fn open(place: &Place, size: (u16, u16)) -> Terminal {
    let terminal = terminal::toolcrib::<&str>([])
        .size(size.0, size.1)
        .folder(&place.here)
        .home(place.home.path())
        .variable("MODEL_KEY", KEY)
        .variable("XDG_STATE_HOME", place.home.path().join("state"))
        .start();
    terminal.wait_for("query-customers");
    terminal
}

/// Asks the model of the workspace; its calls stop before `stops`.
fn ask(terminal: &mut Terminal, question: &str, stops: Option<&str>) {
    terminal.press(["3", "@ask-model"]);
    terminal.wait_for("Which model?");
    terminal.press(["enter"]);
    terminal.wait_for("Stop before");
    terminal.type_text(question);
    terminal.press(["enter", "enter"]);
    if let Some(stops) = stops {
        terminal.press(["ctrl+u"]);
        terminal.type_text(stops);
    }
    terminal.press(["enter"]);
    terminal.wait_for("small");
}

fn joke() -> String {
    stream(&openai::calls(&[("tell-joke", r#"{"topic": "rain"}"#)]))
}

fn customers() -> String {
    stream(&openai::calls(&[("query-customers", r#"{"question": "Late?"}"#)]))
}

fn sum() -> String {
    stream(&openai::calls(&[("calculator", r#"{"expression": "6*7"}"#)]))
}

fn words(text: &str) -> String {
    stream(&openai::words(text))
}

/// A copy of the sample with ask cases and their recorded runs.
fn bench() -> Place {
    let sample = Place::sample("bench");
    let cases = ["joke", "late-share", "no-tool"];
    let of_case = |name| [format!("cases/{name}.yaml"), format!("cases/recorded/{name}.json")];
    let files = ["toolcrib.toml", "tools.yaml", "services.yaml"].map(str::to_owned);
    let names: Vec<String> = files.into_iter().chain(cases.into_iter().flat_map(of_case)).collect();
    let text = |name: &String| fs::read_to_string(sample.here.join(name)).unwrap();
    let texts: Vec<String> = names.iter().map(text).collect();
    let pairs = names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_str()));
    Place::with(&pairs.collect::<Vec<_>>())
}

/// What the model got as the results of its calls.
fn results(body: &Value) -> Vec<&str> {
    let messages = body["messages"].as_array().unwrap();
    let of_tools = messages.iter().filter(|message| message["role"] == "tool");
    of_tools.map(|message| message["content"].as_str().unwrap()).collect()
}

#[test]
fn a_key_for_another_machine_is_asked_for_where_it_is_needed() {
    let server = ModelServer::start(vec![words("It is 42.")]);
    // An address of this machine too, but none that says so.
    let place = place(&server.url.replace("127.0.0.1", "0.0.0.0"));
    let mut terminal = open(&place, (120, 36));
    ask(&mut terminal, "How many are late?", None);
    terminal.wait_for("Send the secrets of gpt?");
    terminal.wait_for("the environment variable MODEL_KEY as the token");
    terminal.press(["right", "enter"]);
    terminal.wait_for("connected to gpt");
    terminal.press(["ctrl+q"]);
    terminal.wait_end();
    let allowed = place.run(&["allow", "--json"]).json();
    assert_eq!((&allowed[0]["connection"], &allowed[0]["allowed"]), (&"gpt".into(), &true.into()));
}

#[test]
fn a_run_streams_its_calls_are_approved_and_workflow_follows() {
    let mut said = openai::words("Let me see what they say.");
    said.insert(1, HELD.into());
    said.truncate(said.len() - 3);
    let calling = openai::calls(&[("query-customers", r#"{"question": "Late?"}"#)]);
    let first = stream(&[said, calling].concat());
    let server = ModelServer::start(vec![first, sum(), words("It is 42.")]);
    let place = place(&server.url);
    let mut terminal = open(&place, (120, 36));
    ask(&mut terminal, "How many are late?", None);
    // What is there of a reply is seen, and keys answer.
    terminal.wait_for("Let me see w");
    terminal.wait_for("the model speaks");
    terminal.press(["5"]);
    terminal.wait_for("Calls 1");
    terminal.press(["@show-run"]);
    terminal.wait_for("the model speaks");
    server.go_on();
    terminal.wait_for("Let me see what they say.");
    terminal.wait_for("query-customers waits for you");
    terminal.wait_for("state undefined → findings");
    terminal.press(["f6"]);
    terminal.wait_for("calculator waits for you");
    terminal.wait_for("undefined → findings");
    // Workflow is where the run is.
    terminal.press(["2"]);
    terminal.wait_for("findings · current");
    terminal.press(["@show-run"]);
    terminal.wait_for("calculator waits for you");
    terminal.press(["enter"]);
    terminal.wait_for("make the call");
    terminal.press(["enter"]);
    terminal.wait_for("It is 42.");
    terminal.wait_for("cost 0.001200");
    // A request is read as it was sent, and can be copied.
    terminal.press(["g", "down", "enter"]);
    terminal.wait_for("sent, ");
    terminal.wait_for("\"content\": \"How many are late?\"");
    terminal.press(["y"]);
    terminal.wait_for("request body");
    terminal.press(["esc", "esc"]);
    terminal.press(["2"]);
    terminal.wait_for("Run 2");
    // The run and its two calls are in the history.
    terminal.press(["5"]);
    terminal.wait_for("ask:gpt");
    terminal.wait_for("calculator");

    let asked = server.asked();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].head.contains(&format!("authorization: Bearer {KEY}")));
    assert_eq!(asked[0].body["messages"][0]["content"], "How many are late?");
    assert_eq!(results(&asked[2].body).last(), Some(&"42"));
    assert!(!terminal.contents().contains(KEY));
}

#[test]
fn calls_are_edited_refused_mocked_and_approved_for_the_rest_of_the_run() {
    let mut answers: Vec<String> = (0..5).map(|_| joke()).collect();
    answers.push(words("Done."));
    let server = ModelServer::start(answers);
    let place = place(&server.url);
    let mut terminal = open(&place, (120, 50));
    ask(&mut terminal, "Jokes!", None);
    let decided = |terminal: &Terminal, seen: &str, request: u32| {
        terminal.wait_for(seen);
        terminal.wait_for(&format!("request   {request}"));
        terminal.wait_for("tell-joke waits for you");
    };
    terminal.wait_for("tell-joke waits for you");
    // What came before is read beside, although a call waits.
    terminal.press(["up", "enter"]);
    terminal.wait_for("Esc run");
    terminal.wait_for("Reply 1 ─");
    terminal.press(["esc", "end"]);
    terminal.wait_for("Call of tell-joke");
    // Refused, with a reason.
    terminal.press(["@refuse-call-of-model"]);
    terminal.wait_for("Why not");
    terminal.type_text("not funny");
    terminal.press(["enter"]);
    decided(&terminal, "The user refused this call: not funny", 2);
    // Mocked, with a text.
    terminal.press(["m"]);
    terminal.wait_for("Nothing is sent");
    terminal.type_text("a mocked joke");
    terminal.press(["enter"]);
    decided(&terminal, "succeeded (mocked)", 3);
    // Edited in the form, undone and edited again.
    terminal.press(["e", "enter", "ctrl+u"]);
    terminal.type_text("fog");
    terminal.press(["enter"]);
    terminal.wait_for(r#"{"topic":"fog"} (edited)"#);
    terminal.press(["u"]);
    terminal.wait_gone("(edited)");
    terminal.press(["enter", "ctrl+u"]);
    terminal.type_text("snow");
    terminal.press(["f6"]);
    decided(&terminal, r#"tell-joke {"topic":"snow"} (edited)"#, 4);
    // This one and all others.
    terminal.press(["@approve-all"]);
    terminal.wait_for("Done.");
    let asked = server.asked();
    assert_eq!(asked.len(), 6);
    let last = &asked[5].body["messages"];
    let edited = &last[5]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(edited, r#"{"topic":"snow"}"#);
    let results = results(&asked[5].body);
    assert_eq!(&results[..2], ["Error: The user refused this call: not funny", "a mocked joke"]);
}

#[test]
fn a_run_goes_back_with_a_message_and_another_result_and_on_after_its_end() {
    let server = ModelServer::start(vec![
        customers(),
        sum(),
        customers(),
        words("Nobody knows."),
        words("Now they do."),
        words("You are welcome."),
    ]);
    let place = place(&server.url);
    let mut terminal = open(&place, (200, 60));
    ask(&mut terminal, "How?", Some("tool:calculator"));
    // A breakpoint stops the second call; the run goes back to the first reply.
    terminal.wait_for("calculator waits for you");
    terminal.press(["b"]);
    terminal.wait_for("Go back");
    terminal.type_text("before reply 1");
    terminal.press(["down", "enter"]);
    terminal.wait_for("The state goes back too");
    terminal.type_text("Ask them again.");
    terminal.press(["enter"]);
    terminal.wait_for("back to before reply 1, in state undefined: Ask them again.");
    terminal.wait_for("Nobody knows.");
    terminal.press(["2"]);
    terminal.wait_for("findings · current");
    // The step before the reply is on another branch of Workflow's run.
    terminal.wait_for("╭ Run 1 ");
    // Another result of the call that was made: it is above the last request.
    terminal.press(["@show-run", "up", "up", "up", "up", "b"]);
    terminal.wait_for("another result…");
    terminal.press(["enter"]);
    terminal.wait_for("Another result");
    terminal.type_text("41 of 100");
    terminal.press(["enter"]);
    terminal.wait_for("Now they do.");
    // And a message after the end.
    terminal.press(["end", "b"]);
    terminal.wait_for("go on with a message");
    terminal.press(["enter"]);
    terminal.wait_for("Go back with a message");
    terminal.type_text("Thanks!");
    terminal.press(["enter"]);
    terminal.wait_for("You are welcome.");

    let asked = server.asked();
    let said = |row: usize| {
        let messages = asked[row].body["messages"].as_array().unwrap();
        messages.iter().map(|message| message["content"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(said(2), [json!("How?"), json!("Ask them again.")]);
    assert_eq!(results(&asked[4].body), ["41 of 100"]);
    assert_eq!(said(5).last(), Some(&json!("Thanks!")));
    assert_eq!(said(5).len(), 6, "{:?}", said(5));
    // The last run is kept whole, and replayed without the model.
    let again = place.run(&["ask", "--replay", "last", "--json"]);
    again.ended(0, &[]);
    let result = again.events().into_iter().find(|event| event["event"] == "tool-result");
    assert_eq!(result.unwrap()["text"], "41 of 100");
}

#[test]
fn a_run_is_stopped_while_the_model_speaks() {
    let mut said = openai::words("Half of a thought");
    said.insert(1, HELD.into());
    let server = ModelServer::start(vec![stream(&said), words("All of it.")]);
    let place = place(&server.url);
    let mut terminal = open(&place, (120, 36));
    ask(&mut terminal, "Why?", None);
    terminal.wait_for("Half of ");
    terminal.press(["ctrl+x"]);
    terminal.wait_for("cancelled after");
    // It goes on from there.
    server.go_on();
    terminal.press(["b"]);
    terminal.wait_for("from where the run ended");
    terminal.press(["enter"]);
    terminal.wait_for("All of it.");
}

#[test]
fn what_endpoints_do_wrong_is_shown_with_what_to_do() {
    let cut: Vec<String> = openai::words("Half of it").into_iter().take(1).collect();
    let error = |message: &str| json!({"error": {"message": message, "type": "oops"}}).to_string();
    let limited = whole("429 Too Many Requests", "retry-after: 0\r\n", &error("Slow down"));
    for (answers, seen) in [
        (vec![stream(&cut)], &["Half", "ends in the middle"][..]),
        (vec![limited, words("Now.")], &["Slow down; asked again in 0 s (1 of 3)", "Now."]),
        (vec![whole("401 Unauthorized", "", &error("Bad key"))], &["Bad key", "check the key"]),
    ] {
        let server = ModelServer::start(answers);
        let place = place(&server.url);
        let mut terminal = open(&place, (200, 36));
        ask(&mut terminal, "Why?", None);
        seen.iter().for_each(|words| terminal.wait_for(words));
        assert!(!terminal.contents().contains(KEY));
    }
}

#[test]
fn wrong_calls_are_shown_and_reported_and_can_be_edited() {
    let wrong = || stream(&openai::calls(&[("tell-joke", r#"{"topic": 3}"#)]));
    let server = ModelServer::start(vec![wrong(), wrong(), words("Done.")]);
    let place = place(&server.url);
    let mut terminal = open(&place, (120, 40));
    ask(&mut terminal, "Jokes!", None);
    terminal.wait_for("the arguments don't fit the schema");
    terminal.press(["m"]);
    terminal.wait_for("mock…: the arguments don't fit");
    terminal.press(["enter"]);
    terminal.wait_for("tell the model what is wrong");
    terminal.press(["enter"]);
    terminal.wait_for("← result  invalid");
    terminal.wait_for("request   2");
    terminal.wait_for("tell-joke waits for you");
    terminal.press(["e", "enter", "ctrl+u"]);
    terminal.type_text("\"rain\"");
    terminal.press(["f6"]);
    terminal.wait_for("Done.");
    let asked = server.asked();
    assert!(results(&asked[1].body)[0].contains("don't fit the schema"));
    let edited = &asked[2].body["messages"][3]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(edited, r#"{"topic":"rain"}"#);
}

#[test]
fn a_kept_run_is_opened_replayed_and_gone_on_with() {
    let server = ModelServer::start(vec![customers(), words("It is late."), words("Very late.")]);
    let place = place(&server.url);
    let ran = Ran::of(
        place
            .command(&["ask", "How late?", "--model", "gpt", "--mock", "--mock-text", "41 of 100"])
            .env("MODEL_KEY", KEY)
            .env("XDG_STATE_HOME", place.home.path().join("state"))
            .output()
            .unwrap(),
    );
    ran.ended(0, &[]);
    let mut terminal = open(&place, (120, 50));
    terminal.press(["5"]);
    terminal.wait_for("ask:gpt");
    terminal.press(["/"]);
    terminal.type_text("tool:ask");
    terminal.press(["enter"]);
    terminal.wait_for("It is late.");
    terminal.press(["e"]);
    terminal.wait_for("41 of 100");
    terminal.wait_for("you       How late?");
    // Again without the model: its call is decided as if it was one of now.
    terminal.press(["p"]);
    terminal.wait_for("query-customers waits for you");
    terminal.press(["enter"]);
    terminal.wait_for("answer it as it is recorded");
    terminal.press(["enter"]);
    terminal.wait_for("gpt answered");
    terminal.wait_for("41 of 100");
    // On from the end, with a model that is chosen by hand.
    terminal.press(["b"]);
    terminal.wait_for("go on with a message");
    terminal.press(["enter"]);
    terminal.type_text("How late exactly?");
    terminal.press(["enter"]);
    terminal.wait_for("Which model?");
    terminal.press(["enter"]);
    terminal.wait_for("Very late.");
    let asked = server.asked();
    let messages = asked[2].body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 5, "{messages:?}");
    assert_eq!(results(&asked[2].body), ["41 of 100"]);
}

#[test]
fn the_mock_model_is_asked_where_there_is_no_other() {
    let place = Place::sample("demo");
    let mut terminal = open(&place, (120, 36));
    terminal.press(["3", "@ask-model"]);
    terminal.wait_for("no account");
    terminal.press(["enter"]);
    terminal.wait_for("Stop before");
    terminal.type_text("tell-joke");
    terminal.press(["enter", "enter", "enter"]);
    terminal.wait_for("Approve");
    terminal.press(["f6"]);
    terminal.wait_for("It called tell-joke.");
}

#[test]
fn a_models_connection_is_made_where_there_is_none() {
    let server = ModelServer::start(vec![words("Hello.")]);
    let tools = fs::read_to_string(Place::sample("demo").here.join("tools.yaml")).unwrap();
    let settings = "connection = \"embedded\"\n";
    let place = Place::with(&[("toolcrib.toml", settings), ("tools.yaml", &tools)]);
    let mut terminal = open(&place, (120, 36));
    terminal.press(["2", "@ask-model"]);
    terminal.wait_for("no account");
    terminal.press(["down", "enter"]);
    terminal.wait_for("Connect a model");
    terminal.press(["enter", "ctrl+u"]);
    terminal.type_text(&server.url);
    terminal.press(["enter"]);
    terminal.type_text("small");
    terminal.press(["enter", "enter", "enter"]);
    terminal.wait_for("Ask a model");
    terminal.type_text("Hi!");
    terminal.press(["enter", "enter", "enter"]);
    terminal.wait_for("Hello.");
    // The answer may be there before the file is.
    terminal.wait_until("nothing unsaved", |screen| {
        screen.contents().lines().next().is_some_and(|top| !top.contains('*'))
    });
    let written = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    assert!(written.starts_with(settings), "{written}");
    assert!(written.contains("connections.local") && written.contains("small"), "{written}");
}

#[test]
fn plain_mode_asks_about_each_call() {
    let server = ModelServer::start(vec![customers(), sum(), words("It is 42.")]);
    let place = place(&server.url);
    let mut command = place.command(&["--plain"]);
    let mut child = command.env("MODEL_KEY", KEY).stdin(Stdio::piped()).spawn().unwrap();
    let lines = [
        "workflow",
        "ask a model",
        "gpt",
        "How many?",
        "",
        "",
        "refuse",
        "not now",
        "1",
        "show",
        "exit",
    ];
    let text = lines.join("\n") + "\n";
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    let mut from = 0;
    for wanted in [
        "Which model?",
        "Asking gpt: How many?",
        "request 1 in state undefined",
        "query-customers {\"question\": \"Late?\"} in state undefined",
        "1. approve",
        "refused",
        "It is 42.",
    ] {
        let found = ran.data[from..].find(wanted);
        from += found.unwrap_or_else(|| panic!("{wanted:?} is missing in {}", ran.data));
    }
}

#[test]
fn recorded_runs_of_cases_are_run_and_gone_through_without_a_model() {
    let place = bench();
    let mut terminal = open(&place, (120, 50));
    // Each case holds with its recorded runs.
    terminal.press(["3", "@cases"]);
    terminal.wait_for("Run all (3)");
    terminal.wait_for("ask: Good morning!");
    terminal.press(["enter"]);
    terminal.wait_for("3 cases passed");
    terminal.press(["@cases"]);
    terminal.wait_for("✓ a joke and nothing else");
    terminal.press(["down", "enter"]);
    terminal.wait_for("2 of 3 recorded runs");
    terminal.press(["esc"]);
    // One of them, call by call, in the place of a model.
    terminal.press(["@recorded-run"]);
    terminal.wait_for("a joke and nothing else");
    terminal.type_text("joke");
    terminal.press(["enter"]);
    terminal.wait_for("tell-joke waits for you");
    terminal.press(["f6"]);
    terminal.wait_for("Why did the llama cross the road?");
    terminal.wait_for("a joke and nothing else answered");
}

#[test]
fn a_case_differs_when_its_tools_no_longer_do_what_was_relied_on() {
    let place = bench();
    let path = place.here.join("cases/joke.yaml");
    let case = fs::read_to_string(&path).unwrap();
    fs::write(&path, case.replace("never: [query-customers", "never: [tell-joke")).unwrap();
    let mut terminal = open(&place, (120, 50));
    terminal.press(["3", "@cases"]);
    terminal.wait_for("Run all (3)");
    terminal.press(["enter"]);
    terminal.wait_for("1 of 3 cases failed");
    terminal.press(["@cases", "down", "enter"]);
    terminal.wait_for("called tell-joke, which it never should");
}

#[test]
fn a_run_is_kept_as_a_case_from_its_screen_and_from_the_history() {
    let server = ModelServer::start(vec![customers(), sum(), words("It is 42.")]);
    let place = place(&server.url);
    let mut terminal = open(&place, (120, 50));
    ask(&mut terminal, "How many?", Some("nothing"));
    terminal.wait_for("It is 42.");
    terminal.press(["K"]);
    terminal.wait_for("query-customers, then calculator");
    terminal.type_text("sums");
    terminal.press(["enter"]);
    terminal.wait_for("Saved");
    terminal.wait_gone("work*");
    terminal.press(["5", "/"]);
    terminal.type_text("tool:ask");
    terminal.press(["enter"]);
    terminal.wait_for("ask:gpt ✓ succeeded");
    terminal.press(["K"]);
    terminal.wait_for("query-customers, then calculator");
    terminal.type_text("again");
    terminal.press(["enter"]);
    terminal.wait_for("Saved");
    terminal.wait_gone("work*");
    let case = fs::read_to_string(place.here.join("cases/sums.yaml")).unwrap();
    assert!(case.contains("ask: How many?") && case.contains("state: figures"), "{case}");
    assert!(!case.contains(KEY));
    // The command line runs both.
    let ran = place.run(&["test"]);
    ran.ended(0, &[]);
    assert!(
        ran.data.contains("sums  passed") && ran.data.contains("again  passed"),
        "{}",
        ran.data
    );
}
