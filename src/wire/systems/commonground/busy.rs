//! Why an agent is busy: it has an action under way, or it is wedged and never gets free.

use std::time::Duration;

use async_nats::jetstream::{
    Context as Streams, Message,
    consumer::{DeliverPolicy, pull::OrderedConfig},
};
use futures::StreamExt;
use serde_json::Value;

use super::{
    api::caller_state,
    calling::Calling,
    channel_watch::{COMMANDS, EVENTS},
};
use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    systems::commonground::{
        ack::{self, Ack, AgentActivity},
        subject::Subject,
    },
};

/// How long it may take to read what a stream keeps.
const READING: Duration = Duration::from_secs(3);

/// What keeps the call's agent, as far as its state and what the UI worker said of its actions show
/// it, and the way out.
pub(crate) async fn explain_busy(calling: &Calling<'_>) -> CallError {
    let agent = &calling.agent;
    let remedy = match calling.channel.agent {
        Some(_) => {
            "call with --new-agent (in Invoke: `A`, new agent): that takes a UI agent of our own"
        }
        None => "send it again: that takes another UI agent",
    };
    let state = agent_state(calling).await;
    let (acks, sent) = match calling.jetstream_context() {
        Ok(streams) => read_worker_messages(&streams, calling).await,
        Err(_) => Default::default(),
    };
    let under_way = match ack::agent_engagement(&acks, agent) {
        AgentActivity::Wedged(action) => {
            let message = format!(
                "agent {agent} is wedged{state}: its action {action} was sent twice, and the second one leased a turn that never runs; \
                 it stays so for good, and stopping it does not help"
            );
            return CallError::new(ErrorKind::AgentWedged, message, remedy);
        }
        AgentActivity::With(action) => {
            match sent.iter().rev().find(|body| body["action_id"] == action) {
                Some(body) => format!(
                    "action {action} of {} under way",
                    body["tool_name"].as_str().unwrap_or("a tool")
                ),
                None => format!("action {action} under way"),
            }
        }
        AgentActivity::Unknown => "another action under way".to_owned(),
    };
    let message = format!("agent {agent} has {under_way}{state}, and takes one at a time");
    CallError::new(
        ErrorKind::AgentBusy,
        message,
        format!("wait for it, or {remedy}; if it never ends, the agent is wedged"),
    )
}

/// What the agent does, for people; empty without an API.
async fn agent_state(calling: &Calling<'_>) -> String {
    let Some(row) = caller_state(calling).await else { return String::new() };
    let turn = row["active_agent_turn_id"]
        .as_str()
        .map_or_else(String::new, |turn| format!(", turn {turn}"));
    format!(" (its state is {}{turn})", row["status"].as_str().unwrap_or("unknown"))
}

/// What the UI worker acknowledged in the channel, and the actions that were sent to it; the oldest
/// first.
async fn read_worker_messages(streams: &Streams, calling: &Calling<'_>) -> (Vec<Ack>, Vec<Value>) {
    let (project, channel) = (&calling.channel.project, &calling.channel.channel);
    let acks = kept_bodies(streams, EVENTS, Subject::ui_ack(project, channel)).await;
    let sent = kept_bodies(streams, COMMANDS, Subject::ui_action(project, channel)).await;
    (acks.iter().filter_map(Ack::from_value).collect(), sent)
}

/// The bodies of the messages that a stream keeps of a subject. The consumer is ordered: it goes
/// with us, and nobody notices.
async fn kept_bodies(streams: &Streams, stream: &str, subject: Subject) -> Vec<Value> {
    let config = OrderedConfig {
        filter_subject: subject.to_string(),
        deliver_policy: DeliverPolicy::All,
        ..Default::default()
    };
    let mut found = Vec::new();
    let reading = async {
        let stream = streams.get_stream(stream).await.ok()?;
        let mut consumer = stream.create_consumer(config).await.ok()?;
        let kept = consumer.info().await.ok()?.num_pending;
        let mut messages = consumer.messages().await.ok()?.take(usize::try_from(kept).ok()?);
        while let Some(Ok(message)) = messages.next().await {
            found.extend(parse_body(&message));
        }
        Some(())
    };
    // What was read in time is better than nothing.
    let _ = tokio::time::timeout(READING, reading).await;
    found
}

fn parse_body(message: &Message) -> Option<Value> {
    serde_json::from_slice(&message.payload).ok()
}
