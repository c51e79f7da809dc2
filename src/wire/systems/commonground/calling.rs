//! What every way of calling needs: the channel, the API, an agent of our own, cards, and how a
//! result ends a call.

use std::time::Duration;

use async_nats::jetstream::Context;
use bytes::Bytes;
use serde_json::Value;
use tokio::{runtime::Handle, time::Instant};

use super::{cause, tables::Tables};
use crate::{
    model::{
        attachment::Attachment,
        call::{CallError, EventKind, Limits, Outcome},
        connection::Connection,
        error_kind::ErrorKind,
    },
    systems::commonground::{
        answer, attachments,
        card::Card,
        idempotency::{self, Marker},
        internal::{self, Started},
        routes::{self, OWN_AGENT, path_part},
        rows::Row,
        settings::Channel,
    },
    wire::{
        management::Management,
        session::event_sink::{CallEnd, EventSink, SinkClosed},
        spawning::boxed,
        systems::facets::{multi_step::CallContext, own_agents::OwnAgent},
    },
};

/// After so many seconds without a result it is given what it waits for.
const TOLD_AFTER: [u64; 5] = [5, 15, 30, 60, 120];

/// How long a result may take. The usual limit gives way to what the tool itself asks for, and to
/// the watchdog behind it; one that somebody asked for doesn't.
fn result_time(limits: Limits, waiting: u64) -> Duration {
    let first = limits.first.min(limits.total);
    let is_usual = !limits.is_asked && limits.first == Limits::default().first;
    if is_usual { first.max(Duration::from_secs(waiting + 10)) } else { first }
}

/// A call under way.
pub(crate) struct Calling<'c> {
    pub call_context: CallContext<'c>,
    pub sink: &'c mut EventSink,
    pub channel: &'c Channel,
    pub api: Option<Management>,
    /// The deployment's tables, on the way that writes into them.
    pub tables: Option<Tables>,
    /// The row that closes the caller's inbox for this call, while a result may still come that
    /// nobody would take out.
    pub open: Option<Row>,
    /// The agent in whose name it is made.
    pub agent: String,
    /// The same where it is our own, so that no other call uses it.
    pub own: Option<OwnAgent>,
    /// The turn of another agent that the call started.
    pub started: Option<Started>,
    /// How often the server said that the call's command was given back.
    pub given_back: u64,
    /// How often it was given what is waited for.
    told: usize,
}

/// What is said of a result by whoever reports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report<'r> {
    pub card: Option<&'r str>,
    pub status: &'r str,
    pub code: Option<&'r str>,
    pub message: Option<&'r str>,
}

impl Drop for Calling<'_> {
    /// A direct call that is cancelled is closed all the same, by somebody who is waited for before
    /// the process ends.
    fn drop(&mut self) {
        let (Some(row), Some(mut tables), Ok(runtime)) =
            (self.open.take(), self.tables.take(), Handle::try_current())
        else {
            return;
        };
        self.call_context.kept.keep_task(runtime.spawn(boxed(async move {
            // Nobody is left to notify.
            let _ = tables.close_inbox(&row).await;
        })));
    }
}

/// Whether the project is there, as far as its API says. Without this question the API makes agents
/// in projects that do not exist.
pub(crate) async fn known_project(api: &Management, project: &str) -> Result<(), CallError> {
    match api.get(&format!("/projects/{}", path_part(project))).await {
        Ok(answer) if answer.status == 404 && answer::is_missing(&answer.body) => {
            let message = format!("{} has no project \"{project}\"", api.base_url());
            let remedy = "set project in [connections.NAME.commonground] to one that is there, or make it (POST /projects)";
            Err(CallError::new(ErrorKind::NoProject, message, remedy))
        }
        // What else is wrong shows where the API is needed.
        _ => Ok(()),
    }
}

/// The channel that a connection leads to, or what to set.
pub(crate) fn required_channel(connection: &Connection) -> Result<Channel, CallError> {
    Channel::from_connection(connection).ok_or_else(|| {
        let message =
            format!("connection \"{}\" names no channel of CommonGround", connection.name);
        CallError::new(
            ErrorKind::BadSettings,
            message,
            "add [connections.NAME.commonground] with project and channel",
        )
    })
}

impl<'c> Calling<'c> {
    pub async fn begin_call(
        call_context: CallContext<'c>,
        channel: &'c Channel,
        sink: &'c mut EventSink,
    ) -> Result<Self, CallError> {
        let api = match &channel.api {
            Some(address) => Some(Management::for_address(call_context.connection, address).await?),
            None => None,
        };
        let agent = channel.agent.clone().unwrap_or_default();
        if let Some(api) = &api {
            known_project(api, &channel.project).await?;
        }
        let (tables, open, own, started) = (None, None, None, None);
        Ok(Self {
            call_context,
            sink,
            channel,
            api,
            tables,
            open,
            agent,
            own,
            started,
            given_back: 0,
            told: 0,
        })
    }

    /// JetStream, where the connection has it.
    pub fn jetstream_context(&self) -> Result<Context, CallError> {
        self.call_context.bus.jetstream_context().ok_or_else(|| {
            let place = self.call_context.bus.display_address();
            CallError::new(
                ErrorKind::NoStreams,
                format!("{place} is no NATS server, and this way goes over NATS"),
                "choose a connection nats://…",
            )
        })
    }

    pub fn project_path(&self, rest: &str) -> String {
        format!("/projects/{}{rest}", path_part(&self.channel.project))
    }

    /// When the result is due.
    pub fn result_deadline(&self, waiting: u64) -> Instant {
        self.sink.opened + result_time(self.call_context.limits, waiting)
    }

    /// A text of the request with the agent in its place.
    fn fill_agent(&self, text: &str) -> String {
        text.replace(OWN_AGENT, &self.agent)
    }

    pub fn request_body(&self) -> Bytes {
        self.fill_agent(&self.call_context.request.body).into()
    }

    pub fn request_headers(&self) -> Vec<(String, String)> {
        self.call_context
            .request
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), self.fill_agent(value)))
            .collect()
    }

    /// The tool's row as the project has it: `Some(None)` where it has none, `None` where that
    /// cannot be known.
    pub async fn tool_row(&self) -> Option<Option<Value>> {
        let name = &self.call_context.request.name;
        if let Some(definition) = internal::definition(name) {
            // The API keeps these to itself, and every project has them.
            return Some(Some(definition));
        }
        let path = self.project_path(&format!("/tools/{}", path_part(name)));
        let answer =
            self.api.as_ref().filter(|_| routes::is_addressable(name))?.get(&path).await.ok()?;
        match answer.status {
            404 if answer::is_missing(&answer.body) => Some(None),
            _ if answer.is_good() => Some(Some(answer.json())),
            _ => None,
        }
    }

    pub fn waiting_of(row: Option<&Value>) -> u64 {
        row.map_or(routes::WAITING, |row| routes::waiting_of(&row["options"]))
    }

    /// How long until it is time to say what is waited for.
    pub fn next_word(&self) -> Instant {
        let seconds = TOLD_AFTER.get(self.told).copied().unwrap_or(u64::from(u32::MAX));
        self.sink.opened + Duration::from_secs(seconds)
    }

    /// Says why there may be no result yet.
    pub async fn tell_waiting(&mut self, to: &str, call: &str) -> Result<(), SinkClosed> {
        let seconds = TOLD_AFTER.get(self.told).copied().unwrap_or_default();
        self.told += 1;
        let cause = self.missing_result_cause(to, call).await;
        self.sink.emit_stage("waiting", format!("no result after {seconds} s: {cause}"), "").await
    }

    /// What may keep the result of a call away: who listens where it went, and what its mark says.
    pub async fn missing_result_cause(&self, to: &str, call: &str) -> String {
        let Some(streams) = self.call_context.bus.jetstream_context() else {
            return "who listens shows over NATS only".to_owned();
        };
        let likely = cause::likely_cause(&streams, to, self.given_back).await;
        match self.call_marker(call).await {
            Some(marker) => format!("{likely}; {}", cause::describe_marker(&marker)),
            None => likely,
        }
    }

    /// The mark of a call of this tool, where the services' bucket can be read and has one.
    pub async fn call_marker(&self, call: &str) -> Option<Marker> {
        let key =
            idempotency::tool_key(&self.channel.project, &self.call_context.request.name, call);
        cause::read_marker(&self.call_context.bus.jetstream_context()?, &key).await
    }

    /// The call took too long.
    pub async fn timed_out(&self, to: &str, call: &str) -> CallEnd {
        let seconds = self.sink.opened.elapsed().as_secs();
        let cause = self.missing_result_cause(to, call).await;
        (
            Outcome::TimedOut,
            Some(CallError::new(
                ErrorKind::TimedOutFirst,
                format!("no result came within {seconds} s"),
                cause,
            )),
        )
    }

    /// A card as the tables have it, or as the API gives it; else why not.
    pub async fn read_card(&self, id: &str) -> Result<Value, String> {
        if let Some(tables) = &self.tables {
            let found = tables.read_card(id).await.map_err(|problem| problem.message)?;
            return found.ok_or_else(|| "the project has none of that id".to_owned());
        }
        let Some(api) = &self.api else {
            return Err("the connection names no API to read it from".to_owned());
        };
        let answer = api
            .get(&self.project_path(&format!("/cards/{}", path_part(id))))
            .await
            .map_err(|problem| problem.message)?;
        if answer.is_good() {
            Ok(answer.json())
        } else {
            Err(answer::refusal_error(answer.status, &answer.body).message)
        }
    }

    /// Shows the result's card and the call's, compares their labels, and says how the call ends by
    /// them; where they cannot be read, by the report.
    pub async fn end_with(
        &mut self,
        report: Report<'_>,
        call: Option<&str>,
    ) -> Result<CallEnd, SinkClosed> {
        let Some(id) = report.card else {
            let remedy = "check the log of the tool's service";
            return Ok((
                Outcome::Lost,
                Some(CallError::new(
                    ErrorKind::NoResultCard,
                    "the result came without a card",
                    remedy,
                )),
            ));
        };
        let value = match self.read_card(id).await {
            Ok(value) => value,
            Err(why) => {
                let words = format!(
                    "result card {id} cannot be read: {why}; what is known is its status, {}",
                    report.status
                );
                self.sink.emit_stage("result-card", words, "").await?;
                if matches!(report.status, "success" | "done") {
                    return Ok((Outcome::Succeeded, None));
                }
                let error = serde_json::json!({"code": report.code, "message": report.message});
                return Ok((
                    Outcome::Failed,
                    Some(attachments::result_error(report.status, &error)),
                ));
            }
        };
        let result = Card::from_value(&value).unwrap_or_default();
        let status = result.content["status"].as_str().unwrap_or_default().to_owned();
        self.emit_attachment(attachments::result_attachment(&result, &value)).await?;
        if let Some(id) = call {
            self.compare_call_card(id, &result).await?;
        }
        if status == "success" {
            let name = &self.call_context.request.name;
            if let Some(problem) = internal::refusal_error(name, &result.content["result"]) {
                return Ok((Outcome::Failed, Some(problem)));
            }
            self.started = internal::started_turn(name, &result.content["result"]);
            if self.started.is_none() {
                let text = result.content["result"].to_string();
                self.sink.emit(EventKind::Chunk { bytes: text.len(), text: text.into() }).await?;
            }
            return Ok((Outcome::Succeeded, None));
        }
        Ok((Outcome::Failed, Some(attachments::result_error(&status, &result.content["error"]))))
    }

    async fn compare_call_card(&mut self, id: &str, result: &Card) -> Result<(), SinkClosed> {
        let value = match self.read_card(id).await {
            Ok(value) => value,
            Err(why) => {
                return self
                    .sink
                    .emit_stage("call-card", format!("call card {id} cannot be read: {why}"), "")
                    .await;
            }
        };
        let call = Card::from_value(&value).unwrap_or_default();
        self.emit_attachment(attachments::call_attachment(id, &value)).await?;
        self.emit_attachment(attachments::labels_attachment(&call, result)).await
    }

    pub async fn emit_attachment(&mut self, attachment: Attachment) -> Result<(), SinkClosed> {
        self.sink.emit_stage(attachment.what, attachment.words, attachment.body.to_string()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_asks_for_more_time_has_it_unless_somebody_asked_for_another() {
        let usual = Limits::default();
        assert_eq!(result_time(usual, 120), Duration::from_secs(130));
        assert_eq!(result_time(usual.within(usual.first), 120), usual.first);
    }
}
