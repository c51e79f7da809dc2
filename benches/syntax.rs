//! Reading a file and making one edit in it, in each format, at three sizes a decade apart;
//! serde_json is the floor.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench fails where it cannot begin, and prints what it finds"
)]
#![expect(dead_code, reason = "rows can do more")]

#[path = "support/growth.rs"]
mod growth;
#[path = "support/report.rs"]
mod report;

use criterion::{Criterion, criterion_group, criterion_main};
use growth::at_sizes;
use serde_json::{Map, Value, json};
use toolcrib::syntax::{
    edit::Edit,
    print,
    source::{Format, Source},
};

const SIZES: [usize; 3] = [100, 1_000, 10_000];

/// A file with that many tools, each of about 300 bytes.
fn tools(count: usize) -> Value {
    let tool = |row: usize| {
        json!({
            "type": "tool-service",
            "name": format!("Tool {row}"),
            "description": "Asks a service\nand streams what it says",
            "group": ["read-only", "knowledge"],
            "arguments": [{"name": "question", "type": "string", "description": "What to ask"}],
        })
    };
    let tools: Map<String, Value> =
        (0..count).map(|row| (format!("tool-{row}"), tool(row))).collect();
    json!({ "tools": tools })
}

fn text(format: Format, count: usize) -> String {
    print::print_value(format, &tools(count))
}

fn syntax(c: &mut Criterion) {
    at_sizes(c, "read JSON with serde_json (floor), tools", &SIZES, |count| {
        let text = text(Format::Json, count);
        Box::new(move || serde_json::from_str::<Value>(&text))
    });
    for format in [Format::Json, Format::Yaml, Format::Toml] {
        at_sizes(c, &format!("read {}, tools", format.name()), &SIZES, |count| {
            let text = text(format, count);
            Box::new(move || Source::parse(format, &*text))
        });
        at_sizes(c, &format!("one edit of {}, tools", format.name()), &SIZES, |count| {
            let source = Source::parse(format, text(format, count)).unwrap();
            let at = ["tools", &format!("tool-{}", count / 2), "name"].into_iter().collect();
            let edit = Edit::Set { at, to: "Another name".into() };
            Box::new(move || source.apply(0, &edit).unwrap())
        });
    }
}

criterion_group!(benches, syntax);
criterion_main!(benches);
