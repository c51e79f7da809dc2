//! An agent of our own to call in the name of: one that is free, or a new one.

use serde_json::{Value, json};

use super::{
    api::{agent_states, error_for_status, state_of},
    calling::Calling,
};
use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    systems::commonground::{action::UI_WORKER, routes::path_part},
    wire::{
        management::{Management, PATIENCE},
        session::event_sink::SinkClosed,
        systems::facets::own_agents::OwnAgent,
    },
};

/// The profile of our agents. It lets them start other agents, as `delegate_async` does.
const PROFILE: &str = r#"{"name": "toolcrib", "worker_target": "ui_worker", "description": "Calls tools for toolcrib.", "delegation_policy": {"target_profiles": null}}"#;

/// How an agent that we remember is found.
enum AgentLookup {
    Idle,
    Busy,
    Gone,
}

/// Sees to it that the call has an agent: the one of the settings, or one of our own.
pub(crate) async fn choose_agent(
    calling: &mut Calling<'_>,
) -> Result<Result<(), CallError>, SinkClosed> {
    if !calling.agent.is_empty() {
        let words = format!("in the name of agent {}, as the connection says", calling.agent);
        return calling.sink.emit_stage("agent", words, "").await.map(Ok);
    }
    match find_agent(calling).await {
        Ok((agent, words)) => {
            calling.agent.clone_from(&agent.name);
            calling.own = Some(agent);
            calling.sink.emit_stage("agent", words, "").await.map(Ok)
        }
        Err(problem) => Ok(Err(problem)),
    }
}

/// Finds an agent that is free, or makes one; with words about it.
async fn find_agent(calling: &Calling<'_>) -> Result<(OwnAgent, String), CallError> {
    let Some(api) = &calling.api else {
        let remedy = "name one in the connection (agent = \"…\"), or the API that makes one (api = \"http://…\")";
        return Err(CallError::new(
            ErrorKind::NoAgent,
            "there is no agent to call in the name of",
            remedy,
        ));
    };
    let (kept, place) = (
        &calling.call_context.kept.agents,
        format!("{} {}", api.base_url(), calling.channel.project),
    );
    let mut states = None;
    for agent in kept.free_agents(&place) {
        let states = match &states {
            Some(states) => states,
            None => states.insert(agent_states(calling, api).await?),
        };
        match agent_status(calling, api, &agent.name, states).await? {
            AgentLookup::Idle => {
                let words = format!("in the name of our own agent {}", agent.name);
                return Ok((agent, words));
            }
            AgentLookup::Busy => {}
            AgentLookup::Gone => agent.forget(),
        }
    }
    let name = create_agent(calling, api).await?;
    let words = format!("agent {name} made on {UI_WORKER}, and kept for later calls");
    Ok((kept.remember_agent(&place, name), words))
}

async fn agent_status(
    calling: &Calling<'_>,
    api: &Management,
    agent: &str,
    states: &Value,
) -> Result<AgentLookup, CallError> {
    if let Some(row) = state_of(states, agent) {
        return Ok(if row["status"] == "idle" { AgentLookup::Idle } else { AgentLookup::Busy });
    }
    let answer = api.get(&calling.project_path(&format!("/agents/{}", path_part(agent)))).await?;
    Ok(if answer.is_good() { AgentLookup::Idle } else { AgentLookup::Gone })
}

/// Makes an agent, and the profile that it has.
async fn create_agent(calling: &Calling<'_>, api: &Management) -> Result<String, CallError> {
    let profile = error_for_status(
        api.upload_file(&calling.project_path("/profiles"), "profile.json", PROFILE).await?,
    )?
    .json();
    let name = format!("ui_toolcrib_{}", &uuid::Uuid::new_v4().simple().to_string()[..12]);
    let body = json!({
        "agent_id": name, "profile_box_id": profile["profile_box_id"], "worker_target": UI_WORKER, "display_name": "toolcrib",
        "channel_id": calling.channel.channel,
    });
    error_for_status(
        api.post(&calling.project_path("/agents"), body.to_string(), PATIENCE).await?,
    )?;
    Ok(name)
}
