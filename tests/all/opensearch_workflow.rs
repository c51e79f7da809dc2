//! OpenSearch's tools on the Workflow screen: their steps as a picture, and their place in a run.

use serde_json::{Value, json};
use toolcrib::{
    app::{
        input::{Button, Input, Mods, Mouse, MouseKind},
        message::ScreenId,
    },
    model::{
        call::{EventKind, Outcome},
        stage::Stage,
    },
    systems::opensearch::steps::order::RunOrder,
};

use crate::support::workbench::Workbench;

/// Workflow, where the sample's tool of two steps is the chosen one.
fn workflow(width: u16, height: u16) -> Workbench {
    let bench = Workbench::sample("opensearch", width, height).on(ScreenId::Workflow);
    assert!(bench.shows("▌● answer_from_books"), "{}", bench.screen());
    bench
}

fn stage(name: &str, body: &Value) -> EventKind {
    EventKind::Stage(Stage {
        name: name.into(),
        words: name.into(),
        body: body.to_string().into(),
        frame: None,
    })
}

/// The search was answered, the model has failed.
fn run_that_failed() -> Vec<(u64, EventKind)> {
    let answer = json!({
        "step": 1, "name": "search", "status": 200, "raw": "[]", "output": "[]", "processed": null,
        "filtered": "[]", "stored_as": "search.output", "stored": "[]", "escaped_twice": "[]",
        "remarks": [],
    });
    let failure = json!({
        "step": 2, "name": "answer", "status": 503, "raw": "{}", "problem": "HTTP 503: overloaded",
    });
    vec![
        (1, stage("step-request", &json!({"step": 1, "name": "search"}))),
        (2, stage("step-answer", &answer)),
        (3, stage("step-request", &json!({"step": 2, "name": "answer"}))),
        (4, stage("step-answer", &failure)),
        (5, EventKind::End { outcome: Outcome::Failed, problem: None }),
    ]
}

#[test]
fn the_steps_of_a_tool_are_a_chain_with_what_goes_where() {
    let mut bench = workflow(200, 60);
    bench.keys("o");
    let screen = bench.screen();
    for shown in [
        "Steps of answer_from_books · 2",
        "1 search",
        "2 answer",
        "POST /books/_search",
        "output → request_body",
    ] {
        assert!(screen.contains(shown), "{shown}\n{screen}");
    }
    bench.keys("esc");
    assert!(bench.shows("States") && !bench.shows("Steps of"), "{}", bench.screen());
}

#[test]
fn a_tool_without_steps_says_so_and_the_states_stay() {
    let mut bench = Workbench::sample("spec-workflow", 200, 60).on(ScreenId::Workflow);
    bench.keys("o");
    assert!(bench.shows("no steps that toolcrib runs"), "{}", bench.screen());
    assert!(bench.shows("States ·"), "{}", bench.screen());
}

#[test]
fn a_step_shows_how_far_the_newest_run_is_and_leads_to_invoke() {
    let mut bench = workflow(200, 60);
    bench.keys("o enter");
    bench.clicks("question");
    bench.types("storm");
    bench.keys("esc f6");
    bench.happens(run_that_failed());
    bench.keys("2 @centre");
    let screen = bench.screen();
    assert!(screen.contains("✓ 1 search") && screen.contains("✗ 2 answer"), "{screen}");
    assert!(screen.contains("HTTP 503: overloaded"), "the failed step is chosen\n{screen}");

    bench.keys("space");
    assert!(bench.shows("2 answer ●"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("● stops before it"), "{}", bench.screen());
    assert_eq!(bench.state.screen, ScreenId::Invoke);
    // The keys are at that step: it is tried again.
    bench.keys("t");
    let body = bench.state.invoke.calls.iter().next_back().unwrap().request.body.clone();
    let range = RunOrder::from_body(&body).unwrap().range;
    assert_eq!((range.from, range.until), (1, Some(1)));
}

#[test]
fn a_press_on_a_step_leads_to_it_and_dragging_does_not() {
    let mut bench = workflow(200, 60);
    bench.keys("o");
    let (column, row) = bench.find("2 answer");
    let left = Button::Left;
    for (kind, right) in
        [(MouseKind::Down(left), 0), (MouseKind::Drag(left), 3), (MouseKind::Up(left), 3)]
    {
        let mods = Mods::default();
        bench.input(&Input::Mouse(Mouse { kind, column: column + right, row, mods }));
    }
    assert_eq!(bench.state.screen, ScreenId::Workflow);
    bench.clicks("2 answer");
    assert_eq!(bench.state.screen, ScreenId::Invoke);
    assert_eq!(bench.state.invoke.step_goal.as_ref().map(|goal| goal.step), Some(1));
}

#[test]
fn a_small_window_has_the_steps_in_a_pane_of_their_own() {
    let mut bench = workflow(80, 24);
    bench.keys("o");
    assert!(bench.shows("1 search") && bench.shows("Esc states"), "{}", bench.screen());
    bench.keys("down enter");
    assert_eq!(bench.state.screen, ScreenId::Invoke);
}

const AGENT: &str = r#"{"name": "shop_agent", "type": "flow", "description": "Answers for a shop.", "tools": [
    {"type": "ListIndexTool", "name": "indices", "description": "Lists indices.", "parameters": {}},
    {"type": "MLModelTool", "name": "answer", "description": "Says it.", "parameters": {"model_id": "m1", "prompt": "${parameters.indices.output}"}}
]}"#;

const STATS: &str = r#"{"type": "DynamicTool", "name": "node_stats", "description": "Stats.", "parameters": {"method": "GET", "uri": "/_nodes/stats"}}"#;

const GATES: &str = "connection = \"cluster\"\n[connections.cluster]\ntransport = \"http\"\nservers = [\"http://127.0.0.1:9\"]\n\
    [opensearch.tools.shop_agent]\nstates = [\"ready\"]\nnext = \"answered\"\n\
    [opensearch.tools.node_stats]\nnext = \"ready\"\n";

fn gated(settings: &str) -> Workbench {
    let files = [("shop.json", AGENT), ("stats.json", STATS), ("toolcrib.toml", settings)];
    Workbench::files(&files, 160, 48).on(ScreenId::Workflow)
}

/// Chooses a tool among those of the run.
fn choose(bench: &mut Workbench, tool: &str) {
    bench.keys("/");
    bench.types(tool);
    bench.keys("enter");
}

fn state_of(bench: &Workbench) -> String {
    bench.state.context().state().to_owned()
}

#[test]
fn an_agent_is_one_tool_of_a_workflow_simulated_and_live() {
    let mut bench = gated(GATES);
    assert!(
        bench.shows("shop_agent") && bench.shows("state: available in ready"),
        "{}",
        bench.screen()
    );
    choose(&mut bench, "node_stats");
    bench.keys("enter");
    assert_eq!(state_of(&bench), "ready");
    bench.keys("esc");
    choose(&mut bench, "shop_agent");
    // The first call that leaves the program is asked about.
    bench.keys("f6 enter");
    let call = bench.state.invoke.calls.iter().next_back().expect("a call");
    assert_eq!(call.request.name, "shop_agent");
    bench.happens(run_that_failed());
    assert_eq!(state_of(&bench), "ready", "a failed step leads nowhere");
    bench.keys("f6");
    bench.happens([(9, EventKind::End { outcome: Outcome::Succeeded, problem: None })]);
    assert_eq!(state_of(&bench), "answered");
}

#[test]
fn a_live_step_stops_at_a_breakpoint_and_another_one_goes_on() {
    let mut bench = gated(GATES);
    choose(&mut bench, "node_stats");
    bench.keys("enter esc");
    choose(&mut bench, "shop_agent");
    let tools = &bench.state.catalog.tools;
    let agent = tools.iter().find(|tool| tool.entry.key == "shop_agent").unwrap().id().clone();
    bench.state.invoke.breakpoints.entry(agent).or_default().insert("answer".into());
    let range = |bench: &Workbench| {
        let call = bench.state.invoke.calls.iter().next_back().expect("a call");
        RunOrder::from_body(&call.request.body).unwrap().range
    };
    bench.keys("f6 enter");
    assert_eq!((range(&bench).from, range(&bench).until), (0, Some(0)));
    let mut run = run_that_failed();
    run.truncate(2);
    run.push((5, EventKind::End { outcome: Outcome::Succeeded, problem: None }));
    bench.happens(run);
    assert!(bench.shows("stopped before answer"), "{}", bench.screen());
    assert_eq!(state_of(&bench), "ready", "the tool has not ended");

    bench.keys("f6");
    assert_eq!((range(&bench).from, range(&bench).until), (1, None));
    bench.happens([(9, EventKind::End { outcome: Outcome::Succeeded, problem: None })]);
    assert_eq!(state_of(&bench), "answered");
}

#[test]
fn a_tool_of_an_agent_is_one_of_the_workflow_where_the_settings_say_when() {
    let bench = gated(GATES);
    let hidden = |bench: &Workbench, key: &str| {
        let tool = bench.state.catalog.tools.iter().find(|tool| tool.entry.key == key);
        tool.unwrap_or_else(|| panic!("no {key}")).gate.not_loaded().is_some()
    };
    assert!(hidden(&bench, "shop_agent/indices") && hidden(&bench, "shop_agent/answer"));
    let gates = format!("{GATES}[opensearch.tools.indices]\nnext = \"listed\"\n");
    let mut bench = gated(&gates);
    assert!(!hidden(&bench, "shop_agent/indices") && hidden(&bench, "shop_agent/answer"));
    choose(&mut bench, "shop_agent/indices");
    bench.keys("f6 enter");
    bench.happens([(9, EventKind::End { outcome: Outcome::Succeeded, problem: None })]);
    assert_eq!(state_of(&bench), "listed");
}

const SHOP: &str = r#"{"name": "shop", "type": "flow", "tools": [
    {"type": "ListIndexTool", "name": "indices", "parameters": {}},
    {"type": "SearchIndexTool", "name": "find", "parameters": {"input": "{\"index\": \"a\"}"}},
    {"type": "MLModelTool", "name": "say", "parameters": {"model_id": "m1", "prompt": "${parameters.indices.output} ${parameters.find.output}"}}
]}"#;

#[test]
fn an_output_that_skips_a_step_has_an_arrow_past_it_and_the_boxes_fit_the_pane() {
    let mut bench = Workbench::files(&[("shop.json", SHOP)], 120, 36).on(ScreenId::Workflow);
    bench.keys("o");
    let screen = bench.screen();
    assert_eq!(screen.matches("output → prompt").count(), 2, "{screen}");
    for shown in ["1 indices", "2 find", "3 say", "_execute/SearchIndexTool", "▽"] {
        assert!(screen.contains(shown), "{shown}\n{screen}");
    }
    assert!(!screen.contains('‹') && !screen.contains('›'), "all is in view\n{screen}");
}

#[test]
fn an_agent_whose_model_chooses_says_why_it_has_no_steps() {
    let chat = r#"{"name": "chat", "type": "conversational", "llm": {"model_id": "m"}, "tools": [{"type": "ListIndexTool"}]}"#;
    let mut bench = Workbench::files(&[("chat.json", chat)], 120, 36).on(ScreenId::Workflow);
    bench.keys("o");
    assert!(bench.shows("a model chooses the steps of this agent"), "{}", bench.screen());
}
