//! MCP: tools of servers that speak the Model Context Protocol, in both of its eras. Pure: bytes
//! are moved elsewhere.
//!
//! A connection: [`session`] is its state machine over the frames of [`rpc`], one [`turn`] after
//! each; `handshake` opens it. [`negotiate`] finds the era and [`version`] that a server speaks, [`notice`] reads what it
//! says unasked, [`asked`] what it asks and [`answering`] how a person answers that, [`pages`] its
//! lists, [`task`] work that outlives its call, [`headers`] repeats arguments over HTTP, [`url`]
//! reads addresses.
//!
//! What a server says of its tools and answers, at its place and with the answer kept:
//! [`tool_findings`], [`result_view`], the [`contents`] of answers, resources and prompts, [`drift`]
//! between two lists; each thing that is wrong is a [`fault`]. [`conformance`] holds a whole server
//! against the specification. [`items`] are what it has to read beside its tools, some found by a
//! [`uri_template`].
//!
//! What is in the workspace: [`kept`] lists, found by [`entries`], read by [`function`], held
//! against [`checks`]; the [`schema`] of their forms.
//!
//! Live: [`settings`] of connections to servers, [`calls`] of their tools, those that are
//! [`mod@deployed`] now, and the conversations that an [`observer`] makes of their frames. [`copies`]
//! are calls and connections as other programs have them.
//!
//! [`auth`]: tokens for servers that want them, got as [`token_settings`] of the connection say.
//!
//! A [`server`] of toolcrib's own, for the clients of others.
//!
//! Servers that others have configured: [`import`] reads a [`form`], [`expand`] fills in its
//! variables.

pub mod annotations;
pub mod answering;
pub mod asked;
pub mod auth;
pub mod base64;
pub mod calls;
pub mod checks;
pub mod codes;
pub mod conformance;
pub mod contents;
mod copies;
pub mod deployed;
pub mod drift;
pub mod entries;
pub mod expand;
pub mod fault;
pub mod form;
pub mod function;
mod handshake;
pub mod headers;
pub mod import;
pub mod items;
pub mod keeping;
pub mod kept;
pub mod keys;
pub mod negotiate;
pub mod notice;
mod observer;
pub mod opening;
pub mod pages;
mod portable;
pub mod result_view;
pub mod rpc;
pub mod schema;
pub mod server;
pub mod session;
pub mod settings;
pub mod task;
mod texts;
pub mod token_settings;
pub mod tool_findings;
pub mod turn;
pub mod uri_template;
pub mod url;
pub mod version;

use serde_json::Value;

use super::{
    deployed::deployment::Deployment,
    facets::{
        calls::Calls, configured::Configured, kept_tools::KeptTools, loader::Loader,
        observer::Observer, portable::Portable,
    },
    system::{self, EntryRules, NewEntry, Reference, System},
};
use crate::{
    engine::{
        lint::context::LintContext,
        settings::{gate_table::read_gates, system_settings::SettingsSchema},
    },
    model::{
        catalog::{Catalog, Loading},
        context::Mode,
        entry::{Entry, EntryKind, FileId, SystemId},
        finding::Finding,
        service::Service,
        tool::{Function, Tool, ToolEffects},
    },
    schema::pointer::Pointer,
    syntax::source::Source,
};

/// MCP up to revision 2026-07-28.
pub struct Mcp;

impl System for Mcp {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn title(&self) -> &'static str {
        "MCP"
    }

    fn read_entries(&self, file: &FileId, source: &Source) -> Vec<Entry> {
        entries::read_entries(file, source)
    }

    fn read_tool(&self, entry: &Entry, _: Mode) -> Tool {
        function::read_tool(entry)
    }

    fn read_service(&self, entry: &Entry, _: Mode) -> Service {
        // No entry of this system is a service.
        Service {
            entry: entry.clone(),
            alias: None,
            request_queue: None,
            response_queue: None,
            parameters: Vec::new(),
        }
    }

    fn entry_schema(&self, entry: &Entry, _: &Catalog) -> Value {
        schema::entry_schema(entry)
    }

    fn schema_word(&self, entry: &Entry, _: &Catalog) -> Option<String> {
        Some(schema::schema_word(entry).to_owned())
    }

    fn entry_rules<'e>(&self, entry: &'e Entry, _: Mode) -> Option<EntryRules<'e>> {
        Some(EntryRules::new(schema::schema_word(entry), || schema::rules_schema(entry)))
    }

    fn check_catalog(&self, context: &LintContext<'_>) -> Vec<Finding> {
        checks::check_catalog(context)
    }

    fn check_sentences(&self) -> Vec<(&'static str, &'static str)> {
        checks::ROWS.iter().map(|row| (row.code, row.about)).collect()
    }

    fn key_at(&self, entry: &Entry) -> Option<Pointer> {
        (entry.kind == EntryKind::Tool).then(|| system::member_of_key(entry, keys::NAME))?
    }

    fn tool_reference(&self, _: &Tool) -> Option<Reference> {
        None
    }

    fn new_entry_kinds(&self) -> Vec<NewEntry> {
        kept::new_entry_kinds()
    }

    fn model_function(&self, tool: &Tool) -> Function {
        function::model_function(tool)
    }

    fn tool_title<'t>(&self, tool: &'t Tool) -> Option<&'t str> {
        function::title(tool)
    }

    fn tool_effects(&self, tool: &Tool) -> ToolEffects {
        annotations::tool_effects(&tool.entry.value)
    }

    fn output_schema(&self, tool: &Tool) -> Option<Value> {
        function::output_schema(tool)
    }

    fn settings_table(&self) -> Option<&'static str> {
        Some(keys::MCP)
    }

    fn portable(&self) -> Option<&dyn Portable> {
        Some(&portable::PortableTools)
    }

    fn connection_settings(&self) -> Option<&'static SettingsSchema> {
        Some(&settings::SETTINGS)
    }

    fn observer(&self) -> Option<&dyn Observer> {
        Some(&observer::McpObserver)
    }

    fn loader(&self) -> Option<&dyn Loader> {
        Some(self)
    }

    fn configured(&self) -> Option<&dyn Configured> {
        Some(&import::connections::McpConfigs)
    }

    fn kept_tools(&self) -> Option<&dyn KeptTools> {
        Some(&keeping::McpKeptTools)
    }

    fn calls(&self) -> Option<&dyn Calls> {
        Some(&calls::McpCalls)
    }

    fn deployment(&self) -> Option<&dyn Deployment> {
        Some(&deployed::McpDeployment)
    }
}

impl Loader for Mcp {
    fn decide_loading(&self, catalog: &Catalog) -> Loading {
        Loading { gates: read_gates(catalog, keys::SYSTEM), ..Loading::default() }
    }
}
