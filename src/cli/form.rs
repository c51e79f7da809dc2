//! `toolcrib form SCHEMA [DOC]`: edits a document in a form made from its schema, and prints or
//! saves it; `--check` checks documents.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::{Args, ValueHint};
use serde_json::Value;

use super::{
    ending::{CommandResult, Ending, StopReason},
    form_check::{FormCheck, STDIN},
    global::Global,
    out::CommandOutput,
    plain, report,
    screen::open_screen,
};
use crate::{
    app::{
        documents::Document,
        form_file::{FormEnd, FormFile, FormGoal},
        state::Start,
    },
    model::{
        entry::FileId,
        problem::{Problem, ProblemKind},
    },
    runtime::event_loop::ExitReason,
    schema::{
        blank::blank_value, count::count_text, pointer::Pointer, tree::Schema, ui_schema,
        validate::Checker,
    },
    store::{
        files,
        schema_files::{self, SchemaFile},
        schema_map::SchemaMap,
        workspace::Workspace,
    },
    syntax::{
        print,
        source::{Format, Source},
    },
};

const AFTER: &str = "\
Without -o the document is printed when you are done; the screen is drawn on the terminal, so `toolcrib form s.json > out.json` works.
Exit codes: 0 printed or saved, 1 cancelled, 2 wrong usage or unreadable files, 5 printed or saved as a draft, with issues,
6 printed or saved, but not fully checked because parts of the schema are not valid.
With --check: 0 every document matches, 1 some do not, 2 wrong usage or unreadable files, 6 they match but were not fully checked.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Form {
    /// The JSON Schema, in JSON or YAML
    #[arg(value_hint = ValueHint::FilePath)]
    schema: PathBuf,

    /// The document to edit, in JSON, YAML or TOML, or - for standard input; by default the form
    /// starts empty. With --check, the documents to check: files, folders, or patterns such as
    /// 'config/**/*.yaml'
    #[arg(value_name = "DOC", value_hint = ValueHint::FilePath)]
    documents: Vec<PathBuf>,

    /// Check the documents and report where they don't match the schema
    #[arg(long, requires = "documents", conflicts_with_all = ["output", "ui"])]
    check: bool,

    /// The format of the report
    #[arg(long, value_enum, default_value_t = report::Format::Human, requires = "check", conflicts_with = "json")]
    format: report::Format,

    /// Read the schema of this URL from a file; a URL that ends with / maps a folder. Can be
    /// repeated
    #[arg(long, value_name = "URL=FILE")]
    map: Vec<String>,

    /// Save the document to this file instead of printing it; may be DOC itself
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// How fields are shown: a uiSchema of react-jsonschema-form or Unique
    #[arg(long, value_name = "UISCHEMA", value_hint = ValueHint::FilePath)]
    ui: Option<PathBuf>,
}

impl Form {
    /// A form that edits a document and saves it in its own file.
    pub fn of_document(schema: PathBuf, document: PathBuf) -> Self {
        Self {
            schema,
            output: Some(document.clone()),
            documents: vec![document],
            check: false,
            format: report::Format::Human,
            map: Vec::new(),
            ui: None,
        }
    }

    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let ended = if self.check {
            self.check_documents(global, out)
        } else {
            self.open_form(global, out)
        };
        ended.map_err(|halt| match halt {
            // Whatever keeps the form from opening is not to be taken for its being cancelled.
            StopReason::Met(problem) if problem.kind == ProblemKind::File => {
                Problem { kind: ProblemKind::Input, ..problem }.into()
            }
            other => other,
        })
    }

    fn check_documents(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let format = if global.json { report::Format::Json } else { self.format };
        let map = SchemaMap::from_pairs(&self.map)?;
        FormCheck { schema: &self.schema, documents: &self.documents, map: &map, format }.run(out)
    }

    /// The one document that is edited.
    fn edited_document(&self) -> Result<Option<&Path>, Problem> {
        match self.documents.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            _ => Err(Problem::new(
                ProblemKind::Input,
                "opening a form",
                "it edits a single \
                document",
            )
            .with_remedy("name one, or add --check to check all of them")),
        }
    }

    fn open_form(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let SchemaFile { schema, left_out } =
            schema_files::load_schema(&self.schema, &SchemaMap::from_pairs(&self.map)?)?;
        let ui = self.ui.as_deref().map(schema_files::read_value).transpose()?.map(Arc::new);
        let (workspace, form) = self.form_file(global, Arc::new(schema), ui.clone())?;
        let schema = Arc::clone(&form.schema);
        let start = Start { workspace: form.title.clone(), form: Some(form), ..Start::default() };
        let (end, filled) = open_screen(global, workspace, start, left_out)?;
        let (ExitReason::Left, Some(filled)) = (end, filled) else {
            return Ok(Ending::Interrupted);
        };
        for note in ui.iter().flat_map(|ui| ui_schema::ignored_options(ui)) {
            out.warn(format_args!("uiSchema {note}"));
        }
        let FormEnd::Accepted { issues } = filled.end else {
            out.print_status(if filled.goal == FormGoal::Printed {
                "cancelled: nothing is printed"
            } else {
                "cancelled: nothing is saved"
            });
            return Ok(Ending::Found);
        };
        if filled.goal == FormGoal::Printed {
            out.print_raw(&filled.text)?;
            out.flush()?;
        }
        let unchecked = unchecked_parts(&schema);
        if !unchecked.is_empty() {
            out.warn(format_args!("not fully checked; in the schema: {}", unchecked.join("; ")));
        }
        if issues.is_empty() {
            return Ok(if unchecked.is_empty() { Ending::Done } else { Ending::Unchecked });
        }
        out.warn(format_args!(
            "a draft with {}: {}",
            count_text(issues.len(), "issue", "issues"),
            issues.join("; ")
        ));
        Ok(Ending::Draft)
    }

    /// Whether the output is the very file that is edited.
    fn is_edited_file(&self, output: &Path) -> bool {
        let same =
            |instance: &PathBuf| fs::canonicalize(instance).ok().zip(fs::canonicalize(output).ok());
        self.documents.first().and_then(same).is_some_and(|(instance, output)| instance == output)
    }

    /// What the form begins with, and the folder that its document is saved in.
    fn form_file(
        &self,
        global: &Global,
        schema: Arc<Value>,
        ui: Option<Arc<Value>>,
    ) -> Result<(Workspace, FormFile), Problem> {
        let instance = self.edited_document()?;
        let wanted = self.output.as_deref().and_then(Format::from_path);
        // A `.json` that has comments stays one.
        let wanted = wanted.filter(|wanted| instance.and_then(Format::from_path) != Some(*wanted));
        let given = instance.map(|path| read_instance(path, global)).transpose()?;
        let source = match given {
            Some(source) => in_format(source, wanted)?,
            None => empty_document(&schema, wanted.unwrap_or(Format::Json))?,
        };
        let place = match (&self.output, instance) {
            (Some(output), _) => output.clone(),
            (None, Some(instance)) if instance != Path::new(STDIN) => instance.to_owned(),
            (None, _) => self.schema.clone(),
        };
        let (workspace, file) = folder_of(&place)?;
        let on_disk = match &self.output {
            // Another document there is not to be lost without a word: the save asks.
            Some(output) if self.is_edited_file(output) => Some(files::read_text(output)?.text),
            _ => None,
        };
        let (goal, target) = match &self.output {
            Some(output) => (FormGoal::Saved, output.display().to_string()),
            None => (FormGoal::Printed, "standard output".to_owned()),
        };
        let text = source.text().clone();
        let made = instance.is_none() || source.is_blank();
        let mut document = Document::from_disk(source.format(), text.clone(), Ok(source));
        document.saved = on_disk;
        let title = self.schema.display().to_string();
        let form = FormFile {
            file,
            schema,
            ui,
            title,
            target,
            goal,
            document,
            made,
            before: text,
            end: FormEnd::default(),
            saving: Vec::new(),
        };
        Ok((workspace, form))
    }
}

/// What of a schema is not checked, each with its place.
fn unchecked_parts(schema: &Arc<Value>) -> Vec<String> {
    let findings =
        Checker::compile_lenient(schema).findings.into_iter().filter(|finding| finding.unchecked);
    let place = |at: &Pointer| if at.is_root() { "all of it".to_owned() } else { at.to_string() };
    findings.map(|finding| format!("{} {}", place(&finding.at), finding.words)).collect()
}

/// The folder of a file that may not be there yet, links followed.
fn folder_of(path: &Path) -> Result<(Workspace, FileId), Problem> {
    let doing = || format!("opening {}", path.display());
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = whole.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| {
        Problem::new(ProblemKind::Input, doing(), "its name is missing or isn't UTF-8")
    })?;
    let folder =
        whole.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let root = fs::canonicalize(folder).map_err(|_| {
        let cause = format!("there is no folder {}", folder.display());
        Problem::new(ProblemKind::Missing, doing(), cause).with_remedy("create the folder first")
    })?;
    let file = FileId::new(name);
    Ok((Workspace { root, only: Some(file.clone()) }, file))
}

fn read_instance(path: &Path, global: &Global) -> Result<Source, Problem> {
    if path == Path::new(STDIN) && plain::is_asked_for(global) {
        let cause = "in plain mode the answers come from there";
        return Err(Problem::new(ProblemKind::Input, "reading standard input", cause)
            .with_remedy("give the document as a file"));
    }
    if path != Path::new(STDIN) {
        return schema_files::parse_source(path, files::read_text(path)?.text);
    }
    let mut text = String::new();
    let failed = |error: std::io::Error| {
        Problem::new(ProblemKind::Input, "reading standard input", error.to_string())
    };
    std::io::stdin().read_to_string(&mut text).map_err(failed)?;
    schema_files::parse_source(Path::new("standard input"), text.into())
}

/// The document in the format that its file's name asks for.
fn in_format(source: Source, wanted: Option<Format>) -> Result<Source, Problem> {
    let Some(format) = wanted.filter(|format| *format != source.format()) else {
        return Ok(source);
    };
    // Every JSON is JSON5 too.
    let is_wider = source.format().is_json() && format.is_json();
    if is_wider && let Ok(same) = Source::parse(format, source.text().clone()) {
        return Ok(same);
    }
    let failed = |cause: String| {
        Problem::new(
            ProblemKind::Input,
            format!("writing the document as {}", format.name()),
            cause,
        )
        .with_remedy("give the output the ending of the input's format")
    };
    let Some(value) = source.value(0) else {
        return Source::parse(format, "").map_err(|error| failed(error.to_string()));
    };
    let text = print::print_value(format, value);
    let printed = Source::parse(format, text).map_err(|error| failed(error.to_string()))?;
    match printed.value(0) == Some(value) {
        true => Ok(printed),
        false => Err(failed("it has values that the format can't express".into())),
    }
}

/// The smallest document: what the schema requires and has a value for.
fn empty_document(schema: &Arc<Value>, format: Format) -> Result<Source, Problem> {
    let unchecked = Schema::new(Arc::clone(schema));
    let bare = blank_value(&unchecked, None, &unchecked.root_node().key)
        .as_object()
        .is_some_and(serde_json::Map::is_empty);
    // Where nothing is filled in there is nothing to check, and a large schema takes its time to
    // compile.
    let opened = (!bare).then(|| Checker::compile_lenient(schema));
    let (schema, checker) = match opened {
        Some(opened) => (Schema::new(opened.schema), opened.checker),
        None => (unchecked, None),
    };
    let root = schema.root_node();
    // Where anything goes, a document is most often an object.
    let is_anything =
        root.unions.first().is_some_and(|union| schema.pointer(union.place).is_none());
    let start = match is_anything
        && root.types.admits(&Value::Object(serde_json::Map::new()))
        && root.default.is_none()
    {
        true => Value::Object(serde_json::Map::new()),
        false => blank_value(&schema, checker.as_ref(), &root.key),
    };
    let bare = start.as_object().is_some_and(serde_json::Map::is_empty) && !format.is_json();
    let text = if bare { String::new() } else { print::print_document(format, &start) };
    Source::parse(format, text).map_err(|error| {
        Problem::new(
            ProblemKind::Input,
            format!("starting a document in {}", format.name()),
            error.to_string(),
        )
    })
}
