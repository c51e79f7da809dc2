//! Runs every case of every vector file by its `op`; an unknown op or a file that nobody runs is a
//! failure.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use serde_json::Value;

#[path = "vectors/commonground_commands.rs"]
mod commonground_commands;
#[path = "vectors/commonground_definitions.rs"]
mod commonground_definitions;
#[path = "vectors/commonground_results.rs"]
mod commonground_results;
#[path = "vectors/commonground_wire.rs"]
mod commonground_wire;
#[path = "vectors/mcp.rs"]
mod mcp;
#[path = "vectors/opensearch_template.rs"]
mod opensearch_template;
#[path = "vectors/trustgraph_filter.rs"]
mod trustgraph_filter;
#[path = "vectors/trustgraph_load.rs"]
mod trustgraph_load;
#[path = "vectors/trustgraph_wire.rs"]
mod trustgraph_wire;

/// Runs one case; `Err` says how the answer differs from the expected one.
type Op = fn(&Value) -> Result<(), String>;

/// Every op, by file and name.
const OPS: &[(&str, &str, Op)] = &[
    ("trustgraph-filter.json", "validate", trustgraph_load::validate),
    ("trustgraph-filter.json", "load", trustgraph_load::load),
    ("trustgraph-filter.json", "filter", trustgraph_filter::filter),
    ("trustgraph-filter.json", "next_state", trustgraph_filter::next),
    ("trustgraph-filter.json", "walk", trustgraph_filter::walk),
    ("trustgraph-filter.json", "wire_request", trustgraph_wire::request),
    ("trustgraph-filter.json", "wire_reply", trustgraph_wire::reply),
    ("trustgraph-filter.json", "queue_name", trustgraph_wire::queue_name),
    ("commonground.json", "tool_definitions", commonground_definitions::definition),
    ("commonground.json", "tool_yaml", commonground_definitions::text),
    ("commonground.json", "patterns", commonground_definitions::pattern),
    ("commonground.json", "arguments", commonground_definitions::merge),
    ("commonground.json", "model_arguments", commonground_definitions::given),
    ("commonground.json", "model_schema", commonground_definitions::shown),
    ("commonground.json", "subjects", commonground_wire::subject),
    ("commonground.json", "subject_templates", commonground_wire::template),
    ("commonground.json", "dispatch_subjects", commonground_wire::dispatch),
    ("commonground.json", "idempotency_keys", commonground_wire::idempotency_key),
    ("commonground.json", "traceparents", commonground_wire::traceparent),
    ("commonground.json", "trace_ids", commonground_wire::trace),
    ("commonground.json", "tool_results", commonground_results::built),
    ("commonground.json", "effective_after_execution", commonground_results::effective),
    ("commonground.json", "turn_after_results", commonground_results::turn),
    ("commonground.json", "card_content", commonground_results::content),
    ("commonground.json", "result_card_checks", commonground_results::usable),
    ("commonground.json", "report_gate", commonground_results::gate),
    ("commonground.json", "jina_requests", commonground_results::jina),
    ("commonground.json", "commands", commonground_commands::command),
    ("commonground.json", "ui_actions", commonground_commands::action),
    ("mcp.json", "sse_parse", mcp::events),
    ("mcp.json", "negotiate", mcp::negotiation),
    ("mcp.json", "tool_findings", mcp::tool),
    ("mcp.json", "result_view", mcp::result),
    ("mcp.json", "drift", mcp::changes),
    ("mcp.json", "mirror_headers", mcp::headers),
    ("mcp.json", "expand", mcp::expansion),
    ("mcp.json", "config_import", mcp::imported),
    ("opensearch-template.json", "substitute", opensearch_template::substitute),
    ("opensearch-template.json", "stringify", opensearch_template::stringify),
    ("opensearch-template.json", "escape", opensearch_template::escape),
    ("opensearch-template.json", "body", opensearch_template::body),
    ("opensearch-template.json", "url", opensearch_template::url),
    ("opensearch-template.json", "headers", opensearch_template::headers),
    ("opensearch-template.json", "tool_params", opensearch_template::tool_params),
    ("opensearch-template.json", "tool_input", opensearch_template::tool_input),
    ("opensearch-template.json", "step_output", opensearch_template::step_output),
    ("opensearch-template.json", "dynamic_request", opensearch_template::dynamic_request),
    ("opensearch-template.json", "dynamic_output", opensearch_template::dynamic_output),
];

/// What every file says about itself beside its cases.
const ABOUT: &str = "about";

fn folder() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = here.join("../shared/vectors");
    match env::var_os("TOOLCRIB_VECTORS") {
        Some(named) => named.into(),
        None if shared.is_dir() => shared,
        None => here.join("tests/vectors"),
    }
}

/// Every case with its op: a file is or has one list of cases that name theirs, or has a section
/// for each.
fn cases(content: &Value) -> Vec<(&str, &Value)> {
    if let Some(cases) = content.get("cases").or(content.is_array().then_some(content)) {
        return list(cases)
            .iter()
            .map(|case| (case["op"].as_str().unwrap_or_default(), case))
            .collect();
    }
    let sections = content.as_object().unwrap().iter().filter(|(name, _)| *name != ABOUT);
    sections
        .flat_map(|(name, cases)| list(cases).iter().map(move |case| (name.as_str(), case)))
        .collect()
}

fn list(cases: &Value) -> &[Value] {
    cases.as_array().unwrap_or_else(|| panic!("no list of cases: {cases}"))
}

/// Whether what was made is what the case expects.
fn same(what: &str, got: &Value, expected: &Value) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{what}: got {got}, expected {expected}")) }
}

#[test]
fn every_case_of_every_file_holds() {
    let mut failures = Vec::new();
    let mut ran: BTreeMap<String, usize> = BTreeMap::new();
    let mut files: Vec<_> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "json"))
    {
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        let content: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        for (op, case) in cases(&content) {
            let id = case.get("id").unwrap_or(&case["name"]);
            match OPS.iter().find(|(of, name, _)| *of == file && *name == op) {
                None => failures.push(format!("{file} {id}: nobody runs op {op:?}")),
                Some((_, _, run)) => match run(case) {
                    Ok(()) => *ran.entry(format!("{file} {op}")).or_default() += 1,
                    Err(difference) => failures.push(format!("{file} {id}: {difference}")),
                },
            }
        }
    }
    for (op, count) in &ran {
        println!("{op}: {count} cases hold");
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
    assert!(!ran.is_empty() || OPS.is_empty(), "no case was run from {}", folder().display());
}
