//! Runs every case of every vector file by its `op`; an unknown op or a file that nobody runs is a failure.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use serde_json::Value;

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
];

/// Files of systems that no issue has built yet.
const TO_COME: &[&str] = &["commonground.json", "opensearch-template.json"];

fn folder() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = here.join("../shared/vectors");
    match env::var_os("TOOLCRIB_VECTORS") {
        Some(named) => named.into(),
        None if shared.is_dir() => shared,
        None => here.join("tests/vectors"),
    }
}

#[test]
fn every_case_of_every_file_holds() {
    let mut failures = Vec::new();
    let mut ran: BTreeMap<String, usize> = BTreeMap::new();
    let mut files: Vec<_> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        if TO_COME.contains(&file.as_str()) {
            continue;
        }
        let content: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        for case in content["cases"].as_array().unwrap() {
            let (id, op) = (&case["id"], case["op"].as_str().unwrap_or_default());
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
