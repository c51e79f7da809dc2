//! What is done with the steps of a request: run one, some or all, stop before one, go on.

use super::{refusals::send_refusal, request::RequestPane, tools::tool_of};
use crate::{
    app::{
        actions::{ActionId, Scope},
        calls::CallMessage,
        message::Message,
        state::State,
        verbs,
    },
    systems::facets::steps::StepChoice,
    ui::{
        action_rows,
        overlays::{
            menu::{Item, Menu},
            page::PageOverlay,
        },
        styles::Role,
        view::{OverlayReply, Reply},
    },
};

type Row = action_rows::Row<RequestPane>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Steps, "run-step", "run step", |pane, state| {
        run_chosen(pane, state, |only| StepChoice { only: Some(only), ..StepChoice::default() })
    })
    .keys(&[verbs::TEST])
    .help(
        "Run the selected step alone, with the outputs that earlier steps stored in the newest \
        calls",
    )
    .refused(steps_refusal),
    Row::new(Scope::Steps, "run-to-step", "run to here", |pane, state| {
        run_chosen(pane, state, |until| StepChoice { until: Some(until), ..StepChoice::default() })
    })
    .help("Run from the first step to the selected one")
    .refused(steps_refusal),
    Row::new(Scope::Steps, "run-from-step", "run from here", run_from_chosen)
        .help(
            "Run the selected step and those after it, with the stored outputs of earlier steps: \
            retries a failed step",
        )
        .refused(steps_refusal),
    Row::new(Scope::Invoke, "continue-steps", "go on", continue_steps)
        .keys(&[verbs::PAUSE])
        .help("Continue with the step that failed, or at which the newest run stopped")
        .refused(|pane, state| {
            steps_refusal(pane, state).or_else(|| {
                let has_none = pane.steps.run().stopped_at().is_none();
                action_rows::refuse_when(has_none, "no run of these steps has stopped")
            })
        }),
    Row::new(Scope::Steps, "break-step", "stop before", |pane, state| {
        let step = pane.steps.chosen_step().map(|(_, step)| step.name.clone());
        match (tool_of(state), step) {
            (Some(tool), Some(step)) => {
                Reply::send(Message::Call(CallMessage::TurnBreakpoint { tool, step }))
            }
            _ => Reply::Handled,
        }
    })
    .keys(&[verbs::TICK])
    .help("Set or remove a breakpoint: runs stop before the selected step")
    .refused(has_no_steps),
    Row::new(Scope::Steps, "edit-inputs", "edit inputs", |pane, state| {
        pane.open_inputs(state);
        Reply::Handled
    })
    .keys(&[verbs::EDIT_FIELD])
    .help("Override the selected step's inputs for the next calls")
    .refused(has_no_steps),
    Row::new(Scope::Steps, "read-step", "read all", |pane, _| {
        Reply::Open(Box::new(PageOverlay::new("Step".to_owned(), pane.steps.chosen_lines())))
    })
    .help("Show all of the selected step: its inputs, request, answer and stored output")
    .refused(has_no_steps),
    Row::new(Scope::Steps, "dry-run", "dry run", |pane, _| show_dry_run(pane))
        .help("Show what each step would send, without sending anything")
        .refused(has_no_steps),
];

/// Those that are named in the bottom line.
pub(super) const HINTS: [ActionId; 6] =
    ["run-step", "run-to-step", "run-from-step", "break-step", "edit-inputs", "continue-steps"];

fn has_no_steps(pane: &RequestPane, _: &State) -> Option<String> {
    let has_none = !pane.steps.is_open();
    action_rows::refuse_when(has_none, "this tool has no steps that toolcrib runs")
}

fn steps_refusal(pane: &RequestPane, state: &State) -> Option<String> {
    has_no_steps(pane, state).or_else(|| send_refusal(state))
}

/// What can be done with the chosen step.
pub(super) fn step_menu(state: &State) -> Reply {
    let item = |row: &Row| Item {
        title: row.action.title.to_owned(),
        detail: row.action.help.to_owned(),
        note: state.keymap.display_key(row.action.id),
        ..Item::default()
    };
    let items = ACTIONS.iter().map(item).collect();
    Reply::Open(Box::new(Menu::new("Step", items, |row| match ACTIONS.get(row) {
        Some(row) => OverlayReply::Act(row.action.id),
        None => OverlayReply::Close,
    })))
}

fn run_chosen(
    pane: &mut RequestPane,
    state: &State,
    choice: impl FnOnce(String) -> StepChoice,
) -> Reply {
    let Some((row, _)) = pane.steps.chosen_step() else { return Reply::Handled };
    send_choice(pane, state, choice((row + 1).to_string()))
}

fn run_from_chosen(pane: &mut RequestPane, state: &State) -> Reply {
    match pane.steps.chosen_step() {
        Some((row, _)) => run_from(pane, state, row),
        None => Reply::Handled,
    }
}

fn continue_steps(pane: &mut RequestPane, state: &State) -> Reply {
    match pane.steps.run().stopped_at() {
        Some(row) => {
            pane.steps.choose_step(row);
            run_from(pane, state, row)
        }
        None => Reply::Handled,
    }
}

/// Runs from a step, from 0, to the end or the next breakpoint.
fn run_from(pane: &mut RequestPane, state: &State, row: usize) -> Reply {
    let until = pane.steps.run().last_before_break(row).map(|row| (row + 1).to_string());
    let from = Some((row + 1).to_string());
    send_choice(pane, state, StepChoice { from, until, ..StepChoice::default() })
}

fn send_choice(pane: &mut RequestPane, state: &State, choice: StepChoice) -> Reply {
    pane.send_chosen(state, |tool| CallMessage::SendSteps { tool, choice: Box::new(choice) })
}

/// What each step would send, on a page.
fn show_dry_run(pane: &RequestPane) -> Reply {
    let head = vec![(Role::Dim, "Nothing was sent.".to_owned())];
    let lines = std::iter::once(head).chain(pane.steps.dry_run_lines()).collect();
    Reply::Open(Box::new(PageOverlay::new("Dry run".to_owned(), lines)))
}
