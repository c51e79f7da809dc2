//! Looks where a connection leads: whether somebody answers, and what is there.

use tokio::time::Instant;

use crate::{
    app::connection_test::{Reached, Report},
    model::{call::CallError, connection::Connection, problem::Problem},
    runtime::now,
    systems::{deployed::item::Item, facets::kept_tools::ListedTools, table},
    wire::{self, deployed, registry::Registry},
};

/// Opens the connection, and asks the system that it leads to for all it tells.
pub async fn connection_report(registry: &Registry, connection: &Connection) -> Report {
    let began = Instant::now();
    if let Some(start) = registry.not_allowed(connection) {
        return Report::NotAllowed(Box::new(start));
    }
    let greeting = match registry.test_connection(connection).await {
        Ok(greeting) => greeting,
        Err(problem) => return Report::Failed(problem),
    };
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut reached = Reached { greeting, took_ms, ..Reached::default() };
    if table::deployment_at(connection).is_some() {
        let items =
            ok_or_record(deployed::read_items(registry, connection).await, &mut reached.untold);
        reached.there = items.map(|items| items.iter().map(Item::name).collect());
        reached.listeners =
            ok_or_record(deployed::read_listeners(registry, connection).await, &mut reached.untold)
                .flatten();
    }
    if table::kept_tools_at(connection).is_some() {
        reached.listed = ok_or_record(list_tools(registry, connection).await, &mut reached.untold);
    }
    Report::Reached(Box::new(reached))
}

async fn list_tools(registry: &Registry, connection: &Connection) -> Result<ListedTools, Problem> {
    let told = |problem: CallError| problem.while_doing("listing the tools of a server");
    let mut listed = ListedTools {
        server: connection.name.clone(),
        time: now::rfc3339(now::now_millis()),
        ..ListedTools::default()
    };
    let mut inspectors = wire::systems::table::inspectors();
    if let Some(inspector) = inspectors.find(|inspector| inspector.is_at(connection)) {
        let bus = registry.open_bus(connection).await.map_err(told)?;
        let listing = inspector.list(&*bus).await.map_err(told)?;
        listed.version = listing.version;
        let tools = listing.lists.into_iter().filter(|list| list.kind == "tools");
        listed.tools = tools.flat_map(|list| list.items).collect();
    }
    Ok(listed)
}

fn ok_or_record<T>(asked: Result<T, Problem>, untold: &mut Vec<Problem>) -> Option<T> {
    asked.map_err(|problem| untold.push(problem)).ok()
}
