//! Filling in templates of up to 100 KB with 1,000 names, by the rules of a connector and by those of a
//! `DynamicTool`; and what a key in it costs: the previews of its entry, and the checks.

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

use std::collections::BTreeMap;

use criterion::{Criterion, criterion_group, criterion_main};
use growth::at_sizes;
use serde_json::{Value, json};
use toolcrib::{
    model::{context::Mode, entry::FileId},
    syntax::source::{Format, Source},
    systems::{
        by_id,
        facets::templates::Samples,
        findings,
        opensearch::{
            connector::body::{prepare_parameters, render_body},
            template::{marks::PARAMETERS, render::render_template, text_map::TextMap},
        },
        read,
    },
};

const SIZES: [usize; 3] = [10, 100, 1_000];

/// A body with so many names, about 100 bytes each.
fn body(names: usize, prefix: &str) -> String {
    let member = |at: usize| format!(r#""member{at:05}": "{} {prefix}name{at}}}""#, "x".repeat(66));
    let members: Vec<String> = (0..names).map(member).collect();
    format!("{{{}}}", members.join(","))
}

fn values(names: usize) -> TextMap {
    (0..names).map(|at| (format!("name{at}"), Some(format!("value \"{at}\"")))).collect()
}

fn templates(c: &mut Criterion) {
    at_sizes(c, "fill in a template, names", &SIZES, |names| {
        let (template, values) = (body(names, PARAMETERS), values(names));
        Box::new(move || render_template(&template, PARAMETERS, &values))
    });
    at_sizes(c, "make a connector's body, names", &SIZES, |names| {
        let (template, values) = (body(names, PARAMETERS), values(names));
        Box::new(move || {
            let prepared = prepare_parameters(&TextMap::new(), &values);
            render_body(&template, &prepared)
        })
    });
}

/// What is done again with each key: for a tool that declares none of its names, and for one whose
/// names all lack their prefix.
fn keys(c: &mut Criterion) {
    for (what, prefix) in [("names", PARAMETERS), ("names without prefix", "${")] {
        let read = move |names: usize| {
            let entry = json!({
                "type": "DynamicTool", "name": "t",
                "parameters": {"method": "POST", "uri": "/i/_search", "request_body": body(names, prefix)},
            });
            let source = Source::parse(Format::Json, entry.to_string()).unwrap();
            let files = BTreeMap::from([(FileId::new("t.json"), source)]);
            let catalog = read::read_catalog(files.iter(), Mode::Document);
            (files, catalog)
        };
        at_sizes(c, &format!("previews of a template, {what}"), &SIZES, |names| {
            let tool = read(names).1.tools[0].entry.clone();
            let templates = by_id("opensearch").unwrap().templates().unwrap();
            let given = (0..names / 2).map(|at| (format!("name{at}"), Value::from("a \"value\"")));
            let samples = Samples { parameters: given.collect(), ..Samples::default() };
            Box::new(move || templates.render_fields(&tool, &samples))
        });
        at_sizes(c, &format!("checks of a template, {what}"), &SIZES, |names| {
            let (files, catalog) = read(names);
            Box::new(move || findings::catalog_findings(&catalog, |file| files.get(file)))
        });
    }
}

criterion_group!(benches, templates, keys);
criterion_main!(benches);
