//! The command line through the real binary: what each command prints, where, and how it ends.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use super::plain::demo;
use crate::support::{
    nats::NatsServer,
    place::{Place, Ran},
    services::{Responder, foreign_call},
};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn named<'v>(list: &'v Value, key: &str, name: &str) -> &'v Value {
    list.as_array()
        .unwrap()
        .iter()
        .find(|item| item[key] == name)
        .unwrap_or_else(|| panic!("no {name} in {list:#}"))
}

const BROKEN: &str =
    "tool:\n  t:\n    type: tool-service\n    name: t\n    service: nowhere\n  t:\n    : [\n";
const FAULTY: &str = "tool:\n  t:\n    type: tool-service\n    name: t\n    description: d\n    service: nowhere\n    arguments: []\n";

#[cfg(unix)]
#[test]
fn check_of_a_folder_leaves_out_what_is_left_out_elsewhere() {
    let good = ("good/t.yaml", "tool:\n  t: {type: text-completion, name: t, description: d}\n");
    let place = Place::with(&[("toolcrib.toml", ""), good, ("other/real/a.txt", "")]);
    std::os::unix::fs::symlink("real", place.here.join("other/link")).unwrap();
    place.run(&["check", "good"]).ended(0, &["in 1 file"]);
    let ran = place.run(&["check"]);
    ran.ended(6, &["other/link is a link to a folder and was not followed"]);
}

#[test]
fn check_ends_with_one_when_there_are_errors() {
    Place::sample("demo").run(&["check"]).ended(0, &["0 errors, 0 warnings, 0 notes in 4 files"]);
    let ran = Place::with(&[("tools.yaml", FAULTY)]).run(&["check"]);
    ran.ended(1, &["1 error, "]);
    assert!(ran.data.contains("tools.yaml:6:5 error service.unknown"), "{}", ran.data);
    let ran = Place::with(&[("tools.yaml", BROKEN)]).run(&["check"]);
    ran.ended(1, &["1 error"]);
    assert!(ran.data.starts_with("tools.yaml:8:1 error syntax.not-well-formed"), "{}", ran.data);
    Place::with(&[("tools.yaml", "")])
        .run(&["check", "nowhere"])
        .ended(2, &["no such file or folder", "nowhere"]);
}

#[test]
fn many_tools_are_checked_in_their_order_on_every_core() {
    let tool = |row: usize| {
        let said = if row.is_multiple_of(3) { "" } else { "    description: Says something\n" };
        format!("  tool-{row}:\n    type: text-completion\n    name: t{row}\n{said}")
    };
    let file =
        |tools: std::ops::Range<usize>| format!("tool:\n{}", tools.map(tool).collect::<String>());
    let (large, more) = (file(0..1_500), file(1_500..2_100));
    let place = Place::with(&[("a.yaml", large.as_str()), ("b.yaml", more.as_str())]);
    let found = place.json(&["check", "--json"]);
    let undescribed: Vec<(String, u64)> = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["code"] == "identity.no-description")
        .map(|finding| {
            (finding["file"].as_str().unwrap().to_owned(), finding["line"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(undescribed.len(), 700);
    assert!(undescribed.is_sorted(), "{undescribed:?}");
    let line_of =
        |text: &str, name: &str| text.lines().position(|line| line == name).unwrap() as u64 + 1;
    assert_eq!(undescribed[1], ("a.yaml".into(), line_of(&large, "  tool-3:")));
    assert_eq!(undescribed[500], ("b.yaml".into(), line_of(&more, "  tool-1500:")));
    assert_eq!(undescribed[699], ("b.yaml".into(), line_of(&more, "  tool-2097:")));
    assert_eq!(place.json(&["check", "--json"]), found);
}

#[test]
fn check_speaks_json_sarif_and_to_github() {
    let place = Place::with(&[("tools.yaml", FAULTY), ("part/a.txt", ""), (".git/HEAD", "")]);
    let found = place.json(&["check", "--json"]);
    assert_eq!(found, place.json(&["check", "--format", "json"]));
    let finding = named(&found, "code", "service.unknown");
    assert_eq!(
        keys(finding),
        [
            "code", "severity", "file", "line", "column", "pointer", "entry", "message", "fix",
            "related"
        ]
    );
    let place_of = [&finding["severity"], &finding["file"], &finding["line"], &finding["pointer"]];
    assert_eq!(
        place_of,
        [&json!("error"), &json!("tools.yaml"), &json!(6), &json!("/tool/t/service")]
    );

    let ran = place.run(&["check", "--format", "sarif"]);
    ran.ended(1, &[]);
    let sarif = ran.json();
    let result = named(&sarif["runs"][0]["results"], "ruleId", "service.unknown");
    assert_eq!((&sarif["version"], &result["level"]), (&json!("2.1.0"), &json!("error")));
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "tools.yaml");
    let rule = result["ruleIndex"].as_u64().unwrap();
    assert_eq!(
        sarif["runs"][0]["tool"]["driver"]["rules"][usize::try_from(rule).unwrap()]["id"],
        "service.unknown"
    );
    let about = &sarif["runs"][0]["tool"]["driver"]["rules"][usize::try_from(rule).unwrap()]["shortDescription"]
        ["text"];
    assert!(about.as_str().unwrap().contains("service"), "{about}");

    let ran = place.run(&["check", "--format", "github"]);
    ran.ended(1, &[]);
    assert!(
        ran.data.contains("::error file=tools.yaml,line=6,col=5,title=service.unknown::"),
        "{}",
        ran.data
    );
    // As the repository names the file, from wherever it is checked.
    let mut below = place.command(&["check", "..", "--format", "github"]);
    let below = Ran::of(below.current_dir(place.here.join("part")).output().unwrap());
    assert_eq!(below.data, ran.data);
}

#[test]
fn a_file_is_checked_in_its_workspace() {
    let place = Place::sample("services");
    place
        .run(&["check", "tools/tell-joke.json"])
        .ended(0, &["0 errors, 0 warnings, 0 notes in 1 file"]);
    let place = Place::with(&[
        ("toolcrib.toml", "mood = 1\n"),
        ("a.yaml", FAULTY),
        ("b.yaml", "tool: {}\n"),
    ]);
    place.run(&["check", "b.yaml"]).ended(0, &[]);
    let files = |arguments: &[&str]| {
        let found = place.json(arguments);
        let files: std::collections::BTreeSet<_> =
            found.as_array().unwrap().iter().map(|finding| finding["file"].to_string()).collect();
        files.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(files(&["check", "a.yaml", "--json"]), ["\"a.yaml\""]);
    assert_eq!(
        files(&["check", "--json"]),
        ["\"a.yaml\"", "\"toolcrib.toml\""],
        "settings are checked too"
    );
}

#[test]
fn tools_say_why_they_are_hidden() {
    let place = Place::sample("spec-workflow");
    let tools = place.json(&["tools", "--json"]);
    let hidden = named(&tools, "key", "complex-analysis");
    assert_eq!(
        keys(hidden),
        [
            "name",
            "key",
            "system",
            "type",
            "file",
            "groups",
            "states",
            "next_state",
            "available",
            "reasons"
        ]
    );
    assert_eq!(hidden["available"], false);
    assert_eq!(
        (&hidden["states"], &hidden["next_state"]),
        (&json!(["analysis"]), &json!("results"))
    );
    let kinds: Vec<_> = hidden["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|reason| reason["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["group", "state"]);
    assert_eq!(keys(&hidden["reasons"][0]), ["kind", "text", "fix"]);
    let shown = named(&tools, "key", "text-completion");
    assert_eq!(
        (&shown["available"], &shown["reasons"], &shown["states"]),
        (&json!(true), &json!([]), &json!(["*"]))
    );

    let available = |arguments: &[&str]| -> Vec<String> {
        let all = place.json(&[&["tools", "--json"], arguments].concat());
        let shown = all.as_array().unwrap().iter().filter(|tool| tool["available"] == true);
        shown.map(|tool| tool["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(available(&[]), ["knowledge-query", "text-completion"]);
    assert_eq!(
        available(&["--groups", "admin", "--state", "analysis"]),
        ["graph-update", "reset-workflow"]
    );
    assert_eq!(available(&["--groups", ""]), [""; 0]);
    assert_eq!(
        available(&["--groups", "*", "--mode", "as-deployed"]),
        [""; 0],
        "TrustGraph does not know the type graph-update"
    );
    assert_eq!(
        available(&["--groups", "write", "--user", "user-a"]),
        [""; 0],
        "user-a may not request it"
    );
    place
        .run(&["tools", "--groups", "wirte"])
        .ended(0, &["no tool is in group wirte; did you mean \"write\"?"]);

    let why = place.run(&["tools", "--why", "reset-workflow"]);
    why.ended(0, &[]);
    for words in [
        "reset-workflow: hidden",
        "group: in admin, requested read-only, knowledge",
        "request admin, then call knowledge-query",
    ] {
        assert!(why.data.contains(words), "{}", why.data);
    }
    place.run(&["tools", "--why", "reset-workflo"]).ended(2, &["did you mean \"reset-workflow\"?"]);
}

#[test]
fn groups_and_states_are_listed() {
    let place = Place::sample("spec-workflow");
    let groups = place.json(&["groups", "--json", "--groups", "admin", "--state", "analysis"]);
    let admin = json!({"name": "admin", "asked": true, "available": 2, "tools": ["graph-update", "reset-workflow"]});
    assert_eq!(*named(&groups, "name", "admin"), admin);
    let states = place.json(&["states", "--json"]);
    assert_eq!(named(&states, "name", "analysis")["way"], json!(["knowledge-query"]));
    let research = named(&states, "name", "research");
    assert_eq!((&research["reachable"], &research["way"]), (&json!(false), &Value::Null));
    assert!(place.run(&["states"]).data.contains("call knowledge-query"));
}

#[test]
fn a_workspaces_own_groups_count() {
    let tools = "tool:\n  a: {type: text-completion, name: a, description: d, group: [x]}\n  b: {type: text-completion, name: b, description: d, group: [y]}\n";
    let place = Place::with(&[
        ("tools.yaml", tools),
        ("toolcrib.toml", "[groups]\nboth = [\"a\", \"b\"]\n"),
    ]);
    let all = place.json(&["tools", "--json", "--groups", "both"]);
    assert!(all.as_array().unwrap().iter().all(|tool| tool["available"] == true), "{all:#}");
    assert_eq!(
        named(&place.json(&["groups", "--json"]), "name", "both")["tools"],
        json!(["a", "b"])
    );
}

#[test]
fn scenarios_end_with_one_when_an_expectation_fails() {
    let place = Place::sample("spec-workflow");
    place.run(&["simulate", "scenarios"]).ended(0, &["4 scenarios passed"]);
    let ran = place.json(&["simulate", "scenarios/progression.yaml", "--json"]);
    assert_eq!((&ran[0]["holds"], ran.as_array().unwrap().len()), (&json!(true), 1));
    let steps = &ran[0]["steps"];
    let first = &steps[0];
    assert_eq!(
        (&first["before"], &first["tool"], &first["outcome"], &first["after"]),
        (&json!("undefined"), &json!("knowledge-query"), &json!("succeeded"), &json!("analysis"))
    );
    for key in ["available", "filtered_by_group", "filtered_by_state", "expectations"] {
        assert!(first[key].is_array(), "{first:#}");
    }
    assert_eq!(steps[2]["outcome"], "refused");

    let scenario = "start: {groups: [read-only]}\nsteps:\n  - tool: text-completion\n    expect: {available: [text-completion], state: elsewhere}\n";
    let home = place.home.path().join("wrong.yaml");
    fs::write(&home, scenario).unwrap();
    let ran = place.run(&["simulate", home.to_str().unwrap(), "-w", "."]);
    ran.ended(1, &["1 of 1 scenario failed: 2 differences"]);
    fs::write(&home, "start: {state: analysi}\nsteps: []\n").unwrap();
    place.run(&["simulate", home.to_str().unwrap(), "-w", "."]).ended(
        0,
        &[
            "no tool uses the state analysi; did you mean \"analysis\"?",
            "it has no steps, so that nothing is tested",
        ],
    );
    assert!(
        ran.data.contains("not expected knowledge-query")
            && ran.data.contains("the state is undefined, not elsewhere"),
        "{}",
        ran.data
    );
    fs::write(&home, "steps:\n  - tol: x\n").unwrap();
    place
        .run(&["simulate", home.to_str().unwrap()])
        .ended(2, &["line 2, column 5", "did you mean \"tool\"?"]);
    place.run(&["simulate", "nowhere.yaml"]).ended(2, &["nowhere.yaml", "there is no such file"]);
    place.run(&["simulate", "progression"]).ended(0, &["1 scenario passed"]);
    let mut from_below = place.command(&["simulate", "scenarios/progression.yaml"]);
    Ran::of(from_below.current_dir(place.here.join("scenarios")).output().unwrap())
        .ended(0, &["1 scenario passed"]);
    // One that can't be read holds no other up, and is in the reports.
    let good = place.home.path().join("good.yaml");
    fs::write(&good, "start: {groups: [read-only]}\nsteps:\n  - tool: knowledge-query\n").unwrap();
    let [broken, good] = [&home, &good].map(|path| path.to_str().unwrap());
    let both = |more: &[&str]| {
        let ran = place.run(&[&["simulate", broken, good, "-w", "."], more].concat());
        ran.ended(2, &[]);
        ran
    };
    let said = both(&[]);
    said.ended(2, &["1 of 2 scenarios failed"]);
    assert!(said.data.contains("did you mean \"tool\"?"), "{}", said.data);
    assert!(both(&["--format", "junit"]).data.contains("tests=\"2\" failures=\"0\" errors=\"1\""));
    assert!(both(&["--format", "github"]).data.starts_with("::error file="));
    let all = both(&["--json"]).json();
    assert_eq!((&all[0]["holds"], &all[1]["holds"]), (&json!(false), &json!(true)));
}

#[test]
fn scenarios_say_what_they_exercised_and_report_to_ci() {
    let place = Place::sample("spec-workflow");
    let ran = place.run(&["simulate", "--coverage"]);
    ran.ended(0, &["4 scenarios passed"]);
    assert!(ran.data.contains("states 3 of 5 · transitions 5 of 8 · tools 5 of 5"), "{}", ran.data);
    assert!(ran.data.contains("states not covered: research, modification"), "{}", ran.data);
    let report = place.json(&["simulate", "scenarios/user-a.yaml", "--coverage", "--json"]);
    assert_eq!(report["scenarios"][0]["holds"], true);
    let coverage = &report["coverage"][0];
    assert_eq!((&coverage["tools"]["of"], &coverage["tools"]["covered"]), (&json!(5), &json!(1)));
    assert_eq!(
        coverage["transitions"]["missed"][0],
        json!({"tool": "knowledge-query", "from": "undefined", "to": "analysis"})
    );

    fs::write(place.home.path().join("wrong.yaml"), "steps:\n  - tool: reset-workflow\n").unwrap();
    let ran = place.run(&[
        "simulate",
        place.home.path().join("wrong.yaml").to_str().unwrap(),
        "-w",
        ".",
        "--format",
        "junit",
    ]);
    ran.ended(1, &["1 of 1 scenario failed"]);
    assert!(
        ran.data.contains("failures=\"1\"")
            && ran.data.contains("<failure message=\"refused: expected false: group: in admin"),
        "{}",
        ran.data
    );
}

#[test]
fn a_state_says_how_to_come_in_and_out_and_a_request_what_it_never_gets_to() {
    let place = Place::sample("spec-workflow");
    let state = place.json(&["states", "--about", "analysis", "--json"]);
    assert_eq!(state["way"], json!(["knowledge-query"]));
    assert_eq!(state["sufficient_groups"], json!([["basic"], ["knowledge"], ["read-only"]]));
    let tools = |key: &str| {
        state[key].as_array().unwrap().iter().map(|found| found["tool"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        (tools("into"), tools("stay")),
        (vec![json!("knowledge-query")], vec![json!("graph-update")])
    );
    assert_eq!(tools("out"), ["text-completion", "complex-analysis", "reset-workflow"]);
    place.run(&["states", "--about", "anlysis"]).ended(2, &["did you mean \"analysis\"?"]);

    let never = place.json(&["states", "--never", "--json", "--groups", "knowledge,compute"]);
    assert_eq!(never["states"], json!(["research", "modification"]));
    assert_eq!(
        (&never["dead_ends"], &never["no_way_back"]),
        (&json!(["results"]), &json!(["analysis", "results"]))
    );
    assert_eq!(
        never["tools"][1],
        json!({"tool": "reset-workflow", "why": "none of its groups is requested"})
    );

    let why = place.json(&["tools", "--why", "complex-analysis", "--json", "--state", "analysis"]);
    assert_eq!(why[0]["sufficient_groups"], json!([["advanced"], ["compute"], ["expensive"]]));
}

#[test]
fn a_simulation_leaves_its_records() {
    let place = Place::sample("spec-workflow");
    let file = place.home.path().join("metrics.prom");
    let ran = place.run(&[
        "simulate",
        "scenarios/research.yaml",
        "--audit",
        "-",
        "--metrics",
        file.to_str().unwrap(),
    ]);
    ran.ended(0, &["research", "1 scenario passed"]);
    assert_eq!(ran.json()["state_transitions"].as_array().unwrap().len(), 3);
    assert!(
        fs::read_to_string(file)
            .unwrap()
            .contains("agent_state_transitions_total{tool=\"knowledge-query\"")
    );
    place.run(&["simulate", "scenarios", "--audit", "-"]).ended(2, &["there are several"]);
}

#[test]
fn the_workflow_is_drawn_in_every_format() {
    let place = Place::sample("spec-workflow");
    for (format, part) in [
        ("text", "┃ ▶ undefined"),
        ("dot", "digraph workflow {"),
        ("mermaid", "stateDiagram-v2"),
        ("svg", "<svg "),
        ("json", "\"start\": \"undefined\""),
    ] {
        let ran = place.run(&["graph", "--format", format]);
        ran.ended(0, &[]);
        assert!(ran.data.contains(part), "{format}: {}", ran.data);
    }
    assert_eq!(place.json(&["graph", "--json", "--state", "analysis"])["start"], "analysis");
    let asked = ["graph", "--groups", "knowledge", "--state", "analysis"];
    place.run(&asked).ended(0, &["groups knowledge, state analysis"]);
    // As on the screen, arrows of groups that are not asked for are there, broken.
    let drawn =
        |arrows: &str| place.run(&["graph", "--groups", "knowledge", "--arrows", arrows]).data;
    assert!(
        place.run(&["graph", "--groups", "knowledge"]).data == drawn("all")
            && drawn("all").contains("complex-analysis")
    );
    assert!(!drawn("asked").contains("complex-analysis"));
}

#[test]
fn a_call_streams_its_text_and_nothing_else() {
    let place = Place::sample("services");
    let ran = place.run(&["call", "calculator", "expression=6 * 7"]);
    ran.ended(0, &[]);
    assert_eq!((ran.data.as_str(), ran.words.as_str()), ("42", ""));
    let ran = place.run(&[
        "call",
        "query-customers",
        "--args",
        r#"{"question": "What are the top customer complaints?"}"#,
        "--json",
        "--user",
        "ann",
    ]);
    ran.ended(0, &[]);
    let events = ran.events();
    assert_eq!(events[0]["event"], "request");
    let body: Value = serde_json::from_str(events[0]["body"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&body["user"], &body["config"]),
        (&json!("ann"), &json!("{\"collection\":\"customers\"}"))
    );
    let chunks: Vec<_> = events.iter().filter(|event| event["event"] == "chunk").collect();
    let text: String = chunks.iter().map(|chunk| chunk["text"].as_str().unwrap()).collect();
    assert!(chunks.len() > 5 && text.contains("late deliveries (41 %)"), "{text}");
    let end = events.last().unwrap();
    assert_eq!(
        (&end["event"], &end["outcome"], &end["error"]),
        (&json!("end"), &json!("succeeded"), &Value::Null)
    );
    assert!(events.iter().all(|event| event["at_ms"].is_u64()));
}

#[test]
fn a_refusing_service_ends_the_call_with_one() {
    let place = Place::sample("services");
    place
        .run(&["call", "calculator", "expression=1/0"])
        .ended(1, &["division by zero", "division-by-zero"]);
    let ran = place.run(&["call", "calculator", "expression=1/0", "--json"]);
    ran.ended(1, &[]);
    let end = ran.events().pop().unwrap();
    assert_eq!(
        (&end["outcome"], &end["error"]["type"]),
        (&json!("failed"), &json!("division-by-zero"))
    );
    assert!(end["error"]["message"].as_str().unwrap().contains("division by zero"));
}

#[test]
fn arguments_are_checked_before_anything_is_sent() {
    let place = Place::sample("services");
    for (arguments, words) in [
        (&["call", "calculator"][..], "expression is required"),
        (&["call", "calculator", "expresion=1"], "did you mean \"expression\"?"),
        (&["call", "calculator", "expression:=1"], "expression is not text"),
        (&["call", "calculator", "1+1"], "\"1+1\" has no ="),
        (&["call", "calculator", "--args", "{"], "--args: not JSON"),
        (&["call", "calculater", "expression=1"], "did you mean \"calculator\"?"),
        (
            &["call", "calculator", "expression=1", "--timeout", "soon"],
            "write 500ms, 30s, 2m, 1h or 3d",
        ),
        (
            &["call", "calculator", "expression=1", "--connection", "locale"],
            "did you mean \"local\"?",
        ),
    ] {
        let ran = place.run(arguments);
        ran.ended(2, &[words]);
        assert_eq!(ran.data, "");
    }
    place.run(&["call", "calculator", "expression:=41", "--no-check"]).ended(0, &[]);
}

#[test]
fn a_dry_run_shows_the_request_and_sends_nothing() {
    let place = Place::sample("services");
    let request = place.json(&[
        "call",
        "tell-joke",
        "topic=llamas",
        "--dry-run",
        "--json",
        "--connection",
        "nats://127.0.0.1:1",
    ]);
    assert_eq!(
        (&request["event"], &request["to"]),
        (&json!("request"), &json!("non-persistent://tg/request/joke"))
    );
    assert_eq!(request["headers"]["id"], request["id"]);
    let ran = place.run(&["call", "tell-joke", "topic=llamas", "--dry-run"]);
    ran.ended(0, &[]);
    assert!(ran.data.contains(r#""arguments":"{\"topic\":\"llamas\"}""#), "{}", ran.data);
}

#[test]
fn arguments_come_from_standard_input() {
    let place = Place::sample("services");
    let mut child = place
        .command(&["call", "calculator", "--args", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"expression": "2 + 2"}"#).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    ran.ended(0, &[]);
    assert_eq!(ran.data, "4");
}

#[test]
fn a_server_that_is_not_there_ends_the_call_with_three() {
    let place = Place::sample("services");
    let ran = place.run(&["call", "tell-joke", "topic=x", "--connection", "nats://127.0.0.1:1"]);
    ran.ended(3, &["couldn't connect to nats://127.0.0.1:1"]);
    let ran = place.run(&[
        "call",
        "tell-joke",
        "topic=x",
        "--json",
        "--connection",
        "nats://127.0.0.1:1",
    ]);
    assert_eq!(ran.events().pop().unwrap()["outcome"], "lost");
    let ran =
        place.run(&["call", "tell-joke", "topic=x", "--connection", "nats://me:hush@127.0.0.1:1"]);
    ran.ended(2, &["holds a user or password"]);
    assert!(!ran.words.contains("hush"), "{}", ran.words);
    // Nor where the scheme was forgotten, so that it could be a name.
    let ran = place.run(&["call", "tell-joke", "topic=x", "--connection", "me:hush@127.0.0.1:1/x"]);
    ran.ended(2, &["holds a user or password"]);
    assert!(!ran.words.contains("hush"), "{}", ran.words);
    let settings = Place::with(&[("toolcrib.toml", "connection = 'me:hush@127.0.0.1:1'\n")]);
    let ran = settings.run(&["check"]);
    assert!(!format!("{}{}", ran.data, ran.words).contains("hush"), "{}", ran.data);
}

#[test]
fn calls_go_over_a_real_server() {
    let server = NatsServer::start();
    let place = Place::sample("services");
    let connection = server.url();
    let call = |more: &[&str]| {
        place.run(
            &[&["call", "tell-joke", "topic=llamas", "--connection", &connection], more].concat(),
        )
    };
    let ran = call(&["--json"]);
    ran.ended(3, &[]);
    assert_eq!(ran.events().pop().unwrap()["error"]["type"], "no-responders");
    {
        let _service = Responder::start(&connection, "response");
        let ran = call(&[]);
        ran.ended(0, &[]);
        assert!(!ran.data.is_empty());
    }
    let _service = Responder::start(&connection, "silent");
    let ran = call(&["--timeout", "200ms", "--json"]);
    ran.ended(4, &[]);
    assert_eq!(ran.events().pop().unwrap()["outcome"], "timed-out");
}

#[test]
fn a_route_is_refused_where_a_system_has_but_one() {
    let place = Place::sample("services");
    let ran = place.run(&["call", "tell-joke", "topic=x", "--route", "direct"]);
    ran.ended(2, &["calls of \"tell-joke\" have but one route", "name no route"]);
}

#[cfg(unix)]
#[test]
fn a_limit_on_open_files_is_raised_or_reported() {
    let place = Place::sample("services");
    let run = |limit: &str| {
        let call = place.command(&["call", "tell-joke", "topic=x"]);
        let script = format!("ulimit {limit}; exec \"$0\" \"$@\"");
        let mut limited = Command::new("sh");
        limited.arg("-c").arg(script).arg(call.get_program()).args(call.get_args());
        limited.current_dir(&place.here).env_clear();
        limited.envs(call.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Ran::of(limited.output().unwrap())
    };
    run("-n 8").ended(2, &["no more than 8 files", "ulimit -n"]);
    run("-S -n 8").ended(0, &[]);
}

/// A command that runs on, ended with the test.
struct Running {
    child: Child,
}

impl Running {
    fn interrupt(&mut self) {
        let told =
            Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(told.success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_interrupted_call_is_cancelled() {
    let server = NatsServer::start();
    let _service = Responder::start(&server.url(), "silent");
    let place = Place::sample("services");
    let mut running = Running {
        child: place
            .command(&["call", "tell-joke", "topic=x", "--json", "--connection", &server.url()])
            .spawn()
            .unwrap(),
    };
    let mut lines = BufReader::new(running.child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["event"], "request");
    running.interrupt();
    let end = next();
    assert_eq!((&end["event"], &end["outcome"]), (&json!("end"), &json!("cancelled")));
    assert_eq!(running.child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_call_whose_output_is_closed_is_cancelled() {
    let server = NatsServer::start();
    let _service = Responder::start(&server.url(), "silent");
    let place = Place::sample("services");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let call = ["call", "tell-joke", "topic=x", "--json", "--connection", &server.url()];
    let ended = place.command(&call).stdout(writer).status().unwrap();
    assert_eq!(ended.code(), Some(0));
    let kept = place.run(&["history", "--json"]).data;
    assert!(kept.contains("\"cancelled\""), "{kept}");
}

#[test]
fn served_tools_answer_callers_of_another_language() {
    let server = NatsServer::start();
    let place = Place::sample("services");
    let mut running = Running {
        child: place
            .command(&["serve", "tell-joke", "calculator", "--connection", &server.url()])
            .spawn()
            .unwrap(),
    };
    let mut lines =
        BufReader::new(running.child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "listening on tg.request.joke for joke-service");
    assert_eq!(lines.next().unwrap(), "listening on tg.request.calc for calculator");
    let body = r#"{"user": "ann", "config": "{}", "arguments": "{\"expression\": \"6 * 7\"}"}"#;
    let answer = foreign_call(&server.url(), "tg.request.calc", "tg.response.calc", body);
    assert_eq!(answer["text"], "42");
    let told = lines.next().unwrap();
    assert!(told.starts_with("answered calculator ") && told.contains(" of ann"), "{told}");
    let ran = place.run(&["call", "tell-joke", "topic=llamas", "--connection", &server.url()]);
    ran.ended(0, &[]);
    running.interrupt();
    assert_eq!(running.child.wait().unwrap().code(), Some(0));
}

#[test]
fn serve_says_that_its_server_goes_and_comes_back() {
    let mut server = NatsServer::start();
    let place = Place::sample("services");
    let mut running = Running {
        child: place
            .command(&["serve", "tell-joke", "--connection", &server.url()])
            .spawn()
            .unwrap(),
    };
    let mut lines =
        BufReader::new(running.child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "listening on tg.request.joke for joke-service");
    server.kill();
    let told = lines.next().unwrap();
    assert!(told.contains("broke; reconnecting"), "{told}");
    let server = NatsServer::on_port(server.port());
    let again = lines.find(|line| line.contains("again")).unwrap();
    assert!(again.contains("connected to nats://"), "{again}");
    let ran = place.run(&["call", "tell-joke", "topic=llamas", "--connection", &server.url()]);
    ran.ended(0, &[]);
    running.interrupt();
    assert_eq!(running.child.wait().unwrap().code(), Some(0));
}

#[test]
fn serve_says_what_it_cannot_do() {
    let place = Place::sample("services");
    place.run(&["serve"]).ended(2, &["--connection nats://"]);
    place.run(&["serve", "--connection", "nats://127.0.0.1:1"]).ended(3, &["couldn't connect"]);
    place
        .run(&["serve", "tell-jok", "--connection", "nats://127.0.0.1:1"])
        .ended(2, &["did you mean \"tell-joke\"?"]);
}

#[test]
fn schemas_completions_and_pages_are_printed() {
    let place = Place::sample("services");
    let types = place.json(&["schema", "--json"]);
    assert!(types.as_array().unwrap().len() > 5);
    for of in ["tell-joke", "joke-service", "mcp-tool", "service"] {
        let schema = place.json(&["schema", of]);
        assert_eq!(schema["type"], "object", "{of}: {schema:#}");
    }
    place.run(&["schema", "tell-jokes"]).ended(2, &["did you mean \"tell-joke\"?"]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = place.run(&["completions", shell]);
        ran.ended(0, &[]);
        assert!(ran.data.contains("simulate"), "{shell}");
    }
    let page = place.run(&["help", "systems"]);
    page.ended(0, &[]);
    assert_eq!(page.data, place.run(&["help", "findings"]).data, "by its file's name");
    assert!(place.run(&["man"]).data.contains(".SH SYNOPSIS"));
    assert!(place.run(&["man", "call"]).data.contains("dry\\-run"));
    place.run(&["man", "nothing"]).ended(2, &["there is no command \"nothing\""]);
    assert!(place.run(&["man", "mcp", "ping"]).data.contains("toolcrib\\-mcp\\-ping"));
    place
        .run(&["man", "call", "x"])
        .ended(2, &["there is no command \"x\"", "call has no commands"]);
}

#[test]
fn a_wrong_command_line_ends_with_two() {
    let place = Place::sample("services");
    place.run(&["--version"]).ended(0, &[]);
    for command in [
        "check",
        "tools",
        "groups",
        "states",
        "simulate",
        "graph",
        "call",
        "serve",
        "schema",
        "completions",
        "man",
        "demo",
    ] {
        assert!(place.run(&["--help"]).data.contains(command));
        place.run(&[command, "--help"]).ended(0, &[]);
        place.run(&[command, "--no-such-flag"]).ended(2, &["--no-such-flag"]);
    }
    place.run(&["chekc"]).ended(2, &["did you mean `toolcrib check`?"]);
    place.run(&["chekc", "--help"]).ended(2, &["did you mean `toolcrib check`?"]);
    place.run(&["init", "--help"]).ended(2, &["no command \"init\"", "`toolcrib --help` lists"]);
    place.run(&[".", "--help"]).ended(0, &[]);
    place.run(&["tools", "-w", "/nowhere"]).ended(2, &["/nowhere"]);
}

#[test]
fn an_output_that_nobody_reads_is_a_quiet_end() {
    let place = Place::sample("services");
    let mut child = place.command(&["completions", "bash"]).spawn().unwrap();
    drop(child.stdout.take());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.words.as_str()), (Some(0), ""));
}

#[test]
fn nothing_in_a_file_steers_the_terminal() {
    let tools = "tool:\n  t:\n    type: text-completion\n    name: \"a\\e[31m\\x9b2Jb\"\n    description: d\n    group: [\"\\e]0;title\\a\"]\n";
    let place = Place::with(&[("tools.yaml", tools)]);
    for arguments in [
        &["tools"][..],
        &["tools", "--why", "t"],
        &["tools", "--json"],
        &["groups"],
        &["check"],
        &["check", "--json"],
    ] {
        let ran = place.run(arguments);
        let steers = |letter: char| letter.is_control() && letter != '\n';
        assert!(
            !ran.data.contains(steers) && !ran.words.contains(steers),
            "{arguments:?}: {:?}",
            ran.data
        );
    }
}

#[test]
fn files_that_cannot_be_read_are_told_and_the_rest_counts() {
    let place = Place::with(&[("a.yaml", FAULTY), ("b.yaml", "tool: [\n")]);
    let ran = place.run(&["tools", "--json"]);
    ran.ended(0, &["b.yaml is left out"]);
    assert_eq!(ran.json().as_array().unwrap().len(), 1);
    assert_eq!(place.run(&["tools", "--json", "--quiet"]).words, "");
}

#[test]
fn a_closed_pipe_ends_every_command_quietly_and_a_full_disk_is_told() {
    let place = Place::sample("demo");
    let binary = env!("CARGO_BIN_EXE_toolcrib");
    let shell = |words: &str| {
        let words = words.replace("toolcrib", binary);
        let home = place.home.path();
        Command::new("sh")
            .args(["-c", &words])
            .current_dir(&place.here)
            .env("HOME", home)
            .output()
            .unwrap()
    };
    let commands = [
        "--help",
        "--version",
        "call --help",
        "check",
        "tools",
        "tools --json",
        "groups",
        "states",
        "graph",
        "schema tell-joke",
    ];
    let more = [
        "man",
        "completions bash",
        "doctor",
        "simulate",
        "call tell-joke topic=x",
        "merge tell-joke topic=x",
    ];
    for command in commands.into_iter().chain(more) {
        // Nobody reads: the other end is closed before anything is written.
        let ran = shell(&format!("toolcrib {command} | true"));
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(!told.contains("panicked") && !told.contains("roken pipe"), "{command}: {told}");
        for closed in ["2>&-", ">&-", ">&- 2>&-", "2>/dev/full", "<&-"] {
            let ran = shell(&format!("toolcrib {command} {closed}"));
            assert!(ran.status.code().is_some_and(|code| code <= 2), "{command} {closed}: {ran:?}");
        }
        if shell(&format!("toolcrib {command}")).stdout.is_empty() {
            continue;
        }
        let ran = shell(&format!("toolcrib {command} > /dev/full"));
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(
            ran.status.code() == Some(1)
                && told.contains("writing the output: No space left on device"),
            "{command}: {told}"
        );
    }
    let ran = shell("toolcrib --nonsense 2>&-");
    assert_eq!(ran.status.code(), Some(2));
}

#[test]
fn what_cant_be_read_or_written_is_said_before_anything_is_done() {
    let place = demo();
    place.run(&["check"]).ended(0, &[]);
    fs::write(place.here.join("latin.json"), b"{\"name\": \"caf\xe9\"}").unwrap();
    let checked = place.run(&["check", "-q"]);
    checked.ended(6, &[]);
    let found = "latin.json:1:1 warning file.not-read";
    assert!(checked.data.contains(found), "{}", checked.data);
    place.run(&["tools"]).ended(0, &["latin.json", "the file was left out"]);
    fs::write(place.here.join("plural.json"), r#"{"tools": {"a": {"name": "a"}}}"#).unwrap();
    let named = place.run(&["check", "plural.json"]);
    named.ended(6, &[]);
    assert!(named.data.contains("file.not-recognized"), "{}", named.data);
    let listed = r#"{"tool": [{"name": "a", "type": "text-completion"}]}"#;
    fs::write(place.here.join("plural.json"), listed).unwrap();
    for asked in [&["check", "-q"][..], &["check", "-q", "plural.json"]] {
        let checked = place.run(asked);
        assert_eq!(checked.data.matches("file.not-recognized").count(), 1, "{}", checked.data);
        assert!(checked.data.contains("`tool` is a list"), "{}", checked.data);
        assert!(checked.data.contains("plural.json:1:2 warning"), "{}", checked.data);
    }
    let alone = r#"[{"name": "a", "type": "prompt", "description": "b"}]"#;
    fs::write(place.here.join("plural.json"), alone).unwrap();
    let checked = place.run(&["check", "-q"]);
    assert!(checked.data.contains("the file is a list, of which nothing"), "{}", checked.data);
    place.run(&["discover", "nofile.json"]).ended(2, &["nofile.json", "there is no such file"]);
    place.run(&["history", "-n", "0"]).ended(2, &["0 is not in 1"]);
    fs::write(place.here.join("answer.txt"), "").unwrap();
    let saved = ["call", "tell-joke", "topic=tea", "--mock", "--save", "answer.txt"];
    place.run(&saved).ended(2, &["answer.txt: the file already exists"]);
    assert_eq!(place.json(&["history", "--json"]), serde_json::json!([]), "nothing was called");
    place
        .run(&["call", "tell-joke", "--mock", "--args", "[1]"])
        .ended(2, &["this isn't an object"]);
}

#[test]
fn cases_scenarios_and_stubs_are_checked() {
    let place = demo();
    place.run(&["check"]).ended(0, &[]);
    for (name, text) in [
        ("cases/odd.yaml", "call: tell-joke\nexpct: {}\n"),
        ("cases/ask.yaml", "ask: Why?\nmodell: m\n"),
        (
            "stubs/odd.yaml",
            "services:\n- service: joke-service\n  rules:\n  - then: {fault: silense}\n",
        ),
        (
            "stubs/map.yaml",
            "services:\n  joke-service:\n    rules:\n    - {answer: x, fault: silense}\n",
        ),
        ("scenarios/odd.yaml", "steps:\n- tol: tell-joke\n"),
    ] {
        let path = place.here.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        let checked = place.run(&["check", name]);
        checked.ended(1, &[]);
        assert!(checked.data.contains(&format!("{name}:")), "{}", checked.data);
        assert!(checked.data.contains("error file.malformed"), "{name}: {}", checked.data);
    }
    place.run(&["check"]).ended(1, &["5 errors"]);
    let rules = "services:\n  joke-service:\n    rules:\n    - answer: x\n    - answer: y\n";
    fs::write(place.here.join("stubs/map.yaml"), rules).unwrap();
    place.run(&["check", "stubs/map.yaml"]).ended(0, &["1 warning"]);
    // A name that nothing has is a warning, wherever it is expected or asked for.
    for (name, text, word) in [
        ("cases/guard.yaml", "ask: Why?\nexpect: {never: tell-jok}\n", "tell-joke"),
        ("cases/guard.yaml", "ask: Why?\nexpect:\n  never: [tell-joke, tell-jok]\n", "tell-joke"),
        ("cases/guard.yaml", "ask: Why?\ngroups: [read-onyl]\n", "read-only"),
        ("scenarios/guard.yaml", "steps:\n- tool: tell-jok\n", "tell-joke"),
        ("scenarios/guard.yaml", "steps:\n- expect: {state: analysys}\n", "analysys"),
        ("scenarios/guard.yaml", "steps:\n- expect: {hidden: [tell-jok]}\n", "tell-joke"),
        ("toolcrib.toml", "[context]\ngroups = [\"read-onyl\"]\n", "read-only"),
        (
            "toolcrib.toml",
            "[groups]\na = [\"tell-joke\", \"b\"]\nb = [\"tell-jok\"]\n",
            "tell-joke",
        ),
    ] {
        let path = place.here.join(name);
        fs::write(&path, text).unwrap();
        let checked = place.run(&["check", name]);
        checked.ended(0, &["1 warning"]);
        assert!(
            checked.data.contains("file.unknown-name") && checked.data.contains(word),
            "{}",
            checked.data
        );
        fs::remove_file(path).unwrap();
    }
    // Docker Compose has services, too.
    fs::write(place.here.join("compose.yaml"), "services:\n  web: {image: x}\n").unwrap();
    place.run(&["check"]).ended(1, &["4 errors"]);
}

#[test]
fn wrong_settings_of_connections_send_nothing_elsewhere() {
    let place = Place::with(&[
        (
            "toolcrib.toml",
            "connection = \"locl\"\n[connections.local]\nservers = [\"nats://127.0.0.1:9\"]\n",
        ),
        (
            "tools.yaml",
            "tool:\n  joke: {type: tool-service, name: joke, description: d, service: joke}\ntool-service:\n  joke: {id: joke, request-queue: a, response-queue: b}\n",
        ),
        ("cases/joke.yaml", "call: joke\nexpect: {outcome: succeeded}\n"),
    ]);
    let said = "correct it, or name a connection with --connection";
    let commands: [&[&str]; 4] =
        [&["call", "joke"], &["test"], &["tools", "--deployed"], &["drift"]];
    for command in commands {
        for how in [&[][..], &["-q"]] {
            let refused = place.run(&[command, how].concat());
            refused.ended(2, &["did you mean \"local\"?", said]);
            assert_eq!(refused.words.matches("did you mean").count(), 1, "{}", refused.words);
        }
    }
    let looked = place.run(&["doctor"]);
    looked.ended(1, &[]);
    assert!(looked.data.contains("invalid"), "{}", looked.data);
    place.run(&["tools"]).ended(0, &[]);
    place.run(&["call", "joke", "--mock", "--connection", "embedded"]).ended(0, &[]);
    fs::write(place.here.join("toolcrib.toml"), "connection = \"local\n").unwrap();
    place.run(&["test"]).ended(2, &["toolcrib.toml:1", said]);
}

#[test]
fn rules_that_are_wrong_are_no_rules_to_answer_by() {
    let scenario = "start: {groups: [a]}\nsteps:\n- {tool: ask, expect: {state: b}}\n";
    let tools = "tool:\n  ask: {type: prompt, name: ask, description: d, template: t, arguments: [], group: [a], state: b}\n";
    let right = "[profiles]\nann = [\"a\"]\n";
    let place = Place::with(&[
        ("toolcrib.toml", right),
        ("tools.yaml", tools),
        ("scenarios/one.yaml", scenario),
    ]);
    let settings = place.here.join("toolcrib.toml");
    place.run(&["simulate"]).ended(0, &[]);
    let commands: [&[&str]; 5] =
        [&["simulate"], &["tools"], &["states"], &["groups"], &["graph", "--format", "mermaid"]];
    for (wrong, said) in [
        (format!("{right}\nx = = 1\n"), "not TOML"),
        (format!("mode = 7\n{right}"), "toolcrib.toml:1"),
    ] {
        fs::write(&settings, wrong).unwrap();
        for command in commands {
            place.run(&[command, &["-q"]].concat()).ended(2, &[said, "correct it"]);
        }
    }
    // What has to do with connections alone keeps nobody from simulating.
    fs::write(&settings, format!("connection = \"nobody\"\n{right}")).unwrap();
    place.run(&["simulate"]).ended(0, &[]);
}

#[test]
fn no_more_is_checked_than_what_is_named() {
    let bad = "tool:\n  a: {type: prompt, name: a}\n";
    let place = Place::with(&[
        ("toolcrib.toml", ""),
        ("one/bad.yaml", bad),
        ("two/bad.yaml", &bad.replace('a', "b")),
        (
            "three/good.yaml",
            "tool:\n  c: {type: prompt, name: c, description: Tells it., template: t, arguments: []}\n",
        ),
    ]);
    let files = |paths: &[&str]| {
        let ran = place.run(&[&["check", "--json"], paths].concat());
        let found = ran.json();
        let mut files: Vec<String> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding["file"].as_str().unwrap().to_owned())
            .collect();
        files.dedup();
        (ran.code, files)
    };
    let both = vec!["one/bad.yaml".to_owned(), "two/bad.yaml".to_owned()];
    assert_eq!(files(&[]).1, both);
    assert_eq!(files(&["one"]).1, both[..1]);
    assert_eq!(files(&["three"]), (Some(0), Vec::new()));
    assert_eq!(files(&["one/bad.yaml", "two"]).1, both);
    assert_eq!(files(&["three", "."]).1, both, "the whole is among them");
    assert_eq!(files(&["three", ".", "one"]).1, both, "and stays so");
    place.run(&["check", "one", "/"]).ended(2, &["isn't in the workspace"]);
}

#[test]
fn warnings_fail_a_strict_check() {
    let tool = |arguments: &str| {
        format!(
            "tool:\n  a: {{type: prompt, name: a, description: Tells it., template: t, arguments: {arguments}}}\n"
        )
    };
    let place = Place::with(&[("toolcrib.toml", ""), ("tools.yaml", &tool("[]"))]);
    place.run(&["check", "--strict"]).ended(0, &[]);
    let without = "[{name: x, type: string, description: ''}]";
    fs::write(place.here.join("tools.yaml"), tool(without)).unwrap();
    let lenient = place.run(&["check"]);
    let strict = place.run(&["check", "--strict"]);
    assert_eq!((lenient.code, strict.code), (Some(0), Some(1)), "{}", lenient.data);
}

#[test]
fn reports_for_ci_say_what_was_not_looked_at() {
    let place = Place::with(&[("toolcrib.toml", "")]);
    fs::write(place.here.join("latin.yaml"), b"tool:\n  a: {name: caf\xe9}\n").unwrap();
    let ran = place.run(&["check", "--format", "junit"]);
    ran.ended(6, &[]);
    assert!(
        ran.data.contains("skipped=\"1\"") && ran.data.contains("<skipped message="),
        "{}",
        ran.data
    );
    assert_eq!(ran.data.matches("no errors").count(), 1, "only of the settings: {}", ran.data);
}

#[test]
fn a_connection_whose_settings_are_wrong_is_said_to_be_so() {
    let place = Place::with(&[(
        "toolcrib.toml",
        "[connections.gw]\nsystem = \"trustgraf\"\nservers = [\"http://127.0.0.1:9\"]\n",
    )]);
    place
        .run(&["tools", "--deployed", "--connection", "gw"])
        .ended(2, &["choosing the connection \"gw\"", "correct its settings"]);
}

#[test]
fn a_filter_of_the_history_that_means_nothing_is_refused() {
    let place = demo();
    place.run(&["history", "--find", "since:2x"]).ended(2, &["since:2x names no time: 500ms"]);
    let exported = ["history", "export", "--find", "outcome:faild", "-o", "x.jsonl"];
    place.run(&exported).ended(2, &["outcome:faild names no outcome"]);
    assert!(!place.here.join("x.jsonl").exists());
}

#[test]
fn mermaid_has_the_arrows_that_the_other_formats_have() {
    let place = Place::sample("demo");
    let graph =
        |flags: &[&str]| place.run(&[&["graph", "--format", "mermaid"], flags].concat()).data;
    assert!(graph(&[]).contains("query-products (not requested)"), "{}", graph(&[]));
    let requested = graph(&["--arrows", "asked"]);
    assert!(!requested.contains("query-products"), "{requested}");
}

#[test]
fn doctor_says_what_is_wrong_in_the_users_settings() {
    let place = Place::with(&[]);
    let settings = "theme = \"drak\"\neditr = \"vi\"\n\n[notifications]\nway = \"smoke\"\n\n\
        [keys]\nsend = [\"f99\"]\n";
    let folder = place.home.path().join("config/toolcrib");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), settings).unwrap();
    let looked = place.json(&["doctor", "--json"]);
    let rows = looked.as_array().unwrap().iter().filter(|row| row["check"] == "settings");
    let said: Vec<String> =
        rows.map(|row| format!("{} {}", row["status"], row["detail"])).collect();
    assert_eq!(said.len(), 4, "{said:#?}");
    for (words, row) in [
        ("config.toml:2: unknown key \\\"editr\\\"; did you mean \\\"editor\\\"?", 0),
        ("config.toml:5: way must be one of", 1),
        ("there is no theme \\\"drak\\\"; did you mean \\\"dark\\\"?", 2),
        ("keymap: send: ", 3),
    ] {
        assert!(said[row].starts_with("\"invalid\"") && said[row].contains(words), "{said:#?}");
    }
    place.run(&["doctor"]).ended(1, &[]);
}

#[test]
fn tools_of_several_systems_with_one_key_are_told_apart_by_their_files() {
    let here = "tool:\n  sum: {type: text-completion, name: adds, description: Adds two numbers}\n";
    let there = "tool_name: sum\ndescription: Adds here\ntarget_subject: cg.v1r4.p.c.cmd.tool.sum.call\n\
        after_execution: suspend\nparameters: {type: object, properties: {}}\n";
    let place = Place::with(&[
        ("toolcrib.toml", "states = [\"later\"]\n"),
        ("a.yaml", here),
        ("tools/b.yaml", there),
    ]);
    for line in
        [&["call", "sum"][..], &["convert", "sum", "--to", "openai"], &["tools", "--why", "sum"]]
    {
        let said =
            ["tools of several systems have the key \"sum\"", "a.yaml:sum or tools/b.yaml:sum"];
        place.run(line).ended(2, &said);
    }
    let named = |word: &str| place.run(&["convert", word, "--to", "openai"]).data;
    assert!(named("a.yaml:sum").contains("Adds two numbers"));
    assert!(named("tools/b.yaml:sum").contains("Adds here"));
    // A state that only the settings name.
    let state = place.run(&["states", "--about", "later"]);
    state.ended(0, &[]);
    assert!(state.data.starts_with("later\n"), "{}", state.data);
}

#[test]
fn options_that_would_have_no_effect_are_refused() {
    let place = Place::sample("services");
    for line in [["groups", "--deployed"], ["states", "--deployed"]] {
        place.run(&line).ended(2, &["unexpected argument '--deployed'"]);
    }
    place.run(&["groups", "--model", "calculator"]).ended(2, &["unexpected argument '--model'"]);
    let why = place.run(&["groups", "--why", "calculator"]);
    assert!(why.data.starts_with("calculator: "), "{}", why.data);
    place.run(&["history", "replay", "last", "--speed", "abc"]).ended(2, &["such as 2 or 0.5"]);
    place.run(&["call", "calculator", "--timeout", "0s"]).ended(2, &["more than zero"]);
    place.run(&["watch", "--open", "nosuch"]).ended(2, &["no such file", "check its path"]);
}

#[test]
fn an_address_that_no_transport_has_is_found_before_it_is_used() {
    let settings = "[connections.lab]\nservers = [\"ftp://x\"]\n";
    let place = Place::with(&[("toolcrib.toml", settings)]);
    let checked = place.run(&["check"]);
    checked.ended(1, &[]);
    let said = "no transport is known for ftp://x; addresses start with nats://";
    assert!(
        checked.data.contains("toolcrib.toml:2") && checked.data.contains(said),
        "{}",
        checked.data
    );
    place.run(&["call", "x", "--connection", "lab"]).ended(2, &[said]);
}

#[test]
fn files_of_a_workspace_are_named_from_the_folder_that_one_is_in() {
    let files = [("cases/un.yaml", "call: nothing\n"), ("docs/deep/page.txt", "")];
    let place = Place::with(&[("toolcrib.toml", ""), files[0], files[1]]);
    let mut command = place.command(&["check", "../.."]);
    let ran = Ran::of(command.current_dir(place.here.join("docs/deep")).output().unwrap());
    assert!(
        ran.data.contains("\n../../cases/un.yaml:1")
            || ran.data.starts_with("../../cases/un.yaml:1"),
        "{}",
        ran.data
    );
}

#[test]
fn of_a_tool_that_no_groups_lead_to_it_is_said_from_where() {
    let tools = "tool:\n  pay: {type: text-completion, name: pay, description: Pays, applicable-states: [due]}\n";
    let place = Place::with(&[("toolcrib.toml", ""), ("tools.yaml", tools)]);
    let why = place.run(&["tools", "--why", "pay", "--state", "triage"]);
    let words = "groups needed no groups open a way to it from triage";
    assert!(why.data.contains(words), "{}", why.data);
    let about = place.run(&["states", "--about", "due", "--state", "triage"]);
    assert!(about.data.contains("no groups open a way to it from triage"), "{}", about.data);
}

#[test]
fn a_scenario_takes_what_happens_now_for_what_it_expects() {
    let tools = "tool:\n  pay: {type: text-completion, name: pay, description: Pays, applicable-states: [undefined], state: settled}\n";
    let scenario = "# mine\nsteps:\n  # 1: undefined → paid; 1 of 1 tools available\n  - tool: pay # as agreed\n    expect: {after: paid}\n";
    let place = Place::with(&[
        ("toolcrib.toml", ""),
        ("tools.yaml", tools),
        ("scenarios/s.yaml", scenario),
    ]);
    place.run(&["simulate"]).ended(1, &["1 of 1 scenario failed"]);
    let ran = place.run(&["simulate", "--update"]);
    ran.ended(0, &["1 scenario passed"]);
    for line in ["-     expect: {after: paid}", "+     expect: {after: settled}"] {
        assert!(ran.data.contains(line), "{line}: {}", ran.data);
    }
    let kept = fs::read_to_string(place.here.join("scenarios/s.yaml")).unwrap();
    assert_eq!(kept, scenario.replace("paid", "settled"));
    place.run(&["simulate"]).ended(0, &["1 scenario passed"]);
}

#[test]
fn a_tool_as_models_get_it_begins_with_all_apis_in_a_line() {
    let entry = "tool:\n  a.b: {type: text-completion, name: a.b, description: A}\n";
    let place = Place::with(&[("t.yaml", entry)]);
    let shown = place.run(&["tools", "--model", "a.b"]);
    let first = shown.data.lines().next().unwrap_or_default();
    assert!(first.starts_with("# tokens: OpenAI "), "{first}");
    assert!(first.contains("⚠ 1 refused  Anthropic ") && first.ends_with(" ✓"), "{first}");
}
