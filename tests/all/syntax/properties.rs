//! Random edits of random and of odd texts: what comes out is what was meant, and can be taken
//! back.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolcrib::{
    schema::{literal::Literal, pointer::Pointer},
    syntax::{
        edit::{Edit, EditError},
        print,
        source::{Format, Source},
    },
};

use super::odd_texts;

const FORMATS: [Format; 3] = [Format::Json, Format::Yaml, Format::Toml];

/// Texts that are easily misread: indicators, words of the formats, numbers, breaks, blanks, odd
/// letters.
fn words() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "",
        "a",
        "name",
        "two words",
        "yes",
        "no",
        "on",
        "null",
        "~",
        "true",
        "1",
        "012",
        "1e3",
        "0x1f",
        "1:30",
        "2026-11-21",
        "-",
        "- a",
        "?",
        "? a",
        ":",
        "a: b",
        "a:",
        ":a",
        "#",
        "a #b",
        "a#b",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%a",
        "@a",
        "`a",
        "'",
        "\"",
        "it's",
        "say \"x\"",
        "[a]",
        "{a}",
        "a,b",
        "a]b",
        "---",
        "...",
        "--- a",
        "<<",
        "=",
        " lead",
        "trail ",
        "\ttab",
        "a\tb",
        "a\nb",
        "a\nb\n",
        "\na",
        "a\n\nb",
        "a\n\n",
        "  a\nb",
        "a\n  b\nc",
        "\n",
        " ",
        "a\r\nb",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "ü",
        "→ x",
        "日本語",
        "🙂",
        "C:\\dir",
        "a.b",
        "a/b",
        "a~b",
        "'''",
        "\"\"\"",
        "a''",
        "line one is long enough to be folded when the block is \
         a folded one, and so it goes on and on\nand another",
        "trailing \nblank",
        "x\n\ty",
    ]);
    prop_oneof![4 => odd.prop_map(str::to_owned), 1 => "[ -~]{0,12}", 1 => any::<String>()]
}

fn leaves() -> impl Strategy<Value = Value> {
    prop_oneof![
        words().prop_map(Value::from),
        words().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        prop_oneof![Just(0i64), Just(-1), any::<i64>()].prop_map(Value::from),
        prop::sample::select(vec![1.5, -0.25, 1e21, 1e-9, 100.0]).prop_map(Value::from),
        Just(Value::Null),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    leaves().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((words(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Without what TOML cannot say.
fn without_null(value: Value) -> Value {
    match value {
        Value::Null => json!("none"),
        Value::Array(items) => items.into_iter().map(without_null).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (key, without_null(value))).collect()
        }
        other => other,
    }
}

fn places(value: &Value, at: &Pointer, found: &mut Vec<Pointer>) {
    found.push(at.clone());
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| places(value, &at.child(key.clone()), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(row, value)| places(value, &at.item(row), found));
        }
        _ => {}
    }
}

/// An edit in the making: which place, which kind, and what to put there.
#[derive(Clone, Debug)]
struct Wish {
    place: prop::sample::Index,
    kind: usize,
    row: prop::sample::Index,
    key: String,
    value: Value,
}

fn wishes() -> impl Strategy<Value = Wish> {
    (any::<prop::sample::Index>(), 0..8usize, any::<prop::sample::Index>(), words(), values())
        .prop_map(|(place, kind, row, key, value)| Wish { place, kind, row, key, value })
}

/// The edit that a wish comes to in a value, and the value afterwards by plain means.
fn fulfil(wish: &Wish, value: &Value, format: Format) -> Option<(Edit, Value)> {
    let mut found = Vec::new();
    places(value, &Pointer::root(), &mut found);
    let at = wish.place.get(&found).clone();
    let to =
        if format == Format::Toml { without_null(wish.value.clone()) } else { wish.value.clone() };
    let mut after = value.clone();
    let edit = match (wish.kind, at.get(value)?) {
        (0..=1, _) if !at.is_root() || format != Format::Toml || to.is_object() => {
            *at.get_mut(&mut after)? = to.clone();
            Edit::Set { at, to: Literal::from(to) }
        }
        (2..=3, Value::Object(_)) => {
            at.get_mut(&mut after)?.as_object_mut()?.insert(wish.key.clone(), to.clone());
            Edit::Set { at: at.child(wish.key.clone()), to: Literal::from(to) }
        }
        (2..=4, Value::Array(items)) => {
            let row = wish.row.index(items.len() + 1);
            at.get_mut(&mut after)?.as_array_mut()?.insert(row, to.clone());
            Edit::Insert { at: at.item(row), item: Literal::from(to) }
        }
        (5, Value::Array(items)) if items.len() > 1 => {
            let (from, to) = (wish.row.index(items.len()), wish.place.index(items.len()));
            let list = at.get_mut(&mut after)?.as_array_mut()?;
            let item = list.remove(from);
            list.insert(to, item);
            Edit::Move { at: at.item(from), to }
        }
        (6, _) if !at.is_root() => {
            let (parent, last) = (at.parent()?, at.last()?.to_owned());
            match parent.get_mut(&mut after)? {
                Value::Object(members) => drop(members.shift_remove(&last)),
                Value::Array(items) => drop(items.remove(last.parse().ok()?)),
                _ => return None,
            }
            Edit::Remove { at }
        }
        (7, _) => {
            let (parent, last) = (at.parent()?, at.last()?.to_owned());
            let members = parent.get_mut(&mut after)?.as_object_mut()?;
            if members.contains_key(&wish.key) {
                return None;
            }
            let renamed = std::mem::take(members).into_iter();
            *members = renamed
                .map(|(key, value)| (if key == last { wish.key.clone() } else { key }, value))
                .collect();
            Edit::Rename { at, key: wish.key.clone() }
        }
        _ => return None,
    };
    Some((edit, after))
}

/// Makes the wishes one after the other and holds each against its plain counterpart.
fn make(mut source: Source, wishes: &[Wish]) -> Result<(), TestCaseError> {
    for wish in wishes {
        let Some(value) = source.value(0).cloned() else { return Ok(()) };
        let Some((edit, expected)) = fulfil(wish, &value, source.format()) else { continue };
        let (after, patch) = match source.apply(0, &edit) {
            Ok(done) => done,
            Err(EditError::Merged(_) | EditError::Unsayable { .. }) => continue,
            // An anchor stays before what uses it, and what merge keys hang on stays an object.
            Err(EditError::Broken(_))
                if matches!(edit, Edit::Move { .. }) || source.text().contains("<<") =>
            {
                continue;
            }
            Err(error) => {
                return Err(TestCaseError::fail(format!("{error}\n{edit:?}\n{:?}", source.text())));
            }
        };
        if !source.text().contains(['&', '*']) {
            prop_assert_eq!(
                after.value(0).map(|value| &**value),
                Some(&expected),
                "{:?}\n{:?}\n{:?}",
                edit,
                source.text(),
                after.text()
            );
        }
        prop_assert_eq!(patch.apply(source.text()).unwrap_or_default(), after.text().to_string());
        let back = after
            .with_patch(&patch.inverse())
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(back.text(), source.text());
        if let Edit::Set { at, .. } = &edit
            && let Some(place) = source.find_place(0, at)
            && source.format() != Format::Toml
            // What comes from elsewhere gets a value of its own.
            && !source.written_text(0, at).is_some_and(|text| text.starts_with('*'))
        {
            let text = source.text();
            // An item may stand below its dash, with comments between.
            let dash = text[..place.value.start].rfind('-').filter(|_| place.key.is_none());
            let from = text[..place.key.map_or(place.value.start, |key| key.start)]
                .rfind('\n')
                .map_or(0, |at| at + 1);
            let from = dash.map_or(from, |dash| dash.min(from));
            let to = text[place.value.end..]
                .find('\n')
                .map_or(text.len(), |at| place.value.end + at + 1);
            // By lines, not by where the patch stands: the same change can be said a few blanks
            // further on.
            let (before, behind, new) = (&text[..from], &text[to..], after.text());
            let within = patch.old == patch.new
                || new.len() >= before.len() + behind.len()
                    && new.starts_with(before)
                    && new.ends_with(behind);
            prop_assert!(within, "touches other lines: {:?} {:?}\n{:?}", edit, patch, text);
        }
        source = after;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_values_are_read_back(value in values()) {
        for format in FORMATS {
            let value = match format {
                Format::Toml if !value.is_object() => continue,
                Format::Toml => without_null(value.clone()),
                _ => value.clone(),
            };
            let text = print::print_value(format, &value);
            let source = Source::parse(format, &*text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert_eq!(source.value(0).map(|value| (**value).clone()), Some(value), "{:?}", text);
        }
    }

    #[test]
    fn edits_of_printed_values_do_what_they_say(value in values(), wishes in prop::collection::vec(wishes(), 1..6), crlf in any::<bool>()) {
        let value = if value.is_object() { value } else { json!({"it": value}) };
        for format in FORMATS {
            let value = if format == Format::Toml { without_null(value.clone()) } else { value.clone() };
            let text = print::print_value(format, &value);
            // Within a text a break is an escape, but for the block texts of YAML and the long ones
            // of TOML, which read it as a break.
            let text = if crlf && format != Format::Toml { text.replace('\n', "\r\n") } else { text };
            let source = Source::parse(format, text).unwrap();
            make(source, &wishes)?;
        }
    }

    #[test]
    fn edits_of_json_on_one_line_do_what_they_say(value in values(), wishes in prop::collection::vec(wishes(), 1..6)) {
        for text in [value.to_string(), format!("{value:#}")] {
            make(Source::parse(Format::Json, &*text).unwrap(), &wishes)?;
            if let Ok(source) = Source::parse(Format::Yaml, &*text) {
                make(source, &wishes)?;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_that_take_nothing_away_keep_every_comment(wish in wishes()) {
        for (name, format, text) in odd_texts::ALL {
            let source = Source::parse(*format, *text).map_err(|error| TestCaseError::fail(format!("{name}: {error}")))?;
            let Some((edit, _)) = source.value(0).and_then(|value| fulfil(&wish, value, *format)) else { continue };
            let takes = match &edit {
                Edit::Set { at, .. } => source.value(0).and_then(|value| at.get(value)).is_some_and(|old| old.is_object() || old.is_array()),
                Edit::Remove { .. } => true,
                _ => false,
            };
            let Ok((after, _)) = source.apply(0, &edit) else { continue };
            for comment in text.lines().filter_map(|line| line.find('#').map(|at| &line[at..])).filter(|_| !takes) {
                prop_assert!(after.text().contains(comment), "{}: {:?} loses {:?}\n{}", name, edit, comment, after.text());
            }
        }
    }

    #[test]
    fn edits_of_odd_texts_do_what_they_say(wishes in prop::collection::vec(wishes(), 1..5)) {
        for (name, format, text) in odd_texts::ALL {
            let source = Source::parse(*format, *text).map_err(|error| TestCaseError::fail(format!("{name}: {error}")))?;
            make(source, &wishes)?;
        }
    }
}
