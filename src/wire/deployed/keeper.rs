//! What it takes to read and write a running system's entries.

use futures::future::BoxFuture;

use crate::{
    model::{connection::Connection, entry::SystemId, problem::Problem},
    systems::deployed::{item::Item, push::Push},
    wire::registry::Registry,
};

pub trait Keeper: Sync {
    fn system(&self) -> SystemId;

    /// Everything that agents use there.
    fn read<'a>(&self, registry: &'a Registry, connection: &'a Connection) -> BoxFuture<'a, Result<Vec<Item>, Problem>>;

    /// Makes a push, and reads back whether everything is there.
    fn write<'a>(&self, registry: &'a Registry, connection: &'a Connection, push: &'a Push)
    -> BoxFuture<'a, Result<(), Problem>>;
}
