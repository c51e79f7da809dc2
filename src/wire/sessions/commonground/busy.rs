//! Why an agent is busy: it has an action under way, or it is wedged and never gets free.

use std::time::Duration;

use async_nats::jetstream::{
    Context as Streams,
    consumer::{DeliverPolicy, pull::OrderedConfig},
};
use futures::StreamExt;
use serde_json::Value;

use super::{
    calling::{Calling, problem},
    sight::COMMANDS,
};
use crate::{
    model::call::CallProblem,
    systems::commonground::{
        action::{self, Sent},
        headers,
        subject::Subject,
    },
};

/// How long it may take to read the actions that the stream keeps.
const READING: Duration = Duration::from_secs(3);

/// What keeps the call's agent, as far as its state and the actions kept show it, and the way out.
pub async fn explained(calling: &Calling<'_>) -> CallProblem {
    let agent = &calling.agent;
    let remedy = match calling.channel.agent {
        Some(_) => "call with --new-agent (in Invoke: `A`, new agent): that makes a new UI agent",
        None => "send it again: that makes a new UI agent",
    };
    let (turn, standing) = standing(calling).await;
    let actions = match calling.streams() {
        Ok(streams) => actions(&streams, calling).await,
        Err(_) => Vec::new(),
    };
    if let Some(action) = turn.as_deref().and_then(|turn| action::twice(&actions, agent, turn)) {
        let message = format!(
            "agent {agent} is wedged{standing}: its action {action} was sent twice, and the second one leased a turn that never runs; \
             it stays so for good, and stopping it does not help"
        );
        return problem("agent-wedged", message, remedy);
    }
    let own = |sent: &&Sent| Some(&sent.turn) == turn.as_ref();
    let under_way = match actions.iter().find(own) {
        Some(Sent { action, tool, .. }) => format!("action {action} of {tool} under way"),
        None => "another action under way".to_owned(),
    };
    let message = format!("agent {agent} has {under_way}{standing}, and takes one at a time");
    problem("agent-busy", message, format!("wait for it, or {remedy}; if it never ends, the agent is wedged"))
}

/// The turn that the agent is in, and how it stands, for people; both unknown without an API.
async fn standing(calling: &Calling<'_>) -> (Option<String>, String) {
    let Some(api) = &calling.api else { return (None, String::new()) };
    let Ok(answer) = api.get(&calling.path("/state/agents")).await else { return (None, String::new()) };
    let rows = answer.json();
    let Some(row) = rows.as_array().into_iter().flatten().find(|row| row["agent_id"] == calling.agent.as_str()) else {
        return (None, String::new());
    };
    let turn = row["active_agent_turn_id"].as_str().map(str::to_owned);
    let status = row["status"].as_str().unwrap_or("unknown");
    let words = turn.as_ref().map_or_else(String::new, |turn| format!(", turn {turn}"));
    (turn, format!(" (it stands {status}{words})"))
}

/// The channel's actions that the stream keeps, oldest first. The consumer is ordered: it goes with us, and nobody notices.
async fn actions(streams: &Streams, calling: &Calling<'_>) -> Vec<Sent> {
    let filter_subject = Subject::ui_action(&calling.channel.project, &calling.channel.channel).to_string();
    let config = OrderedConfig { filter_subject, deliver_policy: DeliverPolicy::All, ..Default::default() };
    let mut found = Vec::new();
    let reading = async {
        let stream = streams.get_stream(COMMANDS).await.ok()?;
        let mut consumer = stream.create_consumer(config).await.ok()?;
        let kept = consumer.info().await.ok()?.num_pending;
        let mut messages = consumer.messages().await.ok()?.take(usize::try_from(kept).ok()?);
        while let Some(Ok(message)) = messages.next().await {
            found.extend(sent(&message));
        }
        Some(())
    };
    // What was read in time is better than nothing.
    let _ = tokio::time::timeout(READING, reading).await;
    found
}

fn sent(message: &async_nats::jetstream::Message) -> Option<Sent> {
    let body: Value = serde_json::from_slice(&message.payload).ok()?;
    let header = |name| message.headers.as_ref()?.get(name).map(|value| value.as_str().to_owned());
    Some(Sent {
        action: body["action_id"].as_str()?.to_owned(),
        tool: body["tool_name"].as_str().unwrap_or("a tool").to_owned(),
        agent: header(headers::AGENT)?,
        turn: header(headers::TURN)?,
    })
}
