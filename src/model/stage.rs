//! What is reported of a call between its request and its end, and frames as they crossed the wire.

use std::sync::Arc;

/// Something on a call's way from its request to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// What it is, stable for scripts: `accepted`, `result-card`.
    pub name: Arc<str>,
    /// The same for people.
    pub words: String,
    /// What came with it, as JSON; empty where nothing did.
    pub body: Arc<str>,
    /// The body is a frame as it crossed the wire, and this is the way that it went.
    pub frame: Option<FrameWay>,
}

impl Stage {
    /// The name of the stage that says that a server's tools aren't those that were kept or locked.
    pub const DRIFT: &str = "drift";
    /// The name of the stage that brings data beside an answer's text, for programs to read.
    pub const STRUCTURED: &str = "structured";
    /// Holds all of what a system answered, of which the answer is a part.
    pub const RESULT: &str = "result";
    /// Holds lines as they crossed the wire, or a message of a socket; of much only the start.
    pub const WIRE: &str = "wire";

    /// Whether it is nothing but a frame, whose meaning is recognized by other events.
    #[must_use]
    pub fn is_frame_alone(&self) -> bool {
        &*self.name == FRAME || self.is_wire()
    }

    /// Whether it is what crossed the wire, which isn't sent again as a frame.
    #[must_use]
    pub fn is_wire(&self) -> bool {
        &*self.name == Self::WIRE
    }
}

/// The name of a stage that is nothing but a frame.
pub(crate) const FRAME: &str = "frame";

/// The way that a frame went, seen from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameWay {
    In,
    Out,
}

impl FrameWay {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
        }
    }

    /// The way of that word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::In, Self::Out].into_iter().find(|way| way.as_str() == word)
    }

    /// A sign for lists.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::In => "←",
            Self::Out => "→",
        }
    }
}
