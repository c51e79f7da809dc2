//! What was found, held against the workspace.

use serde_json::{Map, Value};

use super::{
    descriptors::to_item,
    found::{Found, Searched},
};
use crate::{
    engine::mask::Mask,
    model::{
        catalog::Catalog,
        connection::Connection,
        connections::Connections,
        entry::{Entry, EntryKind},
    },
    schema::ordering::PutInOrder,
    systems::{
        deployed::item::Item,
        facets::kept_tools::ToolChange,
        lock::{LockedEntries, SEVERITIES},
        table,
    },
};

/// How something that was found relates to the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    Differs,
    /// At least one of its entries is not in the workspace, and none differs.
    New,
    /// It says too little of itself to be taken in.
    NoDescriptor,
    Same,
    /// It is in the workspace alone.
    OnlyHere,
    /// It is in the workspace, and what is there couldn't be read whole.
    NotKnown,
}

impl Standing {
    /// In words, for people and scripts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Differs => "differs",
            Self::New => "new",
            Self::NoDescriptor => "no descriptor",
            Self::Same => "same",
            Self::OnlyHere => "only here",
            Self::NotKnown => "not known",
        }
    }

    /// Whether the workspace has something to take in.
    #[must_use]
    pub fn is_news(self) -> bool {
        matches!(self, Self::Differs | Self::New)
    }

    /// Whether it was found.
    #[must_use]
    pub fn is_found(self) -> bool {
        !matches!(self, Self::OnlyHere | Self::NotKnown)
    }
}

/// Something that was found, and what the workspace has of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    pub found: Found,
    pub standing: Standing,
    /// From the workspace's entries to those that were found, the worst first.
    pub changes: Vec<ToolChange>,
    /// The names of entries that the workspace doesn't have.
    pub new: Vec<String>,
}

impl Compared {
    /// Whether a word names it, or one of its entries.
    #[must_use]
    pub fn is_named(&self, word: &str) -> bool {
        let names_item = |item: &Item| item.key == word || item.name() == word;
        self.found.name == word || self.found.items.iter().any(names_item)
    }
}

/// What the workspace has.
#[derive(Clone, Copy)]
pub struct Workspace<'w> {
    pub catalog: &'w Catalog,
    /// The table of a connection in its settings.
    pub written: &'w dyn Fn(&str) -> Option<Value>,
    pub connections: &'w Connections,
}

/// Compares what was found, and adds what of the workspace goes through one of these connections
/// and wasn't found there. What differs comes first, then what is new.
#[must_use]
pub fn compare_found(
    found: Vec<Found>,
    workspace: Workspace<'_>,
    searched: &[Searched],
) -> Vec<Compared> {
    let absent = absent_entries(&found, workspace, searched);
    let mut all: Vec<Compared> =
        found.into_iter().map(|found| compare_one(found, workspace)).collect();
    all.extend(absent);
    all.order_by(|one, other| {
        (one.standing, &one.found.name).cmp(&(other.standing, &other.found.name))
    });
    all
}

fn compare_one(found: Found, workspace: Workspace<'_>) -> Compared {
    let (mut changes, mut new, mut differs) = (Vec::new(), Vec::new(), false);
    for item in &found.items {
        match compare_item(item, workspace.catalog) {
            None => new.push(item.name()),
            Some(own) => {
                differs |= !own.is_empty();
                changes.extend(own);
            }
        }
    }
    if let Some(Ok(table)) = found.server.as_ref().map(|server| &server.table) {
        match (workspace.written)(&found.name) {
            None => new.push(found.name.clone()),
            Some(written) => {
                let own = compare_tables(&found.name, &written, table);
                differs |= !own.is_empty();
                changes.extend(own);
            }
        }
    }
    let rank = |change: &ToolChange| SEVERITIES.iter().position(|one| *one == change.severity);
    changes.order_by_key(rank);
    let says_nothing =
        found.items.is_empty() && found.server.as_ref().is_none_or(|server| server.table.is_err());
    let standing = match (says_nothing, differs, new.is_empty()) {
        (true, ..) => Standing::NoDescriptor,
        (_, true, _) => Standing::Differs,
        (_, _, false) => Standing::New,
        _ => Standing::Same,
    };
    Compared { found, standing, changes, new }
}

/// What changes from the workspace's entry to this one; `None`: the workspace has none.
fn compare_item(item: &Item, catalog: &Catalog) -> Option<Vec<ToolChange>> {
    let deployment = table::by_id(item.system)?.deployment()?;
    let entry = catalog.entries().find(|entry| deployment.is_named(entry, item))?;
    let there = item.parse_value().map_or_else(
        || item.text.clone(),
        |value| deployment.imported_value(entry, deployment.file_value(value)).to_string(),
    );
    let of = |text: String| [Item { text, ..item.clone() }];
    let mask = Mask::default();
    let own = of((*entry.value).to_string());
    let here = LockedEntries::of_items(item.system, deployment, &own, &mask);
    Some(here.compare(deployment, &of(there), &mask))
}

/// The members of a connection's table that are other than in the settings.
fn compare_tables(name: &str, written: &Value, table: &Map<String, Value>) -> Vec<ToolChange> {
    let differing = table.iter().filter(|(key, value)| written.get(*key) != Some(*value));
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    differing
        .map(|(key, value)| ToolChange {
            severity: "behaviour",
            tool: name.to_owned(),
            id: "connection.changed",
            at: format!("/{key}"),
            before: written.get(key).map(text),
            after: Some(text(value)),
        })
        .collect()
}

/// Entries of the workspace that go through a searched connection, and that nobody there has.
fn absent_entries(
    found: &[Found],
    workspace: Workspace<'_>,
    searched: &[Searched],
) -> Vec<Compared> {
    let mut absent = Vec::new();
    for entry in workspace.catalog.entries() {
        let Some(place) = connection_of(entry, workspace) else { continue };
        let has_place = |one: &&Searched| one.connection.name == place;
        let asked = searched.iter().find(has_place);
        let Some(asked) = asked.filter(|one| may_have(&one.connection, entry)) else { continue };
        let deployment = table::by_id(entry.system).and_then(|system| system.deployment());
        let is_there = deployment.is_some_and(|deployment| {
            let items = found.iter().filter(|found| found.place == place);
            items.flat_map(|found| &found.items).any(|item| deployment.is_named(entry, item))
        });
        if let Some(item) = to_item(entry).filter(|_| !is_there) {
            absent.push(Compared {
                found: Found { place, name: item.name(), ..Found::default() },
                standing: if asked.is_whole { Standing::OnlyHere } else { Standing::NotKnown },
                changes: Vec::new(),
                new: Vec::new(),
            });
        }
    }
    absent
}

/// The connection that calls of an entry go through.
fn connection_of(entry: &Entry, workspace: Workspace<'_>) -> Option<String> {
    let Workspace { catalog, connections, .. } = workspace;
    if let Some(tool) = catalog.tool(&entry.id) {
        return Some(connections.for_tool(tool).name);
    }
    let service = catalog.service(&entry.id)?;
    let mut users = catalog.tools.iter().filter(|tool| {
        tool.entry.system == entry.system && tool.service.as_deref() == Some(service.key())
    });
    let connection = users.next().map(|tool| connections.for_tool(tool));
    Some(connection.unwrap_or_else(|| connections.current()).name)
}

/// Whether an entry would be found where a connection leads: those of its running system; on a bus
/// alone, services and what they answer for.
fn may_have(connection: &Connection, entry: &Entry) -> bool {
    match table::deployment_at(connection) {
        Some((system, _)) => system.id() == entry.system,
        None => entry.kind == EntryKind::Service || entry.value.get("service").is_some(),
    }
}
