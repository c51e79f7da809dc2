//! Makes a diagram of a workflow's states.

use super::diagram::{ArrowSpec, BoxSpec, Diagram, Direction, Measure};
use crate::engine::{
    gated::{Gated, ToolRow},
    workflow::{
        analysis::Analysis,
        graph::{Edge, Link, StateRow, Workflow},
    },
};

/// A diagram of states, and what its rows stand for. Boxes are states, by their rows.
#[derive(Clone, Debug)]
pub struct StateDiagram {
    pub diagram: Diagram,
    /// The edge that each arrow is drawn for.
    pub arrows: Vec<Edge>,
    /// Tools that are available in every state and leave it as it is; they have no arrow.
    pub staying: Vec<ToolRow>,
}

/// Labels longer than this are cut with an ellipsis.
const LONGEST: usize = 30;

/// The diagram of a workflow as seen from `current`.
#[must_use]
pub fn diagram<T: Gated>(
    workflow: &Workflow,
    analysis: &Analysis,
    tools: &[T],
    current: StateRow,
    direction: Direction,
    measure: Measure,
) -> StateDiagram {
    let mut boxes: Vec<BoxSpec> = (0..workflow.states().len())
        .map(|state| BoxSpec { lines: lines(workflow, analysis, state, current, measure), ..BoxSpec::default() })
        .collect();
    let mut arrows = Vec::new();
    let mut edges = Vec::new();
    let mut staying = Vec::new();
    for edge in workflow.edges() {
        let label = label(&edge.tools, tools, measure);
        match edge.link {
            Link::StayAny => staying = edge.tools,
            Link::FromAny { to } => boxes[to].from_any = Some(format!("any: {label}")),
            Link::Between { from, to } if from == to => boxes[from].to_itself = Some(label),
            Link::Between { from, to } => {
                arrows.push(ArrowSpec { from, to, label });
                edges.push(edge);
            }
        }
    }
    StateDiagram { diagram: Diagram { boxes, arrows, first: workflow.start(), direction, measure }, arrows: edges, staying }
}

fn lines(workflow: &Workflow, analysis: &Analysis, state: StateRow, current: StateRow, measure: Measure) -> Vec<String> {
    let name = shortened(&workflow.states()[state], LONGEST, measure);
    let name = if state == workflow.start() { format!("▶ {name}") } else { name };
    let mark = if state == current { "● " } else { "" };
    let count = match workflow.offer_count(state) {
        0 => "no tools".to_owned(),
        1 => "1 tool".to_owned(),
        count => format!("{count} tools"),
    };
    let never = analysis.never_produced.iter().any(|found| found.state == state && found.elsewhere.is_empty());
    vec![name, if never { "never produced".to_owned() } else { format!("{mark}{count}") }]
}

/// The tools of an arrow: their keys while they fit, else the first and how many more.
#[must_use]
pub fn label<T: Gated>(rows: &[ToolRow], tools: &[T], measure: Measure) -> String {
    let keys: Vec<&str> = rows.iter().filter_map(|row| tools.get(*row)).map(Gated::key).collect();
    let all = keys.join(", ");
    match keys.as_slice() {
        [] => String::new(),
        _ if measure(&all) <= LONGEST => all,
        [only] => shortened(only, LONGEST, measure),
        [first, rest @ ..] => format!("{} +{}", shortened(first, LONGEST - 4, measure), rest.len()),
    }
}

/// A text of at most `room` cells, with an ellipsis where something is left out.
#[must_use]
pub fn shortened(text: &str, room: usize, measure: Measure) -> String {
    if measure(text) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if measure(&kept) + 1 > room {
            kept.pop();
            break;
        }
    }
    kept + "…"
}
