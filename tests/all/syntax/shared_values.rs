//! Edits of YAML in which values are at several places: each place that isn't meant keeps its value.

use serde_json::json;
use toolcrib::{
    schema::pointer::Pointer,
    syntax::{
        edit::{Edit, EditError},
        shared_values::list_shared_values,
        source::{Format, Source},
    },
};

fn at(text: &str) -> Pointer {
    Pointer::parse(text).unwrap()
}

fn set(place: &str, to: serde_json::Value) -> Edit {
    Edit::Set { at: at(place), to: to.into() }
}

fn remove(place: &str) -> Edit {
    Edit::Remove { at: at(place) }
}

fn edited(text: &str, edit: &Edit) -> Result<String, EditError> {
    let source = Source::parse(Format::Yaml, text).unwrap();
    source.apply(0, edit).map(|(after, patch)| {
        assert_eq!(patch.apply(text).as_deref(), Some(&**after.text()), "{edit:?}");
        after.text().to_string()
    })
}

#[test]
fn a_change_within_an_alias_gives_its_place_a_value_of_its_own() {
    let list = "a: &l [1, 2] # first\nb: *l # second\nc: *l\n";
    let object = "a: &o {x: 1, y: {z: 2}}\nb: *o\n";
    let merged = "base: &b {x: 1, y: {z: 2}}\nmore:\n  <<: *b # all\n  own: 3\n";
    let flow = "a: &s terse\nb: {c: *s, d: *s}\n";
    let cases = [
        ("a: &s terse\nb: *s\nc: *s\n", set("/b", json!("long")), "a: &s terse\nb: long\nc: *s\n"),
        (flow, set("/b/c", json!("long")), "a: &s terse\nb: {c: long, d: *s}\n"),
        ("- &s terse\n- *s\n", set("/1", json!("long")), "- &s terse\n- long\n"),
        (object, set("/b/y/z", json!(5)), "a: &o {x: 1, y: {z: 2}}\nb:\n  x: 1\n  y:\n    z: 5\n"),
        (object, remove("/b/y"), "a: &o {x: 1, y: {z: 2}}\nb:\n  x: 1\n"),
        (
            list,
            Edit::Insert { at: at("/b/0"), item: json!(0).into() },
            "a: &l [1, 2] # first\nb: [0, 1, 2] # second\nc: *l\n",
        ),
        (
            merged,
            set("/more/x", json!(7)),
            "base: &b {x: 1, y: {z: 2}}\nmore:\n  <<: *b # all\n  own: 3\n  x: 7\n",
        ),
        (
            merged,
            set("/more/y/z", json!(7)),
            "base: &b {x: 1, y: {z: 2}}\nmore:\n  <<: *b # all\n  own: 3\n  y:\n    z: 7\n",
        ),
    ];
    for (text, edit, after) in cases {
        assert_eq!(edited(text, &edit).as_deref(), Ok(after), "{edit:?} of {text}");
    }
    // There is no way to write it beside the merge key.
    let refused = EditError::Merged(at("/more/x"));
    assert_eq!(edited(merged, &remove("/more/x")), Err(refused));
}

#[test]
fn what_loses_its_anchor_keeps_its_value() {
    let merged = "base: &b {x: 1}\nmore:\n  <<: *b\n  own: 3\n";
    let twice = "a: &s 1\nb: *s\nc: &s 2\nd: *s\n";
    let inner = "a: {x: &s [1], y: *s}\nb: *s\n";
    let cases = [
        ("a: &s terse\nb: *s # same\n", remove("/a"), "b: terse # same\n"),
        (twice, remove("/a"), "b: 1\nc: &s 2\nd: *s\n"),
        (twice, remove("/c"), "a: &s 1\nb: *s\nd: 2\n"),
        (inner, remove("/a"), "b: [1]\n"),
        (inner, set("/a", json!("none")), "a: none\nb: [1]\n"),
        (merged, remove("/base"), "more:\n  <<:\n    x: 1\n  own: 3\n"),
    ];
    for (text, edit, after) in cases {
        assert_eq!(edited(text, &edit).as_deref(), Ok(after), "{edit:?} of {text}");
    }
}

#[test]
fn shared_values_are_named_with_their_places() {
    let text = "\
a: &s terse
b: *s
base: &b {x: 1, y: 2}
more:
  <<: [*b]
  y: 3
none: &n 1
";
    let source = Source::parse(Format::Yaml, text).unwrap();
    let found: Vec<_> = list_shared_values(&source, 0)
        .into_iter()
        .map(|value| {
            let uses = value.uses.iter().map(|used| (used.at.to_string(), used.line, used.merged));
            (value.name, value.at.to_string(), value.line, uses.collect::<Vec<_>>())
        })
        .collect();
    let expected = vec![
        ("s".to_owned(), "/a".to_owned(), 1, vec![("/b".to_owned(), 2, false)]),
        ("b".to_owned(), "/base".to_owned(), 3, vec![("/more/x".to_owned(), 5, true)]),
    ];
    assert_eq!(found, expected);
}
