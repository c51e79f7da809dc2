//! An entry in another file: the change of both, with the entry's comments where the files are of
//! one format.

use std::{collections::HashSet, sync::Arc};

use serde_json::Value;

use super::{
    context::ComposeContext,
    entries::{EntryHome, Unplaced, create_entry_file, place_new},
    entry_lines::{EntryLines, without_entry},
    plan::Plan,
};
use crate::{
    app::documents::{Change, Documents},
    model::{
        entry::{Entry, EntryForm, EntryId, EntryKind, FileId},
        settings::SETTINGS,
    },
    schema::ordering::PutInOrder,
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
    systems::{by_id, read, system::NewPlace},
};

/// Of so many files it is tried which can take an entry, before they are offered.
const MOST_TRIED: usize = 8;

/// An entry's way to another file.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedEntry {
    pub plan: Plan,
    /// What it is there.
    pub entry: EntryId,
}

/// Why an entry can go to no other file; `None` where it can.
#[must_use]
pub fn move_refusal(entry: &Entry, context: ComposeContext<'_>) -> Option<String> {
    let place = entry.id.place();
    if place.file.as_str() == SETTINGS {
        return Some(format!("this is a table of {SETTINGS}, which alone is read for it"));
    }
    match place_of_kind(entry) {
        NewPlace::Folder(folder) => {
            return Some(format!("{} is found by its file's name in {folder}/", entry.key));
        }
        NewPlace::List(_) => {
            return Some(format!(
                "{} belongs to the list in {}: each list has one file",
                entry.key, place.file
            ));
        }
        NewPlace::Alone | NewPlace::Map(_) => {}
    }
    let is_part = place.at.last_index().is_some()
        && by_id(entry.system).and_then(|system| system.key_at(entry)).is_none_or(|own| {
            own.get(&entry.value.parsed()).and_then(Value::as_str) != Some(&entry.key)
        });
    let source = source_of(context.documents, &place.file);
    match (is_part, source) {
        (true, _) => Some(format!("{} is part of what {} holds", entry.key, place.file)),
        (_, None) => Some(format!("{} has a syntax error", place.file)),
        (_, Some(source)) if place.at.is_root() && source.document_count() > 1 => Some(format!(
            "{} is a document beside others in {}; move its text in your editor",
            entry.key, place.file
        )),
        _ => None,
    }
}

/// The files that can take an entry, those with the most of its kind first.
#[must_use]
pub fn files_to_move_to(entry: &Entry, context: ComposeContext<'_>) -> Vec<FileId> {
    let mut files: Vec<(FileId, usize)> = Vec::new();
    for other in context.catalog.entries().filter(|other| other.system == entry.system) {
        let place = other.id.place();
        if place.file == *entry.id.file() || place.at.is_root() || place.form != EntryForm::Plain {
            continue;
        }
        match files.iter_mut().find(|(file, _)| *file == place.file) {
            Some((_, count)) => *count += usize::from(other.kind == entry.kind),
            None => files.push((place.file.clone(), usize::from(other.kind == entry.kind))),
        }
    }
    files.order_by(|(one, many), (other, more)| more.cmp(many).then(one.cmp(other)));
    // Of many it is found out when one is chosen: each is as much work as the move.
    let is_few = files.len() <= MOST_TRIED;
    let can = |file: &FileId| !is_few || move_entry(entry, file, context).is_ok();
    files.into_iter().map(|(file, _)| file).filter(can).collect()
}

/// Moves an entry to a file, which may be a new one.
///
/// # Errors
/// Why it can't go there.
pub fn move_entry(
    entry: &Entry,
    to: &FileId,
    context: ComposeContext<'_>,
) -> Result<MovedEntry, String> {
    if let Some(why) = move_refusal(entry, context) {
        return Err(why);
    }
    let place = entry.id.place();
    if *to == place.file {
        return Err(format!("{} is in {to} already", entry.key));
    }
    let Some(format) = Format::from_path(to.path()) else {
        return Err("end the file's name with .yaml, .json or .toml".into());
    };
    let is_outside = |part: &str| part.is_empty() || part.starts_with('.');
    if to.as_str().split('/').any(is_outside) || to.as_str().contains(['\\', '\0']) {
        return Err("name a file within the workspace".into());
    }
    let is_it = |other: &&Entry| {
        (other.system, other.kind, &other.key) == (entry.system, entry.kind, &entry.key)
    };
    if context.catalog.of_file(to).any(|other| is_it(&other)) {
        return Err(format!("{to} has a {} already", entry.key));
    }
    let source = source_of(context.documents, &place.file)
        .ok_or_else(|| format!("{} has a syntax error", place.file))?;
    let lines = (source.format() == format).then(|| EntryLines::of_entry(source, &entry.id));
    let lines = lines.flatten();
    let added = addition(entry, to, lines.as_ref(), context)?;
    let removed = removal(entry, source, context);
    let changes = vec![added, removed];
    let after = context.documents.preview_changes(&changes).map_err(|error| error.to_string())?;
    let there = source_of(&after, to).ok_or_else(|| format!("{to} can't hold it"))?;
    let part = read::read_part(to, there, context.catalog.mode);
    let tools = part.tools.iter().map(|tool| &tool.entry);
    let all = tools.chain(part.services.iter().map(|service| &service.entry)).chain(&part.others);
    let all: Vec<&Entry> = all.collect();
    let kept: HashSet<(&EntryKind, &str)> =
        all.iter().map(|kept| (&kept.kind, kept.key.as_str())).collect();
    let is_gone = |other: &Entry| !kept.contains(&(&other.kind, other.key.as_str()));
    if context.catalog.of_file(to).any(is_gone) {
        return Err(format!("{to} holds one entry alone: it has no room for another"));
    }
    let title = by_id(entry.system).map_or(entry.system, |system| system.title());
    let moved = all
        .into_iter()
        .find(is_it)
        .map(|entry| entry.id.clone())
        .ok_or_else(|| format!("{title} would not find {} in {to}", entry.key))?;
    let label = format!("move {} to {to}", entry.key);
    Ok(MovedEntry { plan: Plan::new(label, changes), entry: moved })
}

/// Where entries of its kind are.
fn place_of_kind(entry: &Entry) -> NewPlace {
    let kinds = by_id(entry.system).map(|system| system.new_entry_kinds()).unwrap_or_default();
    let found = kinds.into_iter().find(|kind| kind.kind == entry.kind);
    found.map_or(NewPlace::Alone, |kind| kind.place)
}

fn source_of<'d>(documents: &'d Documents, file: &FileId) -> Option<&'d Source> {
    documents.present(file)?.source.as_ref().ok()
}

/// The change that puts it into the other file, written as it is where that says the same.
fn addition(
    entry: &Entry,
    to: &FileId,
    lines: Option<&EntryLines>,
    context: ComposeContext<'_>,
) -> Result<Change, String> {
    let value = entry.value.shared();
    let unplaced =
        Unplaced { key: &entry.key, kind: entry.kind, place: place_of_kind(entry), value };
    let there = context.documents.present(to);
    let plain = if there.is_some() {
        let document = context.catalog.of_file(to).next().map(|entry| entry.id.place().document);
        let Some(document) = document else {
            return Err(format!("{to} is there already, and has no entries"));
        };
        let home = EntryHome::Map { file: to.clone(), document };
        let placed = place_new(unplaced, &home, &[], context);
        if placed.file() != to {
            return Err(format!("{to} holds one entry alone: it has no room for another"));
        }
        placed
    } else {
        place_in_new_file(unplaced, to, context)
    };
    let after = context.documents.preview_changes(std::slice::from_ref(&plain));
    let after = after.map_err(|error| error.to_string())?;
    let Some(written) = source_of(&after, to) else {
        return Err(format!("{to} can't hold it"));
    };
    let texts = lines.map_or_else(Vec::new, |lines| match &plain {
        Change::File { document, edit: Edit::Set { at, .. }, .. } => {
            let there = source_of(context.documents, to);
            there.map_or_else(Vec::new, |there| lines.texts_in(there, *document, at))
        }
        _ => lines.texts_alone(place_of_kind(entry).section()),
    });
    let kept: Option<Arc<str>> =
        texts.into_iter().find(|text| says_same(text, written)).map(Into::into);
    Ok(match (kept, plain) {
        (Some(text), Change::Create { file, .. }) => Change::Create { file, text },
        (Some(text), plain) => Change::Text { file: plain.file().clone(), text },
        (None, plain) => plain,
    })
}

/// It alone in a file of that name.
fn place_in_new_file(entry: Unplaced<'_>, to: &FileId, context: ComposeContext<'_>) -> Change {
    let path = to.as_str();
    let (stem, ending) = path.rsplit_once('.').unwrap_or((path, "json"));
    let folder = stem.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
    let home = EntryHome::Folder { folder, ending: ending.to_owned() };
    let placed = place_new(entry, &home, &[], context);
    let Change::Create { file, text } = placed else { return placed };
    if file == *to {
        return Change::Create { file, text };
    }
    create_entry_file(entry, to)
}

/// The change that takes it out of its own file, with its comments where nothing else goes.
fn removal(entry: &Entry, source: &Source, context: ComposeContext<'_>) -> Change {
    let place = entry.id.place();
    let file = place.file.clone();
    if place.at.is_root() {
        return Change::Remove { file };
    }
    let edit = Edit::Remove { at: place.at.clone() };
    let plain = Change::File { file: file.clone(), document: place.document, edit };
    let after = context.documents.preview_changes(std::slice::from_ref(&plain)).ok();
    let rest = after.as_ref().and_then(|after| source_of(after, &file));
    let without = without_entry(source, &entry.id)
        .filter(|text| rest.is_some_and(|rest| says_same(text, rest)));
    match without {
        Some(text) => Change::Text { file, text: text.into() },
        None => plain,
    }
}

/// Whether a text says what another one does.
fn says_same(text: &str, other: &Source) -> bool {
    let Ok(source) = Source::parse(other.format(), text) else { return false };
    let count = source.document_count();
    count == other.document_count()
        && (0..count).all(|document| source.value(document) == other.value(document))
}
