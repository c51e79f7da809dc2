//! How a command ends, as scripts see it.

use std::io;

use serde_json::{Value, json};

use crate::model::{
    call::{CallError, Outcome},
    problem::{Problem, ProblemKind},
};

/// The exit codes, in `--help` too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Done,
    /// It ran, and found something wrong: an error in a file, an expectation that fails, a service
    /// that refuses.
    Found,
    /// The command line, or what it names, is at fault.
    Usage,
    Unreachable,
    TimedOut,
    /// A form's document was printed or saved although it has issues.
    Draft,
    /// A form's document was printed or saved, and parts of its schema could not be checked.
    Unchecked,
    Interrupted,
}

impl Ending {
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Found => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::TimedOut => 4,
            Self::Draft => 5,
            Self::Unchecked => 6,
            Self::Interrupted => 130,
        }
    }

    /// For people, who know which command ended.
    #[must_use]
    pub fn as_words(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Found => "found problems",
            Self::Usage => "can't run",
            Self::Unreachable => "couldn't connect",
            Self::TimedOut => "timed out",
            Self::Draft => "saved as a draft",
            Self::Unchecked => "not fully checked",
            Self::Interrupted => "interrupted",
        }
    }

    /// The ending of a command whose call ended so.
    #[must_use]
    pub fn of_call(outcome: Outcome, problem: Option<&CallError>) -> Self {
        match outcome {
            // The other side is there.
            Outcome::Lost if problem.is_some_and(|problem| problem.kind.is_unreadable()) => {
                Self::Found
            }
            // Nothing was sent: what is named is wrong, or not allowed.
            Outcome::Lost
                if problem
                    .is_some_and(|problem| problem.kind.problem_kind() == ProblemKind::Input) =>
            {
                Self::Usage
            }
            Outcome::Succeeded => Self::Done,
            Outcome::Failed => Self::Found,
            Outcome::Cancelled => Self::Interrupted,
            Outcome::TimedOut => Self::TimedOut,
            Outcome::Lost => Self::Unreachable,
        }
    }

    /// The ending of a command that met this problem.
    #[must_use]
    pub fn from_problem(problem: &Problem) -> Self {
        match problem.kind {
            ProblemKind::Input | ProblemKind::Missing => Self::Usage,
            ProblemKind::Unreachable | ProblemKind::Refused => Self::Unreachable,
            ProblemKind::TimedOut => Self::TimedOut,
            ProblemKind::Changed
            | ProblemKind::File
            | ProblemKind::BadReply
            | ProblemKind::Service => Self::Found,
        }
    }
}

/// What went wrong with a call, as people read it; `doing` says what was under way.
#[must_use]
pub(crate) fn of_call(outcome: Outcome, problem: CallError, doing: impl Into<String>) -> Problem {
    let kind = match outcome {
        Outcome::Succeeded | Outcome::Failed | Outcome::Cancelled => ProblemKind::Service,
        Outcome::TimedOut => ProblemKind::TimedOut,
        Outcome::Lost if problem.kind.is_unreadable() => ProblemKind::Service,
        Outcome::Lost => ProblemKind::Unreachable,
    };
    let CallError { kind: word, message, remedy } = problem;
    Problem::new(kind, doing, format!("{message} ({word})")).with_remedy(remedy)
}

/// The last line of a call as JSON lines.
#[must_use]
pub(crate) fn end_event(at_ms: u64, outcome: Outcome, problem: Option<&CallError>) -> Value {
    let error = problem.map(|problem| {
        json!({
            "type": problem.kind.as_str(),
            "message": problem.message,
            "remedy": problem.remedy,
        })
    });
    json!({"event": "end", "at_ms": at_ms, "outcome": outcome.as_str(), "error": error})
}

/// Why a command stops before its end.
#[derive(Debug)]
pub(crate) enum StopReason {
    Met(Problem),
    /// Nobody reads the output any more, which is no failure.
    Unread,
    /// The user interrupted it, and nothing was changed.
    Interrupted,
}

impl From<Problem> for StopReason {
    fn from(problem: Problem) -> Self {
        Self::Met(problem)
    }
}

impl From<io::Error> for StopReason {
    /// An error of writing the output.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Unread,
            _ => {
                Self::Met(Problem::new(ProblemKind::File, "writing the output", error.to_string()))
            }
        }
    }
}

/// What every command answers with.
pub(crate) type CommandResult = Result<Ending, StopReason>;
