//! How long reading and checking descriptors takes, at three sizes a decade apart, beside its
//! floor: parsing the same texts.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use toolcrib::{
    model::{context::Mode, entry::FileId, health::HealthSettings},
    syntax::source::{Format, Source},
    systems::{findings, health, read},
};

const SIZES: [usize; 3] = [100, 1_000, 10_000];

/// One tool a file, one service for ten tools, states in chains of twenty, a fault in one of fifty.
fn texts(count: usize) -> Vec<(FileId, String)> {
    let tool = |row: usize| {
        let state = |step: usize| {
            if step == 0 { "undefined".to_owned() } else { format!("chain-{}-{step}", row / 20) }
        };
        let service =
            if row % 50 == 49 { "nobody".to_owned() } else { format!("service-{}", row / 10) };
        let text = format!(
            r#"{{
  "type": "tool-service",
  "name": "tool-{row}",
  "description": "Does number {row} of many things, and says so in a sentence of usual length",
  "group": ["group-{}", "read-only"],
  "state": "{}",
  "applicable-states": ["{}"],
  "service": "{service}",
  "collection": "things-{row}",
  "arguments": [
    {{"name": "question", "type": "string", "description": "What to ask"}},
    {{"name": "limit", "type": "integer", "description": "How many at most"}}
  ]
}}
"#,
            row % 30,
            state((row + 1) % 20),
            state(row % 20),
        );
        (FileId::new(format!("tools/tool-{row}.json")), text)
    };
    let service = |row: usize| {
        let text = format!(
            r#"{{"id": "service-{row}", "request-queue": "request:tg:s{row}", "response-queue": "response:tg:s{row}", "config-params": [{{"name": "collection", "required": true}}]}}"#
        );
        (FileId::new(format!("services/service-{row}.json")), text)
    };
    (0..count).map(tool).chain((0..count.div_ceil(10)).map(service)).collect()
}

fn parse(texts: &[(FileId, String)]) -> Vec<(FileId, Source)> {
    let parsed = texts.iter().filter_map(|(file, text)| {
        Some((file.clone(), Source::parse(Format::Json, text.as_str()).ok()?))
    });
    parsed.collect()
}

fn check(c: &mut Criterion) {
    let mut group = c.benchmark_group("check");
    group.sample_size(10);
    for size in SIZES {
        let texts = texts(size);
        let sources = parse(&texts);
        let by_file: std::collections::HashMap<_, _> =
            sources.iter().map(|(file, source)| (file, source)).collect();
        let catalog =
            read::read_catalog(sources.iter().map(|(file, source)| (file, source)), Mode::Document);
        let (file, source) = &sources[size / 2];
        group.bench_function(BenchmarkId::new("floor: parse", size), |b| {
            b.iter(|| parse(black_box(&texts)));
        });
        group.bench_function(BenchmarkId::new("read", size), |b| {
            b.iter(|| {
                read::read_catalog(
                    sources.iter().map(|(file, source)| (file, source)),
                    Mode::Document,
                )
            });
        });
        group.bench_function(BenchmarkId::new("read one file again", size), |b| {
            let mut catalog = catalog.clone();
            b.iter(|| {
                catalog
                    .replace_file(file, read::read_part(file, black_box(source), Mode::Document));
            });
        });
        group.bench_function(BenchmarkId::new("findings", size), |b| {
            b.iter(|| {
                findings::catalog_findings(black_box(&catalog), |file| by_file.get(file).copied())
            });
        });
        let settings = HealthSettings::default();
        group.bench_function(BenchmarkId::new("health", size), |b| {
            b.iter(|| {
                health::health_findings(black_box(&catalog), &settings, &[], |file| {
                    by_file.get(file).copied()
                })
            });
        });
        group.bench_function(BenchmarkId::new("clone the catalog", size), |b| {
            b.iter(|| black_box(&catalog).clone());
        });
    }
    group.finish();
}

criterion_group!(benches, check);
criterion_main!(benches);
