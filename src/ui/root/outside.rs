//! What comes from outside and isn't drawn by a screen: questions, and entries at other places.

use crate::{
    app::{message::ScreenId, question::Question, state::State},
    ui::{
        overlays::questions,
        view::{Overlay, Screen},
    },
};

/// What is known of it already.
#[derive(Default)]
pub(super) struct Outside {
    /// The question that the overlay asks, to open it once.
    pub asked: Option<Question>,
    /// How many of the moves of entries the screens know.
    moves: usize,
}

impl Outside {
    /// Brings the screens to where entries are now; whether that is elsewhere. What lies over them
    /// was opened for an entry that may be another one now.
    pub fn follow_moved(
        &mut self,
        screens: &mut [(ScreenId, Box<dyn Screen>)],
        state: &State,
    ) -> bool {
        let moves = state.moved.get(self.moves..).unwrap_or_default();
        for moved in moves {
            screens.iter_mut().for_each(|(_, screen)| screen.follow_moved(moved));
        }
        self.moves = state.moved.len();
        !moves.is_empty() && self.asked.is_none()
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
