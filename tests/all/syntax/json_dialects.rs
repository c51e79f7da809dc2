//! Edits of JSON with comments and of JSON5: comments, quotes and style stay.

use serde_json::Value;
use toolcrib::{
    schema::{literal::Literal, pointer::Pointer},
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
};

fn at(text: &str) -> Pointer {
    Pointer::parse(text).unwrap()
}

fn set(place: &str, json: &str) -> Edit {
    Edit::Set { at: at(place), to: Literal::parse(json).unwrap() }
}

fn insert(place: &str, json: &str) -> Edit {
    Edit::Insert { at: at(place), item: Literal::parse(json).unwrap() }
}

/// The text after an edit; undone, it is the old one byte for byte.
#[track_caller]
fn edited(format: Format, text: &str, edit: &Edit) -> String {
    let source = Source::parse(format, text).unwrap();
    let (after, patch) = source.apply(0, edit).unwrap();
    assert_eq!(&**after.with_patch(&patch.inverse()).unwrap().text(), text);
    after.text().to_string()
}

const JSONC: &str = "// head\n{\n  // about a\n  \"a\": 1, // one\n  /* about b */\n  \"b\": [\n    1, // first\n    2 // second\n  ], // list\n  \"c\": {} // empty\n}\n// foot\n";

#[test]
fn a_value_changes_and_the_comments_stay() {
    for (edit, old, new) in [
        (set("/a", "2"), "\"a\": 1,", "\"a\": 2,"),
        (set("/b/1", "3"), "    2 //", "    3 //"),
        (set("/c", "{\"x\": 1}"), "\"c\": {} // empty", "\"c\": {\n    \"x\": 1\n  } // empty"),
        (set("/d", "\"x\""), "\"c\": {} // empty\n", "\"c\": {}, // empty\n  \"d\": \"x\"\n"),
        (insert("/b/2", "3"), "    2 // second\n", "    2, // second\n    3\n"),
        (insert("/b/0", "0"), "    1, // first\n", "    0,\n    1, // first\n"),
        (insert("/b/1", "7"), "    1, // first\n", "    1, // first\n    7,\n"),
        (Edit::Remove { at: at("/a") }, "  \"a\": 1, // one\n", ""),
        (Edit::Remove { at: at("/b/0") }, "    1, // first\n", ""),
        (Edit::Remove { at: at("/b/1") }, "    1, // first\n    2 // second\n", "    1 // first\n"),
        (Edit::Remove { at: at("/c") }, "  ], // list\n  \"c\": {} // empty\n", "  ] // list\n"),
        (Edit::Rename { at: at("/a"), key: "z".into() }, "\"a\": 1", "\"z\": 1"),
        (
            Edit::Move { at: at("/b/0"), to: 1 },
            "    1, // first\n    2 // second\n",
            "    2, // second\n    1 // first\n",
        ),
    ] {
        let expected = JSONC.replacen(old, new, 1);
        assert_ne!(expected, JSONC, "{edit:?}");
        assert_eq!(edited(Format::Jsonc, JSONC, &edit), expected, "{edit:?}");
    }
}

#[test]
fn trailing_commas_and_comments_between_stay_as_they_are() {
    let list = "[\n  1,\n  2, // two\n]";
    assert_eq!(edited(Format::Jsonc, list, &insert("/2", "3")), "[\n  1,\n  2, // two\n  3,\n]");
    assert_eq!(edited(Format::Jsonc, list, &Edit::Remove { at: at("/1") }), "[\n  1,\n]");
    let above = "[\n  // one\n  1,\n  // two\n  2\n]";
    assert_eq!(
        edited(Format::Jsonc, above, &insert("/1", "9")),
        "[\n  // one\n  1,\n  9,\n  // two\n  2\n]"
    );
    assert_eq!(
        edited(Format::Jsonc, above, &insert("/0", "9")),
        "[\n  9,\n  // one\n  1,\n  // two\n  2\n]"
    );
    assert_eq!(
        edited(Format::Jsonc, above, &Edit::Move { at: at("/1"), to: 0 }),
        "[\n  // two\n  2,\n  // one\n  1\n]"
    );
    let inline = "[1 /* one */, 2 /* two */]";
    assert_eq!(
        edited(Format::Jsonc, inline, &Edit::Remove { at: at("/1") }),
        "[1 /* one */ /* two */]"
    );
    assert_eq!(edited(Format::Jsonc, inline, &insert("/2", "3")), "[1 /* one */, 2, 3 /* two */]");
}

#[test]
fn what_holds_only_comments_keeps_them() {
    assert_eq!(
        edited(Format::Jsonc, "// mine\n", &set("", "{\"a\": 1}")),
        "// mine\n{\n  \"a\": 1\n}\n"
    );
    assert_eq!(
        edited(Format::Jsonc, "{\n  // nothing yet\n}\n", &set("/a", "1")),
        "{\n  // nothing yet\n  \"a\": 1\n}\n"
    );
    assert_eq!(
        edited(Format::Jsonc, "{\"x\": 1, \"l\": [ /* none */ ]}", &insert("/l/0", "1")),
        "{\"x\": 1, \"l\": [ /* none */\n  1\n]}"
    );
    let held = "{\n  \"l\": [ // none\n  ],\n}\n";
    assert_eq!(
        edited(Format::Jsonc, held, &insert("/l/0", "1")),
        "{\n  \"l\": [ // none\n    1\n  ],\n}\n"
    );
}

#[test]
fn json5_keeps_its_quotes_and_bare_keys() {
    let text = "// c\n{\n  name: 'web', // n\n  'odd key': \"double\",\n  port: 0x1F90,\n  list: ['a',],\n}\n";
    for (edit, old, new) in [
        (set("/name", "\"it's\""), "'web'", "'it\\'s'"),
        (set("/name", "\"a\\\"b\\\\\\n\""), "'web'", "'a\"b\\\\\\n'"),
        (set("/odd key", "\"it's\""), "\"double\"", "\"it's\""),
        (set("/port", "80"), "0x1F90", "80"),
        (set("/new", "\"x\""), "  list: ['a',],\n", "  list: ['a',],\n  new: 'x',\n"),
        (set("/with-dash", "true"), "  list: ['a',],\n", "  list: ['a',],\n  'with-dash': true,\n"),
        (insert("/list/1", "\"b\""), "['a',]", "['a', 'b',]"),
        (Edit::Rename { at: at("/name"), key: "title".into() }, "name:", "title:"),
        (Edit::Rename { at: at("/name"), key: "a b".into() }, "name:", "'a b':"),
        (Edit::Rename { at: at("/odd key"), key: "name2".into() }, "'odd key':", "'name2':"),
    ] {
        assert_eq!(edited(Format::Json5, text, &edit), text.replacen(old, new, 1), "{edit:?}");
    }
    let double = "{\"a\": \"x\"}";
    assert_eq!(edited(Format::Json5, double, &set("/b", "\"y\"")), "{\"a\": \"x\", \"b\": \"y\"}");
}

#[test]
fn a_value_that_stays_changes_no_byte() {
    for text in ["{a: 0x10, b: +1, c: .5, d: 'x', /* e */}", "[\r\n\t// c\r\n\t1,\r\n]\r\n"] {
        let source = Source::parse(Format::Json5, text).unwrap();
        let value = Value::clone(source.value(0).unwrap());
        let (after, _) =
            source.apply(0, &Edit::Set { at: Pointer::root(), to: value.into() }).unwrap();
        assert_eq!(&**after.text(), text);
    }
}
