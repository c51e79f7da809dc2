//! Connections on which both sides have something to say before the first call.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Weak},
};

use futures::future::BoxFuture;
use tokio::sync::mpsc;

use super::responder::Question;
use crate::{
    engine::mask::Mask,
    model::connection::Connection,
    wire::{
        secrets::Secrets,
        transport::bus::{Bus, BusFuture},
    },
};

/// Takes what the other side asks a person.
pub(crate) type Questions = mpsc::Sender<Question>;

/// What a connection is opened with.
#[derive(Clone, Copy)]
pub struct Opening<'o> {
    pub connection: &'o Connection,
    pub secrets: &'o Secrets,
    /// The folder of the workspace that it is opened for, where there is one.
    pub workspace: Option<&'o Path>,
    /// Who is asked; `None`: nobody is there.
    pub questions: Option<&'o Questions>,
}

/// What comes of a connection while nobody asks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// Words for a person.
    Words(String),
    /// The server of the connection of that name has other tools now.
    Tools(String),
}

/// Passes news of a connection on.
pub(crate) type Tell = Arc<dyn Fn(News) + Send + Sync>;

/// A connection that is open, for what runs beside it.
pub struct OpenedConnection {
    pub name: String,
    /// What runs beside a connection does not hold it.
    pub bus: Weak<dyn Bus>,
    /// The folder of the workspace that it is opened for.
    pub workspace: PathBuf,
    /// Knows the secrets that were used to get there.
    pub mask: Mask,
    pub tell: Tell,
}

/// Opens connections in a system's own way, over a transport.
pub trait Opener: Sync {
    /// Whether a connection leads to this system.
    fn is_at(&self, connection: &Connection) -> bool;

    /// Opens one: what is given back is spoken with in the system's own terms.
    fn open<'a>(&'a self, opening: Opening<'a>) -> BusFuture<'a, Arc<dyn Bus>>;

    /// What runs beside a connection that is open, until it is over; `None` where nothing does.
    fn watch(&self, opened: OpenedConnection) -> Option<BoxFuture<'static, ()>> {
        let _ = opened;
        None
    }
}
