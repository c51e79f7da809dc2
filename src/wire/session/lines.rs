//! The two ways on which an answer may come, listened to at once.

use crate::{
    model::call::CallProblem,
    wire::{
        sessions::ride::{Route, Way},
        transport::{
            bus::{Bus, Share},
            line::Line,
            message::Heard,
        },
    },
};

/// The call's own inbox, and the subject that all callers listen to.
pub struct Lines {
    inbox: Line,
    shared: Option<Line>,
    inbox_open: bool,
    shared_open: bool,
}

impl Lines {
    /// Subscribes to both; also gives the inbox's name.
    pub async fn open(bus: &dyn Bus, route: &Route) -> Result<(Self, String), CallProblem> {
        let name = bus.inbox();
        let inbox = bus.subscribe(&name, Share::Each).await?;
        let shared = match &route.answers {
            Some(subject) => Some(bus.subscribe(subject, Share::Each).await?),
            None => None,
        };
        let shared_open = shared.is_some();
        Ok((Self { inbox, shared, inbox_open: true, shared_open }, name))
    }

    /// The next thing heard on either; `None` when the transport has ended both.
    pub async fn next(&mut self) -> Option<(Way, Heard)> {
        loop {
            let Self { inbox, shared, inbox_open, shared_open } = self;
            let shared_next = async {
                match shared {
                    Some(line) => line.next().await,
                    None => None,
                }
            };
            tokio::select! {
                heard = inbox.next(), if *inbox_open => match heard {
                    Some(heard) => return Some((Way::Inbox, heard)),
                    None => *inbox_open = false,
                },
                heard = shared_next, if *shared_open => match heard {
                    Some(heard) => return Some((Way::Shared, heard)),
                    None => *shared_open = false,
                },
                else => return None,
            }
        }
    }

    /// How many messages and bytes were let go on both.
    pub fn lost(&self) -> (u64, u64) {
        let (shared_messages, shared_bytes) = self.shared.as_ref().map_or((0, 0), Line::lost);
        let (messages, bytes) = self.inbox.lost();
        (messages + shared_messages, bytes + shared_bytes)
    }
}
