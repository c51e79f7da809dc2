//! The form's widgets as they are used, each by keys and by mouse.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib::{app::folder::FolderList, schema::moment::LocalTime, ui::form::view::FormReply};

use super::form::Desk;

fn desk(property: &Value, value: Value) -> Desk {
    let mut desk = Desk::new(
        json!({"type": "object", "properties": {"a": property, "z": {"type": "string"}}}),
        value,
    );
    // 2026-11-21T13:30:00Z, an hour ahead of Greenwich.
    desk.form.set_wall(LocalTime { seconds: 1_795_267_800, offset: 60 });
    desk.goes("/a");
    desk.keys("enter");
    desk
}

#[test]
fn a_line_selects_cuts_copies_pastes_and_undoes() {
    let mut desk = desk(&json!({"type": "string"}), json!({"a": "tell me a joke"}));
    desk.keys("shift+ctrl+left");
    let FormReply::Copy { text, .. } = desk.keys("ctrl+x") else { panic!("nothing was cut") };
    assert_eq!((text.as_str(), &desk.value["a"]), ("joke", &json!("tell me a ")));
    desk.keys("home ctrl+v");
    assert_eq!(desk.value["a"], "joketell me a ");
    desk.keys("ctrl+z ctrl+z");
    assert_eq!(desk.value["a"], "tell me a joke");
    assert_eq!(
        desk.keys("ctrl+c"),
        FormReply::Ignored,
        "nothing is selected: the key is not for the field"
    );
    desk.drags("tell", "me a");
    desk.types("X");
    assert_eq!(desk.value["a"], "Xme a joke");
}

#[test]
fn what_is_cut_is_copied_also_where_what_is_left_is_no_value() {
    let lines = json!({"type": "string", "format": "multiline"});
    for (property, value, keys, cut) in [
        (json!({"type": "integer"}), json!(12), "ctrl+a ctrl+x", "12"),
        // The line break before it, at the end then, isn't taken over.
        (lines, json!("one\ntwo"), "down end shift+left shift+left shift+left ctrl+x", "two"),
    ] {
        let mut desk = desk(&property, json!({"a": value}));
        let FormReply::Copy { text, .. } = desk.keys(keys) else { panic!("{cut} wasn't cut") };
        assert_eq!(text, cut);
    }
}

#[test]
fn a_secret_of_several_lines_keeps_them() {
    let mut desk = desk(&json!({"type": "string", "format": "password"}), json!({}));
    desk.pastes("-----BEGIN KEY-----\nMIIB\n-----END KEY-----\n");
    assert_eq!(desk.value["a"], "-----BEGIN KEY-----\nMIIB\n-----END KEY-----");
    assert!(!desk.screen().contains("MIIB"), "{}", desk.screen());
}

#[test]
fn a_date_is_picked_stepped_and_typed() {
    let mut desk = desk(&json!({"type": "string", "format": "date"}), json!({}));
    desk.keys("enter");
    assert!(desk.screen().contains("November 2026"), "{}", desk.screen());
    desk.keys("down right enter");
    assert_eq!(desk.value["a"], "2026-11-29");
    desk.keys("ctrl+up");
    assert_eq!(desk.value["a"], "2026-11-30");
    desk.clicks("▾");
    desk.clicks(" › ");
    assert!(desk.screen().contains("December 2026"));
    desk.clicks(" 15");
    assert_eq!(desk.value["a"], "2026-12-15");
    desk.keys("f4 t");
    assert_eq!(desk.value["a"], "2026-11-21");
    desk.types("x");
    assert_eq!(desk.value["a"], "2026-11-21x", "what is odd stays");
    assert!(desk.screen().contains("✗ is not a date"), "{}", desk.screen());
    desk.keys("esc");
    assert_eq!(desk.value["a"], "2026-11-21x");
}

#[test]
fn now_is_where_the_user_is() {
    let mut at = desk(&json!({"type": "string", "format": "date-time"}), json!({}));
    at.keys("enter n");
    assert_eq!(at.value["a"], "2026-11-21T14:30:00+01:00");
    at.keys("f4 left enter");
    assert_eq!(at.value["a"], "2026-11-20T14:30:00+01:00", "the time stays with another day");
    let mut time = desk(&json!({"type": "string", "format": "time"}), json!({}));
    time.keys("enter enter");
    assert_eq!(time.value["a"], "14:30:00+01:00");
    let mut wait = desk(&json!({"type": "string", "format": "duration"}), json!({"a": "PT1H30M"}));
    assert!(wait.screen().contains("1 hour 30 minutes"));
    wait.keys("ctrl+up");
    assert_eq!(wait.value["a"], "PT1H31M");
    wait.clicks("▾");
    wait.clicks("5 minutes");
    assert_eq!(wait.value["a"], "PT5M");
}

#[test]
fn a_list_shows_how_to_add_to_it_also_where_it_is_selected() {
    for value in [json!({}), json!({"a": ["one"]})] {
        let mut desk = desk(&json!({"type": "array", "items": {"type": "string"}}), value);
        desk.keys("esc");
        assert!(desk.screen().contains("+ add"), "{}", desk.screen());
        desk.goes("/z");
        assert!(desk.screen().contains("+ add"), "{}", desk.screen());
    }
}

#[test]
fn a_secret_is_never_drawn_and_may_name_a_variable() {
    let mut desk = desk(&json!({"type": "string", "writeOnly": true}), json!({}));
    desk.types("hunter2");
    assert_eq!(desk.value["a"], "hunter2");
    assert!(desk.screen().contains("•••••••") && !desk.screen().contains("hunter2"));
    desk.keys("shift+home");
    assert!(matches!(desk.keys("ctrl+c"), FormReply::Refused(_)));
    desk.keys("ctrl+a backspace");
    // Nothing fills a variable in here, so that none is offered.
    assert!(!desk.screen().contains('$'), "{}", desk.screen());
    desk.keys("$");
    assert_eq!(desk.value["a"], "$");
}

#[test]
fn a_secret_names_a_variable_where_one_is_filled_in() {
    let schema = json!({"type": "string", "writeOnly": true, "x-names-variable": true});
    let mut desk = desk(&schema, json!({}));
    assert!(desk.screen().contains("$NAME uses an environment variable"), "{}", desk.screen());
    desk.types("$");
    assert_eq!(desk.value["a"], "$A");
    desk.types("KEY");
    assert_eq!(desk.value["a"], "$KEY");
    assert!(desk.screen().contains("$KEY"), "a name is no secret: {}", desk.screen());
    desk.keys("ctrl+a backspace");
    desk.clicks("$…");
    assert_eq!(desk.value["a"], "$A");
}

#[test]
fn what_is_read_only_says_why() {
    let mut desk = desk(&json!({"type": "string", "readOnly": true}), json!({"a": "kept"}));
    assert!(desk.screen().contains("kept") && desk.screen().contains("read-only"));
    let FormReply::Refused(words) = desk.keys("enter") else { panic!("it can be edited") };
    assert!(words.contains("read-only"));
    assert_eq!(*desk.value, json!({"a": "kept"}));
}

fn people() -> Value {
    json!({"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}})
}

#[test]
fn objects_are_a_table_whose_rows_are_dragged() {
    let items =
        json!({"a": [{"name": "Ann", "age": 41}, {"name": "Bob"}, {"name": "Cid", "age": 7}]});
    let mut desk = desk(&people(), items);
    desk.keys("right");
    assert!(desk.screen().contains("▾ name  age"), "{}", desk.screen());
    assert!(desk.screen().contains("▸ Bob   ·"));
    desk.drags(" 1 ", " 3 ");
    let names = |desk: &Desk| -> Vec<String> {
        desk.value["a"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&desk), ["Bob", "Cid", "Ann"]);
    desk.clicks("copy");
    assert_eq!(names(&desk), ["Bob", "Cid", "Ann", "Ann"]);
    desk.clicks("▸ Cid");
    assert!(desk.screen().matches("age").count() > 1, "a row opens to a form: {}", desk.screen());
}

#[test]
fn chips_are_dragged() {
    let mut desk = desk(
        &json!({"type": "array", "items": {"type": "string"}}),
        json!({"a": ["one", "two", "three"]}),
    );
    desk.drags("one", "three");
    assert_eq!(desk.value["a"], json!(["two", "three", "one"]));
    desk.keys("shift+left");
    assert_eq!(desk.value["a"], json!(["two", "one", "three"]));
}

#[test]
fn shapes_say_what_they_need() {
    let shape = |kind: &str, member: &str, words: &str| {
        json!({"title": kind, "description": words, "type": "object", "required": ["kind", member],
            "properties": {"kind": {"const": kind}, member: {"type": "number"}}})
    };
    let union = json!({"oneOf": [shape("circle", "r", "Round, with a radius that is measured in metres"), shape("square", "side", "")]});
    let mut desk = desk(&union, json!({}));
    let screen = desk.screen();
    assert!(
        screen.contains("needs r · Round") && screen.contains("metres"),
        "all of it is said: {screen}"
    );
    // Choosing a shape begins to edit what it needs.
    desk.keys("enter");
    desk.types("5");
    let screen = desk.screen();
    assert_eq!(desk.value["a"], json!({"kind": "circle", "r": 5}), "{screen}");
    desk.goes("/a");
    desk.keys("enter down enter");
    desk.goes("/a");
    desk.keys("enter up enter");
    assert_eq!(
        desk.value["a"],
        json!({"kind": "circle", "r": 5}),
        "what was typed for a branch comes back"
    );
}

#[test]
fn numbers_step_without_losing_a_digit() {
    let mut big = desk(&json!({"type": "integer"}), json!({}));
    big.types("123456789012345678901234");
    big.keys("ctrl+up");
    assert!(big.screen().contains("123456789012345678901235"));
    let mut bounded =
        desk(&json!({"type": "integer", "multipleOf": 5, "maximum": 10}), json!({"a": 7}));
    bounded.keys("ctrl+up");
    assert_eq!(bounded.value["a"], 10);
    assert!(
        matches!(bounded.keys("ctrl+up"), FormReply::Refused(words) if words.contains("at most 10"))
    );
    bounded.clicks("−");
    assert_eq!(bounded.value["a"], 5);
}

#[test]
fn a_path_is_found_folder_by_folder() {
    let mut desk = desk(&json!({"type": "string", "format": "path"}), json!({}));
    let tell = |desk: &mut Desk, folder: &str, names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        desk.form
            .set_folder(Some(&Arc::new(FolderList { folder: folder.into(), names: Ok(names) })));
    };
    assert_eq!(desk.keys("enter"), FormReply::Folder { folder: String::new(), edits: Vec::new() });
    tell(&mut desk, "", &["src/", "notes.md"]);
    assert!(desk.screen().contains("notes.md"));
    let FormReply::Folder { folder, .. } = desk.keys("enter") else {
        panic!("the folder is not looked into")
    };
    assert_eq!((folder.as_str(), &desk.value["a"]), ("src/", &json!("src/")));
    tell(&mut desk, "src/", &["cli/", "main.rs", "lib.rs"]);
    desk.screen();
    desk.types("lib");
    desk.keys("enter");
    assert_eq!(desk.value["a"], "src/lib.rs");
}

#[test]
fn wrong_json_is_marked_and_kept() {
    let list = json!({"type": "object", "properties": {"a": {"type": "array", "items": {}}}});
    let mut desk = Desk::new(list, json!({}));
    desk.goes("/a");
    desk.acts("edit-json");
    desk.types("[1, x]");
    assert!(desk.screen().contains("column 5"), "{}", desk.screen());
    desk.keys("left backspace");
    desk.types("2");
    assert_eq!(desk.value["a"], json!([1, 2]));
}
