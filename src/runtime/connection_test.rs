//! Looks where a connection leads: whether somebody answers, and what is there.

use std::sync::Arc;

use tokio::time::Instant;

use crate::{
    app::{
        connection_test::{ConnectionReport, Report},
        message::{ConnectionMessage, Message},
    },
    model::{call::CallError, connection::Connection, problem::Problem, server_item::ItemKind},
    runtime::now,
    systems::{deployed::item::Item, facets::kept_tools::ListedTools, table},
    wire::{self, deployed, locked, registry::Registry, systems::facets::inspector::Inspector},
};

/// How a test of the connection went, as the answer to the asking of that turn.
pub async fn run_test(registry: Arc<Registry>, turn: u64, connection: Connection) -> Message {
    let report = connection_report(&registry, &connection).await;
    let connection = connection.name;
    Message::Connection(ConnectionMessage::Tested { turn, connection, report })
}

/// Opens the connection, and asks the system that it leads to for all it says.
pub async fn connection_report(registry: &Registry, connection: &Connection) -> Report {
    let began = Instant::now();
    if let Some(permission) = registry.not_allowed(connection) {
        return Report::NotAllowed(Box::new(permission));
    }
    let greeting = match registry.test_connection(connection).await {
        Ok(greeting) => greeting,
        Err(problem) => return Report::Failed(problem),
    };
    let took_ms = now::elapsed_ms(began);
    let mut reached = ConnectionReport { greeting, took_ms, ..ConnectionReport::default() };
    if let Some((_, deployment)) = table::deployment_at(connection) {
        let items =
            ok_or_record(deployed::read_items(registry, connection).await, &mut reached.untold);
        if let (Some(root), Some(items)) = (registry.workspace(), &items) {
            let mask = registry.secrets().mask();
            reached.drift =
                locked::describe_drift(root, &connection.name, deployment, items, &mask);
        }
        // A server's greeting says it too.
        if let Some(drift) = &reached.drift {
            reached.greeting = reached.greeting.replace(&format!("; {drift}"), "");
        }
        reached.there = items.map(|items| items.iter().map(Item::name).collect());
        reached.listeners =
            ok_or_record(deployed::read_listeners(registry, connection).await, &mut reached.untold)
                .flatten();
    }
    if let Some(keeper) = table::kept_tools_at(connection) {
        let listed = list_server(registry, connection, &mut reached).await;
        reached.listed = ok_or_record(listed, &mut reached.untold);
        let faults = reached.listed.as_ref().map(|listed| keeper.find_faults(listed));
        reached.tool_faults = faults.unwrap_or_default();
    }
    Report::Reached(Box::new(reached))
}

/// Asks a server for all its lists: gives its tools, and puts the rest into the report.
async fn list_server(
    registry: &Registry,
    connection: &Connection,
    reached: &mut ConnectionReport,
) -> Result<ListedTools, Problem> {
    let told = |problem: CallError| problem.while_doing("reading a server's lists");
    let mut listed = ListedTools {
        server: connection.name.clone(),
        time: now::rfc3339(now::now_millis()),
        ..ListedTools::default()
    };
    let Some(inspector) = inspector_at(connection) else { return Ok(listed) };
    let bus = registry.open_bus(connection).await.map_err(told)?;
    reached.profile = bus.server_profile().cloned();
    let listing = inspector.list(&*bus).await.map_err(told)?;
    for kind in ItemKind::ALL {
        let items = listing.items_of(kind.list_name()).iter();
        reached.items.extend(items.filter_map(|json| inspector.read_item(kind, json)));
    }
    for list in listing.lists {
        reached.timings.push(list.timing);
        reached.list_faults.extend(list.odd.iter().map(|words| format!("{}: {words}", list.kind)));
        if list.kind == "tools" {
            listed.tools.extend(list.items);
        }
    }
    listed.version = listing.version;
    Ok(listed)
}

/// Who can be asked what the server of a connection has.
pub(super) fn inspector_at(connection: &Connection) -> Option<&'static dyn Inspector> {
    let mut inspectors = wire::systems::table::inspectors();
    inspectors.find(|inspector| inspector.is_at(connection))
}

fn ok_or_record<T>(asked: Result<T, Problem>, untold: &mut Vec<Problem>) -> Option<T> {
    asked.map_err(|problem| untold.push(problem)).ok()
}
