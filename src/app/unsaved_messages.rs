//! Messages of Watch that would be lost.

use super::state::State;

/// How many messages of a running system are in no file; what the program itself makes up is no
/// loss.
#[must_use]
pub(crate) fn unsaved_messages(state: &State) -> u64 {
    match state.watched_connection().is_embedded() {
        true => 0,
        false => state.watching.unsaved_count(),
    }
}
