//! What to draw: boxes with their lines, arrows with their labels.

/// How many cells a text takes. Given by the caller, since terminals and other media differ.
pub(crate) type TextMeasure = fn(&str) -> usize;

/// One cell for each letter; right for plain text.
#[must_use]
pub fn char_count(text: &str) -> usize {
    text.chars().count()
}

/// Where layers follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    #[default]
    LeftToRight,
    TopDown,
}

impl Direction {
    #[must_use]
    pub fn toggled(self) -> Self {
        match self {
            Self::LeftToRight => Self::TopDown,
            Self::TopDown => Self::LeftToRight,
        }
    }
}

/// Boxes and arrows, by their rows.
#[derive(Clone, Debug)]
pub struct Diagram {
    pub boxes: Vec<BoxSpec>,
    pub arrows: Vec<ArrowSpec>,
    /// The box that comes first.
    pub first: usize,
    pub direction: Direction,
    pub measure: TextMeasure,
}

/// The edge of a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    #[default]
    Plain,
    /// The one to look at.
    Heavy,
    /// There, but out of reach.
    Dashed,
    /// No edge: the text alone, drawn out where several arrows meet it. Such a box has nothing at
    /// its foot.
    None,
}

/// A box: its lines, and what is drawn at its foot.
#[derive(Clone, Debug, Default)]
pub struct BoxSpec {
    pub lines: Vec<String>,
    pub frame: Frame,
    /// The label of an arrow from the box to itself.
    pub to_itself: Option<String>,
    /// The label of an arrow that comes from any box.
    pub from_any: Option<String>,
}

/// An arrow between two different boxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrowSpec {
    pub from: usize,
    pub to: usize,
    pub label: String,
}
