//! A call as a UI action: the UI worker merges the options, writes the cards, sends the command,
//! and acknowledges on the way.

use tokio::time::sleep_until;

use super::{
    busy,
    call_progress::{
        CallProgress, connection_lost, end_as_lost, publish_command, tell_advice, tell_clue,
    },
    calling::{Calling, Report},
    channel_watch::{ChannelWatch, SeenMessage},
    given_up, own_agent, turn, undispatched,
};
use crate::{
    model::{
        call::{CallError, EventKind, Outcome},
        error_kind::ErrorKind,
    },
    systems::commonground::{
        ack::Ack,
        action::{self, ActionWorld},
        clue::CallClue,
        command::Command,
        known::Known,
        refusal,
    },
    wire::session::event_sink::{CallEnd, SinkClosed},
};

pub(crate) async fn run_call(calling: &mut Calling<'_>) -> Result<CallEnd, SinkClosed> {
    let streams = match calling.jetstream_context() {
        Ok(streams) => streams,
        Err(problem) => return end_as_lost(problem),
    };
    calling
        .sink
        .emit_stage(
            "route",
            "as a UI action: the UI worker merges the options and writes the cards",
            "",
        )
        .await?;
    if let Err(problem) = own_agent::choose_agent(calling).await? {
        return end_as_lost(problem);
    }
    let mut watch = match ChannelWatch::subscribe(calling.call_context.bus, calling.channel).await {
        Ok(watch) => watch,
        Err(problem) => return end_as_lost(problem),
    };
    let row = calling.tool_row().await;
    let command = Command {
        subject: calling.call_context.request.to.clone(),
        headers: calling.request_headers(),
        body: String::from_utf8_lossy(&calling.request_body()).into_owned(),
    };
    let ui_allowed = match &row {
        None => Known::Unknown,
        Some(row) => Known::looked_up(row.as_ref().map(|row| row["options"]["ui_allowed"] == true)),
    };
    for fault in
        action::preflight_action(&command, &ActionWorld { ui_allowed, ..ActionWorld::default() })
    {
        calling.sink.emit_stage("preflight", format!("before sending: {fault}"), "").await?;
    }
    let mut progress = CallProgress::for_call(calling, Calling::waiting_of(row.flatten().as_ref()));
    if let Err(problem) = publish_command(calling, &streams, &progress).await {
        return end_as_lost(problem);
    }
    calling.sink.emit(EventKind::Sent { bytes: command.body.len() }).await?;
    let end = follow_call(calling, &mut watch, &mut progress).await?;
    turn::follow_turn(calling, &mut watch, &progress, end).await
}

async fn follow_call(
    calling: &mut Calling<'_>,
    watch: &mut ChannelWatch,
    progress: &mut CallProgress,
) -> Result<CallEnd, SinkClosed> {
    loop {
        let word = calling.next_word();
        tokio::select! {
            biased;
            seen = watch.next(&progress.wanted) => match seen {
                None => return end_as_lost(connection_lost(calling)),
                Some(SeenMessage::Advice(advice)) => if tell_advice(calling, progress, &advice).await? {
                    return given_up::end_given_up(calling, progress).await;
                },
                // The action came to the worker once more, and changes nothing.
                Some(SeenMessage::Clue(CallClue::Ack(ack))) if progress.accepted && ack.card.is_none() && ack.status == "busy" => {}
                Some(SeenMessage::Clue(CallClue::Ack(ack))) => {
                    if let Some(end) = handle_ack(calling, progress, ack).await? {
                        return Ok(end);
                    }
                }
                Some(SeenMessage::Clue(clue)) => tell_clue(calling, progress, clue).await?,
            },
            () = sleep_until(progress.due) => return Ok(calling.timed_out(&progress.to, &progress.wanted.call).await),
            () = sleep_until(word) => calling.tell_waiting(&progress.to, &progress.wanted.call).await?,
        }
    }
}

async fn handle_ack(
    calling: &mut Calling<'_>,
    progress: &mut CallProgress,
    ack: Ack,
) -> Result<Option<CallEnd>, SinkClosed> {
    let is_final = ack.is_final();
    let Ack { status, card, code, error, .. } = ack;
    let told =
        error.as_ref().or(code.as_ref()).map_or_else(String::new, |told| format!(": {told}"));
    calling.sink.emit_stage(&status, format!("the UI worker: {status}{told}"), "").await?;
    if !is_final {
        progress.accepted = true;
        return Ok(None);
    }
    match (status.as_str(), &card) {
        (_, Some(card)) => {
            let report = Report {
                card: Some(card),
                status: &status,
                code: code.as_deref(),
                message: error.as_deref(),
            };
            let mut end = calling.end_with(report, progress.call_card.as_deref()).await?;
            if let Some(problem) =
                end.1.as_mut().filter(|problem| problem.kind == ErrorKind::ToolTimeout)
            {
                let cause = calling.missing_result_cause(&progress.to, &progress.wanted.call).await;
                problem.remedy = format!("{cause}; if it only needs longer, {}", problem.remedy);
            }
            Ok(Some(end))
        }
        ("busy", None) => Ok(Some((Outcome::Lost, Some(busy::explain_busy(calling).await)))),
        _ if code.as_deref() == Some("dispatch_failed") => {
            let problem =
                undispatched::explain_undispatched(calling, &progress.wanted.call).await?;
            Ok(Some((Outcome::Lost, Some(problem))))
        }
        _ => {
            let code = code.unwrap_or_else(|| status.clone());
            let explained = refusal::explain(&code, &[]);
            let (means, remedy) = explained
                .map_or_else(Default::default, |explained| (explained.means, explained.remedy));
            let told: Vec<String> =
                error.into_iter().chain(Some(means)).filter(|words| !words.is_empty()).collect();
            let message = format!("the UI worker refuses the action ({code}): {}", told.join(": "));
            Ok(Some((
                Outcome::Lost,
                Some(CallError::new(ErrorKind::parse(&code), message, remedy)),
            )))
        }
    }
}
