//! Which tools cases call, and in which order: after those whose answers they name.

use std::{
    borrow::Cow,
    cell::LazyCell,
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
};

use crate::{
    app::{
        cases::{WaitingCase, read_case},
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

/// The cases of each folder that call a tool, in order, by the folder and a word for the tool.
type Callers = HashMap<(String, String), Vec<FileId>>;

/// These cases in the order of their files' names, with the earlier ones of the same folder whose
/// answers they name.
pub(super) fn in_order(state: &State, files: Vec<FileId>) -> VecDeque<WaitingCase> {
    let callers = LazyCell::new(|| read_callers(state));
    let (mut chosen, mut known) = (Vec::new(), HashSet::new());
    let mut wanted = files;
    while let Some(file) = wanted.pop() {
        if !known.insert(file.clone()) {
            continue;
        }
        let case = state.documents.present(&file).and_then(read_case).and_then(Result::ok);
        let words = case.as_ref().map(Case::answered_tools).unwrap_or_default();
        let earlier = |word: String| {
            let files = earlier_cases(&callers, &file, &word);
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

/// Reads all cases, once: of many, each may name the answers of others.
fn read_callers(state: &State) -> Callers {
    let mut callers = Callers::new();
    for (file, document) in state.documents.iter().filter(|(_, document)| !document.gone) {
        let Some(Ok(case)) = read_case(document) else { continue };
        let called = find_called(state, &case).map(|(_, tool)| tool).into_iter();
        let names = called.flat_map(|tool| [&*tool.name, &*tool.entry.key]).chain([&*case.tool]);
        for name in names.collect::<BTreeSet<&str>>() {
            let key = (folder_of(file).to_owned(), name.to_owned());
            callers.entry(key).or_default().push(file.clone());
        }
    }
    callers.values_mut().for_each(|files| files.order_by(in_order_of_names));
    callers
}

fn folder_of(file: &FileId) -> &str {
    file.as_str().rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The cases of the same folder that come before this one and call that tool, in order.
fn earlier_cases(callers: &Callers, file: &FileId, word: &str) -> Vec<FileId> {
    let files = callers.get(&(folder_of(file).to_owned(), word.to_owned()));
    let is_earlier = |other: &&FileId| in_order_of_names(other, file).is_lt();
    files.into_iter().flatten().take_while(is_earlier).cloned().collect()
}

/// The tool of a case: the workspace's, else one that is listed of the connection's system.
pub(super) fn find_called<'s>(state: &'s State, case: &Case) -> Option<(&'s Catalog, &'s Tool)> {
    let own = || Some((&*state.catalog, state.catalog.tool_called(&case.tool)?));
    own().or_else(|| {
        let is_at = |name: &str| case.connection.as_deref().is_none_or(|own| own == name);
        let mut lists = state.deployed_lists().filter(|list| is_at(&list.connection.name));
        lists.find_map(|list| {
            let tool = list.catalog.tool_called_at(&list.connection.name, &case.tool)?;
            Some((&*list.catalog, tool))
        })
    })
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
