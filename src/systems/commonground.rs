//! CommonGround `v1r4`: tools whose commands travel over NATS and whose arguments and results are
//! cards.
//!
//! Definitions, as the management API takes them: [`keys`] has the words, [`entries`] finds what a
//! file holds, [`definition`] reads one as a tool, [`rules`] are the API's own in their order,
//! [`checks`] turns them and what breaks later into findings, [`schema`] makes the form, [`kinds`]
//! the first value of a new one. What the model sees of a tool is in [`function`]; how what it
//! gives becomes what the tool gets, in [`merge`] and is reported in [`argument_trace`].
//!
//! What passes by, as somebody reads it who only looks on: [`witness`].
//!
//! What crosses the wire: [`subject`], [`headers`] and [`trace`] name and check its parts,
//! [`command`] makes messages of them from a [`context`], which also fills in a [`template`];
//! [`idempotency`] reads what services mark in their bucket.
//!
//! Cards and results: [`card`] reads them, [`attachments`] lays them out for people, [`result`]
//! builds them, [`after`] says what they do to a turn, [`rows`] what is written of them;
//! [`executor`] does a service's part, [`by_hand`] asks a person for it.
//!
//! What goes wrong: [`preflight`] and [`action`] find each [`fault`] of a message before it is
//! sent, [`ack`] reads what follows an action, [`listening`] who hears it, [`report`] why a result
//! is not taken, [`refusal`] explains CommonGround's own texts. All of them say nothing about what
//! is not [`known`].
//!
//! [`internal`] has the tools that every project has without a definition of its own.
//!
//! [`jina`] renders the HTTP request that a tool's options become.

pub mod ack;
pub mod action;
pub mod after;
pub mod answer;
pub mod argument_trace;
pub mod attachments;
pub mod by_hand;
pub mod card;
pub mod checks;
pub mod clue;
pub mod command;
pub mod context;
pub mod definition;
pub mod deployed;
pub mod entries;
pub mod executor;
pub mod fault;
pub mod function;
pub mod headers;
pub mod idempotency;
pub mod internal;
pub mod jina;
pub mod keys;
pub mod kinds;
pub mod known;
pub mod listening;
pub mod merge;
mod portable;
pub mod preflight;
pub mod refusal;
pub mod report;
pub mod result;
pub mod routes;
pub mod rows;
pub mod rules;
pub mod schema;
pub mod settings;
pub mod subject;
pub mod template;
pub mod trace;
pub mod witness;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    deployed::deployment::Deployment,
    facets::{
        attachments::Attachments,
        by_hand::ByHand,
        caller::{Caller, CallingAgent},
        calls::{CallOf, Calls, RouteOffer},
        loader::Loader,
        merge::Merge,
        observer::{Follower, Observer, Usual},
        portable::Portable,
    },
    gate_tables,
    system::{EntryRules, NewEntry, System},
};
use crate::{
    engine::{
        lint::{self, context::LintContext},
        settings::{gate_table::read_gates, system_settings::SettingsSchema},
        traffic::conversation::Conversation,
    },
    model::{
        attachment::{self, CardSource},
        call::{CallError, Request},
        catalog::{Catalog, Loading},
        clock::Millis,
        connection::Connection,
        connections::{Connections, Listeners},
        context::Mode,
        entry::{Entry, FileId, SystemId},
        finding::Finding,
        merging::Merging,
        problem::Problem,
        tool::{Function, Tool},
        traffic::{Decoded, ObservedMessage, SettledConversation},
    },
    schema::pointer::Pointer,
    syntax::source::Source,
};

/// CommonGround `v1r4`; facts in `docs/commonground.md`.
pub(crate) struct CommonGround;

impl System for CommonGround {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn title(&self) -> &'static str {
        "CommonGround"
    }

    fn read_entries(&self, file: &FileId, source: &Source) -> Vec<Entry> {
        entries::read_entries(file, source)
    }

    fn read_tool(&self, entry: &Entry, _: Mode) -> Tool {
        definition::read_tool(entry)
    }

    fn entry_schema(&self, entry: &Entry, catalog: &Catalog) -> Value {
        schema::entry_schema(entry, catalog)
    }

    fn entry_rules<'e>(&self, entry: &'e Entry, _: Mode) -> Option<EntryRules<'e>> {
        Some(schema::entry_rules(entry))
    }

    fn check_catalog(&self, context: &LintContext<'_>) -> Vec<Finding> {
        checks::check_catalog(context)
    }

    fn check_sentences(&self) -> Vec<(&'static str, &'static str)> {
        lint::sentences(checks::CHECKS)
    }

    fn check_text(&self, entry: &Entry, source: &Source) -> Vec<Finding> {
        if gate_tables::is_setting(entry) {
            return Vec::new();
        }
        checks::refusal_findings(entry, source)
    }

    fn settings_table(&self) -> Option<&'static str> {
        Some(keys::SYSTEM)
    }

    fn loader(&self) -> Option<&dyn Loader> {
        Some(self)
    }

    fn connection_settings(&self) -> Option<&'static SettingsSchema> {
        Some(&settings::SETTINGS)
    }

    fn check_there(
        &self,
        catalog: &Catalog,
        connections: &Connections,
        listeners: &Listeners,
    ) -> Vec<Finding> {
        let of_one = |(name, listeners): (&String, &Arc<[(String, String)]>)| {
            let channel = settings::Channel::from_connection(connections.find_by_name(name)?)?;
            let tools = catalog
                .tools
                .iter()
                .map(AsRef::as_ref)
                .filter(|tool: &&Tool| connections.for_tool(tool).name == *name);
            Some(checks::check_listeners(tools, &channel, listeners))
        };
        listeners.iter().filter_map(of_one).flatten().collect()
    }

    fn key_at(&self, entry: &Entry) -> Option<Pointer> {
        entries::definition_name(&entry.value)
            .map(|_| Pointer::root().child(entries::name_key(&entry.value)))
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

    fn calls(&self) -> Option<&dyn Calls> {
        Some(self)
    }

    fn caller(&self) -> Option<&dyn Caller> {
        Some(self)
    }

    fn merge(&self) -> Option<&dyn Merge> {
        Some(self)
    }

    fn observer(&self) -> Option<&dyn Observer> {
        Some(self)
    }

    fn attachments(&self) -> Option<&dyn Attachments> {
        Some(self)
    }

    fn by_hand(&self) -> Option<&dyn ByHand> {
        Some(self)
    }

    fn deployment(&self) -> Option<&dyn Deployment> {
        Some(&deployed::row::CommonGroundDeployment)
    }
}

impl Loader for CommonGround {
    fn decide_loading(&self, catalog: &Catalog) -> Loading {
        Loading { gates: read_gates(catalog, keys::SYSTEM), ..Loading::default() }
    }
}

impl Merge for CommonGround {
    fn trace_arguments(
        &self,
        tool: &Tool,
        given: &Map<String, Value>,
        connection: &Connection,
        variables: &[(String, String)],
    ) -> Option<Merging> {
        let mut trail = argument_trace::trace_arguments(
            tool,
            given,
            &argument_trace::call_context(connection, variables),
        );
        argument_trace::apply_environment(&mut trail, variables);
        Some(trail)
    }

    fn preview_request(
        &self,
        tool: &Tool,
        given: &Map<String, Value>,
    ) -> Option<Result<Vec<String>, String>> {
        let options = tool.entry.value.get(keys::OPTIONS)?;
        jina::options(options)?;
        let arguments =
            merge::merge_arguments(given, options, &context::Context::default()).arguments;
        Some(
            jina::preview_request(options, &arguments)
                .map(|request| request.to_lines())
                .map_err(|fault| fault.0),
        )
    }
}

impl Calls for CommonGround {
    fn answered_by(&self) -> &'static str {
        "a CommonGround project"
    }

    fn build_request(&self, call: &CallOf<'_>) -> Result<Request, Problem> {
        routes::build_request(call)
    }

    fn call_routes(&self, tool: &Tool, connection: &Connection) -> Vec<RouteOffer> {
        routes::offers(tool, connection)
    }

    fn repeat_request(&self, request: Request, correlation: &str) -> Request {
        routes::repeat_request(request, correlation)
    }

    fn request_route(&self, request: &Request) -> Option<String> {
        routes::route_of(request).map(str::to_owned)
    }

    fn request_arguments(&self, body: &str) -> Option<String> {
        let body: Value = serde_json::from_str(body).ok()?;
        body["args"].as_object().map(|_| body["args"].to_string())
    }
}

impl Observer for CommonGround {
    fn owns(&self, subject: &str) -> bool {
        witness::owns(subject)
    }

    fn classify_message(&self, crossing: &ObservedMessage) -> Option<Decoded> {
        witness::classify_message(crossing)
    }

    fn follower(&self) -> Box<dyn Follower> {
        Box::<witness::follow::Memory>::default()
    }

    fn default_watch(&self, connection: &Connection) -> Option<Usual> {
        witness::places::default_watch(connection)
    }

    fn waiting_reason(&self, conversation: &Conversation, now: Millis) -> Option<String> {
        witness::waits::waiting_reason(conversation, now)
    }

    fn roster_source(&self, connection: &Connection) -> Option<CardSource> {
        witness::names::roster_source(connection)
    }
}

impl Attachments for CommonGround {
    fn card_source(
        &self,
        connection: &Connection,
        cards: &[String],
    ) -> Result<CardSource, Problem> {
        attachments::card_source(connection, cards)
    }

    fn card_read_error(&self, status: u16, body: &[u8]) -> CallError {
        answer::refusal_error(status, body)
    }

    fn laid_out(&self, cards: &[Value]) -> Vec<attachment::Attachment> {
        attachments::laid_out(cards)
    }

    fn card_outcome(&self, card: &Value) -> Option<SettledConversation> {
        attachments::card_outcome(card)
    }
}

impl Caller for CommonGround {
    fn calling_agent(&self, connection: &Connection) -> Option<CallingAgent> {
        let channel = settings::Channel::from_connection(connection)?;
        Some(channel.agent.map_or(CallingAgent::New, CallingAgent::Named))
    }

    fn without_agent(&self, connection: Connection) -> Connection {
        settings::without_agent(connection)
    }
}

impl ByHand for CommonGround {
    fn listen_address(&self, tool: &Tool, connection: &Connection) -> Option<String> {
        executor::service_target(tool, &settings::Channel::from_connection(connection)?)
    }

    fn requirements(&self) -> &'static str {
        "a CommonGround tool and a connection with a project and a channel"
    }
}
