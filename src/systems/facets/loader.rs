//! Which tools a system loads, and when they are available where their entries do not say it.

use crate::model::{
    catalog::{Catalog, Loading},
    context::Mode,
    tool::Tool,
};

/// Does not load every tool that its files describe, or not by what the tool's entry alone says.
pub trait Loader: Sync {
    /// Which tools of the catalog this system does not load, by the rules of the catalog's mode,
    /// the order in which it holds the others, and gates that stand elsewhere than in the tools'
    /// entries.
    fn decide_loading(&self, catalog: &Catalog) -> Loading;

    /// Why every request fails that offers the tool, by the rules of a mode; `None` where none
    /// does.
    fn request_failure(&self, tool: &Tool, mode: Mode) -> Option<String> {
        let _ = (tool, mode);
        None
    }
}
