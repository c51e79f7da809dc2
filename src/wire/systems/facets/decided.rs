//! What is said to a request, whichever way it came: by a sample or by the rules of a stub, step by
//! step as its time comes.

use std::{sync::Arc, time::Duration};

use futures::{StreamExt, stream, stream::BoxStream};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{
    engine::{
        mask::Mask,
        services::sample::{Asking, Sample},
        stub::{
            choose,
            play::{ReplyId, Step, StubPlay},
        },
    },
    model::{call::CallError, error_kind::ErrorKind, stub::StubService},
};

/// Between two pieces of an answer, so that a person sees it stream.
const PAUSE: Duration = Duration::from_millis(60);
/// How long an endless answer goes on.
pub(crate) const ENDLESS: Duration = Duration::from_secs(600);

/// The id under which a service answers a request that it could not read.
pub(crate) const UNKNOWN: &str = "unknown";
/// The id of a call that nobody makes.
const FOREIGN: &str = "00000000-0000-4000-8000-000000000000";

/// Who answers.
#[derive(Clone, Debug)]
pub enum AnswerSource {
    Sample(Sample),
    Stub(Arc<StubService>),
}

/// One call that was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnsweredCall {
    pub service: String,
    pub id: String,
    pub user: String,
    /// The stub's rule that counted.
    pub rule: Option<String>,
    /// How many messages went out.
    pub pieces: usize,
    /// What of the rule could not be known in this way, and what was done instead.
    pub note: Option<&'static str>,
    /// What the caller was informed instead of an answer, or why it could not be known.
    pub problem: Option<CallError>,
    /// The connection broke before the whole answer was out.
    pub is_cut: bool,
}

/// What is to be said to a request.
pub(crate) struct DecidedAnswer {
    pub rule: Option<String>,
    pub play: StubPlay,
    pub problem: Option<CallError>,
}

impl DecidedAnswer {
    /// The caller gets an error, and whoever serves gets the same report.
    #[must_use]
    pub fn refused(kind: ErrorKind, message: String, remedy: &str) -> Self {
        let play = StubPlay::from_error(kind.as_str(), &message);
        Self { rule: None, play, problem: Some(CallError::new(kind, message, remedy)) }
    }

    /// Whether a stub was asked that has no rule for it.
    #[must_use]
    pub fn is_unruled(&self) -> bool {
        self.problem.as_ref().is_some_and(|problem| problem.kind == ErrorKind::NoRule)
    }
}

/// What a sample or a stub says to a request.
#[must_use]
pub(crate) fn decide_answer(by: &AnswerSource, asking: &Asking<'_>) -> DecidedAnswer {
    match by {
        AnswerSource::Sample(sample) => match (sample.answer)(asking) {
            Ok(pieces) => DecidedAnswer {
                rule: None,
                play: StubPlay::from_pieces(pieces, PAUSE),
                problem: None,
            },
            Err(fault) => DecidedAnswer::refused(ErrorKind::parse(fault.kind), fault.message, ""),
        },
        AnswerSource::Stub(stub) => match choose::choose_rule(stub, asking) {
            Ok(rule) => DecidedAnswer {
                rule: Some(rule.name.clone()),
                play: StubPlay::answering(&rule.then, asking.arguments),
                problem: None,
            },
            // The words hold a part of the arguments.
            Err(why) => DecidedAnswer::refused(
                ErrorKind::NoRule,
                Mask::default().mask_text(&why).into_owned(),
                "add a rule for it, or one without when",
            ),
        },
    }
}

/// The steps of an answer, each when its time has come. An endless answer goes on until it is
/// stopped or has taken too long.
#[must_use]
pub(crate) fn timed_steps(play: StubPlay, stop: &CancellationToken) -> BoxStream<'static, Step> {
    let endless = play.is_endless();
    let told = stream::unfold((play, 0), |(play, row)| async move {
        let step = play.step(row)?.clone();
        if !step.after.is_zero() {
            sleep(step.after).await;
        }
        Some((step, (play, row + 1)))
    });
    if !endless {
        return told.boxed();
    }
    let stop = stop.clone();
    told.take_until(async move {
        tokio::select! {
            () = stop.cancelled() => {}
            () = sleep(ENDLESS) => {}
        }
    })
    .boxed()
}

/// The id that a message goes out under.
#[must_use]
pub(crate) fn reply_id(under: ReplyId, own: &str) -> Option<&str> {
    match under {
        ReplyId::Own => Some(own),
        ReplyId::Foreign => Some(FOREIGN),
        ReplyId::Unknown => Some(UNKNOWN),
        ReplyId::Nothing => None,
    }
}
