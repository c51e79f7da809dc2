//! What differs between the tools of two sides: two versions of a document, two files, two folders.
//!
//! Tools are compared as a model gets them. Of two entries of one system the rest is compared, too,
//! and of two operations of OpenAPI documents what a caller over HTTP meets.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use serde_json::Value;

use super::{
    changes::{
        BEHAVIOUR, BREAKING, COMPATIBLE, EntryPair, compare_seen, describe, rank, seen_tool,
        sort_changes, value_text, whole_change,
    },
    convert::portable_tool,
    facets::{
        kept_tools::{DEAD_END, NEVER_RUNS, ToolChange, UNREACHABLE},
        portable::plain_key,
    },
    lock::without_secrets,
    system::System,
    table::by_id,
};
use crate::{
    engine::{
        drift::differ,
        mask::Mask,
        portable::{
            baggage::{Baggage, Origin},
            openapi,
            requests::{RequestChange, compare_requests, operation_request},
            tool::PortableTool,
        },
        workflow::changes::{Arrow, WorkflowChange, compare_workflows},
    },
    model::{
        catalog::Catalog,
        context::Mode,
        entry::{Entry, EntryForm, EntryKind, EntryPlace, FileId, SystemId},
        settings::SETTINGS,
        tool::Tool,
    },
    schema::{ordering::PutInOrder, pointer::Pointer},
};

/// Members of an OpenAPI document that say something of all its operations.
const AROUND: [&str; 2] = ["servers", "security"];
/// The place of an operation's, or the document's, demands for a login.
const SECURITY: &str = "/security";
/// The fields of a gate, and the members of the settings that hold them.
const GATE_FIELDS: [(&str, &str); 3] =
    [("groups", "/groups"), ("states", "/states"), ("next state", "/next")];
/// Members of operations of which a change is not only another behaviour.
const SEVERITIES: [(&str, &str); 2] =
    [("/requestBody/content", BREAKING), ("/deprecated", COMPATIBLE)];

/// The tools of one side.
#[derive(Debug, Default)]
pub struct Side {
    pub tools: Vec<SideTool>,
    /// Other entries: services, servers.
    entries: Vec<Entry>,
    /// What an OpenAPI document says of all its tools, by its place.
    around: Option<BTreeMap<String, Value>>,
    mode: Mode,
}

/// A tool of a side.
#[derive(Debug)]
pub struct SideTool {
    pub key: String,
    pub tool: PortableTool,
    own: Own,
}

/// What a tool has beside what every tool has.
#[derive(Debug)]
enum Own {
    Entry(Box<Tool>),
    Listed {
        origin: Origin,
        /// Its entry, where its form is that of a system's entries.
        entry: Option<(SystemId, Value)>,
    },
}

/// A change, with the tool of the new side that it is about.
#[derive(Debug)]
pub struct SideChange {
    pub change: ToolChange,
    pub row: Option<usize>,
}

impl Side {
    /// The entries of files.
    #[must_use]
    pub fn of_catalog(catalog: &Catalog, is_asked: impl Fn(&FileId) -> bool) -> Self {
        let asked =
            |entry: &&Entry| is_asked(entry.id.file()) && entry.id.file().as_str() != SETTINGS;
        let tools = catalog.tools.iter().filter(|tool| asked(&&tool.entry));
        // One that holds tools is compared as these.
        let homes: HashSet<EntryPlace> =
            tools.clone().flat_map(|tool| places_around(&tool.entry)).collect();
        let is_other =
            |entry: &&Entry| entry.kind != EntryKind::Tool && !homes.contains(entry.id.place());
        let others = catalog.entries().filter(is_other);
        Self {
            tools: tools.filter_map(|tool| SideTool::of_tool(tool)).collect(),
            entries: others.filter(asked).cloned().collect(),
            around: None,
            mode: catalog.mode,
        }
    }

    /// The tools of an OpenAPI document or a list of functions.
    #[must_use]
    pub fn of_document(document: &Value, tools: Vec<Baggage>) -> Self {
        let member = |member: &&str| Some((format!("/{member}"), document.get(*member)?.clone()));
        let is_api = document.get(openapi::FORM).is_some();
        Self {
            tools: tools.into_iter().map(SideTool::of_baggage).collect(),
            around: is_api.then(|| AROUND.iter().filter_map(member).collect()),
            ..Self::default()
        }
    }

    /// Whether there is neither a tool nor another entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.entries.is_empty()
    }

    fn has_system(&self, system: SystemId) -> bool {
        self.entries.iter().any(|entry| entry.system == system)
            || self.tools.iter().any(|one| one.system() == Some(system))
    }
}

/// The places that an entry's is within.
fn places_around(entry: &Entry) -> Vec<EntryPlace> {
    let place = entry.id.place();
    let around = std::iter::successors(place.at.parent(), Pointer::parent);
    around.map(|at| EntryPlace { at, form: EntryForm::Plain, ..place.clone() }).collect()
}

/// As the lock names it where its system can be deployed: `tool/joke`.
fn entry_label(entry: &Entry) -> String {
    let deployment = by_id(entry.system).and_then(System::deployment);
    let section = deployment.and_then(|deployment| deployment.section(entry));
    format!("{}/{}", section.unwrap_or(entry.kind.as_str()), entry.key)
}

impl SideTool {
    #[must_use]
    pub fn of_tool(tool: &Tool) -> Option<Self> {
        let system = by_id(tool.entry.system)?;
        let portable = portable_tool(system, tool);
        let key = tool.entry.key.clone();
        Some(Self { key, tool: portable, own: Own::Entry(Box::new(tool.clone())) })
    }

    #[must_use]
    pub fn of_baggage(one: Baggage) -> Self {
        let Baggage { tool, own, origin, .. } = one;
        let entry = own.filter(|own| by_id(own.word).is_some()).map(|own| (own.word, own.value));
        Self { key: tool.name.clone(), tool, own: Own::Listed { origin, entry } }
    }

    /// The tool of the catalog that it is, where it is one.
    #[must_use]
    pub fn as_tool(&self) -> Option<&Tool> {
        match &self.own {
            Own::Entry(tool) => Some(tool),
            Own::Listed { .. } => None,
        }
    }

    /// As changes name it.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.own {
            Own::Entry(tool) => entry_label(&tool.entry),
            Own::Listed { .. } => format!("{}/{}", EntryKind::Tool.as_str(), self.key),
        }
    }

    fn system(&self) -> Option<SystemId> {
        match &self.own {
            Own::Entry(tool) => Some(tool.entry.system),
            Own::Listed { entry, .. } => entry.as_ref().map(|(system, _)| *system),
        }
    }

    fn entry_value(&self) -> Option<Value> {
        match &self.own {
            Own::Entry(tool) => Some(Value::clone(&tool.entry.value.parsed())),
            Own::Listed { entry, .. } => entry.as_ref().map(|(_, value)| value.clone()),
        }
    }

    /// The document that it is an operation or a function of.
    fn origin(&self) -> Option<&Origin> {
        match &self.own {
            Own::Entry(_) => None,
            Own::Listed { origin, .. } => Some(origin),
        }
    }

    fn is_operation(&self) -> bool {
        self.origin().is_some_and(|origin| origin.form == openapi::FORM)
    }

    /// Whether it can have groups and states, and they are not compared as members of its entry.
    fn is_gated(&self) -> bool {
        match &self.own {
            Own::Entry(tool) => {
                let has_gates = |system: &dyn System| system.gates().is_some();
                tool.gate_table.is_some() || by_id(tool.entry.system).is_some_and(has_gates)
            }
            Own::Listed { .. } => false,
        }
    }

    fn keeps_gate_in_entry(&self) -> bool {
        matches!(&self.own, Own::Entry(tool) if tool.gate_table.is_none())
    }
}

/// The texts by which tools of two sides are one, the surest first.
const MATCHES: [fn(&SideTool) -> Option<String>; 5] = [
    |one| Some(format!("{}\n{}", one.key, one.tool.name)),
    |one| Some(one.tool.name.clone()),
    |one| Some(plain_key(&one.key)),
    |one| {
        let request = one.is_operation().then(|| operation_request(&one.tool))?;
        Some(format!("{} {}", request.method, request.path))
    },
    // Under another name, and otherwise the same.
    |one| {
        let PortableTool { description, parameters, .. } = &one.tool;
        let is_said = !one.is_operation() && !description.trim().is_empty();
        is_said.then(|| format!("{description}\n{parameters}"))
    },
];

/// The rows of tools that are one on both sides, in the order of the old one.
fn match_tools(old: &[SideTool], new: &[SideTool]) -> Vec<(usize, usize)> {
    let (mut left, mut there): (Vec<usize>, Vec<usize>) =
        ((0..old.len()).collect(), (0..new.len()).collect());
    let mut pairs = Vec::new();
    for key_of in MATCHES {
        let mut rows: HashMap<String, VecDeque<usize>> = HashMap::new();
        for row in &there {
            if let Some(key) = key_of(&new[*row]) {
                rows.entry(key).or_default().push_back(*row);
            }
        }
        let before = pairs.len();
        left.retain(|row| {
            let key = key_of(&old[*row]);
            let found = key.and_then(|key| rows.get_mut(&key)?.pop_front());
            pairs.extend(found.map(|there| (*row, there)));
            found.is_none()
        });
        there.retain(|row| pairs[before..].iter().all(|(_, taken)| taken != row));
    }
    pairs.sort_unstable();
    pairs
}

/// What changed from one side to the other, the worst first.
#[must_use]
pub fn compare_sides(old: &Side, new: &Side) -> Vec<SideChange> {
    let pairs = match_tools(&old.tools, &new.tools);
    let rows: HashMap<usize, usize> = pairs.iter().copied().collect();
    let mut found = Vec::new();
    for (row, tool) in old.tools.iter().enumerate() {
        match rows.get(&row) {
            Some(there) => {
                let changes = compare_tools(tool, &new.tools[*there], new.mode);
                found.extend(changes.into_iter().map(|change| (Some(*there), change)));
            }
            None => found.push((None, whole_change(BREAKING, &tool.label(), "entry.removed"))),
        }
    }
    let known: Vec<usize> = pairs.iter().map(|(_, there)| *there).collect();
    let added = new.tools.iter().enumerate().filter(|(row, _)| !known.contains(row));
    found
        .extend(added.map(|(row, tool)| {
            (Some(row), whole_change(COMPATIBLE, &tool.label(), "entry.added"))
        }));
    let mut others = compare_entries(old, new);
    if let (Some(before), Some(after)) = (&old.around, &new.around) {
        others.extend(compare_members("*", before, after));
    }
    others.extend(compare_states(old, new));
    found.extend(others.into_iter().map(|change| (None, change)));
    let mut found: Vec<SideChange> =
        found.into_iter().map(|(row, change)| SideChange { change: masked(change), row }).collect();
    found.order_by_key(|one| rank(&one.change));
    found
}

/// What changed of the workflow that the entries of both sides make.
fn compare_states(old: &Side, new: &Side) -> Vec<ToolChange> {
    let [old, new] = [old, new]
        .map(|side| side.tools.iter().filter_map(SideTool::as_tool).collect::<Vec<&Tool>>());
    // Without entries there are no states.
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    compare_workflows(&old, &new).into_iter().map(describe_state_change).collect()
}

fn describe_state_change(change: WorkflowChange) -> ToolChange {
    let of_state = |name: String| format!("state/{name}");
    let of_tool = |key: String| format!("{}/{key}", EntryKind::Tool.as_str());
    let (severity, entry, id, words) = match change {
        WorkflowChange::NeverRuns(key) => (BREAKING, of_tool(key), NEVER_RUNS, None),
        WorkflowChange::Unreachable(name) => (BEHAVIOUR, of_state(name), UNREACHABLE, None),
        WorkflowChange::DeadEnd(name) => (BEHAVIOUR, of_state(name), DEAD_END, None),
        WorkflowChange::StateRemoved(name) => (BEHAVIOUR, of_state(name), "state.removed", None),
        WorkflowChange::StateAdded(name) => (COMPATIBLE, of_state(name), "state.added", None),
        WorkflowChange::ArrowRemoved(Arrow { tool, words }) => {
            (BEHAVIOUR, of_tool(tool), "arrow.removed", Some(words))
        }
        WorkflowChange::ArrowAdded(Arrow { tool, words }) => {
            let change = whole_change(BEHAVIOUR, &of_tool(tool), "arrow.added");
            return ToolChange { after: Some(words), ..change };
        }
    };
    ToolChange { before: words, ..whole_change(severity, &entry, id) }
}

/// What changed from a tool to another that is it now, the worst first; `mode` reads entries.
#[must_use]
pub fn compare_tools(old: &SideTool, new: &SideTool, mode: Mode) -> Vec<ToolChange> {
    let name = new.label();
    let is_one_system = old.system().is_some() && old.system() == new.system();
    let mut changes = match is_one_system {
        true => compare_own(&name, old, new, mode),
        false => compare_portable(&name, old, new),
    };
    let keeps_gates = is_one_system && old.keeps_gate_in_entry() && new.keeps_gate_in_entry();
    if old.is_gated() && new.is_gated() && !keeps_gates {
        changes.extend(compare_gates(&name, &old.tool, &new.tool));
    }
    if !is_one_system {
        changes.extend(compare_calls(&name, old, new));
        if let (Some(one), Some(other)) = (old.origin(), new.origin())
            && one.form == other.form
        {
            changes.extend(compare_members(&name, &plain_places(one), &plain_places(other)));
        }
    }
    sort_changes(&mut changes);
    changes
}

fn compare_portable(name: &str, old: &SideTool, new: &SideTool) -> Vec<ToolChange> {
    let seen = |one: &SideTool| seen_tool(name, &one.tool.to_function(), one.tool.output.as_ref());
    compare_seen(name, &seen(old), &seen(new))
}

/// Two entries of one system.
fn compare_own(name: &str, old: &SideTool, new: &SideTool, mode: Mode) -> Vec<ToolChange> {
    let system = old.system().and_then(by_id);
    let deployment = system.and_then(System::deployment);
    let secret = deployment.and_then(|deployment| deployment.secret());
    let value = |one: &SideTool| one.entry_value().map(|value| without_secrets(value, secret));
    let (Some(system), Some(before), Some(after)) = (system, value(old), value(new)) else {
        return compare_portable(name, old, new);
    };
    if old.tool.name == new.tool.name
        && let Some(changes) = deployment.and_then(|known| known.compare_tools(&before, &after))
    {
        return changes.iter().map(|change| describe(name, change, &before, &after)).collect();
    }
    let mut changes = compare_portable(name, old, new);
    if let (Own::Entry(tool), Own::Entry(_)) = (&old.own, &new.own) {
        let tool_of = |value: &Value| {
            let entry = Entry { value: value.clone().into(), ..tool.entry.clone() };
            let mut read = system.read_tool(&entry, mode);
            read.known.clone_from(&tool.known);
            let output = system.output_schema(&read);
            Some(seen_tool(name, &system.model_function(&read), output.as_ref()))
        };
        let seen = tool_of(&before);
        let pair = EntryPair { name, old: &before, new: &after, tool_of: &tool_of };
        changes.extend(pair.compare_members(seen.as_ref()));
    }
    changes
}

/// Groups and states that no entry holds, or those of two systems.
fn compare_gates(name: &str, old: &PortableTool, new: &PortableTool) -> Vec<ToolChange> {
    let gate = |tool: &PortableTool| -> BTreeMap<String, Value> {
        let member = |(field, value)| {
            let (_, at) = GATE_FIELDS.iter().find(|(known, _)| *known == field)?;
            Some(((*at).to_owned(), value))
        };
        tool.fields().into_iter().filter_map(member).collect()
    };
    compare_members(name, &gate(old), &gate(new))
}

/// What a caller over HTTP meets.
fn compare_calls(name: &str, old: &SideTool, new: &SideTool) -> Vec<ToolChange> {
    let are_operations = old.is_operation() && new.is_operation();
    if !are_operations && (old.tool.http.is_none() || new.tool.http.is_none()) {
        return Vec::new();
    }
    let changes = compare_requests(&old.tool, &new.tool).into_iter();
    // Only operations say where each argument goes.
    let changes = changes.filter(|change| are_operations || change.id != "request.place-changed");
    let change = |change: RequestChange| ToolChange {
        at: change.at,
        before: change.before,
        after: change.after,
        ..whole_change(BREAKING, name, change.id)
    };
    changes.map(change).collect()
}

/// What of a function is in no tool, wherever its form has it.
fn plain_places(origin: &Origin) -> BTreeMap<String, Value> {
    let plain = |at: &String| at.strip_prefix("/function").unwrap_or(at).to_owned();
    origin.rest.iter().map(|(at, value)| (plain(at), value.clone())).collect()
}

/// Members by their places.
fn compare_members(
    name: &str,
    old: &BTreeMap<String, Value>,
    new: &BTreeMap<String, Value>,
) -> Vec<ToolChange> {
    let mut places: Vec<&String> = old.keys().chain(new.keys()).collect();
    places.sort_unstable();
    places.dedup();
    let differing = places.into_iter().filter(|at| differ(old.get(*at), new.get(*at)));
    let change = |at: &String| ToolChange {
        at: at.clone(),
        before: old.get(at).map(value_text),
        after: new.get(at).map(value_text),
        ..whole_change(member_severity(at, new.get(at)), name, "entry.changed")
    };
    differing.map(change).collect()
}

/// How much it matters that a member is another now.
fn member_severity(at: &str, now: Option<&Value>) -> &'static str {
    let demands = now.and_then(Value::as_array).into_iter().flatten();
    let mut demands = demands.filter_map(Value::as_object).peekable();
    // Who is not logged in, or otherwise than before, is refused.
    if at == SECURITY && demands.peek().is_some() && demands.all(|demand| !demand.is_empty()) {
        return BREAKING;
    }
    SEVERITIES.iter().find(|(of, _)| *of == at).map_or(BEHAVIOUR, |(_, severity)| severity)
}

/// Entries that are no tools, of the systems that both sides have.
fn compare_entries(old: &Side, new: &Side) -> Vec<ToolChange> {
    let place = |entry: &Entry| (entry.system, entry.kind, entry.key.clone());
    let by_place = |side: &'_ Side| -> BTreeMap<_, Entry> {
        side.entries.iter().map(|entry| (place(entry), entry.clone())).collect()
    };
    let (before, after) = (by_place(old), by_place(new));
    let mut places: Vec<_> = before.keys().chain(after.keys()).collect();
    places.sort_unstable();
    places.dedup();
    let mut changes = Vec::new();
    for key in places {
        let system = key.0;
        if !old.has_system(system) || !new.has_system(system) {
            continue;
        }
        match (before.get(key), after.get(key)) {
            (Some(one), Some(other)) => changes.extend(compare_values(one, other)),
            (Some(one), None) => {
                changes.push(whole_change(BREAKING, &entry_label(one), "entry.removed"));
            }
            (None, Some(other)) => {
                changes.push(whole_change(COMPATIBLE, &entry_label(other), "entry.added"));
            }
            (None, None) => {}
        }
    }
    changes
}

fn compare_values(old: &Entry, new: &Entry) -> Vec<ToolChange> {
    let name = entry_label(new);
    let deployment = by_id(new.system).and_then(System::deployment);
    let secret = deployment.and_then(|deployment| deployment.secret());
    let value = |entry: &Entry| without_secrets(Value::clone(&entry.value.parsed()), secret);
    let (old, new) = (value(old), value(new));
    EntryPair { name: &name, old: &old, new: &new, tool_of: &|_| None }.compare_members(None)
}

/// A change whose texts show no secret.
fn masked(change: ToolChange) -> ToolChange {
    let member = change.at.rsplit('/').next().unwrap_or_default().to_owned();
    let mask = |text: String| Mask::default().mask_named_value(&member, &text).into_owned();
    ToolChange { before: change.before.map(mask), after: change.after.map(mask), ..change }
}
