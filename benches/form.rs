//! What a form costs: one key in forms of three sizes, and opening the largest real schema.

use std::{hint::black_box, path::PathBuf, sync::Arc};

use criterion::{Criterion, criterion_group, criterion_main};
use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::{Map, Value, json};
use toolcrib::{
    app::input::{Code, Input, Key},
    schema::{
        fields::{View, fields},
        pointer::Pointer,
        tree::Schema,
        validate::Checker,
    },
    ui::{
        form::view::{Form, FormReply},
        theme,
    },
};

/// A schema of every common kind of field, in turn, with a value for each.
fn wide(count: usize) -> (Value, Value) {
    let mut properties = Map::new();
    let mut value = Map::new();
    for number in 0..count {
        let name = format!("field_{number}");
        let (schema, member) = match number % 6 {
            0 => {
                (json!({"type": "string", "minLength": 1, "maxLength": 40, "description": "What it is for."}), json!("some text"))
            }
            1 => (json!({"type": "integer", "minimum": 0, "maximum": 1000, "default": 3}), json!(number)),
            2 => (json!({"type": "boolean", "default": true}), json!(false)),
            3 => (json!({"enum": ["one", "two", "three"]}), json!("two")),
            4 => (json!({"type": "array", "items": {"type": "string", "minLength": 1}}), json!(["a", "b"])),
            _ => (json!({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}), json!("2026-11-21")),
        };
        properties.insert(name.clone(), schema);
        value.insert(name, member);
    }
    (json!({"type": "object", "properties": properties, "required": ["field_0"]}), Value::Object(value))
}

fn largest() -> Option<Value> {
    let named = std::env::var_os("TOOLCRIB_SCHEMAS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/schemas")).join("unique");
    let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let json = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let largest = json.max_by_key(|path| path.metadata().map(|it| it.len()).unwrap_or(0))?;
    serde_json::from_str(&std::fs::read_to_string(largest).ok()?).ok()
}

/// One letter typed into the first field: edit, layout, validation and drawing.
fn key(bench: &mut Criterion) {
    let styles = theme::all(&[]).0[0].styles.clone();
    for count in [5, 50, 300, 3_000] {
        let (schema, value) = wide(count);
        let mut form = Form::new(schema);
        form.sync(&Arc::new(value));
        let area = Rect::new(0, 0, 120, 40);
        let mut buffer = Buffer::empty(area);
        form.draw(&mut buffer, area, &styles, true);
        form.input(&Input::Key(Key::plain(Code::Enter)));
        let mut odd = false;
        bench.bench_function(&format!("form/key/{count}"), |run| {
            run.iter(|| {
                odd = !odd;
                let code = if odd { Code::Char('x') } else { Code::Backspace };
                let reply = form.input(&Input::Key(Key::plain(code)));
                assert!(matches!(reply, FormReply::Edits(_)));
                form.draw(&mut buffer, area, &styles, true);
            });
        });
    }
}

/// The floor under a key: parsing nothing, drawing nothing, only the validator.
fn floor(bench: &mut Criterion) {
    for count in [50, 300] {
        let (schema, value) = wide(count);
        let checker = Checker::compile(&schema).unwrap_or_else(|findings| unreachable!("{findings:?}"));
        bench.bench_function(&format!("form/validate/{count}"), |run| run.iter(|| black_box(checker.issues(&value))));
        let tree = Schema::new(schema);
        let view = View::default();
        bench.bench_function(&format!("form/lay-out/{count}"), |run| {
            run.iter(|| black_box(fields(&tree, Some(&checker), &value, &view)));
        });
    }
}

fn open(bench: &mut Criterion) {
    let styles = theme::all(&[]).0[0].styles.clone();
    let Some(schema) = largest().map(Arc::new) else { return };
    let area = Rect::new(0, 0, 120, 40);
    bench.bench_function("form/open-largest", |run| {
        run.iter(|| {
            let mut form = Form::new(Arc::clone(&schema));
            form.draw(&mut Buffer::empty(area), area, &styles, true);
            black_box(form.fields().len())
        });
    });
    bench.bench_function("form/open-largest/compile-alone", |run| run.iter(|| black_box(Checker::compile(&schema).is_ok())));
}

/// A list of 10,000 objects, opened, with one letter typed in the middle.
fn long(bench: &mut Criterion) {
    let styles = theme::all(&[]).0[0].styles.clone();
    let item =
        json!({"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}, "required": ["name"]});
    let schema = json!({"type": "object", "properties": {"list": {"type": "array", "items": item}}});
    let items: Vec<Value> = (0..10_000).map(|n| json!({"name": format!("item {n}"), "n": n})).collect();
    let mut form = Form::new(schema);
    form.sync(&Arc::new(json!({"list": items})));
    form.focus(&Pointer::root().child("list").item(5_000).child("name"));
    let area = Rect::new(0, 0, 120, 40);
    let mut buffer = Buffer::empty(area);
    form.draw(&mut buffer, area, &styles, true);
    form.input(&Input::Key(Key::plain(Code::Enter)));
    let mut odd = false;
    bench.bench_function("form/key/in-list-of-10000", |run| {
        run.iter(|| {
            odd = !odd;
            let code = if odd { Code::Char('x') } else { Code::Backspace };
            form.input(&Input::Key(Key::plain(code)));
            form.draw(&mut buffer, area, &styles, true);
        });
    });
}

criterion_group!(benches, key, floor, open, long);
criterion_main!(benches);
