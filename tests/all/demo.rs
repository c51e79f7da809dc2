//! The demo from its first frame to a streamed answer and a step, by keys and by mouse.

use crate::support::terminal::{Modes, Terminal, toolcrib};

fn leave(mut terminal: Terminal) {
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
    terminal.assert_given_back();
}

#[test]
fn demo_draws_and_gives_the_terminal_back() {
    let terminal = toolcrib(["demo"]).start();
    for text in ["toolcrib", "1 Tools", "2 Workflow", "3 Invoke", "? help"] {
        terminal.wait_for(text);
    }
    let taken = Modes {
        alternate_screen: true,
        mouse: true,
        paste: true,
        keyboard: true,
        focus: true,
        cursor_hidden: true,
    };
    assert_eq!(terminal.modes(), taken);
    leave(terminal);
}

#[test]
fn a_streamed_answer_is_five_keys_away() {
    let mut terminal = toolcrib(["demo"]).start();
    terminal.wait_for("query-customers");
    terminal.press(["3", "f6"]);
    terminal.wait_for("streaming");
    terminal.wait_for("succeeded");
    assert!(terminal.presses() <= 5);
    leave(terminal);
}

#[test]
fn a_state_moves_within_five_keys() {
    let mut terminal = toolcrib(["demo"]).start();
    terminal.wait_for("query-customers");
    terminal.press(["2", "enter"]);
    terminal.wait_for("→");
    assert!(terminal.presses() <= 5);
    leave(terminal);
}

#[test]
fn a_mouse_alone_invokes() {
    let terminal = toolcrib(["demo"]).start();
    terminal.wait_for("query-customers");
    terminal.click_on("3 Invoke");
    terminal.wait_for("No call yet");
    terminal.click_on("tell-joke");
    terminal.wait_for("tell-joke ·");
    terminal.click_on(" send");
    terminal.wait_for("succeeded");
    assert_eq!(terminal.presses(), 0);
    terminal.click_on("1 Tools");
    terminal.wait_for("[read-only ×]");
    leave(terminal);
}

#[test]
fn a_mouse_alone_ticks_a_group_and_takes_a_step() {
    let terminal = toolcrib(["demo"]).start();
    terminal.wait_for("query-customers");
    terminal.click_on("2 Workflow");
    terminal.wait_for("[ ] products");
    terminal.click_on("[ ] products");
    terminal.wait_for("[x] products");
    terminal.click_on("● query-products");
    terminal.click_on(" step");
    terminal.wait_for("undefined → findings");
    leave(terminal);
}
