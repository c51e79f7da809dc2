//! How long reading and checking descriptors takes, at three sizes a decade apart, beside its
//! floor: parsing the same texts.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "it prints what it finds")]
#![expect(dead_code, reason = "rows can do more")]

#[path = "support/growth.rs"]
mod growth;
#[path = "support/report.rs"]
mod report;

use std::collections::HashMap;

use criterion::{Criterion, criterion_group, criterion_main};
use growth::at_sizes;
use toolcrib::{
    model::{catalog::Catalog, context::Mode, entry::FileId, health::HealthSettings},
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

/// The sources by file, as a check asks for them, and the catalog that they make.
fn read_all(count: usize) -> (HashMap<FileId, Source>, Catalog) {
    let sources = parse(&texts(count));
    let catalog =
        read::read_catalog(sources.iter().map(|(file, source)| (file, source)), Mode::Document);
    (sources.into_iter().collect(), catalog)
}

fn check(c: &mut Criterion) {
    at_sizes(c, "check: parse (floor), descriptors", &SIZES, |size| {
        let texts = texts(size);
        Box::new(move || parse(&texts))
    });
    at_sizes(c, "check: read, descriptors", &SIZES, |size| {
        let sources = parse(&texts(size));
        Box::new(move || {
            read::read_catalog(sources.iter().map(|(file, source)| (file, source)), Mode::Document)
        })
    });
    at_sizes(c, "check: read one file again, descriptors", &SIZES, |size| {
        let (sources, mut catalog) = read_all(size);
        let file = FileId::new(format!("tools/tool-{}.json", size / 2));
        Box::new(move || {
            catalog.replace_file(&file, read::read_part(&file, &sources[&file], Mode::Document));
        })
    });
    at_sizes(c, "check: findings, descriptors", &SIZES, |size| {
        let (sources, catalog) = read_all(size);
        Box::new(move || findings::catalog_findings(&catalog, |file| sources.get(file)))
    });
    at_sizes(c, "check: health, descriptors", &SIZES, |size| {
        let (sources, catalog) = read_all(size);
        let settings = HealthSettings::default();
        Box::new(move || {
            health::health_findings(&catalog, &settings, &[], |file| sources.get(file))
        })
    });
    at_sizes(c, "check: clone the catalog, descriptors", &SIZES, |size| {
        let (_, catalog) = read_all(size);
        Box::new(move || catalog.clone())
    });
}

criterion_group!(benches, check);
criterion_main!(benches);
