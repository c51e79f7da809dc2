//! A call made directly: cards and rows written into PostgreSQL in one transaction, the command
//! published, the result taken from the caller's inbox and marked as read.

use std::time::Duration;

use async_nats::jetstream::Context as Streams;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep_until};

use super::{
    before_sending,
    call_progress::{self, CallProgress, connection_lost, end_as_lost, tell_advice},
    calling::{Calling, Report},
    channel_watch::{ChannelWatch, SeenMessage},
    given_up, own_agent,
    tables::Tables,
    turn,
};
use crate::{
    model::{
        call::{CallError, EventKind, Outcome},
        error_kind::ErrorKind,
    },
    systems::commonground::{
        card::Card,
        clue::CallClue,
        command,
        context::Context,
        known::Known,
        merge::{self, Merged},
        preflight::CommandWorld,
        report, routes,
        rows::{self, FreshIds, Row, WrittenCall},
        subject::Subject,
        trace::Traceparent,
    },
    wire::session::event_sink::{CallEnd, SinkClosed},
};

/// How often the inbox is looked into beside the bells that are received: a bell is a hint, the row
/// is the result.
const LOOKING: Duration = Duration::from_millis(500);

/// What is written of a call.
struct Written {
    context: Context,
    rows: Vec<Row>,
    /// The one that closes it.
    closing: Row,
    card: Card,
}

pub(crate) async fn run_call(calling: &mut Calling<'_>) -> Result<CallEnd, SinkClosed> {
    let streams = match calling.jetstream_context() {
        Ok(streams) => streams,
        Err(problem) => return end_as_lost(problem),
    };
    match Tables::open(
        calling.call_context.connection,
        calling.channel,
        calling.call_context.secrets,
    )
    .await
    {
        Ok(tables) => calling.tables = Some(tables),
        Err(problem) => return end_as_lost(problem),
    }
    let words = format!(
        "directly: the call's card and rows are written into PostgreSQL at {}, then the command is sent",
        tables_address(calling)
    );
    calling.sink.emit_stage("route", words, "").await?;
    if let Some(Ok(false)) = known_project(calling).await {
        let message = format!(
            "PostgreSQL at {} has no project \"{}\"",
            tables_address(calling),
            calling.channel.project
        );
        return end_as_lost(CallError::new(
            ErrorKind::NoProject,
            message,
            "set project in [connections.NAME.commonground] to one that is there",
        ));
    }
    if let Err(problem) = own_agent::choose_agent(calling).await? {
        return end_as_lost(problem);
    }
    let mut watch = match ChannelWatch::subscribe(calling.call_context.bus, calling.channel).await {
        Ok(watch) => watch,
        Err(problem) => return end_as_lost(problem),
    };
    let mut progress = CallProgress::for_call(calling, routes::WAITING);
    let written = match prepare_rows(calling, &mut progress).await? {
        Ok(written) => written,
        Err(problem) => return end_as_lost(problem),
    };
    check_command(calling, &streams, &written).await?;
    if let Err(problem) = write_rows(calling, &written).await? {
        return end_as_lost(problem);
    }
    let end = match call_progress::publish_command(calling, &streams, &progress).await {
        Ok(()) => {
            calling.sink.emit(EventKind::Sent { bytes: calling.request_body().len() }).await?;
            follow_call(calling, &mut watch, &mut progress).await?
        }
        Err(problem) => (Outcome::Lost, Some(problem)),
    };
    close_inbox(calling).await?;
    turn::follow_turn(calling, &mut watch, &progress, end).await
}

/// Where the tables are, for people.
fn tables_address(calling: &Calling<'_>) -> String {
    calling.tables.as_ref().map_or("", Tables::display_address).to_owned()
}

/// Whether the project is there; where the connection has an API, that was asked already.
async fn known_project(calling: &Calling<'_>) -> Option<Result<bool, CallError>> {
    match (&calling.api, &calling.tables) {
        (None, Some(tables)) => Some(tables.has_project().await),
        _ => None,
    }
}

/// Closes the caller's inbox where a result may still come.
async fn close_inbox(calling: &mut Calling<'_>) -> Result<(), SinkClosed> {
    let (Some(row), Some(tables)) = (calling.open.take(), calling.tables.as_mut()) else {
        return Ok(());
    };
    let words = match tables.close_inbox(&row).await {
        Ok(()) => "the caller's inbox is closed for this call: a result that comes later is refused as a second report, instead of being \
                   rung for without end"
            .to_owned(),
        Err(problem) => format!(
            "the caller's inbox could not be closed ({}): a result that comes later lies there pending, and PMO's watchdog rings for it \
             every 5 s until its row in state.agent_inbox is set consumed",
            problem.message
        ),
    };
    calling.sink.emit_stage("closed", words, "").await
}

/// Merges the arguments with the options that the project has for the tool, and makes the rows.
async fn prepare_rows(
    calling: &mut Calling<'_>,
    progress: &mut CallProgress,
) -> Result<Result<Written, CallError>, SinkClosed> {
    let request = calling.call_context.request;
    let headers = calling.request_headers();
    let Some(subject) = Subject::parse(&request.to) else {
        return Ok(Err(CallError::new(
            ErrorKind::BadSubject,
            format!("{} is no subject of CommonGround", request.to),
            "",
        )));
    };
    let context = command::context_of(&subject, &headers);
    let given: Map<String, Value> = serde_json::from_str(&request.arguments).unwrap_or_default();
    let Some(tables) = calling.tables.as_ref() else { return Ok(Err(tables_closed())) };
    let (row, now) = match (tables.tool_row(&request.name).await, tables.current_timestamp().await)
    {
        (Ok(row), Ok(now)) => (row, now),
        (Err(problem), _) | (_, Err(problem)) => return Ok(Err(problem)),
    };
    progress.due = calling.result_deadline(Calling::waiting_of(row.as_ref()));
    let none = Value::Null;
    let merged =
        merge::merge_arguments(&given, row.as_ref().map_or(&none, |row| &row["options"]), &context);
    tell_merge(calling, &merged, row.is_some()).await?;
    let seed = routes::seed(&request.correlation);
    let body: Value = serde_json::from_slice(&calling.request_body()).unwrap_or_default();
    let trace = context_trace(&headers);
    let called = WrittenCall {
        context: &context,
        trace: &trace,
        card: body["tool_call_card_id"].as_str().unwrap_or(&seed),
        tool: &request.name,
        arguments: &merged.arguments,
        merged: &merge_labels(&merged),
        subject: &request.to,
    };
    let rows = rows::of_call(&called, FreshIds { seed: &seed, now: &now });
    let card = rows::call_card(&called);
    progress.call_card = Some(card.id.clone());
    let closing = rows::closing_row(&context, &trace, &seed);
    progress.context = Some(context.clone());
    Ok(Ok(Written { rows, closing, card, context }))
}

fn tables_closed() -> CallError {
    CallError::new(ErrorKind::NoPostgres, "the tables are not open", "")
}

fn context_trace(headers: &[(String, String)]) -> Traceparent {
    let text =
        headers.iter().find(|(name, _)| name == crate::systems::commonground::headers::TRACE);
    text.and_then(|(_, text)| Traceparent::parse(text).ok())
        .unwrap_or_else(|| Traceparent::new_root(1, 1))
}

/// The labels that the dispatcher, too, leaves on a card.
fn merge_labels(merged: &Merged) -> Map<String, Value> {
    let rows = [
        (
            "tool_args_defaults_applied",
            json!(merged.defaults_applied),
            merged.defaults_applied.is_empty(),
        ),
        ("tool_args_fixed_applied", json!(merged.fixed_applied), merged.fixed_applied.is_empty()),
        ("tool_args_envs", json!(merged.envs), merged.envs.is_empty()),
    ];
    rows.into_iter()
        .filter(|(_, _, empty)| !empty)
        .map(|(name, value, _)| (name.to_owned(), value))
        .collect()
}

async fn tell_merge(
    calling: &mut Calling<'_>,
    merged: &Merged,
    registered: bool,
) -> Result<(), SinkClosed> {
    let mut words = if registered {
        "arguments merged with the options that the project has for the tool".to_owned()
    } else {
        "the project has no such tool: arguments as they are given".to_owned()
    };
    let envs: Vec<String> = merged.envs.keys().cloned().collect();
    for (what, names) in [
        ("defaults", &merged.defaults_applied),
        ("fixed", &merged.fixed_applied),
        ("from variables", &envs),
    ] {
        if !names.is_empty() {
            words.push_str(&format!("; {what}: {}", names.join(", ")));
        }
    }
    for (name, variable) in &merged.unfilled {
        words.push_str(&format!("; {{{variable}}} in \"{name}\" has no value and stays as it is"));
    }
    let body = Value::from(merged.arguments.clone()).to_string();
    calling.sink.emit_stage("merged", words, body).await
}

/// Says what will come of the command.
async fn check_command(
    calling: &mut Calling<'_>,
    streams: &Streams,
    written: &Written,
) -> Result<(), SinkClosed> {
    let Written { context, card, .. } = written;
    let Some(tables) = calling.tables.as_ref() else { return Ok(()) };
    let known = tables
        .read_world(context, &card.id, &calling.call_context.request.name)
        .await
        .unwrap_or_default();
    let world = CommandWorld {
        // These are about to be written.
        card: Known::Found(card.clone()),
        turn: Known::Found(report::Turn { epoch: context.turn_epoch.unwrap_or_default() }),
        request: Known::Found(report::Request {
            depth: context.recursion_depth.unwrap_or_default(),
        }),
        ..known
    };
    before_sending::tell_faults(calling, streams, world).await
}

async fn write_rows(
    calling: &mut Calling<'_>,
    written: &Written,
) -> Result<Result<(), CallError>, SinkClosed> {
    let Some(tables) = calling.tables.as_mut() else { return Ok(Err(tables_closed())) };
    if let Err(problem) = tables.write_rows(&written.rows).await {
        return Ok(Err(problem));
    }
    calling.open = Some(written.closing.clone());
    let names: Vec<_> = written.rows.iter().map(|row| row.table).collect();
    let body: Value =
        written.rows.iter().map(|row| json!({"table": row.table, "row": row.to_value()})).collect();
    calling
        .sink
        .emit_stage(
            "written",
            format!("written in one transaction: {}", names.join(", ")),
            body.to_string(),
        )
        .await
        .map(Ok)
}

async fn follow_call(
    calling: &mut Calling<'_>,
    watch: &mut ChannelWatch,
    progress: &mut CallProgress,
) -> Result<CallEnd, SinkClosed> {
    let mut look = Instant::now() + LOOKING;
    loop {
        let word = calling.next_word();
        tokio::select! {
            biased;
            seen = watch.next(&progress.wanted) => match seen {
                None => return end_as_lost(connection_lost(calling)),
                Some(SeenMessage::Advice(advice)) => {
                    if tell_advice(calling, progress, &advice).await? {
                        // No report can come any more.
                        calling.open = None;
                        return given_up::end_given_up(calling, progress).await;
                    }
                }
                Some(SeenMessage::Clue(CallClue::Wakeup)) => look = Instant::now(),
                Some(SeenMessage::Clue(CallClue::Turn(reading))) => progress.remember_turn(*reading),
                Some(SeenMessage::Clue(_)) => {}
            },
            () = sleep_until(look) => {
                if let Some(end) = take_result(calling, progress).await? {
                    return Ok(end);
                }
                look = Instant::now() + LOOKING;
            }
            () = sleep_until(progress.due) => {
                let end = given_up::unreported_end(calling, progress).await?;
                return match end {
                    Some(end) => Ok(end),
                    None => Ok(calling.timed_out(&progress.to, &progress.wanted.call).await),
                };
            }
            () = sleep_until(word) => calling.tell_waiting(&progress.to, &progress.wanted.call).await?,
        }
    }
}

/// Takes the result out of the inbox, where it is there.
async fn take_result(
    calling: &mut Calling<'_>,
    progress: &CallProgress,
) -> Result<Option<CallEnd>, SinkClosed> {
    let Some(tables) = calling.tables.as_ref() else {
        return end_as_lost(tables_closed()).map(Some);
    };
    let reported = match tables.reported_result(&progress.wanted.call).await {
        Ok(Some(reported)) => reported,
        Ok(None) => return Ok(None),
        Err(CallError { kind, message, .. }) => {
            let message =
                format!("{message}; the command is out, and its tool may run all the same");
            let remedy = format!(
                "see whether PostgreSQL runs; what became of the call shows in Watch, as {}",
                progress.wanted.call
            );
            return end_as_lost(CallError::new(kind, message, remedy)).map(Some);
        }
    };
    calling.open = None;
    let consumed = tables.mark_consumed(&reported.inbox).await;
    let words = match &consumed {
        Ok(()) => "the result is in the caller's inbox; its row is marked as read".to_owned(),
        Err(problem) => format!(
            "the result is in the caller's inbox, but its row stays unread: {}",
            problem.message
        ),
    };
    calling.sink.emit_stage("reported", words, reported.payload.to_string()).await?;
    let (card, status) =
        (reported.payload["tool_result_card_id"].as_str(), reported.payload["status"].as_str());
    let report = Report { card, status: status.unwrap_or_default(), code: None, message: None };
    calling.end_with(report, progress.call_card.as_deref()).await.map(Some)
}
