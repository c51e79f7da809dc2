//! Takes calls in the place of tools and asks the user for their results.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::now::each_second;
use crate::{
    app::{
        answering::{AnsweringMessage, AskId, SERVERS, WaitingQuestion},
        message::Message,
    },
    engine::mask::Mask,
    model::{call::CallError, connection::Connection, entry::SystemId, error_kind::ErrorKind},
    wire::{
        registry::Registry,
        spawning::spawn,
        systems::{
            facets::{
                opener::Questions,
                responder::{Asking, Question, Report},
            },
            table,
        },
    },
};

/// Reports on their way at most.
const QUEUE: usize = 64;

/// Whoever waits for the result of a call that was asked.
type Waiting = Arc<Mutex<HashMap<AskId, oneshot::Sender<Option<Value>>>>>;

/// What is answered for, by turn.
#[derive(Debug, Default)]
pub(crate) struct AnsweringByHand {
    stands: HashMap<u64, CancellationToken>,
    waiting: Waiting,
}

impl Drop for AnsweringByHand {
    fn drop(&mut self) {
        self.stands.values().for_each(CancellationToken::cancel);
    }
}

/// For which tool, and where.
pub(crate) struct For {
    pub turn: u64,
    pub system: SystemId,
    pub connection: Connection,
    pub tool: String,
    pub target: String,
}

impl AnsweringByHand {
    /// Answers for that tool no more.
    pub fn stop_answering(&mut self, turn: u64) {
        if let Some(stop) = self.stands.remove(&turn) {
            stop.cancel();
        }
        lock_waiting(&self.waiting).retain(|ask, _| ask.turn != turn);
    }

    /// Gives a call or a question its answer, or leaves it without one; of a question of a server,
    /// what there is to say of that.
    pub fn send_reply(&self, ask: AskId, answer: Option<Arc<Value>>) -> Option<AnsweringMessage> {
        let reply = lock_waiting(&self.waiting).remove(&ask);
        let words = if answer.is_some() {
            "the server has your answer"
        } else {
            "the server got no answer and is still waiting for one"
        };
        let taken = reply.is_some_and(|reply| reply.send(answer.map(Arc::unwrap_or_clone)).is_ok());
        // What becomes of a call is recognized by whoever answers for its tool.
        (ask.turn == SERVERS).then(|| match taken {
            true => AnsweringMessage::Told { ask, words: words.into(), good: true },
            false => withdrawn(ask),
        })
    }

    /// Takes the questions that servers ask from now on.
    pub fn take_questions(&self, messages: mpsc::Sender<Message>) -> Questions {
        let (asks, mut questions) = mpsc::channel(1);
        let waiting = Arc::clone(&self.waiting);
        spawn(async move {
            let mut number = 0;
            let mut seconds = each_second();
            loop {
                let waits = lock_waiting(&waiting).keys().any(|ask| ask.turn == SERVERS);
                let told = tokio::select! {
                    question = questions.recv() => {
                        let Some(Question { asking, reply }) = question else { return };
                        number += 1;
                        let asked = build_asked(SERVERS, Asking { number, ..asking });
                        lock_waiting(&waiting).insert(asked.ask, reply);
                        vec![AnsweringMessage::Asked(Box::new(asked))]
                    }
                    _ = seconds.tick(), if waits => {
                        let gone = take_withdrawn(&waiting);
                        gone.into_iter().map(withdrawn).chain([AnsweringMessage::Tick]).collect()
                    }
                };
                for message in told {
                    // The loop has ended, and with it this.
                    if messages.send(Message::Answering(message)).await.is_err() {
                        return;
                    }
                }
            }
        });
        asks
    }

    /// Answers for that tool too from now on.
    pub fn start_answering(
        &mut self,
        of: For,
        registry: Arc<Registry>,
        messages: mpsc::Sender<Message>,
    ) {
        let (stop, waiting) = (CancellationToken::new(), Arc::clone(&self.waiting));
        self.stands.insert(of.turn, stop.clone());
        spawn(async move {
            let turn = of.turn;
            let problem = match answer_calls(of, &registry, &messages, &waiting, stop).await {
                Ok(()) => CallError {
                    kind: ErrorKind::ConnectionLost,
                    message: "the connection ended".into(),
                    remedy: "try again when it is back".into(),
                },
                Err(problem) => problem,
            };
            let _ =
                messages.send(Message::Answering(AnsweringMessage::Ended { turn, problem })).await;
        });
    }
}

/// The questions of servers that nobody waits for any longer.
fn take_withdrawn(waiting: &Waiting) -> Vec<AskId> {
    let mut waiting = lock_waiting(waiting);
    let is_gone =
        |ask: &AskId, reply: &mut oneshot::Sender<_>| ask.turn == SERVERS && reply.is_closed();
    waiting.extract_if(is_gone).map(|(ask, _)| ask).collect()
}

fn withdrawn(ask: AskId) -> AnsweringMessage {
    let words = "the server is no longer waiting for an answer".to_owned();
    AnsweringMessage::Told { ask, words, good: false }
}

fn lock_waiting(
    waiting: &Waiting,
) -> std::sync::MutexGuard<'_, HashMap<AskId, oneshot::Sender<Option<Value>>>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer_calls(
    of: For,
    registry: &Registry,
    messages: &mpsc::Sender<Message>,
    waiting: &Waiting,
    stop: CancellationToken,
) -> Result<(), CallError> {
    let For { turn, system, connection, tool, target } = of;
    let send = |message| messages.send(Message::Answering(message));
    let (asks, mut questions) = mpsc::channel(1);
    let responder = table::by_id(system).and_then(|system| system.responder());
    let Some(prepared) = responder.and_then(|responder| responder.by_hand(tool, target, asks))
    else {
        let message = format!("tools of {system} can't be answered by hand");
        return Err(CallError::new(
            ErrorKind::NotCallable,
            message,
            "choose a tool of another system",
        ));
    };
    let responding = tokio::select! {
        () = stop.cancelled() => return Ok(()),
        started = prepared.start(registry, &connection) => started?,
    };
    let subject = responding.last_address();
    // An error only says that the loop has ended, and with it this.
    let _ = send(AnsweringMessage::Began { turn, subject, warnings: responding.warnings() }).await;
    let (report, mut reports) = mpsc::channel(QUEUE);
    let mut running = responding.run(report, stop);
    let mut seconds = each_second();
    loop {
        let waits = lock_waiting(waiting).keys().any(|ask| ask.turn == turn);
        let message = tokio::select! {
            () = &mut running => return Ok(()),
            Some(told) = reports.recv() => told_words(turn, told),
            Some(Question { asking, reply }) = questions.recv() => {
                let asked = build_asked(turn, asking);
                lock_waiting(waiting).insert(asked.ask, reply);
                AnsweringMessage::Asked(Box::new(asked))
            }
            // Something counts down on the screen.
            _ = seconds.tick(), if waits => AnsweringMessage::Tick,
        };
        let _ = send(message).await;
    }
}

fn build_asked(turn: u64, asking: Asking) -> WaitingQuestion {
    let Asking { number, waiting, arguments, failed } = asking;
    let arguments = serde_json::to_string_pretty(&arguments).unwrap_or_default();
    WaitingQuestion {
        ask: AskId { turn, number },
        waiting,
        arguments: Mask::default().mask_text(&arguments).into_owned(),
        failed,
    }
}

fn told_words(turn: u64, told: Report) -> AnsweringMessage {
    let Report { number, tool, caller: agent, words, answered, problem, .. } = told;
    let ask = AskId { turn, number };
    match problem {
        Some(problem) => {
            let words = format!(
                "couldn't answer {tool} for {agent}: {} — {}",
                problem.message, problem.remedy
            );
            AnsweringMessage::Told { ask, words, good: false }
        }
        None => AnsweringMessage::Told {
            ask,
            words: format!("{tool} for {agent}: {words}"),
            good: answered,
        },
    }
}
