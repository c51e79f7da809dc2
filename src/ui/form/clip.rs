//! Copy and cut in the fields that hold text.

use super::cell::Answer;
use crate::app::input::{Code, Input};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clip {
    Copy,
    Cut,
}

/// Whether an input asks for the selection.
#[must_use]
pub(crate) fn requested_clip(input: &Input) -> Option<Clip> {
    let Input::Key(key) = input else { return None };
    match key.code {
        _ if !key.mods.ctrl || key.mods.alt => None,
        Code::Char('c') => Some(Clip::Copy),
        Code::Char('x') => Some(Clip::Cut),
        _ => None,
    }
}

/// The answer that copies; the key is not for the field where nothing is selected.
#[must_use]
pub(crate) fn copy_answer(selected: Option<&str>) -> Answer {
    selected
        .map_or(Answer::Ignored, |text| Answer::Copy { text: text.to_owned(), edits: Vec::new() })
}

/// The answer that copies what was cut, with what the cut came to.
#[must_use]
pub(crate) fn cut_answer(text: String, then: Answer) -> Answer {
    match then {
        Answer::Change(edits) => Answer::Copy { text, edits },
        other => other,
    }
}
