//! What a message that passed by is to CommonGround, in words: each is joined to its call, each
//! call to its turn, each turn to its trace.
//!
//! | file | reads |
//! | --- | --- |
//! | [`commands`] | tool commands, UI actions and their acknowledgements, wakeups |
//! | [`events`] | states, steps, tasks and the token stream of agents |
//! | [`broker`] | marks in the idempotency bucket, and what the broker reports refused messages |
//! | [`channel_message`] | what all of them look at: the subject's parts, headers, members of the body |
//! | [`follow`] | what shows only over several messages: old epochs, repeated calls, second results, wedged agents, broken traces |
//! | [`results`] | which step takes in the result of which call |
//! | [`names`] | how agents are called |
//! | [`recent`] | what these two remember, up to a bound |
//! | [`waits`] | what may be the matter with what waits |
//! | [`places`] | where a whole channel is received without anybody noticing |

mod broker;
mod channel_message;
mod commands;
mod events;
pub mod follow;
pub mod names;
pub mod places;
mod recent;
mod results;
pub mod waits;

use super::subject::{Subject, VERSION};
use crate::model::{
    call::CallError,
    error_kind::ErrorKind,
    traffic::{Decoded, ObservedMessage, Part},
};

/// Whether a subject is spelled as CommonGround's are.
#[must_use]
pub(crate) fn owns(subject: &str) -> bool {
    subject.strip_prefix("cg.").and_then(|rest| rest.split('.').next()).is_some_and(is_version)
}

/// What a message is; `None` where nothing about it is CommonGround's.
#[must_use]
pub(crate) fn classify_message(crossing: &ObservedMessage) -> Option<Decoded> {
    if let Some(reading) = broker::classify_message(crossing, &classify_message) {
        return Some(reading);
    }
    if !owns(&crossing.subject) {
        return None;
    }
    let Some(subject) = Subject::parse(&crossing.subject) else {
        return Some(channel_message::with_trace(crossing, in_no_stream(crossing)));
    };
    let heard = channel_message::ChannelMessage::new(crossing, subject);
    let mut reading = match heard.subject.category.as_str() {
        "cmd" => commands::classify_message(&heard),
        "str" => events::classify_chunk(&heard),
        _ => events::classify_message(&heard),
    };
    if heard.subject.version != VERSION {
        let version = &heard.subject.version;
        reading
            .remarks
            .push(format!("its version is {version}: services of {VERSION} do not hear it"));
    }
    Some(reading)
}

/// `v1r4` and its like.
fn is_version(token: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    token
        .strip_prefix('v')
        .and_then(|rest| rest.split_once('r'))
        .is_some_and(|(version, revision)| number(version) && number(revision))
}

fn in_no_stream(crossing: &ObservedMessage) -> Decoded {
    let tokens = crossing.subject.split('.').count();
    let problem = CallError {
        kind: ErrorKind::InNoStream,
        message: format!(
            "its subject has {tokens} tokens, and streams begin at 8: nothing keeps it and no service gets it. Its publisher is refused at \
             once; while somebody listens to it, as here, it waits for an acknowledgement that never comes, and sees a time-out"
        ),
        remedy: "add a suffix to the target_subject, such as .call".into(),
    };
    Decoded::new(
        Some(channel_message::SYSTEM),
        Part::Unreadable(problem),
        "no stream",
        crossing.body_text(),
    )
}

#[cfg(test)]
mod tests;
