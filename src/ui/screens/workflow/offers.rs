//! The tools: those available now, and those hidden with their reasons and the change that would
//! show them.

mod lines;

use ratatui::{buffer::Buffer, layout::Rect};

use self::lines::{ChoicePart, Line, wrap_lines};
use super::{
    as_lines,
    changes::{change_reply, takes_steps},
    facts::Facts,
    live, run,
    scene::Scene,
};
use crate::{
    app::{
        input::{Button, Code, Key, Mouse, MouseKind},
        message::{Message, ScreenId},
        notices::NoticeKind,
        state::State,
        workflow::WorkflowMessage,
    },
    engine::{explain::tool::Change, filter::Reason, gated::ToolRow},
    model::{call::Outcome, entry::EntryId, tool::NotLoaded},
    systems::table,
    ui::{
        canvas::{Pen, text_width, wrap},
        ranking::{RankedItem, rank_candidates},
        styles::Role,
        view::Reply,
        widgets::{
            find_line::{FindKey, FindLine},
            pane::Pane,
        },
    },
};

#[derive(Default)]
pub(crate) struct Offers {
    /// The chosen tool, counted through available and hidden ones.
    at: usize,
    top: usize,
    /// Which of the chosen tool's changes is meant.
    choice: usize,
    find: FindLine,
    available: Vec<ToolRow>,
    hidden: Vec<ToolRow>,
    /// What each drawn line can be pressed for.
    places: Vec<(Rect, Place)>,
    seen: usize,
    /// The tool that was pressed last: a second press takes its step.
    pressed: Option<usize>,
    /// No line is out of view: there is nothing to scroll.
    is_whole: bool,
    /// The cursor was put on a hidden tool: it stays there while the run goes on.
    holds_hidden: bool,
}

#[derive(Clone, Copy)]
enum Place {
    Tool(usize),
    Change(usize),
}

impl Offers {
    /// Goes on in other facts: the chosen tool stays the chosen one, until the run gets to where
    /// another was taken. Where a step has hidden it, the first available one is chosen.
    pub fn follow_facts(&mut self, before: Option<&Facts>, facts: &Facts, state: &State) {
        let was_hidden = self.holds_hidden && self.at >= self.available.len();
        let chosen = before.and_then(|before| before.tool_id(self.tool_at(self.at)?)).cloned();
        let is_same = before.is_none_or(|before| before.counts_as(facts));
        self.narrow(facts);
        self.places.clear();
        self.pressed = None;
        let Some(chosen) = chosen else { return };
        let is_chosen = |row: &ToolRow| facts.tool_id(*row) == Some(&chosen);
        let shown = self.available.iter().position(is_chosen);
        let hidden = self.hidden.iter().position(is_chosen);
        let has_moved = before.is_some_and(|before| !before.is_at_step_of(facts));
        let taken = self
            .available
            .iter()
            .position(|row| has_moved && run::takes_next(&facts.tools()[*row].key, state));
        match (shown, hidden) {
            _ if !was_hidden && taken.is_some() => self.move_to(taken.unwrap_or_default()),
            (Some(at), _) => self.move_to(at),
            (None, Some(_)) if is_same && !was_hidden => self.move_to(0),
            (None, Some(at)) => self.move_to(self.available.len() + at),
            (None, None) => {}
        }
    }

    /// Lists what is looked for, the closest first; the cursor stays in range.
    fn narrow(&mut self, facts: &Facts) {
        self.available = self.found_among(&facts.split.available, facts);
        self.hidden = self.found_among(&facts.hidden, facts);
        self.move_to(self.at);
    }

    fn found_among(&self, rows: &[ToolRow], facts: &Facts) -> Vec<ToolRow> {
        let candidates = rows.iter().map(|row| {
            let tool = &facts.tools()[*row];
            RankedItem { name: &tool.key, alias: &tool.name, ..RankedItem::default() }
        });
        let places = rank_candidates(self.find.needle(), candidates);
        places.into_iter().filter_map(|place| rows.get(place)).copied().collect()
    }

    /// The place of the tool that is closest to what is looked for, available or hidden.
    fn closest(&self, facts: &Facts) -> usize {
        let listed: Vec<ToolRow> = self.available.iter().chain(&self.hidden).copied().collect();
        let best = self.found_among(&listed, facts).first().copied();
        listed.iter().position(|row| Some(*row) == best).unwrap_or(0)
    }

    fn tool_count(&self) -> usize {
        self.available.len() + self.hidden.len()
    }

    fn tool_at(&self, at: usize) -> Option<ToolRow> {
        self.available.get(at).or_else(|| self.hidden.get(at - self.available.len())).copied()
    }

    fn move_to(&mut self, at: usize) {
        let at = at.min(self.tool_count().saturating_sub(1));
        if at != self.at {
            self.choice = 0;
        }
        self.at = at;
    }

    /// Puts the cursor there, for who asked for it.
    fn choose(&mut self, at: usize) {
        self.move_to(at);
        self.holds_hidden = self.at >= self.available.len();
    }

    pub fn selected_tool(&self) -> Option<ToolRow> {
        self.tool_at(self.at)
    }

    /// Puts the cursor on a tool, with what can be done about it; whether it is there.
    pub fn point_at(&mut self, tool: &EntryId, facts: &mut Facts) -> bool {
        self.show_all(facts);
        let found = (0..self.tool_count())
            .find(|at| self.tool_at(*at).and_then(|row| facts.tool_id(row)) == Some(tool));
        let Some(at) = found else { return false };
        self.choose(at);
        if let Some(row) = self.tool_at(at) {
            facts.explain_tool(row);
        }
        true
    }

    /// Whether the selected tool is available.
    pub fn is_offered(&self) -> bool {
        self.at < self.available.len()
    }

    /// Why nothing can be done with the chosen tool, where it isn't available.
    pub fn hidden_refusal(&self, facts: &Facts) -> Option<String> {
        match self.tool_at(self.at) {
            _ if self.is_offered() => None,
            Some(tool) => Some(as_lines::hidden_refusal(facts, tool)),
            None => Some("choose an available tool first".into()),
        }
    }

    /// The change that is meant for the chosen hidden tool.
    pub fn chosen_change<'f>(&self, facts: &'f Facts) -> Option<&'f Change> {
        let hidden = *self.hidden.get(self.at.checked_sub(self.available.len())?)?;
        let changes = &facts.known_explanation(hidden)?.changes;
        changes.get(self.choice.min(changes.len().saturating_sub(1)))
    }

    /// Whether only its tool's edits can be tried: it is available, or the change that shows it
    /// takes a step.
    pub fn has_only_edits(&self, facts: &Facts) -> bool {
        self.is_offered() || self.chosen_change(facts).is_some_and(takes_steps)
    }

    pub fn find(&self) -> &FindLine {
        &self.find
    }

    /// Shows all tools again.
    pub fn show_all(&mut self, facts: &Facts) {
        self.find.clear();
        self.narrow(facts);
    }

    pub fn open_find(&mut self) {
        self.find.open();
    }

    pub fn handle_paste(&mut self, text: &str, facts: Option<&Facts>) -> Reply {
        if !self.find.insert(text) {
            return Reply::Ignored;
        }
        if let Some(facts) = facts {
            self.narrow(facts);
        }
        Reply::Handled
    }

    pub fn handle_key(&mut self, key: Key, facts: &mut Facts) -> Reply {
        match self.find.handle_key(key) {
            FindKey::Typed => {
                self.narrow(facts);
                self.move_to(self.closest(facts));
                return Reply::Handled;
            }
            FindKey::Accepted => {
                self.choose(self.at);
                return Reply::Handled;
            }
            FindKey::Cleared => {
                self.narrow(facts);
                return Reply::Handled;
            }
            FindKey::Passed => {}
        }
        let page = self.seen.saturating_sub(2).max(1);
        let at = match key.code {
            _ if key.mods.ctrl || key.mods.alt => return Reply::Ignored,
            Code::Up | Code::Char('k') => self.at.saturating_sub(1),
            Code::Down | Code::Char('j') => self.at + 1,
            Code::PageUp => self.at.saturating_sub(page),
            Code::PageDown => self.at + page,
            Code::Home => 0,
            Code::End => self.tool_count(),
            Code::Left | Code::Right => return self.next_change(key.code == Code::Right, facts),
            _ => return Reply::Ignored,
        };
        self.choose(at);
        Reply::Handled
    }

    fn next_change(&mut self, forward: bool, facts: &Facts) -> Reply {
        let hidden = self.at.checked_sub(self.available.len()).and_then(|at| self.hidden.get(at));
        let Some(count) =
            hidden.and_then(|tool| facts.known_explanation(*tool)).map(|found| found.changes.len())
        else {
            return Reply::Refused(
                "select a hidden tool to see the changes that would make it available".into(),
            );
        };
        let last = count.saturating_sub(1);
        self.choice = if forward {
            (self.choice + 1).min(last)
        } else {
            self.choice.min(last).saturating_sub(1)
        };
        Reply::Handled
    }

    pub fn handle_mouse(&mut self, mouse: Mouse, facts: &mut Facts, state: &State) -> Reply {
        if self.find.handle_mouse(mouse) {
            return Reply::Handled;
        }
        match mouse.kind {
            MouseKind::Wheel(_) if self.is_whole => {}
            MouseKind::Wheel(notches) => {
                let by = usize::from(notches.unsigned_abs());
                self.choose(if notches < 0 { self.at.saturating_sub(by) } else { self.at + by });
            }
            MouseKind::Down(button) => {
                let hit = self
                    .places
                    .iter()
                    .find(|(place, _)| place.contains((mouse.column, mouse.row).into()));
                match hit.map(|(_, place)| *place) {
                    // A press chooses a tool; a second one takes its step.
                    Some(Place::Tool(at)) => {
                        let again = self.pressed.replace(at) == Some(at) && at == self.at;
                        if again && at < self.available.len() && button == Button::Left {
                            return self.handle_enter(facts, state);
                        }
                        self.choose(at);
                    }
                    Some(Place::Change(choice)) => {
                        self.choice = choice;
                        if button != Button::Left {
                            return Reply::Handled;
                        }
                        return self.apply_change(facts, state);
                    }
                    None => {}
                }
            }
            _ => {}
        }
        Reply::Handled
    }

    /// Enter: takes an available tool; makes the change that shows a hidden one.
    pub fn handle_enter(&mut self, facts: &mut Facts, state: &State) -> Reply {
        match self.tool_at(self.at) {
            None if self.find.is_narrowed() => {
                let wanted = self.find.needle();
                Reply::Refused(format!("no tool matches \"{wanted}\": Esc shows all"))
            }
            None => Reply::Refused("no tool: request other groups on the left".into()),
            Some(_) if self.is_offered() => self.step_tool(facts, Outcome::Succeeded),
            // What is typed names one act: `apply` makes the change.
            Some(tool) if state.keymap.is_in_words() => {
                Reply::Refused(as_lines::hidden_refusal(facts, tool))
            }
            Some(_) => self.apply_change(facts, state),
        }
    }

    pub fn step_tool(&self, facts: &Facts, outcome: Outcome) -> Reply {
        match self.available.get(self.at).and_then(|row| facts.tool_id(*row)) {
            Some(id) => {
                Reply::send(Message::Workflow(WorkflowMessage::Step { tool: id.clone(), outcome }))
            }
            None => {
                Reply::Refused("this tool is hidden: apply a change that makes it available".into())
            }
        }
    }

    /// Takes a hidden tool all the same, as an agent might: it is refused, which the run keeps and
    /// counts.
    pub fn try_hidden(&self, facts: &Facts) -> Reply {
        let hidden = self.at.checked_sub(self.available.len()).and_then(|at| self.hidden.get(at));
        match hidden.and_then(|row| facts.tool_id(*row)) {
            Some(id) => Reply::send(Message::Workflow(WorkflowMessage::Step {
                tool: id.clone(),
                outcome: Outcome::Succeeded,
            })),
            None => Reply::Refused("this tool is available: Enter takes its step".into()),
        }
    }

    /// Calls the tool, once its required arguments are there; else opens it where they are typed.
    pub fn call_tool(&self, facts: &Facts, state: &State) -> Reply {
        let chosen = self.available.get(self.at).and_then(|row| facts.tool_id(*row));
        let Some(tool) = chosen.and_then(|id| state.catalog.tool(id)) else {
            return Reply::Refused(
                "this tool is hidden: apply a change that makes it available".into(),
            );
        };
        let given = state.arguments_of(tool.id());
        let asked = state.question_argument(tool.id());
        let schema = table::arguments_schema(tool);
        let required = schema.get("required").and_then(|names| names.as_array());
        let missing: Vec<&str> = required
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str())
            .filter(|name| given.get(name).is_none() && asked != Some(*name))
            .collect();
        // Where no arguments help, that is said at once.
        let is_impossible = state
            .build_request(tool.id())
            .is_err_and(|problem| missing.iter().all(|name| !problem.cause.contains(name)));
        if missing.is_empty() || is_impossible {
            return live::take_live(tool, state);
        }
        let words = format!(
            "{} needs {}: fill it in, then {} takes the live step",
            tool.entry.key,
            missing.join(", "),
            state.keymap.way_to("send")
        );
        let messages = [
            Message::Select(tool.id().clone()),
            Message::Show(ScreenId::Invoke),
            Message::Workflow(WorkflowMessage::FillFirst { tool: tool.id().clone() }),
            Message::Notice(NoticeKind::Hint, words),
        ];
        Reply::Send(messages.into())
    }

    /// Makes the change that is meant.
    pub fn apply_change(&mut self, facts: &mut Facts, state: &State) -> Reply {
        let Some(tool) =
            self.at.checked_sub(self.available.len()).and_then(|at| self.hidden.get(at)).copied()
        else {
            return Reply::Refused("this tool is already available: Enter takes its step".into());
        };
        facts.explain_tool(tool);
        let Some(change) = self.chosen_change(facts) else {
            if facts.denied.is_some() {
                return Reply::Refused(
                    "nothing that this user may request makes this tool available: “user” in the \
                    actions menu (.) switches the user"
                        .into(),
                );
            }
            return Reply::Refused(
                "no change of the request makes this tool available: e edits \
                the tool"
                    .into(),
            );
        };
        change_reply(change, tool, facts, state)
    }

    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, scene: Scene<'_>, facts: &mut Facts) {
        let Scene { styles, state, focused } = scene;
        let title =
            self.count_title("Available", self.available.len(), facts.split.available.len());
        let inside = Pane { title: &title, focused, ..Pane::default() }.draw(buffer, area, styles);
        let rows = self.find.draw(buffer, inside, styles, focused);
        self.places.clear();
        let height = usize::from(rows.height);
        let lines = self.visible_lines(facts, state, usize::from(rows.width), height);
        self.seen = height;
        for (line, content) in lines.iter().enumerate() {
            let row = u16::try_from(line).unwrap_or(0);
            let place = Rect { y: rows.y + row, height: 1, ..rows };
            match content {
                Line::Name(at)
                | Line::Why(at)
                | Line::WhyPart(at, _)
                | Line::Change(at)
                | Line::ChangePart(at, ..) => {
                    self.places.push((place, Place::Tool(*at)));
                }
                Line::Choice(choice, ..) => self.places.push((place, Place::Change(*choice))),
                Line::Reason(_) => self.places.push((place, Place::Tool(self.at))),
                Line::Heading => {}
            }
            if let Line::Heading = content {
                let title = self.count_title("Hidden", self.hidden.len(), facts.hidden.len());
                draw_heading(buffer, area, place, scene, &title);
            } else {
                self.draw_line(Pen::new(buffer, rows, row), content, scene, facts);
            }
        }
        if self.tool_count() == 0 {
            let words = if state.catalog.tools.is_empty() {
                "the workspace has no tools: n on Tools (1) makes one"
            } else {
                "no tool with that name"
            };
            let below = u16::try_from(lines.len()).unwrap_or(0)..rows.height;
            for (row, line) in below.zip(wrap(words, usize::from(rows.width))) {
                Pen::new(buffer, rows, row).put_text(&line, styles[Role::Dim]);
            }
        }
    }

    /// How many tools of a kind are listed, and of how many where not all are.
    fn count_title(&self, kind: &str, listed: usize, all: usize) -> String {
        match self.find.needle().is_empty() {
            true => format!("{kind} {all}"),
            false => format!("{kind} {listed} of {all}"),
        }
    }

    fn draw_line(&self, mut pen: Pen<'_>, line: &Line, scene: Scene<'_>, facts: &mut Facts) {
        let Scene { styles, state, focused } = scene;
        match line {
            Line::Name(at) => self.draw_name(pen, *at, scene, facts),
            Line::Why(at) => {
                let words = self.reason_words(*at, facts).unwrap_or_default();
                pen.put_text("   ", styles[Role::Text]).put_text(&words, styles[Role::Hidden]);
            }
            Line::WhyPart(_, words) => {
                pen.put_text("   ", styles[Role::Text]).put_text(words, styles[Role::Hidden]);
            }
            Line::Change(at) => {
                let words = self.change_words(*at, facts, state).unwrap_or_default();
                pen.put_text("   ▸ ", styles[Role::Dim]).put_text(&words, styles[Role::Dim]);
            }
            Line::ChangePart(_, part, words) => {
                let sign = if *part == ChoicePart::First { "   ▸ " } else { "     " };
                pen.put_text(sign, styles[Role::Dim]).put_text(words, styles[Role::Dim]);
            }
            Line::Reason(words) => {
                pen.put_text("   ", styles[Role::Text]).put_text(words, styles[Role::Warning]);
            }
            Line::Choice(choice, part, words) => {
                let chosen = *choice == self.choice;
                let style = styles[if chosen && focused { Role::Accent } else { Role::Dim }];
                pen.put_text(
                    if chosen && *part == ChoicePart::First { "   ▸ " } else { "     " },
                    style,
                )
                .put_text(words, style);
            }
            Line::Heading => {}
        }
    }

    fn draw_name(&self, mut pen: Pen<'_>, at: usize, scene: Scene<'_>, facts: &mut Facts) {
        let Some(row) = self.tool_at(at) else { return };
        let tool = facts.tools()[row].clone();
        let chosen = at == self.at;
        let ground = scene.row_background(chosen);
        let on = |role: Role| ground.role_style(role);
        let offered = at < self.available.len();
        pen.put_text(if chosen { "▌" } else { " " }, on(Role::Accent));
        let (sign, role) = match offered {
            true if facts.came.contains(&row) => ("+ ", Role::Added),
            true => ("● ", Role::Available),
            false if facts.went.contains(&row) => ("− ", Role::Removed),
            false => ("○ ", Role::Hidden),
        };
        pen.put_text(sign, on(role));
        let note = match (&tool.gate.next, offered) {
            (Some(next), true) => format!("→ {next}"),
            (None, true) => "stays".to_owned(),
            (_, false) => facts
                .explain_tool(row)
                .reasons
                .iter()
                .map(|reason| reason.kind().replace('-', " "))
                .collect::<Vec<_>>()
                .join(" + "),
        };
        let room = pen.remaining_cells();
        let key_room = room.saturating_sub(text_width(&note) + 1).max(room / 2);
        let name_style = on(if offered { Role::Text } else { Role::Dim });
        pen.put_column(&tool.key, key_room, name_style).put_text(" ", on(Role::Text));
        pen.put_text(&note, on(if offered { Role::State } else { Role::Dim }))
            .fill_rest(on(Role::Text));
    }

    /// The lines that are seen, with the chosen tool among them; no tool outside the window is
    /// looked at. An available tool takes one line, a hidden one three, the chosen hidden one as
    /// many as it has to say.
    fn visible_lines(
        &mut self,
        facts: &mut Facts,
        state: &State,
        cells: usize,
        height: usize,
    ) -> Vec<Line> {
        let available = self.available.len();
        let chosen = self.at.checked_sub(available).filter(|at| *at < self.hidden.len());
        let below = chosen
            .map_or_else(Vec::new, |at| self.detail_lines(self.hidden[at], facts, state, cells));
        let more = below.len();
        let total = available + 1 + 3 * self.hidden.len() + more.saturating_sub(2);
        self.is_whole = total <= height;
        let from = chosen.map_or(self.at, |at| available + 1 + 3 * at);
        self.top = self
            .top
            .min(total.saturating_sub(height))
            .max((from + more + 1).saturating_sub(height))
            .min(from);
        let line = |line: usize| {
            let Some(under) = line.checked_sub(available + 1) else {
                return Some(if line == available { Line::Heading } else { Line::Name(line) });
            };
            let under = match chosen.map(|at| 3 * at) {
                Some(start) if under > start && under <= start + more => {
                    return below.get(under - start - 1).cloned();
                }
                Some(start) if under > start => under + 2 - more,
                _ => under,
            };
            let at = available + under / 3;
            (at < available + self.hidden.len()).then_some(match under % 3 {
                0 => Line::Name(at),
                1 => Line::Why(at),
                _ => Line::Change(at),
            })
        };
        let lines: Vec<Line> = (self.top..self.top + height).map_while(line).collect();
        if !self.is_whole {
            return lines;
        }
        let words = |line: &Line| match line {
            Line::Why(at) => Some((self.reason_words(*at, facts)?, 3)),
            Line::Change(at) => Some((self.change_words(*at, facts, state)?, 5)),
            _ => None,
        };
        wrap_lines(lines, (cells, height), words)
    }

    /// What would show a hidden tool that is not chosen.
    fn change_words(&self, at: usize, facts: &mut Facts, state: &State) -> Option<String> {
        let tool = self.tool_at(at)?;
        let change = facts.explain_tool(tool).changes.first();
        let words = change.map(|change| change.description(&state.catalog.tools));
        let none = match facts.tools()[tool].gate.not_loaded() {
            Some(NotLoaded::Refused { .. }) => "only a change of the entry",
            Some(NotLoaded::Replaced { .. }) => "only another name",
            Some(NotLoaded::LeftOut { .. }) => "only another entry or turn of the agent",
            None if facts.denied.is_some() => "nothing that this user may request",
            None => "only an edit of the tool",
        };
        Some(words.unwrap_or_else(|| none.to_owned()))
    }

    /// Why a tool is hidden, in a few words.
    fn reason_words(&self, at: usize, facts: &mut Facts) -> Option<String> {
        let found = facts.explain_tool(self.tool_at(at)?);
        Some(found.reasons.iter().map(Reason::summary).collect::<Vec<_>>().join(" · "))
    }

    /// What is shown below the chosen hidden tool.
    fn detail_lines(
        &mut self,
        tool: ToolRow,
        facts: &mut Facts,
        state: &State,
        cells: usize,
    ) -> Vec<Line> {
        let found = facts.explain_tool(tool);
        let reasons = found
            .reasons
            .iter()
            .flat_map(|reason| wrap(&reason.to_string(), cells.saturating_sub(3)));
        let wrapped = |(row, change): (usize, &Change)| {
            let lines = wrap(&change.description(&state.catalog.tools), cells.saturating_sub(5));
            lines
                .into_iter()
                .enumerate()
                .map(move |(line, words)| Line::Choice(row, ChoicePart::of(line), words))
                .collect::<Vec<_>>()
        };
        let changes = found.changes.iter().enumerate().flat_map(wrapped);
        self.choice = self.choice.min(found.changes.len().saturating_sub(1));
        reasons.map(Line::Reason).chain(changes).collect()
    }
}

/// The rule between available and hidden tools joins the pane's edges.
fn draw_heading(buffer: &mut Buffer, area: Rect, line: Rect, scene: Scene<'_>, title: &str) {
    let Scene { styles, focused, .. } = scene;
    let edge = styles[if focused { Role::BorderFocus } else { Role::Border }];
    let title = format!(" {title} ");
    let rule = "─".repeat(usize::from(line.width).saturating_sub(text_width(&title)));
    let whole = Rect { x: area.x, width: area.width, ..line };
    Pen::new(buffer, whole, 0)
        .put_text("├", edge)
        .put_text(&title, styles[Role::Title])
        .put_text(&rule, edge)
        .put_text("┤", edge);
}
