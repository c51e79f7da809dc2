//! The workspace's tools for clients: which of them are available in the present state, and calls
//! of them, which go into the history and move the state.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, watch};

use super::asking::AskingCalls;
use crate::{
    cli::{opened::OpenWorkspace, out::print_stderr},
    engine::{
        filter::{Filter, available_tools, next_state},
        gated::Slot,
        services::sample::Asking,
        template,
    },
    model::{
        call::{CallError, Event, EventKind, Limits, Outcome, Request},
        connection::Connection,
        context::Context,
        error_kind::ErrorKind,
        problem::Problem,
        stub::{MOCK_CONNECTION, StubService},
        tool::{Function, Gate, Tool},
        trace::Head,
    },
    runtime::now::now_millis,
    schema::{
        literal::Literal,
        validate::{Checker, Issue},
    },
    store::history::{History, Recorder},
    systems::{
        calling,
        facets::{calls::CallOf, served::ServedTool},
        mocking,
        table::{self, by_id},
    },
    wire::{
        queue,
        registry::Registry,
        stub_call,
        systems::{
            facets::{
                responder::Question,
                tool_server::{CallChannels, ToolHost, ToolRow},
            },
            table as live,
        },
        transport::bus::Bus,
    },
};

/// Events on their way at most; more make the wire wait.
const QUEUE: usize = 256;

/// Who answers for a tool.
struct Answerer {
    /// Its row in the catalog; `None`: a stub of no tool.
    tool: Option<usize>,
    /// `None`: the tool's own service is called.
    stub: Option<Arc<StubService>>,
}

/// What is served, beside the workspace.
pub(super) struct ServedWorkspace {
    /// Tools by key or name; none: all.
    pub tools: Vec<String>,
    pub stubs: Vec<StubService>,
    pub context: Context,
    pub registry: Registry,
    /// `None`: calls are not kept.
    pub history: Option<Arc<History>>,
    pub user: String,
    pub limits: Limits,
    pub is_quiet: bool,
}

/// The tools of a workspace.
pub(super) struct WorkspaceHost {
    opened: OpenWorkspace,
    with: ServedWorkspace,
    served: Vec<ServedTool>,
    answerers: Vec<Answerer>,
    /// Their gates, row for row.
    slots: Vec<Slot>,
    /// Connections to servers that may have more than tools.
    servers: Vec<Connection>,
    asking: AskingCalls,
    now: Mutex<Present>,
    changes: watch::Sender<u64>,
}

/// What moves with the calls.
struct Present {
    context: Context,
    available: Vec<ToolRow>,
}

impl WorkspaceHost {
    /// # Errors
    /// When one of the tools that are named is not there, or cannot be called.
    pub fn new(opened: OpenWorkspace, with: ServedWorkspace) -> Result<Self, Problem> {
        let mut host = Self {
            served: Vec::new(),
            answerers: Vec::new(),
            slots: Vec::new(),
            servers: Vec::new(),
            asking: AskingCalls::default(),
            now: Mutex::new(Present { context: with.context.clone(), available: Vec::new() }),
            changes: watch::Sender::default(),
            opened,
            with,
        };
        host.add_tools()?;
        host.add_stubs();
        let available = available_tools(&host.slots, &host.with.context);
        host.present().available = available;
        Ok(host)
    }

    fn add_tools(&mut self) -> Result<(), Problem> {
        let mut wanted = HashSet::new();
        for word in &self.with.tools {
            // A stub may be of a tool, or of its own.
            match self.opened.tool(word) {
                Ok(tool) => drop(wanted.insert(tool.entry.id.clone())),
                Err(_) if self.with.stubs.iter().any(|stub| stub.name == *word) => {}
                Err(problem) => return Err(problem),
            }
        }
        let stubs: Vec<_> = self.with.stubs.iter().cloned().map(Arc::new).collect();
        for (row, tool) in self.opened.catalog.tools.iter().enumerate() {
            let is_named = |stub: &&Arc<StubService>| {
                let names = [Some(&tool.entry.key), Some(&tool.name), tool.service.as_ref()];
                names.contains(&Some(&stub.name))
            };
            let stub = stubs.iter().find(is_named).cloned();
            let system = by_id(tool.entry.system);
            let can_call = system.is_some_and(|system| system.calls().is_some());
            let is_wanted = self.with.tools.is_empty() || wanted.contains(&tool.entry.id);
            let Some(system) = system.filter(|_| is_wanted && (can_call || stub.is_some())) else {
                continue;
            };
            let function = system.model_function(tool);
            let mut served = ServedTool::from_tool(tool, function);
            if let Some(stub) = &stub {
                served = served.answered_by(stub);
            }
            if stub.is_none() {
                add_server(&mut self.servers, self.opened.settings.connections.for_tool(tool));
            }
            self.served.push(served);
            self.slots.push(self.opened.tools[row].clone());
            self.answerers.push(Answerer { tool: Some(row), stub });
        }
        Ok(())
    }

    /// Stubs that stand for no tool are tools of their own.
    fn add_stubs(&mut self) {
        for stub in &self.with.stubs {
            let stands = |answerer: &Answerer| {
                answerer.stub.as_ref().is_some_and(|known| known.name == stub.name)
            };
            let is_wanted = self.with.tools.is_empty() || self.with.tools.contains(&stub.name);
            if !is_wanted || self.answerers.iter().any(stands) {
                continue;
            }
            let function = Function::new(
                &stub.name,
                format!("A stub: answers by {} rules", stub.rules.len()),
                serde_json::json!({"type": "object"}),
            );
            let (key, name) = (stub.name.clone(), stub.name.as_str());
            self.slots.push(Slot { key: name.into(), name: name.into(), gate: Gate::ungated() });
            self.served.push(ServedTool {
                key,
                system: None,
                function,
                entry: None,
                is_stubbed: true,
            });
            self.answerers.push(Answerer { tool: None, stub: Some(Arc::new(stub.clone())) });
        }
    }

    fn present(&self) -> MutexGuard<'_, Present> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tool(&self, row: ToolRow) -> Option<&Tool> {
        let tool = self.answerers.get(row)?.tool?;
        self.opened.catalog.tools.get(tool).map(AsRef::as_ref)
    }

    /// The request of a call, as it goes out or to its stub.
    fn build_request(
        &self,
        tool: &Tool,
        arguments: &Literal,
        connection: &Connection,
        stub: Option<Arc<StubService>>,
    ) -> Result<Request, Problem> {
        let correlation = uuid::Uuid::new_v4().to_string();
        let call = CallOf {
            catalog: &self.opened.catalog,
            tool,
            user: &self.with.user,
            arguments,
            meta: None,
            correlation: &correlation,
            connection,
            route: None,
        };
        match stub {
            Some(stub) => Ok(mocking::mock_request(&call, stub)),
            None => calling::build_request(&call),
        }
    }

    async fn run(&self, row: ToolRow, arguments: &Literal, channels: CallChannels) {
        let CallChannels { events, questions } = channels;
        if let Err(problem) = self.check_arguments(row, arguments.value()) {
            return end_unsent(problem, &events).await;
        }
        let stub = self.answerers.get(row).and_then(|answerer| answerer.stub.clone());
        let (sender, mut heard) = mpsc::channel(QUEUE);
        let mut _asking = None;
        let (head, mut working): (Head, BoxFuture<'_, ()>) = match (stub, self.tool(row)) {
            (Some(stub), None) => {
                (stub_head(&stub, arguments), Box::pin(self.run_stub(stub, arguments, sender)))
            }
            (stub, Some(tool)) => {
                let connection = self.opened.settings.connections.for_tool(tool);
                let request = match self.build_request(tool, arguments, &connection, stub) {
                    Ok(request) => request,
                    Err(problem) => return end_unsent(problem.into(), &events).await,
                };
                let head = Head::from_request(&request, &connection, now_millis());
                if request.mock.is_none() {
                    _asking = Some(self.asking.begin(&connection.name, questions));
                }
                (head, Box::pin(self.run_tool(connection, request, sender)))
            }
            (None, None) => return,
        };
        let mut record = CallRecord::begin(self, row, &head);
        let mut is_working = true;
        loop {
            let event = tokio::select! {
                biased;
                event = heard.recv() => event,
                _ = &mut working, if is_working => {
                    is_working = false;
                    continue;
                }
            };
            let Some(event) = event else { return };
            record.keep_event(&event);
            if let EventKind::End { outcome, .. } = event.kind {
                self.move_state(row, outcome);
            }
            let weight = event.payload_len();
            if queue::send_weighted(&events, event, weight).await.is_err() {
                return;
            }
        }
    }

    async fn run_tool(
        &self,
        connection: Connection,
        request: Request,
        events: mpsc::Sender<Event>,
    ) {
        self.with.registry.run_call(&connection, request, self.with.limits, events).await;
    }

    async fn run_stub(
        &self,
        stub: Arc<StubService>,
        arguments: &Literal,
        events: mpsc::Sender<Event>,
    ) {
        let arguments = arguments.value().as_object().cloned().unwrap_or_default();
        let config = Map::new();
        let asking = Asking { user: &self.with.user, config: &config, arguments: &arguments };
        stub_call::answer_call(stub, &asking, self.with.limits, events).await;
    }

    /// What is wrong with arguments that a client gave.
    fn check_arguments(&self, row: ToolRow, arguments: &Value) -> Result<(), CallError> {
        let refused = |message: String, remedy: &str| {
            Err(CallError::new(ErrorKind::BadRequest, message, remedy))
        };
        if template::names_variable(arguments) {
            // It would be filled in, and its value handed to the tool.
            let message =
                "clients' arguments can't use environment variables, nor those of toolcrib.toml";
            return refused(message.to_owned(), "take {{env.…}} and {{var.…}} out");
        }
        let Some(tool) = self.tool(row) else { return Ok(()) };
        // What the schema itself lacks is for `toolcrib check`.
        let Ok(checker) = Checker::compile(&table::arguments_schema(tool)) else { return Ok(()) };
        let words = |issue: &Issue| match issue.at.is_root() {
            true => format!("the arguments: {}", issue.words),
            false => format!("{}: {}", issue.at, issue.words),
        };
        let issues: Vec<String> = checker.issues(arguments).iter().map(words).collect();
        match issues.is_empty() {
            true => Ok(()),
            false => refused(issues.join("; "), "correct the arguments"),
        }
    }

    /// The state after a call that ended so, by the rule for requests.
    fn move_state(&self, row: ToolRow, outcome: Outcome) {
        let Some(slot) = self.slots.get(row) else { return };
        let mut now = self.present();
        let before = now.context.state().to_owned();
        let after = next_state(&slot.gate, &before, outcome, self.opened.settings.mode);
        if *after == *before {
            return;
        }
        self.tell(&format!("state: {before} → {after}"));
        now.context.state = Some(after);
        let available = available_tools(&self.slots, &now.context);
        if available != now.available {
            now.available = available;
            self.changes.send_modify(|change| *change += 1);
        }
    }

    fn tell(&self, words: &str) {
        if !self.with.is_quiet {
            print_stderr(words);
        }
    }

    /// The tools that are listed at the start, and how many are not.
    #[must_use]
    pub fn summary(&self) -> String {
        let (available, all) = (self.present().available.len(), self.served.len());
        format!("{available} of {all} tools are listed in state {}", self.present().context.state())
    }

    /// Passes on what servers behind the tools ask, until nobody asks any more.
    pub async fn pass_questions_on(&self, mut questions: mpsc::Receiver<Question>) {
        while let Some(question) = questions.recv().await {
            self.asking.pass_on(question).await;
        }
    }

    /// Ends its connections.
    pub async fn close(&self) {
        self.with.registry.close().await;
    }
}

/// Adds a connection to a server that may have more than tools, once.
fn add_server(servers: &mut Vec<Connection>, connection: Connection) {
    let is_server = live::inspectors().any(|inspector| inspector.is_at(&connection));
    if is_server && servers.iter().all(|known| known.name != connection.name) {
        servers.push(connection);
    }
}

/// A call of a stub that is of no tool of the workspace.
fn stub_head(stub: &StubService, arguments: &Literal) -> Head {
    let name: Arc<str> = stub.name.as_str().into();
    let arguments: Arc<str> = arguments.to_json().into();
    Head {
        id: uuid::Uuid::new_v4().to_string().into(),
        at: now_millis(),
        tool: Arc::clone(&name),
        system: MOCK_CONNECTION.into(),
        connection: MOCK_CONNECTION.into(),
        transport: Connection::embedded().transport().as_str().into(),
        to: name,
        body: Arc::clone(&arguments),
        arguments,
        ..Head::default()
    }
}

async fn end_unsent(problem: CallError, events: &mpsc::Sender<Event>) {
    let kind = EventKind::End { outcome: Outcome::Failed, problem: Some(problem) };
    // Who has left need not be notified.
    let _ = events.send(Event { at_ms: 0, kind }).await;
}

impl ToolHost for WorkspaceHost {
    fn title(&self) -> String {
        let name = self.opened.settings.name.clone();
        name.unwrap_or_else(|| self.opened.workspace.name())
    }

    fn instructions(&self) -> String {
        let name = self.title();
        let is_gated = self.slots.iter().any(|slot| slot.gate.next.is_some());
        let moves = match is_gated {
            true => {
                " Some of them change the state, in which other tools are listed: list the tools \
                again after a call."
            }
            false => "",
        };
        format!("Tools of the workspace {name}.{moves}")
    }

    fn tools(&self) -> &[ServedTool] {
        &self.served
    }

    fn available(&self) -> Vec<ToolRow> {
        self.present().available.clone()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn hidden_reason(&self, row: ToolRow) -> String {
        let Some(slot) = self.slots.get(row) else { return String::new() };
        let reasons = Filter::new(&self.present().context).hidden_reasons(&slot.gate);
        let words: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        words.join("; ")
    }

    fn run_call<'h>(
        &'h self,
        row: ToolRow,
        arguments: &'h Literal,
        channels: CallChannels,
    ) -> BoxFuture<'h, ()> {
        Box::pin(self.run(row, arguments, channels))
    }

    fn servers(&self) -> Vec<String> {
        self.servers.iter().map(|connection| connection.name.clone()).collect()
    }

    fn open_server<'h>(&'h self, name: &'h str) -> BoxFuture<'h, Result<Arc<dyn Bus>, CallError>> {
        Box::pin(async move {
            let known = self.servers.iter().find(|connection| connection.name == name);
            let connection = known.ok_or_else(|| {
                let message = format!("no tool uses a connection named \"{name}\"");
                CallError::new(ErrorKind::NoTransport, message, "list what there is")
            })?;
            self.with.registry.open_bus(connection).await
        })
    }

    fn note(&self, words: &str) {
        self.tell(words);
    }
}

/// A call on its way into the history; one that is dropped before its end was cancelled.
struct CallRecord<'h> {
    host: &'h WorkspaceHost,
    tool: &'h str,
    recorder: Option<Recorder>,
    begun: Instant,
    sent_ms: Option<u64>,
    is_ended: bool,
}

impl<'h> CallRecord<'h> {
    fn begin(host: &'h WorkspaceHost, row: ToolRow, head: &Head) -> Self {
        let recorder = host.with.history.as_ref().and_then(|history| {
            let begun = history.begin_call(head);
            begun.map_err(|problem| host.tell(&not_kept(&problem))).ok()
        });
        let tool = host.served.get(row).map_or("", |tool| tool.key.as_str());
        Self { host, tool, recorder, begun: Instant::now(), sent_ms: None, is_ended: false }
    }

    fn keep_event(&mut self, event: &Event) {
        if let Some(recorder) = &mut self.recorder
            && let Err(problem) = recorder.record_events(std::slice::from_ref(event))
        {
            self.recorder = None;
            self.host.tell(&not_kept(&problem));
        }
        if let EventKind::Sent { .. } = &event.kind {
            self.sent_ms.get_or_insert(event.at_ms);
        }
        if let EventKind::End { outcome, problem } = &event.kind {
            self.is_ended = true;
            let took = event.at_ms.saturating_sub(self.sent_ms.unwrap_or(0));
            let why = problem.as_ref().map_or_else(String::new, |problem| {
                format!(": {} ({})", problem.message, problem.kind)
            });
            let (tool, outcome) = (self.tool, outcome.as_str());
            self.host.tell(&format!("{tool} {outcome} after {took} ms{why}"));
        }
    }
}

impl Drop for CallRecord<'_> {
    fn drop(&mut self) {
        if !self.is_ended {
            let at_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            let kind = EventKind::End { outcome: Outcome::Cancelled, problem: None };
            self.keep_event(&Event { at_ms, kind });
        }
    }
}

fn not_kept(problem: &Problem) -> String {
    format!("warning: couldn't save this call in the history: {problem}")
}
