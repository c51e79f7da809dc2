//! The pictures in the README, made from the real program.
//! `UPDATE=1 cargo test --test all pictures` writes them anew.

use std::{env, fs, path::Path};

use crate::support::{
    picture::svg,
    terminal::{Terminal, toolcrib},
};

fn keep(terminal: &Terminal, name: &str, words: &str) {
    let picture = terminal.look(|screen| svg(screen, words));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name).with_extension("svg");
    if env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &picture).unwrap();
    }
    assert!(path.is_file(), "{} is not there: run this test with UPDATE=1", path.display());
    assert!(picture.matches("<text").count() > 50, "{name} shows next to nothing");
}

fn open(sample: &str) -> Terminal {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    let terminal = toolcrib([folder]).size(132, 36).start();
    terminal.wait_for("name *");
    terminal
}

#[test]
fn tools() {
    let terminal = open("spec-workflow");
    keep(&terminal, "tools", "Tools: the catalog, the form of a tool, and its file");
}

#[test]
fn workflow() {
    let mut terminal = open("spec-workflow");
    terminal.press(["2"]);
    terminal.wait_for("Available");
    terminal.press(["enter"]);
    terminal.wait_for("undefined → analysis");
    keep(
        &terminal,
        "workflow",
        "Workflow: the groups asked for, the states, the tools available and hidden, the run",
    );
}

#[test]
fn invoke() {
    let mut terminal = open("services");
    terminal.click_on("query-customers");
    terminal.wait_for("query-customers ·");
    terminal.press(["3"]);
    terminal.wait_for("question");
    terminal.press(["enter"]);
    terminal.paste("What are the top customer complaints?");
    terminal.wait_for("top customer complaints");
    terminal.press(["f6"]);
    terminal.wait_for("succeeded");
    keep(&terminal, "invoke", "Invoke: the arguments, the request, and the answer as it came");
}
