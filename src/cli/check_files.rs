//! What `toolcrib check` says of files as such: those that couldn't be read, one that is named and
//! holds nothing that is known, and cases, scenarios and stubs that their commands wouldn't take.

use serde_json::{Map, Value};

use super::opened::OpenWorkspace;
use crate::{
    engine::{
        case::{ask::AskCase, script::Case},
        scenario::script::Scenario,
    },
    model::{entry::FileId, finding::Finding, settings::SETTINGS},
    schema::{count::count_text, pointer::Pointer},
    store::workspace::FileRead,
    syntax::source::Format,
    systems::{
        convert,
        lock::LOCK,
        run_files::{NOT_READ, at_place, is_stub, new_finding, run_findings, unread_finding},
    },
};

/// The file was named, and holds no descriptor or other document that is known.
pub(super) const NOT_KNOWN: &str = "file.not-recognized";

/// Folders of documents that have commands of their own, which say what is wrong in them.
const FOLDERS: [&str; 4] = ["cases", "scenarios", "stubs", "recordings"];

/// Of each file that couldn't be read.
pub(super) fn unread_findings(opened: &OpenWorkspace) -> impl Iterator<Item = Finding> {
    let unread = opened.end.unread.iter().filter(|(file, _)| opened.is_asked(file));
    unread.map(|(file, problem)| unread_finding(file, problem))
}

/// Of each file that was named and isn't among those of a workspace.
pub(super) fn passed_over_findings(opened: &OpenWorkspace) -> impl Iterator<Item = Finding> {
    let is_read = |file: &FileId| opened.files.iter().any(|read| read.file == *file);
    let is_unread = |file: &FileId| opened.end.unread.iter().any(|(unread, _)| unread == file);
    let passed = opened.asked_files().filter(move |file| !is_read(file) && !is_unread(file));
    passed.map(|file| {
        let message = match Format::from_path(file.path()) {
            None => "only files of JSON, YAML and TOML are read",
            Some(_) => {
                "it isn't read: hidden files and folders, target and node_modules are left out"
            }
        };
        new_finding(NOT_READ, file, message.into())
    })
}

/// Of each file that was named.
pub(super) fn unknown_findings(opened: &OpenWorkspace) -> impl Iterator<Item = Finding> {
    let message = |file: &FileId| match foreign_tools(opened, file) {
        0 => "no descriptor, test or other document is recognized in it; only its syntax was \
            checked"
            .to_owned(),
        count => {
            let tools = count_text(count, "tool is", "tools are");
            let name = file.path().file_stem().and_then(|name| name.to_str()).unwrap_or("tools");
            let path = opened.display_path(file);
            format!(
                "its {tools} in a form that isn't read in place: `toolcrib convert {path} --to mcp \
                 --out mcp/{name}.json` adds what is checked then"
            )
        }
    };
    let unknown = opened.asked_files().filter(|file| !is_known(opened, file));
    unknown.map(move |file| new_finding(NOT_KNOWN, file, message(file)))
}

/// The files whose tools could be added: lists of functions, OpenAPI documents.
pub(super) fn files_to_add(opened: &OpenWorkspace) -> Vec<&str> {
    let files = opened.files.iter().map(|read| &read.file);
    files.filter(|file| foreign_tools(opened, file) > 0).map(FileId::as_str).collect()
}

/// How many tools a file has in a form that isn't read in place.
fn foreign_tools(opened: &OpenWorkspace, file: &FileId) -> usize {
    let document = opened.source(file).and_then(|source| source.value(0));
    let packed = document.and_then(|document| convert::pack_document(document));
    packed.map_or(0, |(tools, _)| tools.len())
}

/// Of each file whose tools are in a list, where only a map of them is read.
pub(super) fn listed_tools_findings(opened: &OpenWorkspace) -> impl Iterator<Item = Finding> {
    let files = opened.files.iter().filter(|read| opened.is_asked(&read.file));
    files.filter(|read| !is_known(opened, &read.file)).filter_map(|read| {
        let source = read.source.as_ref().ok()?;
        let at = listed_tools(source.value(0)?)?;
        let what = if at.is_root() { "the file" } else { "`tool`" };
        let message = format!(
            "{what} is a list, of which nothing is read: write a map, each tool under its key \
             (tool: {{ KEY: {{ name: …, type: … }} }})"
        );
        Some(at_place(new_finding(NOT_KNOWN, &read.file, message), source, at))
    })
}

/// Where a document has a list of tools: under `tool`, or as all of it, where each has what only
/// tools have together.
fn listed_tools(root: &Value) -> Option<Pointer> {
    let has = |item: &Value, names: &[&str]| names.iter().all(|name| item.get(name).is_some());
    let lists = |list: &Value, names: &[&str]| {
        list.as_array().is_some_and(|items| items.iter().any(|item| has(item, names)))
    };
    if root.get("tool").is_some_and(|list| lists(list, &["type", "name"])) {
        return Some(Pointer::root().child("tool"));
    }
    lists(root, &["type", "name", "description"]).then(Pointer::root)
}

/// That there is no tool of that name, in words; `None`: there is.
pub(super) fn missing_tool(opened: &OpenWorkspace, name: &str) -> Option<String> {
    let problem = opened.tool(name).err()?;
    Some(format!("{}: {}", problem.cause, problem.remedy))
}

/// What the commands of cases, scenarios and stubs would say of their files.
pub(super) fn malformed_findings(opened: &OpenWorkspace) -> Vec<Finding> {
    let missing = |tool: &str| missing_tool(opened, tool);
    let asked = |read: &&FileRead| opened.is_asked(&read.file);
    let of_file = |read: &FileRead| {
        let source = read.source.as_ref().ok();
        let (catalog, connections) = (&opened.catalog, &opened.settings.connections);
        source.map_or_else(Vec::new, |source| {
            run_findings(&read.file, source, catalog, connections, missing)
        })
    };
    opened.files.iter().filter(asked).flat_map(of_file).collect()
}

/// Whether a file holds something that is checked: a descriptor, a document with a schema, or what
/// other commands read. What isn't well-formed has a finding of its own.
pub(super) fn is_known(opened: &OpenWorkspace, file: &FileId) -> bool {
    let Some(source) = opened.source(file) else { return true };
    let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    let is_other = |value: &Value| {
        Case::is_one(value)
            || AskCase::is_one(value)
            || Scenario::from_value(value).is_ok()
            || is_stub(value)
            || value.as_object().is_some_and(|sections| sections.values().all(is_empty))
    };
    opened.catalog.of_file(file).next().is_some()
        || [SETTINGS, LOCK].contains(&file.as_str())
        || file.as_str().split('/').rev().skip(1).any(|folder| FOLDERS.contains(&folder))
        || source.text().contains("$schema")
        || source.value(0).is_none_or(|value| is_other(value))
}
