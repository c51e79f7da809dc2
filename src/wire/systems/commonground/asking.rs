//! Who answers for a tool: the rules of a stub, or a person who is asked.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use crate::{
    engine::{
        mask::Mask,
        services::sample,
        stub::{
            choose,
            play::{Play, Said},
            script::StubService,
        },
    },
    model::{call::CallProblem, error_kind::ErrorKind},
    systems::commonground::{
        by_hand::Waiting,
        command::Command,
        executor::{self, Spoken},
        result::Built,
    },
};

/// A tool that is answered for.
#[derive(Clone, Debug)]
pub struct Stand {
    pub tool: String,
    /// The part of its subject that its service listens on.
    pub target: String,
    pub by: By,
}

/// Who answers.
#[derive(Clone, Debug)]
pub enum By {
    Stub(Arc<StubService>),
    /// Whoever takes these questions.
    Hand(mpsc::Sender<Question>),
}

/// A call that waits for an answer by hand.
#[derive(Debug)]
pub struct Question {
    pub asking: Asking,
    /// Dropped, or given none, it leaves the call without an answer.
    pub reply: oneshot::Sender<Option<Built>>,
}

/// What is asked.
#[derive(Debug)]
pub struct Asking {
    /// As in what is told of it in the end.
    pub number: u64,
    pub waiting: Waiting,
    pub arguments: Map<String, Value>,
    /// The answer before could not be written.
    pub failed: Option<CallProblem>,
}

/// The answer of whoever answers; `None`: there is none.
/// The stub's rule that counted is noted.
pub(super) async fn ask(by: &By, asking: Asking, command: &Command, rule: &mut Option<String>) -> Option<Built> {
    match by {
        By::Stub(stub) => stubbed(stub, &asking, rule).await.map(|spoken| executor::built(&spoken, command)),
        By::Hand(questions) => {
            let (reply, answer) = oneshot::channel();
            questions.send(Question { asking, reply }).await.ok()?;
            answer.await.ok()?
        }
    }
}

async fn stubbed(stub: &StubService, asking: &Asking, counted: &mut Option<String>) -> Option<Spoken> {
    let none = Map::new();
    let user = asking.waiting.context.agent_id.as_str();
    let play = match choose::rule(stub, &sample::Asking { user, config: &none, arguments: &asking.arguments }) {
        Ok(rule) => {
            *counted = Some(rule.name.clone());
            Play::of(&rule.then)
        }
        // The words hold a part of the arguments.
        Err(why) => Play::error(ErrorKind::NoRule.word(), &Mask::default().text(&why)),
    };
    if play.is_endless() {
        // A result is one card: what never ends never comes.
        return None;
    }
    let mut spoken: Option<Spoken> = None;
    let mut row = 0;
    while let Some(step) = play.step(row) {
        tokio::time::sleep(step.after).await;
        let spoken = spoken.get_or_insert_default();
        match &step.said {
            Said::Chunk { text, .. } => spoken.text.push_str(text),
            Said::Error { kind, message } => spoken.error = Some((kind.clone(), message.clone())),
        }
        row += 1;
    }
    spoken
}
