//! What every client of the server has in common: the tools, calls of them, news of changes.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::running::Running;
use crate::{
    model::call::Outcome,
    systems::mcp::{
        rpc::frame::Frame,
        server::{
            call_report::{CallReport, end_of},
            dialogue::{Asked, Dialogue, Listening, Offer, ToolCall},
            reply::{About, acknowledged_frame, subscription_meta, tools_changed_frame},
            toolbox::Toolbox,
        },
    },
    wire::systems::facets::tool_server::ToolHost,
};

/// Events of a call on their way at most.
const QUEUE: usize = 256;

/// Frames to a client on their way at most; more make their senders wait.
pub(crate) const FRAMES: usize = 64;

pub(crate) struct RequestHandler {
    pub host: Arc<dyn ToolHost>,
    pub toolbox: Toolbox,
    about: About,
}

impl RequestHandler {
    #[must_use]
    pub fn new(host: Arc<dyn ToolHost>) -> Arc<Self> {
        let about = About {
            name: "toolcrib".to_owned(),
            title: host.title(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: host.instructions(),
        };
        Arc::new(Self { toolbox: Toolbox::new(host.tools()), about, host })
    }

    /// Takes a message of a client in.
    pub fn handle_message(&self, dialogue: &mut Dialogue, frame: &Frame) -> Asked {
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

    /// Makes a call, and sends what its client is told; nothing more once it is cancelled.
    pub async fn run_call(
        self: Arc<Self>,
        call: ToolCall,
        frames: mpsc::Sender<String>,
        running: Running,
    ) {
        let (row, arguments) = (call.row, call.arguments.clone());
        let (sender, mut events) = mpsc::channel(QUEUE);
        let mut working = self.host.run_call(row, &arguments, sender);
        let mut report = CallReport::new(call);
        let mut end = (Outcome::Lost, None);
        let mut is_working = true;
        loop {
            let event = tokio::select! {
                biased;
                () = running.cancelled.cancelled() => return,
                event = events.recv() => event,
                () = &mut working, if is_working => {
                    is_working = false;
                    continue;
                }
            };
            let Some(event) = event else { break };
            if let Some(ended) = end_of(&event) {
                end = ended;
            } else if let Some(frame) = report.handle_event(event.kind) {
                // A call goes on although nobody reads: what ends it cancels it.
                tokio::select! {
                    () = running.cancelled.cancelled() => return,
                    _ = frames.send(frame) => {}
                }
            }
        }
        let (outcome, problem) = end;
        let reply = report.into_reply(&self.about, outcome, problem);
        // Who has left needs no answer.
        let _ = frames.send(reply.text).await;
    }

    /// Tells a subscriber what changes, until it is cancelled, or with a last word until `leaving`.
    pub async fn run_listening(
        self: Arc<Self>,
        listening: Listening,
        frames: mpsc::Sender<String>,
        running: Running,
        leaving: CancellationToken,
    ) {
        let Listening { id, spoken, tools } = listening;
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
