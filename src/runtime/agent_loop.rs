//! Runs the agent loop: asks the model, has each call decided, makes it, and keeps all of it.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
    time::Instant,
};

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::now::now_millis;
use crate::{
    engine::{
        agent_loop::{
            call_check::{CallFault, check_arguments},
            decision::{Branch, Change, Decision},
            event::{AgentEvent, RUN_PREFIX},
            recording::Recording,
            run::{AgentRun, AgentStart, Answered, CallResult, Next, RunEnd},
            turn::ToolCall,
        },
        gated::Slot,
    },
    model::{
        call::{CallError, EventKind, Limits, Outcome},
        catalog::Catalog,
        context::Name,
        error_kind::ErrorKind,
        problem::ProblemKind,
        settings::WorkspaceSettings,
        stub::StubService,
        tool::{Function, Tool},
        trace::{Head, TraceId},
    },
    schema::literal::Literal,
    systems::{
        model_settings::MODEL,
        offered::{function_of, slots_of_models},
        table,
    },
    wire::{
        model_endpoint::{ModelEndpoint, Piece},
        registry::Registry,
    },
};

mod record;
mod tool_call;

use record::{RunRecord, ms_since};
use tool_call::ToolCaller;

/// What a run works with.
pub(crate) struct AgentWorld<'w> {
    pub catalog: &'w Catalog,
    pub settings: &'w WorkspaceSettings,
    /// What the tools' calls are made with.
    pub caller: ToolCaller<'w>,
    /// What answers calls of tools in the place of their services, by their rows.
    pub mocks: BTreeMap<usize, StubService>,
    /// Ends runs that are under way; what came so far is in their outcome.
    pub stop: CancellationToken,
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

/// A run with what has happened in it, at which times.
pub(crate) struct BegunRun {
    pub run: AgentRun,
    pub past: Vec<(u64, AgentEvent)>,
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
        Self {
            catalog,
            settings,
            caller: ToolCaller {
                catalog,
                connections: &settings.connections,
                registry,
                history: None,
                limits: Limits::default(),
                user: String::new(),
                stubs: BTreeMap::new(),
                routes: HashMap::new(),
            },
            mocks: BTreeMap::new(),
            stop: CancellationToken::new(),
            slots: slots_of_models(tools, &functions),
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

    /// The keys of the available tools that share their name with another one before them.
    pub fn hidden_twins(&self, run: &AgentRun) -> Vec<&str> {
        let mut names = HashSet::new();
        let rows = run.offered_rows(&self.slots, &self.settings.profiles).unwrap_or_default();
        let twins = rows.into_iter().filter(|row| !names.insert(&self.functions[*row].name));
        twins.map(|row| &*self.slots[row].key).collect()
    }

    /// The key of the tool that the model sees under a name.
    pub fn key_of(&self, name: &str) -> Option<&str> {
        self.slots.iter().find(|slot| &*slot.name == name).map(|slot| &*slot.key)
    }

    fn arguments_schema(&self, row: usize) -> Value {
        let other = self.schemas.get(&row).cloned();
        other.unwrap_or_else(|| table::arguments_schema(&self.catalog.tools[row]))
    }

    /// What the model gets in the present state of a run: of several tools of one name the first,
    /// which is the one that a call of that name means.
    pub fn offered_functions(&self, run: &AgentRun) -> Result<Vec<Function>, CallError> {
        let rows = run.offered_rows(&self.slots, &self.settings.profiles);
        let rows = rows.map_err(|denied| {
            CallError::new(ErrorKind::NotAllowed, denied.to_string(), "ask for other groups")
        })?;
        let mut names = HashSet::new();
        let functions = rows.into_iter().map(|row| &self.functions[row]);
        Ok(functions.filter(|function| names.insert(&function.name)).cloned().collect())
    }

    /// Calls a tool, or what answers in its place; `None`: the run was stopped meanwhile.
    async fn make_call(
        &self,
        row: usize,
        arguments: &Literal,
        decision: Decision,
    ) -> Option<(CallResult, Option<TraceId>)> {
        let (caller, tool) = (&self.caller, &self.catalog.tools[row]);
        let service = match decision {
            Decision::Mock(options) => Some(caller.mock_of(tool, &options)),
            _ => self.mocks.get(&row).cloned(),
        };
        let calling = caller.call_tool(tool, arguments, service);
        tokio::select! {
            biased;
            () = self.stop.cancelled() => None,
            made = calling => Some(made),
        }
    }

    /// Runs the loop until it ends; dropping the future ends it too, which the history then says.
    pub async fn run_agent(
        &self,
        start: AgentStart,
        source: ModelSource<'_>,
        host: &mut dyn AgentHost,
    ) -> AgentOutcome {
        let begun = BegunRun { run: AgentRun::new(start, now_millis()), past: Vec::new() };
        self.go_on(begun, None, source, host).await
    }

    /// Lets a run go on that is over, another way; in the history it is a run of its own, with what
    /// happened before.
    pub async fn go_on(
        &self,
        begun: BegunRun,
        branch: Option<Branch>,
        mut source: ModelSource<'_>,
        host: &mut dyn AgentHost,
    ) -> AgentOutcome {
        let BegunRun { run, past } = begun;
        let mut going = Going {
            world: self,
            run,
            record: RunRecord::default(),
            has_said: past.iter().any(|(_, event)| matches!(event, AgentEvent::Text(_))),
            began: Instant::now(),
            before_ms: past.last().map_or(0, |(at_ms, _)| *at_ms),
            model_ms: 0,
            tools_ms: 0,
            calls: 0,
        };
        let end = going.run_to_end(past, branch, &mut source, host).await;
        let took_ms = going.elapsed_ms();
        let Going { run, record, model_ms, tools_ms, calls, .. } = going;
        let trace = record.id();
        let outcome = AgentOutcome { run, end, took_ms, model_ms, tools_ms, calls, trace };
        record.finish(took_ms, outcome.outcome(), outcome.problem());
        outcome
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
    /// So long the run was under way before it went on.
    before_ms: u64,
    model_ms: u64,
    tools_ms: u64,
    calls: u32,
}

impl Going<'_, '_> {
    fn elapsed_ms(&self) -> u64 {
        self.before_ms + ms_since(self.began)
    }

    fn emit(&mut self, host: &mut dyn AgentHost, event: &AgentEvent) {
        let at_ms = self.elapsed_ms();
        host.handle_event(at_ms, event);
        self.record.keep(at_ms, event.to_trace());
    }

    async fn run_to_end(
        &mut self,
        past: Vec<(u64, AgentEvent)>,
        branch: Option<Branch>,
        source: &mut ModelSource<'_>,
        host: &mut dyn AgentHost,
    ) -> Result<AgentEnd, CallError> {
        let body = self.request_body(source, &self.world.offered_functions(&self.run)?);
        self.record = self.begin_record(source, &body);
        for (at_ms, event) in past {
            self.record.keep(at_ms, event.to_trace());
        }
        if let Some(branch) = branch {
            self.take_branch(host, branch);
        }
        loop {
            let goes_on = match self.run.next() {
                Next::Model => self.ask_model(source, host).await?,
                Next::Call(call) => self.answer_call(&call, source, host).await,
                Next::End(end) => return Ok(AgentEnd::Over(end)),
            };
            if !goes_on {
                return Ok(AgentEnd::Stopped);
            }
        }
    }

    fn request_body(&self, source: &ModelSource<'_>, functions: &[Function]) -> String {
        match source {
            ModelSource::Endpoint(endpoint) => {
                endpoint.request_body(self.run.system(), self.run.turns(), functions)
            }
            ModelSource::Recorded(_) => String::new(),
        }
    }

    /// Asks the model; `false`: the run is to end.
    async fn ask_model(
        &mut self,
        source: &mut ModelSource<'_>,
        host: &mut dyn AgentHost,
    ) -> Result<bool, CallError> {
        let functions = self.world.offered_functions(&self.run)?;
        let turn = self.run.reply_count() + 1;
        let body: Arc<str> = self.request_body(source, &functions).into();
        let asked = AgentEvent::Asked {
            turn,
            state: self.run.state().to_owned(),
            tools: functions.into_iter().map(|function| function.name).collect(),
            bytes: body.len(),
            body: Arc::clone(&body),
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
                let (run_began, before_ms) = (self.began, self.before_ms);
                let (record, has_said) = (&mut self.record, &mut self.has_said);
                let mut emit = |piece: Piece| {
                    let event = match piece {
                        Piece::Text(text) => AgentEvent::Text(text),
                        Piece::Notice(words) => AgentEvent::Notice(words),
                    };
                    let at_ms = before_ms + ms_since(run_began);
                    if matches!(event, AgentEvent::Text(_)) && first_ms.is_none() {
                        first_ms = Some(ms_since(began));
                        if std::mem::replace(has_said, true) {
                            record.keep(at_ms, AgentEvent::Text("\n".into()).to_trace());
                        }
                    }
                    host.handle_event(at_ms, &event);
                    record.keep(at_ms, event.to_trace());
                };
                tokio::select! {
                    biased;
                    () = self.world.stop.cancelled() => return Ok(false),
                    reply = endpoint.ask(self.world.caller.registry, &body, &mut emit) => reply?,
                }
            }
        };
        let took_ms = ms_since(began);
        self.model_ms += took_ms;
        self.emit(host, &AgentEvent::Replied { turn, reply: reply.clone(), first_ms, took_ms });
        self.run.add_reply(reply);
        Ok(true)
    }

    fn begin_record(&self, source: &ModelSource<'_>, body: &str) -> RunRecord {
        let (Some(history), ModelSource::Endpoint(endpoint)) = (&self.world.caller.history, source)
        else {
            return RunRecord::default();
        };
        let connection = endpoint.connection();
        let context = self.run.simulation().start();
        let arguments = json!({
            "question": self.run.simulation().question(),
            "model": endpoint.settings.name,
            "groups": context.groups.as_deref().map(names_json),
            "state": context.state(),
            "system": self.run.system(),
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
                (Decision::Back(branch), _) => {
                    if self.take_branch(host, branch) {
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
                    let made = match decision {
                        Decision::Recorded => Some((take_recorded(source, &call.name), None)),
                        decision => self.world.make_call(row, &arguments, decision).await,
                    };
                    let Some((result, trace)) = made else { return false };
                    self.tools_ms += ms_since(began);
                    break (Some(row), result, trace);
                }
            }
        };
        self.finish_call(host, call.name, row, (result, trace));
        true
    }

    /// Takes the result of a call in, which may lead to another state.
    fn finish_call(
        &mut self,
        host: &mut dyn AgentHost,
        tool: String,
        row: Option<usize>,
        (result, trace): (CallResult, Option<TraceId>),
    ) {
        self.calls += 1;
        let before = self.run.state().to_owned();
        let profiles = &self.world.settings.profiles;
        self.run.finish_call(&self.world.slots, profiles, row, &result, now_millis());
        let CallResult { answered, outcome, text, took_ms } = result;
        self.emit(host, &AgentEvent::Returned { tool, answered, outcome, text, took_ms, trace });
        let after = self.run.state().to_owned();
        if after != before {
            self.emit(host, &AgentEvent::Moved { from: before, to: after });
        }
    }

    fn take_branch(&mut self, host: &mut dyn AgentHost, branch: Branch) -> bool {
        if !self.run.take_branch(&branch) {
            return false;
        }
        let (message, result) = match branch.change {
            Change::Nothing => (None, None),
            Change::Message(text) => (Some(text), None),
            Change::Result { row, text } => (None, Some((row, text))),
        };
        let turns = self.run.turn_count() - usize::from(message.is_some());
        let state = self.run.state().to_owned();
        let reply = self.run.reply_count() + 1;
        self.emit(host, &AgentEvent::WentBack { reply, state, turns, message, result });
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
