//! Connections on which both sides have something to say before the first call.

use std::{path::Path, sync::Arc};

use crate::{
    model::connection::Connection,
    wire::{
        secrets::Secrets,
        transport::bus::{Bus, Doing},
    },
};

/// Opens connections in a system's own way, over a transport.
pub trait Opener: Sync {
    /// Whether a connection leads to this system.
    fn is_at(&self, connection: &Connection) -> bool;

    /// Opens one: what is given back is spoken with in the system's own terms. `workspace` is the
    /// folder of the workspace that it is opened for, where there is one.
    fn open<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
        workspace: Option<&'a Path>,
    ) -> Doing<'a, Arc<dyn Bus>>;
}
