//! The common concrete syntax tree: where each value and key of a document is in the text.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use super::place::{Note, NoteKind, Span};
use crate::schema::pointer::Pointer;

/// Values nested deeper than this are refused by every parser, so that no walk can exhaust the
/// stack.
pub(crate) const MAX_DEPTH: usize = 128;

/// Objects with fewer members are searched, larger ones indexed on first use.
const INDEXED_FROM: usize = 24;

/// What a parser makes of a text.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub documents: Vec<Document>,
    /// Oddities by the offset where they stand, in the order found.
    pub oddities: Vec<(usize, NoteKind)>,
}

/// One document of a text.
#[derive(Debug)]
pub(crate) struct Document {
    pub value: Arc<Value>,
    pub root: Node,
    /// From the document's first byte to the next document's, markers and comments included.
    pub extent: Span,
}

/// A value's place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The value itself, without anchor and tag; empty where a value is left out (`key:`).
    pub span: Span,
    /// Where the value's properties begin (YAML anchor and tag); `span.start` where it has none.
    pub lead: usize,
    pub shape: Shape,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Scalar,
    /// A YAML alias: the value is elsewhere.
    Alias,
    List {
        items: Box<[Node]>,
        style: Style,
    },
    Object {
        members: Members,
        style: Style,
    },
}

/// How a list or an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// In brackets or braces.
    Flow,
    /// By indentation (YAML).
    Block,
    /// A TOML table with its `[header]`, if it has one of its own; a TOML array of tables has none.
    Table { header: Option<Span> },
    /// A TOML table that only dotted keys make.
    Dotted,
}

/// The members of an object in the order they stand, duplicates included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    list: Box<[Member]>,
    /// The rows, sorted by key and then by row; merge keys are left out.
    index: OnceLock<Box<[usize]>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub key: Box<str>,
    pub key_span: Span,
    pub value: Node,
    /// A YAML merge key (`<<`): it represents the members of its value.
    pub merge: bool,
}

/// What is at a pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundNode<'t> {
    pub member: Option<&'t Member>,
    pub node: &'t Node,
    /// The value comes from an alias or a merge key: `node` is the alias, not the value.
    pub aliased: bool,
}

impl Node {
    pub fn new(span: Span, shape: Shape) -> Self {
        Self { span, lead: span.start, shape }
    }

    pub fn is_container(&self) -> bool {
        matches!(self.shape, Shape::List { .. } | Shape::Object { .. })
    }

    pub fn is_flow(&self) -> bool {
        matches!(
            self.shape,
            Shape::List { style: Style::Flow, .. } | Shape::Object { style: Style::Flow, .. }
        )
    }

    fn child_count(&self) -> usize {
        match &self.shape {
            Shape::Scalar | Shape::Alias => 0,
            Shape::List { items, .. } => items.len(),
            Shape::Object { members, .. } => members.list.len(),
        }
    }

    /// A child with all of its text, key included.
    fn nth_child(&self, row: usize) -> Option<(Token<'_>, Span, &Node)> {
        match &self.shape {
            Shape::Scalar | Shape::Alias => None,
            Shape::List { items, .. } => {
                items.get(row).map(|item| (Token::Item(row), item.span, item))
            }
            Shape::Object { members, .. } => members.list.get(row).map(|member| {
                let (key, value) = (member.key_span, member.value.span);
                let span = Span { start: key.start.min(value.start), end: key.end.max(value.end) };
                (Token::Member(member), span, &member.value)
            }),
        }
    }

    /// Whether a member is the one that counts for its key.
    fn is_effective_member(&self, member: &Member) -> bool {
        let Shape::Object { members, .. } = &self.shape else { return false };
        members.get(&member.key).is_some_and(|counting| std::ptr::eq(counting, member))
    }

    /// The child whose text holds the offset.
    fn child_at(&self, offset: usize) -> Option<(Token<'_>, Span, &Node)> {
        let holds = |span: Span| span.start <= offset && offset <= span.end;
        let apart = match self.shape {
            Shape::List { style, .. } | Shape::Object { style, .. } => {
                matches!(style, Style::Flow | Style::Block)
            }
            Shape::Scalar | Shape::Alias => false,
        };
        if apart {
            // They stand one behind the other: the last that begins before the offset is found by
            // halving.
            let (mut row, mut above) = (0, self.child_count());
            while row < above {
                let middle = row.midpoint(above);
                let begun = self.nth_child(middle).is_some_and(|(_, span, _)| span.start <= offset);
                if begun { row = middle + 1 } else { above = middle }
            }
            return self.nth_child(row.checked_sub(1)?).filter(|(_, span, _)| holds(*span));
        }
        // Tables of TOML may overlap: the narrowest that holds the offset is meant.
        let holding = (0..self.child_count())
            .filter_map(|row| self.nth_child(row))
            .filter(|(_, span, _)| holds(*span));
        holding.min_by_key(|(_, span, _)| {
            (span.end == offset && span.start != offset, span.end - span.start)
        })
    }
}

#[derive(Clone, Copy)]
enum Token<'t> {
    Item(usize),
    Member(&'t Member),
}

/// An object without room for more members than it has. Each has room for three at least; of lists of
/// tools, whose schemas have thousands of one member or two, that is a tenth of what they hold.
#[must_use]
pub(crate) fn exact_object(members: Map<String, Value>) -> Value {
    const ROOM: usize = 3;
    Value::Object(if members.len() < ROOM { members.into_iter().collect() } else { members })
}

impl Members {
    pub fn new(list: Vec<Member>) -> Self {
        Self { list: list.into_boxed_slice(), index: OnceLock::new() }
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.list.iter()
    }

    pub fn as_slice(&self) -> &[Member] {
        &self.list
    }

    /// The row of the member that counts for a key: the last of that name.
    pub fn row_of_key(&self, key: &str) -> Option<usize> {
        if self.list.len() < INDEXED_FROM {
            return self.list.iter().rposition(|member| &*member.key == key && !member.merge);
        }
        let index = self.index.get_or_init(|| {
            let mut rows: Vec<usize> =
                (0..self.list.len()).filter(|row| !self.list[*row].merge).collect();
            rows.sort_by_key(|row| &self.list[*row].key);
            rows.into()
        });
        let behind = index.partition_point(|row| &*self.list[*row].key <= key);
        index[..behind].last().copied().filter(|row| &*self.list[*row].key == key)
    }

    pub fn get(&self, key: &str) -> Option<&Member> {
        self.list.get(self.row_of_key(key)?)
    }
}

impl Document {
    /// What is at a pointer.
    pub fn find(&self, at: &Pointer) -> Option<FoundNode<'_>> {
        at.get(&self.value)?;
        let mut found = FoundNode { member: None, node: &self.root, aliased: false };
        for token in at.tokens() {
            match &found.node.shape {
                Shape::Object { members, .. } => {
                    let own = members.get(token);
                    let member = own.or_else(|| members.iter().find(|member| member.merge))?;
                    found = FoundNode {
                        member: Some(member),
                        node: &member.value,
                        aliased: own.is_none(),
                    };
                }
                Shape::List { items, .. } => {
                    found = FoundNode {
                        member: None,
                        node: items.get(token.parse::<usize>().ok()?)?,
                        aliased: false,
                    };
                }
                Shape::Alias => return Some(FoundNode { aliased: true, ..found }),
                Shape::Scalar => return None,
            }
            if found.aliased {
                return Some(found);
            }
        }
        Some(found)
    }

    /// The innermost value whose text, key included, holds the offset.
    pub fn pointer_at(&self, offset: usize) -> Option<Pointer> {
        if offset < self.extent.start || self.extent.end < offset {
            return None;
        }
        let (mut node, mut at) = (&self.root, Pointer::root());
        while let Some((token, _, child)) = node.child_at(offset) {
            at = match token {
                Token::Item(index) => at.item(index),
                // What a merge key brings is in the object itself.
                Token::Member(member) if member.merge => return Some(at),
                // Nor does an earlier member of the same key have an inside that could be pointed
                // to.
                Token::Member(member) if !node.is_effective_member(member) => {
                    return Some(at.child(&*member.key));
                }
                Token::Member(member) => at.child(&*member.key),
            };
            node = child;
        }
        Some(at)
    }
}

impl Tree {
    /// Which document an offset belongs to, and the innermost value there.
    pub fn pointer_at(&self, offset: usize) -> Option<(usize, Pointer)> {
        let row = self
            .documents
            .partition_point(|document| document.extent.start <= offset)
            .checked_sub(1)?;
        Some((row, self.documents[row].pointer_at(offset)?))
    }

    /// The oddities as notes, with their places recognized by `position`.
    pub fn notes(&self, position: impl Fn(usize) -> (usize, usize)) -> Vec<Note> {
        let note = |(offset, kind): &(usize, NoteKind)| {
            let (document, at) = self.pointer_at(*offset)?;
            let (line, column) = position(*offset);
            Some(Note { kind: *kind, document, at, line, column })
        };
        self.oddities.iter().filter_map(note).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_without_spare_room_is_the_same() {
        for value in [
            json!({}),
            json!({"b": 1}),
            json!({"b": 1, "a": {"c": null}}),
            json!({"z": 1, "y": 2, "x": 3}),
        ] {
            let members = value.as_object().cloned().unwrap();
            assert_eq!(exact_object(members).to_string(), value.to_string());
        }
    }
}
