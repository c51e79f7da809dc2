//! What happens inside for a key or a change: filter, workflow, layout, forms, edits of files,
//! frames, and frames while an answer streams in.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench that cannot be set up is to fail, and what it finds is printed"
)]
#![expect(dead_code, reason = "rows can do more")]

#[path = "support/growth.rs"]
mod growth;
#[path = "support/report.rs"]
mod report;

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use criterion::{Criterion, criterion_group, criterion_main};
use growth::at_sizes;
use ratatui::{Terminal, backend::TestBackend};
use serde_json::{Value, json};
use toolcrib::{
    app::{
        calls::CallMessage,
        input::{Code, Input, Key},
        message::{DocumentMessage, Loaded, Message, ScreenId},
        state::{Start, State},
        update::update,
    },
    engine::{
        filter,
        layout::{
            chain::{ChainFeed, ChainStep, chain_diagram},
            diagram::{Direction, char_count},
            extent::PictureExtent,
            marks::StateMarks,
            states::{self, Detail, View},
        },
        workflow::graph::Workflow,
    },
    model::{
        call::{Event, EventKind, Request, StrayCause},
        catalog::Catalog,
        clock::Millis,
        context::{Context, Mode},
        entry::FileId,
    },
    schema::pointer::Pointer,
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
    systems::read,
    ui::{
        actions::build_keymap,
        form::view::{Form, FormReply},
        root::{Colour, Root},
        theme,
    },
};

/// Tools in chains of twenty states; every fifth leads back.
fn yaml(tools: usize) -> String {
    let mut text = String::from("tool:\n");
    for tool in 0..tools {
        let state = |step: usize| {
            if step == 0 { "undefined".to_owned() } else { format!("chain-{}-{step}", tool / 20) }
        };
        let next = if tool % 5 == 4 { 0 } else { (tool + 1) % 20 };
        write!(
            text,
            "  tool-{tool}:\n    type: knowledge-query\n    name: Tool {tool}\n    description: Does one of many things\n    \
             group: [group-{}, read-only]\n    state: {}\n    applicable-states: [{}]\n",
            tool % 30,
            state(next),
            state(tool % 20),
        )
        .unwrap();
    }
    text
}

fn file() -> FileId {
    FileId::new("tools.yaml")
}

fn source(tools: usize) -> Source {
    Source::parse(Format::Yaml, yaml(tools)).unwrap()
}

fn catalog(tools: usize) -> Catalog {
    read::read_catalog([(&file(), &source(tools))], Mode::Document)
}

fn context() -> Context {
    Context { groups: Some(vec!["*".into()]), ..Context::default() }
}

fn filtering(c: &mut Criterion) {
    at_sizes(c, "filter, by tools", &[100, 1_000, 10_000], |size| {
        let (catalog, context) = (catalog(size), context());
        Box::new(move || filter::split_tools(&catalog.tools, &context))
    });
}

fn workflow(c: &mut Criterion) {
    at_sizes(c, "workflow and analysis, by tools", &[100, 1_000, 10_000], |size| {
        let (catalog, context) = (catalog(size), context());
        Box::new(move || Workflow::new(&catalog.tools, &context).analysis())
    });
    at_sizes(c, "layout, by states", &[3, 30, 300, 3_000], |size| {
        let (catalog, context) = (catalog(size), context());
        let workflow = Workflow::new(&catalog.tools, &context);
        let extent = PictureExtent::all_states(workflow.states().len());
        let marks = StateMarks::default();
        let edges = workflow.edges();
        let direction = Direction::LeftToRight;
        Box::new(move || {
            let view = View {
                extent: &extent,
                marks: &marks,
                unbundled: None,
                direction,
                detail: Detail::Usual,
                measure: char_count,
            };
            states::state_diagram(&workflow, &edges, &catalog.tools, view).diagram.layout()
        })
    });
    at_sizes(c, "layout of a chain, by steps", &[10, 100, 1_000], |size| {
        let steps = chain_steps(size);
        Box::new(move || chain_diagram(&steps, Direction::TopDown, char_count).diagram.layout())
    });
}

/// Steps that each take what the one before stored; every tenth takes something from further back.
fn chain_steps(count: usize) -> Vec<ChainStep> {
    let feed = |from: usize, into: &str| ChainFeed { from, into: into.to_owned() };
    let step = |row: usize| {
        let before = row.checked_sub(1).map(|from| feed(from, "request_body"));
        let further = (row % 10 == 9).then(|| feed(row / 2, "prompt"));
        ChainStep {
            lines: vec![format!("  {row} step-{row}  "), format!("POST /index-{row}/_search")],
            feeds: before.into_iter().chain(further).collect(),
            ..ChainStep::default()
        }
    };
    (0..count).map(step).collect()
}

fn schema(fields: usize) -> Value {
    let property = |row: usize| {
        let schema = match row % 4 {
            0 => json!({"type": "string", "minLength": 1, "pattern": "^[a-z]"}),
            1 => json!({"type": "integer", "minimum": 0, "maximum": 1000}),
            2 => json!({"enum": ["one", "two", "three"]}),
            _ => json!({"type": "array", "items": {"type": "string"}}),
        };
        (format!("field-{row}"), schema)
    };
    json!({"type": "object", "properties": (0..fields).map(property).collect::<serde_json::Map<_, _>>(), "required": ["field-0"]})
}

/// A form with a value in each field, its focus on the first.
fn form(fields: usize) -> (Form, Arc<Value>) {
    let value = |row: usize| match row % 4 {
        0 => json!("words"),
        1 => json!(row),
        2 => json!("two"),
        _ => json!(["a", "b"]),
    };
    let value =
        Arc::new((0..fields).map(|row| (format!("field-{row}"), value(row))).collect::<Value>());
    let mut form = Form::new(schema(fields));
    form.sync_value(&value);
    form.focus_field(&Pointer::root().child("field-0"));
    (form, value)
}

fn forms(c: &mut Criterion) {
    at_sizes(c, "one key in a form, by fields", &[3, 30, 300], |size| {
        let (mut form, mut value) = form(size);
        let styles = theme::available_themes(&[]).0[0].styles.clone();
        let area = ratatui::layout::Rect::new(0, 0, 80, 40);
        let mut buffer = ratatui::buffer::Buffer::empty(area);
        let keys = [Key::plain(Code::Char('x')), Key::plain(Code::Backspace)];
        let mut turn = 0;
        Box::new(move || {
            turn += 1;
            if let FormReply::Edits(edits) = form.handle_input(&Input::Key(keys[turn % 2])) {
                for edit in &edits {
                    toolcrib::syntax::value::apply_edit(Arc::make_mut(&mut value), edit).unwrap();
                }
                form.sync_value(&value);
            }
            form.draw(&mut buffer, area, &styles, true);
        })
    });
    at_sizes(c, "opening a form, by fields", &[3, 30, 300], |size| {
        let schema = Arc::new(schema(size));
        let (_, value) = form(size);
        Box::new(move || {
            let mut form = Form::new(Arc::clone(&schema));
            form.sync_value(&value);
            form.issues().len()
        })
    });
}

fn edits(c: &mut Criterion) {
    let at = |size: usize| {
        Pointer::root().child("tool").child(format!("tool-{}", size / 2)).child("description")
    };
    at_sizes(c, "an edit of a YAML file, by tools", &[10, 100, 1_000], |size| {
        let source = source(size);
        let edit = Edit::Set { at: at(size), to: "Something else".into() };
        Box::new(move || source.apply(0, &edit).unwrap())
    });
    at_sizes(c, "an edit of a JSON file, by tools", &[10, 100, 1_000], |size| {
        let text = serde_json::to_string_pretty(&**source(size).value(0).unwrap()).unwrap();
        let source = Source::parse(Format::Json, text).unwrap();
        let edit = Edit::Set { at: at(size), to: "Something else".into() };
        Box::new(move || source.apply(0, &edit).unwrap())
    });
}

fn openings(c: &mut Criterion) {
    let sizes = [100, 1_000, 10_000];
    at_sizes(c, "what a YAML file shows before it is read, by tools", &sizes, |size| {
        let text = yaml(size);
        Box::new(move || Source::beginning(Format::Yaml, &text).map(drop))
    });
    at_sizes(c, "the entries of a YAML file, by tools", &sizes, |size| {
        let text: Arc<str> = yaml(size).into();
        Box::new(move || {
            let source = Source::parse(Format::Yaml, text.clone()).unwrap();
            read::read_part(&file(), &source, Mode::Document)
        })
    });
}

/// The application with so many tools read.
fn state(tools: usize) -> State {
    let keymap = build_keymap(&BTreeMap::new()).0;
    let mut state =
        State::new(Start { context: context(), theme: "dark".into(), keymap, ..Start::default() });
    let source = source(tools);
    let loaded = Loaded { text: source.text().clone(), source: Ok(source), held: None };
    update(
        &mut state,
        Message::Document(DocumentMessage::Loaded(vec![(file(), loaded)])),
        Millis(0),
    );
    update(
        &mut state,
        Message::Document(DocumentMessage::LoadEnded {
            names: vec![file()],
            skipped: Vec::new(),
            unread: Vec::new(),
        }),
        Millis(0),
    );
    state
}

fn frames(c: &mut Criterion) {
    for screen in [ScreenId::Tools, ScreenId::Workflow, ScreenId::Invoke] {
        for (width, height) in [(80, 24), (200, 60), (400, 100)] {
            at_sizes(
                c,
                &format!("a frame of {screen:?} at {width}x{height}, by tools"),
                &[10, 100, 1_000],
                |size| {
                    let mut state = state(size);
                    update(&mut state, Message::Show(screen), Millis(0));
                    let mut root = Root::new(theme::available_themes(&[]).0, Colour::Allowed);
                    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
                    Box::new(move || {
                        terminal.draw(|frame| root.draw(frame, &state)).map(drop).unwrap();
                    })
                },
            );
        }
    }
}

/// The views of an answer, by how often `v` is pressed. The tree is made when it has ended.
const VIEWS: [(usize, &str); 7] =
    [(0, "Text"), (2, "Raw"), (3, "Time"), (4, "MD"), (5, "Hex"), (6, "Head"), (7, "Strays")];

/// What a call of which nothing is known but its answer is begun with.
fn request(state: &State) -> Request {
    let tool = &state.catalog.tools[0];
    Request {
        tool: tool.id().clone(),
        system: tool.entry.system,
        name: tool.name.clone(),
        to: "request:tg:flood".into(),
        reply: None,
        headers: Vec::new(),
        correlation: "bench".into(),
        arguments: "{}".into(),
        body: "{}".into(),
        mock: None,
    }
}

/// Pieces of an answer, each so long, and now and then a message of another call.
fn pieces(count: usize, length: usize) -> Vec<Event> {
    let text =
        "## Work\n\nall work and **no play** makes `jack` a dull boy\n\n".repeat(length / 50 + 1);
    let kind = |row: usize| match row % 20 {
        19 => EventKind::Stray {
            cause: StrayCause::ForeignId,
            id: None,
            headers: [].into(),
            body: "{}".into(),
        },
        _ => EventKind::Chunk { text: text[..length].into(), bytes: length },
    };
    (0..count).map(|row| Event { at_ms: row as u64, kind: kind(row) }).collect()
}

/// A frame with 50 more pieces of an answer of which so many were there before; 100 of 500 kB are
/// 50 MB.
fn streams(c: &mut Criterion) {
    for (length, sizes) in [(20, vec![1_000, 10_000, 100_000]), (500_000, vec![20, 100])] {
        for (turns, view) in VIEWS {
            let name = format!("{view} as an answer comes, by pieces of {length} bytes before");
            at_sizes(c, &name, &sizes, |size| {
                let mut state = state(1);
                update(&mut state, Message::Show(ScreenId::Invoke), Millis(0));
                let request = request(&state);
                let call = state.invoke.calls.begin_call(request, "here", Millis(0));
                let events = move |events| Message::Call(CallMessage::Events { call, events });
                update(&mut state, events(pieces(size, length)), Millis(0));
                let mut root = Root::new(theme::available_themes(&[]).0, Colour::Allowed);
                let mut terminal = Terminal::new(TestBackend::new(200, 60)).unwrap();
                terminal.draw(|frame| root.draw(frame, &state)).map(drop).unwrap();
                // The answer is the third pane.
                let keys = [Code::Tab; 2].into_iter().chain(vec![Code::Char('v'); turns]);
                for key in keys.map(|code| Input::Key(Key::plain(code))) {
                    for message in root.handle_input(&key, &state) {
                        update(&mut state, message, Millis(0));
                    }
                }
                let next = pieces(50, 20);
                Box::new(move || {
                    update(&mut state, events(next.clone()), Millis(0));
                    terminal.draw(|frame| root.draw(frame, &state)).map(drop).unwrap();
                })
            });
        }
    }
}

criterion_group!(benches, filtering, workflow, forms, edits, openings, frames, streams);
criterion_main!(benches);
