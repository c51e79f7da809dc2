//! When tools and agents are available: as `toolcrib.toml` says, in `[opensearch.tools.NAME]`.
//! Tools of an agent are the agent's own, but for those that have such a table: these are tools of
//! the workflow beside it.

use std::collections::HashSet;

use super::{entries, keys};
use crate::{
    engine::settings::gate_table::read_gates,
    model::{
        catalog::{Catalog, Loading},
        tool::{Gate, NotLoaded},
    },
};

/// The gates of the catalog's tools, and which of them no model gets by itself.
#[must_use]
pub fn decide_loading(catalog: &Catalog) -> Loading {
    let gates = read_gates(catalog, keys::SYSTEM);
    let gated = gates.iter().filter(|(_, gate)| *gate != Gate::ungated());
    let gated: HashSet<usize> = gated.map(|(row, _)| *row).collect();
    let own = catalog.tools.iter().enumerate();
    let own = own.filter(|(row, tool)| tool.entry.system == keys::SYSTEM && !gated.contains(row));
    let of_agents = own.filter_map(|(row, tool)| {
        let why = format!("it is a tool of agent {}", entries::agent_of(&tool.entry)?);
        Some((row, NotLoaded::LeftOut { why: why.as_str().into() }))
    });
    Loading { gates, not_loaded: of_agents.collect(), ..Loading::default() }
}
