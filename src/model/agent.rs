//! A question for a system's agent, and what the agent says while it works on it.

use super::context::Context;

/// What an agent is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentQuestion {
    pub question: String,
    pub context: Context,
    /// One of those that the system has; else the agent chooses itself.
    pub pattern: Option<String>,
    /// The collection that its tools ask where they name none; else the usual one.
    pub collection: Option<String>,
}

/// What a text of the agent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Thought,
    Observation,
    Answer,
}

impl Part {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Thought => "thought",
            Self::Observation => "observation",
            Self::Answer => "answer",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Thought, Self::Observation, Self::Answer]
            .into_iter()
            .find(|part| part.as_str() == word)
    }
}

/// Something that the agent says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentOutput {
    /// A piece of a text; `ends` with its last piece.
    Text { part: Part, text: String, ends: bool },
    /// It uses a tool.
    Action { tool: String, arguments: String },
}

/// What a message results in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentReport {
    Told(AgentOutput),
    /// What is to be known of what was reported just now.
    Note(String),
    /// The tools that the model is offered for this step, as seen on the broker.
    Offered {
        steps: usize,
        tools: Vec<String>,
    },
    /// Where the step before leads, and the names of the tools that there are now.
    State {
        state: String,
        available: Vec<String>,
    },
}
