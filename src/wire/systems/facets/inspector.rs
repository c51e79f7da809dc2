//! Servers of which a person wants to know what they have and what is said to them.

use futures::future::BoxFuture;
use serde_json::Value;

use crate::{
    model::{call::CallError, connection::Connection},
    wire::transport::bus::Bus,
};

/// The header of a frame that says when, in microseconds since the connection was begun.
pub(crate) const AT: &str = ":at";

/// Has servers that list what they have.
pub trait Inspector: Sync {
    /// Whether a connection leads to one.
    fn is_at(&self, connection: &Connection) -> bool;

    /// A connection that leads to one, made from one that only says where.
    fn over(&self, connection: Connection) -> Connection;

    /// The members of the connection's table in `toolcrib.toml` that say so.
    fn members(&self) -> Vec<(&'static str, Value)>;

    /// Asks for a sign of life.
    fn ping<'a>(&'a self, bus: &'a dyn Bus) -> BoxFuture<'a, Result<(), CallError>>;

    /// All that it has, by kind: `tools`, `resources` and so on.
    fn list<'a>(&'a self, bus: &'a dyn Bus) -> BoxFuture<'a, Result<Listing, CallError>>;
}

/// All that a server has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The revision of the protocol that is spoken.
    pub version: String,
    pub lists: Vec<Listed>,
}

/// One kind of what a server has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed {
    pub kind: &'static str,
    pub items: Vec<Value>,
    /// What is odd about the list.
    pub odd: Vec<String>,
}
