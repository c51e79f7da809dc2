//! Which cases are run: by files, by what is in their names, and those that failed last.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
};

use crate::{
    cli::{
        cases::{self, AskFile, CaseFile, CaseFiles},
        data_files::list_data_files,
        global::Global,
    },
    engine::workflow::similar,
    model::{
        catalog::Catalog,
        path_pattern::matches_name,
        problem::{Problem, ProblemKind},
        shown::shell_word,
    },
    schema::count::count_text,
    store::{failed_cases, globs, paths::Paths},
};

/// So many cases are named at most where a word names none.
const NAMED: usize = 8;

/// How the command line chooses.
#[derive(Clone, Copy)]
pub(super) struct Choice<'c> {
    /// Files, folders, patterns, names; none: all of the workspace's.
    pub words: &'c [PathBuf],
    /// One of these is in the name, the file or the tool; none: any will do.
    pub filters: &'c [String],
    /// Only those that failed when they were last run.
    pub only_failed: bool,
}

/// The cases that are chosen. With [`Choice::only_failed`] that may be none.
///
/// # Errors
/// When a word or a filter chooses no case, or there is none at all.
pub(super) fn choose_cases(choice: Choice<'_>, global: &Global) -> Result<CaseFiles, Problem> {
    let mut filed = match choice.words {
        [] if choice.only_failed => {
            let root = global.find_workspace(None)?.root;
            let failed: Vec<PathBuf> = failed_files(&root).into_iter().collect();
            if failed.is_empty() { CaseFiles::default() } else { cases::read_cases(&failed)? }
        }
        [] => cases::read_cases(&[cases::of_workspace(global)?])?,
        words => {
            let mut files = Vec::new();
            for word in words {
                files.extend(files_of_word(word, global)?);
            }
            cases::read_cases(&files)?
        }
    };
    if choice.only_failed {
        let home = filed.workspace_root().filter(|_| global.workspace.is_none());
        let failed = failed_files(&global.find_workspace(home.as_deref())?.root);
        let has_failed = |path: &Path| path.canonicalize().is_ok_and(|path| failed.contains(&path));
        retain(&mut filed, |path, _| has_failed(path));
    }
    if !choice.filters.is_empty() {
        let names = case_names(&filed);
        let wanted: Vec<String> = choice.filters.iter().map(|text| text.to_lowercase()).collect();
        let is_wanted = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
            wanted.iter().any(|wanted| words.iter().any(|word| word.contains(wanted)))
        };
        let root = filed.workspace_root().unwrap_or_default();
        let file = |path: &Path| {
            let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            path.strip_prefix(&root).unwrap_or(&path).display().to_string()
        };
        retain(&mut filed, |path, words| is_wanted(&[&file(path)]) || is_wanted(words));
        if filed.is_empty() && !names.is_empty() {
            let words = choice.filters.join("\" or \"");
            let cause = format!("no case has \"{words}\" in its name, file or tool");
            return Err(Problem::new(ProblemKind::Missing, "choosing cases", cause)
                .with_remedy(there_are(&names)));
        }
    }
    Ok(filed)
}

/// Adds the cases of the same folder whose answers these name, each before the one that names it;
/// one that was to come later comes there, too.
pub(super) fn add_needed(filed: &mut CaseFiles, catalog: &Catalog) {
    let mut keys: HashMap<String, String> = HashMap::new();
    let mut key_of = |word: &str| match keys.get(word) {
        Some(key) => key.clone(),
        None => keys.entry(word.to_owned()).or_insert(key_of_tool(word, catalog)).clone(),
    };
    // The tools that the cases before that row call.
    let (mut row, mut called) = (0, HashSet::new());
    while let Some(one) = filed.calls.get(row) {
        let named = one.case.answered_tools();
        let missing: HashSet<String> =
            named.iter().map(|word| key_of(word)).filter(|key| !called.contains(key)).collect();
        let mut found = match missing.is_empty() {
            true => Vec::new(),
            false => earlier_cases(&one.path),
        };
        found.retain(|earlier| missing.contains(&key_of(&earlier.case.tool)));
        if found.is_empty() {
            called.insert(key_of(&one.case.tool));
            row += 1;
            continue;
        }
        // Those that are added may name answers, too: they are looked at next.
        let mut later = filed.calls.split_off(row);
        let asked: Vec<PathBuf> = later.iter().map(real_path).collect();
        let is_added = |one: &&CaseFile| !asked.contains(&real_path(one));
        filed.needed.extend(found.iter().filter(is_added).map(CaseFile::display_name));
        let moved: Vec<PathBuf> = found.iter().map(real_path).collect();
        later.retain(|one| !moved.contains(&real_path(one)));
        filed.calls.extend(found.into_iter().chain(later));
    }
}

fn real_path(one: &CaseFile) -> PathBuf {
    one.path.canonicalize().unwrap_or_else(|_| one.path.clone())
}

/// What the tool of a word has as its key, whether the word is that or the tool's name; a tool that no
/// file has may have its connection before it.
fn key_of_tool(word: &str, catalog: &Catalog) -> String {
    match catalog.tool_called(word) {
        Some(tool) => tool.entry.key.clone(),
        None => word.split_once('/').map_or(word, |(_, tool)| tool).to_owned(),
    }
}

/// The cases of the same folder that come before this one.
fn earlier_cases(path: &Path) -> Vec<CaseFile> {
    let Some(files) = path.parent().and_then(|folder| list_data_files(folder).ok()) else {
        return Vec::new();
    };
    let earlier: Vec<PathBuf> =
        files.into_iter().take_while(|file| file.file_name() != path.file_name()).collect();
    cases::read_cases(&earlier).unwrap_or_default().calls
}

/// Keeps those of which that holds: of their path, and of their name and tool.
fn retain(filed: &mut CaseFiles, holds: impl Fn(&Path, &[&str]) -> bool) {
    filed.calls.retain(|CaseFile { path, case, .. }| holds(path, &[&case.name, &case.tool]));
    filed.asks.retain(|AskFile { path, case }| holds(path, &[&case.name, &case.question]));
    filed.broken.retain(|broken| holds(&broken.path, &[]));
}

fn failed_files(root: &Path) -> BTreeSet<PathBuf> {
    Paths::of_user().map(|paths| failed_cases::read_failed(&paths, root)).unwrap_or_default()
}

fn files_of_word(word: &Path, global: &Global) -> Result<Vec<PathBuf>, Problem> {
    let named = cases::named_file(word, global);
    if named.exists() {
        return Ok(vec![named]);
    }
    let text = word.to_string_lossy();
    let of_workspace = || {
        let folder = cases::of_workspace(global).ok()?;
        list_data_files(&folder).ok()
    };
    if globs::is_pattern(&text) {
        let mut files = globs::expand_glob(&text);
        if files.is_empty() {
            files = of_workspace().unwrap_or_default();
            files.retain(|path| {
                let names = [path.file_stem(), path.file_name()].into_iter().flatten();
                names.map(|name| name.to_string_lossy()).any(|name| matches_name(&text, &name))
            });
        }
        if !files.is_empty() {
            return Ok(files);
        }
    }
    let known = of_workspace().and_then(|files| cases::read_cases(&files).ok());
    Err(unknown_word(&text, &known.unwrap_or_default()))
}

/// That a word names no case, with those that may be meant.
fn unknown_word(word: &str, known: &CaseFiles) -> Problem {
    let names = case_names(known);
    let has = |text: &str| text.to_lowercase().contains(&word.to_lowercase());
    let of_word =
        known.calls.iter().filter(|filed| has(&filed.case.tool) || has(&filed.case.name)).count();
    let near = similar::nearest_name(word, names.iter().map(String::as_str));
    let remedy = match (of_word, near) {
        (1.., _) => format!(
            "`toolcrib test --filter {}` runs {} with that in the name or the tool",
            shell_word(word),
            count_text(of_word, "case", "cases")
        ),
        (0, Some(near)) => format!("did you mean \"{near}\"?"),
        (0, None) => there_are(&names),
    };
    let cause = format!("there is no case file \"{word}\"");
    Problem::new(ProblemKind::Missing, "choosing cases", cause).with_remedy(remedy)
}

/// The files of cases without their endings.
fn case_names(filed: &CaseFiles) -> Vec<String> {
    let paths = filed.paths();
    let stem = |path: &Path| Some(path.file_stem()?.to_string_lossy().into_owned());
    paths.filter_map(stem).collect()
}

fn there_are(names: &[String]) -> String {
    match names {
        [] => "the workspace has no cases; keep a call as a case in Invoke or History".to_owned(),
        names if names.len() > NAMED => {
            format!("there are {}, … ({})", names[..NAMED].join(", "), names.len())
        }
        names => format!("there are {}", names.join(", ")),
    }
}
