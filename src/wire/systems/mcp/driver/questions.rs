//! What a server asks while requests are under way: its own requests in the legacy era, results that
//! require input in the modern one.

use futures::future::{Either, select};
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::{Driver, QUESTION, Waiting, fault_words, stage};
use crate::{
    schema::literal::Literal,
    systems::mcp::{
        answering::Answer,
        asked::Asked,
        fault::Fault,
        rpc::{
            build::{Call, Client},
            frame::{Frame, Span},
            id::Id,
        },
    },
    wire::{
        systems::mcp::asker::{Answered, Asker, Way, answer_of},
        transport::{
            message::{Incoming, Packet},
            message_queue::QueueSender,
        },
    },
};

/// How often one request may require more input.
const MOST_ROUNDS: u32 = 32;

/// The name of the stage at which a server asks.
const ASKED: &str = "asked";
const FINDING: &str = "finding";

/// What a result wants to know, each under its key, and the state to repeat.
pub(super) struct Asks {
    requests: Vec<(String, Asked)>,
    state: Option<Literal>,
}

/// A question that needs no more answering.
pub(super) enum Finished {
    /// A request of the server's own; `None`: it was withdrawn.
    Request(Id, Asked, Option<Answered>),
    /// A result that required input. Without responses it is what its caller gets.
    Result(Box<Repeat>),
    /// Its caller has gone.
    Left,
}

/// A request that is to be repeated with what the server wanted to know.
pub(super) struct Repeat {
    id: Id,
    call: Call,
    waiting: Waiting,
    /// The answer as it came.
    text: String,
    state: Option<Literal>,
    responses: Option<Map<String, Value>>,
}

/// What a result wants to know, where it requires input.
pub(super) fn input_required(client: &Client, frame: &Frame, span: &Span) -> Option<Asks> {
    // Few results do, and some are large.
    if !frame.raw_text(span).contains("\"input_required\"") {
        return None;
    }
    let result = frame.parse_value(span);
    let requests = Asked::of_result(&result, client);
    let is_asking = result["resultType"] == "input_required" && !requests.is_empty();
    is_asking
        .then(|| Asks { requests, state: result.get("requestState").cloned().map(Literal::from) })
}

impl Driver {
    /// The server asks with a request of its own.
    pub(super) async fn asked(&mut self, id: Id, asked: Asked, faults: &[Fault], text: &str) {
        for fault in faults {
            self.tell_all(FINDING, &fault_words(fault), "").await;
        }
        match self.asker.ask(&asked, faults).await {
            Way::AtOnce(answered) => {
                let told = stage(ASKED, &question_words(&asked, answered.words), text);
                self.push_to_all(&told).await;
                self.answer_server(&id, &asked, &answered).await;
            }
            Way::Person(reply) => {
                self.push_to_all(&begins(&asked, text)).await;
                let (withdrawal, withdrawn) = oneshot::channel::<()>();
                self.state.withdrawals.insert(id.clone(), withdrawal);
                self.state.asking.push(Box::pin(async move {
                    let answering = Box::pin(answer_of(&asked.kind, reply));
                    let answered = match select(answering, withdrawn).await {
                        Either::Left((answered, _)) => Some(answered),
                        Either::Right(_) => None,
                    };
                    Finished::Request(id, asked, answered)
                }));
            }
        }
    }

    async fn answer_server(&mut self, id: &Id, asked: &Asked, answered: &Answered) {
        if answered.is_alone {
            self.tell_all(FINDING, &alone_words(asked), "").await;
        }
        let frame = match &answered.answer {
            Some(Answer::Result(result)) => self.session.answer(id, &Literal::from(result.clone())),
            Some(Answer::Refusal { code, message }) => self.session.refuse(id, *code, message),
            None => None,
        };
        if let Some(frame) = frame {
            Box::pin(self.send(frame)).await;
        }
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
                Either::Right(_) => return Finished::Left,
            };
            Finished::Result(Box::new(Repeat { id, call, waiting, text, state, responses }))
        }));
    }

    /// Goes on after a question.
    pub(super) async fn finish(&mut self, finished: Finished) {
        match finished {
            Finished::Left => {}
            Finished::Request(id, asked, answered) => {
                self.state.withdrawals.remove(&id);
                let done = answered.as_ref().map_or("withdrawn", |answered| answered.words);
                self.push_to_all(&ends(&asked, done)).await;
                if let Some(answered) = answered {
                    self.answer_server(&id, &asked, &answered).await;
                }
            }
            Finished::Result(repeat) => {
                let Repeat { id, call, waiting, text, state, responses } = *repeat;
                match responses {
                    Some(responses) => {
                        let responses = Literal::from(Value::Object(responses));
                        let call = call.with_responses(&responses, state.as_ref());
                        self.begin(call, waiting).await;
                    }
                    None => {
                        self.state.waiting.insert(id.clone(), waiting);
                        self.answer(&id, &call, text, &[]).await;
                    }
                }
            }
        }
    }
}

/// The answers to all that a result wants to know, by key; `None` where one of them has none, for
/// which this era knows no word.
async fn gather(
    asker: &Asker,
    requests: Vec<(String, Asked)>,
    inbox: &QueueSender,
) -> Option<Map<String, Value>> {
    // Who has left is found out elsewhere.
    let tell = async |packet: Packet| drop(inbox.push(Incoming::Packet(packet)).await);
    let mut responses = Map::new();
    for (key, asked) in requests {
        for fault in &asked.faults {
            tell(stage(FINDING, &fault_words(fault), "")).await;
        }
        let params = asked.params.to_string();
        let answered = match asker.ask(&asked, &asked.faults).await {
            Way::AtOnce(answered) => {
                tell(stage(ASKED, &question_words(&asked, answered.words), &params)).await;
                answered
            }
            Way::Person(reply) => {
                tell(begins(&asked, &params)).await;
                let answered = answer_of(&asked.kind, reply).await;
                tell(ends(&asked, answered.words)).await;
                answered
            }
        };
        if answered.is_alone {
            tell(stage(FINDING, &alone_words(&asked), "")).await;
        }
        match answered.answer {
            Some(Answer::Result(result)) => drop(responses.insert(key, result)),
            Some(Answer::Refusal { .. }) | None => return None,
        }
    }
    Some(responses)
}

fn question_words(asked: &Asked, done: &str) -> String {
    let message = asked.params.get("message").and_then(Value::as_str);
    let message = message.map(|message| format!(" \"{message}\"")).unwrap_or_default();
    format!("the server asks {}{message}: {done}", asked.method)
}

fn alone_words(asked: &Asked) -> String {
    format!("asked.unanswered: nobody was there to answer {}", asked.method)
}

/// A person is asked from here on.
fn begins(asked: &Asked, text: &str) -> Packet {
    let mut told = stage(ASKED, &question_words(asked, "waiting for your answer"), text);
    told.headers.push((QUESTION.to_owned(), "begins".to_owned()));
    told
}

/// Nobody is asked any more.
fn ends(asked: &Asked, done: &str) -> Packet {
    let mut told = stage(ASKED, &question_words(asked, done), "");
    told.headers.push((QUESTION.to_owned(), "ends".to_owned()));
    told
}
