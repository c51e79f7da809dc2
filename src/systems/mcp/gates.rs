//! When tools of servers are available: MCP knows neither groups nor states, so `toolcrib.toml`
//! says it, in `[mcp.NAME.tools.TOOL]`.

use std::collections::HashMap;

use serde_json::Value;

use super::{entries, keys};
use crate::{
    engine::settings::gate_table::read_gate,
    model::{
        catalog::{Catalog, Loading},
        tool::Gate,
    },
};

/// The gates of the catalog's tools.
#[must_use]
pub fn decide_loading(catalog: &Catalog) -> Loading {
    let settings = catalog.others.iter().filter(|entry| entries::is_setting(entry));
    let servers: HashMap<&str, &Value> =
        settings.map(|entry| (entry.key.as_str(), &*entry.value)).collect();
    let tools =
        catalog.tools.iter().enumerate().filter(|(_, tool)| tool.entry.system == keys::SYSTEM);
    let gates = tools.map(|(row, tool)| {
        let server =
            servers.get(entries::server_of(&tool.entry)).and_then(|server| server.get(keys::TOOLS));
        (
            row,
            server
                .and_then(|tools| tools.get(&tool.name))
                .and_then(Value::as_object)
                .map_or_else(Gate::ungated, read_gate),
        )
    });
    Loading { gates: gates.collect(), ..Loading::default() }
}
