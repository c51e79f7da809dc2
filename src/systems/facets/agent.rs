//! An agent that works on a question with a system's tools.

use crate::model::{
    agent::AgentQuestion, call::Request, connection::Connection, connections::Connections,
    problem::Problem,
};

/// Has an agent that can be asked. What it says is read by the other half, in `wire::systems`.
pub trait Agent: Sync {
    /// The patterns that it can be known to work by.
    fn patterns(&self) -> &'static [&'static str];

    /// Whether it can be asked over the connection.
    ///
    /// # Errors
    /// When it is none over which its steps arrive.
    fn check_reachable(&self, connection: &Connection) -> Result<(), Problem>;

    /// A question for it.
    ///
    /// # Errors
    /// As [`Self::check_reachable`].
    fn question_request(
        &self,
        asked: &AgentQuestion,
        correlation: &str,
        connection: &Connection,
    ) -> Result<Request, Problem>;

    /// Whether requests that go there are questions for it.
    fn is_at(&self, to: &str) -> bool;

    /// What a request asks it; `None` when it asks something else.
    fn parse_question(&self, request: &Request) -> Option<AgentQuestion>;

    /// The connection with a broker beside it, by name or address, on which the agent is listened
    /// to.
    ///
    /// # Errors
    /// When there is none, or it leads to no broker.
    fn broker_connection(
        &self,
        connection: &Connection,
        connections: &Connections,
        broker: &str,
    ) -> Result<Connection, Problem>;
}
