//! What the tap itself says, with the time at which it does.

use crate::{model::traffic::Tapped, wire::now::now_millis};

/// Words about the connection, said now.
pub(super) fn notice_now(words: String) -> Tapped {
    Tapped::Notice { at: now_millis(), words, breaks: false }
}

/// The same about what keeps messages from coming.
pub(super) fn break_now(words: String) -> Tapped {
    Tapped::Notice { at: now_millis(), words, breaks: true }
}
