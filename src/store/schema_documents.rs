//! The documents of a workspace that name a JSON Schema: checked against it where its file is
//! known.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{schema_files, schema_map::SchemaMap, workspace::Workspace};
use crate::{
    engine::conformance,
    model::{entry::FileId, finding::Finding},
    schema::validate::Checker,
    syntax::source::Source,
};

/// A schema that documents name, or why it cannot be used.
type KnownSchema = Result<Checker, String>;

/// Where documents do not match the schemas that they name. A schema is used where the map has its
/// address, and where its name is the path of a file in the workspace; nothing is fetched. `left` gets
/// each document whose schema is not there, with why.
pub(crate) fn check_documents<'s>(
    workspace: &Workspace,
    map: &SchemaMap,
    files: &HashMap<&'s FileId, &'s Source>,
    is_asked: impl Fn(&FileId) -> bool,
    mut left: impl FnMut(&FileId, String),
) -> Vec<Finding> {
    let mut schemas = Schemas { workspace, map, files, known: HashMap::new(), flaws: Vec::new() };
    let mut found = Vec::new();
    let mut asked: Vec<_> = files.iter().filter(|(file, _)| is_asked(file)).collect();
    asked.sort_by_key(|(file, _)| **file);
    for (file, source) in asked {
        // Most texts name none, and are not read for this.
        if !source.text().contains("schema") {
            continue;
        }
        let source = &source.for_a_look();
        for document in 0..source.document_count() {
            let Some(name) = conformance::named_schema(source, document) else { continue };
            let Some(path) = schemas.file_of(&name, file) else {
                let why = match map.mapped_path(&name) {
                    Some(path) => format!("is mapped to {}, which isn't there", path.display()),
                    None => "isn't mapped".to_owned(),
                };
                left(file, format!("the schema {name} {why}, so it isn't checked"));
                continue;
            };
            match schemas.checker_for(&path) {
                Ok(checker) => {
                    found.extend(conformance::document_findings(file, source, document, checker));
                }
                Err(why) => found.push(conformance::not_checked(file, source, document, why)),
            }
        }
    }
    found.extend(schemas.flaws);
    found
}

struct Schemas<'s> {
    workspace: &'s Workspace,
    map: &'s SchemaMap,
    files: &'s HashMap<&'s FileId, &'s Source>,
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
        let folder = self.workspace.file_path(document).parent()?.to_owned();
        let real = fs::canonicalize(folder.join(path)).ok()?;
        (real.is_file() && real.starts_with(&self.workspace.root)).then_some(real)
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
        let name = path.strip_prefix(&self.workspace.root).unwrap_or(path).to_string_lossy();
        let file = FileId::new(&*name);
        self.flaws.extend(conformance::schema_findings(
            &file,
            self.files.get(&file).copied(),
            &opened.findings,
        ));
        opened.checker.ok_or_else(|| format!("the schema {name} is invalid"))
    }
}
