//! Numbers of a bench: printed for who looks on, and added as JSON lines to the file that
//! `TOOLCRIB_BENCH_ROWS` names, from which `benches/table` makes docs/performance.md.

use std::{env, fs::OpenOptions, io::Write};

use serde_json::json;

/// One measured number.
#[derive(Clone, Debug, Default)]
pub struct Row {
    what: String,
    unit: &'static str,
    median: f64,
    p99: Option<f64>,
    floor: Option<f64>,
    series: Option<(String, usize)>,
}

impl Row {
    /// The median of what was measured.
    pub fn new(what: impl Into<String>, unit: &'static str, median: f64) -> Self {
        Self { what: what.into(), unit, median, ..Self::default() }
    }

    /// Median and 99th percentile of many times, in milliseconds.
    pub fn of_times(what: impl Into<String>, times: Vec<f64>) -> Self {
        let (median, p99) = spread(times);
        Self { p99: Some(p99), ..Self::new(what, "ms", median) }
    }

    /// The least that the same takes, measured in the same run.
    pub fn with_floor(self, floor: f64) -> Self {
        Self { floor: Some(floor), ..self }
    }

    /// The one of that size among measurements of one thing, so that its growth can be seen.
    pub fn at_size(self, series: &str, size: usize) -> Self {
        Self { series: Some((series.to_owned(), size)), ..self }
    }

    /// Prints it and adds it to the file.
    pub fn report(&self) {
        let Self { what, unit, median, .. } = self;
        let mut line = format!("{what:<52} {median:>10.3} {unit:<4}");
        if let Some(p99) = self.p99 {
            line += &format!(" p99 {p99:>9.3}");
        }
        if let Some(floor) = self.floor {
            line += &format!("  floor {floor:>10.3}  × {:.2}", median / floor);
        }
        println!("{line}");
        let Ok(file) = env::var("TOOLCRIB_BENCH_ROWS") else { return };
        let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
        let row = json!({
            "what": what, "unit": unit, "median": median, "p99": self.p99, "floor": self.floor,
            "series": self.series.as_ref().map(|(name, _)| name),
            "size": self.series.as_ref().map(|(_, size)| size),
        });
        writeln!(file, "{row}").unwrap();
    }
}

/// Median and 99th percentile.
pub fn spread(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |part: f64| values[((values.len() - 1) as f64 * part).round() as usize];
    (at(0.5), at(0.99))
}
