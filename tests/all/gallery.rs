//! The gallery: a schema with every widget and keyword that a form knows. It is whole, its document
//! fits it, and it looks right in every theme.

use std::{collections::BTreeSet, sync::Arc};

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::Value;
use toolcrib::{
    app::input::{Input, Key},
    schema::{
        kind::{Kind, TextKind, TimeKind},
        pointer::Pointer,
        validate::Checker,
    },
    store::samples::by_name,
    syntax::source::{Format, Source},
    ui::{
        form::view::{Form, FormReply},
        theme::{self, Theme},
    },
};

use crate::support::workbench::{runs, text};

/// What the issue of forms lists, and what else a form understands.
const KEYWORDS: &[&str] = &[
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "discriminator",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

const FORMATS: &[&str] = &[
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "json",
    "regex",
    "time",
    "uri",
    "uuid",
];

fn source(file: &str) -> Source {
    let sample = by_name("gallery").unwrap();
    let (path, text) = sample.files.iter().find(|(path, _)| *path == file).unwrap();
    Source::parse(Format::from_path(path.as_ref()).unwrap(), *text).unwrap()
}

fn value(file: &str) -> Value {
    Value::clone(source(file).value(0).unwrap())
}

fn visit(value: &Value, see: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            see(key, member);
            visit(member, see);
        }),
        Value::Array(items) => items.iter().for_each(|item| visit(item, see)),
        _ => {}
    }
}

/// The form with the gallery's document, everything in it opened.
fn opened() -> Form {
    let (schema, document) = (value("schema.json"), source("instance.yaml"));
    let mut form = Form::new(schema);
    form.sync_written(document.value(0).unwrap(), &|at| {
        document.written_text(0, at).map(str::to_owned)
    });
    let closed = |form: &Form| {
        let found = form.fields().iter().find(|field| field.fold_state() == Some(false));
        found.map(|field| field.pointer.clone())
    };
    for _ in 0..100 {
        let Some(at) = closed(&form) else { return form };
        form.focus_field(&at);
        assert_ne!(
            form.handle_input(&Input::Key("right".parse::<Key>().unwrap())),
            FormReply::Ignored,
            "{at} does not open"
        );
    }
    panic!("{:?} stays closed", closed(&form));
}

#[test]
fn every_keyword_and_format_stands_in_it() {
    let (mut keys, mut formats) = (BTreeSet::new(), BTreeSet::new());
    visit(&value("schema.json"), &mut |key, member| {
        keys.insert(key.to_owned());
        formats.extend(member.as_str().filter(|_| key == "format").map(str::to_owned));
    });
    let missing = |wanted: &[&'static str], there: &BTreeSet<String>| -> Vec<&'static str> {
        wanted.iter().copied().filter(|name| !there.contains(*name)).collect()
    };
    assert_eq!(missing(KEYWORDS, &keys), [""; 0]);
    assert_eq!(missing(FORMATS, &formats), [""; 0]);
}

#[test]
fn its_document_fits_and_is_written_back_as_it_is() {
    let (schema, document) = (value("schema.json"), source("instance.yaml"));
    let checker = Checker::compile(&schema).unwrap();
    assert_eq!(checker.issues(document.value(0).unwrap()), []);
    let form = opened();
    assert_eq!((form.issues(), form.schema_findings()), (&[][..], &[][..]));
    assert_eq!(form.value(), document.value(0).unwrap(), "to open everything changes nothing");
}

#[test]
fn every_declared_member_is_a_field_and_every_widget_is_there() {
    let form = opened();
    let places: BTreeSet<String> =
        form.fields().iter().map(|field| field.pointer.to_string()).collect();
    let schema = value("schema.json");
    let sections = schema["properties"].as_object().unwrap();
    for (name, section) in sections {
        let members = section.get("properties").and_then(Value::as_object).into_iter().flatten();
        for place in
            members.map(|(member, _)| format!("/{name}/{member}")).chain([format!("/{name}")])
        {
            assert!(places.contains(&place), "{place} is no field");
        }
    }
    let widgets: BTreeSet<&str> = form.fields().iter().map(|field| word(&field.kind)).collect();
    let wanted = [
        "add",
        "chips",
        "choice",
        "constant",
        "date",
        "date-time",
        "duration",
        "line",
        "lines",
        "list",
        "map",
        "null",
        "number",
        "object",
        "path",
        "read-only",
        "secret",
        "time",
        "toggle",
        "variant",
    ];
    assert_eq!(widgets.into_iter().collect::<Vec<_>>(), wanted);
    assert!(
        form.fields().iter().all(|field| field.kind != Kind::Raw),
        "nothing in it can only be edited as JSON"
    );
}

fn word(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text(TextKind::Line) => "line",
        Kind::Text(TextKind::Lines) => "lines",
        Kind::Text(TextKind::Secret) => "secret",
        Kind::Text(TextKind::Moment(TimeKind::Date)) => "date",
        Kind::Text(TextKind::Moment(TimeKind::Time)) => "time",
        Kind::Text(TextKind::Moment(TimeKind::DateTime)) => "date-time",
        Kind::Text(TextKind::Moment(TimeKind::Duration)) => "duration",
        Kind::Text(TextKind::Path) => "path",
        Kind::ReadOnly => "read-only",
        Kind::Number { .. } => "number",
        Kind::Toggle => "toggle",
        Kind::Choice(_) => "choice",
        Kind::Chips(_) => "chips",
        Kind::List { .. } => "list",
        Kind::Object { .. } => "object",
        Kind::Map { .. } => "map",
        Kind::Variant { .. } => "variant",
        Kind::Const(_) => "constant",
        Kind::Null => "null",
        Kind::Raw => "raw",
        Kind::OrNull { .. } => "or-null",
        Kind::Add(_) => "add",
        Kind::More { .. } => "more",
    }
}

/// The whole form, as long as it is, with a line of text in hand.
fn drawn(width: u16, theme: &Theme) -> Buffer {
    let mut form = opened();
    form.focus_field(&Pointer::parse("/text/code").unwrap());
    let area = Rect::new(0, 0, width, 240);
    let mut buffer = Buffer::empty(area);
    form.draw(&mut buffer, area, &theme.styles, true);
    assert_eq!(form.position_text(), None, "all of it is seen");
    buffer
}

#[test]
fn it_looks_like_this_in_every_theme() {
    let (themes, complaints) = theme::available_themes(&[]);
    assert!(complaints.is_empty() && themes.len() >= 4);
    for width in [80, 120] {
        let plain = text(&drawn(width, &themes[0]));
        insta::assert_snapshot!(format!("gallery {width}"), plain);
        let mut seen = BTreeSet::new();
        for theme in &themes {
            let buffer = drawn(width, theme);
            assert_eq!(text(&buffer), plain, "a theme changes no letter: {}", theme.name);
            let styles = runs(&buffer);
            assert!(seen.insert(styles.clone()), "{} looks like another theme", theme.name);
            insta::assert_snapshot!(format!("gallery {width} {}", theme.name), styles);
        }
    }
}

#[test]
fn its_own_words_for_it_are_clean() {
    let schema = Arc::new(value("schema.json"));
    visit(&schema, &mut |key, member| {
        if ["title", "description"].contains(&key) && member.is_string() {
            let words = member.as_str().unwrap();
            assert!(!words.trim().is_empty() && words == words.trim(), "{words:?}");
        }
    });
    for name in ["text", "numbers", "choices", "lists", "objects", "unions", "rules", "times"] {
        assert!(
            value("ui.json")["ui:order"].as_array().unwrap().contains(&name.into()),
            "{name} has no place in the order"
        );
        assert!(schema["properties"][name]["description"].is_string(), "{name} is not described");
    }
}
