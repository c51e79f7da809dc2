//! What a running system has, as a catalog by the rules of what runs.

use serde_json::Value;

use super::{
    deployment::Deployment,
    item::{self, Item},
};
use crate::{
    model::{catalog::Catalog, context::Mode, entry::FileId},
    syntax::source::{Format, Source},
    systems::read,
};

/// Where these entries are said to stand. No file of a workspace has this name: it has no ending.
const FILE: &str = "(deployed)";

/// What is configured there.
#[must_use]
pub(crate) fn configured_catalog(items: &[Item]) -> Catalog {
    document_catalog(&item::group_by_section(items))
}

/// What can be called there, whether it is in the workspace or not.
#[must_use]
pub(crate) fn callable_catalog(deployment: &dyn Deployment, items: &[Item]) -> Catalog {
    document_catalog(&deployment.callable_document(items))
}

fn document_catalog(document: &Value) -> Catalog {
    let (file, source) = (FileId::new(FILE), Source::parse(Format::Json, document.to_string()));
    read::read_catalog(source.iter().map(|source| (&file, source)), Mode::AsDeployed)
}
