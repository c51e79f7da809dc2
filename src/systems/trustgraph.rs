//! TrustGraph: tools, tool services and MCP servers as its agent reads them.
//!
//! `entries` finds what a file holds, `descriptor` reads it as tools and services, `types` is the
//! table of tool types with their fields.

pub mod agent;
pub mod checks;
pub mod configuration;
pub mod deployed;
pub mod descriptor;
pub mod dialogue;
pub mod entries;
pub mod follow;
pub mod function;
pub mod gateway;
pub mod keys;
pub mod kinds;
pub mod load;
pub mod overheard;
pub mod python;
pub mod regate;
pub mod schema;
pub mod settings;
pub mod types;

use serde_json::Value;

use super::{
    deployed::deployment::Deployment,
    facets::{
        agent::Agent,
        calls::{CallOf, Calls},
        gates::Gates,
        loader::Loader,
        observer::{Follower, Observer, Place},
        stubs::Stubs,
    },
    system::{NewEntry, Reference, System},
};
use crate::{
    engine::{
        lint::context::LintContext, mask::Mask, settings::system_settings::SettingsSchema,
        stub::script::StubService,
    },
    model::{
        agent::Asked,
        call::{Call, Request},
        catalog::{Catalog, Loading},
        connection::Connection,
        connections::{Connections, Listeners},
        context::Mode,
        entry::{Entry, FileId, SystemId},
        finding::{EntryEdit, Finding},
        problem::Problem,
        service::Service,
        tool::{Function, Gate, Tool},
        trace::Trace,
        traffic::{Decoded, ObservedMessage},
        transport::TransportKind,
    },
    schema::pointer::Pointer,
    syntax::source::Source,
};

pub mod queue;
pub mod reply;
pub mod request;
pub mod stub;
pub mod witness;

/// TrustGraph 2.x; facts in `docs/systems.md`.
pub(crate) struct TrustGraph;

impl System for TrustGraph {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn title(&self) -> &'static str {
        "TrustGraph"
    }

    fn entries(&self, file: &FileId, source: &Source) -> Vec<Entry> {
        entries::entries(file, source)
    }

    fn revised(&self, entry: &Entry, source: &Source) -> Option<Entry> {
        entries::revised(entry, source)
    }

    fn tool(&self, entry: &Entry, mode: Mode) -> Tool {
        descriptor::tool(entry, mode)
    }

    fn service(&self, entry: &Entry, mode: Mode) -> Service {
        descriptor::service(entry, mode)
    }

    fn schema(&self, entry: &Entry, catalog: &Catalog) -> Value {
        schema::schema(entry, catalog)
    }

    fn schema_word(&self, entry: &Entry, catalog: &Catalog) -> Option<String> {
        Some(schema::word(entry, catalog))
    }

    fn check(&self, context: &LintContext<'_>) -> Vec<Finding> {
        checks::check(context)
    }

    fn check_there(
        &self,
        catalog: &Catalog,
        connections: &Connections,
        listeners: &Listeners,
    ) -> Vec<Finding> {
        let uncarried = checks::uncarried(catalog, connections);
        uncarried
            .into_iter()
            .chain(checks::missing_templates(catalog, connections, listeners))
            .collect()
    }

    fn key_at(&self, entry: &Entry) -> Option<Pointer> {
        descriptor::key_at(entry)
    }

    fn reference(&self, tool: &Tool) -> Option<Reference> {
        descriptor::reference(tool)
    }

    fn kinds(&self) -> Vec<NewEntry> {
        kinds::kinds()
    }

    fn function(&self, tool: &Tool) -> Function {
        function::function(tool)
    }

    fn connection_settings(&self) -> Option<&'static SettingsSchema> {
        Some(&settings::SETTINGS)
    }

    fn gates(&self) -> Option<&dyn Gates> {
        Some(self)
    }

    fn loader(&self) -> Option<&dyn Loader> {
        Some(self)
    }

    fn calls(&self) -> Option<&dyn Calls> {
        Some(self)
    }

    fn observer(&self) -> Option<&dyn Observer> {
        Some(self)
    }

    fn agent(&self) -> Option<&dyn Agent> {
        Some(self)
    }

    fn stubs(&self) -> Option<&dyn Stubs> {
        Some(self)
    }

    fn deployment(&self) -> Option<&dyn Deployment> {
        Some(&deployed::row::TrustGraphDeployment)
    }
}

impl Gates for TrustGraph {
    fn regate(&self, tool: &Tool, to: &Gate, mode: Mode) -> Vec<EntryEdit> {
        regate::regate(tool, to, mode)
    }

    fn gated(&self, value: Value, gate: &Gate) -> Value {
        regate::gated(value, gate)
    }
}

impl Loader for TrustGraph {
    fn loading(&self, catalog: &Catalog) -> Loading {
        match catalog.mode {
            Mode::Document => Loading::default(),
            Mode::AsDeployed => configuration::loading(catalog),
        }
    }

    fn breaks(&self, tool: &Tool, mode: Mode) -> Option<String> {
        (mode == Mode::AsDeployed).then(|| descriptor::breaks(tool)).flatten()
    }
}

impl Calls for TrustGraph {
    fn request(&self, call: &CallOf<'_>) -> Result<Request, Problem> {
        if settings::is_gateway(call.connection.transport()) {
            gateway::endpoints::render(call)
        } else {
            request::render(call)
        }
    }

    fn subject(&self, address: &str, transport: TransportKind) -> Result<String, Problem> {
        if settings::is_gateway(transport) && gateway::endpoints::Endpoint::parse(address).is_some()
        {
            return Ok(address.to_owned());
        }
        queue::spelled(address, transport).map(|spelled| spelled.name)
    }

    fn arguments(&self, body: &str) -> Option<String> {
        request::parse(body.as_bytes()).ok().map(|asked| Value::Object(asked.arguments).to_string())
    }
}

impl Observer for TrustGraph {
    fn witness(&self, crossing: &ObservedMessage) -> Option<Decoded> {
        witness::witness(crossing)
    }

    fn follower(&self) -> Box<dyn Follower> {
        Box::new(follow::Steps::default())
    }

    fn place(&self, text: &str, transport: TransportKind) -> Option<Result<Place, Problem>> {
        let spelled = queue::is_spelled(text).then(|| queue::spelled(text, transport));
        spelled.map(|spelled| spelled.map(|queue::Spelled { name, kept }| Place { name, kept }))
    }
}

impl Agent for TrustGraph {
    fn patterns(&self) -> &'static [&'static str] {
        &agent::PATTERNS
    }

    fn reached(&self, connection: &Connection) -> Result<(), Problem> {
        agent::reached(connection)
    }

    fn request(
        &self,
        asked: &Asked,
        correlation: &str,
        connection: &Connection,
    ) -> Result<Request, Problem> {
        agent::request(asked, correlation, connection)
    }

    fn is_at(&self, to: &str) -> bool {
        agent::is_at(to)
    }

    fn asked(&self, request: &Request) -> Option<Asked> {
        agent::asked(request)
    }

    fn beside(
        &self,
        connection: &Connection,
        connections: &Connections,
        broker: &str,
    ) -> Result<Connection, Problem> {
        let broker = Some(settings::broker(connections, broker)?);
        Ok(settings::Gateway { broker, ..settings::Gateway::of(connection) }.on(connection.clone()))
    }
}

impl Stubs for TrustGraph {
    fn of_call(&self, call: &Call, mask: &Mask) -> Result<StubService, Problem> {
        stub::of_call(call, mask)
    }

    fn of_trace(&self, trace: &Trace, text: &str) -> Result<StubService, Problem> {
        stub::of_trace(trace, text)
    }
}
