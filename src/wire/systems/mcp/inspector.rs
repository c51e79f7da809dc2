//! What a server has.

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::listing::{self, LISTS};
use crate::{
    model::{call::CallError, connection::Connection},
    systems::mcp::{keys, settings},
    wire::{
        systems::facets::inspector::{Inspector, Listed, Listing},
        transport::bus::Bus,
    },
};

pub(crate) struct McpInspector;

impl Inspector for McpInspector {
    fn is_at(&self, connection: &Connection) -> bool {
        settings::is_at(connection)
    }

    fn over(&self, connection: Connection) -> Connection {
        settings::on(connection)
    }

    fn members(&self) -> Vec<(&'static str, Value)> {
        vec![("system", json!(keys::SYSTEM))]
    }

    fn ping<'a>(&'a self, bus: &'a dyn Bus) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async move {
            match listing::request(bus, "ping", &json!({})).await {
                // The modern era has no ping; that the server answers at all is as good a sign.
                Err(problem) if listing::is_unknown(&problem) => Ok(()),
                answered => answered.map(drop),
            }
        })
    }

    fn list<'a>(&'a self, bus: &'a dyn Bus) -> BoxFuture<'a, Result<Listing, CallError>> {
        Box::pin(async move {
            let mut listing = Listing::default();
            for (method, kind) in LISTS {
                let pages = match listing::list(bus, (method, kind)).await {
                    Err(problem) if listing::is_unknown(&problem) => continue,
                    pages => pages?,
                };
                listing.version.clone_from(&pages.version);
                let odd =
                    pages.pages.faults.iter().map(|fault| format!("{}: {}", fault.id, fault.words));
                listing.lists.push(Listed { kind, odd: odd.collect(), items: pages.pages.items });
            }
            Ok(listing)
        })
    }
}
