//! What the parts of systems that are on the wire work with: connections that are opened for them,
//! and calls over those.

use std::{collections::BTreeMap, sync::Arc};

use futures::future::BoxFuture;
use tokio::sync::{mpsc, watch};

use super::{secrets::Secrets, transport::bus::Bus};
use crate::model::{
    call::{CallError, Event, Limits, Request},
    connection::{Connection, ConnectionState},
};

/// The state of every connection that was asked for, by name.
pub type States = BTreeMap<String, ConnectionState>;

/// Opens connections and makes calls. A trait, so that a system can use the registry, which knows
/// all systems.
pub trait Connector: Send + Sync {
    /// The open connection of these settings, shared with everybody else who uses it.
    fn open_bus<'a>(
        &'a self,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Arc<dyn Bus>, CallError>>;

    /// Runs one call to its end and sends its events.
    fn run_call<'a>(
        &'a self,
        connection: &'a Connection,
        request: Request,
        limits: Limits,
        events: mpsc::Sender<Event>,
    ) -> BoxFuture<'a, ()>;

    /// The state of every connection that was ever asked for, by name; changes wake the receiver.
    fn connection_states(&self) -> watch::Receiver<States>;

    /// How secrets are looked up.
    fn secrets(&self) -> &Secrets;
}
