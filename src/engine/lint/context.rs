//! What checks stand on: the catalog, and what is worth knowing of it once.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, OnceLock},
};

use crate::{
    engine::{
        filter::AskedGroups,
        gate_place::GatePlace,
        gated::Slot,
        workflow::{analysis::Analysis, graph::Workflow},
    },
    model::{
        catalog::Catalog,
        context::{Mode, Name, UNDEFINED},
        entry::{Entry, EntryKind, SystemId},
        tool::{States, Tool},
    },
};

/// A catalog with its names counted.
pub struct LintContext<'c> {
    pub catalog: &'c Catalog,
    /// Group names that tools list, with how many tools do.
    pub groups: BTreeMap<&'c str, usize>,
    /// State names that tools list or lead to, with how many do.
    pub states: BTreeMap<&'c str, usize>,
    servers: HashMap<(SystemId, &'c str), &'c Entry>,
    flow: OnceLock<(Workflow, Analysis)>,
}

impl<'c> LintContext<'c> {
    #[must_use]
    pub fn new(catalog: &'c Catalog) -> Self {
        let mut context = Self {
            catalog,
            groups: BTreeMap::new(),
            states: BTreeMap::new(),
            servers: HashMap::new(),
            flow: OnceLock::new(),
        };
        for tool in &catalog.tools {
            count_names(&mut context.groups, tool.gate.groups.iter().flatten());
            count_names(&mut context.states, listed_states(tool).iter().chain(&tool.gate.next));
        }
        let servers = catalog.others.iter().filter(|entry| entry.kind == EntryKind::Server);
        context.servers.extend(servers.map(|entry| ((entry.system, entry.key.as_str()), entry)));
        context
    }

    #[must_use]
    pub fn mode(&self) -> Mode {
        self.catalog.mode
    }

    /// The server of that key, within a system.
    #[must_use]
    pub fn server_by_key(&self, system: SystemId, key: &str) -> Option<&'c Entry> {
        self.servers.get(&(system, key)).copied()
    }

    /// Where a tool's gate is written.
    #[must_use]
    pub fn gate_place(&self, tool: &'c Tool) -> GatePlace<'c> {
        GatePlace::of_tool(self.catalog, tool)
    }

    /// The keys of a system's servers.
    pub fn server_keys(&self, system: SystemId) -> impl Iterator<Item = &'c str> {
        self.servers.keys().filter(move |(of, _)| *of == system).map(|(_, key)| *key)
    }

    /// The workflow of all tools under every group, from `undefined`: what it cannot do, no request
    /// can. It takes every tool for loaded: what keeps them from loading is a finding of its own.
    pub fn full_workflow(&self) -> &(Workflow, Analysis) {
        self.flow.get_or_init(|| {
            let written = |tool: &Arc<Tool>| Slot {
                key: tool.entry.key.as_str().into(),
                name: tool.name.as_str().into(),
                gate: tool.gate.to_declared(),
            };
            let tools: Vec<Slot> = self.catalog.tools.iter().map(written).collect();
            let workflow = Workflow::for_groups(&tools, &AskedGroups::Every, UNDEFINED);
            let analysis = workflow.analysis();
            (workflow, analysis)
        })
    }
}

/// The states that a tool lists; none where it is available in every state.
#[must_use]
pub(crate) fn listed_states(tool: &Tool) -> &[Name] {
    match &tool.gate.states {
        States::Every => &[],
        States::Only(listed) => listed,
    }
}

fn count_names<'c>(
    counts: &mut BTreeMap<&'c str, usize>,
    names: impl IntoIterator<Item = &'c Name>,
) {
    for name in names {
        *counts.entry(&**name).or_default() += 1;
    }
}
