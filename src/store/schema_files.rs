//! A JSON Schema's file, and the local files that it refers to, as one schema. Nothing is ever fetched.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value};

use super::{files, workspace::SETTINGS};
use crate::{
    model::problem::{Problem, ProblemKind},
    schema::tree::Draft,
    syntax::source::{Format, Source},
};

/// More files than these are not followed.
const MOST_FILES: usize = 256;
/// Keywords that hold values, not schemas.
const DATA: [&str; 5] = ["enum", "const", "default", "examples", "example"];

/// A schema with everything local that it refers to in it.
#[derive(Debug)]
pub struct SchemaFile {
    pub schema: Value,
    /// References that were not followed, each with its reason.
    pub left_out: Vec<String>,
}

/// Reads a schema in JSON or YAML. References to other files are followed within the schema's folder, or the workspace that it lies in.
///
/// # Errors
/// When the file, or one that it refers to, cannot be read; a reference to a file that is not there is left to the schema's checks.
pub fn load(path: &Path) -> Result<SchemaFile, Problem> {
    let mut schema = read(path)?;
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = real.parent().unwrap_or(Path::new("/"));
    let within = folder.ancestors().find(|folder| folder.join(SETTINGS).is_file()).unwrap_or(folder).to_owned();
    let mut bundle =
        Bundle { within, known: HashMap::from([(real.clone(), String::new())]), files: Vec::new(), left_out: Vec::new() };
    let own = own_address(&schema);
    bundle.follow(&mut schema, &real, own.as_deref());
    let mut done = 0;
    while let Some((file, address)) = bundle.files.get(done).cloned() {
        let mut part = read(&file)?;
        let own = own_address(&part);
        bundle.follow(&mut part, &file, own.as_deref());
        embed(&mut schema, part, &address);
        done += 1;
    }
    Ok(SchemaFile { schema, left_out: bundle.left_out })
}

/// The value of a JSON, YAML or TOML file.
///
/// # Errors
/// When it cannot be read, with the place.
pub fn read(path: &Path) -> Result<Value, Problem> {
    let source = parse(path, files::read(path)?.text)?;
    let value = source.value(0).map(|value| Value::clone(value));
    value.ok_or_else(|| Problem::new(ProblemKind::Input, format!("reading {}", path.display()), "it is empty"))
}

/// A text by the ending of its name, else as whatever it can be read as.
///
/// # Errors
/// When it is none of the formats, with the place.
pub fn parse(path: &Path, text: Arc<str>) -> Result<Source, Problem> {
    let failed = |error: crate::syntax::source::SyntaxError| {
        Problem::new(ProblemKind::Input, format!("reading {}", path.display()), error.to_string())
            .remedy("mend the text first; a form needs one that can be read")
    };
    if let Some(format) = Format::of(path) {
        return Source::parse(format, text).map_err(failed);
    }
    let first = Source::parse(Format::Json, text.clone());
    let others = || [Format::Yaml, Format::Toml].into_iter().find_map(|format| Source::parse(format, text.clone()).ok());
    first.or_else(|error| others().ok_or_else(|| failed(error)))
}

struct Bundle {
    within: PathBuf,
    /// The address of each file that was met; the first one's is empty.
    known: HashMap<PathBuf, String>,
    /// Files to embed, with their addresses.
    files: Vec<(PathBuf, String)>,
    left_out: Vec<String>,
}

impl Bundle {
    /// Gives each reference to another file the address that the file has in the bundle.
    fn follow(&mut self, schema: &mut Value, file: &Path, own: Option<&str>) {
        match schema {
            Value::Object(members) => {
                for (name, member) in members.iter_mut().filter(|(name, _)| !DATA.contains(&name.as_str())) {
                    match member {
                        Value::String(reference) if name == "$ref" || name == "$dynamicRef" => {
                            if let Some(address) = self.address(reference, file, own) {
                                *reference = address;
                            }
                        }
                        other => self.follow(other, file, own),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.follow(item, file, own)),
            _ => {}
        }
    }

    fn address(&mut self, reference: &str, file: &Path, own: Option<&str>) -> Option<String> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if document.is_empty() || document.contains("://") || document.starts_with("urn:") || Some(document) == own {
            return None;
        }
        let path = file.parent()?.join(percent_decoded(document));
        // What is not there may be the `$id` of a part of the schema; if not, the schema's check says so.
        let real = fs::canonicalize(path).ok().filter(|path| path.is_file())?;
        if !real.starts_with(&self.within) {
            self.left_out
                .push(format!("the reference \"{reference}\" leads out of {}; it is not followed", self.within.display()));
            return None;
        }
        if let Some(address) = self.known.get(&real) {
            return Some(format!("{address}#{fragment}"));
        }
        if self.known.len() > MOST_FILES {
            self.left_out.push(format!("the reference \"{reference}\" is not followed: there are more than {MOST_FILES} files"));
            return None;
        }
        let name = real.strip_prefix(&self.within).unwrap_or(&real).to_string_lossy().replace([' ', '#', '%'], "_");
        let address = format!("file:///{name}");
        self.known.insert(real.clone(), address.clone());
        self.files.push((real, address.clone()));
        Some(format!("{address}#{fragment}"))
    }
}

fn own_address(schema: &Value) -> Option<String> {
    schema.get("$id").or_else(|| schema.get("id")).and_then(Value::as_str).map(|id| id.trim_end_matches('#').to_owned())
}

/// Puts a file into the schema under its address.
fn embed(schema: &mut Value, part: Value, address: &str) {
    let draft = Draft::of(schema);
    let (definitions, id) = match draft {
        Draft::Draft4 => ("definitions", "id"),
        Draft::Draft6 | Draft::Draft7 => ("definitions", "$id"),
        _ => ("$defs", "$id"),
    };
    let part = match part {
        Value::Object(mut members) => {
            // Beside a reference older drafts do not see the address.
            if definitions == "definitions" && members.contains_key("$ref") {
                members = Map::from_iter([("allOf".to_owned(), Value::Array(vec![Value::Object(members)]))]);
            }
            members.insert(id.to_owned(), address.into());
            Value::Object(members)
        }
        other => serde_json::json!({ id: address, "allOf": [other] }),
    };
    let Some(root) = schema.as_object_mut() else { return };
    let holder = root.entry(definitions).or_insert_with(|| Value::Object(Map::new()));
    if let Some(holder) = holder.as_object_mut() {
        holder.insert(address.to_owned(), part);
    }
}

fn percent_decoded(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let byte = escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        decoded.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::validate::Checker;

    fn folder(files: &[(&str, Value)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, value) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, value.to_string()).unwrap();
        }
        folder
    }

    #[test]
    fn files_that_refer_to_each_other_become_one_schema() {
        for dialect in ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"] {
            let folder = folder(&[
                (
                    "s.json",
                    json!({"$schema": dialect, "properties": {"a": {"$ref": "parts/a.json#/definitions/x"}, "b": {"$ref": "parts/b.json"}}}),
                ),
                ("parts/a.json", json!({"definitions": {"x": {"$ref": "#/definitions/y"}, "y": {"type": "integer"}}})),
                (
                    "parts/b.json",
                    json!({"$id": "https://example.com/b", "properties": {"a": {"$ref": "a.json#/definitions/y"}, "s": {"$ref": "../s.json"}}}),
                ),
            ]);
            let loaded = load(&folder.path().join("s.json")).unwrap();
            assert_eq!(loaded.left_out, Vec::<String>::new());
            let checker = Checker::compile(&loaded.schema).unwrap();
            assert!(checker.is_valid(&json!({"a": 1, "b": {"a": 2, "s": {"a": 3}}})), "{dialect}");
            for wrong in [json!({"a": "x"}), json!({"b": {"a": "x"}}), json!({"b": {"s": {"a": "x"}}})] {
                assert!(!checker.is_valid(&wrong), "{dialect}: {wrong}");
            }
        }
    }

    #[test]
    fn what_lies_outside_is_not_followed() {
        let folder = folder(&[("in/s.json", json!({"$ref": "../out.json"})), ("out.json", json!({"type": "integer"}))]);
        let loaded = load(&folder.path().join("in/s.json")).unwrap();
        assert!(loaded.left_out[0].contains("leads out of"), "{:?}", loaded.left_out);
        fs::write(folder.path().join("toolcrib.toml"), "").unwrap();
        assert!(load(&folder.path().join("in/s.json")).unwrap().left_out.is_empty(), "a workspace is one place");
    }
}
