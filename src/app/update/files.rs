//! Files and edits: what keeps documents, catalog and findings together.

use std::{collections::HashSet, sync::Arc};

use serde_json::Value;

use super::{
    file_names::warn_of_odd_names,
    fixed,
    renamed::{self, CalledTools},
};
use crate::{
    app::{
        checking::{self, FromDisk},
        compose::{
            groups::GROUPS,
            plan::{Plan, Renaming},
            states::listed_states,
        },
        documents::{Change, ChangeError, Document, Documents, HistoryStep},
        effect::Effect,
        message::{FileEntries, Loaded, ScreenId},
        moved::KnownPlaces,
        notices::NoticeKind,
        question::Question,
        state::{LoadProgress, State, ViewTarget},
    },
    engine::{conformance, groups::CustomGroups},
    model::{
        catalog::{Catalog, Part},
        clock::Millis,
        connection::Connection,
        connections::Connections,
        context::Profile,
        entry::{Entry, EntryId, FileId},
        settings::SETTINGS,
    },
    schema::pointer::Pointer,
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
    systems::{read, settings},
};

pub(super) fn apply_changes(
    state: &mut State,
    label: &str,
    changes: &[Change],
    now: Millis,
) -> Vec<Effect> {
    let effects = apply_changes_with(state, label, changes, Documents::apply_changes, now);
    warn_of_odd_names(state, changes, now);
    effects
}

/// The same, as a step of its own.
pub(super) fn apply_as_step(
    state: &mut State,
    label: &str,
    changes: &[Change],
    now: Millis,
) -> Vec<Effect> {
    let effects = apply_changes_with(state, label, changes, Documents::apply_as_step, now);
    warn_of_odd_names(state, changes, now);
    effects
}

/// Makes a plan, as a step of its own.
pub(super) fn apply_plan(state: &mut State, plan: &Plan, now: Millis) -> Vec<Effect> {
    let before = state.generation;
    let called = CalledTools::from_state(state);
    let effects =
        apply_changes_with(state, &plan.label, &plan.changes, Documents::apply_as_step, now);
    if state.generation != before {
        if let Some(Renaming { renamed, joins }) = &plan.renamed {
            renamed::follow_rename(state, renamed, &called);
            if !joins {
                state.documents.note_renamed(renamed.clone());
            }
        }
        // Saving the file of what is selected removes what is gone, too.
        let removed = |change: &&Change| matches!(change, Change::Remove { .. });
        let gone: HashSet<_> = plan.changes.iter().filter(removed).map(Change::file).collect();
        let files: HashSet<_> = plan.changes.iter().map(Change::file).collect();
        let files: Vec<_> = files.difference(&gone).collect();
        let save = match files.as_slice() {
            [file] if saved_by_itself(state) == Some(file) => "save",
            _ => "save-all",
        };
        let words = plan.done_words(&state.keymap, save);
        state.notices.push(NoticeKind::Done, words, now);
        warn_of_odd_names(state, &plan.changes, now);
    }
    effects
}

/// The file that `s` saves on the screen that is shown.
fn saved_by_itself(state: &State) -> Option<&FileId> {
    match state.screen {
        ScreenId::Connections => {
            state.documents.iter().map(|(file, _)| file).find(|file| file.as_str() == SETTINGS)
        }
        _ => state.selected.as_ref().map(EntryId::file),
    }
}

type MakeFiles = fn(&mut Documents, &str, &[Change]) -> Result<Vec<FileId>, ChangeError>;

fn apply_changes_with(
    state: &mut State,
    label: &str,
    changes: &[Change],
    make: MakeFiles,
    now: Millis,
) -> Vec<Effect> {
    let before = entries_where_new_ones_go(&state.catalog, changes);
    let renamed = selected_by_its_new_key(state, changes);
    let is_moved = moves_selected(state, changes);
    match make(&mut state.documents, label, changes) {
        Ok(files) => {
            let selected = state.selected.clone();
            read_again(state, &files);
            fixed::drop_fixed(state, label, changes);
            follow_new_entry(state, &before, changes, is_moved);
            if let Some((file, at)) = renamed {
                let is_it = |entry: &&Entry| entry.id.place().at == at;
                let found = state.catalog.of_file(&file).find(is_it).map(|entry| entry.id.clone());
                state.selected = found.or_else(|| state.selected.take());
            }
            if !files.is_empty() {
                let selected = [selected.as_ref(), state.selected.as_ref()];
                state.documents.note_selected(selected);
            }
            journal_unsaved(state)
        }
        Err(ChangeError::NoFile(file)) if state.catalog.of_file(&file).next().is_some() => {
            let words = format!("{label}: {file} is still being read");
            state.notices.push(NoticeKind::Hint, words, now);
            Vec::new()
        }
        Err(error) => {
            state.notices.push(NoticeKind::Problem, format!("{label}: {error}"), now);
            Vec::new()
        }
    }
}

/// Files of a sample are there, on disk too.
pub(super) fn sample_written(state: &mut State, written: &[(FileId, Arc<str>)], now: Millis) {
    state.documents.note_written("add a sample", written);
    let files: Vec<FileId> = written.iter().map(|(file, _)| file.clone()).collect();
    read_again(state, &files);
    let names: Vec<&str> = files.iter().map(FileId::as_str).collect();
    let undo = state.keymap.way_to("undo");
    let words = format!("Added {}; {undo} undoes", names.join(", "));
    state.notices.push(NoticeKind::Done, words, now);
}

pub(super) fn undo(state: &mut State, now: Millis) -> Vec<Effect> {
    let (run, selected) = (&mut state.workflow.simulation, state.selected.as_ref());
    state.documents.prepare_undo(run, selected);
    step_history(state, "Undid", "there is nothing to undo", now, Documents::undo)
}

pub(super) fn redo(state: &mut State, now: Millis) -> Vec<Effect> {
    state.documents.prepare_redo(&mut state.workflow.simulation);
    step_history(state, "Redid", "there is nothing to redo", now, Documents::redo)
}

type Stepping = fn(&mut Documents) -> Option<HistoryStep>;

fn step_history(
    state: &mut State,
    done: &str,
    nothing: &str,
    now: Millis,
    go: Stepping,
) -> Vec<Effect> {
    let called = CalledTools::from_state(state);
    let Some(step) = go(&mut state.documents) else {
        state.notices.push(NoticeKind::Hint, nothing, now);
        return Vec::new();
    };
    let HistoryStep { label, files, renamed, at, field, groups } = step;
    read_again(state, &files);
    // The cursor is where it was when that was done, or where doing it led.
    if let Some(at) = at.filter(|at| state.catalog.entry(at).is_some()) {
        state.selected = Some(at);
    }
    // And the form shows what changed there.
    if let Some((entry, pointer)) =
        field.filter(|(entry, _)| state.selected.as_ref() == Some(entry))
    {
        let turn = state.goal.as_ref().map_or(0, |goal| goal.turn + 1);
        state.goal = Some(ViewTarget { entry, pointer, turn, takes_keys: false });
    }
    renamed.iter().for_each(|renamed| renamed::follow_rename(state, renamed, &called));
    if let Some(groups) = groups {
        state.workflow.simulation.set_groups(groups);
    }
    let save = on_disk_words(state, &files);
    let differs = |file: &&FileId| state.documents.get(file).is_some_and(Document::differs_on_disk);
    let words = match files.iter().find(differs) {
        Some(file) => format!("{done}: {label}; {}", differing_words(state, file)),
        None => format!("{done}: {label}{save}"),
    };
    state.notices.push(NoticeKind::Done, words, now);
    journal_unsaved(state)
}

/// What is said of a file without changes that is another one on disk.
pub(super) fn differing_words(state: &State, file: &FileId) -> String {
    let reload = state.keymap.way_to("reload");
    format!("{file} has no changes, and was changed on disk: {reload} reads it")
}

/// What saving does to files that a step made or took away: `; S removes b.json and writes a.json`.
fn on_disk_words(state: &State, files: &[FileId]) -> String {
    let named = |verb: &str, is_so: fn(&Document) -> bool| {
        let is_it = |file: &&FileId| state.documents.get(file).is_some_and(is_so);
        let names: Vec<&str> = files.iter().filter(is_it).map(FileId::as_str).collect();
        (!names.is_empty()).then(|| format!("{verb} {}", names.join(", ")))
    };
    let removes = named("removes", |document| document.gone && document.saved.is_some());
    let writes = named("writes", |document| !document.gone && document.saved.is_none());
    let words: Vec<String> = removes.into_iter().chain(writes).collect();
    match words.is_empty() {
        true => String::new(),
        false => format!("; {} {}", state.keymap.way_to("save-all"), words.join(" and ")),
    }
}

/// Where changes may make a new entry: the file, and the place where it is known. What the settings
/// say of tools is no entry to go on with.
fn place_of_new(changes: &[Change]) -> Option<(&FileId, Option<&Pointer>)> {
    let in_files = changes.iter().filter(|change| change.file().as_str() != SETTINGS);
    in_files.into_iter().find_map(|change| match change {
        Change::Create { file, .. } => Some((file, None)),
        Change::File { file, edit: Edit::Set { at, .. } | Edit::Insert { at, .. }, .. } => {
            Some((file, Some(at)))
        }
        _ => None,
    })
}

/// The entries of the file that changes may make a new one in.
fn entries_where_new_ones_go(catalog: &Catalog, changes: &[Change]) -> HashSet<EntryId> {
    let file = place_of_new(changes).map(|(file, _)| file);
    file.into_iter().flat_map(|file| catalog.of_file(file)).map(|entry| entry.id.clone()).collect()
}

/// Where what is selected will be, if changes give it another key in its file.
fn selected_by_its_new_key(state: &State, changes: &[Change]) -> Option<(FileId, Pointer)> {
    let place = state.selected.as_ref()?.place();
    changes.iter().find_map(|change| match change {
        Change::File { file, document, edit: Edit::Rename { at, key } }
            if *file == place.file && *document == place.document && *at == place.at =>
        {
            Some((file.clone(), at.parent()?.child(key)))
        }
        _ => None,
    })
}

/// Whether the file of what is selected goes: with a new one it is the same entry by another name.
fn moves_selected(state: &State, changes: &[Change]) -> bool {
    let Some(selected) = &state.selected else { return false };
    changes
        .iter()
        .any(|change| matches!(change, Change::Remove { file } if file == selected.file()))
}

/// A new entry is the one to look at, and its form the place to go on, unless it is the selected one
/// by another name.
fn follow_new_entry(
    state: &mut State,
    before: &HashSet<EntryId>,
    changes: &[Change],
    is_moved: bool,
) {
    let Some((file, at)) = place_of_new(changes) else { return };
    let is_new = |entry: &&Entry| {
        !before.contains(&entry.id) && at.is_none_or(|at| entry.id.place().at == *at)
    };
    if let Some(id) = state.catalog.of_file(file).find(is_new).map(|entry| entry.id.clone()) {
        if !is_moved {
            let turn = state.goal.as_ref().map_or(0, |goal| goal.turn + 1);
            let (entry, pointer) = (id.clone(), Pointer::root());
            state.goal = Some(ViewTarget { entry, pointer, turn, takes_keys: true });
        }
        state.selected = Some(id);
    }
}

/// Reads the entries of changed files again, and what follows from them.
fn read_again(state: &mut State, files: &[FileId]) {
    // The form program knows no entries.
    if state.form.is_some() {
        state.generation += 1;
        return;
    }
    let catalog = Arc::make_mut(&mut state.catalog);
    let mut moved = Vec::new();
    for file in files {
        let source = state.documents.present(file).map(|document| &document.source);
        match source {
            // While a file cannot be read, what it held before stays to be seen; the finding says
            // so.
            Some(Err(_)) => {}
            Some(Ok(source)) => {
                let before = state.read.insert(file.clone(), source.clone());
                if !before
                    .is_some_and(|before| read::refresh_entries(catalog, file, source, &before))
                {
                    let known = KnownPlaces::of_file(catalog, file);
                    catalog.replace_file(file, read::read_part(file, source, state.mode));
                    moved.push(known.moved_to(KnownPlaces::of_file(catalog, file)));
                }
            }
            None => {
                state.read.remove(file);
                catalog.replace_file(file, Default::default());
            }
        }
    }
    read::apply_loading(catalog);
    moved.into_iter().for_each(|moved| renamed::follow_moved(state, moved));
    if files.iter().any(|file| file.as_str() == SETTINGS) {
        take_settings(state);
    }
    refresh_after_change(state);
}

fn read_all(state: &mut State) {
    let sources = state
        .documents
        .iter()
        .filter_map(|(file, document)| Some((file, document.source.as_ref().ok()?)));
    let sources: Vec<_> = sources.collect();
    let known = KnownPlaces::of_files(&state.catalog);
    let catalog = Arc::new(
        read::read_catalog(sources.iter().copied(), state.mode).into_successor_of(&state.catalog),
    );
    let mut there = KnownPlaces::of_files(&catalog);
    state.catalog = catalog;
    state.read = sources.into_iter().map(|(file, source)| (file.clone(), source.clone())).collect();
    for (file, before) in known {
        let after = there.remove(&file).unwrap_or_default();
        renamed::follow_moved(state, before.moved_to(after));
    }
    take_settings_there(state);
    refresh_after_change(state);
}

fn take_settings_there(state: &mut State) {
    if state.documents.get(&FileId::new(SETTINGS)).is_some() {
        take_settings(state);
    }
}

/// What the workspace's settings say of groups, states and users now; while they cannot be read,
/// what they said before counts.
fn take_settings(state: &mut State) {
    let document = state.documents.present(&FileId::new(SETTINGS));
    let settings = match document.map(|document| &document.source) {
        None => Value::Null,
        Some(Err(_)) => return,
        Some(Ok(source)) => source.value(0).map_or(Value::Null, |value| (**value).clone()),
    };
    let text = document.map_or("", |document| document.text.whole_text());
    let parsed = settings::parse_settings(text).0;
    take_connections(state, parsed.connections);
    state.network.prices = parsed.prices;
    state.health.settings = parsed.health;
    state.check_rules = parsed.check;
    state.disk.schemas = parsed.schemas;
    state.workflow.listed_states = listed_states(&settings);
    state.workflow.profiles = Profile::read_all(settings.get("profiles").unwrap_or(&Value::Null));
    if let Ok(groups) = CustomGroups::from_value(settings.get(GROUPS).unwrap_or(&Value::Null)) {
        state.workflow.custom_groups = groups;
    }
}

/// The connections that the settings say now; the one that was chosen stays there to be called
/// through.
fn take_connections(state: &mut State, mut read: Connections) {
    if let Some(chosen) = state
        .network
        .connections
        .chosen
        .as_ref()
        .and_then(|name| state.network.connections.find_by_name(name))
    {
        match read.find_by_name(&chosen.name) {
            Some(_) => read.chosen = Some(chosen.name.clone()),
            None => {
                let variables = read.variables.clone();
                read.choose(Connection { variables, ..chosen.clone() });
            }
        }
    }
    state.network.connections = read;
}

/// Findings for the catalog and the connection as they are now.
pub(super) fn check_again(state: &mut State) {
    state.generation += 1;
    state.checking.turn += 1;
    let is_more = |count: usize| count > checking::AT_ONCE;
    let files = state.documents.iter();
    let is_large = is_more(state.catalog.entries().take(checking::AT_ONCE + 1).count())
        // Cases, scenarios and stubs have no entries, and are read, too.
        || is_more(state.documents.iter().take(checking::AT_ONCE + 1).count());
    if !is_large {
        // Files of schemas are read apart: until then what was found by them stays.
        let is_pending = names_schema(state);
        if !is_pending {
            state.checking.answered = state.checking.turn;
        }
        let documents = state.findings.iter().filter(|finding| conformance::is_of_schema(finding));
        let documents = documents.filter(|_| is_pending).cloned().collect();
        let disk = FromDisk { documents, ..state.disk.clone() };
        let files = files.map(|(file, document)| (file, document.source.as_ref()));
        state.findings = Arc::new(checking::findings_of(
            &state.catalog,
            &state.call_destinations(),
            state.health.shown(),
            &state.check_rules,
            &disk,
            files,
        ));
    }
}

/// Whether a document names a JSON Schema that may be in a file: by its path, or by an address that
/// the settings map.
fn names_schema(state: &State) -> bool {
    let is_mapped = |name: &str| state.disk.schemas.iter().any(|(url, _)| name.starts_with(url));
    let is_file = |name: String| !name.contains("://") || is_mapped(&name);
    let names = |source: &Source| {
        if !source.text().contains("schema") {
            return false;
        }
        let mut rows = 0..source.document_count();
        rows.any(|row| conformance::named_schema(source, row).is_some_and(is_file))
    };
    let mut documents = state.documents.iter();
    state.form.is_none() && documents.any(|(_, document)| document.source.as_ref().is_ok_and(names))
}

/// Findings, selection and generation for the catalog as it is now.
fn refresh_after_change(state: &mut State) {
    check_again(state);
    let is_there = |id: &EntryId| state.catalog.entry(id).is_some() || state.tool(id).is_some();
    if !state.selected.as_ref().is_some_and(is_there) {
        let near = state.selected.as_ref().and_then(|id| state.catalog.of_file(id.file()).next());
        state.selected =
            near.or_else(|| state.catalog.entries().next()).map(|entry| entry.id.clone());
    }
}

/// Asks to keep what is not saved.
pub(super) fn journal_unsaved(state: &State) -> Vec<Effect> {
    vec![Effect::Journal(state.unsaved_texts())]
}

/// Shows what the beginning of a file holds until the first slice comes, which replaces it.
pub(super) fn begun(state: &mut State, file: &FileId, held: FileEntries) {
    if state.reading == LoadProgress::UnderWay(0) && held.mode == state.mode {
        Arc::make_mut(&mut state.catalog).replace_file(file, held.part);
        state.generation += 1;
        select_first(state);
    }
}

fn select_first(state: &mut State) {
    if state.selected.is_none() {
        state.selected = state.catalog.entries().next().map(|entry| entry.id.clone());
    }
}

pub(super) fn on_files_loaded(state: &mut State, loaded: Vec<(FileId, Loaded)>, now: Millis) {
    let first = state.reading != LoadProgress::Done;
    if state.reading == LoadProgress::UnderWay(0) {
        // What beginnings held comes again, in the order of the files.
        let empty = Catalog::new(state.mode, Vec::new(), Vec::new(), Vec::new());
        state.catalog = Arc::new(empty.into_successor_of(&state.catalog));
    }
    let mut slice = Part::default();
    let mut count = 0;
    for (file, Loaded { text, source, held }) in loaded {
        count += 1;
        let format = Format::from_path(file.path()).unwrap_or(Format::Json);
        state.documents.load_document(file.clone(), Document::from_disk(format, text, source));
        let is_new =
            |document: &&Document| document.changed_elsewhere.is_some() && document.is_changed();
        if !first && state.documents.get(&file).filter(is_new).is_some() {
            state.notices.push(NoticeKind::Warning, elsewhere_words(&file), now);
        }
        // The first reading comes in the order of the files, so that each can be put behind the
        // others.
        if first
            && let Some(Ok(source)) = state.documents.get(&file).map(|document| &document.source)
        {
            let held = held.filter(|held| held.mode == state.mode);
            let part = held.map(|held| held.part);
            slice.extend(part.unwrap_or_else(|| read::read_part(&file, source, state.mode)));
            state.read.insert(file, source.clone());
        }
    }
    Arc::make_mut(&mut state.catalog).append(slice);
    state.generation += 1;
    if let LoadProgress::UnderWay(files) = &mut state.reading {
        *files += count;
    }
    select_first(state);
}

pub(super) fn load_ended(state: &mut State, names: &[FileId], skipped: Vec<String>, now: Millis) {
    let is_first = std::mem::replace(&mut state.reading, LoadProgress::Done) != LoadProgress::Done;
    let there: HashSet<_> = names.iter().collect();
    let gone: Vec<_> = state
        .documents
        .iter()
        .map(|(file, _)| file.clone())
        .filter(|file| !there.contains(file))
        .collect();
    if is_first && gone.is_empty() && names.is_sorted() {
        // The catalog was put together while the files came in.
        read::apply_loading(Arc::make_mut(&mut state.catalog));
        take_settings_there(state);
        refresh_after_change(state);
    } else {
        for file in gone {
            state.documents.mark_deleted(&file);
        }
        read_all(state);
    }
    if state.catalog.entries().next().is_none()
        && state.question.is_none()
        && state.documents.changed_files().next().is_none()
        // A workspace of connections alone has something to show.
        && state.network.connections.known.len() == Connections::default().known.len()
    {
        state.question = Some(Question::Begin);
    }
    for words in skipped {
        state.notices.push(NoticeKind::Warning, words, now);
    }
}

fn elsewhere_words(file: &FileId) -> String {
    format!("{file} changed on disk; saving will ask")
}

pub(super) fn disk_changed(
    state: &mut State,
    file: &FileId,
    text: Option<Arc<str>>,
    now: Millis,
) -> Vec<Effect> {
    let unsaved = state.documents.get(file).is_some_and(Document::is_changed);
    let count = state.disk.unread.len();
    state.disk.unread.retain(|(unread, _)| unread != file);
    if state.disk.unread.len() < count {
        check_again(state);
    }
    match text {
        Some(text) => {
            let known = state.documents.get(file);
            let is_known = known.is_some_and(|document| {
                document.saved.as_ref() == Some(&text) && document.changed_elsewhere.is_none()
            });
            if is_known {
                return Vec::new();
            }
            let format = Format::from_path(file.path()).unwrap_or(Format::Json);
            let source = Source::of_format(format, text.clone());
            if unsaved && known.is_some_and(|document| document.saved.as_ref() == Some(&text)) {
                // It is again what was typed over.
                let document = Document::from_disk(format, text, source);
                state.documents.load_document(file.clone(), document);
                return Vec::new();
            }
            if unsaved {
                state.notices.push(NoticeKind::Warning, elsewhere_words(file), now);
                state.documents.note_elsewhere(file, text);
                return Vec::new();
            }
            let (kind, words) = match &source {
                Ok(_) => (NoticeKind::Hint, format!("{file} changed on disk and was read again")),
                Err(error) => (
                    NoticeKind::Warning,
                    format!(
                        "{file} changed on disk and has a syntax error: {error}; its entries are \
                        shown as they were"
                    ),
                ),
            };
            state.documents.load_document(file.clone(), Document::from_disk(format, text, source));
            state.notices.push(kind, words, now);
        }
        // What was deleted here is known to be gone.
        None if state.documents.get(file).is_none() => return Vec::new(),
        None => {
            state.documents.mark_deleted(file);
            state.notices.push(NoticeKind::Warning, format!("{file} was removed on disk"), now);
        }
    }
    read_again(state, std::slice::from_ref(file));
    Vec::new()
}

/// Shows findings on the health of the tools, or those of the checks alone.
pub(super) fn show_health(state: &mut State, is_shown: bool, now: Millis) {
    state.health.chosen = Some(is_shown);
    check_again(state);
    let words = if is_shown {
        "Problems lists the health of the tools too: alike texts, costs, refused schemas"
    } else {
        "Problems lists no health of the tools"
    };
    state.notices.push(NoticeKind::Done, words.to_owned(), now);
}

pub(super) fn switch_mode(state: &mut State, now: Millis) {
    state.mode = state.mode.toggled();
    state.workflow.simulation.set_mode(state.mode);
    read_all(state);
    state.notices.push(
        NoticeKind::Done,
        format!("{} mode: {}", state.mode, state.mode.meaning()),
        now,
    );
}
