//! Unique: entries of a space's tool list, each a tool of the platform with its configuration.
//!
//! Descriptors: [`keys`] has the words, [`entries`] finds what a file holds, [`tool`] reads one as
//! a tool, [`schema`] makes the forms. [`config_schema`] knows what a tool may be configured with;
//! [`verdict`] says what the platform makes of a configuration, which [`checks`] turn into findings.
//!
//! [`turn`] says which tools a turn gives to the model, and [`prompts`] what they bring along, which
//! [`jinja`] renders.
//! [`meta`] has what MCP servers say of Unique's tools, [`platform`] calls of its own API,
//! [`tool_response`] what it makes of a server's result.

pub mod checks;
pub mod config_schema;
pub mod entries;
pub mod jinja;
pub mod keys;
pub mod meta;
pub mod platform;
mod portable;
pub mod prompts;
pub mod rendering;
pub mod schema;
pub mod tool;
pub mod tool_response;
pub mod turn;
pub mod verdict;

use serde_json::{Value, json};

use self::config_schema::ConfigSchemas;
use super::{
    facets::{
        call_meta::CallMeta,
        loader::Loader,
        portable::Portable,
        prompts::{Prompt, Prompts},
        renderings::Renderings,
    },
    system::{EntryRules, NewEntry, NewPlace, System, is_own_key},
};
use crate::{
    engine::lint::{self, context::LintContext},
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

/// Unique's toolkit 2026.44; facts in `docs/unique.md`.
pub struct Unique;

impl System for Unique {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn title(&self) -> &'static str {
        "Unique"
    }

    fn read_entries(&self, file: &FileId, source: &Source) -> Vec<Entry> {
        entries::read_entries(file, source)
    }

    fn read_tool(&self, entry: &Entry, _: Mode) -> Tool {
        tool::read_tool(entry)
    }

    fn entry_schema(&self, entry: &Entry, catalog: &Catalog) -> Value {
        schema::entry_schema(entry, catalog)
    }

    fn entry_ui(&self, entry: &Entry, catalog: &Catalog) -> Option<Value> {
        schema::entry_ui(entry, catalog)
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
        let name = keys::NAME.get(&entry.value).and_then(Value::as_str);
        let is_own = name.is_some_and(|name| is_own_key(entry, name));
        is_own.then(|| Pointer::root().child(keys::NAME.camel))
    }

    fn new_entry_kinds(&self) -> Vec<NewEntry> {
        vec![NewEntry {
            system: keys::SYSTEM,
            kind: EntryKind::Tool,
            type_name: "unique",
            place: NewPlace::Alone,
            named: &["name"],
            help: "A Unique tool: an entry of a space's tool list.",
            value: json!({
                keys::NAME.camel: "", keys::DISPLAY_NAME.camel: "",
                keys::ICON.camel: keys::DEFAULT_ICON, keys::SELECTION_POLICY.camel: keys::BY_USER,
                keys::CONFIGURATION.camel: {},
            }),
        }]
    }

    fn model_function(&self, tool: &Tool) -> Function {
        tool::model_function(tool)
    }

    fn portable(&self) -> Option<&dyn Portable> {
        Some(&portable::PortableTools)
    }

    fn settings_table(&self) -> Option<&'static str> {
        Some(keys::UNIQUE)
    }

    fn loader(&self) -> Option<&dyn Loader> {
        Some(self)
    }

    fn call_meta(&self) -> Option<&dyn CallMeta> {
        Some(&meta::UniqueMeta)
    }

    fn prompts(&self) -> Option<&dyn Prompts> {
        Some(self)
    }

    fn renderings(&self) -> Option<&dyn Renderings> {
        Some(&platform::PlatformCalls)
    }
}

impl Prompts for Unique {
    fn tool_prompts(&self, tool: &Tool, catalog: &Catalog) -> Vec<Prompt> {
        let schema = ConfigSchemas::of_catalog(catalog).for_entry(&tool.entry.value);
        prompts::tool_prompts(tool, schema.as_ref(), &turn::samples_of(catalog))
    }

    fn tool_remarks(&self, tool: &Tool, catalog: &Catalog) -> Vec<String> {
        turn::tool_remarks(tool, catalog)
    }
}

impl Loader for Unique {
    fn decide_loading(&self, catalog: &Catalog) -> Loading {
        turn::decide_loading(catalog)
    }
}
