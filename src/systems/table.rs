//! Every system, one row each.

use std::sync::OnceLock;

use serde_json::Value;

use super::{
    commonground,
    deployed::deployment::{Deployment, FirstConnection},
    facets::{
        configured::Configured, kept_tools::KeptTools, remote_tools::RemoteTools, shapes::Shapes,
    },
    mcp, opensearch, search_proxy,
    system::System,
    trustgraph, unique,
};
use crate::{
    engine::settings::{connections, system_settings::SettingsSchema},
    model::{
        catalog::Catalog,
        connection::{Connection, SystemSettings},
        connections::Connections,
        entry::{Entry, SystemId},
        problem::Problem,
        tool::{Tool, ToolEffects},
    },
};

/// The systems of toolcrib, in the order in which they are asked whether a file is theirs.
pub const SYSTEMS: &[&dyn System] = &[
    &trustgraph::TrustGraph,
    &commonground::CommonGround,
    &mcp::Mcp,
    &unique::Unique,
    &opensearch::OpenSearch,
    &search_proxy::SearchProxy,
];

/// What the program that runs has; a program may bring systems of its own.
static INSTALLED: OnceLock<&[&dyn System]> = OnceLock::new();

/// Sets the systems of the program that runs, before anything is read. Only the first call counts.
pub(crate) fn install(systems: &'static [&'static dyn System]) {
    // A second call finds them set.
    let _ = INSTALLED.set(systems);
}

/// Every system of the program that runs; until it says which, those of toolcrib.
#[must_use]
pub fn every_system() -> &'static [&'static dyn System] {
    INSTALLED.get().copied().unwrap_or(SYSTEMS)
}

/// The system of that id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn System> {
    every_system().iter().copied().find(|system| system.id() == id)
}

/// Every system whose entries can be read and written while it runs.
pub(crate) fn deployments() -> impl Iterator<Item = (&'static dyn System, &'static dyn Deployment)>
{
    every_system().iter().filter_map(|system| Some((*system, system.deployment()?)))
}

/// Every system that other programs configure servers of.
pub(crate) fn configured() -> impl Iterator<Item = &'static dyn Configured> {
    every_system().iter().filter_map(|system| system.configured())
}

/// The system that can call tools of another one's servers.
pub(crate) fn remote_tools() -> Option<&'static dyn RemoteTools> {
    every_system().iter().find_map(|system| system.remote_tools())
}

/// The system whose entries come in several shapes.
pub(crate) fn shapes() -> Option<&'static dyn Shapes> {
    every_system().iter().find_map(|system| system.shapes())
}

/// Whether it matters to the catalog who answers where a connection leads: of a server whose tools
/// are its own it does where entries of another system call them.
#[must_use]
pub(crate) fn needs_listeners(catalog: &Catalog, connection: &Connection) -> bool {
    let is_called = || remote_tools().is_some_and(|own| own.calls_server(catalog, connection));
    deployment_at(connection).is_some() && (kept_tools_at(connection).is_none() || is_called())
}

/// Who keeps the tools of the server that a connection leads to.
#[must_use]
pub(crate) fn kept_tools_at(connection: &Connection) -> Option<&'static dyn KeptTools> {
    let mut all = every_system().iter().filter_map(|system| system.kept_tools());
    all.find(|kept| kept.is_at(connection))
}

/// Whether an entry is as a server listed it once.
#[must_use]
pub(crate) fn is_kept(entry: &Entry) -> bool {
    every_system().iter().filter_map(|system| system.kept_tools()).any(|kept| kept.is_kept(entry))
}

/// A connection that says which system it leads to: its own where it says one, else that of all of
/// the catalog's tools, where they have one in common.
#[must_use]
pub(crate) fn claim_connection(connection: Connection, catalog: &Catalog) -> Connection {
    if !connection.settings.is_empty() {
        return connection;
    }
    let mut systems = catalog.tools.iter().map(|tool| tool.entry.system);
    match systems.next() {
        Some(first) if systems.all(|system| system == first) => claim_for(connection, first),
        _ => connection,
    }
}

/// The connection that a command line or a case means: by name, or by address. Where the address by
/// its form is that of one system's servers, it leads there.
///
/// # Errors
/// As [`connections::find_connection`].
pub(crate) fn find_connection(
    connections: &Connections,
    wanted: &str,
) -> Result<Connection, Problem> {
    let found = connections::find_connection(connections, wanted)?;
    Ok(match connections.find_by_name(wanted) {
        Some(_) => found,
        None => claim_address(found),
    })
}

fn claim_address(connection: Connection) -> Connection {
    let is_own = |of: &&dyn Configured| matches!(connection.addresses(), [address] if of.is_own_address(address));
    match configured().find(is_own) {
        Some(configured) => configured.claim_address(connection),
        None => connection,
    }
}

/// A connection that leads to that system, unless it says another or the system needs to know more
/// of it.
#[must_use]
pub(crate) fn claim_for(connection: Connection, system: SystemId) -> Connection {
    let settings = by_id(system).and_then(|system| system.connection_settings());
    let is_open = |settings: &SettingsSchema| {
        settings.table.is_some()
            && settings.transports.contains(&connection.transport())
            && (settings.schema)().get("required").is_none()
    };
    match connection.settings.is_empty() && settings.is_some_and(is_open) {
        true => connection.with_settings(system, SystemSettings::default()),
        false => connection,
    }
}

/// The one of the deployments that a connection leads to.
#[must_use]
pub(crate) fn deployment_at(
    connection: &Connection,
) -> Option<(&'static dyn System, &'static dyn Deployment)> {
    deployments().find(|(_, deployment)| deployment.is_at(connection))
}

/// How the first run connects to each system that it can import from, by the system's id.
pub(crate) fn first_connections() -> impl Iterator<Item = (SystemId, &'static FirstConnection)> {
    deployments()
        .filter_map(|(system, deployment)| Some((system.id(), deployment.first_connection()?)))
}

/// Which connections lead to one of them, as something to do.
#[must_use]
pub(crate) fn wanted_deployments() -> String {
    let wanted: Vec<&str> =
        deployments().map(|(_, deployment)| deployment.elsewhere().wanted).collect();
    format!("name {}", wanted.join("; or "))
}

/// A tool's name for people beside its own; empty where it has none.
#[must_use]
pub(crate) fn tool_title(tool: &Tool) -> &str {
    by_id(tool.entry.system).and_then(|system| system.tool_title(tool)).unwrap_or_default()
}

/// What a tool says that its calls do to the world.
#[must_use]
pub(crate) fn tool_effects(tool: &Tool) -> ToolEffects {
    by_id(tool.entry.system).map(|system| system.tool_effects(tool)).unwrap_or_default()
}

/// The JSON Schema of what has to be given to call a tool. It is made again each time: workspaces
/// are large and tools that are looked at few.
#[must_use]
pub fn arguments_schema(tool: &Tool) -> Value {
    let Some(system) = by_id(tool.entry.system) else { return Value::Bool(true) };
    let schema = system.model_function(tool).parameters;
    match system.calls() {
        Some(calls) => calls.given_arguments(schema),
        None => schema,
    }
}
