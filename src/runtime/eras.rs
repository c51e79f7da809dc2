//! One server looked at in each era of its protocol.

use serde_json::Value;
use tokio::time::Instant;

use super::{connection_test::inspector_at, now::elapsed_ms};
use crate::{
    engine::eras::{self, EraComparison, EraRow, EraSide, EraView},
    model::{call::CallError, connection::Connection, problem::Problem},
    systems::{
        facets::kept_tools::{KeptTools, ListedTools},
        table,
    },
    wire::{registry::Registry, systems::facets::inspector::Inspector},
};

/// A call that is made in each era: the tool, and its arguments.
pub(crate) type EraCall = (String, Value);

/// Opens the connection once in each era, lists all that the server has, makes the call, and holds
/// both against each other. The connections stay open in the registry.
pub(crate) async fn compare_eras(
    registry: &Registry,
    connection: &Connection,
    call: Option<&EraCall>,
) -> EraComparison {
    let mut comparison = EraComparison::default();
    let Some(inspector) = inspector_at(connection) else { return comparison };
    for (era, mut variant) in inspector.era_variants(connection) {
        // Beside each other: a server that runs may be bound to one era.
        variant.name = format!("{} ({era})", connection.name);
        let seen = see_era(registry, inspector, &variant, call).await;
        comparison.sides.push(EraSide { era, seen });
    }
    if let Some(both) = comparison.both()
        && let Some(keeper) = table::kept_tools_at(connection)
    {
        comparison.rows = compare_lists(keeper, &connection.name, both);
    }
    comparison
}

async fn see_era(
    registry: &Registry,
    inspector: &dyn Inspector,
    connection: &Connection,
    call: Option<&EraCall>,
) -> Result<EraView, Problem> {
    let began = Instant::now();
    let doing = format!("comparing the eras of {}", connection.name);
    let told = |problem: CallError| problem.while_doing(doing.clone());
    let bus = registry.open_bus(connection).await.map_err(told)?;
    let took_ms = elapsed_ms(began);
    let listing = inspector.list(&*bus).await.map_err(told)?;
    let lists = listing.lists.into_iter().map(|listed| (listed.kind, listed.items));
    let mut view = EraView {
        greeting: bus.greeting(),
        version: listing.version,
        took_ms,
        lists: lists.collect(),
        answer: None,
    };
    if let Some((tool, arguments)) = call {
        let reply = inspector.call_tool(&*bus, tool, arguments).await;
        view.answer = Some(reply.map_or_else(|problem| problem.message, reply_text));
    }
    Ok(view)
}

/// The server's name and version, which the legacy era has only in its greeting.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// A tool without what only the legacy era lists: whether it can be called as a task.
fn listed_tool(tool: &Value) -> Value {
    let mut tool = tool.clone();
    if let Some(members) = tool.as_object_mut() {
        members.shift_remove("execution");
    }
    tool
}

/// A reply without what only the modern era has in every result, so that it is no difference.
fn reply_text(mut reply: Value) -> String {
    if let Some(result) = reply.get_mut("result").and_then(Value::as_object_mut)
        && result.get("resultType").is_some_and(|kind| kind == "complete")
    {
        result.shift_remove("resultType");
        if let Some(meta) = result.get_mut("_meta").and_then(Value::as_object_mut) {
            meta.shift_remove(SERVER_INFO);
            if meta.is_empty() {
                result.shift_remove("_meta");
            }
        }
    }
    serde_json::to_string_pretty(&reply).unwrap_or_default()
}

fn compare_lists(
    keeper: &dyn KeptTools,
    server: &str,
    [first, second]: [&EraView; 2],
) -> Vec<EraRow> {
    let items = |view: &EraView, kind: &str| {
        let list = view.lists.iter().find(|(known, _)| *known == kind);
        list.map(|(_, items)| items.clone()).unwrap_or_default()
    };
    let mut kinds: Vec<&'static str> = first.lists.iter().map(|(kind, _)| *kind).collect();
    for (kind, _) in &second.lists {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    let listed = |view: &EraView, tool: &Value| ListedTools {
        server: server.to_owned(),
        version: view.version.clone(),
        time: String::new(),
        tools: vec![tool.clone()],
    };
    let explain_tool = |old: &Value, new: &Value| {
        let drift = keeper.compare(&keeper.print(&listed(first, old)), &listed(second, new));
        let words = drift.unwrap_or_default().changes.into_iter().map(|change| {
            let at =
                if change.at.is_empty() { String::new() } else { format!(" at {}", change.at) };
            format!("{}{at}", change.id)
        });
        words.collect()
    };
    let rows = kinds.into_iter().flat_map(|kind| {
        let (old, new) = (items(first, kind), items(second, kind));
        match kind {
            "tools" => {
                let [old, new] = [old, new]
                    .map(|list: Vec<Value>| list.iter().map(listed_tool).collect::<Vec<_>>());
                eras::compare_lists(kind, [&old, &new], explain_tool)
            }
            _ => eras::compare_lists(kind, [&old, &new], eras::different_members),
        }
    });
    rows.collect()
}
