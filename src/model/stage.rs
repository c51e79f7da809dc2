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
    /// That of what a tool says of how far it is.
    pub const PROGRESS: &str = "progress";
    /// Holds all of what a system answered, of which the answer is a part.
    pub const RESULT: &str = "result";
    /// Holds lines as they crossed the wire, or a message of a socket; of much only the start.
    pub const WIRE: &str = "wire";

    /// The name of the stage that says what a test case made of the answer.
    pub const CASE: &str = "case";

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

/// What crossed the wire without the text of the chunk that it brought, in which a secret may begin
/// or end.
#[must_use]
pub(crate) fn without_data(wire: &str) -> String {
    if !wire.lines().any(|line| line.starts_with("data")) {
        return size_alone(wire);
    }
    let line = |line: &str| match line.strip_prefix("data") {
        Some(data) => format!("data: {}", size_alone(data.trim_start_matches([':', ' ']))),
        None => line.to_owned(),
    };
    wire.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The data of an event that crossed the wire in these lines; `None` where they have none.
#[must_use]
pub(crate) fn event_data(wire: &str) -> Option<String> {
    let values = wire.lines().filter_map(|line| line.strip_prefix("data:"));
    let values: Vec<&str> = values.map(|value| value.strip_prefix(' ').unwrap_or(value)).collect();
    (!values.is_empty()).then(|| values.join("\n"))
}

/// The size of a text, which may be in its place already.
fn size_alone(text: &str) -> String {
    let size = text.strip_prefix('(').and_then(|size| size.strip_suffix(" bytes)"));
    match size {
        Some(size) if size.bytes().all(|byte| byte.is_ascii_digit()) => text.to_owned(),
        _ => format!("({} bytes)", text.len()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_of_an_event_is_what_its_lines_hold_together() {
        let data = event_data("event: piece\ndata: {\"a\":\ndata:  1}\nid: 7");
        assert_eq!(data.as_deref(), Some("{\"a\":\n 1}"));
        assert_eq!((event_data(": ping"), event_data("{\"data\": 1}")), (None, None));
    }

    #[test]
    fn the_data_of_what_crossed_the_wire_is_its_size_once() {
        for (wire, seen) in [
            ("id: 7\ndata: secret\ndata:more", "id: 7\ndata: (6 bytes)\ndata: (4 bytes)"),
            (r#"{"text": "secret"}"#, "(18 bytes)"),
        ] {
            assert_eq!(without_data(wire), seen);
            assert_eq!(without_data(seen), seen);
        }
    }
}
