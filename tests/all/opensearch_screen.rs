//! OpenSearch's tools on the screen: templates filled in below their fields, filters tried on
//! sample answers, steps run one by one.

use ratatui::style::Color;
use serde_json::{Value, json};
use toolcrib::{
    app::{effect::Effect, input::Input, message::ScreenId},
    model::{
        call::{EventKind, Outcome},
        stage::Stage,
    },
    systems::opensearch::steps::order::RunOrder,
};

use crate::support::workbench::Workbench;

fn tools_screen() -> Workbench {
    Workbench::sample("opensearch", 200, 60).on(ScreenId::Tools)
}

/// The colour in which a text stands on the screen.
fn colour_of(bench: &Workbench, text: &str) -> Color {
    let (column, row) = bench.find(text);
    bench.buffer()[(column, row)].fg
}

/// Types into the field of that name under Try, and leaves it.
fn give(bench: &mut Workbench, field: &str, text: &str) {
    // A press on a text begins to edit it.
    bench.clicks(field);
    bench.types(text);
    bench.keys("ctrl+enter esc");
}

#[test]
fn a_template_shows_below_it_what_it_becomes() {
    let mut bench = tools_screen();
    assert!(bench.shows("→ /books/_search"), "the default stands in\n{}", bench.screen());
    assert!(bench.shows("no sample for question: add one in Try"), "{}", bench.screen());
    bench.keys("@try");
    assert!(bench.shows("■ request  ■ tool  ■ default"), "{}", bench.screen());
    give(&mut bench, "question text", "wind");
    let screen = bench.screen();
    assert!(screen.contains(r#"→ {"query": {"match": {"text": "wind"}},"#), "{screen}");
    assert!(!screen.contains("no sample for question"), "{screen}");

    let (value, default) = (colour_of(&bench, "wind\"}}"), colour_of(&bench, "books/_search"));
    let (request, standard) = (colour_of(&bench, "■ request"), colour_of(&bench, "■ default"));
    assert_eq!((value, default), (request, standard));
    assert_ne!(value, default);
    // What stands for a name that nothing gives is told apart from both, and from the template.
    let marked = colour_of(&bench, "■ not");
    let in_view = bench.buffer().content().iter().filter(|cell| cell.fg == marked);
    let text: String = in_view.map(ratatui::buffer::Cell::symbol).collect();
    assert!(text.contains("${parameters.search.output}"), "{text}");

    // The samples are the arguments of Invoke, and are undone like those.
    assert_eq!(
        bench.state.arguments_of(&bench.state.selected.clone().unwrap())["question"],
        "wind"
    );
    bench.keys("u");
    assert!(bench.shows("no sample for question"), "{}", bench.screen());
}

#[test]
fn a_value_that_breaks_a_body_is_told_where_it_does() {
    let mut bench = tools_screen();
    bench.keys("@try");
    give(&mut bench, "question text", "say \"hi\"");
    let screen = bench.screen();
    assert!(screen.contains("the value of question has a quote"), "{screen}");
    assert!(screen.contains("this is not JSON"), "{screen}");
}

#[test]
fn filters_and_later_steps_work_on_a_sample_answer() {
    let mut bench = tools_screen();
    assert!(bench.shows("search.output is available once step 1 has run"), "{}", bench.screen());
    bench.keys("@try");
    give(
        &mut bench,
        "search   text",
        r#"{"hits": {"hits": [{"_source": {"text": "a \"gale\""}}]}}"#,
    );
    let screen = bench.screen();
    assert!(screen.contains(r#"→ ["a \"gale\""]"#), "what the filter picks\n{screen}");
    assert!(screen.contains(r#"escaped for later steps: [\"a \\\"gale"#), "{screen}");
    assert!(!screen.contains("search.output is there once"), "{screen}");
    let output = colour_of(&bench, r#"[\"a \\\"gale\\\"\"]", "question"#);
    assert_eq!(output, colour_of(&bench, "■ step output"));
}

#[test]
fn what_has_no_templates_has_nothing_to_try() {
    let mut bench = Workbench::sample("spec-workflow", 120, 36).on(ScreenId::Tools);
    assert!(!bench.shows("Try"), "{}", bench.screen());
    bench.keys("@try");
    assert!(bench.shows("no templates, filters or steps to try"), "{}", bench.screen());
}

/// The run that was asked for last.
fn last_run(bench: &Workbench) -> RunOrder {
    let mut calls = bench.effects.iter().filter_map(|effect| match effect {
        Effect::Call { request, .. } => Some(request.body.clone()),
        _ => None,
    });
    RunOrder::from_body(&calls.next_back().expect("a call")).unwrap()
}

/// Events of a step: what was sent, and what came of it.
fn step_events(number: u64, name: &str, answer: Option<&str>) -> Vec<(u64, EventKind)> {
    let stage = |stage: &str, body: Value| {
        EventKind::Stage(Stage {
            name: stage.into(),
            words: format!("step {number}"),
            body: body.to_string().into(),
            frame: None,
        })
    };
    let mut events = vec![(1, stage("step-request", json!({"step": number, "name": name})))];
    events.extend(answer.map(|text| {
        let answer = json!({
            "step": number, "name": name, "status": 200, "raw": format!("raw {text}"), "output": text,
            "processed": null, "filtered": text, "stored_as": format!("{name}.output"),
            "stored": format!("once {text}"), "escaped_twice": format!("twice {text}"), "remarks": [],
        });
        (2, stage("step-answer", answer))
    }));
    events
}

fn end_of(outcome: Outcome) -> (u64, EventKind) {
    (3, EventKind::End { outcome, problem: None })
}

/// Invoke with a question, the keys among the steps.
fn steps_on_invoke() -> Workbench {
    let mut bench = Workbench::sample("opensearch", 200, 60).on(ScreenId::Invoke);
    bench.clicks("question");
    bench.types("wind");
    bench.keys("esc");
    bench.clicks("1 search");
    bench
}

#[test]
fn steps_are_run_one_by_one_and_up_to_one() {
    let mut bench = steps_on_invoke();
    bench.keys("t");
    assert_eq!((last_run(&bench).range.from, last_run(&bench).range.until), (0, Some(0)));
    bench.happens(step_events(1, "search", Some("found")));
    bench.happens([end_of(Outcome::Succeeded)]);
    let screen = bench.screen();
    for shown in ["✓ 1 search", "answered  200", "raw found", "once found", "twice found"] {
        assert!(screen.contains(shown), "{shown}\n{screen}");
    }
    assert!(screen.contains("next: step 2"), "{screen}");
    // What trying the second one now would send is known.
    assert!(screen.contains("alone: once found"), "{screen}");
    assert!(!screen.contains("search.output is there once"), "{screen}");

    bench.keys("down t");
    let run = last_run(&bench);
    assert_eq!((run.range.from, run.range.until), (1, Some(1)));
    assert_eq!(run.range.outputs["search.output"]["stored"], "once found");
    bench.happens(step_events(2, "answer", None));
    assert!(bench.shows("… 2 answer") && bench.shows("✓ 1 search"), "{}", bench.screen());
    bench.happens([end_of(Outcome::Failed)]);
    assert!(bench.shows("✗ 2 answer") && bench.shows("✓ 1 search"), "{}", bench.screen());

    // The failed one once more, with another input.
    bench.keys("i enter");
    bench.types("storm");
    bench.keys("esc p");
    let run = last_run(&bench);
    assert_eq!((run.range.from, run.range.until), (1, None));
    assert_eq!(run.arguments["answer.model_id"], "storm", "{}", bench.screen());
    bench.clicks("2 answer");
    bench.keys("@run-to-step");
    assert_eq!((last_run(&bench).range.from, last_run(&bench).range.until), (0, Some(1)));
}

#[test]
fn a_long_answer_leaves_room_for_the_next_step_and_is_read_on_a_page() {
    let mut bench = steps_on_invoke();
    bench.resize(120, 36);
    bench.keys("t");
    let long = "many words ".repeat(200) + "until the end";
    bench.happens(step_events(1, "search", Some(&long)));
    bench.happens([end_of(Outcome::Succeeded)]);
    bench.keys("down");
    assert!(bench.shows("2 answer") && !bench.shows("until the end"), "{}", bench.screen());
    bench.keys("up enter");
    bench.clicks("read all");
    bench.keys("end");
    assert!(bench.shows("until the end"), "{}", bench.screen());
}

#[test]
fn a_run_stops_at_a_breakpoint_and_goes_on() {
    let mut bench = steps_on_invoke();
    bench.keys("down space");
    assert!(bench.shows("● stops before it"), "{}", bench.screen());
    bench.keys("f6");
    assert_eq!((last_run(&bench).range.from, last_run(&bench).range.until), (0, Some(0)));
    bench.happens(step_events(1, "search", Some("found")));
    bench.happens([end_of(Outcome::Succeeded)]);
    bench.keys("p");
    let run = last_run(&bench);
    assert_eq!((run.range.from, run.range.until), (1, None));
    assert_eq!(run.range.outputs["search.output"]["stored"], "once found");
}

#[test]
fn a_dry_run_and_the_menu_of_a_step_send_nothing() {
    let mut bench = steps_on_invoke();
    bench.keys("@dry-run");
    assert!(bench.shows("Nothing was sent.") && bench.shows("step 2 answer"), "{}", bench.screen());
    bench.keys("esc enter");
    assert!(bench.shows("run from here") && bench.shows("stop before"), "{}", bench.screen());
    let calls = bench.effects.iter().filter(|effect| matches!(effect, Effect::Call { .. }));
    assert_eq!(calls.count(), 0);
}

#[test]
fn a_tool_without_steps_says_so() {
    let mut bench = Workbench::sample("spec-workflow", 200, 60).on(ScreenId::Invoke);
    bench.keys("p");
    assert!(bench.shows("no steps that toolcrib runs"), "{}", bench.screen());
}

/// A connection over HTTP that names no system.
const ADDRESS: (&str, &str) = (
    "toolcrib.toml",
    "connection = \"local\"\n[connections.local]\ntransport = \"http\"\nservers = [\"http://127.0.0.1:9200\"]\n",
);

/// Whether the import of a workspace asks a cluster of OpenSearch.
fn asks_a_cluster(bench: &mut Workbench) -> bool {
    bench.keys("@import");
    let asked = bench.effects.iter().find_map(|effect| match effect {
        Effect::ReadDeployed { connection, .. } => Some(connection),
        _ => None,
    });
    asked.expect("something is asked").settings.contains_key("opensearch")
}

#[test]
fn an_address_alone_leads_to_the_system_of_all_tools() {
    let own = (
        "tools.json",
        r#"[{"name": "health", "type": "DynamicTool", "parameters": {"method": "GET", "uri": "/"}}]"#,
    );
    let other = (
        "more.yaml",
        "tool:\n  joke:\n    type: text-completion\n    name: Joke\n    description: A joke\n",
    );
    let connections =
        |files: &[(&str, &str)]| Workbench::files(files, 160, 50).on(ScreenId::Connections);
    let told = |bench: &Workbench| bench.screen().split_whitespace().collect::<Vec<_>>().join(" ");

    let mut alone = connections(&[ADDRESS, own]);
    assert!(alone.shows("for OpenSearch"), "{}", alone.screen());
    assert!(asks_a_cluster(&mut alone));

    // Tools of two systems leave it open, and what counts then is said with the way to change it.
    let mut mixed = connections(&[ADDRESS, own, other]);
    assert!(mixed.shows("for TrustGraph"), "{}", mixed.screen());
    assert!(told(&mixed).contains("no settings for another system"), "{}", mixed.screen());
    assert!(!asks_a_cluster(&mut mixed));

    let said = format!("{}[connections.local.opensearch]\n", ADDRESS.1);
    let mut said = connections(&[(ADDRESS.0, &said), own, other]);
    assert!(said.shows("for OpenSearch"), "{}", said.screen());
    assert!(asks_a_cluster(&mut said));
}

#[test]
fn a_request_from_the_console_is_pasted_on_tools() {
    let mut bench = tools_screen();
    let copied = "POST /_plugins/_ml/agents/_register\n{\n  \"name\": \"pasted\", \"type\": \"flow\",\n  \
        \"tools\": [{\"type\": \"MLModelTool\", \"parameters\": {\"model_id\": \"llm\", \"prompt\": \
        \"\"\"\nHuman: ${parameters.question}\nAssistant:\"\"\"}}]\n}\n";
    bench.input(&Input::Paste(copied.into()));
    assert!(bench.shows("Paste tools") && bench.shows("pasted"), "{}", bench.screen());
    bench.keys("enter");
    let tool = bench.state.catalog.tool_called("pasted").unwrap();
    assert_eq!(
        tool.entry.value["tools"][0]["parameters"]["prompt"],
        "\nHuman: ${parameters.question}\nAssistant:"
    );
}

#[test]
fn a_credential_is_masked_in_the_form_and_in_the_file_beside_it() {
    let mut bench = tools_screen();
    let connector = json!({"name": "remote", "protocol": "http", "version": 1,
        "credential": {"entry": "swordfish"}, "actions": [{"action_type": "predict",
        "method": "POST", "url": "https://h.example/v1", "request_body": "{}"}]});
    bench.input(&Input::Paste(connector.to_string()));
    bench.keys("enter");
    bench.clicks("remote");
    assert!(bench.shows("credential") && !bench.shows("swordfish"), "{}", bench.screen());
    bench.keys("v");
    assert!(bench.shows("\"entry\": \"***\""), "{}", bench.screen());
}

const HELPER: (&str, &str) = (
    "agents/a.json",
    r#"{"name": "helper", "type": "flow", "agent_id": "a1", "tools": [{"type": "ListIndexTool", "name": "list"}]}"#,
);

/// The route of the call that was sent last.
fn sent_route(bench: &Workbench) -> String {
    let sent = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Call { request, .. } => Some(request.to.clone()),
        _ => None,
    });
    sent.expect("a call was sent")
}

fn choose_route(bench: &mut Workbench, title: &str) {
    bench.keys("@route");
    bench.clicks(title);
}

#[test]
fn the_route_of_a_tool_is_named_kept_and_copied() {
    let mut bench = Workbench::files(&[ADDRESS, HELPER], 160, 50).on(ScreenId::Invoke);
    assert!(bench.shows("route local"), "{}", bench.screen());
    bench.keys("f6");
    assert_eq!(sent_route(&bench), "local");
    bench.happens(step_events(1, "list", None));
    bench.happens([end_of(Outcome::Failed)]);
    assert!(bench.shows("✗ 1 list"), "{}", bench.screen());

    choose_route(&mut bench, "shown as it works");
    assert!(bench.shows("route stream"), "{}", bench.screen());
    assert!(bench.shows("POST /_plugins/_ml/agents/a1/_execute/stream"), "{}", bench.screen());
    // What came of the call by another route is not about this one.
    bench.keys("f6");
    assert_eq!(sent_route(&bench), "stream");
    assert!(!bench.shows("✗ 1") && !bench.shows("answered  "), "{}", bench.screen());
    bench.happens([end_of(Outcome::Succeeded)]);

    bench.keys("y");
    let screen = bench.screen();
    for shown in ["toolcrib call helper --route stream", "curl -N http://127.0.0.1:9200/_plugins"] {
        assert!(screen.contains(shown), "{shown}\n{screen}");
    }
    bench.clicks("request body");
    let copied = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.clone()),
        _ => None,
    });
    assert_eq!(copied.as_deref(), Some(r#"{"parameters":{}}"#));

    // To edit the call takes its route again, whatever was chosen since.
    choose_route(&mut bench, "the first that is open");
    assert!(bench.shows("route local"), "{}", bench.screen());
    bench.clicks("✓ helper");
    bench.keys("@edit-sent");
    assert!(bench.shows("route stream"), "{}", bench.screen());
}

#[test]
fn a_route_goes_with_a_renamed_tool_and_is_left_out_where_there_is_no_such_route() {
    let mut bench = Workbench::files(&[ADDRESS, HELPER], 160, 50).on(ScreenId::Invoke);
    choose_route(&mut bench, "shown as it works");
    let rename = |bench: &mut Workbench, name: &str| {
        bench.keys("1 r ctrl+u");
        bench.types(name);
        bench.keys("enter 3");
    };
    rename(&mut bench, "aide");
    assert!(bench.shows("route stream"), "{}", bench.screen());
    let tool = bench.state.catalog.tools[0].id().clone();
    bench.state.network.choose_route(tool.clone(), Some("gone".into()));
    bench.draw();
    assert!(bench.shows("route local"), "{}", bench.screen());
    assert!(bench.state.build_request(&tool).is_ok());
}
