//! Values that are at several places of a YAML text, for who shows or changes one of them.

use serde_json::Value;

use super::{
    place::Format,
    source::Source,
    tree::Document,
    yaml::sharing::{Alias, Anchor, list_anchors},
};
use crate::schema::pointer::Pointer;

/// A value with an anchor (`&name`), and the aliases (`*name`) that are read as it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedValue {
    pub name: String,
    pub at: Pointer,
    /// The anchor's, from 1.
    pub line: usize,
    pub uses: Vec<SharedUse>,
}

/// A place that has the value of an anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedUse {
    pub at: Pointer,
    /// The alias's, from 1.
    pub line: usize,
    /// It is a member of the value, and comes by a merge key (`<<`).
    pub merged: bool,
}

/// The values of a document that are at several places, in the order of their anchors. A long text
/// whose members are read each alone has none.
#[must_use]
pub fn list_shared_values(source: &Source, document: usize) -> Vec<SharedValue> {
    if source.format() != Format::Yaml || source.as_cut().is_some() {
        return Vec::new();
    }
    let Some(found) = source.document_at(document) else { return Vec::new() };
    let line = |offset: usize| source.position(offset).0;
    let shared = |anchor: Anchor<'_>| SharedValue {
        name: anchor.name.to_owned(),
        line: line(anchor.offset()),
        uses: anchor
            .aliases
            .iter()
            .flat_map(|alias| {
                let line = line(alias.node.span.start);
                let merged = alias.merged;
                used_places(found, &anchor, alias).into_iter().map(move |at| SharedUse {
                    at,
                    line,
                    merged,
                })
            })
            .collect(),
        at: anchor.at,
    };
    list_anchors(source.text(), found).into_iter().map(shared).collect()
}

/// Where an alias's value is: its own place, or the members that it brings into an object.
fn used_places(document: &Document, anchor: &Anchor<'_>, alias: &Alias<'_>) -> Vec<Pointer> {
    if !alias.merged {
        return vec![alias.at.clone()];
    }
    let members = anchor.at.get(&document.value).and_then(Value::as_object);
    members
        .into_iter()
        .flat_map(|members| members.keys())
        .map(|key| alias.at.child(key.clone()))
        .filter(|at| document.find(at).is_some_and(|found| found.aliased))
        .collect()
}
