//! The tour of the demo: what to do next, and how it shows that it was done.
//!
//! The README's "first minute" is the same text; a test holds the two together.

use super::{actions::ActionId, input::Code, keymap::Keymap, message::ScreenId, state::State};
use crate::model::{
    call::{Call, Outcome},
    context::Name,
};

/// One step of the tour.
struct TourStep {
    /// What to do, in a line or two; `{id}` is the key of an action.
    text: &'static str,
    /// Whether it is done, given how things were when the step began.
    is_done: fn(&State, &Marks) -> bool,
}

const STEPS: [TourStep; 7] = [
    TourStep {
        text: "{show-invoke} opens Invoke, where you call a tool.",
        is_done: |state, _| state.screen == ScreenId::Invoke,
    },
    TourStep {
        text: "{send} sends the request, with sample arguments. Watch the answer stream.",
        is_done: |state, marks| Marks::of(state).succeeded > marks.succeeded,
    },
    TourStep {
        text: "{show-workflow} opens Workflow: the states, and the tools a request gets in each.",
        is_done: |state, _| state.screen == ScreenId::Workflow,
    },
    TourStep {
        text: "Select an available tool. {step} takes the step, and other tools appear.",
        is_done: |state, marks| Marks::of(state).steps > marks.steps,
    },
    TourStep {
        text: "Go to the groups ({next-pane} changes panes) and tick products with {tick}: more tools \
               appear.",
        is_done: |state, marks| Marks::of(state).groups != marks.groups,
    },
    TourStep {
        text: "{show-tools} opens Tools. {next-pane} moves to the form, {open-field} edits a field: see \
               the file change.",
        is_done: |state, _| state.documents.changed_files().next().is_some(),
    },
    TourStep {
        text: "{undo} undoes the change, {save} saves it. The mouse works everywhere, too.",
        is_done: |state, _| state.documents.changed_files().next().is_none(),
    },
];

/// What the user has done so far, as far as the steps look at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    succeeded: usize,
    steps: usize,
    groups: Option<Vec<Name>>,
}

impl Marks {
    fn of(state: &State) -> Self {
        let succeeded = |call: &&Call| call.outcome() == Some(Outcome::Succeeded);
        Self {
            succeeded: state.invoke.calls.iter().filter(succeeded).count(),
            steps: state.workflow.simulation.steps().count(),
            groups: state.context().groups,
        }
    }

    /// Whether the user has found the way without a tour.
    fn are_beyond_the_start(&self) -> bool {
        self.succeeded > 0 && self.steps > 0
    }
}

/// How far the tour is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tour {
    /// Not in the demo, or it has ended.
    #[default]
    Off,
    /// It can be started.
    Offered,
    /// At a step, counted from 0, with what was done before it.
    At(usize, Marks),
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
            Self::Off => None,
            Self::Offered => Some("New here? Take a tour of one minute.".to_owned()),
            Self::At(step, _) => Some(with_keys(STEPS.get(*step)?.text, keymap, "")),
        }
    }
}

/// What the user asks of the tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourMessage {
    Start,
    Leave,
}

/// Starts or ends the tour.
pub(crate) fn handle_message(state: &mut State, message: TourMessage) {
    state.tour = match message {
        TourMessage::Start => Tour::At(0, Marks::of(state)),
        TourMessage::Leave => Tour::Off,
    };
}

/// Goes on past the steps that are done; whether the tour has just ended with the last one.
pub(crate) fn advance(state: &mut State) -> bool {
    if state.tour == Tour::Offered && Marks::of(state).are_beyond_the_start() {
        state.tour = Tour::Off;
    }
    while let Tour::At(step, marks) = &state.tour {
        let Some(current) = STEPS.get(*step) else {
            state.tour = Tour::Off;
            return true;
        };
        if !(current.is_done)(state, marks) {
            return false;
        }
        state.tour = Tour::At(*step + 1, Marks::of(state));
    }
    false
}

/// How many steps the tour has.
#[must_use]
pub fn step_count() -> usize {
    STEPS.len()
}

/// The steps as Markdown, with the keys of this keymap.
#[must_use]
pub fn step_texts(keymap: &Keymap) -> Vec<String> {
    STEPS.iter().map(|step| with_keys(step.text, keymap, "`")).collect()
}

/// The key of an action; a function key if it has one, since every terminal delivers those.
fn shown_key(id: ActionId, keymap: &Keymap) -> String {
    let keys = keymap.keys_for(id);
    let every_terminal = keys.iter().find(|key| matches!(key.code, Code::F(_)));
    every_terminal.or(keys.first()).map(ToString::to_string).unwrap_or_default()
}

/// The text with keys for the ids in braces, between these marks.
fn with_keys(text: &str, keymap: &Keymap, mark: &str) -> String {
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
