//! The Workflow screen as a studio: what-if, runs that go by themselves, comparing, scenarios kept
//! and run, explanations.

use toolcrib::{
    app::{
        effect::Effect,
        message::{Message, ScreenId},
        workflow::WorkflowMessage,
    },
    engine::{scenario::script::Scenario, simulate::stop::Stop},
    model::{
        call::{EventKind, Outcome},
        context::{Name, Profile},
        entry::FileId,
    },
    syntax::source::{Format, Source},
};

use crate::support::workbench::Workbench;

fn studio(groups: &[&str]) -> Workbench {
    let mut bench = Workbench::sample("spec-workflow", 120, 36);
    let profile = |user: &str, groups: &[&str]| Profile {
        user: user.into(),
        allowed_groups: groups.iter().map(|group| Name::from(*group)).collect(),
    };
    bench.state.workflow.profiles =
        vec![profile("user-a", &["read-only"]), profile("user-b", &["write"])];
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(
        groups.iter().map(|group| Name::from(*group)).collect(),
    ))));
    bench.on(ScreenId::Workflow)
}

#[test]
fn a_what_if_tells_the_difference_before_anything_is_done() {
    let mut bench = studio(&["read-only", "knowledge"]);
    let text = |bench: &Workbench| {
        bench.state.documents.get(&FileId::new("tools.yaml")).unwrap().text.to_string()
    };
    let before = text(&bench);
    bench.keys("W");
    assert!(
        bench.shows("What if") && bench.shows("[ Apply W ]") && bench.shows("Esc cancel"),
        "{}",
        bench.screen()
    );
    bench.clicks("[ ] admin");
    assert!(
        bench.shows("groups requested: + admin") && bench.shows("ever available: + reset-workflow"),
        "{}",
        bench.screen()
    );
    assert_eq!(
        bench.state.context().groups().join(" "),
        "read-only knowledge",
        "nothing is asked for yet"
    );
    // An edit of the tool that leads on: no longer available here.
    bench.keys("tab tab home F enter");
    bench.keys("tab tab");
    assert!(
        bench.shows("knowledge-query: make the tool unavailable in undefined"),
        "{}",
        bench.screen()
    );
    assert!(
        bench.shows("available now: − knowledge-query")
            && bench.shows("states reached: − analysis"),
        "{}",
        bench.screen()
    );
    assert!(bench.shows("− knowledge-query"), "the tool that would go is marked");
    bench.keys("@step-failed");
    assert_eq!(bench.state.workflow.simulation.steps().count(), 0, "no steps during a what-if");
    bench.keys("esc");
    assert!(!bench.shows("What if"));
    assert_eq!(
        (bench.state.context().groups().join(" "), text(&bench)),
        ("read-only knowledge".into(), before.clone())
    );

    bench.keys("W");
    bench.clicks("[ ] admin");
    bench.keys("tab tab home F enter @accept-what-if");
    assert_eq!(bench.state.context().groups().join(" "), "read-only knowledge admin");
    assert!(text(&bench).contains("available_in_states: [\"research\"]"), "{}", text(&bench));
    bench.keys("u");
    assert_eq!(text(&bench), before, "one undo step");
}

#[test]
fn a_hidden_tools_edit_is_shown_and_made() {
    let mut bench = studio(&["read-only", "knowledge"]);
    bench.keys("/");
    bench.types("graph");
    bench.keys("enter down right F");
    assert!(
        bench.shows("Show graph-update") && bench.shows("+     available_in_states"),
        "{}",
        bench.screen()
    );
    bench.keys("enter");
    let text = bench.state.documents.get(&FileId::new("tools.yaml")).unwrap().text.to_string();
    assert!(
        text.contains("available_in_states: [\"analysis\", \"modification\", \"undefined\"]"),
        "{}",
        bench.screen()
    );
    assert!(bench.shows("Available 2") && bench.shows("● graph-update"), "{}", bench.screen());
}

#[test]
fn runs_go_to_a_goal_and_stop_where_they_are_told_to() {
    let mut bench = studio(&["*"]);
    bench.keys("@auto-run down enter");
    bench.types("results");
    bench.keys("enter");
    assert_eq!(bench.state.workflow.simulation.state(), "results", "{}", bench.screen());
    assert_eq!(bench.state.workflow.simulation.current_branch().len(), 2);

    bench.keys("R @stop-when");
    bench.types("complex-analysis is");
    bench.keys("enter");
    assert_eq!(bench.state.workflow.stops, [Stop::Available("complex-analysis".into())]);
    assert!(bench.shows("stops 1"), "{}", bench.screen());
    bench.keys("@auto-run down enter");
    bench.types("results");
    bench.keys("enter");
    assert_eq!(
        bench.state.workflow.simulation.state(),
        "analysis",
        "the run stops where the tool becomes available"
    );
    assert!(bench.shows("stopped; 1 step was not taken"), "{}", bench.screen());

    // With a stop set, the run jumps there.
    bench.keys("R @auto-run");
    assert!(bench.shows("complex-analysis is available: knowledge-query"), "{}", bench.screen());
    bench.types("to a stop");
    bench.keys("enter");
    assert_eq!(
        (
            bench.state.workflow.simulation.state(),
            bench.state.workflow.simulation.current_branch().len()
        ),
        ("analysis", 1)
    );

    bench.keys("@stop-when enter R @auto-run");
    assert_eq!(bench.state.workflow.stops, []);
    bench.types("to a stop");
    assert!(bench.shows("no stop condition is set: . → stop when… sets one"), "{}", bench.screen());
    bench.keys("ctrl+u");
    bench.types("random");
    bench.keys("enter");
    bench.keys("ctrl+u");
    bench.types("25 7");
    bench.keys("enter");
    assert_eq!(bench.state.workflow.simulation.current_branch().len(), 25, "{}", bench.screen());
    let walk: Vec<Name> =
        bench.state.workflow.simulation.steps().map(|(_, step)| step.tool.clone()).collect();
    bench.keys("R @auto-run");
    bench.types("random");
    bench.keys("enter ctrl+u");
    bench.types("25 7");
    bench.keys("enter");
    assert_eq!(
        bench
            .state
            .workflow
            .simulation
            .steps()
            .map(|(_, step)| step.tool.clone())
            .collect::<Vec<_>>(),
        walk
    );

    bench.keys("R @auto-run");
    bench.types("every");
    bench.keys("enter ctrl+u");
    bench.types("2");
    bench.keys("enter");
    assert!(
        bench.shows("6 paths of up to 2 steps") && bench.shows("transitions"),
        "{}",
        bench.screen()
    );
}

#[test]
fn a_refused_step_is_kept_explained_and_part_of_the_scenario() {
    let mut bench = studio(&["knowledge", "compute"]);
    bench.keys("@auto-run down enter");
    bench.types("results");
    bench.keys("enter");
    // The document's third step: hidden, so the scenario runner or an agent that takes it all the
    // same is refused.
    bench.keys("/");
    bench.types("reset");
    bench.keys("enter @try-hidden esc");
    assert!(
        bench.shows("⊘ reset-workflow refused") && bench.shows("refused 1"),
        "{}",
        bench.screen()
    );
    bench.keys("shift+tab shift+tab shift+tab");
    assert!(bench.shows("why reset-workflow was refused in results"), "{}", bench.screen());
    assert!(
        bench.shows("group: in admin, requested knowledge, compute")
            && bench.shows("▸ request admin"),
        "{}",
        bench.screen()
    );
    bench.keys("shift+tab /");
    bench.types("reset");
    bench.keys("enter F enter");
    assert_eq!(bench.state.workflow.simulation.state(), "undefined", "{}", bench.screen());

    bench.keys("K ctrl+u");
    bench.types("The whole way");
    bench.keys("enter");
    let kept = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Save { file, text: Some(text), before: None, .. } => {
            Some((file.to_string(), text.clone()))
        }
        _ => None,
    });
    let (file, text) = kept.unwrap_or_else(|| panic!("nothing was saved:\n{}", bench.screen()));
    assert_eq!(file, "scenarios/the-whole-way.yaml");
    let source = Source::parse(Format::Yaml, text.clone()).unwrap();
    let scenario = Scenario::from_value(source.value(0).unwrap()).unwrap();
    assert_eq!(scenario.steps.len(), 4);
    assert!(
        text.contains("refused: true") && text.contains("# 3: refused in results: group: in admin"),
        "{text}"
    );

    bench.keys("t");
    assert!(bench.shows("✓ all 5") && bench.shows("✓ The whole way"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("Coverage") || bench.shows("passed"), "{}", bench.screen());
    bench.keys("esc K ctrl+u");
    bench.types("The whole way");
    bench.keys("enter");
    assert!(bench.shows("already exists"), "{}", bench.screen());
}

#[test]
fn a_scenario_that_differs_is_shown_and_gone_to() {
    let mut bench = studio(&["read-only"]);
    bench.keys("t");
    bench.types("progression");
    bench.keys("enter");
    assert!(
        bench.shows("progression  passed") && bench.shows("results: reset-workflow refused"),
        "{}",
        bench.screen()
    );
    bench.keys("enter");
    assert_eq!(bench.state.workflow.simulation.steps().count(), 3, "{}", bench.screen());
    assert_eq!(bench.state.context().groups().join(" "), "knowledge compute admin");
}

#[test]
fn two_places_of_a_run_are_compared() {
    let mut bench = studio(&["read-only", "knowledge"]);
    bench.keys("enter shift+tab shift+tab shift+tab home D down");
    assert!(
        bench.shows("◆ compared") && bench.shows("step 1 against the start"),
        "{}",
        bench.screen()
    );
    assert!(
        bench.shows("+ graph-update") && bench.shows("in both: text-completion"),
        "{}",
        bench.screen()
    );
    bench.keys("up D down");
    assert!(bench.shows("what knowledge-query changed"), "{}", bench.screen());
}

#[test]
fn other_ways_are_listed_and_gone_to() {
    let mut bench = studio(&["read-only", "knowledge"]);
    bench.keys("enter b down enter");
    assert!(bench.shows("branch 1: knowledge-query → analysis"), "{}", bench.screen());
    bench.clicks("branch 1: knowledge-query");
    assert_eq!(bench.state.workflow.simulation.state(), "analysis");
    assert!(bench.shows("branch 2: text-completion → undefined"), "{}", bench.screen());
}

#[test]
fn tool_state_and_request_explain_themselves() {
    let mut bench = studio(&["read-only", "knowledge"]);
    bench.keys("end I");
    assert!(
        bench.shows("Groups that make it available") && bench.shows("admin + knowledge"),
        "{}",
        bench.screen()
    );
    bench.keys("esc shift+tab right I");
    assert!(
        bench.shows("About the state research") && bench.shows("Into it"),
        "{}",
        bench.screen()
    );
    assert!(
        bench.shows("2 tools, about ") && bench.shows("tokens (an estimate)"),
        "{}",
        bench.screen()
    );
    bench.keys("esc shift+tab I");
    assert!(
        bench.shows("About this request") && bench.shows("reset-workflow: none of its groups"),
        "{}",
        bench.screen()
    );
}

#[test]
fn a_live_answer_streams_beside_the_run_with_the_runs_question() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Workflow);
    bench.keys("@question");
    bench.types("Which complaints?");
    bench.keys("enter down f6");
    let request = bench.effects.iter().find_map(|effect| match effect {
        Effect::Call { request, .. } => Some(request.clone()),
        _ => None,
    });
    let request = request.unwrap_or_else(|| panic!("nothing was called:\n{}", bench.screen()));
    assert!(format!("{:?}", request.body).contains("Which complaints?"), "{request:?}");
    assert_eq!(bench.state.screen, ScreenId::Workflow);
    bench.happens([(5, EventKind::Chunk { text: "Late deliveries".into(), bytes: 15 })]);
    assert!(
        bench.shows("streaming · 1 chunk") && bench.shows("Late deliveries"),
        "{}",
        bench.screen()
    );
    let stops =
        |bench: &Workbench| bench.effects.iter().any(|effect| matches!(effect, Effect::Cancel(_)));
    bench.keys("esc");
    assert!(!stops(&bench), "Esc goes back and stops nothing");
    assert!(bench.shows("Ctrl+X stop"), "{}", bench.screen());
    bench.keys("ctrl+x");
    assert!(stops(&bench), "{}", bench.screen());
    bench.happens([(9, EventKind::End { outcome: Outcome::Cancelled, problem: None })]);
    assert!(bench.shows("cancelled · live"), "{}", bench.screen());
}
