//! JSON, YAML and TOML: what is read, printed, edited and undone; and Python's ways to read.

use serde_json::{Value, json};

use crate::{
    schema::{decimal, literal::Literal, parse, pointer::Pointer},
    syntax::{
        edit::{Edit, EditError},
        place::NoteKind,
        print, python, python_json,
        source::{Format, Source},
    },
};

/// Places of a value that are edited, at most.
const MOST_PLACES: usize = 9;
/// So many bytes of entries make a text that is read by segments.
const LONG: usize = 4 * 1024;

pub(super) fn read_json(text: &str) {
    check_text(Format::Json, text);
    // What only Python's JSON has is read, and said.
    let is_json =
        |source: &Source| source.notes().iter().all(|note| note.kind != NoteKind::NotJson);
    if let Some(source) = Source::parse(Format::Json, text).ok().filter(is_json) {
        // An empty text has no value, which is no error of a file.
        let mut plain = serde_json::from_str::<Value>(text).ok();
        plain.iter_mut().for_each(decimal::canonicalize);
        let value = source.value(0).map(|value| (**value).clone());
        assert_eq!(value, plain, "{text:?}");
    }
}

pub(super) fn read_jsonc(text: &str) {
    check_text(Format::Jsonc, text);
}

pub(super) fn read_json5(text: &str) {
    check_text(Format::Json5, text);
}

pub(super) fn read_yaml(text: &str) {
    check_text(Format::Yaml, text);
}

pub(super) fn read_toml(text: &str) {
    check_text(Format::Toml, text);
}

/// The text as the last of many members.
pub(super) fn read_long_json(text: &str) {
    let mut long = "{\n  \"tool\": {\n".to_owned();
    for number in 0..LONG / 16 {
        long.push_str(&format!("    \"filler-{number}\": {number},\n"));
    }
    check_text(Format::Json, &format!("{long}    \"last\": {text}\n  }}\n}}\n"));
}

/// The text as the last lines of a section with many members.
pub(super) fn read_long_yaml(text: &str) {
    let mut long = "tool:\n".to_owned();
    for number in 0..LONG / 16 {
        long.push_str(&format!("  filler-{number}: {number}\n"));
    }
    check_text(Format::Yaml, &(long + text));
}

/// A value in every format reads back as it was printed.
pub(super) fn read_printed(text: &str) {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    for format in [Format::Json, Format::Jsonc, Format::Json5, Format::Yaml, Format::Toml] {
        let mut value = value.clone();
        if format != Format::Json && !fits_floats(&value) {
            continue;
        }
        if format == Format::Toml {
            value = json!({ "it": value });
            if !fits_toml(&value) {
                continue;
            }
        }
        decimal::canonicalize(&mut value);
        let printed = print::print_value(format, &value);
        match Source::parse(format, &*printed) {
            Ok(source) => {
                let read = source.value(0).map(|value| (**value).clone());
                assert_eq!(read, Some(value), "{format:?}: {printed:?}");
            }
            // What is printed may be deeper than what is read.
            Err(error) => assert!(depth(&value) > 60, "{error}: {printed:?}"),
        }
    }
}

pub(super) fn read_python(text: &str) {
    if let Ok(value) = python_json::parse_value(text) {
        let printed = python_json::print_value(&value);
        let again = python_json::parse_value(&printed);
        assert_eq!(again.as_ref(), Ok(&value), "{printed:?}");
    }
    _ = python_json::with_halves(text);
    _ = python::python_value(text);
    _ = python::describe_word(text);
    _ = python::text::parse_int(text);
    _ = python::text::parse_float(text);
    for format in [Format::Yaml, Format::Json] {
        if let Ok(source) = Source::parse(format, text) {
            for document in 0..source.document_count() {
                _ = source.as_python(document);
            }
        }
    }
}

pub(super) fn read_python_pattern(text: &str) {
    _ = python::pattern::check_pattern(text);
}

pub(super) fn read_scalars(text: &str) {
    if let Ok(pointer) = Pointer::parse(text) {
        assert_eq!(pointer.to_string(), text);
        _ = pointer.dotted();
    }
    if let Ok(literal) = Literal::parse(text) {
        assert_eq!(Literal::parse(&literal.to_json()).ok(), Some(literal));
    }
    _ = parse::parse_number(text, true);
    _ = parse::parse_json(text);
    if let Some(at) = parse::wrong_at(text) {
        assert!(text.is_char_boundary(at), "{at} in {text:?}");
    }
    for path in ["a.json", "a.yaml", "a.toml", "a.jsonc", "a.json5", "a"] {
        _ = Source::of_file(path.as_ref(), text);
    }
}

/// What holds for every text in a format.
fn check_text(format: Format, text: &str) {
    let source = match Source::parse(format, text) {
        Ok(source) => source,
        Err(error) => {
            let lines = text.split(['\n', '\r']).count();
            assert!((1..=lines + 1).contains(&error.line), "{error}: {text:?}");
            return;
        }
    };
    assert_eq!(&**source.text(), text);
    _ = source.is_laid_out();
    _ = source.notes();
    if let Some(begin) = Source::beginning(format, text) {
        assert!(text.len() >= begin.text().len() / 2);
    }
    for document in 0..source.document_count() {
        let Some(value) = source.value(document).map(|value| (**value).clone()) else { continue };
        if let Some(json) = source.to_json(document)
            && let Ok(literal) = Literal::parse(&json)
        {
            assert_eq!(literal.value(), &value, "{json:?} of {text:?}");
        }
        let mut found = Vec::new();
        collect_places(&value, &Pointer::root(), &mut found);
        for (row, at) in found.iter().enumerate() {
            let place = source.find_place(document, at);
            if let Some(place) = place {
                assert!(text.get(place.value.start..place.value.end).is_some(), "{at}: {text:?}");
                _ = source.written_text(document, at);
            }
            check_edits(&source, document, at, row);
        }
    }
}

/// The places of a value, each end of it first where there are many.
fn collect_places(value: &Value, at: &Pointer, found: &mut Vec<Pointer>) {
    if found.len() >= MOST_PLACES {
        return;
    }
    found.push(at.clone());
    match value {
        Value::Object(members) => members
            .iter()
            .rev()
            .take(4)
            .for_each(|(key, value)| collect_places(value, &at.child(key.clone()), found)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .rev()
            .take(4)
            .for_each(|(row, value)| collect_places(value, &at.item(row), found)),
        _ => {}
    }
}

/// Edits of two kinds at a place: what they say is what is there, and undoing gives the text back.
fn check_edits(source: &Source, document: usize, at: &Pointer, row: usize) {
    let new = [json!("new: # text"), json!({"a": [1, "b\nc"]}), json!(1.5), json!([])];
    let new = &new[row % new.len()];
    let mut edits = vec![
        Edit::Set { at: at.clone(), to: new.clone().into() },
        Edit::Set { at: at.child("fresh"), to: new.clone().into() },
        Edit::Insert { at: at.item(0), item: new.clone().into() },
        Edit::Move { at: at.item(0), to: 1 },
    ];
    if !at.is_root() {
        edits.push(Edit::Remove { at: at.clone() });
        edits.push(Edit::Rename { at: at.clone(), key: "renamed: key".to_owned() });
    }
    for kind in [row, row + 1] {
        check_edit(source, document, &edits[kind % edits.len()]);
    }
}

fn check_edit(source: &Source, document: usize, edit: &Edit) {
    let text = source.text();
    let (after, patch) = match source.apply(document, edit) {
        Ok(done) => done,
        Err(
            EditError::NoDocument(_)
            | EditError::NoSuchPlace(_)
            | EditError::NotAList(_)
            | EditError::NotAnObject(_)
            | EditError::KeyTaken { .. }
            | EditError::Unsayable { .. }
            | EditError::Merged(_)
            | EditError::Broken(_),
        ) => return,
    };
    assert_eq!(patch.apply(text).as_deref(), Some(&**after.text()), "{edit:?} of {text:?}");
    let back = after.with_patch(&patch.inverse());
    assert_eq!(back.map(|back| back.text().clone()).as_ref(), Ok(text), "{edit:?}");
    let fresh = Source::parse(source.format(), after.text().clone());
    let fresh = fresh.map(|fresh| fresh.value(document).cloned());
    let now = Ok(after.value(document).cloned());
    assert_eq!(fresh, now, "{edit:?} of {text:?} leaves {:?}", after.text());
    if let Edit::Set { at, to } = edit {
        let now = after.value(document).and_then(|value| at.get(value));
        assert_eq!(now, Some(to.value()), "{edit:?} of {text:?} leaves {:?}", after.text());
    }
}

/// Whether every number is within the range that formats other than JSON can hold.
fn fits_floats(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(f64::is_finite),
        Value::Array(items) => items.iter().all(fits_floats),
        Value::Object(members) => members.values().all(fits_floats),
        _ => true,
    }
}

fn fits_toml(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Number(number) => {
            number.is_i64()
                || number.as_f64().is_some_and(|it| it.to_string() == number.to_string())
        }
        Value::Array(items) => items.iter().all(fits_toml),
        Value::Object(members) => members.values().all(fits_toml),
        _ => true,
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
