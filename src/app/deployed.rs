//! The tools of a running system, listed so that they can be called as they are.

use std::sync::Arc;

use crate::model::{catalog::Catalog, connection::Connection, problem::Problem};

/// What was last listed, and where.
#[derive(Clone, Debug)]
pub struct DeployedTools {
    pub connection: Connection,
    /// The number of the asking.
    pub turn: u64,
    pub progress: Progress,
    /// The tools as last listed, with what answers for them; none after a failure.
    pub catalog: Arc<Catalog>,
}

impl DeployedTools {
    /// Whether a listing has ended without tools, so that another one may find some.
    #[must_use]
    pub fn has_none(&self) -> bool {
        self.progress != Progress::UnderWay && self.catalog.tools.is_empty()
    }
}

/// How the listing goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    UnderWay,
    Listed,
    Failed(Problem),
}
