//! Looks where a connection leads: whether somebody answers, and what is there.

use tokio::time::Instant;

use crate::{
    app::connection_test::{Reached, Report},
    model::{connection::Connection, problem::Problem},
    systems::{deployed::item::Item, table},
    wire::{deployed, registry::Registry},
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
    Report::Reached(Box::new(reached))
}

fn ok_or_record<T>(asked: Result<T, Problem>, untold: &mut Vec<Problem>) -> Option<T> {
    asked.map_err(|problem| untold.push(problem)).ok()
}
