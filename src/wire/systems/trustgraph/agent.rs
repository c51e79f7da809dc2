//! A run of TrustGraph's agent: what the gateway passes on, and what is received on the broker
//! behind it.

use futures::future::BoxFuture;

use super::overhearing::QuestionListener;
use crate::{
    engine::mask::Mask,
    model::{
        agent::{AgentQuestion, AgentReport},
        call::CallError,
        connection::Connection,
        problem::Problem,
    },
    systems::{
        deployed::{catalog::configured_catalog, item::Item, push::AbsentEntries},
        trustgraph::{deployed::push, dialogue::Dialogue},
    },
    wire::{connector::Connector, systems::facets::agent::AgentRun},
};

/// One question of TrustGraph's agent.
pub(crate) struct TrustGraphRun {
    asked: AgentQuestion,
    dialogue: Dialogue,
    listener: QuestionListener,
    unloaded: Option<String>,
}

impl TrustGraphRun {
    #[must_use]
    pub fn new(asked: &AgentQuestion, items: &[Item]) -> Self {
        let tools = configured_catalog(items);
        let loads = push::plan_push(&tools, items, AbsentEntries::Keep)
            .map_or_else(|problem| Err(problem.cause), |push| push.loads);
        let told = |cause| {
            format!(
                "TrustGraph cannot load its tools: {cause}; the agent has those of before, or none"
            )
        };
        Self {
            asked: asked.clone(),
            dialogue: Dialogue::new(tools, asked),
            listener: QuestionListener::without_broker(),
            unloaded: loads.err().map(told),
        }
    }
}

impl AgentRun for TrustGraphRun {
    fn load_problem(&self) -> Option<String> {
        self.unloaded.clone()
    }

    fn warnings(&self) -> Vec<String> {
        self.dialogue.warnings()
    }

    fn current_state(&self) -> AgentReport {
        self.dialogue.current_state()
    }

    fn subscribe<'a>(
        &'a mut self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
        mask: Mask,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            self.listener =
                QuestionListener::subscribe(connector, connection, &self.asked, mask).await?;
            Ok(())
        })
    }

    fn next_overheard(&mut self) -> BoxFuture<'_, Vec<AgentReport>> {
        Box::pin(async move {
            let heard = self.listener.next().await;
            heard.into_iter().flat_map(|heard| self.dialogue.handle_overheard(heard)).collect()
        })
    }

    fn handle_message(&mut self, message: &str) -> Vec<AgentReport> {
        self.dialogue.handle_message(message)
    }

    fn explain_failure(
        &mut self,
        problem: CallError,
    ) -> BoxFuture<'_, (Vec<AgentReport>, CallError)> {
        Box::pin(async move {
            let said = self.listener.until_known(&mut self.dialogue).await;
            (said, self.dialogue.explain_failure(problem))
        })
    }

    fn unsubscribe(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(self.listener.unsubscribe())
    }
}
