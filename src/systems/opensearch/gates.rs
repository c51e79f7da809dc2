//! When tools and agents are available: OpenSearch knows neither groups nor states, so
//! `toolcrib.toml` says it, in `[opensearch.tools.NAME]`. Tools of an agent are the agent's own.

use serde_json::{Map, Value};

use super::{entries, keys};
use crate::{
    engine::settings::gate_table::read_gate,
    model::{
        catalog::{Catalog, Loading},
        tool::{Gate, NotLoaded},
    },
};

/// The tables of the settings, by the name of a tool.
#[must_use]
pub fn gate_tables(catalog: &Catalog) -> Option<&Map<String, Value>> {
    let setting = catalog.others.iter().find(|entry| entries::is_setting(entry))?;
    setting.value.get(keys::TOOLS)?.as_object()
}

/// The gates of the catalog's tools, and which of them no model gets by itself.
#[must_use]
pub fn decide_loading(catalog: &Catalog) -> Loading {
    let tables = gate_tables(catalog);
    let mut loading = Loading::default();
    let own = catalog.tools.iter().enumerate();
    for (row, tool) in own.filter(|(_, tool)| tool.entry.system == keys::SYSTEM) {
        let table = tables.and_then(|tables| tables.get(&tool.name)?.as_object());
        loading.gates.push((row, table.map_or_else(Gate::ungated, read_gate)));
        if let Some(agent) = entries::agent_of(&tool.entry) {
            let why = format!("it is a tool of agent {agent}");
            loading.not_loaded.push((row, NotLoaded::LeftOut { why: why.as_str().into() }));
        }
    }
    loading
}
