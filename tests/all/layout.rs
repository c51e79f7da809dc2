//! The picture of a workflow on five hundred random ones: nothing stands over anything, everything
//! can be read, and a small change moves little.

use std::collections::HashSet;

use toolcrib::engine::{
    canvas_text::{self, Cell, Role},
    layout::{
        diagram::{ArrowSpec, BoxSpec, Diagram, Direction, Frame, char_count},
        hit::DiagramHit,
        labels::{FullLabels, Wordings},
        picture::{BoxArea, BoxPosition, Caption, KeptLayout, Picture, PlacedBox, Point, Route},
    },
};

const GRAPHS: u64 = 500;

/// A generator of its own, so that the graphs are the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count.max(1)
    }
}

/// States with circles, ways back, parallel arrows, arrows to themselves and from any state; from
/// two to thirty of them.
fn random(seed: u64) -> Diagram {
    let mut dice = Dice(seed * 7919 + 1);
    for _ in 0..4 {
        dice.below(2);
    }
    let count = 2 + dice.below(29);
    let frame = if seed % 5 == 4 { Frame::None } else { Frame::Plain };
    let word = |dice: &mut Dice, longest: usize| {
        "abcdefghijklmnopqrstuvwxyz"[..1 + dice.below(longest)].to_owned()
    };
    let foot =
        |dice: &mut Dice| (frame != Frame::None && dice.below(5) == 0).then(|| word(dice, 12));
    let boxes = (0..count)
        .map(|row| BoxSpec {
            lines: if frame == Frame::None {
                vec!["○".into()]
            } else {
                vec![format!("s{row}-{}", word(&mut dice, 12)), "2 tools".into()]
            },
            frame,
            to_itself: foot(&mut dice),
            from_any: foot(&mut dice),
        })
        .collect();
    let arrows =
        (0..count + dice.below(count + 1)).filter_map(|_| arrow(&mut dice, count)).collect();
    let direction =
        if seed.is_multiple_of(2) { Direction::LeftToRight } else { Direction::TopDown };
    Diagram { boxes, arrows, first: 0, direction, measure: char_count }
}

/// Mostly to a state nearby, at times far or back.
fn arrow(dice: &mut Dice, count: usize) -> Option<ArrowSpec> {
    let from = dice.below(count);
    let to =
        if dice.below(3) == 0 { dice.below(count) } else { (from + 1 + dice.below(3)) % count };
    let label = "abcdefghijklmnopqrstuvwxyz"[..dice.below(16)].to_owned();
    (from != to).then_some(ArrowSpec { from, to, label })
}

fn feet(picture: &Picture) -> impl Iterator<Item = &Route> {
    picture
        .boxes
        .iter()
        .flat_map(|PlacedBox { to_itself, from_any, .. }| [to_itself, from_any])
        .flatten()
}

fn cells(route: &Route) -> impl Iterator<Item = Point> + '_ {
    route.points.windows(2).flat_map(|pair| {
        let (a, b) = (pair[0], pair[1]);
        (a.x.min(b.x)..=a.x.max(b.x))
            .flat_map(move |x| (a.y.min(b.y)..=a.y.max(b.y)).map(move |y| Point { x, y }))
    })
}

fn nothing_stands_over_anything(seed: u64, diagram: &Diagram, picture: &Picture) {
    let areas: Vec<BoxArea> = picture.boxes.iter().map(|placed| placed.area).collect();
    for (row, area) in areas.iter().enumerate() {
        assert!(
            areas[..row].iter().all(|other| !area.overlaps(other)),
            "graph {seed}: box {row} lies over another"
        );
    }
    for (row, route) in picture.arrows.iter().enumerate() {
        let through = areas.iter().position(|area| cells(route).any(|point| area.contains(point)));
        assert_eq!(through, None, "graph {seed}: arrow {row} runs through a box");
        assert!(
            route.points.windows(2).all(|pair| pair[0].x == pair[1].x || pair[0].y == pair[1].y)
        );
        assert_eq!(
            picture.hit_test(route.head),
            DiagramHit::Arrow(row),
            "graph {seed}: the head of arrow {row} is its own"
        );
    }
    let labels: Vec<&Caption> = picture
        .arrows
        .iter()
        .chain(feet(picture))
        .filter_map(|route| route.label.as_ref())
        .collect();
    for (row, label) in labels.iter().enumerate().filter(|(_, label)| label.width > 0) {
        let others = labels
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != row)
            .map(|(_, label)| label.area());
        assert!(
            others.chain(areas.iter().copied()).all(|area| !area.overlaps(&label.area())),
            "graph {seed}: {}",
            label.text
        );
    }
    // What is meant to be read stands in the drawing, letter for letter.
    let whole = BoxArea { x: 0, y: 0, width: picture.width, height: picture.height };
    let drawing = canvas_text::draw_picture(diagram, picture, whole);
    let read = |at: Point, width: usize| {
        (0..width)
            .map(|step| drawing.cell(Point { x: at.x + step, y: at.y }).unwrap().text.as_str())
            .collect::<String>()
    };
    for label in labels {
        assert_eq!(
            read(label.at, label.width),
            label.text,
            "graph {seed}: a label is cut or drawn over"
        );
    }
    for (spec, area) in
        diagram.boxes.iter().zip(&areas).filter(|(spec, _)| spec.frame != Frame::None)
    {
        for (line, text) in spec.lines.iter().enumerate() {
            assert_eq!(
                &read(Point { x: area.x + 2, y: area.y + 1 + line }, char_count(text)),
                text,
                "graph {seed}: a box's text"
            );
        }
    }
}

#[test]
fn on_random_graphs_nothing_stands_over_anything_and_all_can_be_read() {
    for seed in 0..GRAPHS {
        let diagram = random(seed);
        let picture = diagram.layout();
        nothing_stands_over_anything(seed, &diagram, &picture);
        assert_eq!(diagram.layout(), picture, "graph {seed}: the same graph, another picture");
        let seats: Vec<Option<BoxPosition>> = picture.seats.iter().copied().map(Some).collect();
        let after = diagram.layout_after(&seats, KeptLayout::Places);
        nothing_stands_over_anything(seed, &diagram, &after);
        let layers =
            |picture: &Picture| picture.seats.iter().map(|seat| seat.layer).collect::<Vec<_>>();
        assert_eq!(
            layers(&after),
            layers(&picture),
            "graph {seed}: nothing changed, but boxes changed their layers"
        );
    }
}

/// A random graph whose labels are to be written where there is room: of each three one has frames
/// and labels, the others names alone.
fn with_room(seed: u64) -> (Diagram, FullLabels) {
    let (mut diagram, mut dice) = (random(seed), Dice(seed + 7));
    let mut texts = |longest: usize| -> Wordings {
        let text = &"abcdefghijklmnopqrstuvwxyz"[..dice.below(longest)];
        let short = format!("{}…", &text[..text.len().min(4)]);
        [text.to_owned(), short].into_iter().filter(|_| !text.is_empty()).collect()
    };
    let arrows = diagram.arrows.iter().map(|_| texts(24)).collect();
    let is_bare = !seed.is_multiple_of(3);
    let mut feet = vec![Default::default(); diagram.boxes.len()];
    if is_bare {
        diagram.arrows.iter_mut().for_each(|arrow| arrow.label.clear());
        for (row, spec) in diagram.boxes.iter_mut().enumerate() {
            let lines = vec![format!("state-{row}")];
            *spec = BoxSpec { lines, frame: Frame::None, ..BoxSpec::default() };
            if row % 4 == 0 {
                feet[row] = (texts(12), texts(6));
            }
        }
    }
    (diagram, FullLabels { arrows, feet })
}

#[test]
fn labels_written_where_there_is_room_are_apart_from_all_else_and_beside_their_own_line() {
    let (mut shown, mut wanted) = (0, 0);
    for seed in 0..GRAPHS {
        let (diagram, labels) = with_room(seed);
        let mut dice = Dice(seed + 3);
        let gap = [2, 5, 9][dice.below(3)];
        let before = diagram.layout_apart(&[], KeptLayout::Order, gap);
        let mut picture = before.clone();
        picture.fill_labels(&labels, char_count, before.width + dice.below(40));
        nothing_stands_over_anything(seed, &diagram, &picture);
        for (was, is) in before.arrows.iter().zip(&picture.arrows) {
            let text = |route: &Route| route.label.as_ref().map_or(0, |label| label.width);
            assert!(text(was) == 0 || text(is) > 0, "graph {seed}: a label is gone");
        }
        let routes: Vec<&Route> = picture.arrows.iter().chain(feet(&picture)).collect();
        let lines: Vec<HashSet<Point>> =
            routes.iter().map(|route| cells(route).chain([route.head]).collect()).collect();
        let text = |route: &&Route| route.label.clone().filter(|label| label.width > 0);
        let texts: Vec<Option<Caption>> = routes.iter().map(text).collect();
        for (row, label) in texts.iter().enumerate() {
            let Some(label) = label else { continue };
            let (x, y, end) = (label.at.x, label.at.y, label.at.x + label.width);
            let words = format!("graph {seed}: {} at {:?}", label.text, label.at);
            // What is at a cell but the label and its own line.
            let is_other = |x: usize| {
                let at = Point { x, y };
                lines.iter().enumerate().any(|(other, line)| other != row && line.contains(&at))
                    || picture.boxes.iter().any(|placed| placed.area.contains(at))
                    || texts.iter().enumerate().any(|(other, label)| {
                        other != row
                            && label.as_ref().is_some_and(|label| label.area().contains(at))
                    })
            };
            assert!(!(x.saturating_sub(1)..=end).any(is_other), "something is over or at {words}");
            let own = |x: usize, y: usize| lines[row].contains(&Point { x, y });
            let is_on = (x..end).any(|x| own(x, y));
            let (left, right) = (x >= 2 && own(x - 2, y), own(end + 1, y));
            let is_along = [y.checked_sub(1), Some(y + 1)]
                .into_iter()
                .flatten()
                .any(|near| (x..end).all(|x| own(x, near)));
            assert!(is_on || left || right || is_along, "its line is away from {words}");
            if is_on && !own(end, y) && diagram.boxes[0].frame == Frame::None {
                let beside = [x.checked_sub(2).filter(|x| !own(*x, y)), Some(end + 1)];
                let is_near = beside.into_iter().flatten().any(is_other);
                assert!(!is_near, "another line looks like that of {words}");
            }
            if !is_on && row < picture.arrows.len() {
                let far = if left { end + 1 } else { x.saturating_sub(2) };
                assert!(right && left || !is_other(far), "another line is as near to {words}");
            }
        }
        let count = picture.count_labels(&labels);
        shown += count.shown;
        wanted += labels.arrows.iter().filter(|texts| !texts.is_empty()).count()
            + labels
                .feet
                .iter()
                .map(|(itself, any)| usize::from(!itself.is_empty()) + usize::from(!any.is_empty()))
                .sum::<usize>();
    }
    println!("{shown} of {wanted} labels are seen");
    assert!(shown * 10 > wanted * 6, "{shown} of {wanted} labels are seen");
}

/// The box that a cell belongs to.
fn box_of(cell: &Cell) -> Option<usize> {
    match cell.role {
        Role::Text { owner, .. } | Role::Inside(owner) | Role::Border(owner) => Some(owner),
        _ => None,
    }
}

/// A part drawn alone is that part of the whole, but for the texts of boxes: they stay in view.
#[test]
fn what_is_in_view_is_drawn_as_in_the_whole() {
    for seed in 0..100 {
        let diagram = random(seed);
        let picture = diagram.layout();
        let whole = canvas_text::draw_picture(
            &diagram,
            &picture,
            BoxArea { x: 0, y: 0, width: picture.width, height: picture.height },
        );
        let mut dice = Dice(seed);
        let (x, y) = (dice.below(picture.width), dice.below(picture.height));
        let window = BoxArea {
            x,
            y,
            width: (picture.width - x).min(30),
            height: (picture.height - y).min(9),
        };
        let part = canvas_text::draw_picture(&diagram, &picture, window);
        for (row, cells) in part.rows().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let at = Point { x: x + column, y: y + row };
                let in_whole = whole.cell(at).unwrap();
                let is_text = |cell: &Cell| matches!(cell.role, Role::Text { .. });
                if is_text(cell) || is_text(in_whole) {
                    assert_eq!(box_of(cell), box_of(in_whole), "graph {seed} at {at:?}");
                } else {
                    assert_eq!(cell, in_whole, "graph {seed} at {at:?}");
                }
            }
        }
    }
}

/// How many of the boxes went elsewhere, in thousandths.
#[derive(Default, Debug)]
struct Moved {
    boxes: usize,
    /// To another layer.
    layer: usize,
    /// On the screen, against the box where the new arrow begins: by more than 4 columns or 2 rows.
    screen: usize,
    pairs: usize,
    /// Pairs of one layer that changed their order.
    order: usize,
}

impl Moved {
    fn add(&mut self, before: &Picture, after: &Picture, held: usize) {
        let shift = |row: usize| {
            let (one, other) = (before.boxes[row].area, after.boxes[row].area);
            (other.x as i64 - one.x as i64, other.y as i64 - one.y as i64)
        };
        let own = shift(held);
        self.boxes += before.boxes.len();
        for row in 0..before.boxes.len() {
            self.layer += usize::from(before.seats[row].layer != after.seats[row].layer);
            let (x, y) = shift(row);
            self.screen += usize::from((x - own.0).abs() > 4 || (y - own.1).abs() > 2);
            for other in 0..row {
                let (was, is) = (
                    [before.seats[row], before.seats[other]],
                    [after.seats[row], after.seats[other]],
                );
                if was[0].layer == was[1].layer && is[0].layer == is[1].layer {
                    self.pairs += 1;
                    self.order += usize::from(
                        (was[0].across < was[1].across) != (is[0].across < is[1].across),
                    );
                }
            }
        }
    }

    fn thousandths(&self) -> [usize; 3] {
        [
            self.layer * 1000 / self.boxes,
            self.order * 1000 / self.pairs,
            self.screen * 1000 / self.boxes,
        ]
    }
}

#[test]
fn one_more_arrow_moves_few_boxes() {
    let (mut kept, mut fresh) = (Moved::default(), Moved::default());
    for seed in 0..GRAPHS {
        let diagram = random(seed);
        let before = diagram.layout();
        let mut more = diagram.clone();
        let mut dice = Dice(seed + 99);
        let Some(added) = (0..20).find_map(|_| arrow(&mut dice, diagram.boxes.len())) else {
            continue;
        };
        let held = added.from;
        more.arrows.push(added);
        let seats: Vec<Option<BoxPosition>> = before.seats.iter().copied().map(Some).collect();
        let after = more.layout_after(&seats, KeptLayout::Places);
        nothing_stands_over_anything(seed, &more, &after);
        kept.add(&before, &after, held);
        fresh.add(&before, &more.layout(), held);
    }
    println!(
        "one arrow more, of 1000: layer, order, screen: kept {:?}, laid out anew {:?}",
        kept.thousandths(),
        fresh.thousandths()
    );
    let [layer, order, screen] = kept.thousandths();
    assert!(layer < 60 && order < 5 && screen < 420, "{kept:?}");
    assert!(
        kept.thousandths().iter().zip(fresh.thousandths()).all(|(kept, fresh)| *kept < fresh),
        "{kept:?} {fresh:?}"
    );
}
