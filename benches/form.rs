//! What a form costs: one key in wide, deep and long forms, and opening schemas up to the largest
//! real one. `cargo bench --bench form`.
//!
//! Each row is measured beside its floor, in turn in one run: for a key the validation of the whole
//! value, for opening the compilation of the schema.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench that cannot be set up is to fail, and what it finds is printed"
)]

#[path = "support/report.rs"]
mod report;

use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use ratatui::{buffer::Buffer, layout::Rect};
use report::{Row, spread};
use serde_json::{Map, Value, json};
use toolcrib::{
    app::input::{Code, Input, Key},
    schema::{pointer::Pointer, validate::Checker},
    syntax::value::apply_edit,
    ui::{
        form::view::{Form, FormReply},
        styles::Styles,
        theme,
    },
};

const KEYS: usize = 300;
const OPENINGS: usize = 40;
const AREA: Rect = Rect { x: 0, y: 0, width: 120, height: 40 };
/// The size of the largest schema that a real system has shown.
const LARGEST: usize = 378 * 1024;

/// A schema of every common kind of field, in turn, with a value for each.
fn wide(count: usize) -> (Value, Value) {
    let mut properties = Map::new();
    let mut value = Map::new();
    for number in 0..count {
        let name = format!("field_{number}");
        let (schema, member) = match number % 6 {
            0 => (
                json!({"type": "string", "minLength": 1, "maxLength": 900, "description": "What it is for."}),
                json!("some text"),
            ),
            1 => (
                json!({"type": "integer", "minimum": 0, "maximum": 10_000, "default": 3}),
                json!(number),
            ),
            2 => (json!({"type": "boolean", "default": true}), json!(false)),
            3 => (json!({"enum": ["one", "two", "three"]}), json!("two")),
            4 => (
                json!({"type": "array", "items": {"type": "string", "minLength": 1}}),
                json!(["a", "b"]),
            ),
            _ => (
                json!({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}),
                json!("2026-11-21"),
            ),
        };
        properties.insert(name.clone(), schema);
        value.insert(name, member);
    }
    (
        json!({"type": "object", "properties": properties, "required": ["field_0"]}),
        Value::Object(value),
    )
}

/// Objects within objects.
fn deep(levels: usize) -> (Value, Value) {
    let text = json!({"type": "string", "minLength": 1});
    let below = |(schema, value): (Value, Value), _| {
        let schema = json!({"type": "object", "properties": {"name": text, "inner": schema}, "required": ["name"]});
        (schema, json!({"name": "some text", "inner": value}))
    };
    (0..levels).fold(
        (json!({"type": "object", "properties": {"name": text}}), json!({"name": "some text"})),
        below,
    )
}

/// A text of many lines, each of them wider than the form.
fn lines(count: usize) -> (Value, Value) {
    let words = "the quick brown fox jumps over the lazy dog and some more words so that it wraps over the width of the form";
    let text: String = (0..count).map(|line| format!("line {line}: {words}\n")).collect();
    (
        json!({"type": "object", "properties": {"text": {"type": "string", "format": "textarea"}}}),
        json!({"text": text}),
    )
}

/// A list of objects.
fn long(count: usize) -> (Value, Value) {
    let item = json!({"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}, "required": ["name"]});
    let items: Vec<Value> =
        (0..count).map(|n| json!({"name": format!("item {n}"), "n": n})).collect();
    (
        json!({"type": "object", "properties": {"list": {"type": "array", "items": item}}}),
        json!({"list": items}),
    )
}

/// A schema of at least so many bytes: sections with fields that are well described, unions and
/// references among them.
fn large(bytes: usize) -> Value {
    let about =
        "What this setting is for, when to change it, and what happens to answers when it is too low or too high. ".repeat(2);
    let section = |number: usize| {
        let (fields, _) = wide(24);
        let mut properties = fields["properties"].clone();
        for (name, field) in properties.as_object_mut().unwrap() {
            field["title"] = name.replace('_', " ").into();
            field["description"] = format!("{about}({number})").into();
        }
        properties["model"] = json!({"$ref": "#/$defs/model"});
        properties["source"] = json!({"oneOf": [{"$ref": "#/$defs/file"}, {"$ref": "#/$defs/site"}], "description": about});
        json!({"type": "object", "properties": properties, "description": about})
    };
    let tagged = |kind: &str| json!({"type": "object", "properties": {"kind": {"const": kind}, "at": {"type": "string"}}, "required": ["kind"]});
    let mut schema = json!({"type": "object", "properties": {}, "$defs": {
        "model": {"type": "object", "properties": {"name": {"type": "string"}, "heat": {"type": "number", "minimum": 0, "maximum": 2}}},
        "file": tagged("file"), "site": tagged("site"),
    }});
    let size = section(0).to_string().len();
    for number in 0..bytes.div_ceil(size) {
        schema["properties"][format!("section_{number}")] = section(number);
    }
    schema
}

/// Every schema of the folder that `TOOLCRIB_SCHEMAS` names: the largest.
fn largest() -> Option<(String, Value)> {
    let named = std::env::var_os("TOOLCRIB_SCHEMAS").map(PathBuf::from);
    let folder = named
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/schemas"))
        .join("unique");
    let files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let largest = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .max_by_key(|path| size(path))?;
    let value = serde_json::from_str(&fs::read_to_string(&largest).ok()?).ok()?;
    Some((
        format!("{} ({} KiB)", largest.file_name()?.to_string_lossy(), size(&largest) / 1024),
        value,
    ))
}

fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |it| it.len())
}

/// Times of a thing and of its floor, in turn, in milliseconds.
#[derive(Default)]
struct Times {
    own: Vec<f64>,
    floor: Vec<f64>,
}

impl Times {
    fn of(rounds: usize, mut own: impl FnMut(), mut floor: impl FnMut()) -> Self {
        let mut times = Self::default();
        let timed = |run: &mut dyn FnMut()| {
            let begun = Instant::now();
            run();
            begun.elapsed().as_secs_f64() * 1e3
        };
        // The first rounds fill caches.
        for round in 0..rounds + 5 {
            let (one, other) = (timed(&mut own), timed(&mut floor));
            if round >= 5 {
                times.own.push(one);
                times.floor.push(other);
            }
        }
        times
    }

    fn row(self, what: impl Into<String>) -> Row {
        Row::of_times(what, self.own).with_floor(spread(self.floor).0)
    }
}

/// A form with its value as a screen holds it, with the cursor in a text field.
struct Desk {
    form: Form,
    value: Arc<Value>,
    buffer: Buffer,
    styles: Styles,
    turn: usize,
}

impl Desk {
    fn open(schema: Value, value: Value, at: &Pointer) -> Self {
        let (mut form, value) = (Form::new(schema), Arc::new(value));
        form.sync_value(&value);
        form.focus_field(at);
        let mut desk = Self {
            form,
            value,
            buffer: Buffer::empty(AREA),
            styles: theme::available_themes(&[]).0[0].styles.clone(),
            turn: 0,
        };
        desk.draw();
        desk.form.handle_input(&Input::Key(Key::plain(Code::Enter)));
        desk.draw();
        desk
    }

    fn draw(&mut self) {
        self.form.draw(&mut self.buffer, AREA, &self.styles, true);
    }

    /// A letter or its removal: edits, validation, layout and frame.
    fn key(&mut self) {
        self.turn += 1;
        let code = if self.turn % 2 == 1 { Code::Char('x') } else { Code::Backspace };
        let FormReply::Edits(edits) = self.form.handle_input(&Input::Key(Key::plain(code))) else {
            panic!("the key changes nothing")
        };
        let mut value = Value::clone(&self.value);
        edits.iter().for_each(|edit| apply_edit(&mut value, edit).unwrap());
        self.value = Arc::new(value);
        self.form.sync_value(&self.value);
        self.draw();
    }
}

fn keys(what: &str, sizes: &[usize], make: fn(usize) -> (Value, Value), at: fn(usize) -> Pointer) {
    for size in sizes {
        let (schema, value) = make(*size);
        let checker = Checker::compile(&schema).unwrap_or_else(|findings| panic!("{findings:?}"));
        let mut desk = Desk::open(schema, value.clone(), &at(*size));
        let times = Times::of(KEYS, || desk.key(), || drop(black_box(checker.issues(&value))));
        let series = format!("one key in a form, {what}");
        times.row(format!("{series}, {size}")).at_size(&series, *size).report();
    }
}

fn opening(schema: &Arc<Value>, value: &Arc<Value>) -> Times {
    let styles = theme::available_themes(&[]).0[0].styles.clone();
    let open = || {
        let mut form = Form::new(Arc::clone(schema));
        form.sync_value(value);
        form.draw(&mut Buffer::empty(AREA), AREA, &styles, true);
        black_box(form.fields().len());
    };
    Times::of(OPENINGS, open, || {
        black_box(Checker::compile(schema).is_ok());
    })
}

fn openings(what: &str, sizes: &[usize], make: fn(usize) -> (Value, Value)) {
    for size in sizes {
        let (schema, value) = make(*size);
        let times = opening(&Arc::new(schema), &Arc::new(value));
        let series = format!("opening a form, {what}");
        times.row(format!("{series}, {size}")).at_size(&series, *size).report();
    }
}

fn main() {
    // Cargo asks for a list of tests, too.
    if std::env::args().any(|argument| argument == "--list" || argument == "--test") {
        return;
    }
    println!("load {}", load());
    keys("fields", &[5, 50, 300, 3_000], wide, |_| Pointer::root().child("field_0"));
    keys("levels deep", &[5, 10, 20], deep, |levels| {
        (0..levels).fold(Pointer::root(), |at, _| at.child("inner")).child("name")
    });
    keys("items long", &[100, 1_000, 10_000], long, |items| {
        Pointer::root().child("list").item(items / 2).child("name")
    });
    keys("lines of text, wrapped", &[100, 1_000, 5_000, 20_000], lines, |_| {
        Pointer::root().child("text")
    });
    openings("fields", &[5, 50, 300, 3_000], wide);
    openings("levels deep", &[5, 10, 20], deep);
    openings("items long", &[100, 1_000, 10_000], long);
    openings("KiB of schema", &[4, 38, LARGEST / 1024], |size| (large(size * 1024), json!({})));
    if let Some((name, schema)) = largest() {
        opening(&Arc::new(schema), &Arc::new(json!({}))).row(format!("opening {name}")).report();
    }
    println!("load {}", load());
}

fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").to_owned()
}
