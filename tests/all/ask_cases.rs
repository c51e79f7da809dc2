//! Ask cases: which tools a model chooses, recorded and live, and two versions of a tool side by
//! side.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    model_server::{ModelServer, openai, stream},
    place::{Place, Ran},
};

const CASE: &str = "\
case: llamas
ask: A joke about llamas, please.
expect:
  tools: [{call: tell-joke, arguments: {topic: llamas}}]
  never: query-customers
  contains: funny
";

/// The demo's tools, a model at this address, and one case.
fn place(url: &str) -> Place {
    let sample = Place::sample("demo");
    let [tools, services] = ["tools.yaml", "services.yaml"]
        .map(|name| fs::read_to_string(sample.here.join(name)).unwrap());
    let settings = format!(
        "connection = \"embedded\"\n[context]\ngroups = [\"read-only\"]\n\
         [connections.gpt]\nservers = \"{url}\"\n[connections.gpt.model]\nname = \"small\"\n"
    );
    Place::with(&[
        ("toolcrib.toml", &settings),
        ("tools.yaml", &tools),
        ("services.yaml", &services),
        ("cases/llamas.yaml", CASE),
    ])
}

fn run(place: &Place, words: &[&str]) -> Ran {
    place.run(&[&["test"], words].concat())
}

#[test]
fn the_samples_recorded_runs_need_no_model() {
    let place = Place::sample("bench");
    let ran = run(&place, &[]);
    ran.ended(0, &["3 cases passed"]);
    for words in [
        "✓ share of late deliveries  2 of 3 runs passed",
        "run 2: expected calculator: the model called query-customers",
        "✓ no tool for a greeting  2 of 2 runs passed",
    ] {
        assert!(ran.data.contains(words), "{words}:\n{}", ran.data);
    }
    let row = |tool: &str| -> Vec<&str> {
        let line = ran.data.lines().find(|line| line.starts_with(tool)).unwrap();
        line.split_whitespace().collect()
    };
    // Once it was called where it is hidden, and once not at all.
    assert_eq!(row("calculator"), ["calculator", "3", "2", "1", "0"]);
    assert_eq!(row("tell-joke"), ["tell-joke", "1", "1", "0", "0"]);

    let verdicts = run(&place, &["--json"]).json();
    let held: Vec<_> = verdicts.as_array().unwrap().iter().map(|one| one["held"].clone()).collect();
    assert_eq!(held, [json!(1), json!(2), json!(2)]);
    assert_eq!(verdicts[1]["tools"]["calculator"]["hits"], 2);
    let report = run(&place, &["--format", "junit"]).data;
    assert!(report.contains("tests=\"3\" failures=\"0\""), "{report}");
}

#[test]
fn calls_of_ask_cases_are_mocked_by_the_tools_own_stubs() {
    let case = "ask: 'call tell-joke {\"topic\": \"llamas\"}'\nexpect:\n  tools: [tell-joke]\n";
    let stub = "stub: a\nservices:\n  tell-joke:\n    rules:\n      - answer: A llama walks in\n";
    let place = place("http://127.0.0.1:1");
    for (folder, name, text) in [("cases", "a.yaml", case), ("stubs", "tell-joke.yaml", stub)] {
        fs::create_dir_all(place.here.join(folder)).unwrap();
        fs::write(place.here.join(folder).join(name), text).unwrap();
    }
    run(&place, &["--model", "mock", "cases/a.yaml"]).ended(0, &["1 case passed"]);
    // The call, and the model's run that it is part of.
    let kept = place.json(&["history", "--find", "llama walks tool:tell-joke", "--json"]);
    assert_eq!(
        (kept.as_array().unwrap().len(), &kept[0]["connection"]),
        (1, &json!("mock")),
        "{kept}"
    );
}

#[test]
fn what_a_model_chooses_is_recorded_and_judged_again_without_it() {
    let calls = |arguments| stream(&openai::calls(&[("tell-joke", arguments)]));
    let server = ModelServer::start(vec![
        calls(r#"{"topic": "llamas"}"#),
        stream(&openai::words("How funny.")),
        calls(r#"{"topic": "llamas"}"#),
        stream(&openai::words("Not at all.")),
    ]);
    let place = place(&server.url);
    run(&place, &[]).ended(1, &["1 of 1 case failed"]);
    assert!(run(&place, &[]).data.contains("--model NAME"));

    let before = place.home.path().join("before.yaml");
    let other = "tool:\n  tell-joke:\n    type: tool-service\n    name: tell-joke\n    description: Amuses the user\n    service: joke-service\n    arguments: [{name: subject, type: string, description: What it is about}]\n";
    fs::write(&before, other).unwrap();
    let against = before.to_str().unwrap();
    let live = run(&place, &["--model", "gpt", "--record", "--against", against]);
    live.ended(0, &["1 case passed", "tokens in"]);
    for words in [
        "✓ llamas (A)  passed",
        "✗ llamas (B)  failed",
        "A is chosen better: A 1 of 1 hits, 0 wrong picks, 0 bad arguments; B 0 of 1 hits, 0 wrong picks, 1 bad arguments",
    ] {
        assert!(live.data.contains(words), "{words}:\n{}", live.data);
    }
    let asked = server.asked();
    let described = |body: &Value| body["tools"].to_string().contains("Amuses the user");
    let sides: Vec<bool> = asked.iter().map(|asked| described(&asked.body)).collect();
    assert_eq!(sides, [false, false, true, true]);
    // The tool was mocked: no case calls one unless it says so.
    let called = place.json(&["history", "--find", "tool:tell-joke", "--json"]);
    assert!(called.as_array().unwrap().iter().all(|call| call["connection"] == "mock"), "{called}");

    // Where nothing of the other side is recorded, nothing is compared.
    let recorded = place.here.join("cases/recorded/llamas.json");
    let whole = fs::read_to_string(&recorded).unwrap();
    let mut own: Value = serde_json::from_str(&whole).unwrap();
    own.as_object_mut().unwrap().remove("against");
    fs::write(&recorded, own.to_string()).unwrap();
    let alone = run(&place, &["--against", against]);
    alone.ended(1, &["1 of 1 case failed"]);
    assert!(
        alone.data.contains("not compared") && !alone.data.contains("is chosen better"),
        "{}",
        alone.data
    );
    fs::write(&recorded, whole).unwrap();

    let again = run(&place, &["--against", against]);
    again.ended(0, &[]);
    assert!(again.data.contains("A is chosen better"), "{}", again.data);
    let recorded = place.here.join("cases/recorded/llamas.json");
    assert!(fs::read_to_string(recorded).unwrap().contains("\"model\": \"small\""));

    // What the workspace has changed since shows without a model, too.
    let tools = place.here.join("tools.yaml");
    let hidden = fs::read_to_string(&tools)
        .unwrap()
        .replace("\"fun\"]", "\"fun\"]\n    applicable-states: [figures]");
    fs::write(&tools, hidden).unwrap();
    let changed = run(&place, &[]);
    changed.ended(1, &["1 of 1 case failed"]);
    assert!(changed.data.contains("the tool is not available"), "{}", changed.data);
}

/// What the models said, and cost, isn't gone.
#[test]
fn runs_that_cannot_be_recorded_are_in_the_report() {
    let server = ModelServer::start(vec![
        stream(&openai::calls(&[("tell-joke", r#"{"topic": "llamas"}"#)])),
        stream(&openai::words("How funny.")),
    ]);
    let place = place(&server.url);
    fs::write(place.here.join("cases/recorded"), "in the way").unwrap();
    let words = ["--model", "gpt", "--record", "--format", "junit", "-o", "report.xml"];
    let ran = run(&place, &words);
    ran.ended(1, &["1 of 1 case failed", "tokens in"]);
    let report = fs::read_to_string(place.here.join("report.xml")).unwrap();
    assert!(report.contains("recorded: writing") && report.contains("failures=\"1\""), "{report}");
}

#[test]
fn a_report_is_written_where_nobody_reads_the_lines() {
    let place = place("http://127.0.0.1:1");
    let code = |words: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        place.command(&[&["test"], words].concat()).stdout(writer).status().unwrap().code()
    };
    assert_eq!(code(&["--json", "-o", "report.json"]), Some(1), "no run is recorded");
    let report = fs::read_to_string(place.here.join("report.json")).unwrap();
    assert!(report.contains("--model NAME"), "{report}");
    assert_eq!(code(&[]), Some(0), "as of any command that nobody reads");
}
