//! The workspace's case files, and what is wrong with some.

use crate::{
    app::{document::Document, message::DocumentMessage, state::State},
    engine::{
        case::{
            ask::AskCase,
            page::{self, FOLDER},
            script::Case,
        },
        members::FileIssue,
    },
    model::entry::FileId,
    schema::{natural_order, pointer::Pointer},
    syntax::source::Source,
};

/// A file with a case, or with what was meant as one.
pub(crate) struct FiledCase {
    pub file: FileId,
    pub case: Result<AnyCase, Fault>,
}

/// A case of either kind.
pub(crate) enum AnyCase {
    Call(Box<Case>),
    Ask(Box<AskCase>),
}

/// What is wrong with a file, and where.
pub(crate) struct Fault {
    pub words: String,
    pub line: usize,
    pub column: usize,
}

impl AnyCase {
    fn name(&self) -> &str {
        match self {
            Self::Call(case) => &case.name,
            Self::Ask(case) => &case.name,
        }
    }

    /// What it calls and expects.
    pub fn summary(&self) -> String {
        match self {
            // Before a run nothing looks like a result of one.
            Self::Call(case) => format!("{}, expects: {}", case.tool, page::case_summary(case)),
            Self::Ask(case) => format!("ask: {}", case.question),
        }
    }
}

impl FiledCase {
    /// Its own name, else its file's.
    pub fn name(&self) -> &str {
        let own = self.case.as_ref().map_or("", AnyCase::name);
        if own.is_empty() { self.file.as_str() } else { own }
    }

    /// Whether it is among those that are run together, here and by `toolcrib test`.
    pub fn is_of_all(&self) -> bool {
        is_in_folder(&self.file)
    }

    /// Opens it in the user's editor, where it is at fault.
    pub fn edit(&self) -> DocumentMessage {
        let fault = self.case.as_ref().err();
        let (line, column) = fault.map_or((1, 1), |fault| (fault.line, fault.column));
        DocumentMessage::OpenEditor { file: self.file.clone(), line, column }
    }
}

/// Whether a file lies in the folder of the workspace's cases itself.
fn is_in_folder(file: &FileId) -> bool {
    file.as_str().rsplit_once('/').is_some_and(|(folder, _)| folder == FOLDER)
}

/// All of the workspace, in the order of their names.
pub(crate) fn filed_cases(state: &State) -> Vec<FiledCase> {
    let files = state.documents.iter().filter(|(_, document)| !document.gone);
    let read = |(file, document): (&FileId, &Document)| {
        Some(FiledCase { file: file.clone(), case: read_case(file, document)? })
    };
    let mut found: Vec<FiledCase> = files.filter_map(read).collect();
    found.sort_by(|one, other| natural_order::compare(one.file.as_str(), other.file.as_str()));
    found
}

/// The case that a file holds; `None` where it is none and isn't among the workspace's cases.
fn read_case(file: &FileId, document: &Document) -> Option<Result<AnyCase, Fault>> {
    let is_meant = is_in_folder(file);
    let source = match &document.source {
        Ok(source) => source,
        Err(error) => {
            let (line, column) = (error.line, error.column);
            return is_meant.then(|| Err(Fault { words: error.to_string(), line, column }));
        }
    };
    let is_descriptors = source.sections(0).is_some();
    let value = source.value(0).filter(|_| !is_descriptors || is_meant);
    let is_ask = value.is_some_and(|value| AskCase::is_one(value));
    if !is_ask && !is_meant && !value.is_some_and(|value| Case::is_one(value)) {
        return None;
    }
    let read = match source.document_count() {
        0 | 1 if is_ask => AskCase::from_source(source).map(Box::new).map(AnyCase::Ask),
        0 | 1 => Case::from_source(source).map(Box::new).map(AnyCase::Call),
        count => Err(FileIssue {
            at: Pointer::root(),
            message: format!("it holds {count} documents, and a file holds one case"),
        }),
    };
    Some(read.map_err(|issue| fault_at(source, &issue)))
}

fn fault_at(source: &Source, issue: &FileIssue) -> Fault {
    let mut around = std::iter::successors(Some(issue.at.clone()), Pointer::parent);
    let place = around.find_map(|at| source.find_place(0, &at));
    let (line, column) = place.map_or((1, 1), |place| (place.line, place.column));
    Fault { words: issue.to_string(), line, column }
}
