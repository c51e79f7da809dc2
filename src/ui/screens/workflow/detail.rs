//! What a place of the run is about: a live answer as it comes, what a step changed, two places
//! compared, why a step was refused; and what a what-if would do.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{facts::Facts, scene::Scene};
use crate::{
    app::state::State,
    engine::{
        explain::difference::Turn,
        filter::{self, check_permission},
        gated::{Gated, row_of},
        simulate::run::{Refused, Step, StepId},
    },
    model::{
        call::{Call, CallId, CallState},
        context::{Context, Name},
    },
    ui::{
        canvas::{Pen, wrap},
        line_wrap::{RowWidths, wrap_styled},
        styles::Role,
        widgets::text_view::TextView,
    },
};

#[derive(Default)]
pub(crate) struct Detail {
    text: TextView,
    /// The call that is shown.
    call: Option<CallId>,
    /// Lines that were scrolled past, where it is no call.
    top: usize,
    /// What the scroll is of.
    of: Option<StepId>,
    notches: i16,
}

/// What is asked about.
pub(crate) struct Subject<'s> {
    pub place: Option<StepId>,
    /// What the place is compared with.
    pub marked: Option<Option<StepId>>,
    pub refused: Option<&'s Refused>,
}

pub(crate) type Line = Vec<(Role, String)>;

impl Detail {
    pub fn scroll(&mut self, notches: i16) {
        self.notches = self.notches.saturating_add(notches);
    }

    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        scene: Scene<'_>,
        facts: &Facts,
        subject: &Subject<'_>,
    ) {
        let state = scene.state;
        let of_step = subject
            .place
            .and_then(|id| state.workflow.simulation.step(id))
            .and_then(|step| step.call);
        let live = state.workflow.live.as_ref().map(|live| live.call);
        let call =
            live.or(of_step.filter(|_| subject.marked.is_none() && subject.refused.is_none()));
        match call.and_then(|id| state.invoke.calls.get(id)) {
            Some(call) => self.draw_call(buffer, area, scene, call),
            None => {
                self.draw_lines(
                    buffer,
                    area,
                    scene,
                    subject.place,
                    &place_lines(state, facts, subject),
                );
            }
        }
    }

    fn draw_lines(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        scene: Scene<'_>,
        of: Option<StepId>,
        lines: &[Line],
    ) {
        if self.of != of {
            (self.of, self.top) = (of, 0);
        }
        let by = usize::from(self.notches.unsigned_abs());
        self.top = if self.notches < 0 { self.top.saturating_sub(by) } else { self.top + by };
        self.notches = 0;
        let wrapped: Vec<Line> = lines
            .iter()
            .flat_map(|line| wrap_styled(line, RowWidths::all(usize::from(area.width))))
            .collect();
        self.top = self.top.min(wrapped.len().saturating_sub(usize::from(area.height)));
        for (row, line) in (0..area.height).zip(wrapped.iter().skip(self.top)) {
            let mut pen = Pen::new(buffer, area, row);
            for (role, words) in line {
                pen.put_text(words, scene.styles[*role]);
            }
        }
        if self.top + usize::from(area.height) < wrapped.len() && area.width > 0 {
            let last = area.height.saturating_sub(1);
            let end = Rect { x: area.right() - 1, width: 1, ..area };
            Pen::new(buffer, end, last).put_text("…", scene.styles[Role::Dim]);
        }
    }

    fn draw_call(&mut self, buffer: &mut Buffer, area: Rect, scene: Scene<'_>, call: &Call) {
        if self.call != Some(call.id) {
            self.call = Some(call.id);
            self.text.reset(true);
        }
        if self.notches != 0 {
            self.text.scroll(&call.text, isize::from(std::mem::take(&mut self.notches)) * 2);
        }
        let styles = scene.styles;
        let chunks = match call.chunks {
            1 => "1 chunk".to_owned(),
            count => format!("{count} chunks"),
        };
        let (words, role) = match &call.state {
            CallState::Opening => ("◐ connecting".to_owned(), Role::Warning),
            CallState::Waiting => ("◐ waiting for the answer".to_owned(), Role::Warning),
            CallState::Streaming => (format!("◐ streaming · {chunks}"), Role::Warning),
            CallState::Ended { outcome, at_ms, .. } => {
                let took = call.since_sent(*at_ms);
                let role =
                    if outcome.as_str() == "succeeded" { Role::Success } else { Role::Error };
                (format!("{} · {chunks} · {took} ms", outcome.as_str()), role)
            }
        };
        let mut pen = Pen::new(buffer, area, 0);
        pen.put_text(&call.request.name, styles[Role::Title])
            .put_text("  ", styles[Role::Text])
            .put_text(&words, styles[role]);
        if call.outcome().is_none() {
            pen.put_text("  Ctrl+X stops it", styles[Role::Dim]);
        }
        let mut below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        if let CallState::Ended { problem: Some(problem), .. } = &call.state {
            let told = problem.words();
            let lines = wrap(&told, usize::from(area.width));
            for line in lines.iter().take(usize::from(below.height)) {
                Pen::new(buffer, below, 0).put_text(line, styles[Role::Error]);
                below = Rect { y: below.y + 1, height: below.height.saturating_sub(1), ..below };
            }
        }
        if below.height > 0 {
            self.text.draw(&call.text, buffer, below, styles);
        }
    }
}

/// What a what-if is about and would do; nothing where there is none.
pub(crate) fn what_if_lines(state: &State, facts: &Facts) -> Vec<Line> {
    let Some(what_if) = &state.workflow.what_if else { return Vec::new() };
    let mut lines: Vec<Line> = Vec::new();
    let present = state.context();
    let groups = Turn::between(&present.groups(), &facts.context.groups());
    if !groups.is_none() {
        lines.push(turn_line("groups requested", &groups));
    }
    for (tool, edit) in &what_if.edits {
        let key = state.catalog.tool(tool).map_or("a tool", |tool| &tool.entry.key);
        lines.push(vec![(Role::Label, format!("{key}: ")), (Role::Changed, edit.description())]);
    }
    if lines.is_empty() {
        let words = "tick a group, or change groups and states of a tool in the matrix (v): \
                     changes are previewed here";
        lines.push(vec![(Role::Dim, words.to_owned())]);
    } else if let Some(difference) = &facts.difference {
        if difference.is_none() {
            lines.push(vec![(Role::Dim, "no tool or state changes".to_owned())]);
        }
        for (label, turn) in [
            ("available now", &difference.available),
            ("ever available", &difference.runnable),
            ("states reached", &difference.states),
        ] {
            if !turn.is_none() {
                lines.push(turn_line(label, turn));
            }
        }
    }
    lines
}

/// Draws what a what-if is about and would do.
pub(crate) fn draw_what_if(buffer: &mut Buffer, area: Rect, scene: Scene<'_>, facts: &Facts) {
    let lines = what_if_lines(scene.state, facts);
    let wrapped =
        lines.iter().flat_map(|line| wrap_styled(line, RowWidths::all(usize::from(area.width))));
    for (row, line) in (0..area.height).zip(wrapped) {
        let mut pen = Pen::new(buffer, area, row);
        for (role, words) in &line {
            pen.put_text(words, scene.styles[*role]);
        }
    }
}

fn turn_line(label: &str, turn: &Turn) -> Line {
    let mut line = vec![(Role::Label, format!("{label}: "))];
    if !turn.gained.is_empty() {
        line.push((Role::Added, format!("+ {}  ", filter::join_names(&turn.gained))));
    }
    if !turn.lost.is_empty() {
        line.push((Role::Removed, format!("− {}", filter::join_names(&turn.lost))));
    }
    line
}

/// What is said of a place where nothing was called.
fn place_lines(state: &State, facts: &Facts, subject: &Subject<'_>) -> Vec<Line> {
    if let Some(refused) = subject.refused {
        return refused_lines(state, facts, refused);
    }
    let here = available_at(state, facts, subject.place);
    if let Some(marked) = subject.marked {
        let there = available_at(state, facts, marked);
        let both: Vec<Name> = here.iter().filter(|key| there.contains(key)).cloned().collect();
        let title =
            format!("{} against {}", place_words(state, subject.place), place_words(state, marked));
        return vec![
            vec![(Role::Heading, title)],
            turned_or_same("available", &Turn::between(&there, &here)),
            vec![(Role::Label, "in both: ".into()), (Role::Text, list_names(&both))],
        ];
    }
    match subject.place.and_then(|id| state.workflow.simulation.step(id)) {
        Some(step) => {
            // Groups that were ticked since are not what the step changed.
            let after = available_in(facts, &after_step(state, step));
            vec![
                vec![(Role::Heading, format!("what {} changed", step.tool))],
                turned_or_same("available", &Turn::between(&step.offer.available, &after)),
                vec![(Role::Label, "now: ".into()), (Role::Text, list_names(&here))],
            ]
        }
        None => {
            let mut lines = Vec::new();
            if let Some(question) = state.workflow.simulation.question() {
                lines.push(vec![
                    (Role::Label, "question: ".into()),
                    (Role::Text, question.to_owned()),
                ]);
            }
            lines.push(vec![(Role::Label, "available: ".into()), (Role::Text, list_names(&here))]);
            let denied = facts.denied.iter().filter(|_| subject.place.is_none());
            lines.extend(denied.map(|words| vec![(Role::Error, words.clone())]));
            let stops: Vec<String> =
                state.workflow.stops.iter().map(|stop| stop.description()).collect();
            if !stops.is_empty() {
                lines.push(vec![
                    (Role::Label, "stops when: ".into()),
                    (Role::Text, stops.join("; ")),
                ]);
            }
            lines
        }
    }
}

fn refused_lines(state: &State, facts: &Facts, refused: &Refused) -> Vec<Line> {
    let mut lines = vec![vec![(
        Role::Heading,
        format!("why {} was refused in {}", refused.tool, refused.state),
    )]];
    lines.extend(refused.cause.messages().into_iter().map(|words| vec![(Role::Warning, words)]));
    // The way out holds only while the run is still there.
    let stands_there = state.workflow.simulation.current_step() == refused.after
        && facts.context.groups == refused.groups;
    let explained =
        row_of(facts.tools(), &refused.tool).and_then(|row| facts.known_explanation(row));
    match explained.and_then(|found| found.changes.first()).filter(|_| stands_there) {
        Some(change) => {
            lines.push(vec![(Role::Accent, format!("▸ {}", change.description(facts.tools())))]);
        }
        None => lines.push(vec![(Role::Dim, "Enter goes there".into())]),
    }
    lines
}

fn turned_or_same(label: &str, turn: &Turn) -> Line {
    if turn.is_none() {
        vec![(Role::Dim, format!("{label}: the same tools"))]
    } else {
        turn_line(label, turn)
    }
}

fn list_names(names: &[Name]) -> String {
    if names.is_empty() { "no tool".into() } else { filter::join_names(names) }
}

fn place_words(state: &State, place: Option<StepId>) -> String {
    match place {
        None => "the start".into(),
        Some(_) => format!("step {}", state.workflow.simulation.way_to(place).len()),
    }
}

/// The keys of the tools that were available at a place, under the groups that were asked for
/// there.
fn available_at(state: &State, facts: &Facts, place: Option<StepId>) -> Vec<Name> {
    let simulation = &state.workflow.simulation;
    let context = match place.and_then(|id| simulation.step(id)) {
        _ if place == simulation.current_step() => simulation.next_context(),
        Some(step) => after_step(state, step),
        None => simulation.start().clone(),
    };
    // A request that the profile refuses gets no tool.
    match check_permission(&state.workflow.profiles, &context) {
        Ok(()) => available_in(facts, &context),
        Err(_) => Vec::new(),
    }
}

/// The context right after a step, with the groups that it was taken under.
fn after_step(state: &State, step: &Step) -> Context {
    let user = state.workflow.simulation.start().user.clone();
    Context { user, groups: step.groups.clone(), state: Some(step.after.clone()) }
}

fn available_in(facts: &Facts, context: &Context) -> Vec<Name> {
    filter::available_tools(facts.tools(), context)
        .into_iter()
        .map(|row| Name::from(facts.tools()[row].key()))
        .collect()
}
