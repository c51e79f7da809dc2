//! Where a form begins, and what typing replaces: what nobody chose gives way, what somebody chose
//! stays.

use serde_json::{Value, json};
use toolcrib::{app::effect::Effect, schema::pointer::Pointer, ui::form::view::FormReply};

use crate::{form::Desk, support::workbench::Workbench};

fn ports() -> Value {
    json!({"properties": {"ports": {"type": "array", "items": {"oneOf": [
        {"type": "number"}, {"type": "string"}, {"type": "object", "properties": {"target": {"type": "integer"}}}]}}}})
}

fn union() -> Value {
    json!({"properties": {"port": {"anyOf": [{"type": "number"}, {"type": "string"},
        {"type": "object", "properties": {"target": {"type": "integer"}}}]}, "last": {"type": "string"}}})
}

#[test]
fn a_new_item_of_a_list_is_replaced_by_what_is_typed() {
    let schema =
        json!({"properties": {"l": {"type": "array", "items": {"type": "integer", "minimum": 5}}}});
    let mut desk = Desk::new(schema, json!({"l": [7]}));
    desk.goes("/l");
    desk.keys("right");
    desk.clicks("+ add item");
    assert_eq!(*desk.value, json!({"l": [7, 5]}));
    desk.types("80");
    assert_eq!(*desk.value, json!({"l": [7, 80]}));
    desk.goes("/l/0");
    desk.types("1");
    assert_eq!(*desk.value, json!({"l": [71, 80]}), "what was there is edited, not replaced");
}

#[test]
fn what_a_new_document_begins_with_is_replaced_by_what_is_typed() {
    let schema = json!({"type": "object", "required": ["port", "name"],
        "properties": {"port": {"type": "integer", "default": 8080}, "name": {"type": "string", "default": "web"}}});
    let mut desk = Desk::new(schema, json!({"port": 8080, "name": "web"}));
    desk.form.mark_unchosen();
    desk.keys("enter");
    desk.types("9");
    desk.keys("tab");
    desk.types("db");
    assert_eq!(*desk.value, json!({"port": 9, "name": "db"}));
    desk.keys("shift+tab");
    desk.types("0");
    assert_eq!(desk.value["port"], json!(90), "what was typed is the user's");
}

#[test]
fn what_was_edited_outside_is_not_replaced_by_what_is_typed() {
    let schema = json!({"properties": {"name": {"type": "string"}, "last": {"type": "string"}}});
    let mut desk = Desk::new(schema, json!({"name": "web"}));
    desk.form.mark_unchosen();
    desk.edited(&Pointer::root().child("name"), "database");
    desk.goes("/last");
    desk.goes("/name");
    desk.keys("enter");
    desk.types("s");
    assert_eq!(*desk.value, json!({"name": "databases"}));
}

#[test]
fn moving_the_cursor_keeps_a_value_that_is_offered() {
    let mut desk =
        Desk::new(json!({"properties": {"name": {"type": "string"}}}), json!({"name": "web"}));
    desk.form.mark_unchosen();
    desk.keys("enter end");
    desk.types("2");
    assert_eq!(*desk.value, json!({"name": "web2"}));
    let mut desk =
        Desk::new(json!({"properties": {"name": {"type": "string"}}}), json!({"name": "web"}));
    desk.form.mark_unchosen();
    desk.clicks("web");
    desk.types("x");
    assert_eq!(*desk.value, json!({"name": "x"}), "a first press keeps the selection");
}

#[test]
fn what_is_typed_into_a_union_goes_to_the_branch_that_fits() {
    for (typed, value) in [
        ("8080", json!(8080)),
        ("8080:80", json!("8080:80")),
        ("1.5", json!(1.5)),
        ("web", json!("web")),
        ("-3", json!(-3)),
        ("0080", json!("0080")),
    ] {
        let mut desk = Desk::new(union(), json!({}));
        desk.goes("/port");
        desk.keys("enter");
        desk.types(typed);
        assert_eq!(*desk.value, json!({"port": value}), "{typed}");
        desk.keys("tab");
        assert_eq!(desk.form.focused_place().to_string(), "/last");
    }
    let mut desk = Desk::new(union(), json!({}));
    desk.goes("/port");
    desk.keys("enter");
    desk.pastes("8080");
    assert_eq!(*desk.value, json!({"port": 8080}));
    desk.keys("backspace backspace backspace backspace backspace");
    assert_eq!(*desk.value, json!({}), "emptied, it is unset again");
}

#[test]
fn a_flag_and_a_number_are_told_apart_where_no_text_is_allowed() {
    let schema =
        json!({"properties": {"u": {"anyOf": [{"type": "boolean"}, {"type": "integer"}]}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/u");
    desk.keys("enter");
    desk.types("tru");
    assert_eq!(*desk.value, json!({}));
    assert!(desk.screen().contains("matches none of the kinds yet"), "{}", desk.screen());
    desk.types("e");
    assert_eq!(*desk.value, json!({"u": true}));
}

#[test]
fn a_new_item_of_composes_ports_takes_a_number_and_a_mapping() {
    for (typed, value) in [("8080", json!([8080])), ("8080:80", json!(["8080:80"]))] {
        let mut desk = Desk::new(ports(), json!({}));
        desk.goes("/ports");
        desk.keys("right");
        desk.clicks("+ add item");
        desk.types(typed);
        assert_eq!(desk.value["ports"], value);
    }
}

#[test]
fn what_somebody_chose_keeps_its_kind() {
    let mut desk = Desk::new(union(), json!({"port": "80"}));
    desk.goes("/port");
    desk.keys("enter end");
    desk.types("1");
    assert_eq!(*desk.value, json!({"port": "801"}), "a text stays a text");
    let mut desk = Desk::new(union(), json!({"port": 80}));
    desk.goes("/port");
    desk.keys("enter end");
    desk.types(":8");
    assert_eq!(*desk.value, json!({"port": "80:8"}), "what no number can be is a text");
    desk.keys("backspace backspace");
    assert_eq!(*desk.value, json!({"port": 80}), "and a number again");
}

#[test]
fn choosing_a_kind_moves_into_the_value_and_writes_nothing() {
    let mut desk = Desk::new(union(), json!({}));
    desk.goes("/port");
    desk.keys("enter enter down enter");
    assert_eq!(*desk.value, json!({}));
    desk.types("8080");
    assert_eq!(*desk.value, json!({"port": "8080"}), "a text was chosen");

    let mut desk = Desk::new(union(), json!({"port": "x"}));
    desk.clicks("text");
    desk.clicks("number");
    assert_eq!(*desk.value, json!({}), "what no number can be goes");
    desk.types("5");
    assert_eq!(*desk.value, json!({"port": 5}));

    let mut desk = Desk::new(union(), json!({"port": 1}));
    desk.clicks("number");
    desk.clicks("object");
    assert_eq!(*desk.value, json!({"port": {}}), "an object was chosen");
    assert_eq!(desk.form.focused_place().to_string(), "/port/target");
    desk.form.begin_typing();
    desk.types("5");
    assert_eq!(*desk.value, json!({"port": {"target": 5}}));
}

#[test]
fn a_discriminator_stays_a_select() {
    let branch = |kind: &str, member: &str| json!({"type": "object", "required": ["kind", member], "properties": {"kind": {"const": kind}, member: {"type": "number"}}});
    let schema = json!({"properties": {"shape": {"oneOf": [branch("circle", "r"), branch("square", "side")]}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/shape");
    desk.keys("enter");
    desk.keys("enter");
    assert_eq!(
        (desk.value["shape"].clone(), desk.form.focused_place().to_string()),
        (json!({"kind": "circle"}), "/shape/r".into())
    );
    desk.goes("/shape/kind");
    desk.form.begin_typing();
    desk.keys("enter down enter");
    assert_eq!(*desk.value, json!({"shape": {"kind": "square"}}));
    assert_eq!(desk.form.focused_place().to_string(), "/shape/side");
}

#[test]
fn a_form_begins_at_the_first_empty_required_field() {
    let schema = json!({"type": "object", "required": ["b", "c", "d"], "properties": {
        "a": {"type": "string"}, "b": {"const": 1}, "c": {"type": "string"}, "d": {"type": "string"}}});
    let begins = |schema: &Value, value: Value| {
        Desk::new(schema.clone(), value).form.focused_place().to_string()
    };
    assert_eq!(begins(&schema, json!({"b": 1})), "/c");
    assert_eq!(begins(&schema, json!({"b": 1, "c": "x"})), "/d");
    assert_eq!(
        begins(&schema, json!({"b": 1, "c": "x", "d": "y"})),
        "/a",
        "nothing is missing: the first field"
    );
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    assert_eq!(begins(&map, json!({"k": "v"})), "/k", "never the row that adds");
    let inner = json!({"required": ["o"], "properties": {"x": {"type": "string"},
        "o": {"type": "object", "required": ["y"], "properties": {"y": {"type": "integer"}}}}});
    assert_eq!(begins(&inner, json!({})), "/o/y");
    let list = json!({"type": "array", "items": {"type": "string"}});
    assert_eq!(begins(&list, json!(["x"])), "");
}

#[test]
fn the_focus_stays_where_the_user_put_it() {
    let schema = json!({"required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.keys("enter");
    desk.types("x");
    assert_eq!(desk.form.focused_place().to_string(), "/a");
}

#[test]
fn the_keys_that_send_accept_a_text_where_nothing_is_sent() {
    let schema = json!({"required": ["story", "name"], "properties": {
        "story": {"type": "string", "x-toolcrib-lines": 3, "maxLength": 900}, "free": {"type": "string"},
        "name": {"type": "string"}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/story");
    desk.keys("enter");
    desk.types("one");
    desk.keys("f6");
    assert_eq!(desk.form.focused_place().to_string(), "/name");
    assert!(desk.form.is_typing());
    desk.types("ada");
    desk.keys("ctrl+enter");
    assert!(!desk.form.is_typing());
    assert_eq!(*desk.value, json!({"story": "one", "name": "ada"}));
}

#[test]
fn enter_accepts_what_is_typed_where_words_are_suggested() {
    let schema = json!({"properties": {
        "state": {"type": "string", "examples": ["findings", "figures"]}, "last": {"type": "string"}}});
    let mut desk = Desk::new(schema, json!({"state": "findings"}));
    desk.goes("/state");
    desk.keys("esc");
    assert!(!desk.form.is_typing());
    desk.keys("enter ctrl+u");
    desk.types("zz");
    desk.keys("enter");
    assert!(!desk.form.is_typing(), "{}", desk.screen());
    assert_eq!(*desk.value, json!({"state": "zz"}));
    desk.keys("enter ctrl+u");
    desk.types("fig");
    desk.keys("down enter");
    assert!(!desk.form.is_typing(), "{}", desk.screen());
    assert_eq!(*desk.value, json!({"state": "figures"}));
}

#[test]
fn what_is_no_number_leaves_the_number_from_before_where_it_was() {
    let schema = json!({"properties": {"count": {"type": "integer"}, "last": {"type": "string"}}});
    let mut desk = Desk::new(schema, json!({"count": 7, "last": "x"}));
    desk.goes("/count");
    desk.keys("enter ctrl+u");
    desk.types("50");
    assert_eq!(*desk.value, json!({"count": 50, "last": "x"}));
    let names: Vec<&String> = desk.value.as_object().unwrap().keys().collect();
    assert_eq!(names, ["count", "last"], "it keeps its place");
    desk.types("x");
    assert_eq!(*desk.value, json!({"count": 7, "last": "x"}), "a half of 50x is not meant");
    assert!(desk.screen().contains("50x") && desk.screen().contains("is not a whole number"));
    desk.keys("ctrl+u");
    assert_eq!(*desk.value, json!({"count": 7, "last": "x"}), "another one may be typed");
    desk.keys("esc");
    assert_eq!(*desk.value, json!({"last": "x"}), "what is left empty is not set");
}

#[test]
fn enter_accepts_a_date_as_it_is_typed_and_opens_the_calendar_where_none_is() {
    let schema = json!({"properties": {"date": {"type": "string", "format": "date"}}});
    let mut desk = Desk::new(schema.clone(), json!({"date": "2026-02-03"}));
    desk.goes("/date");
    desk.keys("enter ctrl+u");
    desk.types("2026-13-45");
    desk.keys("enter enter");
    assert_eq!(*desk.value, json!({"date": "2026-13-45"}), "nothing is put in its place");
    desk.keys("ctrl+u");
    desk.types("2026-05-06");
    desk.keys("enter");
    assert_eq!(*desk.value, json!({"date": "2026-05-06"}));
    desk.keys("enter f4 right enter");
    assert_eq!(*desk.value, json!({"date": "2026-05-07"}), "F4 opens the calendar at the day");
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/date");
    desk.keys("enter enter");
    assert!(desk.screen().contains("1970"), "{}", desk.screen());
}

#[test]
fn what_is_no_value_waits_while_another_tool_is_chosen_and_is_named_by_saving() {
    let tool = r#"{"tool_name": "weather", "description": "a", "target_subject": "cg.v1r4.{project_id}.{channel_id}.cmd.tool.weather.call", "after_execution": "suspend", "parameters": {"type": "object", "properties": {}}, "options": {"ui_allowed": true}}"#;
    let other = tool.replace("weather", "other");
    let files = [("toolcrib.toml", ""), ("weather.json", tool), ("w2.json", &other)];
    let mut bench = Workbench::files(&files, 160, 45);
    bench.clicks("waiting time");
    bench.types("12ab");
    assert!(bench.shows("is not a number"), "{}", bench.screen());
    bench.clicks("● other");
    assert!(!bench.shows("12ab"), "{}", bench.screen());
    bench.clicks("● weather");
    assert!(bench.shows("12ab") && bench.shows("is not a number"), "{}", bench.screen());
    bench.clicks("[x] true");
    bench.keys("ctrl+s");
    assert!(bench.shows("Not saved, as it can't be read: "), "{}", bench.screen());
    let saved = bench.effects.iter().rev().any(|effect| matches!(effect, Effect::Save { .. }));
    assert!(saved, "{:?}", bench.effects);
}

#[test]
fn a_line_break_that_enter_left_at_the_end_is_not_written() {
    let schema = || json!({"properties": {"description": {"type": "string", "maxLength": 5000}}});
    let mut desk = Desk::new(schema(), json!({"description": "First\nsecond"}));
    desk.goes("/description");
    desk.keys("enter ctrl+end enter");
    assert_eq!(desk.value["description"], json!("First\nsecond"));
    desk.types("third");
    assert_eq!(desk.value["description"], json!("First\nsecond\nthird"));
    desk.keys("enter enter esc");
    assert_eq!(desk.value["description"], json!("First\nsecond\nthird"));
    // One that was there stays.
    let mut desk = Desk::new(schema(), json!({"description": "First\nsecond\n"}));
    desk.goes("/description");
    desk.keys("enter home");
    desk.types("The ");
    assert_eq!(desk.value["description"], json!("First\nsecond\nThe "));
    let mut desk = Desk::new(schema(), json!({"description": "First\nsecond\n"}));
    desk.goes("/description");
    desk.keys("enter ctrl+home");
    desk.types("The ");
    assert_eq!(desk.value["description"], json!("The First\nsecond\n"));
}

#[test]
fn numbers_of_a_list_are_typed_one_after_another() {
    let schema = json!({"properties": {"l": {"type": "array", "items": {"type": "number"}}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/l");
    desk.keys("enter 1 enter 2 enter");
    assert_eq!(desk.value["l"], json!([1, 2]), "none is there before it is typed");
    assert!(desk.form.is_typing(), "the next one can be typed");
    assert!(desk.screen().contains("the next item; Enter ends"), "{}", desk.screen());
    desk.keys("0 enter - 3 . 5 enter enter");
    assert_eq!(desk.value["l"], json!([1, 2, 0, -3.5]));
    assert!(!desk.form.is_typing(), "the list has ended");
    // An item in which nothing was typed, or in which all of it was removed, doesn't stay.
    for keys in ["enter", "esc", "7 backspace enter", "7 backspace esc"] {
        desk.acts("add-item");
        desk.keys(keys);
        assert_eq!(desk.value["l"], json!([1, 2, 0, -3.5]), "{keys}");
        assert!(!desk.form.is_typing(), "{keys}");
    }
    // What is in the list already is accepted, and no more.
    desk.goes("/l/3");
    desk.keys("enter end 1 enter");
    assert_eq!(desk.value["l"], json!([1, 2, 0, -3.51]));
    assert!(!desk.form.is_typing());
}

#[test]
fn texts_and_choices_of_a_list_are_added_one_after_another() {
    let list = |items: Value| json!({"properties": {"l": {"type": "array", "items": items}}});
    let mut desk = Desk::new(list(json!({"type": ["string", "null"]})), json!({}));
    desk.goes("/l");
    desk.keys("enter a b enter c enter enter");
    assert_eq!(desk.value["l"], json!(["ab", "c"]));
    assert!(!desk.form.is_typing());
    let mut desk = Desk::new(list(json!({"enum": [1, 2, 3]})), json!({}));
    desk.goes("/l");
    desk.keys("enter enter down enter");
    assert_eq!(desk.value["l"], json!([2]));
    desk.keys("enter enter down down enter");
    assert_eq!(desk.value["l"], json!([2, 3]));
}

#[test]
fn what_the_schema_offers_for_an_item_is_accepted() {
    let items = json!({"type": "integer", "default": 8080});
    let schema = json!({"properties": {"l": {"type": "array", "items": items, "maxItems": 2}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/l");
    desk.keys("enter enter 9 enter");
    assert_eq!(desk.value["l"], json!([8080, 9]));
    assert!(!desk.form.is_typing(), "the list takes no more");
}

#[test]
fn a_digit_begins_the_number_that_has_the_cursor_and_nothing_else() {
    let schema = json!({"properties": {"n": {"type": "integer"}, "port": {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "t": {"type": "string"}}});
    let mut desk = Desk::new(schema, json!({"n": 42}));
    desk.goes("/n");
    desk.keys("- 7");
    assert_eq!(*desk.value, json!({"n": -7}), "it is typed in place of the one before");
    assert!(desk.form.is_typing());
    desk.keys("esc");
    desk.goes("/port");
    desk.keys("8 0 esc");
    assert_eq!(desk.value["port"], json!(80));
    desk.goes("/t");
    assert_eq!(desk.keys("5"), FormReply::Ignored);
    assert!(desk.value.get("t").is_none() && !desk.form.is_typing());
}
