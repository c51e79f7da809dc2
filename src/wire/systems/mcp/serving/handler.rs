//! What every client of the server has in common: the tools, calls of them, news of changes.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::{
    questions::{Caller, ParkedCalls},
    relay::relay_request,
    running::Running,
    subscriptions::{FollowedResources, FollowerCounts, OwnFrames, UPDATES, follow_resource},
    task_store::ServedTasks,
};
use crate::{
    systems::mcp::{
        rpc::frame::Frame,
        server::{
            dialogue::{
                ClientRequest, Dialogue, Offer, RelayedRequest, ResourceSubscription,
                ToolSubscription,
            },
            reply::{
                ServerInfo, acknowledged_frame, resource_updated_frame, subscription_meta,
                tools_changed_frame,
            },
            toolbox::Toolbox,
        },
    },
    wire::{spawning::spawn, systems::facets::tool_server::ToolHost},
};

/// Frames to a client on their way at most; more make their senders wait.
pub(crate) const FRAMES: usize = 64;

pub(crate) struct RequestHandler {
    pub host: Arc<dyn ToolHost>,
    pub toolbox: Toolbox,
    pub about: ServerInfo,
    /// Calls that wait for what their clients are to find out.
    pub parked: ParkedCalls,
    pub tasks: ServedTasks,
    /// Who follows resources of servers behind the tools.
    pub followers: FollowerCounts,
}

impl RequestHandler {
    #[must_use]
    pub fn new(host: Arc<dyn ToolHost>) -> Arc<Self> {
        let about = ServerInfo {
            name: "toolcrib".to_owned(),
            title: host.title(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: host.instructions(),
            has_servers: !host.servers().is_empty(),
        };
        let (toolbox, parked) = (Toolbox::new(host.tools()), ParkedCalls::default());
        let followers = FollowerCounts::default();
        let tasks = ServedTasks::default();
        Arc::new(Self { toolbox, about, parked, tasks, followers, host })
    }

    /// Takes a message of a client in.
    pub fn handle_message(&self, dialogue: &mut Dialogue, frame: &Frame) -> ClientRequest {
        let available = self.host.available();
        let offer = Offer {
            about: &self.about,
            toolbox: &self.toolbox,
            available: &available,
            hidden_reason: &|row| self.host.hidden_reason(row),
        };
        dialogue.handle_message(frame, offer)
    }

    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.host.changes()
    }

    /// Answers a request for what servers behind the tools have beside them.
    pub async fn run_relay(self: Arc<Self>, request: RelayedRequest, caller: Caller) {
        let RelayedRequest { id, method, params, spoken } = request;
        let relaying = relay_request(&*self.host, (&method, &params), spoken.era);
        let answered = tokio::select! {
            () = caller.running.cancelled.cancelled() => return,
            answered = relaying => answered,
        };
        let reply = match answered {
            // Each of them may be another one at any time.
            Ok(result) if method != "prompts/get" => self.about.list_result(&id, &spoken, result),
            Ok(result) => self.about.result(&id, &spoken, result),
            Err(refusal) => refusal.to_reply(Some(&id), spoken.era),
        };
        // Who has left needs no answer.
        let _ = caller.frames.send(reply.text).await;
    }

    /// Follows a resource for a client of the legacy era, or no longer.
    pub async fn run_following(
        self: Arc<Self>,
        asked: ResourceSubscription,
        caller: Caller,
        (followed, own): (FollowedResources, OwnFrames),
    ) {
        let ResourceSubscription { id, spoken, uri, is_wanted } = asked;
        followed.remove(&uri);
        let mut refused = None;
        if is_wanted {
            let (update_sender, mut updates) = mpsc::channel(UPDATES);
            let (stop, behind) = (CancellationToken::new(), (&*self.host, &self.followers));
            let following = tokio::select! {
                () = caller.running.cancelled.cancelled() => return,
                following = follow_resource(behind, &uri, update_sender, stop.clone()) => following,
            };
            match following {
                Ok(following) => {
                    spawn(following);
                    spawn(async move {
                        while let Some(uri) = updates.recv().await {
                            own.send(resource_updated_frame(&uri, None)).await;
                        }
                    });
                    followed.insert(uri, stop);
                }
                Err(refusal) => refused = Some(refusal),
            }
        }
        let reply = match refused {
            None => self.about.result(&id, &spoken, json!({})),
            Some(refusal) => refusal.to_reply(Some(&id), spoken.era),
        };
        // Who has left needs no answer.
        let _ = caller.frames.send(reply.text).await;
    }

    /// Follows resources until nobody takes what is reported; those that are followed.
    async fn follow_all(
        &self,
        uris: Vec<String>,
        update_sender: &mpsc::Sender<String>,
    ) -> Vec<String> {
        let mut followed = Vec::new();
        for uri in uris {
            let (stop, behind) = (CancellationToken::new(), (&*self.host, &self.followers));
            if let Ok(following) = follow_resource(behind, &uri, update_sender.clone(), stop).await
            {
                spawn(following);
                followed.push(uri);
            }
        }
        followed
    }

    /// Reports a subscriber what changes, until it is cancelled, or with a last word until
    /// `leaving`.
    pub async fn run_listening(
        self: Arc<Self>,
        listening: ToolSubscription,
        frames: mpsc::Sender<String>,
        running: Running,
        leaving: CancellationToken,
    ) {
        let ToolSubscription { id, spoken, tools, resources } = listening;
        // Whatever changes from here on is reported.
        let mut changes = self.changes();
        let (update_sender, mut updates) = mpsc::channel(UPDATES);
        let mut acknowledged = if tools { json!({"toolsListChanged": true}) } else { json!({}) };
        let followed = self.follow_all(resources, &update_sender).await;
        if !followed.is_empty() {
            acknowledged["resourceSubscriptions"] = followed.into();
        }
        let mut next = Some(acknowledged_frame(&id, &acknowledged));
        loop {
            if let Some(frame) = next.take()
                && frames.send(frame).await.is_err()
            {
                return;
            }
            tokio::select! {
                () = running.cancelled.cancelled() => return,
                () = frames.closed() => return,
                () = leaving.cancelled() => break,
                Some(uri) = updates.recv() => {
                    next = Some(resource_updated_frame(&uri, Some(&id)));
                }
                changed = changes.changed() => match changed {
                    Ok(()) => next = tools.then(|| tools_changed_frame(Some(&id))),
                    Err(_) => break,
                },
            }
        }
        let last = self.about.result(&id, &spoken, json!({"_meta": subscription_meta(&id)}));
        let _ = frames.send(last.text).await;
    }
}
