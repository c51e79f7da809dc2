//! What an entry is on disk, so that its form marks what is different now.

use std::sync::Arc;

use serde_json::Value;

use super::gate_fields::value_with_gate;
use crate::{
    app::{documents::Document, state::State},
    model::{
        entry::{Entry, EntryForm, EntryId, FileId},
        settings::SETTINGS,
    },
    schema::pointer::Pointer,
    syntax::source::Source,
    systems,
    ui::form::host::FormHost,
};

/// Whether saving would change an entry, or its gate in the settings.
pub(crate) fn is_unsaved(entry: &Entry, state: &State) -> bool {
    is_changed_itself(entry, state) || has_other_gate(entry, state)
}

fn has_other_gate(entry: &Entry, state: &State) -> bool {
    let settings = state.documents.get(&FileId::new(SETTINGS)).filter(|file| file.is_changed());
    let table = state.catalog.tool(&entry.id).and_then(|tool| tool.gate_table.as_ref());
    let (Some(settings), Some(table)) = (settings, table) else { return false };
    let now = settings.source.as_ref().ok().map(|source| source.value_at(0, table));
    let of_disk = |text| saved_value(settings, text, 0, |_| Some(table.clone()));
    let saved = settings.saved.as_ref().and_then(of_disk);
    now.is_some_and(|now| now.as_ref() != saved.as_deref())
}

fn is_changed_itself(entry: &Entry, state: &State) -> bool {
    let place = entry.id.place();
    let Some(document) = state.documents.get(&place.file).filter(|file| file.is_changed()) else {
        return false;
    };
    // What is on disk isn't read again for each entry.
    let Some(text) = document.saved.as_ref().filter(|_| document.saved_source().is_some()) else {
        return true;
    };
    let now = document.source.as_ref().ok();
    let now = now.and_then(|source| source.value_at(place.document, &place.at));
    let of_disk = |root: &Source| saved_place(entry, document, root);
    let saved = saved_value(document, text, place.document, of_disk);
    // What can't be read says nothing.
    now.is_some() && now.as_ref() != saved.as_deref()
}

/// Gives the form the entry as its file, and its gate as the settings, have it on disk.
pub(super) fn sync_saved(form: &mut FormHost<EntryId>, entry: &Entry, state: &State) {
    let place = entry.id.place();
    let Some(document) = state.documents.get(&place.file) else { return };
    let settings = state.documents.get(&FileId::new(SETTINGS));
    let tool = state.catalog.tool(&entry.id).filter(|tool| tool.gate_table.is_some());
    let own = document.saved.as_ref().filter(|_| place.form == EntryForm::Plain);
    let of_gate = own.and_then(|_| settings?.saved.as_ref()).filter(|_| tool.is_some());
    let texts = own.into_iter().chain(of_gate).cloned();
    // Another entry may come to the place of one that is deleted.
    form.sync_saved(&entry.key, texts.collect(), |texts| {
        let own = saved_value(document, texts.first()?, place.document, |root| {
            saved_place(entry, document, root)
        })?;
        let Some(tool) = tool else { return Some(own) };
        let settings = texts
            .get(1)
            .zip(settings)
            .and_then(|(text, settings)| saved_value(settings, text, 0, |_| Some(Pointer::root())));
        Some(value_with_gate(&own, tool, settings.as_deref()))
    });
}

/// The value at a place of a document as its text on disk has it.
fn saved_value(
    document: &Document,
    text: &Arc<str>,
    number: usize,
    place: impl Fn(&Source) -> Option<Pointer>,
) -> Option<Arc<Value>> {
    let value_in = |source: &Source| source.value_at(number, &place(source)?).map(Arc::new);
    match document.saved_source() {
        Some(source) => value_in(source),
        None => value_in(&Source::parse(document.format, text.clone()).ok()?),
    }
}

/// How many rows further up or down an entry of a list is looked for.
const MOST_MOVED: usize = 64;

/// Where an entry is on disk. One of a list has the row of its name there; where no row has it, it
/// was given another name, where a row beside it is the same and what it replaced is gone.
fn saved_place(entry: &Entry, document: &Document, source: &Source) -> Option<Pointer> {
    let place = entry.id.place();
    let named = systems::by_id(entry.system).and_then(|system| system.key_at(entry));
    let (Some(named), Some(at), Some(list)) = (named, place.at.last_index(), place.at.parent())
    else {
        return Some(place.at.clone());
    };
    if !document.is_changed() {
        return Some(place.at.clone());
    }
    // A row by itself: a list may have thousands.
    let name_in = |source: &Source, row: usize| {
        named.get(&source.value_at(place.document, &list.item(row))?).cloned()
    };
    let row_of = |source: &Source, name: &Value| {
        let rows = (0..=MOST_MOVED).flat_map(|far| [at.checked_sub(far), at.checked_add(far)]);
        rows.flatten().find(|row| name_in(source, *row).as_ref() == Some(name))
    };
    if let Some(row) = row_of(source, named.get(entry.value.shared())?) {
        return Some(list.item(row));
    }
    let now = document.source.as_ref().ok()?;
    let replaced = name_in(source, at)?;
    let is_same = |row: Option<usize>| {
        let names = row.map(|row| (name_in(now, row), name_in(source, row)));
        names.filter(|(now, _)| now.is_some()).is_some_and(|(now, saved)| now == saved)
    };
    let is_alone = at == 0 && [now, source].into_iter().all(|list| name_in(list, 1).is_none());
    let is_renamed = is_alone || is_same(at.checked_sub(1)) || is_same(at.checked_add(1));
    (is_renamed && row_of(now, &replaced).is_none()).then(|| place.at.clone())
}
