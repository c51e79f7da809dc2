//! Copy and cut in the fields that hold text.

use super::cell::Answer;
use crate::{
    app::input::{Code, Input},
    ui::widgets::editing::Clip,
};

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

/// The answer with what was taken, where `left` is the field's answer to the text that a cut leaves.
/// Where nothing was selected, the key is not for the field.
#[must_use]
pub(crate) fn clip_answer(
    clip: Clip,
    taken: Option<String>,
    left: impl FnOnce() -> Answer,
) -> Answer {
    let Some(text) = taken else { return Answer::Ignored };
    let left = match clip {
        Clip::Copy => Answer::Handled,
        Clip::Cut => left(),
    };
    Answer::Copy { text, left: Box::new(left) }
}
