//! What a source finds, before it is compared with anything.

use crate::{
    model::connection::Connection,
    systems::{deployed::item::Item, facets::configured::ConfigServer},
};

/// A connection that was asked what is there.
#[derive(Clone, Debug)]
pub struct Searched {
    pub connection: Connection,
    /// Whether each source answered; else there may be more than was found.
    pub is_whole: bool,
}

/// A service, an entry of a running system, or a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The words of the sources that found it: `announced`.
    pub sources: Vec<&'static str>,
    /// The name of the connection, or the path of the file.
    pub place: String,
    pub name: String,
    /// As it says itself; empty where it doesn't.
    pub version: String,
    /// A sentence of its own; may be empty.
    pub about: String,
    /// How many of it answered.
    pub instances: usize,
    /// The entries of its descriptor; none where it sends no descriptor.
    pub items: Vec<Item>,
    /// The server of a registry.
    pub server: Option<Box<ConfigServer>>,
    /// What a user should know before, each in a sentence.
    pub notes: Vec<String>,
}

impl Found {
    /// Whether two sources found the same.
    fn is_same(&self, other: &Self) -> bool {
        let is_named = !self.items.is_empty()
            || (self.name == other.name && self.sources == other.sources && self.server.is_none());
        is_named && self.place == other.place && self.items == other.items
    }

    fn merge(&mut self, other: Self) {
        if self.sources == other.sources {
            self.instances += other.instances;
            return;
        }
        self.instances = self.instances.max(other.instances);
        let sources = other.sources.into_iter().filter(|source| !self.sources.contains(source));
        self.sources.extend(sources.collect::<Vec<_>>());
        if self.version.is_empty() {
            self.version = other.version;
        }
        if self.about.is_empty() {
            self.about = other.about;
        }
        let notes = other.notes.into_iter().filter(|note| !self.notes.contains(note));
        self.notes.extend(notes.collect::<Vec<_>>());
    }
}

/// One of each, whichever sources found it.
#[must_use]
pub fn merge_found(all: impl IntoIterator<Item = Found>) -> Vec<Found> {
    let mut merged: Vec<Found> = Vec::new();
    for found in all {
        match merged.iter_mut().find(|known| known.is_same(&found)) {
            Some(known) => known.merge(found),
            None => merged.push(found),
        }
    }
    merged
}
