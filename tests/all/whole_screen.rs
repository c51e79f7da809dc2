//! What works on every screen: panes that are zoomed and resized, the actions menu, buttons, Esc,
//! a double press; and what is seen of unsaved work, of a call and of the tour.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib::{
    app::{
        batch::CallBatch,
        calls::CallMessage,
        documents::Change,
        effect::Effect,
        history::HistoryMessage,
        input::{Button, Input, Mods, Mouse, MouseKind},
        message::{ClipboardAct, DocumentMessage, Loaded, Message, ScreenId, WindowGoal},
        notices::NoticeKind,
        question::Question,
        tour::Tour,
        workflow::WorkflowMessage,
    },
    engine::series::{BatchSize, CallSeries},
    model::{
        call::{CallError, EventKind, Outcome},
        entry::{EntryId, FileId},
        error_kind::ErrorKind,
        finding::EntryEdit,
        problem::{Problem, ProblemKind},
        stage::Stage,
        unsaved::LeftText,
    },
    schema::pointer::Pointer,
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
};

use crate::support::{place::Place, workbench::Workbench};

fn mouse(bench: &mut Workbench, kind: MouseKind, (column, row): (u16, u16)) {
    bench.input(&Input::Mouse(Mouse { kind, column, row, mods: Mods::default() }));
}

fn invoke(width: u16, height: u16) -> Workbench {
    Workbench::sample("services", width, height).on(ScreenId::Invoke)
}

/// Invoke with an argument filled in, so that a call can be sent.
fn ready() -> Workbench {
    let mut bench = invoke(120, 36);
    bench.keys("enter");
    bench.types("1");
    bench.keys("esc");
    bench
}

fn calls(bench: &Workbench) -> usize {
    bench.effects.iter().filter(|effect| matches!(effect, Effect::Call { .. })).count()
}

#[test]
fn a_pane_is_shown_alone_and_the_same_key_brings_all_back() {
    let mut bench = invoke(120, 36);
    assert!(bench.shows("╭ Tools") && bench.shows("╭ Answer"));
    bench.keys("z");
    assert!(!bench.shows("╭ Tools") && bench.shows("z all panes"), "{}", bench.screen());
    bench.keys("z");
    assert!(bench.shows("╭ Tools") && bench.shows("╭ Answer"), "{}", bench.screen());
}

#[test]
fn words_in_the_edges_of_panes_are_pressed() {
    let mut bench = invoke(120, 36);
    bench.keys("z");
    bench.clicks("z all panes");
    assert!(bench.shows("╭ Tools") && bench.shows("╭ Answer"), "{}", bench.screen());
    bench.clicks("/ find");
    bench.types("complain");
    assert!(bench.shows("0 of ") || bench.shows("1 of "), "{}", bench.screen());
    assert!(bench.shows("/ complain"), "{}", bench.screen());

    let mut bench = invoke(80, 24);
    let first = bench.screen();
    bench.clicks("Tab next pane");
    assert_ne!(bench.screen(), first);

    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Tools);
    bench.clicks("by group");
    assert!(bench.shows("by file"), "{}", bench.screen());
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::History);
    bench.clicks("/ find");
    assert!(bench.shows("Enter select"), "{}", bench.screen());
}

#[test]
fn every_list_is_narrowed_in_the_same_way() {
    for (screen, to_list, back) in [
        (ScreenId::Tools, "", "shift+tab"),
        (ScreenId::Invoke, "shift+tab", ""),
        (ScreenId::Workflow, "", ""),
    ] {
        let mut bench = Workbench::sample("services", 120, 36).on(screen);
        bench.keys(to_list);
        bench.types("/joke");
        assert!(bench.shows("Enter select  Esc all"), "{}", bench.screen());
        bench.keys("enter");
        bench.keys(back);
        assert!(bench.shows("/ joke") && bench.shows("Esc all tools"), "{}", bench.screen());
        // A press on the line goes on typing, and so does its key.
        bench.clicks("/ joke");
        assert!(bench.shows("Enter select  Esc all"), "{}", bench.screen());
        bench.types("calc");
        assert!(bench.shows("/ calc"), "{}", bench.screen());
        bench.keys("enter");
        bench.keys(back);
        bench.keys("esc");
        assert!(!bench.shows("/ calc"), "{}", bench.screen());
    }
}

#[test]
fn a_tool_that_is_chosen_elsewhere_is_seen_in_the_narrowed_list_of_invoke() {
    let mut bench = invoke(120, 36);
    bench.keys("shift+tab");
    bench.types("/joke");
    bench.keys("enter");
    assert!(bench.shows("/ joke") && !bench.shows("● calculator"), "{}", bench.screen());
    let other = bench.state.catalog.tool_called("calculator").unwrap().id().clone();
    bench.send(Message::Select(other));
    bench.draw();
    assert!(!bench.shows("/ joke") && bench.shows("● calculator"), "{}", bench.screen());
}

#[test]
fn unsaved_work_of_a_file_that_is_not_on_disk_is_shown() {
    let mut bench = Workbench::sample("services", 120, 36);
    let left = LeftText { text: "tool: {}\n".into(), is_behind: false };
    let texts = [(FileId::new("new.yaml"), left)].into_iter().collect();
    bench.state.question = Some(Question::Recover(texts));
    bench.draw();
    for words in ["new.yaml", "not on disk", "tool: {}", "Enter restore"] {
        assert!(bench.shows(words), "{words}: {}", bench.screen());
    }
    assert!(!bench.shows("Esc restore"), "{}", bench.screen());
    bench.keys("right");
    assert!(bench.shows("Enter discard") && bench.shows("Esc restore"), "{}", bench.screen());
}

/// Presses where the text is, and moves from there on.
fn drags(bench: &mut Workbench, from: (u16, u16), to: (u16, u16)) {
    mouse(bench, MouseKind::Down(Button::Left), from);
    mouse(bench, MouseKind::Drag(Button::Left), to);
    mouse(bench, MouseKind::Up(Button::Left), to);
}

fn copied(bench: &Workbench) -> Option<&str> {
    bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.as_str()),
        _ => None,
    })
}

#[test]
fn a_part_of_an_answer_is_copied_by_dragging_over_it() {
    let mut bench = ready();
    bench.keys("ctrl+enter");
    let text = format!("{}: first word, and\nthe last", "long ".repeat(20).trim_end());
    bench.happens([
        (0, EventKind::Sent { bytes: 9 }),
        (5, EventKind::Chunk { text: text.as_str().into(), bytes: 9 }),
        (9, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
    ]);
    let (first, last) = (bench.find("long long"), bench.find("the last"));
    assert!(last.1 > first.1 + 2, "the first line is wrapped: {}", bench.screen());
    drags(&mut bench, (first.0 + 5, first.1), (last.0 + 2, last.1));
    // Where a line is wrapped, none ends.
    assert_eq!(copied(&bench), Some(&text[5..text.len() - " last".len()]));
    assert!(bench.shows("letters copied"), "{}", bench.screen());
    // Backwards, and beyond the pane.
    drags(&mut bench, (last.0 + 7, last.1), (0, 0));
    assert_eq!(copied(&bench), Some(text.as_str()));

    bench.effects.clear();
    mouse(&mut bench, MouseKind::Down(Button::Left), last);
    mouse(&mut bench, MouseKind::Up(Button::Left), last);
    assert_eq!(copied(&bench), None, "a press alone selects nothing");
    let word = bench.find("word,");
    for now in [5_000, 5_100] {
        bench.set_now(now);
        mouse(&mut bench, MouseKind::Down(Button::Left), word);
        mouse(&mut bench, MouseKind::Up(Button::Left), word);
    }
    assert_eq!(copied(&bench), Some("word"));
}

/// In a window, Ctrl+C is how one copies; in a terminal it also leads out.
#[test]
fn ctrl_c_copies_what_is_selected_and_quits_no_window() {
    let quits = |bench: &Workbench| bench.effects.iter().any(|it| matches!(it, Effect::Quit));
    for in_window in [true, false] {
        let bench = ready();
        let mut bench = if in_window { bench.in_window() } else { bench };
        bench.keys("ctrl+enter");
        bench.happens([
            (0, EventKind::Sent { bytes: 9 }),
            (5, EventKind::Chunk { text: "the answer".into(), bytes: 9 }),
            (9, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
        ]);
        bench.keys("esc");
        let at = bench.find("the answer");
        drags(&mut bench, at, (at.0 + 9, at.1));
        bench.effects.clear();
        bench.keys("ctrl+c");
        assert_eq!(copied(&bench), Some("the answer"), "{}", bench.screen());
        assert!(!quits(&bench), "{}", bench.screen());
        bench.keys("ctrl+c");
        assert_eq!(quits(&bench), !in_window, "{}", bench.screen());
        if in_window {
            // Also where a text has the keys, in which `q` is a letter.
            let words = "Ctrl+C copies what you select; Ctrl+Q quits";
            assert!(bench.shows(words), "{}", bench.screen());
            bench.keys("? ctrl+c");
            assert!(!quits(&bench), "{}", bench.screen());
            bench.keys("esc @open-folder ctrl+a ctrl+c");
            assert_eq!(copied(&bench), Some("~/"), "{}", bench.screen());
            bench.keys("esc q");
            assert!(quits(&bench), "{}", bench.screen());
        }
    }
}

#[test]
fn which_place_was_found_is_said_of_the_view_in_which_it_was() {
    let mut bench = ready();
    bench.keys("ctrl+enter");
    bench.happens([
        (0, EventKind::Sent { bytes: 9 }),
        (5, EventKind::Chunk { text: "an owl, one more owl".into(), bytes: 20 }),
        (9, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
    ]);
    bench.clicks("an owl");
    bench.keys("/");
    bench.types("owl");
    assert!(bench.shows("1 of 2"), "{}", bench.screen());
    bench.clicks("Raw");
    assert!(!bench.shows("1 of 2"), "{}", bench.screen());
}

#[test]
fn what_is_read_is_copied_by_dragging_and_an_error_by_its_name_too() {
    let mut bench = ready();
    bench.keys("ctrl+enter");
    let problem = CallError {
        kind: ErrorKind::parse("bad"),
        message: "the oven is cold".into(),
        remedy: "heat it".into(),
    };
    let drift = Stage {
        name: Stage::DRIFT.into(),
        words: "its tools differ".into(),
        body: "".into(),
        frame: None,
    };
    bench.happens([
        (0, EventKind::Sent { bytes: 9 }),
        (1, EventKind::Stage(drift)),
        (9, EventKind::End { outcome: Outcome::Failed, problem: Some(problem) }),
    ]);
    assert!(bench.shows("failed after 9 ms; its tools differ"), "{}", bench.screen());
    let at = bench.find("the oven is cold");
    drags(&mut bench, at, (at.0 + 7, at.1));
    assert_eq!(copied(&bench), Some("the oven"));
    assert!(bench.shows("8 letters copied"), "{}", bench.screen());
    // Within its pane, whatever is beside it.
    bench.clicks("Raw");
    let at = bench.find("stage\",\"at_ms");
    drags(&mut bench, at, (0, at.1 + 1));
    let text = copied(&bench).unwrap();
    assert!(text.starts_with("stage\",\"at_ms\":1") && text.lines().count() == 2, "{text}");
    assert!(!text.contains('│'), "{text}");
    bench.keys("y");
    bench.types("error");
    bench.keys("enter");
    assert_eq!(copied(&bench), Some("bad: the oven is cold"));
}

#[test]
fn words_of_fields_are_selected_by_a_double_press() {
    let presses_twice = |bench: &mut Workbench, text: &str, times: [u64; 2]| {
        for now in times {
            bench.set_now(now);
            bench.clicks(text);
        }
    };
    // In a dialog.
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Tools);
    bench.keys("@rename end");
    bench.types(" old name");
    presses_twice(&mut bench, "old name", [1_000, 1_900]);
    bench.types("x");
    assert!(bench.shows("xold name"), "two slow presses are two presses: {}", bench.screen());
    presses_twice(&mut bench, "xold", [3_000, 3_200]);
    bench.types("new");
    assert!(bench.shows("new name"), "{}", bench.screen());
    let (column, row) = bench.find("new name");
    drags(&mut bench, (column, row), (column + 4, row));
    bench.types("a ");
    assert!(bench.shows("a name"), "{}", bench.screen());
    bench.keys("esc");

    // In a form.
    let mut bench = ready();
    let tool = bench.state.catalog.tool_called("query-customers").unwrap().id().clone();
    bench.send(Message::Select(tool));
    bench.draw();
    bench.keys("enter");
    bench.types("why are they late");
    presses_twice(&mut bench, "are they", [5_000, 5_100]);
    bench.types("were");
    assert!(bench.shows("why were they late"), "{}", bench.screen());
}

#[test]
fn a_pane_is_resized_by_keys_and_by_its_edge() {
    let mut bench = invoke(120, 36);
    let edge = |bench: &Workbench| bench.find("╭ Answer").0;
    let before = edge(&bench);
    bench.keys(">");
    assert_eq!(edge(&bench), before + 4);
    bench.keys("< <");
    assert_eq!(edge(&bench), before - 4);
    let at = edge(&bench);
    mouse(&mut bench, MouseKind::Down(Button::Left), (at, 10));
    mouse(&mut bench, MouseKind::Drag(Button::Left), (at + 9, 10));
    mouse(&mut bench, MouseKind::Up(Button::Left), (at + 9, 10));
    assert_eq!(edge(&bench), at + 9, "{}", bench.screen());
    // A pane keeps its least width, and a pane alone has no edge.
    bench.keys("< < < < < < < < < < < <");
    assert!(edge(&bench) >= 20 + bench.find("╭ calculator").0, "{}", bench.screen());
    bench.keys("z <");
    assert!(bench.shows("only one pane is shown"), "{}", bench.screen());
}

#[test]
fn the_actions_menu_opens_by_its_key_and_by_the_right_button() {
    let mut bench = invoke(120, 36);
    bench.keys(".");
    assert!(bench.shows("╭ Actions") && bench.shows("n times…"), "{}", bench.screen());
    bench.keys("esc");
    assert!(!bench.shows("╭ Actions"));
    let at = bench.find("calculator");
    mouse(&mut bench, MouseKind::Down(Button::Right), at);
    assert!(bench.shows("╭ Actions"), "{}", bench.screen());
    bench.types("resend");
    bench.keys("enter");
    assert!(bench.shows("there is no call yet"), "{}", bench.screen());
}

/// In a window the middle button pastes there.
#[test]
fn the_places_where_text_is_typed_are_known() {
    let mut bench = Workbench::sample("demo", 120, 36);
    bench.keys("/");
    bench.types("tell");
    let (column, row) = bench.find("/ tell");
    assert!(bench.takes_text_at((column + 3, row)), "{}", bench.screen());
    assert!(!bench.takes_text_at((column + 3, row + 1)), "a tool takes no text");
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    bench.keys("@question");
    bench.types("Why?");
    let (column, row) = bench.find("Why?");
    assert!(bench.takes_text_at((column + 1, row)), "{}", bench.screen());
    assert!(!bench.takes_text_at((0, 0)));
    bench.keys("esc");
    assert!(!bench.takes_text_at((column + 1, row)), "{}", bench.screen());
}

#[test]
fn the_right_button_in_a_text_copies_cuts_and_pastes_first() {
    let text = "tool:\n  a: {type: text-completion, name: a, description: zebra quagga}\n";
    let described = |bench: &Workbench, text: &str| {
        bench.screen().lines().any(|line| line.contains("description") && line.contains(text))
    };
    for in_window in [true, false] {
        let bench = Workbench::yaml(text, 120, 36);
        let mut bench = if in_window { bench.in_window() } else { bench };
        // The form alone: Preview has the text, too.
        bench.keys("tab z");
        bench.clicks("zebra quagga");
        let at = bench.find("zebra quagga");
        drags(&mut bench, at, (at.0 + 5, at.1));
        let selected = bench.effects.iter().any(|effect| {
            matches!(effect, Effect::Clipboard(ClipboardAct::Select(text)) if text == "zebra")
        });
        assert_eq!(selected, in_window, "{:?}", bench.effects);
        let choose = |bench: &mut Workbench, title: &str| {
            mouse(bench, MouseKind::Down(Button::Right), at);
            let first = bench.find("copy text").1;
            assert!(first <= bench.find("╭ Actions").1 + 3, "{}", bench.screen());
            bench.types(title);
            bench.keys("enter");
            assert!(bench.shows(" EDIT "), "{title}: {}", bench.screen());
        };
        choose(&mut bench, "copy text");
        assert_eq!(copied(&bench), Some("zebra"), "{}", bench.screen());
        choose(&mut bench, "cut text");
        assert!(!described(&bench, "zebra quagga"), "{}", bench.screen());
        choose(&mut bench, "paste text");
        let paste = Effect::Clipboard(ClipboardAct::Paste);
        assert_eq!(bench.effects.contains(&paste), in_window, "{:?}", bench.effects);
        assert_eq!(described(&bench, "zebra quagga"), !in_window, "{}", bench.screen());
        choose(&mut bench, "select all");
        bench.types("x");
        assert!(!described(&bench, "quagga"), "{}", bench.screen());
    }
}

#[test]
fn the_right_button_shows_actions_and_does_nothing_else() {
    let mut bench = Workbench::sample("demo", 120, 36);
    let at = bench.find("tell-joke");
    mouse(&mut bench, MouseKind::Down(Button::Right), at);
    assert!(bench.shows("╭ Actions"), "{}", bench.screen());
    let selected = bench.state.selected.as_ref().and_then(|id| bench.state.catalog.tool(id));
    assert_eq!(selected.map(|tool| tool.entry.key.as_str()), Some("tell-joke"));

    bench.keys("esc 2");
    let groups = bench.state.context().groups;
    let at = bench.find("[ ] compute");
    mouse(&mut bench, MouseKind::Down(Button::Right), at);
    assert!(bench.shows("╭ Actions"), "{}", bench.screen());
    assert_eq!(bench.state.context().groups, groups, "nothing is ticked");
    bench.keys("esc");
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec!["fun".into()]))));
    bench.keys("tab");
    let at = bench.find("● tell-joke");
    for _ in 0..2 {
        mouse(&mut bench, MouseKind::Down(Button::Right), at);
        assert!(bench.shows("╭ Actions"), "{}", bench.screen());
        bench.keys("esc");
    }
    assert_eq!(bench.state.workflow.simulation.steps().count(), 0, "no step is taken");
}

#[test]
fn a_key_for_a_pane_that_is_not_seen_shows_it_first() {
    let mut bench = Workbench::sample("demo", 80, 24);
    bench.keys("tab");
    assert!(!bench.shows("tool:"), "{}", bench.screen());
    bench.keys("v");
    assert!(bench.shows("tool:"), "the file as it is, not the next view: {}", bench.screen());
    bench.keys("v");
    assert!(!bench.shows("tool:") && bench.shows("{"), "{}", bench.screen());
}

#[test]
fn long_lines_of_the_preview_are_wrapped_or_cut() {
    let long = format!("{} END", "word ".repeat(30));
    let text =
        format!("tool:\n  a:\n    type: text-completion\n    name: a\n    description: {long}\n");
    let mut bench = Workbench::yaml(&text, 120, 36);
    let with_end = |bench: &Workbench| bench.screen().matches("END").count();
    let wrapped = with_end(&bench);
    bench.keys("w");
    assert_eq!(with_end(&bench) + 1, wrapped, "{}", bench.screen());
    bench.keys("w");
    assert_eq!(with_end(&bench), wrapped);
}

#[test]
fn a_button_sends_once_however_fast_it_is_pressed() {
    let mut bench = ready();
    bench.set_now(1_000);
    bench.clicks("[ Send F6 ]");
    assert_eq!(calls(&bench), 1, "{}", bench.screen());
    // The button stops the call now; the second press of a double press does not.
    let stops = |effect: &Effect| matches!(effect, Effect::Cancel(_));
    bench.set_now(1_200);
    bench.clicks("[ Stop Ctrl+X ]");
    assert!(calls(&bench) == 1 && !bench.effects.iter().any(stops), "{:?}", bench.effects);
    bench.set_now(3_000);
    bench.clicks("[ Stop Ctrl+X ]");
    assert!(bench.effects.iter().any(stops), "a press of its own: {:?}", bench.effects);
}

#[test]
fn a_button_names_a_key_that_works_in_the_mode() {
    let mut bench = Workbench::sample("services", 120, 36);
    bench.keys("tab");
    assert!(bench.shows("[ Save s ]"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows(" EDIT ") && bench.shows("[ Save Ctrl+S ]"), "{}", bench.screen());
    bench.types("x");
    bench.keys("ctrl+s");
    assert!(bench.effects.iter().any(|effect| matches!(effect, Effect::Save { .. })));
}

#[test]
fn esc_leads_back_where_one_pane_is_seen() {
    let mut bench = Workbench::sample("services", 80, 24).on(ScreenId::Watch);
    bench.keys("tab");
    assert!(bench.shows("▸Messages"), "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.shows("▸Conversations"), "{}", bench.screen());
    bench.send(Message::Show(ScreenId::History));
    bench.draw();
    bench.keys("enter");
    assert!(bench.shows("▸Answer"), "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.shows("▸Calls"), "{}", bench.screen());
}

#[test]
fn a_test_of_a_connection_is_seen_where_one_pane_is() {
    let mut bench = Workbench::sample("services", 80, 24).on(ScreenId::Connections);
    assert!(bench.shows("[ Test t ]"), "{}", bench.screen());
    bench.keys("t");
    assert!(bench.shows("▸Test") && bench.shows("asking"), "{}", bench.screen());
    bench.keys("esc esc");
    assert!(bench.shows("▸Connections"), "{}", bench.screen());
}

#[test]
fn the_mark_of_unsaved_work_is_seen_beside_a_long_name() {
    for width in [80, 100, 120, 200] {
        let mut bench = Workbench::sample("services", width, 30);
        bench.state.workspace = "a-workspace-with-a-rather-long-name".into();
        bench.keys("tab tab");
        let top = |bench: &Workbench| bench.screen().lines().next().unwrap().to_owned();
        assert!(!top(&bench).contains('*'), "{}", top(&bench));
        bench.send(Message::Show(ScreenId::Tools));
        bench.keys("shift+tab enter");
        bench.types("x");
        assert!(top(&bench).contains('*'), "{width}: {}", bench.screen());
    }
}

#[test]
fn the_tour_is_an_action_and_has_f1_in_the_demo_alone() {
    let mut bench = invoke(120, 36);
    bench.keys("f1");
    assert!(bench.shows("╭ Keys") || bench.shows("Help"), "{}", bench.screen());
    bench.keys("esc");
    bench.state.tour = Tour::Offered;
    bench.keys("enter");
    assert!(bench.shows(" EDIT ") && !bench.shows("F1 help"), "{}", bench.screen());
    bench.keys("esc f1");
    assert!(matches!(bench.state.tour, Tour::At { .. }), "{}", bench.screen());
    bench.keys("ctrl+p");
    bench.types("tour");
    bench.keys("enter");
    assert!(matches!(bench.state.tour, Tour::Left { .. }), "{}", bench.screen());
    bench.keys("f1");
    assert!(matches!(bench.state.tour, Tour::At { .. }), "{}", bench.screen());
    bench.keys("f1 @tour");
    assert!(matches!(bench.state.tour, Tour::At { .. }), "{}", bench.screen());
}

#[test]
fn what_is_removed_in_a_form_is_said_with_the_way_back() {
    let mut bench = Workbench::yaml(TWO_NAMES, 120, 40);
    bench.keys("tab");
    bench.keys("d");
    assert!(bench.shows("name is required; remove again to remove it"), "{}", bench.screen());
    bench.keys("d");
    assert!(bench.shows("Removed name; u undoes"), "{}", bench.screen());
    bench.keys("u");
    assert!(bench.shows("Undid:"), "{}", bench.screen());
}

#[test]
fn the_notices_are_wrapped_to_their_page() {
    let mut bench = Workbench::yaml(TWO_NAMES, 80, 24);
    let words: Vec<String> = (0..60).map(|number| format!("word{number}")).collect();
    bench.send(Message::Notice(NoticeKind::Warning, words.join(" ")));
    bench.draw();
    bench.keys("@notices");
    let screen = bench.screen();
    assert!(words.iter().all(|word| screen.contains(&format!("{word} "))), "{screen}");
}

#[test]
fn a_refused_send_leads_to_the_missing_argument_which_enter_edits() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    bench.keys("@send");
    assert!(bench.shows(" NAV "), "nothing enters EDIT by itself: {}", bench.screen());
    bench.keys("enter");
    bench.types("3+4");
    assert_eq!(bench.state.screen, ScreenId::Invoke, "3 and 4 are no screens: {}", bench.screen());
    assert!(bench.shows("▌expression * 3+4"), "{}", bench.screen());
}

#[test]
fn the_request_shows_the_id_of_the_call_that_is_shown() {
    let mut bench = ready();
    bench.keys("f6");
    let sent = bench.state.invoke.calls.selected_call().unwrap().request.correlation.clone();
    let shows_id = |bench: &Workbench, id: &str| bench.shows(&id[..20]);
    bench.draw();
    assert!(shows_id(&bench, &sent), "{sent}\n{}", bench.screen());
    // What is edited since would be another call.
    bench.happens([(5, EventKind::End { outcome: Outcome::Succeeded, problem: None })]);
    bench.keys("enter");
    bench.types("1+");
    assert!(!shows_id(&bench, &sent), "{}", bench.screen());
}

#[test]
fn how_a_series_went_stays_beside_its_calls() {
    let mut bench = ready();
    let mut series = CallSeries::default();
    [31, 40, 55].into_iter().for_each(|ms| series.add_call(Outcome::Succeeded, ms, Some(5)));
    series.add_call(Outcome::Failed, 9, None);
    bench.keys("f6");
    let tool = bench.state.invoke.calls.selected_call().unwrap().request.tool.clone();
    let size = BatchSize { times: 4, at_once: 2 };
    bench.send(Message::Call(CallMessage::SendMany { tool, size }));
    let batch: &mut CallBatch = bench.state.invoke.batch.as_mut().unwrap();
    batch.series = series;
    batch.waiting = 0;
    batch.running.clear();
    bench.keys("down");
    for words in ["3 succeeded", "1 failed", "p50 40 ms"] {
        assert!(bench.shows(words), "{words}\n{}", bench.screen());
    }
}

const TWO_NAMES: &str = "
tool:
  weather-tool:
    type: tool-service
    name: forecast
    description: Tells the weather
    service: weather
    arguments: [{name: city, type: string, description: Where}]
";

#[test]
fn a_tool_is_called_by_its_key_on_every_screen() {
    let mut bench = Workbench::yaml(TWO_NAMES, 120, 36);
    for screen in [ScreenId::Tools, ScreenId::Workflow, ScreenId::Invoke] {
        bench.send(Message::Show(screen));
        bench.draw();
        assert!(bench.shows("● weather-tool"), "{}", bench.screen());
    }
    assert!(bench.shows("weather-tool (forecast) · weather"), "{}", bench.screen());
}

#[test]
fn a_tool_without_its_service_is_mocked_or_gets_the_service() {
    let mut bench = Workbench::yaml(TWO_NAMES, 120, 40).on(ScreenId::Invoke);
    assert!(bench.shows("m mocks the service"), "{}", bench.screen());
    assert!(bench.shows("make service"), "{}", bench.screen());
    bench.keys("@make-service");
    let text = |bench: &Workbench| {
        bench
            .state
            .documents
            .iter()
            .map(|(_, document)| document.text.to_string())
            .collect::<String>()
    };
    assert!(text(&bench).contains("request-queue: request:tg:weather"), "{}", text(&bench));
    assert_eq!(bench.state.screen, ScreenId::Tools);
    assert!(bench.shows("weather-tool · TrustGraph"), "{}", bench.screen());
    assert!(bench.shows("Added service weather"), "{}", bench.screen());
}

#[test]
fn a_call_that_found_nobody_offers_the_mock() {
    let mut bench = ready();
    bench.keys("f6");
    let problem = CallError::new(ErrorKind::NoResponders, "no service listens", "start it");
    bench.happens([(5, EventKind::End { outcome: Outcome::Lost, problem: Some(problem) })]);
    bench.draw();
    assert!(bench.shows("m mocks its service"), "{}", bench.screen());
    bench.keys("down");
    assert!(bench.shows("m mock"), "{}", bench.screen());
}

#[test]
fn answer_with_is_a_form_whose_answer_is_kept_as_a_stub() {
    let mut bench = Workbench::yaml(TWO_NAMES, 120, 40).on(ScreenId::Invoke);
    bench.keys("@answer-with");
    assert!(bench.shows("Answer weather-tool (forecast) with"), "{}", bench.screen());
    bench.types("Fog until noon");
    bench.keys("tab ctrl+u");
    bench.types("none");
    bench.keys("f6");
    assert!(bench.shows("Chunks: a number from 1"), "{}", bench.screen());
    bench.clicks(" Esc cancel ");
    assert!(!bench.shows("Chunks: a number from 1"), "{}", bench.screen());
    bench.keys("@answer-with");
    bench.types("Fog until noon");
    bench.keys("tab backspace");
    bench.types("3");
    bench.keys("tab ctrl+u");
    bench.types("20ms");
    bench.clicks(" F6 mock ");
    let tool = bench.state.catalog.tools[0].clone();
    assert!(bench.state.invoke.mocks.contains(tool.id()), "{}", bench.screen());
    let mock = bench.state.mock_of(&tool).unwrap();
    let then = &mock.rules[0].then;
    assert_eq!((then.pieces.len(), then.delay.as_millis()), (3, 20));
    let kept = bench.state.documents.get(&FileId::new("stubs/weather-tool.yaml")).unwrap();
    assert!(kept.text.to_string().contains("Fog"), "{}", kept.text);
    assert!(bench.effects.iter().any(|effect| matches!(effect, Effect::Save { .. })));
}

#[test]
fn a_new_entry_opens_at_its_first_empty_required_field() {
    let mut bench = Workbench::yaml(TWO_NAMES, 120, 40);
    bench.keys("n");
    bench.types("tool-service");
    bench.keys("enter");
    bench.types("adder");
    bench.keys("enter");
    assert!(bench.shows("▌description *"), "{}", bench.screen());
    assert!(bench.shows(" NAV "), "{}", bench.screen());
}

#[test]
fn the_first_run_offers_each_system_for_one_press() {
    let rows = [
        ("t", "trustgraph", "http://127.0.0.1:8088", 2),
        ("o", "opensearch", "http://127.0.0.1:9200", 3),
        ("c", "commonground", "nats://127.0.0.1:4222", 4),
    ];
    for (key, name, address, fields) in rows {
        let mut bench = Workbench::files(&[], 120, 36);
        bench.state.question = Some(Question::Begin);
        bench.draw();
        for words in ["New tool", "Open a sample", "Import MCP servers found on this machine"] {
            assert!(bench.shows(words), "{words}\n{}", bench.screen());
        }
        bench.keys(key);
        assert!(bench.shows(address), "{}", bench.screen());
        if name == "commonground" {
            bench.keys("tab");
            bench.types("demo");
            bench.keys("shift+tab");
        }
        (0..fields).for_each(|_| bench.keys("enter"));
        let asked = bench.effects.iter().find_map(|effect| match effect {
            Effect::ReadDeployed { connection, .. } => Some(connection.clone()),
            _ => None,
        });
        let asked = asked.unwrap_or_else(|| panic!("{name}:\n{}", bench.screen()));
        assert_eq!(asked.name, name);
        let systems: Vec<_> = asked.settings.keys().copied().collect();
        let wanted = if name == "trustgraph" { Vec::new() } else { vec![name] };
        assert_eq!(systems, wanted);
    }
}

#[test]
fn doctor_says_which_file_is_not_there() {
    let settings = "[connections.bus]\nservers = [\"tls://127.0.0.1:1\"]\nca-file = \"no-such.pem\"\n\
        cert-file = \"no-such.crt\"\nkey-file = \"no-such.key\"\ncredentials-file = \"no-such.creds\"\n";
    let place = Place::with(&[("toolcrib.toml", settings)]);
    let rows = place.json(&["doctor", "--json"]);
    let of = |check: &str| -> Vec<Value> {
        rows.as_array().unwrap().iter().filter(|row| row["check"] == check).cloned().collect()
    };
    let [row] = of("settings").try_into().unwrap();
    assert_eq!(row["status"], json!("optional"), "{row}");
    assert!(row["detail"].as_str().unwrap().contains("no such file"), "{row}");
    let missing = of("connection bus");
    for name in ["ca-file", "cert-file", "key-file", "credentials-file"] {
        let names = |row: &&Value| row["detail"].as_str().unwrap().starts_with(name);
        let row = missing.iter().find(names).unwrap_or_else(|| panic!("{name}: {rows}"));
        assert_eq!(row["status"], json!("missing"), "{row}");
    }
}

#[test]
fn a_long_item_of_a_list_is_read_to_its_end() {
    let schema = r#"{"properties": {"servers": {"type": "array", "items": {"type": "string"}}}}"#;
    let mut bench = Workbench::form(schema, None, 60, 20);
    bench.keys("enter");
    bench.types("nats://a-server-with-a-long-name.of-some-company.example.com:4222");
    bench.keys("enter esc esc");
    let screen = bench.screen();
    assert!(screen.contains(".com:4222 ×]"), "{screen}");
    assert!(screen.contains("[nats://a-server"), "{screen}");
}

fn edited_workflow(width: u16, height: u16) -> Workbench {
    let mut bench = Workbench::sample("demo", width, height);
    bench.keys("tab enter");
    bench.types("x");
    bench.keys("esc");
    bench.on(ScreenId::Workflow)
}

#[test]
fn unsaved_work_has_a_button_that_saves_on_workflow() {
    for (width, height) in [(80, 24), (120, 36)] {
        let bench = Workbench::sample("demo", width, height).on(ScreenId::Workflow);
        assert!(!bench.shows("[ Save"), "nothing is unsaved: {}", bench.screen());
        for matrix in [false, true] {
            let mut bench = edited_workflow(width, height);
            if matrix {
                bench.keys("v");
            }
            bench.clicks("[ Save s ]");
            let saves = |effect: &Effect| matches!(effect, Effect::Save { .. });
            assert!(bench.effects.iter().any(saves), "{}", bench.screen());
        }
    }
}

#[test]
fn the_button_that_sends_stops_a_call_that_streams() {
    let mut bench = ready();
    bench.clicks("[ Send F6 ]");
    assert!(!bench.shows("[ Send") && bench.shows("[ Stop Ctrl+X ]"), "{}", bench.screen());
    bench.clicks("[ Stop Ctrl+X ]");
    let stops = |effect: &Effect| matches!(effect, Effect::Cancel(_));
    assert!(bench.effects.iter().any(stops), "{:?}", bench.effects);
    let end = EventKind::End { outcome: Outcome::Cancelled, problem: None };
    bench.happens([(10, end)]);
    assert!(bench.shows("[ Send F6 ]"), "{}", bench.screen());
}

#[test]
fn esc_ends_a_zoom_before_it_leaves_the_pane() {
    let mut bench = invoke(120, 36);
    bench.keys("z esc");
    assert!(bench.shows("╭ Tools") && bench.shows("╭ Answer"), "{}", bench.screen());
    bench.keys("z");
    assert!(
        bench.shows("arguments") && !bench.shows("╭ Tools"),
        "the same pane: {}",
        bench.screen()
    );
}

#[test]
fn welcome_opens_again_without_samples_where_there_are_tools() {
    let mut bench = Workbench::sample("demo", 120, 36);
    bench.keys("@welcome");
    assert!(bench.shows("Welcome to toolcrib") && bench.shows("New tool"), "{}", bench.screen());
    assert!(!bench.shows("Open a sample"), "{}", bench.screen());
    bench.keys("e");
    assert!(!bench.shows("Welcome to toolcrib"), "{}", bench.screen());
    bench.keys("@welcome");
    assert!(bench.shows("Welcome to toolcrib"), "a second time: {}", bench.screen());
}

/// A folder of data keeps nobody waiting: only some of it is read as lists of tools.
#[test]
fn welcome_offers_the_tools_of_lists_and_reads_no_more_than_some_of_them() {
    let list = |name: &str, padding: usize| {
        let words = "x".repeat(padding);
        format!(
            r#"{{"tools": [{{"name": "{name}", "description": "{words}", "inputSchema": {{"type": "object"}}}}]}}"#
        )
    };
    let (small, large) = (list("small", 1), list("large", 3_000_000));
    let files =
        [("lists/a.json", large.as_str()), ("lists/b.json", &large), ("lists/c.json", &small)];
    let bench = Workbench::files(&files, 120, 36);
    for file in ["lists/a.json", "lists/c.json"] {
        assert!(bench.shows(&format!("Add the tools of {file}")), "{}", bench.screen());
    }
    assert!(!bench.shows("lists/b.json"), "{}", bench.screen());
}

#[test]
fn help_has_what_works_here_above_what_other_screens_do() {
    let mut bench = Workbench::sample("demo", 120, 48).on(ScreenId::Workflow);
    bench.keys("?");
    bench.types("copy");
    let row = |bench: &Workbench, words: &str| bench.find(words).1;
    assert!(row(&bench, "▌copy") < row(&bench, "│ Invoke  "), "{}", bench.screen());
    let (here, other) =
        (row(&bench, "Workflow · Copy the selected tool"), row(&bench, "│ Watch  "));
    assert!(here < other && other < row(&bench, "│ History  "), "{}", bench.screen());
    // What is called so elsewhere is not passed over for what only resembles it.
    bench.keys("ctrl+u");
    bench.types("send");
    assert!(bench.shows("▌send ") && !bench.shows("suspend"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("only works in Invoke"), "{}", bench.screen());
    // Only what is elsewhere: the cursor is below its heading, and the reason is said.
    bench.keys("ctrl+u");
    bench.types("discover");
    assert!(row(&bench, "│ Connections  ") + 1 == row(&bench, "▌discover"), "{}", bench.screen());
    bench.keys("up enter");
    assert!(bench.shows("only works in Connections"), "{}", bench.screen());
}

/// A tool as it is pasted.
const TOOL: &str =
    r#"{"type": "tool-service", "name": "weather", "description": "Says it", "service": "sky"}"#;

#[test]
fn welcome_is_there_again_after_a_new_tool_or_a_paste_was_cancelled() {
    let mut bench = Workbench::files(&[], 120, 36);
    bench.state.question = Some(Question::Begin);
    bench.draw();
    bench.keys("n");
    assert!(bench.shows("╭ New"), "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.shows("Welcome to toolcrib"), "{}", bench.screen());
    bench.keys("n enter");
    assert!(bench.shows("The key of the new"), "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.shows("Welcome to toolcrib"), "{}", bench.screen());
    bench.input(&Input::Paste(TOOL.into()));
    assert!(bench.shows("╭ Paste tools"), "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.shows("Welcome to toolcrib"), "{}", bench.screen());
    bench.input(&Input::Paste(TOOL.into()));
    bench.keys("enter");
    assert!(!bench.shows("Welcome to toolcrib"), "{}", bench.screen());
    assert!(bench.shows("weather"), "{}", bench.screen());
}

/// Who started it from a launcher has no terminal to name another folder in.
#[test]
fn welcome_in_a_window_opens_folders_and_the_demo() {
    let opened = |bench: &Workbench| {
        bench.effects.iter().rev().find_map(|effect| match effect {
            Effect::OpenWindow(goal) => Some(goal.clone()),
            _ => None,
        })
    };
    let begin = || {
        let mut bench = Workbench::files(&[], 120, 36).in_window();
        bench.keys("esc @welcome");
        bench
    };
    let mut bench = begin();
    assert!(bench.shows("Open the demo") && !bench.shows("`toolcrib"), "{}", bench.screen());
    bench.keys("p");
    bench.types("tools");
    bench.keys("enter");
    assert_eq!(opened(&bench), Some(WindowGoal::Folder("~/tools".into())), "{}", bench.screen());
    let mut bench = begin();
    bench.keys("d");
    assert_eq!(opened(&bench), Some(WindowGoal::Demo), "{}", bench.screen());

    let mut bench = Workbench::files(&[], 120, 36);
    bench.state.question = Some(Question::Begin);
    bench.draw();
    assert!(!bench.shows("Open a folder"), "{}", bench.screen());
    bench.keys("esc @open-folder");
    assert!(bench.shows("only in a window"), "{}", bench.screen());
}

#[test]
fn start_empty_closes_welcome() {
    let mut bench = Workbench::files(&[], 120, 36);
    bench.state.question = Some(Question::Begin);
    bench.draw();
    bench.keys("e n esc");
    assert!(!bench.shows("Welcome to toolcrib"), "{}", bench.screen());
}

#[test]
fn a_digit_shows_its_screen_from_welcome_too() {
    let mut bench = Workbench::files(&[], 120, 36);
    bench.state.question = Some(Question::Begin);
    bench.draw();
    bench.keys("6");
    assert!(!bench.shows("Welcome to toolcrib"), "{}", bench.screen());
    assert_eq!(bench.state.screen, ScreenId::Connections);
}

#[test]
fn help_gives_a_key_to_one_action() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Resources);
    bench.keys("?");
    bench.types("reload");
    assert_eq!(bench.screen().matches("F5").count(), 1, "{}", bench.screen());
}

#[test]
fn help_names_the_keys_that_work_while_a_text_is_edited() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "string"}, "l": {"type": "array", "items": {"type": "string"}}}}"#;
    let key_of = |bench: &Workbench| {
        let screen = bench.screen();
        let row = screen.lines().find(|line| line.contains("Add an item or an entry"));
        let row = row.unwrap_or_else(|| panic!("{screen}")).replace('│', " ");
        row.split_whitespace().last().unwrap_or_default().to_owned()
    };
    let mut bench = Workbench::form(schema, None, 120, 36);
    bench.keys("f1");
    assert_eq!(key_of(&bench), "a");
    // Then it would be a letter of the text.
    bench.keys("esc enter f1");
    assert_eq!(key_of(&bench), "Alt+A");
    bench.keys("esc ctrl+p");
    bench.types("Add an item");
    assert_eq!(key_of(&bench), "Alt+A");
}

#[test]
fn tools_of_a_file_that_is_not_read_in_place_are_offered() {
    let list = r#"{"tools": [{"name": "get_weather", "description": "Weather", "inputSchema": {"type": "object", "properties": {"at": {"type": "object", "properties": {"city": {"type": "string"}}}}}}]}"#;
    let files = [("tools.json", list), ("package.json", r#"{"name": "x", "tools": []}"#)];
    let mut bench = Workbench::files(&files, 120, 36);
    bench.state.question = Some(Question::Begin);
    bench.draw();
    assert!(bench.shows("f  Add the tools of tools.json"), "{}", bench.screen());
    assert!(bench.shows("Enter add its tools"), "{}", bench.screen());
    assert!(!bench.shows("package.json"), "{}", bench.screen());
    bench.keys("f");
    assert!(bench.shows("╭ Paste tools as those of") && bench.shows("OpenSearch"));
    assert!(bench.shows("calls need an MCP server; keeps all of it"), "{}", bench.screen());
    assert!(bench.shows("can't be called from toolcrib"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("get_weather") && bench.shows("mcp/"), "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.shows("Welcome to toolcrib"), "{}", bench.screen());
    bench.keys("f enter enter");
    let [tool] = &bench.state.catalog.tools[..] else { panic!("{}", bench.screen()) };
    // No part of its schema is lost.
    assert_eq!((tool.name.as_str(), tool.entry.system), ("get_weather", "mcp"));
    bench.keys("@welcome");
    assert!(!bench.shows("Add the tools of"), "{}", bench.screen());
}

#[test]
fn a_dialog_of_welcome_leads_back_to_it() {
    let mut bench = Workbench::files(&[], 120, 36);
    bench.state.question = Some(Question::Begin);
    bench.draw();
    for key in ["m", "t"] {
        bench.keys(key);
        assert!(!bench.shows("Welcome to toolcrib"), "{key}: {}", bench.screen());
        bench.keys("esc");
        assert!(bench.shows("Welcome to toolcrib"), "{key}: {}", bench.screen());
    }
    bench.keys("esc");
    assert!(bench.state.question.is_none(), "{}", bench.screen());
}

#[test]
fn the_preview_shows_the_whole_entry_where_its_lines_wrap() {
    let tool = |row: usize| {
        let words = "wraps ".repeat(30);
        format!(
            "  tool-{row}:\n    type: text-completion\n    name: t{row}\n    description: {words}\n    state: last-{row}\n"
        )
    };
    let text = format!("tool:\n{}", (0..12).map(tool).collect::<String>());
    let mut bench = Workbench::files(&[("tools.yaml", &text)], 120, 36);
    for row in 0..12 {
        let state = format!("state: last-{row}");
        assert!(bench.shows(&state), "{state}: {}", bench.screen());
        bench.keys("down");
    }
    // The position ends with the last line that is seen.
    assert!(bench.shows("61 of 61"), "{}", bench.screen());
    bench.keys("home");
    assert!(bench.shows("state: last-0"), "Home passes over the heading: {}", bench.screen());
}

#[test]
fn what_can_be_done_without_a_service_is_pressed_and_a_mock_takes_only_valid_values() {
    let mut bench = Workbench::files(&[("weather.json", TOOL)], 120, 36).on(ScreenId::Invoke);
    bench.clicks("make service makes the");
    assert_eq!(bench.state.catalog.services.len(), 1, "{}", bench.screen());
    let mut bench = Workbench::files(&[("weather.json", TOOL)], 120, 36).on(ScreenId::Invoke);
    bench.clicks("m mocks the service");
    assert_eq!(bench.state.invoke.mocks.len(), 1, "{}", bench.screen());
    bench.keys("down down enter");
    bench.types("sunny");
    bench.keys("enter");
    bench.keys("f6");
    assert!(bench.shows("The mock can't answer: seed"), "{}", bench.screen());
    assert!(bench.state.invoke.calls.iter().next().is_none(), "{}", bench.screen());
    bench.keys("enter ctrl+u");
    bench.types("7");
    bench.keys("enter down down enter");
    bench.types("abc");
    bench.keys("enter f6");
    assert!(bench.shows("The mock can't answer: delay"), "{}", bench.screen());
    bench.keys("enter ctrl+u");
    bench.types("0s");
    bench.keys("enter f6");
    assert!(bench.state.invoke.calls.iter().next().is_some(), "{}", bench.screen());
}

#[test]
fn a_key_that_does_nothing_here_says_where_it_does() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    bench.keys("a");
    assert!(bench.shows("a: draw arrow works in Workflow · states"), "{}", bench.screen());
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Invoke);
    bench.keys("W");
    assert!(bench.shows("only in Workflow (what if)"), "{}", bench.screen());
    // What it does on many screens is read in the help.
    bench.keys("D");
    assert!(bench.shows("D does nothing in this pane; ? lists"), "{}", bench.screen());
    bench.keys("Z");
    assert!(bench.shows("? lists the keys that work"), "{}", bench.screen());
}

#[test]
fn what_is_missing_for_a_call_is_named_as_the_form_names_it() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    bench.keys("@send");
    let said = " expression: is required; Enter edits it, send again to make the call anyway";
    assert!(bench.shows(said), "{}", bench.screen());
}

#[test]
fn help_wraps_what_it_says_and_a_press_on_any_line_of_a_row_chooses_it() {
    let mut bench = Workbench::sample("demo", 80, 24).on(ScreenId::Invoke);
    bench.keys("?");
    bench.types("mock");
    for part in ["Invoke · Mock the tool's service:", "an echo", "send them to the", "again"] {
        assert!(bench.shows(part), "{part}: {}", bench.screen());
    }
    assert!(!bench.shows("…  m"), "{}", bench.screen());
    bench.clicks("send them to the");
    assert!(!bench.shows("Help") && bench.shows("nothing is sent"), "{}", bench.screen());
}

#[test]
fn a_question_for_one_text_is_answered_with_its_buttons() {
    let mut bench = Workbench::sample("demo", 80, 24);
    bench.keys("r");
    bench.clicks(" Esc cancel ");
    assert!(!bench.shows("╭ Rename"), "{}", bench.screen());
    bench.keys("r ctrl+u");
    bench.types("ask-customers");
    bench.clicks(" Enter rename ");
    assert!(bench.shows("ask-customers"), "{}", bench.screen());
}

#[test]
fn a_press_outside_a_dialog_closes_it_unless_a_text_would_be_lost() {
    let mut bench = Workbench::sample("demo", 80, 24);
    bench.keys("r");
    bench.clicks("2 Workflow");
    assert!(!bench.shows("╭ Rename"), "{}", bench.screen());
    bench.keys("r");
    bench.types("x");
    bench.clicks("3 Invoke");
    assert!(bench.shows("╭ Rename"), "{}", bench.screen());
    bench.keys("esc 4 a");
    bench.types(">5s");
    bench.clicks("3 Invoke");
    assert!(bench.shows("What you typed is still here: Esc discards it"), "{}", bench.screen());
    bench.keys("esc");
    assert!(!bench.shows("╭ Alert"), "{}", bench.screen());
}

#[test]
fn saving_one_of_several_files_names_the_key_that_saves_the_others() {
    let mut bench = Workbench::files(
        &[
            ("a.json", r#"{"type": "text-completion", "name": "a", "description": "A"}"#),
            ("b.json", r#"{"type": "text-completion", "name": "b", "description": "B"}"#),
        ],
        120,
        36,
    );
    let edited = |name: &str| {
        let text =
            format!(r#"{{"type": "text-completion", "name": "{name}", "description": "C"}}"#);
        (FileId::new(format!("{name}.json")), Arc::<str>::from(text))
    };
    let files = [edited("a"), edited("b")];
    let change =
        |(file, text): &(FileId, Arc<str>)| Change::Text { file: file.clone(), text: text.clone() };
    let changes = files.iter().map(change).collect();
    bench.send(Message::Document(DocumentMessage::Change { label: "edit both".into(), changes }));
    let saved = |(file, text): &(FileId, Arc<str>)| {
        Message::Document(DocumentMessage::Saved { file: file.clone(), text: Some(text.clone()) })
    };
    bench.send(saved(&files[0]));
    bench.draw();
    assert!(bench.shows("Saved a.json; S saves 1 other file too"), "{}", bench.screen());
    bench.send(saved(&files[1]));
    bench.draw();
    assert!(bench.shows("Saved b.json") && !bench.shows("S saves"), "{}", bench.screen());
}

#[test]
fn a_press_on_the_mode_asks_which_and_says_what_each_means() {
    let mut bench = Workbench::sample("demo", 120, 36);
    bench.clicks("document mode");
    assert!(bench.shows("▌document") && bench.shows("either key for states"), "{}", bench.screen());
    assert!(bench.shows(" EDIT "), "letters look for a row: {}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("document mode"), "{}", bench.screen());
    bench.keys("@switch-mode");
    bench.types("as");
    assert!(bench.shows(" EDIT "), "what is typed looks for a row: {}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("as deployed mode: only applicable-states"), "{}", bench.screen());
}

const NO_NAME: &str =
    "tool:\n  adder:\n    type: tool-service\n    description: Adds\n    group: [g]\n";

#[test]
fn a_missing_name_is_seen_where_the_models_view_shows_the_key() {
    let mut bench = Workbench::yaml(NO_NAME, 120, 40);
    bench.clicks("Model");
    assert!(bench.shows("\"name\" is missing in the descriptor"), "{}", bench.screen());
    let mut bench =
        Workbench::yaml(&NO_NAME.replace("description", "name: adder\n    description"), 120, 40);
    bench.clicks("Model");
    assert!(bench.shows("OpenAI") && !bench.shows("is missing"), "{}", bench.screen());
}

#[test]
fn errors_are_counted_the_same_at_the_fields_and_below() {
    let mut bench = Workbench::yaml(NO_NAME, 120, 40);
    let signs = |bench: &Workbench| {
        let screen = bench.screen();
        let form = screen.lines().filter_map(|line| line.split('│').nth(3).map(str::to_owned));
        form.filter(|part| part.contains("✗ ")).count()
    };
    assert!(bench.shows("✗ 2 errors"), "{}", bench.screen());
    assert_eq!(signs(&bench), 2, "{}", bench.screen());
    bench.keys("tab enter");
    bench.types("adder");
    bench.keys("esc");
    assert!(bench.shows("✗ 1 error"), "{}", bench.screen());
    assert_eq!(signs(&bench), 1, "{}", bench.screen());
}

#[test]
fn a_press_on_the_fix_of_a_problem_makes_it() {
    let mut bench = Workbench::yaml(NO_NAME, 160, 40);
    bench.clicks("Problems");
    bench.clicks("▸ F name it");
    let tools = bench.state.documents.get(&FileId::new("tools.yaml")).unwrap();
    assert!(tools.text.to_string().contains("name: adder"), "{}", bench.screen());
}

#[test]
fn a_key_beside_its_label_is_whole_or_below_the_row() {
    for (width, height) in [(120, 36), (200, 60)] {
        let mut bench = Workbench::sample("demo", width, height);
        assert!(!bench.shows("available in ap"), "{}", bench.screen());
        bench.keys("tab down down down down down");
        assert!(bench.shows("▌available in"), "{}", bench.screen());
        let (column, row) = bench.find("▌available in");
        let screen = bench.screen();
        let mut below = screen.lines().skip(usize::from(row)).take(4);
        assert!(column > 0 && below.any(|line| line.contains("applicable-states")), "{screen}");
    }
}

#[test]
fn the_run_says_out_of_how_many_tools_a_step_was_chosen() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    bench.keys("enter enter");
    assert!(bench.shows("had 1 of 4 tools"), "{}", bench.screen());
}

#[test]
fn the_mode_is_seen_and_pressed_at_eighty_columns() {
    let mut bench = Workbench::sample("demo", 80, 24);
    bench.clicks("doc  ○");
    assert!(bench.shows("Rules of groups and states"), "{}", bench.screen());
}

#[test]
fn undo_puts_the_cursor_back_where_the_edit_was_made() {
    let mut bench = Workbench::sample("demo", 120, 36);
    let key = |bench: &Workbench| {
        let entry = bench.state.selected.as_ref().and_then(|id| bench.state.catalog.entry(id));
        entry.map(|entry| entry.key.to_string())
    };
    bench.keys("down");
    let second = key(&bench).unwrap();
    bench.keys("d");
    assert!(bench.shows(&format!("Delete {second}?")), "{}", bench.screen());
    bench.keys("right enter");
    assert_ne!(key(&bench).as_ref(), Some(&second));
    bench.keys("u");
    assert_eq!(key(&bench), Some(second));
}

#[test]
fn a_deletion_names_the_scenarios_that_still_name_the_tool() {
    let scenario = "start: {groups: [default]}\nsteps:\n  - tool: weather-tool\n";
    let files = [("tools.yaml", TWO_NAMES), ("scenarios/a.yaml", scenario)];
    let mut bench = Workbench::files(&files, 120, 36);
    bench.keys("d");
    assert!(bench.shows("Still named in scenarios/a.yaml."), "{}", bench.screen());
}

#[test]
fn the_actions_menu_has_what_is_done_with_the_tool() {
    for screen in [ScreenId::Tools, ScreenId::Invoke] {
        let mut bench = Workbench::yaml(TWO_NAMES, 120, 40).on(screen);
        bench.keys(".");
        bench.types("make serv");
        assert!(bench.shows("▌make service"), "{}", bench.screen());
        bench.keys("enter");
        assert!(bench.shows("Added service weather"), "{}", bench.screen());
    }
}

#[test]
fn a_mock_is_announced_where_its_form_is_not_seen() {
    let mut bench = Workbench::yaml(TWO_NAMES, 80, 24).on(ScreenId::Invoke);
    bench.keys("m");
    assert!(
        bench.shows("weather-tool is mocked: nothing is sent; m ends it"),
        "{}",
        bench.screen()
    );
    bench.keys("m");
    assert!(bench.shows("calls of weather-tool go to its service again"), "{}", bench.screen());
}

#[test]
fn a_letter_that_means_nothing_on_welcome_is_answered_by_what_does() {
    let mut bench = Workbench::files(&[], 120, 36);
    bench.state.question = Some(Question::Begin);
    bench.draw();
    assert!(!bench.shows("Press a letter"), "{}", bench.screen());
    bench.keys("x");
    assert!(bench.shows("Press a letter, or choose"), "{}", bench.screen());
}

#[test]
fn a_what_if_says_what_applying_it_does() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    assert!(bench.shows("W what if"), "{}", bench.screen());
    bench.keys("W");
    assert!(bench.shows("W apply") && !bench.shows("W what if"), "{}", bench.screen());
    bench.keys("W");
    assert!(bench.shows("the what-if changed nothing"), "{}", bench.screen());
}

fn groups(bench: &Workbench) -> Vec<String> {
    let groups = bench.state.context().groups.unwrap_or_default();
    groups.iter().map(ToString::to_string).collect()
}

#[test]
fn undo_takes_back_what_was_ticked_and_what_a_what_if_requested() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    let start = WorkflowMessage::SetGroups(Some(vec!["read-only".into()]));
    bench.send(Message::Workflow(start));
    let before = groups(&bench);
    let tick = |bench: &mut Workbench, group: &str| {
        let group = WorkflowMessage::ToggleGroup(group.into());
        bench.send(Message::Workflow(group));
        bench.draw();
    };
    tick(&mut bench, "products");
    assert_eq!(groups(&bench).len(), before.len() + 1);
    bench.keys("u");
    assert_eq!(groups(&bench), before);
    bench.keys("U");
    assert_eq!(groups(&bench).len(), before.len() + 1);
    bench.keys("u W");
    tick(&mut bench, "products");
    // Within it, undo takes back what was tried.
    bench.keys("u");
    assert_eq!(bench.state.workflow.what_if.as_ref().unwrap().groups, bench.state.context().groups);
    bench.keys("u");
    assert!(bench.shows("there is nothing to undo"), "{}", bench.screen());
    tick(&mut bench, "products");
    bench.keys("W");
    assert_eq!(groups(&bench).len(), before.len() + 1);
    bench.keys("u");
    assert_eq!(groups(&bench), before);
}

#[test]
fn the_matrix_tries_cells_during_a_what_if() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    let text = |bench: &Workbench| {
        let documents = bench.state.documents.iter();
        documents.map(|(_, document)| document.text.to_string()).collect::<String>()
    };
    let before = text(&bench);
    bench.keys("W v space");
    assert_eq!(text(&bench), before);
    let edits = |bench: &Workbench| bench.state.workflow.what_if.as_ref().unwrap().edits.len();
    assert_eq!(edits(&bench), 1);
    bench.keys("u");
    assert_eq!(edits(&bench), 0, "{}", bench.screen());
    bench.keys("space U");
    assert_eq!((text(&bench), edits(&bench)), (before.clone(), 1));
    assert!(bench.shows("tries it, and changes no file"), "{}", bench.screen());
    // The cell shows what is tried: a second time takes it back.
    bench.keys("space");
    assert!(bench.state.workflow.what_if.as_ref().unwrap().edits.len() <= 1);
    let tool = &bench.state.catalog.tools[0];
    let tried = bench.state.workflow.what_if.as_ref().unwrap().tried_tool(tool);
    // A group that is ticked again comes last.
    let sorted = |mut groups: Vec<_>| {
        groups.sort();
        groups
    };
    assert_eq!(sorted(tried.gate.groups()), sorted(tool.gate.groups()));
    bench.keys("space v v W");
    assert_ne!(text(&bench), before, "{}", bench.screen());
    assert!(bench.shows("Applied ") && bench.shows("u undoes"), "{}", bench.screen());
    bench.keys("u");
    assert_eq!(text(&bench), before);
}

#[test]
fn a_what_if_is_begun_seen_and_applied_in_the_matrix_and_with_the_mouse() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    let text = |bench: &Workbench| {
        let documents = bench.state.documents.iter();
        documents.map(|(_, document)| document.text.to_string()).collect::<String>()
    };
    let before = text(&bench);
    bench.keys("v W");
    assert!(bench.shows("What if · Matrix") && bench.shows("[ Apply W ]"), "{}", bench.screen());
    bench.keys("right right right down space");
    assert!(bench.shows("the what-if so far"), "{}", bench.screen());
    bench.clicks("[ Apply W ]");
    assert!(bench.state.workflow.what_if.is_none() && text(&bench) != before);
    bench.keys("u esc W");
    bench.clicks("[ ] products");
    assert!(bench.shows("groups requested: + products"), "{}", bench.screen());
    bench.clicks("[ Apply W ]");
    assert!(bench.state.workflow.what_if.is_none(), "{}", bench.screen());
    assert!(groups(&bench).contains(&"products".to_owned()));
}

#[test]
fn a_column_that_a_what_if_empties_stays_until_the_matrix_closes() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    bench.keys("v W home");
    let column = |bench: &Workbench| {
        let screen = bench.screen();
        let foot = screen.lines().find(|line| line.contains(" × group ")).unwrap().to_owned();
        foot.split(" × group ").nth(1).unwrap().split(' ').next().unwrap().to_owned()
    };
    bench.keys("right");
    let before = column(&bench);
    assert_eq!(before, "research", "{}", bench.screen());
    bench.keys("space");
    assert_eq!(column(&bench), before, "{}", bench.screen());
    bench.keys("space");
    let what_if = bench.state.workflow.what_if.as_ref().unwrap();
    let tool = &bench.state.catalog.tools[0];
    let groups = |tool: &toolcrib::model::tool::Tool| {
        let mut groups = tool.gate.groups();
        groups.sort();
        groups
    };
    assert_eq!(groups(&what_if.tried_tool(tool)), groups(tool), "the second press takes it back");
}

#[test]
fn a_mock_that_somebody_wrote_is_not_lost_by_quitting() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Invoke);
    bench.keys("m q");
    assert!(bench.effects.contains(&Effect::Quit), "nothing was said of it");
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Invoke);
    bench.keys("m down enter");
    bench.types("my own answer");
    bench.keys("esc");
    assert!(bench.shows("the text below is the answer"), "{}", bench.screen());
    bench.keys("q");
    assert!(bench.shows("The mock of query-customers isn't kept"), "{}", bench.screen());
    bench.clicks("keep as stub and quit");
    let file = FileId::new("stubs/query-customers.yaml");
    let kept = bench.state.documents.get(&file).unwrap().text.to_string();
    assert!(kept.contains(r#"["my ", "own ", answer]"#), "{kept}");
    bench.send(Message::Document(DocumentMessage::Saved { file, text: Some(kept.into()) }));
    assert!(bench.effects.contains(&Effect::Quit));
}

#[test]
fn a_mock_that_cannot_be_kept_is_not_offered_to_be() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Invoke);
    let file = FileId::new("stubs/query-customers.yaml");
    let create = Change::Create { file: file.clone(), text: "name: [".into() };
    let label = "a stub".to_owned();
    bench.send(Message::Document(DocumentMessage::Change { label, changes: vec![create] }));
    bench.send(Message::Document(DocumentMessage::Saved { file, text: Some("name: [".into()) }));
    bench.keys("m down enter");
    bench.types("my own answer");
    bench.keys("esc q");
    assert!(bench.shows("can't be kept: can't read stubs/query-customers"), "{}", bench.screen());
    assert!(!bench.shows("Keep as stub") && bench.shows("Quit without saving"));
    bench.keys("enter");
    assert!(!bench.shows("Quit?") && !bench.effects.contains(&Effect::Quit));
    bench.keys("q right enter");
    assert!(bench.effects.contains(&Effect::Quit));
}

#[test]
fn a_renamed_tool_keeps_its_mock_and_what_was_typed() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Invoke);
    bench.keys("m down enter");
    bench.types("my own answer");
    bench.keys("esc");
    bench.send(Message::Show(ScreenId::Tools));
    bench.draw();
    let said = |bench: &Workbench, key: &str| {
        let tool = bench.state.catalog.tools.iter().find(|tool| tool.entry.key == *key).unwrap();
        bench.state.mock_of(tool).map(|mock| format!("{mock:?}")).unwrap_or_default()
    };
    assert!(said(&bench, "query-customers").contains("my "));
    bench.keys("home r ctrl+u");
    bench.types("ask-customers");
    bench.keys("enter");
    if bench.shows("Enter rename") {
        bench.keys("enter");
    }
    assert!(said(&bench, "ask-customers").contains("my "), "{}", bench.screen());
    bench.keys("u");
    assert!(said(&bench, "query-customers").contains("my "), "{}", bench.screen());
    bench.keys("U");
    assert!(said(&bench, "ask-customers").contains("my "), "{}", bench.screen());
}

#[test]
fn the_arrows_go_from_the_arguments_to_the_mock_and_back() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Invoke);
    let here = |bench: &Workbench| bench.shows("What the answer is");
    bench.keys("m");
    assert!(here(&bench), "{}", bench.screen());
    bench.keys("up");
    assert!(!here(&bench), "{}", bench.screen());
    bench.keys("down");
    assert!(here(&bench), "{}", bench.screen());
    bench.keys("down");
    assert!(!here(&bench), "within the mock they go from field to field: {}", bench.screen());
}

#[test]
fn what_a_notice_names_works_in_edit_too() {
    let one = r#"{"type": "knowledge-query", "name": "a", "description": "Asks"}"#;
    let mut bench = Workbench::files(&[("a.json", one), ("b.json", one)], 120, 36);
    let change = |bench: &mut Workbench, name: &str| {
        let (file, text) = (FileId::new(name), one.replace("Asks", "Asks again").into());
        let change = vec![Change::Text { file, text }];
        let message = DocumentMessage::Change { label: "edit".into(), changes: change };
        bench.send(Message::Document(message));
    };
    change(&mut bench, "a.json");
    change(&mut bench, "b.json");
    bench.send(Message::Select(bench.state.catalog.tools[0].id().clone()));
    let file = bench.state.selected.as_ref().unwrap().file().clone();
    let text = bench.state.documents.get(&file).unwrap().text.to_string();
    let saved = || DocumentMessage::Saved { file: file.clone(), text: Some(text.clone().into()) };
    bench.send(Message::Document(saved()));
    bench.draw();
    assert!(bench.shows("; S saves 1 other file too"), "{}", bench.screen());
    assert!(bench.shows("[ Save all S ]"), "{}", bench.screen());
    bench.keys("tab enter");
    bench.send(Message::Document(saved()));
    bench.draw();
    assert!(bench.shows("EDIT") && bench.shows("Esc, then S saves 1 other file too"));
    bench.clicks("[ Save all ]");
    let saves = bench.effects.iter().filter(|effect| matches!(effect, Effect::Save { .. }));
    assert_eq!(saves.count(), 1, "{}", bench.screen());
}

#[test]
fn a_press_on_a_note_does_not_reach_what_it_hides() {
    let mut bench = Workbench::sample("demo", 80, 16);
    let chosen = bench.state.selected.clone();
    let words = "a note that is longer than the line ".repeat(80);
    bench.send(Message::Notice(NoticeKind::Hint, words));
    bench.draw();
    let note =
        |bench: &Workbench| bench.screen().lines().position(|line| line.contains("than the line"));
    let row = u16::try_from(note(&bench).unwrap()).unwrap();
    mouse(&mut bench, MouseKind::Down(Button::Left), (5, row));
    assert_eq!(bench.state.selected, chosen, "{}", bench.screen());
    assert!(note(&bench).is_none(), "a press is the next input: {}", bench.screen());
    mouse(&mut bench, MouseKind::Down(Button::Left), (5, row));
    assert_ne!(bench.state.selected, chosen, "an entry is there: {}", bench.screen());
}

#[test]
fn a_long_note_leaves_the_tour_and_the_buttons_of_panes() {
    let mut bench = Workbench::sample("demo", 80, 24).on(ScreenId::Invoke);
    bench.state.tour = Tour::Offered;
    let words = "a note that is longer than the line ".repeat(4);
    bench.send(Message::Notice(NoticeKind::Hint, words));
    bench.draw();
    let screen = bench.screen();
    assert!(screen.contains("than the line") && screen.contains("F1 starts it"), "{screen}");
    let edge = screen.lines().nth(21).unwrap();
    assert!(edge.starts_with('╰') && edge.ends_with('╯'), "{screen}");
}

#[test]
fn a_step_that_can_no_longer_be_taken_says_so() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    let groups = vec!["read-only".into()];
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(groups))));
    bench.draw();
    bench.keys("enter");
    assert!(!bench.shows("⚠ hidden now"), "{}", bench.screen());
    let file = bench.state.catalog.tools[0].id().file().clone();
    let text = bench.state.documents.get(&file).unwrap().text.to_string();
    let text = text.replacen(r#"["undefined", "findings"]"#, r#"["findings"]"#, 1);
    let changes = vec![Change::Text { file, text: text.into() }];
    bench.send(Message::Document(DocumentMessage::Change { label: "edit".into(), changes }));
    bench.draw();
    assert!(bench.shows("⚠ hidden now"), "{}", bench.screen());
    bench.keys("K");
    assert!(bench.shows("Tools have changed since"), "{}", bench.screen());
}

#[test]
fn the_run_is_named_where_it_has_the_keys_at_80_columns() {
    let mut bench = Workbench::sample("demo", 80, 24).on(ScreenId::Workflow);
    assert!(bench.shows("▸Tools") && !bench.shows("▸Run"), "{}", bench.screen());
    bench.keys("tab");
    assert!(bench.shows("▸Run") && !bench.shows("▸Tools"), "{}", bench.screen());
}

#[test]
fn an_arrow_names_the_key_that_deletes_it() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    bench.keys("shift+tab ]");
    assert!(bench.shows("d delete arrow"), "{}", bench.screen());
    bench.keys("esc");
    assert!(!bench.shows("d delete arrow"), "{}", bench.screen());
}

#[test]
fn tools_of_a_file_that_broke_on_disk_are_marked() {
    let mut bench = Workbench::sample("demo", 120, 36);
    bench.keys("home");
    let row = |bench: &Workbench| {
        let screen = bench.screen();
        screen.lines().find(|line| line.contains("○ query-customers")).unwrap().to_owned()
    };
    assert!(!row(&bench).contains('✗'), "{}", bench.screen());
    let file = bench.state.catalog.tools[0].id().file().clone();
    let text = Some("a: [".into());
    bench.send(Message::Document(DocumentMessage::DiskChanged { file, text }));
    bench.draw();
    assert!(row(&bench).contains('✗'), "{}", bench.screen());
}

#[test]
fn nothing_is_typed_into_a_tool_whose_file_broke_on_disk() {
    let mut bench = Workbench::sample("demo", 120, 36);
    bench.keys("home");
    let selected = bench.state.selected.clone().unwrap();
    let file = selected.file().clone();
    let good = bench.state.documents.get(&file).unwrap().text.whole_text().clone();
    let breaks = |text: Arc<str>| {
        let text = Some(text);
        Message::Document(DocumentMessage::DiskChanged { file: file.clone(), text })
    };
    bench.send(breaks("a: [".into()));
    bench.draw();
    bench.keys("tab enter");
    assert!(bench.shows("can't be read") && bench.shows("NAV"), "{}", bench.screen());
    bench.send(breaks(good));
    bench.draw();
    bench.keys("enter");
    assert!(bench.shows("EDIT"), "{}", bench.screen());
}

#[test]
fn a_call_that_is_not_kept_is_said_until_the_next_key_and_in_history() {
    let mut bench = Workbench::sample("demo", 120, 36);
    let problem = Problem::new(ProblemKind::File, "writing the history", "the disk is full");
    bench.send(Message::History(HistoryMessage::NotKept(problem)));
    bench.send(Message::Notice(NoticeKind::Done, "calculator succeeded".into()));
    bench.draw();
    assert!(bench.shows("calls can't be saved in the history"), "{}", bench.screen());
    bench.keys("5");
    let listed =
        HistoryMessage::Listed { turn: bench.state.invoke.kept.asked, listing: Arc::default() };
    bench.send(Message::History(listed));
    bench.draw();
    assert!(bench.shows("calls can't be saved: writing the history"), "{}", bench.screen());
}

#[test]
fn what_is_edited_to_be_sent_again_is_seen_at_80_columns() {
    let mut bench = ready();
    bench.resize(80, 24);
    bench.keys("f6");
    bench.happens([(5, EventKind::End { outcome: Outcome::Succeeded, problem: None })]);
    bench.draw();
    assert!(bench.shows("▸Answer"), "{}", bench.screen());
    let arguments = r#"{"expression": "2"}"#.into();
    let tool = bench.state.catalog.tool_called("calculator").unwrap().id().clone();
    let edit = CallMessage::EditSent { tool, arguments, meta: None, route: None };
    bench.send(Message::Call(edit));
    bench.draw();
    assert!(bench.shows("▸Request"), "{}", bench.screen());
    bench.keys("m");
    assert!(bench.shows("Mocked:") && bench.shows("▌answer"), "{}", bench.screen());
}

#[test]
fn a_text_that_was_sent_is_no_longer_edited() {
    let mut bench = ready();
    bench.keys("i");
    assert!(bench.shows(" EDIT "), "{}", bench.screen());
    bench.keys("f6");
    assert!(bench.shows(" NAV "), "{}", bench.screen());
    bench.keys("1");
    assert_eq!(bench.state.screen, ScreenId::Tools);
}

#[test]
fn a_live_step_whose_arguments_are_filled_in_first_is_taken_by_sending() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    let groups = WorkflowMessage::SetGroups(Some(vec!["read-only".into()]));
    bench.send(Message::Workflow(groups));
    bench.draw();
    bench.keys("@step-live");
    assert_eq!(bench.state.screen, ScreenId::Invoke, "{}", bench.screen());
    assert!(bench.shows("takes the live step"), "{}", bench.screen());
    bench.keys("enter");
    bench.types("What now?");
    bench.keys("f6");
    assert_eq!(bench.state.screen, ScreenId::Workflow, "{}", bench.screen());
    assert!(bench.state.workflow.live.is_some());
}

#[test]
fn an_arrow_that_was_cancelled_leaves_the_state_selected_where_it_began() {
    let mut bench = Workbench::sample("demo", 120, 36).on(ScreenId::Workflow);
    bench.keys("shift+tab a");
    assert!(bench.shows("undefined → "), "{}", bench.screen());
    bench.keys("down");
    assert!(!bench.shows("undefined → undefined"), "{}", bench.screen());
    bench.keys("esc a enter");
    assert!(bench.shows("undefined → undefined"), "{}", bench.screen());
}

#[test]
fn what_somebody_else_saved_is_in_the_difference_and_in_the_question() {
    let mut bench = Workbench::sample("demo", 120, 36);
    let entry = bench.state.catalog.tools[0].id().clone();
    let file = entry.file().clone();
    let at = Pointer::root().child("description");
    let edit = EntryEdit { entry, edit: Edit::Set { at, to: "Mine.".into() } };
    let (label, changes) = ("edit".to_owned(), vec![Change::Entry(edit)]);
    bench.send(Message::Document(DocumentMessage::Change { label, changes }));
    let before = bench.state.documents.get(&file).unwrap().saved.clone().unwrap();
    let disk: Option<Arc<str>> = Some(format!("# by somebody else\n{before}").into());
    let text = disk.clone();
    bench.send(Message::Document(DocumentMessage::DiskChanged { file: file.clone(), text }));
    bench.keys("D");
    assert!(bench.shows("- # by somebody else") && bench.shows("Mine."), "{}", bench.screen());
    bench.keys("esc");
    bench.send(Message::Document(DocumentMessage::SaveRefused { file, disk }));
    bench.draw();
    assert!(
        bench.shows("What overwriting would change:") && bench.shows("- # by somebody else"),
        "{}",
        bench.screen()
    );
}

/// All of a question can be read, however long what it is about.
#[test]
fn a_question_of_many_lines_is_scrolled() {
    let (mut bench, file, ..) = changed_on_both_sides();
    let lines: String = (0..80).map(|row| format!("# line {row}\n")).collect();
    let before = bench.state.documents.get(&file).unwrap().saved.clone().unwrap();
    let disk: Option<Arc<str>> = Some(format!("{lines}{before}").into());
    bench.send(Message::Document(DocumentMessage::SaveRefused { file, disk }));
    bench.draw();
    assert!(bench.shows("# line 0") && !bench.shows("# line 79"), "{}", bench.screen());
    assert!(bench.shows("scroll") && bench.shows(" more"), "{}", bench.screen());
    bench.keys("end");
    assert!(bench.shows("Mine.") && !bench.shows("# line 0"), "{}", bench.screen());
    bench.keys("home");
    bench.wheel("# line 0", 40);
    assert!(bench.shows("Mine."), "{}", bench.screen());
    bench.keys("home down");
    assert!(bench.shows("# line 0") && !bench.shows("since it was read"), "{}", bench.screen());
}

/// Demo, whose first tool was changed here, and whose file by somebody else; with the text on disk
/// before, and theirs.
fn changed_on_both_sides() -> (Workbench, FileId, Arc<str>, Arc<str>) {
    let mut bench = Workbench::sample("demo", 120, 36);
    let entry = bench.state.catalog.tools[0].id().clone();
    let file = entry.file().clone();
    change_text(&mut bench, entry, "description");
    let before = bench.state.documents.get(&file).unwrap().saved.clone().unwrap();
    let theirs: Arc<str> = format!("# by somebody else\n{before}").into();
    let text = Some(theirs.clone());
    bench.send(Message::Document(DocumentMessage::DiskChanged { file: file.clone(), text }));
    bench.draw();
    assert!(bench.shows("saving will ask"), "{}", bench.screen());
    (bench, file, before, theirs)
}

fn change_text(bench: &mut Workbench, entry: EntryId, key: &str) {
    let edit = Edit::Set { at: Pointer::root().child(key), to: "Mine.".into() };
    let changes = vec![Change::Entry(EntryEdit { entry, edit })];
    bench.send(Message::Document(DocumentMessage::Change { label: "edit".into(), changes }));
}

/// The files that are to be written, with what each was typed over.
fn written(bench: &Workbench) -> Vec<(FileId, Option<Arc<str>>)> {
    let saves = bench.effects.iter().filter_map(|effect| match effect {
        Effect::Save { file, before, .. } => Some((file.clone(), before.clone())),
        _ => None,
    });
    saves.collect()
}

#[test]
fn a_file_that_is_read_again_still_asks_before_it_is_overwritten() {
    let (mut bench, file, before, theirs) = changed_on_both_sides();
    let source = Source::parse(Format::Yaml, theirs.clone());
    let read = Loaded { text: theirs.clone(), source, held: None };
    bench.send(Message::Document(DocumentMessage::Loaded(vec![(file.clone(), read)])));
    bench.keys("s");
    assert!(bench.shows("Changed on disk") && bench.shows("Merge both"), "{}", bench.screen());
    assert_eq!(written(&bench), [], "nothing is written before the answer");
    bench.keys("m");
    let text = |bench: &Workbench| bench.state.documents.get(&file).unwrap().text.to_string();
    let merged = text(&bench);
    assert!(merged.starts_with("# by somebody else\n") && merged.contains("Mine."), "{merged}");
    let document = bench.state.documents.get(&file).unwrap();
    assert!(document.saved_source().is_some(), "only the entry that is changed is marked");
    bench.keys("s");
    assert_eq!(written(&bench), [(file.clone(), Some(theirs))]);
    // Taken back, it asks again: it was typed over another text than is on disk.
    bench.effects.clear();
    bench.keys("u");
    assert!(text(&bench).contains("Mine.") && !text(&bench).contains("somebody"));
    assert!(bench.state.documents.get(&file).unwrap().typed_over() == Some(&before));
    bench.keys("s");
    assert!(bench.shows("Changed on disk"), "{}", bench.screen());
    assert_eq!(written(&bench), [], "nothing is written before the answer");
}

#[test]
fn a_file_that_is_removed_after_it_was_changed_on_disk_is_written_again() {
    let (mut bench, file, ..) = changed_on_both_sides();
    let removed = DocumentMessage::DiskChanged { file: file.clone(), text: None };
    bench.send(Message::Document(removed));
    bench.draw();
    assert!(bench.shows("was removed on disk"), "{}", bench.screen());
    bench.keys("s");
    assert!(!bench.shows("There already"), "{}", bench.screen());
    assert_eq!(written(&bench), [(file, None)]);
}

#[test]
fn what_both_changed_is_not_merged() {
    let (mut bench, file, before, _) = changed_on_both_sides();
    let line = before.lines().find(|line| line.contains("description:")).unwrap();
    let disk = Some(before.replacen(line, &format!("{line} Theirs."), 1).into());
    bench.send(Message::Document(DocumentMessage::DiskChanged { file, text: disk }));
    bench.keys("s");
    assert!(bench.shows("Both changed the same lines, or lines"), "{}", bench.screen());
    assert!(!bench.shows("Merge both"), "{}", bench.screen());
}

#[test]
fn files_that_were_changed_together_wait_for_the_answer_about_one() {
    let (mut bench, file, _, theirs) = changed_on_both_sides();
    let other = bench.state.catalog.services[0].entry.id.clone();
    change_text(&mut bench, other.clone(), "id");
    bench.keys("S");
    assert!(bench.shows("Changed on disk"), "{}", bench.screen());
    assert_eq!(written(&bench), []);
    // It is as it was here: nothing is to be asked.
    bench.keys("esc");
    let text = bench.state.documents.get(&file).unwrap().saved.clone();
    assert_ne!(text, Some(theirs));
    bench.send(Message::Document(DocumentMessage::DiskChanged { file: file.clone(), text }));
    bench.keys("S");
    let mut files: Vec<FileId> = written(&bench).into_iter().map(|(file, _)| file).collect();
    files.sort();
    let mut expected = vec![file, other.file().clone()];
    expected.sort();
    assert_eq!(files, expected);
}

#[test]
fn what_is_undone_over_another_text_on_disk_says_how_to_read_it() {
    let (mut bench, _, _, _) = changed_on_both_sides();
    bench.keys("u");
    assert!(bench.shows("was changed on disk: F5 reads it"), "{}", bench.screen());
    bench.keys("U u s");
    assert!(bench.shows("was changed on disk: F5 reads it"), "{}", bench.screen());
    assert_eq!(written(&bench), []);
}

#[test]
fn a_tool_is_copied_as_an_api_gets_it() {
    let mut bench = Workbench::sample("demo", 120, 36);
    bench.keys("home j y");
    assert!(bench.shows("OpenAI") && bench.shows("descriptor"), "{}", bench.screen());
    bench.keys("down down down enter");
    let copied = bench.effects.iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.clone()),
        _ => None,
    });
    let copied: serde_json::Value = serde_json::from_str(&copied.unwrap()).unwrap();
    assert!(copied["inputSchema"].is_object(), "{copied}");
}

#[test]
fn keys_of_a_notice_are_those_of_a_text_that_is_edited() {
    let mut bench = ready();
    bench.keys("i");
    let words = "Named it; s saves, S saves all".to_owned();
    bench.send(Message::Notice(NoticeKind::Done, words));
    bench.draw();
    assert!(bench.shows("Ctrl+S saves") && !bench.shows("Ctrl+Esc"), "{}", bench.screen());
}

#[test]
fn a_terminal_without_other_signs_gets_every_screen_in_ascii() {
    let screens = [
        ScreenId::Tools,
        ScreenId::Workflow,
        ScreenId::Invoke,
        ScreenId::Watch,
        ScreenId::History,
        ScreenId::Connections,
    ];
    for screen in screens {
        let mut bench = Workbench::sample("spec-workflow", 200, 60).on(screen).in_ascii();
        for page in ["", "?"] {
            bench.types(page);
            let shown = bench.screen();
            let other = shown.lines().find(|line| !line.is_ascii());
            assert_eq!(other, None, "{screen:?}");
        }
    }
    let bench = Workbench::sample("spec-workflow", 200, 60).on(ScreenId::Workflow).in_ascii();
    assert!(bench.shows("> undefined") && bench.shows("+--"), "{}", bench.screen());
}

#[test]
fn no_key_acts_where_the_terminal_has_no_room_to_show_what_it_does() {
    let mut bench = Workbench::sample("demo", 120, 36);
    bench.resize(59, 20);
    assert!(bench.shows("press q to quit"), "{}", bench.screen());
    bench.keys("3 f6 n");
    bench.clicks("toolcrib");
    assert_eq!(bench.state.screen, ScreenId::Tools);
    assert!(bench.state.invoke.calls.iter().next().is_none());
    bench.resize(120, 36);
    assert!(!bench.shows("New"), "{}", bench.screen());
    bench.resize(40, 12);
    bench.keys("q");
    assert!(bench.effects.contains(&Effect::Quit), "{:?}", bench.effects);
}
