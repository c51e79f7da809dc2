//! The agents of systems: which one a connection leads to, and requests that are questions for one.

use super::{facets::agent::Agent, table::every_system};
use crate::model::{
    agent::AgentQuestion,
    call::Request,
    connection::Connection,
    problem::{Problem, ProblemKind},
};

fn agents() -> impl Iterator<Item = &'static dyn Agent> {
    every_system().iter().filter_map(|system| system.agent())
}

/// The patterns that agents can be known to work by.
#[must_use]
pub(crate) fn patterns() -> Vec<&'static str> {
    agents().flat_map(Agent::patterns).copied().collect()
}

/// The agent that can be asked over a connection.
///
/// # Errors
/// When none can, with what to choose instead.
pub(crate) fn find_agent(connection: &Connection) -> Result<&'static dyn Agent, Problem> {
    let mut first = None;
    for agent in agents() {
        match agent.check_reachable(connection) {
            Ok(()) => return Ok(agent),
            Err(problem) => first = first.or(Some(problem)),
        }
    }
    Err(first.unwrap_or_else(|| {
        Problem::new(ProblemKind::Input, "asking the agent", "no system has an agent")
    }))
}

/// Whether requests that go there are questions for an agent.
#[must_use]
pub(crate) fn is_at(to: &str) -> bool {
    agents().any(|agent| agent.is_at(to))
}

/// What a request asks an agent; `None` when it asks something else.
#[must_use]
pub(crate) fn parse_question(request: &Request) -> Option<AgentQuestion> {
    agents().find_map(|agent| agent.parse_question(request))
}
