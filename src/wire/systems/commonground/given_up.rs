//! A call whose command is delivered no more: it ends at once, with what can be found out about the
//! cause.

use serde_json::Value;

use super::{call_progress::CallProgress, calling::Calling};
use crate::{
    model::{
        call::{CallError, Outcome},
        error_kind::ErrorKind,
    },
    systems::commonground::{
        card::{self, Card},
        executor,
        idempotency::Marker,
        known::Known,
        refusal::{self, REPORT_REFUSED},
        report::{self, Report, Request},
        routes::path_part,
        subject::Subject,
    },
    wire::session::event_sink::{CallEnd, SinkClosed},
};

/// How a call ends whose command was given up.
pub(crate) async fn end_given_up(
    calling: &mut Calling<'_>,
    progress: &CallProgress,
) -> Result<CallEnd, SinkClosed> {
    if let Some(end) = unreported_end(calling, progress).await? {
        return Ok(end);
    }
    let cause = calling.missing_result_cause(&progress.to, &progress.wanted.call).await;
    let message = format!(
        "the command was given up after its last delivery, and nothing comes any more: {cause}"
    );
    Ok((
        Outcome::Lost,
        Some(CallError::new(
            ErrorKind::GivenUp,
            message,
            "look into the log of the tool's service: it says why",
        )),
    ))
}

/// Where a result is stored but was not reported: why.
pub(crate) async fn unreported_end(
    calling: &mut Calling<'_>,
    progress: &CallProgress,
) -> Result<Option<CallEnd>, SinkClosed> {
    let marker = calling.call_marker(&progress.wanted.call).await;
    let Some(id) = result_card(calling, progress, marker.as_ref()).await else { return Ok(None) };
    let stored = calling.read_card(&id).await.ok();
    let card = stored.as_ref().and_then(Card::from_value);
    let body = stored.as_ref().map_or_else(String::new, Value::to_string);
    if let (Some(Marker::Running { .. }), Some(card)) = (&marker, &card) {
        let words =
            format!("result card {id}, which {} wrote, and not the service", card.author_id);
        calling.sink.emit_stage("result-card", words, body).await?;
        let message = format!(
            "the call has its result already, from {}: the service cannot store another, and each of 3 deliveries blocks it",
            card.author_id
        );
        let remedy =
            "let one service answer, and within the tool's timeout_seconds; take a new call id";
        return Ok(Some((
            Outcome::Lost,
            Some(CallError::new(ErrorKind::AnsweredBefore, message, remedy)),
        )));
    }
    calling
        .sink
        .emit_stage("result-card", format!("result card {id}, which was not reported"), body)
        .await?;
    let report = Report {
        reporter: &reporter_name(card.as_ref(), &progress.to),
        pointer: &id,
        call_id: &progress.wanted.call,
        card: card.as_ref().map_or(Known::Absent, Known::Found),
        ..report_context(calling, progress).await
    };
    let explained = refusal::explain(REPORT_REFUSED, &report::find_barriers(&report));
    let (mut means, remedy) =
        explained.map_or_else(Default::default, |explained| (explained.means, explained.remedy));
    if let Some(fault) =
        card.as_ref().and_then(|card| card::content_fault(&card::tagged_result(&card.content)))
    {
        means.push_str(&format!("; and what it holds is no result: {}", fault.message()));
    }
    Ok(Some((Outcome::Lost, Some(CallError::new(ErrorKind::Unreported, means, remedy)))))
}

/// The card that the service's mark points to, or that the tables have for the call.
async fn result_card(
    calling: &Calling<'_>,
    progress: &CallProgress,
    marker: Option<&Marker>,
) -> Option<String> {
    match (marker, &calling.tables) {
        (Some(Marker::Done { result_card: Some(card), .. }), _) => Some(card.clone()),
        (_, Some(tables)) => tables.result_id(&progress.wanted.call).await.ok()?,
        _ => None,
    }
}

/// Who reported. Services report as the author of their cards, which is a tool or a part of the
/// system; what else wrote the card is not them.
fn reporter_name(card: Option<&Card>, to: &str) -> String {
    let author = card
        .map(|card| card.author_id.as_str())
        .filter(|author| ["tool.", "sys."].iter().any(|start| author.starts_with(start)));
    let target = || Subject::parse(to).map_or_else(String::new, |subject| subject.target);
    author.map_or_else(|| executor::author(&target()), str::to_owned)
}

/// What the tables, or else the API, know of the world that the report came to.
async fn report_context<'r>(calling: &Calling<'_>, progress: &CallProgress) -> Report<'r> {
    if let (Some(tables), Some(context)) = (&calling.tables, &progress.context) {
        return tables.report_context(context).await.unwrap_or_default();
    }
    let Some(api) = &calling.api else { return Report::default() };
    let path = calling.project_path(&format!(
        "/state/execution/edges?correlation_id={}",
        path_part(&progress.wanted.call)
    ));
    let Some(rows) =
        api.get(&path).await.ok().filter(|answer| answer.is_good()).map(|answer| answer.json())
    else {
        return Report::default();
    };
    let edge = |primitive: &str| rows.as_array()?.iter().find(|row| row["primitive"] == primitive);
    let request = edge("tool_call")
        .map(|row| Request { depth: row["recursion_depth"].as_u64().unwrap_or_default() });
    Report {
        request: Known::looked_up(request),
        earlier: Known::looked_up(edge("report").map(drop)),
        ..Report::default()
    }
}
