//! The workspace's case files, and what is wrong with some.

use crate::{
    app::{documents::Document, message::DocumentMessage, state::State},
    engine::{
        case::{
            page::{self, FOLDER},
            read::{AnyCase, read_any_case},
        },
        members::FileIssue,
    },
    model::entry::FileId,
    schema::{natural_order, ordering::PutInOrder, pointer::Pointer},
    syntax::source::Source,
};

/// A file with a case, or with what was meant as one.
pub(crate) struct FiledCase {
    pub file: FileId,
    pub case: Result<AnyCase, Fault>,
}

/// What is wrong with a file, and where.
pub(crate) struct Fault {
    pub words: String,
    pub line: usize,
    pub column: usize,
}

/// What a case calls and expects.
pub(super) fn case_summary(case: &AnyCase) -> String {
    match case {
        // Before a run nothing looks like a result of one.
        AnyCase::Call(case) => format!("{}, expects: {}", case.tool, page::case_summary(case)),
        AnyCase::Ask(case) => format!("ask: {}", case.question),
    }
}

impl FiledCase {
    /// Its own name, else its file's.
    pub fn name(&self) -> &str {
        let own = match &self.case {
            Ok(AnyCase::Call(case)) => &case.name,
            Ok(AnyCase::Ask(case)) => &case.name,
            Err(_) => "",
        };
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
    found.order_by(|one, other| natural_order::compare(one.file.as_str(), other.file.as_str()));
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
    let read = read_any_case(source, is_meant)?;
    Some(read.map_err(|issue| fault_at(source, &issue)))
}

fn fault_at(source: &Source, issue: &FileIssue) -> Fault {
    let mut around = std::iter::successors(Some(issue.at.clone()), Pointer::parent);
    let place = around.find_map(|at| source.find_place(0, &at));
    let (line, column) = place.map_or((1, 1), |place| (place.line, place.column));
    Fault { words: issue.to_string(), line, column }
}
