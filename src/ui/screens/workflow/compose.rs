//! Composing by hand: an arrow drawn from state to state with keys or by dragging, and what each edit action opens.
//!
//! [`Compose`] holds the arrow that is being drawn; [`super::compose_menus`] holds the questions that are asked.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{
    compose_menus as menus,
    facts::Facts,
    graph::{Graph, Spot},
    scene::Scene,
};
use crate::{
    app::{
        actions::Act,
        compose::arrows::Tail,
        input::{Button, Code, Key, Mouse, MouseKind},
        state::State,
    },
    engine::workflow::graph::StateRow,
    model::context::Name,
    ui::{
        canvas::{Pen, width},
        styles::Role,
        view::Reply,
    },
};

/// What the user is in the middle of.
#[derive(Default)]
pub enum Compose {
    #[default]
    Nothing,
    /// The mouse went down on a state; it may be the beginning of an arrow.
    Held { from: Name, at: (u16, u16) },
    /// An arrow is being drawn.
    Drawing { from: Tail, by: Hand },
}

/// What draws the arrow.
#[derive(Clone, Copy, PartialEq)]
pub enum Hand {
    Keys,
    Mouse { column: u16, row: u16 },
}

fn name_of(facts: &Facts, row: StateRow) -> Name {
    facts.workflow.states()[row].clone()
}

impl Compose {
    #[must_use]
    pub fn is_drawing(&self) -> bool {
        matches!(self, Self::Drawing { .. })
    }

    /// Takes a key while an arrow is drawn; what is not for it goes on to the picture.
    pub fn key(&mut self, key: Key) -> Reply {
        if self.is_drawing() && key.is(Code::Esc) {
            *self = Self::Nothing;
            return Reply::Handled;
        }
        Reply::Ignored
    }

    /// Enter: the chosen state is where the arrow leads.
    pub fn finish(&mut self, graph: &Graph, facts: &Facts, state: &State) -> Reply {
        let (Self::Drawing { from, .. }, Some(to)) = (std::mem::take(self), graph.selected(facts)) else { return Reply::Handled };
        menus::draw(&from, &name_of(facts, to), state)
    }

    /// Takes a mouse event over the picture; `None` where it is not for composing.
    pub fn mouse(&mut self, mouse: Mouse, graph: &mut Graph, facts: &Facts, state: &State) -> Option<Reply> {
        let spot = graph.spot(mouse.column, mouse.row);
        let hand = Hand::Mouse { column: mouse.column, row: mouse.row };
        match (mouse.kind, &*self) {
            (MouseKind::Down(Button::Right), _) => {
                *self = Self::Nothing;
                Some(menus::at(spot?, graph, facts, state))
            }
            // An arrow that was begun with a key is ended with a press.
            (MouseKind::Down(_), Self::Drawing { from, .. }) => {
                let from = from.clone();
                *self = Self::Nothing;
                Some(released(&from, spot.as_ref(), facts, state))
            }
            (MouseKind::Down(Button::Left), _) => {
                if let Some(Spot::State(row)) = spot {
                    *self = Self::Held { from: name_of(facts, row), at: (mouse.column, mouse.row) };
                }
                None
            }
            (MouseKind::Drag(_), Self::Held { from, at }) if *at != (mouse.column, mouse.row) => {
                *self = Self::Drawing { from: Tail::State(from.clone()), by: hand };
                Some(Reply::Handled)
            }
            (MouseKind::Drag(_), Self::Drawing { from, .. }) => {
                *self = Self::Drawing { from: from.clone(), by: hand };
                Some(Reply::Handled)
            }
            (MouseKind::Up(_), Self::Drawing { from, by: Hand::Mouse { .. } }) => {
                let from = from.clone();
                *self = Self::Nothing;
                graph.mouse(mouse, facts);
                Some(released(&from, spot.as_ref(), facts, state))
            }
            (MouseKind::Up(_), Self::Held { .. }) => {
                *self = Self::Nothing;
                None
            }
            _ => None,
        }
    }

    /// What an edit action does in the picture.
    pub fn act(&mut self, act: Act, graph: &Graph, facts: &Facts, state: &State) -> Reply {
        let Some(chosen) = graph.selected(facts).map(|row| name_of(facts, row)) else {
            return Reply::Refused("choose a state first".into());
        };
        let arrow = graph.selected_edge(facts).filter(|_| matches!(act, Act::EditMenu | Act::EditArrows | Act::DeleteState));
        if let Some(edge) = arrow {
            return menus::of_edge(&edge, facts, state);
        }
        match act {
            Act::NewState => match std::mem::take(self) {
                Self::Drawing { from, .. } => menus::new_target(from),
                _ => menus::new_state(),
            },
            Act::RenameState => menus::rename_state(&chosen),
            Act::DeleteState => menus::delete_state(&chosen),
            Act::DrawArrow => {
                *self = Self::Drawing { from: Tail::State(chosen), by: Hand::Keys };
                Reply::Handled
            }
            Act::DrawFromAny => menus::draw(&Tail::Every, &chosen, state),
            Act::EditArrows => menus::arrows_of(&chosen, facts, state),
            Act::EditMenu => menus::of_state(&chosen),
            _ => Reply::Ignored,
        }
    }

    /// What is being drawn, over the picture.
    pub fn draw(&self, buffer: &mut Buffer, graph: &Graph, facts: &Facts, scene: Scene<'_>) {
        let Self::Drawing { from, by } = self else { return };
        let styles = scene.styles;
        let tail = match from {
            Tail::State(name) | Tail::Only(name) => facts.workflow.state(name),
            Tail::Every => None,
        };
        let target = match by {
            Hand::Keys => graph.selected(facts),
            Hand::Mouse { column, row } => match graph.spot(*column, *row) {
                Some(Spot::State(row)) => Some(row),
                _ => None,
            },
        };
        let lit = |row: Option<StateRow>, buffer: &mut Buffer, role: Role| {
            if let Some(place) = row.and_then(|row| graph.seen(row)) {
                edge(buffer, place, styles[role]);
            }
        };
        lit(tail, buffer, Role::Accent);
        lit(target, buffer, Role::Match);
        if let Hand::Mouse { column, row } = by
            && let Some(start) = tail.and_then(|row| graph.seen(row))
        {
            line(
                buffer,
                graph.inside(),
                (start.x + start.width / 2, start.y + start.height / 2),
                (*column, *row),
                styles[Role::Accent],
            );
        }
        let to = target.map_or_else(|| "a new state".to_owned(), |row| name_of(facts, row).to_string());
        let words = match by {
            Hand::Keys => format!(" {from} → {to}   Enter · n new state · Esc "),
            Hand::Mouse { .. } => format!(" {from} → {to} "),
        };
        let inside = graph.inside();
        let place = Rect { width: u16::try_from(width(&words)).unwrap_or(0).min(inside.width), height: 1, ..inside };
        Pen::new(buffer, place, 0).put(&words, styles[Role::Selected]);
    }
}

/// The mouse let go of an arrow: on a state, or where there is none yet.
fn released(from: &Tail, spot: Option<&Spot>, facts: &Facts, state: &State) -> Reply {
    match spot {
        Some(Spot::State(row)) => menus::draw(from, &name_of(facts, *row), state),
        Some(Spot::Empty) => menus::new_target(from.clone()),
        _ => Reply::Refused("let go on a state, or on empty ground for a new one".into()),
    }
}

/// Draws the edge of a box in another style.
fn edge(buffer: &mut Buffer, place: Rect, style: Style) {
    for y in place.top()..place.bottom() {
        for x in place.left()..place.right() {
            let outer = y == place.top() || y + 1 == place.bottom() || x == place.left() || x + 1 == place.right();
            if outer && buffer.area.contains((x, y).into()) {
                buffer[(x, y)].set_style(style);
            }
        }
    }
}

/// A line with one bend, sideways first, ending in a head.
fn line(buffer: &mut Buffer, inside: Rect, from: (u16, u16), to: (u16, u16), style: Style) {
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
