//! All findings of a workspace, each at its line and column.

use super::table::SYSTEMS;
use crate::{
    engine::lint::{self, ground::Ground, syntax},
    model::{
        catalog::Catalog,
        entry::{EntryForm, FileId},
        finding::{Finding, Site},
    },
    syntax::source::{Source, SyntaxError},
};

/// What is wrong with a catalog and the texts that it was read from, sorted by place. Texts that could not be read are among the files
/// and not in the catalog.
#[must_use]
pub fn all<'s>(catalog: &Catalog, files: impl Fn(&FileId) -> Option<&'s Source>) -> Vec<Finding> {
    let ground = Ground::new(catalog);
    let mut findings = lint::check(&ground);
    findings.extend(SYSTEMS.iter().flat_map(|system| system.check(&ground)));
    for finding in &mut findings {
        if let Some(source) = files(&finding.site.file) {
            place(&mut finding.site, source);
        }
    }
    lint::sort(&mut findings);
    findings
}

/// What is wrong with a text as such: the error that keeps it from being read, or what is odd in it.
#[must_use]
pub fn of_text(file: &FileId, source: Result<&Source, &SyntaxError>) -> Vec<Finding> {
    match source {
        Ok(source) => syntax::odd(file, source),
        Err(error) => vec![syntax::refused(file, error)],
    }
}

/// Fills in the line and column of a finding's exact place; what is not there stands at the nearest thing around it.
fn place(site: &mut Site, source: &Source) {
    let Some(entry) = &site.entry else { return };
    let home = entry.place();
    let mut at = Some(match home.form {
        EntryForm::Plain => home.at.join(&site.pointer),
        EntryForm::JsonText => home.at.clone(),
    });
    while let Some(pointer) = at {
        if let Some(place) = source.place(home.document, &pointer) {
            (site.line, site.column) = (place.line, place.column);
            return;
        }
        at = pointer.parent();
    }
}
