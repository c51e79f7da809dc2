//! Benchmarks at several sizes, and how fast their cost grows.

use std::{
    cell::Cell,
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::{BenchmarkId, Criterion};

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
    let mut best = Vec::new();
    for size in sizes {
        let mut run = make(*size);
        let fastest = Cell::new(f64::INFINITY);
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter_custom(|rounds| {
                let begun = Instant::now();
                for _ in 0..rounds {
                    black_box(run());
                }
                let took = begun.elapsed();
                fastest.set(fastest.get().min(took.as_secs_f64() / rounds as f64));
                took
            });
        });
        best.push((*size as f64, fastest.get()));
    }
    group.finish();
    for pair in best.windows(2).filter(|pair| pair.iter().all(|(_, time)| time.is_finite())) {
        let [(small, short), (large, long)] = pair else { continue };
        println!(
            "{name}: {small} → {large} grows with exponent {:.2}",
            (long / short).ln() / (large / small).ln()
        );
    }
}
