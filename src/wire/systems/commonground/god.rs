//! A call through the API's god endpoint: it sends the command as it is instructed to, waits, and
//! gives the result.

use std::time::Duration;

use serde_json::Value;
use tokio::time::sleep_until;

use super::{
    call_progress::{CallProgress, end_as_lost, tell_advice, tell_clue},
    calling::{Calling, Report},
    channel_watch::{ChannelWatch, SeenMessage},
    given_up, own_agent, turn,
};
use crate::{
    model::{
        call::{CallError, EventKind, Outcome},
        error_kind::ErrorKind,
    },
    systems::commonground::answer,
    wire::{
        management::{Answer, Management},
        session::event_sink::{CallEnd, SinkClosed},
    },
};

/// What the API takes beside the time that the tool has.
const SLACK: Duration = Duration::from_secs(5);

pub(crate) async fn run_call(calling: &mut Calling<'_>) -> Result<CallEnd, SinkClosed> {
    calling
        .sink
        .emit_stage("route", "through the API's god endpoint: the tool gets the arguments as given, its options are not merged", "")
        .await?;
    if let Err(problem) = own_agent::choose_agent(calling).await? {
        return end_as_lost(problem);
    }
    let Some(api) = calling.api.take() else {
        return end_as_lost(CallError::new(
            ErrorKind::BadSettings,
            "the connection names no API",
            "add api = \"http://…\" to it",
        ));
    };
    let mut watch = match calling.call_context.bus.jetstream_context() {
        Some(_) => ChannelWatch::subscribe(calling.call_context.bus, calling.channel).await.ok(),
        None => None,
    };
    let mut progress = CallProgress::for_call(calling, asked_seconds(calling));
    let ended = post_call(calling, &api, &mut watch, &mut progress).await;
    calling.api = Some(api);
    let end = match ended? {
        ApiOutcome::Answered(answer) => judge_answer(calling, &answer, &progress).await?,
        ApiOutcome::GivenUp => given_up::end_given_up(calling, &progress).await?,
        ApiOutcome::Ended(end) => end,
    };
    match &mut watch {
        Some(watch) => turn::follow_turn(calling, watch, &progress, end).await,
        None => Ok(end),
    }
}

/// How the request to the API went.
enum ApiOutcome {
    Answered(Answer),
    /// The API waits on, and in vain.
    GivenUp,
    Ended(CallEnd),
}

/// How long the API is asked to wait.
fn asked_seconds(calling: &Calling<'_>) -> u64 {
    let body: Value = serde_json::from_slice(&calling.request_body()).unwrap_or_default();
    body["timeout_seconds"].as_u64().unwrap_or_default()
}

/// Makes the request and says what is seen on the bus meanwhile, where there is one.
async fn post_call(
    calling: &mut Calling<'_>,
    api: &Management,
    watch: &mut Option<ChannelWatch>,
    progress: &mut CallProgress,
) -> Result<ApiOutcome, SinkClosed> {
    let body = calling.request_body();
    let patience = Duration::from_secs(asked_seconds(calling)) + SLACK;
    let asking = api.post(
        &calling.call_context.request.to,
        String::from_utf8_lossy(&body).into_owned(),
        patience,
    );
    let mut asking = std::pin::pin!(asking);
    calling.sink.emit(EventKind::Sent { bytes: body.len() }).await?;
    loop {
        let word = calling.next_word();
        tokio::select! {
            biased;
            seen = next_seen(watch, progress) => match seen {
                Some(SeenMessage::Clue(clue)) => tell_clue(calling, progress, clue).await?,
                Some(SeenMessage::Advice(advice)) => if tell_advice(calling, progress, &advice).await? {
                    return Ok(ApiOutcome::GivenUp);
                },
                None => *watch = None,
            },
            answer = &mut asking => return Ok(match answer {
                Ok(answer) => ApiOutcome::Answered(answer),
                Err(problem) => ApiOutcome::Ended((Outcome::Lost, Some(problem))),
            }),
            () = sleep_until(progress.due) => return Ok(ApiOutcome::Ended(calling.timed_out(&progress.to, &progress.wanted.call).await)),
            () = sleep_until(word) => calling.tell_waiting(&progress.to, &progress.wanted.call).await?,
        }
    }
}

async fn next_seen(
    watch: &mut Option<ChannelWatch>,
    progress: &CallProgress,
) -> Option<SeenMessage> {
    match watch {
        Some(watch) => watch.next(&progress.wanted).await,
        None => std::future::pending().await,
    }
}

async fn judge_answer(
    calling: &mut Calling<'_>,
    answer: &Answer,
    progress: &CallProgress,
) -> Result<CallEnd, SinkClosed> {
    if !answer.is_good() {
        let mut told = answer::refusal_error(answer.status, &answer.body);
        if told.message.contains("timeout waiting for tool_result inbox") {
            told.kind = ErrorKind::TimedOutFirst;
            told.remedy = calling.missing_result_cause(&progress.to, &progress.wanted.call).await;
            return Ok((Outcome::TimedOut, Some(told)));
        }
        if answer::is_god_off(answer.status, &answer.body) {
            told.kind = ErrorKind::GodOff;
            told.remedy = format!(
                "start the API with CG_ENABLE_GOD_API=1, or call another progress: {}",
                other_ways(calling).await
            );
        }
        return Ok((Outcome::Lost, Some(told)));
    }
    let told = answer.json();
    calling.sink.emit_stage("answered", "the API gives the result", told.to_string()).await?;
    let report = Report {
        card: told["tool_result_card_id"].as_str(),
        status: told["tool_result"]["status"].as_str().unwrap_or_default(),
        code: None,
        message: None,
    };
    calling.end_with(report, progress.call_card.as_deref()).await
}

/// What else leads to the tool, and what would open the rest.
async fn other_ways(calling: &Calling<'_>) -> String {
    let open_to_ui =
        calling.tool_row().await.flatten().is_some_and(|row| row["options"]["ui_allowed"] == true);
    let ui = if open_to_ui {
        "--route ui is open"
    } else {
        "--route ui wants \"ui_allowed\": true in the tool's options, pushed"
    };
    let direct = match calling.channel.postgres {
        Some(_) => "--route direct is open",
        None => "--route direct wants postgres-variable or postgres-key in the connection",
    };
    format!("{ui}; {direct}; --route probe only shows whether the service is there")
}
