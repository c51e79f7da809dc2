//! An edit brought down to one change of one node, and the pieces of text it results in.

use std::collections::HashSet;

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

/// The change that an edit results in. The edit is known to make sense for the document's value.
pub(crate) fn plan_change<'t>(document: &'t Document, edit: &Edit) -> Result<Plan<'t>, EditError> {
    match edit {
        Edit::Set { at, to } => {
            Walk::new(document).descend_to(at, at.tokens(), Draft::from_literal(to))
        }
        Edit::Insert { at, item } => {
            let (parent, row) = value::item_place(at)?;
            let item = Draft::from_literal(item);
            match parent.get(&document.value).filter(|list| !list.is_null()) {
                None => Walk::new(document).descend_to(
                    &parent,
                    parent.tokens(),
                    Draft::List(vec![item]),
                ),
                Some(_) => Walk::new(document)
                    .walk_to(&parent, |list| Ok(Change::Insert { list, row, to: item })),
            }
        }
        Edit::Remove { at } => {
            let (parent, last) = parent_and_key(at)?;
            Walk::new(document).walk_to(&parent, |parent| {
                Ok(Change::Drop { parent, rows: child_rows(parent, last, at)? })
            })
        }
        Edit::Move { at, to } => {
            let (parent, last) = parent_and_key(at)?;
            Walk::new(document).walk_to(&parent, |parent| match child_rows(parent, last, at)?[..] {
                [from] if !has_merges(parent) => Ok(Change::Move { parent, from, to: *to }),
                _ => Err(EditError::Aliased(at.clone())),
            })
        }
        Edit::Rename { at, key } => {
            let (parent, last) = parent_and_key(at)?;
            Walk::new(document).walk_to(&parent, |object| {
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
    if rows.is_empty() { Err(EditError::Aliased(at.clone())) } else { Ok(rows) }
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
    above: Vec<&'t Node>,
}

impl<'t> Walk<'t> {
    fn new(document: &'t Document) -> Self {
        Self { node: &document.root, document, above: Vec::new() }
    }

    /// Goes to an existing node.
    fn walk_to(
        mut self,
        at: &Pointer,
        change: impl FnOnce(&'t Node) -> Result<Change<'t>, EditError>,
    ) -> Result<Plan<'t>, EditError> {
        for token in at.tokens() {
            let child =
                find_child(self.node, token).ok_or_else(|| EditError::Aliased(at.clone()))?;
            self.above.push(self.node);
            self.node = child;
        }
        if matches!(self.node.shape, Shape::Alias) {
            return Err(EditError::Aliased(at.clone()));
        }
        Ok(Plan { change: change(self.node)?, at: at.clone(), above: self.above })
    }

    /// Goes to where a value is to stand, as far as there is something, and plans the rest.
    fn descend_to(
        mut self,
        at: &Pointer,
        tokens: &[String],
        to: Draft,
    ) -> Result<Plan<'t>, EditError> {
        let mut here = Pointer::root();
        for (row, token) in tokens.iter().enumerate() {
            if let Some(child) = find_child(self.node, token) {
                self.above.push(self.node);
                self.node = child;
                here = here.child(token.clone());
                continue;
            }
            let change = match &self.node.shape {
                Shape::Alias => return Err(EditError::Aliased(at.clone())),
                Shape::Object { .. }
                    if here.child(token.clone()).get(&self.document.value).is_some() =>
                {
                    return Err(EditError::Aliased(at.clone()));
                }
                Shape::Object { .. } => Change::Add {
                    object: self.node,
                    key: token.clone(),
                    to: to.wrap_in_keys(&tokens[row + 1..]),
                },
                Shape::List { .. } => {
                    return Err(EditError::NoSuchPlace(here.child(token.clone())));
                }
                Shape::Scalar => {
                    Change::Replace { node: self.node, to: to.wrap_in_keys(&tokens[row..]) }
                }
            };
            return Ok(Plan { change, at: here, above: self.above });
        }
        if matches!(self.node.shape, Shape::Alias) {
            return Err(EditError::Aliased(at.clone()));
        }
        Ok(Plan {
            change: Change::Replace { node: self.node, to },
            at: at.clone(),
            above: self.above,
        })
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
