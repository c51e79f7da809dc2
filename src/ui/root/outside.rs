//! What comes from outside and isn't drawn by a screen: questions, and entries at other places.

use crate::{
    app::{message::ScreenId, question::Question, state::State},
    ui::{
        moved::KnownMoves,
        overlays::questions,
        view::{Overlay, Screen},
    },
};

/// What is known of it already.
#[derive(Default)]
pub(super) struct Outside {
    /// The question that the overlay asks, to open it once.
    pub asked: Option<Question>,
    moves: KnownMoves,
}

impl Outside {
    /// Brings the screens to where entries are now; whether what lies over them is to close.
    pub fn follow_moved(
        &mut self,
        screens: &mut [(ScreenId, Box<dyn Screen>)],
        state: &State,
    ) -> bool {
        self.moves.follow(screens, state) && self.asked.is_none()
    }

    /// What lies over the screens from now on, where the state asks another question.
    pub fn take_question(
        &mut self,
        is_typing: bool,
        state: &State,
    ) -> Option<Option<Box<dyn Overlay>>> {
        // Its answer is a letter: it waits for the end of what is being typed.
        let waits = matches!(state.question, Some(Question::Allow { .. }));
        if self.asked == state.question || waits && is_typing {
            return None;
        }
        self.asked.clone_from(&state.question);
        let question = state.question.as_ref();
        Some(question.map(|question| questions::question_overlay(question, state)))
    }
}
