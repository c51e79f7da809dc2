//! The Workflow screen as it is used: keys and mouse in, the screen out.

use crate::support::program::Program;

fn workflow(groups: &[&str], size: (u16, u16)) -> Program {
    let mut program = Program::sample("spec-workflow", groups, size);
    program.keys("2");
    program
}

#[test]
fn the_screen_at_three_sizes() {
    for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
        let mut program = workflow(&["read-only", "knowledge"], (columns, rows));
        insta::assert_snapshot!(format!("workflow_{columns}"), program.screen_with_styles());
        if columns == 80 {
            program.keys("shift+tab");
            insta::assert_snapshot!("workflow_80_states", program.screen());
            program.keys("shift+tab");
            insta::assert_snapshot!("workflow_80_request", program.screen());
        }
    }
}

#[test]
fn a_step_moves_the_state_and_the_tools() {
    let mut program = workflow(&["read-only", "knowledge"], (120, 36));
    program.keys("enter");
    assert_eq!(program.state.simulation.state(), "analysis");
    assert!(program.shows("Run 1") && program.shows("knowledge-query  undefined → analysis"), "{}", program.screen());
    assert!(program.shows("Available 2") && program.shows("● graph-update"), "{}", program.screen());
    program.keys("b");
    assert_eq!(program.state.simulation.state(), "undefined");
    program.keys("b");
    assert!(program.shows("this is the start of the run"));
}

#[test]
fn the_documents_scenario_is_stepped_and_the_reset_explains_itself() {
    let mut program = workflow(&["knowledge", "compute"], (120, 36));
    program.keys("enter down down");
    // graph-update stands first; complex-analysis second.
    program.keys("home down enter");
    assert_eq!(program.state.simulation.state(), "results");
    assert!(program.shows("Available 0"), "{}", program.screen());
    program.types("/");
    program.types("reset");
    program.keys("enter");
    assert!(program.shows("group: in admin, asked for"), "{}", program.screen());
    program.keys("space");
    assert_eq!(program.state.context().groups().join(" "), "knowledge compute admin");
    assert!(program.shows("Available 1"), "{}", program.screen());
    program.keys("enter");
    assert_eq!(program.state.simulation.state(), "undefined");
}

#[test]
fn enter_on_a_hidden_tool_makes_the_change_that_shows_it() {
    let mut program = workflow(&["read-only", "knowledge"], (120, 36));
    program.keys("end enter");
    assert_eq!(program.state.simulation.state(), "analysis", "reset-workflow: ask for admin, then take knowledge-query");
    assert!(program.state.context().groups().contains(&"admin".into()));
    assert!(program.shows("● reset-workflow"), "{}", program.screen());
}

#[test]
fn groups_are_ticked_with_keys_and_mouse() {
    let mut program = workflow(&["read-only"], (120, 36));
    program.keys("tab tab");
    program.keys("down space");
    assert_eq!(program.state.context().groups().join(" "), "read-only knowledge");
    program.clicks("[x] read-only");
    assert_eq!(program.state.context().groups().join(" "), "knowledge");
    program.keys("a");
    assert_eq!(program.state.context().groups().join(" "), "*");
    program.clicks("[x] basic");
    assert!(!program.state.context().groups().contains(&"basic".into()), "all but the one that was pressed");
}

#[test]
fn a_failed_step_stays_by_the_document_and_moves_as_deployed() {
    let mut program = workflow(&["read-only", "knowledge"], (120, 36));
    program.keys("f");
    assert_eq!(program.state.simulation.state(), "undefined");
    assert!(program.shows("✗ knowledge-query"));
    program.keys("M f");
    // As deployed the document's states key does not count, so every tool of the groups is there; the first still moves.
    assert_eq!(program.state.simulation.state(), "analysis");
}

#[test]
fn another_way_is_a_branch_to_go_back_to() {
    let mut program = workflow(&["read-only", "knowledge"], (120, 36));
    program.keys("enter b down enter");
    assert!(program.shows("way 2 of 2"), "{}", program.screen());
    program.keys("B");
    assert_eq!(program.state.simulation.state(), "analysis");
    assert!(program.shows("way 1 of 2"));
    let (column, row) = program.place_of("▶  1 ✓");
    program.mouse(toolcrib::app::input::MouseKind::Down(toolcrib::app::input::Button::Left), column, row - 1);
    assert_eq!(program.state.simulation.at(), None, "a press on the start goes back to it");
}

#[test]
fn a_state_is_chosen_in_the_picture_and_walked_to() {
    let mut program = workflow(&["*"], (200, 60));
    program.keys("shift+tab right");
    assert!(program.shows("analysis · by knowledge-query"), "{}", program.screen());
    program.keys("right enter");
    assert_eq!(program.state.simulation.state(), "results");
    program.clicks("│ undefined".trim_start_matches("│ "));
    program.keys("t");
    assert_eq!(program.state.simulation.steps().count(), 0, "a run that starts elsewhere starts anew");
}

#[test]
fn a_user_without_permission_is_told_which_groups_exceed() {
    let mut program = workflow(&["read-only", "admin"], (120, 36));
    program.state.profiles =
        vec![toolcrib::model::context::Profile { user: "user-a".into(), allowed_groups: vec!["read-only".into()] }];
    program.keys("U");
    assert!(program.shows("Insufficient"), "{}", program.screen());
    program.keys("enter");
    assert_eq!(program.state.simulation.steps().count(), 0, "no step is taken past the permissions gate");
}

#[test]
fn narrow_screens_show_one_pane_and_the_way_to_the_others() {
    let mut program = workflow(&["read-only", "knowledge"], (80, 24));
    assert!(program.shows("Request") && program.shows("States") && program.shows("Tab next pane"));
    program.clicks("Request");
    assert!(program.shows("[x] read-only"));
    program.clicks("States");
    assert!(program.shows("reachable"));
}

#[test]
fn every_size_is_drawn() {
    for columns in (1..200).step_by(29) {
        for rows in (1..60).step_by(9) {
            let mut program = workflow(&["read-only", "knowledge"], (columns, rows));
            program.keys("enter tab tab down tab end");
        }
    }
}
