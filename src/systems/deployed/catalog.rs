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
pub(crate) fn catalog(items: &[Item]) -> Catalog {
    of(&item::sections(items))
}

/// What can be called there, whether it is in the workspace or not.
#[must_use]
pub(crate) fn callable(deployment: &dyn Deployment, items: &[Item]) -> Catalog {
    of(&deployment.callable(items))
}

fn of(document: &Value) -> Catalog {
    let (file, source) = (FileId::new(FILE), Source::parse(Format::Json, document.to_string()));
    read::catalog(source.iter().map(|source| (&file, source)), Mode::AsDeployed)
}
