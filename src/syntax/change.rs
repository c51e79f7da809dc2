//! An edit brought down to one change of one node, and the pieces of text it results in.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    draft::Draft,
    edit::{Edit, EditError, Patch},
    place::Span,
    tree::{Document, Member, Node, Shape},
    value,
};
use crate::schema::pointer::Pointer;

/// What is to be done to the text. Rows count the children as they stand in the tree.
#[derive(Debug)]
pub(crate) enum Change<'t> {
    /// Another value in the place of this one.
    Replace {
        node: &'t Node,
        to: Draft,
    },
    /// A new member behind those that are there.
    Add {
        object: &'t Node,
        key: String,
        to: Draft,
    },
    /// A new item before that row.
    Insert {
        list: &'t Node,
        row: usize,
        to: Draft,
    },
    /// Children are taken out: one item, or all members of a key.
    Drop {
        parent: &'t Node,
        rows: Vec<usize>,
    },
    /// A child is moved among its siblings.
    Move {
        parent: &'t Node,
        from: usize,
        to: usize,
    },
    Rename {
        object: &'t Node,
        rows: Vec<usize>,
        key: String,
    },
}

/// A change, the place of its node, and the nodes around that, outermost first.
#[derive(Debug)]
pub(crate) struct Plan<'t> {
    pub change: Change<'t>,
    pub at: Pointer,
    pub above: Vec<&'t Node>,
}

/// A piece of text to be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub span: Span,
    pub new: String,
}

impl Splice {
    pub fn new(start: usize, end: usize, new: impl Into<String>) -> Self {
        Self { span: Span { start, end }, new: new.into() }
    }

    pub fn insert(at: usize, new: impl Into<String>) -> Self {
        Self::new(at, at, new)
    }

    pub fn delete(start: usize, end: usize) -> Self {
        Self::new(start, end, "")
    }
}

/// The change that an edit results in; `expected` is the document's value afterwards, for which the
/// edit is known to make sense.
///
/// What comes from an alias or by a merge key is another value's, so that a change within it gives
/// the place a value of its own.
pub(crate) fn plan_change<'t>(
    document: &'t Document,
    edit: &Edit,
    expected: &'t Value,
) -> Result<Plan<'t>, EditError> {
    let walk = Walk::new(document, expected);
    match edit {
        Edit::Set { at, to } => walk.descend_to(at.tokens(), Draft::from_literal(to)),
        Edit::Insert { at, item } => {
            let (parent, row) = value::item_place(at)?;
            let item = Draft::from_literal(item);
            match parent.get(&document.value).filter(|list| !list.is_null()) {
                None => walk.descend_to(parent.tokens(), Draft::List(vec![item])),
                Some(_) => walk.walk_to(&parent, |list| Ok(Change::Insert { list, row, to: item })),
            }
        }
        Edit::Remove { at } => {
            let (parent, last) = parent_and_key(at)?;
            walk.walk_to(&parent, |parent| {
                Ok(Change::Drop { parent, rows: child_rows(parent, last, at)? })
            })
        }
        Edit::Move { at, to } => {
            let (parent, last) = parent_and_key(at)?;
            walk.walk_to(&parent, |parent| match child_rows(parent, last, at)?[..] {
                [from] if !has_merges(parent) => Ok(Change::Move { parent, from, to: *to }),
                _ => Err(EditError::Merged(at.clone())),
            })
        }
        Edit::Rename { at, key } => {
            let (parent, last) = parent_and_key(at)?;
            walk.walk_to(&parent, |object| {
                Ok(Change::Rename { object, rows: child_rows(object, last, at)?, key: key.clone() })
            })
        }
    }
}

fn parent_and_key(at: &Pointer) -> Result<(Pointer, &str), EditError> {
    at.parent().zip(at.last()).ok_or_else(|| EditError::NoSuchPlace(at.clone()))
}

/// The rows of a child: of an item its own, of a member those of every member with its key.
fn child_rows(parent: &Node, token: &str, at: &Pointer) -> Result<Vec<usize>, EditError> {
    let rows: Vec<usize> = match &parent.shape {
        Shape::List { .. } => token.parse().into_iter().collect(),
        Shape::Object { members, .. } => {
            let named = |(row, member): (usize, &Member)| {
                (*member.key == *token && !member.merge).then_some(row)
            };
            members.iter().enumerate().filter_map(named).collect()
        }
        Shape::Scalar | Shape::Alias => Vec::new(),
    };
    // A member that the value has and the tree has not comes by a merge key.
    if rows.is_empty() { Err(EditError::Merged(at.clone())) } else { Ok(rows) }
}

/// Whether members of an object come from elsewhere, so that its rows are not its members.
fn has_merges(node: &Node) -> bool {
    match &node.shape {
        Shape::Object { members, .. } => {
            let mut keys = HashSet::new();
            members.iter().any(|member| member.merge || !keys.insert(&*member.key))
        }
        _ => false,
    }
}

struct Walk<'t> {
    node: &'t Node,
    document: &'t Document,
    expected: &'t Value,
    here: Pointer,
    above: Vec<&'t Node>,
}

impl<'t> Walk<'t> {
    fn new(document: &'t Document, expected: &'t Value) -> Self {
        Self { node: &document.root, document, expected, here: Pointer::root(), above: Vec::new() }
    }

    fn enter(&mut self, token: &str, child: &'t Node) {
        self.above.push(self.node);
        self.node = child;
        self.here = self.here.child(token);
    }

    /// Whether a member that isn't there comes by a merge key.
    fn is_merged(&self, token: &str) -> bool {
        matches!(self.node.shape, Shape::Object { .. })
            && self.here.child(token).get(&self.document.value).is_some()
    }

    fn finish(self, change: Change<'t>) -> Plan<'t> {
        Plan { change, at: self.here, above: self.above }
    }

    /// Writes what is expected in the place of the alias that the walk is at.
    fn replace_alias(self) -> Result<Plan<'t>, EditError> {
        let own = self.here.get(self.expected).map(Draft::of_value);
        let to = own.ok_or_else(|| EditError::NoSuchPlace(self.here.clone()))?;
        let node = self.node;
        Ok(self.finish(Change::Replace { node, to }))
    }

    /// Writes what is expected of a member that comes by a merge key beside that.
    fn add_merged(self, token: &str) -> Result<Plan<'t>, EditError> {
        let at = self.here.child(token);
        let own = at.get(self.expected).map(Draft::of_value);
        let to = own.ok_or(EditError::Merged(at))?;
        let (object, key) = (self.node, token.to_owned());
        Ok(self.finish(Change::Add { object, key, to }))
    }

    /// Goes to an existing node.
    fn walk_to(
        mut self,
        at: &Pointer,
        change: impl FnOnce(&'t Node) -> Result<Change<'t>, EditError>,
    ) -> Result<Plan<'t>, EditError> {
        for token in at.tokens() {
            match find_child(self.node, token) {
                Some(child) => self.enter(token, child),
                None if matches!(self.node.shape, Shape::Alias) => return self.replace_alias(),
                None if self.is_merged(token) => return self.add_merged(token),
                None => return Err(EditError::NoSuchPlace(at.clone())),
            }
        }
        if matches!(self.node.shape, Shape::Alias) {
            return self.replace_alias();
        }
        let change = change(self.node)?;
        Ok(self.finish(change))
    }

    /// Goes to where a value is to stand, as far as there is something, and plans the rest.
    fn descend_to(mut self, tokens: &[String], to: Draft) -> Result<Plan<'t>, EditError> {
        for (row, token) in tokens.iter().enumerate() {
            if let Some(child) = find_child(self.node, token) {
                self.enter(token, child);
                continue;
            }
            let change = match &self.node.shape {
                Shape::Alias => return self.replace_alias(),
                Shape::Object { .. } if self.is_merged(token) && row + 1 < tokens.len() => {
                    return self.add_merged(token);
                }
                Shape::Object { .. } => Change::Add {
                    object: self.node,
                    key: token.clone(),
                    to: to.wrap_in_keys(&tokens[row + 1..]),
                },
                Shape::List { .. } => {
                    return Err(EditError::NoSuchPlace(self.here.child(token)));
                }
                Shape::Scalar => {
                    Change::Replace { node: self.node, to: to.wrap_in_keys(&tokens[row..]) }
                }
            };
            return Ok(self.finish(change));
        }
        let node = self.node;
        Ok(self.finish(Change::Replace { node, to }))
    }
}

fn find_child<'t>(node: &'t Node, token: &str) -> Option<&'t Node> {
    match &node.shape {
        Shape::List { items, .. } => items.get(token.parse::<usize>().ok()?),
        Shape::Object { members, .. } => members.get(token).map(|member| &member.value),
        Shape::Scalar | Shape::Alias => None,
    }
}

/// The one patch that splices come to, as narrow as it can be. What is put into a piece that is
/// taken out is in its place.
pub(crate) fn patch_from_splices(text: &str, mut splices: Vec<Splice>) -> Patch {
    splices.sort_by_key(|splice| (splice.span.start, splice.span.end));
    let (Some(start), Some(end)) =
        (splices.first().map(|s| s.span.start), splices.iter().map(|s| s.span.end).max())
    else {
        return Patch { at: 0, old: String::new(), new: String::new() };
    };
    let (mut new, mut at) = (String::new(), start);
    for splice in &splices {
        new.push_str(text.get(at..splice.span.start).unwrap_or_default());
        new.push_str(&splice.new);
        at = at.max(splice.span.end);
    }
    let old = &text[start..end];
    let same = |(a, b): &(char, char)| a == b;
    let head: usize =
        old.chars().zip(new.chars()).take_while(same).map(|(letter, _)| letter.len_utf8()).sum();
    let tail: usize = old[head..]
        .chars()
        .rev()
        .zip(new[head..].chars().rev())
        .take_while(same)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    Patch {
        at: start + head,
        old: old[head..old.len() - tail].to_owned(),
        new: new[head..new.len() - tail].to_owned(),
    }
}
