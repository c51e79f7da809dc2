//! Draws links through the channels between layers, each bend on a track of its own, and puts
//! everything into cells.

use std::collections::HashMap;

use super::{
    diagram::{Diagram, Direction},
    items::{BoxSize, Item, Items, Kind, LinkRow, arrow_label},
    picture::{BoxArea, BoxPosition, Caption, Heading, Picture, PlacedBox, Point, Route},
};

/// The picture of placed items.
pub(crate) fn build_picture(diagram: &Diagram, items: &Items) -> Picture {
    let mut height = items.items.iter().map(|item| item.at + item.across).max().unwrap_or(0);
    let channels: Vec<Channel> =
        (1..items.layers.len()).map(|layer| Channel::new(items, layer - 1, &mut height)).collect();
    // Where each layer begins, along.
    let mut begins = Vec::with_capacity(items.layers.len());
    let mut next = 0;
    for (layer, rows) in items.layers.iter().enumerate() {
        begins.push(next);
        next += rows.iter().map(|row| items.items[*row].along).max().unwrap_or(0)
            + channels.get(layer).map_or(0, Channel::width);
    }
    let drawing = Drawing { diagram, items, channels, begins };
    let boxes: Vec<PlacedBox> =
        (0..diagram.boxes.len()).map(|row| drawing.place_box(row)).collect();
    let arrows: Vec<Route> =
        (0..diagram.arrows.len()).map(|row| drawing.route_arrow(row)).collect();
    let (width, height) = match diagram.direction {
        Direction::LeftToRight => (next, height),
        Direction::TopDown => (height, next),
    };
    let seat = |row: usize| {
        let item = &items.items[row];
        BoxPosition { layer: item.layer / 2, across: item.at + items.box_size(row).across / 2 }
    };
    Picture { seats: (0..diagram.boxes.len()).map(seat).collect(), boxes, arrows, width, height }
}

/// The links between two neighbouring layers, and on which track each changes its place across.
struct Channel {
    layer: usize,
    /// Links that do not go straight on.
    bends: HashMap<LinkRow, LineBends>,
    count: usize,
    /// Cells behind the layer, and before the next; none beside a layer that takes no room itself.
    lead: usize,
    trail: usize,
}

#[derive(Clone, Copy)]
enum LineBends {
    /// It goes straight on.
    None,
    One {
        track: usize,
    },
    /// By way of a row that no other link uses; for links that would else lie on each other.
    Two {
        first: usize,
        row: usize,
        second: usize,
    },
}

/// A change of place across, that needs a track.
#[derive(Clone, Copy)]
struct CrossShift {
    link: LinkRow,
    from: usize,
    to: usize,
}

impl CrossShift {
    fn overlaps(&self, other: &CrossShift) -> bool {
        self.from.min(self.to) <= other.from.max(other.to)
            && other.from.min(other.to) <= self.from.max(self.to)
    }

    fn crosses_row(&self, row: usize) -> bool {
        self.from.min(self.to) < row && row < self.from.max(self.to)
    }

    /// How many lines cross when this one turns before the other.
    fn cost_before(&self, other: &CrossShift) -> usize {
        usize::from(self.crosses_row(other.from)) + usize::from(other.crosses_row(self.to))
    }

    /// Whether this one must turn first, since the other comes into the row that this one starts
    /// in.
    fn must_precede(&self, other: &CrossShift) -> bool {
        self.from == other.to
    }
}

impl Channel {
    /// The channel behind a layer. `height` grows when a link needs a row beyond all others.
    fn new(items: &Items, layer: usize, height: &mut usize) -> Self {
        let mut bends = HashMap::new();
        let mut jogs: Vec<CrossShift> = Vec::new();
        for link in items.layers[layer].iter().flat_map(|row| &items.items[*row].outs) {
            let (from, to) = link_ends(items, *link);
            if from != to {
                jogs.push(CrossShift { link: *link, from, to });
            }
        }
        let detours = break_circles(&mut jogs, height);
        let (levels, count) = assign_tracks(&jogs);
        // The head of an arrow upwards is right below a text, where no other line may pass.
        let heads = items.layers[layer].iter().flat_map(|row| &items.items[*row].outs);
        let heads = heads.filter(|link| items.begins_with_head(**link));
        let mut heads = heads.map(|link| link_ends(items, *link).0);
        let is_dense = items.is_dense(layer);
        let is_crossed = is_dense
            && heads.any(|head| {
                let mut first = jogs.iter().zip(&levels).filter(|(_, track)| **track == 0);
                first.any(|(jog, _)| jog.crosses_row(head) || jog.to == head)
            });
        for (jog, track) in jogs.iter().zip(levels) {
            let detour = detours.iter().find(|(link, _)| *link == jog.link).map(|(_, row)| *row);
            let bend = match (bends.get(&jog.link), detour) {
                (Some(LineBends::One { track: first }), Some(row)) => {
                    LineBends::Two { first: *first, row, second: track }
                }
                _ => LineBends::One { track },
            };
            bends.insert(jog.link, bend);
        }
        let beside = |layer: usize| {
            usize::from(items.layers[layer].iter().any(|row| items.items[*row].along > 0))
        };
        // A line may begin right below a text.
        let lead = if is_dense && !is_crossed { 0 } else { beside(layer) };
        Self { layer, bends, count, lead, trail: beside(layer + 1) }
    }

    /// A cell behind the layer, the tracks, and a cell for the head before the next.
    fn width(&self) -> usize {
        self.lead + self.count + self.trail
    }

    fn bends(&self, link: LinkRow) -> LineBends {
        self.bends.get(&link).copied().unwrap_or(LineBends::None)
    }
}

fn link_ends(items: &Items, link: LinkRow) -> (usize, usize) {
    let link = &items.links[link];
    (items.items[link.from].at + link.from_port, items.items[link.to].at + link.to_port)
}

/// Where links want each other's rows in a circle, one of each circle takes a detour by way of a
/// free row. The second half of a detour follows its first in `jogs`.
fn break_circles(jogs: &mut Vec<CrossShift>, height: &mut usize) -> Vec<(LinkRow, usize)> {
    let mut detours = Vec::new();
    let count = jogs.len();
    // Each row is entered by one link at most.
    let entering: HashMap<usize, usize> =
        jogs.iter().enumerate().map(|(at, jog)| (jog.to, at)).collect();
    let mut settled = vec![false; count];
    for start in 0..count {
        // Each row is left by one link and entered by one, so what must follow what is a chain or a
        // circle.
        let mut way = vec![start];
        let mut at = start;
        while !settled[at]
            && let Some(next) = entering.get(&jogs[at].from).copied()
        {
            if next == start {
                let (row, jog) = (*height, jogs[start]);
                *height += 1;
                detours.push((jog.link, row));
                jogs[start].to = row;
                jogs.push(CrossShift { link: jog.link, from: row, to: jog.to });
            }
            if way.contains(&next) {
                break;
            }
            way.push(next);
            at = next;
        }
        for at in way {
            settled[at] = true;
        }
    }
    detours
}

/// Each jog's track: in an order that obeys what must come first and else crosses little; jogs that
/// do not meet share a track.
fn assign_tracks(jogs: &[CrossShift]) -> (Vec<usize>, usize) {
    let count = jogs.len();
    let cost = |a: usize, b: usize| {
        if a != b && jogs[a].overlaps(&jogs[b]) {
            jogs[a].cost_before(&jogs[b]) as isize
        } else {
            0
        }
    };
    // What it would cost more to turn before all others than behind them.
    let mut burden: Vec<isize> =
        (0..count).map(|a| (0..count).map(|b| cost(a, b) - cost(b, a)).sum()).collect();
    // Which ones must turn before each; the second half of a detour waits for the first.
    let waits = |later: usize, earlier: usize| {
        let (one, other) = (&jogs[earlier], &jogs[later]);
        if one.link == other.link { earlier < later } else { one.must_precede(other) }
    };
    let mut waiting: Vec<usize> =
        (0..count).map(|a| (0..count).filter(|b| *b != a && waits(a, *b)).count()).collect();
    let mut open: Vec<usize> = (0..count).collect();
    let mut order = Vec::with_capacity(count);
    while !open.is_empty() {
        let ready = open.iter().copied().filter(|a| waiting[*a] == 0);
        let best = ready.min_by_key(|a| (burden[*a], *a)).unwrap_or(open[0]);
        open.retain(|a| *a != best);
        order.push(best);
        for a in &open {
            burden[*a] -= cost(*a, best) - cost(best, *a);
            waiting[*a] -= usize::from(waits(*a, best) && waiting[*a] > 0);
        }
    }
    let mut track = vec![0; count];
    let mut tracks = 0;
    for (place, a) in order.iter().enumerate() {
        let meets = |b: &&usize| jogs[*a].overlaps(&jogs[**b]) || jogs[*a].link == jogs[**b].link;
        track[*a] = order[..place].iter().filter(meets).map(|b| track[*b] + 1).max().unwrap_or(0);
        tracks = tracks.max(track[*a] + 1);
    }
    (track, tracks)
}

struct Drawing<'d> {
    diagram: &'d Diagram,
    items: &'d Items,
    channels: Vec<Channel>,
    begins: Vec<usize>,
}

impl Drawing<'_> {
    fn point_at(&self, along: usize, across: usize) -> Point {
        match self.diagram.direction {
            Direction::LeftToRight => Point { x: along, y: across },
            Direction::TopDown => Point { x: across, y: along },
        }
    }

    fn layer_end(&self, layer: usize) -> usize {
        self.begins[layer]
            + self.items.layers[layer]
                .iter()
                .map(|row| self.items.items[*row].along)
                .max()
                .unwrap_or(0)
    }

    fn place_box(&self, row: usize) -> PlacedBox {
        let item = &self.items.items[row];
        let BoxSize { along, across } = self.items.box_size(row);
        let at = self.point_at(self.begins[item.layer], item.at);
        let (width, height) = match self.diagram.direction {
            Direction::LeftToRight => (along, across),
            Direction::TopDown => (across, along),
        };
        let area = BoxArea { x: at.x, y: at.y, width, height };
        let spec = &self.diagram.boxes[row];
        let caption = |x: usize, y: usize, text: &String| {
            Some(Caption {
                at: Point { x, y },
                text: text.clone(),
                width: (self.diagram.measure)(text),
            })
        };
        let (right, bottom) = (area.x + area.width, area.y + area.height);
        let line = |points: &[(usize, usize)]| {
            points.iter().map(|(x, y)| Point { x: *x, y: *y }).collect::<Vec<_>>()
        };
        match self.diagram.direction {
            Direction::LeftToRight => PlacedBox {
                to_itself: spec.to_itself.as_ref().map(|text| Route {
                    points: line(&[
                        (area.x + 4, bottom - 1),
                        (area.x + 4, bottom),
                        (area.x + 7, bottom),
                        (area.x + 7, bottom - 1),
                    ]),
                    head: Point { x: area.x + 7, y: bottom - 1 },
                    heading: Heading::Up,
                    label: caption(area.x + 9, bottom, text),
                }),
                from_any: spec.from_any.as_ref().map(|text| {
                    let row = bottom + usize::from(spec.to_itself.is_some());
                    Route {
                        points: line(&[
                            (area.x + 3, row),
                            (area.x + 2, row),
                            (area.x + 2, bottom - 1),
                        ]),
                        head: Point { x: area.x + 2, y: bottom - 1 },
                        heading: Heading::Up,
                        label: caption(area.x + 5, row, text),
                    }
                }),
                area,
            },
            Direction::TopDown => PlacedBox {
                to_itself: spec.to_itself.as_ref().map(|text| Route {
                    points: line(&[
                        (right, area.y + 1),
                        (right + 1, area.y + 1),
                        (right + 1, area.y + 2),
                        (right, area.y + 2),
                    ]),
                    head: Point { x: right, y: area.y + 2 },
                    heading: Heading::Left,
                    label: caption(right + 3, area.y + 2, text),
                }),
                from_any: spec.from_any.as_ref().map(|text| {
                    let row = area.y + 1 + 2 * usize::from(spec.to_itself.is_some());
                    Route {
                        points: line(&[(right + 1, row), (right, row)]),
                        head: Point { x: right, y: row },
                        heading: Heading::Left,
                        label: caption(right + 3, row, text),
                    }
                }),
                area,
            },
        }
    }

    /// From box to box along its links; a reversed arrow is turned round at the end.
    fn route_arrow(&self, row: usize) -> Route {
        let chain = &self.items.chains[row];
        let mut points: Vec<Point> = Vec::new();
        for (step, link) in chain.iter().enumerate() {
            let (from, to) = link_ends(self.items, *link);
            let from_item = &self.items.items[self.items.links[*link].from];
            let to_item = &self.items.items[self.items.links[*link].to];
            let channel = &self.channels[from_item.layer];
            let begin = match from_item.kind {
                _ if step > 0 => self.begins[from_item.layer],
                Kind::Box(_) => self.box_end(from_item),
                // A reversed stub begins behind its label, which is at the end of its layer.
                Kind::Label | Kind::Bend => self.layer_end(from_item.layer),
            };
            let track = |track: usize| self.layer_end(channel.layer) + channel.lead + track;
            points.push(self.point_at(begin, from));
            match channel.bends(*link) {
                LineBends::None => {}
                LineBends::One { track: at } => {
                    points.extend([self.point_at(track(at), from), self.point_at(track(at), to)]);
                }
                LineBends::Two { first, row, second } => points.extend([
                    self.point_at(track(first), from),
                    self.point_at(track(first), row),
                    self.point_at(track(second), row),
                    self.point_at(track(second), to),
                ]),
            }
            points.push(
                self.point_at(
                    self.begins[to_item.layer] - usize::from(step + 1 == chain.len()),
                    to,
                ),
            );
        }
        let reversed = self.items.reversed[row];
        if reversed {
            points.reverse();
        }
        let heading = match (self.diagram.direction, reversed) {
            (Direction::LeftToRight, false) => Heading::Right,
            (Direction::LeftToRight, true) => Heading::Left,
            (Direction::TopDown, false) => Heading::Down,
            (Direction::TopDown, true) => Heading::Up,
        };
        let points = corner_points(&points);
        Route {
            head: points.last().copied().unwrap_or_default(),
            points,
            heading,
            label: Some(self.place_label(row)),
        }
    }

    /// The first cell behind a box.
    fn box_end(&self, item: &Item) -> usize {
        let along = match item.kind {
            Kind::Box(row) => self.items.box_size(row).along,
            Kind::Bend | Kind::Label => item.along,
        };
        self.begins[item.layer] + along
    }

    fn place_label(&self, row: usize) -> Caption {
        let item = &self.items.items[self.items.labels[row]];
        let is_stub = self.items.stubs[row];
        let text = arrow_label(self.diagram, row, is_stub);
        let width = (self.diagram.measure)(&text);
        let room = self.layer_end(item.layer) - self.begins[item.layer];
        let at = match self.diagram.direction {
            Direction::LeftToRight => {
                let before = match (is_stub, self.items.reversed[row]) {
                    (false, _) => (room - width) / 2,
                    (true, false) => 1,
                    (true, true) => room - width - 1,
                };
                self.point_at(self.begins[item.layer] + before, item.at)
            }
            Direction::TopDown => self.point_at(self.begins[item.layer], item.at + 1),
        };
        Caption { at, text, width }
    }
}

/// The corners alone.
fn corner_points(points: &[Point]) -> Vec<Point> {
    let mut corners: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        if corners.last() == Some(point) {
            continue;
        }
        if let [.., before, last] = corners.as_slice()
            && ((before.x == last.x && last.x == point.x)
                || (before.y == last.y && last.y == point.y))
        {
            corners.pop();
        }
        corners.push(*point);
    }
    corners
}
