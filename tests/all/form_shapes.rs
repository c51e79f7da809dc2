//! What a form makes of a schema: flaws at their fields, unions whose branches hold together, keys
//! beside titles, what is read-only.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib::ui::form::view::{Form, FormReply};

use crate::form::Desk;

fn labels(desk: &Desk) -> Vec<String> {
    desk.form
        .fields()
        .iter()
        .map(|field| field.label.to_string())
        .filter(|label| !label.is_empty())
        .collect()
}

fn labels_of(schema: Value, value: Value, open: &[&str]) -> Vec<String> {
    let mut desk = Desk::new(schema, value);
    for at in open {
        desk.goes(at);
        if desk
            .form
            .fields()
            .iter()
            .any(|field| field.pointer.to_string() == *at && field.fold_state() == Some(false))
        {
            desk.keys("space");
        }
    }
    labels(&desk)
}

#[test]
fn a_flaw_is_marked_at_its_field_and_the_other_fields_work() {
    let schema = json!({"definitions": {"odd": {"type": "any", "title": "Odd"}}, "properties": {
        "a": {"$ref": "#/definitions/odd"}, "n": {"type": "integer", "maximum": 5}, "m": null}});
    let mut desk = Desk::new(schema, json!({"n": 7})).sized(100, 24);
    let screen = desk.screen();
    assert!(
        screen.contains("its schema: \"type\" any isn't a type of JSON Schema; it is ignored"),
        "{screen}"
    );
    assert!(screen.contains("its schema isn't a schema; anything is allowed here"), "{screen}");
    assert!(screen.contains("more than 5"), "{screen}");
    assert_eq!(desk.form.schema_findings().len(), 2);
}

#[test]
fn members_of_every_branch_of_an_inclusive_union_are_offered() {
    let branch = |name: &str| json!({"properties": {name: {"type": "string"}}, "required": [name]});
    let inclusive = json!({"type": "object", "anyOf": [branch("mail"), branch("phone")], "properties": {"name": {"type": "string"}}});
    let all = labels_of(inclusive.clone(), json!({}), &[]);
    assert!(
        ["name", "mail", "phone"].iter().all(|name| all.iter().any(|label| label == name)),
        "{all:?}"
    );
    let mut desk = Desk::new(inclusive.clone(), json!({"mail": "a", "phone": "b"}));
    assert_eq!(desk.form.issues(), []);
    desk.goes("/phone");
    let inside = json!({"properties": {"contact": inclusive}});
    let all = labels_of(inside.clone(), json!({"contact": {"phone": "b"}}), &["/contact"]);
    assert!(
        ["name", "mail", "phone"].iter().all(|name| all.iter().any(|label| label == name)),
        "{all:?}"
    );
    let unset = labels_of(inside, json!({}), &["/contact"]);
    assert!(
        ["name", "mail", "phone"].iter().all(|name| unset.iter().any(|label| label == name)),
        "{unset:?}"
    );
}

#[test]
fn branches_that_exclude_each_other_offer_their_own_members_alone() {
    let branch = |kind: &str, name: &str| json!({"type": "object", "properties": {"kind": {"const": kind}, name: {"type": "string"}}});
    for union in [
        json!({"oneOf": [{"type": "object", "properties": {"a": {}}}, {"type": "object", "properties": {"b": {}}}]}),
        json!({"anyOf": [branch("one", "a"), branch("two", "b")]}),
        json!({"anyOf": [{"type": "object", "properties": {"a": {}}, "additionalProperties": false},
            {"type": "object", "properties": {"b": {}}, "additionalProperties": false}]}),
    ] {
        let all = labels_of(union.clone(), json!({"kind": "one", "a": "x"}), &[]);
        assert!(!all.iter().any(|label| label == "b"), "{union}: {all:?}");
    }
}

#[test]
fn a_key_stands_beside_a_title_that_says_something_else() {
    let schema = json!({"properties": {"max_tokens": {"title": "Max Tokens", "type": "integer"}, "q": {"title": "Question", "type": "string"}}});
    let screen = Desk::new(schema, json!({})).screen();
    assert!(screen.contains("Question · q "), "{screen}");
    assert!(!screen.contains("Max Tokens · max_tokens"), "{screen}");
}

#[test]
fn members_of_what_is_read_only_are_read_only() {
    let schema = json!({"properties": {"o": {"type": "object", "readOnly": true, "additionalProperties": {"type": "string"},
        "properties": {"a": {"type": "string"}, "l": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "boolean"}}}}}}}});
    let value = json!({"o": {"a": "x", "l": [{"b": true}], "e": "y"}});
    let mut desk = Desk::new(schema, value.clone());
    for at in ["/o/a", "/o/l/0/b", "/o/e", "/o/l/0"] {
        desk.goes(at);
        desk.form.begin_typing();
        desk.keys("enter");
        desk.types("z");
        for act in [
            "remove-value",
            "set-null",
            "duplicate-item",
            "add-item",
            "add-member",
            "rename-member",
        ] {
            assert!(matches!(desk.acts(act), FormReply::Refused(_)), "{at} {act:?}");
        }
        assert_eq!(*desk.value, value, "{at}");
    }
    assert!(!desk.screen().contains("+ add"), "{}", desk.screen());
}

#[test]
fn nullable_of_openapi_allows_null() {
    let schema = json!({"properties": {"a": {"type": "string", "nullable": true}, "k": {"type": "string", "enum": ["x", "y"], "nullable": true},
        "n": {"type": "integer", "minimum": 0, "exclusiveMinimum": true}}});
    let mut desk = Desk::new(schema, json!({"a": null, "k": null, "n": 0}));
    let issues: Vec<String> = desk.form.issues().iter().map(|issue| issue.at.to_string()).collect();
    assert_eq!(issues, ["/n"]);
    desk.goes("/k");
    desk.acts("set-null");
    assert_eq!(desk.value["k"], Value::Null);
}

#[test]
fn a_chip_may_hold_a_comma() {
    let schema = || json!({"properties": {"l": {"type": "array", "items": {"type": "string"}}}});
    let mut desk = Desk::new(schema(), json!({}));
    desk.goes("/l");
    desk.form.begin_typing();
    desk.types("\"Doe, Jane\",b,\"q\",");
    assert_eq!(desk.value["l"], json!(["Doe, Jane", "b", "\"q\""]));
    desk.pastes("x, \"y, z\"\nw");
    assert_eq!(desk.value["l"], json!(["Doe, Jane", "b", "\"q\"", "x", "y, z", "w"]));
    let mut desk = Desk::new(schema(), json!({"l": ["a, b"]}));
    desk.goes("/l");
    desk.form.begin_typing();
    desk.keys("left enter end");
    desk.types(", c");
    desk.keys("enter");
    assert_eq!(desk.value["l"], json!(["a, b, c"]), "what has a comma already may have another");
}

#[test]
fn an_entry_may_have_an_empty_name() {
    let mut desk =
        Desk::new(json!({"type": "object", "additionalProperties": {"type": "string"}}), json!({}));
    desk.acts("add-member");
    desk.types("\"\"");
    desk.keys("enter");
    assert_eq!(*desk.value, json!({"": ""}));
    assert!(desk.screen().contains("\"\""), "{}", desk.screen());
}

/// A form shown as a uiSchema says.
fn with_ui(schema: Value, ui: Value, value: Value) -> Desk {
    let mut desk = Desk::new(schema.clone(), value);
    desk.form = Form::new(schema).with_ui(Some(Arc::new(ui)));
    desk.form.sync_value(&desk.value);
    desk.screen();
    desk
}

#[test]
fn words_of_a_ui_schema_have_their_effect_or_are_named() {
    let schema = json!({"properties": {"a": {"type": "string", "title": "Hide me"}, "t": {"type": "string"}, "k": {"enum": ["x", "y", "z"]},
        "l": {"type": "array", "items": {"type": "string"}}, "m": {"type": "string"}}});
    let ui = json!({"a": {"ui:label": false, "ui:emptyValue": "none"}, "t": {"ui:widget": "TextareaWidget", "ui:options": {"rows": 6}},
        "k": {"ui:enumDisabled": ["y"], "ui:widget": "radio"},
        "l": {"ui:options": {"addable": false, "orderable": false, "removable": false}}, "m": {"ui:field": "Map", "ui:widget": "MyWidget"}});
    let mut desk = with_ui(
        schema,
        ui,
        json!({"a": "x", "t": "1\n2\n3\n4\n5\n6\n7\n8", "k": "x", "l": ["one", "two"]}),
    )
    .sized(100, 40);
    let screen = desk.screen();
    assert!(!screen.contains("Hide me"), "{screen}");
    assert!(screen.contains("uiSchema /k: the widget \"radio\" has no effect"), "{screen}");
    assert!(screen.contains("and 1 more"), "{screen}");
    assert_eq!(desk.form.ui_notes().len(), 3, "{:?}", desk.form.ui_notes());
    let line = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap();
    assert_eq!(line(" k ") - line(" t "), 6, "{screen}");
    desk.goes("/k");
    desk.form.begin_typing();
    desk.keys("right");
    assert_eq!(desk.value["k"], "z", "what is disabled is not offered");
    desk.goes("/l/0");
    for act in ["add-item", "move-down", "duplicate-item", "remove-value"] {
        assert!(matches!(desk.acts(act), FormReply::Refused(_)), "{act:?}");
    }
    desk.goes("/a");
    desk.form.begin_typing();
    desk.keys("end backspace");
    assert_eq!(desk.value["a"], "none", "a cleared text has its empty value");
}

#[test]
fn a_text_box_is_no_taller_than_what_it_says() {
    let prompt = "Answer in the words of the user and ".repeat(9);
    let schema = json!({"properties": {"short": {"type": "string", "default": ""}, "long": {"type": "string", "default": prompt},
        "set": {"type": "string"}, "last": {"type": "boolean"}}});
    let tall = json!({"ui:widget": "textarea", "ui:options": {"rows": 12}});
    let ui = json!({"short": tall, "long": tall, "set": tall});
    let mut desk = with_ui(schema, ui, json!({"set": "one\ntwo"})).sized(80, 40);
    let screen = desk.screen();
    let line = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap();
    assert_eq!(line(" long ") - line("short "), 1, "{screen}");
    assert_eq!(line(" set ") - line(" long "), 3, "the beginning of the default: {screen}");
    assert_eq!(line(" last ") - line(" set "), 2, "{screen}");
}

#[test]
fn a_choice_too_long_for_its_row_is_read_below_it() {
    let long = "Retry with exponential backoff and jitter until the deadline of the caller has passed, then give up quietly";
    let schema = json!({"properties": {"retry": {"oneOf": [{"const": "a", "title": long}, {"const": "b", "title": "Never"}]}}});
    let mut desk = Desk::new(schema, json!({})).sized(60, 20);
    desk.goes("/retry");
    desk.keys("enter");
    assert!(!desk.screen().contains("quietly"), "{}", desk.screen());
    // From "unset", the last one, to the first.
    desk.keys("down");
    assert!(desk.screen().contains("quietly"), "{}", desk.screen());
    desk.keys("enter");
    assert_eq!(desk.value["retry"], "a");
    assert!(desk.screen().contains("quietly"), "{}", desk.screen());
}

#[test]
fn the_help_of_a_field_says_its_kinds_and_null() {
    let schema = json!({"properties": {
        "pay": {"oneOf": [{"title": "Card", "type": "object", "properties": {"number": {"type": "string"}}},
            {"title": "Bank", "type": "object", "properties": {"iban": {"type": "string"}}}, {"type": "null"}]},
        "nick": {"type": ["string", "null"]}, "size": {"type": ["integer", "null"], "maximum": 9},
        "limit": {"type": ["integer", "null"], "default": null}}});
    let mut desk = Desk::new(schema, json!({}));
    for (field, words) in [
        ("/pay", "one of 2 kinds or null"),
        ("/nick", "text or null"),
        ("/size", "whole number or null, at most 9"),
        ("/limit", "null · default, or whole number"),
    ] {
        desk.goes(field);
        assert!(desk.screen().contains(words), "{field}: {}", desk.screen());
    }
}

#[test]
fn only_what_is_set_is_shown_until_a_field_is_looked_for() {
    let schema = json!({"required": ["b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "o": {"type": "object", "properties": {"c": {}, "d": {"type": "string"}}}}});
    let mut desk = Desk::new(schema, json!({"a": "x", "o": {"d": "y"}}));
    desk.acts("only-set");
    assert_eq!(labels(&desk), ["a", "o", "d"]);
    desk.goes("/b");
    assert_eq!(labels(&desk), ["a", "b", "o", "c", "d"]);
    desk.acts("only-set");
    desk.acts("only-set");
    assert_eq!(labels(&desk).len(), 5);
}

#[test]
fn members_that_the_schema_does_not_name_are_counted_apart() {
    let text = json!({"type": "string"});
    let schema =
        json!({"properties": {"o": {"type": "object", "properties": {"a": text, "b": text}}}});
    let screen = Desk::new(schema, json!({"o": {"a": "x", "z": "y"}})).screen();
    assert!(screen.contains("1 of 2 set, 1 more"), "{screen}");
}

#[test]
fn that_a_field_is_required_is_said_on_its_line() {
    let text = json!({"type": "string"});
    let schema = json!({"required": ["a", "b"], "properties": {"a": text, "b": {"enum": ["x", "y"]}, "c": text}});
    let mut desk = Desk::new(schema, json!({})).sized(70, 12);
    let line = |screen: &str, text: &str| {
        screen.lines().find(|line| line.contains(text)).unwrap_or_default().to_owned()
    };
    let screen = desk.screen();
    for field in ["a *", "b *"] {
        assert!(line(&screen, field).contains("✗ is required"), "{screen}");
    }
    assert!(line(&screen, "b *").ends_with('▾'), "{screen}");
    // Where there is no room it is below.
    let mut desk = desk.sized(30, 12);
    let screen = desk.screen();
    assert!(!line(&screen, "a *").contains("required"), "{screen}");
    assert!(screen.contains("✗ is required"), "{screen}");
}

#[test]
fn a_long_default_is_read_and_edited_in_its_box() {
    let prompt = "Answer the question.\nBe brief.\nSay where it is from.\nNever guess.";
    let schema = json!({"properties": {"prompt": {"type": "string", "format": "multiline", "default": prompt}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.keys("enter");
    assert!(desk.screen().contains("Never guess."), "{}", desk.screen());
    desk.keys("esc");
    assert_eq!(*desk.value, json!({}), "to read it sets nothing");
    // Behind the end of what is selected.
    desk.keys("enter right");
    desk.types(" Ever.");
    assert_eq!(desk.value["prompt"], format!("{prompt} Ever."));
    desk.keys("esc");
    desk.acts("remove-value");
    desk.keys("enter");
    desk.types("Mine");
    assert_eq!(desk.value["prompt"], "Mine", "what is typed replaces a default");
    desk.keys("backspace backspace backspace backspace");
    assert_eq!(desk.value["prompt"], "");
    desk.keys("backspace backspace backspace");
    assert_eq!(*desk.value, json!({}), "the default is there again, whole");
}

#[test]
fn an_editor_outside_opens_where_what_comes_back_has_a_place() {
    let lines = json!({"type": "string", "format": "multiline"});
    let schema = json!({"properties": {"pair": {"type": "array", "prefixItems": [lines, lines]},
        "deep": {"type": "object", "properties": {"text": lines}}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/pair/0");
    // It would become an object with a member "0".
    assert!(matches!(desk.acts("edit-text"), FormReply::Refused(_)));
    desk.goes("/deep/text");
    assert!(matches!(desk.acts("edit-text"), FormReply::OpenEditor { .. }));
}
