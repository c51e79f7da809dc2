//! The clock of the tap: what is heard bears the time at which it was.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::{clock::Millis, traffic::Tapped};

pub(super) fn now_millis() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Words about the connection, said now.
pub(super) fn notice_now(words: String) -> Tapped {
    Tapped::Notice { at: now_millis(), words }
}
