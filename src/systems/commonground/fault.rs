//! What is wrong with a message, where, and what comes of it: CommonGround answers many faults with
//! silence.

use std::fmt;

/// What becomes of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandFate {
    /// The tool's code runs and the caller gets its result.
    Executed,
    /// The tool's code does not run; the caller gets a failed result.
    RefusedWithResult,
    /// Acknowledged and forgotten; only the service's log says why.
    Dropped,
    /// It runs and its result card is written, but the caller never hears of it.
    Unreported,
    /// Nothing is written; it comes again until the limit.
    Redelivered,
    /// Nothing is written, and every delivery blocks the service.
    Stalled,
    /// It reaches no service, or not the one that was meant.
    Unheard,
}

impl CommandFate {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Executed => "executed",
            Self::RefusedWithResult => "refused_with_result",
            Self::Dropped => "dropped",
            Self::Unreported => "unreported",
            Self::Redelivered => "redelivered",
            Self::Stalled => "stalled",
            Self::Unheard => "unheard",
        }
    }

    /// What it means for who waits.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::Executed => "runs, and the caller gets the result",
            Self::RefusedWithResult => "does not run; the caller gets a failed result",
            Self::Dropped => {
                "silently dropped: only the service's log says why, the caller gets nothing"
            }
            Self::Unreported => {
                "runs and writes its result card, but the caller gets no answer; delivered 3 times"
            }
            Self::Redelivered => {
                "nothing is written and the caller gets nothing; delivered 3 times"
            }
            Self::Stalled => {
                "nothing is reported, and each of 3 deliveries blocks the service for 30 seconds or more"
            }
            Self::Unheard => "no service receives it",
        }
    }

    /// How often it is delivered before it is done with or given up.
    #[must_use]
    pub fn deliveries(self) -> u8 {
        match self {
            Self::Unheard => 0,
            Self::Executed | Self::RefusedWithResult | Self::Dropped => 1,
            Self::Unreported | Self::Redelivered | Self::Stalled => 3,
        }
    }
}

/// The part of a message, or of the world around it, that a fault is at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Subject,
    Header(&'static str),
    Body,
    /// A member of the body.
    Field(String),
    /// The call's card, or a part of it.
    Card(&'static str),
    /// The caller's turn, as its inbox knows it.
    Turn,
    Roster,
    /// Who listens.
    Listeners,
    /// The result that is already there.
    Result,
    /// The tool's own row or options.
    Tool,
    /// The state of the agent.
    Agent,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subject => f.write_str("subject"),
            Self::Header(name) => write!(f, "header {name}"),
            Self::Body => f.write_str("body"),
            Self::Field(name) => write!(f, "body /{name}"),
            Self::Card("") => f.write_str("call card"),
            Self::Card(part) => write!(f, "call card, {part}"),
            Self::Turn => f.write_str("turn"),
            Self::Roster => f.write_str("roster"),
            Self::Listeners => f.write_str("listeners"),
            Self::Result => f.write_str("result card"),
            Self::Tool => f.write_str("tool"),
            Self::Agent => f.write_str("agent"),
        }
    }
}

/// How far a service gets with a command before the fault stops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// On the way.
    Delivery,
    /// Reading headers and body.
    Ingress,
    /// Claiming the call in the idempotency bucket.
    Claim,
    /// Reading the card.
    Card,
    /// Reporting the result.
    Report,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub at: Part,
    pub stage: Stage,
    pub fate: CommandFate,
    /// What is wrong and what to do, for people.
    pub text: String,
    /// What CommonGround says about it, word for word: in the failed result, the report's refusal
    /// or the service's log.
    pub says: Option<KnownText>,
}

impl Fault {
    /// A fault that the caller sees as a failed result with that code and message.
    pub(super) fn refusal(
        at: Part,
        stage: Stage,
        text: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        let says = Some(KnownText::Result { code, message: message.into() });
        Self { at, stage, fate: CommandFate::RefusedWithResult, text: text.into(), says }
    }
}

/// A text of CommonGround's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownText {
    /// In a failed result.
    Result { code: &'static str, message: String },
    /// The code that the report is refused with.
    Report(&'static str),
    /// In the service's log alone.
    Log(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.at, self.text, self.fate.message())
    }
}

/// What comes of a command with these faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict<'f> {
    pub fate: CommandFate,
    /// What the idempotency bucket holds afterwards.
    pub marker: Option<&'static str>,
    /// The fault that decided.
    pub because: Option<&'f Fault>,
    /// The fault that is reported in a failed result, whether the caller hears of that or not.
    pub refused: Option<&'f Fault>,
}

/// The first fault that stops a command decides; one that only keeps the result from its caller
/// counts when none does, or when what stops it would have been reported in a result.
#[must_use]
pub fn verdict(faults: &[Fault]) -> Verdict<'_> {
    let stops =
        |fault: &&Fault| !matches!(fault.fate, CommandFate::Executed | CommandFate::Unreported);
    let stopping = faults.iter().filter(stops).min_by_key(|fault| fault.stage);
    let silent = faults.iter().find(|fault| fault.fate == CommandFate::Unreported);
    let refused = stopping.filter(|fault| fault.fate == CommandFate::RefusedWithResult);
    let answered = faults.iter().find(|fault| fault.at == Part::Result);
    if let (Some(Fault { stage: Stage::Ingress, .. }), Some(_)) = (refused, answered) {
        return Verdict {
            fate: CommandFate::Redelivered,
            marker: None,
            because: answered,
            refused: None,
        };
    }
    let because = match stopping {
        Some(fault) if fault.fate == CommandFate::RefusedWithResult => silent.or(stopping),
        Some(_) => stopping,
        None => silent,
    };
    let marker = match stopping.map(|fault| fault.stage) {
        None | Some(Stage::Card | Stage::Report) => Some("done"),
        Some(Stage::Claim) => Some("running"),
        Some(Stage::Delivery | Stage::Ingress) => None,
    };
    Verdict {
        fate: because.map_or(CommandFate::Executed, |fault| fault.fate),
        marker,
        because,
        refused,
    }
}
