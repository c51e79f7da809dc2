//! The tour of the demo, taken on the real program; the README's first minute is its text, and
//! `docs/tour.svg` shows it.
//!
//! `UPDATE=1 cargo test --test all tour` makes the picture and the README's text again.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

use toolcrib::{app::update::tour::step_texts, ui::actions::build_keymap};

use crate::support::{
    picture::Moving,
    terminal::{Terminal, toolcrib},
};

const SIZE: (u16, u16) = (110, 30);
const OPEN: &str = "<!-- tour -->\n";
const CLOSE: &str = "<!-- /tour -->";

fn texts() -> Vec<String> {
    step_texts(&build_keymap(&BTreeMap::new()).0)
}

fn demo() -> Terminal {
    let terminal = toolcrib(["demo"]).size(SIZE.0, SIZE.1).start();
    terminal.wait_for("Take a tour of one minute");
    terminal.wait_for("query-customers");
    terminal
}

#[test]
fn the_tour_watches_what_is_done_and_says_the_next() {
    let mut picture = Moving::new(SIZE.0, SIZE.1);
    let mut terminal = demo();
    terminal.look(|screen| picture.add(screen, 2.0));
    terminal.press(["f1"]);
    terminal.wait_for("Tour 1/7");
    terminal.look(|screen| picture.add(screen, 2.0));
    terminal.press(["3"]);
    terminal.wait_for("Tour 2/7");
    terminal.look(|screen| picture.add(screen, 2.5));
    terminal.press(["f6"]);
    terminal.wait_for("streaming");
    terminal.look(|screen| picture.add(screen, 0.8));
    terminal.wait_for("succeeded");
    terminal.wait_for("Tour 3/7");
    terminal.look(|screen| picture.add(screen, 2.5));
    terminal.press(["2"]);
    terminal.wait_for("Tour 4/7");
    terminal.look(|screen| picture.add(screen, 2.5));
    terminal.press(["enter"]);
    terminal.wait_for("undefined → findings");
    terminal.wait_for("Tour 5/7");
    terminal.look(|screen| picture.add(screen, 2.5));
    terminal.click_on("[ ] products");
    terminal.wait_for("[x] products");
    terminal.wait_for("Tour 6/7");
    terminal.look(|screen| picture.add(screen, 2.5));
    terminal.press(["1", "tab", "enter", "end"]);
    terminal.type_text(" of the shop");
    terminal.press(["enter"]);
    terminal.wait_for("Tour 7/7");
    terminal.look(|screen| picture.add(screen, 2.5));
    terminal.press(["s"]);
    terminal.wait_for("That's the tour");
    terminal.wait_gone("Tour 7/7");
    terminal.look(|screen| picture.add(screen, 2.5));
    keep(&picture);
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
}

fn keep(picture: &Moving) {
    let svg =
        picture.svg("The tour of toolcrib's demo: call a tool, take a step, edit a descriptor");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tour.svg");
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &svg).unwrap();
    }
    assert!(svg.len() < 300_000, "{} bytes", svg.len());
    let kept = fs::read_to_string(&path).unwrap_or_default();
    // What the tour says is in the picture as it is now; times and ids are others each time.
    for number in 1..=texts().len() {
        let head = format!("Tour {number}/{}", texts().len());
        assert!(kept.contains(&head), "docs/tour.svg lacks {head}: run this test with UPDATE=1");
    }
}

#[test]
fn the_tour_can_be_left_and_never_comes_by_itself() {
    let mut terminal = demo();
    terminal.press(["f1"]);
    terminal.wait_for("Tour 1/7");
    terminal.press(["f1"]);
    terminal.wait_gone("Tour");
    // A press on what leaves it does what the key does; one on its words does nothing.
    terminal.press(["f1"]);
    terminal.wait_for("Tour 1/7");
    terminal.click_on("opens Invoke, where");
    terminal.press(["3"]);
    terminal.wait_for("Tour 2/7");
    terminal.click_on("leaves the tour");
    terminal.wait_gone("Tour");
    terminal.press(["2"]);
    terminal.wait_for("[ ] products");
    terminal.press(["3"]);
    terminal.wait_for("No call yet");
    assert!(!terminal.contents().contains("Tour"));
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
}

#[test]
fn the_first_minute_of_the_readme_is_the_tour() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(OPEN).unwrap();
    let (_, after) = rest.split_once(CLOSE).unwrap();
    let mut list = String::new();
    for (number, text) in texts().iter().enumerate() {
        writeln!(list, "{}. {text}", number + 1).unwrap();
    }
    let expected = format!("{before}{OPEN}{list}{CLOSE}{after}");
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let now = fs::read_to_string(&path).unwrap();
    assert!(now == expected, "the README's first minute is not the tour: UPDATE=1 updates it");
}
