//! Why the UI worker could not send a tool's command: the acknowledgement has only a code, the
//! cause is in a card.

use serde_json::Value;

use super::{api::caller_state, calling::Calling};
use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    systems::commonground::{card, context::Context, refusal, routes::path_part, subject},
    wire::session::event_sink::SinkClosed,
};

/// The cause, as far as it can be read; the card that has it is shown.
pub(crate) async fn explain_undispatched(
    calling: &mut Calling<'_>,
    call: &str,
) -> Result<CallError, SinkClosed> {
    let fault = subject_fault(calling).await;
    let (said, known) = match failed_result(calling, call).await {
        Some(card) => {
            let said = card["content"]["error"]["message"].as_str().unwrap_or_default().to_owned();
            calling
                .sink
                .emit_stage(
                    "result-card",
                    "the card in which the UI worker says why",
                    card.to_string(),
                )
                .await?;
            (format!(": {said}"), refusal::explain(&said, &[]))
        }
        None => (String::new(), None),
    };
    let known = known.or_else(|| refusal::explain("dispatch_failed", &[]));
    let (means, remedy) = known.map_or_else(Default::default, |known| (known.means, known.remedy));
    let means = fault.unwrap_or(means);
    Ok(CallError::new(
        ErrorKind::DispatchFailed,
        format!("the UI worker could not send the command{said}: {means}"),
        remedy,
    ))
}

/// What keeps the worker from sending to the subject that the project has for the tool.
async fn subject_fault(calling: &Calling<'_>) -> Option<String> {
    let row = calling.tool_row().await??;
    let (project, channel) = (&calling.channel.project, &calling.channel.channel);
    let context = Context {
        project_id: project.clone(),
        channel_id: channel.clone(),
        agent_id: calling.agent.clone(),
        ..Context::default()
    };
    let to = subject::render_subject(row["target_subject"].as_str()?, &context).text;
    let refused = subject::check_dispatch(&to, project, channel).err()?;
    Some(format!("it does not send to {to}: {}", refused.message()))
}

/// The failed result that the worker wrote for the call: it lies in the agent's own box, and
/// nowhere else is its id said.
async fn failed_result(calling: &Calling<'_>, call: &str) -> Option<Value> {
    let get = async |path: String| {
        let answer = calling.api.as_ref()?.get(&calling.project_path(&path)).await.ok()?;
        answer.is_good().then(|| answer.json())
    };
    let state = caller_state(calling).await?;
    let cards =
        get(format!("/boxes/{}/cards", path_part(state["output_box_id"].as_str()?))).await?;
    let own = |value: &&Value| value["type"] == card::RESULT && value["tool_call_id"] == call;
    cards.as_array()?.iter().rev().find(own).cloned()
}
