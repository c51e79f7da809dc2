//! Which tools cases call, and in which order: after those whose answers they name.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::{BTreeMap, VecDeque},
};

use crate::{
    app::{
        cases::{WaitingCase, read_case},
        documents::Document,
        state::State,
    },
    engine::case::script::Case,
    model::{
        catalog::Catalog,
        entry::FileId,
        problem::{Problem, ProblemKind},
        tool::Tool,
    },
    schema::{natural_order, ordering::PutInOrder},
};

/// These cases in the order of their files' names, with the earlier ones of the same folder whose
/// answers they name.
pub(super) fn in_order(state: &State, files: Vec<FileId>) -> VecDeque<WaitingCase> {
    let mut chosen: Vec<WaitingCase> = Vec::new();
    let mut wanted = files;
    while let Some(file) = wanted.pop() {
        if chosen.iter().any(|one| one.file == file) {
            continue;
        }
        let case = state.documents.present(&file).and_then(read_case).and_then(Result::ok);
        let words = case.as_ref().map(Case::answered_tools).unwrap_or_default();
        let earlier = |word: String| {
            let files = earlier_cases(state, &file, &word);
            (word, files)
        };
        let needs: BTreeMap<String, Vec<FileId>> = words.into_iter().map(earlier).collect();
        wanted.extend(needs.values().flatten().cloned());
        let is_alone = case.is_some_and(|case| case.expect.looks_at_times());
        chosen.push(WaitingCase { file, needs, is_alone });
    }
    chosen.order_by(|one, other| in_order_of_names(&one.file, &other.file));
    chosen.into()
}

fn in_order_of_names(one: &FileId, other: &FileId) -> Ordering {
    natural_order::compare(one.as_str(), other.as_str())
}

/// The cases of the same folder that come before this one and call that tool, in order.
fn earlier_cases(state: &State, file: &FileId, word: &str) -> Vec<FileId> {
    let is_earlier = |other: &FileId| {
        other.path().parent() == file.path().parent() && in_order_of_names(other, file).is_lt()
    };
    let calls_it = |document: &Document| {
        let case = read_case(document).and_then(Result::ok);
        case.is_some_and(|case| is_of_tool(state, &case, word))
    };
    let files = state
        .documents
        .iter()
        .filter(|(other, document)| !document.gone && is_earlier(other) && calls_it(document));
    let mut files: Vec<FileId> = files.map(|(file, _)| file.clone()).collect();
    files.order_by(in_order_of_names);
    files
}

/// The tool of a case: the workspace's, else one that is listed of the connection's system.
pub(super) fn find_called<'s>(state: &'s State, case: &Case) -> Option<(&'s Catalog, &'s Tool)> {
    let own = || Some((&*state.catalog, state.catalog.tool_called(&case.tool)?));
    own().or_else(|| {
        let is_at = |name: &str| case.connection.as_deref().is_none_or(|own| own == name);
        let mut lists = state.deployed_lists().filter(|list| is_at(&list.connection.name));
        lists.find_map(|list| Some((&*list.catalog, list.catalog.tool_called(&case.tool)?)))
    })
}

/// Whether a case calls the tool of that name or key.
fn is_of_tool(state: &State, case: &Case, word: &str) -> bool {
    let is_called = || {
        let (_, tool) = find_called(state, case)?;
        Some(tool.name == word || tool.entry.key == word)
    };
    case.tool == word || is_called().unwrap_or_default()
}

/// The case with the answers that it names.
///
/// # Errors
/// When there is no such answer, or no such part of it.
pub(super) fn with_answers(
    state: &State,
    waiting: &WaitingCase,
    case: &Case,
) -> Result<Case, Problem> {
    if let Some((word, _)) = waiting.needs.iter().find(|(_, files)| files.is_empty()) {
        let cause = format!(
            "it names the answer of \"{word}\", and no case before it in its folder calls that tool"
        );
        return Err(Problem::new(ProblemKind::Input, "filling in the arguments", cause)
            .with_remedy("cases of a folder come in the order of their files' names"));
    }
    let tries = &state.invoke.cases.tries;
    let answer = |word: &str| {
        let mut newest = waiting.needs.get(word)?.iter().rev();
        newest.find_map(|file| Some(tries.get(file)?.answer_text()?.to_owned()))
    };
    case.with_answers(&answer).map(Cow::into_owned)
}
