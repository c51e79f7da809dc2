//! Steps of editing that are taken back and made again, for whatever is edited.

use std::collections::VecDeque;

/// How many steps can be taken back.
pub(crate) const UNDO_STEPS: usize = 1_000;

/// What an edit did, with all that it takes to take it back and to make it again.
pub(crate) trait UndoStep: Clone {
    /// Where it was typed: edits one after another at the same place make one step.
    type Place: PartialEq;

    /// Takes in what was done right after this, so that the two are one step.
    fn join(&mut self, later: Self);
}

/// The steps that led to what is now, and those that were taken back.
#[derive(Clone, Debug)]
pub(crate) struct UndoHistory<S: UndoStep> {
    done: VecDeque<S>,
    undone: Vec<S>,
    /// Where the last step was typed, while typing may go on there.
    typing_at: Option<S::Place>,
}

impl<S: UndoStep> Default for UndoHistory<S> {
    fn default() -> Self {
        Self { done: VecDeque::new(), undone: Vec::new(), typing_at: None }
    }
}

impl<S: UndoStep> UndoHistory<S> {
    /// Remembers a step that was made; typed at the place of the last one, it joins that. What was
    /// taken back cannot be made again from here on.
    pub fn record(&mut self, step: S, place: Option<S::Place>) {
        self.undone.clear();
        match self.done.back_mut() {
            Some(last) if place.is_some() && self.typing_at == place => last.join(step),
            _ => {
                if self.done.len() == UNDO_STEPS {
                    self.done.pop_front();
                }
                self.done.push_back(step);
            }
        }
        self.typing_at = place;
    }

    /// The last step was the first letter of what is typed there.
    pub fn go_on_typing(&mut self, place: S::Place) {
        self.typing_at = Some(place);
    }

    /// The next edit is a step of its own, wherever it is.
    pub fn end_typing(&mut self) {
        self.typing_at = None;
    }

    pub fn last_mut(&mut self) -> Option<&mut S> {
        self.done.back_mut()
    }

    /// The steps that led to what is now.
    pub fn steps(&self) -> impl Iterator<Item = &S> {
        self.done.iter()
    }

    /// The step that was taken back last.
    pub fn last_undone_mut(&mut self) -> Option<&mut S> {
        self.undone.last_mut()
    }

    /// The last step, to be taken back now.
    pub fn undo(&mut self) -> Option<S> {
        let step = self.done.pop_back()?;
        self.undone.push(step.clone());
        self.end_typing();
        Some(step)
    }

    /// The step that was taken back last, to be made again now.
    pub fn redo(&mut self) -> Option<S> {
        let step = self.undone.pop()?;
        self.done.push_back(step.clone());
        self.end_typing();
        Some(step)
    }

    /// Whether a step is of that kind, among those that were made and those that were taken back.
    #[must_use]
    pub fn has(&self, is_one: impl Fn(&S) -> bool) -> bool {
        self.done.iter().chain(&self.undone).any(is_one)
    }

    /// Drops steps of that kind: they can be neither taken back nor made again.
    pub fn drop_steps(&mut self, is_one: impl Fn(&S) -> bool) {
        self.done.retain(|step| !is_one(step));
        self.undone.retain(|step| !is_one(step));
        self.end_typing();
    }

    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    #[must_use]
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl UndoStep for String {
        type Place = char;

        fn join(&mut self, later: Self) {
            *self += &later;
        }
    }

    fn typed(steps: &[(&str, char)]) -> UndoHistory<String> {
        let mut history = UndoHistory::default();
        for (step, place) in steps {
            history.record((*step).to_owned(), Some(*place));
        }
        history
    }

    #[test]
    fn typing_at_one_place_is_one_step_until_something_comes_between() {
        let mut history = typed(&[("a", 'x'), ("b", 'x'), ("c", 'y'), ("d", 'x')]);
        history.end_typing();
        history.record("e".into(), Some('x'));
        let steps: Vec<_> = std::iter::from_fn(|| history.undo()).collect();
        assert_eq!(steps, ["e", "d", "c", "ab"]);
        assert!(!history.can_undo());
    }

    #[test]
    fn an_edit_after_an_undo_is_a_step_of_its_own_and_the_way_forward_is_gone() {
        let mut history = typed(&[("a", 'x'), ("b", 'y')]);
        assert_eq!(history.undo().as_deref(), Some("b"));
        assert!(history.can_redo());
        history.record("c".into(), Some('x'));
        assert!(!history.can_redo());
        assert_eq!(history.undo().as_deref(), Some("c"));
        assert_eq!(history.redo().as_deref(), Some("c"));
        assert_eq!(history.redo(), None);
    }

    #[test]
    fn the_oldest_steps_go_first() {
        let mut history = UndoHistory::default();
        for step in 0..=UNDO_STEPS {
            history.record(step.to_string(), None);
        }
        let oldest = std::iter::from_fn(|| history.undo()).last();
        assert_eq!(oldest.as_deref(), Some("1"));
    }
}
