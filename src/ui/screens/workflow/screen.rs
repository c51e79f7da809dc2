//! The screen itself: its panes, which of them has the keys, and what keys and the mouse do there.

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

use super::{
    chain::Chain, compose::Compose, facts::Facts, graph::Graph, matrix::Matrix, offers::Offers,
    request::Request, run::Run, scene::Scene,
};
use crate::{
    app::{
        input::{Code, Key, Mouse, MouseKind},
        message::Message,
        state::State,
        workflow::WorkflowMessage,
    },
    ui::{
        view::{Look, Reply, Target},
        widgets::panes::{Panes, Step},
    },
};

/// A pane of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    Request,
    Graph,
    Offers,
    Run,
}

const ABOVE: [Pane; 3] = [Pane::Request, Pane::Graph, Pane::Offers];
/// The place of the tools among them.
pub(super) const TOOLS: usize = 2;
/// The row of the states, or of a tool's steps in their place.
pub(super) const GRAPH: usize = 1;

pub(crate) struct WorkflowScreen {
    pub(super) panes: Panes,
    /// The run has the keys; what is above keeps its own focus.
    pub(super) in_run: bool,
    pub(super) run_area: Rect,
    /// All of it.
    pub(super) area: Rect,
    pub(super) facts: Option<Facts>,
    pub(super) request: Request,
    pub(super) graph: Graph,
    pub(super) chain: Chain,
    pub(super) offers: Offers,
    pub(super) run: Run,
    pub(super) compose: Compose,
    pub(super) matrix: Matrix,
}

impl WorkflowScreen {
    /// Whether an arrow of the picture is chosen.
    pub(super) fn is_on_arrow(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| self.graph.selected_edge(facts).is_some())
    }

    /// Whether a change is tried before it is made.
    pub(super) fn is_trying(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.difference.is_some())
    }

    /// The pane at whose foot what was changed is saved or applied.
    pub(super) fn save_area(&self) -> Rect {
        if self.matrix.is_open() { self.area } else { self.run_area }
    }

    #[must_use]
    pub fn new() -> Self {
        let mut panes = Panes::default();
        // The tools have the keys first, since taking a step is what one comes for.
        panes.focus = 2;
        Self {
            panes,
            in_run: false,
            run_area: Rect::default(),
            area: Rect::default(),
            facts: None,
            request: Request::default(),
            graph: Graph::default(),
            chain: Chain::default(),
            offers: Offers::default(),
            run: Run::default(),
            compose: Compose::default(),
            matrix: Matrix::default(),
        }
    }

    pub(super) fn focused_pane(&self) -> Pane {
        if self.in_run { Pane::Run } else { ABOVE[self.panes.focus.min(2)] }
    }

    pub(super) fn focus_pane(&mut self, pane: Pane) {
        self.in_run = pane == Pane::Run;
        if let Some(at) = ABOVE.iter().position(|above| *above == pane) {
            self.panes.focus = at;
        }
    }

    pub(super) fn move_focus(&mut self, step: Step) {
        match (self.in_run, step, self.panes.focus) {
            (true, Step::Next, _) => (self.in_run, self.panes.focus) = (false, 0),
            (true, Step::Previous, _) => (self.in_run, self.panes.focus) = (false, 2),
            (false, Step::Next, 2) | (false, Step::Previous, 0) => self.in_run = true,
            (false, step, _) => self.panes.step(step),
        }
    }

    /// Puts the cursor of its pane on something of that name; whether it is there.
    pub(super) fn point_at_name(&mut self, target: &Target) -> bool {
        let Some(mut facts) = self.facts.take() else { return false };
        let pane = match target {
            Target::Tool(id) => self.offers.point_at(id, &mut facts).then_some(Pane::Offers),
            Target::Group(name) => self.request.point_at(name, &facts).then_some(Pane::Request),
            Target::State(name) => facts.workflow.state_row(name).map(|row| {
                self.graph.select(row, &facts);
                Pane::Graph
            }),
            Target::Conversation(_) | Target::Form(_) => None,
        };
        self.facts = Some(facts);
        if let Some(pane) = pane {
            if self.matrix.is_open() {
                self.matrix.close();
            }
            self.focus_pane(pane);
        }
        pane.is_some()
    }

    /// What is narrowed or tried is no longer, the innermost first; else one pane back.
    pub(super) fn take_back(&mut self, state: &State) -> Reply {
        if let (Some(facts), true) = (&self.facts, self.offers.find().is_open()) {
            self.offers.show_all(facts);
            return Reply::Handled;
        }
        if state.workflow.what_if.is_some() {
            return Reply::send(Message::Workflow(WorkflowMessage::DropWhatIf));
        }
        // In the picture an arrow, then a state, is no longer chosen.
        match self.pane_key(Key::plain(Code::Esc), state) {
            Reply::Ignored if self.panes.go_back() => Reply::Handled,
            Reply::Ignored if state.workflow.live.is_some() => {
                Reply::Refused(format!("{} stops the call", state.keymap.way_to("stop-live")))
            }
            Reply::Ignored => Reply::Refused("there is no what-if to cancel".into()),
            other => other,
        }
    }

    pub(super) fn pane_key(&mut self, key: Key, state: &State) -> Reply {
        let focus = self.focused_pane();
        let Some(facts) = &mut self.facts else { return Reply::Ignored };
        if self.matrix.is_open() {
            return self.matrix.handle_key(key, facts, state);
        }
        if focus == Pane::Graph && self.chain.is_open() {
            return self.chain.handle_key(key);
        }
        match focus {
            Pane::Request => self.request.handle_key(key, facts, state),
            Pane::Graph => self.graph.handle_key(key, facts, state),
            Pane::Offers => self.offers.handle_key(key, facts),
            Pane::Run => self.run.handle_key(key, state),
        }
    }

    pub(super) fn handle_mouse(&mut self, mouse: Mouse, state: &State) -> Reply {
        if let Some(facts) = self.facts.as_ref().filter(|_| self.matrix.is_open()) {
            return self.matrix.handle_mouse(mouse, facts, state);
        }
        let over_run = self.run_area.contains((mouse.column, mouse.row).into());
        let pressed = matches!(mouse.kind, MouseKind::Down(_));
        let pane = if over_run { None } else { self.panes.handle_mouse(mouse) };
        if pressed {
            self.in_run = over_run;
        }
        let Some(facts) = &mut self.facts else { return Reply::Handled };
        if over_run {
            return self.run.handle_mouse(mouse, state);
        }
        if pane == Some(1) && self.chain.is_open() {
            return self.chain.handle_mouse(mouse);
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

    pub(super) fn sync_panes(&mut self, state: &State) {
        if self.facts.as_ref().is_none_or(|facts| !facts.is_of(state)) {
            let facts = Facts::from_state(state, self.facts.as_ref());
            if let Some(before) = &self.facts {
                let focused = self.focused_pane() == Pane::Graph && !self.matrix.is_open();
                self.graph.follow_facts(before, &facts, focused, state);
                self.compose.follow_facts(before, &facts);
            }
            self.offers.follow_facts(self.facts.as_ref(), &facts, state);
            self.facts = Some(facts);
        }
        if let Some(facts) = self.facts.as_ref().filter(|_| self.matrix.is_open()) {
            self.matrix.sync_facts(facts, state);
        }
        self.run.follow_simulation(state);
        self.chain.sync_state(state);
    }

    pub(super) fn draw_panes(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        look: Look<'_>,
        state: &State,
    ) {
        let focus = self.focused_pane();
        self.area = area;
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
        let run_height = match self.in_run && self.panes.is_zoomed() {
            true => area.height,
            false => Run::height(area, state),
        };
        let above = Rect { height: area.height - run_height, ..area };
        self.run_area = Rect { y: above.bottom(), height: run_height, ..area };
        let names = [
            "Request".to_owned(),
            if self.chain.is_open() { "Steps" } else { "States" }.to_owned(),
            format!("Tools {}", facts.split.available.len()),
        ];
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.panes.elsewhere = self.in_run.then_some("Run");
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
            let (buffer, scene) = (frame.buffer_mut(), scene(Pane::Graph));
            if self.chain.is_open() {
                self.chain.draw(buffer, area, scene);
            } else {
                self.graph.draw(buffer, area, scene, facts);
                self.compose.draw(buffer, &self.graph, facts, scene);
            }
        }
        if let Some(area) = shown(2) {
            self.offers.draw(frame.buffer_mut(), area, scene(Pane::Offers), facts);
        }
        self.run.draw(frame.buffer_mut(), self.run_area, scene(Pane::Run), facts);
    }
}

impl Default for WorkflowScreen {
    fn default() -> Self {
        Self::new()
    }
}
