//! Makes the calls of a run, each over its tool's own connection or by a mock.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use crate::{
    engine::{
        agent_loop::run::{Answered, CallResult},
        case::verdict::Answer,
        stub::mock::{MockOptions, MockSource, mock_service},
    },
    model::{
        call::{Limits, Outcome},
        catalog::Catalog,
        connections::Connections,
        entry::EntryId,
        stub::StubService,
        tool::Tool,
        trace::TraceId,
    },
    runtime::whole_call::WholeCall,
    schema::literal::Literal,
    store::history::History,
    systems::{calling, facets::calls::CallOf, mocking},
    wire::registry::Registry,
};

/// What calls of tools are made with.
pub(crate) struct ToolCaller<'w> {
    pub catalog: &'w Catalog,
    pub connections: &'w Connections,
    pub registry: &'w Registry,
    /// `None`: nothing is kept.
    pub history: Option<Arc<History>>,
    pub limits: Limits,
    pub user: String,
    /// What tools' mocks answer by, by the tools' keys.
    pub stubs: BTreeMap<String, StubService>,
    /// The routes that were chosen, by tool.
    pub routes: HashMap<EntryId, String>,
}

impl ToolCaller<'_> {
    /// A mock of the tool.
    pub(super) fn mock_of(&self, tool: &Tool, options: &MockOptions) -> StubService {
        let history = self.history.as_ref();
        let kept = (options.source == MockSource::Kept)
            .then(|| history?.real_answer_of(&tool.name))
            .flatten();
        let stub = self.stubs.get(&tool.entry.key).cloned();
        mock_service(&mocking::mocked_tool(tool, kept, stub), options)
    }

    /// Makes one call, over the tool's own connection or by a mock.
    pub(super) async fn call_tool(
        &self,
        tool: &Tool,
        arguments: &Literal,
        mock: Option<StubService>,
    ) -> (CallResult, Option<TraceId>) {
        let connection = self.connections.for_tool(tool);
        let correlation = uuid::Uuid::new_v4().to_string();
        let call = CallOf {
            catalog: self.catalog,
            tool,
            user: &self.user,
            arguments,
            meta: None,
            correlation: &correlation,
            connection: &connection,
            route: self.routes.get(tool.id()).map(String::as_str),
        };
        let answered = if mock.is_some() { Answered::Mocked } else { Answered::Called };
        let request = match mock {
            Some(service) => Ok(mocking::mock_request(&call, service)),
            None => calling::build_request(&call),
        };
        let request = match request {
            Ok(request) => request,
            Err(problem) => {
                let text = problem.cause;
                let (outcome, took_ms) = (Outcome::Failed, 0);
                return (CallResult { answered, outcome, text, took_ms }, None);
            }
        };
        let history = self.history.as_ref();
        let (registry, limits) = (self.registry, self.limits);
        let call = WholeCall { registry, history, connection: &connection, request, limits };
        let (answer, trace) = call.run().await;
        (result_of(answered, answer), trace)
    }
}

/// What the model gets of an answer.
fn result_of(answered: Answered, answer: Answer) -> CallResult {
    let (outcome, took_ms) = (answer.outcome.unwrap_or(Outcome::Cancelled), answer.answered_in());
    let text = match (answer.error, answer.text) {
        (None, text) => text,
        (Some((kind, message)), text) if text.is_empty() => format!("{message} ({kind})"),
        (Some((kind, message)), text) => format!("{text}\n{message} ({kind})"),
    };
    CallResult { answered, outcome, text, took_ms }
}
