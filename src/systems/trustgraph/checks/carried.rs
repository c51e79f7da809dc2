//! Queue names that the broker cannot carry to which the chosen connection leads.

use std::collections::{BTreeSet, HashMap};

use crate::{
    engine::lint::check::{Report, member_pointer},
    model::{
        catalog::Catalog,
        connections::Connections,
        finding::{Finding, Severity},
    },
    systems::trustgraph::{descriptor::text_member, keys, queue, settings},
};

/// Calls over the chosen connection are refused for the queue's name.
pub const UNCARRIED: (&str, Severity, &str) = (
    "service.queue-uncarried",
    Severity::Warning,
    "The current connection's broker doesn't support a queue with this name; calls over it are \
    refused.",
);

const QUEUES: [&str; 2] = [keys::REQUEST_QUEUE, keys::RESPONSE_QUEUE];

/// The names of the connections that lead to each service, by its key: those of its tools.
fn used_connections<'c>(
    catalog: &'c Catalog,
    connections: &Connections,
) -> HashMap<&'c str, BTreeSet<String>> {
    let mut used: HashMap<&str, BTreeSet<String>> = HashMap::new();
    for tool in catalog
        .tools
        .iter()
        .filter(|tool| tool.entry.system == keys::SYSTEM && tool.kind == keys::TOOL_SERVICE)
    {
        if let Some(service) = tool.service.as_deref() {
            used.entry(service).or_default().insert(connections.for_tool(tool).name);
        }
    }
    used
}

/// The services' queues that have no place where their tools' connections lead, or the one for all
/// where no tool uses them. A gateway carries none at all, which is no fault of their names.
#[must_use]
pub fn uncarried_queues(catalog: &Catalog, connections: &Connections) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (code, severity, _) = UNCARRIED;
    let mut report = Report::new(code, severity, &mut findings);
    let usual = [connections.current().name];
    let used = used_connections(catalog, connections);
    for entry in catalog
        .services
        .iter()
        .map(|service| &service.entry)
        .filter(|entry| entry.system == keys::SYSTEM)
    {
        let entry = &entry.clone();
        let over = used.get(entry.key.as_str()).map_or(Vec::from_iter(&usual), Vec::from_iter);
        let over = over.into_iter().filter_map(|name| connections.find_by_name(name));
        let over = over.filter(|connection| !settings::is_gateway(connection.transport()));
        for (connection, key) in over.flat_map(|connection| QUEUES.map(|key| (connection, key))) {
            let Some(name) = text_member(&entry.value, key).filter(|name| !name.is_empty()) else {
                continue;
            };
            // What no broker could carry is another check's.
            if queue::nats_subject(name).is_err() {
                continue;
            }
            let Err(problem) = queue::spell_queue(name, connection.transport()) else { continue };
            let message = format!(
                "connection \"{}\" doesn't support the queue \"{}\": {}",
                connection.name,
                name.escape_debug(),
                problem.cause
            );
            let found = report.add_finding(entry, member_pointer(key), message);
            if let Some(better) = queue::portable_spelling(name, connection.transport()) {
                found.fix_set(format!("change to {better}, which every broker supports"), better);
            }
        }
    }
    findings
}
