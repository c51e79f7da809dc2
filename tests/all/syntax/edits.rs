//! What edits leave of a text: all but the lines that they are about.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};
use toolcrib::{
    schema::{literal::Literal, pointer::Pointer},
    syntax::{
        edit::{Edit, EditError},
        source::{Format, Source},
    },
};

use super::odd_texts;

fn at(text: &str) -> Pointer {
    Pointer::parse(text).unwrap()
}

fn scalars(value: &Value, here: &Pointer, found: &mut Vec<Pointer>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| scalars(value, &here.child(key.clone()), found));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(row, value)| scalars(value, &here.item(row), found));
        }
        _ => found.push(here.clone()),
    }
}

#[test]
fn a_changed_value_leaves_every_other_byte() {
    let mut count = 0;
    for (name, format, text) in odd_texts::ALL {
        let source = Source::parse(*format, *text).unwrap();
        assert_eq!(&**source.text(), *text, "{name}");
        let mut found = Vec::new();
        scalars(source.value(0).map_or(&Value::Null, |value| value), &Pointer::root(), &mut found);
        for place in found.iter().filter(|place| !place.is_root()) {
            let found_there = source.find_place(0, place).unwrap();
            let span = found_there.value;
            let key = found_there.key.map(|key| &text[key.start..key.end]);
            // What comes from elsewhere gets a value of its own, with all that is around it.
            let is_shared = text[span.start..span.end].starts_with('*');
            let above = place.parent().and_then(|above| source.find_place(0, &above));
            let is_below = above.is_some_and(|above| above.value == span);
            if is_shared && (is_below || key == Some("<<")) {
                continue;
            }
            let edit = Edit::Set { at: place.clone(), to: Literal::from("some other text") };
            let (after, patch) =
                source.apply(0, &edit).unwrap_or_else(|error| panic!("{name} {place}: {error}"));
            // A tag that does not fit goes; a value that was left out gets the blank that parts it
            // from its colon.
            let head = text[..span.start]
                .trim_end()
                .trim_end_matches("!!int")
                .trim_end()
                .trim_end_matches('!')
                .trim_end();
            let tail = &text[span.end..];
            assert!(after.text().starts_with(head), "{name} {place}: {}", after.text());
            assert!(after.text().ends_with(tail), "{name} {place}: {}", after.text());
            let new = after.text()[head.len()..after.text().len() - tail.len()].trim();
            assert!(
                new.lines().count() <= 2 && new.contains("some other text"),
                "{name} {place}: {new:?}"
            );
            assert_eq!(
                after.with_patch(&patch.inverse()).unwrap().text(),
                source.text(),
                "{name} {place}"
            );
            count += 1;
        }
    }
    assert!(count > 150, "{count} places");
}

/// Each case of `edits.txt`: a line with format, operation, pointer and value, then the text; the
/// answer is a line diff.
#[test]
fn edits_by_example() {
    let mut told = String::new();
    for case in include_str!("edits.txt").trim_end_matches('\n').split("\n=====\n") {
        let (head, text) = case.split_once('\n').unwrap();
        let mut words = head.splitn(4, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (format, operation, place, rest) = (word(), word(), at(word()), word());
        let format = Format::from_path(format!("x.{format}").as_ref()).unwrap();
        let literal = || Literal::parse(rest).unwrap();
        let edit = match operation {
            "set" => Edit::Set { at: place, to: literal() },
            "ins" => Edit::Insert { at: place, item: literal() },
            "rm" => Edit::Remove { at: place },
            "mv" => Edit::Move { at: place, to: rest.parse().unwrap() },
            _ => Edit::Rename { at: place, key: rest.to_owned() },
        };
        told += &format!("##### {head}\n");
        let source = Source::parse(format, text).unwrap();
        match source.apply(0, &edit) {
            Err(error) => told += &format!("refused: {error}\n"),
            Ok((after, patch)) => {
                assert_eq!(
                    after.with_patch(&patch.inverse()).unwrap().text(),
                    source.text(),
                    "{head}"
                );
                told += &diff(text, after.text());
            }
        }
    }
    insta::assert_snapshot!(told);
}

fn diff(before: &str, after: &str) -> String {
    let lines = |change: similar::Change<&str>| {
        let mark = match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        let end = if change.value().ends_with('\n') { "" } else { "⏎\n" };
        format!("{mark}{}{end}", change.value())
    };
    TextDiff::from_lines(before, after).iter_all_changes().map(lines).collect()
}

#[test]
fn line_ends_and_marks_stay_as_they_are() {
    for (format, before, edit, after) in [
        (
            Format::Yaml,
            "\u{feff}a: 1\r\nb:\r\n  - x\r\n",
            Edit::Insert { at: at("/b/1"), item: "y".into() },
            "\u{feff}a: 1\r\nb:\r\n  - x\r\n  - y\r\n",
        ),
        (
            Format::Yaml,
            "a: 1\r\nb: 2\r\n",
            Edit::Set { at: at("/a"), to: "one\ntwo".into() },
            "a: |-\r\n  one\r\n  two\r\nb: 2\r\n",
        ),
        (Format::Yaml, "a: 1\nb: 2", Edit::Remove { at: at("/b") }, "a: 1"),
        (Format::Yaml, "a: |\n  x\nb: 2", Edit::Remove { at: at("/b") }, "a: |\n  x\n"),
        (Format::Toml, "a = 1\n\n[b]\nc = 2\n", Edit::Remove { at: at("/a") }, "[b]\nc = 2\n"),
        (Format::Toml, "a = 1\nd = 3\n\n[b]\n", Edit::Remove { at: at("/a") }, "d = 3\n\n[b]\n"),
        (Format::Yaml, "a: 1", Edit::Set { at: at("/b/c"), to: 2.into() }, "a: 1\nb:\n  c: 2"),
        (
            Format::Json,
            "\u{feff}{\r\n\t\"a\": 1\r\n}",
            Edit::Set { at: at("/b"), to: 2.into() },
            "\u{feff}{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}",
        ),
        (
            Format::Json,
            "\u{feff}",
            Edit::Set { at: at("/b"), to: 2.into() },
            "\u{feff}{\n  \"b\": 2\n}\n",
        ),
        (
            Format::Toml,
            "\u{feff}a = 1\r\n\r\n[b]\r\nc = 2",
            Edit::Set { at: at("/b/d"), to: 3.into() },
            "\u{feff}a = 1\r\n\r\n[b]\r\nc = 2\r\nd = 3",
        ),
        (Format::Toml, "\u{feff}", Edit::Set { at: at("/b"), to: 2.into() }, "\u{feff}b = 2\n"),
    ] {
        let source = Source::parse(format, before).unwrap();
        let (done, patch) = source.apply(0, &edit).unwrap();
        assert_eq!(&**done.text(), after, "{before:?}");
        assert_eq!(&**done.with_patch(&patch.inverse()).unwrap().text(), before);
    }
}

#[test]
fn a_document_is_edited_among_others() {
    let text = "a: 1\n---\nb: 2 # two\n...\n---\nc: 3\n";
    let source = Source::parse(Format::Yaml, text).unwrap();
    let (after, _) = source.apply(1, &Edit::Set { at: at("/b"), to: 5.into() }).unwrap();
    assert_eq!(**after.text(), *text.replace("b: 2", "b: 5"));
    let (after, _) = source.apply(2, &Edit::Set { at: at("/d"), to: "x".into() }).unwrap();
    assert_eq!(**after.text(), *format!("{text}d: x\n"));
    assert_eq!(
        source.apply(3, &Edit::Remove { at: at("/b") }).unwrap_err(),
        EditError::NoDocument(3)
    );
}

#[test]
fn what_is_the_same_is_left_alone() {
    for (format, text, place, to) in [
        (Format::Yaml, "a: 1.50\n", "/a", Literal::from(1.5)),
        (Format::Yaml, "a: [ 1,  2 ]\n", "/a", Literal::parse("[1,2]").unwrap()),
        (Format::Json, "{\"a\":  \"\\u0078\"}", "/a", Literal::from("x")),
        (Format::Toml, "a = 0x10\n", "/a", Literal::from(16)),
    ] {
        let source = Source::parse(format, text).unwrap();
        let (after, patch) = source.apply(0, &Edit::Set { at: at(place), to }).unwrap();
        assert_eq!(&**after.text(), text);
        assert_eq!((patch.old.as_str(), patch.new.as_str()), ("", ""));
    }
}

#[test]
fn what_a_format_cannot_say_is_refused() {
    let source = Source::parse(Format::Toml, "a = 1\n[b]\nc = [{ d = 1 }]\n").unwrap();
    for (edit, words) in [
        (Edit::Set { at: at("/a"), to: Value::Null.into() }, "TOML cannot hold null at /a"),
        (
            Edit::Set { at: at("/b/x"), to: Literal::parse("[1, [null]]").unwrap() },
            "TOML cannot hold null",
        ),
        (Edit::Set { at: at("/a"), to: u64::MAX.into() }, "more than 64 bits"),
        (Edit::Set { at: at(""), to: 5.into() }, "TOML cannot hold a value that is not a table"),
        (Edit::Set { at: at("/a/x"), to: 5.into() }, "/a is not an object"),
        (Edit::Insert { at: at("/b/0"), item: 5.into() }, "/b is not a list"),
    ] {
        let refusal = source.apply(0, &edit).unwrap_err().to_string();
        assert!(refusal.contains(words), "{edit:?}: {refusal}");
    }
}
