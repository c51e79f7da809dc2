//! The layout of what is shown, kept while only the run goes on.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
};

use super::super::facts::{Facts, Subject};
use crate::{
    app::state::State,
    engine::{
        canvas_text::{self, Drawing},
        filter::AskedGroups,
        layout::{
            diagram::{Diagram, Direction},
            extent::{Choice, PictureExtent, Scale},
            labels::FullLabels,
            lay::LEAST_GAP,
            marks::StateMarks,
            picture::{BoxArea, BoxPosition, KeptLayout, Picture},
            states::{self, Detail, DrawnTools, StateDiagram, View},
        },
        workflow::graph::{Edge, Link, StateRow},
    },
    model::context::Name,
    ui::canvas::{text_width, visible_text},
};

/// What the user chose to see.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GraphView {
    pub scale: Scale,
    pub detail: Detail,
    /// States whose part or neighbours are shown.
    pub opened: BTreeSet<Name>,
    /// The states between which each tool has an arrow of its own.
    pub unbundled: Option<(Name, Name)>,
    /// What a picture of a part is about, where that is not the current state.
    pub focus: Option<Name>,
}

/// What a layout depends on. Groups are among it only where arrows of other groups are left out.
#[derive(PartialEq)]
struct Key {
    subject: Subject,
    shown: GraphView,
    /// Only where a part is shown.
    focus: Option<StateRow>,
    asked: Option<AskedGroups>,
}

/// What the texts in the boxes depend on beside the layout.
type Content = (Option<StateRow>, AskedGroups);

pub(crate) struct LaidGraph {
    key: Key,
    room: (u16, u16),
    content: Content,
    direction: Direction,
    edges: Vec<Edge>,
    pub extent: PictureExtent,
    /// For each box, the name of its first state.
    names: Vec<Name>,
    pub states: StateDiagram,
    pub picture: Picture,
    drawing: Drawing,
    past: Past,
}

/// What was laid out, with the labels that were to be written, and the picture of it.
type PastPicture = (Diagram, FullLabels, Picture);

/// What was laid out before, the newest last: what an undo brings back is where it was.
#[derive(Default)]
pub(crate) struct Past(Vec<PastPicture>);

/// So many earlier pictures are kept.
const KEPT: usize = 16;

impl Past {
    fn keep(&mut self, states: StateDiagram, picture: Picture) {
        let StateDiagram { diagram, labels, .. } = states;
        self.0.retain(|(known, written, _)| !known.is_laid_out_as(&diagram) || *written != labels);
        self.0.push((diagram, labels, picture));
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
    }

    /// The diagram of now with the picture that it had.
    fn find(
        &self,
        of: impl Fn(Direction) -> StateDiagram,
    ) -> Option<(Direction, StateDiagram, Picture)> {
        let known = |states: &StateDiagram| {
            let mut all = self.0.iter().rev();
            all.find(|(known, written, _)| {
                known.is_laid_out_as(&states.diagram) && *written == states.labels
            })
        };
        [Direction::LeftToRight, Direction::TopDown].into_iter().find_map(|direction| {
            let states = of(direction);
            let picture = known(&states)?.2.clone();
            Some((direction, states, picture))
        })
    }
}

/// Above this many boxes the picture is no longer one to look at as a whole.
const MOST: usize = 60;

impl LaidGraph {
    /// The layout of what is shown now: the earlier one where nothing it depends on has changed,
    /// else one in which little has moved.
    pub fn reuse_or_build(
        earlier: Option<Self>,
        facts: &Facts,
        state: &State,
        shown: &GraphView,
        room: (u16, u16),
    ) -> Self {
        let drawn = DrawnTools::for_tool_count(state.catalog.tools.len());
        let count = facts.workflow.states().len();
        let in_part =
            !(shown.scale == Scale::All || shown.scale == Scale::Fitting && count <= MOST);
        let focus = shown
            .focus
            .as_ref()
            .and_then(|name| facts.workflow.state_row(name))
            .or(facts.current)
            .filter(|_| in_part);
        let asked = (drawn == DrawnTools::Asked).then(|| facts.asked.clone());
        let key = Key { subject: facts.subject(), shown: shown.clone(), focus, asked };
        let content = (facts.current, facts.asked.clone());
        match earlier {
            Some(mut laid) if laid.key == key && laid.room == room => {
                if laid.content != content {
                    laid.content = content;
                    laid.states =
                        diagram(facts, state, shown, (&laid.edges, &laid.extent), laid.direction);
                    laid.drawing = Drawing::default();
                }
                laid
            }
            earlier => {
                let edges = drawn.edges(&facts.workflow);
                let opened =
                    shown.opened.iter().filter_map(|name| facts.workflow.state_row(name)).collect();
                let extent = PictureExtent::choose_states(
                    count,
                    &edges,
                    &Choice { scale: shown.scale, focus, opened: &opened, most: MOST },
                );
                let names: Vec<Name> = extent
                    .nodes
                    .iter()
                    .map(|node| facts.workflow.states()[node.states()[0]].clone())
                    .collect();
                let of = |direction| diagram(facts, state, shown, (&edges, &extent), direction);
                let mut past = Past::default();
                let (direction, states, picture) = match earlier {
                    Some(mut laid) if laid.room == room => {
                        past = std::mem::take(&mut laid.past);
                        past.keep(laid.states.clone(), laid.picture.clone());
                        let known = past.find(of);
                        known.unwrap_or_else(|| choose_layout(Some(&laid), &key, room, &names, of))
                    }
                    earlier => choose_layout(earlier.as_ref(), &key, room, &names, of),
                };
                Self {
                    key,
                    room,
                    content,
                    direction,
                    edges,
                    extent,
                    names,
                    states,
                    picture,
                    drawing: Drawing::default(),
                    past,
                }
            }
        }
    }

    /// Whether it is laid out for the workflow as it is now.
    pub fn is_of(&self, facts: &Facts) -> bool {
        self.key.subject == facts.subject()
    }

    /// Whether it is what the user chose to see, in a room of that size.
    pub fn is_shown_as(&self, shown: &GraphView, room: (u16, u16)) -> bool {
        self.key.shown == *shown && self.room == room
    }

    /// It as a picture of the past, beside those that were before it.
    pub fn into_past(mut self) -> Past {
        self.past.keep(self.states, self.picture);
        self.past
    }

    pub fn with_past(self, past: Past) -> Self {
        Self { past, ..self }
    }

    /// Whether all of the picture is in view at once.
    pub fn fits_in_view(&self) -> bool {
        overflow(&self.picture, self.room) == 0
    }

    /// Whether it is in view with so many lines below it.
    pub fn fits_above(&self, lines: u16) -> bool {
        overflow(&self.picture, (self.room.0, self.room.1.saturating_sub(lines))) == 0
    }

    /// Whether it is laid out for a room of that size.
    pub fn is_in_room(&self, room: (u16, u16)) -> bool {
        self.room == room
    }

    /// How many arrows and states have their tools named.
    pub fn count_named(&self) -> usize {
        self.picture.count_written(&self.states.labels)
    }

    /// Whether its states are numbers.
    pub fn has_numbers(&self) -> bool {
        self.key.shown.detail == Detail::Numbers
    }

    /// Whether so much is out of view that a map of all is of use.
    pub fn wants_map(&self) -> bool {
        let far = |size: usize, room: u16| 2 * size > 3 * usize::from(room);
        far(self.picture.width, self.room.0) || far(self.picture.height, self.room.1)
    }

    /// Draws a part of the picture, unless it is drawn already.
    pub fn draw_window(&mut self, window: BoxArea) {
        if self.drawing.window != window {
            self.drawing = canvas_text::draw_picture(&self.states.diagram, &self.picture, window);
        }
    }

    /// The part that was drawn last.
    pub fn drawing(&self) -> &Drawing {
        &self.drawing
    }

    /// The box in which a state is shown.
    pub fn box_of(&self, state: StateRow) -> Option<usize> {
        self.extent.node_of.get(state).copied().flatten()
    }

    /// The place of the box in which a state is shown.
    pub fn area_of(&self, state: StateRow) -> Option<BoxArea> {
        Some(self.picture.boxes.get(self.box_of(state)?)?.area)
    }

    /// The row of the arrow that shows a link.
    pub fn arrow_of(&self, link: Link) -> Option<usize> {
        self.states.arrows.iter().position(|strand| strand.contains_link(link))
    }
}

/// How far a picture goes beyond its room; rows count twice.
fn overflow(picture: &Picture, room: (u16, u16)) -> usize {
    let beyond = |size: usize, room: u16| size.saturating_sub(usize::from(room));
    beyond(picture.width, room.0) + 2 * beyond(picture.height, room.1)
}

/// How far apart things may be from the top down, so that arrows have room for their labels.
const GAPS: [usize; 4] = [LEAST_GAP, 5, 9, 14];

/// Lays out in the direction that fits better, or in that of the earlier layout where most of it
/// stays.
fn choose_layout(
    earlier: Option<&LaidGraph>,
    key: &Key,
    room: (u16, u16),
    names: &[Name],
    of: impl Fn(Direction) -> StateDiagram,
) -> (Direction, StateDiagram, Picture) {
    let like =
        earlier.filter(|laid| laid.key.subject.start == key.subject.start && laid.room == room);
    let seats: HashMap<&Name, BoxPosition> = like
        .map(|laid| laid.names.iter().zip(laid.picture.seats.iter().copied()).collect())
        .unwrap_or_default();
    let stood: Vec<Option<BoxPosition>> =
        names.iter().map(|name| seats.get(name).copied()).collect();
    let same_detail = like.is_some_and(|like| like.key.shown.detail == key.shown.detail);
    let held = if same_detail { KeptLayout::Places } else { KeptLayout::Order };
    let detail = key.shown.detail;
    let make = |direction: Direction, stood: &[Option<BoxPosition>]| {
        let states = of(direction);
        let spreads = direction == Direction::TopDown
            && matches!(detail, Detail::Less | Detail::Names)
            && names.len() <= MOST;
        let gaps = if spreads { GAPS.as_slice() } else { &[LEAST_GAP] };
        let lay_out = |gap: &usize| {
            let mut picture = states.diagram.layout_apart(stood, held, *gap);
            picture.fill_labels(&states.labels, states.diagram.measure, usize::from(room.0));
            picture
        };
        let all: Vec<Picture> = gaps.iter().map(lay_out).collect();
        // Of those that are best, the first: the one in which most is together.
        let written = |picture: &Picture| picture.count_written(&states.labels);
        let rank = |picture: &Picture| (overflow(picture, room), Reverse(written(picture)));
        let best = all.into_iter().min_by_key(rank).unwrap_or_default();
        (direction, states, best)
    };
    if let Some(like) = like
        && stood.iter().flatten().count() * 2 > stood.len()
    {
        let kept = make(like.direction, &stood);
        if same_detail || overflow(&kept.2, room) == 0 || names.len() > MOST {
            return kept;
        }
        // Another detail has another shape.
        let turned = make(like.direction.toggled(), &[]);
        return if 2 * overflow(&turned.2, room) < overflow(&kept.2, room) { turned } else { kept };
    }
    // Names alone have their arrows' labels beside them only from the top down.
    let before = match detail {
        Detail::Names => Direction::TopDown,
        _ => Direction::LeftToRight,
    };
    let first = make(before, &[]);
    if overflow(&first.2, room) == 0 || names.len() > MOST {
        return first;
    }
    let second = make(before.toggled(), &[]);
    if overflow(&second.2, room) < overflow(&first.2, room) { second } else { first }
}

fn diagram(
    facts: &Facts,
    state: &State,
    shown: &GraphView,
    (edges, extent): (&[Edge], &PictureExtent),
    direction: Direction,
) -> StateDiagram {
    let mut marks = StateMarks::from_analysis(&facts.workflow, &facts.analysis, facts.current);
    marks.far.retain(|row| !facts.is_reachable(*row));
    let unbundled = shown.unbundled.as_ref().and_then(|(from, to)| {
        Some(Link::Between {
            from: facts.workflow.state_row(from)?,
            to: facts.workflow.state_row(to)?,
        })
    });
    let measure = |text: &str| text_width(&visible_text(text));
    let view = View { extent, marks: &marks, unbundled, direction, detail: shown.detail, measure };
    states::state_diagram(&facts.workflow, edges, &state.catalog.tools, view)
}
