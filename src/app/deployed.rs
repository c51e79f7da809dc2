//! The tools of running systems, listed so that they can be called as they are.

use std::sync::Arc;

use crate::model::{catalog::Catalog, connection::Connection, problem::Problem};

/// What was listed of one system, and how.
#[derive(Clone, Debug)]
pub struct DeployedTools {
    pub connection: Connection,
    /// The number of the asking.
    pub turn: u64,
    pub progress: Progress,
    /// The tools as last listed, with what answers for them; none after a failure.
    pub catalog: Arc<Catalog>,
    /// The same, also after a failure: what a new listing is compared with.
    pub last: Arc<Catalog>,
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

/// The newest listing of each connection, in the order in which they were first listed.
#[derive(Clone, Debug, Default)]
pub struct DeployedListings {
    lists: Vec<DeployedTools>,
    turns: u64,
}

impl DeployedListings {
    /// A listing begins; the tools of the one before stay meanwhile. Answers its turn.
    pub fn begin(&mut self, connection: &Connection) -> u64 {
        self.turns += 1;
        let turn = self.turns;
        let known = self.lists.iter_mut().find(|list| list.connection.name == connection.name);
        match known {
            Some(known) => {
                if !known.connection.leads_as(connection) {
                    (known.catalog, known.last) = (Arc::default(), Arc::default());
                }
                known.connection = connection.clone();
                (known.turn, known.progress) = (turn, Progress::UnderWay);
            }
            None => self.lists.push(DeployedTools {
                connection: connection.clone(),
                turn,
                progress: Progress::UnderWay,
                catalog: Arc::default(),
                last: Arc::default(),
            }),
        }
        turn
    }

    /// A listing that did not even begin is none.
    pub fn drop_turn(&mut self, turn: u64) {
        self.lists.retain(|list| list.turn != turn);
    }

    /// The listing of that turn, unless a newer one of the same connection has begun.
    pub fn of_turn(&mut self, turn: u64) -> Option<&mut DeployedTools> {
        self.lists.iter_mut().find(|list| list.turn == turn)
    }

    /// All of them, also of connections that have changed since.
    pub fn iter(&self) -> impl Iterator<Item = &DeployedTools> {
        self.lists.iter()
    }
}
