//! How much crosses each subject, and how fast.

use std::{collections::BTreeMap, sync::Arc};

use crate::model::{
    clock::Millis,
    traffic::{ObservedMessage, Part},
};

/// So many subjects are counted each for itself.
const SUBJECTS: usize = 1_000;

/// What crossed each subject.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rates(BTreeMap<Arc<str>, Count>);

impl Rates {
    /// Counts a message.
    pub fn add(&mut self, crossing: &ObservedMessage, part: &Part) {
        const INBOXES: &str = "_INBOX.";
        let name: Arc<str> = match crossing.subject.starts_with(INBOXES) {
            true => "_INBOX.*".into(),
            // A bucket of keys and values, not each of its keys.
            false if crossing.subject.starts_with("$KV.") => {
                let bucket = crossing.subject.split('.').nth(1).unwrap_or_default();
                format!("$KV.{bucket}.*").into()
            }
            false if self.0.len() >= SUBJECTS && !self.0.contains_key(&crossing.subject) => {
                "(others)".into()
            }
            false => Arc::clone(&crossing.subject),
        };
        let count = self.0.entry(name).or_default();
        count.add(crossing.at, crossing.size);
        count.failures += u64::from(matches!(
            part,
            Part::Error(_) | Part::Unreadable(_) | Part::Outcome(Some(_))
        ));
    }

    /// By name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Count)> {
        self.0.iter()
    }
}

/// A rate is that of the last so many seconds.
const SECONDS: usize = 10;

/// What crossed one subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub messages: u64,
    pub bytes: u64,
    /// Conversations that failed or could not be understood.
    pub failures: u64,
    /// Messages in each of the last seconds; the newest is that of `second`.
    recent: [u32; SECONDS],
    second: u64,
    first: Millis,
}

impl Count {
    /// Counts a message.
    pub fn add(&mut self, at: Millis, bytes: u64) {
        if self.messages == 0 {
            self.first = at;
        }
        self.messages += 1;
        self.bytes += bytes;
        let second = at.0 / 1_000;
        let ahead = second.saturating_sub(self.second);
        if ahead > 0 {
            let by = usize::try_from(ahead).unwrap_or(SECONDS).min(SECONDS);
            self.recent.rotate_right(by);
            self.recent[..by].fill(0);
            self.second = second;
        }
        self.recent[0] = self.recent[0].saturating_add(1);
    }

    /// Messages a second, over the last ten seconds or since the first message.
    #[must_use]
    pub fn rate(&self, now: Millis) -> f64 {
        let behind = usize::try_from((now.0 / 1_000).saturating_sub(self.second))
            .unwrap_or(SECONDS)
            .min(SECONDS);
        let messages: u32 = self.recent[..SECONDS - behind].iter().sum();
        let since = now.since(self.first).clamp(1_000, SECONDS as u64 * 1_000);
        f64::from(messages) * 1_000.0 / since as f64
    }
}

/// A rate as people read it.
#[must_use]
pub(crate) fn format_rate(rate: f64) -> String {
    if rate <= 0.0 {
        "–".into()
    } else if rate < 10.0 {
        format!("{rate:.1}/s")
    } else if rate < 10_000.0 {
        format!("{rate:.0}/s")
    } else {
        format!("{:.0}k/s", rate / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_that_of_the_last_seconds_and_goes_to_nothing() {
        let mut count = Count::default();
        for at in (0..20_000).step_by(100) {
            count.add(Millis(50_000 + at), 10);
        }
        let end = 69_900;
        assert_eq!((count.messages, count.bytes), (200, 2_000));
        assert!((count.rate(Millis(end)) - 10.0).abs() < 0.01, "{}", count.rate(Millis(end)));
        assert!((count.rate(Millis(end + 5_000)) - 5.0).abs() < 0.01);
        assert_eq!(count.rate(Millis(end + 60_000)), 0.0);
        let mut one = Count::default();
        one.add(Millis(7_200), 1);
        assert_eq!(format_rate(one.rate(Millis(7_300))), "1.0/s");
    }

    #[test]
    fn a_clock_that_goes_back_breaks_nothing() {
        let mut count = Count::default();
        [9_000, 3_000, 9_500].iter().for_each(|at| count.add(Millis(*at), 1));
        assert_eq!(count.messages, 3);
        assert!(count.rate(Millis(0)) >= 0.0);
    }
}
