//! What is known about the world that a command is sent into.

use super::super::{
    card::Card,
    known::Known,
    report::{Request, Turn},
    subject::Subject,
};

/// How much a service asks of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ServiceKind {
    /// The pointer and the lifecycle, as word count does.
    #[default]
    Plain,
    /// All three keys, the card's type and its call id, as `openapi_service` does.
    Strict,
    /// The pointer alone, as `emit_marker` and `context_merge` do.
    PointerOnly,
}

impl ServiceKind {
    /// The kind of the service behind a target: upstream's own by name, others as most are.
    #[must_use]
    pub fn from_target(target: &str) -> Self {
        match target {
            "jina" | "openapi" => Self::Strict,
            "emit_marker" | "context_merge" => Self::PointerOnly,
            _ => Self::Plain,
        }
    }

    /// The keys that must be there, in the order in which they are missed.
    pub(super) fn required_keys(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["tool_call_card_id", "after_execution"],
            Self::Strict => &["tool_call_card_id", "tool_name", "after_execution"],
            Self::PointerOnly => &["tool_call_card_id"],
        }
    }
}

/// What is known about the world that a command is sent into.
#[derive(Clone, Debug, Default)]
pub struct CommandWorld {
    pub service: ServiceKind,
    /// The card that the body points to, as seen from the project.
    pub card: Known<Card>,
    pub turn: Known<Turn>,
    pub request: Known<Request>,
    /// What the roster says the agent runs on.
    pub worker_target: Known<String>,
    /// The id of a result card of this call that is already there.
    pub result: Known<String>,
    /// The tool's row, which only strict services read.
    pub registered: Known<()>,
    /// Name and filter of every consumer of the command stream.
    pub listeners: Known<Vec<(String, String)>>,
}

/// Whether a card is of the project that a command is in: there is no other for it.
pub(super) fn is_of(subject: Option<&Subject>, card: &Card) -> bool {
    card.project_id.is_empty()
        || subject.is_none_or(|subject| subject.project_id == card.project_id)
}
