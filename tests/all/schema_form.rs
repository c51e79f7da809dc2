//! The form of a schema: kinds, null beside them, branches, and what undo leaves open.

use serde_json::{Value, json};
use toolcrib::model::entry::FileId;

use super::support::workbench::Workbench;

const FILE: &str = "mcp/sky.json";

fn bench(schema: &Value, width: u16, height: u16) -> Workbench {
    let tool = json!({"name": "order", "description": "Orders", "inputSchema": schema});
    let kept = json!({"server": "sky", "version": "2025-11-25", "tools": [tool]});
    let kept = serde_json::to_string_pretty(&kept).unwrap();
    Workbench::files(&[(FILE, &kept)], width, height)
}

/// A tool with one argument, whose schema is open.
fn of_argument(schema: &Value) -> Workbench {
    let whole =
        json!({"type": "object", "properties": {"p": schema}, "$defs": {"D": {"type": "string"}}});
    let mut bench = bench(&whole, 120, 60);
    bench.clicks("▸ 1 entry");
    bench
}

fn schema_of(bench: &Workbench) -> Value {
    let text = &bench.state.documents.get(&FileId::new(FILE)).unwrap().text;
    let list: Value = serde_json::from_str(&text.to_string()).unwrap();
    list["tools"][0]["inputSchema"].clone()
}

fn argument(bench: &Workbench) -> Value {
    schema_of(bench)["properties"]["p"].clone()
}

#[test]
fn null_is_a_tick_on_every_kind_in_the_words_of_the_schema() {
    for (shown, with, without, again) in [
        (
            "▸ text or null, at m",
            json!({"type": ["null", "string"], "maxLength": 3}),
            json!({"type": "string", "maxLength": 3}),
            json!({"type": ["string", "null"], "maxLength": 3}),
        ),
        (
            "▸ whole number or null",
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": null}),
            json!({"default": null, "type": "integer"}),
            json!({"default": null, "type": ["integer", "null"]}),
        ),
        (
            "▸ one of 2 or null",
            json!({"enum": ["x", 1, null]}),
            json!({"enum": ["x", 1]}),
            json!({"enum": ["x", 1, null]}),
        ),
        (
            "▸ one of 2 or null",
            json!({"type": ["string", "null"], "enum": ["x", "y", null]}),
            json!({"type": "string", "enum": ["x", "y"]}),
            json!({"type": ["string", "null"], "enum": ["x", "y", null]}),
        ),
        (
            "▸ text or null",
            json!({"type": "string", "nullable": true}),
            json!({"type": "string", "nullable": false}),
            json!({"type": "string", "nullable": true}),
        ),
        (
            "▸ text, whole number or nul",
            json!({"type": ["string", "integer", "null"]}),
            json!({"type": ["string", "integer"]}),
            json!({"type": ["string", "integer", "null"]}),
        ),
        (
            "▸ any of several",
            json!({"anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "string"}, {"type": "boolean"}]}),
            json!({"anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "null"}]}),
        ),
    ] {
        let mut bench = of_argument(&with);
        bench.clicks(shown);
        assert!(
            bench.shows("[x] null is allowed") && !bench.shows("✗"),
            "{with}\n{}",
            bench.screen()
        );
        bench.clicks("[x] null is allowed");
        assert_eq!(argument(&bench), without, "{}", bench.screen());
        assert!(!bench.shows("null is allowed") && !bench.shows("✗"), "{}", bench.screen());
        bench.keys("space");
        assert_eq!(argument(&bench), again);
        assert!(bench.shows("[x] null is allowed") && !bench.shows("✗"), "{}", bench.screen());
        bench.keys("u u");
        assert_eq!(argument(&bench), with);
    }
}

#[test]
fn a_reference_or_null_is_a_union() {
    let reference = json!({"$ref": "#/$defs/D", "description": "It"});
    let mut bench = of_argument(&reference);
    bench.clicks("▸ reference");
    bench.clicks("or null");
    bench.keys("space");
    let union = json!({"description": "It", "anyOf": [{"$ref": "#/$defs/D"}, {"type": "null"}]});
    assert_eq!(argument(&bench), union);
    assert!(bench.shows("any of several"), "{}", bench.screen());
    bench.keys("space");
    assert_eq!(argument(&bench), json!({"description": "It", "$ref": "#/$defs/D"}));
    assert!(bench.shows("▾ reference"), "{}", bench.screen());
}

#[test]
fn another_kind_keeps_null() {
    let mut bench = of_argument(&json!({"type": ["string", "null"], "description": "It"}));
    bench.clicks("▸ text or null");
    bench.clicks("▾ text");
    bench.keys("enter");
    bench.types("whole");
    bench.keys("enter");
    assert_eq!(
        argument(&bench),
        json!({"type": ["integer", "null"], "description": "It"}),
        "{}",
        bench.screen()
    );
    assert!(bench.shows("[x] null is allowed"), "{}", bench.screen());
}

#[test]
fn kinds_are_named_in_full_where_the_form_is_narrow() {
    for (width, height) in [(80, 24), (120, 36)] {
        let whole = json!({"type": "object", "properties": {"o": {"type": "object", "properties": {"p": {"type": "string"}}}}});
        let mut bench = bench(&whole, width, height);
        bench.keys("tab");
        bench.clicks("▸ 1 entry");
        bench.clicks("▸ object");
        bench.clicks("▸ 1 entry");
        bench.clicks("▸ text");
        bench.clicks("▾ text");
        bench.keys("enter");
        assert!(!bench.screen().contains("whole numb…"), "{}", bench.screen());
        for kind in ["whole number", "yes or no", "any of several"] {
            bench.types(kind);
            assert!(bench.shows(&format!("  {kind}")), "{width}: {kind}\n{}", bench.screen());
            kind.chars().for_each(|_| bench.keys("backspace"));
        }
    }
}

#[test]
fn branches_of_the_arguments_as_a_whole_have_their_fields() {
    let whole = json!({"type": "object", "oneOf": [
        {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"type": "object", "properties": {"b": {"type": "integer"}}}]});
    let mut bench = bench(&whole, 120, 60);
    assert!(bench.shows("oneOf") && !bench.shows("anyOf"), "{}", bench.screen());
    bench.clicks("▸ 2 items");
    bench.clicks("▸ members");
    bench.clicks("▸ 1 entry");
    bench.clicks("▸ text");
    bench.clicks("or null");
    bench.keys("space");
    assert_eq!(
        schema_of(&bench)["oneOf"][0],
        json!({"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}),
        "{}",
        bench.screen()
    );
    assert!(!bench.shows("✗"), "{}", bench.screen());
}

#[test]
fn undoing_a_rename_leaves_open_what_was_open() {
    let whole = json!({"type": "object", "properties": {
        "first": {"type": "string", "maxLength": 7}, "other": {"type": "integer"}}, "required": ["first"]});
    let mut bench = bench(&whole, 120, 60);
    bench.clicks("▸ 2 entries");
    bench.clicks("▸ text");
    bench.clicks("first");
    bench.keys("r ctrl+a");
    bench.types("second");
    bench.keys("enter esc");
    let renamed = schema_of(&bench);
    assert_eq!(renamed["required"], json!(["second"]), "{}", bench.screen());
    for key in ["u", "U"] {
        bench.keys(key);
        assert!(
            bench.shows("maximum length") && bench.shows("▾ text"),
            "{key}\n{}",
            bench.screen()
        );
        // The cursor is on the property whose name changed.
        let name = if key == "u" { "▌    first" } else { "▌    second" };
        assert!(bench.shows(name), "{key}\n{}", bench.screen());
    }
    assert_eq!(schema_of(&bench), renamed);
}

#[test]
fn a_schema_that_is_true_or_false_is_one() {
    for (keyword, flag) in
        [("additionalProperties", false), ("additionalProperties", true), ("items", false)]
    {
        let kind = if keyword == "items" { "array" } else { "object" };
        let schema = json!({"type": kind, keyword: flag});
        let bench = of_argument(&schema);
        assert!(!bench.shows("⚠") && !bench.shows("✗"), "{schema}\n{}", bench.screen());
        let mut bench = of_argument(&json!({"type": "array", "items": schema}));
        bench.clicks("▸ list");
        assert!(!bench.shows("⚠") && !bench.shows("✗"), "{schema}\n{}", bench.screen());
    }
    // A member that the form has no field for.
    for keyword in ["unevaluatedProperties", "propertyNames", "contains", "not"] {
        let bench = of_argument(&json!({"type": "object", keyword: false}));
        assert!(!bench.shows("⚠") && !bench.shows("✗"), "{keyword}\n{}", bench.screen());
    }
    let bench = of_argument(&json!(true));
    assert!(!bench.shows("⚠") && !bench.shows("✗"), "{}", bench.screen());
}

#[test]
fn a_folded_schema_says_what_distinguishes_it_and_whether_it_is_required() {
    let whole = json!({"type": "object", "required": ["p"], "properties": {
        "p": {"type": "string", "description": "Who buys"},
        "q": {"oneOf": [
            {"type": "object", "title": "Card", "description": "Plastic"},
            {"type": "object", "properties": {"kind": {"const": "bill"}}}]}}});
    let mut bench = bench(&whole, 120, 60);
    bench.clicks("▸ 2 entries");
    assert!(bench.shows("▸ text *  Who buys"), "{}", bench.screen());
    // A press on the words unfolds; that on the sign at the end chooses another kind.
    bench.clicks("one of several");
    bench.clicks("▸ 2 items");
    for branch in ["▸ object  Card", "▸ object  bill"] {
        assert!(bench.shows(branch), "{branch}\n{}", bench.screen());
    }
}

#[test]
fn another_kind_says_what_it_removes() {
    let members = json!({"type": "object", "properties": {"a": {"type": "string"}}, "title": "T"});
    let mut bench = of_argument(&members);
    bench.clicks("▸ object");
    bench.clicks("▾ object");
    bench.keys("enter");
    bench.types("whole");
    bench.keys("enter");
    assert_eq!(argument(&bench)["type"], "integer", "{}", bench.screen());
    let said = bench.state.notices.current().map(|notice| notice.text.clone()).unwrap_or_default();
    assert!(said.starts_with("Removed properties"), "{said}");
    assert!(said.ends_with("u undoes"), "{said}");
}
