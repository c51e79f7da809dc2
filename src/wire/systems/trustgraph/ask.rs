//! The whole answer to a request that is no call of a tool.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::{
    model::{
        call::{CallError, Event, EventKind, Limits, Outcome, Request},
        connection::Connection,
        problem::{Problem, ProblemKind},
    },
    wire::connector::Connector,
};

/// Events on their way at most.
const QUEUE: usize = 64;

/// The whole answer to a request that is no call of a tool, as text.
///
/// # Errors
/// Whatever else the request came to.
pub(crate) async fn request_text(
    connector: &dyn Connector,
    connection: &Connection,
    request: Request,
    doing: &str,
) -> Result<String, Problem> {
    let (sender, mut events) = mpsc::channel::<Event>(QUEUE);
    let limits = Limits { linger: Duration::ZERO, ..Limits::default() };
    let collecting = async {
        let (mut text, mut end) = (String::new(), None);
        while let Some(event) = events.recv().await {
            match event.kind {
                EventKind::Chunk { text: piece, .. } => text.push_str(&piece),
                EventKind::End { outcome, problem } => end = Some((outcome, problem)),
                _ => {}
            }
        }
        (text, end)
    };
    let ((), (text, end)) =
        tokio::join!(connector.run_call(connection, request, limits, sender), collecting);
    match end {
        Some((Outcome::Succeeded, _)) => Ok(text),
        Some((outcome, problem)) => Err(outcome_problem(doing, outcome, problem)),
        None => Err(outcome_problem(doing, Outcome::Lost, None)),
    }
}

fn outcome_problem(doing: &str, outcome: Outcome, problem: Option<CallError>) -> Problem {
    let kind = match outcome {
        Outcome::TimedOut => ProblemKind::TimedOut,
        Outcome::Failed => ProblemKind::Service,
        _ => ProblemKind::Unreachable,
    };
    match problem {
        Some(CallError { message, remedy, .. }) => {
            Problem::new(kind, doing, message).with_remedy(remedy)
        }
        None => Problem::new(kind, doing, format!("the request {}", outcome.as_str())),
    }
}
