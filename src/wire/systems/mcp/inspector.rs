//! What a server has.

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    listing::{self, LISTS},
    stages::fault_words,
    updates,
};
use crate::{
    model::{
        call::CallError,
        connection::Connection,
        server_item::{ItemContent, ItemKind, ItemRequest, ServerItem},
    },
    systems::mcp::{calls::CALL, contents, items, keys, settings, version::Era},
    wire::{
        now::elapsed_ms,
        systems::facets::inspector::{Inspector, ListedItems, Listing, ResourceUpdates},
        transport::bus::Bus,
    },
};

pub(crate) struct McpInspector;

/// That a server has what it did not declare.
fn undeclared_words(bus: &dyn Bus, list: &str, items: &[Value]) -> Option<String> {
    let capability = if list == "resourceTemplates" { "resources" } else { list };
    let declared = &bus.server_profile()?.json["server"]["capabilities"][capability];
    (!items.is_empty() && declared.is_null())
        .then(|| format!("list.undeclared: the server did not declare the capability {capability}"))
}

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
                let listing::Paged { pages, version, timing } = pages;
                listing.version = version;
                let odd = pages.faults.iter().map(|fault| format!("{}: {}", fault.id, fault.words));
                let odd = odd.chain(undeclared_words(bus, kind, &pages.items)).collect();
                listing.lists.push(ListedItems { kind, items: pages.items, timing, odd });
            }
            Ok(listing)
        })
    }

    fn read_item(&self, kind: ItemKind, json: &Value) -> Option<ServerItem> {
        items::read_item(kind, json)
    }

    fn read_content<'a>(
        &'a self,
        bus: &'a dyn Bus,
        request: &'a ItemRequest,
    ) -> BoxFuture<'a, Result<ItemContent, CallError>> {
        Box::pin(async move {
            let began = Instant::now();
            let (method, params) = items::read_request(request);
            let (result, _) = listing::request(bus, method, &params).await?;
            let contents = match request.kind {
                ItemKind::Prompt => contents::prompt_contents(&result),
                ItemKind::Resource | ItemKind::Template => contents::resource_contents(&result),
            };
            Ok(ItemContent {
                description: contents.description,
                parts: contents.parts,
                result,
                faults: contents.faults.iter().map(fault_words).collect(),
                took_ms: elapsed_ms(began),
            })
        })
    }

    fn follow_resource<'a>(
        &'a self,
        bus: &'a dyn Bus,
        request: &'a ItemRequest,
    ) -> BoxFuture<'a, Result<Box<dyn ResourceUpdates>, CallError>> {
        Box::pin(updates::follow_resource(bus, request))
    }

    fn suggest_values<'a>(
        &'a self,
        bus: &'a dyn Bus,
        request: &'a ItemRequest,
        argument: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, CallError>> {
        Box::pin(async move {
            let params = items::complete_params(request, argument);
            match listing::request(bus, "completion/complete", &params).await {
                Err(problem) if listing::is_unknown(&problem) => Ok(Vec::new()),
                answered => Ok(items::suggestions(&answered?.0)),
            }
        })
    }

    fn call_tool<'a>(
        &'a self,
        bus: &'a dyn Bus,
        tool: &'a str,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Value, CallError>> {
        Box::pin(async move {
            let params = json!({"name": tool, "arguments": arguments});
            Ok(listing::exchange(bus, CALL, &params).await?.0)
        })
    }

    fn era_variants(&self, connection: &Connection) -> Vec<(&'static str, Connection)> {
        let variant = |era: Era| (era.as_str(), settings::with_era(connection.clone(), era));
        vec![variant(Era::Legacy), variant(Era::Modern)]
    }
}
