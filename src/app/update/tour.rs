//! The tour of the demo: what to do next, and how it shows that it was done.
//!
//! The README's "first minute" is the same text; a test holds the two together.

use crate::{
    app::{
        keymap::Keymap,
        message::ScreenId,
        state::State,
        tour::{Marks, Tour, TourMessage, with_keys},
    },
    model::call::{Call, Outcome},
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
        is_done: |state, marks| marks_of(state).succeeded > marks.succeeded,
    },
    TourStep {
        text: "{show-workflow} opens Workflow: the states, and the tools a request gets in each.",
        is_done: |state, _| state.screen == ScreenId::Workflow,
    },
    TourStep {
        text: "Select an available tool. {step} takes the step, and other tools appear.",
        is_done: |state, marks| marks_of(state).steps > marks.steps,
    },
    TourStep {
        text: "Go to the groups ({next-pane} moves from pane to pane) and tick products with {tick}: \
               more tools appear.",
        is_done: |state, marks| marks_of(state).groups != marks.groups,
    },
    TourStep {
        text: "{show-tools} opens Tools. {next-pane} moves to the form, {open-field} edits a field; \
               the preview beside it is the file.",
        is_done: |state, _| state.documents.changed_files().next().is_some(),
    },
    TourStep {
        text: "Esc ends the edit. Then {undo} undoes the change, {save} saves it. The mouse works \
               everywhere, too.",
        is_done: |state, _| state.documents.changed_files().next().is_none(),
    },
];

fn marks_of(state: &State) -> Marks {
    let succeeded = |call: &&Call| call.outcome() == Some(Outcome::Succeeded);
    Marks {
        succeeded: state.invoke.calls.iter().filter(succeeded).count(),
        steps: state.workflow.simulation.steps().count(),
        groups: state.context().groups,
    }
}

/// The tour at a step; ended after the last one.
fn at_step(state: &State, step: usize) -> Tour {
    match STEPS.get(step) {
        Some(TourStep { text, .. }) => {
            Tour::At { step, of: STEPS.len(), text, before: marks_of(state) }
        }
        None => Tour::Ended,
    }
}

/// Starts or ends the tour.
pub(super) fn handle_message(state: &mut State, message: TourMessage) {
    state.tour = match message {
        TourMessage::Start => at_step(state, 0),
        TourMessage::Leave => Tour::Ended,
    };
}

/// Goes on past the steps that are done; whether the tour has just ended with the last one.
pub(super) fn advance(state: &mut State) -> bool {
    if state.tour == Tour::Offered {
        let marks = marks_of(state);
        // Whoever has found the way needs no tour.
        if marks.succeeded > 0 && marks.steps > 0 {
            state.tour = Tour::Ended;
        }
        return false;
    }
    let mut moved = false;
    while let Tour::At { step, before, .. } = &state.tour {
        if !STEPS.get(*step).is_some_and(|current| (current.is_done)(state, before)) {
            return false;
        }
        state.tour = at_step(state, *step + 1);
        moved = true;
    }
    moved
}

/// The steps as Markdown, with the keys of this keymap.
#[must_use]
pub fn step_texts(keymap: &Keymap) -> Vec<String> {
    STEPS.iter().map(|step| with_keys(step.text, keymap, "`")).collect()
}
