//! The clock of what passes on the wire: it bears the time at which it did.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::model::clock::Millis;

/// Now.
#[must_use]
pub(crate) fn now_millis() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// The milliseconds since then.
#[must_use]
pub(crate) fn elapsed_ms(began: Instant) -> u64 {
    ms_between(began, Instant::now())
}

/// The milliseconds from one moment to a later one.
#[must_use]
pub(crate) fn ms_between(began: Instant, later: Instant) -> u64 {
    u64::try_from(later.duration_since(began).as_millis()).unwrap_or(u64::MAX)
}
