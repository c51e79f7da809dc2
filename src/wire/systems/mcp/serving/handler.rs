//! What every client of the server has in common: the tools, calls of them, news of changes.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::{
    questions::{Caller, ParkedCalls},
    relay::relay_request,
    running::Running,
};
use crate::{
    systems::mcp::{
        rpc::frame::Frame,
        server::{
            dialogue::{ClientRequest, Dialogue, Offer, RelayedRequest, ToolSubscription},
            reply::{ServerInfo, acknowledged_frame, subscription_meta, tools_changed_frame},
            toolbox::Toolbox,
        },
    },
    wire::systems::facets::tool_server::ToolHost,
};

/// Frames to a client on their way at most; more make their senders wait.
pub(crate) const FRAMES: usize = 64;

pub(crate) struct RequestHandler {
    pub host: Arc<dyn ToolHost>,
    pub toolbox: Toolbox,
    pub about: ServerInfo,
    /// Calls that wait for what their clients are to find out.
    pub parked: ParkedCalls,
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
        Arc::new(Self { toolbox, about, parked, host })
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

    /// Tells a subscriber what changes, until it is cancelled, or with a last word until `leaving`.
    pub async fn run_listening(
        self: Arc<Self>,
        listening: ToolSubscription,
        frames: mpsc::Sender<String>,
        running: Running,
        leaving: CancellationToken,
    ) {
        let ToolSubscription { id, spoken, tools } = listening;
        // Whatever changes from here on is told.
        let mut changes = self.changes();
        let heard = if tools { json!({"toolsListChanged": true}) } else { json!({}) };
        let mut next = Some(acknowledged_frame(&id, &heard));
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
