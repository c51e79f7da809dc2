//! The picture of a workflow under keys and mouse, small and large.

use std::fmt::Write;

use toolcrib::{
    app::{
        input::{Button, Input, Mods, Mouse, MouseKind},
        message::{DocumentMessage, Message, ScreenId},
        workflow::WorkflowMessage,
    },
    model::{context::Name, entry::FileId},
};

use crate::support::workbench::Workbench;

/// A workspace of tools, each with the states it is available in and the one it leads to.
fn made(
    tools: impl IntoIterator<Item = (String, String, String)>,
    (width, height): (u16, u16),
) -> Workbench {
    let mut text = String::from("tool:\n");
    for (key, from, to) in tools {
        write!(
            text,
            "  {key}:\n    type: text-completion\n    name: {key}\n    description: Does {key}\n    group: [g]\n    \
             state: {to}\n    applicable-states: [{from}]\n"
        )
        .unwrap();
    }
    let mut bench = Workbench::yaml(&text, width, height);
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec![Name::from("g")]))));
    let mut bench = bench.on(ScreenId::Workflow);
    bench.keys("shift+tab");
    bench
}

fn state(row: usize) -> String {
    if row == 0 { "undefined".into() } else { format!("s{row}") }
}

fn tool(from: usize, to: usize) -> (String, String, String) {
    (format!("t{from}-{to}"), state(from), state(to))
}

fn presses(bench: &mut Workbench, kind: MouseKind, column: u16, row: u16) {
    bench.input(&Input::Mouse(Mouse { kind, column, row, mods: Mods::default() }));
}

#[test]
fn keys_go_along_arrows_first() {
    let mut bench = made([tool(0, 1), tool(0, 2), tool(1, 3)], (200, 60));
    bench.keys("right");
    assert!(bench.shows("s1 · by t0-1"), "{}", bench.screen());
    bench.keys("right");
    assert!(
        bench.shows("s3 · by t0-1, t1-3"),
        "s2 is as near, but no arrow leads there: {}",
        bench.screen()
    );
    bench.keys("left left");
    assert!(bench.shows("undefined · current"), "{}", bench.screen());
    bench.keys("left");
    assert!(bench.shows("there is no state in that direction"), "{}", bench.screen());
    bench.keys("right down");
    assert!(bench.shows("s2 · by t0-2"), "{}", bench.screen());
}

#[test]
fn an_arrow_is_chosen_and_taken() {
    let mut bench = made([tool(0, 1), tool(0, 2), tool(1, 3)], (200, 60));
    bench.keys("@next-arrow @next-arrow");
    assert!(bench.shows("undefined → s2: t0-2"), "{}", bench.screen());
    assert!(bench.shows("━━"), "the chosen arrow is told without colour: {}", bench.screen());
    bench.keys("enter");
    assert_eq!(bench.state.workflow.simulation.state(), "s2");
    bench.clicks("─ t1-3 ─");
    assert!(bench.shows("s1 → s3: t1-3"), "{}", bench.screen());
}

#[test]
fn arrows_at_a_state_are_chosen_like_those_between_two() {
    let reset = ("reset".to_owned(), "\"*\"".to_owned(), state(1));
    let mut bench = made([tool(0, 1), tool(1, 1), reset], (200, 60));
    bench.keys("right");
    for words in ["undefined → s1: t0-1", "s1 stays: t1-1", "any state → s1: reset"] {
        bench.keys("]");
        assert!(bench.shows(words), "{words}: {}", bench.screen());
    }
    bench.keys("[ d");
    assert!(bench.shows("Delete t1-1: s1 → s1?"), "{}", bench.screen());
    bench.keys("esc");
    bench.clicks("any: reset");
    assert!(bench.shows("any state → s1: reset"), "{}", bench.screen());
    bench.keys("o");
    assert!(bench.shows("always drawn together"), "{}", bench.screen());
    bench.keys("enter");
    assert_eq!(bench.state.workflow.simulation.state(), "s1");
    assert_eq!(bench.state.workflow.simulation.steps().count(), 1, "it is taken from anywhere");
}

#[test]
fn what_fits_in_no_size_is_shown_in_part_when_it_is_fitted() {
    let far = (1..30).flat_map(|row| [tool(row, row + 1), tool(row, row.div_ceil(2))]);
    let mut bench = made([tool(0, 1)].into_iter().chain(far), (80, 24));
    bench.keys("0");
    assert!(bench.shows("▶ undefined") && is_cut(&bench), "{}", bench.screen());
}

#[test]
fn a_request_that_offers_nothing_says_what_helps() {
    let mut bench = made([tool(0, 1)], (120, 36));
    assert!(bench.shows("choose a tool and press Enter"), "{}", bench.screen());
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec![Name::from("h")]))));
    bench.draw();
    let words = "no tool available: tick a group or press F";
    assert!(bench.shows(words) && !bench.shows("choose a tool"), "{}", bench.screen());
}

#[test]
fn a_bundle_is_counted_and_opened() {
    let long = |row: usize| (format!("a-tool-with-a-long-name-{row}"), state(0), state(1));
    let mut bench = made((0..4).map(long), (200, 60));
    assert!(
        bench.shows(", 3 more") && bench.screen().matches("─▶│").count() == 1,
        "{}",
        bench.screen()
    );
    bench.keys("@next-arrow o");
    assert_eq!(bench.screen().matches("▶│").count(), 4, "{}", bench.screen());
    bench.keys("o");
    assert!(bench.shows(", 3 more"), "{}", bench.screen());
}

#[test]
fn many_states_are_folded_or_shown_in_part_and_opened() {
    // Forty circles of four states, apart from each other and from the start.
    let circles = (0..40).flat_map(|circle| {
        (0..4).map(move |row| tool(1 + circle * 4 + row, 1 + circle * 4 + (row + 1) % 4))
    });
    let mut bench = made(circles, (120, 36));
    assert!(
        bench.shows("States · 161 · in 41 boxes") && bench.shows("▣ 4 states"),
        "{}",
        bench.screen()
    );
    bench.types("/");
    bench.types("s42");
    bench.keys("enter");
    assert!(bench.shows("s41 …"), "the box that holds it is in view: {}", bench.screen());
    bench.keys("o");
    assert!(bench.shows("in 44 boxes") && bench.shows("╎ s42"), "{}", bench.screen());
    bench.keys("o");
    assert!(bench.shows("in 41 boxes"), "{}", bench.screen());
}

#[test]
fn the_neighbourhood_follows_the_run_and_grows() {
    let mut bench = made((0..999).map(|row| tool(row, row + 1)), (120, 36));
    assert!(bench.shows("1000 · 30 near ─") && bench.shows("0 fit  view"), "{}", bench.screen());
    bench.types("/");
    bench.types("s500");
    bench.keys("enter");
    assert!(bench.shows("│ s500"), "{}", bench.screen());
    let further = "down ".repeat(15);
    bench.keys(&further);
    assert!(bench.shows("⋯ 1 more") && bench.shows("│ s515"), "{}", bench.screen());
    bench.keys("o down");
    assert!(bench.shows("31 near") && bench.shows("│ s516"), "{}", bench.screen());
    bench.keys("@view @view @view");
    assert!(
        !bench.shows("shown: every state"),
        "a thousand are not laid out while a key waits: {}",
        bench.screen()
    );
    bench.keys("@centre");
    assert!(bench.shows("▶ undefined"), "{}", bench.screen());
}

#[test]
fn zooming_out_ends_in_dots_and_the_map_leads_anywhere() {
    let mut bench = made((0..40).map(|row| tool(row, row + 1)), (120, 36));
    assert!(bench.shows("▶ undefined") && !bench.shows("s40"), "{}", bench.screen());
    let (column, row) = bench.find("┌");
    presses(&mut bench, MouseKind::Down(Button::Left), column + 2, row + 6);
    presses(&mut bench, MouseKind::Up(Button::Left), column + 2, row + 6);
    assert!(!bench.shows("┃ ▶ undefined"), "a press on the map went elsewhere: {}", bench.screen());
    bench.keys("@map");
    assert!(!bench.shows("┌"), "{}", bench.screen());
    bench.keys("- - - - -");
    assert!(bench.shows("○") && !bench.shows("s20"), "{}", bench.screen());
    bench.keys("-");
    assert!(bench.shows("no less detail to show"));
    bench.keys("0");
    assert!(bench.shows("●"), "{}", bench.screen());
}

fn is_cut(bench: &Workbench) -> bool {
    ["›", "‹", "▴", "▾"].iter().any(|sign| bench.shows(sign))
}

#[test]
fn a_small_pane_shows_every_state_by_name_from_the_start() {
    let mut bench = made((0..6).map(|row| tool(row, row + 1)), (80, 24));
    for name in ["▶ undefined", "s3", "s6", "t0-1", "t5-6"] {
        assert!(bench.shows(name), "{name}: {}", bench.screen());
    }
    assert!(!is_cut(&bench), "{}", bench.screen());
    // What is chosen by hand stays.
    bench.keys("+ + +");
    assert!(bench.shows("┃ ▶ undefined") && is_cut(&bench), "{}", bench.screen());
    bench.keys("0");
    assert!(bench.shows("s6") && !is_cut(&bench), "{}", bench.screen());
}

/// States keep their frames where hardly a label is lost by that.
#[test]
fn a_picture_that_fits_with_frames_has_them_when_it_is_fitted() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/demo");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let (tools, services, settings) =
        (read("tools.yaml"), read("services.yaml"), read("toolcrib.toml"));
    let products = tools.find("  query-products:").unwrap();
    let (before, after) = tools.split_at(products);
    let after = after.replacen("state: findings", "state: report", 1).replacen(
        "\"findings\"]",
        "\"findings\", \"figures\"]",
        1,
    );
    let tools = format!("{before}{after}");
    let files =
        [("tools.yaml", &*tools), ("services.yaml", &services), ("toolcrib.toml", &settings)];
    let mut bench = Workbench::files(&files, 142, 40).on(ScreenId::Workflow);
    bench.keys("shift+tab 0");
    for name in ["findings", "figures", "report"] {
        let framed = ["╎", "│", "┃"].map(|edge| format!("{edge} ■ {name} "));
        assert!(framed.iter().any(|name| bench.shows(name)), "{name}: {}", bench.screen());
    }
    assert!(!bench.shows("hidden: "), "{}", bench.screen());
}

#[test]
fn a_tool_that_gets_another_name_has_it_in_a_small_picture_too() {
    let mut bench = made((0..6).map(|row| tool(row, row + 1)), (80, 24));
    let file = FileId::new("tools.yaml");
    let text = bench.state.documents.get(&file).unwrap().text.whole_text().clone();
    assert!(bench.shows("t2-3"), "{}", bench.screen());
    let text = Some(text.replace("t2-3", "settle").into());
    bench.send(Message::Document(DocumentMessage::DiskChanged { file, text }));
    bench.draw();
    assert!(bench.shows("settle") && !bench.shows("t2-3"), "{}", bench.screen());
}

#[test]
fn states_for_whose_names_there_is_no_room_are_numbers_with_their_names_below() {
    let bench = made((0..12).map(|row| tool(row, row + 1)), (80, 24));
    assert!(bench.shows("1─▶2─▶3") || bench.shows("1──▶2──▶3"), "{}", bench.screen());
    assert!(bench.shows("1 ● undefined  2 s1  3 s2"), "{}", bench.screen());
    assert!(bench.shows("13 ■ s12") && !is_cut(&bench), "{}", bench.screen());
}

#[test]
fn the_buttons_on_the_edge_and_the_legend() {
    let mut bench = made([tool(0, 1)], (200, 60));
    bench.clicks("legend");
    assert!(bench.shows("dead end: no tool is available"), "{}", bench.screen());
    bench.keys("esc");
    bench.clicks("-  +");
    assert!(!bench.shows("1 tool "), "{}", bench.screen());
    assert!(bench.shows("■ s1"), "a dead end has a sign of its own: {}", bench.screen());
}

#[test]
fn finding_a_tool_shows_its_arrow_and_esc_leads_back() {
    let mut bench = made([tool(0, 1), tool(1, 2), tool(2, 3)], (200, 60));
    bench.types("/");
    bench.types("t2-");
    assert!(bench.shows("1 of 1") && bench.shows("s2 → s3: t2-3"), "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.shows("undefined · current"), "{}", bench.screen());
}

#[test]
fn a_whole_picture_that_outgrows_the_view_is_fitted_again_and_has_its_detail_back_after_an_undo() {
    let mut bench = made([tool(0, 1)], (120, 36));
    let first = bench.screen();
    assert!(!is_cut(&bench) && bench.shows("1 tool"), "{first}");
    for from in 1..8 {
        let (key, state, to) = tool(from, from + 1);
        let text = format!(
            "tool:\n  {key}:\n    type: text-completion\n    name: {key}\n    description: d\n    \
             group: [g]\n    state: {to}\n    applicable-states: [{state}]\n"
        );
        bench.input(&Input::Paste(text));
        bench.keys("enter");
        bench.draw();
        assert!(bench.shows(&format!("States · {}", from + 2)), "{}", bench.screen());
        // Up to here names have room; beyond it they stay, and the view scrolls.
        assert!(from > 4 || !is_cut(&bench), "{from}: {}", bench.screen());
        assert!(from != 4 || !bench.shows("1 tool"), "no room: {}", bench.screen());
        assert!(bench.shows("▶ undefined"), "{from}: {}", bench.screen());
    }
    (1..8).for_each(|_| bench.keys("u"));
    assert!(bench.shows("1 tool") && !is_cut(&bench), "{first}\n{}", bench.screen());
}

#[test]
fn tools_that_keep_a_state_are_marked_where_the_picture_has_no_room_for_them() {
    let stays =
        |row: usize| (0..5).map(move |tool| (format!("keep-{row}-{tool}"), state(row), state(row)));
    let tools = (0..12).map(|row| tool(row, row + 1)).chain([2, 5].into_iter().flat_map(stays));
    let mut bench = made(tools, (80, 24));
    assert!(bench.shows("─▶3↺─") && bench.shows("─▶6↺─"), "{}", bench.screen());
    bench.keys("right right");
    assert!(bench.shows("↺ keep-2-0, keep-2-1, keep-2-2, keep-2-3, …"), "{}", bench.screen());
    bench.keys("@signs");
    assert!(bench.shows("after a name: tools keep the state"), "{}", bench.screen());
}

#[test]
fn a_name_without_a_frame_is_marked_whether_or_not_its_tools_are_beside_it() {
    let stays = [2, 4].map(|row| (format!("keep-{row}"), state(row), state(row)));
    let bench = made((0..6).map(|row| tool(row, row + 1)).chain(stays), (80, 24));
    assert!(bench.shows("s2 ↺") && bench.shows("s4 ↺"), "{}", bench.screen());
    assert!(bench.shows("stays: keep-2"), "{}", bench.screen());
}

#[test]
fn how_many_labels_have_no_room_is_said_and_a_press_shows_more() {
    let mut bench = made((0..12).map(|row| tool(row, row + 1)), (80, 24));
    assert!(bench.shows("12 labels hidden: + zooms in"), "{}", bench.screen());
    for _ in 0..3 {
        bench.clicks("labels hidden: + zooms in");
    }
    assert!(bench.shows("─ t0-1 ─▶") && !bench.shows("hidden:"), "{}", bench.screen());
    let bench = made([tool(0, 1)], (80, 24));
    assert!(!bench.shows("hidden:"), "{}", bench.screen());
}

#[test]
fn the_picture_turns_only_when_the_screen_changes_not_when_the_run_needs_room() {
    let mut bench = made((0..12).map(|row| tool(row, row + 1)), (120, 36));
    assert!(bench.shows("▼ t0-1"), "{}", bench.screen());
    bench.keys("tab");
    for step in 1..9 {
        bench.keys("enter");
        let shown = format!("▼ t{step}-{}", step + 1);
        assert!(bench.shows(&shown) && !bench.shows("1─▶2"), "{step}: {}", bench.screen());
    }
    bench.resize(120, 28);
    assert!(bench.shows("1─▶2─▶3"), "{}", bench.screen());
}

/// Where these states are on the screen.
fn places(bench: &Workbench, states: &[&str]) -> Vec<(u16, u16)> {
    states.iter().map(|name| bench.find(&format!("│ {name} "))).collect()
}

fn branching() -> [(String, String, String); 8] {
    let named = |key: &str, from: &str, to: &str| (key.into(), from.into(), to.into());
    [
        named("a", "undefined", "one"),
        named("b", "undefined", "two"),
        named("c", "undefined", "three"),
        named("d", "one", "four"),
        named("e", "two", "four"),
        named("f", "three", "five"),
        named("g", "five", "two"),
        named("h", "four", "undefined"),
    ]
}

#[test]
fn undo_and_redo_bring_states_back_to_where_they_were() {
    let mut bench = made(branching(), (200, 60));
    let states = ["one", "two", "three", "four", "five"];
    let first = places(&bench, &states);
    // A tool that is available everywhere takes a line of the pane: the picture has another room.
    bench.input(&Input::Paste(
        "tool:\n  look:\n    type: text-completion\n    name: look\n    description: d\n".into(),
    ));
    bench.keys("enter");
    bench.types("/");
    bench.types("three");
    bench.keys("enter d right enter");
    assert!(!bench.shows("│ three "), "{}", bench.screen());
    let without = bench.screen();
    bench.keys("u u");
    assert_eq!(places(&bench, &states), first, "{}", bench.screen());
    bench.keys("ctrl+r ctrl+r");
    let rows =
        |screen: &str| screen.lines().skip(2).take(40).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&bench.screen()), rows(&without));
}

#[test]
fn a_state_with_another_name_is_where_it_was() {
    let mut bench = made(branching(), (200, 60));
    let others = ["one", "two", "four", "five"];
    let (first, before) = (places(&bench, &others), places(&bench, &["three"]));
    bench.types("/");
    bench.types("three");
    bench.keys("enter r ctrl+u");
    bench.types("third");
    bench.keys("enter");
    assert_eq!(places(&bench, &others), first, "{}", bench.screen());
    assert_eq!(places(&bench, &["third"]), before, "{}", bench.screen());
    bench.keys("u");
    assert_eq!(places(&bench, &["three"]), before, "{}", bench.screen());
}
