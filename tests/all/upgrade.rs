//! What an earlier version wrote is read, what another one wrote is named, and nothing is lost.
//!
//! `tests/upgrade` holds files as versions wrote them; they are never changed to fit a new one.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::support::{
    place::Place,
    terminal::{Terminal, toolcrib},
};

fn kept(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade/0.1").join(path)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The kept workspace, with the settings and the state of its user.
fn place() -> Place {
    let place = Place::with(&[]);
    copy(&kept("workspace"), &place.here);
    let config = place.home.path().join("config/toolcrib");
    fs::create_dir_all(&config).unwrap();
    fs::copy(kept("config.toml"), config.join("config.toml")).unwrap();
    let history = place.home.path().join("state/toolcrib/history").join(former_name(&place.here));
    fs::create_dir_all(&history).unwrap();
    fs::copy(kept("history.jsonl"), history.join("00000000.jsonl")).unwrap();
    place
}

/// What folders of a workspace's state were called by a version that hashed as Rust's maps do.
fn former_name(root: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    root.canonicalize().unwrap().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn open(place: &Place) -> Terminal {
    let mut setup = toolcrib([&place.here]).home(place.home.path());
    for (variable, folder) in [("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state")] {
        setup = setup.variable(variable, place.home.path().join(folder));
    }
    setup.start()
}

fn leave(mut terminal: Terminal) {
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
}

#[test]
fn a_workspace_of_an_earlier_version_is_read_without_a_finding() {
    let place = place();
    place.run(&["check"]).ended(0, &[]);
    let tools = place.json(&["tools", "--json"]);
    assert_eq!(tools.as_array().map_or(0, Vec::len), 4, "{tools}");
    place.run(&["simulate"]).ended(0, &[]);
    place.run(&["test"]).ended(0, &[]);
    place.run(&["check", "stubs"]).ended(0, &[]);
    let doctor = place.run(&["doctor"]);
    assert!(doctor.data.contains("BUS_PASSWORD"), "{}", doctor.data);
    let trace = kept("watch.jsonl");
    place.run(&["watch", "--open", trace.to_str().unwrap()]).ended(0, &["received on"]);
}

#[test]
fn a_history_under_the_name_that_an_earlier_version_gave_it_is_read() {
    let place = place();
    let listed = place.json(&["history", "--json"]);
    assert_eq!(listed[0]["tool"], json!("calculator"), "{listed}");
    let shown = place.run(&["history", "show", "last"]);
    shown.ended(0, &[]);
    assert!(shown.data.contains("42"), "{}", shown.data);
}

#[test]
fn a_key_of_an_action_that_was_renamed_works_and_its_new_name_is_named() {
    let place = place();
    let mut terminal = open(&place);
    terminal.wait_for("query-customers");
    terminal.press(["@notices"]);
    terminal.wait_for("usual-connection is called default-connection now");
    terminal.press(["esc"]);
    terminal.press(["6", "?"]);
    terminal.wait_for("F4");
    terminal.press(["esc"]);
    leave(terminal);
}

#[test]
fn what_a_newer_version_wrote_is_named_and_stays() {
    let place = place();
    let at = |name: &str| place.here.join(name);
    fs::write(at("toolcrib.lock"), "{\"lock\": 2, \"connections\": {}}\n").unwrap();
    place.run(&["drift"]).ended(2, &["lock 2", "newer"]);
    fs::write(at("newer.jsonl"), "{\"event\":\"watch\",\"format\":2}\n").unwrap();
    place.run(&["watch", "--open", "newer.jsonl"]).ended(2, &["format is 2", "newer"]);
    let text = fs::read_to_string(at("toolcrib.toml")).unwrap();
    fs::write(at("toolcrib.toml"), format!("{text}\n[hologram]\ndepth = 3\n")).unwrap();
    let checked = place.run(&["check"]);
    assert!(checked.data.contains("unknown key \"hologram\""), "{}", checked.data);
    assert_eq!(place.json(&["tools", "--json"]).as_array().map_or(0, Vec::len), 4);
    assert!(at("toolcrib.lock").exists());
}

#[test]
fn unsaved_work_that_cannot_be_read_is_put_aside_and_named() {
    let place = place();
    let journal = place.home.path().join("state/toolcrib/journal");
    // A session makes the names; what it leaves is then made unreadable.
    let mut terminal = open(&place);
    terminal.wait_for("query-customers");
    terminal.press(["tab", "enter", "end"]);
    terminal.type_text("2");
    terminal.press(["enter"]);
    terminal.wait_for("query-customers2");
    terminal.signal("TERM");
    terminal.wait_end();
    let files = fs::read_dir(&journal).unwrap().map(|entry| entry.unwrap().path());
    let mut texts = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let texts = texts.next().unwrap();
    fs::write(&texts, "{\"journal\": 9, \"drafts\": []}").unwrap();

    let mut terminal = open(&place);
    terminal.wait_for("query-customers");
    terminal.press(["@notices"]);
    terminal.wait_for("unread");
    terminal.press(["esc"]);
    leave(terminal);
    let left = fs::read_to_string(texts.with_extension("json.unread")).unwrap();
    assert_eq!(left, "{\"journal\": 9, \"drafts\": []}");
}
