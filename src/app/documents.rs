//! The user's files as they would be saved, and the history of edits that led there.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub use super::{
    change::Change,
    file_versions::{Document, UnreadText},
    revision::{GroupsChange, HistoryStep, Renamed},
};
use super::{
    change::{self, DocumentPlace},
    revision::{DiskText, Operation, Revision, files_of},
    undo::UndoHistory,
};
use crate::{
    engine::simulate::run::Simulation,
    model::{
        entry::{EntryForm, EntryId, FileId},
        finding::EntryEdit,
        numbered::numbered_names,
        unsaved::{Unsaved, UnsavedTexts},
    },
    syntax::{
        edit::{Edit, EditError, Patch},
        nested,
        source::{Format, Source, SyntaxError},
    },
};

/// Why a change could not be made; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    #[error("there is no file {0} in this workspace")]
    NoFile(FileId),
    #[error("{0} already exists")]
    FileTaken(FileId),
    #[error("{0} can't be edited in a form while it has a syntax error: {1}")]
    Unreadable(FileId, SyntaxError),
    #[error("{0}: {1}")]
    Edit(FileId, EditError),
}

#[derive(Clone, Debug, Default)]
pub struct Documents {
    files: BTreeMap<FileId, Document>,
    /// Those that may differ from the disk, so that no frame looks through all.
    touched: BTreeSet<FileId>,
    history: UndoHistory<Revision>,
    /// What is typed in forms, and would be lost.
    pub unread: Vec<UnreadText>,
}

impl Documents {
    /// Puts in a file as read, or as read again: unsaved changes of it stay. Where steps of undo are
    /// about it, another text is a step, too: they fit no other text than the one before.
    pub fn load_document(&mut self, file: FileId, document: Document) {
        let is_about = |revision: &Revision| files_of(&revision.deeds).contains(&file);
        if self.history.has(is_about) {
            match self.files.get(&file) {
                Some(known) if known.is_changed() => {}
                Some(known) => {
                    let patch = Patch::between(known.text.whole_text(), document.text.whole_text());
                    if patch.old != patch.new {
                        let label = format!("read {file} from disk");
                        let deeds = vec![Operation::Patched(file.clone(), patch)];
                        let disk =
                            Some((file.clone(), known.saved.clone(), document.saved.clone()));
                        let read = Revision { disk, ..Revision::new(&label, deeds) };
                        self.history.record(read, None);
                    }
                }
                // It was gone meanwhile.
                None => self.history.drop_steps(is_about),
            }
        }
        match self.files.get_mut(&file) {
            Some(known) if known.is_changed() => known.meet_disk(document),
            _ => {
                self.touched.remove(&file);
                self.files.insert(file, document);
            }
        }
    }

    /// The file is no longer on disk; its text stays while it has unsaved changes.
    pub fn mark_deleted(&mut self, file: &FileId) {
        match self.files.get_mut(file) {
            Some(known) if known.is_changed() && !known.gone => {
                (known.saved, known.changed_elsewhere) = (None, None);
            }
            _ => {
                self.files.remove(file);
            }
        }
    }

    /// The disk now holds `text` (or, without, nothing).
    pub fn mark_saved(&mut self, file: &FileId, text: Option<Arc<str>>) {
        if let Some(document) = self.touch(file) {
            document.saved = text;
            document.changed_elsewhere = None;
            if document.saved.as_ref().is_some_and(|saved| document.text.equals_text(saved)) {
                // From here on it is distinguished from this text, and shares with it.
                document.saved = Some(document.text.whole_text().clone());
                match document.source.as_ref().map(Source::in_one_piece) {
                    Ok(source) => {
                        document.on_disk = Some(source.clone());
                        document.set_source(source);
                    }
                    Err(_) => document.on_disk = None,
                }
            }
            if document.gone && document.saved.is_none() {
                self.files.remove(file);
            } else if !document.is_changed() {
                self.touched.remove(file);
            }
        }
        // An edit after a save is a step of its own.
        self.history.end_typing();
    }

    /// Parses what is on disk of a file that has unsaved changes: entries are held against it, to
    /// mark those that are changed.
    pub fn parse_saved(&mut self, file: &FileId) {
        if let Some(document) = self.touch(file) {
            let format = document.format;
            let text = document.saved.clone();
            document.on_disk = text.and_then(|text| Source::of_format(format, text).ok());
        }
    }

    /// Somebody else has changed a file that has unsaved changes here.
    pub fn note_elsewhere(&mut self, file: &FileId, text: Arc<str>) {
        if let Some(document) = self.touch(file) {
            document.changed_elsewhere = Some(text);
        }
    }

    /// The first of these that holds another text on disk than its unsaved one was typed over, with
    /// the text on disk.
    #[must_use]
    pub fn first_conflict<'f>(
        &self,
        files: impl IntoIterator<Item = &'f FileId>,
    ) -> Option<(FileId, Arc<str>)> {
        files.into_iter().find_map(|file| {
            let document = self.files.get(file).filter(|document| document.is_changed())?;
            Some((file.clone(), document.changed_elsewhere.clone()?))
        })
    }

    #[must_use]
    pub fn get(&self, file: &FileId) -> Option<&Document> {
        self.files.get(file)
    }

    /// The document of a file that is there.
    #[must_use]
    pub fn present(&self, file: &FileId) -> Option<&Document> {
        self.get(file).filter(|document| !document.gone)
    }

    /// Whether that file is there.
    #[must_use]
    pub fn has(&self, file: &FileId) -> bool {
        self.present(file).is_some()
    }

    /// Files that are there, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&FileId, &Document)> {
        self.files.iter().filter(|(_, document)| !document.gone)
    }

    /// Files that saving would change.
    pub fn changed_files(&self) -> impl Iterator<Item = (&FileId, &Document)> {
        let touched = self.touched.iter().filter_map(|file| self.files.get_key_value(file));
        touched.filter(|(_, document)| document.is_changed())
    }

    /// The files with unsaved changes that a step changed together with this one, such as those that
    /// name a tool that was renamed.
    #[must_use]
    pub fn changed_with(&self, file: &FileId) -> BTreeSet<FileId> {
        let is_joint = |other: &FileId| {
            self.history.has(|revision| {
                let files = files_of(&revision.deeds);
                files.contains(file) && files.contains(other)
            })
        };
        let others = self.changed_files().map(|(other, _)| other);
        others.filter(|other| *other != file && is_joint(other)).cloned().collect()
    }

    /// The words of what is unread.
    #[must_use]
    pub fn unread_words(&self) -> Vec<String> {
        self.unread.iter().map(|unread| unread.words.clone()).collect()
    }

    /// The files that a step deleted which isn't taken back.
    #[must_use]
    pub fn deleted_files(&self) -> BTreeSet<FileId> {
        let deeds = self.history.steps().flat_map(|step| &step.deeds);
        let removed = deeds.filter_map(|deed| match deed {
            Operation::Removed(file, _) => Some(file.clone()),
            _ => None,
        });
        removed.collect()
    }

    /// The file, about to change.
    fn touch(&mut self, file: &FileId) -> Option<&mut Document> {
        let document = self.files.get_mut(file)?;
        self.touched.insert(file.clone());
        // What was restored is undone: what comes now is typed over what the disk holds.
        if document.changed_elsewhere == document.saved && !document.is_changed() {
            document.changed_elsewhere = None;
        }
        Some(document)
    }

    /// The texts that are not saved.
    #[must_use]
    pub fn unsaved_texts(&self) -> UnsavedTexts {
        let there = self.changed_files().filter(|(_, document)| !document.gone);
        there
            .map(|(file, document)| {
                let before = document.typed_over().cloned();
                (file.clone(), Unsaved { text: document.text.clone(), before })
            })
            .collect()
    }

    /// A name whose file isn't there yet: the wanted one, else the first that is free with a number
    /// behind it.
    #[must_use]
    pub fn free_name(&self, wanted: &str, file: impl Fn(&str) -> FileId) -> String {
        let is_free =
            |name: &String| self.files.get(&file(name)).is_none_or(|document| document.gone);
        numbered_names(wanted).find(is_free).unwrap_or_default()
    }

    /// The files that changes are about as they would be after them. Nothing is changed.
    pub fn preview_changes(&self, changes: &[Change]) -> Result<Self, ChangeError> {
        let mut after = Self::default();
        for file in changes.iter().map(Change::file) {
            after
                .files
                .extend(self.files.get(file).map(|document| (file.clone(), document.clone())));
            after.touched.extend(self.touched.get(file).cloned());
        }
        for change in changes {
            match after.apply_change(change) {
                Err(error) if !is_order_alone(change, changes, &error) => return Err(error),
                _ => {}
            }
        }
        Ok(after)
    }

    /// Makes changes as one step of undo, all or none; typing at one place goes on with the step
    /// before. Answers the files that are different now.
    pub fn apply_changes(
        &mut self,
        label: &str,
        changes: &[Change],
    ) -> Result<Vec<FileId>, ChangeError> {
        let files = self.make_all(label, changes, change::typed_place(changes))?;
        if let Some(item) = change::begun_item(changes).filter(|_| !files.is_empty()) {
            self.history.go_on_typing(item);
        }
        Ok(files)
    }

    /// Makes changes as a step of undo of their own, all or none. Answers the files that are
    /// different now.
    pub fn apply_as_step(
        &mut self,
        label: &str,
        changes: &[Change],
    ) -> Result<Vec<FileId>, ChangeError> {
        self.make_all(label, changes, None)
    }

    fn make_all(
        &mut self,
        label: &str,
        changes: &[Change],
        place: Option<DocumentPlace>,
    ) -> Result<Vec<FileId>, ChangeError> {
        let mut deeds = Vec::new();
        for change in changes {
            match self.apply_change(change) {
                Ok(Some(deed)) => deeds.push(deed),
                Ok(None) => {}
                // Where the order can't be written, what was set keeps the one that is there.
                Err(error) if is_order_alone(change, changes, &error) => {}
                Err(error) => {
                    for deed in deeds.iter().rev() {
                        self.take_back(deed);
                    }
                    return Err(error);
                }
            }
        }
        let files = files_of(&deeds);
        if !deeds.is_empty() {
            let field = change::edited_field(changes);
            self.history.record(Revision { field, ..Revision::new(label, deeds) }, place);
        }
        Ok(files)
    }

    /// Files were written to disk, new ones, as a step of undo of their own.
    pub fn note_written(&mut self, label: &str, files: &[(FileId, Arc<str>)]) {
        let mut deeds = Vec::new();
        for (file, text) in files {
            match self.files.get_mut(file).filter(|known| !known.gone) {
                // It was noticed on disk before.
                Some(known) if known.text.equals_text(text) => known.saved = Some(text.clone()),
                // What is typed and not saved yet stays, beside what is on disk now.
                Some(known) => {
                    known.saved = Some(text.clone());
                    continue;
                }
                None => {
                    self.create(file, text);
                    self.mark_saved(file, Some(text.clone()));
                }
            }
            deeds.push(Operation::Created(file.clone(), text.clone()));
        }
        let revision = Revision::new(label, deeds);
        self.history.record(revision, None);
    }

    fn apply_change(&mut self, change: &Change) -> Result<Option<Operation>, ChangeError> {
        match change {
            Change::Entry(EntryEdit { entry, edit }) => {
                let place = entry.place();
                match place.form {
                    EntryForm::Plain => {
                        self.edit_file(&place.file, place.document, &edit.with_prefix(&place.at))
                    }
                    EntryForm::JsonText => {
                        let source = self.source(&place.file)?;
                        let edited = nested::apply_nested(source, place.document, &place.at, edit);
                        self.store_edited(&place.file, edited)
                    }
                }
            }
            Change::File { file, document, edit } => self.edit_file(file, *document, edit),
            Change::Text { file, text } => {
                let document = self.touch(file).ok_or_else(|| ChangeError::NoFile(file.clone()))?;
                let patch = Patch::between(document.text.whole_text(), text);
                document.set_text(text.clone());
                Ok((patch.old != patch.new).then(|| Operation::Patched(file.clone(), patch)))
            }
            Change::Create { file, text } => {
                if self.has(file) {
                    return Err(ChangeError::FileTaken(file.clone()));
                }
                self.create(file, text);
                Ok(Some(Operation::Created(file.clone(), text.clone())))
            }
            Change::Remove { file } => {
                let document = self.touch(file).ok_or_else(|| ChangeError::NoFile(file.clone()))?;
                document.gone = true;
                let text = document.text.whole_text().clone();
                Ok(Some(Operation::Removed(file.clone(), text)))
            }
        }
    }

    fn edit_file(
        &mut self,
        file: &FileId,
        document: usize,
        edit: &Edit,
    ) -> Result<Option<Operation>, ChangeError> {
        let edited = self.source(file)?.apply(document, edit);
        let as_saved = |edited| match self.files.get(file) {
            Some(known) => known.as_saved(document, edit, edited),
            None => edited,
        };
        let edited = edited.map(as_saved);
        self.store_edited(file, edited)
    }

    fn source(&self, file: &FileId) -> Result<&Source, ChangeError> {
        let document = self.files.get(file).ok_or_else(|| ChangeError::NoFile(file.clone()))?;
        document
            .source
            .as_ref()
            .map_err(|error| ChangeError::Unreadable(file.clone(), error.clone()))
    }

    fn store_edited(
        &mut self,
        file: &FileId,
        edited: Result<(Source, Patch), EditError>,
    ) -> Result<Option<Operation>, ChangeError> {
        let (source, patch) = edited.map_err(|error| ChangeError::Edit(file.clone(), error))?;
        if let Some(document) = self.touch(file) {
            document.set_source(source);
        }
        Ok((patch.old != patch.new).then(|| Operation::Patched(file.clone(), patch)))
    }

    fn create(&mut self, file: &FileId, text: &Arc<str>) {
        let format = Format::from_path(file.path()).unwrap_or(Format::Json);
        let saved = self.files.get(file).and_then(|document| document.saved.clone());
        let source = Source::of_format(format, text.clone());
        self.touched.insert(file.clone());
        self.files.insert(
            file.clone(),
            Document {
                format,
                text: text.clone().into(),
                source,
                saved,
                gone: false,
                on_disk: None,
                changed_elsewhere: None,
            },
        );
    }

    fn take_back(&mut self, deed: &Operation) {
        match deed {
            Operation::Patched(file, patch) => self.patch_file(file, &patch.inverse()),
            Operation::Created(file, _) => match self.touch(file) {
                Some(document) if document.saved.is_some() => document.gone = true,
                _ => {
                    self.files.remove(file);
                }
            },
            Operation::Removed(file, text) => match self.touch(file) {
                Some(document) => document.gone = false,
                // Saving has taken it away meanwhile.
                None => self.create(file, text),
            },
        }
    }

    fn make_again(&mut self, deed: &Operation) {
        match deed {
            Operation::Patched(file, patch) => self.patch_file(file, patch),
            Operation::Created(file, text) => self.create(file, text),
            Operation::Removed(file, _) => {
                if let Some(document) = self.touch(file) {
                    document.gone = true;
                }
            }
        }
    }

    fn patch_file(&mut self, file: &FileId, patch: &Patch) {
        let Some(document) = self.touch(file) else { return };
        match document.source.as_ref().ok().and_then(|source| source.with_patch(patch).ok()) {
            Some(source) if source.format() == document.format => {
                document.set_source(source);
            }
            // It cannot be read, or as something else.
            _ => {
                if let Some(text) = patch.apply(document.text.whole_text()) {
                    document.set_text(text);
                }
            }
        }
    }

    /// Says of the last step that it gave something another name.
    pub fn note_renamed(&mut self, renamed: Renamed) {
        if let Some(last) = self.history.last_mut() {
            last.renamed = Some(renamed);
        }
    }

    /// Says of the last step which entries were selected before it was made, and after.
    pub fn note_selected(&mut self, entries: [Option<&EntryId>; 2]) {
        if let Some(last) = self.history.last_mut() {
            last.at = entries.map(Option::<&EntryId>::cloned);
        }
    }

    /// A step that changes no file, and what a run requests.
    pub fn note_groups(&mut self, label: &str, groups: GroupsChange) {
        let revision = Revision { groups: Some(groups), ..Revision::new(label, Vec::new()) };
        self.history.record(revision, None);
    }

    /// Says of the last step that it changed what a run requests, too.
    pub fn note_groups_of_last(&mut self, groups: GroupsChange) {
        if let Some(last) = self.history.last_mut() {
            last.groups = Some(groups);
        }
    }

    /// A step that changes no file, and puts another run in the place of this one.
    pub fn note_run(&mut self, label: &str, before: Simulation) {
        let revision = Revision { run: Some(Box::new(before)), ..Revision::new(label, Vec::new()) };
        self.history.record(revision, None);
    }

    /// Before the last step is taken back: puts the run in the place of `run` that it replaced. A
    /// step that is taken back at the entry where it was made leads nowhere else when it is made
    /// again.
    pub fn prepare_undo(&mut self, run: &mut Simulation, selected: Option<&EntryId>) {
        let Some(last) = self.history.last_mut() else { return };
        if let Some(before) = &mut last.run {
            std::mem::swap(run, before);
        }
        if last.at[0].as_ref() == selected {
            last.at[1] = selected.cloned();
        }
    }

    /// Before the last step is made again: puts the run in the place of `run` that followed it.
    pub fn prepare_redo(&mut self, run: &mut Simulation) {
        if let Some(after) = self.history.last_undone_mut().and_then(|step| step.run.as_mut()) {
            std::mem::swap(run, after);
        }
    }

    /// With the last step, what a file is known to be on disk became this: taken back, saving it
    /// asks again.
    pub fn note_reloaded(&mut self, file: &FileId, before: DiskText, after: DiskText) {
        if let Some(last) = self.history.last_mut() {
            last.disk = Some((file.clone(), before, after));
        }
    }

    fn set_disk(&mut self, known: Option<(FileId, DiskText)>) {
        let Some((file, text)) = known else { return };
        if let Some(document) = self.touch(&file) {
            document.type_over(text);
        }
    }

    /// Takes the last step back.
    pub fn undo(&mut self) -> Option<HistoryStep> {
        let revision = self.history.undo()?;
        for deed in revision.deeds.iter().rev() {
            self.take_back(deed);
        }
        let Revision { label, renamed, at: [at, _], field, groups, disk, deeds, .. } = revision;
        self.set_disk(disk.map(|(file, before, _)| (file, before)));
        let groups = groups.map(|groups| groups.before);
        let back = |Renamed { what, from, to }| Renamed { what, from: to, to: from };
        let (files, renamed) = (files_of(&deeds), renamed.map(back));
        let field = field.map(|field| (field.entry, field.before));
        Some(HistoryStep { label, files, renamed, at, field, groups })
    }

    /// Makes the last step again that was taken back.
    pub fn redo(&mut self) -> Option<HistoryStep> {
        let revision = self.history.redo()?;
        let Revision { label, renamed, at: [_, at], field, groups, disk, deeds, .. } = revision;
        self.set_disk(disk.map(|(file, _, after)| (file, after)));
        let groups = groups.map(|groups| groups.after);
        for deed in &deeds {
            self.make_again(deed);
        }
        let field = field.map(|field| (field.entry, field.after));
        Some(HistoryStep { label, files: files_of(&deeds), renamed, at, field, groups })
    }

    #[must_use]
    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    #[must_use]
    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }
}

/// Whether a change couldn't be made that only gives members another order, beside others: a format
/// may have none, or what is there may not be moved.
fn is_order_alone(change: &Change, changes: &[Change], error: &ChangeError) -> bool {
    changes.len() > 1 && change.is_move() && matches!(error, ChangeError::Edit(..))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::model::entry::{EntryId, EntryPlace};
    use crate::{schema::pointer::Pointer, syntax::edit::Edit};

    const YAML: &str = "tool:\n  joke: # the first\n    type: prompt\n    name: joke\n";

    fn documents() -> (Documents, EntryId) {
        let mut documents = Documents::default();
        let file = FileId::new("tools.yaml");
        documents.load_document(
            file.clone(),
            Document::from_disk(Format::Yaml, YAML.into(), Source::parse(Format::Yaml, YAML)),
        );
        let at = Pointer::root().child("tool").child("joke");
        (documents, EntryId::new(EntryPlace::plain(file, 0, at)))
    }

    fn set(entry: &EntryId, key: &str, to: serde_json::Value) -> Change {
        let edit = Edit::Set { at: Pointer::root().child(key), to: to.into() };
        Change::Entry(EntryEdit { entry: entry.clone(), edit })
    }

    fn text(documents: &Documents) -> &str {
        documents.get(&FileId::new("tools.yaml")).unwrap().text.whole_text()
    }

    #[test]
    fn steps_of_undo_fit_a_text_that_was_read_again_between() {
        let (mut documents, entry) = documents();
        let file = FileId::new("tools.yaml");
        let read = |documents: &mut Documents, text: &str| {
            let text: Arc<str> = text.into();
            let source = Source::parse(Format::Yaml, Arc::clone(&text));
            let document = Document::from_disk(Format::Yaml, text, source);
            documents.load_document(FileId::new("tools.yaml"), document);
        };
        documents.apply_changes("name", &[set(&entry, "name", json!("a joke"))]).unwrap();
        let mine = text(&documents).to_owned();
        documents.mark_saved(&file, Some(mine.as_str().into()));
        let theirs = format!("# theirs\n{mine}");
        read(&mut documents, &theirs);
        let mut seen = Vec::new();
        while documents.undo().is_some() {
            seen.push(text(&documents).to_owned());
        }
        assert_eq!(seen, [mine.as_str(), YAML]);
        assert!(documents.get(&file).unwrap().is_changed(), "their text is on disk");
        seen.clear();
        while documents.redo().is_some() {
            seen.push(text(&documents).to_owned());
        }
        assert_eq!(seen, [mine.as_str(), theirs.as_str()]);
        // A file that was gone meanwhile is another one.
        documents.mark_deleted(&file);
        read(&mut documents, YAML);
        assert!(!documents.can_undo() && !documents.can_redo());
        // What nobody has edited is read again without a step.
        read(&mut documents, &theirs);
        assert!(!documents.can_undo());
    }

    proptest! {
        #[test]
        fn changed_files_are_those_that_differ_from_the_disk(
            steps in proptest::collection::vec((0_u8..8, 0_usize..3), 1..40),
        ) {
            let mut documents = Documents::default();
            for (step, (what, file)) in steps.into_iter().enumerate() {
                let file = FileId::new(format!("tools-{file}.yaml"));
                let text: Arc<str> = format!("step: {}\n", step % 4).into();
                let here = || file.clone();
                match what {
                    0 => {
                        let source = Source::parse(Format::Yaml, text.clone());
                        let read = Document::from_disk(Format::Yaml, text, source);
                        documents.load_document(file, read);
                    }
                    1 => documents.mark_deleted(&file),
                    2 => {
                        let shown = documents.present(&file);
                        let now = shown.map(|document| document.text.whole_text().clone());
                        documents.mark_saved(&file, now);
                    }
                    3 => drop(documents.undo()),
                    4 => drop(documents.redo()),
                    5 => drop(documents.apply_as_step("", &[Change::Remove { file }])),
                    6 => drop(documents.apply_as_step("", &[Change::Create { file, text }])),
                    // The second can't be: the first is taken back.
                    _ if step % 5 == 0 => {
                        let both =
                            [Change::Text { file: here(), text: text.clone() }, Change::Create { file, text }];
                        drop(documents.apply_as_step("", &both));
                    }
                    _ => drop(documents.apply_as_step("", &[Change::Text { file, text }])),
                }
                let differ = documents.files.iter().filter(|(_, document)| document.is_changed());
                prop_assert_eq!(
                    documents.changed_files().map(|(file, _)| file).collect::<Vec<_>>(),
                    differ.map(|(file, _)| file).collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn typing_at_one_place_is_one_step_of_undo() {
        let (mut documents, entry) = documents();
        for typed in ["jo", "jok", "jokes"] {
            documents.apply_changes("edit name", &[set(&entry, "name", json!(typed))]).unwrap();
        }
        documents.apply_changes("edit type", &[set(&entry, "type", json!("mcp-tool"))]).unwrap();
        assert_eq!(
            text(&documents),
            "tool:\n  joke: # the first\n    type: mcp-tool\n    name: jokes\n"
        );
        assert_eq!(documents.get(entry.file()).unwrap().changed_rows(), [2, 3]);
        assert_eq!(documents.undo().unwrap().label, "edit type");
        assert_eq!(documents.undo().unwrap().label, "edit name");
        assert_eq!(text(&documents), YAML);
        assert!(documents.undo().is_none() && documents.changed_files().next().is_none());
        documents.redo().unwrap();
        assert!(text(&documents).contains("name: jokes"));
    }

    #[test]
    fn a_change_is_made_whole_or_not_at_all() {
        let (mut documents, entry) = documents();
        let nowhere = Change::Entry(EntryEdit {
            entry: entry.clone(),
            edit: Edit::Remove { at: Pointer::root().child("nope") },
        });
        assert!(
            documents.apply_changes("both", &[set(&entry, "name", json!("x")), nowhere]).is_err()
        );
        assert_eq!(text(&documents), YAML);
        assert!(!documents.can_undo());
    }

    #[test]
    fn files_that_were_written_are_undone_and_leave_what_is_typed() {
        let (mut documents, _) = documents();
        let (typed, written) = (FileId::new("typed.json"), FileId::new("written.json"));
        let create = Change::Create { file: typed.clone(), text: "[1]".into() };
        documents.apply_changes("new", &[create]).unwrap();
        let noticed = FileId::new("noticed.json");
        let source = Source::of_format(Format::Json, "{}");
        documents
            .load_document(noticed.clone(), Document::from_disk(Format::Json, "{}".into(), source));
        let files = [&typed, &written, &noticed].map(|file| (file.clone(), "{}".into()));
        documents.note_written("add a sample", &files);
        assert_eq!(
            &**documents.get(&typed).unwrap().text.whole_text(),
            "[1]",
            "what is typed stays"
        );
        assert!(documents.get(&typed).unwrap().is_changed());
        assert!(!documents.get(&written).unwrap().is_changed());
        assert_eq!(documents.undo().unwrap().label, "add a sample");
        assert!(documents.get(&written).unwrap().gone && documents.get(&noticed).unwrap().gone);
        assert!(!documents.get(&typed).unwrap().gone);
    }

    #[test]
    fn files_come_and_go_and_come_back() {
        let (mut documents, _) = documents();
        let file = FileId::new("new.json");
        documents
            .apply_changes("new", &[Change::Create { file: file.clone(), text: "{}".into() }])
            .unwrap();
        assert!(documents.get(&file).unwrap().is_changed());
        documents.undo();
        assert!(documents.get(&file).is_none());
        documents.redo();
        documents.mark_saved(&file, Some("{}".into()));
        documents.apply_changes("delete", &[Change::Remove { file: file.clone() }]).unwrap();
        assert!(documents.get(&file).unwrap().is_changed());
        documents.mark_saved(&file, None);
        assert!(documents.get(&file).is_none());
        // What saving has taken away comes back with its text, and saving writes it.
        documents.undo();
        assert_eq!(documents.get(&file).unwrap().text.whole_text().as_ref(), "{}");
        assert!(documents.changed_files().any(|(changed, _)| *changed == file));
        documents.redo();
        assert_eq!(documents.iter().filter(|(known, _)| **known == file).count(), 0);
    }

    #[test]
    fn a_reload_that_is_undone_knows_the_disk_as_before() {
        let (mut documents, _) = documents();
        let file = FileId::new("tools.yaml");
        let before = documents.get(&file).unwrap().saved.clone();
        let disk: DiskText = Some("theirs".into());
        documents.mark_saved(&file, disk.clone());
        let change = Change::Text { file: file.clone(), text: "theirs".into() };
        documents.apply_changes("reload", &[change]).unwrap();
        documents.note_reloaded(&file, before.clone(), disk.clone());
        documents.undo();
        assert_eq!(
            documents.get(&file).unwrap().saved,
            before,
            "saving finds another text and asks"
        );
        let parsed = documents.get(&file).unwrap().saved_source();
        assert!(
            parsed.is_some(),
            "what an entry is on disk is known, so that others aren't marked"
        );
        documents.redo();
        assert_eq!(documents.get(&file).unwrap().saved, disk);
        assert!(!documents.get(&file).unwrap().is_changed());
    }

    #[test]
    fn a_text_that_was_read_and_is_undone_is_not_overwritten_unasked() {
        let (mut documents, _) = documents();
        let file = FileId::new("tools.yaml");
        let before = documents.get(&file).unwrap().saved.clone().unwrap();
        let ours: Arc<str> = format!("{before}# ours\n").into();
        let change = Change::Text { file: file.clone(), text: ours.clone() };
        documents.apply_changes("edit", &[change]).unwrap();
        documents.mark_saved(&file, Some(ours.clone()));
        let theirs: Arc<str> = format!("{ours}# theirs\n").into();
        let source = Source::parse(Format::Yaml, theirs.clone());
        documents
            .load_document(file.clone(), Document::from_disk(Format::Yaml, theirs.clone(), source));
        documents.undo();
        let document = documents.get(&file).unwrap();
        assert!(document.differs_on_disk() && document.text.equals_text(&ours));
        documents.undo();
        let document = documents.get(&file).unwrap();
        assert!(document.is_changed() && document.text.equals_text(&before));
        assert_eq!(document.typed_over(), Some(&ours), "saving finds another text and asks");
        documents.redo();
        documents.redo();
        let document = documents.get(&file).unwrap();
        assert!(!document.is_changed() && !document.differs_on_disk());
        assert_eq!(document.saved, Some(theirs));
    }

    proptest! {
        #[test]
        fn undo_gives_the_old_text_back(texts in prop::collection::vec("[a-c日\n]{0,8}", 1..6)) {
            let (mut documents, _) = documents();
            let file = FileId::new("tools.yaml");
            for text in &texts {
                documents.apply_changes("edit", &[Change::Text { file: file.clone(), text: text.as_str().into() }]).unwrap();
            }
            let last = text(&documents).to_owned();
            prop_assert_eq!(&last, texts.last().unwrap());
            while documents.undo().is_some() {}
            prop_assert_eq!(text(&documents), YAML);
            while documents.redo().is_some() {}
            prop_assert_eq!(text(&documents), last);
        }
    }
}
