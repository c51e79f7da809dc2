//! When tools and agents are available: as `toolcrib.toml` says, in `[opensearch.tools.NAME]`.
//! Tools of an agent are the agent's own.

use super::{entries, keys};
use crate::{
    engine::settings::gate_table::read_gates,
    model::{
        catalog::{Catalog, Loading},
        tool::NotLoaded,
    },
};

/// The gates of the catalog's tools, and which of them no model gets by itself.
#[must_use]
pub fn decide_loading(catalog: &Catalog) -> Loading {
    let own = catalog.tools.iter().enumerate();
    let of_agents =
        own.filter(|(_, tool)| tool.entry.system == keys::SYSTEM).filter_map(|(row, tool)| {
            let why = format!("it is a tool of agent {}", entries::agent_of(&tool.entry)?);
            Some((row, NotLoaded::LeftOut { why: why.as_str().into() }))
        });
    Loading {
        gates: read_gates(catalog, keys::SYSTEM),
        not_loaded: of_agents.collect(),
        ..Loading::default()
    }
}
