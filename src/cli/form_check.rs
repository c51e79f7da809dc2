//! `toolcrib form --check`: documents held against a schema without a screen.

use std::{
    collections::HashSet,
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    data_files::list_data_files,
    ending::{CommandResult, Ending},
    out::CommandOutput,
    report::{self, Format, Report},
};
use crate::{
    engine::{conformance, lint::syntax},
    model::{
        entry::FileId,
        finding::{Finding, Severity},
        problem::{Problem, ProblemKind},
    },
    schema::validate::Checker,
    store::{
        files, globs,
        schema_files::{self, SchemaFile},
        schema_map::SchemaMap,
    },
    syntax::source::Source,
    systems::run_files::{NOT_READ, new_finding},
};

/// Standard input, in the place of a file.
pub(crate) const STDIN: &str = "-";

/// What is checked, and how that is reported.
pub(crate) struct FormCheck<'c> {
    pub schema: &'c Path,
    pub documents: &'c [PathBuf],
    pub map: &'c SchemaMap,
    pub format: Format,
}

impl FormCheck<'_> {
    pub fn run(&self, out: &mut CommandOutput) -> CommandResult {
        let (checker, mut found, unchecked) = self.open_checker(out)?;
        let mut names = Vec::new();
        for path in expand_paths(self.documents)? {
            let file = FileId::new(path.display().to_string());
            found.extend(check_document(&path, &file, &checker)?);
            names.push(file);
        }
        let report = Report {
            command: "toolcrib form --check",
            files: &names,
            findings: &found,
            shown: &|file| file.to_string(),
            entry: &|_| None,
            unchecked: &[],
        };
        report::write_report(&report, self.format, out)?;
        if unchecked {
            out.warn(format_args!(
                "{} has errors: the documents were not fully checked",
                self.schema.display()
            ));
        }
        Ok(match (report::has_errors(&report), unchecked) {
            (true, _) => Ending::Found,
            (false, true) => Ending::Unchecked,
            (false, false) => Ending::Done,
        })
    }

    /// The schema ready to check with, what is wrong with it, and whether that leaves anything
    /// unchecked.
    fn open_checker(&self, out: &CommandOutput) -> Result<(Checker, Vec<Finding>, bool), Problem> {
        let SchemaFile { schema, left_out } = schema_files::load_schema(self.schema, self.map)?;
        left_out.iter().for_each(|words| out.warn(words));
        let opened = Checker::compile_lenient(&Arc::new(schema));
        opened.reading.iter().for_each(|words| out.warn(words));
        let file = FileId::new(self.schema.display().to_string());
        let text = schema_files::parse_source(self.schema, files::read_text(self.schema)?.text)?;
        let flaws = conformance::schema_findings(&file, Some(&text), &opened.findings);
        match opened.checker {
            Some(checker) => {
                Ok((checker, flaws, opened.findings.iter().any(|finding| finding.unchecked)))
            }
            None => {
                let cause = opened
                    .findings
                    .first()
                    .map_or_else(|| "it is invalid".to_owned(), ToString::to_string);
                let doing = format!("reading the schema {}", self.schema.display());
                Err(Problem::new(ProblemKind::Input, doing, cause)
                    .with_remedy("fix the schema first"))
            }
        }
    }
}

/// What is wrong with one document, or with each of a file that has several. That a file is there
/// and can't be read is wrong with it, too.
fn check_document(path: &Path, file: &FileId, checker: &Checker) -> Result<Vec<Finding>, Problem> {
    let text = match text_of(path) {
        Err(problem) if path.exists() => {
            let unread = new_finding(NOT_READ, file, problem.cause);
            return Ok(vec![Finding { severity: Severity::Error, ..unread }]);
        }
        read => read?,
    };
    let source = match Source::of_file(path, text) {
        Ok(source) => source,
        Err(error) => return Ok(vec![syntax::syntax_error_finding(file, &error)]),
    };
    let rows = 0..source.document_count().max(1);
    Ok(rows
        .flat_map(|document| conformance::document_findings(file, &source, document, checker))
        .collect())
}

fn text_of(path: &Path) -> Result<Arc<str>, Problem> {
    if path != Path::new(STDIN) {
        return Ok(files::read_text(path)?.text);
    }
    let mut text = String::new();
    let failed = |error: std::io::Error| {
        Problem::new(ProblemKind::Input, "reading standard input", error.to_string())
    };
    std::io::stdin().read_to_string(&mut text).map_err(failed)?;
    Ok(text.into())
}

/// The files that the arguments name: themselves, those in a folder, those that match a pattern;
/// each once.
fn expand_paths(given: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut all = Vec::new();
    for path in given {
        let pattern = path.to_str().filter(|text| globs::is_pattern(text) && !path.exists());
        let found = match pattern {
            Some(pattern) => globs::expand_glob(pattern),
            None if path.is_dir() => {
                list_data_files(path)?.into_iter().filter(|path| !is_hidden(path)).collect()
            }
            None => vec![path.clone()],
        };
        if found.is_empty() {
            let cause = format!("{} names no file", path.display());
            return Err(Problem::new(ProblemKind::Missing, "looking for documents", cause)
                .with_remedy("check the pattern; hidden files need their dot in it"));
        }
        all.extend(found);
    }
    let mut met = HashSet::new();
    all.retain(|path| met.insert(path.clone()));
    Ok(all)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with('.'))
}
