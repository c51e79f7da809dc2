//! What can be done in the matrix, which lies in place of the picture.

use super::{
    compose_menus as menus,
    facts::Facts,
    matrix::{Matrix, Typing},
    refusals::{live_refusal, no_tool_yet, none_to_copy, save_all},
    screen::WorkflowScreen,
    tries,
};
use crate::{
    app::{
        actions::{ActionId, Scope},
        message::Message,
        state::State,
        verbs,
        workflow::WorkflowMessage,
    },
    ui::{action_rows, pasted, view::Reply, widgets::panes::Step},
};

type Row = action_rows::Row<WorkflowScreen>;

pub(crate) const MATRIX: &[Row] = &[
    Row::new(Scope::Matrix, "switch-cells", "switch", |screen, state| {
        screen.in_matrix(|matrix, facts| matrix.switch_cells(facts, state))
    })
    .keys(&[verbs::TICK])
    .help("Toggle the selected cells together; Shift+arrows or dragging selects several")
    .refused(|_, state| no_tool_yet(state)),
    Row::new(Scope::Matrix, "matrix-axis", "groups/states", |screen, state| {
        screen.in_matrix(|matrix, facts| matrix.turn_axis(facts, state))
    })
    .keys(&[verbs::VIEW])
    .help("Show groups as columns, then states, then the picture again"),
    Row::new(Scope::Matrix, "row-menu", "tool…", |screen, state| {
        screen.in_matrix(|matrix, facts| matrix.row_menu(facts, state))
    })
    .keys(&[verbs::ACTIVATE])
    .help(
        "Choose what to do with the tools of the selected rows: set the next state, available \
        everywhere, edit, copy",
    )
    .refused(|_, state| no_tool_yet(state)),
    Row::new(Scope::Matrix, "sort-rows", "sort rows", |screen, state| {
        screen.in_matrix(|matrix, facts| matrix.sort_rows(facts, state))
    })
    .help(
        "Sort rows: as in the files, by name, ticked in this column first, or most ticks first \
        (also: click a column head)",
    ),
    Row::new(Scope::Matrix, "sort-columns", "sort columns", |screen, state| {
        screen.in_matrix(|matrix, facts| matrix.sort_columns(facts, state))
    })
    .help("Sort columns: as in the files, by name, or most ticks first"),
    Row::new(Scope::Matrix, "find-columns", "find columns", |screen, _| {
        screen.matrix.find_in(Typing::Columns)
    })
    .help("Filter columns by name; / filters tools"),
    Row::new(Scope::Matrix, "new-column", "new column", |screen, state| {
        screen.matrix.new_column(state)
    })
    .keys(&[verbs::NEW])
    .help("Add a group with the tools of the selected rows, or add a state"),
    Row::new(Scope::Matrix, "rename-column", "rename column", |screen, _| {
        screen.matrix.rename_column()
    })
    .keys(&[verbs::RENAME])
    .help("Rename the group or state in every file that uses it"),
    Row::new(Scope::Matrix, "delete-column", "delete column", |screen, _| {
        screen.matrix.delete_column()
    })
    .keys(&[verbs::DELETE])
    .help("Delete the group or state from every tool")
    .risky(),
    Row::taking_over("first", |screen, _| screen.matrix.go_to_row(0)),
    Row::taking_over("last", |screen, _| screen.matrix.go_to_row(usize::MAX)),
    Row::taking_over("find", |screen, _| screen.matrix.find_in(Typing::Rows)),
    Row::taking_over("matrix", |screen, _| screen.matrix.close()),
    Row::taking_over("take-back", |screen, state| {
        screen.in_matrix(|matrix, facts| matrix.handle_escape(facts, state))
    }),
    Row::taking_over("what-if", |_, state| tries::toggle_what_if(state))
        .refused(|_, state| live_refusal(state)),
    Row::taking_over("accept-what-if", |_, _| {
        Reply::send(Message::Workflow(WorkflowMessage::AcceptWhatIf))
    })
    .refused(|_, state| tries::none_refusal(state)),
    Row::taking_over("groups", WorkflowScreen::open_groups),
    Row::taking_over("copy-tools", |screen, state| {
        menus::copy_descriptors(screen.matrix.chosen_tools(state))
    })
    .refused(|_, state| none_to_copy(state)),
    Row::taking_over("copy-run", |screen, state| {
        menus::copy_descriptors(screen.matrix.chosen_tools(state))
    })
    .refused(|_, state| none_to_copy(state)),
    Row::taking_over("paste-tools", |_, _| pasted::await_paste()),
    Row::taking_over("save", |_, _| save_all()),
    Row::taking_over("next-pane", |screen, _| screen.step_pane(Step::Next)),
    Row::taking_over("previous-pane", |screen, _| screen.step_pane(Step::Previous)),
];

/// The actions worth naming beside the matrix.
pub(super) fn matrix_hints(state: &State) -> Vec<ActionId> {
    let first: &[ActionId] = match state.workflow.what_if {
        Some(_) => &["switch-cells", "what-if", "undo", "matrix-axis"],
        None if state.documents.can_undo() => {
            &["switch-cells", "undo", "matrix-axis", "new-column", "row-menu"]
        }
        None => &["switch-cells", "matrix-axis", "new-column", "row-menu"],
    };
    let rest = ["find", "find-columns", "sort-rows", "sort-columns", "matrix", "what-if"];
    let rest = rest.into_iter().filter(|action| !first.contains(action));
    first.iter().copied().chain(rest).collect()
}

impl WorkflowScreen {
    fn in_matrix(&mut self, act: impl FnOnce(&mut Matrix, &Facts) -> Reply) -> Reply {
        self.with_facts(|screen, facts| act(&mut screen.matrix, facts))
    }
}
