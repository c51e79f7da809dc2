//! Answers one of CommonGround's commands: reads the call's card, asks whoever answers, writes
//! result and report in one transaction, wakes the caller's worker. Without PostgreSQL it only says
//! what it would write.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::{
    HeaderMap,
    jetstream::{AckKind, Context as Streams, Message, kv},
};
use serde_json::{Map, Value, json};
use tokio::{
    sync::Mutex,
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    asking::{self, AnsweredBy, AnsweredTool},
    tables::Tables,
};
use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    systems::commonground::{
        by_hand::Waiting,
        card::Card,
        command::{self, Command},
        context::Context,
        executor::{self, CommandAction},
        headers, idempotency,
        known::Known,
        preflight::{CommandWorld, ServiceKind},
        refusal,
        report::ReportRefusal,
        result::{self, Author, BuiltResult},
        routes::path_part,
        rows::{self, FreshIds, Row},
        settings::Channel,
        subject::Subject,
        trace::Traceparent,
    },
    wire::{management::Management, transport::nats},
};

/// How often the server is informed that an answer is still under way.
const AT_WORK: Duration = Duration::from_secs(10);

/// What became of one command.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AnsweredCommand {
    /// Reports the command from the others that were taken.
    pub number: u64,
    pub tool: String,
    pub call: String,
    pub agent: String,
    /// The stub's rule that counted.
    pub rule: Option<String>,
    /// What was done, for people.
    pub words: String,
    /// How the result ended up: `success`, `failed`, …; `None`: there is none.
    pub status: Option<String>,
    /// What was written, or would have been.
    pub rows: Vec<Row>,
    /// Whether it was written.
    pub written: bool,
    pub problem: Option<CallError>,
}

/// A command that was taken.
struct TakenCommand<'t> {
    stand: &'t AnsweredTool,
    command: Command,
    /// Null where it is no JSON.
    body: Value,
    stop: &'t CancellationToken,
}

/// What one command needs to be answered.
pub(super) struct CommandContext {
    pub streams: Streams,
    pub marks: Option<kv::Store>,
    pub channel: Channel,
    pub api: Option<Management>,
    /// One transaction at a time.
    pub tables: Option<Mutex<Tables>>,
}

impl CommandContext {
    /// Answers a command, whatever becomes of it.
    pub async fn handle_command(
        &self,
        stand: &AnsweredTool,
        message: &Message,
        number: u64,
        stop: &CancellationToken,
    ) -> AnsweredCommand {
        let command = command_of(message);
        let subject = Subject::parse(&command.subject);
        let context = subject
            .map(|subject| command::context_of(&subject, &command.headers))
            .unwrap_or_default();
        let body: Value = serde_json::from_str(&command.body).unwrap_or_default();
        let mut told = AnsweredCommand {
            number,
            tool: body["tool_name"].as_str().unwrap_or(&stand.tool).to_owned(),
            call: context.tool_call_id.clone(),
            agent: context.agent_id.clone(),
            ..AnsweredCommand::default()
        };
        let taken = TakenCommand { stand, command, body, stop };
        let done =
            with_progress_acks(message, self.answer_command(&taken, context, &mut told)).await;
        if let Err(problem) = done {
            told.problem = Some(problem);
        }
        // A second delivery would change nothing: whatever could be written is.
        let _ = message.ack().await;
        told
    }

    async fn answer_command(
        &self,
        taken: &TakenCommand<'_>,
        context: Context,
        told: &mut AnsweredCommand,
    ) -> Result<(), CallError> {
        let TakenCommand { stand, command, body, .. } = taken;
        let world = self.read_world(stand, &context, body).await?;
        let call = world.card.as_ref().into_option().cloned().unwrap_or_default();
        let context = complete_context(context, &call);
        told.call.clone_from(&context.tool_call_id);
        let built = match executor::handle_command(command, &world) {
            CommandAction::Ask(arguments) => {
                if !self.claim_call(&context, &told.tool).await {
                    told.words = "another service has it: its mark is in the bucket".into();
                    return Ok(());
                }
                return self.ask_until_valid(taken, (&context, &call), arguments, told).await;
            }
            CommandAction::Refused(built, why) => {
                told.words = format!("refused: {why}; ");
                *built
            }
            CommandAction::Dropped(why) => {
                told.words = format!("dropped without a word, as a service does: {why}");
                return Ok(());
            }
            CommandAction::Hopeless(why) => {
                told.words = format!("nothing can be written for it: {why}");
                return Ok(());
            }
        };
        self.report_result(taken, &context, &call, &built, told).await
    }

    /// Asks whoever answers until there is an answer that could be written, or there will be none.
    async fn ask_until_valid(
        &self,
        taken: &TakenCommand<'_>,
        (context, call): (&Context, &Card),
        arguments: Map<String, Value>,
        told: &mut AnsweredCommand,
    ) -> Result<(), CallError> {
        let TakenCommand { stand, command, stop, .. } = taken;
        let mut failed = None;
        loop {
            let waiting = Waiting {
                tool: told.tool.clone(),
                author: executor::author(&stand.target),
                context: context.clone(),
                call: call.clone(),
                command: executor::requested_after(command),
            };
            let of_call = (told.number, &waiting, &arguments);
            let answer = tokio::select! {
                () = stop.cancelled() => None,
                answer = asking::request_answer(&stand.by, of_call, (command, failed.take()), &mut told.rule) => answer,
            };
            let Some(built) = answer else {
                // Whoever else listens may have it.
                self.release_claim(context, &told.tool).await;
                (told.words, told.status, told.rows) =
                    ("left without an answer".into(), None, Vec::new());
                return Ok(());
            };
            match (self.report_result(taken, context, call, &built, told).await, &stand.by) {
                // What a person wrote is not thrown away.
                (Err(problem), AnsweredBy::Hand(_)) => failed = Some(problem),
                (done, _) => return done,
            }
        }
    }

    /// What is known of the world that the command comes into.
    async fn read_world(
        &self,
        stand: &AnsweredTool,
        context: &Context,
        body: &Value,
    ) -> Result<CommandWorld, CallError> {
        let pointer = body["tool_call_card_id"].as_str().unwrap_or_default();
        let tool = body["tool_name"].as_str().unwrap_or(&stand.tool);
        let service = ServiceKind::from_target(&stand.target);
        if let Some(tables) = &self.tables {
            return Ok(CommandWorld {
                service,
                ..tables.lock().await.read_world(context, pointer, tool).await?
            });
        }
        let Some(api) = &self.api else {
            return Ok(CommandWorld { service, ..CommandWorld::default() });
        };
        let path =
            format!("/projects/{}/cards/{}", path_part(&self.channel.project), path_part(pointer));
        let answer = api.get(&path).await?;
        let card = if answer.is_good() { Card::from_value(&answer.json()) } else { None };
        Ok(CommandWorld { service, card: Known::looked_up(card), ..CommandWorld::default() })
    }

    /// Marks the call as running; false when somebody else did before.
    async fn claim_call(&self, context: &Context, tool: &str) -> bool {
        let (Some(marks), Some(_)) = (&self.marks, &self.tables) else { return true };
        let key = idempotency::tool_key(&context.project_id, tool, &context.tool_call_id);
        let mark = json!({"status": "running", "timestamp": unix_timestamp()}).to_string();
        match marks.create(key, mark.into()).await {
            Ok(_) => true,
            Err(error) => error.kind() != kv::CreateErrorKind::AlreadyExists,
        }
    }

    /// Takes the mark back.
    async fn release_claim(&self, context: &Context, tool: &str) {
        let (Some(marks), Some(_)) = (&self.marks, &self.tables) else { return };
        // An error leaves a mark that others wait for in vain, as when a service ends at that
        // moment.
        let _ = marks
            .delete(idempotency::tool_key(&context.project_id, tool, &context.tool_call_id))
            .await;
    }

    async fn report_result(
        &self,
        taken: &TakenCommand<'_>,
        context: &Context,
        call: &Card,
        built: &BuiltResult,
        told: &mut AnsweredCommand,
    ) -> Result<(), CallError> {
        let fresh = Uuid::new_v4().simple().to_string();
        let author = executor::author(&taken.stand.target);
        let card = result::card(
            &fresh,
            Author { id: &author, function: &told.tool },
            context,
            call,
            built,
        );
        let trace = child_trace(&taken.command, context);
        told.status = Some(built.status.clone());
        let Some(tables) = &self.tables else {
            let now = "the moment of writing";
            told.rows =
                rows::of_result(context, &trace, &card, built, FreshIds { seed: &fresh, now });
            told.words.push_str("not written, for want of PostgreSQL");
            return Ok(());
        };
        let mut tables = tables.lock().await;
        let now = tables.current_timestamp().await?;
        let barred = tables.find_barriers(context, &card).await?;
        let worker = tables.worker_target(&context.agent_id).await?;
        let mut rows =
            rows::of_result(context, &trace, &card, built, FreshIds { seed: &fresh, now: &now });
        if !barred.is_empty() || worker.is_none() {
            rows.truncate(1);
        }
        tables.write_rows(&rows).await?;
        drop(tables);
        told.words.push_str(&report_summary(&barred, worker.is_none(), &built.status));
        (told.rows, told.written) = (rows, true);
        if let Some(worker) = worker.filter(|_| barred.is_empty()) {
            self.wake_worker(context, &worker, &trace).await?;
        }
        self.mark_done(context, &told.tool, &built.report(&card.id)).await;
        Ok(())
    }

    async fn wake_worker(
        &self,
        context: &Context,
        worker: &str,
        trace: &Traceparent,
    ) -> Result<(), CallError> {
        let Command { subject, headers, body } = command::wakeup_command(context, worker, trace);
        let headers: HeaderMap = nats::header_map(&headers)?;
        let unrung = |error: String| {
            CallError::new(
                ErrorKind::NotWoken,
                format!("the result is written, but {worker} was not woken: {error}"),
                "it looks again by itself, later",
            )
        };
        let kept = self
            .streams
            .publish_with_headers(subject, headers, body.into())
            .await
            .map_err(|error| unrung(error.to_string()))?;
        kept.await.map(drop).map_err(|error| unrung(error.to_string()))
    }

    async fn mark_done(&self, context: &Context, tool: &str, report: &Value) {
        let Some(marks) = &self.marks else { return };
        let key = idempotency::tool_key(&context.project_id, tool, &context.tool_call_id);
        let mark =
            json!({"status": "done", "timestamp": unix_timestamp(), "payload": report}).to_string();
        // Only watchers miss it.
        let _ = marks.put(key, mark.into()).await;
    }
}

fn command_of(message: &Message) -> Command {
    let pairs = message.headers.iter().flat_map(HeaderMap::iter);
    let headers = pairs.flat_map(|(name, values)| {
        values.iter().map(move |value| (name.to_string(), value.to_string()))
    });
    Command {
        subject: message.subject.to_string(),
        headers: headers.collect(),
        body: String::from_utf8_lossy(&message.payload).into_owned(),
    }
}

/// What the message leaves out and the call's card has.
fn complete_context(context: Context, call: &Card) -> Context {
    let or = |own: String, label: &str| {
        if own.is_empty() { call.label(label).unwrap_or_default().to_owned() } else { own }
    };
    Context {
        tool_call_id: if context.tool_call_id.is_empty() {
            call.tool_call_id.clone()
        } else {
            context.tool_call_id
        },
        step_id: or(context.step_id, "step_id"),
        trace_id: or(context.trace_id, "trace_id"),
        parent_step_id: or(context.parent_step_id, "parent_step_id"),
        ..context
    }
}

/// The next span of the command's trace; a command without one begins one.
fn child_trace(command: &Command, context: &Context) -> Traceparent {
    let random = Uuid::new_v4().as_u128();
    let own = headers::find_value(&command.headers, headers::TRACE)
        .and_then(|text| Traceparent::parse(text).ok());
    let known =
        || u128::from_str_radix(&context.trace_id, 16).map(|trace| Traceparent::new_root(trace, 1));
    own.or_else(|| known().ok())
        .unwrap_or_else(|| Traceparent::new_root(random, 1))
        .child(command::low_half(random))
}

fn unix_timestamp() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

fn report_summary(barred: &[ReportRefusal], unknown_agent: bool, status: &str) -> String {
    if unknown_agent {
        return format!("{status}: written, but not reported: the project has no such agent");
    }
    match refusal::explain(refusal::REPORT_REFUSED, barred) {
        Some(explained) if !barred.is_empty() => format!("{status}: {}", explained.means),
        _ => format!("{status}: written and reported"),
    }
}

/// Waits for work; the server is informed so meanwhile, or it would deliver the message again.
async fn with_progress_acks<T>(message: &Message, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    let mut beat = interval(AT_WORK);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat.tick().await;
    loop {
        tokio::select! {
            done = &mut work => return done,
            _ = beat.tick() => drop(message.ack_with(AckKind::Progress).await),
        }
    }
}
