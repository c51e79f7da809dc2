//! What a stub answers, in the place of a path, a model, a tool or an agent.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::answer::{AnswerReport, ClusterAnswer, ClusterRequest, inference_results};
use crate::{
    engine::{
        mask::Mask,
        services::sample::Asking,
        stub::{
            choose::choose_rule,
            play::{StubOutput, StubPlay},
        },
    },
    model::{
        call::CallError,
        error_kind::ErrorKind,
        stub::{Fault, StubService},
    },
};

/// Pieces that are read of one answer at most, so that an endless one has an end.
const PIECES: usize = 1_000;

/// What a stub says.
#[derive(Clone, Debug)]
pub(crate) struct StubReply {
    /// Its pieces joined; or the type and message of its error.
    pub said: Result<String, (String, String)>,
    pub after: Duration,
    pub fault: Option<Fault>,
    pub play: StubPlay,
    pub told: AnswerReport,
}

/// What a stub answers at the path of a request; `None` where none is for it.
#[must_use]
pub fn answer_path(stubs: &[StubService], request: &ClusterRequest) -> Option<ClusterAnswer> {
    let stub = stubs.iter().find(|stub| stub.request.as_deref() == Some(request.path.as_str()))?;
    let reply = reply_of(stub, &stub_arguments(request));
    let mut answer = match &reply.said {
        Ok(text) => match serde_json::from_str(text) {
            Ok(value) => ClusterAnswer::json(200, value),
            Err(_) => ClusterAnswer::text(200, text.clone()),
        },
        Err((kind, message)) => failure_of(kind, message),
    };
    reply.apply_to(&mut answer);
    Some(answer)
}

/// What the rules of a stub see of a request: the parameters of its body, where it has nothing else,
/// or all of it.
#[must_use]
pub(crate) fn stub_arguments(request: &ClusterRequest) -> Map<String, Value> {
    let body: Map<String, Value> = serde_json::from_str(&request.body).unwrap_or_default();
    match body.get("parameters").and_then(Value::as_object) {
        Some(parameters) if body.len() == 1 => parameters.clone(),
        _ => body,
    }
}

/// What the stub of one of these names answers; `None` where none has such a name.
#[must_use]
pub(crate) fn reply_named(
    stubs: &[StubService],
    names: &[&str],
    arguments: &Map<String, Value>,
) -> Option<StubReply> {
    let named =
        |name: &&str| stubs.iter().find(|stub| stub.name == **name && stub.request.is_none());
    names.iter().find_map(named).map(|stub| reply_of(stub, arguments))
}

fn reply_of(stub: &StubService, arguments: &Map<String, Value>) -> StubReply {
    let told = AnswerReport { service: stub.name.clone(), ..AnswerReport::default() };
    match choose_rule(stub, &Asking { user: "", config: &Map::new(), arguments }) {
        Ok(rule) => {
            let play = StubPlay::answering(&rule.then, arguments);
            let (mut text, mut after, mut error) = (String::new(), Duration::ZERO, None);
            for row in 0..PIECES {
                let Some(step) = play.step(row) else { break };
                after += step.after;
                match &step.said {
                    StubOutput::Chunk { text: piece, .. } => text.push_str(piece),
                    StubOutput::Error { kind, message } => {
                        error = Some((kind.clone(), message.clone()));
                    }
                }
                if play.is_endless() && row > rule.then.pieces.len() {
                    break;
                }
            }
            let said = error.map_or(Ok(text), Err);
            let told = AnswerReport { rule: Some(rule.name.clone()), ..told };
            StubReply { said, after, fault: rule.then.fault, play, told }
        }
        Err(why) => {
            // The words hold a part of the arguments.
            let why = Mask::default().mask_text(&why).into_owned();
            let remedy = "add a rule for it, or one without when";
            let problem = CallError::new(ErrorKind::NoRule, why.clone(), remedy);
            let kind = ErrorKind::NoRule.as_str().to_owned();
            let play = StubPlay::from_error(&kind, &why);
            let told = AnswerReport { problem: Some(problem), ..told };
            StubReply { said: Err((kind, why)), after: Duration::ZERO, fault: None, play, told }
        }
    }
}

impl StubReply {
    /// The reply as an entry of the framework's answers.
    #[must_use]
    pub fn to_answer(&self, of_text: impl Fn(&str) -> Value) -> ClusterAnswer {
        let mut answer = match &self.said {
            Ok(text) => match serde_json::from_str::<Value>(text) {
                Ok(whole) if whole.get("inference_results").is_some() => {
                    ClusterAnswer::json(200, whole)
                }
                Ok(data) if data.is_object() => {
                    let entry = json!({"name": "response", "dataAsMap": data});
                    ClusterAnswer::json(200, inference_results(vec![entry]))
                }
                _ => ClusterAnswer::json(200, inference_results(vec![of_text(text)])),
            },
            Err((kind, message)) => failure_of(kind, message),
        };
        self.apply_to(&mut answer);
        answer
    }

    fn apply_to(&self, answer: &mut ClusterAnswer) {
        answer.after = self.after;
        answer.fault = self.fault;
        answer.told = self.told.clone();
    }
}

/// A stub's error. A type that is a number is the status: `{type: "503", message: …}`.
fn failure_of(kind: &str, message: &str) -> ClusterAnswer {
    let status = kind.parse().ok().filter(|status| (400..600).contains(status));
    match status {
        Some(status) => ClusterAnswer::failure(status, message),
        None => {
            let error = json!({"type": kind, "reason": "System Error", "details": message});
            ClusterAnswer::json(500, json!({"status": 500, "error": error}))
        }
    }
}
