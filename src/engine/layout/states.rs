//! Makes a diagram of a workflow's states.

use std::collections::BTreeMap;

use super::{
    diagram::{ArrowSpec, BoxSpec, Diagram, Direction, Frame, TextMeasure},
    extent::{Node, PictureExtent},
    labels::{FullLabels, Wordings},
    marks::{BoxMark, StateMarks},
};
use crate::engine::{
    gated::{Gated, ToolRow},
    workflow::graph::{Edge, Link, StateRow, Workflow},
};

/// A diagram of states, and what its rows stand for. Boxes stand for the extent's nodes.
#[derive(Clone, Debug)]
pub struct StateDiagram {
    pub diagram: Diagram,
    pub arrows: Vec<ArrowEdges>,
    /// For each box, the tools of the arrow from it to itself, and of the one from any state to it.
    pub feet: Vec<(Vec<ToolRow>, Vec<ToolRow>)>,
    /// Tools that are available in every state and keep it as it is; they have no arrow.
    pub staying: Vec<ToolRow>,
    /// What arrows would be labelled with if there were room.
    pub labels: FullLabels,
}

/// What one arrow represents: edges between the states of two boxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrowEdges {
    pub from: usize,
    pub to: usize,
    /// At least one; several where a box is folded.
    pub edges: Vec<Edge>,
}

impl ArrowEdges {
    /// All tools that it represents.
    pub fn tools(&self) -> impl Iterator<Item = ToolRow> + '_ {
        self.edges.iter().flat_map(|edge| &edge.tools).copied()
    }

    /// Whether it represents this link among others.
    #[must_use]
    pub fn contains_link(&self, link: Link) -> bool {
        self.edges.iter().any(|edge| edge.link == link)
    }
}

/// Labels longer than this are cut with an ellipsis.
const LONGEST: usize = 32;

/// The same where they are short, and where there is room for next to nothing.
const SHORT: usize = 14;
const SHORTEST: usize = 8;

/// How much of each state and arrow is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// States as marks, arrows bare.
    Dots,
    /// States as numbers, whose names are written elsewhere.
    Numbers,
    /// Names of states without a frame, arrows bare.
    Names,
    /// Names of states; arrows with the number of their tools, where there are several.
    Less,
    /// The same, but arrows with the beginnings of their tools' names.
    Short,
    /// How many tools a state offers; arrows with their tools.
    #[default]
    Usual,
    /// The tools that each state offers by name.
    More,
}

impl Detail {
    /// From the most to the least.
    pub const ALL: [Self; 7] =
        [Self::More, Self::Usual, Self::Short, Self::Less, Self::Names, Self::Numbers, Self::Dots];
}

/// How a workflow is shown.
#[derive(Clone, Copy, Debug)]
pub struct View<'v> {
    pub extent: &'v PictureExtent,
    pub marks: &'v StateMarks,
    /// The link whose tools get an arrow each.
    pub unbundled: Option<Link>,
    pub direction: Direction,
    pub detail: Detail,
    pub measure: TextMeasure,
}

/// Which tools give arrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrawnTools {
    /// Those whose groups are asked for.
    Asked,
    /// All; so the picture stays when other groups are asked for.
    All,
}

/// Above this many tools, only those whose groups are asked for give arrows.
const MANY_TOOLS: usize = 300;

impl DrawnTools {
    /// What suits so many tools.
    #[must_use]
    pub fn for_tool_count(tools: usize) -> Self {
        if tools > MANY_TOOLS { Self::Asked } else { Self::All }
    }

    /// The edges that are drawn.
    #[must_use]
    pub fn edges(self, workflow: &Workflow) -> Vec<Edge> {
        if self == Self::All { workflow.all_edges() } else { workflow.edges() }
    }
}

/// The diagram of a workflow's `edges`. Its size does not depend on which state is the current one.
#[must_use]
pub fn state_diagram<T: Gated>(
    workflow: &Workflow,
    edges: &[Edge],
    tools: &[T],
    view: View<'_>,
) -> StateDiagram {
    let View { extent, direction, measure, detail, .. } = view;
    let count = extent.nodes.len();
    let mut boxes: Vec<BoxSpec> =
        (0..count).map(|row| box_spec(workflow, tools, row, view)).collect();
    let SortedEdges { feet, strands, staying } = sort_edges(edges, extent);
    let words = EdgeWords { tools, holder: common_holder(tools), detail, measure };
    for (spec, (itself, any)) in boxes.iter_mut().zip(&feet) {
        if detail <= Detail::Names {
            let marks = [(itself, BoxMark::Itself), (any, BoxMark::FromAny)];
            marks.iter().filter(|(tools, _)| !tools.is_empty()).for_each(|(_, mark)| {
                add_mark(spec, *mark, detail);
            });
            continue;
        }
        spec.to_itself = (!itself.is_empty()).then(|| words.usual(itself));
        spec.from_any = (!any.is_empty()).then(|| any_words(words.usual(any)));
    }
    let arrows: Vec<ArrowEdges> = strands
        .into_iter()
        .flat_map(|((from, to), edges)| bundle_edges(from, to, edges, view))
        .collect();
    let rows_of = |strand: &ArrowEdges| strand.tools().collect::<Vec<ToolRow>>();
    let specs = arrows.iter().map(|strand| {
        let label = words.usual(&rows_of(strand));
        ArrowSpec { from: strand.from, to: strand.to, label }
    });
    let of_any = |any: &[ToolRow]| words.all(any).into_iter().map(any_words).collect();
    let labels = FullLabels {
        arrows: arrows.iter().map(|strand| words.all(&rows_of(strand))).collect(),
        feet: feet.iter().map(|(itself, any)| (words.all(itself), of_any(any))).collect(),
    };
    let first = extent.node_of[workflow.start()]
        .or_else(|| extent.node_of[view.marks.current?])
        .unwrap_or(0);
    StateDiagram {
        diagram: Diagram { boxes, arrows: specs.collect(), first, direction, measure },
        arrows,
        feet,
        staying,
        labels,
    }
}

/// Edges by what they are drawn as.
struct SortedEdges {
    /// Of each box: the tools that lead to itself, and those that lead there from any state.
    feet: Vec<(Vec<ToolRow>, Vec<ToolRow>)>,
    /// Between two boxes.
    strands: BTreeMap<(usize, usize), Vec<Edge>>,
    /// The tools that stay wherever they are.
    staying: Vec<ToolRow>,
}

fn sort_edges(edges: &[Edge], extent: &PictureExtent) -> SortedEdges {
    let feet = vec![(Vec::new(), Vec::new()); extent.nodes.len()];
    let mut sorted = SortedEdges { feet, strands: BTreeMap::new(), staying: Vec::new() };
    for edge in edges {
        match edge.link {
            Link::StayAny => sorted.staying.clone_from(&edge.tools),
            Link::FromAny { to } => {
                if let Some(to) = extent.node_of[to] {
                    sorted.feet[to].1.extend(&edge.tools);
                }
            }
            Link::Between { from, to } => match (extent.node_of[from], extent.node_of[to]) {
                // What goes on within a folded box is not shown.
                (Some(from), Some(to)) if from == to => {
                    let is_single = extent.nodes[from].single_state().is_some();
                    sorted.feet[from].0.extend(edge.tools.iter().filter(|_| is_single));
                }
                (Some(from), Some(to)) => {
                    sorted.strands.entry((from, to)).or_default().push(edge.clone());
                }
                _ => {}
            },
        }
    }
    sorted
}

/// The words of edges, by how much is to be seen.
struct EdgeWords<'t, T> {
    tools: &'t [T],
    /// How many letters of their keys all tools begin with.
    holder: usize,
    detail: Detail,
    measure: TextMeasure,
}

impl<T: Gated> EdgeWords<'_, T> {
    fn label(&self, rows: &[ToolRow], longest: usize) -> String {
        tools_label(rows, self.tools, self.holder, longest, self.measure)
    }

    /// What is at an edge first.
    fn usual(&self, rows: &[ToolRow]) -> String {
        match self.detail {
            Detail::Dots | Detail::Numbers | Detail::Names => String::new(),
            Detail::Less if rows.len() == 1 => String::new(),
            Detail::Less => rows.len().to_string(),
            Detail::Short => self.label(rows, SHORT),
            Detail::Usual | Detail::More => self.label(rows, LONGEST),
        }
    }

    /// All that may be there, by the room, the longest first.
    fn all(&self, rows: &[ToolRow]) -> Wordings {
        let lengths: &[usize] = match self.detail {
            _ if rows.is_empty() => &[],
            Detail::Dots | Detail::Numbers => &[],
            Detail::Names | Detail::Less => &[LONGEST, SHORT, SHORTEST],
            Detail::Short | Detail::Usual | Detail::More => &[LONGEST],
        };
        let mut all: Wordings = lengths.iter().map(|longest| self.label(rows, *longest)).collect();
        all.dedup();
        all
    }
}

fn any_words(words: String) -> String {
    if words.is_empty() { "any".to_owned() } else { format!("any: {words}") }
}

/// One strand, or where it is to be open one for each tool.
fn bundle_edges(from: usize, to: usize, edges: Vec<Edge>, view: View<'_>) -> Vec<ArrowEdges> {
    let whole = ArrowEdges { from, to, edges };
    if view.unbundled.is_none_or(|link| !whole.contains_link(link)) {
        return vec![whole];
    }
    let each = whole.edges.iter().flat_map(|edge| {
        edge.tools.iter().map(|tool| Edge { link: edge.link, tools: vec![*tool] })
    });
    each.map(|edge| ArrowEdges { from, to, edges: vec![edge] }).collect()
}

/// Puts the mark of an arrow at the foot behind the text of a box that has no room for the arrow.
fn add_mark(spec: &mut BoxSpec, mark: BoxMark, detail: Detail) {
    let Some(line) = spec.lines.first_mut() else { return };
    // Before the room that is kept for another mark.
    let end = line.trim_end().len();
    let is_first = !line[..end].ends_with(BoxMark::Itself.sign());
    let gap = if detail == Detail::Names && is_first { " " } else { "" };
    line.insert_str(end, &format!("{gap}{}", mark.sign()));
}

/// How many tools a box names.
const NAMED: usize = 8;

fn box_spec<T: Gated>(workflow: &Workflow, tools: &[T], row: usize, view: View<'_>) -> BoxSpec {
    let node = &view.extent.nodes[row];
    let is = |mark: BoxMark| node.states().iter().any(|state| view.marks.has_mark(*state, mark));
    let frame = match view.detail {
        Detail::Dots | Detail::Numbers | Detail::Names => Frame::None,
        _ if is(BoxMark::Current) => Frame::Heavy,
        _ if node.states().iter().all(|state| view.marks.has_mark(*state, BoxMark::Far)) => {
            Frame::Dashed
        }
        _ => Frame::Plain,
    };
    let mut lines = match node {
        _ if view.detail == Detail::Numbers => vec![(row + 1).to_string()],
        Node::State(state) => state_lines(workflow, tools, *state, view),
        Node::Folded(states) => folded_lines(workflow, states, view),
    };
    let beyond = view.extent.beyond[row];
    if beyond > 0 && view.detail > Detail::Short {
        lines.push(format!("{} {beyond} more", BoxMark::Beyond.sign()));
    }
    BoxSpec { lines, frame, ..BoxSpec::default() }
}

/// The first mark that a state has, before a text; the room for it is kept, so that the picture
/// stays while the run goes on.
fn marked_text(text: &str, marks: &StateMarks, state: StateRow) -> String {
    let leading = [BoxMark::DeadEnd, BoxMark::Trap, BoxMark::Current]
        .into_iter()
        .find(|mark| marks.has_mark(state, *mark));
    leading.map_or_else(|| format!("{text}  "), |mark| format!("{} {text}", mark.sign()))
}

fn state_lines<T: Gated>(
    workflow: &Workflow,
    tools: &[T],
    state: StateRow,
    view: View<'_>,
) -> Vec<String> {
    let View { marks, measure, .. } = view;
    let name = truncate_text(&workflow.states()[state], LONGEST, measure);
    let name = if marks.has_mark(state, BoxMark::Start) {
        format!("{} {name}", BoxMark::Start.sign())
    } else {
        name
    };
    match view.detail {
        Detail::Dots => {
            let shown =
                [BoxMark::Current, BoxMark::DeadEnd, BoxMark::Trap, BoxMark::Start, BoxMark::Far];
            return vec![
                shown
                    .into_iter()
                    .find(|mark| marks.has_mark(state, *mark))
                    .unwrap_or(BoxMark::Plain)
                    .sign()
                    .to_owned(),
            ];
        }
        Detail::Numbers | Detail::Names | Detail::Less | Detail::Short => {
            return vec![marked_text(&name, marks, state)];
        }
        Detail::Usual | Detail::More => {}
    }
    // All as wide as each other, so that the picture stays when the groups change.
    let count = match workflow.offer_count(state) {
        0 => "no tools".to_owned(),
        1 => "1 tool  ".to_owned(),
        count => format!("{count} tools"),
    };
    let count = if workflow.is_ever_produced(state) { count } else { "unreachable".to_owned() };
    let mut lines = vec![name, marked_text(&count, marks, state)];
    if view.detail == Detail::More {
        let offered = workflow.tools_listing(state);
        lines.extend(
            offered
                .iter()
                .take(NAMED)
                .map(|tool| format!("· {}", truncate_text(tools[*tool].key(), LONGEST, measure))),
        );
        if offered.len() > NAMED {
            lines.push(format!("… {} more", offered.len() - NAMED));
        }
    }
    lines
}

fn folded_lines(workflow: &Workflow, states: &[StateRow], view: View<'_>) -> Vec<String> {
    let name = |row: &StateRow| truncate_text(&workflow.states()[*row], LONGEST, view.measure);
    let count = format!("{} {} states", BoxMark::Folded.sign(), states.len());
    let held = states
        .iter()
        .find(|state| view.marks.has_mark(**state, BoxMark::Current))
        .or(states.first())
        .map(name)
        .unwrap_or_default();
    match view.detail {
        Detail::Dots => vec![BoxMark::Folded.sign().to_owned()],
        Detail::Numbers | Detail::Names | Detail::Less | Detail::Short => vec![count],
        Detail::Usual => vec![count, format!("{held} …")],
        Detail::More => {
            let mut lines = vec![count];
            lines.extend(states.iter().take(NAMED).map(|row| format!("· {}", name(row))));
            if states.len() > NAMED {
                lines.push(format!("… {} more", states.len() - NAMED));
            }
            lines
        }
    }
}

/// How much all keys begin with alike, which says nothing then: the one server that all are of.
fn common_holder<T: Gated>(tools: &[T]) -> usize {
    let first = tools.first().map_or("", Gated::key);
    let holder = first.find('/').map_or("", |slash| &first[..=slash]);
    let is_common = tools.iter().all(|tool| tool.key().starts_with(holder));
    if is_common { holder.len() } else { 0 }
}

/// The tools of an arrow: their keys without what holds all tools, while they fit into so many cells,
/// else the first and how many more.
#[must_use]
fn tools_label<T: Gated>(
    rows: &[ToolRow],
    tools: &[T],
    holder: usize,
    longest: usize,
    measure: TextMeasure,
) -> String {
    let tools = rows.iter().filter_map(|row| tools.get(*row));
    let keys: Vec<&str> = tools.map(|tool| &tool.key()[holder..]).collect();
    let all = keys.join(", ");
    match keys.as_slice() {
        [] => String::new(),
        _ if measure(&all) <= longest => all,
        [only] => truncate_text(only, longest, measure),
        [first, rest @ ..] => {
            let more = match longest {
                ..=SHORT => format!(" +{}", rest.len()),
                _ => format!(", {} more", rest.len()),
            };
            truncate_text(first, longest.saturating_sub(more.len()), measure) + &more
        }
    }
}

/// A text of at most `room` cells, with an ellipsis where something is left out.
#[must_use]
pub(crate) fn truncate_text(text: &str, room: usize, measure: TextMeasure) -> String {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        engine::{
            filter::AskedGroups, gated::Slot, layout::diagram::char_count,
            workflow::graph::Workflow,
        },
        model::{
            context::Name,
            tool::{Gate, States},
        },
    };

    fn slot(row: usize, from: Option<usize>, to: Option<usize>) -> Slot {
        let name = |state: usize| Name::from(format!("s{state}").as_str());
        Slot {
            key: format!("t{row}").into(),
            name: format!("t{row}").as_str().into(),
            gate: Gate {
                groups: None,
                states: from.map_or(States::Every, |from| States::Only(vec![name(from)])),
                next: to.map(name),
                ..Gate::open()
            },
        }
    }

    fn tools() -> impl Strategy<Value = Vec<Slot>> {
        let end = || proptest::option::weighted(0.8, 0_usize..6);
        proptest::collection::vec((end(), end()), 1..20).prop_map(|ends| {
            ends.iter().enumerate().map(|(row, (from, to))| slot(row, *from, *to)).collect()
        })
    }

    proptest! {
        #[test]
        fn tools_that_keep_a_state_have_an_arrow_or_a_mark_at_it(tools in tools()) {
            let workflow = Workflow::for_groups(&tools, &AskedGroups::Every, "s0");
            let count = workflow.states().len();
            let extent = PictureExtent::all_states(count);
            let analysis = workflow.analysis();
            for detail in Detail::ALL {
                let of = |current: Option<usize>| {
                    let marks = StateMarks::from_analysis(&workflow, &analysis, current);
                    let view = View {
                        extent: &extent,
                        marks: &marks,
                        unbundled: None,
                        direction: Direction::TopDown,
                        detail,
                        measure: char_count,
                    };
                    state_diagram(&workflow, &workflow.all_edges(), &tools, view)
                };
                let made = of(Some(0));
                for (spec, (itself, any)) in made.diagram.boxes.iter().zip(&made.feet) {
                    let has = |mark: BoxMark, foot: &Option<String>| {
                        foot.is_some() || spec.lines[0].contains(mark.sign())
                    };
                    prop_assert_eq!(has(BoxMark::Itself, &spec.to_itself), !itself.is_empty());
                    prop_assert_eq!(has(BoxMark::FromAny, &spec.from_any), !any.is_empty());
                }
                let widths = |made: &StateDiagram| -> Vec<usize> {
                    made.diagram.boxes.iter().map(|spec| char_count(&spec.lines[0])).collect()
                };
                let same = (detail != Detail::Dots).then_some(1);
                prop_assert!(
                    same.is_none_or(|row| widths(&of(Some(row % count))) == widths(&made)),
                    "the picture stays while the run goes on"
                );
            }
        }
    }
}
