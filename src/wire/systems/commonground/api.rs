//! What several parts ask of CommonGround's API.

use serde_json::Value;

use super::calling::Calling;
use crate::{
    model::call::CallError,
    systems::commonground::answer,
    wire::management::{Answer, Management},
};

/// An answer that is none, as what it says.
pub(crate) fn error_for_status(answer: Answer) -> Result<Answer, CallError> {
    if answer.is_good() {
        Ok(answer)
    } else {
        Err(answer::refusal_error(answer.status, &answer.body))
    }
}

/// What the project's agents do. The API gives 200 at most and has no pages; those that did
/// something last come first.
pub(crate) async fn agent_states(
    calling: &Calling<'_>,
    api: &Management,
) -> Result<Value, CallError> {
    Ok(error_for_status(api.get(&calling.project_path("/state/agents?limit=200")).await?)?.json())
}

/// What one of them does.
pub(crate) fn state_of<'s>(states: &'s Value, agent: &str) -> Option<&'s Value> {
    states.as_array()?.iter().find(|row| row["agent_id"] == agent)
}

/// What the agent that calls does; `None` where nobody says so.
pub(crate) async fn caller_state(calling: &Calling<'_>) -> Option<Value> {
    let states = agent_states(calling, calling.api.as_ref()?).await.ok()?;
    state_of(&states, &calling.agent).cloned()
}
