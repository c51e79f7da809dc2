//! What services that are served say of themselves to those who look for services.

use serde_json::json;

use super::{offers::ServedService, serving::GROUP};
use crate::{
    model::catalog::Catalog,
    systems::{discovery::descriptors::print_descriptors, trustgraph::keys},
    wire::systems::facets::responder::ServedTarget,
};

/// What can be announced of a service that is served: its entry and the tools that it answers for,
/// or its queues where the workspace has no entry for it. Where it listens is known once it does.
#[must_use]
pub(super) fn announced_service(served: &ServedService, catalog: &Catalog) -> ServedTarget {
    let own = catalog.service_by_key(keys::SYSTEM, &served.name);
    let tools = catalog.tools.iter().filter(|tool| {
        tool.entry.system == keys::SYSTEM && tool.service.as_deref() == Some(&served.name)
    });
    let about = tools.clone().next().map_or("", |tool| &tool.description).to_owned();
    let descriptor = match own {
        Some(own) => {
            let tools = tools.map(|tool| &tool.entry);
            print_descriptors([&own.entry].into_iter().chain(tools))
        }
        None => {
            let mut service = json!({keys::ID: served.name, keys::REQUEST_QUEUE: served.request});
            if let Some(response) = &served.response {
                service[keys::RESPONSE_QUEUE] = response.as_str().into();
            }
            json!({keys::SERVICES: {served.name.as_str(): service}})
        }
    };
    ServedTarget {
        name: served.name.clone(),
        about,
        subject: String::new(),
        group: GROUP.to_owned(),
        descriptor,
    }
}
