//! Composing by hand: an arrow drawn from state to state with keys or by dragging, its ends dragged
//! elsewhere, and what each edit action opens.
//!
//! [`Compose`] holds the arrow that is under way; [`super::compose_menus`] holds the questions that
//! are asked.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{
    compose_menus as menus,
    facts::Facts,
    graph::{ArrowEnd, Graph, HitTarget},
    scene::Scene,
};
use crate::{
    app::{
        compose::arrows::Tail,
        input::{Button, Mouse, MouseKind},
        state::State,
    },
    engine::workflow::graph::{Edge, StateRow},
    model::context::Name,
    ui::{
        canvas::{Pen, text_width},
        styles::Role,
        view::Reply,
    },
};

/// What the user is in the middle of.
#[derive(Default)]
pub(crate) enum Compose {
    #[default]
    Nothing,
    /// The mouse went down on a state; it may be the beginning of an arrow.
    Held { from: Name, at: (u16, u16) },
    /// An arrow is being drawn.
    Drawing { from: Tail, by: ArrowInput },
    /// The mouse went down on an arrow; it may move the end that is nearer.
    Gripped { edge: Edge, end: ArrowEnd, at: (u16, u16) },
    /// An end of an arrow is on its way to another state.
    Moving { edge: Edge, end: ArrowEnd, at: (u16, u16) },
}

/// What draws the arrow.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum ArrowInput {
    Keys,
    Mouse { column: u16, row: u16 },
}

impl ArrowInput {
    /// Where the mouse is; `None`: keys draw.
    fn mouse_position(self) -> Option<(u16, u16)> {
        match self {
            Self::Keys => None,
            Self::Mouse { column, row } => Some((column, row)),
        }
    }
}

fn name_of(facts: &Facts, row: StateRow) -> Name {
    facts.workflow.states()[row].clone()
}

impl Compose {
    #[must_use]
    pub fn is_drawing(&self) -> bool {
        matches!(self, Self::Drawing { .. } | Self::Moving { .. })
    }

    /// Goes on in other facts: an arrow that was taken hold of by its rows is dropped where rows
    /// mean something else now.
    pub fn follow_facts(&mut self, before: &Facts, after: &Facts) {
        if matches!(self, Self::Gripped { .. } | Self::Moving { .. }) && !before.counts_as(after) {
            *self = Self::Nothing;
        }
    }

    /// Enter: the chosen state is where the arrow leads.
    pub fn finish(&mut self, graph: &Graph, facts: &Facts, state: &State) -> Reply {
        let (Self::Drawing { from, .. }, Some(to)) =
            (std::mem::take(self), graph.selected_state(facts))
        else {
            return Reply::Handled;
        };
        menus::ask_arrow_tool(&from, &name_of(facts, to), state)
    }

    /// Takes a mouse event over the picture; `None` where it is not for composing.
    pub fn handle_mouse(
        &mut self,
        mouse: Mouse,
        graph: &mut Graph,
        facts: &Facts,
        state: &State,
    ) -> Option<Reply> {
        let spot = graph.target_at(mouse.column, mouse.row);
        let hand = ArrowInput::Mouse { column: mouse.column, row: mouse.row };
        match (mouse.kind, &*self) {
            (MouseKind::Down(Button::Right), _) => {
                *self = Self::Nothing;
                Some(menus::menu_at(spot?, graph, facts, state))
            }
            // An arrow that was begun with a key is ended with a press.
            (MouseKind::Down(_), Self::Drawing { from, .. }) => {
                let from = from.clone();
                *self = Self::Nothing;
                Some(release_arrow(&from, spot.as_ref(), facts, state))
            }
            (MouseKind::Down(Button::Left), _) => {
                let at = (mouse.column, mouse.row);
                if let Some(HitTarget::State(row)) = spot {
                    *self = Self::Held { from: name_of(facts, row), at };
                } else if let Some((edge, end)) = graph.arrow_at(mouse.column, mouse.row) {
                    *self = Self::Gripped { edge, end, at };
                }
                None
            }
            (
                MouseKind::Drag(_),
                Self::Gripped { edge, end, at } | Self::Moving { edge, end, at },
            ) if *at != (mouse.column, mouse.row) => {
                *self =
                    Self::Moving { edge: edge.clone(), end: *end, at: (mouse.column, mouse.row) };
                Some(Reply::Handled)
            }
            (MouseKind::Up(_), Self::Moving { edge, end, .. }) => {
                let (edge, end) = (edge.clone(), *end);
                *self = Self::Nothing;
                graph.handle_mouse(mouse, facts);
                Some(let_go(&edge, end, spot.as_ref(), facts, state))
            }
            (MouseKind::Drag(_), Self::Held { from, at }) if *at != (mouse.column, mouse.row) => {
                *self = Self::Drawing { from: Tail::State(from.clone()), by: hand };
                Some(Reply::Handled)
            }
            (MouseKind::Drag(_), Self::Drawing { from, .. }) => {
                *self = Self::Drawing { from: from.clone(), by: hand };
                Some(Reply::Handled)
            }
            (MouseKind::Up(_), Self::Drawing { from, by: ArrowInput::Mouse { .. } }) => {
                let from = from.clone();
                *self = Self::Nothing;
                graph.handle_mouse(mouse, facts);
                Some(release_arrow(&from, spot.as_ref(), facts, state))
            }
            (MouseKind::Up(_), Self::Held { .. } | Self::Gripped { .. }) => {
                *self = Self::Nothing;
                None
            }
            _ => None,
        }
    }

    /// An arrow from a state, drawn with keys.
    pub fn with_keys(from: Name) -> Self {
        Self::Drawing { from: Tail::State(from), by: ArrowInput::Keys }
    }

    /// The state that an arrow drawn with keys begins at.
    pub fn start(self) -> Option<Name> {
        match self {
            Self::Drawing { from: Tail::State(name) | Tail::Only(name), by: ArrowInput::Keys } => {
                Some(name)
            }
            _ => None,
        }
    }

    /// Asks for a new state; where an arrow is being drawn, that is where it leads.
    pub fn new_state(&mut self) -> Reply {
        match std::mem::take(self) {
            Self::Drawing { from, .. } => menus::new_target(from),
            _ => menus::new_state(),
        }
    }

    /// What is being drawn, over the picture.
    pub fn draw(&self, buffer: &mut Buffer, graph: &Graph, facts: &Facts, scene: Scene<'_>) {
        let (held, at, words) = match self {
            Self::Nothing | Self::Held { .. } | Self::Gripped { .. } => return,
            Self::Drawing { from: Tail::State(name) | Tail::Only(name), by } => {
                (facts.workflow.state_row(name), by.mouse_position(), format!("{name} → "))
            }
            Self::Drawing { from: Tail::Every, by } => {
                (None, by.mouse_position(), format!("{} → ", Tail::Every))
            }
            Self::Moving { edge, end, at } => {
                let (from, to) = edge.link.end_states();
                let words = if *end == ArrowEnd::Head { "leads to " } else { "comes from " };
                (if *end == ArrowEnd::Head { from } else { to }, Some(*at), words.to_owned())
            }
        };
        let styles = scene.styles;
        let target = match at {
            None => graph.selected_state(facts),
            Some((column, row)) => match graph.target_at(column, row) {
                Some(HitTarget::State(row)) => Some(row),
                _ => None,
            },
        };
        let lit = |row: Option<StateRow>, buffer: &mut Buffer, role: Role| {
            if let Some(place) = row.and_then(|row| graph.state_area(row)) {
                draw_edge(buffer, place, styles[role]);
            }
        };
        lit(held, buffer, Role::Accent);
        lit(target, buffer, Role::Match);
        if let Some((at, start)) = at.zip(held.and_then(|row| graph.state_area(row))) {
            let middle = (start.x + start.width / 2, start.y + start.height / 2);
            draw_line(buffer, graph.picture_area(), middle, at, styles[Role::Accent]);
        }
        let to = match target {
            None => "a new state".to_owned(),
            Some(row) if Some(row) == held => "itself".to_owned(),
            Some(row) => name_of(facts, row).to_string(),
        };
        let keys = if at.is_none() { "   Enter · n new state · Esc " } else { " " };
        let words = format!(" {words}{to}{keys}");
        // In the place of the pane's title: no row of the picture is below it.
        let inside = graph.picture_area();
        let place = Rect {
            y: inside.y.saturating_sub(1),
            width: u16::try_from(text_width(&words)).unwrap_or(0).min(inside.width),
            height: 1,
            ..inside
        };
        Pen::new(buffer, place, 0).put_text(&words, styles[Role::Selected]);
    }
}

/// The mouse dropped an arrow: on a state, or where there is none yet.
fn release_arrow(from: &Tail, spot: Option<&HitTarget>, facts: &Facts, state: &State) -> Reply {
    match spot {
        Some(HitTarget::State(row)) => menus::ask_arrow_tool(from, &name_of(facts, *row), state),
        Some(HitTarget::Empty) => menus::new_target(from.clone()),
        _ => Reply::Refused("release on a state, or on an empty spot for a new one".into()),
    }
}

/// The mouse dropped an arrow's end: on a state, or where there is none yet.
fn let_go(
    edge: &Edge,
    end: ArrowEnd,
    spot: Option<&HitTarget>,
    facts: &Facts,
    state: &State,
) -> Reply {
    let (from, to) = edge.link.end_states();
    match spot {
        // Where it was.
        Some(HitTarget::State(row))
            if Some(*row) == (if end == ArrowEnd::Head { to } else { from }) =>
        {
            Reply::Handled
        }
        Some(HitTarget::State(row)) => {
            menus::move_end(edge, end, facts, state)(&name_of(facts, *row))
        }
        Some(HitTarget::Empty) => menus::new_end(menus::move_end(edge, end, facts, state)),
        _ => Reply::Refused("release on a state, or on an empty spot for a new one".into()),
    }
}

/// Draws the edge of a box in another style.
fn draw_edge(buffer: &mut Buffer, place: Rect, style: Style) {
    for y in place.top()..place.bottom() {
        for x in place.left()..place.right() {
            let outer = y == place.top()
                || y + 1 == place.bottom()
                || x == place.left()
                || x + 1 == place.right();
            if outer && buffer.area.contains((x, y).into()) {
                buffer[(x, y)].set_style(style);
            }
        }
    }
}

/// A line with one bend, sideways first, ending in a head.
fn draw_line(buffer: &mut Buffer, inside: Rect, from: (u16, u16), to: (u16, u16), style: Style) {
    let mut put = |x: u16, y: u16, sign: &str| {
        if inside.contains((x, y).into()) && buffer.area.contains((x, y).into()) {
            buffer[(x, y)].set_symbol(sign).set_style(style);
        }
    };
    for x in from.0.min(to.0)..=from.0.max(to.0) {
        put(x, from.1, "╌");
    }
    for y in from.1.min(to.1)..=from.1.max(to.1) {
        put(to.0, y, "╎");
    }
    put(to.0, to.1, "◆");
}
