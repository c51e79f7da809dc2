//! What a call of a tool would send now: what is typed for it, filled in and merged as its system
//! does; and what answers it while it is mocked.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{calls::CallPart, state::State, stubs::own_stub};
use crate::{
    engine::{
        stub::mock::{MockOptions, mock_service},
        template,
    },
    model::{
        call::Request,
        connection::Connection,
        entry::EntryId,
        merging::Merging,
        problem::{Problem, ProblemKind},
        stub::StubService,
        tool::Tool,
    },
    schema::literal::Literal,
    systems::{calling, facets::calls::CallOf, mocking, table},
};

impl State {
    /// The argument that the run's question goes to: `question` or `query`, where the tool has it
    /// as a text and nothing is typed in it.
    #[must_use]
    pub fn question_argument(&self, tool: &EntryId) -> Option<&'static str> {
        self.workflow.simulation.question()?;
        let (schema, typed) = (table::arguments_schema(self.tool(tool)?), self.arguments_of(tool));
        ["question", "query"].into_iter().find(|name| {
            let is_text = schema
                .pointer(&format!("/properties/{name}/type"))
                .is_some_and(|kind| kind == "string");
            is_text && typed.get(name).is_none_or(|value| value.as_str() == Some(""))
        })
    }

    /// The arguments typed for a tool, as a value; an empty object where nothing was typed.
    #[must_use]
    pub fn arguments_of(&self, tool: &EntryId) -> Arc<Value> {
        self.value_of(tool, CallPart::Arguments)
    }

    /// What is typed for calls of a tool, as a value; an empty object where nothing was typed.
    #[must_use]
    pub fn value_of(&self, tool: &EntryId, part: CallPart) -> Arc<Value> {
        let typed = self.typed_text(tool, part).and_then(|text| text.value().cloned());
        typed.unwrap_or_else(|| Arc::new(Value::Object(Map::new())))
    }

    /// The arguments as JSON, numbers as they were typed.
    #[must_use]
    pub fn written_arguments_of(&self, tool: &EntryId) -> Literal {
        self.written_text(tool, CallPart::Arguments)
            .filter(|typed| typed.value().is_object())
            .unwrap_or_else(|| Value::Object(Map::new()).into())
    }

    /// What is to be said in `_meta`, as it was typed; `None` where that is nothing.
    fn written_meta_of(&self, tool: &EntryId) -> Result<Option<Literal>, Problem> {
        let typed = self.written_text(tool, CallPart::Meta);
        match typed.as_ref().map(|typed| typed.value().as_object().map(Map::len)) {
            None | Some(Some(0)) => Ok(None),
            Some(Some(_)) => Ok(typed),
            Some(None) => {
                let problem = Problem::new(ProblemKind::Input, "calling", "_meta isn't an object");
                Err(problem.with_remedy("type an object, or nothing"))
            }
        }
    }

    fn written_text(&self, tool: &EntryId, part: CallPart) -> Option<Literal> {
        Literal::parse(&self.typed_text(tool, part)?.source().to_json(0)?).ok()
    }

    /// What the tool would get of the arguments typed; `None` where that is just what is typed.
    #[must_use]
    pub fn merged_arguments(&self, tool: &Tool) -> Option<Merging> {
        let arguments = self.arguments_of(tool.id());
        self.merging_of(tool, arguments.as_object()?)
    }

    /// The same of other arguments.
    #[must_use]
    pub fn merging_of(&self, tool: &Tool, given: &Map<String, Value>) -> Option<Merging> {
        table::by_id(tool.entry.system)?.merge()?.trace_arguments(
            tool,
            given,
            &self.connection_of(tool.id()),
            &self.invoke.samples,
        )
    }

    /// The sample value of a variable, where it has one.
    #[must_use]
    pub fn sample_of(&self, variable: &str) -> Option<&str> {
        self.invoke
            .samples
            .iter()
            .find(|(name, _)| name == variable)
            .map(|(_, value)| value.as_str())
    }

    /// The request that sending would make now, to the letter.
    pub fn build_request(&self, tool: &EntryId) -> Result<Request, Problem> {
        let gone =
            || Problem::new(ProblemKind::Missing, "calling a tool", "this tool no longer exists");
        let catalog = self.deployed_of(tool).map_or(&self.catalog, |list| &list.catalog);
        let tool = catalog.tool(tool).ok_or_else(gone)?;
        let fill = |text: &Literal| {
            template::with_answers(text, &|name| self.invoke.calls.answer_of(name))
        };
        let arguments = fill(&self.written_arguments_of(tool.id()))?;
        let meta = self.written_meta_of(tool.id())?.map(|meta| fill(&meta)).transpose()?;
        let (correlation, connection) = (self.ids.peek_id(), self.call_connection(tool.id()));
        let call = CallOf {
            catalog,
            tool,
            user: &self.invoke.user,
            arguments: &arguments,
            meta: meta.as_ref(),
            correlation: &correlation,
            connection: &connection,
            route: self.network.route_over(tool, &connection),
        };
        match self.mock_of(tool) {
            Some(service) => Ok(mocking::mock_request(&call, service)),
            None => calling::build_request(&call),
        }
    }

    /// The connection that a live step of a tool would be the first of this session to send
    /// something through. `None` where there was one before, where the call stays within the
    /// program, and where the tool says that it changes nothing.
    #[must_use]
    pub fn first_live_connection(&self, tool: &EntryId) -> Option<Connection> {
        let is_harmless = |tool: &Tool| table::tool_effects(tool).read_only;
        let is_mocked = self.invoke.mocks.contains(tool);
        if self.workflow.has_gone_live || is_mocked || self.tool(tool).is_none_or(is_harmless) {
            return None;
        }
        Some(self.call_connection(tool)).filter(|connection| !connection.is_embedded())
    }

    /// What answers calls of a tool that is mocked.
    #[must_use]
    pub fn mock_of(&self, tool: &Tool) -> Option<StubService> {
        self.invoke.mocks.contains(tool.id()).then(|| self.make_mock(tool))
    }

    /// What would answer calls of a tool if it was mocked.
    #[must_use]
    pub fn make_mock(&self, tool: &Tool) -> StubService {
        let said = MockOptions::from_value(&self.value_of(tool.id(), CallPart::Mock));
        self.make_mock_with(tool, &said)
    }

    /// The same where that is said so.
    #[must_use]
    pub fn make_mock_with(&self, tool: &Tool, said: &MockOptions) -> StubService {
        let kept = self.invoke.calls.real_answer_of(tool.id());
        mock_service(&mocking::mocked_tool(tool, kept, own_stub(&self.documents, tool)), said)
    }
}
