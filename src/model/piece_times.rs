//! When the pieces of an answer came.

/// The first and the last piece, and the longest time between two of them; in milliseconds since the
/// call began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceTimes {
    pub first_ms: Option<u64>,
    pub last_ms: Option<u64>,
    /// With the number of the piece that was waited for, from 1: the first of those that were
    /// waited for as long.
    pub longest_wait: Option<(u64, u64)>,
    /// How many pieces came.
    pub count: u64,
}

impl PieceTimes {
    /// A piece came. One without a text only marks an end.
    pub fn note_piece(&mut self, text: &str, at_ms: u64) {
        self.count += 1;
        if text.is_empty() {
            return;
        }
        self.first_ms.get_or_insert(at_ms);
        let wait = self.last_ms.replace(at_ms).map(|last| at_ms.saturating_sub(last));
        if let Some(wait) = wait.filter(|wait| Some(*wait) > self.longest_wait_ms()) {
            self.longest_wait = Some((wait, self.count));
        }
    }

    /// The longest time between two pieces.
    #[must_use]
    pub fn longest_wait_ms(&self) -> Option<u64> {
        self.longest_wait.map(|(wait, _)| wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_waits_that_are_as_long_the_first_is_the_longest() {
        let mut times = PieceTimes::default();
        for (text, at_ms) in [("a", 10), ("b", 20), ("c", 50), ("", 55), ("d", 80), ("e", 110)] {
            times.note_piece(text, at_ms);
        }
        assert_eq!((times.longest_wait, times.first_ms), (Some((30, 3)), Some(10)));
    }
}
