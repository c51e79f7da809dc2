//! The run as a timeline: each step of the present way, what was refused on it, the other ways; and
//! beside it what the chosen one is about.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{
    detail::{self, Detail},
    facts::Facts,
    scene::Scene,
};
use crate::{
    app::{
        input::{Key, Mouse, MouseKind},
        message::Message,
        state::State,
        workflow::{LiveStep, WorkflowMessage},
    },
    engine::{
        filter::{Filter, check_permission, join_names, next_state},
        gated::row_of,
        simulate::run::{Branch, Refused, Simulation, Step, StepId},
    },
    model::{
        call::{Call, CallId, Outcome},
        context::Context,
    },
    ui::{
        canvas::Pen,
        styles::Role,
        view::Reply,
        widgets::{list::ListCursor, pane::Pane},
    },
};

#[derive(Default)]
pub(crate) struct Run {
    cursor: ListCursor,
    rows: Rect,
    /// Where the run stood when last drawn; the cursor follows when it moves.
    stood: Option<(Option<StepId>, usize)>,
    /// The place that others are compared with.
    marked: Option<Option<StepId>>,
    detail: Detail,
    /// Where what the row is about is.
    beside: Rect,
}

/// A row of the timeline.
enum Row<'r> {
    /// The start, or a step of the present way.
    Place(Option<StepId>),
    /// What was tried there in vain.
    Refused(&'r Refused),
    /// Another way, by its place among all.
    Way(usize, Branch),
}

fn timeline_rows(simulation: &Simulation) -> Vec<Row<'_>> {
    let present = simulation.current_branch();
    let mut rows = Vec::new();
    for place in std::iter::once(None).chain(present.iter().copied().map(Some)) {
        rows.push(Row::Place(place));
        rows.extend(
            simulation
                .refused_attempts()
                .iter()
                .filter(|refused| refused.after == place)
                .map(Row::Refused),
        );
    }
    let others =
        simulation.branches().into_iter().enumerate().filter(|(_, branch)| branch.steps != present);
    rows.extend(others.map(|(at, branch)| Row::Way(at, branch)));
    rows
}

impl Row<'_> {
    /// The place that Enter goes to.
    fn target_step(&self) -> Option<StepId> {
        match self {
            Self::Place(place) => *place,
            Self::Refused(refused) => refused.after,
            Self::Way(_, branch) => Some(branch.last),
        }
    }
}

impl Run {
    /// How much room the run takes below the other panes.
    pub fn height(area: Rect, state: &State) -> u16 {
        let simulation = &state.workflow.simulation;
        let rows = simulation.current_branch().len()
            + simulation.refused_attempts().len()
            + simulation.branches().len();
        let is_live = state.workflow.live.is_some()
            || simulation.steps().any(|(_, step)| step.call.is_some());
        let (least, most) = match (state.workflow.what_if.is_some(), is_live) {
            (true, _) | (_, true) => (7, (area.height / 3).max(7)),
            (false, false) => (3, (area.height / 4).max(4)),
        };
        u16::try_from(rows)
            .unwrap_or(u16::MAX)
            .saturating_add(3)
            .clamp(least, most)
            .min(area.height.saturating_sub(5).max(3))
    }

    /// Moves the cursor to where the run is, when that has changed.
    pub fn follow_simulation(&mut self, state: &State) {
        let stands = (
            state.workflow.simulation.current_step(),
            state.workflow.simulation.steps().count()
                + state.workflow.simulation.refused_attempts().len(),
        );
        if self.stood != Some(stands) {
            let was_there = |place: Option<StepId>| {
                place.is_none_or(|id| state.workflow.simulation.step(id).is_some())
            };
            self.marked = self.marked.filter(|place| was_there(*place));
            let is_refused =
                self.stood.is_some_and(|(at, count)| at == stands.0 && count + 1 == stands.1);
            self.stood = Some(stands);
            let here = |row: &Row<'_>| match row {
                Row::Place(place) => *place == stands.0,
                // What was just refused is what one wants to read.
                Row::Refused(refused) => is_refused && refused.after == stands.0,
                Row::Way(..) => false,
            };
            self.cursor.row =
                timeline_rows(&state.workflow.simulation).iter().rposition(here).unwrap_or(0);
        }
    }

    pub fn handle_key(&mut self, key: Key, state: &State) -> Reply {
        if self.cursor.handle_key(key, timeline_rows(&state.workflow.simulation).len()) {
            Reply::Handled
        } else {
            Reply::Ignored
        }
    }

    pub fn handle_mouse(&mut self, mouse: Mouse, state: &State) -> Reply {
        if self.beside.contains((mouse.column, mouse.row).into()) {
            if let MouseKind::Wheel(notches) = mouse.kind {
                self.detail.scroll(notches);
            }
            return Reply::Handled;
        }
        let hit = self.cursor.handle_mouse(
            mouse,
            self.rows,
            timeline_rows(&state.workflow.simulation).len(),
        );
        if hit.is_some() && matches!(mouse.kind, MouseKind::Down(_)) {
            self.handle_enter(state)
        } else {
            Reply::Handled
        }
    }

    /// Goes to the step under the cursor, or to the end of that way.
    pub fn handle_enter(&self, state: &State) -> Reply {
        match timeline_rows(&state.workflow.simulation).get(self.cursor.row) {
            Some(row) => Reply::send(Message::Workflow(WorkflowMessage::StepTo(row.target_step()))),
            None => Reply::Handled,
        }
    }

    /// Compares other places with the one under the cursor from now on, or no longer.
    pub fn toggle_mark(&mut self, state: &State) -> Reply {
        let all = timeline_rows(&state.workflow.simulation);
        let Some(row) = all.get(self.cursor.row) else { return Reply::Handled };
        self.marked =
            if self.marked == Some(row.target_step()) { None } else { Some(row.target_step()) };
        Reply::Handled
    }

    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, scene: Scene<'_>, facts: &Facts) {
        let Scene { styles, state, focused } = scene;
        let simulation = &state.workflow.simulation;
        let all = timeline_rows(simulation);
        let title = match &state.workflow.what_if {
            Some(_) => "What if".to_owned(),
            None => format!("Run {}", simulation.current_branch().len()),
        };
        let note = if state.workflow.what_if.is_some() { String::new() } else { notes(state) };
        let inside = Pane { title: &title, note: &note, focused, ..Pane::default() }
            .draw(buffer, area, styles);
        if state.workflow.what_if.is_some() {
            (self.rows, self.beside) = (Rect::default(), Rect::default());
            detail::draw_what_if(buffer, inside, scene, facts);
            return;
        }
        self.layout_parts(inside, state);
        for (line, row) in self.cursor.visible_rows(all.len(), self.rows.height).enumerate() {
            let ground = scene.row_background(focused && row == self.cursor.row);
            let mut pen = Pen::new(buffer, self.rows, u16::try_from(line).unwrap_or(0));
            let on = |role: Role| ground.role_style(role);
            let is_here =
                matches!(all[row], Row::Place(place) if place == simulation.current_step());
            pen.put_text(if is_here { " ▶ " } else { "   " }, on(Role::Accent));
            draw_row(&mut pen, &all[row], (state, facts), &on, self.marked);
            pen.fill_rest(on(Role::Text));
        }
        if self.beside.height > 0 {
            let edge = styles[if focused { Role::BorderFocus } else { Role::Border }];
            for line in 0..self.beside.height {
                let place = Rect { x: self.beside.x.saturating_sub(2), width: 1, ..self.beside };
                Pen::new(buffer, place, line).put_text("│", edge);
            }
            let place = all.get(self.cursor.row).map(Row::target_step).unwrap_or_default();
            let refused = match all.get(self.cursor.row) {
                Some(Row::Refused(refused)) => Some(*refused),
                _ => None,
            };
            let marked = self.marked.filter(|marked| *marked != place);
            self.detail.draw(
                buffer,
                self.beside,
                scene,
                facts,
                &detail::Subject { place, marked, refused },
            );
        }
    }

    /// Whether the step under the cursor was taken live.
    fn has_call(&self, simulation: &Simulation) -> bool {
        let place = timeline_rows(simulation).get(self.cursor.row).and_then(Row::target_step);
        place.and_then(|id| simulation.step(id)).is_some_and(|step| step.call.is_some())
    }

    /// The timeline at the left, what the row is about at the right; below each other where it is
    /// narrow.
    fn layout_parts(&mut self, inside: Rect, state: &State) {
        let wide = inside.width >= 96;
        if wide {
            let left = inside.width * 11 / 20;
            self.rows = Rect { width: left, ..inside };
            self.beside = Rect { x: inside.x + left + 2, width: inside.width - left - 2, ..inside };
        } else if inside.height >= 4
            && (state.workflow.live.is_some() || self.has_call(&state.workflow.simulation))
        {
            // What streams matters more than what was.
            let is_live = state.workflow.live.is_some();
            let height = if is_live { 1 } else { (inside.height - 3).min(2) };
            self.rows = Rect { height, ..inside };
            self.beside = Rect {
                x: inside.x + 2,
                width: inside.width.saturating_sub(2),
                y: inside.y + height,
                height: inside.height - height,
            };
        } else {
            self.rows = inside;
            self.beside = Rect::default();
        }
    }
}

fn notes(state: &State) -> String {
    let simulation = &state.workflow.simulation;
    let mut notes = Vec::new();
    if !state.workflow.stops.is_empty() {
        notes.push(format!("stops {}", state.workflow.stops.len()));
    }
    if !simulation.refused_attempts().is_empty() {
        notes.push(format!("refused {}", simulation.refused_attempts().len()));
    }
    let branches = simulation.branches();
    let present = simulation.current_branch();
    if let Some(at) =
        branches.iter().position(|branch| branch.steps == present).filter(|_| branches.len() > 1)
    {
        notes.push(format!("branch {} of {}", at + 1, branches.len()));
    }
    notes.join(" · ")
}

fn draw_row(
    pen: &mut Pen<'_>,
    row: &Row<'_>,
    (state, facts): (&State, &Facts),
    on: &impl Fn(Role) -> Style,
    marked: Option<Option<StepId>>,
) {
    let simulation = &state.workflow.simulation;
    match row {
        Row::Place(place) => {
            match place.and_then(|id| simulation.step(id)) {
                None => draw_start(pen, (state, facts), on),
                Some(step) => {
                    let changed = changed_since(step, state, facts);
                    draw_step(pen, *place, (step, changed), state, on);
                }
            }
            if let Some(live) = state.workflow.live.as_ref().filter(|live| live.at == *place) {
                draw_live(pen, state, live, on(Role::Warning));
            }
            if marked == Some(*place) {
                pen.put_text("  ◆ compared", on(Role::Accent));
            }
        }
        Row::Refused(refused) => {
            pen.put_text("   ⊘ ", on(Role::Error))
                .put_text(&refused.tool, on(Role::Text))
                .put_text(" refused  ", on(Role::Error));
            pen.put_text(&refused.cause.messages().join("; "), on(Role::Warning));
        }
        Row::Way(at, branch) => {
            let tools: Vec<&str> = branch
                .steps
                .iter()
                .filter_map(|id| simulation.step(*id))
                .map(|step| &*step.tool)
                .collect();
            let end = simulation.step(branch.last).map_or("", |step| &*step.after);
            pen.put_text(&format!("branch {}: ", at + 1), on(Role::Label))
                .put_text(&tools.join(", "), on(Role::Dim));
            pen.put_text(" → ", on(Role::Transition)).put_text(end, on(Role::State));
        }
    }
}

fn draw_start(pen: &mut Pen<'_>, (state, facts): (&State, &Facts), on: &impl Fn(Role) -> Style) {
    let simulation = &state.workflow.simulation;
    let here = simulation.current_step().is_none();
    pen.put_text(
        simulation.start().state(),
        on(if here { Role::StateCurrent } else { Role::State }),
    );
    if let Some(question) = simulation.question() {
        pen.put_text(&format!("   “{question}”"), on(Role::Dim));
    } else if simulation.steps().next().is_none() && state.workflow.live.is_none() {
        let is_denied =
            || check_permission(&state.workflow.profiles, &simulation.next_context()).is_err();
        let words = match state.catalog.tools.is_empty() {
            true => "no tools: n on Tools (1) makes one".to_owned(),
            false if is_denied() => {
                "the user's profile refuses the request: tick other groups".to_owned()
            }
            false if facts.split.available.is_empty() => {
                let apply = state.keymap.way_to("apply-change");
                format!("no tool available: tick a group or press {apply}")
            }
            false => "choose a tool and press Enter".to_owned(),
        };
        pen.put_text("   ", on(Role::Dim)).put_text(&words, on(Role::Dim));
    }
}

fn draw_step(
    pen: &mut Pen<'_>,
    place: Option<StepId>,
    (step, changed): (&Step, Option<&str>),
    state: &State,
    on: &impl Fn(Role) -> Style,
) {
    let simulation = &state.workflow.simulation;
    let here = place == simulation.current_step();
    let (sign, role) = match step.outcome {
        Outcome::Succeeded => ("✓", Role::Success),
        _ => ("✗", Role::Error),
    };
    let number = simulation.way_to(place).len();
    pen.put_text(&format!("{number:>2} "), on(Role::Dim))
        .put_text(sign, on(role))
        .put_text(" ", on(Role::Text));
    pen.put_text(&step.tool, on(Role::Text)).put_text("  ", on(Role::Text));
    if step.before == step.after {
        pen.put_text("stays ", on(Role::Dim));
    } else {
        pen.put_text(&step.before, on(Role::State)).put_text(" → ", on(Role::Transition));
    }
    pen.put_text(&step.after, on(if here { Role::StateCurrent } else { Role::State }));
    if let Some(why) = changed {
        pen.put_text("  ⚠ ", on(Role::Warning)).put_text(why, on(Role::Warning));
    }
    let offer = &step.offer;
    let all = offer.tool_count();
    let mut words = Vec::from_iter(changed_request(step, simulation));
    if step.outcome != Outcome::Succeeded {
        words.push(step.outcome.as_str().to_owned());
    }
    if let Some(call) = step.call {
        words.push(format!("{}, {} ms", call_kind(call, state), step.took_ms));
    }
    let ways = simulation.next_steps(place).count();
    if ways > 1 {
        words.push(format!("{ways} branches from here"));
    }
    words.push(format!("had {} of {all} tools", offer.available.len()));
    pen.put_text("   ", on(Role::Text)).put_text(&words.join(" · "), on(Role::Dim));
}

/// How the call of a step was made.
pub(super) fn call_kind(call: CallId, state: &State) -> &'static str {
    let is_mocked = state.invoke.calls.get(call).is_some_and(Call::is_mocked);
    if is_mocked { "mocked" } else { "live" }
}

/// The groups that a step was taken with, where they are others than before it.
fn changed_request(step: &Step, simulation: &Simulation) -> Option<String> {
    let parent = step.parent.and_then(|id| simulation.step(id));
    let before = parent.map_or(&simulation.start().groups, |parent| &parent.groups);
    let [before, now] = [before, &step.groups].map(|groups| {
        let context = Context { groups: groups.clone(), ..Context::default() };
        let mut groups = context.groups();
        groups.sort();
        groups
    });
    (before != now).then(|| match now.as_slice() {
        [] => "request changed: no group".to_owned(),
        groups => format!("request changed: {}", join_names(groups)),
    })
}

/// What has changed of the tools since a step, so that it can't be taken as it was.
fn changed_since(step: &Step, state: &State, facts: &Facts) -> Option<&'static str> {
    let Some(row) = row_of(facts.tools(), &step.tool) else { return Some("tool is gone") };
    let gate = &facts.tools()[row].gate;
    let user = state.workflow.simulation.start().user.clone();
    let context = Context { user, groups: step.groups.clone(), state: Some(step.before.clone()) };
    if !Filter::new(&context).admits(gate) {
        return Some("hidden now");
    }
    let leads = next_state(gate, &step.before, step.outcome, state.mode);
    (leads != step.after).then_some("leads elsewhere")
}

fn draw_live(pen: &mut Pen<'_>, state: &State, live: &LiveStep, style: Style) {
    let name = state.catalog.tool(&live.tool).map_or("a tool", |tool| &tool.entry.key);
    pen.put_text(&format!("   ◐ calling {name}"), style);
}

/// Goes to the end of the next branch.
pub(crate) fn next_branch(state: &State) -> Reply {
    let branches = state.workflow.simulation.branches();
    let present = state.workflow.simulation.current_branch();
    let at = branches.iter().position(|branch| branch.steps == present).unwrap_or(0);
    match branches.get((at + 1) % branches.len().max(1)) {
        Some(branch) => Reply::send(Message::Workflow(WorkflowMessage::StepTo(Some(branch.last)))),
        None => Reply::Refused("this run has no steps yet".into()),
    }
}

/// Whether the run, where it is now, went on with this tool the last time.
pub(super) fn takes_next(tool: &str, state: &State) -> bool {
    let run = &state.workflow.simulation;
    let next = run.next_steps(run.current_step()).next_back().and_then(|id| run.step(id));
    next.is_some_and(|step| &*step.tool == tool)
}
