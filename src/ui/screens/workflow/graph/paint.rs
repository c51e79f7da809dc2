//! The picture in the pane's cells: the current state lit, those out of reach dim, arrows by what
//! can be done with them.

use ratatui::{
    buffer::Buffer,
    style::{Modifier, Style},
};

use super::{
    super::{facts::Facts, viewport::Viewport},
    layout::LaidGraph,
};
use crate::{
    engine::{
        canvas_text::{self, Cell, Role as Part},
        gated::ToolRow,
        workflow::graph::{Link, StateRow},
    },
    ui::styles::{Role, Styles},
};

/// What is drawn differently from the rest.
#[derive(Clone, Copy)]
pub(crate) struct ChosenParts {
    pub node: Option<usize>,
    pub arrow: Option<usize>,
    /// The arrow from a state to itself, or from any to it.
    pub foot: Option<Part>,
}

/// How it is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Look<'l> {
    pub styles: &'l Styles,
    pub chosen: ChosenParts,
}

/// Draws the part of the picture that is in view.
pub(crate) fn draw_picture(
    buffer: &mut Buffer,
    view: Viewport,
    laid: &mut LaidGraph,
    facts: &Facts,
    look: Look<'_>,
) {
    let Look { styles, chosen } = look;
    laid.draw_window(view.visible_part(&laid.picture));
    view.draw_cells(buffer, laid.drawing(), |cell| {
        let tie = cell_tie(cell, laid, facts);
        let is_chosen = chosen.foot == Some(cell.role)
            || cell.arrow_row().is_some_and(|row| chosen.arrow == Some(row));
        let text = match tie {
            _ if is_chosen => heavy_line(&cell.text),
            ArrowTie::NotAsked => canvas_text::dashed_sign(&cell.text),
            _ => &cell.text,
        };
        match is_chosen {
            true => (text, chosen_style(cell, styles)),
            false => (text, cell_style(cell, tie, laid, facts, styles, chosen.node)),
        }
    });
}

/// What an arrow's cell says about its tools.
#[derive(Clone, Copy, PartialEq)]
enum ArrowTie {
    /// No arrow.
    None,
    /// Some of its tools can be taken now.
    Open,
    /// Its tools are asked for, but the run is elsewhere.
    Asked,
    /// It leaves a state that is out of reach.
    Far,
    /// The groups of its tools are not asked for.
    NotAsked,
}

fn cell_tie(cell: &Cell, laid: &LaidGraph, facts: &Facts) -> ArrowTie {
    let is_asked = |tools: &[ToolRow]| {
        tools.iter().any(|tool| {
            facts.workflow.members().get(*tool).is_some_and(|member| member.is_admitted())
        })
    };
    let (asked, origins): (bool, Vec<StateRow>) = match cell.role {
        Part::Line(row) | Part::Head(row) | Part::Label(row) => {
            let Some(strand) = laid.states.arrows.get(row) else { return ArrowTie::None };
            let asked = strand.edges.iter().filter(|edge| is_asked(&edge.tools));
            let from = asked.filter_map(|edge| {
                if let Link::Between { from, .. } = edge.link { Some(from) } else { None }
            });
            let origins: Vec<StateRow> = from.collect();
            (!origins.is_empty(), origins)
        }
        Part::Itself(row) => {
            (is_asked(&laid.states.feet[row].0), laid.extent.nodes[row].states().to_vec())
        }
        Part::FromAny(row) => {
            (is_asked(&laid.states.feet[row].1), facts.current.into_iter().collect())
        }
        _ => return ArrowTie::None,
    };
    match asked {
        false => ArrowTie::NotAsked,
        true if origins.iter().any(|state| Some(*state) == facts.current) => ArrowTie::Open,
        true if origins.iter().any(|state| facts.is_reachable(*state)) => ArrowTie::Asked,
        true => ArrowTie::Far,
    }
}

/// The line of the chosen arrow is heavy.
fn heavy_line(line: &str) -> &str {
    match line {
        "─" => "━",
        "│" => "┃",
        "╭" => "┏",
        "╮" => "┓",
        "╰" => "┗",
        "╯" => "┛",
        other => other,
    }
}

fn chosen_style(cell: &Cell, styles: &Styles) -> Style {
    styles[if matches!(cell.role, Part::Label(_)) { Role::Selected } else { Role::Accent }]
}

/// How a cell looks: by its state, or by what can be done with its arrow.
fn cell_style(
    cell: &Cell,
    tie: ArrowTie,
    laid: &LaidGraph,
    facts: &Facts,
    styles: &Styles,
    selected: Option<usize>,
) -> Style {
    let states = |row: usize| laid.extent.nodes[row].states();
    let is_current = |row: usize| states(row).iter().any(|state| Some(*state) == facts.current);
    let is_near = |row: usize| states(row).iter().any(|state| facts.is_reachable(*state));
    let of_box = |row: usize| match (is_current(row), is_near(row)) {
        (true, _) => styles[Role::StateCurrent],
        (false, true) => styles[Role::State],
        (false, false) => styles[Role::StateDim],
    };
    match (cell.role, tie) {
        (_, ArrowTie::Open) => styles[Role::Available],
        (_, ArrowTie::Asked) => styles[Role::Transition],
        (_, ArrowTie::Far | ArrowTie::NotAsked) => styles[Role::StateDim],
        (Part::Text { owner, line: 0 }, _) if selected == Some(owner) => {
            styles[Role::Selected].add_modifier(Modifier::UNDERLINED)
        }
        (Part::Border(row), _) if selected == Some(row) && !is_current(row) => {
            styles[Role::BorderFocus]
        }
        (Part::Border(row) | Part::Inside(row), _) => of_box(row),
        (Part::Text { owner, line }, _) if line == 0 || is_current(owner) || !is_near(owner) => {
            of_box(owner)
        }
        (Part::Text { .. }, _) => styles[Role::Dim],
        _ => styles[Role::Transition],
    }
}
