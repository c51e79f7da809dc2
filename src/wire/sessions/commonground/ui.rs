//! A call as a UI action: the UI worker merges the options, writes the cards, sends the command, and acknowledges on the way.

use std::{collections::VecDeque, time::Duration};

use tokio::time::{Instant, sleep_until};

use super::{
    busy,
    calling::{Calling, Report, problem},
    cause, given_up,
    sight::{self, Seen, Sight},
    turn, undispatched,
};
use crate::{
    model::{
        call::{CallProblem, EventKind, Outcome},
        traffic::Reading,
    },
    systems::commonground::{
        action::{self, World},
        clue::{Ack, Advice, Clue, Wanted},
        command::Command,
        context::Context,
        known::Known,
        refusal, routes,
    },
    wire::{
        session::teller::{Deaf, End},
        transport::nats,
    },
};

/// How long the server may take to say that it keeps a message.
const KEEPING: Duration = Duration::from_secs(5);

/// What is known of a call on its way.
pub struct Way {
    pub wanted: Wanted,
    /// Where the message went that is waited on now.
    pub to: String,
    pub call_card: Option<String>,
    pub due: Instant,
    /// What the call's command said of itself, where it was made here.
    pub context: Option<Context>,
    /// The tool's command passed.
    pub sent: bool,
    /// The UI worker took the action.
    accepted: bool,
    /// What was seen of other agents' turns, before it is known which of them the call started.
    pub turns: VecDeque<Reading>,
}

/// So much is remembered of them.
const REMEMBERED: usize = 1_000;

impl Way {
    pub fn of(calling: &Calling<'_>, waiting: u64) -> Self {
        let request = calling.ground.request;
        let seed = routes::seed(&request.correlation);
        let wanted = Wanted { call: format!("call_{seed}"), trace: seed, agent: calling.agent.clone() };
        let (to, due, turns) = (request.to.clone(), calling.due(waiting), VecDeque::new());
        Self { wanted, to, call_card: None, due, context: None, sent: false, accepted: false, turns }
    }

    /// Keeps what was seen of another agent's turn.
    pub fn remember(&mut self, reading: Reading) {
        if self.turns.len() == REMEMBERED {
            self.turns.pop_front();
        }
        self.turns.push_back(reading);
    }
}

pub async fn run(calling: &mut Calling<'_>) -> Result<End, Deaf> {
    let streams = match calling.streams() {
        Ok(streams) => streams,
        Err(problem) => return lost(problem),
    };
    calling.teller.stage("route", "as a UI action: the UI worker merges the options and writes the cards", "").await?;
    if let Err(problem) = calling.find_agent().await? {
        return lost(problem);
    }
    let mut sight = match Sight::open(calling.ground.bus, calling.channel).await {
        Ok(sight) => sight,
        Err(problem) => return lost(problem),
    };
    let row = calling.row().await;
    let command = Command {
        subject: calling.ground.request.to.clone(),
        headers: calling.headers(),
        body: String::from_utf8_lossy(&calling.body()).into_owned(),
    };
    let ui_allowed = match &row {
        None => Known::Unknown,
        Some(row) => Known::looked_up(row.as_ref().map(|row| row["options"]["ui_allowed"] == true)),
    };
    for fault in action::preflight(&command, &World { ui_allowed, ..World::default() }) {
        calling.teller.stage("preflight", format!("before sending: {fault}"), "").await?;
    }
    let mut way = Way::of(calling, Calling::waiting_of(row.flatten().as_ref()));
    if let Err(problem) = publish(calling, &streams, &way).await {
        return lost(problem);
    }
    calling.teller.tell(EventKind::Sent { bytes: command.body.len() }).await?;
    let end = follow(calling, &mut sight, &mut way).await?;
    turn::follow(calling, &mut sight, &way, end).await
}

/// Hands the message over and waits until the server says that it keeps it.
pub async fn publish(calling: &Calling<'_>, streams: &async_nats::jetstream::Context, way: &Way) -> Result<(), CallProblem> {
    let headers = nats::headers(&calling.headers())?;
    let unkept = |cause: String| {
        let remedy = "a subject has eight tokens and more: cg.v1r4.PROJECT.CHANNEL.cmd.tool.TARGET.SUFFIX; see whether the services made the streams";
        problem("not-kept", format!("no stream keeps what is sent to {}: {cause}", way.to), remedy)
    };
    let publishing = async {
        let acknowledging = streams.publish_with_headers(way.to.clone(), headers, calling.body()).await;
        acknowledging.map_err(|error| unkept(error.to_string()))?.await.map_err(|error| unkept(error.to_string()))
    };
    match tokio::time::timeout(KEEPING, publishing).await {
        Ok(kept) => kept.map(drop),
        Err(_) => Err(unkept("the server did not acknowledge it".into())),
    }
}

async fn follow(calling: &mut Calling<'_>, sight: &mut Sight, way: &mut Way) -> Result<End, Deaf> {
    loop {
        let word = calling.next_word();
        tokio::select! {
            biased;
            seen = sight.next(&way.wanted) => match seen {
                None => return lost(gone(calling)),
                Some(Seen::Advice(advice)) => if tell_advice(calling, way, &advice).await? {
                    return given_up::end(calling, way).await;
                },
                // The action came to the worker once more, and changes nothing.
                Some(Seen::Clue(Clue::Ack(ack))) if way.accepted && ack.card.is_none() && ack.status == "busy" => {}
                Some(Seen::Clue(Clue::Ack(ack))) => {
                    if let Some(end) = acknowledged(calling, way, ack).await? {
                        return Ok(end);
                    }
                }
                Some(Seen::Clue(clue)) => tell_clue(calling, way, clue).await?,
            },
            () = sleep_until(way.due) => return Ok(calling.late(&way.to, &way.wanted.call).await),
            () = sleep_until(word) => calling.tell_waiting(&way.to, &way.wanted.call).await?,
        }
    }
}

async fn acknowledged(calling: &mut Calling<'_>, way: &mut Way, ack: Ack) -> Result<Option<End>, Deaf> {
    let is_final = ack.is_final();
    let Ack { status, card, code, error, .. } = ack;
    let told = error.as_ref().or(code.as_ref()).map_or_else(String::new, |told| format!(": {told}"));
    calling.teller.stage(&status, format!("the UI worker: {status}{told}"), "").await?;
    if !is_final {
        way.accepted = true;
        return Ok(None);
    }
    match (status.as_str(), &card) {
        (_, Some(card)) => {
            let report = Report { card: Some(card), status: &status, code: code.as_deref(), message: error.as_deref() };
            let mut end = calling.end_with(report, way.call_card.as_deref()).await?;
            if let Some(problem) = end.1.as_mut().filter(|problem| problem.kind == "tool_timeout") {
                let cause = calling.cause(&way.to, &way.wanted.call).await;
                problem.remedy = format!("{cause}; if it only needs longer, {}", problem.remedy);
            }
            Ok(Some(end))
        }
        ("busy", None) => Ok(Some((Outcome::Lost, Some(busy::explained(calling).await)))),
        _ if code.as_deref() == Some("dispatch_failed") => {
            let problem = undispatched::explained(calling, &way.wanted.call).await?;
            Ok(Some((Outcome::Lost, Some(problem))))
        }
        _ => {
            let code = code.unwrap_or_else(|| status.clone());
            let explained = refusal::explain(&code, &[]);
            let (means, remedy) = explained.map_or_else(Default::default, |explained| (explained.means, explained.remedy));
            let told: Vec<String> = error.into_iter().chain(Some(means)).filter(|words| !words.is_empty()).collect();
            let message = format!("the UI worker refuses the action ({code}): {}", told.join(": "));
            Ok(Some((Outcome::Lost, Some(problem(&code, message, remedy)))))
        }
    }
}

/// Tells what was seen on the way, and remembers what later steps need.
pub async fn tell_clue(calling: &mut Calling<'_>, way: &mut Way, clue: Clue) -> Result<(), Deaf> {
    match clue {
        Clue::Command { subject, card, call } => {
            let pointer = card.as_deref().map_or_else(String::new, |card| format!(", call card {card}"));
            (way.to, way.call_card, way.sent) = (subject.clone(), card, true);
            if let Some(call) = call {
                way.wanted.call = call;
            }
            calling.teller.stage("command", format!("command seen on {subject}{pointer}"), "").await?;
            let Ok(streams) = calling.streams() else { return Ok(()) };
            if let Some(fault) = cause::oddity(&streams, &subject).await {
                calling.teller.stage("preflight", fault, "").await?;
            }
            Ok(())
        }
        Clue::Wakeup if way.sent => {
            calling.teller.stage("reported", "the result was reported: the caller's worker is woken", "").await
        }
        Clue::Wakeup => calling.teller.stage("woken", "the UI worker is woken for the action", "").await,
        Clue::Turn(reading) => {
            way.remember(*reading);
            Ok(())
        }
        Clue::Ack(_) => Ok(()),
    }
}

/// Tells of a delivery that was given back, where it is of this call; whether it was the last, so that none comes any more.
pub async fn tell_advice(calling: &mut Calling<'_>, way: &Way, advice: &Advice) -> Result<bool, Deaf> {
    let Ok(streams) = calling.streams() else { return Ok(false) };
    if !sight::is_of_call(&streams, advice.sequence, &way.wanted).await {
        return Ok(false);
    }
    let Advice { consumer, deliveries, .. } = advice;
    calling.given_back = *deliveries;
    if advice.given_up {
        let words = format!(
            "{consumer} gave the command up after {deliveries} deliveries: its log says why; the caller hears nothing more"
        );
        return calling.teller.stage("given-up", words, "").await.map(|()| true);
    }
    let words = format!("{consumer} gave the command back (delivery {deliveries}): it failed, or its report was refused");
    calling.teller.stage("given-back", words, "").await.map(|()| false)
}

pub fn gone(calling: &Calling<'_>) -> CallProblem {
    let message = format!("the connection to {} ended on the way", calling.ground.bus.place());
    problem("connection-lost", message, "the call may go on without us: look for its result card in Watch")
}

pub fn lost(problem: CallProblem) -> Result<End, Deaf> {
    Ok((Outcome::Lost, Some(problem)))
}
