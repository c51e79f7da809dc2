//! Servers of which a person wants to know what they have and what is said to them.

use futures::future::BoxFuture;
use serde_json::Value;

use crate::{
    model::{
        call::CallError,
        connection::Connection,
        server_item::{ItemContent, ItemKind, ItemRequest, ListTiming, ServerItem},
    },
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

    /// What a list has in a place; `None` where it cannot be asked for.
    fn read_item(&self, kind: ItemKind, json: &Value) -> Option<ServerItem>;

    /// What a resource or a prompt holds.
    fn read_content<'a>(
        &'a self,
        bus: &'a dyn Bus,
        request: &'a ItemRequest,
    ) -> BoxFuture<'a, Result<ItemContent, CallError>>;

    /// Asks the server to say when a resource changes.
    fn follow_resource<'a>(
        &'a self,
        bus: &'a dyn Bus,
        request: &'a ItemRequest,
    ) -> BoxFuture<'a, Result<Box<dyn ResourceUpdates>, CallError>>;

    /// What the server suggests for one of the request's arguments; none where it suggests nothing.
    fn suggest_values<'a>(
        &'a self,
        bus: &'a dyn Bus,
        request: &'a ItemRequest,
        argument: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, CallError>>;

    /// The reply to a call of a tool as it came: an object with its `result` or its `error`.
    fn call_tool<'a>(
        &'a self,
        bus: &'a dyn Bus,
        tool: &'a str,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Value, CallError>>;

    /// The same connection in each era in which it could be spoken with, by the era's name.
    fn era_variants(&self, connection: &Connection) -> Vec<(&'static str, Connection)>;
}

/// What a server says about a resource that is followed.
pub trait ResourceUpdates: Send {
    /// The URI of what has changed: the resource, or one below it. An error ends it.
    fn next(&mut self) -> BoxFuture<'_, Result<String, CallError>>;

    /// Asks the server to say no more; `bus` is the connection that it was asked over.
    fn end(self: Box<Self>, bus: &dyn Bus) -> BoxFuture<'_, Result<(), CallError>>;
}

/// All that a server has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The revision of the protocol that is spoken.
    pub version: String,
    pub lists: Vec<ListedItems>,
}

/// One kind of what a server has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListedItems {
    pub kind: &'static str,
    pub items: Vec<Value>,
    pub timing: ListTiming,
    /// What is odd about the list.
    pub odd: Vec<String>,
}

impl Listing {
    /// The entries of one kind, as they came.
    #[must_use]
    pub fn items_of(&self, kind: &str) -> &[Value] {
        let listed = self.lists.iter().find(|listed| listed.kind == kind);
        listed.map_or(&[], |listed| &listed.items)
    }
}
