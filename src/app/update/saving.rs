//! Saving: which files are written, and what is said when they are.

use std::{collections::BTreeSet, sync::Arc};

use super::files;
use crate::{
    app::{
        documents::{Change, Document},
        effect::{Effect, Overwrite},
        message::AfterSave,
        notices::NoticeKind,
        question::Question,
        state::State,
    },
    model::{
        clock::Millis,
        entry::FileId,
        finding::{Finding, Severity},
    },
    schema::count::count_text,
    syntax::source::Source,
};

pub(super) fn save_files(state: &mut State, file: Option<FileId>, now: Millis) -> Vec<Effect> {
    save_those(state, file, |_, _| false, now)
}

/// Saves a file, with those that were changed together with it, and what was deleted. A file that
/// is gone since its creation was undone is none that anyone asked to delete.
pub(super) fn save_selected(state: &mut State, file: FileId, now: Millis) -> Vec<Effect> {
    let is_changed = state.documents.present(&file).is_some_and(Document::is_changed);
    let joint = if is_changed { state.documents.changed_with(&file) } else { BTreeSet::new() };
    let deleted = state.documents.deleted_files();
    let besides = |name: &FileId, document: &Document| {
        document.gone && deleted.contains(name) || joint.contains(name)
    };
    save_those(state, Some(file), besides, now)
}

/// Saves one file, or all, and those that are wanted besides.
fn save_those(
    state: &mut State,
    file: Option<FileId>,
    besides: impl Fn(&FileId, &Document) -> bool,
    now: Millis,
) -> Vec<Effect> {
    let wanted = |name: &FileId, document: &Document| {
        file.as_ref().is_none_or(|file| file == name) || besides(name, document)
    };
    let (names, effects): (Vec<_>, Vec<_>) = state
        .documents
        .changed_files()
        .filter(|(name, document)| wanted(name, document))
        .map(|(name, document)| (name.clone(), save_effect(name, document, Overwrite::Refuse)))
        .unzip();
    // What is changed together is written together, or not yet.
    if let Some((file, disk)) = state.documents.first_conflict(&names) {
        let then =
            if std::mem::take(&mut state.leaving) { AfterSave::Leave } else { AfterSave::Stay };
        state.question = Some(Question::Conflict { file, disk: Some(disk), then });
        return Vec::new();
    }
    if effects.len() > 1 {
        state.notices.await_saves(effects.len());
    }
    if effects.is_empty() {
        let what = file.map_or_else(
            || "nothing to save: no file has changes".to_owned(),
            |file| match state.documents.changed_files().count() {
                _ if state.documents.get(&file).is_some_and(Document::differs_on_disk) => {
                    files::differing_words(state, &file)
                }
                0 => format!("{file} has no changes"),
                others => {
                    let others = count_text(others, "other file", "other files");
                    let save = state.keymap.way_to("save-all");
                    format!("{file} has no changes; {save} saves {others}")
                }
            },
        );
        state.notices.push(NoticeKind::Hint, what, now);
    }
    effects
}

pub(super) fn overwrite(state: &mut State, file: &FileId) -> Vec<Effect> {
    // What was to come after the save comes after this one.
    state.leaving =
        matches!(state.question.take(), Some(Question::Conflict { then: AfterSave::Leave, .. }));
    let is_meant = |name: &FileId| name == file || state.leaving;
    let saves = state.documents.changed_files().filter(|(name, _)| is_meant(name));
    let overwriting = |name: &FileId| match name == file {
        true => Overwrite::Allow,
        false => Overwrite::Refuse,
    };
    saves.map(|(name, document)| save_effect(name, document, overwriting(name))).collect()
}

/// Puts what was typed and what somebody else wrote together, to be looked at and saved.
pub(super) fn merge(state: &mut State, file: &FileId, now: Millis) -> Vec<Effect> {
    let Some(Question::Conflict { disk: Some(disk), .. }) = state.question.take() else {
        return Vec::new();
    };
    let document = state.documents.get(file);
    let merged = document.and_then(|document| document.merged_with(&disk));
    let (Some(document), Some(text)) = (document, merged) else { return Vec::new() };
    let before = document.saved.clone();
    state.documents.mark_saved(file, Some(disk.clone()));
    state.documents.parse_saved(file);
    let change = Change::Text { file: file.clone(), text };
    let generation = state.generation;
    let label = format!("merge {file} with the disk");
    let effects = files::apply_changes(state, &label, &[change], now);
    if state.generation != generation {
        state.documents.note_reloaded(file, before, Some(disk));
    }
    let words = format!(
        "{file} has your changes and those on disk; {} shows what saving will change",
        state.keymap.way_to("diff")
    );
    state.notices.push(NoticeKind::Done, words, now);
    effects
}

pub(super) fn save_effect(file: &FileId, document: &Document, overwrite: Overwrite) -> Effect {
    let text = (!document.gone).then(|| document.text.whole_text().clone());
    Effect::Save { file: file.clone(), text, before: document.typed_over().cloned(), overwrite }
}

pub(super) fn take_disk(state: &mut State, file: &FileId, now: Millis) -> Vec<Effect> {
    let disk = match state.question.take() {
        Some(Question::Conflict { file: asked, disk, .. }) if asked == *file => disk,
        _ => state.documents.get(file).and_then(|document| document.saved.clone()),
    };
    // A form has nothing to show of it; what was typed is all there is.
    if let (Some(_), Some(text)) = (&state.form, &disk)
        && let Some(document) = state.documents.get(file)
        && let Err(error) = Source::of_format(document.format, text.clone())
    {
        let words = format!(
            "{file} on disk has a syntax error: {error}; your text is kept. Correct it there, or \
            overwrite it"
        );
        state.notices.push(NoticeKind::Warning, words, now);
        return Vec::new();
    }
    let change = match &disk {
        Some(text) => Change::Text { file: file.clone(), text: text.clone() },
        None => Change::Remove { file: file.clone() },
    };
    let before = state.documents.get(file).and_then(|document| document.saved.clone());
    state.documents.mark_saved(file, disk.clone());
    let generation = state.generation;
    let effects = files::apply_changes(state, &format!("reload {file} from disk"), &[change], now);
    if state.generation != generation {
        state.documents.note_reloaded(file, before, disk);
    }
    state.notices.push(
        NoticeKind::Done,
        format!("{file} is as on disk; undo restores your changes"),
        now,
    );
    effects
}

pub(super) fn on_saved(
    state: &mut State,
    file: &FileId,
    text: Option<Arc<str>>,
    now: Millis,
) -> Vec<Effect> {
    let done = if text.is_some() { "Saved" } else { "Removed" };
    state.documents.mark_saved(file, text);
    state.generation += 1;
    let is_error =
        |finding: &&Finding| finding.site.file == *file && finding.severity == Severity::Error;
    match state.findings.iter().filter(is_error).count() {
        0 if state.notices.awaits_saves() => state.notices.push_saved(done, file.as_str(), now),
        0 => {
            let words = match state.documents.changed_files().count() {
                0 => format!("{done} {file}"),
                others => {
                    let others = count_text(others, "other file", "other files");
                    format!("{done} {file}; {} saves {others} too", state.keymap.way_to("save-all"))
                }
            };
            state.notices.push(NoticeKind::Done, words, now);
        }
        count => {
            let errors = if count == 1 { "error" } else { "errors" };
            let file = format!("{file}, with {count} {errors}");
            if state.notices.awaits_saves() {
                state.notices.push_saved(done, &file, now);
            } else {
                state.notices.push(NoticeKind::Warning, format!("{done} {file}"), now);
            }
        }
    }
    let unread = state.documents.unread.iter().find(|unread| unread.file == *file);
    if let Some(words) =
        unread.map(|unread| format!("{done} {file}; what is typed isn't in it: {}", unread.words))
    {
        state.notices.push(NoticeKind::Problem, words, now);
    }
    let mut effects = files::journal_unsaved(state);
    if state.leaving && state.documents.changed_files().next().is_none() {
        effects.push(Effect::Quit);
    }
    effects
}

/// The editor works on the file on disk, so what is unsaved is saved first.
pub(super) fn open_editor(
    state: &mut State,
    file: FileId,
    line: usize,
    column: usize,
    now: Millis,
) -> Vec<Effect> {
    let unsaved = state.documents.get(&file).filter(|document| document.is_changed());
    let mut effects: Vec<_> = unsaved
        .map(|document| save_effect(&file, document, Overwrite::Refuse))
        .into_iter()
        .collect();
    if !effects.is_empty() {
        state.notices.push(NoticeKind::Hint, format!("saved {file} for the editor"), now);
    }
    effects.push(Effect::Editor { file, line, column });
    effects
}
