//! How long to wait before the next try to reach a server.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// The wait before try number `attempt`, from 1: doubling, up to five seconds.
#[must_use]
pub(crate) fn retry_delay(attempt: usize) -> Duration {
    let doublings = u32::try_from(attempt.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
    (FIRST * 2_u32.pow(doublings)).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_stay_bounded() {
        let waits: Vec<u128> = [0, 1, 2, 3, 6, 7, 100, usize::MAX]
            .map(|attempt| retry_delay(attempt).as_millis())
            .into();
        assert_eq!(waits, [100, 100, 200, 400, 3200, 5000, 5000, 5000]);
    }
}
