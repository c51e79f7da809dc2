//! A JSON Schema's file, and the local files that it refers to, as one schema. Nothing is ever
//! fetched.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value};

use super::{files, schema_map::SchemaMap, workspace::SETTINGS};
use crate::{
    model::problem::{Problem, ProblemKind},
    schema::{encoding::percent_decode, tree::Draft},
    syntax::source::Source,
};

/// More files than these are not followed.
const MOST_FILES: usize = 256;
/// Keywords that hold values, not schemas.
const DATA: [&str; 5] = ["enum", "const", "default", "examples", "example"];

/// A schema with everything local that it refers to in it.
#[derive(Debug)]
pub(crate) struct SchemaFile {
    pub schema: Value,
    /// References that were not followed, each with its reason.
    pub left_out: Vec<String>,
}

/// Reads a schema in JSON or YAML. A reference to an address that the map has leads to its file;
/// other references to files are followed within the folder of the file that has them, or the
/// workspace that this lies in.
///
/// # Errors
/// When the file, or one that it refers to, cannot be read; a reference to a file that is not there
/// is left to the schema's checks.
pub(crate) fn load_schema(path: &Path, map: &SchemaMap) -> Result<SchemaFile, Problem> {
    let mut schema = read_value(path)?;
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let own = own_address(&schema).unwrap_or_default();
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    let whole =
        if own.contains(':') { own.clone() } else { format!("file:///{}", address_name(&name)) };
    let mut bundle = Bundle {
        map,
        roots: vec![root_of(&real)],
        known: HashMap::from([(real.clone(), whole.clone())]),
        files: Vec::new(),
        left_out: Vec::new(),
    };
    bundle.follow_references(
        &mut schema,
        &FollowedFile { file: &real, address: "", own: &own },
        &own,
    );
    let mut done = 0;
    while let Some((file, address)) = bundle.files.get(done).cloned() {
        let mut part = read_value(&file)?;
        let own = own_address(&part).unwrap_or_default();
        // What it refers to is relative to its own address, else to the one that it is known by.
        let base = if own.contains(':') { own.clone() } else { address.clone() };
        bundle.follow_references(
            &mut part,
            &FollowedFile { file: &file, address: &address, own: &own },
            &base,
        );
        embed_file(&mut schema, part, &address);
        done += 1;
    }
    // Only what is embedded can refer to the whole from outside.
    if done > 0 && own != whole {
        name_whole(&mut schema, &whole);
    }
    Ok(SchemaFile { schema, left_out: bundle.left_out })
}

/// The folder that a schema may refer to files in.
fn root_of(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new("/"));
    folder.ancestors().find(|folder| folder.join(SETTINGS).is_file()).unwrap_or(folder).to_owned()
}

/// The value of a JSON, YAML or TOML file.
///
/// # Errors
/// When it cannot be read, with the place.
pub(crate) fn read_value(path: &Path) -> Result<Value, Problem> {
    let text = files::read_text(path)?.text;
    // What is plain JSON needs no places of its parts. What is not says where.
    if let Ok(value) = serde_json::from_str(&text) {
        return Ok(value);
    }
    let value = parse_source(path, text)?.value(0).cloned().map(Arc::unwrap_or_clone);
    value.ok_or_else(|| {
        Problem::new(ProblemKind::Input, format!("reading {}", path.display()), "it is empty")
    })
}

/// A text by the ending of its name, else as whatever it can be read as.
///
/// # Errors
/// When it is none of the formats, with the place.
pub(crate) fn parse_source(path: &Path, text: Arc<str>) -> Result<Source, Problem> {
    Source::of_file(path, text).map_err(|error| {
        Problem::new(ProblemKind::Input, format!("reading {}", path.display()), error.to_string())
            .with_remedy("fix the file in an editor first; a form needs valid JSON or YAML")
    })
}

struct Bundle<'m> {
    map: &'m SchemaMap,
    /// Folders that references may lead into.
    roots: Vec<PathBuf>,
    /// The address of each file that was met.
    known: HashMap<PathBuf, String>,
    /// Files to embed, with their addresses.
    files: Vec<(PathBuf, String)>,
    left_out: Vec<String>,
}

/// The file whose references are followed.
struct FollowedFile<'h> {
    file: &'h Path,
    /// Its address in the bundle.
    address: &'h str,
    /// The address that it gives itself.
    own: &'h str,
}

impl Bundle<'_> {
    /// Gives each reference to another file the address that the file has in the bundle. References
    /// are relative to `base`.
    fn follow_references(&mut self, schema: &mut Value, home: &FollowedFile<'_>, base: &str) {
        match schema {
            Value::Object(members) => {
                let id = members
                    .get("$id")
                    .and_then(Value::as_str)
                    .map(|id| resolve_address(base, id.trim_end_matches('#')));
                let base = id.as_deref().unwrap_or(base);
                for (name, member) in
                    members.iter_mut().filter(|(name, _)| !DATA.contains(&name.as_str()))
                {
                    match member {
                        Value::String(reference) if name == "$ref" || name == "$dynamicRef" => {
                            if let Some(address) = self.bundle_address(reference, home, base) {
                                *reference = address;
                            }
                        }
                        other => self.follow_references(other, home, base),
                    }
                }
            }
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.follow_references(item, home, base));
            }
            _ => {}
        }
    }

    fn bundle_address(
        &mut self,
        reference: &str,
        home: &FollowedFile<'_>,
        base: &str,
    ) -> Option<String> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if document.is_empty() {
            return None;
        }
        if document == home.own {
            // Embedded, it has another address.
            return (!home.address.is_empty()).then(|| format!("{}#{fragment}", home.address));
        }
        let url = resolve_address(base, document);
        if let Some(file) = self.map.find_file(&url) {
            let real = fs::canonicalize(&file).unwrap_or(file);
            self.roots.push(root_of(&real));
            return self
                .embedded_address(real, url, reference)
                .map(|address| format!("{address}#{fragment}"));
        }
        if document.contains("://") || document.starts_with("urn:") {
            return None;
        }
        let path = home.file.parent()?.join(percent_decode(document));
        // What is not there may be the `$id` of a part of the schema; if not, the schema's check
        // says so.
        let real = fs::canonicalize(path).ok().filter(|path| path.is_file())?;
        let Some(root) = self.roots.iter().find(|root| real.starts_with(root)) else {
            let root = root_of(home.file);
            self.left_out.push(format!(
                "the reference \"{reference}\" points outside {}; it isn't followed",
                root.display()
            ));
            return None;
        };
        let name = address_name(&real.strip_prefix(root).unwrap_or(&real).to_string_lossy());
        self.embedded_address(real, format!("file:///{name}"), reference)
            .map(|address| format!("{address}#{fragment}"))
    }

    /// The address of a file in the bundle: the one that it has, else this one.
    fn embedded_address(
        &mut self,
        real: PathBuf,
        address: String,
        reference: &str,
    ) -> Option<String> {
        if let Some(known) = self.known.get(&real) {
            return Some(known.clone());
        }
        if self.known.len() > MOST_FILES {
            self.left_out.push(format!("the reference \"{reference}\" is not followed: there are more than {MOST_FILES} files"));
            return None;
        }
        self.known.insert(real.clone(), address.clone());
        self.files.push((real, address.clone()));
        Some(address)
    }
}

/// An address as seen from another, as RFC 3986 has it for those that schemas are named by.
fn resolve_address(base: &str, address: &str) -> String {
    let scheme = |text: &str| {
        text.split_once(':').is_some_and(|(scheme, _)| {
            scheme.chars().all(|sign| sign.is_ascii_alphanumeric() || "+-.".contains(sign))
        })
    };
    if scheme(address) || !scheme(base) {
        return address.to_owned();
    }
    let host = base
        .find("://")
        .map_or(0, |at| base[at + 3..].find('/').map_or(base.len(), |slash| at + 3 + slash));
    let (start, path) = match address.strip_prefix('/') {
        Some(path) => ("", path),
        None => (base[host..].rfind('/').map_or("", |slash| &base[host..host + slash]), address),
    };
    let mut parts: Vec<&str> = start.split('/').skip(1).collect();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("{}/{}", &base[..host], parts.join("/"))
}

fn own_address(schema: &Value) -> Option<String> {
    schema
        .get("$id")
        .or_else(|| schema.get("id"))
        .and_then(Value::as_str)
        .map(|id| id.trim_end_matches('#').to_owned())
}

/// A file's name as part of an address.
fn address_name(name: &str) -> String {
    name.replace([' ', '#', '%'], "_")
}

/// The keywords of a schema's draft for parts and for its address.
fn draft_keywords(schema: &Value) -> (&'static str, &'static str) {
    match Draft::detect(schema) {
        Draft::Draft4 => ("definitions", "id"),
        Draft::Draft6 | Draft::Draft7 => ("definitions", "$id"),
        _ => ("$defs", "$id"),
    }
}

/// Gives the whole schema an address.
fn name_whole(schema: &mut Value, address: &str) {
    let (_, id) = draft_keywords(schema);
    if let Value::Object(members) = schema {
        members.insert(id.to_owned(), address.into());
    }
}

/// Puts a file into the schema under its address.
fn embed_file(schema: &mut Value, part: Value, address: &str) {
    let (definitions, id) = draft_keywords(schema);
    let part = match part {
        Value::Object(mut members) => {
            // Beside a reference older drafts do not see the address.
            if definitions == "definitions" && members.contains_key("$ref") {
                members = Map::from_iter([(
                    "allOf".to_owned(),
                    Value::Array(vec![Value::Object(members)]),
                )]);
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
        for dialect in [
            "https://json-schema.org/draft/2020-12/schema",
            "http://json-schema.org/draft-07/schema#",
        ] {
            let folder = folder(&[
                (
                    "s.json",
                    json!({"$schema": dialect, "properties": {"a": {"$ref": "parts/a.json#/definitions/x"}, "b": {"$ref": "parts/b.json"}}}),
                ),
                (
                    "parts/a.json",
                    json!({"definitions": {"x": {"$ref": "#/definitions/y"}, "y": {"type": "integer"}}}),
                ),
                (
                    "parts/b.json",
                    json!({"$id": "https://example.com/b", "properties": {"a": {"$ref": "a.json#/definitions/y"}, "s": {"$ref": "../s.json"}, "b": {"type": "boolean"}}}),
                ),
            ]);
            let loaded = load_schema(&folder.path().join("s.json"), &SchemaMap::default()).unwrap();
            assert_eq!(loaded.left_out, Vec::<String>::new());
            let checker = Checker::compile(&loaded.schema).unwrap();
            assert!(checker.is_valid(&json!({"a": 1, "b": {"a": 2, "s": {"a": 3}}})), "{dialect}");
            assert!(
                checker.is_valid(&json!({"b": {"s": {"b": {"b": true}}}})),
                "{dialect}: the whole is meant, not the part"
            );
            for wrong in
                [json!({"a": "x"}), json!({"b": {"a": "x"}}), json!({"b": {"s": {"a": "x"}}})]
            {
                assert!(!checker.is_valid(&wrong), "{dialect}: {wrong}");
            }
        }
    }

    #[test]
    fn an_address_that_is_mapped_leads_to_its_file() {
        let folder = folder(&[
            (
                "s.json",
                json!({"$id": "https://e.org/a/s.json", "properties": {
                "far": {"$ref": "https://far.org/x/y.json#/$defs/n"},
                "near": {"$ref": "../b/t.json"},
                "inner": {"$id": "https://far.org/x/", "$ref": "y.json"},
                "self": {"$ref": "https://e.org/a/s.json#/properties/plain"},
                "plain": {"type": "integer"}}}),
            ),
            (
                "far/y.json",
                json!({"$id": "https://far.org/x/y.json", "type": "object", "$defs": {"n": {"type": "integer"}},
                "properties": {"n": {"$ref": "https://far.org/x/y.json#/$defs/n"}, "z": {"$ref": "z.json"}}}),
            ),
            ("far/z.json", json!({"type": "boolean"})),
            ("t.json", json!({"type": "string"})),
        ]);
        let file = |name: &str| folder.path().join(name);
        let pair = |url: &str, name: &str| format!("{url}={}", file(name).display());
        let map = SchemaMap::from_pairs(&[
            pair("https://far.org/x/", "far"),
            pair("https://e.org/b/t.json", "t.json"),
        ])
        .unwrap();
        let loaded = load_schema(&file("s.json"), &map).unwrap();
        assert_eq!(loaded.left_out, Vec::<String>::new());
        let checker = Checker::compile(&loaded.schema).unwrap();
        assert!(
            checker
                .is_valid(&json!({"far": 1, "near": "x", "inner": {"n": 1, "z": true}, "self": 2}))
        );
        for wrong in [
            json!({"far": "x"}),
            json!({"near": 1}),
            json!({"inner": {"n": "x"}}),
            json!({"inner": {"z": 1}}),
            json!({"self": "x"}),
        ] {
            assert!(!checker.is_valid(&wrong), "{wrong}");
        }
    }

    #[test]
    fn addresses_are_joined() {
        for (base, address, joined) in [
            ("https://e.org/a/b.json", "c.json", "https://e.org/a/c.json"),
            ("https://e.org/a/b.json", "../c.json", "https://e.org/c.json"),
            ("https://e.org/a/b.json", "/c.json", "https://e.org/c.json"),
            ("https://e.org/a/", "c.json", "https://e.org/a/c.json"),
            ("https://e.org", "c.json", "https://e.org/c.json"),
            ("https://e.org/a/b.json", "urn:x:y", "urn:x:y"),
            ("", "c.json", "c.json"),
            ("b.json", "c.json", "c.json"),
        ] {
            assert_eq!(resolve_address(base, address), joined, "{base} {address}");
        }
    }

    #[test]
    fn what_lies_outside_is_not_followed() {
        let folder = folder(&[
            ("in/s.json", json!({"$ref": "../out.json"})),
            ("out.json", json!({"type": "integer"})),
        ]);
        let loaded = load_schema(&folder.path().join("in/s.json"), &SchemaMap::default()).unwrap();
        assert!(loaded.left_out[0].contains("points outside"), "{:?}", loaded.left_out);
        fs::write(folder.path().join("toolcrib.toml"), "").unwrap();
        assert!(
            load_schema(&folder.path().join("in/s.json"), &SchemaMap::default())
                .unwrap()
                .left_out
                .is_empty(),
            "a workspace is one place"
        );
    }
}
