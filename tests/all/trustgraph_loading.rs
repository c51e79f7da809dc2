//! Sets of tools as TrustGraph's agent loads them, all or none, and what every view makes of a set
//! that it refuses.

use serde_json::{Value, json};
use toolcrib::{
    app::{
        message::{DocumentMessage, Message, ScreenId},
        workflow::WorkflowMessage,
    },
    model::context::Name,
};

use crate::support::{
    place::{Place, Ran},
    workbench::Workbench,
};

/// Two tools that load, and one that has no type.
const REFUSED: &str = "\
tool:
  zed: {type: text-completion, name: zed, description: d, state: done}
  bad: {name: bad, description: d, group: [default]}
  ask: {type: text-completion, name: ask, description: d, applicable-states: [undefined]}
";

const SAID: &str = "TrustGraph loads none of these tools: tool/bad stops the whole set; it logs: Tool type None not known";

fn run(place: &Place, arguments: &[&str]) -> Ran {
    place.run(&[arguments, &["--mode", "as-deployed"]].concat())
}

fn available(place: &Place, arguments: &[&str]) -> Vec<String> {
    let rows = run(place, &[&["tools", "--json"], arguments].concat()).json();
    let shown = rows.as_array().unwrap().iter().filter(|tool| tool["available"] == true);
    shown.map(|tool| tool["key"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_refused_set_offers_nothing_and_every_command_says_so_first() {
    let place = Place::with(&[
        ("tools.yaml", REFUSED),
        (
            "scenarios/s.yaml",
            "name: s\ndescription: d\nstart: {groups: ['*']}\nsteps:\n  - tool: zed\n    expect: {hidden: [zed, ask], available: []}\n",
        ),
    ]);
    for command in ["tools", "states", "graph", "groups"] {
        let ran = run(&place, &[command, "--groups", "*"]);
        ran.ended(0, &[]);
        let first = ran.words.lines().next().unwrap_or_default();
        assert!(
            first.contains("tools.yaml:3: ") && first.contains(SAID),
            "{command}: {}",
            ran.words
        );
    }
    let document = place.run(&["tools", "--groups", "*"]);
    assert!(
        document.data.contains("AVAILABLE") && !document.words.contains("loads none"),
        "{}",
        document.words
    );

    let rows = run(&place, &["tools", "--json", "--groups", "*"]).json();
    for tool in rows.as_array().unwrap() {
        assert_eq!(
            (&tool["available"], tool["reasons"].as_array().unwrap().len()),
            (&json!(false), 1),
            "{tool}"
        );
        let words =
            "not loaded: tool/bad stops the whole set from loading: Tool type None not known";
        assert_eq!(tool["reasons"][0], json!({"kind": "not-loaded", "text": words, "fix": null}));
    }
    let states = run(&place, &["states", "--json", "--groups", "*"]).json();
    for state in states.as_array().unwrap() {
        assert_eq!(
            (&state["tools"], &state["reachable"]),
            (&json!([]), &json!(state["name"] == "undefined")),
            "{state}"
        );
    }
    let groups = run(&place, &["groups", "--json"]).json();
    assert!(groups.as_array().unwrap().iter().all(|group| group["available"] == 0), "{groups}");
    let graph = run(&place, &["graph", "--format", "mermaid", "--groups", "*"]);
    assert!(!graph.data.contains("zed") && !graph.data.contains("ask"), "{}", graph.data);

    let simulated = run(&place, &["simulate", "--json"]);
    simulated.ended(1, &[SAID]);
    let step = &simulated.json()[0]["steps"][0];
    assert_eq!((&step["outcome"], &step["available"]), (&json!("refused"), &json!([])), "{step}");
    assert_eq!(step["not_loaded"], json!(["zed", "bad", "ask"]));
    let own = "name: own\ndescription: d\nmode: as deployed\nstart: {groups: ['*']}\nsteps:\n  - {tool: zed, expect: {refused: true}}\n";
    let place = Place::with(&[("tools.yaml", REFUSED), ("scenarios/own.yaml", own)]);
    place.run(&["simulate"]).ended(0, &[SAID]);
    let kept: Vec<&Value> = step["expectations"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["holds"] == true)
        .collect();
    assert_eq!(kept.len(), 2, "{step}");
}

#[test]
fn the_first_entry_by_key_is_the_one_that_is_named() {
    let tools = "  z: {name: z}\n  m: {type: nothing, name: m}\n";
    let place = Place::with(&[("tools.yaml", &format!("tool:\n{tools}"))]);
    run(&place, &["tools"])
        .ended(0, &["tool/m stops the whole set; it logs: Tool type nothing not known"]);
    let services = "tool-service:\n  s: '{broken'\n";
    let place = Place::with(&[("tools.yaml", &format!("tool:\n{tools}{services}"))]);
    let said = "tool-service/s stops the whole set; it logs: Expecting property name enclosed in double quotes: line 1 column 2";
    run(&place, &["tools"]).ended(0, &[said]);
}

#[test]
fn tools_stand_by_their_keys_and_the_last_of_a_name_takes_the_place_of_the_first() {
    let tool = |key: &str, name: &str, group: &str| {
        format!(
            "  {key}: {{type: text-completion, name: {name}, description: d, group: [{group}]}}\n"
        )
    };
    let tools = [
        "tool:\n".to_owned(),
        tool("é", "last", "g"),
        tool("c", "one", "g"),
        tool("B", "one", "g"),
        tool("b", "two", "g"),
    ];
    let place = Place::with(&[("tools.yaml", &tools.concat())]);
    assert_eq!(available(&place, &["--groups", "g"]), ["c", "b", "é"]);
    let why = run(&place, &["tools", "--groups", "g", "--why", "B"]);
    assert!(why.data.contains("not loaded: the tool c has the same name"), "{}", why.data);
    let document = place.json(&["tools", "--json", "--groups", "g"]);
    assert!(
        document.as_array().unwrap().iter().all(|tool| tool["available"] == true),
        "{document}"
    );
    // The filter sees the last one alone: where its groups hide it, none of the name is offered.
    let tools = ["tool:\n".to_owned(), tool("a", "one", "g"), tool("b", "one", "other")];
    let place = Place::with(&[("tools.yaml", &tools.concat())]);
    assert_eq!(available(&place, &["--groups", "g"]), [""; 0]);
    assert_eq!(available(&place, &["--groups", "other"]), ["b"]);
}

#[test]
fn a_tool_without_a_name_breaks_the_requests_that_offer_it() {
    let tools = "tool:\n  mute: {type: text-completion, description: d, group: [g]}\n  n: {type: text-completion, name: 5, description: d, group: [h]}\n  ok: {type: text-completion, name: ok, description: d}\n";
    let place = Place::with(&[("tools.yaml", tools)]);
    let said = "mute has no name: TrustGraph's agent fails every request that offers it";
    run(&place, &["tools", "--groups", "g"]).ended(0, &[said]);
    run(&place, &["tools", "--groups", "h"]).ended(0, &["n has a name that is not a text"]);
    assert!(!run(&place, &["tools", "--groups", "default"]).words.contains("every request"));
    assert!(
        !place.run(&["tools", "--groups", "g"]).words.contains("every request"),
        "the document knows no such failure"
    );
    let found = run(&place, &["check", "--json"]).json();
    let of = |code: &str| {
        found
            .as_array()
            .unwrap()
            .iter()
            .find(|finding| finding["code"] == code)
            .cloned()
            .unwrap_or_default()
    };
    assert!(
        of("identity.no-name")["message"]
            .as_str()
            .unwrap()
            .contains("fails every request that offers it"),
        "{found}"
    );
    assert_eq!(
        (&of("load.set-refused"), &of("descriptor.wrong-type")["severity"]),
        (&Value::Null, &json!("error"))
    );
}

/// A configuration with one tool and one service, each as JSON.
fn set(tool: &str, service: &str) -> Place {
    let file = format!(
        r#"{{"tool": {{"a": {tool}}}, "tool-service": {{"s": {service}}}, "mcp": {{"m": {{"url": "http://localhost"}}}}}}"#
    );
    Place::with(&[("set.json", &file)])
}

/// What stops the set, in the log's words.
fn refusal(place: &Place) -> Option<String> {
    let found = run(place, &["check", "--json"]).json();
    let message = found
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["code"] == "load.set-refused")?["message"]
        .clone();
    Some(message.as_str().unwrap().split("TrustGraph logs: ").last().unwrap().to_owned())
}

const SERVICE: &str = r#"{"request-queue": "q", "response-queue": "r"}"#;

fn with(more: &str) -> String {
    format!(r#"{{"type": "tool-service", "name": "a", "description": "d", "service": "s"{more}}}"#)
}

fn service(more: &str) -> String {
    format!(r#"{{"request-queue": "q", "response-queue": "r", {more}}}"#)
}

fn rows(limit: &str) -> String {
    format!(
        r#"{{"type": "row-embeddings-query", "name": "a", "description": "d", "limit": {limit}}}"#
    )
}

#[test]
fn check_refuses_what_the_loader_refuses_in_its_words() {
    let missing = "Tool a missing required config param";
    for (place, logged) in [
        (
            set(&with(""), &service(r#""config-params": null"#)),
            "'NoneType' object is not iterable".to_owned(),
        ),
        (set(&with(""), &service(r#""config-params": 3"#)), "'int' object is not iterable".into()),
        (
            set(&with(""), &service(r#""config-params": [{"name": "x", "required": "false"}]"#)),
            format!("{missing} 'x'"),
        ),
        (
            set(&with(""), &service(r#""config-params": [{"required": true}]"#)),
            format!("{missing} 'None'"),
        ),
        (set(&with(""), &service(r#""config-params": [["x"]]"#)), "unhashable type: 'list'".into()),
        (
            set(&with(""), &service(r#""config-params": [{"name": ["x"]}]"#)),
            "unhashable type: 'list'".into(),
        ),
        (set(&with(r#", "name": ["x"]"#), SERVICE), "unhashable type: 'list'".into()),
        (set(&with(r#", "name": {"x": 1}"#), SERVICE), "unhashable type: 'dict'".into()),
        (set(&with(r#", "service": ["s"]"#), SERVICE), "unhashable type: 'list'".into()),
        (
            set(&with(r#", "service": 5"#), SERVICE),
            "Tool a references unknown tool-service '5'".into(),
        ),
        (set(&with(""), "[1]"), "'list' object has no attribute 'get'".into()),
        (
            set(&rows("3"), r#""{broken""#),
            "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)".into(),
        ),
        (set(r#""""#, SERVICE), "Expecting value: line 1 column 1 (char 0)".into()),
        (set(&with(r#", "arguments": null"#), SERVICE), "'NoneType' object is not iterable".into()),
        (
            set(&with(r#", "arguments": ["x"]"#), SERVICE),
            "'str' object has no attribute 'get'".into(),
        ),
        (
            set(&with(r#", "group": "read""#), SERVICE),
            "Tool 'group' field must be a list of strings".into(),
        ),
        (
            set(&with(r#", "group": null"#), SERVICE),
            "Tool 'group' field must be a list of strings".into(),
        ),
        (
            set(&with(r#", "applicable-states": null"#), SERVICE),
            "Tool 'applicable-states' field must be a list of strings".into(),
        ),
        (set(&with(r#", "state": null"#), SERVICE), "Tool 'state' field must be a string".into()),
        (set(&rows(r#""ten""#), SERVICE), "invalid literal for int() with base 10: 'ten'".into()),
        (set(&rows("NaN"), SERVICE), "cannot convert float NaN to integer".into()),
        (
            set(r#"{"type": "tool-service", "service": ""}"#, SERVICE),
            "Tool None has type 'tool-service' but no 'service' reference".into(),
        ),
        (
            set(&with(""), r#"{"request-queue": 0, "response-queue": "r"}"#),
            "Tool-service 's' must define 'request-queue' and 'response-queue'".into(),
        ),
    ] {
        assert_eq!(refusal(&place), Some(logged));
    }
}

#[test]
fn check_lets_pass_what_the_loader_takes() {
    for place in [
        set(&rows(r#""1_0""#), SERVICE),
        set(&rows(r#""٣""#), SERVICE),
        set(&rows("1.5"), SERVICE),
        set(&rows("true"), SERVICE),
        set(&with(""), r#"{"request-queue": 5, "response-queue": "r"}"#),
        set(&with(r#", "weight": NaN, "far": [-Infinity]"#), SERVICE),
        set(r#""{\"type\": \"prompt\", \"name\": \"a\", \"weight\": NaN}""#, SERVICE),
        set(&with(r#", "mark": "\ud800""#), SERVICE),
        set(r#""{\"type\": \"prompt\", \"name\": \"\\ud800x\"}""#, SERVICE),
        set(&with(""), &service(r#""config-params": "xy""#)),
        set(&with(""), &service(r#""config-params": {"x": 1}"#)),
        set(&with(""), &service(r#""config-params": [null, 3, {}]"#)),
        // Nobody uses these services.
        set(&rows("3"), "[1]"),
        set(&rows("3"), r#"{"config-params": null}"#),
        set(&rows("3"), r#""\"only a text\"""#),
    ] {
        assert_eq!(refusal(&place), None);
        assert_eq!(available(&place, &["--groups", "*"]), ["a"]);
    }
}

#[test]
fn what_is_odd_and_loads_is_a_warning() {
    let place = set(&rows("3"), r#"{"request-queue": 5, "response-queue": "r"}"#);
    let found = run(&place, &["check", "--json"]).json();
    let finding = found
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["pointer"] == "/tool-service/s/request-queue")
        .unwrap();
    assert_eq!(
        (&finding["code"], &finding["severity"]),
        (&json!("descriptor.unusual-type"), &json!("warning")),
        "{found}"
    );
    assert!(
        finding["message"].as_str().unwrap().ends_with("TrustGraph loads it as it is"),
        "{finding}"
    );
    let place = set(&with(r#", "weight": NaN, "mark": "\ud800""#), SERVICE);
    let found = run(&place, &["check", "--json"]).json();
    let odd: Vec<&Value> = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["code"] == "syntax.not-json")
        .collect();
    assert_eq!(
        odd.iter().map(|finding| &finding["severity"]).collect::<Vec<_>>(),
        ["warning"; 2],
        "{found}"
    );
    assert!(odd[0]["message"].as_str().unwrap().contains("NaN"), "{found}");
}

fn bench(text: &str) -> Workbench {
    let mut bench = Workbench::yaml(text, 160, 40);
    bench.send(Message::Document(DocumentMessage::SwitchMode));
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec![Name::from("*")]))));
    bench.on(ScreenId::Workflow)
}

#[test]
fn the_workflow_screen_says_first_that_nothing_is_loaded() {
    let mut bench = bench(REFUSED);
    for words in
        ["TrustGraph loads none of", "tool/bad stops", "Available 0", "Hidden 3", "not loaded"]
    {
        assert!(bench.shows(words), "{words}\n{}", bench.screen());
    }
    bench.keys("enter");
    assert!(bench.state.workflow.simulation.steps().next().is_none(), "{}", bench.screen());
    bench.send(Message::Document(DocumentMessage::SwitchMode));
    bench.draw();
    assert!(!bench.shows("loads none of") && bench.shows("Available 3"), "{}", bench.screen());
}

#[test]
fn what_if_shows_no_tool_of_a_set_that_is_refused() {
    let mut bench = bench(REFUSED);
    bench.keys("W");
    assert!(bench.state.workflow.what_if.is_some(), "{}", bench.screen());
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec![Name::from("default")]))));
    bench.draw();
    assert!(
        bench.shows("Available 0") && bench.shows("TrustGraph loads none of"),
        "{}",
        bench.screen()
    );
}
