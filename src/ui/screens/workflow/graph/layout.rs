//! The layout of what is shown, kept while only the run goes on.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet},
};

use super::super::facts::{Facts, Subject};
use crate::{
    app::state::State,
    engine::{
        canvas_text::{self, Drawing, Role as Part},
        filter::AskedGroups,
        gated::ToolRow,
        layout::{
            diagram::{BoxSpec, Diagram, Direction, Frame},
            extent::{Choice, Node, PictureExtent, Scale},
            labels::{FullLabels, has_label},
            lay::LEAST_GAP,
            marks::StateMarks,
            picture::{BoxArea, BoxPosition, KeptLayout, Picture, Route},
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

/// What a layout depends on beside its room. Groups are among it only where arrows of other groups are left out.
#[derive(PartialEq)]
struct Key {
    subject: Subject,
    shown: GraphView,
    /// Only where a part is shown.
    focus: Option<StateRow>,
    asked: Option<AskedGroups>,
}

impl Key {
    fn new(facts: &Facts, state: &State, shown: &GraphView) -> Self {
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
        Self { subject: facts.subject(), shown: shown.clone(), focus, asked }
    }
}

/// The room for a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PictureRoom {
    pub size: (u16, u16),
    /// The direction that the picture keeps; `None` where it may turn.
    pub direction: Option<Direction>,
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
}

/// A picture that was shown, and what it was made from.
struct PastPicture {
    room: (u16, u16),
    names: Vec<Name>,
    diagram: Diagram,
    labels: FullLabels,
    picture: Picture,
}

impl PastPicture {
    /// Whether it would be a picture of these states, too: they have the same names, take the same
    /// room, and have the same arrows, whichever of them is the current one.
    fn is_of(&self, states: &StateDiagram, names: &[Name]) -> bool {
        let (one, other) = (&self.diagram, &states.diagram);
        let measure = one.measure;
        let widths =
            |spec: &BoxSpec| spec.lines.iter().map(|line| measure(line)).collect::<Vec<_>>();
        let same_box = |(one, two): (&BoxSpec, &BoxSpec)| {
            let (one_widths, two_widths) = (widths(one), widths(two));
            (one.frame == Frame::None) == (two.frame == Frame::None)
                && one_widths == two_widths
                && one.to_itself == two.to_itself
                && one.from_any == two.from_any
        };
        self.names == names
            && self.labels == states.labels
            && (one.first, one.direction) == (other.first, other.direction)
            && one.arrows == other.arrows
            && one.boxes.iter().zip(&other.boxes).all(same_box)
    }
}

/// What was laid out before, the newest last: what an undo brings back is where it was.
#[derive(Default)]
pub(crate) struct Past(Vec<PastPicture>);

/// So many earlier pictures are kept.
const KEPT: usize = 24;

impl Past {
    /// Keeps a picture, in the place of an earlier one of the same.
    pub fn keep(&mut self, laid: &LaidGraph) {
        let LaidGraph { room, names, states, picture, .. } = laid;
        self.0.retain(|past| past.room != *room || !past.is_of(states, names));
        self.0.push(PastPicture {
            room: *room,
            names: names.clone(),
            diagram: states.diagram.clone(),
            labels: states.labels.clone(),
            picture: picture.clone(),
        });
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
    }

    /// The diagram of now with the picture that it had in that room.
    fn find(
        &self,
        room: PictureRoom,
        names: &[Name],
        of: impl Fn(Direction) -> StateDiagram,
    ) -> Option<(Direction, StateDiagram, Picture)> {
        let mut ways = [Direction::LeftToRight, Direction::TopDown]
            .into_iter()
            .filter(|way| room.direction.is_none_or(|kept| kept == *way));
        ways.find_map(|direction| {
            let states = of(direction);
            let is_it = |past: &&PastPicture| past.room == room.size && past.is_of(&states, names);
            let picture = self.0.iter().rev().find(is_it)?.picture.clone();
            Some((direction, states, picture))
        })
    }
}

/// Above this many boxes the picture is no longer one to look at as a whole.
const MOST: usize = 60;

impl LaidGraph {
    /// The layout of what is shown now: the earlier one where nothing it depends on has changed,
    /// else one of the past, else one in which little has moved.
    pub fn reuse_or_build(
        earlier: Option<Self>,
        past: &mut Past,
        (facts, state): (&Facts, &State),
        shown: &GraphView,
        room: PictureRoom,
    ) -> Self {
        let content = (facts.current, facts.asked.clone());
        match earlier {
            Some(mut laid)
                if laid.room == room.size && laid.key == Key::new(facts, state, shown) =>
            {
                if laid.content != content {
                    laid.content = content;
                    laid.states =
                        diagram(facts, state, shown, (&laid.edges, &laid.extent), laid.direction);
                    laid.drawing = Drawing::default();
                }
                laid
            }
            earlier => {
                if let Some(laid) = &earlier {
                    past.keep(laid);
                }
                Self::build(earlier.as_ref(), past, (facts, state), shown, room)
            }
        }
    }

    /// The layout of what is shown now, as it was in the past or near to an earlier one.
    pub fn build(
        earlier: Option<&Self>,
        past: &Past,
        (facts, state): (&Facts, &State),
        shown: &GraphView,
        room: PictureRoom,
    ) -> Self {
        let key = Key::new(facts, state, shown);
        let edges = DrawnTools::for_tool_count(state.catalog.tools.len()).edges(&facts.workflow);
        let opened =
            shown.opened.iter().filter_map(|name| facts.workflow.state_row(name)).collect();
        let extent = PictureExtent::choose_states(
            facts.workflow.states().len(),
            &edges,
            &Choice { scale: shown.scale, focus: key.focus, opened: &opened, most: MOST },
        );
        let first_state = |node: &Node| facts.workflow.states()[node.states()[0]].clone();
        let names: Vec<Name> = extent.nodes.iter().map(first_state).collect();
        let of = |direction| diagram(facts, state, shown, (&edges, &extent), direction);
        let (direction, states, picture) = past
            .find(room, &names, of)
            .unwrap_or_else(|| choose_layout(earlier, &key, room, &names, of));
        Self {
            key,
            room: room.size,
            content: (facts.current, facts.asked.clone()),
            direction,
            edges,
            extent,
            names,
            states,
            picture,
            drawing: Drawing::default(),
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

    pub fn direction(&self) -> Direction {
        self.direction
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

    /// How many arrows, those from a state to itself among them, have nothing that names or counts
    /// their tools.
    pub fn count_unlabelled(&self) -> usize {
        let bare = self.picture.arrows.iter().filter(|route| !has_label(route)).count();
        let feet = (0..self.picture.boxes.len()).map(|row| {
            let (itself, any) = self.feet_of_box(row);
            usize::from(!itself.is_empty()) + usize::from(!any.is_empty())
        });
        bare + feet.sum::<usize>()
    }

    /// The tools that keep a state, and those that lead to it from any, as far as they have no label.
    pub fn hidden_feet(&self, state: StateRow) -> (&[ToolRow], &[ToolRow]) {
        self.box_of(state).map(|row| self.feet_of_box(row)).unwrap_or_default()
    }

    fn feet_of_box(&self, row: usize) -> (&[ToolRow], &[ToolRow]) {
        let (Some(placed), Some((itself, any))) =
            (self.picture.boxes.get(row), self.states.feet.get(row))
        else {
            return Default::default();
        };
        let is_named = |foot: &Option<Route>| foot.as_ref().is_some_and(has_label);
        // Where a state has no frame, one label is for both.
        let for_both = placed.to_itself.is_none() && is_named(&placed.from_any);
        let hidden = |is_named: bool, tools| if is_named { &[][..] } else { tools };
        (
            hidden(for_both || is_named(&placed.to_itself), itself.as_slice()),
            hidden(is_named(&placed.from_any), any.as_slice()),
        )
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

    /// The edge of an arrow that is drawn: between two boxes, or at a state.
    pub fn edge_of(&self, link: Link) -> Option<&Edge> {
        let strands = self.states.arrows.iter().flat_map(|strand| &strand.edges);
        let feet = self.edges.iter().filter(|edge| self.foot_of(edge.link).is_some());
        strands.chain(feet).find(|edge| edge.link == link)
    }

    /// The part of the picture that is the arrow from a state to itself, or from any to it.
    pub fn foot_of(&self, link: Link) -> Option<Part> {
        let alone = |state: StateRow| {
            self.box_of(state).filter(|row| self.extent.nodes[*row].single_state().is_some())
        };
        match link {
            Link::Between { from, to } if from == to => alone(to).map(Part::Itself),
            Link::FromAny { to } => alone(to).map(Part::FromAny),
            Link::Between { .. } | Link::StayAny => None,
        }
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
    PictureRoom { size: room, direction: kept }: PictureRoom,
    names: &[Name],
    of: impl Fn(Direction) -> StateDiagram,
) -> (Direction, StateDiagram, Picture) {
    let renamed = earlier.and_then(|laid| renamed_state(&laid.names, names));
    let is_like = |laid: &&LaidGraph| {
        let same_start = laid.key.subject.start == key.subject.start
            || renamed == Some((&laid.key.subject.start, &key.subject.start));
        same_start && (laid.room == room || kept == Some(laid.direction))
    };
    let like = earlier.filter(is_like);
    let seats: HashMap<&Name, BoxPosition> = like
        .map(|laid| laid.names.iter().zip(laid.picture.seats.iter().copied()).collect())
        .unwrap_or_default();
    let seat = |name: &Name| {
        let before = renamed.filter(|(_, after)| *after == name).map_or(name, |(before, _)| before);
        seats.get(before).copied()
    };
    let stood: Vec<Option<BoxPosition>> = names.iter().map(seat).collect();
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
        let written = |picture: &Picture| picture.count_labels(&states.labels);
        let rank = |picture: &Picture| (overflow(picture, room), Reverse(written(picture)));
        let best = all.into_iter().min_by_key(rank).unwrap_or_default();
        (direction, states, best)
    };
    if let Some(like) = like
        && stood.iter().flatten().count() * 2 > stood.len()
    {
        let same = make(like.direction, &stood);
        if same_detail || kept.is_some() || overflow(&same.2, room) == 0 || names.len() > MOST {
            return same;
        }
        // Another detail has another shape.
        let turned = make(like.direction.toggled(), &[]);
        return if 2 * overflow(&turned.2, room) < overflow(&same.2, room) { turned } else { same };
    }
    if let Some(direction) = kept {
        return make(direction, &[]);
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

/// The one state that is gone and the one that is new, where that is all that changed: the same
/// state with another name.
fn renamed_state<'n>(before: &'n [Name], after: &'n [Name]) -> Option<(&'n Name, &'n Name)> {
    let only = |names: &'n [Name], others: &[Name]| {
        let others: HashSet<&Name> = others.iter().collect();
        let mut new = names.iter().filter(|name| !others.contains(name));
        new.next().filter(|_| new.next().is_none())
    };
    (before.len() == after.len()).then_some(())?;
    Some((only(before, after)?, only(after, before)?))
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
