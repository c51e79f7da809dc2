//! Benchmarks at several sizes, and how fast their cost grows.

use std::{
    cell::RefCell,
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::{BenchmarkId, Criterion};

use super::report::{Row, spread};

/// Runs a benchmark at each size and prints the exponent of its growth: 1 is linear, 2 is
/// quadratic.
pub fn at_sizes<T>(
    c: &mut Criterion,
    name: &str,
    sizes: &[usize],
    mut make: impl FnMut(usize) -> Box<dyn FnMut() -> T>,
) {
    let mut group = c.benchmark_group(name);
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    let mut medians = Vec::new();
    for size in sizes {
        let mut run = make(*size);
        let samples = RefCell::new(Vec::new());
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter_custom(|rounds| {
                let begun = Instant::now();
                for _ in 0..rounds {
                    black_box(run());
                }
                let took = begun.elapsed();
                samples.borrow_mut().push(took.as_secs_f64() * 1e3 / rounds as f64);
                took
            });
        });
        let samples = samples.into_inner();
        // None where a filter leaves it out.
        if !samples.is_empty() {
            let (median, _) = spread(samples);
            Row::new(format!("{name}, {size}"), "ms", median).at_size(name, *size).report();
            medians.push((*size as f64, median));
        }
    }
    group.finish();
    for pair in medians.windows(2) {
        let [(small, short), (large, long)] = pair else { continue };
        println!(
            "{name}: {small} → {large} grows with exponent {:.2}",
            (long / short).ln() / (large / small).ln()
        );
    }
}
