//! What a running system has, as a catalog by the rules of what runs.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    deployment::Deployment,
    item::{self, Item},
};
use crate::{
    model::{
        catalog::Catalog,
        context::Mode,
        entry::{EntryId, EntryPlace, FileId},
    },
    syntax::source::{Format, Source},
    systems::read,
};

/// Where the entries of a connection are said to stand. No file of a workspace has such a name: it
/// has no ending.
fn place_of(connection: &str) -> FileId {
    FileId::new(format!("{connection} (deployed)"))
}

/// What is configured there.
#[must_use]
pub(crate) fn configured_catalog(items: &[Item]) -> Catalog {
    document_catalog(&place_of(""), &item::group_by_section(items))
}

/// What can be called at that connection, whether it is in the workspace or not.
#[must_use]
pub(crate) fn callable_catalog(
    deployment: &dyn Deployment,
    connection: &str,
    items: &[Item],
) -> Catalog {
    by_keys(document_catalog(&place_of(connection), &deployment.callable_document(items)))
}

/// Each entry is known by its key instead of its row: when the list is read again and has more
/// entries, the others stay what they are. Of several with one key, the later ones have a number.
fn by_keys(catalog: Catalog) -> Catalog {
    let mut known = HashMap::new();
    catalog.with_ids(|entry| {
        let place = entry.id.place();
        let at = place.at.parent().unwrap_or_default().child(entry.key.as_str());
        let number = known.entry(at.clone()).or_insert(0);
        let at = if *number == 0 { at } else { at.item(*number) };
        *number += 1;
        EntryId::new(EntryPlace { at, ..place.clone() })
    })
}

fn document_catalog(file: &FileId, document: &Value) -> Catalog {
    let source = Source::parse(Format::Json, document.to_string());
    read::read_catalog(source.iter().map(|source| (file, source)), Mode::AsDeployed)
}
