//! Sample values for the variables that a CommonGround tool's arguments are filled in from.

use toolcrib::{app::message::ScreenId, model::entry::FileId};

use crate::support::workbench::Workbench;

const LAMP: &str = r#"tool_name: lamp
target_subject: "cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch"
after_execution: suspend
parameters: {type: object, properties: {room: {type: string}}}
options:
  args: {fixed: {house: "{project_id}/{agent_id}"}}
  envs: {token: LAMP_TOKEN}
---
tool_name: bell
target_subject: "cg.v1r4.{project_id}.{channel_id}.cmd.tool.bell.ring"
after_execution: suspend
"#;

#[test]
fn a_sample_shows_what_the_tool_would_get_and_is_taken_back() {
    let mut bench = Workbench::yaml(LAMP, 200, 60).on(ScreenId::Tools);
    bench.keys("v v");
    assert!(bench.shows("{project_id} is known when it is called"), "{}", bench.screen());
    bench.keys("@variables");
    assert!(bench.shows("{agent_id}") && bench.shows("$LAMP_TOKEN"), "{}", bench.screen());
    bench.keys("enter");
    bench.types("lab");
    bench.keys("enter");
    assert!(
        bench.shows("{project_id} is lab, as a sample") && bench.shows("lab/{agent_id}"),
        "{}",
        bench.screen()
    );

    // By the mouse alone, and on the other screen.
    bench.keys("3 esc @variables");
    bench.clicks("$LAMP_TOKEN");
    bench.types("bright");
    bench.keys("enter");
    let screen = bench.screen();
    assert!(
        screen.contains("token •••• (env") && screen.contains("with a sample for {project_id}"),
        "{screen}"
    );
    bench.keys("@variables");
    bench.clicks("remove all samples");
    assert!(
        bench.state.invoke.samples.is_empty() && bench.shows("$LAMP_TOKEN"),
        "{}",
        bench.screen()
    );
    assert!(
        bench.effects.iter().all(|effect| !format!("{effect:?}").contains("bright")),
        "nothing is kept"
    );
}

#[test]
fn a_tool_whose_arguments_name_no_variable_has_nothing_to_try() {
    let mut bench = Workbench::yaml(LAMP, 120, 36).on(ScreenId::Tools);
    bench.clicks("bell");
    bench.keys("esc @variables");
    assert!(bench.shows("use no variables"), "{}", bench.screen());
}

#[test]
fn one_of_several_documents_is_deleted_and_the_others_stay() {
    let mut bench = Workbench::yaml(LAMP, 120, 36).on(ScreenId::Tools);
    bench.clicks("bell");
    bench.keys("d");
    assert!(bench.shows("its other documents stay"), "{}", bench.screen());
    bench.keys("right enter");
    let text = |bench: &Workbench| {
        bench.state.documents.get(&FileId::new("tools.yaml")).unwrap().text.to_string()
    };
    assert!(
        text(&bench).ends_with("envs: {token: LAMP_TOKEN}\n") && !text(&bench).contains("bell"),
        "{}",
        text(&bench)
    );
    assert_eq!(bench.state.catalog.tools.len(), 1);
    bench.keys("u");
    assert_eq!(text(&bench), LAMP);
}
