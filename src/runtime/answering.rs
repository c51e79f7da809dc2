//! Takes calls in a tool's place and asks the user for their results.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot},
    task::AbortHandle,
};
use tokio_util::sync::CancellationToken;

use crate::{
    app::{
        answering::{AnsweringMessage, Asked},
        message::Message,
    },
    engine::mask::Mask,
    model::{call::CallProblem, connection::Connection},
    systems::commonground::executor::{self, Spoken},
    wire::{
        registry::Registry,
        serve::executor::{By, Executor, Question, Stand, Told},
    },
};

/// Reports on their way at most.
const QUEUE: usize = 64;

/// Whoever waits for the result of the call that was asked.
type Waiting = Arc<Mutex<Option<oneshot::Sender<Spoken>>>>;

/// What is answered for, if anything is.
#[derive(Debug, Default)]
pub struct AnsweringByHand(Option<(AbortHandle, Waiting)>);

impl Drop for AnsweringByHand {
    fn drop(&mut self) {
        self.stop();
    }
}

/// For which tool, and where.
pub struct For {
    pub turn: u64,
    pub connection: Connection,
    pub tool: String,
    pub target: String,
}

impl AnsweringByHand {
    /// Answers no more; a call that waits comes again, to whoever listens then.
    pub fn stop(&mut self) {
        if let Some((task, _)) = self.0.take() {
            task.abort();
        }
    }

    /// Gives the call that waits its result.
    pub fn reply(&self, text: &str) {
        let Some((_, waiting)) = &self.0 else { return };
        if let Some(reply) = waiting.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // An error only says that the call is no longer waited for.
            let _ = reply.send(executor::typed(text));
        }
    }

    /// Answers for that tool from now on, and for no other.
    pub fn begin(&mut self, of: For, registry: Arc<Registry>, messages: mpsc::Sender<Message>) {
        self.stop();
        let waiting = Waiting::default();
        let asked = Arc::clone(&waiting);
        let answering = async move {
            let turn = of.turn;
            let problem = match answer(of, &registry, &messages, &asked).await {
                Ok(()) => CallProblem {
                    kind: "connection-lost".into(),
                    message: "the connection ended".into(),
                    remedy: "begin again when it is back".into(),
                },
                Err(problem) => problem,
            };
            let _ = messages.send(Message::Answering(AnsweringMessage::Ended { turn, problem })).await;
        };
        self.0 = Some((tokio::spawn(answering).abort_handle(), waiting));
    }
}

async fn answer(of: For, registry: &Registry, messages: &mpsc::Sender<Message>, waiting: &Waiting) -> Result<(), CallProblem> {
    let For { turn, connection, tool, target } = of;
    let send = |message| messages.send(Message::Answering(message));
    let (asks, mut questions) = mpsc::channel(1);
    let bus = registry.open(&connection).await?;
    let stands = vec![Stand { tool, target, by: By::Hand(asks) }];
    let executor = Executor::start(&connection, &*bus, registry.secrets(), stands).await?;
    let subject = executor.subjects().pop().map(|(_, subject)| subject).unwrap_or_default();
    // An error only says that the loop has ended, and with it this.
    let _ = send(AnsweringMessage::Began { turn, subject, warnings: executor.warnings.clone() }).await;
    let (report, mut reports) = mpsc::channel(QUEUE);
    let mut running = std::pin::pin!(executor.run(report, CancellationToken::new()));
    loop {
        let message = tokio::select! {
            () = &mut running => return Ok(()),
            Some(told) = reports.recv() => told_words(turn, told),
            Some(question) = questions.recv() => {
                let Question { tool, call, agent, arguments, reply } = question;
                *waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
                let arguments = Mask::default().text(&Value::from(arguments).to_string()).into_owned();
                AnsweringMessage::Asked { turn, asked: Asked { tool, call, agent, arguments } }
            }
        };
        let _ = send(message).await;
    }
}

fn told_words(turn: u64, told: Told) -> AnsweringMessage {
    let Told { tool, agent, words, written, problem, .. } = told;
    match problem {
        Some(problem) => {
            let words = format!("{tool} for {agent} is not answered: {} — {}", problem.message, problem.remedy);
            AnsweringMessage::Told { turn, words, good: false }
        }
        None => AnsweringMessage::Told { turn, words: format!("{tool} for {agent}: {words}"), good: written },
    }
}
