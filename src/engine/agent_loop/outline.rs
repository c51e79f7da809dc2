//! The turns of a run, followed by its events: where in the conversation each of them is.

use super::event::AgentEvent;

/// The turns so far, each with what was known when it began.
#[derive(Clone, Debug)]
pub struct Outline<T> {
    turns: Vec<(TurnKind, T)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnKind {
    User,
    Model,
    /// With so many results.
    Results(usize),
}

/// Where an event is in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub turn: usize,
    /// Among the results of that turn.
    pub row: usize,
}

impl<T> Outline<T> {
    /// Of a run that is about to begin: the question alone.
    #[must_use]
    pub fn new(start: T) -> Self {
        Self { turns: vec![(TurnKind::User, start)] }
    }

    #[must_use]
    pub fn turn_count(&self) -> usize {
        self.turns.len()
    }

    /// The turn that what happens next belongs to: a reply, or the results of the one before.
    #[must_use]
    pub fn turn_under_way(&self, is_about_call: bool) -> usize {
        match self.turns.last() {
            Some((TurnKind::Results(_), _)) if is_about_call => self.turns.len() - 1,
            _ => self.turns.len(),
        }
    }

    /// What was known when that turn began; `None`: there is none.
    #[must_use]
    pub fn known_at(&self, turn: usize) -> Option<&T> {
        self.turns.get(turn).map(|(_, known)| known)
    }

    /// Takes an event in; `known` is what is known before it. Replies, results and messages have a
    /// place.
    pub fn note_event(&mut self, event: &AgentEvent, known: T) -> Option<Place> {
        match event {
            AgentEvent::Replied { .. } => Some(self.push(TurnKind::Model, known)),
            AgentEvent::Returned { .. } => {
                let turn = self.turns.len() - 1;
                if let Some((TurnKind::Results(count), _)) = self.turns.last_mut() {
                    *count += 1;
                    return Some(Place { turn, row: *count - 1 });
                }
                Some(self.push(TurnKind::Results(1), known))
            }
            AgentEvent::WentBack { turns, message, .. } => {
                self.turns.truncate((*turns).max(1));
                message.is_some().then(|| self.push(TurnKind::User, known))
            }
            _ => None,
        }
    }

    fn push(&mut self, kind: TurnKind, known: T) -> Place {
        self.turns.push((kind, known));
        Place { turn: self.turns.len() - 1, row: 0 }
    }
}
