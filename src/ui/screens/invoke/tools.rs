//! The left pane: the tools, those that the context admits first, and the calls of this session.

use std::{collections::HashSet, sync::Arc};

use super::{
    call_line::{CallLine, call_duration},
    deployed::{DEPLOYED, draw_deployed, empty_words, unlisted_names, unsaved_tools},
};

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
};

use crate::{
    app::{
        calls::CallMessage,
        input::{Code, Input, Key, Mouse, MouseKind},
        message::Message,
        state::State,
    },
    engine::{filter, trace::argument_words::argument_words},
    model::{call::CallId, entry::EntryId, tool::Tool},
    systems::table,
    ui::{
        answer::events::result_sign,
        canvas::{Pen, mark_chosen, text_width, truncate_key, wrap},
        find_index::{FindIndex, Findable},
        styles::{Role, Styles},
        view::{Look, Reply},
        widgets::{
            find_line::{FindKey, FindLine},
            list::ListCursor,
            pane::Pane,
        },
    },
};

/// Which of the two lists has the keys, or the line between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    #[default]
    Tools,
    /// The line that leads to the tools of other servers.
    Unlisted,
    Calls,
}

/// What became of the list of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    AsBefore,
    /// There were none, and a running system listed some: now one of them is to be chosen.
    First,
}

/// Where a tool is, and whether the context admits it; in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ToolStanding {
    Available,
    Hidden,
    /// Listed of a running system.
    Deployed,
}

impl ToolStanding {
    fn sign(self) -> (&'static str, Role) {
        match self {
            Self::Available => ("● ", Role::Available),
            Self::Hidden => ("○ ", Role::Hidden),
            Self::Deployed => (DEPLOYED, Role::Info),
        }
    }
}

/// What a tool has beside its name whose calls are answered here.
const MOCKED: &str = "mocked";

/// What a tool has there that says it may delete or overwrite something.
const DESTRUCTIVE: &str = "!";

/// A tool as the list shows it.
struct ToolRow {
    id: EntryId,
    name: Arc<str>,
    /// Its key alone, for where both have no room.
    key: Arc<str>,
    standing: ToolStanding,
    /// The tool, where no file has it: to find one in the lists of systems takes all tools.
    listed: Option<Arc<Tool>>,
}

impl ToolRow {
    fn tool<'r>(&'r self, state: &'r State) -> Option<&'r Tool> {
        self.listed.as_deref().or_else(|| state.catalog.tool(&self.id))
    }
}

/// Tools and calls.
#[derive(Default)]
pub(super) struct Tools {
    pub part: Part,
    rows: Vec<ToolRow>,
    /// The servers whose tools are neither listed nor saved.
    unlisted: Vec<String>,
    made_from: Option<(u64, crate::model::context::Context)>,
    shown: Vec<usize>,
    cursor: ListCursor,
    calls: ListCursor,
    find: FindLine,
    /// The rows as they are searched, while they are.
    index: Option<FindIndex>,
    /// The tool that was shown when the state was last looked at.
    chosen: Option<EntryId>,
    /// The tool that was shown when what is looked for began to be typed.
    before: Option<EntryId>,
    tools_area: Rect,
    calls_area: Rect,
}

impl Tools {
    pub(super) fn sync_state(&mut self, state: &State) -> Listed {
        let mut listed = Listed::AsBefore;
        let from = (state.generation, state.context());
        if self.made_from.as_ref() != Some(&from) {
            let split = filter::split_tools(&state.catalog.tools, &from.1);
            let available: HashSet<_> = split.available.iter().copied().collect();
            let row = |tool: &Arc<Tool>, standing: ToolStanding| ToolRow {
                id: tool.id().clone(),
                name: tool.label().into(),
                key: tool.entry.key.as_str().into(),
                standing,
                listed: (standing == ToolStanding::Deployed).then(|| Arc::clone(tool)),
            };
            let standing = |at| {
                if available.contains(&at) { ToolStanding::Available } else { ToolStanding::Hidden }
            };
            let own =
                state.catalog.tools.iter().enumerate().map(|(at, tool)| row(tool, standing(at)));
            let deployed = unsaved_tools(state).into_iter();
            let before = self.rows.len();
            self.rows = own.chain(deployed.map(|tool| row(tool, ToolStanding::Deployed))).collect();
            self.rows.sort_by_key(|row| row.standing);
            let unlisted = state.network.unlisted_servers(&state.catalog);
            self.unlisted = unlisted.map(str::to_owned).collect();
            let had_none = self.made_from.replace(from).is_some() && before == 0;
            if had_none && state.catalog.tools.is_empty() && !self.rows.is_empty() {
                self.part = Part::Tools;
                listed = Listed::First;
            }
            self.index = None;
            self.narrow(state);
        }
        self.follow_chosen(state);
        if let Some(row) = state
            .invoke
            .calls
            .iter()
            .rev()
            .position(|call| Some(call.id) == state.invoke.calls.selected)
        {
            self.calls.row = row;
        }
        let is_gone = match self.part {
            Part::Tools => false,
            Part::Unlisted => !self.leads_to_others(state),
            Part::Calls => state.invoke.calls.iter().len() == 0,
        };
        if is_gone {
            self.part = Part::Tools;
        }
        listed
    }

    /// Whether a line below the tools leads to those of other servers.
    fn leads_to_others(&self, state: &State) -> bool {
        !unlisted_names(&self.unlisted, state).is_empty()
    }

    /// Puts the cursor on the tool that is shown.
    fn follow_chosen(&mut self, state: &State) {
        let chosen = tool_of(state);
        let is_chosen = |tools: &Self, row: &usize| Some(&tools.rows[*row].id) == chosen.as_ref();
        let mut row = self.shown.iter().position(|row| is_chosen(self, row));
        if row.is_none() && self.chosen != chosen && self.find.is_narrowed() {
            // Chosen elsewhere: it is to be seen here.
            self.find.clear();
            self.narrow(state);
            row = self.shown.iter().position(|row| is_chosen(self, row));
        }
        self.cursor.row = row.unwrap_or(self.cursor.row);
        self.chosen = chosen;
    }

    /// Lists what is looked for.
    fn narrow(&mut self, state: &State) {
        if !self.find.is_open() {
            self.index = None;
            self.shown = (0..self.rows.len()).collect();
            return;
        }
        let rows = &self.rows;
        let index = self
            .index
            .get_or_insert_with(|| rows.iter().map(|row| findable_row(row, state)).collect());
        self.shown = index.find(self.find.needle());
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        state: &State,
        focused: bool,
    ) {
        let styles = look.styles;
        let calls = state.invoke.calls.iter().len();
        let series = state.invoke.batch.as_ref();
        let cells = usize::from(area.width.saturating_sub(2)).max(1);
        let summary = series.filter(|many| many.series.ended_count() > 0);
        let summary = summary.map_or_else(Vec::new, |many| wrap(&many.series.summary(), cells));
        let rows = u16::try_from(calls.max(4) + summary.len()).unwrap_or(u16::MAX);
        let most = if summary.is_empty() { area.height / 3 } else { area.height / 2 };
        let lower = rows.saturating_add(2).min(most).max(3);
        let [upper, lower] =
            Layout::vertical([Constraint::Fill(1), Constraint::Length(lower)]).areas(area);
        let note = match self.find.is_open() {
            true => format!("{} of {}", self.shown.len(), self.rows.len()),
            false => format!("{} find", look.keymap.way_to("find")),
        };
        let title = format!("Tools {}", self.rows.len());
        let tools_focus = focused && self.part == Part::Tools;
        let pane = Pane { title: &title, note: &note, focused: tools_focus, ..Pane::default() };
        let inside = pane.draw(buffer, upper, styles);
        if !self.find.is_open() {
            look.mouse.presses(pane.note_area(upper), "find");
        }
        let mut inside = self.find.draw(buffer, inside, styles, tools_focus);
        let at_unlisted = (self.part == Part::Unlisted).then_some(focused);
        let unlisted = unlisted_names(&self.unlisted, state);
        inside.height -= draw_deployed(buffer, inside, look, (&unlisted, at_unlisted), state);
        self.tools_area = inside;
        self.draw_tools(buffer, inside, styles, state, tools_focus);
        self.cursor.draw_position(self.shown.len(), buffer, upper, styles);

        let title = match series.filter(|many| many.under_way()) {
            Some(many) => format!("Series {} of {}", many.series.ended_count(), many.times),
            None => format!("This session {calls}"),
        };
        let calls_focus = focused && self.part == Part::Calls;
        self.calls_area = Pane { title: &title, focused: calls_focus, ..Pane::default() }
            .draw(buffer, lower, styles);
        // How a series went stays below its calls.
        let below = u16::try_from(summary.len()).unwrap_or(0).min(self.calls_area.height / 2);
        self.calls_area.height -= below;
        let place = Rect { y: self.calls_area.bottom(), height: below, ..self.calls_area };
        for (row, line) in (0..below).zip(&summary) {
            Pen::new(buffer, place, row).put_text(line, styles[Role::Info]);
        }
        self.draw_calls(buffer, self.calls_area, styles, state, calls_focus);
        self.calls.draw_position(calls, buffer, lower, styles);
    }

    fn draw_tools(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        state: &State,
        focused: bool,
    ) {
        if self.shown.is_empty() {
            let words = match self.rows.is_empty() {
                true => empty_words(state, &self.unlisted),
                false => "no tool matches".to_owned(),
            };
            for (row, line) in (0..area.height).zip(wrap(&words, usize::from(area.width).max(1))) {
                Pen::new(buffer, area, row).put_text(&line, styles[Role::Ghost]);
            }
        }
        let chosen = tool_of(state);
        for (line, at) in (0_u16..).zip(self.cursor.visible_rows(self.shown.len(), area.height)) {
            let row = &self.rows[self.shown[at]];
            let here = Some(&row.id) == chosen.as_ref();
            let (sign, role) = row.standing.sign();
            let name = if row.standing == ToolStanding::Hidden { Role::Dim } else { Role::Text };
            let mut pen = Pen::new(buffer, area, line);
            pen.put_text(if here { "▌" } else { " " }, styles[Role::Accent])
                .put_text(sign, styles[role]);
            let is_mocked = state.invoke.mocks.contains(&row.id);
            let effects = row.tool(state).filter(|_| !is_mocked).map(table::tool_effects);
            let is_destructive = effects.is_some_and(|effects| effects.is_destructive());
            let beside = if is_destructive { DESTRUCTIVE.len() + 1 } else { 0 };
            let room = pen.remaining_cells().saturating_sub(beside);
            let words = if text_width(&row.name) > room { &row.key } else { &row.name };
            pen.put_text(&truncate_key(words, room), styles[name]);
            if is_mocked && text_width(&row.name) + MOCKED.len() < room {
                pen.put_right(MOCKED, styles[Role::Dim]);
            } else if is_destructive {
                pen.put_right(DESTRUCTIVE, styles[Role::Warning]);
            }
            if here {
                mark_chosen(buffer, area, line, styles, focused);
            }
        }
    }

    fn draw_calls(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        state: &State,
        focused: bool,
    ) {
        let count = state.invoke.calls.iter().len();
        if count == 0 {
            Pen::new(buffer, area, 0).put_text("no call yet", styles[Role::Ghost]);
        }
        let window = self.calls.visible_rows(count, area.height);
        // Servers may have tools of one name.
        let has_several = state.deployed_lists().nth(1).is_some();
        // Where all are calls of one tool, its name says nothing.
        let mut all = state.invoke.calls.iter().map(|call| &call.request.tool);
        let first = all.next();
        let is_one_tool = all.all(|tool| Some(tool) == first);
        let newest_first = state.invoke.calls.iter().rev().skip(window.start).take(window.len());
        for (line, call) in (0_u16..).zip(newest_first) {
            let here = Some(call.id) == state.invoke.calls.selected;
            let (sign, word, role) = result_sign(call);
            let took = call_duration(call).unwrap_or_else(|| word.to_owned());
            let mut pen = Pen::new(buffer, area, line);
            pen.put_text(if here { "▌" } else { " " }, styles[Role::Accent])
                .put_text(sign, styles[role])
                .put_text(" ", styles[Role::Text]);
            let tool = state.tool(&call.request.tool).filter(|_| has_several);
            let label = tool.map(Tool::label);
            let name = label.as_deref().unwrap_or(&call.request.name);
            let kind = match (&call.case, call.is_mocked()) {
                (Some(_), _) => "test",
                (None, true) => MOCKED,
                (None, false) => "",
            };
            let words = argument_words(&call.request.arguments);
            let shown = CallLine { name, kind, took: &took, words: &words };
            shown.draw(pen, is_one_tool, styles);
            if here {
                mark_chosen(buffer, area, line, styles, focused);
            }
        }
    }

    pub(super) fn is_typing(&self) -> bool {
        self.find.is_typing() && self.part == Part::Tools
    }

    pub(super) fn is_narrowed(&self) -> bool {
        self.find.is_narrowed() && self.part == Part::Tools
    }

    pub(super) fn open_find(&mut self) {
        self.part = Part::Tools;
        if !self.is_typing() {
            self.before = self.chosen.clone();
        }
        self.find.open();
    }

    pub(super) fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        match input {
            Input::Key(key) => self.handle_key(*key, state),
            Input::Paste(text) if self.find.insert(text) => self.choose_best(state),
            Input::Paste(_) => Reply::Ignored,
            Input::Mouse(mouse) => self.handle_mouse(*mouse, state),
        }
    }

    fn handle_key(&mut self, key: Key, state: &State) -> Reply {
        if self.part == Part::Tools {
            let was_typing = self.is_typing();
            match self.find.handle_key(key) {
                FindKey::Typed => return self.choose_best(state),
                FindKey::Accepted => return self.choose_row(self.cursor.row),
                FindKey::Cleared => {
                    self.narrow(state);
                    return if was_typing { self.choose_before() } else { Reply::Handled };
                }
                FindKey::Passed => {}
            }
        }
        match self.part {
            Part::Tools => {
                let last = self.cursor.row + 1 >= self.shown.len();
                if is_down(key) && last && !self.is_typing() && self.leads_to_others(state) {
                    self.part = Part::Unlisted;
                    return Reply::Handled;
                }
                if is_down(key) && last && state.invoke.calls.iter().len() > 0 {
                    self.part = Part::Calls;
                    return show_call(state, 0);
                }
                if self.cursor.handle_key(key, self.shown.len()) {
                    self.choose_row(self.cursor.row)
                } else {
                    Reply::Ignored
                }
            }
            Part::Unlisted if is_down(key) && state.invoke.calls.iter().len() > 0 => {
                self.part = Part::Calls;
                show_call(state, 0)
            }
            Part::Unlisted if is_up(key) => {
                self.part = Part::Tools;
                Reply::Handled
            }
            Part::Unlisted => Reply::Ignored,
            Part::Calls => {
                if is_up(key) && self.calls.row == 0 {
                    let leads = self.leads_to_others(state);
                    self.part = if leads { Part::Unlisted } else { Part::Tools };
                    return Reply::Handled;
                }
                if self.calls.handle_key(key, state.invoke.calls.iter().len()) {
                    show_call(state, self.calls.row)
                } else {
                    Reply::Ignored
                }
            }
        }
    }

    fn choose_best(&mut self, state: &State) -> Reply {
        self.narrow(state);
        self.choose_row(0)
    }

    /// Goes back to the tool that was shown before anything was looked for.
    fn choose_before(&mut self) -> Reply {
        let before = self.before.take().filter(|id| self.rows.iter().any(|row| row.id == *id));
        before.map_or(Reply::Handled, |id| Reply::send(Message::Select(id)))
    }

    fn choose_row(&self, row: usize) -> Reply {
        let chosen = self.shown.get(row).map(|row| Message::Select(self.rows[*row].id.clone()));
        chosen.map_or(Reply::Handled, Reply::send)
    }

    fn handle_mouse(&mut self, mouse: Mouse, state: &State) -> Reply {
        let was_typing = self.is_typing();
        if self.find.handle_mouse(mouse) {
            if !was_typing {
                self.before = self.chosen.clone();
            }
            self.part = Part::Tools;
            return Reply::Handled;
        }
        let at = (mouse.column, mouse.row).into();
        let pressed = matches!(mouse.kind, MouseKind::Down(_));
        let wheel = matches!(mouse.kind, MouseKind::Wheel(_));
        if self.calls_area.contains(at) {
            let chosen =
                self.calls.handle_mouse(mouse, self.calls_area, state.invoke.calls.iter().len());
            if pressed && state.invoke.calls.iter().len() > 0 {
                self.part = Part::Calls;
            }
            return if chosen.is_some() || wheel {
                show_call(state, self.calls.row)
            } else {
                Reply::Handled
            };
        }
        if self.tools_area.contains(at) {
            let chosen = self.cursor.handle_mouse(mouse, self.tools_area, self.shown.len());
            if pressed {
                self.part = Part::Tools;
            }
            return if chosen.is_some() || wheel {
                self.choose_row(self.cursor.row)
            } else {
                Reply::Handled
            };
        }
        Reply::Ignored
    }
}

/// A tool by its key, its name and its title; what it does counts less: `is:destructive`.
fn findable_row(row: &ToolRow, state: &State) -> Findable {
    let Some(tool) = row.tool(state) else { return Findable::new([&*row.name], &[]) };
    let effects: Vec<String> =
        table::tool_effects(tool).words().iter().map(|word| format!("is:{word}")).collect();
    let names = [&*row.name, table::tool_title(tool)];
    Findable::new(names, &[&*tool.description, &effects.join(" ")])
}

fn is_down(key: Key) -> bool {
    key.is_plain(Code::Down) || key.is_plain(Code::Char('j'))
}

fn is_up(key: Key) -> bool {
    key.is_plain(Code::Up) || key.is_plain(Code::Char('k'))
}

/// The tool that is shown.
pub(crate) fn tool_of(state: &State) -> Option<EntryId> {
    state.tool_to_call()
}

/// Shows the call in that row, and its tool with it.
fn show_call(state: &State, row: usize) -> Reply {
    let Some(call) = state.invoke.calls.iter().rev().nth(row) else { return Reply::Handled };
    let id: CallId = call.id;
    let tool = call.request.tool.clone();
    let mut messages = Vec::new();
    if state.tool(&tool).is_some() {
        messages.push(Message::Select(tool));
    }
    messages.push(Message::Call(CallMessage::Select(id)));
    Reply::Send(messages)
}
