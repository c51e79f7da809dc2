//! Writes labels that a layout left out or cut where there is room for them after all: on or beside
//! their lines, anywhere along them. Nothing moves for them. Where a label has no room in full, a
//! shorter one is written.

use std::cmp::Reverse;

use super::{
    diagram::TextMeasure,
    picture::{BoxArea, Caption, Heading, Picture, PlacedBox, Point, Route},
};

/// A label in full, then shorter and shorter; none where there is no label.
pub type Wordings = Vec<String>;

/// The labels of a picture as they would all like to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FullLabels {
    pub arrows: Vec<Wordings>,
    /// For each box those of the arrow to itself and of the one from any box.
    pub feet: Vec<(Wordings, Wordings)>,
}

/// How many of the labels of a picture are seen, the better the more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelCount {
    /// In full or shortened.
    pub shown: usize,
    pub in_full: usize,
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
        let best = all.into_iter().min_by_key(|picture| Reverse(picture.count_labels(labels)));
        *self = best.unwrap_or_default();
    }

    fn write_labels(&mut self, labels: &FullLabels, measure: TextMeasure, width: usize) {
        let mut grid = Grid::new(self, width);
        // Each label has its chance in full before any is shortened.
        let steps = labels.arrows.iter().map(Vec::len).max().unwrap_or(0);
        for step in 0..steps {
            for (row, wordings) in labels.arrows.iter().enumerate() {
                let (Some(route), Some(text)) = (self.arrows.get_mut(row), wordings.get(step))
                else {
                    continue;
                };
                if !wordings[..=step].iter().any(|text| is_written(route, text)) {
                    write_on_line(&mut grid, (route, row), text, measure);
                }
            }
        }
        for (placed, feet) in self.boxes.iter_mut().zip(&labels.feet) {
            let (itself, any) = feet;
            if placed.to_itself.is_none() && placed.from_any.is_none() {
                add_foot(&mut grid, placed, feet, measure);
                continue;
            }
            for (route, texts) in [(&mut placed.to_itself, itself), (&mut placed.from_any, any)] {
                let Some((route, text)) = route.as_mut().zip(texts.first()) else { continue };
                if is_written(route, text) {
                    continue;
                }
                let Some(at) = route.label.as_ref().map(|label| label.at) else { continue };
                let cells = measure(text);
                grid.clear_label(route, Taken::Blocked);
                if grid.is_free(at, cells, (1, 2)) {
                    route.label = Some(Caption { at, text: text.clone(), width: cells });
                }
                grid.block_label(route);
            }
        }
    }

    /// How many of these labels are seen.
    #[must_use]
    pub fn count_labels(&self, labels: &FullLabels) -> LabelCount {
        let mut count = LabelCount { shown: 0, in_full: 0 };
        let mut add = |is_shown: bool, is_full: bool| {
            count.shown += usize::from(is_shown);
            count.in_full += usize::from(is_full);
        };
        for (route, texts) in self.arrows.iter().zip(&labels.arrows) {
            if let Some(full) = texts.first() {
                add(has_label(route), is_written(route, full));
            }
        }
        for (placed, (itself, any)) in self.boxes.iter().zip(&labels.feet) {
            for texts in [itself, any].into_iter().filter(|texts| !texts.is_empty()) {
                add(
                    feet_of(placed).any(has_label),
                    texts.first().is_some_and(|full| has_foot(placed, full)),
                );
            }
        }
        count
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

/// Writes a label of an arrow where its line has room for it; otherwise it stays as it is.
fn write_on_line(
    grid: &mut Grid,
    (route, row): (&mut Route, usize),
    text: &str,
    measure: TextMeasure,
) {
    let cells = measure(text);
    grid.clear_label(route, Taken::Line(row));
    if let Some(at) = place_on_line(grid, route, row, cells) {
        route.label = Some(Caption { at, text: text.to_owned(), width: cells });
    }
    grid.block_label(route);
}

/// Beside a box without a frame: which tools keep its state, or lead to it from any; right of it,
/// else left.
fn add_foot(
    grid: &mut Grid,
    placed: &mut PlacedBox,
    (itself, any): &(Wordings, Wordings),
    measure: TextMeasure,
) {
    let step_of = |texts: &Wordings, step: usize| texts.get(step).or(texts.last()).cloned();
    for step in 0..itself.len().max(any.len()) {
        let stays = step_of(itself, step).map(|text| format!("stays: {text}"));
        let both: Vec<String> = step_of(any, step).into_iter().chain(stays).collect();
        let text = both.join(", ");
        let Some(route) = place_foot(grid, placed.area, measure(&text)) else { continue };
        let label = route.label.map(|label| Caption { text, ..label });
        let route = Route { label, ..route };
        grid.block_label(&route);
        grid.draw_line(&route, None);
        match any.is_empty() {
            true => placed.to_itself = Some(route),
            false => placed.from_any = Some(route),
        }
        return;
    }
}

/// The arrow beside a box that a label of so many cells is at, if there is room for both.
fn place_foot(grid: &Grid, area: BoxArea, cells: usize) -> Option<Route> {
    let BoxArea { x, y, width, .. } = area;
    let right = x + width;
    let at_left = x.checked_sub(cells + 3).map(|x| Point { x, y });
    // The label, the arrow beside it, and a cell before that.
    let (at, heading, line) = if grid.is_free(Point { x: right + 1, y }, cells + 2, (1, 2)) {
        (Point { x: right + 3, y }, Heading::Left, [right + 1, right])
    } else {
        let at = at_left.filter(|at| grid.is_free(*at, cells + 3, (2, 0)))?;
        (at, Heading::Right, [x - 2, x - 1])
    };
    let points = line.map(|x| Point { x, y });
    let label = Some(Caption { at, text: String::new(), width: cells });
    Some(Route { points: points.into(), head: points[1], heading, label })
}

fn feet_of(placed: &PlacedBox) -> impl Iterator<Item = &Route> {
    placed.to_itself.iter().chain(&placed.from_any)
}

/// Whether a text is beside one of a box's own arrows, alone or with another.
fn has_foot(placed: &PlacedBox, text: &str) -> bool {
    feet_of(placed).any(|route| route.label.as_ref().is_some_and(|label| label.text.contains(text)))
}

/// Whether something names or counts the tools of an arrow.
#[must_use]
pub(crate) fn has_label(route: &Route) -> bool {
    route.label.as_ref().is_some_and(|label| !label.text.is_empty())
}

fn is_written(route: &Route, text: &str) -> bool {
    text.is_empty() || route.label.as_ref().is_some_and(|label| label.text == text)
}

type Piece = (Point, Point);

/// The first place along an arrow where a label of so many cells fits: on the line, right or left of
/// an upright piece of it, above or below a lying one, at last across an upright one, off its
/// middle. Beside a line it is nearer to that than to any other.
fn place_on_line(grid: &Grid, route: &Route, row: usize, cells: usize) -> Option<Point> {
    let pieces: Vec<Piece> = route.points.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let lying = || pieces.iter().filter(|(from, to)| from.y == to.y);
    let across = |line: Point, lead: usize| {
        let at = Point { x: line.x.checked_sub(lead)?, y: line.y };
        grid.is_free_but(at, cells, (line.x, row)).then_some(at)
    };
    let inner = || {
        let all = pieces.iter().filter(|(from, to)| from.y != to.y);
        all.flat_map(|(from, to)| {
            inner_rows(*from, *to).into_iter().map(move |y| Point { x: from.x, y })
        })
    };
    // A head alone is such a piece, too.
    let upright = || inner().chain([route.head]);
    let right = |line: Point| {
        let at = Point { x: line.x + 2, y: line.y };
        grid.is_free(at, cells, (1, 2)).then_some(at)
    };
    let left = |line: Point| {
        let at = Point { x: line.x.checked_sub(cells + 1)?, y: line.y };
        grid.is_free(at, cells, (2, 1)).then_some(at)
    };
    let on_line = pieces.iter().find_map(|(from, to)| match from.y == to.y {
        true => on_lying_piece(grid, (*from, *to), row, cells),
        false => inner_rows(*from, *to)
            .into_iter()
            .find_map(|y| across(Point { x: from.x, y }, cells / 2)),
    });
    on_line
        .or_else(|| upright().find_map(right))
        .or_else(|| upright().find_map(left))
        .or_else(|| lying().find_map(|piece| along_lying_piece(grid, *piece, row, cells)))
        .or_else(|| {
            let mut leads = from_middle(1, cells.saturating_sub(2));
            leads.find_map(|lead| inner().find_map(|line| across(line, lead)))
        })
}

/// The numbers from the first to the last, beginning in the middle.
fn from_middle(first: usize, last: usize) -> impl Iterator<Item = usize> {
    let middle = usize::midpoint(first, last);
    let steps = 0..(last + 1).saturating_sub(first);
    steps
        .flat_map(move |step| [middle.checked_sub(step), (step > 0).then_some(middle + step)])
        .flatten()
        .filter(move |at| (first..=last).contains(at))
}

/// On a piece that can be seen at both sides, as near to its middle as there is room.
fn on_lying_piece(grid: &Grid, (from, to): Piece, row: usize, cells: usize) -> Option<Point> {
    let (left, right) = (from.x.min(to.x), from.x.max(to.x));
    let room = (right - left).checked_sub(cells + 5)?;
    from_middle(left + 3, left + 3 + room).map(|x| Point { x, y: from.y }).find(|at| {
        (at.x - 2..=at.x + cells + 1).all(|x| grid.is_line_of(Point { x, y: at.y }, row))
    })
}

/// Above or below a piece, where no other line is at the label's other side.
fn along_lying_piece(grid: &Grid, (from, to): Piece, row: usize, cells: usize) -> Option<Point> {
    let (left, right) = (from.x.min(to.x), from.x.max(to.x));
    let last = right.checked_sub(cells)?;
    let rows = |step: usize| [from.y.checked_sub(step), Some(from.y + step)];
    let sides: Vec<(usize, Option<usize>)> =
        rows(1).into_iter().zip(rows(2)).filter_map(|(near, far)| Some((near?, far))).collect();
    from_middle(left + 1, last).find_map(|x| {
        let is_along = (x..x + cells).all(|x| grid.is_line_of(Point { x, y: from.y }, row));
        let is_apart = |far: &Option<usize>| {
            far.is_none_or(|y| (x..x + cells).all(|x| !grid.is_taken(Point { x, y })))
        };
        let mut free = sides.iter().filter(|(y, far)| {
            is_along && is_apart(far) && grid.is_free(Point { x, y: *y }, cells, (2, 2))
        });
        free.next().map(|(y, _)| Point { x, y: *y })
    })
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

    /// Whether a label, and so many cells before and behind it, have nothing in their way.
    fn is_free(&self, at: Point, cells: usize, (before, behind): (usize, usize)) -> bool {
        let first = at.x.saturating_sub(before);
        let is_free = |x: usize| x >= self.width || self.get(Point { x, y: at.y }) == Taken::Free;
        at.x + cells <= self.width && (first..at.x + cells + behind).all(is_free)
    }

    /// Whether a cell of the picture is taken.
    fn is_taken(&self, at: Point) -> bool {
        at.x < self.width
            && self.cells.get(at.y * self.width + at.x).is_some_and(|cell| *cell != Taken::Free)
    }

    /// The same, where the line of one arrow may be below the label in one column.
    fn is_free_but(&self, at: Point, cells: usize, (column, arrow): (usize, usize)) -> bool {
        let is_free = |x: usize| match self.get(Point { x, y: at.y }) {
            Taken::Free => true,
            Taken::Line(row) => x == column && row == arrow,
            Taken::Blocked => x >= self.width,
        };
        // With one blank between them, it would read as one with a label, and as beside a line.
        let first = at.x.saturating_sub(2);
        at.x + cells <= self.width && (first..=at.x + cells + 1).all(is_free)
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

    fn wordings(label: &str) -> Wordings {
        [label].into_iter().filter(|label| !label.is_empty()).map(str::to_owned).collect()
    }

    /// The picture as text, with these labels written into it.
    fn text(diagram: &Diagram, labels: &[&str], width: usize) -> String {
        let mut picture = diagram.layout();
        let labels = FullLabels {
            arrows: labels.iter().map(|label| wordings(label)).collect(),
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
        let feet =
            [("add", "ask"), ("wait", "")].map(|(itself, any)| (wordings(itself), wordings(any)));
        let labels = FullLabels { arrows: vec![wordings("go")], feet: feet.into() };
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
        let feet = vec![Default::default(), (vec![full.clone()], Vec::new())];
        let labels = FullLabels { arrows: vec![Vec::new()], feet };
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
        let is_free = |x: usize| grid.is_free(Point { x, y: 0 }, 3, (1, 1));
        assert_eq!([4, 5, 9, 10].map(is_free), [false, true, true, false]);
        assert!(
            !grid.is_free(Point { x: 0, y: 0 }, 3, (1, 1)),
            "it would touch the line behind it"
        );
    }

    /// Lines alone, in a picture of so many rows.
    fn lines(points: &[&[(usize, usize)]], (width, height): (usize, usize)) -> Picture {
        let route = |points: &&[(usize, usize)]| {
            let points: Vec<Point> = points.iter().map(|(x, y)| Point { x: *x, y: *y }).collect();
            Route { head: points[points.len() - 1], points, heading: Heading::Right, label: None }
        };
        Picture { arrows: points.iter().map(route).collect(), width, height, ..Picture::default() }
    }

    fn places(mut picture: Picture, labels: &[&[&str]]) -> Vec<Option<(String, (usize, usize))>> {
        let texts =
            |texts: &&[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let labels = FullLabels { arrows: labels.iter().map(texts).collect(), feet: Vec::new() };
        let width = picture.width;
        picture.fill_labels(&labels, char_count, width);
        let place = |label: Caption| (label.text, (label.at.x, label.at.y));
        picture.arrows.into_iter().map(|route| route.label.map(place)).collect()
    }

    #[test]
    fn a_label_too_long_for_its_line_is_above_or_below_it_but_never_between_two() {
        let of = |text: &str, at| vec![Some((text.to_owned(), at))];
        let line: &[(usize, usize)] = &[(0, 2), (13, 2)];
        assert_eq!(places(lines(&[line], (14, 5)), &[&["eight-le"]]), of("eight-le", (3, 2)));
        assert_eq!(places(lines(&[line], (14, 5)), &[&["ten-letter"]]), of("ten-letter", (2, 1)));
        let above: &[(usize, usize)] = &[(0, 0), (13, 0)];
        let both = places(lines(&[line, above], (14, 5)), &[&["ten-letter"], &[]]);
        assert_eq!(both[0], of("ten-letter", (2, 3))[0], "it would be as near to the line above");
        let below: &[(usize, usize)] = &[(0, 4), (13, 4)];
        let all = places(lines(&[line, above, below], (14, 5)), &[&["ten-letter"], &[], &[]]);
        assert_eq!(all[0], None);
    }

    #[test]
    fn a_label_is_elsewhere_along_its_line_before_it_is_shortened() {
        // Another line crosses in the middle of the first.
        let line: &[(usize, usize)] = &[(0, 1), (30, 1)];
        let across: &[(usize, usize)] = &[(14, 0), (14, 2)];
        let found = places(lines(&[line, across], (31, 3)), &[&["open-it", "open…"], &[]]);
        let (text, (x, y)) = found[0].clone().unwrap();
        assert_eq!((text.as_str(), y), ("open-it", 1));
        assert!(x > 1 && (x + 7 < 14 || x > 15), "beside the crossing: {x}");
        let short: &[(usize, usize)] = &[(0, 1), (10, 1)];
        let found = places(lines(&[short, across], (20, 3)), &[&["open-the-cart", "open…"], &[]]);
        assert_eq!(found[0].clone().unwrap().0, "open…");
    }

    #[test]
    fn every_label_is_seen_before_one_is_seen_in_full() {
        let seen = |shown: usize, in_full: usize| LabelCount { shown, in_full };
        assert!(seen(3, 0) > seen(2, 2) && seen(3, 1) > seen(3, 0));
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
