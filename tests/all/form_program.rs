//! `toolcrib form` in a terminal: what it prints, what it saves, how it ends.

use std::{
    fs,
    io::Write as _,
    path::Path,
    time::{Duration, SystemTime},
};

use tempfile::TempDir;

use crate::{
    end_to_end::wait_for_journal,
    support::terminal::{Terminal, binary, program, toolcrib},
};

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
    terminal.press(["enter"]);
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
    terminal.press(["enter", "end"]);
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
    terminal.press(["enter", "end"]);
    terminal.type_text("2");
    terminal.wait_for("name: web2");
    terminal.press(["ctrl+s"]);
    terminal.wait_for("Saved");
    assert_eq!(read(&folder, "i.yaml"), INSTANCE.replace("web", "web2"));
    terminal.press(["ctrl+q"]);
    assert_eq!(terminal.wait_end().exit_code(), 0);
    terminal.assert_given_back();
}

#[test]
fn a_broken_file_on_disk_takes_no_typed_text_away() {
    let folder = folder(&[("i.yaml", INSTANCE)]);
    let mut terminal = open(folder.path(), &["s.json", "i.yaml", "-o", "i.yaml"]);
    fs::write(folder.path().join("i.yaml"), "name: [web\n").unwrap();
    terminal.press(["enter", "end"]);
    terminal.type_text("site");
    terminal.press(["ctrl+s"]);
    terminal.wait_for("was changed on disk");
    terminal.press(["r"]);
    terminal.wait_for("on disk has a syntax error");
    terminal.wait_for("website");
    terminal.press(["ctrl+s"]);
    terminal.wait_for("was changed on disk");
    terminal.press(["o"]);
    terminal.wait_for("Saved i.yaml");
    assert_eq!(read(&folder, "i.yaml"), INSTANCE.replace("web", "website"));
}

#[test]
fn what_is_left_without_saving_changes_nothing_and_ends_with_one() {
    let folder = folder(&[("i.yaml", INSTANCE)]);
    let mut terminal = open(folder.path(), &["s.json", "i.yaml", "-o", "i.yaml"]);
    terminal.press(["enter"]);
    terminal.type_text("x");
    terminal.wait_for("webx");
    terminal.press(["ctrl+q"]);
    terminal.wait_for("Quit?");
    terminal.press(["d"]);
    assert_eq!(terminal.wait_end().exit_code(), 1);
    assert_eq!(read(&folder, "i.yaml"), INSTANCE);
}

#[test]
fn a_document_with_issues_is_kept_only_as_a_draft() {
    let folder = folder(&[]);
    let mut terminal = shell(folder.path(), "s.json -o out.yaml 2> words");
    terminal.press(["enter"]);
    terminal.type_text("ab");
    terminal.press(["f6"]);
    terminal.wait_for("shorter than 3");
    terminal.wait_for("draft");
    assert!(!folder.path().join("out.yaml").exists());
    terminal.press(["right", "enter"]);
    terminal.wait_end();
    assert_eq!(read(&folder, "out.yaml"), "name: ab\n");
    assert_eq!(read(&folder, "code"), "ended 5\n");
    assert!(
        read(&folder, "words").contains("a draft with 1 issue: name"),
        "{}",
        read(&folder, "words")
    );
}

#[test]
fn a_mouse_alone_fills_mends_and_ends() {
    let folder = folder(&[("i.json", "{\"name\": \"abc\", \"port\": 65536}\n")]);
    let mut terminal = shell(folder.path(), "s.json i.json > out.json");
    terminal.click_on("port is more than");
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
    let folder = folder(&[("bad.json", "[\"type\"]"), ("i.json", "{\"name\": 1.50}")]);
    let mut terminal = toolcrib(["form", "bad.json", "i.json"]).folder(folder.path()).start();
    terminal.wait_for("the schema is not valid");
    terminal.wait_for("edit everything as JSON");
    terminal.wait_for("1.50");
    // The editor of the whole document opens.
    terminal.press(["enter", "ctrl+end", "left"]);
    terminal.type_text(", \"b\": 1");
    terminal.press(["esc"]);
    terminal.wait_for("\"b\": 1}");
    terminal.press(["ctrl+q"]);
    terminal.wait_for("Quit?");
    terminal.press(["d"]);
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
        let ran = std::process::Command::new(binary())
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_ui_schema_and_the_schemas_own_files_count() {
    let folder = folder(&[
        (
            "main.yaml",
            "properties:\n  a: {type: string}\n  street: {$ref: 'parts.json#/$defs/street'}\n  b: {type: string}\n",
        ),
        (
            "parts.json",
            r#"{"$defs": {"street": {"type": "string", "title": "Street", "minLength": 2}}}"#,
        ),
        (
            "ui.json",
            r#"{"ui:order": ["street", "*"], "b": {"ui:widget": "hidden"}, "street": {"ui:placeholder": "where to"}}"#,
        ),
        ("i.json", r#"{"b": "kept"}"#),
    ]);
    let words = format!("{} form main.yaml i.json --ui ui.json > out.json", binary().display());
    let mut terminal = program("/bin/sh", ["-c", &words]).folder(folder.path()).start();
    terminal.wait_for("where to");
    let shown = terminal.contents();
    assert!(shown.find("Street") < shown.find(" a ") && !shown.contains(" b "), "{shown}");
    terminal.press(["enter"]);
    terminal.type_text("x");
    terminal.wait_for("shorter than 2");
    terminal.type_text("y");
    terminal.wait_for("✓ no issue");
    terminal.press(["f6"]);
    terminal.wait_end();
    assert_eq!(read(&folder, "out.json"), r#"{"b": "kept", "street": "xy"}"#);
}

#[test]
fn another_document_where_the_output_goes_is_asked_about_first() {
    let folder = folder(&[("out.yaml", "a: old   # another one\n")]);
    let mut terminal = open(folder.path(), &["s.json", "-o", "out.yaml"]);
    terminal.press(["enter"]);
    terminal.type_text("abc");
    terminal.press(["ctrl+s"]);
    terminal.wait_for("out.yaml already exists and holds something else");
    terminal.press(["c"]);
    terminal.wait_gone("something else");
    assert_eq!(read(&folder, "out.yaml"), "a: old   # another one\n");
    terminal.press(["f6"]);
    terminal.wait_for("something else");
    terminal.press(["o"]);
    assert_eq!(
        terminal.wait_end().exit_code(),
        0,
        "what was to come after the save comes after it"
    );
    assert_eq!(read(&folder, "out.yaml"), "name: abc\n");
}

/// Shows what the state folder of a test that fails holds.
struct ShownJournal<'h>(&'h Path);

impl Drop for ShownJournal<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            show_files(self.0);
        }
    }
}

fn show_files(folder: &Path) {
    for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            show_files(&path);
        } else {
            let is_held = fs::File::open(&path)
                .is_ok_and(|file| matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)));
            let note = if is_held { " (locked)" } else { "" };
            let held = fs::read_to_string(&path);
            let _ = writeln!(std::io::stderr(), "{}{note}: {held:?}", path.display());
        }
    }
}

#[test]
fn a_document_that_was_never_printed_is_offered_by_its_schema() {
    let (folder, home) = (folder(&[]), tempfile::tempdir().unwrap());
    let _shown = ShownJournal(home.path());
    let start = || toolcrib(["form", "s.json"]).folder(folder.path()).home(home.path()).start();
    let mut terminal = start();
    terminal.wait_for("name *");
    terminal.press(["enter"]);
    terminal.type_text("kept safe");
    wait_for_journal(home.path(), "kept safe");
    terminal.signal("KILL");
    terminal.wait_end();

    // The schema is not the document, and can be newer.
    let schema = fs::File::options().write(true).open(folder.path().join("s.json")).unwrap();
    schema.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
    let mut terminal = start();
    terminal.wait_for("An earlier session with s.json ended before its document was printed");
    terminal.press(["enter"]);
    terminal.wait_for("\"name\": \"kept safe\"");
    terminal.wait_for("restored what was typed; done prints it");
    terminal.press(["f6"]);
    assert_eq!(terminal.wait_end().exit_code(), 0);
}

#[test]
fn secrets_are_masked_wherever_the_document_is_shown() {
    let schema = r#"{"title": "Access", "properties": {"name": {"type": "string"},
        "db": {"type": "object", "properties": {"password": {"type": "string", "writeOnly": true}, "user": {"type": "string"}}},
        "keys": {"type": "array", "items": {"type": "string", "format": "password"}},
        "token": {"type": "string", "writeOnly": true}}}"#;
    let instance =
        r#"{"db":{"password":"hunter2","user":"ann"},"keys":["hunter3"],"token":"${TOKEN}"}"#;
    let folder = folder(&[("a.json", schema), ("i.json", instance)]);
    let words = format!("{} form a.json i.json > out.json", binary().display());
    let mut terminal = program("/bin/sh", ["-c", &words]).folder(folder.path()).start();
    terminal.wait_for("\"password\":••••");
    terminal.wait_for("${TOKEN}");
    terminal.press(["enter"]);
    terminal.type_text("x");
    terminal.wait_for("name\":");
    assert!(!terminal.contents().contains("hunter"), "{}", terminal.contents());
    terminal.press(["tab", "left"]);
    terminal.wait_for("▸ 2 of 2 set  •••• · ann");
    terminal.press(["f6"]);
    terminal.wait_end();
    assert_eq!(
        read(&folder, "out.json"),
        instance.replace("\"${TOKEN}\"", "\"${TOKEN}\",\"name\":\"x\"")
    );
}

#[test]
fn what_is_typed_and_no_value_counts_among_the_issues() {
    let folder = folder(&[("i.json", "{\"name\": \"abc\"}")]);
    let terminal = toolcrib(["form", "s.json", "i.json"]).folder(folder.path()).size(80, 24);
    let mut terminal = terminal.start();
    terminal.wait_for("name *");
    terminal.press(["down", "enter"]);
    terminal.type_text("12x");
    terminal.wait_for("is not a whole number");
    terminal.wait_for("Issues ⚠ 1");
    terminal.click_on("Issues ⚠ 1");
    terminal.wait_for("port is not a whole number");
    terminal.press(["enter"]);
    terminal.wait_for("12x");
    terminal.press(["enter", "end", "backspace"]);
    terminal.wait_gone("⚠");
}

#[test]
fn the_schemas_title_and_description_stand_above_the_form() {
    let schema = r#"{"title": "Small thing", "description": "What it is **for**.\n\nOne\n\nTwo\n\nThree, which is folded away.",
        "properties": {"name": {"type": "string"}}}"#;
    let folder = folder(&[("a.json", schema)]);
    let terminal = toolcrib(["form", "a.json"]).folder(folder.path()).start();
    terminal.wait_for("Small thing");
    terminal.wait_for("What it is for.");
    assert!(!terminal.contents().contains("folded away"), "{}", terminal.contents());
    terminal.click_on("more lines");
    terminal.wait_for("Three, which is folded away.");
}

#[test]
fn a_line_longer_than_its_pane_is_shown_whole() {
    let text = format!("{{\"name\":\"{}\",\"price\":1.50}}", "word ".repeat(30).trim_end());
    let folder = folder(&[("i.json", &text)]);
    let terminal = toolcrib(["form", "s.json", "i.json"]).folder(folder.path()).start();
    terminal.wait_for("\"price\":1.50}");
}

#[test]
fn a_folder_is_listed_as_soon_as_it_is_asked_for() {
    let schema = r#"{"properties": {"file": {"type": "string", "format": "path"}}}"#;
    let folder = folder(&[("a.json", schema), ("there.txt", "")]);
    let mut terminal = toolcrib(["form", "a.json"]).folder(folder.path()).start();
    terminal.wait_for("text, path");
    terminal.press(["enter", "enter"]);
    terminal.wait_for("there.txt");
}

#[test]
fn every_fault_of_a_schema_is_listed_and_the_rest_of_it_counts() {
    let schema = r##"{"properties": {"a": {"$ref": "http://example.com/x.json"}, "b": {"type": "string", "pattern": "(["},
        "c": {"$ref": "#/$defs/none"}, "n": {"type": "integer", "maximum": 5}}}"##;
    let folder = folder(&[("a.json", schema), ("i.json", r#"{"n": 7}"#)]);
    let terminal = toolcrib(["form", "a.json", "i.json"]).folder(folder.path()).start();
    terminal.wait_for("3 schema errors, 1 issue");
    terminal.wait_for("and 1 more schema errors");
    terminal.wait_for("n is more than 5");
    assert!(!terminal.contents().contains("edit everything as JSON"), "{}", terminal.contents());
}

#[test]
fn what_was_not_fully_checked_has_its_own_exit_code_and_a_line_on_stderr() {
    let flawed =
        r#"{"properties": {"a": {"type": "any"}, "t": {"title": null}, "n": {"type": "integer"}}}"#;
    let plain = r#"{"properties": {"t": {"title": null}, "l": {"type": "array", "items": [{"type": "string"}]}}}"#;
    let folder =
        folder(&[("flawed.json", flawed), ("plain.json", plain), ("i.json", r#"{"n": 1}"#)]);
    let start = |schema: &str| {
        let words = format!(
            "{} form {schema} i.json > out.json 2> err.txt; echo ended $? > code",
            binary().display()
        );
        program("/bin/sh", ["-c", &words]).folder(folder.path()).start()
    };
    let mut terminal = start("flawed.json");
    terminal.wait_for("its schema: \"type\" any isn't a type of JSON Schema");
    terminal.press(["f6"]);
    terminal.wait_end();
    assert_eq!(read(&folder, "code"), "ended 6\n");
    assert_eq!(read(&folder, "out.json"), r#"{"n": 1}"#);
    assert!(
        read(&folder, "err.txt").contains("not fully checked; in the schema: /properties/a/type"),
        "{}",
        read(&folder, "err.txt")
    );
    let mut terminal = start("plain.json");
    terminal.wait_for("read as draft 2019-09, because \"items\" is a list");
    terminal.press(["f6"]);
    terminal.wait_end();
    assert_eq!(read(&folder, "code"), "ended 0\n", "a title checks nothing");
}

#[test]
fn where_anything_goes_a_document_begins_as_an_object() {
    let folder = folder(&[("any.json", "true")]);
    let terminal = toolcrib(["form", "any.json"]).folder(folder.path()).start();
    terminal.wait_for("{}");
    terminal.wait_for("object");
}

const SERVICE: &str = r#"{"type": "object", "required": ["name", "port"], "properties": {
    "image": {"type": "string"}, "name": {"type": "string"}, "port": {"type": "integer", "default": 8080},
    "tags": {"type": "array", "items": {"type": "string"}},
    "env": {"type": "object", "properties": {"A": {"type": "string"}, "B": {"type": "string"}}}}}"#;

#[test]
fn a_document_made_from_nothing_has_its_members_in_the_schemas_order() {
    let folder = folder(&[("a.json", SERVICE)]);
    let mut terminal = toolcrib(["form", "a.json", "-o", "out.yaml"]).folder(folder.path()).start();
    terminal.wait_for("name *");
    // The form begins at the first empty required field.
    terminal.press(["enter"]);
    terminal.type_text("web");
    terminal.wait_for("name: web");
    terminal.press(["tab"]);
    terminal.type_text("90");
    terminal.wait_for("port: 90");
    terminal.press(["tab"]);
    terminal.type_text("x");
    terminal.press(["enter"]);
    terminal.type_text("y");
    terminal.press(["enter"]);
    terminal.wait_for("- y");
    terminal.press(["esc", "home", "enter"]);
    terminal.type_text("nginx:1");
    terminal.wait_for("image: nginx:1");
    terminal.press(["ctrl+s"]);
    terminal.wait_for("Saved");
    assert_eq!(
        read(&folder, "out.yaml"),
        "image: nginx:1\nname: web\nport: 90\ntags:\n  - x\n  - y\n"
    );
    terminal.press(["ctrl+q"]);
    terminal.wait_end();
}

#[test]
fn a_file_of_comments_keeps_them() {
    for (name, text, after) in [
        ("i.yaml", "# mine\n\n# still mine\n", "# mine\n\n# still mine\nname: web\nport: 8\n"),
        ("i.toml", "# mine\n", "# mine\nname = \"web\"\nport = 8\n"),
        ("i.jsonc", "// mine\n", "// mine\n{\n  \"name\": \"web\",\n  \"port\": 8\n}\n"),
    ] {
        let folder = folder(&[("a.json", SERVICE), (name, text)]);
        let mut terminal =
            toolcrib(["form", "a.json", name, "-o", name]).folder(folder.path()).start();
        terminal.wait_for("name *");
        terminal.press(["enter", "tab"]);
        terminal.type_text("8");
        terminal.press(["shift+tab"]);
        terminal.type_text("web");
        terminal.wait_for("no issue");
        terminal.press(["ctrl+s"]);
        terminal.wait_for("Saved");
        assert_eq!(read(&folder, name), after);
        terminal.press(["ctrl+q"]);
        terminal.wait_end();
    }
}

#[test]
fn a_json_file_with_comments_keeps_them() {
    let text = "{\n  // who\n  \"name\": \"web\", // short\n  \"price\": 1.50,\n}\n";
    let folder = folder(&[("i.json", text), ("i.json5", "{name: 'web', // n\n}\n")]);
    let mut terminal = open(folder.path(), &["s.json", "i.json", "-o", "i.json"]);
    terminal.press(["enter", "end"]);
    terminal.type_text("2");
    terminal.wait_for("web2");
    terminal.press(["f6"]);
    terminal.wait_end();
    assert_eq!(read(&folder, "i.json"), text.replace("web", "web2"));
    let mut terminal = open(folder.path(), &["s.json", "i.json5", "-o", "i.json5"]);
    terminal.press(["enter", "end"]);
    terminal.type_text("'s");
    terminal.press(["tab"]);
    terminal.type_text("80");
    terminal.wait_for("port: 80");
    terminal.press(["f6"]);
    terminal.wait_end();
    assert_eq!(read(&folder, "i.json5"), "{name: 'web\\'s', port: 80, // n\n}\n");
}

#[cfg(unix)]
#[test]
fn a_default_is_edited_in_the_users_editor_and_set_when_it_changed() {
    use std::os::unix::fs::PermissionsExt as _;

    let schema = r#"{"properties": {"prompt": {"type": "string", "format": "multiline", "default": "Answer.\nBe brief."}}}"#;
    let folder = folder(&[("a.json", schema)]);
    let editor = folder.path().join("editor.sh");
    // The first time it only looks.
    let script =
        "#!/bin/sh\nif [ -e seen ]; then sed -i 's/brief/short/' \"$1\"; else cp \"$1\" seen; fi\n";
    fs::write(&editor, script).unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let mut terminal = toolcrib(["form", "a.json", "-o", "out.yaml"])
        .folder(folder.path())
        .size(120, 36)
        .variable("EDITOR", &editor)
        .start();
    terminal.wait_for("Answer. Be brief. · default");
    terminal.press(["E", "E"]);
    terminal.wait_for("Be short.");
    assert_eq!(read(&folder, "seen"), "Answer.\nBe brief.");
    // One step takes it back: to look sets nothing.
    terminal.press(["u"]);
    terminal.wait_gone("Be short.");
    terminal.wait_for("Answer. Be brief. · default");
}
