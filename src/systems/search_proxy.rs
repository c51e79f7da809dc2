//! The search proxy of Unique (`unique-search-proxy`): a service over HTTP that searches the web,
//! asks agents that do, and reads pages; each of its engines and crawlers is a tool.
//!
//! Descriptors: [`keys`] has the words, [`entries`] finds what a file holds, [`tool`] reads it,
//! [`schema`] makes the form, [`checks`] says what is wrong. [`openapi`] reads what a proxy says of
//! its engines, and [`mod@deployed`] makes entries of them.
//!
//! Calls: [`settings`] of a connection, the request ([`calls`]), what comes back ([`answer`]).

pub mod answer;
pub mod calls;
pub mod checks;
pub mod deployed;
pub mod entries;
pub mod keys;
pub mod openapi;
pub mod schema;
pub mod settings;
pub mod tool;

use serde_json::{Value, json};

use super::{
    deployed::deployment::Deployment,
    facets::{call_meta::CallMeta, calls::Calls, loader::Loader},
    system::{self, EntryRules, NewEntry, NewPlace, System},
};
use crate::{
    engine::{
        lint::{self, context::LintContext},
        settings::{gate_table::read_gates, system_settings::SettingsSchema},
    },
    model::{
        catalog::{Catalog, Loading},
        context::Mode,
        entry::{Entry, EntryKind, FileId, SystemId},
        finding::Finding,
        tool::{Function, Tool},
    },
    schema::pointer::Pointer,
    syntax::source::Source,
};

/// `unique-search-proxy` 2026.44; facts in `docs/unique.md`.
pub struct SearchProxy;

impl System for SearchProxy {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn title(&self) -> &'static str {
        "Unique search proxy"
    }

    fn read_entries(&self, file: &FileId, source: &Source) -> Vec<Entry> {
        entries::read_entries(file, source)
    }

    fn read_tool(&self, entry: &Entry, _: Mode) -> Tool {
        tool::read_tool(entry)
    }

    fn entry_schema(&self, entry: &Entry, _: &Catalog) -> Value {
        schema::entry_schema(entry)
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

    fn key_at(&self, entry: &Entry) -> Option<Pointer> {
        system::member_of_key(entry, keys::NAME)
    }

    fn new_entry_kinds(&self) -> Vec<NewEntry> {
        vec![NewEntry {
            system: keys::SYSTEM,
            kind: EntryKind::Tool,
            type_name: "search-proxy",
            place: NewPlace::Alone,
            named: &[keys::NAME],
            help: "A tool that Unique's search proxy answers: an engine or a crawler.",
            value: json!({
                keys::NAME: "", keys::DESCRIPTION: "", keys::ENDPOINT: keys::Endpoint::Search.as_str(),
                keys::ENGINE: "google", keys::CONFIGURATION: {},
            }),
        }]
    }

    fn model_function(&self, tool: &Tool) -> Function {
        tool::model_function(tool)
    }

    fn connection_settings(&self) -> Option<&'static SettingsSchema> {
        Some(&settings::SETTINGS)
    }

    fn settings_table(&self) -> Option<&'static str> {
        Some(keys::SYSTEM)
    }

    fn loader(&self) -> Option<&dyn Loader> {
        Some(self)
    }

    fn calls(&self) -> Option<&dyn Calls> {
        Some(&calls::ProxyCalls)
    }

    fn call_meta(&self) -> Option<&dyn CallMeta> {
        Some(&calls::ProxyMeta)
    }

    fn deployment(&self) -> Option<&dyn Deployment> {
        Some(&deployed::ProxyDeployment)
    }
}

impl Loader for SearchProxy {
    fn decide_loading(&self, catalog: &Catalog) -> Loading {
        Loading { gates: read_gates(catalog, keys::SYSTEM), ..Loading::default() }
    }
}
