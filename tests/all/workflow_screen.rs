//! The Workflow screen as it is used: keys and mouse in, the screen out.

use toolcrib::{
    app::{
        calls::{CallMessage, CallPart, CallText},
        effect::Effect,
        input::{Button, Input, Mods, Mouse, MouseKind},
        message::{Message, ScreenId},
        workflow::WorkflowMessage,
    },
    engine::{
        groups::CustomGroups,
        scenario::{script::Scenario, trial},
    },
    model::{
        call::{EventKind, Outcome},
        clock::Millis,
        context::{Mode, Name, Profile},
        entry::FileId,
    },
    schema::pointer::Pointer,
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
};

use crate::support::workbench::Workbench;

fn workflow(groups: &[&str], (width, height): (u16, u16)) -> Workbench {
    let mut bench = Workbench::sample("spec-workflow", width, height);
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(
        groups.iter().map(|group| Name::from(*group)).collect(),
    ))));
    bench.on(ScreenId::Workflow)
}

#[test]
fn the_screen_at_three_sizes() {
    for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = workflow(&["read-only", "knowledge"], (columns, rows));
        insta::assert_snapshot!(format!("workflow_{columns}"), bench.styled());
        if columns == 80 {
            bench.keys("shift+tab");
            insta::assert_snapshot!("workflow_80_states", bench.screen());
            bench.keys("shift+tab");
            insta::assert_snapshot!("workflow_80_request", bench.screen());
        }
    }
}

#[test]
fn a_step_moves_the_state_and_the_tools() {
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.keys("enter");
    assert_eq!(bench.state.workflow.simulation.state(), "analysis");
    assert!(
        bench.shows("Run 1") && bench.shows("knowledge-query  undefined → analysis"),
        "{}",
        bench.screen()
    );
    assert!(bench.shows("Available 2") && bench.shows("+ graph-update"), "{}", bench.screen());
    bench.keys("b");
    assert_eq!(bench.state.workflow.simulation.state(), "undefined");
    bench.keys("b");
    assert!(bench.shows("this is the start of the run"));
}

#[test]
fn no_tool_is_called_from_among_the_states() {
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.keys("shift+tab f6");
    assert!(
        bench.shows("go to the tools first (Tab), to see which one it calls"),
        "{}",
        bench.screen()
    );
    assert!(bench.state.workflow.live.is_none() && bench.state.invoke.calls.iter().count() == 0);
    // Nor where the pane isn't seen that shows which tool it would be.
    let mut bench = workflow(&["read-only", "knowledge"], (80, 24));
    bench.keys("shift+tab shift+tab f6");
    assert!(bench.shows("╭ Request"), "{}", bench.screen());
    assert!(bench.shows("go to the tools first (Tab)"), "{}", bench.screen());
    assert!(bench.state.workflow.live.is_none() && bench.state.invoke.calls.iter().count() == 0);
}

#[test]
fn a_live_step_leads_to_the_form_of_what_it_needs_and_nowhere_where_nothing_helps() {
    let mut bench = Workbench::sample("services", 80, 24).on(ScreenId::Workflow);
    for _ in 0..2 {
        bench.keys("f6");
        assert!(bench.shows("needs expression: fill it in"), "{}", bench.screen());
        assert!(bench.shows("▸Request"), "{}", bench.screen());
        // Wherever the keys were left there.
        bench.keys("esc esc");
        assert!(bench.shows("▸Tools"), "{}", bench.screen());
        bench.keys("2");
    }
    // TrustGraph's own agent runs these.
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.keys("f6");
    assert!(bench.shows("which TrustGraph's own agent runs"), "{}", bench.screen());
    assert!(!bench.shows("fill it in") && bench.state.screen == ScreenId::Workflow);
}

#[test]
fn the_documents_scenario_is_stepped_and_the_reset_explains_itself() {
    let mut bench = workflow(&["knowledge", "compute"], (120, 36));
    bench.keys("enter down down");
    // graph-update stands first; complex-analysis second.
    bench.keys("home down enter");
    assert_eq!(bench.state.workflow.simulation.state(), "results");
    assert!(bench.shows("Available 0"), "{}", bench.screen());
    bench.types("/");
    bench.types("reset");
    bench.keys("enter");
    assert!(bench.shows("group: in admin, requested"), "{}", bench.screen());
    bench.keys("F");
    assert_eq!(bench.state.context().groups().join(" "), "knowledge compute admin");
    assert!(bench.shows("Available 1"), "{}", bench.screen());
    bench.keys("enter");
    assert_eq!(bench.state.workflow.simulation.state(), "undefined");
}

#[test]
fn enter_says_that_no_tool_matches_what_is_looked_for() {
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.types("/");
    bench.types("zz");
    bench.keys("enter enter");
    assert!(bench.shows("no tool matches \"zz\": Esc shows all"), "{}", bench.screen());
}

#[test]
fn tools_are_found_by_parts_of_their_names_as_everywhere() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    bench.keys("/");
    bench.types("qprod");
    assert!(bench.shows("Hidden 1 of 4") && bench.shows("○ query-products"), "{}", bench.screen());
}

#[test]
fn enter_on_a_hidden_tool_makes_the_change_that_shows_it() {
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.keys("end enter");
    assert_eq!(
        bench.state.workflow.simulation.state(),
        "analysis",
        "reset-workflow: request admin, then call knowledge-query"
    );
    assert!(bench.state.context().groups().contains(&"admin".into()));
    assert!(bench.shows("+ reset-workflow"), "{}", bench.screen());
}

#[test]
fn one_edit_and_the_calls_before_it_are_a_suggestion() {
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.keys("end up right");
    let words = "add group read-only to the tool, then call knowledge-query";
    assert!(bench.shows("then call knowledge-query"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("tools.yaml"), "the lines are shown first\n{}", bench.screen());
    bench.keys("enter");
    assert_eq!(bench.state.workflow.simulation.state(), "analysis", "{words}");
    let tool = bench.state.catalog.tool_called("complex-analysis").unwrap();
    assert!(tool.gate.groups().contains(&"read-only".into()), "{:?}", tool.gate);
    // While something is tried, only the edit is.
    let mut bench = workflow(&["read-only", "knowledge"], (200, 60));
    bench.keys("@what-if");
    bench.keys("end up right F");
    assert_eq!(bench.state.workflow.simulation.state(), "undefined");
    assert!(bench.shows("only the edit is made"), "{}", bench.screen());
}

#[test]
fn groups_are_ticked_with_keys_and_mouse() {
    let mut bench = workflow(&["read-only"], (120, 36));
    bench.keys("tab tab");
    bench.keys("down space");
    assert_eq!(bench.state.context().groups().join(" "), "read-only knowledge");
    bench.clicks("[x] read-only");
    assert_eq!(bench.state.context().groups().join(" "), "knowledge");
    bench.keys("@all-groups");
    assert_eq!(bench.state.context().groups().join(" "), "*");
    bench.clicks("[x] basic");
    assert!(
        !bench.state.context().groups().contains(&"basic".into()),
        "all but the one that was pressed"
    );
}

#[test]
fn a_failed_step_stays_by_the_document_and_moves_as_deployed() {
    let tools = "tool:\n  ask: {type: text-completion, name: ask, description: d, state: asked}\n";
    let mut bench = Workbench::yaml(tools, 120, 36).on(ScreenId::Workflow);
    bench.keys("@step-failed");
    assert_eq!(bench.state.workflow.simulation.state(), "undefined");
    assert!(bench.shows("✗ ask"), "{}", bench.screen());
    bench.keys("@switch-mode down enter @step-failed");
    assert_eq!(bench.state.workflow.simulation.state(), "asked");
}

#[test]
fn another_way_is_a_branch_to_go_back_to() {
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.keys("enter b down enter");
    assert!(bench.shows("branch 2 of 2"), "{}", bench.screen());
    bench.keys("@branches");
    assert_eq!(bench.state.workflow.simulation.state(), "analysis");
    assert!(bench.shows("branch 1 of 2"));
    let (column, row) = bench.find("▶  1 ✓");
    let kind = MouseKind::Down(Button::Left);
    bench.input(&Input::Mouse(Mouse { kind, column, row: row - 1, mods: Mods::default() }));
    assert_eq!(
        bench.state.workflow.simulation.current_step(),
        None,
        "a press on the start goes back to it"
    );
}

#[test]
fn a_state_is_chosen_in_the_picture_and_walked_to() {
    let mut bench = workflow(&["*"], (200, 60));
    bench.keys("shift+tab right");
    assert!(bench.shows("analysis · by knowledge-query"), "{}", bench.screen());
    bench.keys("right enter");
    assert_eq!(bench.state.workflow.simulation.state(), "results");
    bench.keys("left left @set-start");
    assert_eq!(
        bench.state.workflow.simulation.steps().count(),
        0,
        "a run that starts elsewhere starts anew"
    );
}

#[test]
fn a_user_without_permission_is_told_which_groups_exceed() {
    let mut bench = workflow(&["read-only", "admin"], (120, 36));
    bench.state.workflow.profiles =
        vec![Profile { user: "user-a".into(), allowed_groups: vec!["read-only".into()] }];
    bench.keys("@user");
    assert!(bench.shows("Insufficient"), "{}", bench.screen());
    assert!(
        bench.shows("Available 0") && bench.shows("user: user-a may not request admin"),
        "{}",
        bench.screen()
    );
    bench.keys("@try-hidden");
    assert_eq!(
        bench.state.workflow.simulation.steps().count(),
        0,
        "no step is taken past the permissions gate"
    );
    assert_eq!(
        bench.state.workflow.simulation.refused_attempts().len(),
        1,
        "but what was tried is kept"
    );
    assert!(bench.shows("▸ stop requesting admin"), "{}", bench.screen());
    bench.keys("enter");
    assert_eq!(bench.state.context().groups, Some(vec!["read-only".into()]));
    assert!(bench.shows("Available 2"), "{}", bench.screen());
}

#[test]
fn narrow_screens_show_one_pane_and_the_way_to_the_others() {
    let mut bench = workflow(&["read-only", "knowledge"], (80, 24));
    assert!(bench.shows("Request") && bench.shows("States") && bench.shows("Tab next pane"));
    bench.clicks("Request");
    assert!(bench.shows("[x] read-only"));
    bench.clicks("States");
    assert!(bench.shows("reachable"));
}

#[test]
fn every_size_is_drawn() {
    for columns in (1..200).step_by(29) {
        for rows in (1..60).step_by(9) {
            let mut bench = workflow(&["read-only", "knowledge"], (columns, rows));
            bench.keys("enter tab tab down tab end");
        }
    }
}

#[test]
fn a_live_step_calls_the_tool_and_moves_when_the_call_has_ended() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Workflow);
    bench.keys("f6");
    assert_eq!(bench.state.screen, ScreenId::Invoke, "the calculator needs its arguments first");
    assert!(bench.shows("needs expression"), "{}", bench.screen());
    let tool = bench.state.selected.clone().unwrap();
    let names: Vec<String> = toolcrib::systems::table::arguments_schema(
        bench.state.catalog.tool(&tool).unwrap(),
    )["required"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    for name in names {
        let edit = Edit::Set { at: Pointer::root().child(name), to: "1".into() };
        bench.send(Message::Call(CallMessage::EditText {
            text: CallText { tool: tool.clone(), part: CallPart::Arguments },
            edits: vec![edit],
        }));
    }
    bench.keys("esc 2 f6");
    assert!(
        bench.effects.iter().any(|effect| matches!(effect, Effect::Call { .. })),
        "{}",
        bench.screen()
    );
    assert!(bench.shows("◐ calling"), "{}", bench.screen());
    assert_eq!(bench.state.workflow.simulation.steps().count(), 0);
    // What is ticked while the call runs holds for the next step, and isn't this one's doing.
    let before = bench.state.context().groups.unwrap_or_default();
    let ticked = vec!["compute".into(), "fun".into()];
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(ticked.clone()))));
    // Connecting is no part of what the call took.
    bench.happens([
        (1_000, EventKind::Sent { bytes: 9 }),
        (1_020, EventKind::End { outcome: Outcome::Failed, problem: None }),
    ]);
    assert!(bench.shows("failed · live, 20 ms"), "{}", bench.screen());
    assert_eq!(bench.state.context().groups, Some(ticked));
    let taken = bench.state.workflow.simulation.steps().next().unwrap().1.groups.clone();
    assert_eq!(taken.unwrap_or_default(), before);
}

#[test]
fn groups_that_were_ticked_before_a_live_step_are_those_of_the_step() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec!["fun".into()]))));
    let joke = bench.state.catalog.tools.iter().find(|tool| tool.entry.key == "tell-joke");
    let (joke, topic) = (joke.unwrap().id().clone(), Pointer::root().child("topic"));
    bench.send(Message::Call(CallMessage::EditText {
        text: CallText { tool: joke.clone(), part: CallPart::Arguments },
        edits: vec![Edit::Set { at: topic, to: "tea".into() }],
    }));
    // A step was taken with other groups before.
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec!["read-only".into()]))));
    bench.send(Message::Workflow(WorkflowMessage::Step {
        tool: joke.clone(),
        outcome: Outcome::Succeeded,
    }));
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec!["fun".into()]))));
    bench.send(Message::Workflow(WorkflowMessage::StepLive { tool: joke }));
    assert!(bench.state.workflow.live.is_some(), "{}", bench.screen());
    bench.happens([(20, EventKind::End { outcome: Outcome::Succeeded, problem: None })]);
    assert_eq!(bench.state.context().groups, Some(vec!["fun".into()]));
    let steps: Vec<_> = bench.state.workflow.simulation.steps().collect();
    assert_eq!(steps.len(), 2, "the step is taken: {}", bench.screen());
    assert_eq!(steps[1].1.groups, Some(vec!["fun".into()]));
}

#[test]
fn the_workspaces_own_groups_can_be_asked_for_and_are_shown_as_such() {
    let mut bench = Workbench::sample("spec-workflow", 120, 36);
    let own = serde_json::json!({"finish": ["reset-workflow", "text-completion"]});
    bench.state.workflow.custom_groups = CustomGroups::from_value(&own).unwrap();
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(Vec::new()))));
    let mut bench = bench.on(ScreenId::Workflow);
    assert!(bench.shows("finish") && bench.shows("own 2"), "{}", bench.screen());
    bench.clicks("[ ] finish");
    assert!(bench.shows("Available 1"), "{}", bench.screen());
    bench.keys("tab tab home enter");
    assert_eq!(
        bench.state.workflow.simulation.steps().count(),
        1,
        "text-completion is taken: {}",
        bench.screen()
    );
}

#[test]
fn a_run_is_copied_as_a_scenario_that_holds() {
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.keys("enter y enter");
    let Some(Effect::Copy(text)) = bench.effects.pop() else {
        panic!("nothing was copied:\n{}", bench.screen())
    };
    let scenario =
        Scenario::from_value(Source::parse(Format::Yaml, text.as_str()).unwrap().value(0).unwrap())
            .unwrap();
    let trial = trial::run_scenario(
        &scenario,
        &bench.state.catalog.tools,
        &[],
        Mode::AsDeployed,
        Millis(0),
    );
    assert!(trial.has_passed(), "{text}");
    assert_eq!(trial.steps.len(), 1);
    bench.keys("y");
    bench.types("audit");
    bench.keys("enter");
    let Some(Effect::Copy(text)) = bench.effects.pop() else { panic!("nothing was copied") };
    assert!(
        text.contains("\"execution_time\": \"0s\""),
        "the run began with its first step: {text}"
    );
}

#[test]
fn the_picture_has_less_or_more_detail() {
    let mut bench = workflow(&["*"], (200, 60));
    assert!(bench.shows("2 tools"), "{}", bench.screen());
    bench.keys("-");
    assert!(bench.shows("─ knowledge-query ─") && !bench.shows("2 tools"), "{}", bench.screen());
    bench.keys("-");
    assert!(!bench.shows("─ knowledge-query ─") && bench.shows("analysis"), "{}", bench.screen());
    insta::assert_snapshot!("workflow_less", bench.screen());
    bench.keys("-");
    assert!(bench.shows("knowledge-query") && !bench.shows("┏"), "{}", bench.screen());
    bench.keys("+ + + +");
    assert!(bench.shows("· complex-analysis"), "{}", bench.screen());
    bench.keys("+");
    assert!(bench.shows("no more detail to show"));
}

/// One step leads to a state where no tool is available.
const DEAD_END: &str = "tool:\n  ask:\n    {type: prompt, name: ask, description: d, template: t, \
    applicable-states: [undefined], state: end}\n  other:\n    {type: prompt, name: other, \
    description: d, template: t, applicable-states: [undefined], state: end}\n";

#[test]
fn a_picture_that_is_not_shown_keeps_its_size() {
    let mut bench = workflow(&["read-only", "knowledge"], (80, 24));
    for key in ["+", "-", "0"] {
        bench.keys(key);
        assert!(bench.shows("the picture isn't shown: Tab"), "{key}: {}", bench.screen());
        bench.keys("shift+tab shift+tab tab tab");
    }
    bench.keys("shift+tab +");
    assert!(!bench.shows("the picture isn't shown"), "{}", bench.screen());
}

#[test]
fn a_suggested_name_is_replaced_by_what_is_typed() {
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.keys("enter K");
    assert!(bench.shows("to analysis"), "{}", bench.screen());
    bench.types("AA");
    assert!(bench.shows("AA") && !bench.shows("to analysisAA"), "{}", bench.screen());
}

#[test]
fn a_step_back_points_at_the_tool_that_was_taken() {
    let mut bench = Workbench::yaml(DEAD_END, 120, 36).on(ScreenId::Workflow);
    bench.keys("down enter");
    assert!(bench.shows("Available 0"), "{}", bench.screen());
    bench.keys("b enter");
    assert_eq!(bench.state.workflow.simulation.state(), "end", "{}", bench.screen());
    let taken: Vec<_> =
        bench.state.workflow.simulation.steps().map(|(_, step)| step.tool.to_string()).collect();
    assert_eq!(taken, ["other", "other"]);
}

#[test]
fn a_run_is_dropped_only_when_asked_and_comes_back() {
    let mut bench = Workbench::yaml(DEAD_END, 120, 36).on(ScreenId::Workflow);
    let steps = |bench: &Workbench| bench.state.workflow.simulation.steps().count();
    bench.keys("enter enter");
    assert!(bench.shows("Start in undefined?"), "{}", bench.screen());
    bench.keys("enter");
    assert_eq!(steps(&bench), 1, "Enter keeps the run");
    bench.keys("enter right enter");
    assert_eq!(steps(&bench), 0, "{}", bench.screen());
    bench.keys("enter enter esc");
    bench.keys("u");
    assert!(bench.shows("Undid: start the run in undefined"), "{}", bench.screen());
    assert_eq!((steps(&bench), bench.state.workflow.simulation.state()), (1, "end"));
    bench.keys("U");
    assert_eq!(steps(&bench), 1, "the run that followed, with its step");
    bench.keys("u @restart-run");
    assert!(bench.shows("Restarted the run; u undoes"), "{}", bench.screen());
    bench.keys("u");
    assert_eq!(steps(&bench), 1);
}

#[test]
fn the_ends_of_the_picture_have_their_keys() {
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.keys("shift+tab G");
    let last = bench.screen();
    bench.keys("g");
    assert_ne!(bench.screen(), last, "{last}");
    bench.keys("end");
    assert_eq!(bench.screen(), last);
}

#[test]
fn what_is_found_in_the_picture_is_all_that_enter_is_said_to_do() {
    let mut bench = workflow(&["read-only", "knowledge"], (120, 36));
    bench.keys("shift+tab a");
    assert!(bench.shows("Enter draw arrow to it"), "{}", bench.screen());
    bench.keys("/");
    assert!(bench.shows("Enter select") && !bench.shows("draw arrow"), "{}", bench.screen());
}

/// In its second step a tool is expected that isn't there.
const DIFFERS: &str = "\
# kept by hand
start: {groups: [shop]}
steps:
  - tool: pay
    expect: {after: paid}
  - tool: ship
    expect: {available: [ship, pay], after: sent}
";

/// Two tools in a row, and a scenario.
fn shop(scenario: &str) -> Workbench {
    let tools = "\
tool:
  pay: {type: mcp-tool, name: pay, description: Pays., mcp-tool: pay, group: [shop], state: paid, \
applicable-states: [undefined]}
  ship: {type: mcp-tool, name: ship, description: Ships., mcp-tool: ship, group: [shop], state: sent, \
applicable-states: [paid]}
";
    let files = [("tools.yaml", tools), ("scenarios/buy.yaml", scenario)];
    Workbench::files(&files, 120, 36).on(ScreenId::Workflow)
}

#[test]
fn a_scenario_that_differs_opens_its_run_where_it_does() {
    let mut bench = shop(DIFFERS);
    bench.keys("t down enter");
    assert!(bench.shows("1 difference") && bench.shows("Go to its run"), "{}", bench.screen());
    assert!(bench.shows("step 2: missing pay"), "{}", bench.screen());
    bench.keys("down enter");
    let run = &bench.state.workflow.simulation;
    assert_eq!((run.state(), run.steps().count()), ("paid", 2), "{}", bench.screen());
    assert_eq!(bench.state.context().groups.unwrap(), [Name::from("shop")]);
}

#[test]
fn what_happens_now_is_accepted_for_a_scenario_after_its_change_was_shown() {
    let mut bench = shop(DIFFERS);
    let text = |bench: &Workbench| {
        bench.state.documents.get(&FileId::new("scenarios/buy.yaml")).unwrap().text.to_string()
    };
    let before = text(&bench);
    bench.keys("t down enter down down enter");
    assert!(bench.shows("Accept what happens in scenarios/buy.yaml"), "{}", bench.screen());
    assert!(bench.shows("+ ") && bench.shows("available: [ship]"), "{}", bench.screen());
    assert_eq!(text(&bench), before);
    bench.keys("enter");
    assert_eq!(text(&bench), before.replace("[ship, pay]", "[ship]"), "{}", bench.screen());
    bench.keys("t");
    assert!(bench.shows("✓ scenarios/buy.yaml"), "{}", bench.screen());
    bench.keys("esc u");
    assert_eq!(text(&bench), before);
}

#[test]
fn what_cant_be_accepted_of_a_scenario_is_named_before() {
    let mut bench = shop("steps:\n  - tool: gone\n    expect: {before: paid}\n");
    bench.keys("t down enter down down enter");
    // What follows from a step that can't be run says nothing of what is meant.
    let words = "step 1 can't be run, as there is no tool gone";
    assert!(bench.shows(words) && !bench.shows("before: undefined"), "{}", bench.screen());
}

#[test]
fn what_is_requested_is_kept_as_the_start_of_runs() {
    let mut bench = shop(DIFFERS);
    let settings = |bench: &Workbench| {
        let file = bench.state.documents.present(&FileId::new("toolcrib.toml"));
        file.map(|document| document.text.to_string())
    };
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec!["shop".into()]))));
    bench.send(Message::Workflow(WorkflowMessage::SetStart("paid".into())));
    bench.draw();
    bench.keys("@keep-start");
    assert!(bench.shows("Keep as the start of runs"), "{}", bench.screen());
    bench.keys("enter");
    let kept = "[context]\ngroups = [\"shop\"]\nstate = \"paid\"\n";
    assert_eq!(settings(&bench).as_deref(), Some(kept), "{}", bench.screen());
    // What is so already is not written again; what is left out is taken out.
    bench.keys("@keep-start");
    assert!(bench.shows("start with these groups, state and user already"), "{}", bench.screen());
    bench.keys("esc");
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(None)));
    bench.draw();
    bench.keys("@keep-start enter");
    assert_eq!(settings(&bench).as_deref(), Some("[context]\nstate = \"paid\"\n"));
}

/// A tool without arguments, of a server that isn't there.
fn served(tool: &str) -> Workbench {
    let kept = format!(r#"{{"server": "sky", "version": "2025-11-25", "tools": [{tool}]}}"#);
    let settings = "connection = \"sky\"\n[connections.sky]\nsystem = \"mcp\"\n\
        transport = \"http\"\nservers = [\"http://127.0.0.1:9/mcp\"]\n";
    let files = [("mcp/sky.json", &*kept), ("toolcrib.toml", settings)];
    Workbench::files(&files, 120, 36).on(ScreenId::Workflow)
}

#[test]
fn the_first_live_step_to_somebody_else_asks_and_no_further_one() {
    let calls = |bench: &Workbench| bench.state.invoke.calls.iter().count();
    let mut bench = served(r#"{"name": "drop", "inputSchema": {"type": "object"}}"#);
    bench.keys("f6");
    assert!(bench.shows("Call sky/drop"), "{}", bench.screen());
    assert!(bench.shows("a real call over sky"), "{}", bench.screen());
    bench.keys("esc");
    assert_eq!(calls(&bench), 0);
    bench.keys("f6 enter");
    assert_eq!(calls(&bench), 1, "{}", bench.screen());
    bench.happens([(20, EventKind::End { outcome: Outcome::Succeeded, problem: None })]);
    bench.keys("f6");
    assert_eq!(calls(&bench), 2, "{}", bench.screen());
}

#[test]
fn a_live_step_of_a_tool_that_only_reads_doesnt_ask_and_one_that_deletes_isnt_enters() {
    let calls = |bench: &Workbench| bench.state.invoke.calls.iter().count();
    let hinted = |hint: &str| {
        let schema = r#""inputSchema": {"type": "object"}"#;
        served(&format!(r#"{{"name": "t", {schema}, "annotations": {{"{hint}": true}}}}"#))
    };
    let mut bench = hinted("readOnlyHint");
    bench.keys("f6");
    assert_eq!(calls(&bench), 1, "{}", bench.screen());
    let mut bench = hinted("destructiveHint");
    bench.keys("f6 enter");
    assert_eq!(calls(&bench), 0, "{}", bench.screen());
    bench.keys("f6 right enter");
    assert_eq!(calls(&bench), 1, "{}", bench.screen());
}
