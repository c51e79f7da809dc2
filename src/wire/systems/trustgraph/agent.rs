//! Asks TrustGraph's agent, and tells its steps as a text, with the state and the tools that it has after each.

use std::time::Duration;

use tokio::{sync::mpsc, time::Instant};

use super::{overhearing::Listener, store};
use crate::{
    engine::mask::Mask,
    model::{
        call::{CallProblem, Event, EventKind, Limits, Outcome, Request},
        connection::Connection,
        error_kind::ErrorKind,
        problem::Problem,
    },
    systems::{
        deployed::{catalog::catalog, push::Absent},
        trustgraph::{
            agent::Asked,
            deployed::push,
            dialogue::{Dialogue, Said, Transcript, state_words},
        },
    },
    wire::{connector::Connector, queue},
};

/// Events on their way at most.
const QUEUE: usize = 256;

/// As long as the gateway itself waits.
const PATIENCE: Duration = Duration::from_secs(600);

/// Makes the request, which asks the agent that, to its end, like [`Connector::call`]. The tools that it has are read first; what is to be
/// known of them is told as notices. Where the broker behind the gateway is known, it is listened to meanwhile.
pub async fn ask(
    connector: &dyn Connector,
    connection: &Connection,
    (request, asked): (Request, Asked),
    mask: Mask,
    events: mpsc::Sender<Event>,
) {
    let began = Instant::now();
    let mut telling = match opened(connector, connection, &asked).await {
        Ok((dialogue, complaints)) => Telling { dialogue, transcript: Transcript::default(), before: String::new(), complaints },
        Err(Problem { cause, remedy, .. }) => {
            let problem = Some(CallProblem { kind: ErrorKind::NoTools, message: cause, remedy });
            let end = EventKind::End { outcome: Outcome::Lost, problem };
            // Whoever no longer listens need not be told.
            let _ = events.send(Event { at_ms: passed(began), kind: end }).await;
            return;
        }
    };
    let mut listener = match Listener::open(connector, connection, &asked, mask).await {
        Ok(listener) => listener,
        Err(problem) => {
            telling.complaints.push(format!("the broker is not listened to: {}; {}", problem.cause, problem.remedy));
            Listener::deaf()
        }
    };
    let ahead = passed(began);
    for words in telling.begin() {
        let _ = events.send(Event { at_ms: ahead, kind: EventKind::Notice(words) }).await;
    }
    let limits =
        Limits { first: PATIENCE, idle: PATIENCE, total: Duration::MAX / 4, linger: Duration::ZERO, ..Limits::default() };
    let (sender, heard) = mpsc::channel::<Event>(QUEUE);
    let passing = telling.pass((heard, &mut listener), (began, ahead), &events);
    tokio::select! {
        ((), ()) = async { tokio::join!(connector.call(connection, request, limits, sender), passing) } => {}
        () = events.closed() => {}
    }
    listener.end().await;
}

/// The dialogue with the tools that are configured there, and what keeps them from being loaded.
async fn opened(connector: &dyn Connector, connection: &Connection, asked: &Asked) -> Result<(Dialogue, Vec<String>), Problem> {
    let items = store::read(connector, connection).await?;
    let tools = catalog(&items);
    let loads = push::plan(&tools, &items, Absent::Keep).map_or_else(|problem| Err(problem.cause), |push| push.loads);
    let told = |cause| format!("TrustGraph cannot load its tools: {cause}; the agent has those of before, or none");
    let dialogue = Dialogue::new(tools, asked);
    let complaints = loads.err().map(told).into_iter().chain(dialogue.warnings()).collect();
    Ok((dialogue, complaints))
}

fn passed(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

struct Telling {
    dialogue: Dialogue,
    transcript: Transcript,
    /// What stands in the text before the agent's first word.
    before: String,
    complaints: Vec<String>,
}

impl Telling {
    fn begin(&mut self) -> Vec<String> {
        let now = self.dialogue.now();
        self.before = self.transcript.write(&now);
        let mut notices = std::mem::take(&mut self.complaints);
        if let Said::State { state, available } = &now {
            notices.push(state_words(state, available));
        }
        notices
    }

    /// Passes on what the call and the broker tell, until the call has ended.
    async fn pass(
        &mut self,
        (mut heard, listener): (mpsc::Receiver<Event>, &mut Listener),
        (began, ahead): (Instant, u64),
        events: &mpsc::Sender<Event>,
    ) {
        loop {
            let event = tokio::select! {
                biased;
                event = heard.recv() => match event {
                    Some(Event { at_ms, kind }) => Event { at_ms: at_ms + ahead, kind: self.told(kind, listener).await },
                    None => return,
                },
                overheard = listener.next() => {
                    let said: Vec<Said> = overheard.into_iter().flat_map(|heard| self.dialogue.overhear(heard)).collect();
                    if said.is_empty() {
                        continue;
                    }
                    Event { at_ms: passed(began), kind: EventKind::Chunk { text: self.grown(&said).into(), bytes: 0 } }
                }
            };
            let weight = event.weight();
            if queue::put(events, event, weight).await.is_err() {
                return;
            }
        }
    }

    /// What the text grows by, which begins with where the dialogue begins.
    fn grown(&mut self, said: &[Said]) -> String {
        let before = std::mem::take(&mut self.before);
        before + &said.iter().map(|said| self.transcript.write(said)).collect::<String>()
    }

    /// A message of the agent as what the text grows by, its failure with what is known of the cause; all else as it is.
    async fn told(&mut self, kind: EventKind, listener: &mut Listener) -> EventKind {
        match kind {
            EventKind::Chunk { text, bytes } => {
                let said = self.dialogue.take(&text);
                EventKind::Chunk { text: self.grown(&said).into(), bytes }
            }
            EventKind::End { outcome, problem: Some(problem) } if problem.kind == ErrorKind::AgentError => {
                listener.until_known(&mut self.dialogue).await;
                EventKind::End { outcome, problem: Some(self.dialogue.explained(problem)) }
            }
            other => other,
        }
    }
}
