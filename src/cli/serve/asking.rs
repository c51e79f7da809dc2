//! Which of the calls under way a server's question belongs to: questions come over connections,
//! which several calls may share.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use crate::wire::systems::facets::responder::Question;

/// The calls under way, the latest last.
#[derive(Clone, Default)]
pub(super) struct AskingCalls(Arc<Mutex<Vec<AskingCall>>>);

struct AskingCall {
    connection: String,
    questions: mpsc::Sender<Question>,
}

/// A call that is under way until this is dropped.
pub(super) struct AskingGuard {
    all: AskingCalls,
    questions: mpsc::Sender<Question>,
}

impl AskingCalls {
    /// A call begins over that connection.
    pub fn begin(&self, connection: &str, questions: mpsc::Sender<Question>) -> AskingGuard {
        let (connection, own) = (connection.to_owned(), questions.clone());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(AskingCall { connection, questions: own });
        AskingGuard { all: self.clone(), questions }
    }

    /// Hands a question to the latest call over its connection. Where there is none the question is
    /// dropped, by which it is declined.
    pub async fn pass_on(&self, question: Question) {
        let call = {
            let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let of = question.asking.waiting.caller_id();
            all.iter().rfind(|call| call.connection == of).map(|call| call.questions.clone())
        };
        if let Some(call) = call {
            // A call that has ended declines.
            let _ = call.send(question).await;
        }
    }
}

impl Drop for AskingGuard {
    fn drop(&mut self) {
        let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|call| !call.questions.same_channel(&self.questions));
    }
}
