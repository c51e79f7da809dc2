//! The whole set: what would stop TrustGraph from loading any tool.

use std::sync::Arc;

use crate::{
    engine::lint::{
        check::{Report, member},
        ground::Ground,
    },
    model::tool::Tool,
    schema::pointer::Pointer,
    systems::trustgraph::{
        keys,
        load::{self, Services},
    },
};

pub fn refused(ground: &Ground<'_>, report: &mut Report<'_>) {
    let services: Services<'_> = ground.catalog.services.iter().map(|service| (service.key(), &*service.entry.value)).collect();
    let ours = |tool: &&Arc<Tool>| tool.entry.system == keys::SYSTEM;
    let count = ground.catalog.tools.iter().filter(ours).count();
    for tool in ground.catalog.tools.iter().filter(ours) {
        if let Err(error) = load::load_tool(&tool.entry.key, &tool.entry.value, &services) {
            let others = if count > 1 { format!("none of the {count} tools is loaded") } else { "no tool is loaded".to_owned() };
            let at = if tool.entry.value.get(error.field).is_some() { member(error.field) } else { Pointer::root() };
            report.at(&tool.entry, at, format!("because of this entry {others}; TrustGraph logs: {}", error.logged));
        }
    }
}
