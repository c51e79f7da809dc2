//! A value set with its members in the order in which they were written: those that are there
//! already keep their places otherwise.

use serde_json::Value;

use super::edit::Edit;
use crate::schema::{literal::Literal, pointer::Pointer};

/// With more members out of their order than this the order stays: each is an edit.
const MOST: usize = 100;

/// The edits that give a place a value and its members their order; `before` is what is there.
#[must_use]
pub(crate) fn set_in_order(at: Pointer, before: Option<&Value>, to: Literal) -> Vec<Edit> {
    let mut moves = Vec::new();
    if let Some(before) = before {
        compare_order(&at, before, to.value(), &mut moves);
    }
    let set = Edit::Set { at, to };
    match moves.len() {
        0..=MOST => std::iter::once(set).chain(moves).collect(),
        _ => vec![set],
    }
}

/// Moves what is not where it is to be once those before it are: each member in turn to its own
/// place.
fn compare_order(at: &Pointer, before: &Value, to: &Value, moves: &mut Vec<Edit>) {
    match (before, to) {
        (Value::Object(old), Value::Object(new)) => {
            // What is new comes last.
            let kept = old.keys().filter(|key| new.contains_key(*key));
            let added = new.keys().filter(|key| !old.contains_key(*key));
            let mut now: Vec<&String> = kept.chain(added).collect();
            for (row, key) in new.keys().enumerate() {
                let place = now.iter().skip(row).position(|known| *known == key);
                if let Some(behind) = place.filter(|behind| *behind > 0) {
                    now[row..=row + behind].rotate_right(1);
                    moves.push(Edit::Move { at: at.child(key), to: row });
                }
            }
            for (key, to) in new {
                if let Some(before) = old.get(key) {
                    compare_order(&at.child(key), before, to, moves);
                }
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (row, (before, to)) in old.iter().zip(new).enumerate() {
                compare_order(&at.item(row), before, to, moves);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::source::{Format, Source};

    fn arranged(format: Format, text: &str, to: &str) -> String {
        let mut source = Source::parse(format, text).unwrap();
        let before = source.value(0).map(|value| (**value).clone());
        for edit in set_in_order(Pointer::root(), before.as_ref(), Literal::parse(to).unwrap()) {
            source = source.apply(0, &edit).unwrap().0;
        }
        source.text().to_string()
    }

    #[test]
    fn members_come_in_the_order_in_which_they_were_typed() {
        let yaml = "# all\nb: 2   # two\n# of c\nc:\n  y: |\n    text\n  x: 1.50\na: [1, 2]\n";
        assert_eq!(
            arranged(
                Format::Yaml,
                yaml,
                r#"{"n": 1, "a": [1, 2], "b": 2, "c": {"x": 1.50, "y": "text\n"}}"#
            ),
            "n: 1\na: [1, 2]\n# all\nb: 2   # two\n# of c\nc:\n  x: 1.50\n  y: |\n    text\n"
        );
        let json = "{\n \"b\": 1.50,\n \"a\": {\"x\": 1, \"y\": 2}\n}\n";
        assert_eq!(
            arranged(Format::Json, json, r#"{"a": {"y": 2, "x": 1}, "b": 1.50}"#),
            "{\n \"a\": {\"y\": 2, \"x\": 1},\n \"b\": 1.50\n}\n"
        );
        let same = r#"{"b": 1.50, "a": {"x": 1, "y": 2}}"#;
        assert_eq!(arranged(Format::Json, json, same), json);
        let nested = "- k: 1\n  l: 2\n  m: 3\n";
        let at = Pointer::root().item(0).child("m");
        let source = Source::parse(Format::Yaml, nested).unwrap();
        let (after, patch) = source.apply(0, &Edit::Move { at, to: 0 }).unwrap();
        assert_eq!(&**after.text(), "- m: 3\n  k: 1\n  l: 2\n");
        assert_eq!(&**after.with_patch(&patch.inverse()).unwrap().text(), nested);
    }

    #[test]
    fn where_the_order_cannot_be_written_it_is_refused() {
        let move_a = Edit::Move { at: Pointer::root().child("a"), to: 1 };
        let toml = Source::parse(Format::Toml, "a = 1\nb = 2\n").unwrap();
        assert!(toml.apply(0, &move_a).is_err());
        let merged = "x: &x {a: 1}\ny:\n  <<: *x\n  b: 2\n";
        let yaml = Source::parse(Format::Yaml, merged).unwrap();
        let at = Pointer::root().child("y").child("b");
        assert!(yaml.apply(0, &Edit::Move { at, to: 1 }).is_err());
    }
}
