//! What a server asks while requests are under way: its own requests in the legacy era, results that
//! require input in the modern one.

use serde_json::{Map, Value};

use super::{
    asker::{AnswerMode, Asker, answer_of},
    stages::{QUESTION, fault_words, stage},
};
use crate::{
    schema::literal::Literal,
    systems::mcp::{
        answering::Answer,
        asked::ServerRequest,
        rpc::{
            build::Client,
            frame::{Frame, Span},
        },
    },
    wire::transport::{
        message::{Incoming, Packet},
        message_queue::QueueSender,
    },
};

/// The names of stages: a server asks; something is wrong.
pub(super) const ASKED: &str = "asked";
pub(super) const FINDING: &str = "finding";

/// What a result wants to know, each under its key, and the state to repeat.
pub(super) struct Asks {
    pub requests: Vec<(String, ServerRequest)>,
    pub state: Option<Literal>,
}

/// What a result wants to know, where it requires input.
pub(super) fn input_required(client: &Client, frame: &Frame, span: &Span) -> Option<Asks> {
    // Few results do, and some are large.
    if !frame.raw_text(span).contains("\"input_required\"") {
        return None;
    }
    let result = frame.parse_value(span);
    let requests = ServerRequest::of_result(&result, client);
    let is_asking = result["resultType"] == "input_required" && !requests.is_empty();
    is_asking
        .then(|| Asks { requests, state: result.get("requestState").cloned().map(Literal::from) })
}

/// The answers to all that a result wants to know, by key; `None` where one of them has none, for
/// which this era knows no word.
pub(super) async fn gather(
    asker: &Asker,
    requests: Vec<(String, ServerRequest)>,
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
            AnswerMode::AtOnce(answered) => {
                tell(stage(ASKED, &question_words(&asked, answered.words), &params)).await;
                answered
            }
            AnswerMode::Person(reply) => {
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

pub(super) fn question_words(asked: &ServerRequest, done: &str) -> String {
    let message = asked.params.get("message").and_then(Value::as_str);
    let message = message.map(|message| format!(" \"{message}\"")).unwrap_or_default();
    format!("the server asks {}{message}: {done}", asked.method)
}

pub(super) fn alone_words(asked: &ServerRequest) -> String {
    format!("asked.unanswered: there was no one to answer {}", asked.method)
}

/// A person is asked from here on.
pub(super) fn begins(asked: &ServerRequest, text: &str) -> Packet {
    let mut told = stage(ASKED, &question_words(asked, "waiting for your answer"), text);
    told.headers.push((QUESTION.to_owned(), "begins".to_owned()));
    told
}

/// Nobody is asked any more.
pub(super) fn ends(asked: &ServerRequest, done: &str) -> Packet {
    let mut told = stage(ASKED, &question_words(asked, done), "");
    told.headers.push((QUESTION.to_owned(), "ends".to_owned()));
    told
}
