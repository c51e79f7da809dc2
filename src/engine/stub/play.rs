//! What is said, when, under which id: a rule's answer as steps that whoever serves only has to
//! carry out.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::model::stub::{AnswerPiece, Fault, StubAnswer};
use crate::schema::parse::pretty_json;

/// What an endless answer says that has no piece of its own.
const ON_AND_ON: &str = "and on ";
/// An endless answer without a pause would leave no time for anything else.
const SHORTEST: Duration = Duration::from_millis(1);
/// What comes after the last message of a late answer.
const AFTERTHOUGHT: &str = "one more thing";

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StubOutput {
    Chunk { text: String, last: bool },
    Error { kind: String, message: String },
}

impl StubOutput {
    /// Whether nothing is to come after it.
    #[must_use]
    pub fn is_last(&self) -> bool {
        !matches!(self, Self::Chunk { last: false, .. })
    }
}

/// Under which id it goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyId {
    /// That of the request.
    Own,
    /// That of another call.
    Foreign,
    /// `unknown`, as a service writes that could not read the request.
    Unknown,
    Nothing,
}

/// Whether its body is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Whole,
    /// It breaks off in the middle.
    Cut,
    /// It holds a byte that is not UTF-8.
    NotUtf8,
}

/// A message and how long it is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub after: Duration,
    pub said: StubOutput,
    pub under: ReplyId,
    pub body: Body,
}

/// An answer as its messages, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StubPlay {
    steps: Vec<Step>,
    /// After the last step comes the second again.
    endless: bool,
}

impl StubPlay {
    /// The answer of a rule.
    #[must_use]
    pub fn from_then(then: &StubAnswer) -> Self {
        let mut steps = answer_steps(then);
        let endless = then.fault == Some(Fault::Endless);
        match then.fault {
            None => {}
            Some(Fault::Silence) => steps.clear(),
            Some(Fault::WrongId) => steps.iter_mut().for_each(|step| step.under = ReplyId::Foreign),
            Some(Fault::UnknownId) => {
                steps.iter_mut().for_each(|step| step.under = ReplyId::Unknown);
            }
            Some(Fault::NoId) => steps.iter_mut().for_each(|step| step.under = ReplyId::Nothing),
            Some(Fault::BrokenJson) => spoil_last(&mut steps, Body::Cut),
            Some(Fault::NotUtf8) => spoil_last(&mut steps, Body::NotUtf8),
            Some(Fault::NoEnd) => open_ended(&mut steps),
            Some(Fault::Endless) => {
                open_ended(&mut steps);
                if then.pieces.is_empty() {
                    steps.iter_mut().for_each(|step| {
                        step.said = StubOutput::Chunk { text: ON_AND_ON.into(), last: false }
                    });
                }
                // The beginning again, which is waited for as long as what is between two messages.
                let pause = then.pieces.first().and_then(|piece| piece.after).unwrap_or(then.pause);
                steps.extend(steps.first().cloned().map(|first| Step { after: pause, ..first }));
                steps.iter_mut().for_each(|step| step.after = step.after.max(SHORTEST));
            }
            Some(Fault::Late) => steps.push(chunk_step(then.pause, AFTERTHOUGHT, false)),
            Some(Fault::Twice) => steps.extend_from_within(..),
            Some(Fault::OutOfOrder) => {
                // The waits stay where they are.
                let waits: Vec<Duration> = steps.iter().map(|step| step.after).collect();
                steps.reverse();
                steps.iter_mut().zip(waits).for_each(|(step, after)| step.after = after);
            }
        }
        Self { steps, endless }
    }

    /// The answer of a rule to these arguments.
    #[must_use]
    pub fn answering(then: &StubAnswer, arguments: &Map<String, Value>) -> Self {
        if !then.echo {
            return Self::from_then(then);
        }
        let mut then = then.clone();
        let text = pretty_json(&Value::Object(arguments.clone()), None);
        then.pieces.push(AnswerPiece { text, after: None });
        Self::from_then(&then)
    }

    /// A sound answer in these pieces.
    #[must_use]
    pub fn from_pieces(pieces: Vec<String>, pause: Duration) -> Self {
        let pieces = pieces.into_iter().map(|text| AnswerPiece { text, after: None }).collect();
        Self::from_then(&StubAnswer { pieces, pause, ..StubAnswer::default() })
    }

    /// Nothing but an error.
    #[must_use]
    pub fn from_error(kind: &str, message: &str) -> Self {
        Self::from_then(&StubAnswer {
            error: Some((kind.into(), message.into())),
            ..StubAnswer::default()
        })
    }

    /// The message at a row; an endless answer has one at every row.
    #[must_use]
    pub fn step(&self, row: usize) -> Option<&Step> {
        let again = self.steps.len().saturating_sub(1);
        let row = if self.endless && row > again { 1 + (row - 1).checked_rem(again)? } else { row };
        self.steps.get(row)
    }

    #[must_use]
    pub fn is_endless(&self) -> bool {
        self.endless
    }
}

/// The answer as it would be without a fault.
fn answer_steps(then: &StubAnswer) -> Vec<Step> {
    let ends = then.error.is_none();
    let count = then.pieces.len();
    let wait = |row: usize, after: Option<Duration>| match row {
        0 => then.delay + after.unwrap_or_default(),
        _ => after.unwrap_or(then.pause),
    };
    let piece = |(row, piece): (usize, &AnswerPiece)| {
        chunk_step(wait(row, piece.after), &piece.text, ends && row + 1 == count)
    };
    let mut steps: Vec<Step> = then.pieces.iter().enumerate().map(piece).collect();
    match &then.error {
        Some((kind, message)) => {
            let said = StubOutput::Error { kind: kind.clone(), message: message.clone() };
            steps.push(Step {
                after: wait(count, None),
                said,
                under: ReplyId::Own,
                body: Body::Whole,
            });
        }
        // An answer without a piece still has to end.
        None if steps.is_empty() => steps.push(chunk_step(then.delay, "", true)),
        None => {}
    }
    steps
}

fn chunk_step(after: Duration, text: &str, last: bool) -> Step {
    Step {
        after,
        said: StubOutput::Chunk { text: text.into(), last },
        under: ReplyId::Own,
        body: Body::Whole,
    }
}

fn spoil_last(steps: &mut [Step], body: Body) {
    if let Some(last) = steps.last_mut() {
        last.body = body;
    }
}

fn open_ended(steps: &mut [Step]) {
    for step in steps {
        if let StubOutput::Chunk { last, .. } = &mut step.said {
            *last = false;
        }
    }
}

/// The bytes of a message whose whole body this is.
#[must_use]
pub(crate) fn body_bytes(body: Body, whole: String) -> Vec<u8> {
    let mut bytes = whole.into_bytes();
    match body {
        Body::Whole => {}
        Body::Cut => bytes.truncate(bytes.len() / 2),
        Body::NotUtf8 => {
            let at = bytes.len() / 2;
            bytes.insert(at, 0xff);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::stub::FAULTS;

    fn then() -> impl Strategy<Value = StubAnswer> {
        let piece = (".{0,6}", proptest::option::of(1_u64..50)).prop_map(|(text, after)| {
            AnswerPiece { text, after: after.map(Duration::from_millis) }
        });
        let fault =
            proptest::option::of(proptest::sample::select(FAULTS).prop_map(|(fault, ..)| fault));
        (proptest::collection::vec(piece, 0..6), 0_u64..50, 0_u64..50, any::<bool>(), fault)
            .prop_map(|(pieces, delay, pause, error, fault)| StubAnswer {
                echo: false,
                pieces,
                delay: Duration::from_millis(delay),
                pause: Duration::from_millis(pause),
                error: error.then(|| ("burnt".into(), "the oven".into())),
                fault,
            })
    }

    fn texts(steps: &[Step]) -> String {
        let text = |step: &Step| match &step.said {
            StubOutput::Chunk { text, .. } => text.clone(),
            StubOutput::Error { .. } => String::new(),
        };
        steps.iter().map(text).collect()
    }

    fn ends(step: &Step) -> bool {
        step.said.is_last()
    }

    proptest! {
        #[test]
        fn a_sound_answer_says_all_in_order_and_ends_once(then in then()) {
            let then = StubAnswer { fault: None, ..then };
            let play = StubPlay::from_then(&then);
            let whole: String = then.pieces.iter().map(|piece| piece.text.as_str()).collect();
            prop_assert_eq!(texts(&play.steps), whole);
            prop_assert_eq!(play.steps.iter().position(ends), Some(play.steps.len() - 1));
            prop_assert!(play.steps.iter().all(|step| step.under == ReplyId::Own && step.body == Body::Whole));
            let given: Duration = then.pieces.iter().filter_map(|piece| piece.after).sum();
            let took: Duration = play.steps.iter().map(|step| step.after).sum();
            prop_assert!(took >= then.delay + given);
            prop_assert_eq!(play.step(play.steps.len()), None);
        }

        #[test]
        fn each_fault_does_what_it_says(then in then()) {
            let sound = StubPlay::from_then(&StubAnswer { fault: None, ..then.clone() }).steps;
            let play = StubPlay::from_then(&then);
            let steps = &play.steps;
            let all = |under| steps.iter().all(|step| step.under == under) && steps.len() == sound.len();
            prop_assert_eq!(play.is_endless(), then.fault == Some(Fault::Endless));
            let holds = match then.fault {
                None => *steps == sound,
                Some(Fault::Silence) => steps.is_empty(),
                Some(Fault::WrongId) => all(ReplyId::Foreign),
                Some(Fault::UnknownId) => all(ReplyId::Unknown),
                Some(Fault::NoId) => all(ReplyId::Nothing),
                Some(Fault::BrokenJson) => steps.last().unwrap().body == Body::Cut,
                Some(Fault::NotUtf8) => steps.last().unwrap().body == Body::NotUtf8,
                Some(Fault::NoEnd) => then.error.is_some() || !steps.iter().any(ends),
                Some(Fault::Endless) => {
                    let told: Vec<&Step> = (0..sound.len() * 3).filter_map(|row| play.step(row)).collect();
                    let same = |(row, step): (usize, &&Step)| step.said == told[row % sound.len()].said && step.after >= SHORTEST;
                    told.len() == sound.len() * 3 && told.iter().enumerate().all(same) && !told.iter().any(|step| matches!(step.said, StubOutput::Chunk { last: true, .. }))
                }
                Some(Fault::Late) => steps.iter().position(ends) == Some(steps.len() - 2),
                Some(Fault::Twice) => *steps == [sound.clone(), sound].concat(),
                Some(Fault::OutOfOrder) => ends(&steps[0]) && steps.iter().rev().map(|step| &step.said).eq(sound.iter().map(|step| &step.said)),
            };
            prop_assert!(holds, "{:?}: {:?}", then.fault, steps);
        }

        #[test]
        fn a_spoiled_body_is_what_it_says(text in ".{0,20}") {
            let whole = serde_json::json!({"error": null, "response": text, "end_of_stream": true}).to_string();
            prop_assert_eq!(body_bytes(Body::Whole, whole.clone()), whole.clone().into_bytes());
            let cut = body_bytes(Body::Cut, whole.clone());
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&cut).is_err());
            prop_assert!(std::str::from_utf8(&body_bytes(Body::NotUtf8, whole)).is_err());
        }
    }
}
