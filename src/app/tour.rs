//! How far the tour of the demo is. Its steps are in `update/tour.rs`.

use super::{actions::ActionId, input::Code, keymap::Keymap};
use crate::model::unsaved::UnsavedTexts;

/// What the user asks of the tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourMessage {
    Start,
    Leave,
}

/// What the user has done so far, as far as the steps look at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Calls that succeeded.
    pub succeeded: usize,
    /// Steps of the run.
    pub steps: usize,
    /// What is not saved.
    pub unsaved: UnsavedTexts,
}

/// How far the tour is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tour {
    /// Not in the demo.
    #[default]
    Off,
    /// It can be started.
    Offered,
    /// It was taken; it can be started again.
    Ended,
    /// It was left at a step, and goes on there.
    Left { step: usize },
    /// At a step, counted from 0.
    At {
        step: usize,
        /// So many there are.
        of: usize,
        /// What to do; `{id}` is the key of an action.
        text: &'static str,
        /// What was done before the step.
        before: Marks,
    },
}

impl Tour {
    /// The tour at the start of the program.
    #[must_use]
    pub fn at_start(is_demo: bool) -> Self {
        if is_demo { Self::Offered } else { Self::Off }
    }

    /// The words to show now; `None` where there is no tour.
    #[must_use]
    pub fn words(&self, keymap: &Keymap) -> Option<String> {
        match self {
            Self::Off | Self::Ended | Self::Left { .. } => None,
            Self::Offered => Some("New here? Take a tour of one minute.".to_owned()),
            Self::At { text, .. } => Some(with_keys(text, keymap, "")),
        }
    }
}

/// The key of an action; a function key if it has one, since every terminal delivers those.
fn shown_key(id: ActionId, keymap: &Keymap) -> String {
    let keys = keymap.keys_for(id);
    let every_terminal = keys.iter().find(|key| matches!(key.code, Code::F(_)));
    every_terminal.or(keys.first()).map(ToString::to_string).unwrap_or_default()
}

/// The text with keys for the ids in braces, between these marks.
pub(crate) fn with_keys(text: &str, keymap: &Keymap, mark: &str) -> String {
    let mut parts = text.split('{');
    let mut words = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (id, rest) = part.split_once('}').unwrap_or(("", part));
        let action = keymap.actions().iter().find(|action| action.id == id);
        let key = action.map(|action| shown_key(action.id, keymap)).unwrap_or_default();
        words.extend([mark, &key, mark]);
        words.push_str(rest);
    }
    words
}
