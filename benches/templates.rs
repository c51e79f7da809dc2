//! Filling in a template of 100 KB with 1,000 names, by the rules of a connector and by those of a
//! `DynamicTool`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use toolcrib::systems::opensearch::{
    connector::body::{prepare_parameters, render_body},
    template::{marks::PARAMETERS, render::render_template, text_map::TextMap},
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

criterion_group!(benches, templates);
criterion_main!(benches);
