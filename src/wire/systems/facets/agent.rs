//! A whole run of a system's agent, from the question to its last word.

use futures::future::BoxFuture;

use crate::{
    engine::mask::Mask,
    model::{
        agent::{AgentQuestion, AgentReport},
        call::CallError,
        connection::Connection,
        problem::Problem,
    },
    systems::deployed::item::Item,
    wire::connector::Connector,
};

/// Has an agent whose run can be known.
pub trait AgentRuns: Sync {
    /// A run that begins with that question, with the tools that are configured where it goes.
    fn begin_run(&self, asked: &AgentQuestion, items: &[Item]) -> Box<dyn AgentRun>;
}

/// One question, as far as the agent is with it.
pub trait AgentRun: Send {
    /// What keeps its tools from being loaded.
    fn load_problem(&self) -> Option<String>;

    /// What is to be warned of before it begins.
    fn warnings(&self) -> Vec<String>;

    /// The state now, and the tools that there are in it.
    fn current_state(&self) -> AgentReport;

    /// Listens on the broker behind the connection, where its settings name one, before the
    /// question is asked.
    ///
    /// # Errors
    /// When that cannot be listened on; the run goes on without.
    fn subscribe<'a>(
        &'a mut self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
        mask: Mask,
    ) -> BoxFuture<'a, Result<(), Problem>>;

    /// What is learned next by listening; never ends where nothing is received.
    fn next_overheard(&mut self) -> BoxFuture<'_, Vec<AgentReport>>;

    /// What the next message of the agent results in.
    fn handle_message(&mut self, message: &str) -> Vec<AgentReport>;

    /// A failure of the agent with what is known of its cause, and what else was learned until that
    /// was known.
    fn explain_failure(
        &mut self,
        problem: CallError,
    ) -> BoxFuture<'_, (Vec<AgentReport>, CallError)>;

    /// Stops listening; the broker knows it once this is done.
    fn unsubscribe(self: Box<Self>) -> BoxFuture<'static, ()>;
}
