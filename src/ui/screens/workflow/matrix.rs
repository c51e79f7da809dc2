//! Tools by groups and by states as a table whose cells are switched: moving, ranges, filters,
//! orders.
//!
//! [`super::matrix_draw`] puts it on the screen, [`super::matrix_mouse`] takes the mouse.

use std::cmp::Reverse;

use ratatui::layout::Rect;

use super::{
    compose_menus as menus,
    facts::{Facts, Subject},
    group_menus,
};
use crate::{
    app::{
        compose::{
            cells::{self, Column, Switch},
            context::ComposeContext,
            plan::Plan,
        },
        input::{Code, Key},
        message::{DocumentMessage, Message},
        state::State,
        what_if::WhatIf,
        workflow::WorkflowMessage,
    },
    engine::{gate_edit::GateEdit, gated::ToolRow},
    model::{context::Name, entry::EntryId, tool::Tool},
    ui::{
        styles::Role,
        view::Reply,
        widgets::{difference, text_input::TextInput},
    },
};

/// What the columns are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Axis {
    #[default]
    Groups,
    States,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RowOrder {
    /// As the files have them.
    #[default]
    Files,
    Name,
    /// Those with a tick in the cursor's column first.
    Ticked,
    /// Those with the most ticks first.
    Most,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ColumnOrder {
    /// As the tools name them.
    #[default]
    Named,
    Name,
    Most,
}

/// Which of the two filters is being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typing {
    Rows,
    Columns,
}

/// More cells are not switched at once.
const MOST_CELLS: usize = 20_000;

#[derive(Default)]
pub(crate) struct Matrix {
    pub(super) axis: Axis,
    is_open: bool,
    pub(super) rows: Vec<EntryId>,
    pub(super) columns: Vec<Column>,
    /// All columns in the order that they keep until the matrix closes.
    order: Vec<Column>,
    /// Those of them that a switch made here has emptied.
    emptied: Vec<Column>,
    /// Cells have been switched since rows and columns were made.
    is_switched: bool,
    /// Row and column of the cursor, and where a range began.
    pub(super) cursor: (usize, usize),
    pub(super) anchor: Option<(usize, usize)>,
    /// The chosen cell that was pressed, and is switched unless the mouse goes on to another one.
    pub(super) pressed: Option<(usize, usize)>,
    pub(super) top: usize,
    pub(super) left: usize,
    pub(super) row_filter: TextInput,
    pub(super) column_filter: TextInput,
    pub(super) typing: Option<Typing>,
    pub(super) row_order: RowOrder,
    pub(super) column_order: ColumnOrder,
    /// Where cells, column heads and row heads were drawn, and how wide a column is.
    pub(super) cells: Rect,
    pub(super) heads: Rect,
    pub(super) names: Rect,
    pub(super) column_width: u16,
    made_of: Option<MatrixKey>,
    preview: Option<Preview>,
}

/// What rows and columns depend on.
#[derive(PartialEq)]
struct MatrixKey {
    subject: Subject,
    axis: Axis,
    row_filter: String,
    column_filter: String,
    row_order: RowOrder,
    column_order: ColumnOrder,
    /// The column that rows are sorted by.
    by: Option<Column>,
}

/// What switching the chosen cells changes, kept while nothing of it changes.
pub(super) struct Preview {
    of: (u64, Vec<(EntryId, Column)>, Option<WhatIf>),
    /// During a what-if: what is tried, and no file changed.
    tries: Vec<(EntryId, GateEdit)>,
    pub plan: Result<Plan, String>,
    pub lines: Vec<difference::Line>,
}

/// What switching cells adds to a what-if.
fn tried_cells(
    what_if: &WhatIf,
    of: (u64, Vec<(EntryId, Column)>, Option<WhatIf>),
    facts: &Facts,
    state: &State,
) -> Preview {
    let settings = ComposeContext::from_state(state).settings_value();
    let tool = |(id, column): &'_ (EntryId, Column)| {
        Some((what_if.tried_tool(state.catalog.tool(id)?), column.clone()))
    };
    let cells: Vec<(Tool, Column)> = of.1.iter().filter_map(tool).collect();
    let is_on = |(tool, column): &(Tool, Column)| cells::cell_tick(tool, column, settings).is_on();
    let to = if cells.iter().all(is_on) { Switch::Off } else { Switch::On };
    let tries = cells::try_cells(&cells, to, facts.workflow.states());
    let lines = tries.iter().flatten().map(|(id, edit)| {
        let key = state.catalog.tool(id).map_or("", |tool| &tool.entry.key);
        vec![(Role::Text, format!("{key}: {}", edit.description()))]
    });
    let lines = lines.collect();
    let plan = tries.as_ref().map(|_| Plan::new("tries it, and changes no file", Vec::new()));
    let plan = plan.map_err(Clone::clone);
    Preview { of, plan, lines, tries: tries.unwrap_or_default() }
}

impl Matrix {
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    pub fn toggle_open(&mut self) {
        self.is_open = !self.is_open;
        (self.typing, self.anchor) = (None, None);
        self.forget_order();
    }

    fn forget_order(&mut self) {
        self.order.clear();
        self.emptied.clear();
    }

    /// Takes in which columns there are: one that is new comes last.
    fn keep_order(&mut self, all: Vec<Column>) {
        if std::mem::take(&mut self.is_switched) {
            let is_gone = |column: &&Column| !all.contains(column);
            self.emptied = self.order.iter().filter(is_gone).cloned().collect();
        }
        self.order.retain(|column| all.contains(column) || self.emptied.contains(column));
        for column in all {
            if !self.order.contains(&column) {
                self.order.push(column);
            }
        }
    }

    /// Opens with the cursor in the column of a group.
    pub fn open_at(&mut self, group: &Name, facts: &Facts, state: &State) {
        (self.is_open, self.axis) = (true, Axis::Groups);
        self.sync_facts(facts, state);
        if let Some(column) = self.columns.iter().position(|column| column.name() == &**group) {
            self.cursor.1 = column;
        }
    }

    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.is_open && self.typing.is_some()
    }

    /// Takes in what changed; the cursor stays with its tool and column, and goes to a column that
    /// is new.
    pub fn sync_facts(&mut self, facts: &Facts, state: &State) {
        let made_of = MatrixKey {
            subject: facts.subject(),
            axis: self.axis,
            row_filter: self.row_filter.text().to_lowercase(),
            column_filter: self.column_filter.text().to_lowercase(),
            row_order: self.row_order,
            column_order: self.column_order,
            by: (self.row_order == RowOrder::Ticked)
                .then(|| self.columns.get(self.cursor.1).cloned())
                .flatten(),
        };
        if self.made_of.as_ref() == Some(&made_of) {
            return;
        }
        let same_axis = self.made_of.as_ref().is_some_and(|before| before.axis == self.axis);
        let before =
            (self.rows.get(self.cursor.0).cloned(), self.columns.get(self.cursor.1).cloned());
        self.keep_order(all_columns(self.axis, facts));
        let known = std::mem::replace(&mut self.columns, self.order.clone());
        let settings = ComposeContext::from_state(state).settings_value();
        let tools = &state.catalog.tools;
        let is_on =
            |row: ToolRow, column: &Column| cells::cell_tick(&tools[row], column, settings).is_on();
        self.columns.retain(|column| column.name().to_lowercase().contains(&made_of.column_filter));
        let count = |column: &Column| (0..tools.len()).filter(|row| is_on(*row, column)).count();
        match self.column_order {
            ColumnOrder::Named => {}
            ColumnOrder::Name => self.columns.sort_by(|one, other| one.name().cmp(other.name())),
            ColumnOrder::Most => self.columns.sort_by_cached_key(|column| Reverse(count(column))),
        }
        let fits = |row: &ToolRow| {
            let tool = &tools[*row];
            made_of.row_filter.is_empty()
                || tool.entry.key.to_lowercase().contains(&made_of.row_filter)
                || tool.name.to_lowercase().contains(&made_of.row_filter)
        };
        let mut rows: Vec<ToolRow> = (0..tools.len()).filter(fits).collect();
        match (self.row_order, &made_of.by) {
            (RowOrder::Name, _) => {
                rows.sort_by(|one, other| tools[*one].entry.key.cmp(&tools[*other].entry.key));
            }
            (RowOrder::Most, _) => {
                rows.sort_by_cached_key(|row| {
                    Reverse(self.columns.iter().filter(|column| is_on(*row, column)).count())
                });
            }
            (RowOrder::Ticked, Some(by)) => rows.sort_by_key(|row| !is_on(*row, by)),
            _ => {}
        }
        self.rows = rows.into_iter().map(|row| tools[row].id().clone()).collect();
        let fresh = self
            .columns
            .iter()
            .position(|column| same_axis && !known.is_empty() && !known.contains(column));
        let fresh = fresh.filter(|_| {
            self.made_of
                .as_ref()
                .is_some_and(|before| before.column_filter == made_of.column_filter)
        });
        let kept = before.1.and_then(|kept| self.columns.iter().position(|column| *column == kept));
        let row = before
            .0
            .and_then(|kept| self.rows.iter().position(|row| *row == kept))
            .unwrap_or(self.cursor.0);
        self.cursor = (row, fresh.or(kept).unwrap_or(self.cursor.1));
        if fresh.is_some()
            || self.made_of.as_ref().is_some_and(|before| before.subject == made_of.subject)
        {
            self.anchor = None;
        }
        self.made_of = Some(made_of);
        self.clamp_cursor();
    }

    pub(super) fn clamp_cursor(&mut self) {
        let hold = |(row, column): (usize, usize)| {
            (
                row.min(self.rows.len().saturating_sub(1)),
                column.min(self.columns.len().saturating_sub(1)),
            )
        };
        (self.cursor, self.anchor) = (hold(self.cursor), self.anchor.map(hold));
    }

    /// The rows and columns of the range; of the cursor's cell where there is none.
    pub(super) fn selected_ranges(
        &self,
    ) -> (std::ops::RangeInclusive<usize>, std::ops::RangeInclusive<usize>) {
        let anchor = self.anchor.unwrap_or(self.cursor);
        let between = |one: usize, other: usize| one.min(other)..=one.max(other);
        (between(anchor.0, self.cursor.0), between(anchor.1, self.cursor.1))
    }

    /// The tools of the chosen rows.
    pub fn chosen_tools(&self, state: &State) -> Vec<EntryId> {
        let rows = self.rows.get(self.selected_ranges().0).unwrap_or_default();
        rows.iter().filter(|id| state.catalog.tool(id).is_some()).cloned().collect()
    }

    pub fn current_column(&self) -> Option<&Column> {
        self.columns.get(self.cursor.1)
    }

    fn chosen_cells(&self, state: &State) -> Vec<(EntryId, Column)> {
        let columns = self.columns.get(self.selected_ranges().1).unwrap_or_default();
        let tools = self.chosen_tools(state).into_iter();
        tools
            .flat_map(|id| columns.iter().map(move |column| (id.clone(), column.clone())))
            .collect()
    }

    /// What switching the chosen cells does: all on, or where they are all on, all off.
    pub(super) fn work_out(&mut self, facts: &Facts, state: &State) -> Option<&Preview> {
        let (rows, columns) = self.selected_ranges();
        if rows.count().saturating_mul(columns.count()) > MOST_CELLS
            || self.rows.is_empty()
            || self.columns.is_empty()
        {
            self.preview = None;
            return None;
        }
        let of = (state.generation, self.chosen_cells(state), state.workflow.what_if.clone());
        let kept = self.preview.take().filter(|preview| preview.of == of);
        Some(self.preview.insert(kept.unwrap_or_else(|| {
            if let Some(what_if) = &state.workflow.what_if {
                return tried_cells(what_if, of.clone(), facts, state);
            }
            let context = ComposeContext::from_state(state);
            let settings = context.settings_value();
            let is_on = |(id, column): &(EntryId, Column)| {
                state
                    .catalog
                    .tool(id)
                    .is_some_and(|tool| cells::cell_tick(tool, column, settings).is_on())
            };
            let to = if of.1.iter().all(is_on) { Switch::Off } else { Switch::On };
            let plan = cells::switch_cells(context, &of.1, to, facts.workflow.states());
            let mut lines = Vec::new();
            let files = plan.as_ref().map_err(Clone::clone).and_then(|plan| {
                plan.file_plans(&state.documents).map_err(|error| error.to_string())
            });
            for file in files.iter().flatten() {
                let name = (Role::Accent, format!("{} ", file.file));
                let texts = (
                    file.before.as_deref().unwrap_or_default(),
                    file.after.as_deref().unwrap_or_default(),
                );
                lines.extend(difference::changed_lines(texts.0, texts.1).into_iter().map(
                    |mut line| {
                        line.insert(0, name.clone());
                        line
                    },
                ));
            }
            let plan = files.and(plan);
            Preview { of, plan, lines, tries: Vec::new() }
        })))
    }

    /// Space: switches the chosen cells.
    pub fn switch_cells(&mut self, facts: &Facts, state: &State) -> Reply {
        if self.rows.is_empty() || self.columns.is_empty() {
            return Reply::Refused(
                "there is no cell: n adds a column; n on Tools (1) adds a tool".into(),
            );
        }
        match self.work_out(facts, state) {
            Some(Preview { tries, plan: Ok(_), .. }) if !tries.is_empty() => {
                let tries = WorkflowMessage::TryEdits(tries.clone());
                self.is_switched = true;
                Reply::send(Message::Workflow(tries))
            }
            Some(Preview { plan: Ok(plan), .. }) => {
                let plan = plan.clone();
                self.is_switched = true;
                Reply::send(Message::Document(DocumentMessage::Compose(plan)))
            }
            Some(Preview { plan: Err(why), .. }) => Reply::Refused(why.clone()),
            None => Reply::Refused(format!(
                "too many cells: at most {MOST_CELLS} can be toggled at once"
            )),
        }
    }

    pub fn turn_axis(&mut self, facts: &Facts, state: &State) -> Reply {
        if self.axis == Axis::States {
            (self.axis, self.cursor.1, self.left) = (Axis::Groups, 0, 0);
            return self.close();
        }
        self.axis = Axis::States;
        self.forget_order();
        (self.cursor.1, self.left, self.anchor) = (0, 0, None);
        self.column_filter.clear();
        self.sync_facts(facts, state);
        Reply::Handled
    }

    pub fn sort_rows(&mut self, facts: &Facts, state: &State) -> Reply {
        self.row_order = match self.row_order {
            RowOrder::Files => RowOrder::Name,
            RowOrder::Name => RowOrder::Ticked,
            RowOrder::Ticked => RowOrder::Most,
            RowOrder::Most => RowOrder::Files,
        };
        self.sync_facts(facts, state);
        Reply::Handled
    }

    pub fn sort_columns(&mut self, facts: &Facts, state: &State) -> Reply {
        self.column_order = match self.column_order {
            ColumnOrder::Named => ColumnOrder::Name,
            ColumnOrder::Name => ColumnOrder::Most,
            ColumnOrder::Most => ColumnOrder::Named,
        };
        self.sync_facts(facts, state);
        Reply::Handled
    }

    pub fn find_in(&mut self, which: Typing) -> Reply {
        self.typing = Some(which);
        Reply::Handled
    }

    pub fn close(&mut self) -> Reply {
        self.toggle_open();
        Reply::Handled
    }

    pub fn new_column(&self, state: &State) -> Reply {
        match self.axis {
            Axis::States => menus::new_state(),
            Axis::Groups => group_menus::new_group(self.chosen_tools(state), state),
        }
    }

    pub fn rename_column(&self) -> Reply {
        self.of_column(menus::rename_state, group_menus::rename_group)
    }

    pub fn delete_column(&self) -> Reply {
        self.of_column(menus::delete_state, group_menus::delete_group)
    }

    fn of_column(&self, state: fn(&Name) -> Reply, group: fn(&Name) -> Reply) -> Reply {
        match self.current_column() {
            Some(Column::State(name)) => state(name),
            Some(Column::Group(name) | Column::List(name)) => group(name),
            Some(Column::AnyState) | None => {
                Reply::Refused("choose the column of a group or a state".into())
            }
        }
    }

    pub fn row_menu(&self, facts: &Facts, state: &State) -> Reply {
        match self.chosen_tools(state).as_slice() {
            [] => Reply::Refused("there is no tool".into()),
            ids => menus::of_tools(ids, facts, state),
        }
    }

    pub fn handle_key(&mut self, key: Key, facts: &Facts, state: &State) -> Reply {
        if self.typing.is_some() {
            return self.filter_key(key, facts, state);
        }
        if key.mods.ctrl || key.mods.alt {
            return Reply::Ignored;
        }
        let (page, side) =
            (usize::from(self.cells.height.max(2)) - 1, self.columns_seen().max(2) - 1);
        let (row, column) = self.cursor;
        let to = match key.code {
            Code::Up | Code::Char('k' | 'K') => (row.saturating_sub(1), column),
            Code::Down | Code::Char('j' | 'J') => (row + 1, column),
            Code::Left | Code::Char('h' | 'H') => (row, column.saturating_sub(1)),
            Code::Right | Code::Char('l' | 'L') => (row, column + 1),
            Code::PageUp => (row.saturating_sub(page), column),
            Code::PageDown => (row + page, column),
            Code::Home if column == 0 => (0, 0),
            Code::Home => (row, column.saturating_sub(side.max(self.columns.len()))),
            Code::End if column + 1 >= self.columns.len() => (self.rows.len(), column),
            Code::End => (row, self.columns.len()),
            Code::Esc => {
                self.handle_escape(facts, state);
                return Reply::Handled;
            }
            _ => return Reply::Ignored,
        };
        let extends = key.mods.shift || matches!(key.code, Code::Char('H' | 'J' | 'K' | 'L'));
        self.anchor = if extends { self.anchor.or(Some(self.cursor)) } else { None };
        self.cursor = to;
        self.clamp_cursor();
        Reply::Handled
    }

    /// The first row, or the last, in this column.
    pub fn go_to_row(&mut self, row: usize) -> Reply {
        (self.anchor, self.cursor.0) = (None, row);
        self.clamp_cursor();
        Reply::Handled
    }

    /// Esc: drops the range, then the filters, then leaves the table.
    pub fn handle_escape(&mut self, facts: &Facts, state: &State) -> Reply {
        if self.anchor.take().is_some() {
            return Reply::Handled;
        }
        if !self.row_filter.text().is_empty() || !self.column_filter.text().is_empty() {
            self.row_filter.clear();
            self.column_filter.clear();
            self.sync_facts(facts, state);
            return Reply::Handled;
        }
        self.close()
    }

    fn filter_key(&mut self, key: Key, facts: &Facts, state: &State) -> Reply {
        let Some(which) = self.typing else { return Reply::Ignored };
        let field = match which {
            Typing::Rows => &mut self.row_filter,
            Typing::Columns => &mut self.column_filter,
        };
        match key.code {
            Code::Enter => self.typing = None,
            Code::Esc => {
                field.clear();
                self.typing = None;
            }
            Code::Tab => {
                self.typing =
                    Some(if which == Typing::Rows { Typing::Columns } else { Typing::Rows });
            }
            _ if field.handle_key(key) => {}
            _ => return Reply::Ignored,
        }
        self.sync_facts(facts, state);
        Reply::Handled
    }

    pub fn handle_paste(&mut self, text: &str, facts: &Facts, state: &State) {
        match self.typing {
            Some(Typing::Rows) => self.row_filter.insert(text),
            Some(Typing::Columns) => self.column_filter.insert(text),
            None => {}
        }
        self.sync_facts(facts, state);
    }

    pub(super) fn columns_seen(&self) -> usize {
        usize::from(self.cells.width / self.column_width.max(1)).max(1)
    }
}

fn all_columns(axis: Axis, facts: &Facts) -> Vec<Column> {
    match axis {
        Axis::Groups => facts.group_columns(),
        Axis::States => {
            let states = facts.workflow.states().iter().cloned().map(Column::State);
            std::iter::once(Column::AnyState).chain(states).collect()
        }
    }
}
