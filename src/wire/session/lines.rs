//! The two ways on which an answer may come, listened to at once.

use super::messages;
use crate::{
    model::call::CallError,
    wire::{
        systems::facets::exchange::{ReplyChannel, Route},
        transport::{
            bus::{Bus, SubscriptionShare},
            message::{Address, Incoming},
            message_queue::{Backlog, LostCounts, QueueReceiver},
        },
    },
};

/// The call's own inbox where the transport has one, and the place that all callers listen to.
pub(crate) struct Lines {
    inbox: Option<QueueReceiver>,
    shared: Option<QueueReceiver>,
    inbox_open: bool,
    shared_open: bool,
}

impl Lines {
    /// Subscribes to both, once the transport says that the request can go out: nothing is to stay at a
    /// broker of a call that it can't take. Also gives the inbox's address.
    pub async fn subscribe(
        bus: &dyn Bus,
        route: &Route,
    ) -> Result<(Self, Option<Address>), CallError> {
        let address = bus.new_inbox();
        if address.is_none() && route.answers.is_none() {
            return Err(messages::no_way_back(bus.transport().title()));
        }
        bus.check_target(&route.to).await?;
        let inbox = subscribe_at(bus, address.as_ref()).await?;
        let shared = subscribe_at(bus, route.answers.as_ref()).await?;
        let (inbox_open, shared_open) = (inbox.is_some(), shared.is_some());
        Ok((Self { inbox, shared, inbox_open, shared_open }, address))
    }

    /// The next thing received on either; `None` when the transport has ended both.
    pub async fn next(&mut self) -> Option<(ReplyChannel, Incoming)> {
        loop {
            let Self { inbox, shared, inbox_open, shared_open } = self;
            tokio::select! {
                heard = next_incoming(inbox), if *inbox_open => match heard {
                    Some(heard) => return Some((ReplyChannel::Inbox, heard)),
                    None => *inbox_open = false,
                },
                heard = next_incoming(shared), if *shared_open => match heard {
                    Some(heard) => return Some((ReplyChannel::Shared, heard)),
                    None => *shared_open = false,
                },
                else => return None,
            }
        }
    }

    /// How much waits on one of them, as [`QueueReceiver::new_backlog`] has it.
    pub fn new_backlog(&mut self) -> Option<Backlog> {
        let mut lines = [&mut self.inbox, &mut self.shared].into_iter().flatten();
        lines.find_map(QueueReceiver::new_backlog)
    }

    /// How many messages and bytes were dropped on both.
    pub fn lost_counts(&self) -> LostCounts {
        let lines = [&self.inbox, &self.shared].into_iter().flatten();
        lines.map(QueueReceiver::lost_counts).sum()
    }
}

async fn subscribe_at(
    bus: &dyn Bus,
    at: Option<&Address>,
) -> Result<Option<QueueReceiver>, CallError> {
    match at {
        Some(at) => bus.subscribe(at, SubscriptionShare::Each).await.map(Some),
        None => Ok(None),
    }
}

async fn next_incoming(line: &mut Option<QueueReceiver>) -> Option<Incoming> {
    match line {
        Some(line) => line.next().await,
        None => None,
    }
}
