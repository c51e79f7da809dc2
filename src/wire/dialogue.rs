//! Asks TrustGraph's agent, and tells its steps as a text, with the state and the tools that it has after each.

use std::time::Duration;

use tokio::{sync::mpsc, time::Instant};

use super::{
    deployed::{self, catalog},
    queue,
    registry::Registry,
};
use crate::{
    model::{
        call::{CallProblem, Event, EventKind, Limits, Outcome, Request},
        connection::Connection,
        context::Context,
        problem::Problem,
    },
    systems::{
        deployed::push::Absent,
        trustgraph::{
            deployed::push,
            dialogue::{Dialogue, Said, Transcript, state_words},
        },
    },
};

/// Events on their way at most.
const QUEUE: usize = 256;

/// As long as the gateway itself waits.
const PATIENCE: Duration = Duration::from_secs(600);

/// Makes the request, which asks the agent in that context, to its end, like [`Registry::call`]. The tools that it has are read first; what
/// is to be known of them is told as notices.
pub async fn ask(registry: &Registry, connection: &Connection, request: Request, context: Context, events: mpsc::Sender<Event>) {
    let began = Instant::now();
    let mut telling = match opened(registry, connection, context).await {
        Ok((dialogue, complaints)) => Telling { dialogue, transcript: Transcript::default(), before: String::new(), complaints },
        Err(Problem { cause, remedy, .. }) => {
            let problem = Some(CallProblem { kind: "no-tools".into(), message: cause, remedy });
            let end = EventKind::End { outcome: Outcome::Lost, problem };
            // Whoever no longer listens need not be told.
            let _ = events.send(Event { at_ms: passed(began), kind: end }).await;
            return;
        }
    };
    let ahead = passed(began);
    for words in telling.begin() {
        let _ = events.send(Event { at_ms: ahead, kind: EventKind::Notice(words) }).await;
    }
    let limits =
        Limits { first: PATIENCE, idle: PATIENCE, total: Duration::MAX / 4, linger: Duration::ZERO, ..Limits::default() };
    let (sender, mut heard) = mpsc::channel::<Event>(QUEUE);
    let passing = async {
        while let Some(Event { at_ms, kind }) = heard.recv().await {
            let event = Event { at_ms: at_ms + ahead, kind: telling.told(kind) };
            let weight = event.weight();
            if queue::put(&events, event, weight).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        ((), ()) = async { tokio::join!(registry.call(connection, request, limits, sender), passing) } => {}
        () = events.closed() => {}
    }
}

/// The dialogue with the tools that are configured there, and what keeps them from being loaded.
async fn opened(registry: &Registry, connection: &Connection, context: Context) -> Result<(Dialogue, Vec<String>), Problem> {
    let items = deployed::read(registry, connection).await?;
    let tools = catalog(&items);
    let loads = push::plan(&tools, &items, Absent::Keep).map_or_else(|problem| Err(problem.cause), |push| push.loads);
    let told = |cause| format!("TrustGraph cannot load its tools: {cause}; the agent has those of before, or none");
    let dialogue = Dialogue::new(tools, context);
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

    /// A message of the agent as what the text grows by; all else as it is.
    fn told(&mut self, kind: EventKind) -> EventKind {
        let EventKind::Chunk { text, bytes } = kind else { return kind };
        let mut grown = std::mem::take(&mut self.before);
        for said in self.dialogue.take(&text) {
            grown.push_str(&self.transcript.write(&said));
        }
        EventKind::Chunk { text: grown.into(), bytes }
    }
}
