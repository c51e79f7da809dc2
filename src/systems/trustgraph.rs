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
mod portable;
pub mod python;
pub mod regate;
mod remote;
pub mod schema;
pub mod settings;
pub mod types;

use serde_json::{Map, Value};

use super::{
    deployed::deployment::Deployment,
    facets::{
        agent::Agent,
        calls::{CallOf, Calls},
        gates::Gates,
        loader::Loader,
        observer::{Follower, Observer, Place},
        portable::Portable,
        remote_tools::RemoteTools,
        stubs::Stubs,
    },
    system::{EntryRules, NewEntry, Reference, System},
};
use crate::{
    engine::{
        lint::{self, context::LintContext},
        mask::Mask,
        settings::system_settings::SettingsSchema,
    },
    model::{
        agent::AgentQuestion,
        call::{Call, Request},
        catalog::{Catalog, Loading},
        connection::Connection,
        connections::{Connections, Listeners},
        context::Mode,
        entry::{Entry, FileId, SystemId},
        finding::{EntryEdit, Finding},
        problem::Problem,
        service::Service,
        stub::StubService,
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

    fn read_entries(&self, file: &FileId, source: &Source) -> Vec<Entry> {
        entries::read_entries(file, source)
    }

    fn refresh_entry(&self, entry: &Entry, source: &Source) -> Option<Entry> {
        entries::refresh_entry(entry, source)
    }

    fn read_tool(&self, entry: &Entry, mode: Mode) -> Tool {
        descriptor::read_tool(entry, mode)
    }

    fn read_service(&self, entry: &Entry, mode: Mode) -> Service {
        descriptor::read_service(entry, mode)
    }

    fn entry_schema(&self, entry: &Entry, catalog: &Catalog) -> Value {
        schema::entry_schema(entry, catalog)
    }

    fn schema_word(&self, entry: &Entry, catalog: &Catalog) -> Option<String> {
        Some(schema::schema_word(entry, catalog))
    }

    fn entry_rules<'e>(&self, entry: &'e Entry, mode: Mode) -> Option<EntryRules<'e>> {
        schema::entry_rules(entry, mode)
    }

    fn check_catalog(&self, context: &LintContext<'_>) -> Vec<Finding> {
        checks::check_catalog(context)
    }

    fn check_sentences(&self) -> Vec<(&'static str, &'static str)> {
        let there = checks::THERE.iter().map(|(code, _, about)| (*code, *about));
        lint::sentences(checks::CHECKS).into_iter().chain(there).collect()
    }

    fn check_there(
        &self,
        catalog: &Catalog,
        connections: &Connections,
        listeners: &Listeners,
    ) -> Vec<Finding> {
        let uncarried = checks::uncarried_queues(catalog, connections);
        uncarried
            .into_iter()
            .chain(checks::missing_templates(catalog, connections, listeners))
            .chain(checks::remote_differences(catalog, connections, listeners))
            .collect()
    }

    fn key_at(&self, entry: &Entry) -> Option<Pointer> {
        descriptor::key_at(entry)
    }

    fn tool_reference(&self, tool: &Tool) -> Option<Reference> {
        descriptor::tool_reference(tool)
    }

    fn new_entry_kinds(&self) -> Vec<NewEntry> {
        kinds::new_entry_kinds()
    }

    fn model_function(&self, tool: &Tool) -> Function {
        function::model_function(tool)
    }

    fn portable(&self) -> Option<&dyn Portable> {
        Some(&portable::PortableTools)
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

    fn remote_tools(&self) -> Option<&dyn RemoteTools> {
        Some(&remote::McpServers)
    }

    fn deployment(&self) -> Option<&dyn Deployment> {
        Some(&deployed::row::TrustGraphDeployment)
    }
}

impl Gates for TrustGraph {
    fn gate_edits(&self, tool: &Tool, to: &Gate, mode: Mode) -> Vec<EntryEdit> {
        regate::gate_edits(tool, to, mode)
    }

    fn add_gate(&self, value: Value, gate: &Gate) -> Value {
        regate::add_gate(value, gate)
    }
}

impl Loader for TrustGraph {
    fn decide_loading(&self, catalog: &Catalog) -> Loading {
        match catalog.mode {
            Mode::Document => Loading::default(),
            Mode::AsDeployed => configuration::decide_loading(catalog),
        }
    }

    fn request_failure(&self, tool: &Tool, mode: Mode) -> Option<String> {
        (mode == Mode::AsDeployed).then(|| descriptor::request_failure(tool)).flatten()
    }
}

impl Calls for TrustGraph {
    fn answered_by(&self) -> &'static str {
        "a TrustGraph service"
    }

    fn build_request(&self, call: &CallOf<'_>) -> Result<Request, Problem> {
        if settings::is_gateway(call.connection.transport()) {
            gateway::endpoints::build_request(call)
        } else {
            request::build_request(call)
        }
    }

    fn queue_subject(&self, address: &str, transport: TransportKind) -> Result<String, Problem> {
        if settings::is_gateway(transport) && gateway::endpoints::Endpoint::parse(address).is_some()
        {
            return Ok(address.to_owned());
        }
        queue::spell_queue(address, transport).map(|spelled| spelled.name)
    }

    fn frame_label(&self, frame: &str) -> Option<String> {
        gateway::answer::frame_label(frame)
    }

    fn request_arguments(&self, body: &str) -> Option<String> {
        request::parse_request(body.as_bytes())
            .ok()
            .map(|asked| Value::Object(asked.arguments).to_string())
    }
}

impl Observer for TrustGraph {
    fn classify_message(&self, crossing: &ObservedMessage) -> Option<Decoded> {
        witness::classify_message(crossing)
    }

    fn follower(&self) -> Box<dyn Follower> {
        Box::new(follow::Steps::default())
    }

    fn parse_place(&self, text: &str, transport: TransportKind) -> Option<Result<Place, Problem>> {
        let spelled = queue::is_spelled(text).then(|| queue::spell_queue(text, transport));
        spelled.map(|spelled| spelled.map(|queue::QueueName { name, kept }| Place { name, kept }))
    }
}

impl Agent for TrustGraph {
    fn patterns(&self) -> &'static [&'static str] {
        &agent::PATTERNS
    }

    fn check_reachable(&self, connection: &Connection) -> Result<(), Problem> {
        agent::check_reachable(connection)
    }

    fn question_request(
        &self,
        asked: &AgentQuestion,
        correlation: &str,
        connection: &Connection,
    ) -> Result<Request, Problem> {
        agent::question_request(asked, correlation, connection)
    }

    fn is_at(&self, to: &str) -> bool {
        agent::is_at(to)
    }

    fn parse_question(&self, request: &Request) -> Option<AgentQuestion> {
        agent::parse_question(request)
    }

    fn broker_connection(
        &self,
        connection: &Connection,
        connections: &Connections,
        broker: &str,
    ) -> Result<Connection, Problem> {
        let broker = Some(settings::find_broker(connections, broker)?);
        Ok(settings::Gateway { broker, ..settings::Gateway::from_connection(connection) }
            .apply_to(connection.clone()))
    }
}

impl Stubs for TrustGraph {
    fn of_call(&self, call: &Call, mask: &Mask) -> Result<Vec<StubService>, Problem> {
        stub::of_call(call, mask).map(|service| vec![service])
    }

    fn of_trace(&self, trace: &Trace, text: &str) -> Result<Vec<StubService>, Problem> {
        stub::of_trace(trace, text).map(|service| vec![service])
    }

    fn request_config(&self, request: &Request) -> Map<String, Value> {
        stub::request_config(request)
    }
}
