//! Makes a diagram of a workflow's states.

use super::diagram::{ArrowSpec, BoxSpec, Diagram, Direction, Measure};
use crate::engine::{
    gated::{Gated, ToolRow},
    workflow::graph::{Edge, Link, StateRow, Workflow},
};

/// A diagram of states, and what its rows stand for. Boxes are states, by their rows.
#[derive(Clone, Debug)]
pub struct StateDiagram {
    pub diagram: Diagram,
    /// The edge that each arrow is drawn for.
    pub arrows: Vec<Edge>,
    /// For each box, the tools of the arrow from it to itself, and of the one from any state to it.
    pub feet: Vec<(Vec<ToolRow>, Vec<ToolRow>)>,
    /// Tools that are available in every state and leave it as it is; they have no arrow.
    pub staying: Vec<ToolRow>,
}

/// Labels longer than this are cut with an ellipsis.
const LONGEST: usize = 30;

/// How much of each state and arrow is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Names of states; arrows with the number of their tools, where there are several.
    Less,
    /// How many tools a state offers; arrows with their tools.
    #[default]
    Usual,
    /// The tools that each state offers by name.
    More,
}

/// How a workflow is shown.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The state that is marked as the current one.
    pub current: Option<StateRow>,
    pub direction: Direction,
    pub detail: Detail,
    pub drawn: Drawn,
    pub measure: Measure,
}

/// Which tools give arrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// Those whose groups are asked for.
    Asked,
    /// All; so the picture stays when other groups are asked for.
    All,
}

/// The diagram of a workflow. Its size does not depend on which state is the current one.
#[must_use]
pub fn diagram<T: Gated>(workflow: &Workflow, tools: &[T], view: View) -> StateDiagram {
    let View { direction, measure, .. } = view;
    let count = workflow.states().len();
    let spec = |state| BoxSpec { lines: lines(workflow, tools, state, view), ..BoxSpec::default() };
    let mut boxes: Vec<BoxSpec> = (0..count).map(spec).collect();
    let mut feet = vec![(Vec::new(), Vec::new()); count];
    let mut arrows = Vec::new();
    let mut edges = Vec::new();
    let mut staying = Vec::new();
    for edge in if view.drawn == Drawn::All { workflow.all_edges() } else { workflow.edges() } {
        let label = match view.detail {
            Detail::Less if edge.tools.len() == 1 => String::new(),
            Detail::Less => edge.tools.len().to_string(),
            Detail::Usual | Detail::More => label(&edge.tools, tools, measure),
        };
        match edge.link {
            Link::StayAny => staying = edge.tools,
            Link::FromAny { to } => {
                boxes[to].from_any = Some(if label.is_empty() { "any".into() } else { format!("any: {label}") });
                feet[to].1 = edge.tools;
            }
            Link::Between { from, to } if from == to => {
                boxes[from].to_itself = Some(label);
                feet[from].0 = edge.tools;
            }
            Link::Between { from, to } => {
                arrows.push(ArrowSpec { from, to, label });
                edges.push(edge);
            }
        }
    }
    StateDiagram { diagram: Diagram { boxes, arrows, first: workflow.start(), direction, measure }, arrows: edges, feet, staying }
}

/// How many tools a box names.
const NAMED: usize = 8;

fn lines<T: Gated>(workflow: &Workflow, tools: &[T], state: StateRow, view: View) -> Vec<String> {
    let name = shortened(&workflow.states()[state], LONGEST, view.measure);
    let name = if state == workflow.start() { format!("▶ {name}") } else { name };
    let is_current = view.current == Some(state);
    if view.detail == Detail::Less {
        return vec![if is_current { format!("● {name}") } else { format!("{name}  ") }];
    }
    let count = match workflow.offer_count(state) {
        0 => "no tools".to_owned(),
        // As wide as the others, so that the picture stays when the groups change.
        1 => "1 tool  ".to_owned(),
        count => format!("{count} tools"),
    };
    let count = if workflow.is_ever_produced(state) { count } else { "never produced".to_owned() };
    // The room for the mark is kept, so that the picture stays while the run goes on.
    let mut lines = vec![name, if is_current { format!("● {count}") } else { format!("{count}  ") }];
    if view.detail == Detail::More {
        let offered = workflow.listing(state);
        lines
            .extend(offered.iter().take(NAMED).map(|tool| format!("· {}", shortened(tools[*tool].key(), LONGEST, view.measure))));
        if offered.len() > NAMED {
            lines.push(format!("… {} more", offered.len() - NAMED));
        }
    }
    lines
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
