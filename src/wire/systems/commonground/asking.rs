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
            play::{StubOutput, StubPlay},
        },
    },
    model::{call::CallError, error_kind::ErrorKind, stub::StubService},
    systems::commonground::{
        by_hand::{self, Waiting},
        card::Card,
        command::Command,
        executor::{self, ToolOutput},
        result::BuiltResult,
    },
    wire::systems::facets::responder::{Asking, Question},
};

/// A tool that is answered for.
#[derive(Clone, Debug)]
pub(crate) struct AnsweredTool {
    pub tool: String,
    /// The part of its subject that its service listens on.
    pub target: String,
    pub by: AnsweredBy,
}

/// Who answers.
#[derive(Clone, Debug)]
pub(crate) enum AnsweredBy {
    Stub(Arc<StubService>),
    /// Whoever takes these questions.
    Hand(mpsc::Sender<Question>),
}

/// The answer of whoever answers; `None`: there is none.
/// The stub's rule that counted is noted.
pub(super) async fn request_answer(
    by: &AnsweredBy,
    (number, waiting, arguments): (u64, &Waiting, &Map<String, Value>),
    (command, failed): (&Command, Option<CallError>),
    rule: &mut Option<String>,
) -> Option<BuiltResult> {
    match by {
        AnsweredBy::Stub(stub) => stub_answer(stub, waiting, arguments, rule)
            .await
            .map(|spoken| executor::build_from_spoken(&spoken, command)),
        AnsweredBy::Hand(questions) => {
            let (reply, answer) = oneshot::channel();
            let asking = Asking {
                number,
                waiting: Arc::new(display_copy(waiting)),
                arguments: arguments.clone(),
                failed,
            };
            questions.send(Question { asking, reply }).await.ok()?;
            let answer = answer.await.ok()??;
            Some(by_hand::build_from_answer(&answer, waiting.command))
        }
    }
}

/// The call as a person sees it: the arguments stand beside it, and the result's card needs only
/// the labels.
fn display_copy(waiting: &Waiting) -> Waiting {
    Waiting { call: Card { content: Value::Null, ..waiting.call.clone() }, ..waiting.clone() }
}

async fn stub_answer(
    stub: &StubService,
    waiting: &Waiting,
    arguments: &Map<String, Value>,
    counted: &mut Option<String>,
) -> Option<ToolOutput> {
    let none = Map::new();
    let user = waiting.context.agent_id.as_str();
    let play = match choose::choose_rule(stub, &sample::Asking { user, config: &none, arguments }) {
        Ok(rule) => {
            *counted = Some(rule.name.clone());
            StubPlay::answering(&rule.then, arguments)
        }
        // The words hold a part of the arguments.
        Err(why) => {
            StubPlay::from_error(ErrorKind::NoRule.as_str(), &Mask::default().mask_text(&why))
        }
    };
    if play.is_endless() {
        // A result is one card: what never ends never comes.
        return None;
    }
    let mut spoken: Option<ToolOutput> = None;
    let mut row = 0;
    while let Some(step) = play.step(row) {
        tokio::time::sleep(step.after).await;
        let spoken = spoken.get_or_insert_default();
        match &step.said {
            StubOutput::Chunk { text, .. } => spoken.text.push_str(text),
            StubOutput::Error { kind, message } => {
                spoken.error = Some((kind.clone(), message.clone()));
            }
        }
        row += 1;
    }
    spoken
}
