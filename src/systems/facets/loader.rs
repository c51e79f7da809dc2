//! Which tools a system loads.

use crate::model::{
    catalog::{Catalog, Loading},
    context::Mode,
    tool::Tool,
};

/// Does not load every tool that its files describe.
pub trait Loader: Sync {
    /// Which tools of the catalog this system does not load, by the rules of the catalog's mode, and the order in which it holds the
    /// others.
    fn loading(&self, catalog: &Catalog) -> Loading;

    /// Why every request fails that offers the tool, by the rules of a mode; `None` where none does.
    fn breaks(&self, tool: &Tool, mode: Mode) -> Option<String>;
}
