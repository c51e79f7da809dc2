//! Boxes and pieces of arrows, layer by layer: whatever takes room in a layer is an item, and links
//! join items of neighbouring layers.

use super::{
    diagram::{BoxSpec, Diagram, Direction, Frame},
    rank::Ranks,
};
use crate::schema::ordering::PutInOrder;

pub(crate) type ItemRow = usize;
pub(crate) type LinkRow = usize;

/// What takes room in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Box(usize),
    /// An arrow passing straight through.
    Bend,
    /// An arrow's label, on the arrow.
    Label,
}

#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub kind: Kind,
    pub layer: usize,
    /// Room in the direction of the layers, and in the other.
    pub along: usize,
    pub across: usize,
    /// Links from the layer before, and to the layer behind.
    pub ins: Vec<LinkRow>,
    pub outs: Vec<LinkRow>,
    /// Where it begins across; set by `place`.
    pub at: usize,
}

/// A piece of an arrow between items of neighbouring layers.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub from: ItemRow,
    pub to: ItemRow,
    /// Where it leaves and enters, from the beginning of the item.
    pub from_port: usize,
    pub to_port: usize,
}

/// How many cells a box takes along the layers and across them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoxSize {
    pub along: usize,
    pub across: usize,
}

/// Boxes stand in even layers, labels in odd ones.
#[derive(Debug)]
pub(crate) struct Items {
    pub items: Vec<Item>,
    pub links: Vec<Link>,
    /// The items of each layer in their order.
    pub layers: Vec<Vec<ItemRow>>,
    /// For each arrow, its links from the earlier layer to the later; for a reversed arrow that is
    /// from its target to its source.
    pub chains: Vec<Vec<LinkRow>>,
    /// For each arrow, the item of its label.
    pub labels: Vec<ItemRow>,
    /// Arrows that end at their label, which then names the box they lead to.
    pub stubs: Vec<bool>,
    pub reversed: Vec<bool>,
    pub direction: Direction,
    gap: usize,
    box_sizes: Vec<BoxSize>,
    /// How thick each box's edge is.
    edges: Vec<usize>,
}

/// Room that a box takes, its foot included: width and height.
fn size_of(spec: &BoxSpec, diagram: &Diagram) -> (usize, usize) {
    let (width, height) = inner_size(spec, diagram);
    let foot = |label: &Option<String>, lead: usize| {
        label.as_ref().map_or(0, |text| lead + (diagram.measure)(text))
    };
    match diagram.direction {
        Direction::LeftToRight => {
            let rows = usize::from(spec.to_itself.is_some()) + usize::from(spec.from_any.is_some());
            (width.max(foot(&spec.to_itself, 9)).max(foot(&spec.from_any, 5)), height + rows)
        }
        Direction::TopDown => {
            (width + foot(&spec.to_itself, 3).max(foot(&spec.from_any, 3)), height)
        }
    }
}

/// The box alone, borders included.
fn inner_size(spec: &BoxSpec, diagram: &Diagram) -> (usize, usize) {
    let text = spec.lines.iter().map(|line| (diagram.measure)(line)).max().unwrap_or(0);
    if spec.frame == Frame::None {
        return (text.max(1), spec.lines.len().max(1));
    }
    match diagram.direction {
        Direction::LeftToRight => ((text + 4).max(11), spec.lines.len().max(1) + 2),
        // The arrows at the side take a row for "from any" and two for "to itself".
        Direction::TopDown => {
            let beside =
                usize::from(spec.from_any.is_some()) + 2 * usize::from(spec.to_itself.is_some());
            (text + 4, spec.lines.len().max(beside).max(1) + 2)
        }
    }
}

/// With more pieces of arrows than this, the longest are drawn as stubs: such a line could not be
/// followed with the eye anyway.
const MOST_PIECES: usize = 1_500;
/// Arrows that pass at most so many layers are always drawn whole.
const SHORT: usize = 2;

fn choose_stubs(diagram: &Diagram, ranks: &Ranks) -> Vec<bool> {
    let length = |row: usize| {
        ranks.layer[diagram.arrows[row].from].abs_diff(ranks.layer[diagram.arrows[row].to])
    };
    let mut stubs = vec![false; diagram.arrows.len()];
    let mut pieces: usize = (0..stubs.len()).map(|row| 2 * length(row)).sum();
    let mut longest: Vec<usize> = (0..stubs.len()).filter(|row| length(*row) > SHORT).collect();
    longest.order_by_key(|row| (std::cmp::Reverse(length(*row)), *row));
    for row in longest {
        if pieces <= MOST_PIECES {
            break;
        }
        stubs[row] = true;
        pieces -= 2 * length(row);
    }
    stubs
}

/// An arrow's label; a stub's names the box that it leads to.
pub(crate) fn arrow_label(diagram: &Diagram, row: usize, stub: bool) -> String {
    let arrow = &diagram.arrows[row];
    let target = diagram.boxes[arrow.to].lines.first().map_or("", |line| {
        line.trim_start_matches(['▶', '●', ' ']).trim_end_matches(['↺', '⇠', ' '])
    });
    if stub { format!("{} → {target}", arrow.label) } else { arrow.label.clone() }
}

impl Items {
    pub fn new(diagram: &Diagram, ranks: &Ranks, gap: usize) -> Self {
        let depth = ranks.layer.iter().max().map_or(0, |last| last * 2 + 1);
        let mut all = Self {
            items: Vec::new(),
            links: Vec::new(),
            layers: vec![Vec::new(); depth],
            chains: Vec::with_capacity(diagram.arrows.len()),
            labels: Vec::with_capacity(diagram.arrows.len()),
            stubs: choose_stubs(diagram, ranks),
            reversed: ranks.reversed.clone(),
            direction: diagram.direction,
            gap,
            box_sizes: Vec::with_capacity(diagram.boxes.len()),
            edges: Vec::with_capacity(diagram.boxes.len()),
        };
        for row in 0..diagram.boxes.len() {
            all.add_item(Kind::Box(row), ranks.layer[row] * 2, (0, 0));
        }
        for (row, arrow) in diagram.arrows.iter().enumerate() {
            let width = match (diagram.measure)(&arrow_label(diagram, row, all.stubs[row])) {
                0 => 1,
                width => width + 2,
            };
            let (from, to) =
                if ranks.reversed[row] { (arrow.to, arrow.from) } else { (arrow.from, arrow.to) };
            // The label is next to the box that the arrow comes from.
            let label_layer = if ranks.reversed[row] {
                ranks.layer[to] * 2 - 1
            } else {
                ranks.layer[from] * 2 + 1
            };
            let mut chain = Vec::new();
            let mut before = Some(from);
            for layer in ranks.layer[from] * 2 + 1..ranks.layer[to] * 2 {
                if all.stubs[row] && layer != label_layer {
                    continue;
                }
                let item = if layer == label_layer {
                    let label = all.add_item(Kind::Label, layer, (width, 1));
                    all.labels.push(label);
                    label
                } else {
                    all.add_item(Kind::Bend, layer, (1, 1))
                };
                // A stub has nothing on its far side.
                if let Some(before) = before.filter(|_| !(all.stubs[row] && ranks.reversed[row])) {
                    chain.push(all.add_link(before, item));
                }
                before = Some(item);
            }
            if let Some(before) = before.filter(|_| !all.stubs[row] || ranks.reversed[row]) {
                chain.push(all.add_link(before, to));
            }
            all.chains.push(chain);
        }
        all.size_boxes(diagram);
        all.thin_out(diagram);
        all
    }

    /// Layers of labels without a single letter take no room along.
    fn thin_out(&mut self, diagram: &Diagram) {
        let mut lettered = vec![false; self.layers.len()];
        for (row, item) in self.labels.iter().enumerate() {
            lettered[self.items[*item].layer] |=
                !arrow_label(diagram, row, self.stubs[row]).is_empty();
        }
        for item in &mut self.items {
            if item.layer % 2 == 1 && !lettered[item.layer] {
                item.along = 0;
            }
        }
    }

    /// `size` is width and height.
    fn add_item(&mut self, kind: Kind, layer: usize, size: (usize, usize)) -> ItemRow {
        let (along, across) = self.along_across(size);
        let row = self.items.len();
        self.items.push(Item {
            kind,
            layer,
            along,
            across,
            ins: Vec::new(),
            outs: Vec::new(),
            at: 0,
        });
        self.layers[layer].push(row);
        row
    }

    fn add_link(&mut self, from: ItemRow, to: ItemRow) -> LinkRow {
        let row = self.links.len();
        self.links.push(Link { from, to, from_port: 0, to_port: 0 });
        self.items[from].outs.push(row);
        self.items[to].ins.push(row);
        row
    }

    fn along_across<T>(&self, (width, height): (T, T)) -> (T, T) {
        match self.direction {
            Direction::LeftToRight => (width, height),
            Direction::TopDown => (height, width),
        }
    }

    /// Boxes grow with the number of arrows at their sides, and those of one layer are equally
    /// long.
    fn size_boxes(&mut self, diagram: &Diagram) {
        let mut longest = vec![0; self.layers.len()];
        for (row, spec) in diagram.boxes.iter().enumerate() {
            let (inner, whole) = (inner_size(spec, diagram), size_of(spec, diagram));
            let (along, across) = self.along_across(inner);
            let ports = self.items[row].ins.len().max(self.items[row].outs.len());
            let needed = match (self.direction, spec.frame) {
                (Direction::LeftToRight, Frame::None) => ports,
                (Direction::TopDown, Frame::None) => (ports * 2).saturating_sub(1),
                (Direction::LeftToRight, _) => ports + 2,
                (Direction::TopDown, _) => ports * 2 + 3,
            };
            self.edges.push(usize::from(spec.frame != Frame::None));
            let across = across.max(needed);
            let (_, inner_across) = self.along_across(inner);
            let (whole_along, whole_across) = self.along_across(whole);
            self.items[row].across = whole_across + (across - inner_across);
            self.items[row].along = whole_along;
            self.box_sizes.push(BoxSize { along, across });
            let layer = self.items[row].layer;
            longest[layer] = longest[layer].max(along);
        }
        for row in 0..diagram.boxes.len() {
            let longest = longest[self.items[row].layer];
            self.items[row].along = self.items[row].along.max(longest);
            self.box_sizes[row].along = longest;
        }
    }

    /// The box alone, without its foot.
    pub fn box_size(&self, row: usize) -> BoxSize {
        self.box_sizes[row]
    }

    /// Whether the head of its arrow is where a link leaves its item: that of an arrow which leads
    /// back.
    pub fn begins_with_head(&self, link: LinkRow) -> bool {
        let is_box = matches!(self.items[self.links[link].from].kind, Kind::Box(_));
        let mut back = self.chains.iter().zip(&self.reversed).filter(|(_, back)| **back);
        is_box && back.any(|(chain, _)| chain.first() == Some(&link))
    }

    /// Whether a layer has texts alone, below which lines begin.
    pub fn is_dense(&self, layer: usize) -> bool {
        let is_text = |row: &ItemRow| match self.items[*row].kind {
            Kind::Box(spec) => self.edges[spec] == 0,
            Kind::Bend | Kind::Label => self.items[*row].along == 0 || layer.is_multiple_of(2),
        };
        self.direction == Direction::TopDown && self.layers[layer].iter().all(is_text)
    }

    /// The order of a layer's items as a place for each.
    pub fn ranks_within(&self) -> Vec<usize> {
        let mut place = vec![0; self.items.len()];
        for layer in &self.layers {
            for (at, item) in layer.iter().enumerate() {
                place[*item] = at;
            }
        }
        place
    }

    /// Spreads the links of each item over its sides, in the order of the items they come from and
    /// go to.
    pub fn set_ports(&mut self) {
        let place = self.ranks_within();
        for row in 0..self.items.len() {
            let (mut ins, mut outs) = (self.items[row].ins.clone(), self.items[row].outs.clone());
            ins.order_by_key(|link| place[self.links[*link].from]);
            outs.order_by_key(|link| place[self.links[*link].to]);
            for (at, link) in ins.iter().enumerate() {
                self.links[*link].to_port = self.port_offset(row, at, ins.len());
            }
            for (at, link) in outs.iter().enumerate() {
                self.links[*link].from_port = self.port_offset(row, at, outs.len());
            }
        }
    }

    fn port_offset(&self, row: ItemRow, at: usize, of: usize) -> usize {
        match self.items[row].kind {
            Kind::Bend => 0,
            Kind::Label => self.items[row].across / 2,
            Kind::Box(spec) => {
                let edge = self.edges[spec];
                let inner = self.box_sizes[spec].across - 2 * edge;
                edge + ((2 * at + 1) * inner - 1) / (2 * of)
            }
        }
    }

    /// The room to leave between two items that stand next to each other.
    pub fn gap_between(&self, before: ItemRow, after: ItemRow) -> usize {
        let beside_box =
            [before, after].iter().any(|row| matches!(self.items[*row].kind, Kind::Box(_)));
        match self.direction {
            Direction::LeftToRight => usize::from(beside_box),
            Direction::TopDown => self.gap,
        }
    }
}
