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
    /// The same in plain mode, where commands are typed.
    typed: &'static str,
    /// Whether it is done, given how things were when the step began.
    is_done: fn(&State, &Marks) -> bool,
}

const STEPS: [TourStep; 7] = [
    TourStep {
        text: "{show-invoke} opens Invoke, where you call a tool.",
        typed: "invoke query-customers opens Invoke, where you call a tool.",
        is_done: |state, _| state.screen == ScreenId::Invoke,
    },
    TourStep {
        text: "{send} sends the request, with sample arguments. Watch the answer stream.",
        typed: "send sends the request, with sample arguments. The answer is printed as it streams.",
        is_done: |state, marks| marks_of(state).succeeded > marks.succeeded,
    },
    TourStep {
        text: "{show-workflow} opens Workflow: the states, and the tools a request gets in each.",
        typed: "workflow opens Workflow: the state, and the tools that a request gets in it.",
        is_done: |state, _| state.screen == ScreenId::Workflow,
    },
    TourStep {
        text: "Select an available tool. {step} takes the step, and other tools appear.",
        typed: "step query-customers takes the step, and other tools appear.",
        is_done: |state, marks| marks_of(state).steps > marks.steps,
    },
    TourStep {
        text: "Go to the groups in Request ({next-pane} moves from pane to pane) and tick products \
               with {tick}: more tools appear.",
        typed: "group tick products adds a group to the request: more tools appear.",
        is_done: |state, _| state.context().groups().iter().any(|name| &**name == "products"),
    },
    TourStep {
        text: "{show-tools} opens Tools. {next-pane} moves to the form, {open-field} edits a field: \
               add a word to the description. Preview shows the file.",
        typed: "tools opens Tools. set description TEXT changes the description of the selected \
                tool, file prints its file.",
        is_done: |state, marks| {
            let is_unsaved = state.documents.changed_files().next().is_some();
            is_unsaved && marks_of(state).unsaved != marks.unsaved
        },
    },
    TourStep {
        text: "Esc ends the edit. Then {undo} undoes the change, {save} saves it. The mouse works \
               everywhere, too.",
        typed: "undo undoes the change, save saves it.",
        // What was unsaved before the tour may stay so.
        is_done: |state, marks| state.documents.changed_files().count() < marks.unsaved.len(),
    },
];

fn marks_of(state: &State) -> Marks {
    let succeeded = |call: &&Call| call.outcome() == Some(Outcome::Succeeded);
    Marks {
        succeeded: state.invoke.calls.iter().filter(succeeded).count(),
        steps: state.workflow.simulation.steps().count(),
        unsaved: state.documents.unsaved_texts(),
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
    state.tour = match (message, &state.tour) {
        (TourMessage::Start, Tour::Left { step }) => at_step(state, *step),
        (TourMessage::Start, _) => at_step(state, 0),
        (TourMessage::Leave, Tour::At { step, .. }) => Tour::Left { step: *step },
        (TourMessage::Leave, _) => Tour::Ended,
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

/// What is said at the end of the tour.
pub(super) fn end_words(state: &State) -> String {
    let open = state.keymap.way_to("open-folder");
    match state.keymap.is_in_window() {
        true => format!("That's the tour. Open your own folder to start with your tools: {open}"),
        false => format!("That's the tour. {START}"),
    }
}

const START: &str = "Run toolcrib in your own folder to start with your tools.";

/// The steps as commands of plain mode, and what to do then.
pub(crate) fn typed_steps() -> Vec<String> {
    let step = |(number, step): (usize, &TourStep)| format!("{}. {}", number + 1, step.typed);
    let steps = STEPS.iter().enumerate().map(step);
    steps.chain([format!("exit quits. {START}")]).collect()
}

/// The steps as Markdown, with the keys of this keymap.
#[must_use]
pub fn step_texts(keymap: &Keymap) -> Vec<String> {
    STEPS.iter().map(|step| with_keys(step.text, keymap, "`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            documents::{Change, Document},
            message::{DocumentMessage, Message},
            state::Start,
            update::update,
        },
        model::{clock::Millis, entry::FileId},
        syntax::source::{Format, Source},
    };

    const NOW: Millis = Millis(1);

    fn send(state: &mut State, message: Message) {
        update(state, message, NOW);
    }

    fn step(state: &State) -> Option<usize> {
        if let Tour::At { step, .. } = state.tour { Some(step) } else { None }
    }

    #[test]
    fn a_tour_that_was_left_goes_on_at_its_step() {
        let mut state = State::new(Start { demo: true, ..Start::default() });
        send(&mut state, Message::Tour(TourMessage::Start));
        send(&mut state, Message::Show(ScreenId::Invoke));
        assert_eq!(step(&state), Some(1));
        send(&mut state, Message::Tour(TourMessage::Leave));
        assert!(state.tour.words(&state.keymap).is_none());
        send(&mut state, Message::Tour(TourMessage::Start));
        assert_eq!(step(&state), Some(1));
    }

    #[test]
    fn the_end_says_how_to_begin_in_a_terminal_and_in_a_window() {
        let start = || Start { demo: true, ..Start::default() };
        let keymap = start().keymap.in_window();
        let windowed = State::new(Start { keymap, ..start() });
        assert!(end_words(&windowed).contains("Open your own folder"), "{}", end_words(&windowed));
        assert!(end_words(&State::new(start())).contains("Run toolcrib in your own folder"));
    }

    #[test]
    fn what_was_unsaved_before_the_tour_does_no_step() {
        let mut state = State::new(Start { demo: true, ..Start::default() });
        let (old, new) = (FileId::new("old.json"), FileId::new("new.json"));
        for file in [&old, &new] {
            let source = Source::parse(Format::Json, "{}");
            let document = Document::from_disk(Format::Json, "{}".into(), source);
            state.documents.load_document(file.clone(), document);
        }
        let change = |file: &FileId, text: &str| {
            let changes = vec![Change::Text { file: file.clone(), text: text.into() }];
            Message::Document(DocumentMessage::Change { label: "edit".into(), changes })
        };
        send(&mut state, change(&old, "[]"));
        state.tour = at_step(&state, 5);
        send(&mut state, Message::Show(ScreenId::Tools));
        assert_eq!(step(&state), Some(5), "nothing was edited yet");
        send(&mut state, change(&new, "[1]"));
        assert_eq!(step(&state), Some(6));
        send(&mut state, Message::Document(DocumentMessage::Undo));
        assert_eq!(state.tour, Tour::Ended, "the older change may stay unsaved");
    }
}
