//! The clock of what passes on the wire: it bears the time at which it did.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::clock::Millis;

pub(crate) fn now_millis() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
