//! The Workflow screen: the request at the left, the states in the middle, the tools at the right,
//! the run below.
//!
//! [`screen`] is the screen, [`actions`] what can be done on it. [`facts`] is what the four panes
//! read, computed once for each change of tools or context.
//! [`request`], [`graph`], [`offers`] and [`run`] are the panes, [`chain`] a tool's steps in place of
//! the states; each draws itself and says what a
//! key or a press on it asks for. [`copy`] is what can be taken elsewhere. [`compose`] draws arrows
//! on the picture; [`live`] asks before a call is sent for real; [`compose_menus`] and [`group_menus`] ask what composing has to know; [`matrix`] is the table in
//! place of the panes.

pub(crate) mod actions;

mod about;
mod as_lines;
mod chain;
pub(crate) mod chain_actions;
mod changes;
mod compose;
mod compose_menus;
mod copy;
mod detail;
mod facts;
mod graph;
mod group_menus;
mod keep;
mod live;
mod matrix;
pub(crate) mod matrix_actions;
mod matrix_draw;
mod matrix_mouse;
mod menu_rows;
mod offers;
mod refusals;
mod request;
mod run;
mod scenarios;
mod scene;
mod screen;
mod tries;
mod viewport;
mod walks;

use ratatui::{Frame, layout::Rect};

use self::screen::Pane;
pub(crate) use self::screen::WorkflowScreen;
use crate::{
    app::{
        actions::{ActionId, Scope},
        input::Input,
        moved::MovedEntries,
        state::State,
    },
    model::entry::EntryId,
    ui::{
        pasted,
        view::{Look, Reply, Screen, Target},
        widgets::{find_line::FIND_KEYS, panes::Panes},
    },
};

impl Screen for WorkflowScreen {
    fn follow_moved(&mut self, moved: &MovedEntries) {
        self.chain.follow_moved(moved);
    }

    fn sync_state(&mut self, state: &State) {
        self.sync_panes(state);
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        self.draw_panes(frame, area, look, state);
    }

    fn scopes(&self) -> Vec<Scope> {
        if self.matrix.is_open() {
            return vec![Scope::Matrix, Scope::Workflow];
        }
        let own = match self.focused_pane() {
            Pane::Request => Scope::Groups,
            Pane::Graph if self.chain.is_open() => Scope::Chain,
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
            Pane::Offers => self.offers.find().is_typing(),
            Pane::Graph => !self.chain.is_open() && self.graph.is_finding(),
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
            Input::Paste(text) if !self.is_typing() => pasted::paste_descriptors(text, state),
            Input::Paste(text) => match &self.facts {
                Some(facts) if self.focused_pane() == Pane::Graph && !self.chain.is_open() => {
                    self.graph.handle_paste(text, facts, state)
                }
                facts => self.offers.handle_paste(text, facts.as_ref()),
            },
        }
    }

    fn handle_action(&mut self, id: ActionId, state: &State) -> Reply {
        actions::perform_action(self, id, state)
    }

    fn refusal_reason(&self, id: ActionId, state: &State) -> Option<String> {
        actions::refusal_reason(self, id, state)
    }

    fn primary_button(&self, _: &State) -> Option<(ActionId, Rect)> {
        let hides = self.offers.selected_tool().is_some() && !self.offers.is_offered();
        if self.is_trying() {
            return Some(("what-if", self.save_area()));
        }
        let action = if hides { "apply-change" } else { "step" };
        let has_tools = self.facts.as_ref().is_some_and(|facts| !facts.tools().is_empty());
        (has_tools && !self.matrix.is_open()).then(|| (action, self.panes.area(2)))
    }

    fn save_button(&self) -> Option<Rect> {
        (!self.is_trying()).then(|| self.save_area())
    }

    fn panes(&mut self) -> Option<&mut Panes> {
        Some(&mut self.panes)
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        if self.matrix.is_open() {
            return Vec::new();
        }
        if self.focused_pane() == Pane::Graph && self.graph.is_finding() {
            return vec![("Enter", "select"), ("Esc", "cancel")];
        }
        if self.compose.is_drawing() && self.focused_pane() == Pane::Graph {
            return vec![("Enter", "draw arrow to it"), ("Esc", "cancel")];
        }
        match self.focused_pane() {
            Pane::Offers if self.is_typing() => FIND_KEYS.to_vec(),
            Pane::Offers if self.offers.find().is_narrowed() => vec![("Esc", "all tools")],
            _ => Vec::new(),
        }
    }

    fn hint_title(&self, action: ActionId, state: &State) -> Option<&'static str> {
        let is_trying = state.workflow.what_if.is_some();
        match action {
            "what-if" if is_trying => Some("apply"),
            "apply-change" if is_trying => Some("change…"),
            "delete-state" if self.is_on_arrow() => Some("delete arrow"),
            _ => None,
        }
    }

    fn hinted_actions(&self, state: &State) -> Vec<ActionId> {
        if self.matrix.is_open() {
            return matrix_actions::matrix_hints(state);
        }
        let is_drawing = self.compose.is_drawing() && self.focused_pane() == Pane::Graph;
        if is_drawing || self.is_typing() {
            return if is_drawing { vec!["new-state"] } else { Vec::new() };
        }
        let offered = self.offers.is_offered();
        if state.workflow.what_if.is_some() {
            let change = if self.focused_pane() == Pane::Request { "tick" } else { "apply-change" };
            return vec![change, "what-if", "take-back", "next-pane"];
        }
        let mut hints = if state.workflow.live.is_some() { vec!["stop-live"] } else { Vec::new() };
        hints.extend(match self.focused_pane() {
            Pane::Request => vec!["tick", "all-groups", "new-group", "user"],
            Pane::Graph if self.chain.is_open() => chain_actions::HINTS.to_vec(),
            Pane::Graph if self.is_on_arrow() => {
                vec!["arrows", "delete-state", "next-arrow", "previous-arrow", "draw", "edit-menu"]
            }
            Pane::Graph => {
                let own =
                    ["edit-menu", "draw", "new-state", "step", "set-start", "find", "next-arrow"];
                own.into_iter().chain(["open", "zoom-in", "zoom-out", "signs"]).collect()
            }
            Pane::Offers if offered => vec!["step", "step-live", "step-failed"],
            Pane::Offers => vec!["apply-change", "try-hidden"],
            Pane::Run => vec!["step", "compare-steps", "branches"],
        });
        if self.focused_pane() == Pane::Offers
            && chain_actions::steps_refusal(self, state).is_none()
        {
            hints.push("show-steps");
        }
        if state.workflow.simulation.steps().next().is_some() {
            hints.extend(["step-back", "keep-run"]);
        }
        if state.documents.changed_files().next().is_some() {
            hints.push("undo");
        }
        hints.extend([
            "next-pane",
            "matrix",
            "explain",
            "what-if",
            "auto-run",
            "scenarios",
            "stop-when",
        ]);
        hints.extend(["restart-run", "edit-tool", "copy-run"]);
        hints
    }

    fn point_at(&mut self, target: &Target, _: &State) -> bool {
        self.point_at_name(target)
    }

    fn pointed_tool(&self) -> Option<EntryId> {
        let facts = self.facts.as_ref()?;
        facts.tool_id(self.offers.selected_tool()?).cloned()
    }

    fn detail_lines(&self, state: &State) -> Vec<String> {
        self.facts.as_ref().map(|facts| as_lines::workflow_lines(facts, state)).unwrap_or_default()
    }

    fn summary_lines(&self, state: &State) -> Option<Vec<String>> {
        Some(as_lines::summary_lines(self.facts.as_ref()?, state))
    }

    fn part_lines(&self, part: &str, state: &State) -> Option<Vec<String>> {
        as_lines::part_lines(part, self.facts.as_ref()?, state)
    }

    fn changed_lines(&self, before: &[String], state: &State) -> Vec<String> {
        as_lines::changed_lines(before, &self.detail_lines(state))
    }
}
