//! OpenSearch: tools and agents of its ML framework, and dynamic tools, which call APIs of the
//! cluster itself.
//!
//! Templates: [`template`] fills placeholders in; [`connector`] and [`dynamic`] have the two sets of
//! rules around it; [`tool_parameters`] says what a tool gets, [`output`] what a later step gets of
//! it, through [`json_path`] and [`processors`]. [`java`], [`java_regex`], [`lenient_json`] and [`strict_json`] read
//! and write texts as the server's libraries do.

//!
//! Descriptors: [`keys`] has the words, [`entries`] finds what a file holds, [`tool`] reads it,
//! [`registration`] says what a cluster takes of it, [`schema`] makes the forms, [`convert`] puts it in another shape, [`console_text`] reads
//! what was pasted, [`field_texts`] says what its templates and
//! filters come to for samples, [`checks`] what is wrong, [`gates`] when a tool is available,
//! [`deployed`] what a cluster has of them.
//!
//! Runs: [`steps`] has those that are made here, [`calls`] the ways that a call can take,
//! [`error_shapes`] what a cluster says that refuses, [`agent_answer`] and [`stream`] what an agent
//! answers that it runs; [`settings`] what a connection says of a cluster; [`cluster`] is one to try
//! them with, `stub` keeps runs for it.

pub mod agent_answer;
pub mod calls;
pub mod checks;
pub mod cluster;
pub mod connector;
pub mod console_text;
pub mod convert;
pub mod deployed;
pub mod dynamic;
pub mod entries;
pub mod error_shapes;
pub mod field_texts;
pub mod gates;
pub mod java;
pub mod java_regex;
pub mod json_path;
pub mod keys;
pub mod lenient_json;
pub mod output;
mod portable;
pub mod processors;
pub mod registration;
pub mod schema;
pub mod settings;
pub mod steps;
pub mod stream;
pub mod strict_json;
mod stub;
pub mod template;
pub mod tool;
pub mod tool_parameters;

use serde_json::{Value, json};

use convert::Shape;

use super::{
    deployed::deployment::Deployment,
    facets::{
        calls::Calls,
        loader::Loader,
        portable::Portable,
        shapes::Shapes,
        steps::Steps,
        stubs::Stubs,
        templates::{FieldText, Samples, Templates},
    },
    gate_tables,
    system::{self, EntryRules, NewEntry, NewPlace, System},
};
use crate::{
    engine::{
        lint::{self, context::LintContext},
        settings::system_settings::SettingsSchema,
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

/// OpenSearch's ML framework 3.9, and `DynamicTool` as it was built; facts in `docs/opensearch.md`.
pub struct OpenSearch;

impl System for OpenSearch {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn title(&self) -> &'static str {
        "OpenSearch"
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
        let kind = |type_name, help, value| NewEntry {
            system: keys::SYSTEM,
            kind: EntryKind::Tool,
            type_name,
            place: NewPlace::Alone,
            named: &[keys::NAME],
            help,
            value,
        };
        vec![
            kind(
                "opensearch-dynamic",
                "An OpenSearch tool that calls an API of the cluster.",
                json!({
                    keys::TYPE: keys::DYNAMIC_TOOL, keys::NAME: "", keys::DESCRIPTION: "",
                    keys::PARAMETERS: {keys::METHOD: "GET", keys::URI: "/_cluster/health"},
                }),
            ),
            kind(
                "opensearch-steps",
                "An OpenSearch tool of several steps.",
                json!({
                    keys::NAME: "", keys::DESCRIPTION: "",
                    keys::TOOL_STEPS: [{
                        keys::TYPE: keys::DYNAMIC_TOOL, keys::NAME: "first",
                        keys::PARAMETERS: {keys::METHOD: "GET", keys::URI: "/_cluster/health"},
                    }],
                }),
            ),
            kind(
                "opensearch-agent",
                "An agent of OpenSearch whose tools run in order.",
                json!({
                    keys::NAME: "", keys::TYPE: "flow", keys::DESCRIPTION: "",
                    keys::TOOLS: [],
                }),
            ),
            NewEntry {
                kind: EntryKind::Server,
                ..kind(
                    "opensearch-connector",
                    "An OpenSearch connector: how the cluster calls a service.",
                    json!({
                        keys::NAME: "", keys::DESCRIPTION: "", "version": 1,
                        keys::PROTOCOL: "http", keys::PARAMETERS: {}, "credential": {},
                        keys::ACTIONS: [{
                            "action_type": "predict", keys::METHOD: "POST",
                            "url": "https://service.example/v1",
                            keys::REQUEST_BODY: "{\"input\": \"${parameters.input}\"}",
                        }],
                    }),
                )
            },
        ]
    }

    fn model_function(&self, tool: &Tool) -> Function {
        tool::model_function(tool)
    }

    fn portable(&self) -> Option<&dyn Portable> {
        Some(&portable::PortableTools)
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
        Some(&calls::OpenSearchCalls)
    }

    fn shapes(&self) -> Option<&dyn Shapes> {
        Some(self)
    }

    fn steps(&self) -> Option<&dyn Steps> {
        Some(&calls::OpenSearchCalls)
    }

    fn stubs(&self) -> Option<&dyn Stubs> {
        Some(&calls::OpenSearchCalls)
    }

    fn deployment(&self) -> Option<&dyn Deployment> {
        Some(&deployed::OpenSearchDeployment)
    }

    fn templates(&self) -> Option<&dyn Templates> {
        Some(self)
    }
}

impl Templates for OpenSearch {
    fn sample_schema(&self, entry: &Entry) -> Option<Value> {
        (!gate_tables::is_setting(entry)).then(|| field_texts::sample_schema(entry)).flatten()
    }

    fn render_fields(&self, entry: &Entry, samples: &Samples) -> Vec<FieldText> {
        field_texts::render_fields(entry, samples)
    }
}

impl Loader for OpenSearch {
    fn decide_loading(&self, catalog: &Catalog) -> Loading {
        gates::decide_loading(catalog)
    }
}

impl Shapes for OpenSearch {
    fn shape_words(&self) -> Vec<&'static str> {
        Shape::ALL.iter().map(|shape| shape.as_str()).collect()
    }

    fn read_pasted(&self, text: &str) -> Result<Vec<Value>, String> {
        console_text::read_bodies(text)
    }

    fn convert_entry(&self, entry: &Value, shape: &str) -> Result<(Value, Vec<String>), String> {
        let shape = Shape::parse(shape).ok_or_else(|| format!("{shape} isn't a shape"))?;
        convert::convert_entry(entry, shape).map(|converted| (converted.entry, converted.remarks))
    }
}
