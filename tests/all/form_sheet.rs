//! What a form does beside its fields: finding, copying and pasting, setting back, showing what was
//! saved, telling of issues.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib::{
    app::outside_text::OutsideText, schema::pointer::Pointer, ui::form::view::FormReply,
};

use crate::form::Desk;

fn schema() -> Value {
    json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "minLength": 2, "description": "The **whole** name, as in `hosts`.\n\n- one\n- two\n- three\n- four\n- five"},
        "retry": {"type": "object", "title": "Retries", "properties": {
            "count": {"type": "integer", "default": 3, "maximum": 9, "description": "How often it is tried again."},
            "wait": {"type": "number"}}},
        "servers": {"type": "array", "items": {"type": "object", "required": ["host"], "properties": {
            "host": {"type": "string"}, "weight": {"type": "number"}}}},
        "token": {"type": "string", "writeOnly": true},
        "mode": {"enum": ["fast", "slow"], "default": "fast"}}})
}

fn desk(value: Value) -> Desk {
    Desk::new(schema(), value)
}

fn copied(reply: FormReply) -> String {
    match reply {
        FormReply::Copy { text, .. } => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_field_that_is_folded_away_is_found_by_name_and_by_description() {
    let mut desk = desk(json!({"name": "ab", "servers": [{"host": "x"}, {"host": "y"}]}));
    desk.acts("find-field");
    desk.types("weig");
    assert!(desk.screen().contains("servers › 1 › weight"), "{}", desk.screen());
    desk.keys("down enter");
    assert_eq!(desk.form.focused_place().to_string(), "/servers/1/weight");
    desk.acts("find-field");
    desk.types("tried again");
    assert!(desk.screen().contains("Retries › count"), "{}", desk.screen());
    desk.clicks("Retries › count");
    assert_eq!(desk.form.focused_place().to_string(), "/retry/count");
}

#[test]
fn looking_for_a_field_takes_nothing_from_what_is_typed() {
    let mut desk = desk(json!({"name": "ab"}));
    desk.goes("/name");
    desk.keys("enter");
    desk.keys("end");
    desk.types("c");
    desk.acts("find-field");
    desk.types("mode");
    desk.keys("esc");
    assert_eq!((*desk.value).clone(), json!({"name": "abc"}));
    assert_eq!(desk.form.focused_place().to_string(), "/name");
}

#[test]
fn a_subtree_goes_out_and_in_as_json_and_as_yaml() {
    let mut desk = desk(json!({"name": "ab", "servers": [{"host": "x", "weight": 2}]}));
    desk.goes("/servers/0");
    let text = copied(desk.acts("copy-yaml"));
    assert_eq!(text, "host: x\nweight: 2");
    desk.goes("/servers");
    let list = copied(desk.acts("copy-value"));
    assert_eq!(serde_json::from_str::<Value>(&list).unwrap(), json!([{"host": "x", "weight": 2}]));
    desk.form.set_clip(&text);
    desk.keys("enter");
    desk.acts("add-item");
    desk.goes("/servers/1");
    desk.acts("paste-value");
    assert_eq!(desk.value["servers"][1], json!({"host": "x", "weight": 2}));
    desk.pastes("[{\"host\": \"only\"}]");
    assert_eq!(
        desk.value["servers"][1],
        json!([{"host": "only"}]),
        "what is pasted on a fold is its value"
    );
    desk.form.set_clip("a: [");
    assert!(matches!(desk.acts("paste-value"), FormReply::Refused(_)));
}

#[test]
fn what_is_pasted_on_a_list_is_the_list_or_one_item_more() {
    let mut desk = desk(json!({"name": "ab", "servers": [{"host": "x"}]}));
    desk.goes("/servers");
    desk.pastes("{\"host\": \"y\"}");
    assert_eq!(desk.value["servers"], json!([{"host": "x"}, {"host": "y"}]));
    desk.pastes("[{\"host\": \"z\"}]");
    assert_eq!(desk.value["servers"], json!([{"host": "z"}]));
}

#[test]
fn copies_and_pastes_keep_the_spelling_of_numbers() {
    let mut desk = desk(json!({"name": "ab"}));
    desk.goes("/servers");
    desk.pastes("[{\"host\": \"x\", \"weight\": 1.50}, {\"host\": \"y\", \"weight\": 1e3}]");
    let text = copied(desk.acts("copy-value"));
    assert!(text.contains("1.50") && text.contains("1e3"), "{text}");
    let text = copied(desk.acts("copy-yaml"));
    assert!(text.contains("1.50"), "{text}");
}

#[test]
fn a_field_goes_back_to_its_default_and_a_subtree_too() {
    let mut desk = desk(
        json!({"name": "ab", "mode": "slow", "retry": {"count": 5, "wait": 1}, "servers": [{"host": "x", "weight": 2}]}),
    );
    desk.goes("/mode");
    desk.acts("reset-field");
    assert_eq!(desk.value.get("mode"), None, "the default applies where nothing is set");
    assert!(desk.screen().contains("fast · default"));
    assert!(matches!(desk.acts("reset-field"), FormReply::Refused(_)));
    desk.goes("/retry");
    desk.acts("reset-field");
    assert_eq!(desk.value.get("retry"), None);
    desk.goes("/servers/0");
    desk.acts("reset-field");
    assert_eq!(desk.value["servers"], json!([{}]), "an item stays, as it would begin");
}

#[test]
fn what_differs_from_the_saved_value_is_marked_told_and_set_back() {
    let saved = json!({"name": "ab", "mode": "slow", "token": "hunter2"});
    let mut desk = desk(saved.clone());
    desk.form.set_saved(Some(&Arc::new(saved)));
    assert!(!desk.screen().contains('▎'));
    desk.goes("/name");
    desk.keys("enter");
    desk.keys("end");
    desk.types("c");
    assert!(desk.screen().contains("was \"ab\""), "{}", desk.screen());
    desk.goes("/mode");
    assert!(desk.screen().contains("▎name"), "{}", desk.screen());
    desk.acts("remove-value");
    assert!(desk.screen().contains("was \"slow\""), "{}", desk.screen());
    desk.acts("revert-field");
    assert_eq!(desk.value["mode"], "slow");
    desk.goes("/token");
    desk.acts("remove-value");
    assert!(
        desk.screen().contains("was a different value") && !desk.screen().contains("hunter2"),
        "{}",
        desk.screen()
    );
}

#[test]
fn descriptions_are_rendered_and_long_ones_fold() {
    let mut desk = desk(json!({"name": "ab"})).sized(80, 10);
    desk.goes("/name");
    let screen = desk.screen();
    assert!(
        screen.contains("The whole name, as in hosts.") && !screen.contains("five"),
        "{screen}"
    );
    desk.clicks("more lines");
    assert!(desk.screen().contains("• five"), "{}", desk.screen());
    desk.acts("field-help");
    assert!(!desk.screen().contains("• five"));
    // Nothing is cut above lines that are empty.
    let mut desk = desk.sized(80, 24);
    assert!(desk.screen().contains("• five"), "{}", desk.screen());
}

#[test]
fn a_description_longer_than_the_pane_is_read_by_keys() {
    let long: Vec<String> = (1..=60).map(|line| format!("- line {line}.")).collect();
    let schema = json!({"properties": {"a": {"type": "string", "description": long.join("\n")}, "b": {"type": "string"}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.goes("/a");
    desk.acts("field-help");
    for _ in 0..8 {
        desk.keys("pagedown");
        if desk.screen().contains("line 60.") {
            break;
        }
    }
    assert!(desk.screen().contains("line 60."), "{}", desk.screen());
    assert_eq!(desk.form.focused_place().to_string(), "/a");
}

#[test]
fn issues_are_gone_through_both_ways_round_and_round() {
    let mut desk =
        desk(json!({"name": "a", "retry": {"count": 99}, "servers": [{"host": "x"}, {}]}));
    let mut seen = Vec::new();
    desk.goes("/name");
    for _ in 0..3 {
        desk.acts("next-issue");
        seen.push(desk.form.focused_place().to_string());
    }
    assert_eq!(seen, ["/retry/count", "/servers/1/host", "/name"]);
    let mut back = Vec::new();
    for _ in 0..3 {
        desk.acts("previous-issue");
        back.push(desk.form.focused_place().to_string());
    }
    assert_eq!(back, ["/servers/1/host", "/retry/count", "/name"]);
}

#[test]
fn what_is_typed_and_no_value_is_neither_lost_nor_taken() {
    let mut desk = desk(json!({"name": "ab", "retry": {"wait": 1}}));
    desk.goes("/retry/wait");
    desk.keys("enter");
    desk.keys("end");
    desk.types("x");
    desk.keys("esc esc");
    assert!(desk.screen().contains("1x"), "{}", desk.screen());
    assert_eq!(desk.form.draft_issues().len(), 1);
    assert_eq!(desk.value["retry"]["wait"], 1);
    desk.goes("/name");
    desk.form.focus_field(&Pointer::parse("/retry/wait").unwrap());
    assert!(desk.screen().contains("1x"));
}

#[test]
fn null_and_empty_defaults_are_told_from_what_is_not_set() {
    let mut desk = Desk::new(
        json!({"properties": {"a": {"type": ["integer", "null"], "default": null}, "b": {"type": "string", "default": ""},
            "c": {"type": "string"}, "d": {"type": ["string", "null"]}}}),
        json!({"d": null}),
    );
    let screen = desk.screen();
    let rows = [
        ("a", "null · default, or whole number"),
        ("b", "empty · default"),
        ("c", "text"),
        ("d", "null"),
    ];
    for (name, words) in rows {
        let is_row = |line: &str| {
            line.trim_start_matches(['▌', ' '])
                .strip_prefix(name)
                .is_some_and(|row| row.trim_start().starts_with(words))
        };
        assert!(screen.lines().any(is_row), "{name} {words}\n{screen}");
    }
}

#[test]
fn a_label_that_is_cut_is_read_below_its_field() {
    let title = "Percentage of input tokens that are kept for sources";
    let mut desk = Desk::new(
        json!({"properties": {"p": {"title": title, "type": "number", "examples": [0.4, 0.5]}}}),
        json!({"p": 1}),
    );
    assert!(!desk.screen().lines().next().unwrap().contains(title));
    let said = desk.screen().lines().skip(1).map(str::trim).collect::<Vec<_>>().join(" ");
    assert!(said.contains(&format!("{title} · p · number · such as 0.4 or 0.5")), "{said}");
}

#[test]
fn what_a_text_holds_is_said() {
    let mut desk = Desk::new(
        json!({"properties": {"a": {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"},
            "b": {"type": "string", "contentMediaType": "text/markdown"}}}),
        json!({}),
    );
    assert!(
        desk.screen().contains("base64 of image/png")
            && desk.screen().contains("text, text/markdown"),
        "{}",
        desk.screen()
    );
}

#[test]
fn adding_to_chips_is_typing_the_next_one() {
    let mut desk = Desk::new(
        json!({"properties": {"tags": {"type": "array", "items": {"type": "string"}}}}),
        json!({"tags": ["a"]}),
    );
    desk.keys("esc");
    assert_eq!(desk.acts("add-item"), FormReply::Handled);
    desk.types("xu");
    desk.keys("enter");
    assert_eq!(*desk.value, json!({"tags": ["a", "xu"]}));
}

#[test]
fn what_is_typed_in_a_short_list_is_shown_and_names_the_option() {
    let mut desk = Desk::new(
        json!({"properties": {"mode": {"enum": ["fast", "slow", "steady", "other"]}}}),
        json!({}),
    );
    desk.keys("enter");
    desk.types("st");
    assert!(desk.screen().contains("/ st"), "{}", desk.screen());
    desk.keys("enter");
    assert_eq!(*desk.value, json!({"mode": "steady"}));
    desk.keys("enter");
    desk.types("of");
    assert!(desk.screen().contains("nothing matches"), "{}", desk.screen());
    desk.keys("enter");
    assert_eq!(*desk.value, json!({"mode": "steady"}), "nothing was named");
    desk.keys("backspace enter");
    assert_eq!(*desk.value, json!({"mode": "other"}));
}

#[test]
fn null_is_one_of_the_kinds_of_a_union_that_allows_it() {
    let schema = json!({"properties": {"u": {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "array", "items": {"type": "number"}}, {"type": "null"}]}, "s": {"type": ["string", "null"]}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.keys("enter");
    desk.clicks("explicit null");
    assert_eq!(*desk.value, json!({"u": null}));
    desk.keys("tab");
    assert!(desk.form.hinted_actions().contains(&"set-null"), "{:?}", desk.form.hinted_actions());
    desk.acts("set-null");
    assert!(!desk.form.hinted_actions().contains(&"set-null"));
    assert_eq!(*desk.value, json!({"u": null, "s": null}));
}

#[test]
fn what_comes_back_from_outside_brings_its_editor() {
    let mut desk = Desk::new(json!({"properties": {"a": {"type": "string"}}}), json!({"a": "one"}));
    let FormReply::OpenEditor { at, text } = desk.acts("edit-text") else {
        panic!("no editor is opened")
    };
    assert_eq!(text, OutsideText::Plain("one".into()));
    desk.edited(&at, "one\ntwo");
    assert!(desk.screen().lines().any(|line| line.trim().starts_with("two")), "{}", desk.screen());
}

#[test]
fn where_indents_end_the_way_to_the_field_is_said() {
    let mut schema = json!({"properties": {"leaf": {"type": "string"}}});
    let mut value = json!({"leaf": "x"});
    for level in (1..20).rev() {
        schema = json!({"properties": {(format!("level{level}")): schema}});
        value = json!({(format!("level{level}")): value});
    }
    let mut desk = Desk::new(schema, value).sized(80, 10);
    desk.acts("find-field");
    desk.types("leaf");
    desk.keys("enter");
    let position = desk.form.position_text().unwrap();
    assert!(position.starts_with("… › level17 › level18 › level19 · field "), "{position}");
}

#[test]
fn a_tables_columns_are_as_wide_as_its_last_rows_need() {
    let rows: Vec<Value> =
        (0..250).map(|row| json!({"a": row, "b": format!("row {row}")})).collect();
    let schema = json!({"properties": {"rows": {"type": "array", "items": {"type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}}}});
    let mut desk = Desk::new(schema, json!({"rows": rows}));
    desk.keys("enter end up enter end up enter end up");
    assert!(desk.screen().contains("249  row 249"), "{}", desk.screen());
}

#[test]
fn a_typed_text_is_not_replaced_by_a_suggestion() {
    let schema = json!({"properties": {"service": {"type": "string", "examples": ["joke-service", "joke"]}}});
    let mut desk = Desk::new(schema, json!({}));
    desk.keys("enter");
    desk.types("jo");
    desk.keys("enter");
    assert_eq!(*desk.value, json!({"service": "jo"}));
    desk.keys("enter");
    desk.types("k");
    desk.keys("down enter");
    assert_eq!(*desk.value, json!({"service": "joke-service"}), "the cursor chooses one");
}
