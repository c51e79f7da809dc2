//! Runs the agent loop: asks the model, has each call decided, makes it, and keeps all of it.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::now::now_millis;
use crate::{
    engine::{
        agent_loop::{
            call_check::{CallFault, check_arguments},
            event::AgentEvent,
            recording::Recording,
            run::{AgentRun, AgentStart, Answered, CallResult, Next, RunEnd},
            turn::ToolCall,
        },
        case::verdict::Answer,
        gated::Slot,
        stub::mock::{MockOptions, MockSource, mock_service},
    },
    model::{
        call::{CallError, EventKind, Limits, Outcome},
        catalog::Catalog,
        context::Name,
        error_kind::ErrorKind,
        problem::ProblemKind,
        settings::WorkspaceSettings,
        tool::{Function, Tool},
        trace::{Head, TraceId},
    },
    schema::literal::Literal,
    store::history::History,
    systems::{
        calling,
        facets::calls::CallOf,
        mocking,
        model_settings::MODEL,
        table::{self, by_id},
    },
    wire::{
        model_endpoint::{ModelEndpoint, Piece},
        registry::Registry,
    },
};

mod record;

use record::{RunRecord, ms_since};

/// Events on their way at most; more make the wire wait.
const QUEUE: usize = 256;

/// How a run is called in the history, before the name of its model's connection.
pub(crate) const RUN_PREFIX: &str = "ask:";

/// What a run works with.
pub(crate) struct AgentWorld<'w> {
    pub catalog: &'w Catalog,
    pub settings: &'w WorkspaceSettings,
    pub registry: &'w Registry,
    /// `None`: nothing is kept.
    pub history: Option<Arc<History>>,
    /// Those of the tools' calls.
    pub limits: Limits,
    pub user: String,
    /// The catalog's tools, row for row, under the names that models see.
    slots: Vec<Slot>,
    functions: Vec<Function>,
    /// What arguments are held against, where that is not the tool's own schema.
    schemas: BTreeMap<usize, Value>,
}

/// Who speaks for the model.
pub(crate) enum ModelSource<'m> {
    Endpoint(&'m ModelEndpoint),
    /// What it said before; its tools' results count too where they are wanted.
    Recorded(Recording),
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decision {
    Call,
    /// These arguments are put in the place of the model's; then it is decided again.
    Edit(String),
    /// The model gets these words.
    Refuse(String),
    Mock(MockOptions),
    /// The recording answers; without one, the call is refused.
    Recorded,
    /// The run goes on from before the reply of that number, with a message more where there is
    /// one.
    Back {
        reply: u32,
        message: Option<String>,
    },
    /// The run ends.
    Stop,
}

/// A call that is to be decided.
pub(crate) struct PlannedCall<'c> {
    pub call: &'c ToolCall,
    pub tool: &'c Tool,
    pub state: &'c str,
    /// The number of the reply that wants it.
    pub reply: u32,
    /// What is wrong with its arguments. Such a call is not made whatever is decided: the model
    /// gets the fault.
    pub fault: Option<&'c CallFault>,
}

/// Who watches a run and decides.
pub(crate) trait AgentHost: Send {
    fn handle_event(&mut self, at_ms: u64, event: &AgentEvent);

    fn decide<'h>(&'h mut self, planned: PlannedCall<'h>) -> BoxFuture<'h, Decision>;
}

/// How a run went.
pub(crate) struct AgentOutcome {
    pub run: AgentRun,
    /// `Err`: the model could not be asked.
    pub end: Result<AgentEnd, CallError>,
    pub took_ms: u64,
    pub model_ms: u64,
    pub tools_ms: u64,
    pub calls: u32,
    /// The run in the history.
    pub trace: Option<TraceId>,
}

/// Why a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AgentEnd {
    Over(RunEnd),
    /// Somebody ended it.
    Stopped,
}

impl AgentOutcome {
    /// As a call's.
    pub fn outcome(&self) -> Outcome {
        match &self.end {
            Ok(AgentEnd::Over(RunEnd::Answered)) => Outcome::Succeeded,
            Ok(AgentEnd::Over(_)) => Outcome::Failed,
            Ok(AgentEnd::Stopped) => Outcome::Cancelled,
            Err(problem) => problem_outcome(problem),
        }
    }

    /// What went wrong.
    pub fn problem(&self) -> Option<CallError> {
        match &self.end {
            Ok(AgentEnd::Over(RunEnd::Answered) | AgentEnd::Stopped) => None,
            Ok(AgentEnd::Over(RunEnd::TurnLimit)) => Some(CallError::new(
                ErrorKind::GivenUp,
                format!("no answer after {} replies", self.run.reply_count()),
                "allow more with --max-turns, or look at what it calls again and again",
            )),
            Ok(AgentEnd::Over(RunEnd::Stopped(reason))) => Some(CallError::new(
                ErrorKind::parse(reason.as_str()),
                format!("the model stopped: {}", reason.as_str()),
                "for length, raise max-tokens of the model's connection",
            )),
            Err(problem) => Some(problem.clone()),
        }
    }
}

fn problem_outcome(problem: &CallError) -> Outcome {
    match problem.kind.problem_kind() {
        ProblemKind::TimedOut => Outcome::TimedOut,
        ProblemKind::Unreachable | ProblemKind::Refused => Outcome::Lost,
        _ => Outcome::Failed,
    }
}

impl<'w> AgentWorld<'w> {
    /// `tools` are the catalog's, row for row, with the workspace's groups among their own.
    pub fn new(
        catalog: &'w Catalog,
        tools: &[Slot],
        settings: &'w WorkspaceSettings,
        registry: &'w Registry,
    ) -> Self {
        let functions: Vec<Function> = catalog.tools.iter().map(|tool| function_of(tool)).collect();
        let named = |(slot, function): (&Slot, &Function)| Slot {
            name: function.name.as_str().into(),
            ..slot.clone()
        };
        let slots = tools.iter().zip(&functions).map(named).collect();
        let (history, limits) = (None, Limits::default());
        let user = String::new();
        Self {
            catalog,
            settings,
            registry,
            history,
            limits,
            user,
            slots,
            functions,
            schemas: BTreeMap::new(),
        }
    }

    /// Puts the descriptors of tools with the same key in the place of the workspace's, for what
    /// the model sees and for what its arguments are held against; calls go to the workspace's
    /// tools. Returns how many were replaced.
    pub fn replace_tools<'t>(&mut self, others: impl IntoIterator<Item = &'t Tool>) -> usize {
        let mut replaced = 0;
        for other in others {
            let same = |tool: &Arc<Tool>| tool.entry.key == other.entry.key;
            let Some(row) = self.catalog.tools.iter().position(same) else { continue };
            self.functions[row] = function_of(other);
            self.slots[row].name = self.functions[row].name.as_str().into();
            self.schemas.insert(row, table::arguments_schema(other));
            replaced += 1;
        }
        replaced
    }

    /// The key of the tool that the model sees under a name.
    pub fn key_of(&self, name: &str) -> Option<&str> {
        self.slots.iter().find(|slot| &*slot.name == name).map(|slot| &*slot.key)
    }

    fn arguments_schema(&self, row: usize) -> Value {
        let other = self.schemas.get(&row).cloned();
        other.unwrap_or_else(|| table::arguments_schema(&self.catalog.tools[row]))
    }

    /// What the model gets in the present state of a run.
    pub fn offered_functions(&self, run: &AgentRun) -> Result<Vec<Function>, CallError> {
        let rows = run.offered_rows(&self.slots, &self.settings.profiles);
        let rows = rows.map_err(|denied| {
            CallError::new(ErrorKind::NotAllowed, denied.to_string(), "ask for other groups")
        })?;
        Ok(rows.into_iter().map(|row| self.functions[row].clone()).collect())
    }

    /// Runs the loop until it ends; dropping the future ends it too, which the history then says.
    pub async fn run_agent(
        &self,
        start: AgentStart,
        mut source: ModelSource<'_>,
        host: &mut dyn AgentHost,
    ) -> AgentOutcome {
        let mut going = Going {
            world: self,
            run: AgentRun::new(start, now_millis()),
            record: RunRecord::default(),
            has_said: false,
            began: Instant::now(),
            model_ms: 0,
            tools_ms: 0,
            calls: 0,
        };
        let end = going.run_to_end(&mut source, host).await;
        let took_ms = going.elapsed_ms();
        let Going { run, record, model_ms, tools_ms, calls, .. } = going;
        let trace = record.id();
        let outcome = AgentOutcome { run, end, took_ms, model_ms, tools_ms, calls, trace };
        record.finish(took_ms, outcome.outcome(), outcome.problem());
        outcome
    }
}

/// The function that a model sees of a tool.
fn function_of(tool: &Tool) -> Function {
    match by_id(tool.entry.system) {
        Some(system) => system.model_function(tool),
        None => Function {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: json!({"type": "object"}),
        },
    }
}

/// A run that is under way.
struct Going<'g, 'w> {
    world: &'g AgentWorld<'w>,
    run: AgentRun,
    record: RunRecord,
    /// A reply has said something; the trace keeps replies on lines of their own.
    has_said: bool,
    began: Instant,
    model_ms: u64,
    tools_ms: u64,
    calls: u32,
}

impl Going<'_, '_> {
    fn elapsed_ms(&self) -> u64 {
        ms_since(self.began)
    }

    fn emit(&mut self, host: &mut dyn AgentHost, event: &AgentEvent) {
        let at_ms = self.elapsed_ms();
        host.handle_event(at_ms, event);
        self.record.keep(at_ms, event.to_trace());
    }

    async fn run_to_end(
        &mut self,
        source: &mut ModelSource<'_>,
        host: &mut dyn AgentHost,
    ) -> Result<AgentEnd, CallError> {
        loop {
            match self.run.next() {
                Next::Model => self.ask_model(source, host).await?,
                Next::Call(call) => {
                    if !self.answer_call(&call, source, host).await {
                        return Ok(AgentEnd::Stopped);
                    }
                }
                Next::End(end) => return Ok(AgentEnd::Over(end)),
            }
        }
    }

    async fn ask_model(
        &mut self,
        source: &mut ModelSource<'_>,
        host: &mut dyn AgentHost,
    ) -> Result<(), CallError> {
        let functions = self.world.offered_functions(&self.run)?;
        let turn = self.run.reply_count() + 1;
        let body = match source {
            ModelSource::Endpoint(endpoint) => {
                endpoint.request_body(self.run.system(), self.run.turns(), &functions)
            }
            ModelSource::Recorded(_) => String::new(),
        };
        if turn == 1 {
            self.record = self.begin_record(source, &body);
        }
        let asked = AgentEvent::Asked {
            turn,
            state: self.run.state().to_owned(),
            tools: functions.into_iter().map(|function| function.name).collect(),
            bytes: body.len(),
        };
        self.emit(host, &asked);
        let began = Instant::now();
        let mut first_ms = None;
        let reply = match source {
            ModelSource::Recorded(recording) => {
                let reply = recording.replies.pop_front().ok_or_else(recording_over)?;
                if !reply.text.is_empty() {
                    self.emit(host, &AgentEvent::Text(reply.text.clone()));
                }
                reply
            }
            ModelSource::Endpoint(endpoint) => {
                let run_began = self.began;
                let (record, has_said) = (&mut self.record, &mut self.has_said);
                let mut emit = |piece: Piece| {
                    let event = match piece {
                        Piece::Text(text) => AgentEvent::Text(text),
                        Piece::Notice(words) => AgentEvent::Notice(words),
                    };
                    let at_ms = ms_since(run_began);
                    if matches!(event, AgentEvent::Text(_)) && first_ms.is_none() {
                        first_ms = Some(ms_since(began));
                        if std::mem::replace(has_said, true) {
                            record.keep(at_ms, AgentEvent::Text("\n".into()).to_trace());
                        }
                    }
                    host.handle_event(at_ms, &event);
                    record.keep(at_ms, event.to_trace());
                };
                endpoint.ask(self.world.registry, &body, &mut emit).await?
            }
        };
        let took_ms = ms_since(began);
        self.model_ms += took_ms;
        self.emit(host, &AgentEvent::Replied { turn, reply: reply.clone(), first_ms, took_ms });
        self.run.add_reply(reply);
        Ok(())
    }

    fn begin_record(&self, source: &ModelSource<'_>, body: &str) -> RunRecord {
        let (Some(history), ModelSource::Endpoint(endpoint)) = (&self.world.history, source) else {
            return RunRecord::default();
        };
        let connection = endpoint.connection();
        let context = self.run.simulation().start();
        let arguments = json!({
            "question": self.run.simulation().question(),
            "model": endpoint.settings.name,
            "groups": context.groups.as_deref().map(names_json),
            "state": context.state(),
        });
        let id = uuid::Uuid::new_v4().to_string();
        let head = Head {
            id: id.as_str().into(),
            at: now_millis(),
            tool: format!("{RUN_PREFIX}{}", connection.name).into(),
            system: MODEL.into(),
            connection: connection.name.as_str().into(),
            transport: connection.transport().as_str().into(),
            to: endpoint.display_address().into(),
            arguments: arguments.to_string().into(),
            body: body.into(),
            ..Head::default()
        };
        // A run is made although it cannot be kept.
        let recorder = history.begin_call(&head).ok();
        let mut record = RunRecord::new(id.into(), recorder, self.began);
        record.keep(self.elapsed_ms(), EventKind::Sent { bytes: body.len() });
        record
    }

    /// Answers a call; `false`: the run is to end.
    async fn answer_call(
        &mut self,
        call: &ToolCall,
        source: &mut ModelSource<'_>,
        host: &mut dyn AgentHost,
    ) -> bool {
        let mut call = call.clone();
        let mut edited = false;
        let (row, result, trace) = loop {
            let row = match self.run.check_tool(&self.world.slots, &call.name) {
                Ok(row) => row,
                Err(fault) => {
                    self.emit_called(host, &call, Some(&fault), edited);
                    break (None, CallResult::invalid(&fault), None);
                }
            };
            let tool = &self.world.catalog.tools[row];
            let checked = check_arguments(&call, &self.world.arguments_schema(row));
            let planned = PlannedCall {
                call: &call,
                tool,
                state: self.run.state(),
                reply: self.run.reply_count(),
                fault: checked.as_ref().err(),
            };
            let decision = host.decide(planned).await;
            match (decision, checked) {
                (Decision::Stop, _) => return false,
                (Decision::Back { reply, message }, _) => {
                    if self.go_back(host, reply, message) {
                        return true;
                    }
                }
                (Decision::Edit(arguments), _) => {
                    edited = true;
                    self.run.edit_arguments(&arguments);
                    call.arguments = arguments;
                }
                (Decision::Refuse(words), checked) => {
                    self.emit_called(host, &call, checked.as_ref().err(), edited);
                    break (None, CallResult::refused(&words), None);
                }
                (_, Err(fault)) => {
                    self.emit_called(host, &call, Some(&fault), edited);
                    break (None, CallResult::invalid(&fault), None);
                }
                (decision, Ok(arguments)) => {
                    self.emit_called(host, &call, None, edited);
                    let began = Instant::now();
                    let (result, trace) = match decision {
                        Decision::Recorded => (take_recorded(source, &call.name), None),
                        Decision::Mock(options) => {
                            self.world.call_tool(tool, &arguments, Some(&options)).await
                        }
                        _ => self.world.call_tool(tool, &arguments, None).await,
                    };
                    self.tools_ms += ms_since(began);
                    break (Some(row), result, trace);
                }
            }
        };
        self.calls += 1;
        let before = self.run.state().to_owned();
        let profiles = &self.world.settings.profiles;
        self.run.finish_call(&self.world.slots, profiles, row, &result, now_millis());
        let CallResult { answered, outcome, text, took_ms } = result;
        let tool = call.name;
        self.emit(host, &AgentEvent::Returned { tool, answered, outcome, text, took_ms, trace });
        let after = self.run.state().to_owned();
        if after != before {
            self.emit(host, &AgentEvent::Moved { from: before, to: after });
        }
        true
    }

    fn go_back(&mut self, host: &mut dyn AgentHost, reply: u32, message: Option<String>) -> bool {
        if !self.run.go_back_to_reply(reply) {
            return false;
        }
        if let Some(text) = &message {
            self.run.add_message(text.clone());
        }
        let state = self.run.state().to_owned();
        self.emit(host, &AgentEvent::WentBack { reply, state, message });
        true
    }

    fn emit_called(
        &mut self,
        host: &mut dyn AgentHost,
        call: &ToolCall,
        fault: Option<&CallFault>,
        edited: bool,
    ) {
        let event = AgentEvent::Called {
            tool: call.name.clone(),
            arguments: call.arguments_value(),
            fault: fault.map(|fault| (fault.word().to_owned(), fault.to_string())),
            edited,
        };
        self.emit(host, &event);
    }
}

fn names_json(names: &[Name]) -> Value {
    names.iter().map(|name| Value::from(&**name)).collect()
}

fn recording_over() -> CallError {
    CallError::new(
        ErrorKind::Missing,
        "the recording has no further reply",
        "record the run again: the workspace has changed since",
    )
}

fn take_recorded(source: &mut ModelSource<'_>, tool: &str) -> CallResult {
    let recorded = match source {
        ModelSource::Recorded(recording) => recording.take_result(tool),
        ModelSource::Endpoint(_) => None,
    };
    recorded.unwrap_or_else(|| CallResult {
        answered: Answered::Invalid,
        outcome: Outcome::Failed,
        text: format!("the recording has no result of {tool}"),
        took_ms: 0,
    })
}

impl AgentWorld<'_> {
    /// Makes one call, over the tool's own connection or by a mock.
    async fn call_tool(
        &self,
        tool: &Tool,
        arguments: &Literal,
        mock: Option<&MockOptions>,
    ) -> (CallResult, Option<TraceId>) {
        let connection = self.settings.connections.for_tool(tool);
        let correlation = uuid::Uuid::new_v4().to_string();
        let call = CallOf {
            catalog: self.catalog,
            tool,
            user: &self.user,
            arguments,
            meta: None,
            correlation: &correlation,
            connection: &connection,
            route: None,
        };
        let answered = if mock.is_some() { Answered::Mocked } else { Answered::Called };
        let request = match mock {
            Some(options) => {
                let history = self.history.as_ref();
                let kept = (options.source == MockSource::Kept)
                    .then(|| history?.real_answer_of(&tool.name))
                    .flatten();
                let service = mock_service(&mocking::mocked_tool(tool, kept), options);
                Ok(mocking::mock_request(&call, service))
            }
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
        let head = Head::from_request(&request, &connection, now_millis());
        // A call is made although it cannot be kept.
        let mut recorder = self.history.as_ref().and_then(|history| history.begin_call(&head).ok());
        let trace = recorder.is_some().then(|| head.id.clone());
        let (sender, mut events) = mpsc::channel(QUEUE);
        let calling = self.registry.run_call(&connection, request, self.limits, sender);
        let taking = async {
            let mut answer = Answer::default();
            let mut batch = Vec::with_capacity(QUEUE);
            while events.recv_many(&mut batch, QUEUE).await > 0 {
                recorder = recorder.take().and_then(|mut recorder| {
                    recorder.record_events(&batch).ok().map(|()| recorder)
                });
                batch.drain(..).for_each(|event| answer.apply_event(&event));
            }
            answer
        };
        let ((), answer) = tokio::join!(calling, taking);
        (result_of(answered, answer), trace)
    }
}

/// What the model gets of an answer.
fn result_of(answered: Answered, answer: Answer) -> CallResult {
    let outcome = answer.outcome.unwrap_or(Outcome::Cancelled);
    let text = match (answer.error, answer.text) {
        (None, text) => text,
        (Some((kind, message)), text) if text.is_empty() => format!("{message} ({kind})"),
        (Some((kind, message)), text) => format!("{text}\n{message} ({kind})"),
    };
    CallResult { answered, outcome, text, took_ms: answer.took_ms }
}
