//! What a connection does when its server asks: answers at once, waits for a person, or gathers all
//! answers that a result requires.

use futures::future::{Either, select};
use tokio::sync::oneshot;

use super::{
    asker::{AnswerMode, QuestionAnswer, answer_of},
    driver::Driver,
    questions::{ASKED, Asks, FINDING, alone_words, begins, gather, question_words},
    requests::{Finished, Repeat},
    stages::{fault_words, sent_frame, stage},
};
use crate::{
    schema::literal::Literal,
    systems::mcp::{
        answering::Answer,
        asked::ServerRequest,
        fault::Fault,
        rpc::{build::Call, id::Id},
    },
};

/// How often one request may require more input.
const MOST_ROUNDS: u32 = 32;

impl Driver {
    /// The server asks with a request of its own.
    pub(super) async fn asked(
        &mut self,
        id: Id,
        asked: ServerRequest,
        faults: &[Fault],
        text: &str,
    ) {
        for fault in faults {
            self.tell_all(FINDING, &fault_words(fault), "").await;
        }
        match self.asker.ask(&asked, faults).await {
            AnswerMode::AtOnce(answered) => {
                let told = stage(ASKED, &question_words(&asked, answered.words), text);
                self.push_to_all(&told).await;
                self.answer_server(&id, &asked, &answered).await;
            }
            AnswerMode::Person(reply) => {
                self.push_to_all(&begins(&asked, text)).await;
                let (withdrawal, withdrawn) = oneshot::channel::<()>();
                self.state.withdrawals.insert(id.clone(), withdrawal);
                self.state.asking.push(Box::pin(async move {
                    let answering = Box::pin(answer_of(&asked.kind, reply));
                    let answered = match select(answering, withdrawn).await {
                        Either::Left((answered, _)) => Some(answered),
                        Either::Right(_) => None,
                    };
                    Finished::Request(id, Box::new(asked), answered)
                }));
            }
        }
    }

    pub(super) async fn answer_server(
        &mut self,
        id: &Id,
        asked: &ServerRequest,
        answered: &QuestionAnswer,
    ) {
        if answered.is_alone {
            self.tell_all(FINDING, &alone_words(asked), "").await;
        }
        let frame = match &answered.answer {
            Some(Answer::Result(result)) => self.session.answer(id, &Literal::from(result.clone())),
            Some(Answer::Refusal { code, message }) => self.session.refuse(id, *code, message),
            None => None,
        };
        if let Some(frame) = frame {
            self.push_to_all(&sent_frame(&frame.text)).await;
            Box::pin(self.send(frame)).await;
        }
        self.state.folders.note_answer(&asked.kind);
    }

    /// The server requires input before it answers a request.
    pub(super) async fn ask_within(&mut self, id: &Id, call: Call, text: String, asks: Asks) {
        let Some(mut waiting) = self.state.waiting.remove(id) else { return };
        waiting.rounds += 1;
        if waiting.rounds > MOST_ROUNDS {
            self.state.waiting.insert(id.clone(), waiting);
            return self.answer(id, &call, text, &[]).await;
        }
        let (asker, id, Asks { requests, state }) = (self.asker.clone(), id.clone(), asks);
        self.state.asking.push(Box::pin(async move {
            let inbox = waiting.inbox.clone();
            let gathering = Box::pin(gather(&asker, requests, &inbox));
            let left = Box::pin(inbox.closed());
            let responses = match select(gathering, left).await {
                Either::Left((responses, _)) => responses,
                Either::Right(_) => return Finished::Left(Box::new(waiting)),
            };
            Finished::Result(Box::new(Repeat { id, call, waiting, text, state, responses }))
        }));
    }
}
