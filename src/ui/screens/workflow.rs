//! The Workflow screen: the request at the left, the states in the middle, the tools at the right,
//! the run below.
//!
//! [`facts`] is what the four panes read, computed once for each change of tools or context.
//! [`request`], [`graph`], [`offers`] and [`run`] are the panes; each draws itself and says what a
//! key or a press on it asks for. [`copy`] is what can be taken elsewhere. [`compose`] draws arrows
//! on the picture and [`compose_menus`] asks what composing has to know; [`matrix`] is the table in
//! place of the panes.

mod about;
mod compose;
mod compose_menus;
mod copy;
mod detail;
mod facts;
mod graph;
mod keep;
mod matrix;
mod matrix_draw;
mod offers;
mod request;
mod run;
mod scene;
mod tries;
mod walks;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

use self::{
    compose::Compose, facts::Facts, graph::Graph, matrix::Matrix, offers::Offers, request::Request,
    run::Run, scene::Scene,
};
use crate::{
    app::{
        actions::{Act, Scope},
        calls::CallMessage,
        input::{Code, Input, Key, Mouse},
        message::{Message, ScreenId},
        state::State,
        workflow::WorkflowMessage,
    },
    model::call::Outcome,
    ui::{
        view::{Look, Reply, Screen},
        widgets::panes::Panes,
    },
};

/// A pane of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pane {
    Request,
    Graph,
    Offers,
    Run,
}

const ABOVE: [Pane; 3] = [Pane::Request, Pane::Graph, Pane::Offers];

pub(crate) struct WorkflowScreen {
    panes: Panes,
    /// The run has the keys; what is above keeps its own focus.
    in_run: bool,
    run_area: Rect,
    facts: Option<Facts>,
    request: Request,
    graph: Graph,
    offers: Offers,
    run: Run,
    compose: Compose,
    matrix: Matrix,
}

impl WorkflowScreen {
    #[must_use]
    pub fn new() -> Self {
        let mut panes = Panes::default();
        // The tools have the keys first, since taking a step is what one comes for.
        panes.focus = 2;
        Self {
            panes,
            in_run: false,
            run_area: Rect::default(),
            facts: None,
            request: Request::default(),
            graph: Graph::default(),
            offers: Offers::default(),
            run: Run::default(),
            compose: Compose::default(),
            matrix: Matrix::default(),
        }
    }

    fn focused_pane(&self) -> Pane {
        if self.in_run { Pane::Run } else { ABOVE[self.panes.focus.min(2)] }
    }

    fn move_focus(&mut self, forward: bool) {
        match (self.in_run, forward, self.panes.focus) {
            (true, true, _) => (self.in_run, self.panes.focus) = (false, 0),
            (true, false, _) => (self.in_run, self.panes.focus) = (false, 2),
            (false, true, 2) | (false, false, 0) => self.in_run = true,
            (false, true, _) => self.panes.next(),
            (false, false, _) => self.panes.previous(),
        }
    }

    /// What is narrowed, tried or under way, the innermost first.
    fn take_back(&mut self, state: &State) -> Reply {
        if let (Some(facts), true) = (&self.facts, self.offers.is_narrowed()) {
            return self.offers.clear_filter(facts);
        }
        match &state.workflow.live {
            _ if state.workflow.what_if.is_some() => {
                Reply::send(Message::Workflow(WorkflowMessage::DropWhatIf))
            }
            Some(live) => Reply::send(Message::Call(CallMessage::Cancel(live.call))),
            // In the picture an arrow, then a state, is no longer chosen.
            None => match self.pane_key(Key::plain(Code::Esc), state) {
                Reply::Ignored => {
                    Reply::Refused("there is neither a what-if nor a live call to take back".into())
                }
                other => other,
            },
        }
    }

    fn pane_key(&mut self, key: Key, state: &State) -> Reply {
        let focus = self.focused_pane();
        let Some(facts) = &mut self.facts else { return Reply::Ignored };
        if self.matrix.is_open() {
            return self.matrix.handle_key(key, facts, state);
        }
        if focus == Pane::Graph && !self.graph.is_finding() {
            let reply = self.compose.handle_key(key);
            if !matches!(reply, Reply::Ignored) {
                return reply;
            }
        }
        match focus {
            Pane::Request => self.request.handle_key(key, facts, state),
            Pane::Graph => self.graph.handle_key(key, facts, state),
            Pane::Offers => self.offers.handle_key(key, facts),
            Pane::Run => self.run.handle_key(key, state),
        }
    }

    fn handle_mouse(&mut self, mouse: Mouse, state: &State) -> Reply {
        if let Some(facts) = self.facts.as_ref().filter(|_| self.matrix.is_open()) {
            return self.matrix.handle_mouse(mouse, facts, state);
        }
        let over_run = self.run_area.contains((mouse.column, mouse.row).into());
        let pressed = matches!(mouse.kind, crate::app::input::MouseKind::Down(_));
        let pane = if over_run { None } else { self.panes.handle_mouse(mouse) };
        if pressed {
            self.in_run = over_run;
        }
        let Some(facts) = &mut self.facts else { return Reply::Handled };
        if over_run {
            return self.run.handle_mouse(mouse, state);
        }
        if pane == Some(1)
            && let Some(reply) = self.compose.handle_mouse(mouse, &mut self.graph, facts, state)
        {
            return reply;
        }
        match pane.and_then(|row| ABOVE.get(row)) {
            Some(Pane::Request) => self.request.handle_mouse(mouse, facts, state),
            Some(Pane::Graph) => self.graph.handle_mouse(mouse, facts),
            Some(Pane::Offers) => self.offers.handle_mouse(mouse, facts, state),
            _ => Reply::Handled,
        }
    }
}

impl WorkflowScreen {
    /// What composing does with an action; not its own are ignored.
    fn compose_act(&mut self, act: Act, state: &State) -> Reply {
        let focus = self.focused_pane();
        let Some(facts) = &self.facts else { return Reply::Ignored };
        if self.matrix.is_open() {
            match act {
                Act::ShowMatrix => self.matrix.toggle_open(),
                Act::TakeBack => self.matrix.handle_escape(facts, state),
                Act::CopyTools => {
                    return compose_menus::copy_descriptors(self.matrix.chosen_tools(state));
                }
                Act::EditGroups => return compose_menus::groups_menu(facts),
                Act::PasteTools => return compose_menus::await_paste(),
                _ => return self.matrix.handle_action(act, facts, state),
            }
            return Reply::Handled;
        }
        match act {
            Act::ShowMatrix => {
                match self.request.current_group(facts).filter(|_| focus == Pane::Request) {
                    Some(group) => self.matrix.open_at(&group, facts, state),
                    None => self.matrix.toggle_open(),
                }
            }
            Act::TakeBack if self.compose.is_drawing() => self.compose = Compose::Nothing,
            Act::EditGroups => return compose_menus::groups_menu(facts),
            Act::NewGroup => return compose_menus::new_group(Vec::new(), state),
            Act::RenameGroup | Act::DeleteGroup => {
                return match (self.request.current_group(facts), act) {
                    (Some(group), Act::RenameGroup) => compose_menus::rename_group(&group),
                    (Some(group), _) => compose_menus::delete_group(&group),
                    (None, _) => Reply::Refused("choose a group first".into()),
                };
            }
            Act::CopyTools => {
                let tool = self.offers.selected_tool(facts).and_then(|row| facts.tool_id(row));
                return compose_menus::copy_descriptors(tool.cloned().into_iter().collect());
            }
            Act::PasteTools => return compose_menus::await_paste(),
            Act::Step if self.compose.is_drawing() && focus == Pane::Graph => {
                return self.compose.finish(&self.graph, facts, state);
            }
            _ if act.action().scope == Scope::Graph => {
                return self.compose.handle_action(act, &self.graph, facts, state);
            }
            _ => return Reply::Ignored,
        }
        Reply::Handled
    }

    /// Why composing can't do an action now.
    fn compose_refusal(&self, act: Act, facts: &Facts, state: &State) -> Option<&'static str> {
        let undefined = self.graph.selected_state(facts) == Some(0);
        match act {
            _ if self.matrix.is_open()
                && act.action().scope == Scope::Workflow
                && !matrix::ALSO.contains(&act) =>
            {
                Some("not in the matrix: m goes back to the picture")
            }
            Act::RenameState | Act::DeleteState if undefined => {
                Some("undefined is where a request without a state begins")
            }
            Act::RenameGroup | Act::DeleteGroup if self.request.current_group(facts).is_none() => {
                Some("choose a group first")
            }
            Act::CopyTools if state.catalog.tools.is_empty() => Some("there is no tool to copy"),
            Act::RowMenu | Act::SwitchCells if state.catalog.tools.is_empty() => {
                Some("there is no tool yet")
            }
            _ => None,
        }
    }
}

impl Default for WorkflowScreen {
    fn default() -> Self {
        Self::new()
    }
}

impl Screen for WorkflowScreen {
    fn sync_state(&mut self, state: &State) {
        if self.facts.as_ref().is_none_or(|facts| !facts.is_of(state)) {
            let facts = Facts::from_state(state, self.facts.as_ref());
            if let Some(before) = &self.facts {
                let focused = self.focused_pane() == Pane::Graph && !self.matrix.is_open();
                self.graph.follow_facts(before, &facts, focused, state);
                self.compose.follow_facts(before, &facts);
            }
            self.offers.follow_facts(self.facts.as_ref(), &facts);
            self.facts = Some(facts);
        }
        if let Some(facts) = self.facts.as_ref().filter(|_| self.matrix.is_open()) {
            self.matrix.sync_facts(facts, state);
        }
        self.run.follow_simulation(state);
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let focus = self.focused_pane();
        let Some(facts) = &mut self.facts else { return };
        if self.matrix.is_open() {
            self.matrix.draw(
                frame.buffer_mut(),
                area,
                Scene { styles: look.styles, state, focused: true },
                facts,
            );
            return;
        }
        let run_height = Run::height(area, state);
        let above = Rect { height: area.height - run_height, ..area };
        self.run_area = Rect { y: above.bottom(), height: run_height, ..area };
        let names = [
            "Request".to_owned(),
            "States".to_owned(),
            format!("Tools {}", facts.split.available.len()),
        ];
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let widths: [Constraint; 3] = if area.width >= 160 {
            [Constraint::Length(34), Constraint::Min(40), Constraint::Length(56)]
        } else {
            [Constraint::Length(25), Constraint::Min(30), Constraint::Length(41)]
        };
        let areas =
            self.panes.layout_panes(frame.buffer_mut(), above, &names, &widths, look.styles);
        let scene = |pane: Pane| Scene { styles: look.styles, state, focused: focus == pane };
        let shown =
            |row: usize| areas.get(row).copied().filter(|area| area.width > 0 && area.height > 0);
        if let Some(area) = shown(0) {
            self.request.draw(frame.buffer_mut(), area, scene(Pane::Request), facts);
        }
        if let Some(area) = shown(1) {
            self.graph.draw(frame.buffer_mut(), area, scene(Pane::Graph), facts);
            self.compose.draw(frame.buffer_mut(), &self.graph, facts, scene(Pane::Graph));
        }
        if let Some(area) = shown(2) {
            self.offers.draw(frame.buffer_mut(), area, scene(Pane::Offers), facts);
        }
        self.run.draw(frame.buffer_mut(), self.run_area, scene(Pane::Run), facts);
    }

    fn scopes(&self) -> Vec<Scope> {
        if self.matrix.is_open() {
            return vec![Scope::Matrix, Scope::Workflow];
        }
        let own = match self.focused_pane() {
            Pane::Request => Scope::Groups,
            Pane::Graph => Scope::Graph,
            Pane::Offers => Scope::Available,
            Pane::Run => Scope::Run,
        };
        vec![own, Scope::Workflow]
    }

    fn is_typing(&self) -> bool {
        if self.matrix.is_open() {
            return self.matrix.is_typing();
        }
        match self.focused_pane() {
            Pane::Offers => self.offers.is_finding(),
            Pane::Graph => self.graph.is_finding(),
            Pane::Request | Pane::Run => false,
        }
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        match input {
            Input::Key(key) => self.pane_key(*key, state),
            Input::Mouse(mouse) => self.handle_mouse(*mouse, state),
            Input::Paste(text) if self.matrix.is_typing() => {
                if let Some(facts) = &self.facts {
                    self.matrix.handle_paste(text, facts, state);
                }
                Reply::Handled
            }
            Input::Paste(text) if !self.is_typing() => {
                compose_menus::paste_descriptors(text, state)
            }
            Input::Paste(text) => match &self.facts {
                Some(facts) if self.focused_pane() == Pane::Graph => {
                    self.graph.handle_paste(text, facts, state)
                }
                facts => self.offers.handle_paste(text, facts.as_ref()),
            },
        }
    }

    fn handle_action(&mut self, act: Act, state: &State) -> Reply {
        let composed = self.compose_act(act, state);
        if !matches!(composed, Reply::Ignored) {
            return composed;
        }
        let focus = self.focused_pane();
        let Some(facts) = &mut self.facts else { return Reply::Ignored };
        match act {
            Act::NextPane => self.move_focus(true),
            Act::PreviousPane => self.move_focus(false),
            Act::Find if focus == Pane::Graph => return self.graph.handle_action(act, facts),
            Act::Find => {
                (self.in_run, self.panes.focus) = (false, 2);
                self.offers.open_find();
            }
            Act::Step => {
                return match focus {
                    Pane::Request => self.request.handle_enter(facts, state),
                    Pane::Graph => self.graph.walk_to_chosen(facts),
                    Pane::Offers => self.offers.handle_enter(facts, state),
                    Pane::Run => self.run.handle_enter(state),
                };
            }
            Act::StepFailed => return self.offers.step_tool(facts, Outcome::Failed),
            Act::StepLive => return self.offers.call_tool(facts, state),
            Act::StepBack => return Reply::send(Message::Workflow(WorkflowMessage::StepBack)),
            Act::Branches => return run::next_branch(state),
            Act::RestartRun => return Reply::send(Message::Workflow(WorkflowMessage::RestartRun)),
            Act::Tick => return self.request.toggle_group(facts, state),
            Act::AllGroups => return self.request.all_groups(state),
            Act::ChangeUser => return request::next_user(state),
            Act::SetStart => return self.graph.start_here(facts),
            Act::ApplyChange => {
                return match self.offers.selected_tool(facts) {
                    Some(row)
                        if state.workflow.what_if.is_some()
                            && self.offers.selected_offered(facts) =>
                    {
                        tries::ask_edit(facts, row)
                    }
                    _ => self.offers.apply_change(facts, state),
                };
            }
            Act::TryHidden => return self.offers.try_hidden(facts),
            Act::EditTool => {
                return match self.offers.selected_tool(facts).and_then(|row| facts.tool_id(row)) {
                    Some(id) => Reply::Send(vec![
                        Message::Select(id.clone()),
                        Message::Show(ScreenId::Tools),
                    ]),
                    None => Reply::Refused("there is no tool to edit".into()),
                };
            }
            Act::CopyRun => return copy::copy_menu(facts, state),
            Act::WhatIf => return tries::toggle_what_if(state),
            Act::AcceptWhatIf => {
                return Reply::send(Message::Workflow(WorkflowMessage::AcceptWhatIf));
            }
            Act::TakeBack => return self.take_back(state),
            Act::AutoRun => return walks::walk_menu(facts, state),
            Act::StopWhen => {
                let tool =
                    (focus == Pane::Offers).then(|| self.offers.selected_tool(facts)).flatten();
                let selected =
                    (focus == Pane::Graph).then(|| self.graph.selected_state(facts)).flatten();
                let selected = selected.map(|row| facts.workflow.states()[row].clone());
                return walks::ask_stops(facts, state, tool, selected);
            }
            Act::CompareSteps => return self.run.toggle_mark(state),
            Act::Explain => {
                return match (
                    focus,
                    self.offers.selected_tool(facts),
                    self.graph.selected_state(facts),
                ) {
                    (Pane::Offers, Some(row), _) => about::tool_page(facts, row),
                    (Pane::Graph, _, Some(row)) => {
                        about::state_page(facts, &facts.workflow.states()[row].clone())
                    }
                    _ => about::request_page(facts, state),
                };
            }
            Act::Question => return keep::ask_question(state),
            Act::KeepRun => return keep::save_scenario(state),
            Act::Scenarios => return keep::scenario_menu(state),
            _ => return self.graph.handle_action(act, facts),
        }
        Reply::Handled
    }

    fn refusal_reason(&self, act: Act, state: &State) -> Option<String> {
        let facts = self.facts.as_ref()?;
        if let Some(why) = self.compose_refusal(act, facts, state) {
            return Some(why.to_owned());
        }
        let offered = self.offers.selected_offered(facts);
        let words = match act {
            Act::StepFailed | Act::StepLive if !offered => "choose an available tool first",
            Act::StepLive if state.workflow.live.is_some() => "a live step is under way",
            Act::ApplyChange if state.workflow.what_if.is_some() && offered => return None,
            Act::AcceptWhatIf if state.workflow.what_if.is_none() => {
                "there is no what-if: w begins one"
            }
            Act::WhatIf if state.workflow.live.is_some() => "a live step is under way",
            Act::Step | Act::StepLive | Act::StepFailed
                if state.workflow.what_if.is_some() && self.focused_pane() == Pane::Offers =>
            {
                "a what-if takes no steps: W makes it, Esc takes it back"
            }
            Act::TryHidden if state.workflow.what_if.is_some() => {
                "a what-if takes no steps: W makes it, Esc takes it back"
            }
            Act::TryHidden if offered => "this tool is available: Enter takes it",
            Act::KeepRun
                if state.workflow.simulation.current_step().is_none()
                    && state.workflow.simulation.refused_attempts().is_empty() =>
            {
                "the run has no step yet"
            }
            Act::ApplyChange if self.offers.chosen_change(facts).is_none() => {
                "choose a hidden tool first"
            }
            Act::StepBack if state.workflow.simulation.current_step().is_none() => {
                "this is the start of the run"
            }
            Act::Branches if state.workflow.simulation.branches().len() < 2 => {
                "this run has no other way yet: go back a step and take another tool"
            }
            Act::RestartRun if state.workflow.simulation.steps().next().is_none() => {
                "the run has no step yet"
            }
            Act::ChangeUser if state.workflow.profiles.is_empty() => {
                "the workspace has no user profiles"
            }
            Act::SetStart if self.graph.selected_state(facts).is_none() => "there is no state",
            Act::EditTool if self.offers.selected_tool(facts).is_none() => {
                "there is no tool to edit"
            }
            _ => return None,
        };
        Some(words.to_owned())
    }

    fn hinted_actions(&self, state: &State) -> Vec<Act> {
        if self.matrix.is_open() {
            return matrix::HINTS.to_vec();
        }
        let offered = self.facts.as_ref().is_some_and(|facts| self.offers.selected_offered(facts));
        if state.workflow.what_if.is_some() {
            let change =
                if self.focused_pane() == Pane::Request { Act::Tick } else { Act::ApplyChange };
            return vec![change, Act::AcceptWhatIf, Act::TakeBack, Act::NextPane];
        }
        let mut hints =
            if state.workflow.live.is_some() { vec![Act::TakeBack] } else { Vec::new() };
        hints.extend(match self.focused_pane() {
            Pane::Request => vec![Act::Tick, Act::AllGroups, Act::NewGroup, Act::ChangeUser],
            Pane::Graph if self.compose.is_drawing() => vec![Act::Step, Act::NewState, Act::Find],
            Pane::Graph => {
                let own = [
                    Act::EditMenu,
                    Act::DrawArrow,
                    Act::NewState,
                    Act::Step,
                    Act::SetStart,
                    Act::Find,
                    Act::NextArrow,
                ];
                own.into_iter()
                    .chain([Act::OpenPart, Act::ZoomIn, Act::ZoomOut, Act::Legend])
                    .collect()
            }
            Pane::Offers if offered => vec![Act::Step, Act::StepLive, Act::StepFailed],
            Pane::Offers => vec![Act::ApplyChange, Act::TryHidden],
            Pane::Run => vec![Act::Step, Act::CompareSteps, Act::Branches],
        });
        if state.workflow.simulation.steps().next().is_some() {
            hints.extend([Act::StepBack, Act::KeepRun]);
        }
        hints.extend([
            Act::NextPane,
            Act::ShowMatrix,
            Act::Explain,
            Act::WhatIf,
            Act::AutoRun,
            Act::Scenarios,
            Act::StopWhen,
        ]);
        hints.extend([Act::RestartRun, Act::EditTool, Act::CopyRun]);
        hints
    }
}
