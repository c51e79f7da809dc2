//! Writes labels that a layout left out or cut where there is room for them after all: on or beside
//! their lines. Nothing moves for them.

use std::cmp::Reverse;

use super::{
    diagram::TextMeasure,
    picture::{BoxArea, Caption, Heading, Picture, PlacedBox, Point, Route},
};

/// The labels of a picture as they would all like to be; empty where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FullLabels {
    pub arrows: Vec<String>,
    /// For each box those of the arrow to itself and of the one from any box.
    pub feet: Vec<(String, String)>,
}

/// Larger pictures keep the labels that they have: nobody sees all of one at once.
const MOST_CELLS: usize = 60_000;

impl Picture {
    /// Writes as many of these labels in full as there is room for; the picture may grow to both
    /// sides as far as that width.
    pub fn fill_labels(&mut self, labels: &FullLabels, measure: TextMeasure, most_width: usize) {
        let width = self.width.max(most_width);
        if width * self.height > MOST_CELLS {
            return;
        }
        // Room may be on both sides, or all of it on one.
        let spare = width - self.width;
        let written = |begin: usize| {
            let mut picture = self.clone();
            picture.shift(begin.cast_signed());
            picture.write_labels(labels, measure, width);
            picture.trim();
            picture
        };
        let all = [spare / 2, 0, spare].map(written);
        let best = all.into_iter().min_by_key(|picture| Reverse(picture.count_written(labels)));
        *self = best.unwrap_or_default();
    }

    fn write_labels(&mut self, labels: &FullLabels, measure: TextMeasure, width: usize) {
        let mut grid = Grid::new(self, width);
        for (row, text) in labels.arrows.iter().enumerate() {
            let Some(route) = self.arrows.get_mut(row) else { continue };
            if is_written(route, text) {
                continue;
            }
            let cells = measure(text);
            grid.clear_label(route, Taken::Line(row));
            if let Some(at) = place_on_line(&grid, route, row, cells) {
                route.label = Some(Caption { at, text: text.clone(), width: cells });
            }
            grid.block_label(route);
        }
        for (placed, (itself, any)) in self.boxes.iter_mut().zip(&labels.feet) {
            if placed.to_itself.is_none() && placed.from_any.is_none() {
                add_foot(&mut grid, placed, (itself, any), measure);
                continue;
            }
            for (route, text) in [(&mut placed.to_itself, itself), (&mut placed.from_any, any)] {
                let Some(route) = route.as_mut().filter(|route| !is_written(route, text)) else {
                    continue;
                };
                let Some(at) = route.label.as_ref().map(|label| label.at) else { continue };
                let cells = measure(text);
                grid.clear_label(route, Taken::Blocked);
                if grid.is_free(at, cells) {
                    route.label = Some(Caption { at, text: text.clone(), width: cells });
                }
                grid.block_label(route);
            }
        }
    }

    /// How many of these labels are written in full.
    #[must_use]
    pub fn count_written(&self, labels: &FullLabels) -> usize {
        let arrows = self.arrows.iter().zip(&labels.arrows);
        let on_arrows =
            arrows.filter(|(route, text)| !text.is_empty() && is_written(route, text)).count();
        let at_boxes = self.boxes.iter().zip(&labels.feet).flat_map(|(placed, (itself, any))| {
            [itself, any].into_iter().filter(|text| !text.is_empty() && has_foot(placed, text))
        });
        on_arrows + at_boxes.count()
    }

    /// Moves everything sideways.
    fn shift(&mut self, by: isize) {
        let moved = |x: &mut usize| *x = x.saturating_add_signed(by);
        let route = |route: &mut Route| {
            route.points.iter_mut().chain([&mut route.head]).for_each(|point| moved(&mut point.x));
            route.label.iter_mut().for_each(|label| moved(&mut label.at.x));
        };
        self.arrows.iter_mut().for_each(route);
        for placed in &mut self.boxes {
            moved(&mut placed.area.x);
            placed.to_itself.iter_mut().chain(&mut placed.from_any).for_each(route);
        }
        self.width = self.width.saturating_add_signed(by);
    }

    /// Ends the picture where what is in it does.
    fn trim(&mut self) {
        let feet =
            self.boxes.iter().flat_map(|placed| placed.to_itself.iter().chain(&placed.from_any));
        let (mut left, mut right) = (usize::MAX, 0);
        for route in self.arrows.iter().chain(feet) {
            for point in route.points.iter().chain([&route.head]) {
                (left, right) = (left.min(point.x), right.max(point.x + 1));
            }
            if let Some(label) = route.label.as_ref().filter(|label| label.width > 0) {
                (left, right) = (left.min(label.at.x), right.max(label.at.x + label.width));
            }
        }
        for BoxArea { x, width, .. } in self.boxes.iter().map(|placed| placed.area) {
            (left, right) = (left.min(x), right.max(x + width));
        }
        self.width = right;
        self.shift(-left.min(right).cast_signed());
    }
}

/// Beside a box without a frame: which tools keep its state, or lead to it from any; right of it,
/// else left.
fn add_foot(
    grid: &mut Grid,
    placed: &mut PlacedBox,
    (itself, any): (&str, &str),
    measure: TextMeasure,
) {
    let stays = if itself.is_empty() { String::new() } else { format!("stays: {itself}") };
    let both = [any, &stays].into_iter().filter(|words| !words.is_empty());
    let text = both.collect::<Vec<_>>().join(", ");
    let (BoxArea { x, y, width, .. }, cells) = (placed.area, measure(&text));
    if text.is_empty() {
        return;
    }
    let right = x + width;
    let at_right = Point { x: right + 3, y };
    let at_left = x.checked_sub(cells + 4).map(|x| Point { x, y });
    // The label, the arrow beside it, and a cell before that.
    let (at, heading, line) = if grid.is_free(Point { x: right + 1, y }, cells + 2) {
        (at_right, Heading::Left, [right + 1, right])
    } else if let Some(at) = at_left.filter(|at| grid.is_free(*at, cells + 3)) {
        (at, Heading::Right, [x - 2, x - 1])
    } else {
        return;
    };
    let points = line.map(|x| Point { x, y });
    let label = Some(Caption { at, text, width: cells });
    let route = Route { points: points.into(), head: points[1], heading, label };
    grid.block_label(&route);
    grid.draw_line(&route, None);
    match any.is_empty() {
        true => placed.to_itself = Some(route),
        false => placed.from_any = Some(route),
    }
}

/// Whether a text is beside one of a box's own arrows, alone or with another.
fn has_foot(placed: &PlacedBox, text: &str) -> bool {
    let mut feet = placed.to_itself.iter().chain(&placed.from_any);
    feet.any(|route| route.label.as_ref().is_some_and(|label| label.text.contains(text)))
}

fn is_written(route: &Route, text: &str) -> bool {
    text.is_empty() || route.label.as_ref().is_some_and(|label| label.text == text)
}

/// The first place along an arrow where a label of so many cells fits: on the line, else right or
/// left of an upright piece of it.
fn place_on_line(grid: &Grid, route: &Route, row: usize, cells: usize) -> Option<Point> {
    let pieces = || route.points.windows(2).map(|pair| (pair[0], pair[1]));
    let on_line = pieces().find_map(|(from, to)| match from.y == to.y {
        true => on_lying_piece(grid, (from, to), row, cells),
        false => inner_rows(from, to).into_iter().find_map(|y| {
            let at = Point { x: from.x.checked_sub(cells / 2)?, y };
            grid.is_free_but(at, cells, (from.x, row)).then_some(at)
        }),
    });
    // A head alone is such a piece, too.
    let alone = [(route.head, route.head)];
    let upright = || {
        let all = pieces().filter(|(from, to)| from.y != to.y);
        all.chain(alone).flat_map(|(from, to)| {
            let rows = match (from, to) {
                (from, to) if from == to => vec![from.y],
                (from, to) => inner_rows(from, to),
            };
            rows.into_iter().map(move |y| Point { x: from.x, y })
        })
    };
    let right = |line: Point| {
        let at = Point { x: line.x + 2, y: line.y };
        grid.is_free(at, cells).then_some(at)
    };
    let left = |line: Point| {
        let at = Point { x: line.x.checked_sub(cells + 1)?, y: line.y };
        grid.is_free(at, cells).then_some(at)
    };
    on_line.or_else(|| upright().find_map(right)).or_else(|| upright().find_map(left))
}

/// In the middle of a piece that can be seen at both sides.
fn on_lying_piece(
    grid: &Grid,
    (from, to): (Point, Point),
    row: usize,
    cells: usize,
) -> Option<Point> {
    let (left, right) = (from.x.min(to.x), from.x.max(to.x));
    let room = (right - left).checked_sub(cells + 5)?;
    let at = Point { x: left + 3 + room / 2, y: from.y };
    (at.x - 1..=at.x + cells).all(|x| grid.is_line_of(Point { x, y: at.y }, row)).then_some(at)
}

/// The rows of an upright piece between its ends, in its direction.
fn inner_rows(from: Point, to: Point) -> Vec<usize> {
    let (top, bottom) = (from.y.min(to.y), from.y.max(to.y));
    let rows = top + 1..bottom;
    if from.y < to.y { rows.collect() } else { rows.rev().collect() }
}

/// What each cell of a picture is taken by.
struct Grid {
    width: usize,
    cells: Vec<Taken>,
}

#[derive(Clone, Copy, PartialEq)]
enum Taken {
    Free,
    /// By the line of one arrow.
    Line(usize),
    /// By a box, a label, a crossing.
    Blocked,
}

impl Grid {
    fn new(picture: &Picture, width: usize) -> Self {
        let mut grid = Self { width, cells: vec![Taken::Free; width * picture.height] };
        for (row, route) in picture.arrows.iter().enumerate() {
            grid.draw_line(route, Some(row));
        }
        for placed in &picture.boxes {
            let PlacedBox { area, to_itself, from_any } = placed;
            grid.block(*area);
            for route in [to_itself, from_any].into_iter().flatten() {
                grid.draw_line(route, None);
                grid.block_label(route);
            }
        }
        for route in &picture.arrows {
            grid.block_label(route);
        }
        grid
    }

    fn at(&mut self, point: Point) -> Option<&mut Taken> {
        if point.x >= self.width {
            return None;
        }
        self.cells.get_mut(point.y * self.width + point.x)
    }

    fn get(&self, point: Point) -> Taken {
        let inside = point.x < self.width;
        let cell = inside.then(|| self.cells.get(point.y * self.width + point.x)).flatten();
        cell.copied().unwrap_or(Taken::Blocked)
    }

    fn draw_line(&mut self, route: &Route, arrow: Option<usize>) {
        let mine = arrow.map_or(Taken::Blocked, Taken::Line);
        let ends = [(route.head, route.head)];
        let pieces = route.points.windows(2).map(|pair| (pair[0], pair[1])).chain(ends);
        for (from, to) in pieces {
            for y in from.y.min(to.y)..=from.y.max(to.y) {
                for x in from.x.min(to.x)..=from.x.max(to.x) {
                    if let Some(cell) = self.at(Point { x, y }) {
                        *cell = if *cell == Taken::Free || *cell == mine {
                            mine
                        } else {
                            Taken::Blocked
                        };
                    }
                }
            }
        }
    }

    fn block(&mut self, area: BoxArea) {
        self.fill(area, Taken::Blocked);
    }

    fn fill(&mut self, area: BoxArea, by: Taken) {
        for y in area.y..area.y + area.height {
            for x in area.x..area.x + area.width {
                if let Some(cell) = self.at(Point { x, y }) {
                    *cell = by;
                }
            }
        }
    }

    /// Blocks the cells of a route's label.
    fn block_label(&mut self, route: &Route) {
        if let Some(label) = route.label.as_ref().filter(|label| !label.text.is_empty()) {
            self.block(label.area());
        }
    }

    /// Takes a label that may be written elsewhere away; its line is by itself below it.
    fn clear_label(&mut self, route: &Route, line: Taken) {
        let on_line = |x: usize, y: usize| {
            route.points.windows(2).any(|pair| {
                let (from, to) = (pair[0], pair[1]);
                (from.x.min(to.x)..=from.x.max(to.x)).contains(&x)
                    && (from.y.min(to.y)..=from.y.max(to.y)).contains(&y)
            })
        };
        let Some(label) = &route.label else { return };
        for x in label.at.x..label.at.x + label.width {
            let below = if on_line(x, label.at.y) { line } else { Taken::Free };
            if let Some(cell) = self.at(Point { x, y: label.at.y }) {
                *cell = below;
            }
        }
    }

    /// Whether a label and a cell on both sides of it have nothing in their way.
    fn is_free(&self, at: Point, cells: usize) -> bool {
        let ends = at.x + cells <= self.width;
        let before = at.x.checked_sub(1).map(|x| Point { x, y: at.y });
        let is_apart = before.is_none_or(|point| self.get(point) == Taken::Free);
        let behind = Point { x: at.x + cells, y: at.y };
        let is_last = behind.x >= self.width || self.get(behind) == Taken::Free;
        let is_free = |x: usize| self.get(Point { x, y: at.y }) == Taken::Free;
        ends && is_apart && is_last && (at.x..at.x + cells).all(is_free)
    }

    /// The same, where the line of one arrow may be below the label in one column.
    fn is_free_but(&self, at: Point, cells: usize, (column, arrow): (usize, usize)) -> bool {
        let is_free = |x: usize| match self.get(Point { x, y: at.y }) {
            Taken::Free => true,
            Taken::Line(row) => x == column && row == arrow,
            Taken::Blocked => x >= self.width,
        };
        let first = at.x.saturating_sub(1);
        at.x + cells <= self.width && (first..=at.x + cells).all(is_free)
    }

    fn is_line_of(&self, at: Point, arrow: usize) -> bool {
        self.get(at) == Taken::Line(arrow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        canvas_text::draw_picture,
        layout::diagram::{ArrowSpec, BoxSpec, Diagram, Direction, Frame, char_count},
    };

    fn diagram(direction: Direction, arrows: &[(usize, usize)]) -> Diagram {
        let count = arrows.iter().map(|(from, to)| from.max(to) + 1).max().unwrap_or(1);
        let spec =
            |row: usize| BoxSpec { lines: vec![format!("state-{row}")], ..BoxSpec::default() };
        let arrow =
            |(from, to): &(usize, usize)| ArrowSpec { from: *from, to: *to, label: String::new() };
        Diagram {
            boxes: (0..count).map(spec).collect(),
            arrows: arrows.iter().map(arrow).collect(),
            first: 0,
            direction,
            measure: char_count,
        }
    }

    /// The picture as text, with these labels written into it.
    fn text(diagram: &Diagram, labels: &[&str], width: usize) -> String {
        let mut picture = diagram.layout();
        let labels = FullLabels {
            arrows: labels.iter().map(|label| (*label).to_owned()).collect(),
            feet: Vec::new(),
        };
        picture.fill_labels(&labels, char_count, width);
        drawn(diagram, &picture)
    }

    fn drawn(diagram: &Diagram, picture: &Picture) -> String {
        let window = BoxArea { x: 0, y: 0, width: picture.width, height: picture.height };
        let drawing = draw_picture(diagram, picture, window);
        let line = |cells: &[crate::engine::canvas_text::Cell]| {
            let text: String = cells
                .iter()
                .map(|cell| if cell.text.is_empty() { " " } else { &cell.text })
                .collect();
            text.trim_end().to_owned()
        };
        drawing.rows().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_label_is_beside_an_upright_line_where_the_pane_is_wide_enough() {
        let two = diagram(Direction::TopDown, &[(0, 1)]);
        assert!(text(&two, &["open-the-cart"], 40).contains("▼ open-the-cart"));
        assert!(!text(&two, &["open-the-cart"], 12).contains("open"), "there is no room");
    }

    #[test]
    fn what_stays_in_a_state_without_a_frame_is_beside_it() {
        let mut two = diagram(Direction::TopDown, &[(0, 1)]);
        two.boxes.iter_mut().for_each(|spec| spec.frame = Frame::None);
        let mut picture = two.layout();
        let feet = [("add", "ask"), ("wait", "")].map(|(itself, any)| (itself.into(), any.into()));
        let labels = FullLabels { arrows: vec!["go".into()], feet: feet.into() };
        picture.fill_labels(&labels, char_count, 60);
        let shown = drawn(&two, &picture);
        assert_eq!(
            shown, "state-0◀─ ask, stays: add\n   ▼ go\nstate-1◀─ stays: wait",
            "nothing moves: {shown}"
        );
    }

    #[test]
    fn a_label_may_take_the_room_of_both_sides() {
        let mut one = diagram(Direction::TopDown, &[(0, 1)]);
        one.boxes[1].to_itself = Some("ask…".into());
        let mut picture = one.layout();
        let (before, full) = (picture.width, "ask-for-a-way".to_owned());
        let feet = vec![Default::default(), (full.clone(), String::new())];
        let labels = FullLabels { arrows: vec![String::new()], feet };
        picture.fill_labels(&labels, char_count, before + full.len() - "ask…".chars().count());
        assert!(drawn(&one, &picture).contains(&full), "{}", drawn(&one, &picture));
    }

    #[test]
    fn a_label_is_on_a_long_line() {
        let ring = diagram(Direction::LeftToRight, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        let shown = text(&ring, &["a", "", "", "back-again"], 0);
        assert!(shown.contains("─ back-again ─"), "{shown}");
        assert!(!shown.contains(" a "), "a short line has no room: {shown}");
    }

    #[test]
    fn a_label_has_a_blank_between_it_and_another_line() {
        let mut grid = Grid { width: 12, cells: vec![Taken::Free; 12] };
        grid.cells[3] = Taken::Line(1);
        let is_free = |x: usize| grid.is_free(Point { x, y: 0 }, 3);
        assert_eq!([4, 5, 9, 10].map(is_free), [false, true, true, false]);
        assert!(!grid.is_free(Point { x: 0, y: 0 }, 3), "it would touch the line behind it");
    }

    #[test]
    fn labels_are_apart_from_each_other_and_from_boxes() {
        let fan = diagram(Direction::TopDown, &[(0, 1), (0, 2), (0, 3)]);
        let shown = text(&fan, &["first", "second", "third"], 60);
        for label in ["first", "second", "third"] {
            let line = shown.lines().find(|line| line.contains(label)).unwrap_or_default();
            let beside = line.split(label).next().and_then(|before| before.chars().last());
            assert!(beside.is_none_or(|letter| letter == ' '), "{shown}");
        }
    }
}
