//! All entries of a workspace, as read in the present mode.

use std::collections::HashMap;

use super::{
    context::Mode,
    entry::{Entry, EntryId, FileId},
    service::Service,
    tool::Tool,
};

/// Everything the workspace's files hold, in the order of files and places.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    pub mode: Mode,
    pub tools: Vec<Tool>,
    pub services: Vec<Service>,
    /// Entries of other kinds: MCP servers.
    pub others: Vec<Entry>,
    places: HashMap<EntryId, Slot>,
}

#[derive(Clone, Copy, Debug)]
enum Slot {
    Tool(usize),
    Service(usize),
    Other(usize),
}

impl Catalog {
    /// A catalog of what was read; the order given is kept.
    #[must_use]
    pub fn new(mode: Mode, tools: Vec<Tool>, services: Vec<Service>, others: Vec<Entry>) -> Self {
        let mut places = HashMap::with_capacity(tools.len() + services.len() + others.len());
        places.extend(tools.iter().enumerate().map(|(row, tool)| (tool.entry.id.clone(), Slot::Tool(row))));
        places.extend(services.iter().enumerate().map(|(row, service)| (service.entry.id.clone(), Slot::Service(row))));
        places.extend(others.iter().enumerate().map(|(row, entry)| (entry.id.clone(), Slot::Other(row))));
        Self { mode, tools, services, others, places }
    }

    #[must_use]
    pub fn tool(&self, id: &EntryId) -> Option<&Tool> {
        match self.places.get(id)? {
            Slot::Tool(row) => self.tools.get(*row),
            _ => None,
        }
    }

    #[must_use]
    pub fn service(&self, id: &EntryId) -> Option<&Service> {
        match self.places.get(id)? {
            Slot::Service(row) => self.services.get(*row),
            _ => None,
        }
    }

    #[must_use]
    pub fn entry(&self, id: &EntryId) -> Option<&Entry> {
        match self.places.get(id)? {
            Slot::Tool(row) => self.tools.get(*row).map(|tool| &tool.entry),
            Slot::Service(row) => self.services.get(*row).map(|service| &service.entry),
            Slot::Other(row) => self.others.get(*row),
        }
    }

    /// Every entry: tools, then services, then others.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.tools.iter().map(|tool| &tool.entry).chain(self.services.iter().map(|service| &service.entry)).chain(&self.others)
    }

    /// The service of that key, within a system.
    #[must_use]
    pub fn service_by_key(&self, system: &str, key: &str) -> Option<&Service> {
        self.services.iter().find(|service| service.entry.system == system && service.entry.key == key)
    }

    /// The tool of that key or model-facing name; a key wins over a name.
    #[must_use]
    pub fn tool_called(&self, word: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.entry.key == word).or_else(|| self.tools.iter().find(|tool| tool.name == word))
    }

    /// The entries of one file.
    pub fn of_file<'c>(&'c self, file: &'c FileId) -> impl Iterator<Item = &'c Entry> {
        self.entries().filter(move |entry| entry.id.file() == file)
    }
}
