//! A stub as data.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};

/// The name of what answers in the place of a connection.
pub const MOCK_CONNECTION: &str = "mock";

/// Who answers a call that is not sent, and what rules may ask of it beside its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MockCall {
    pub service: Arc<StubService>,
    pub user: String,
    pub config: Map<String, Value>,
}

/// Services and the rules by which they are answered for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stub {
    pub name: String,
    pub services: Vec<StubService>,
}

impl Stub {
    /// The service of that name.
    #[must_use]
    pub fn into_service_named(self, name: &str) -> Option<StubService> {
        self.services.into_iter().find(|service| service.name == name)
    }
}

/// A service that is answered for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StubService {
    /// The key of a service, or of a tool that calls it; any name where the queues are said.
    pub name: String,
    /// Queues as descriptors spell them; `None`: those of the workspace's service.
    pub request: Option<String>,
    pub response: Option<String>,
    /// The first that matches counts.
    pub rules: Vec<Rule>,
}

/// What is answered when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub when: When,
    pub then: StubAnswer,
}

/// What a request must be like. What is left out is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// The arguments have all of this.
    pub arguments: Option<Map<String, Value>>,
    /// The configuration has all of this.
    pub config: Option<Map<String, Value>>,
    pub user: Option<String>,
    /// The arguments hold each of these, in any text or number.
    pub contains: Vec<String>,
}

impl When {
    /// Whether every request is like it.
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self == Self::default()
    }
}

/// What is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StubAnswer {
    pub pieces: Vec<AnswerPiece>,
    /// The arguments of the call are answered, as JSON, after the pieces.
    pub echo: bool,
    /// Before anything is said.
    pub delay: Duration,
    /// Between two messages.
    pub pause: Duration,
    /// Type and message; it comes after the pieces and ends the answer.
    pub error: Option<(String, String)>,
    pub fault: Option<Fault>,
}

/// A piece of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerPiece {
    pub text: String,
    /// How long it is waited for; `None`: the pause.
    pub after: Option<Duration>,
}

/// What goes wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Silence,
    WrongId,
    UnknownId,
    NoId,
    BrokenJson,
    NotUtf8,
    NoEnd,
    Endless,
    Late,
    Twice,
    OutOfOrder,
}

/// A fault, its word in files, and what it does.
pub const FAULTS: &[(Fault, &str, &str)] = &[
    (Fault::Silence, "silence", "no answer at all"),
    (Fault::WrongId, "wrong-id", "the whole answer has the id of another call"),
    (Fault::UnknownId, "unknown-id", "the whole answer has the id \"unknown\""),
    (Fault::NoId, "no-id", "the answer has no id"),
    (Fault::BrokenJson, "broken-json", "the last message is cut off in the middle"),
    (Fault::NotUtf8, "not-utf8", "the last message holds a byte that is not UTF-8"),
    (Fault::NoEnd, "no-end", "no message is marked as the last one"),
    (Fault::Endless, "endless", "the answer restarts again and again"),
    (Fault::Late, "late", "one more message comes after the last one"),
    (Fault::Twice, "twice", "the whole answer is sent twice"),
    (
        Fault::OutOfOrder,
        "out-of-order",
        "the messages are sent in reverse order, the last one \
        first",
    ),
];

impl Fault {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        FAULTS.iter().find(|(fault, ..)| *fault == self).map_or("", |(_, word, _)| word)
    }

    /// The fault of that word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        FAULTS.iter().find(|(_, known, _)| *known == word).map(|(fault, ..)| *fault)
    }
}
