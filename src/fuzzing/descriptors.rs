//! Files with descriptors of all systems: entries, findings, forms, requests, conversions.

use serde_json::Value;

use crate::{
    model::{
        connection::Connection,
        connections::{Connections, Listeners},
        context::Mode,
        entry::FileId,
        health::HealthSettings,
        transport::TransportKind,
    },
    schema::{
        blank, example,
        fields::{self, View},
        literal::Literal,
        tree::Schema,
        validate::Checker,
    },
    syntax::source::{Format, Source},
    systems::{
        by_id, convert, every_system,
        facets::{calls::CallOf, templates::Samples},
        findings, health, model_text, offered, read,
        system::System,
        target::Target,
    },
};

pub(super) fn read_yaml(text: &str) {
    if let Ok(source) = Source::parse(Format::Yaml, text) {
        check_file("tools.yaml", &source);
    }
}

pub(super) fn read_json(text: &str) {
    if let Ok(source) = Source::parse(Format::Json, text) {
        check_file("tools.json", &source);
        if let Some(value) = source.value(0) {
            check_document(value);
        }
    }
    for shapes in every_system().iter().filter_map(|system| system.shapes()) {
        for entry in shapes.read_pasted(text).unwrap_or_default() {
            for shape in ["agent", "flow", "tool", "connector"] {
                _ = shapes.convert_entry(&entry, shape);
            }
        }
    }
}

/// Everything that is said of a file's entries.
fn check_file(name: &str, source: &Source) {
    let file = FileId::new(name);
    for mode in [Mode::Document, Mode::AsDeployed] {
        let catalog = read::read_catalog([(&file, source)], mode);
        let files = |_: &FileId| Some(source);
        let found = findings::catalog_findings(&catalog, files);
        _ = findings::of_text(&catalog, &file, Ok(source));
        _ = health::health_findings(&catalog, &HealthSettings::default(), &found, files);
        _ = health::tool_costs(&catalog, &HealthSettings::default());
        let (connections, listeners) = (Connections::default(), Listeners::default());
        _ = findings::connection_findings(&catalog, &connections, &listeners, files);
        for entry in catalog.entries().take(4) {
            let Some(system) = by_id(entry.system) else { continue };
            let schema = system.entry_schema(entry, &catalog);
            let ui = system.entry_ui(entry, &catalog).map(Into::into);
            let checker = Checker::compile_lenient(&schema.into());
            let tree = Schema::new(checker.schema).with_ui(ui);
            let value = (*entry.value.parsed()).clone();
            _ = fields::layout_fields(&tree, checker.checker.as_ref(), &value, &View::default());
            _ = blank::blank_value(&tree, None, &tree.root_node().key);
            if let Some(templates) = system.templates() {
                _ = templates.sample_schema(entry);
                _ = templates.render_fields(entry, &Samples::default());
            }
        }
        for tool in catalog.tools.iter().take(4) {
            let Some(system) = by_id(tool.entry.system) else { continue };
            let function = offered::function_of(tool);
            _ = model_text::model_json(tool, &catalog);
            _ = system.output_schema(tool);
            if let Some(baggage) = convert::pack_tool(tool, mode) {
                for target in Target::all() {
                    _ = convert::fates(&baggage, target);
                    _ = target.write(std::slice::from_ref(&baggage));
                }
            }
            let arguments = example::make_example(&function.parameters.into(), 0).value;
            check_requests(system, tool, &catalog, &arguments.into());
        }
    }
}

fn check_requests(
    system: &dyn System,
    tool: &crate::model::tool::Tool,
    catalog: &crate::model::catalog::Catalog,
    arguments: &Literal,
) {
    let Some(calls) = system.calls() else { return };
    for transport in [TransportKind::Nats, TransportKind::Http] {
        let address = format!("{}://127.0.0.1:1", transport.as_str());
        let connection = Connection::from_address(transport, "here", address);
        _ = calls.call_routes(tool, &connection);
        let call = CallOf {
            catalog,
            tool,
            user: "user",
            arguments,
            meta: None,
            correlation: "c1",
            connection: &connection,
            route: None,
        };
        if let Ok(request) = calls.build_request(&call) {
            _ = calls.request_arguments(&request.body);
            _ = calls.request_meta(&request.body);
            if let Some(steps) = system.steps() {
                _ = steps.preview_steps(&request);
            }
            _ = calls.repeat_request(request, "c2");
        }
    }
}

/// A document of tools that may be another system's or another format's.
fn check_document(value: &Value) {
    let Some((baggage, _)) = convert::pack_document(value) else { return };
    for baggage in baggage.iter().take(4) {
        for target in Target::all() {
            _ = convert::fates(baggage, target);
        }
    }
}
