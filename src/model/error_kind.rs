//! The kinds of failures that calls and connections know, each with the word that scripts and
//! traces tell it by.

use std::{fmt, sync::Arc};

use super::problem::ProblemKind;

/// Each row: a kind, its word, and what it results in where a command or a connection ends with it.
macro_rules! kinds {
    ($($kind:ident = $word:literal => $comes_to:ident;)*) => {
        /// What kind of failure it was. [`ErrorKind::as_str`] prints it and [`ErrorKind::parse`]
        /// reads it back.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $($kind,)*
            /// A word of the other side's own: the type or code of a service's error.
            Told(Arc<str>),
        }

        impl ErrorKind {
            /// The kind of that word.
            #[must_use]
            pub fn parse(word: &str) -> Self {
                match word {
                    $($word => Self::$kind,)*
                    other => Self::Told(other.into()),
                }
            }

            /// Its word, which does not change between versions.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$kind => $word,)*
                    Self::Told(word) => word,
                }
            }

            /// Whether something was answered, which can't be read.
            #[must_use]
            pub fn is_unreadable(&self) -> bool {
                matches!(
                    self,
                    Self::EmptyAnswer
                        | Self::LacksMember
                        | Self::NotJson
                        | Self::NotAReply
                        | Self::NotUnderstood
                        | Self::NotUtf8
                )
            }

            /// What it results in for whoever only wanted to reach the other side.
            #[must_use]
            pub fn problem_kind(&self) -> ProblemKind {
                match self {
                    $(Self::$kind => ProblemKind::$comes_to,)*
                    Self::Told(_) => ProblemKind::Service,
                }
            }

            /// Every kind that has a word of ours.
            #[cfg(test)]
            const OURS: &[Self] = &[$(Self::$kind,)*];
        }
    };
}

kinds! {
    // What was asked for, or the settings, cannot be followed.
    BadAddress = "bad-address" => Input;
    BadHeader = "bad-header" => Input;
    BadRequest = "bad-request" => Input;
    BadSettings = "bad-settings" => Input;
    BadSubject = "bad-subject" => Input;
    BadTime = "bad-time" => Input;
    MissingSecret = "missing-secret" => Input;
    NoProject = "no-project" => Input;
    NoTransport = "no-transport" => Input;
    NoVariable = "no-variable" => Input;
    NotAllowed = "not-allowed" => Input;
    NotCallable = "not-callable" => Input;
    // Nobody is there, or no longer.
    ConnectionLost = "connection-lost" => Unreachable;
    Flooded = "flooded" => Unreachable;
    NoGateway = "no-gateway" => Unreachable;
    NoKeyStore = "no-key-store" => Unreachable;
    NoListener = "no-listener" => Unreachable;
    NoPostgres = "no-postgres" => Unreachable;
    NoResponders = "no-responders" => Unreachable;
    NoServer = "no-server" => Unreachable;
    NoStream = "no-stream" => Unreachable;
    NoStreams = "no-streams" => Unreachable;
    SessionGone = "session-gone" => Unreachable;
    SlowConsumer = "slow-consumer" => Unreachable;
    Tls = "tls" => Unreachable;
    Refused = "refused" => Refused;
    Unauthorized = "unauthorized" => Refused;
    InsufficientScope = "insufficient-scope" => Refused;
    // No answer in time.
    TimedOut = "timed-out" => TimedOut;
    TimedOutFirst = "timed-out-first" => TimedOut;
    TimedOutIdle = "timed-out-idle" => TimedOut;
    TimedOutTotal = "timed-out-total" => TimedOut;
    TimedOutTurn = "timed-out-turn" => TimedOut;
    // What came cannot be read, or is too much.
    AnswerTooLarge = "answer-too-large" => Service;
    EmptyAnswer = "empty-answer" => Service;
    LacksMember = "lacks-member" => Service;
    NotJson = "not-json" => Service;
    NotAReply = "not-a-reply" => Service;
    NotARequest = "not-a-request" => Service;
    NotUnderstood = "not-understood" => Service;
    NotUtf8 = "not-utf8" => Service;
    TooLarge = "too-large" => Service;
    // The other side cannot do it, or failed at it.
    AgentBusy = "agent-busy" => Service;
    AgentError = "agent-error" => Service;
    AgentWedged = "agent-wedged" => Service;
    AnsweredBefore = "answered-before" => Service;
    BadName = "bad-name" => Service;
    GatewayError = "gateway-error" => Service;
    GivenUp = "given-up" => Service;
    InNoStream = "in-no-stream" => Service;
    McpToolError = "mcp-tool-error" => Service;
    NoAgent = "no-agent" => Service;
    NoFlow = "no-flow" => Service;
    NoResultCard = "no-result-card" => Service;
    NoRule = "no-rule" => Service;
    NoService = "no-service" => Service;
    NoCardSource = "no-card_source" => Service;
    NoTools = "no-tools" => Service;
    NoWayBack = "no-way-back" => Service;
    NoWorkspace = "no-workspace" => Service;
    Nobody = "nobody" => Service;
    NotKept = "not-kept" => Service;
    NotWoken = "not-woken" => Service;
    DispatchFailed = "dispatch_failed" => Service;
    GodOff = "god-off" => Service;
    Postgres = "postgres" => Service;
    PostgresDuplicate = "postgres-duplicate" => Service;
    PostgresSchema = "postgres-schema" => Service;
    ToolTimeout = "tool_timeout" => Service;
    ToolServiceError = "tool-service-error" => Service;
    ToolcribServes = "toolcrib-serves" => Service;
    Unreported = "unreported" => Service;
    Unspecified = "error" => Service;
    // What a problem outside of a call results in within one.
    Changed = "changed" => Changed;
    File = "file" => File;
    Input = "input" => Input;
    Missing = "missing" => Missing;
    NoReply = "timedout" => TimedOut;
    Unreachable = "unreachable" => Unreachable;
    Unreadable = "badreply" => BadReply;
    Service = "service" => Service;
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<ProblemKind> for ErrorKind {
    fn from(kind: ProblemKind) -> Self {
        match kind {
            ProblemKind::Input => Self::Input,
            ProblemKind::Missing => Self::Missing,
            ProblemKind::Changed => Self::Changed,
            ProblemKind::File => Self::File,
            ProblemKind::Unreachable => Self::Unreachable,
            ProblemKind::Refused => Self::Refused,
            ProblemKind::TimedOut => Self::NoReply,
            ProblemKind::BadReply => Self::Unreadable,
            ProblemKind::Service => Self::Service,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_back_from_its_word() {
        for kind in ErrorKind::OURS {
            assert_eq!(&ErrorKind::parse(kind.as_str()), kind);
        }
        let told = ErrorKind::parse("of-their-own");
        assert_eq!((told.as_str(), told.to_string().as_str()), ("of-their-own", "of-their-own"));
    }

    #[test]
    fn what_a_problem_comes_to_is_the_same_on_both_ways() {
        use ProblemKind::{
            BadReply, Changed, File, Input, Missing, Refused, Service, TimedOut, Unreachable,
        };
        for kind in
            [BadReply, Changed, File, Input, Missing, Refused, Service, TimedOut, Unreachable]
        {
            assert_eq!(ErrorKind::from(kind).problem_kind(), kind);
        }
    }
}
