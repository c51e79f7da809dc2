//! `toolcrib form` in a terminal: what it prints, what it saves, how it ends.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::support::terminal::{Terminal, binary, program, toolcrib};

const SCHEMA: &str = r#"{"type": "object", "required": ["name"], "properties": {
    "name": {"type": "string", "minLength": 3}, "port": {"type": "integer", "maximum": 65535}, "price": {"type": "number"}}}"#;

const INSTANCE: &str = "# mine\nname: web   # short\nprice: 1.50\nother: [1e3,  0x10]\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.json"), SCHEMA).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn open(folder: &Path, arguments: &[&str]) -> Terminal {
    let terminal = toolcrib(["form"].iter().chain(arguments)).folder(folder).start();
    terminal.wait_for("name *");
    terminal
}

/// The same through a shell, with what the words say done to its streams.
fn shell(folder: &Path, rest: &str) -> Terminal {
    let words = format!("{} form {rest}; echo ended $? > code", binary().display());
    let terminal = program("/bin/sh", ["-c", &words]).folder(folder).start();
    terminal.wait_for("name *");
    terminal
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn what_is_typed_goes_to_a_file_that_stdout_is() {
    let folder = folder(&[]);
    let mut terminal = shell(folder.path(), "s.json > out.json");
    terminal.type_text("abc");
    terminal.press(["tab"]);
    terminal.type_text("80");
    terminal.press(["f6"]);
    terminal.wait_end();
    assert_eq!(read(&folder, "out.json"), "{\n  \"name\": \"abc\",\n  \"port\": 80\n}\n");
    assert_eq!(read(&folder, "code"), "ended 0\n");
}

#[test]
fn standard_input_is_edited_and_the_keys_come_from_the_terminal() {
    let folder = folder(&[("i.json", "{\"name\":\"abc\", \"price\":1.50}")]);
    let mut terminal = shell(folder.path(), "s.json - < i.json > out.json");
    terminal.press(["end"]);
    terminal.type_text("d");
    terminal.wait_for("abcd");
    terminal.press(["f6"]);
    terminal.wait_end();
    assert_eq!(read(&folder, "out.json"), "{\"name\":\"abcd\", \"price\":1.50}");
}

#[test]
fn only_the_line_that_was_edited_changes_in_the_file() {
    let folder = folder(&[("i.yaml", INSTANCE)]);
    let mut terminal = open(folder.path(), &["s.json", "i.yaml", "-o", "i.yaml"]);
    terminal.press(["end"]);
    terminal.type_text("2");
    terminal.wait_for("name: web2");
    terminal.press(["ctrl+s"]);
    terminal.wait_for("saved");
    assert_eq!(read(&folder, "i.yaml"), INSTANCE.replace("web", "web2"));
    terminal.press(["ctrl+q"]);
    assert_eq!(terminal.wait_end().exit_code(), 0);
    terminal.assert_given_back();
}

#[test]
fn what_is_left_without_saving_changes_nothing_and_ends_with_one() {
    let folder = folder(&[("i.yaml", INSTANCE)]);
    let mut terminal = open(folder.path(), &["s.json", "i.yaml", "-o", "i.yaml"]);
    terminal.type_text("x");
    terminal.wait_for("webx");
    terminal.press(["ctrl+q"]);
    terminal.wait_for("Leave?");
    terminal.press(["d"]);
    assert_eq!(terminal.wait_end().exit_code(), 1);
    assert_eq!(read(&folder, "i.yaml"), INSTANCE);
}

#[test]
fn a_document_with_issues_is_kept_only_as_a_draft() {
    let folder = folder(&[]);
    let mut terminal = shell(folder.path(), "s.json -o out.yaml 2> words");
    terminal.type_text("ab");
    terminal.press(["f6"]);
    terminal.wait_for("shorter than 3");
    terminal.wait_for("draft");
    assert!(!folder.path().join("out.yaml").exists());
    terminal.press(["d"]);
    terminal.wait_end();
    assert_eq!(read(&folder, "out.yaml"), "name: ab\n");
    assert_eq!(read(&folder, "code"), "ended 5\n");
    assert!(read(&folder, "words").contains("a draft with 1 issue: name"), "{}", read(&folder, "words"));
}

#[test]
fn a_mouse_alone_fills_mends_and_ends() {
    let folder = folder(&[("i.json", "{\"name\": \"abc\", \"port\": 65536}\n")]);
    let mut terminal = shell(folder.path(), "s.json i.json > out.json");
    terminal.click_on("port more than");
    terminal.wait_for("more than 65535");
    terminal.click_on("−");
    terminal.wait_for("✓ no issue");
    terminal.click_on(" done");
    terminal.wait_end();
    assert_eq!(terminal.presses(), 0);
    assert_eq!(read(&folder, "out.json"), "{\"name\": \"abc\", \"port\": 65535}\n");
    assert_eq!(read(&folder, "code"), "ended 0\n");
}

#[test]
fn a_schema_at_fault_opens_with_its_finding_and_an_editor() {
    let folder = folder(&[("bad.json", "{\"type\": 7}"), ("i.json", "{\"name\": 1.50}")]);
    let mut terminal = toolcrib(["form", "bad.json", "i.json"]).folder(folder.path()).start();
    terminal.wait_for("the schema is not valid");
    terminal.wait_for("1.50");
    terminal.press(["ctrl+q"]);
    assert_eq!(terminal.wait_end().exit_code(), 1);
}

#[test]
fn what_cannot_be_read_ends_with_two_and_its_place() {
    let folder = folder(&[("i.json", "{\"name\": }")]);
    for (arguments, words) in [
        (vec!["form", "none.json"], "no such file"),
        (vec!["form", "s.json", "i.json"], "line 1, column 10"),
        (vec!["form", "s.json", "-o", "no/where.json"], "no folder"),
    ] {
        let ran = std::process::Command::new(binary()).args(arguments).current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_ui_schema_and_the_schemas_own_files_count() {
    let folder = folder(&[
        ("main.yaml", "properties:\n  a: {type: string}\n  street: {$ref: 'parts.json#/$defs/street'}\n  b: {type: string}\n"),
        ("parts.json", r#"{"$defs": {"street": {"type": "string", "title": "Street", "minLength": 2}}}"#),
        ("ui.json", r#"{"ui:order": ["street", "*"], "b": {"ui:widget": "hidden"}, "street": {"ui:placeholder": "where to"}}"#),
        ("i.json", r#"{"b": "kept"}"#),
    ]);
    let words = format!("{} form main.yaml i.json --ui ui.json > out.json", binary().display());
    let mut terminal = program("/bin/sh", ["-c", &words]).folder(folder.path()).start();
    terminal.wait_for("where to");
    let shown = terminal.contents();
    assert!(shown.find("Street") < shown.find(" a ") && !shown.contains(" b "), "{shown}");
    terminal.type_text("x");
    terminal.wait_for("shorter than 2");
    terminal.type_text("y");
    terminal.wait_for("✓ no issue");
    terminal.press(["f6"]);
    terminal.wait_end();
    assert_eq!(read(&folder, "out.json"), r#"{"b": "kept", "street": "xy"}"#);
}
