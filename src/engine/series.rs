//! Many calls of one request: how they ended, and how long they took at the median and in the slow
//! part.

use crate::schema::count::count_text;
use serde_json::{Value, json};

use crate::model::call::Outcome;

/// What came of the calls so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallSeries {
    outcomes: Vec<Outcome>,
    took: Vec<u64>,
    first: Vec<u64>,
}

/// Times in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    pub least: u64,
    pub p50: u64,
    pub p90: u64,
    pub p99: u64,
    pub most: u64,
}

impl CallSeries {
    /// Counts a call that has ended. Only one that succeeded counts for the times.
    pub fn add_call(&mut self, outcome: Outcome, took_ms: u64, first_ms: Option<u64>) {
        self.outcomes.push(outcome);
        if outcome == Outcome::Succeeded {
            self.took.push(took_ms);
            self.first.extend(first_ms);
        }
    }

    /// How many have ended.
    #[must_use]
    pub fn ended_count(&self) -> usize {
        self.outcomes.len()
    }

    /// How many ended so.
    #[must_use]
    pub fn outcome_count(&self, outcome: Outcome) -> usize {
        self.outcomes.iter().filter(|known| **known == outcome).count()
    }

    /// How long those took that succeeded; `None` where none did.
    #[must_use]
    pub fn duration_spread(&self) -> Option<Spread> {
        compute_spread(&self.took)
    }

    /// How long they waited for their first chunk.
    #[must_use]
    pub fn first_chunk_spread(&self) -> Option<Spread> {
        compute_spread(&self.first)
    }

    /// In one line: `20 calls: 19 succeeded, 1 failed · p50 31 ms · p90 40 ms · p99 55 ms`.
    #[must_use]
    pub fn summary(&self) -> String {
        const ALL: [Outcome; 5] = [
            Outcome::Succeeded,
            Outcome::Failed,
            Outcome::Cancelled,
            Outcome::TimedOut,
            Outcome::Lost,
        ];
        let counts = ALL.map(|outcome| (self.outcome_count(outcome), outcome.as_str()));
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let times = self.duration_spread().map_or_else(String::new, |spread| {
            format!(
                " · p50 {} ms · p90 {} ms · p99 {} ms · longest {} ms",
                spread.p50, spread.p90, spread.p99, spread.most
            )
        });
        // Of an answer that comes whole the first chunk is the last.
        let is_earlier =
            |first: &Spread| self.duration_spread().is_some_and(|spread| first.p50 < spread.p50);
        let first =
            self.first_chunk_spread().filter(is_earlier).map_or_else(String::new, |spread| {
                format!(
                    " · first chunk p50 {} ms · p90 {} ms · p99 {} ms",
                    spread.p50, spread.p90, spread.p99
                )
            });
        let calls = count_text(self.ended_count(), "call", "calls");
        format!("{calls}: {}{times}{first}", counts.join(", "))
    }

    /// For scripts.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let of = |spread: Option<Spread>| {
            spread.map(|spread| json!({"min": spread.least, "p50": spread.p50, "p90": spread.p90, "p99": spread.p99, "max": spread.most}))
        };
        json!({
            "event": "series",
            "calls": self.ended_count(),
            "succeeded": self.outcome_count(Outcome::Succeeded),
            "failed": self.outcome_count(Outcome::Failed),
            "timed-out": self.outcome_count(Outcome::TimedOut),
            "lost": self.outcome_count(Outcome::Lost),
            "took_ms": of(self.duration_spread()),
            "first_ms": of(self.first_chunk_spread()),
        })
    }
}

/// The nearest rank: of 100 times, p99 is the 99th.
fn compute_spread(times: &[u64]) -> Option<Spread> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let rank = |percent: usize| {
        sorted.get((sorted.len() * percent).div_ceil(100).saturating_sub(1)).copied()
    };
    Some(Spread {
        least: *sorted.first()?,
        p50: rank(50)?,
        p90: rank(90)?,
        p99: rank(99)?,
        most: *sorted.last()?,
    })
}

/// How many calls, and how many of them at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSize {
    pub times: usize,
    pub at_once: usize,
}

/// `20`, or `20 x 4`: how many calls, and how many at once; 1 at once where nothing is said.
#[must_use]
pub(crate) fn parse_batch(text: &str) -> Option<BatchSize> {
    let mut parts = text.split(['x', '×', ',', ' ']).map(str::trim).filter(|part| !part.is_empty());
    let times: usize = parts.next()?.parse().ok()?;
    let at_once: usize = parts.next().map_or(Some(1), |part| part.parse().ok())?;
    (parts.next().is_none() && (1..=MOST).contains(&times) && (1..=MOST_AT_ONCE).contains(&at_once))
        .then_some(BatchSize { times, at_once })
}

/// So many calls in one series at most.
pub(crate) const MOST: usize = 10_000;
/// So many at once at most.
pub(crate) const MOST_AT_ONCE: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut series = CallSeries::default();
        (1..=100).rev().for_each(|ms| series.add_call(Outcome::Succeeded, ms, Some(ms / 2)));
        series.add_call(Outcome::Failed, 10_000, None);
        let spread = series.duration_spread().unwrap();
        assert_eq!(
            (spread.least, spread.p50, spread.p90, spread.p99, spread.most),
            (1, 50, 90, 99, 100)
        );
        assert_eq!(
            series.summary(),
            "101 calls: 100 succeeded, 1 failed · p50 50 ms · p90 90 ms · p99 99 ms · longest 100 ms \
             · first chunk p50 25 ms · p90 45 ms · p99 49 ms"
        );
        assert_eq!(CallSeries::default().duration_spread(), None);
        let mut one = CallSeries::default();
        one.add_call(Outcome::Succeeded, 7, None);
        assert_eq!(one.duration_spread().map(|spread| (spread.p50, spread.p99)), Some((7, 7)));
    }

    #[test]
    fn how_many_and_how_many_at_once() {
        for (text, parsed) in [
            ("20", Some((20, 1))),
            ("20x4", Some((20, 4))),
            (" 20 × 4 ", Some((20, 4))),
            ("0", None),
            ("x", None),
            ("3 x 65", None),
            ("1 2 3", None),
        ] {
            let size = parse_batch(text).map(|size| (size.times, size.at_once));
            assert_eq!(size, parsed, "{text}");
        }
    }
}
