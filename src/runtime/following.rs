//! Follows resources of servers: says when one has changed, until it is followed no longer.

use std::{collections::HashMap, sync::Arc};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::connection_test::inspector_at;
use crate::{
    app::{
        message::Message,
        resources::{ItemId, ResourceMessage},
    },
    model::{call::CallError, connection::Connection, server_item::ItemRequest},
    wire::{registry::Registry, spawning::spawn},
};

/// Resources that are followed.
#[derive(Default)]
pub(super) struct FollowTasks(HashMap<ItemId, CancellationToken>);

impl FollowTasks {
    /// Follows a resource apart from the keys; what comes of it comes as messages.
    pub fn follow(
        &mut self,
        (registry, messages): (Arc<Registry>, mpsc::Sender<Message>),
        item: ItemId,
        (connection, request): (Connection, ItemRequest),
    ) {
        let stop = CancellationToken::new();
        if let Some(before) = self.0.insert(item.clone(), stop.clone()) {
            before.cancel();
        }
        spawn(async move {
            let updates = (item.clone(), messages.clone());
            let followed = follow_item(&registry, (&connection, &request), updates, &stop).await;
            // What goes wrong once nobody follows it any more is nobody's concern.
            if let Err(problem) = followed
                && !stop.is_cancelled()
            {
                let problem = Box::new(problem.while_doing(format!("following {}", item.id)));
                let ended = ResourceMessage::FollowEnded { item, problem };
                // Nobody may look any more.
                let _ = messages.send(Message::Resource(ended)).await;
            }
        });
    }

    /// Follows a resource no longer.
    pub fn unfollow(&mut self, item: &ItemId) {
        if let Some(stop) = self.0.remove(item) {
            stop.cancel();
        }
    }
}

async fn follow_item(
    registry: &Registry,
    (connection, request): (&Connection, &ItemRequest),
    (item, messages): (ItemId, mpsc::Sender<Message>),
    stop: &CancellationToken,
) -> Result<(), CallError> {
    let Some(inspector) = inspector_at(connection) else { return Ok(()) };
    let bus = registry.open_bus(connection).await?;
    let mut updates = inspector.follow_resource(&*bus, request).await?;
    loop {
        tokio::select! {
            () = stop.cancelled() => return updates.end(&*bus).await,
            updated = updates.next() => updated.map(drop)?,
        }
        let updated = ResourceMessage::Updated(item.clone());
        if messages.send(Message::Resource(updated)).await.is_err() {
            return Ok(());
        }
    }
}
