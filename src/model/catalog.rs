//! All entries of a workspace, as read in the present mode.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::{Arc, OnceLock},
};

use serde_json::Value;

use super::{
    context::{Mode, Name},
    entry::{Entry, EntryId, FileId, SystemId},
    service::Service,
    tool::{Audience, Gate, NotLoaded, States, Tool},
};
use crate::schema::pointer::Pointer;

/// Everything the workspace's files hold, in the order of files and places.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    pub mode: Mode,
    pub tools: Vec<Arc<Tool>>,
    /// Copies of the catalog share these until one of them changes there.
    pub services: Arc<Vec<Service>>,
    /// Entries of other kinds: MCP servers.
    pub others: Arc<Vec<Entry>>,
    /// What keeps a system from loading any of its tools.
    pub refusals: Vec<Refusal>,
    /// Every tool is known to be loaded.
    loads_all: bool,
    /// Rows of tools in the order in which their systems hold them, where that is not the order
    /// here.
    order: Vec<usize>,
    /// Grows whenever a list of the entries may be another one: which there are, their keys, types
    /// and gates, what services are called.
    pub revision: u64,
    /// Grows whenever what entries may name can be another: groups and states, services and what
    /// they take, servers.
    pub vocabulary: u64,
    /// Grows whenever models see a tool under another name.
    pub tool_names: u64,
    /// Those that have entries.
    systems: BTreeSet<SystemId>,
    names: OnceLock<Arc<Names>>,
    places: Arc<HashMap<EntryId, Slot>>,
    /// Rows of services by what tools may call them; the first of a key counts, and a key wins over
    /// an alias.
    called: Arc<HashMap<(SystemId, String), usize>>,
}

/// What one file brings to a catalog.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub tools: Vec<Arc<Tool>>,
    pub services: Vec<Service>,
    pub others: Vec<Entry>,
}

impl Part {
    /// This, followed by another.
    pub fn extend(&mut self, mut more: Part) {
        self.tools.append(&mut more.tools);
        self.services.append(&mut more.services);
        self.others.append(&mut more.others);
    }
}

/// How a system loads the tools of a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loading {
    /// The entry that keeps it from loading any.
    pub refusal: Option<Refusal>,
    /// Rows of tools that it does not load.
    pub not_loaded: Vec<(usize, NotLoaded)>,
    /// Rows of the others in the order in which it holds them; none where that is the catalog's.
    pub order: Vec<usize>,
    /// Rows of tools whose gates stand elsewhere than in their entries, with those.
    pub gates: Vec<(usize, Gate)>,
    /// Rows of tools whose gates have another table of `toolcrib.toml` than their names say, with that.
    pub gate_tables: Vec<(usize, Pointer)>,
    /// Rows of tools of which more is known than their entries say, with that.
    pub known: Vec<(usize, Arc<Value>)>,
}

/// An entry that keeps its system from loading any tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The system's name for people.
    pub system: &'static str,
    pub entry: EntryId,
    /// Its section and key: `tool/tell-joke`.
    pub name: Name,
    /// What the system logs.
    pub logged: Name,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} loads none of these tools: {} stops the whole set; it logs: {}",
            self.system, self.name, self.logged
        )
    }
}

/// Every group and state that a tool names.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub groups: BTreeSet<Name>,
    pub states: BTreeSet<Name>,
}

#[derive(Clone, Copy, Debug)]
enum Slot {
    Tool(usize),
    Service(usize),
    Other(usize),
}

impl Catalog {
    /// A catalog of what was read; the order given is kept, and a file's entries must stand
    /// together.
    #[must_use]
    pub fn new(
        mode: Mode,
        tools: Vec<Arc<Tool>>,
        services: Vec<Service>,
        others: Vec<Entry>,
    ) -> Self {
        let (services, others) = (Arc::new(services), Arc::new(others));
        let mut catalog = Self { mode, tools, services, others, ..Self::default() };
        catalog.rebuild_index();
        catalog
    }

    /// The same entries, each with another identity.
    #[must_use]
    pub fn with_ids(mut self, mut id: impl FnMut(&Entry) -> EntryId) -> Self {
        let loads_all = self.loads_all;
        for tool in &mut self.tools {
            let tool = Arc::make_mut(tool);
            tool.entry.id = id(&tool.entry);
        }
        for service in Arc::make_mut(&mut self.services) {
            service.entry.id = id(&service.entry);
        }
        for other in Arc::make_mut(&mut self.others) {
            other.id = id(other);
        }
        self.rebuild_index();
        Self { loads_all, ..self }
    }

    /// Puts what a file holds now in place of what it held; a file that was not there comes last.
    pub fn replace_file(&mut self, file: &FileId, part: Part) {
        let is_called = |service: &Service| {
            (service.entry.id.clone(), service.entry.key.clone(), service.alias.clone())
        };
        let same = splice_rows(
            &mut self.tools,
            part.tools,
            |tool| tool.entry.id.file() == file,
            |tool| tool.entry.id.clone(),
        ) & splice_rows(
            Arc::make_mut(&mut self.services),
            part.services,
            |service| service.entry.id.file() == file,
            is_called,
        ) & splice_rows(
            Arc::make_mut(&mut self.others),
            part.others,
            |entry| entry.id.file() == file,
            |entry| entry.id.clone(),
        );
        self.is_another();
        if !same {
            self.rebuild_index();
        }
    }

    /// Puts a tool in the place of the one with its id, if there is one.
    pub fn put_tool(&mut self, mut tool: Tool) {
        let Some(Slot::Tool(row)) = self.places.get(tool.id()) else { return };
        let known = &mut self.tools[*row];
        if known.gate.not_loaded().is_some() {
            // Until its system is asked again.
            tool.gate.offer = known.gate.offer.clone();
        }
        self.tool_names += u64::from(known.name != tool.name);
        if (&known.kind, &known.entry.key, &known.gate) != (&tool.kind, &tool.entry.key, &tool.gate)
        {
            self.revision += 1;
        }
        let named = |gate: &Gate| (gate.groups.clone(), gate.states.clone(), gate.next.clone());
        if named(&known.gate) != named(&tool.gate) {
            self.vocabulary += 1;
            self.names = OnceLock::new();
        }
        *known = Arc::new(tool);
    }

    /// Puts a service in the place of the one with its id, if there is one.
    pub fn put_service(&mut self, service: Service) {
        let Some(Slot::Service(row)) = self.places.get(&service.entry.id) else { return };
        let known = &mut Arc::make_mut(&mut self.services)[*row];
        let is_called = known.alias != service.alias || known.entry.key != service.entry.key;
        let takes = known.parameters != service.parameters;
        *known = service;
        if is_called {
            self.rebuild_index();
        } else {
            self.vocabulary += u64::from(takes);
        }
    }

    /// Puts an entry of another kind in the place of the one with its id, if there is one.
    pub fn put_other(&mut self, entry: Entry) {
        if let Some(Slot::Other(row)) = self.places.get(&entry.id) {
            let is_called = self.others[*row].key != entry.key;
            self.revision += u64::from(is_called);
            self.vocabulary += u64::from(is_called);
            Arc::make_mut(&mut self.others)[*row] = entry;
        }
    }

    /// This catalog as the one that comes after another.
    #[must_use]
    pub fn into_successor_of(mut self, other: &Self) -> Self {
        self.revision += other.revision + 1;
        self.vocabulary += other.vocabulary + 1;
        self.tool_names += other.tool_names + 1;
        self
    }

    /// Puts what further files hold behind what is there.
    pub fn append(&mut self, mut part: Part) {
        self.tools.append(&mut part.tools);
        Arc::make_mut(&mut self.services).append(&mut part.services);
        Arc::make_mut(&mut self.others).append(&mut part.others);
        self.rebuild_index();
    }

    /// Takes what the systems make of the tools, in the place of what they made of them before.
    pub fn apply_loadings(&mut self, loadings: impl IntoIterator<Item = Loading>) {
        let (mut not_loaded, mut order) = (HashMap::new(), Vec::new());
        let mut gates = Vec::new();
        self.refusals.clear();
        for loading in loadings {
            gates.extend(loading.gates);
            for (row, table) in loading.gate_tables {
                if let Some(tool) = self.tools.get_mut(row)
                    && tool.gate_table.as_ref() != Some(&table)
                {
                    Arc::make_mut(tool).gate_table = Some(table);
                    self.revision += 1;
                }
            }
            for (row, known) in loading.known {
                if let Some(tool) = self.tools.get_mut(row)
                    && tool.known.as_ref() != Some(&known)
                {
                    Arc::make_mut(tool).known = Some(known);
                }
            }
            self.refusals.extend(loading.refusal);
            not_loaded.extend(loading.not_loaded);
            order.extend(loading.order);
        }
        for (row, gate) in gates {
            if let Some(tool) =
                self.tools.get_mut(row).filter(|tool| tool.gate.to_declared() != gate)
            {
                Arc::make_mut(tool).gate = gate;
                self.names = OnceLock::new();
                self.revision += 1;
            }
        }
        self.order = order;
        let loads_all = not_loaded.is_empty();
        if std::mem::replace(&mut self.loads_all, loads_all) && loads_all {
            return;
        }
        for (row, tool) in self.tools.iter_mut().enumerate() {
            let why = not_loaded.remove(&row);
            if tool.gate.not_loaded() != why.as_ref() {
                let gate = &mut Arc::make_mut(tool).gate;
                gate.offer = why.map_or_else(|| gate.to_declared().offer, Audience::ToNone);
                self.revision += 1;
            }
        }
    }

    /// Whether any entry is of that system.
    #[must_use]
    pub fn has_system(&self, system: SystemId) -> bool {
        self.systems.contains(system)
    }

    /// Rows of tools, put in the order in which their systems hold them.
    #[must_use]
    pub fn in_order(&self, mut rows: Vec<usize>) -> Vec<usize> {
        let places: HashMap<usize, usize> =
            self.order.iter().enumerate().map(|(place, row)| (*row, place)).collect();
        if !places.is_empty() {
            rows.sort_by_key(|row| places.get(row).copied().unwrap_or(usize::MAX));
        }
        rows
    }

    /// Nothing is known of what it was before.
    fn is_another(&mut self) {
        self.names = OnceLock::new();
        let tools = self.tools.iter().map(|tool| tool.entry.system);
        let services = self.services.iter().map(|service| service.entry.system);
        let others = self.others.iter().map(|entry| entry.system);
        self.systems = tools.chain(services).chain(others).collect();
        self.loads_all = false;
        self.revision += 1;
        self.vocabulary += 1;
        self.tool_names += 1;
    }

    fn rebuild_index(&mut self) {
        self.is_another();
        let mut places = HashMap::with_capacity(self.len());
        places.extend(
            self.tools
                .iter()
                .enumerate()
                .map(|(row, tool)| (tool.entry.id.clone(), Slot::Tool(row))),
        );
        places.extend(
            self.services
                .iter()
                .enumerate()
                .map(|(row, service)| (service.entry.id.clone(), Slot::Service(row))),
        );
        places.extend(
            self.others.iter().enumerate().map(|(row, entry)| (entry.id.clone(), Slot::Other(row))),
        );
        self.places = Arc::new(places);
        let mut called = HashMap::new();
        let keys = self
            .services
            .iter()
            .enumerate()
            .map(|(row, service)| (row, service, Some(&service.entry.key)));
        let aliases = self
            .services
            .iter()
            .enumerate()
            .map(|(row, service)| (row, service, service.alias.as_ref()));
        for (row, service, name) in keys.chain(aliases) {
            if let Some(name) = name {
                called.entry((service.entry.system, name.clone())).or_insert(row);
            }
        }
        self.called = Arc::new(called);
    }

    #[must_use]
    pub fn tool(&self, id: &EntryId) -> Option<&Tool> {
        match self.places.get(id)? {
            Slot::Tool(row) => self.tools.get(*row).map(|tool| &**tool),
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

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len() + self.services.len() + self.others.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every entry: tools, then services, then others.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.tools
            .iter()
            .map(|tool| &tool.entry)
            .chain(self.services.iter().map(|service| &service.entry))
            .chain(&*self.others)
    }

    /// The service that tools of a system call by this name: its key, or else its alias.
    #[must_use]
    pub fn service_by_key(&self, system: SystemId, key: &str) -> Option<&Service> {
        self.services.get(*self.called.get(&(system, key.to_owned()))?)
    }

    /// The tool of that key or model-facing name, or of that address; a key wins over a name, and
    /// both over an address.
    #[must_use]
    pub fn tool_called(&self, word: &str) -> Option<&Tool> {
        let tools = || self.tools.iter().map(|tool| &**tool);
        tools()
            .find(|tool| tool.entry.key == word)
            .or_else(|| tools().find(|tool| tool.name == word))
            .or_else(|| tools().find(|tool| tool.address() == word))
    }

    /// The same of what that connection has: the connection's name may come before the tool's.
    #[must_use]
    pub fn tool_called_at(&self, connection: &str, word: &str) -> Option<&Tool> {
        let bare = || word.strip_prefix(connection)?.strip_prefix('/');
        self.tool_called(word).or_else(|| self.tool_called(bare()?))
    }

    /// The tools of different systems that have this key; none where it means one tool.
    #[must_use]
    pub fn ambiguous_tools(&self, key: &str) -> Vec<&Tool> {
        let tools = self.tools.iter().map(|tool| &**tool);
        let found: Vec<&Tool> = tools.filter(|tool| tool.entry.key == key).collect();
        let system = found.first().map(|tool| tool.entry.system);
        let is_ambiguous = found.iter().any(|tool| Some(tool.entry.system) != system);
        if is_ambiguous { found } else { Vec::new() }
    }

    /// The other tools that a word might have meant which names a tool, but not by its key.
    pub fn namesakes<'c>(
        &'c self,
        tool: &'c Tool,
        word: &'c str,
    ) -> impl Iterator<Item = &'c Tool> {
        let others = self.tools.iter().map(|tool| &**tool).filter(move |other| {
            tool.entry.key != word && other.name == word && other.entry.key != tool.entry.key
        });
        others.filter(|other| other.id() != tool.id())
    }

    /// Every group and state that a tool names, gathered when first asked for.
    pub fn gate_names(&self) -> &Names {
        self.names.get_or_init(|| {
            let mut names = Names::default();
            for tool in &self.tools {
                names.groups.extend(tool.gate.groups.iter().flatten().cloned());
                names.states.extend(tool.gate.next.clone());
                if let States::Only(listed) = &tool.gate.states {
                    names.states.extend(listed.iter().cloned());
                }
            }
            Arc::new(names)
        })
    }

    /// The entries of one file.
    pub fn of_file<'c>(&'c self, file: &'c FileId) -> impl Iterator<Item = &'c Entry> {
        self.entries().filter(move |entry| entry.id.file() == file)
    }
}

/// Replaces the rows of one file, which stand together, where they stand; `true` when the marks of
/// all rows are what they were.
fn splice_rows<T, M: PartialEq>(
    rows: &mut Vec<T>,
    new: Vec<T>,
    of_file: impl Fn(&T) -> bool,
    mark: impl Fn(&T) -> M,
) -> bool {
    let start = rows.iter().position(&of_file).unwrap_or(rows.len());
    let old = rows.get(start..).unwrap_or_default();
    let count = old.iter().take_while(|row| of_file(row)).count();
    let same = old.get(..count).unwrap_or_default().iter().map(&mark).eq(new.iter().map(&mark));
    drop(rows.splice(start..start + count, new));
    same
}
