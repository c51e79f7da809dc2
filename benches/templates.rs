//! Filling in a template of 100 KB with 1,000 names, by the rules of a connector and by those of a
//! `DynamicTool`; and what a key in it costs: the previews of its entry, and the checks.

#![expect(clippy::unwrap_used, reason = "a bench fails where it cannot begin")]

use std::{collections::BTreeMap, hint::black_box};

use criterion::{Criterion, criterion_group, criterion_main};
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

const NAMES: usize = 1_000;

fn templates(criterion: &mut Criterion) {
    let members: Vec<String> = (0..NAMES)
        .map(|at| format!(r#""member{at:05}": "{} ${{parameters.name{at}}}""#, "x".repeat(66)))
        .collect();
    let template = format!("{{{}}}", members.join(","));
    let parameters: TextMap =
        (0..NAMES).map(|at| (format!("name{at}"), Some(format!("value \"{at}\"")))).collect();
    let kilobytes = template.len() / 1_000;
    criterion.bench_function(&format!("render/{kilobytes}KB/{NAMES} names"), |bencher| {
        bencher.iter(|| render_template(black_box(&template), PARAMETERS, &parameters));
    });
    criterion.bench_function(&format!("body/{kilobytes}KB/{NAMES} names"), |bencher| {
        bencher.iter(|| {
            let prepared = prepare_parameters(&TextMap::new(), &parameters);
            render_body(black_box(&template), &prepared)
        });
    });
}

/// What is done anew with each key: for a tool that declares none of its names, and for one whose
/// names all lack their prefix.
fn keys(criterion: &mut Criterion) {
    for (what, prefix) in [("names", PARAMETERS), ("names without prefix", "${")] {
        let members: Vec<String> = (0..NAMES)
            .map(|at| format!(r#""member{at:05}": "{} {prefix}name{at}}}""#, "x".repeat(66)))
            .collect();
        let body = format!("{{{}}}", members.join(","));
        let kilobytes = body.len() / 1_000;
        let entry = json!({
            "type": "DynamicTool", "name": "t",
            "parameters": {"method": "POST", "uri": "/i/_search", "request_body": body},
        });
        let file = FileId::new("t.json");
        let source = Source::parse(Format::Json, entry.to_string()).unwrap();
        let files = BTreeMap::from([(file, source)]);
        let catalog = read::read_catalog(files.iter(), Mode::Document);
        let tool = catalog.tools[0].entry.clone();
        let templates = by_id("opensearch").unwrap().templates().unwrap();
        let given = (0..NAMES / 2).map(|at| (format!("name{at}"), Value::from("a \"value\"")));
        let samples = Samples { parameters: given.collect(), ..Samples::default() };
        criterion.bench_function(&format!("previews/{kilobytes}KB/{NAMES} {what}"), |bencher| {
            bencher.iter(|| templates.render_fields(black_box(&tool), &samples));
        });
        criterion.bench_function(&format!("checks/{kilobytes}KB/{NAMES} {what}"), |bencher| {
            bencher
                .iter(|| findings::catalog_findings(black_box(&catalog), |file| files.get(file)));
        });
    }
}

criterion_group!(benches, templates, keys);
criterion_main!(benches);
