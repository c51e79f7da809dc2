//! The run so far: each step of the present branch, to go back to; other branches are counted and can be gone to.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::scene::Scene;
use crate::{
    app::{
        input::{Key, Mouse, MouseKind},
        message::Message,
        state::State,
    },
    engine::simulate::run::{Simulation, StepId},
    model::call::Outcome,
    ui::{
        canvas::Pen,
        styles::Role,
        view::Reply,
        widgets::{list::ListCursor, pane::Pane},
    },
};

#[derive(Default)]
pub struct Run {
    cursor: ListCursor,
    rows: Rect,
    /// Where the run stood when last drawn; the cursor follows when it moves.
    stood: Option<(Option<StepId>, usize)>,
}

/// The places of the present branch: the start, then each step.
fn places(simulation: &Simulation) -> Vec<Option<StepId>> {
    std::iter::once(None).chain(simulation.current_branch().into_iter().map(Some)).collect()
}

impl Run {
    /// How much room the run takes below the other panes.
    pub fn height(area: Rect, state: &State) -> u16 {
        let steps = u16::try_from(state.simulation.current_branch().len()).unwrap_or(u16::MAX);
        let most = (area.height / 4).max(4);
        (steps.saturating_add(3)).clamp(3, most)
    }

    /// Moves the cursor to where the run stands, when that has changed.
    pub fn follow(&mut self, state: &State) {
        let stands = (state.simulation.at(), state.simulation.steps().count());
        if self.stood != Some(stands) {
            self.stood = Some(stands);
            self.cursor.row = places(&state.simulation).iter().position(|place| *place == stands.0).unwrap_or(0);
        }
    }

    pub fn key(&mut self, key: Key, state: &State) -> Reply {
        if self.cursor.key(key, places(&state.simulation).len()) { Reply::Handled } else { Reply::Ignored }
    }

    pub fn mouse(&mut self, mouse: Mouse, state: &State) -> Reply {
        let hit = self.cursor.mouse(mouse, self.rows, places(&state.simulation).len());
        if hit.is_some() && matches!(mouse.kind, MouseKind::Down(_)) { self.enter(state) } else { Reply::Handled }
    }

    /// Goes to the step under the cursor.
    pub fn enter(&self, state: &State) -> Reply {
        match places(&state.simulation).get(self.cursor.row) {
            Some(place) => Reply::send(Message::StepTo(*place)),
            None => Reply::Handled,
        }
    }

    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, scene: Scene<'_>) {
        let Scene { styles, state, focused } = scene;
        let simulation = &state.simulation;
        let places = places(simulation);
        let title = format!("Run {}", places.len() - 1);
        let note = branch_words(simulation);
        let inside = Pane { title: &title, note: &note, focused, ..Pane::default() }.draw(buffer, area, styles);
        self.rows = inside;
        for (line, row) in self.cursor.window(places.len(), inside.height).enumerate() {
            let here = places[row] == simulation.at();
            let ground = scene.ground(focused && row == self.cursor.row);
            let on = |role: Role| ground.of(role);
            let mut pen = Pen::new(buffer, inside, u16::try_from(line).unwrap_or(0));
            pen.put(if here { " ▶ " } else { "   " }, on(Role::Accent));
            match places[row].and_then(|id| simulation.step(id)) {
                None => {
                    pen.put(simulation.start().state(), on(if here { Role::StateCurrent } else { Role::State }));
                    if let Some(live) = state.live.as_ref().filter(|live| live.at.is_none()) {
                        draw_live(&mut pen, state, live, on(Role::Warning));
                    } else if places.len() == 1 {
                        pen.put("   choose a tool and press Enter", on(Role::Dim));
                    }
                }
                Some(step) => {
                    let (sign, role) = match step.outcome {
                        Outcome::Succeeded => ("✓", Role::Success),
                        _ => ("✗", Role::Error),
                    };
                    pen.put(&format!("{row:>2} "), on(Role::Dim)).put(sign, on(role)).put(" ", on(Role::Text));
                    pen.put(&step.tool, on(Role::Text)).put("  ", on(Role::Text));
                    pen.put(&step.before, on(Role::State)).put(" → ", on(Role::Transition));
                    pen.put(&step.after, on(if here { Role::StateCurrent } else { Role::State }));
                    let all =
                        step.offer.available.len() + step.offer.filtered_by_group.len() + step.offer.filtered_by_state.len();
                    let mut words = format!("   {} of {all} available", step.offer.available.len());
                    if step.outcome != Outcome::Succeeded {
                        words.push_str(&format!(" · {}", step.outcome.word()));
                    }
                    if step.call.is_some() {
                        words.push_str(&format!(" · live, {} ms", step.took_ms));
                    }
                    let ways = simulation.next(places[row]).count();
                    if ways > 1 {
                        words.push_str(&format!(" · {ways} ways from here"));
                    }
                    pen.put(&words, on(Role::Dim));
                    if let Some(live) = state.live.as_ref().filter(|live| live.at == places[row]) {
                        draw_live(&mut pen, state, live, on(Role::Warning));
                    }
                }
            }
            pen.fill(on(Role::Text));
        }
    }
}

fn draw_live(pen: &mut Pen<'_>, state: &State, live: &crate::app::state::LiveStep, style: Style) {
    let name = state.catalog.tool(&live.tool).map_or("a tool", |tool| &tool.entry.key);
    pen.put(&format!("   ◐ {name} is being called; 3 shows the answer"), style);
}

fn branch_words(simulation: &Simulation) -> String {
    let branches = simulation.branches();
    let present = simulation.current_branch();
    match branches.iter().position(|branch| branch.steps == present) {
        Some(at) if branches.len() > 1 => format!("way {} of {}", at + 1, branches.len()),
        _ => String::new(),
    }
}

/// Goes to the end of the next branch.
pub fn next_branch(state: &State) -> Reply {
    let branches = state.simulation.branches();
    let present = state.simulation.current_branch();
    let at = branches.iter().position(|branch| branch.steps == present).unwrap_or(0);
    match branches.get((at + 1) % branches.len().max(1)) {
        Some(branch) => Reply::send(Message::StepTo(Some(branch.last))),
        None => Reply::Refused("this run has no step yet".into()),
    }
}
