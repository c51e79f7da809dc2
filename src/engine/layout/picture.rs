//! A finished layout as plain data: rectangles, lines, arrow heads, texts; all in cells.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    pub x: usize,
    pub y: usize,
}

/// A rectangle that holds its borders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoxArea {
    pub x: usize,
    pub y: usize,
    pub width: usize,
    pub height: usize,
}

impl BoxArea {
    #[must_use]
    pub fn contains(&self, point: Point) -> bool {
        (self.x..self.x + self.width).contains(&point.x)
            && (self.y..self.y + self.height).contains(&point.y)
    }

    #[must_use]
    pub fn overlaps(&self, other: &BoxArea) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }
}

/// Where an arrow's head points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    Left,
    Right,
    Up,
    Down,
}

/// A line through points, each straight above or beside the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub points: Vec<Point>,
    /// The cell of the head, beside the box it points to.
    pub head: Point,
    pub heading: Heading,
    pub label: Option<Caption>,
}

/// A text in one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caption {
    pub at: Point,
    pub text: String,
    pub width: usize,
}

impl Caption {
    #[must_use]
    pub fn area(&self) -> BoxArea {
        BoxArea { x: self.at.x, y: self.at.y, width: self.width, height: 1 }
    }
}

/// A box in its place, with the arrows at its foot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedBox {
    pub area: BoxArea,
    pub to_itself: Option<Route>,
    pub from_any: Option<Route>,
}

/// Where a box is among the others: what a later layout goes by, so that little moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxPosition {
    pub layer: usize,
    /// Its middle, across the layers.
    pub across: usize,
}

/// What boxes keep of an earlier layout beside their layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptLayout {
    /// Their order, where their sizes have changed.
    Order,
    /// Their places too.
    Places,
}

/// The whole layout; boxes and arrows by the rows of the diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    pub seats: Vec<BoxPosition>,
    pub boxes: Vec<PlacedBox>,
    pub arrows: Vec<Route>,
    pub width: usize,
    pub height: usize,
}

impl Picture {
    /// The labels of all arrows.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &Caption> {
        let feet = self.boxes.iter().flat_map(|placed| [&placed.to_itself, &placed.from_any]);
        self.arrows.iter().chain(feet.flatten()).filter_map(|route| route.label.as_ref())
    }
}
