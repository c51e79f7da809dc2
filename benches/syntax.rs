//! Reading a file and making one edit in it, in each format, at three sizes a decade apart;
//! serde_json is the floor.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Map, Value, json};
use toolcrib::{
    schema::pointer::Pointer,
    syntax::{
        edit::Edit,
        print,
        source::{Format, Source},
    },
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

fn syntax(criterion: &mut Criterion) {
    for format in [Format::Json, Format::Yaml, Format::Toml] {
        let mut group = criterion.benchmark_group(format.name());
        group.sample_size(20);
        for count in SIZES {
            let text = print::print_value(format, &tools(count));
            let Ok(source) = Source::parse(format, &*text) else { continue };
            let at: Pointer =
                ["tools", &format!("tool-{}", count / 2), "name"].into_iter().collect();
            let edit = Edit::Set { at, to: "Another name".into() };
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(BenchmarkId::new("read", count), |bencher| {
                bencher.iter(|| Source::parse(format, black_box(&*text)));
            });
            group.bench_function(BenchmarkId::new("edit", count), |bencher| {
                bencher.iter(|| source.apply(0, black_box(&edit)));
            });
            if format == Format::Json {
                group.bench_function(BenchmarkId::new("floor: serde_json", count), |bencher| {
                    bencher.iter(|| serde_json::from_str::<Value>(black_box(&text)));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, syntax);
criterion_main!(benches);
