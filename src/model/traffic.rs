//! What passes on a bus, as somebody hears it who takes no part: messages, gaps, and words about
//! the connection.

use std::{borrow::Cow, sync::Arc};

use super::{call::CallError, clock::Millis, entry::SystemId};

/// The place on an open connection to a server at which every frame is received, both ways, from
/// the first.
pub const FRAMES: &str = "frames";
/// The header of a frame that says which way it went: `in`, `out`, or `stderr`.
pub const DIRECTION: &str = ":direction";

/// A message that crossed the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedMessage {
    /// When it was received.
    pub at: Millis,
    /// Where it went, as the transport spells it: a subject, an exchange, a topic.
    pub subject: Arc<str>,
    /// Where an answer may go, where the transport says so.
    pub reply: Option<Arc<str>>,
    pub headers: Vec<(String, String)>,
    /// Secrets in it are masked; of a very large one only the start is kept.
    pub body: Arc<[u8]>,
    /// How many bytes the body had on the wire.
    pub size: u64,
    pub kept: KeptMessage,
    /// The message that this one reports, where a broker reports others' messages and still had it.
    pub about: Option<Arc<ObservedMessage>>,
}

/// What is kept of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptMessage {
    /// All of it, to the letter.
    Whole,
    /// A secret in it was masked.
    Masked,
    /// Only the start of its body.
    Start,
}

impl ObservedMessage {
    /// What keeping it costs, in bytes.
    #[must_use]
    pub fn memory_size(&self) -> usize {
        const FRAME: usize = 320;
        let headers: usize =
            self.headers.iter().map(|(name, value)| name.len() + value.len() + 48).sum();
        FRAME
            + headers
            + self.body.len()
            + self.about.as_ref().map_or(0, |about| about.memory_size())
    }

    /// The body as text; what is not UTF-8 is shown as a sign.
    #[must_use]
    pub fn body_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// All that a text can be found in, in lower case.
    #[must_use]
    pub fn lowercase_text(&self) -> String {
        let mut text = self.body_text().into_owned();
        for part in
            [&*self.subject].into_iter().chain(self.headers.iter().map(|(_, value)| value.as_str()))
        {
            text.push('\n');
            text.push_str(part);
        }
        text.make_ascii_lowercase();
        text
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What a tap hears, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tapped {
    ObservedMessage(Arc<ObservedMessage>),
    /// Messages came faster than they were taken and were dropped here; how many, where that is
    /// known.
    Gap {
        at: Millis,
        messages: Option<u64>,
    },
    /// About the connection, in words.
    Notice {
        at: Millis,
        words: String,
        /// It broke, so that messages may be missing from then on.
        breaks: bool,
    },
}

impl Tapped {
    /// When it was received.
    #[must_use]
    pub fn heard_at(&self) -> Millis {
        match self {
            Self::ObservedMessage(crossing) => crossing.at,
            Self::Gap { at, .. } | Self::Notice { at, .. } => *at,
        }
    }
}

/// What a message is to the conversation that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Asks for something.
    Request,
    /// An agent asks itself to go on, with what it knows so far.
    Step,
    /// A piece of the answer; `last` where it says that it is the last.
    Answer { last: bool },
    /// The answer is an error, which ends it.
    Error(CallError),
    /// Says how it goes, and neither asks nor answers.
    Note,
    /// Says how it ended, to somebody else than who asked: well, or with a problem.
    Outcome(Option<CallError>),
    /// For everybody, and nobody answers.
    Broadcast,
    /// It is where a message of a system is, and cannot be understood.
    Unreadable(CallError),
    /// Nothing that a system knows.
    Other,
}

impl Part {
    /// A stable word for scripts and lists.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Step => "step",
            Self::Answer { .. } => "answer",
            Self::Error(_) => "error",
            Self::Note => "note",
            Self::Outcome(_) => "outcome",
            Self::Broadcast => "broadcast",
            Self::Unreadable(_) => "unreadable",
            Self::Other => "message",
        }
    }
}

/// A message as its system reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The system whose message it is; `None`: nobody's.
    pub system: Option<SystemId>,
    /// What ties it to the others of its conversation.
    pub id: Option<String>,
    pub ties: MessageLinks,
    pub part: Part,
    /// What it is, in a word or three: `request`, `thought`, `step 2`.
    pub label: Cow<'static, str>,
    /// What it says, in the words of its system.
    pub text: String,
    /// The state that it names, where the wire shows one.
    pub state: Option<String>,
    /// Who or what its conversation is about, where its subject does not say so shortly: a tool, an
    /// agent.
    pub topic: Option<String>,
    /// The topic is a name that this message taught: its conversation goes by it from now on.
    pub renames: bool,
    /// When what it waits for is over at the latest.
    pub due: Option<Millis>,
    /// It comes again and again and says nothing new.
    pub routine: bool,
    /// What is odd about it, in words, each with what to do.
    pub remarks: Vec<String>,
    /// What it points to and does not hold, by ids: cards.
    pub cards: Vec<String>,
}

impl Decoded {
    /// One that is tied to nothing.
    #[must_use]
    pub fn new(
        system: Option<SystemId>,
        part: Part,
        label: impl Into<Cow<'static, str>>,
        text: impl Into<String>,
    ) -> Self {
        Self {
            system,
            id: None,
            ties: MessageLinks::default(),
            part,
            label: label.into(),
            text: text.into(),
            state: None,
            topic: None,
            renames: false,
            due: None,
            routine: false,
            remarks: Vec::new(),
            cards: Vec::new(),
        }
    }

    /// The names that its conversation goes by: one that is known joins it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.id.iter().chain(&self.ties.also).map(String::as_str)
    }
}

/// What ties a message to others, beside the id of its conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageLinks {
    /// Other names that its conversation goes by.
    pub also: Vec<String>,
    /// What its conversation is a part of; its messages are received there, too.
    pub within: Option<ParentConversation>,
    /// What asked for what its conversation is a part of: the turn of another agent.
    pub asked_by: Option<ParentConversation>,
    /// What it shares with other conversations of the same errand, over several agents.
    pub trace: Option<String>,
    /// Other conversations that end with it, though it is no message of theirs.
    pub settles: Vec<SettledConversation>,
}

/// How a conversation ended, as something says that is no message of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledConversation {
    /// What the conversation goes by.
    pub name: String,
    /// What went wrong, where something did.
    pub problem: Option<CallError>,
    /// What came of it, in short.
    pub text: String,
    /// The card that holds it.
    pub card: Option<String>,
    /// When it ended, where that is reported.
    pub at: Option<Millis>,
    pub known: EndEvidence,
}

/// How an end is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndEvidence {
    /// It follows from what others did next.
    Inferred,
    /// It was read where it is kept.
    Read,
}

/// A conversation that others are parts of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentConversation {
    pub id: String,
    /// What it is about.
    pub topic: Option<String>,
}

/// What was received, with what its system makes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "nearly all are crossings, so little room is lost")]
pub enum WatchedItem {
    ObservedMessage(Arc<ObservedMessage>, Decoded),
    Gap { at: Millis, messages: Option<u64> },
    Notice { at: Millis, words: String, breaks: bool },
}

impl WatchedItem {
    /// When it was received.
    #[must_use]
    pub fn heard_at(&self) -> Millis {
        match self {
            Self::ObservedMessage(crossing, _) => crossing.at,
            Self::Gap { at, .. } | Self::Notice { at, .. } => *at,
        }
    }

    /// When what it waits for is over at the latest, where it says so.
    #[must_use]
    pub fn due(&self) -> Option<Millis> {
        if let Self::ObservedMessage(_, reading) = self { reading.due } else { None }
    }
}
