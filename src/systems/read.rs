//! Reads files into a catalog by asking every system what they hold.

use std::sync::Arc;

use super::table::{by_id, every_system};
use crate::{
    model::{
        catalog::{Catalog, Part},
        context::Mode,
        entry::{Entry, EntryForm, EntryId, EntryKind, EntryPlace, FileId},
        service::Service,
        settings::SETTINGS,
        tool::Tool,
    },
    schema::pointer::Pointer,
    syntax::{
        parallel::map_slices,
        source::{Source, Span},
    },
};

/// The catalog of some files, in their order.
#[must_use]
pub fn read_catalog<'s>(
    files: impl IntoIterator<Item = (&'s FileId, &'s Source)>,
    mode: Mode,
) -> Catalog {
    collect_parts(&files.into_iter().collect::<Vec<_>>(), mode, Values::Lazy)
}

/// The same with every value kept: for who goes over all of them several times, and ends.
#[must_use]
pub fn read_kept_catalog<'s>(
    files: impl IntoIterator<Item = (&'s FileId, &'s Source)>,
    mode: Mode,
) -> Catalog {
    collect_parts(&files.into_iter().collect::<Vec<_>>(), mode, Values::Kept)
}

/// What becomes of the values of entries once they are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    /// They are read again when they are asked for.
    Lazy,
    /// So are those of short files.
    AtRest,
    Kept,
}

fn collect_parts(files: &[(&FileId, &Source)], mode: Mode, values: Values) -> Catalog {
    let read = |files: &[(&FileId, &Source)]| {
        files.iter().map(|(file, source)| read_part_with(file, source, mode, values)).collect()
    };
    let mut all = Part::default();
    for mut part in map_slices(files, read) {
        all.tools.append(&mut part.tools);
        all.services.append(&mut part.services);
        all.others.append(&mut part.others);
    }
    let mut catalog = Catalog::new(mode, all.tools, all.services, all.others);
    apply_loading(&mut catalog);
    catalog
}

/// Asks every system that has entries which of the tools it loads. For after a change of the
/// catalog.
pub fn apply_loading(catalog: &mut Catalog) {
    let loadings: Vec<_> = every_system()
        .iter()
        .filter(|system| catalog.has_system(system.id()))
        .filter_map(|system| Some(system.loader()?.decide_loading(catalog)))
        .collect();
    catalog.apply_loadings(loadings);
}

/// Why a request fails that offers these tools of the catalog, if it does; once for each tool that
/// makes it fail.
#[must_use]
pub(crate) fn request_failures(catalog: &Catalog, offered: &[usize]) -> Vec<String> {
    let tools = offered.iter().filter_map(|row| catalog.tools.get(*row));
    tools
        .filter_map(|tool| by_id(tool.entry.system)?.loader()?.request_failure(tool, catalog.mode))
        .collect()
}

/// Takes into a catalog what a later revision of a file says, where only the inside of single
/// entries changed since; `false`, and the catalog as it was, where more did. [`apply_loading`] is to
/// follow.
pub(crate) fn refresh_entries(
    catalog: &mut Catalog,
    file: &FileId,
    source: &Source,
    before: &Source,
) -> bool {
    let breaks = |source: &Source, span: Span| {
        let text = source.shared_text().slice(span.start, span.end);
        text.unwrap_or_default().matches('\n').count()
    };
    let keeps_lines = |(now, then): &(Span, Span)| breaks(source, *now) == breaks(before, *then);
    // Else the lines of the entries behind would be others too.
    if !source.pieces_beside(before).is_some_and(|pieces| pieces.iter().all(keeps_lines)) {
        return false;
    }
    let Some(places) = source.changed_places(before) else { return false };
    let entry = |at: Pointer| {
        let id = EntryId::new(EntryPlace::plain(file.clone(), 0, at));
        let known = catalog.entry(&id)?;
        by_id(known.system)?.refresh_entry(known, source)
    };
    let Some(entries) = places.into_iter().map(entry).collect::<Option<Vec<Entry>>>() else {
        return false;
    };
    for entry in entries {
        match (entry.kind, by_id(entry.system)) {
            (EntryKind::Tool, Some(system)) => {
                catalog.put_tool(system.read_tool(&entry, catalog.mode));
            }
            (EntryKind::Service, Some(system)) => {
                catalog.put_service(system.read_service(&entry, catalog.mode));
            }
            _ => catalog.put_other(entry),
        }
    }
    true
}

/// What one file holds: of each of its documents the entries of the first system that knows any; of the
/// settings the tables of each.
/// For [`Catalog::replace_file`] after an edit.
#[must_use]
pub fn read_part(file: &FileId, source: &Source, mode: Mode) -> Part {
    read_part_with(file, source, mode, Values::Lazy)
}

/// The same for a file whose source is to be at rest: the value of an entry that is all of a short
/// file is read again when it is asked for.
#[must_use]
pub fn read_part_at_rest(file: &FileId, source: &Source, mode: Mode) -> Part {
    read_part_with(file, source, mode, Values::AtRest)
}

/// What an entry is.
enum EntryRead {
    Tool(Arc<Tool>),
    Service(Box<Service>),
    Other(Box<Entry>),
}

fn read_part_with(file: &FileId, source: &Source, mode: Mode, values: Values) -> Part {
    let mut entries: Vec<Entry> = Vec::new();
    for system in every_system() {
        let mut found = system.read_entries(file, source);
        // In the settings each reads its own tables.
        found.retain(|entry| {
            let document = entry.id.place().document;
            file.as_str() == SETTINGS
                || entries.iter().all(|known| known.id.place().document != document)
        });
        entries.append(&mut found);
    }
    entries.sort_by_key(|entry| entry.id.place().document);
    let read_entry = |entry: &Entry| {
        let mut entry = entry.clone();
        match values {
            Values::Lazy => {}
            Values::AtRest => rest_value(&mut entry, source),
            Values::Kept => entry.value = entry.value.into_kept(),
        }
        match (entry.kind, by_id(entry.system)) {
            (EntryKind::Tool, Some(system)) => {
                EntryRead::Tool(system.read_tool(&entry, mode).into())
            }
            (EntryKind::Service, Some(system)) => {
                EntryRead::Service(Box::new(system.read_service(&entry, mode)))
            }
            _ => EntryRead::Other(Box::new(entry)),
        }
    };
    let mut part = Part::default();
    for read in map_slices(&entries, |slice| slice.iter().map(read_entry).collect()) {
        match read {
            EntryRead::Tool(tool) => part.tools.push(tool),
            EntryRead::Service(service) => part.services.push(*service),
            EntryRead::Other(entry) => part.others.push(*entry),
        }
    }
    part
}

/// Has the value of an entry that is all of its file read when it is asked for.
fn rest_value(entry: &mut Entry, source: &Source) {
    let place = entry.id.place();
    if place.at.is_root() && place.form == EntryForm::Plain {
        entry.value = source.resting_value().unwrap_or_else(|| entry.value.clone());
    }
}
