//! The documents of a workspace that name a JSON Schema: checked against it where its file is
//! known.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{opened::OpenWorkspace, out::CommandOutput};
use crate::{
    engine::conformance,
    model::{entry::FileId, finding::Finding},
    schema::validate::Checker,
    store::{schema_files, schema_map::SchemaMap},
};

/// A schema that documents name, or why it cannot be used.
type KnownSchema = Result<Checker, String>;

/// Where the documents of the workspace do not match the schemas that they name. A schema is used
/// where the map has its address, and where its name is the path of a file in the workspace;
/// nothing is fetched.
pub(crate) fn check_documents(
    opened: &OpenWorkspace,
    map: &SchemaMap,
    out: &CommandOutput,
) -> Vec<Finding> {
    let mut schemas = Schemas { opened, map, known: HashMap::new(), flaws: Vec::new() };
    let mut found = Vec::new();
    for read in opened.files.iter().filter(|read| opened.is_asked(&read.file)) {
        let Ok(source) = &read.source else { continue };
        for document in 0..source.document_count() {
            let Some(name) = conformance::named_schema(source, document) else { continue };
            let Some(path) = schemas.file_of(&name, &read.file) else {
                let why = match map.mapped_path(&name) {
                    Some(path) => format!("is mapped to {}, which isn't there", path.display()),
                    None => "isn't mapped".to_owned(),
                };
                out.print_detail(format_args!(
                    "{}: the schema {name} {why}, so it isn't checked",
                    opened.display_path(&read.file)
                ));
                continue;
            };
            match schemas.checker_for(&path) {
                Ok(checker) => {
                    found.extend(conformance::document_findings(
                        &read.file, source, document, checker,
                    ));
                }
                Err(why) => found.push(conformance::not_checked(&read.file, source, document, why)),
            }
        }
    }
    found.extend(schemas.flaws);
    found
}

struct Schemas<'s> {
    opened: &'s OpenWorkspace,
    map: &'s SchemaMap,
    known: HashMap<PathBuf, KnownSchema>,
    flaws: Vec<Finding>,
}

impl Schemas<'_> {
    /// The file of a schema, as a document names it.
    fn file_of(&self, name: &str, document: &FileId) -> Option<PathBuf> {
        if let Some(file) = self.map.find_file(name) {
            return Some(file);
        }
        let path = name.split_once('#').map_or(name, |(path, _)| path);
        let folder = self.opened.workspace.file_path(document).parent()?.to_owned();
        let real = fs::canonicalize(folder.join(path)).ok()?;
        (real.is_file() && real.starts_with(&self.opened.workspace.root)).then_some(real)
    }

    fn checker_for(&mut self, path: &Path) -> &KnownSchema {
        if !self.known.contains_key(path) {
            let known = self.open_schema(path);
            self.known.insert(path.to_owned(), known);
        }
        &self.known[path]
    }

    fn open_schema(&mut self, path: &Path) -> KnownSchema {
        let loaded =
            schema_files::load_schema(path, self.map).map_err(|problem| problem.to_string())?;
        let opened = Checker::compile_lenient(&Arc::new(loaded.schema));
        let name = path.strip_prefix(&self.opened.workspace.root).unwrap_or(path).to_string_lossy();
        let file = FileId::new(&*name);
        self.flaws.extend(conformance::schema_findings(
            &file,
            self.opened.source(&file),
            &opened.findings,
        ));
        opened.checker.ok_or_else(|| format!("the schema {name} is invalid"))
    }
}
