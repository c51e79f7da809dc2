//! Values that are at several places: YAML anchors, and the aliases that are read as their values.

use std::collections::HashMap;

use crate::{
    schema::pointer::Pointer,
    syntax::{
        change::{Change, Plan},
        draft::Draft,
        place::Span,
        tree::{Document, Node, Shape},
    },
};

/// An anchor, and the aliases that are read as its value.
pub(crate) struct Anchor<'t> {
    pub name: &'t str,
    pub at: Pointer,
    node: &'t Node,
    pub aliases: Vec<Alias<'t>>,
}

pub(crate) struct Alias<'t> {
    /// Its place; of a merge key's, that of the object which has the key.
    pub at: Pointer,
    pub node: &'t Node,
    /// The nodes around it, outermost first.
    pub above: Vec<&'t Node>,
    /// It brings members into the object at `at`, by a merge key (`<<`).
    pub merged: bool,
}

impl Anchor<'_> {
    /// Where it is written.
    pub fn offset(&self) -> usize {
        self.node.lead
    }
}

/// The anchors of a document that have aliases, in their order.
pub(crate) fn list_anchors<'t>(text: &'t str, document: &'t Document) -> Vec<Anchor<'t>> {
    let mut walk = Walk {
        text,
        found: Vec::new(),
        by_name: HashMap::new(),
        path: Vec::new(),
        above: Vec::new(),
        merging: false,
    };
    let own = text.get(document.extent.start..document.extent.end).unwrap_or_default();
    if own.contains('&') && own.contains('*') {
        walk.visit(&document.root);
    }
    walk.found.retain(|anchor| !anchor.aliases.is_empty());
    walk.found
}

struct Walk<'t> {
    text: &'t str,
    found: Vec<Anchor<'t>>,
    /// The last anchor of a name counts.
    by_name: HashMap<&'t str, usize>,
    /// The way to the node; a merge key is no step.
    path: Vec<Step<'t>>,
    above: Vec<&'t Node>,
    /// The node is the value of a merge key, or an item of that.
    merging: bool,
}

#[derive(Clone, Copy)]
enum Step<'t> {
    Key(&'t str),
    Item(usize),
}

impl<'t> Walk<'t> {
    fn here(&self) -> Pointer {
        let token = |step: &Step<'_>| match step {
            Step::Key(key) => (*key).to_owned(),
            Step::Item(row) => row.to_string(),
        };
        self.path.iter().map(token).collect()
    }

    fn enter(&mut self, step: Option<Step<'t>>, node: &'t Node) {
        let outer = std::mem::replace(&mut self.merging, step.is_none());
        self.path.extend(step);
        self.visit(node);
        if step.is_some() {
            self.path.pop();
        }
        self.merging = outer;
    }

    fn visit(&mut self, node: &'t Node) {
        if let Some(name) = anchor_name(self.text, node) {
            self.by_name.insert(name, self.found.len());
            self.found.push(Anchor { name, at: self.here(), node, aliases: Vec::new() });
        }
        match &node.shape {
            Shape::Scalar => {}
            Shape::Alias => {
                let name = self.text.get(node.span.start + 1..node.span.end);
                if let Some(row) = name.and_then(|name| self.by_name.get(name)) {
                    let (above, merged) = (self.above.clone(), self.merging);
                    let alias = Alias { at: self.here(), node, above, merged };
                    self.found[*row].aliases.push(alias);
                }
            }
            Shape::List { items, .. } => {
                self.above.push(node);
                for (row, item) in items.iter().enumerate() {
                    self.enter((!self.merging).then_some(Step::Item(row)), item);
                }
                self.above.pop();
            }
            Shape::Object { members, .. } => {
                self.above.push(node);
                for member in members.iter() {
                    let step = (!member.merge).then_some(Step::Key(&member.key));
                    self.enter(step, &member.value);
                }
                self.above.pop();
            }
        }
    }
}

/// The name in a value's `&name`.
fn anchor_name<'t>(text: &'t str, node: &Node) -> Option<&'t str> {
    let properties = text.get(node.lead..node.span.start).filter(|text| !text.is_empty())?;
    properties.split_whitespace().find_map(|property| property.strip_prefix('&'))
}

/// The aliases that a change leaves without their anchor, each with the value that it has.
pub(crate) fn left_aliases<'t>(
    text: &'t str,
    document: &'t Document,
    plan: &Plan<'_>,
) -> Vec<(Alias<'t>, Draft)> {
    let Some(taken) = taken_spans(&plan.change) else { return Vec::new() };
    let is_taken = |at: usize| taken.iter().any(|span| span.start <= at && at < span.end);
    let has_anchor =
        |span: &Span| text.get(span.start..span.end).is_some_and(|taken| taken.contains('&'));
    if !taken.iter().any(has_anchor) {
        return Vec::new();
    }
    let anchors = list_anchors(text, document);
    anchors
        .into_iter()
        .filter(|anchor| is_taken(anchor.offset()))
        .flat_map(|anchor| {
            let value = anchor.at.get(&document.value).map(Draft::of_value);
            anchor.aliases.into_iter().zip(std::iter::repeat(value))
        })
        .filter(|(alias, _)| !is_taken(alias.node.span.start))
        .filter_map(|(alias, value)| Some((alias, value?)))
        .collect()
}

/// Where a change takes anchors away; `None`: nowhere.
fn taken_spans(change: &Change<'_>) -> Option<Vec<Span>> {
    match change {
        Change::Replace { node, .. } => Some(vec![node.span]),
        Change::Drop { parent, rows } => {
            Some(rows.iter().filter_map(|row| child_span(parent, *row)).collect())
        }
        Change::Add { .. }
        | Change::Insert { .. }
        | Change::Move { .. }
        | Change::Rename { .. } => None,
    }
}

fn child_span(parent: &Node, row: usize) -> Option<Span> {
    let node = match &parent.shape {
        Shape::List { items, .. } => items.get(row)?,
        Shape::Object { members, .. } => &members.as_slice().get(row)?.value,
        Shape::Scalar | Shape::Alias => return None,
    };
    Some(Span { start: node.lead, end: node.span.end.max(node.lead) })
}
