//! What cutting a text and reading its segments results in.

use serde_json::Value;

use crate::{
    schema::pointer::Pointer,
    syntax::{
        place::Span,
        tree::{Document, MAX_DEPTH, Node, Shape},
    },
};

/// A section as it is found in a text: its name, and where its members stand.
pub(crate) struct FoundSection<'t> {
    pub name: &'t str,
    pub members: Vec<Span>,
}

/// A segment read alone.
#[derive(Debug)]
pub(crate) struct ParsedSegment {
    /// The text that was read: the segment, or what represents it.
    pub text: String,
    pub document: Document,
    /// How far the offsets in the whole are ahead of those in this text.
    pub ahead: usize,
    /// How many tokens of a pointer lead to what was read.
    pub depth: usize,
}

impl ParsedSegment {
    /// A pointer of the whole as one of what was read.
    pub fn to_inner_pointer(&self, at: &Pointer) -> Pointer {
        at.tokens().iter().skip(self.depth).cloned().collect()
    }

    /// A span of what was read as one of the whole.
    pub fn to_outer_span(&self, span: Span) -> Span {
        Span { start: span.start + self.ahead, end: span.end + self.ahead }
    }
}

/// What one segment says.
pub(crate) struct SegmentContent {
    pub key: String,
    pub value: Value,
    pub is_odd: bool,
}

/// Whether a value can stand in a segment: nothing in it represents something elsewhere, and it is
/// not too deep for the whole.
pub(crate) fn stands_alone(node: &Node, depth: usize) -> bool {
    match &node.shape {
        Shape::Scalar => true,
        Shape::Alias => false,
        Shape::List { items, .. } => {
            depth < MAX_DEPTH && items.iter().all(|item| stands_alone(item, depth + 1))
        }
        Shape::Object { members, .. } => {
            depth < MAX_DEPTH
                && members
                    .iter()
                    .all(|member| !member.merge && stands_alone(&member.value, depth + 1))
        }
    }
}
