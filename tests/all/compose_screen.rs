//! Composing on the Workflow screen: keys and mouse in, the screen and the files out.

use toolcrib::{
    app::{
        compose::{
            arrows::{self, Tail},
            context::ComposeContext,
            plan::Plan,
            states,
        },
        documents::Change,
        effect::Effect,
        input::{Button, Input, Mods, Mouse, MouseKind},
        message::{DocumentMessage, Message, ScreenId},
        workflow::WorkflowMessage,
    },
    engine::simulate::stop::Stop,
    model::{entry::FileId, tool::States},
};

use crate::support::workbench::Workbench;

fn workflow((width, height): (u16, u16)) -> Workbench {
    let mut bench = Workbench::sample("spec-workflow", width, height);
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec![
        "read-only".into(),
        "knowledge".into(),
    ]))));
    bench.on(ScreenId::Workflow)
}

fn text(bench: &Workbench, file: &str) -> String {
    bench
        .state
        .documents
        .get(&FileId::new(file))
        .map(|document| document.text.to_string())
        .unwrap_or_default()
}

fn mouse(bench: &mut Workbench, kind: MouseKind, (column, row): (u16, u16)) {
    bench.input(&Input::Mouse(Mouse { kind, column, row, mods: Mods::default() }));
}

fn drag(bench: &mut Workbench, from: (u16, u16), to: (u16, u16)) {
    mouse(bench, MouseKind::Down(Button::Left), from);
    mouse(bench, MouseKind::Drag(Button::Left), to);
    mouse(bench, MouseKind::Up(Button::Left), to);
}

/// Where a state's box stands in the picture.
fn state(bench: &Workbench, name: &str) -> (u16, u16) {
    let edge = ["╎", "│", "┃"].into_iter().find(|edge| bench.shows(&format!("{edge} {name}  ")));
    let (column, row) = bench.find(&format!("{} {name}  ", edge.unwrap()));
    (column + 2, row)
}

/// Finds a state in the picture, which has the keys.
fn find(bench: &mut Workbench, name: &str) {
    bench.keys("/");
    bench.types(name);
    bench.keys("enter");
}

#[test]
fn an_arrow_is_drawn_with_keys_and_shows_its_lines_first() {
    let mut bench = workflow((200, 60));
    bench.keys("shift+tab");
    let before = text(&bench, "tools.yaml");
    find(&mut bench, "results");
    bench.keys("a");
    find(&mut bench, "analysis");
    assert!(bench.shows("results → analysis"), "{}", bench.screen());
    bench.keys("enter");
    bench.types("graph-update");
    bench.keys("enter");
    assert!(
        bench.shows("graph-update has only one next state: from analysis, modification it will"),
        "{}",
        bench.screen()
    );
    assert!(bench.shows("+     state: analysis"), "{}", bench.screen());
    assert_eq!(text(&bench, "tools.yaml"), before, "nothing is made before it is accepted");
    bench.keys("enter");
    let tool = bench.state.catalog.tool_called("graph-update").unwrap();
    assert_eq!(tool.gate.next.as_deref(), Some("analysis"));
    bench.keys("u");
    assert_eq!(text(&bench, "tools.yaml"), before, "it is one undo step");
}

#[test]
fn an_arrow_is_dragged_to_a_state_and_to_empty_ground() {
    let mut bench = workflow((200, 60));
    bench.keys("shift+tab");
    let (from, to) = (state(&bench, "results"), state(&bench, "research"));
    drag(&mut bench, from, to);
    assert!(bench.shows("results → research with"), "{}", bench.screen());
    bench.clicks("analysis → results");
    bench.clicks("Enter draw");
    let gate = &bench.state.catalog.tool_called("complex-analysis").unwrap().gate;
    assert_eq!(gate.next.as_deref(), Some("research"));
    let (from, ground) = (state(&bench, "results"), (bench.find("States · ").0 + 1, 48));
    drag(&mut bench, from, ground);
    assert!(
        bench.shows("The name of the new state that the arrow from results leads to."),
        "{}",
        bench.screen()
    );
    bench.types("review");
    bench.clicks("Enter next");
    assert!(bench.shows("results → review with"), "{}", bench.screen());
    bench.keys("esc");
    assert!(!text(&bench, "tools.yaml").contains("review"));
}

#[test]
fn an_arrows_end_is_dragged_to_another_state() {
    let mut bench = workflow((200, 60));
    bench.keys("shift+tab");
    // The line of complex-analysis from analysis to results, near its head and near its tail.
    let (column, row) = bench.find("complex-analysis ╌");
    let near_head = (column + 18, row);
    let to = state(&bench, "research");
    drag(&mut bench, near_head, to);
    assert!(
        bench.shows("complex-analysis: analysis → results · lead to research"),
        "{}",
        bench.screen()
    );
    assert!(bench.shows("+     state: \"research\""), "{}", bench.screen());
    bench.keys("esc");
    // The arrow that was pressed is the chosen one, and drawn as such.
    let (column, row) = bench.find("━ complex-analysis ");
    drag(&mut bench, (column, row), to);
    assert!(
        bench.shows("complex-analysis: analysis → results · come from research"),
        "{}",
        bench.screen()
    );
    bench.clicks("Enter apply");
    let gate = &bench.state.catalog.tool_called("complex-analysis").unwrap().gate;
    assert_eq!(gate.states, States::Only(vec!["research".into()]));
    bench.keys("u");
    // Let go where it was, nothing is asked; on empty ground, the name of a new state.
    let (column, row) = bench.find("complex-analysis ━");
    let end = state(&bench, "results");
    drag(&mut bench, (column + 18, row), end);
    assert!(!bench.shows("lead to"), "{}", bench.screen());
    let ground = (bench.find("States · ").0 + 1, 48);
    drag(&mut bench, (column + 18, row), ground);
    bench.types("review");
    bench.clicks("Enter next");
    assert!(
        bench.shows("complex-analysis: analysis → results · lead to review"),
        "{}",
        bench.screen()
    );
}

#[test]
fn what_is_renamed_stays_chosen_and_the_run_goes_on_in_it() {
    let mut bench = workflow((200, 60));
    bench.send(Message::Workflow(WorkflowMessage::ToggleStop(Stop::State("analysis".into()))));
    bench.keys("enter shift+tab");
    assert_eq!(bench.state.workflow.simulation.state(), "analysis");
    find(&mut bench, "analysis");
    bench.keys("r ctrl+u");
    bench.types("study");
    bench.keys("enter");
    assert_eq!(bench.state.workflow.simulation.state(), "study", "{}", bench.screen());
    assert_eq!(bench.state.workflow.stops, [Stop::State("study".into())]);
    assert!(
        bench.shows("undefined → study") && bench.shows("study · current"),
        "{}",
        bench.screen()
    );
    bench.keys("u");
    assert_eq!(
        (bench.state.workflow.simulation.state(), bench.state.workflow.stops.as_slice()),
        ("analysis", &[Stop::State("analysis".into())][..])
    );
    bench.keys("ctrl+r");
    assert_eq!(bench.state.workflow.simulation.state(), "study");
    // The new one is chosen: r renames it, not the current state.
    bench.keys("n");
    bench.types("review");
    bench.keys("enter r");
    assert!(bench.shows("The new name of review"), "{}", bench.screen());
    bench.keys("ctrl+u");
    bench.types("second look");
    bench.keys("enter a");
    assert!(bench.shows("second look → itself"), "{}", bench.screen());
}

#[test]
fn a_run_in_a_state_that_is_deleted_says_so() {
    let mut bench = workflow((200, 60));
    bench.keys("enter shift+tab d right enter");
    assert!(bench.shows("the run is in analysis, which no tool uses"), "{}", bench.screen());
    bench.keys("u");
    assert!(bench.shows("analysis · current"), "{}", bench.screen());
}

#[test]
fn the_matrix_counts_what_it_shows() {
    let mut bench = workflow((120, 36));
    bench.keys("v v");
    assert!(bench.shows("5 tools × 5 states"), "{}", bench.screen());
    bench.keys("@find-columns");
    bench.types("ana");
    assert!(bench.shows("5 tools × 1 state "), "{}", bench.screen());
}

#[test]
fn a_renamed_group_stays_asked_for_and_allowed() {
    let mut bench = workflow((200, 60));
    let text = "[profiles]\nanalyst = [\"read-only\", \"knowledge\"]\n".into();
    let create = Change::Create { file: FileId::new("toolcrib.toml"), text };
    bench.send(Message::Document(DocumentMessage::Change {
        label: "settings".into(),
        changes: vec![create],
    }));
    bench.send(Message::Workflow(WorkflowMessage::SetUser(Some("analyst".into()))));
    bench.keys("shift+tab shift+tab r ctrl+u");
    bench.types("readers");
    bench.keys("enter");
    assert_eq!(
        bench.state.context().groups,
        Some(vec!["readers".into(), "knowledge".into()]),
        "{}",
        bench.screen()
    );
    assert!(
        bench.state.workflow.profiles[0].allowed_groups.contains(&"readers".into()),
        "the profile is read again"
    );
    assert!(bench.shows("Available 2") && bench.shows("[x] readers"), "{}", bench.screen());
    bench.keys("u");
    assert_eq!(bench.state.context().groups, Some(vec!["read-only".into(), "knowledge".into()]));
    assert!(bench.shows("Available 2"), "{}", bench.screen());
}

#[test]
fn the_right_button_opens_what_can_be_done() {
    let mut bench = workflow((200, 60));
    let at = state(&bench, "results");
    mouse(&mut bench, MouseKind::Down(Button::Right), at);
    assert!(bench.shows("State results") && bench.shows("rename state"), "{}", bench.screen());
    bench.clicks("rename state");
    bench.keys("ctrl+u");
    // Where the name is there already, that is what is done.
    bench.types("analysis");
    assert!(bench.shows("Enter merge"), "{}", bench.screen());
    bench.keys("ctrl+u");
    bench.types("done");
    assert!(bench.shows("+     state: \"done\""), "{}", bench.screen());
    bench.clicks("Enter rename");
    assert!(text(&bench, "tools.yaml").contains("[\"analysis\", \"done\"]"));
    let (column, row) = bench.find("╌ complex-analysis ");
    let at = (column + 2, row);
    mouse(&mut bench, MouseKind::Down(Button::Right), at);
    bench.clicks("available everywhere");
    assert!(bench.shows("-     available_in_states: [\"analysis\"]"), "{}", bench.screen());
}

#[test]
fn cells_of_the_matrix_are_switched_one_and_many() {
    let mut bench = workflow((120, 36));
    bench.keys("v");
    assert!(bench.shows("5 tools × 9 groups"), "{}", bench.screen());
    bench.keys("down space");
    let groups = |bench: &Workbench, key: &str| {
        bench.state.catalog.tool_called(key).unwrap().gate.groups().join(" ")
    };
    assert_eq!(groups(&bench, "graph-update"), "write knowledge admin read-only");
    bench.keys("shift+down shift+down shift+right");
    assert!(bench.shows("6 cells"), "{}", bench.screen());
    bench.keys("space");
    assert_eq!(
        groups(&bench, "complex-analysis"),
        "advanced compute expensive read-only knowledge"
    );
    bench.keys("space");
    assert_eq!(
        groups(&bench, "complex-analysis"),
        "advanced compute expensive",
        "all on, so all go off"
    );
    assert_eq!(groups(&bench, "graph-update"), "write admin");
    bench.keys("u u u");
    assert_eq!(groups(&bench, "graph-update"), "write knowledge admin");
    bench.keys("esc");
    let (column, row) = (bench.find("write").0 + 2, bench.find("text-completion").1);
    mouse(&mut bench, MouseKind::Down(Button::Left), (column, row));
    let before = text(&bench, "tools.yaml");
    mouse(&mut bench, MouseKind::Up(Button::Left), (column, row));
    assert_eq!(text(&bench, "tools.yaml"), before, "the first press chooses");
    drag(&mut bench, (column, row), (column, row));
    assert_ne!(text(&bench, "tools.yaml"), before, "the second switches");
    bench.keys("u v");
    assert!(bench.shows("5 tools × 5 states") && bench.shows("→ analysis"), "{}", bench.screen());
    bench.keys("/");
    bench.types("reset");
    bench.keys("tab");
    bench.types("modif");
    bench.keys("enter");
    assert!(bench.shows("reset-workflow × state modification"), "{}", bench.screen());
    bench.keys("space");
    assert!(text(&bench, "tools.yaml").contains("[\"analysis\", \"results\", \"modification\"]"));
    bench.keys("v");
    assert!(bench.shows("Available"), "{}", bench.screen());
}

#[test]
fn columns_of_the_matrix_keep_their_places_while_it_is_open() {
    let mut bench = workflow((200, 60));
    bench.keys("v");
    let at = |bench: &Workbench| {
        [" read-only ", " write ", " admin ", " text "].map(|name| bench.find(name))
    };
    let before = at(&bench);
    // The first group of the first tool, by which the columns were ordered.
    bench.keys("space");
    assert!(bench.shows("add knowledge-query to read-only"), "{}", bench.screen());
    assert_eq!(at(&bench), before, "{}", bench.screen());
    // The only tool of a group: its column is empty, and takes the tool back.
    let (column, _) = bench.find(" text ");
    let row = bench.find("text-completion").1;
    for _ in 0..2 {
        drag(&mut bench, (column + 2, row), (column + 2, row));
    }
    let groups = |bench: &Workbench| {
        bench.state.catalog.tool_called("text-completion").unwrap().gate.groups()
    };
    assert!(!groups(&bench).contains(&"text".into()), "{:?}", groups(&bench));
    assert_eq!(at(&bench), before, "{}", bench.screen());
    drag(&mut bench, (column + 2, row), (column + 2, row));
    assert!(groups(&bench).contains(&"text".into()), "{}", bench.screen());
}

#[test]
fn a_group_is_made_from_the_chosen_rows() {
    let mut bench = workflow((120, 36));
    bench.keys("v shift+down n");
    bench.types("mine");
    bench.keys("enter");
    assert!(
        bench.shows("knowledge-query × group mine") || bench.shows("graph-update × group mine"),
        "{}",
        bench.screen()
    );
    assert!(bench.state.group_names().contains(&"mine".into()));
    bench.keys("d right enter");
    assert!(!bench.state.group_names().contains(&"mine".into()));
}

#[test]
fn the_matrix_at_three_sizes() {
    for size in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = workflow(size);
        bench.keys("v v down shift+right");
        insta::assert_snapshot!(format!("matrix_{}", size.0), bench.screen());
    }
}

#[test]
fn a_tool_is_copied_and_pasted() {
    let mut bench = workflow((120, 36));
    bench.keys("@copy-tools");
    let copied = bench.effects.iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.clone()),
        _ => None,
    });
    let copied = copied.unwrap();
    assert!(copied.starts_with("tool:\n  knowledge-query:\n"), "{copied}");
    bench.input(&Input::Paste(copied.replace("knowledge-query:", "asked:")));
    assert!(bench.shows("+   asked:"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.state.catalog.tool_called("asked").is_some());
}

/// Makes what a plan says.
fn make(bench: &mut Workbench, plan: Plan) {
    let Plan { label, changes, .. } = plan;
    bench.send(Message::Document(DocumentMessage::Change { label, changes }));
    bench.draw();
}

#[test]
fn a_state_that_waits_for_a_tool_leaves_the_settings_when_one_names_it() {
    let mut bench = workflow((120, 36));
    let before = text(&bench, "toolcrib.toml");
    for name in ["review", "later"] {
        let plan = states::add_state(ComposeContext::from_state(&bench.state), name).unwrap();
        make(&mut bench, plan);
    }
    assert!(text(&bench, "toolcrib.toml").contains(r#"["review", "later"]"#));
    let draw = |bench: &Workbench, to: &str| {
        let tool = bench.state.catalog.tool_called("graph-update").unwrap().id().clone();
        let from = Tail::State("analysis".into());
        arrows::draw_arrow(ComposeContext::from_state(&bench.state), &tool, &from, &to.into())
    };
    let plan = draw(&bench, "review").unwrap();
    make(&mut bench, plan);
    assert!(
        text(&bench, "toolcrib.toml").contains(r#"["later"]"#),
        "{}",
        text(&bench, "toolcrib.toml")
    );
    bench.keys("u");
    assert!(text(&bench, "toolcrib.toml").contains(r#"["review", "later"]"#), "one step of undo");
    bench.keys("U");
    let plan = draw(&bench, "later").unwrap();
    make(&mut bench, plan);
    assert_eq!(text(&bench, "toolcrib.toml"), before, "the list goes with its last state");
}

#[test]
fn states_are_where_they_were_after_an_undo() {
    for size in [(200, 60), (240, 70)] {
        let mut bench = workflow(size);
        bench.keys("shift+tab");
        find(&mut bench, "research");
        let picture = |bench: &Workbench| -> Vec<String> {
            let screen = bench.screen();
            let rows = screen.lines().skip(2).take(usize::from(size.1) - 8);
            rows.map(|line| line.chars().skip(25).take(60).collect()).collect()
        };
        let before = picture(&bench);
        for name in ["analysis", "results"] {
            let plan =
                states::delete_state(ComposeContext::from_state(&bench.state), name).unwrap();
            make(&mut bench, plan);
            assert_ne!(picture(&bench), before);
        }
        bench.keys("u u");
        assert_eq!(picture(&bench), before, "{}", bench.screen());
    }
}

#[test]
fn the_chosen_arrow_is_deleted_by_the_key_that_deletes() {
    let mut bench = workflow((200, 60));
    bench.keys("shift+tab ] d");
    assert!(bench.shows("Delete "), "{}", bench.screen());
    bench.keys("enter");
    assert!(!bench.shows("Deleted arrow of"), "Enter alone cancels: {}", bench.screen());
    bench.keys("d right enter");
    assert!(bench.shows("Deleted arrow of"), "{}", bench.screen());
}

#[test]
fn a_new_tool_of_an_arrow_is_in_the_requested_groups() {
    let mut bench = workflow((200, 60));
    bench.keys("shift+tab");
    find(&mut bench, "results");
    bench.keys("a");
    find(&mut bench, "analysis");
    bench.keys("enter enter enter");
    bench.types("refund");
    let shown = "In read-only, knowledge, as requests are now.";
    assert!(bench.shows(shown), "{}", bench.screen());
    bench.keys("enter");
    let gate = &bench.state.catalog.tool_called("refund").unwrap().gate;
    assert_eq!(gate.groups.as_deref(), Some(&["read-only".into(), "knowledge".into()][..]));
    assert_eq!(gate.states, States::Only(vec!["results".into()]));
}

#[test]
fn tools_that_change_other_arrows_come_last_and_say_so() {
    let mut bench = workflow((200, 60));
    bench.keys("shift+tab");
    let (from, to) = (state(&bench, "research"), state(&bench, "results"));
    drag(&mut bench, from, to);
    let screen = bench.screen();
    let is_first = |line: &&str| !line.contains("a new tool …");
    let rows: Vec<&str> = screen.lines().skip_while(is_first).collect();
    let moves = "changes its other arrows";
    assert!(rows[1].contains("complex-analysis"), "it leads there already: {screen}");
    assert!(!rows[1].contains(moves), "{screen}");
    assert!(rows[2..].iter().any(|row| row.contains(moves)), "{screen}");
}

#[test]
fn a_tool_of_every_state_is_offered_once_and_may_lead_on_from_one_state_or_from_all() {
    let tools = "\
tool:
  pay: {type: mcp-tool, name: pay, description: Pays., mcp-tool: pay, state: paid, \
applicable-states: [undefined]}
  look: {type: mcp-tool, name: look, description: Looks., mcp-tool: look}
";
    for (keys, states) in
        [("enter", States::Only(vec!["undefined".into()])), ("x enter", States::Every)]
    {
        let mut bench = Workbench::yaml(tools, 160, 48).on(ScreenId::Workflow);
        bench.keys("shift+tab");
        find(&mut bench, "undefined");
        bench.keys("a");
        find(&mut bench, "paid");
        bench.keys("enter");
        let rows = bench.screen().matches("any state, no arrow").count();
        assert_eq!(rows, 1, "{}", bench.screen());
        bench.types("look");
        bench.keys("enter");
        assert!(bench.shows("Only from undefined"), "{}", bench.screen());
        bench.keys(keys);
        let gate = &bench.state.catalog.tool_called("look").unwrap().gate;
        assert_eq!((gate.next.as_deref(), &gate.states), (Some("paid"), &states));
    }
}

#[test]
fn the_menu_of_a_state_says_why_something_cannot_be_done() {
    let mut bench = workflow((200, 60));
    bench.keys("shift+tab");
    let place = bench.find("▶ undefined");
    mouse(&mut bench, MouseKind::Down(Button::Right), place);
    assert!(bench.shows("State undefined"), "{}", bench.screen());
    let line =
        bench.screen().lines().find(|line| line.contains("rename state")).unwrap().to_owned();
    assert!(line.contains("unavailable: "), "{line}");
    bench.keys("esc");
    let ground = (bench.find("States · ").0 + 1, 48);
    mouse(&mut bench, MouseKind::Down(Button::Right), ground);
    assert!(bench.shows("legend") && bench.shows("undo"), "{}", bench.screen());
}

#[test]
fn a_drag_that_begins_on_the_chosen_cell_of_the_matrix_only_selects() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    bench.keys("v");
    let before = text(&bench, "tools.yaml");
    let column = bench.find("research").0;
    let rows = [bench.find("query-customers").1, bench.find("query-products").1];
    let [first, second] = rows.map(|row| (column, row));
    drag(&mut bench, first, first);
    drag(&mut bench, first, second);
    assert_eq!(text(&bench, "tools.yaml"), before, "a range is selected, and nothing switched");
    assert!(bench.shows("2 cells"), "{}", bench.screen());
    drag(&mut bench, second, second);
    assert_ne!(text(&bench, "tools.yaml"), before, "a press on what is chosen switches it");
    bench.keys("u");
    assert_eq!(text(&bench, "tools.yaml"), before);
}

#[test]
fn the_run_is_shown_alone() {
    let mut bench = Workbench::sample("demo", 100, 30).on(ScreenId::Workflow);
    bench.keys("tab z");
    assert!(!bench.shows("Available"), "{}", bench.screen());
    bench.keys("z");
    assert!(bench.shows("Available"), "{}", bench.screen());
    let mut bench = Workbench::files(&[("toolcrib.toml", "")], 100, 30).on(ScreenId::Workflow);
    assert!(bench.shows("no tools: n on Tools (1) makes one"), "{}", bench.screen());
    assert!(!bench.shows("[ Step"), "{}", bench.screen());
    bench.keys("esc");
}
