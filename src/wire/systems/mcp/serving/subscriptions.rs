//! Resources that clients follow: what a server behind the tools says of them is passed on, until
//! their client follows them no longer.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::future::BoxFuture;
use serde_json::Map;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::super::{listing, updates};
use crate::{
    model::server_item::{ItemKind, ItemRequest},
    systems::mcp::{codes, server::reply::Refusal},
    wire::systems::facets::tool_server::ToolHost,
};

/// Updates of one resource on their way at most; more make the server's wait.
pub(crate) const UPDATES: usize = 16;

/// The resources that one client of the legacy era follows, until this is dropped.
#[derive(Clone, Default)]
pub(crate) struct FollowedResources(Arc<Mutex<HashMap<String, DropGuard>>>);

impl FollowedResources {
    /// A resource is followed until it is removed or followed again, by which `stop` is cancelled.
    pub fn insert(&self, uri: String, stop: CancellationToken) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(uri, stop.drop_guard());
    }

    pub fn remove(&self, uri: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(uri);
    }
}

/// Where a client of the legacy era hears what it did not ask for. What is said while there is no
/// such place is reported once there is one, as far as it is kept.
#[derive(Clone, Default)]
pub(crate) struct OwnFrames(Arc<Mutex<OwnPlace>>);

#[derive(Default)]
struct OwnPlace {
    frames: Option<mpsc::Sender<String>>,
    waiting: VecDeque<String>,
}

/// So many frames wait for a place to be reported at, the last ones.
const WAITING: usize = 32;

impl OwnFrames {
    fn place(&self) -> MutexGuard<'_, OwnPlace> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn open(&self, frames: mpsc::Sender<String>) {
        let mut place = self.place();
        for frame in place.waiting.drain(..) {
            // There is room for more than wait.
            let _ = frames.try_send(frame);
        }
        place.frames = Some(frames);
    }

    pub fn close(&self) {
        self.place().frames = None;
    }

    pub async fn send(&self, frame: String) {
        let frames = {
            let mut place = self.place();
            match &place.frames {
                Some(frames) => frames.clone(),
                None => {
                    if place.waiting.len() >= WAITING {
                        place.waiting.pop_front();
                    }
                    return place.waiting.push_back(frame);
                }
            }
        };
        // Who has left need not be notified.
        let _ = frames.send(frame).await;
    }
}

/// How many clients follow a resource of a server, by the server's name and the URI: all of them
/// share one connection to it.
#[derive(Clone, Default)]
pub(crate) struct FollowerCounts(Arc<Mutex<HashMap<(String, String), usize>>>);

impl FollowerCounts {
    fn add(&self, key: &(String, String)) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(key.clone()).or_default() += 1;
    }

    /// Whether that was the last one.
    fn remove(&self, key: &(String, String)) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = counts.get_mut(key) else { return true };
        *count -= 1;
        let is_last = *count == 0;
        if is_last {
            counts.remove(key);
        }
        is_last
    }
}

/// Asks the servers behind the tools to say when a resource changes; the first that will is
/// listened to by what this gives, which puts the URI of each update into `update_sender`, until `stop`.
///
/// # Errors
/// Why none of them will.
pub(crate) async fn follow_resource(
    (host, counts): (&dyn ToolHost, &FollowerCounts),
    uri: &str,
    update_sender: mpsc::Sender<String>,
    stop: CancellationToken,
) -> Result<BoxFuture<'static, ()>, Refusal> {
    let request =
        ItemRequest { kind: ItemKind::Resource, id: uri.to_owned(), arguments: Map::new() };
    let message = "no server behind the tools says when its resources change";
    let mut refused = Refusal::new(codes::METHOD_NOT_FOUND, message);
    for server in host.servers() {
        let followed = match host.open_server(&server).await {
            Ok(bus) => {
                updates::follow_resource(&*bus, &request).await.map(|updates| (bus, updates))
            }
            Err(problem) => Err(problem),
        };
        let (bus, mut updates) = match followed {
            Ok(followed) => followed,
            Err(problem) => {
                if !listing::is_unknown(&problem) {
                    refused = Refusal::new(codes::INVALID_PARAMS, problem.message);
                }
                continue;
            }
        };
        let (counts, key) = (counts.clone(), (server, uri.to_owned()));
        counts.add(&key);
        return Ok(Box::pin(async move {
            loop {
                tokio::select! {
                    () = stop.cancelled() => break,
                    () = update_sender.closed() => break,
                    updated = updates.next() => match updated {
                        // Who has left is found out above.
                        Ok(uri) => drop(update_sender.send(uri).await),
                        Err(_) => break,
                    },
                }
            }
            drop(update_sender);
            if counts.remove(&key) {
                // A server that is gone says no more anyway.
                let _ = updates.end(&*bus).await;
            }
        }));
    }
    Err(refused)
}
