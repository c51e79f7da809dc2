//! What must not be seen of what a case made of an answer.

use super::state::State;
use crate::{engine::mask::Mask, model::entry::FileId};

/// Hides what the arguments of a case's newest call hold as secrets, beside all that is known.
#[must_use]
pub(crate) fn mask_of_case(state: &State, file: &FileId) -> Mask {
    let mut calls = state.invoke.calls.iter().rev();
    let newest = calls.find(|call| call.tested.as_ref().is_some_and(|tested| tested.file == *file));
    newest.map_or_else(|| state.mask.clone(), |call| state.mask.of_call(&call.request.arguments))
}
