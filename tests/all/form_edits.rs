//! What is typed into forms is kept, or said to be wrong; what is renamed, moved or removed takes
//! along what belongs to it.

use serde_json::{Value, json};
use toolcrib::{
    schema::{fields::Field, kind::Kind},
    ui::form::view::FormReply,
};

use crate::form::Desk;

fn tags() -> Value {
    json!({"properties": {
        "tags": {"type": "array", "uniqueItems": true, "items": {"enum": ["a", "b", "c", "d, e"]}},
        "last": {"type": "string"}}})
}

#[test]
fn texts_of_a_closed_choice_are_typed_with_commas() {
    let mut desk = Desk::new(tags(), json!({}));
    desk.goes("/tags");
    desk.keys("enter");
    desk.types("a,b");
    desk.keys("enter");
    assert_eq!(desk.value["tags"], json!(["a", "b"]));
    desk.types("a,");
    assert_eq!(desk.value["tags"], json!(["a", "b"]), "what is in the list stays");
    desk.types("d, e,");
    assert_eq!(desk.value["tags"], json!(["a", "b", "d, e"]), "an option may have a comma");
    desk.pastes("c, a");
    assert!(desk.value["tags"].as_array().unwrap().contains(&json!("c")), "{}", desk.value);
}

#[test]
fn texts_typed_with_blanks_between_are_bare_and_each_is_there_once() {
    let schema = json!({"properties": {"group": {"type": "array", "uniqueItems": true,
        "items": {"type": "string", "examples": ["weather", "read-only"]}}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/group");
    desk.keys("enter");
    desk.types("weather, read");
    assert_eq!(desk.value["group"], json!(["weather", "read"]));
    desk.types("-only, weather");
    assert_eq!(desk.value["group"][1], json!("read-only"));
    desk.keys("tab");
    assert_eq!(desk.value["group"], json!(["weather", "read-only"]));
}

#[test]
fn a_text_that_is_no_option_stays_and_is_an_error() {
    let mut desk = Desk::new(tags(), json!({"tags": ["a"]}));
    desk.goes("/tags");
    desk.keys("enter");
    desk.types("zz,");
    let why = "\"zz\" is not one of the choices";
    assert!(desk.screen().contains(why), "{}", desk.screen());
    assert_eq!(desk.value["tags"], json!(["a"]));
    desk.keys("tab");
    assert!(desk.screen().contains("[a ×] zz"), "{}", desk.screen());
    assert_eq!(desk.form.draft_issues().len(), 1);
    desk.goes("/tags");
    desk.keys("enter backspace backspace");
    assert!(!desk.screen().contains(why) && desk.form.draft_issues().is_empty());
    desk.types("b");
    desk.keys("tab");
    assert_eq!(desk.value["tags"], json!(["a", "b"]), "leaving takes what is typed in whole");
}

#[test]
fn an_item_is_added_on_an_empty_place_of_a_tuple() {
    let schema = json!({"properties": {"point": {"type": "array",
        "prefixItems": [{"type": "number"}, {"type": "string"}], "items": {"type": "boolean"}}}});
    let mut desk = Desk::new(schema, json!({"point": [1]}));
    desk.goes("/point/1");
    assert!(matches!(desk.acts("add-item"), FormReply::Edits(_)));
    assert_eq!(desk.value["point"], json!([1, ""]));
}

#[test]
fn an_empty_object_is_replaced_by_the_json_that_is_typed() {
    let mut desk =
        Desk::new(json!({"properties": {"extra": {"type": "object"}}}), json!({"extra": {}}));
    desk.goes("/extra");
    desk.acts("edit-json");
    desk.types("{\"a\": 1}");
    assert_eq!(desk.value["extra"], json!({"a": 1}));
}

#[test]
fn another_kind_within_a_kind_does_not_leave_that() {
    let inner =
        json!({"title": "Plain", "anyOf": [{"type": "number", "default": 7}, {"type": "boolean"}]});
    let list = json!({"type": "array", "items": {"type": "string"}});
    let mut desk =
        Desk::new(json!({"properties": {"any": {"anyOf": [inner, list]}}}), json!({"any": 7}));
    let chosen = |desk: &Desk| -> Vec<Option<usize>> {
        let of = |field: &Field| match field.kind {
            Kind::Variant { chosen, .. } => Some(chosen),
            _ => None,
        };
        desk.form.fields().iter().filter_map(of).collect()
    };
    assert_eq!(chosen(&desk), [Some(0), Some(0)]);
    desk.goes("/any");
    desk.keys("up enter down enter");
    assert_eq!(*desk.value, json!({}), "nothing is known of it");
    assert_eq!(chosen(&desk), [Some(0), Some(1)]);
    desk.keys("right");
    assert_eq!(*desk.value, json!({"any": true}));
}

#[test]
fn a_list_of_texts_is_emptied_and_written_again_as_json() {
    let list = json!({"type": "array", "items": {"type": "string"}});
    let mut desk = Desk::new(list, json!(["a"]));
    desk.acts("edit-json");
    desk.keys("ctrl+a backspace");
    assert_eq!(*desk.value, json!(["a"]), "nothing is no JSON");
    desk.pastes(r#"["b, c"]"#);
    assert_eq!(*desk.value, json!(["b, c"]));
}

#[test]
fn json_typed_into_a_field_of_any_type_is_json() {
    for (typed, value) in [
        ("{\"a\": [1, 2]}", json!({"a": [1, 2]})),
        ("[1]", json!([1])),
        ("null", Value::Null),
        ("8080", json!(8080)),
        ("[1", json!("[1")),
        ("nothing", json!("nothing")),
    ] {
        let mut desk = Desk::new(json!({"properties": {"any": {}, "last": {}}}), json!({}));
        desk.goes("/any");
        desk.keys("enter");
        desk.types(typed);
        desk.keys("tab");
        assert_eq!(desk.value["any"], value, "{typed}");
    }
    let text = json!({"properties": {"any": {"type": ["string", "integer"]}}});
    let mut desk = Desk::new(text, json!({}));
    desk.goes("/any");
    desk.keys("enter");
    desk.types("[1]");
    desk.keys("tab");
    assert_eq!(desk.value["any"], json!("[1]"), "where no list is allowed it is a text");
    let schema = json!({"properties": {"any": {"type": ["integer", "object"]}, "last": {}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/any");
    desk.keys("enter");
    desk.types("{\"a\": 1}");
    desk.keys("tab");
    assert_eq!(desk.value["any"], json!({"a": 1}), "no text is allowed");
}

#[test]
fn entries_are_moved_and_a_new_order_as_json_is_kept() {
    let schema = json!({"type": "object", "properties": {"headers": {"type": "object",
        "properties": {"fixed": {"type": "string"}}, "additionalProperties": {"type": "string"}}}});
    let mut desk =
        Desk::new(schema, json!({"headers": {"a": "1", "fixed": "0", "b": "2", "c": "3"}}));
    desk.goes("/headers/c");
    assert!(matches!(desk.acts("move-down"), FormReply::Refused(_)), "it is the last one");
    desk.acts("move-up");
    desk.acts("move-up");
    assert_eq!(desk.form.focused_place().to_string(), "/headers/c");
    assert_eq!(desk.value.to_string(), r#"{"headers":{"c":"3","a":"1","fixed":"0","b":"2"}}"#);
    desk.acts("move-down");
    assert_eq!(desk.value.to_string(), r#"{"headers":{"a":"1","c":"3","fixed":"0","b":"2"}}"#);
    desk.goes("/headers/fixed");
    assert!(matches!(desk.acts("move-up"), FormReply::Refused(_)), "the schema declares it");
    desk.goes("/headers");
    desk.acts("edit-json");
    desk.keys("ctrl+a");
    desk.pastes(r#"{"new": "4", "b": "2", "c": "3", "fixed": "0", "a": "1"}"#);
    assert_eq!(
        desk.value.to_string(),
        r#"{"headers":{"new":"4","b":"2","c":"3","fixed":"0","a":"1"}}"#
    );
}

fn schema_of_a_tool() -> Value {
    json!({"parameters": {
        "properties": {"items": {"$ref": "#/$defs/card"}, "note": {}},
        "required": ["items"],
        "dependentRequired": {"note": ["items"]},
        "$defs": {"card": {"properties": {"next": {"$ref": "#/$defs/card"}}}},
    }})
}

#[test]
fn what_names_a_property_follows_its_new_name() {
    let mut desk = Desk::new(json!({}), schema_of_a_tool()).sized(80, 60);
    desk.goes("/parameters/properties/items");
    desk.acts("rename-member");
    desk.keys("ctrl+u");
    desk.types("lines");
    let FormReply::Edits(edits) = desk.keys("enter") else { panic!("{}", desk.screen()) };
    assert_eq!(edits.len(), 3, "one step: {edits:?}");
    let parameters = &desk.value["parameters"];
    assert_eq!(parameters["required"], json!(["lines"]));
    assert_eq!(parameters["dependentRequired"], json!({"note": ["lines"]}));
    assert_eq!(desk.form.focused_place().to_string(), "/parameters/properties/lines");
    desk.goes("/parameters/$defs/card");
    desk.acts("rename-member");
    desk.keys("ctrl+u");
    desk.types("bank card");
    desk.keys("enter");
    let parameters = &desk.value["parameters"];
    assert_eq!(parameters["properties"]["lines"], json!({"$ref": "#/$defs/bank%20card"}));
    let own = &parameters["$defs"]["bank card"]["properties"]["next"];
    assert_eq!(*own, json!({"$ref": "#/$defs/bank%20card"}));
}

#[test]
fn a_property_that_goes_is_no_longer_required() {
    let mut desk = Desk::new(json!({}), schema_of_a_tool()).sized(80, 60);
    desk.goes("/parameters/properties/note");
    desk.acts("remove-value");
    assert_eq!(desk.value["parameters"]["dependentRequired"], json!({}));
    desk.goes("/parameters/properties/items");
    desk.acts("remove-value");
    assert_eq!(desk.value["parameters"].get("required"), None, "{}", desk.value);
}

#[test]
fn texts_that_read_as_another_type_are_within_quotes() {
    let schema = json!({"properties": {"mixed": {"enum": [1, "1", "x", null]}, "plain": {"enum": ["1", "2"]}}});
    let mut desk = Desk::new(schema, json!({"mixed": "1", "plain": "2"}));
    assert!(
        desk.screen().contains("\"1\"") && !desk.screen().contains("\"2\""),
        "{}",
        desk.screen()
    );
    desk.goes("/mixed");
    desk.keys("enter");
    let screen = desk.screen();
    assert!(screen.contains("✓ \"1\"") && screen.contains("  x"), "{screen}");
}

#[test]
fn a_name_that_no_pattern_matches_is_told_what_names_match() {
    let schema = json!({"properties": {"pat": {"type": "object",
        "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}}});
    let mut desk = Desk::new(schema, json!({"pat": {"y-no": "1"}}));
    desk.goes("/pat/y-no");
    assert!(desk.screen().contains("names match ^x-"), "{}", desk.screen());
    desk.goes("/pat");
    desk.acts("add-item");
    assert!(desk.screen().contains("names match ^x-, then Enter"), "{}", desk.screen());
}

#[test]
fn lists_in_lists_name_what_is_added_to() {
    let schema = json!({"properties": {"matrix": {"type": "array",
        "items": {"type": "array", "items": {"type": "number"}}}}});
    let mut desk = Desk::new(schema, json!({"matrix": [[1], [2]]}));
    desk.goes("/matrix/1/0");
    let screen = desk.screen();
    assert!(screen.contains("+ add item to matrix › 2"), "{screen}");
    assert!(screen.lines().any(|line| line.trim_end().ends_with("+ add item")), "{screen}");
}

#[test]
fn a_folded_schema_is_described_in_words_with_its_problems_at_the_end() {
    let branch = |kind: &str, title: &str| {
        json!({"title": title, "type": "object", "required": ["type"],
            "properties": {"type": {"const": kind}, "minItems": {"type": "integer"}}})
    };
    let schema = json!({"type": "object", "additionalProperties": {"x-holds-schema": true,
        "oneOf": [branch("array", "list"), branch("string", "text")]}});
    let mut desk =
        Desk::new(schema, json!({"few": {"type": "array", "minItems": 1}})).sized(60, 12);
    desk.goes("/few");
    desk.keys("esc");
    assert!(desk.screen().contains("▸ list, at least 1 item"), "{}", desk.screen());
    assert!(!desk.screen().contains("array"), "{}", desk.screen());
}

#[test]
fn a_name_counts_when_its_field_is_left_and_not_after_esc() {
    let headers = json!({"headers": {"X-One": "1"}});
    let schema = json!({"properties": {
        "headers": {"type": "object", "additionalProperties": {"type": "string"}},
        "note": {"type": "string"},
    }});
    let mut desk = Desk::new(schema, headers);
    desk.goes("/headers/X-One");
    assert!(desk.screen().contains('×'), "{}", desk.screen());
    desk.acts("rename-member");
    // Nothing there removes the entry.
    assert!(!desk.screen().contains('×'), "{}", desk.screen());
    desk.keys("ctrl+u");
    desk.types("X-Two");
    desk.clicks("note");
    assert_eq!(desk.value["headers"], json!({"X-Two": "1"}));
    desk.goes("/headers/X-Two");
    desk.acts("rename-member");
    desk.types("3");
    desk.keys("esc");
    assert_eq!(desk.value["headers"], json!({"X-Two": "1"}));
}

#[test]
fn a_press_is_not_taken_by_what_the_press_before_brought_under_the_pointer() {
    let help = "A long description that takes a line of its own below the field that has the keys.";
    let schema = json!({"properties": {
        "first": {"type": "string", "description": help},
        "second": {"enum": ["one", "two", "three"]},
        "third": {"enum": ["four", "five", "six"]},
    }});
    let mut desk = Desk::new(schema, json!({"second": "one", "third": "four"})).sized(60, 20);
    desk.goes("/first");
    let screen = desk.screen();
    let row = screen.lines().position(|line| line.contains("one")).unwrap();
    let cell = (30, row as u16);
    desk.presses_cell(cell);
    assert_eq!(desk.form.focused_place().to_string(), "/second");
    let moved = desk.screen();
    assert!(!moved.lines().nth(row).unwrap().contains("second"), "{moved}");
    desk.presses_cell(cell);
    assert_eq!(*desk.value, json!({"second": "one", "third": "four"}), "{moved}");
    assert_eq!(desk.form.focused_place().to_string(), "/second");
    // The next one is meant.
    desk.presses_cell(cell);
    let now = (desk.value.clone(), desk.form.focused_place().to_string());
    assert_ne!(now, (json!({"second": "one", "third": "four"}).into(), "/second".into()));
}

#[test]
fn the_wheel_moves_in_an_open_list() {
    let choices: Vec<String> = (0..20).map(|row| format!("choice-{row}")).collect();
    let schema = json!({"properties": {"kind": {"enum": choices}}});
    let mut desk = Desk::new(schema, json!({"kind": "choice-0"})).sized(60, 20);
    desk.goes("/kind");
    desk.keys("enter");
    assert!(!desk.screen().contains("choice-12"), "{}", desk.screen());
    for _ in 0..12 {
        desk.wheels("choice-2", 1);
    }
    assert!(desk.screen().contains("choice-12"), "{}", desk.screen());
    assert_eq!(desk.value["kind"], "choice-0");
}

#[test]
fn a_press_on_a_shown_line_of_a_text_puts_the_cursor_there() {
    let schema = json!({"properties": {"first": {"type": "string"}, "text": {"type": "string"}}});
    let text = "The first line.\nThe second line.\nThe third line.";
    let mut desk = Desk::new(schema, json!({"text": text})).sized(60, 20);
    desk.goes("/first");
    let screen = desk.screen();
    let row = screen.lines().position(|line| line.contains("The second line.")).unwrap();
    let line = screen.lines().nth(row).unwrap();
    let before = &line[..line.find("second").unwrap()];
    let column = toolcrib::ui::canvas::text_width(before) as u16;
    desk.presses_cell((column, row as u16));
    desk.types("X");
    assert_eq!(desk.value["text"], text.replace("second", "Xsecond"));
}
