//! Asks a system's agent, and says its steps as a text, with the state and the tools that it has
//! after each.

use std::time::Duration;

use tokio::{sync::mpsc, time::Instant};

use super::{
    connector::Connector,
    deployed,
    now::elapsed_ms,
    queue,
    systems::{facets::agent::AgentRun, table},
};
use crate::{
    engine::{
        mask::Mask,
        transcript::{Transcript, state_words},
    },
    model::{
        agent::{AgentQuestion, AgentReport},
        call::{CallError, Event, EventKind, Limits, Outcome, Request},
        connection::Connection,
        entry::SystemId,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
    },
    systems::deployed::item::Item,
};

/// Events on their way at most.
const QUEUE: usize = 256;

/// As long as the gateway itself waits.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// Makes the request, which asks the agent that, to its end, like [`Connector::run_call`]. The
/// tools that it has are read first; what is to be known of them is reported as notices. Where the
/// broker behind the gateway is known, it is listened to meanwhile.
pub(crate) async fn ask_agent(
    connector: &dyn Connector,
    connection: &Connection,
    (request, asked): (Request, AgentQuestion),
    mask: Mask,
    events: mpsc::Sender<Event>,
) {
    let began = Instant::now();
    let run = match open_run(connector, connection, request.system, &asked).await {
        Ok(run) => run,
        Err(Problem { cause, remedy, .. }) => {
            let problem = Some(CallError { kind: ErrorKind::NoTools, message: cause, remedy });
            let end = EventKind::End { outcome: Outcome::Lost, problem };
            // Whoever no longer listens need not be notified.
            let _ = events.send(Event { at_ms: elapsed_ms(began), kind: end }).await;
            return;
        }
    };
    let complaints = run.load_problem().into_iter().chain(run.warnings()).collect();
    let mut telling =
        Telling { run, transcript: Transcript::default(), before: String::new(), complaints };
    if let Err(problem) = telling.run.subscribe(connector, connection, mask).await {
        telling
            .complaints
            .push(format!("not connected to the broker: {}; {}", problem.cause, problem.remedy));
    }
    let ahead = elapsed_ms(began);
    for words in telling.opening_notices() {
        let _ = events.send(Event { at_ms: ahead, kind: EventKind::Notice(words) }).await;
    }
    let limits = run_limits(PATIENCE, "ask for less at once");
    let (sender, heard) = mpsc::channel::<Event>(QUEUE);
    let passing = telling.forward_events(heard, (began, ahead), &events);
    tokio::select! {
        ((), ()) = async { tokio::join!(connector.run_call(connection, request, limits, sender), passing) } => {}
        () = events.closed() => {}
    }
    telling.run.unsubscribe().await;
}

/// The limits of a run each of whose messages may take that long, all of it as long as it likes.
/// `more_time` says in words what gives it more; no setting of its connection does.
pub(crate) fn run_limits(patience: Duration, more_time: &'static str) -> Limits {
    Limits {
        first: patience,
        idle: patience,
        total: Duration::MAX / 4,
        linger: Duration::ZERO,
        is_asked: true,
        more_time,
        ..Limits::default()
    }
}

/// A run with the tools that are configured there.
async fn open_run(
    connector: &dyn Connector,
    connection: &Connection,
    system: SystemId,
    asked: &AgentQuestion,
) -> Result<Box<dyn AgentRun>, Problem> {
    let items = deployed::read_items(connector, connection).await?;
    begin_run(system, asked, &items)
}

/// A run of a system's agent that begins with that question.
///
/// # Errors
/// When the system has no agent whose run can be known.
pub(crate) fn begin_run(
    system: SystemId,
    asked: &AgentQuestion,
    items: &[Item],
) -> Result<Box<dyn AgentRun>, Problem> {
    let agent = table::by_id(system).and_then(|system| system.agent());
    let none =
        || Problem::new(ProblemKind::Input, "asking the agent", format!("{system} has no agent"));
    Ok(agent.ok_or_else(none)?.begin_run(asked, items))
}

struct Telling {
    run: Box<dyn AgentRun>,
    transcript: Transcript,
    /// What is in the text before the agent's first word.
    before: String,
    complaints: Vec<String>,
}

impl Telling {
    fn opening_notices(&mut self) -> Vec<String> {
        let now = self.run.current_state();
        self.before = self.transcript.append_entry(&now);
        let mut notices = std::mem::take(&mut self.complaints);
        if let AgentReport::State { state, available } = &now {
            notices.push(state_words(state, available));
        }
        notices
    }

    /// Passes on what the call and the broker tell, until the call has ended.
    async fn forward_events(
        &mut self,
        mut heard: mpsc::Receiver<Event>,
        (began, ahead): (Instant, u64),
        events: &mpsc::Sender<Event>,
    ) {
        loop {
            let event = tokio::select! {
                biased;
                event = heard.recv() => match event {
                    Some(Event { at_ms, kind }) => Event { at_ms: at_ms + ahead, kind: self.translate_event(kind).await },
                    None => return,
                },
                said = self.run.next_overheard() => {
                    if said.is_empty() {
                        continue;
                    }
                    Event { at_ms: elapsed_ms(began), kind: EventKind::Chunk { text: self.transcript_delta(&said).into(), bytes: 0 } }
                }
            };
            let weight = event.payload_len();
            if queue::send_weighted(events, event, weight).await.is_err() {
                return;
            }
        }
    }

    /// What the text grows by, which begins with where the dialogue begins.
    fn transcript_delta(&mut self, said: &[AgentReport]) -> String {
        let before = std::mem::take(&mut self.before);
        before + &said.iter().map(|said| self.transcript.append_entry(said)).collect::<String>()
    }

    /// A message of the agent as what the text grows by, its failure with what is known of the
    /// cause; all else as it is.
    async fn translate_event(&mut self, kind: EventKind) -> EventKind {
        match kind {
            EventKind::Chunk { text, bytes } => {
                let said = self.run.handle_message(&text);
                EventKind::Chunk { text: self.transcript_delta(&said).into(), bytes }
            }
            EventKind::End { outcome, problem: Some(problem) }
                if problem.kind == ErrorKind::AgentError =>
            {
                let (_, problem) = self.run.explain_failure(problem).await;
                EventKind::End { outcome, problem: Some(problem) }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_a_run_name_no_setting_that_does_not_count() {
        let slow = Connection { timeout: Some(Duration::from_secs(5)), ..Connection::embedded() };
        let limits = run_limits(PATIENCE, "ask for less at once").over(&slow, "t");
        assert_eq!((limits.first, limits.more_time), (PATIENCE, "ask for less at once"));
    }
}
