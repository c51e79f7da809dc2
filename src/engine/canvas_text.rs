//! A layout drawn into cells with box characters; each cell knows what it is part of, so that
//! screen and text export share one drawing.

use super::layout::{
    diagram::{Diagram, Direction, Frame},
    picture::{BoxArea, Caption, Heading, Picture, PlacedBox, Point, Route},
};

/// What a cell is part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    #[default]
    Blank,
    /// A box's border, by the box's row.
    Border(usize),
    /// A blank inside a box, by the box's row.
    Inside(usize),
    /// The text in a box; line 0 is its title.
    Text {
        owner: usize,
        line: usize,
    },
    /// A line, head or label of an arrow, by the arrow's row.
    Line(usize),
    Head(usize),
    Label(usize),
    /// Where two arrows cross.
    Crossing,
    /// The arrow at a box's foot that leads to itself, and the one from any box; by the box's row.
    Itself(usize),
    FromAny(usize),
}

/// One cell. The cell behind a wide letter is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    pub text: String,
    pub role: Role,
}

impl Cell {
    /// The arrow that it is part of.
    #[must_use]
    pub fn arrow_row(&self) -> Option<usize> {
        match self.role {
            Role::Line(row) | Role::Head(row) | Role::Label(row) => Some(row),
            _ => None,
        }
    }
}

/// A part of a picture in cells, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// Which part of the picture.
    pub window: BoxArea,
    cells: Vec<Cell>,
}

impl Drawing {
    /// The cell at a point of the picture, if the drawing holds it.
    #[must_use]
    pub fn cell(&self, at: Point) -> Option<&Cell> {
        self.cells.get(cell_index(&self.window, at)?)
    }

    /// The rows of cells, from the top.
    pub fn rows(&self) -> impl Iterator<Item = &[Cell]> {
        self.cells.chunks(self.window.width.max(1))
    }
}

fn cell_index(window: &BoxArea, at: Point) -> Option<usize> {
    window.contains(at).then(|| (at.y - window.y) * window.width + (at.x - window.x))
}

/// A line's sign broken: that of an arrow whose tools' groups are not asked for.
#[must_use]
pub(crate) fn dashed_sign(sign: &str) -> &str {
    match sign {
        "─" => "╌",
        "│" => "╎",
        "▶" => "▷",
        "◀" => "◁",
        "▲" => "△",
        "▼" => "▽",
        other => other,
    }
}

/// The cells of a row as text, without spaces at its end.
fn row_text(cells: &[Cell], is_broken: &impl Fn(Role) -> bool) -> String {
    let mut line = String::new();
    let mut skip = 0;
    for cell in cells {
        if skip > 0 && cell.text.is_empty() {
            skip -= 1;
            continue;
        }
        line.push_str(match &*cell.text {
            "" => " ",
            sign if is_broken(cell.role) => dashed_sign(sign),
            text => text,
        });
        let is_text = matches!(
            cell.role,
            Role::Text { .. } | Role::Label(_) | Role::Itself(_) | Role::FromAny(_)
        );
        skip = usize::from(cell.text.len() > 1 && is_text && is_wide(&cell.text));
    }
    line.trim_end().to_owned()
}

/// So many rows are drawn at a time, so that the room taken grows with the width of a picture
/// alone.
const BAND: usize = 64;

/// The whole picture as lines of text; `is_broken` says of which parts the lines are broken.
pub(crate) fn picture_lines(
    diagram: &Diagram,
    picture: &Picture,
    is_broken: impl Fn(Role) -> bool,
) -> impl Iterator<Item = String> {
    (0..picture.height).step_by(BAND).flat_map(move |y| {
        let window =
            BoxArea { x: 0, y, width: picture.width, height: BAND.min(picture.height - y) };
        draw_part(diagram, picture, window, Names::AtTop)
            .rows()
            .map(|cells| row_text(cells, &is_broken))
            .collect::<Vec<_>>()
    })
}

/// Letters that terminals draw over two cells: the blocks of East Asian scripts and pictographs.
fn is_wide(text: &str) -> bool {
    text.chars().next().is_some_and(|c| matches!(u32::from(c), 0x1100..=0x115F | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0x1F300..=0x1FAFF | 0x20000..=0x3FFFD))
}

/// The character of a cell that lines leave in these directions.
fn box_char(strokes: u8, frame: Frame) -> &'static str {
    const ALONG: u8 = LEFT | RIGHT;
    const UPRIGHT: u8 = UP | DOWN;
    const DOWN_RIGHT: u8 = DOWN | RIGHT;
    const DOWN_LEFT: u8 = DOWN | LEFT;
    const UP_RIGHT: u8 = UP | RIGHT;
    const UP_LEFT: u8 = UP | LEFT;
    // Light lines that meet a heavy edge come from outside, so from the right or from below.
    let letters = match frame {
        Frame::Heavy => ["┃", "━", "┏", "┓", "┗", "┛", "┠", "┨", "┯", "┷", "╋"],
        Frame::Dashed => ["╎", "╌", "╭", "╮", "╰", "╯", "├", "┤", "┬", "┴", "┼"],
        Frame::Plain | Frame::None => ["│", "─", "╭", "╮", "╰", "╯", "├", "┤", "┬", "┴", "┼"],
    };
    letters[match strokes {
        UPRIGHT | UP | DOWN => 0,
        ALONG | LEFT | RIGHT => 1,
        DOWN_RIGHT => 2,
        DOWN_LEFT => 3,
        UP_RIGHT => 4,
        UP_LEFT => 5,
        s if s == UPRIGHT | RIGHT => 6,
        s if s == UPRIGHT | LEFT => 7,
        s if s == ALONG | DOWN => 8,
        s if s == ALONG | UP => 9,
        _ => 10,
    }]
}

const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

/// Where a box has its texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    AtTop,
    /// In the part of it that is drawn.
    InView,
}

/// Draws the part of a diagram's picture that lies in a window; what is outside costs next to
/// nothing. A box whose top is outside has its name in what is seen of it.
#[must_use]
pub fn draw_picture(diagram: &Diagram, picture: &Picture, window: BoxArea) -> Drawing {
    draw_part(diagram, picture, window, Names::InView)
}

fn draw_part(diagram: &Diagram, picture: &Picture, window: BoxArea, names: Names) -> Drawing {
    let mut pen = Pen::new(diagram, window);
    let boxes = || {
        picture
            .boxes
            .iter()
            .enumerate()
            .filter(|(_, placed)| bounding_area(placed).overlaps(&window))
    };
    for (row, route) in picture.arrows.iter().enumerate() {
        pen.draw_line(route, Role::Line(row));
    }
    for (row, placed) in boxes() {
        pen.draw_box(placed, row);
        for (foot, role) in foot_routes(placed, row) {
            pen.draw_line(foot, role);
        }
    }
    pen.resolve_strokes();
    for (row, placed) in boxes() {
        pen.draw_box_text(placed, row, names);
    }
    for (row, route) in picture.arrows.iter().enumerate() {
        pen.draw_head(route, Role::Head(row));
        pen.draw_label(route, Role::Label(row));
    }
    for (row, placed) in boxes() {
        for (foot, role) in foot_routes(placed, row) {
            pen.draw_head(foot, role);
            pen.draw_label(foot, role);
        }
    }
    pen.drawing
}

/// The place that is nearest to this one from a first one to a last one.
fn within(at: usize, (first, last): (usize, usize)) -> usize {
    at.min(last).max(first)
}

/// A box together with its foot.
fn bounding_area(placed: &PlacedBox) -> BoxArea {
    let feet = [&placed.to_itself, &placed.from_any];
    let ends = feet.into_iter().flatten().flat_map(|foot| {
        let label =
            foot.label.as_ref().map(|label| Point { x: label.at.x + label.width, y: label.at.y });
        foot.points.iter().copied().chain(label)
    });
    let BoxArea { x, y, width, height } = placed.area;
    let (right, bottom) = ends.fold((x + width, y + height), |(right, bottom), end| {
        (right.max(end.x + 1), bottom.max(end.y + 1))
    });
    BoxArea { x, y, width: right - x, height: bottom - y }
}

/// The arrows at a box's foot.
fn foot_routes(placed: &PlacedBox, row: usize) -> impl Iterator<Item = (&Route, Role)> {
    let itself = placed.to_itself.iter().map(move |route| (route, Role::Itself(row)));
    itself.chain(placed.from_any.iter().map(move |route| (route, Role::FromAny(row))))
}

struct Pen<'d> {
    diagram: &'d Diagram,
    drawing: Drawing,
    /// For each cell, the directions in which lines leave.
    strokes: Vec<u8>,
}

impl<'d> Pen<'d> {
    fn new(diagram: &'d Diagram, window: BoxArea) -> Self {
        let size = window.width * window.height;
        Self {
            diagram,
            drawing: Drawing { window, cells: vec![Cell::default(); size] },
            strokes: vec![0; size],
        }
    }

    fn cell_index(&self, at: Point) -> Option<usize> {
        cell_index(&self.drawing.window, at)
    }

    fn set_cell(&mut self, at: Point, text: impl Into<String>, role: Role) {
        if let Some(index) = self.cell_index(at) {
            self.drawing.cells[index] = Cell { text: text.into(), role };
        }
    }

    fn add_stroke(&mut self, at: Point, directions: u8, role: Role) {
        let Some(index) = self.cell_index(at) else { return };
        self.strokes[index] |= directions;
        let cell = &mut self.drawing.cells[index];
        cell.role = match cell.role {
            Role::Border(owner) => Role::Border(owner),
            other if other != Role::Blank && other != role => Role::Crossing,
            _ => role,
        };
    }

    fn draw_line(&mut self, route: &Route, role: Role) {
        let window = self.drawing.window;
        for pair in route.points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if a.y == b.y {
                let (from, to) = (a.x.min(b.x), a.x.max(b.x));
                for x in from.max(window.x)..=to.min((window.x + window.width).saturating_sub(1)) {
                    let directions =
                        (if x > from { LEFT } else { 0 }) | (if x < to { RIGHT } else { 0 });
                    self.add_stroke(Point { x, y: a.y }, directions, role);
                }
            } else {
                let (from, to) = (a.y.min(b.y), a.y.max(b.y));
                for y in from.max(window.y)..=to.min((window.y + window.height).saturating_sub(1)) {
                    let directions =
                        (if y > from { UP } else { 0 }) | (if y < to { DOWN } else { 0 });
                    self.add_stroke(Point { x: a.x, y }, directions, role);
                }
            }
        }
        // An arrow comes out of a box, so its first cell reaches to both sides.
        if matches!(role, Role::Line(_))
            && let [first, second, ..] = route.points.as_slice()
            && let Some(index) = self.cell_index(*first)
        {
            self.strokes[index] |= match (first.y == second.y, self.diagram.direction) {
                (false, _) => UP | DOWN,
                (true, Direction::LeftToRight) => LEFT | RIGHT,
                // It turns right below the box.
                (true, Direction::TopDown) => UP,
            };
        }
    }

    /// Turns strokes into characters.
    fn resolve_strokes(&mut self) {
        for (cell, strokes) in self.drawing.cells.iter_mut().zip(&self.strokes) {
            let frame = match cell.role {
                Role::Border(row) => self.diagram.boxes[row].frame,
                _ => Frame::Plain,
            };
            if *strokes != 0 {
                cell.text = box_char(*strokes, frame).to_owned();
            }
        }
    }

    /// The edge of a box and the spaces in it.
    fn draw_box(&mut self, placed: &PlacedBox, row: usize) {
        let area = placed.area;
        let (right, bottom) = (area.x + area.width - 1, area.y + area.height - 1);
        let frameless = self.diagram.boxes[row].frame == Frame::None;
        for (x, y) in (area.x..=right).flat_map(|x| (area.y..=bottom).map(move |y| (x, y))) {
            let Some(index) = self.cell_index(Point { x, y }) else { continue };
            let upright = x == area.x || x == right;
            let lying = y == area.y || y == bottom;
            let strokes = match (lying, upright) {
                _ if frameless => 0,
                (false, false) => 0,
                (true, false) => LEFT | RIGHT,
                (false, true) => UP | DOWN,
                (true, true) => {
                    (if x == area.x { RIGHT } else { LEFT }) | (if y == area.y { DOWN } else { UP })
                }
            };
            self.strokes[index] = strokes;
            self.drawing.cells[index] = match strokes {
                0 => Cell { text: " ".into(), role: Role::Inside(row) },
                _ => Cell { text: String::new(), role: Role::Border(row) },
            };
        }
    }

    /// The texts in a box; one without an edge is drawn out to its whole size.
    fn draw_box_text(&mut self, placed: &PlacedBox, row: usize, names: Names) {
        let diagram = self.diagram;
        let BoxArea { x, y, width, height } = placed.area;
        let spec = &diagram.boxes[row];
        let widest = spec.lines.iter().map(|line| (diagram.measure)(line)).max().unwrap_or(1);
        let (right, bottom) = (x + width, y + height);
        // Where the text begins, and the first and last places where it may.
        let (usual, first, last) = if spec.frame == Frame::None {
            let bar = if diagram.direction == Direction::LeftToRight { "┃" } else { "━" };
            let lies = diagram.direction == Direction::TopDown;
            // A single cell beside the name would look like a part of it.
            let is_drawn = width.max(height) > 1 && !(lies && width == widest + 1);
            let is_edge = |at: &Point| is_drawn && (lies || at.x == x || at.x + 1 == right);
            for at in
                (x..right).flat_map(|x| (y..bottom).map(move |y| Point { x, y })).filter(is_edge)
            {
                self.set_cell(at, bar, Role::Border(row));
            }
            let middle = (x + width.saturating_sub(widest) / 2, y + (height - 1) / 2);
            (middle, (x, y), (right.saturating_sub(widest), bottom - 1))
        } else {
            let last =
                (right.saturating_sub(2 + widest), bottom.saturating_sub(1 + spec.lines.len()));
            ((x + 2, y + 1), (x + 2, y + 1), last)
        };
        let (x, y) = if names == Names::InView {
            let seen = self.drawing.window;
            let (below, beyond) = (seen.y + seen.height, seen.x + seen.width);
            let across = (seen.x, beyond.saturating_sub(widest));
            let down = (seen.y, below.saturating_sub(spec.lines.len().max(1)));
            (
                within(within(usual.0, across), (first.0, last.0)),
                within(within(usual.1, down), (first.1, last.1)),
            )
        } else {
            usual
        };
        for (line, text) in spec.lines.iter().enumerate() {
            self.draw_caption(
                &Caption { at: Point { x, y: y + line }, text: text.clone(), width: 0 },
                Role::Text { owner: row, line },
            );
        }
    }

    fn draw_head(&mut self, route: &Route, role: Role) {
        let head = match route.heading {
            Heading::Left => "◀",
            Heading::Right => "▶",
            Heading::Up => "▲",
            Heading::Down => "▼",
        };
        // A head that is on a border is part of it.
        let role = match self.cell_index(route.head).map(|index| self.drawing.cells[index].role) {
            Some(Role::Border(owner)) => Role::Border(owner),
            _ => role,
        };
        self.set_cell(route.head, head, role);
    }

    /// A label is on its line, with a blank on both sides where the line is horizontal.
    fn draw_label(&mut self, route: &Route, role: Role) {
        let Some(caption) = route.label.as_ref().filter(|caption| !caption.text.is_empty()) else {
            return;
        };
        for x in
            [caption.at.x.checked_sub(1), Some(caption.at.x + caption.width)].into_iter().flatten()
        {
            let at = Point { x, y: caption.at.y };
            if let Some(index) = self.cell_index(at)
                && (self.strokes[index] & (UP | DOWN) == 0)
            {
                self.drawing.cells[index] = Cell { text: String::new(), role };
            }
        }
        self.draw_caption(caption, role);
    }

    fn draw_caption(&mut self, caption: &Caption, role: Role) {
        let mut x = caption.at.x;
        for letter in caption.text.chars() {
            let mut text = String::from(letter);
            let width = (self.diagram.measure)(&text);
            if width == 0 {
                // A mark belongs to the letter before it.
                if let Some(index) =
                    x.checked_sub(1).and_then(|x| self.cell_index(Point { x, y: caption.at.y }))
                {
                    self.drawing.cells[index].text.push(letter);
                }
                continue;
            }
            if letter.is_control() {
                text = "�".into();
            }
            for part in 0..width {
                self.set_cell(
                    Point { x: x + part, y: caption.at.y },
                    if part == 0 { text.as_str() } else { "" },
                    role,
                );
                if let Some(index) = self.cell_index(Point { x: x + part, y: caption.at.y }) {
                    self.strokes[index] = 0;
                }
            }
            x += width;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::engine::{
        filter::AskedGroups,
        gated::Slot,
        layout::{
            diagram::{ArrowSpec, BoxSpec, char_count},
            extent::PictureExtent,
            marks::StateMarks,
            states::{self, Detail, View},
        },
        workflow::graph::Workflow,
    };
    use crate::model::{
        context::Name,
        tool::{Gate, States},
    };

    fn spec() -> Vec<Slot> {
        let list = |names: &[&str]| names.iter().map(|name| Name::from(*name)).collect::<Vec<_>>();
        let tool = |key: &str, states: &[&str], next: Option<&str>| Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate {
                groups: None,
                states: if states.is_empty() { States::Every } else { States::Only(list(states)) },
                next: next.map(Name::from),
                ..Gate::open()
            },
        };
        vec![
            tool("knowledge-query", &["undefined", "research"], Some("analysis")),
            tool("graph-update", &["analysis", "modification"], None),
            tool("text-completion", &[], Some("undefined")),
            tool("complex-analysis", &["analysis"], Some("results")),
            tool("reset-workflow", &["analysis", "results"], Some("undefined")),
        ]
    }

    fn drawn(tools: &[Slot], direction: Direction) -> String {
        let workflow = Workflow::for_groups(tools, &AskedGroups::Every, "undefined");
        let extent = PictureExtent::all_states(workflow.states().len());
        let marks =
            StateMarks::from_analysis(&workflow, &workflow.analysis(), Some(workflow.start()));
        let view = View {
            extent: &extent,
            marks: &marks,
            unbundled: None,
            direction,
            detail: Detail::Usual,
            measure: char_count,
        };
        let states = states::state_diagram(&workflow, &workflow.edges(), tools, view);
        picture_lines(&states.diagram, &states.diagram.layout(), |_| false)
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn the_documents_workflow() {
        insta::assert_snapshot!("left_to_right", drawn(&spec(), Direction::LeftToRight));
        insta::assert_snapshot!("top_down", drawn(&spec(), Direction::TopDown));
    }

    #[test]
    fn the_name_of_a_box_is_in_what_is_seen_of_it_and_once_in_the_whole_picture() {
        let boxes: Vec<BoxSpec> = (0..90)
            .map(|row| BoxSpec { lines: vec![format!("s{row}.")], ..BoxSpec::default() })
            .collect();
        let arrow = |to: usize| ArrowSpec { from: 0, to, label: format!("t{to}") };
        let arrows: Vec<ArrowSpec> = (1..90).map(arrow).collect();
        let direction = Direction::LeftToRight;
        let diagram = Diagram { boxes, arrows, first: 0, direction, measure: char_count };
        let picture = diagram.layout();
        let tall = picture.boxes[0].area;
        assert!(tall.height > BAND, "{tall:?}");
        let window = BoxArea { x: 0, y: tall.y + 20, width: picture.width, height: 6 };
        let seen = draw_picture(&diagram, &picture, window);
        let seen: Vec<String> = seen.rows().map(|cells| row_text(cells, &|_| false)).collect();
        assert!(seen[0].contains("s0."), "{seen:?}");
        let whole = picture_lines(&diagram, &picture, |_| false);
        assert_eq!(whole.filter(|line| line.contains("s0.")).count(), 1);
    }

    /// A box without a frame, and a picture that has it alone.
    fn bare(direction: Direction, area: BoxArea) -> (Diagram, Picture) {
        let spec = BoxSpec { lines: vec!["s2".into()], frame: Frame::None, ..BoxSpec::default() };
        let (boxes, arrows) = (vec![spec], Vec::new());
        let diagram = Diagram { boxes, arrows, first: 0, direction, measure: char_count };
        let boxes = vec![PlacedBox { area, to_itself: None, from_any: None }];
        let (width, height) = (area.x + area.width, area.y + area.height);
        (diagram, Picture { boxes, width, height, ..Picture::default() })
    }

    #[test]
    fn a_name_without_a_frame_has_bars_at_both_sides_or_none() {
        let drawn = |width: usize| {
            let area = BoxArea { x: 1, y: 0, width, height: 1 };
            let (diagram, picture) = bare(Direction::TopDown, area);
            picture_lines(&diagram, &picture, |_| false).collect::<Vec<_>>().join("\n")
        };
        assert_eq!([drawn(2), drawn(3), drawn(4)], [" s2", " s2", " ━s2━"]);
    }

    #[test]
    fn a_name_without_a_frame_is_in_view_too() {
        let area = BoxArea { x: 0, y: 0, width: 2, height: 40 };
        let (diagram, picture) = bare(Direction::LeftToRight, area);
        let drawing = draw_picture(&diagram, &picture, BoxArea { y: 30, height: 6, ..area });
        let seen: Vec<String> = drawing.rows().map(|cells| row_text(cells, &|_| false)).collect();
        assert_eq!(seen, ["s2", "┃┃", "┃┃", "┃┃", "┃┃", "┃┃"]);
    }

    fn diagrams(boxes: usize, arrows: usize) -> impl Strategy<Value = Diagram> {
        let label = || prop_oneof![3 => "[a-z]{1,12}".prop_map(Some), 1 => Just(None)];
        let spec = (proptest::collection::vec("[a-z]{1,14}", 1..3), label(), label()).prop_map(
            |(lines, to_itself, from_any)| BoxSpec {
                lines,
                to_itself,
                from_any,
                ..BoxSpec::default()
            },
        );
        (proptest::collection::vec(spec, 1..=boxes), any::<bool>()).prop_flat_map(
            move |(boxes, down)| {
                let count = boxes.len();
                let arrow = (0..count, 0..count, "[a-z]{1,16}")
                    .prop_map(|(from, to, label)| ArrowSpec { from, to, label });
                proptest::collection::vec(arrow, 0..=arrows).prop_map(move |mut arrows| {
                    arrows.retain(|arrow| arrow.from != arrow.to);
                    arrows.sort_by_key(|arrow| (arrow.from, arrow.to));
                    arrows.dedup_by_key(|arrow| (arrow.from, arrow.to));
                    let direction = if down { Direction::TopDown } else { Direction::LeftToRight };
                    Diagram {
                        boxes: boxes.clone(),
                        arrows,
                        first: 0,
                        direction,
                        measure: char_count,
                    }
                })
            },
        )
    }

    /// Each cell of a route with whether a line runs through it across, down, or both.
    fn cells(route: &Route) -> Vec<(Point, bool, bool)> {
        let mut cells: Vec<(Point, bool, bool)> = Vec::new();
        for pair in route.points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            assert!(a.x == b.x || a.y == b.y, "each piece is straight");
            for x in a.x.min(b.x)..=a.x.max(b.x) {
                for y in a.y.min(b.y)..=a.y.max(b.y) {
                    cells.push((Point { x, y }, a.y == b.y, a.x == b.x));
                }
            }
        }
        cells
    }

    fn check(diagram: &Diagram) {
        let picture = diagram.layout();
        let bounds = BoxArea { x: 0, y: 0, width: picture.width, height: picture.height };
        let areas: Vec<_> = picture.boxes.iter().map(|placed| placed.area).collect();
        let feet = || {
            picture.boxes.iter().flat_map(|placed| [&placed.to_itself, &placed.from_any]).flatten()
        };
        let labels: Vec<_> = picture
            .arrows
            .iter()
            .chain(feet())
            .filter_map(|route| route.label.as_ref())
            .map(Caption::area)
            .collect();
        for (row, area) in areas.iter().enumerate() {
            assert!(areas[..row].iter().all(|other| !area.overlaps(other)), "boxes apart");
            assert!(labels.iter().all(|label| !area.overlaps(label)), "labels outside boxes");
            assert!(
                bounds.contains(Point { x: area.x + area.width - 1, y: area.y + area.height - 1 })
            );
        }
        for (row, label) in labels.iter().enumerate() {
            assert!(labels[..row].iter().all(|other| !label.overlaps(other)), "labels apart");
            assert!(bounds.contains(Point { x: label.x + label.width - 1, y: label.y }));
        }
        let mut seen: HashMap<Point, Vec<(usize, bool, bool)>> = HashMap::new();
        for (row, route) in picture.arrows.iter().enumerate() {
            let caption = route.label.as_ref().unwrap();
            let is_stub = caption.text != diagram.arrows[row].label;
            let own = caption.area();
            assert!(
                is_stub || cells(route).iter().any(|(point, ..)| own.contains(*point)),
                "a label stands on its arrow"
            );
            for (point, flat, steep) in cells(route) {
                assert!(bounds.contains(point));
                assert!(areas.iter().all(|area| !area.contains(point)), "no arrow through a box");
                assert!(
                    labels.iter().all(|label| *label == own || !label.contains(point)),
                    "no arrow over another's label"
                );
                for (other, also_flat, also_steep) in seen.entry(point).or_default().iter() {
                    assert!(
                        *other == row || !(flat && *also_flat || steep && *also_steep),
                        "no arrow along another"
                    );
                }
                seen.get_mut(&point).unwrap().push((row, flat, steep));
            }
            let target = if is_stub { grown(&own) } else { areas[diagram.arrows[row].to] };
            let (x, y) = (route.head.x, route.head.y);
            let beside = [(x + 1, y), (x.wrapping_sub(1), y), (x, y + 1), (x, y.wrapping_sub(1))];
            assert!(
                beside.iter().any(|(x, y)| target.contains(Point { x: *x, y: *y })),
                "the head touches its box, or a stub's its label"
            );
        }
        for route in feet() {
            for (point, ..) in cells(route) {
                assert!(
                    bounds.contains(point) && !seen.contains_key(&point),
                    "no arrow over a foot"
                );
            }
        }
        assert_eq!(diagram.layout(), picture, "the same each time");
    }

    /// A label with the blank on both sides of it.
    fn grown(label: &BoxArea) -> BoxArea {
        BoxArea { x: label.x.saturating_sub(1), width: label.width + 2, ..*label }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn nothing_runs_over_anything(diagram in diagrams(9, 16)) {
            check(&diagram);
        }
    }

    #[test]
    fn nor_does_it_where_long_arrows_end_at_their_labels() {
        for direction in [Direction::LeftToRight, Direction::TopDown] {
            let boxes: Vec<BoxSpec> = (0..80)
                .map(|row| BoxSpec { lines: vec![format!("s{row}")], ..BoxSpec::default() })
                .collect();
            let chain = (0..79).map(|row| (row, row + 1));
            let far = (0..80)
                .map(|row| (row, (row * 37 + 11) % 80))
                .filter(|(from, to)| from != to && *to != from + 1);
            let arrow = |(from, to)| ArrowSpec { from, to, label: format!("t{from}-{to}") };
            let arrows: Vec<ArrowSpec> = chain.chain(far).map(arrow).collect();
            let diagram = Diagram { boxes, arrows, first: 0, direction, measure: char_count };
            let ends_at_label = |route: &&Route| {
                route.label.as_ref().is_some_and(|label| label.text.contains(" → "))
            };
            assert!(diagram.layout().arrows.iter().filter(ends_at_label).count() > 10);
            check(&diagram);
        }
    }

    /// Not a measurement: large and dense diagrams must end, and without a panic.
    #[test]
    fn large_diagrams_end() {
        let boxes: Vec<BoxSpec> = (0..300)
            .map(|row| BoxSpec { lines: vec![format!("s{row}")], ..BoxSpec::default() })
            .collect();
        let arrow = |row: usize| ArrowSpec {
            from: row % 300,
            to: (row * 7 + 13) % 300,
            label: format!("t{row}"),
        };
        let arrows: Vec<ArrowSpec> =
            (0..600).map(arrow).filter(|arrow| arrow.from != arrow.to).collect();
        let diagram = Diagram {
            boxes,
            arrows,
            first: 0,
            direction: Direction::LeftToRight,
            measure: char_count,
        };
        assert_eq!(diagram.layout().boxes.len(), 300);
    }
}
