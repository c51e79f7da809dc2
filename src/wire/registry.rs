//! Open connections, shared by the calls of this process.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex as Lock, PoisonError},
    time::Duration,
};

use futures::future::BoxFuture;
use serde_json::Value;
use tokio::{
    sync::{Mutex, mpsc, watch},
    task::AbortHandle,
};

use super::{
    connector::{Connector, States},
    secrets::{Consent, Secrets, Variables, not_allowed},
    session, stub_call,
    systems::{
        facets::{
            multi_step::CallMemory,
            opener::{OpenedConnection, Opening, Questions, Tell},
            own_agents::OwnAgents,
        },
        live::CallDriver,
        table::{self, every_live_system},
    },
    transport::{
        self,
        bus::{Bus, BusFuture},
        process,
    },
};
use crate::{
    engine::{template, variables},
    model::{
        call::{CallError, Event, Limits, Request},
        connection::{Connection, ConnectionState},
        error_kind::ErrorKind,
        problem::Problem,
    },
    systems::{permission::Permission, sending::Sending},
    wire::spawning::spawn,
};

/// How long what is left to be done after a call may hold up the end of the process.
const SETTLING: Duration = Duration::from_secs(3);

/// Connections by name, opened at first use and kept until the registry is dropped.
pub struct Registry {
    secrets: Secrets,
    kept: CallMemory,
    /// The folder of the workspace that connections are opened for.
    workspace: Option<PathBuf>,
    questions: Option<Questions>,
    tell: Option<Tell>,
    slots: Lock<HashMap<String, Arc<Mutex<Option<Open>>>>>,
    states: watch::Sender<States>,
}

/// An open connection, and the settings that it was opened with.
struct Open {
    settings: Connection,
    bus: Arc<dyn Bus>,
    /// What runs beside it: the watch on its state, and for embedded the services.
    beside: Vec<AbortHandle>,
}

impl Drop for Open {
    fn drop(&mut self) {
        for task in &self.beside {
            task.abort();
        }
    }
}

impl Default for Registry {
    /// Secrets come from the environment alone.
    fn default() -> Self {
        Self::new(Arc::new(|variable| std::env::var(variable).ok()))
    }
}

impl Registry {
    /// Secrets come from these variables; there is no key store.
    #[must_use]
    pub fn new(variables: Variables) -> Self {
        Self::with_secrets(Secrets::new(variables))
    }

    #[must_use]
    pub fn with_secrets(secrets: Secrets) -> Self {
        Self {
            secrets,
            kept: CallMemory::default(),
            workspace: None,
            questions: None,
            tell: None,
            slots: Lock::default(),
            states: watch::Sender::default(),
        }
    }

    /// Remembers agents of our own in this folder, which is made when it is needed.
    #[must_use]
    pub fn keeping_agents(mut self, folder: PathBuf) -> Self {
        self.kept.agents = OwnAgents::in_folder(folder);
        self
    }

    /// Opens connections for the workspace of this folder, where something may be kept of the other
    /// side.
    #[must_use]
    pub fn in_workspace(mut self, root: &Path) -> Self {
        self.workspace = Some(root.to_owned());
        self
    }

    /// The folder of the workspace that connections are opened for.
    #[must_use]
    pub fn workspace(&self) -> Option<&Path> {
        self.workspace.as_deref()
    }

    /// Hands on what servers ask a person; without it, nobody answers.
    #[must_use]
    pub fn with_questions(mut self, questions: Questions) -> Self {
        self.questions = Some(questions);
        self
    }

    /// Says what has changed at the other side of a connection while nobody asks it; without it,
    /// nobody looks.
    #[must_use]
    pub fn telling(mut self, tell: Tell) -> Self {
        self.tell = Some(tell);
        self
    }

    /// Asks this before a server is started or a secret leaves this machine; without it, neither
    /// happens.
    #[must_use]
    pub fn asking(mut self, consent: Consent) -> Self {
        self.secrets = self.secrets.asking(consent);
        self
    }

    /// What the connection needs the user's consent for to be opened, and doesn't have it.
    #[must_use]
    pub fn not_allowed(&self, connection: &Connection) -> Option<Permission> {
        let placed = self.placed(connection);
        let mut wanted = opening_permissions(&placed);
        wanted.find(|permission| !self.secrets.is_allowed(permission))
    }

    /// Whether the connection needs the user's consent to be opened, and has it.
    #[must_use]
    pub fn was_allowed(&self, connection: &Connection) -> bool {
        let placed = self.placed(connection);
        let mut wanted = opening_permissions(&placed).peekable();
        wanted.peek().is_some() && wanted.all(|permission| self.secrets.is_allowed(&permission))
    }

    /// All that this connection of the workspace needs the user's consent for.
    pub fn permissions_of(&self, connection: &Connection) -> Vec<Permission> {
        permissions_of(&self.placed(connection))
    }

    /// The folder of a server counts from the workspace's.
    fn placed(&self, connection: &Connection) -> Connection {
        let connection = connection.clone();
        match &self.workspace {
            Some(root) => connection.placed_in(root),
            None => connection,
        }
    }

    /// How secrets are looked up.
    #[must_use]
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Runs one call to its end and sends its events, `EventKind::End` exactly once, and after it
    /// only strays and receipts. Waits when `events` is full. Dropping the future cancels the call;
    /// what is sent for that, and what comes all the same, may follow. Until this is taken, or the
    /// receiver is dropped, [`Self::close`] waits.
    pub fn run_call<'a>(
        &'a self,
        connection: &'a Connection,
        request: Request,
        limits: Limits,
        events: mpsc::Sender<Event>,
    ) -> BoxFuture<'a, ()> {
        // In a box, so that the program has the code once and not in each of its callers.
        Box::pin(async move {
            let limits = limits.over(connection, &request.name);
            if let Some(mock) = &request.mock {
                let arguments = variables::fill_arguments(&request.arguments, connection);
                return stub_call::answer_mock(mock, &arguments, limits, events).await;
            }
            let driver = table::by_id(request.system).and_then(|system| system.call_driver());
            let system = request.system;
            // The last thing before it is sent: nobody else gets to know the values.
            let filled = match self.variable_values(connection, &request).await {
                Ok(values) => self.with_variables(connection, request.clone(), &values),
                Err(problem) => Err(problem),
            };
            let (request, unknown) = match filled {
                Ok(filled) => (filled, None),
                Err(problem) => (request, Some(problem)),
            };
            let mut begun = session::begin_call(request, limits, events);
            begun.hide_secrets(&self.secrets);
            if let Some(problem) = unknown {
                return begun.fail_call(problem).await;
            }
            let Some(driver) = driver else {
                let problem = match transport::is_built_in(connection.transport()) {
                    true => not_callable(system),
                    false => no_transport(connection),
                };
                return begun.fail_call(problem).await;
            };
            let mut waiting = Some(begun);
            while let Some(mut begun) = waiting.take() {
                let bus = match self.open_bus(connection).await {
                    Ok(bus) => bus,
                    Err(problem) => return begun.fail_call(problem).await,
                };
                begun.start_limits();
                match driver {
                    CallDriver::Exchange(exchange) => begun.run_exchange(&*bus, exchange).await,
                    CallDriver::MultiStep(procedure) => {
                        let with = session::ProcedureContext {
                            connection,
                            bus: &*bus,
                            secrets: &self.secrets,
                            kept: &self.kept,
                        };
                        waiting = begun.run_multi_step(procedure, with).await;
                    }
                }
            }
        })
    }

    /// The values of the variables of the settings that a request still names: its secrets, and all
    /// where it is that of no tool; also those of its arguments that are defined here, which a request
    /// that is sent again may name although its body has other values.
    async fn variable_values(
        &self,
        connection: &Connection,
        request: &Request,
    ) -> Result<BTreeMap<String, Value>, CallError> {
        let mut values = BTreeMap::new();
        for name in template::request_variables(request) {
            let variable = connection.variables.get(name).ok_or_else(|| {
                let words = variables::undefined_words(name, connection);
                CallError::new(ErrorKind::NoVariable, words, variables::DEFINE)
            })?;
            let value = self.secrets.resolve_variable(connection, name, variable).await?;
            values.insert(name.to_owned(), value);
        }
        for name in template::variable_names(&request.arguments) {
            if let (false, Some(variable)) =
                (values.contains_key(name), connection.variables.get(name))
            {
                let value = self.secrets.resolve_variable(connection, name, variable).await?;
                values.insert(name.to_owned(), value);
            }
        }
        Ok(values)
    }

    /// The request with the environment's variables in the places that name them, and these values
    /// of others.
    fn with_variables(
        &self,
        connection: &Connection,
        request: Request,
        values: &BTreeMap<String, Value>,
    ) -> Result<Request, CallError> {
        let refused = Cell::new(None);
        let variable = |name: &str| {
            self.secrets.variable_for(connection, name).unwrap_or_else(|problem| {
                refused.set(Some(problem));
                None
            })
        };
        let filled = template::with_environment(request, &variable, values);
        refused.into_inner().map_or(filled, Err)
    }

    /// Waits for what cancelled calls left to be done, such as closing an inbox, for as long as a
    /// user may be kept waiting.
    pub async fn wait_settled(&self) {
        let _ = tokio::time::timeout(SETTLING, self.kept.wait_settled()).await;
    }

    /// The state of every connection that was ever asked for, by name; changes wake the receiver.
    #[must_use]
    pub fn connection_states(&self) -> watch::Receiver<States> {
        self.states.subscribe()
    }

    /// Opens the connection if it is not open, and says how that went.
    pub async fn test_connection(&self, connection: &Connection) -> Result<String, Problem> {
        match self.open_bus(connection).await {
            Ok(bus) => Ok(bus.greeting()),
            Err(problem) => Err(connecting_problem(connection, problem)),
        }
    }

    /// Ends the connection of that name in the way of its transport: the next use opens it again, and
    /// starts its server where a command does that. Calls that still run through it end with that.
    pub async fn close_connection(&self, name: &str) {
        let slot = {
            let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.get(name).map(Arc::clone)
        };
        let Some(slot) = slot else { return };
        if let Some(open) = slot.lock().await.take() {
            open.bus.close().await;
        }
    }

    /// The open connection of these settings. Settings that changed under the same name close the
    /// old one.
    pub fn open_bus<'a>(&'a self, connection: &'a Connection) -> BusFuture<'a, Arc<dyn Bus>> {
        Box::pin(async move {
            let placed = self.placed(connection);
            let connection = &placed;
            let slot = {
                let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(slots.entry(connection.name.clone()).or_default())
            };
            // Held while connecting, so that calls that start together share one connection.
            let mut slot = slot.lock().await;
            if let Some(open) = slot.as_ref().filter(|open| {
                open.settings.leads_as(connection) && open.bus.close_reason().is_none()
            }) {
                return Ok(Arc::clone(&open.bus));
            }
            *slot = None;
            self.set_state(&connection.name, ConnectionState::Connecting);
            let opened = match self.not_allowed(connection) {
                Some(permission) => Err(not_allowed(connection, &permission, "")),
                None => self.opened(connection).await,
            };
            match opened {
                Ok(bus) => {
                    let beside = self.spawn_companions(connection, &bus).await?;
                    *slot =
                        Some(Open { settings: connection.clone(), bus: Arc::clone(&bus), beside });
                    Ok(bus)
                }
                Err(problem) => {
                    let problem = self.secrets.hidden_in(problem);
                    self.set_state(
                        &connection.name,
                        ConnectionState::Failed(connecting_problem(connection, problem.clone())),
                    );
                    Err(problem)
                }
            }
        })
    }

    async fn opened(&self, connection: &Connection) -> Result<Arc<dyn Bus>, CallError> {
        let mut openers = every_live_system().iter().filter_map(|system| system.opener());
        if let Some(opener) = openers.find(|opener| opener.is_at(connection)) {
            let opening = Opening {
                connection,
                secrets: &self.secrets,
                workspace: self.workspace.as_deref(),
                questions: self.questions.as_ref(),
            };
            return opener.open(opening).await;
        }
        match transport::open_bus(connection, &self.secrets) {
            Some(opening) => opening.await,
            None => Err(no_transport(connection)),
        }
    }

    /// Ends all connections in the ways of their transports, once what calls left to be done is
    /// done.
    pub async fn close(&self) {
        self.wait_settled().await;
        let slots = std::mem::take(&mut *self.slots.lock().unwrap_or_else(PoisonError::into_inner));
        let closing = slots.into_values().map(|slot| async move {
            if let Some(open) = slot.lock().await.take() {
                open.bus.close().await;
            }
        });
        futures::future::join_all(closing).await;
    }

    /// Starts what runs beside a connection; embedded services listen once this is done.
    async fn spawn_companions(
        &self,
        connection: &Connection,
        bus: &Arc<dyn Bus>,
    ) -> Result<Vec<AbortHandle>, CallError> {
        let (states, name, mut state) = (
            self.states.clone(),
            connection.name.clone(),
            bus.connection_events().state.subscribe(),
        );
        self.set_state(&name, state.borrow_and_update().clone());
        let watching = spawn(async move {
            while state.changed().await.is_ok() {
                let now = state.borrow_and_update().clone();
                states.send_modify(|states| drop(states.insert(name.clone(), now)));
            }
        });
        let mut beside = vec![watching.abort_handle()];
        beside.extend(self.watch_beside(connection, bus));
        if connection.is_embedded() {
            for embedded in every_live_system().iter().filter_map(|system| system.embedded()) {
                let serving = spawn(embedded.serve_samples(Arc::clone(bus)).await?);
                beside.push(serving.abort_handle());
            }
        }
        Ok(beside)
    }

    /// What its system does beside a connection.
    fn watch_beside(&self, connection: &Connection, bus: &Arc<dyn Bus>) -> Option<AbortHandle> {
        let mut openers = every_live_system().iter().filter_map(|system| system.opener());
        let opener = openers.find(|opener| opener.is_at(connection))?;
        let opened = OpenedConnection {
            name: connection.name.clone(),
            bus: Arc::downgrade(bus),
            workspace: self.workspace.clone()?,
            mask: self.secrets.mask(),
            tell: Arc::clone(self.tell.as_ref()?),
        };
        Some(spawn(opener.watch(opened)?).abort_handle())
    }

    fn set_state(&self, name: &str, state: ConnectionState) {
        self.states.send_modify(|states| drop(states.insert(name.to_owned(), state)));
    }
}

impl Connector for Registry {
    fn open_bus<'a>(&'a self, connection: &'a Connection) -> BusFuture<'a, Arc<dyn Bus>> {
        self.open_bus(connection)
    }

    fn run_call<'a>(
        &'a self,
        connection: &'a Connection,
        request: Request,
        limits: Limits,
        events: mpsc::Sender<Event>,
    ) -> BoxFuture<'a, ()> {
        self.run_call(connection, request, limits, events)
    }

    fn connection_states(&self) -> watch::Receiver<States> {
        self.connection_states()
    }

    fn secrets(&self) -> &Secrets {
        self.secrets()
    }
}

/// All that a connection needs the user's consent for: to be opened, and to send the secrets that
/// requests may name.
#[must_use]
pub(crate) fn permissions_of(connection: &Connection) -> Vec<Permission> {
    let named = connection.variable_secrets();
    let named = named.filter_map(|at| Sending::of_named(connection, at)).map(Permission::Send);
    opening_permissions(connection).chain(named).collect()
}

/// What a connection needs the user's consent for before its first use.
fn opening_permissions(connection: &Connection) -> impl Iterator<Item = Permission> {
    let start = process::start_of(connection).map(Permission::Start);
    let beside = connection.settings.values().flat_map(|settings| settings.connections.values());
    let sendings = std::iter::once(connection).chain(beside).filter_map(Sending::of);
    start.into_iter().chain(sendings.map(Permission::Send))
}

fn connecting_problem(connection: &Connection, problem: CallError) -> Problem {
    problem.while_doing(format!("connecting \"{}\"", connection.name))
}

fn not_callable(system: &str) -> CallError {
    CallError {
        kind: ErrorKind::NotCallable,
        message: format!("tools of {system} run only inside it"),
        remedy: "mock its answer, or call the tool through its MCP server if it has one".into(),
    }
}

fn no_transport(connection: &Connection) -> CallError {
    CallError {
        kind: ErrorKind::NoTransport,
        message: format!(
            "connection \"{}\" needs {}, which this program was built without",
            connection.name,
            connection.transport().as_str()
        ),
        remedy: "choose another connection, or install toolcrib with all its features".into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        model::{
            call::{EventKind, Outcome},
            connection::{RequestVariable, ServerCommand},
            entry::{EntryId, EntryPlace, FileId},
            stub::{AnswerPiece, MockCall, Rule, StubAnswer, StubService},
        },
        schema::pointer::Pointer,
        systems::trustgraph::request,
    };

    fn request(topic: &str, config: &serde_json::Value, arguments: &serde_json::Value) -> Request {
        let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::default());
        let map = |value: &serde_json::Value| value.as_object().cloned().unwrap_or_default();
        Request {
            tool: EntryId::new(place),
            system: "trustgraph",
            name: topic.into(),
            to: format!("request:tg:{topic}"),
            reply: Some(format!("response:tg:{topic}")),
            headers: vec![("id".into(), "r-1".into())],
            correlation: "r-1".into(),
            arguments: arguments.to_string().into(),
            body: request::request_body("alice", &map(config), &arguments.to_string()),
            mock: None,
        }
    }

    async fn events_of(
        registry: &Registry,
        connection: &Connection,
        request: Request,
    ) -> Vec<EventKind> {
        let (sender, mut receiver) = mpsc::channel::<Event>(16);
        let limits = Limits { linger: std::time::Duration::ZERO, ..Limits::default() };
        let collect = async {
            let mut kinds = Vec::new();
            while let Some(event) = receiver.recv().await {
                kinds.push(event.kind);
            }
            kinds
        };
        tokio::join!(registry.run_call(connection, request, limits, sender), collect).1
    }

    fn text(kinds: &[EventKind]) -> String {
        let of = |kind: &EventKind| match kind {
            EventKind::Chunk { text, .. } => Some(text.to_string()),
            _ => None,
        };
        kinds.iter().filter_map(of).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn embedded_services_answer_and_stream() {
        let (registry, embedded) = (Registry::default(), Connection::embedded());
        let kinds = events_of(
            &registry,
            &embedded,
            request("calc", &json!({}), &json!({"expression": "6 * 7"})),
        )
        .await;
        assert_eq!(text(&kinds), "42");
        let question = json!({"question": "What are the top customer complaints?"});
        let kinds = events_of(
            &registry,
            &embedded,
            request("custom-rag", &json!({"collection": "customers"}), &question),
        )
        .await;
        let pieces = kinds.iter().filter(|kind| matches!(kind, EventKind::Chunk { .. })).count();
        assert!(pieces > 5 && text(&kinds).contains("late deliveries (41 %)"), "{kinds:?}");
        assert_eq!(
            kinds.last(),
            Some(&EventKind::End { outcome: Outcome::Succeeded, problem: None })
        );
        assert_eq!(
            registry.connection_states().borrow().get("embedded"),
            Some(&ConnectionState::Connected)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn embedded_says_who_is_not_there_and_what_a_service_refuses() {
        let (registry, embedded) = (Registry::default(), Connection::embedded());
        let ended = |kinds: Vec<EventKind>| match kinds.last() {
            Some(EventKind::End { outcome, problem: Some(problem) }) => {
                (*outcome, problem.kind.clone())
            }
            other => panic!("{other:?}"),
        };
        let nobody =
            events_of(&registry, &embedded, request("nobody", &json!({}), &json!({}))).await;
        assert_eq!(ended(nobody), (Outcome::Lost, ErrorKind::NoResponders));
        let zero = events_of(
            &registry,
            &embedded,
            request("calc", &json!({}), &json!({"expression": "1/0"})),
        )
        .await;
        assert_eq!(ended(zero), (Outcome::Failed, ErrorKind::parse("division-by-zero")));
        let foreign = Request { system: "elsewhere", ..request("calc", &json!({}), &json!({})) };
        assert_eq!(
            ended(events_of(&registry, &embedded, foreign).await),
            (Outcome::Lost, ErrorKind::NotCallable)
        );
    }

    #[tokio::test]
    async fn variables_that_only_arguments_name_count_where_they_are_defined() {
        let mut embedded = Connection::embedded();
        embedded.variables.insert("shop".into(), RequestVariable::Shown(json!("main")));
        let arguments = r#"{"a":"{{var.shop}}","b":"{{var.gone}}"}"#.into();
        let made = Request { arguments, ..request("calc", &json!({}), &json!({})) };
        let values = Registry::default().variable_values(&embedded, &made).await.unwrap();
        assert_eq!(values, BTreeMap::from([("shop".to_owned(), json!("main"))]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_mock_has_the_time_of_the_connection_that_it_is_called_over() {
        let late = StubAnswer {
            pieces: vec![AnswerPiece { text: "at last".into(), after: None }],
            delay: Duration::from_secs(60),
            ..StubAnswer::default()
        };
        let rules = vec![Rule { then: late, ..Rule::default() }];
        let service = Arc::new(StubService { rules, ..StubService::default() });
        let mocked = || Request {
            mock: Some(Arc::new(MockCall { service: Arc::clone(&service), ..MockCall::default() })),
            ..request("late", &json!({}), &json!({}))
        };
        let registry = Registry::default();
        let ended = events_of(&registry, &Connection::embedded(), mocked()).await;
        let Some(EventKind::End { outcome, .. }) = ended.last() else { panic!("{ended:?}") };
        assert_eq!(*outcome, Outcome::TimedOut);
        let slow = Connection { timeout: Some(Duration::from_secs(120)), ..Connection::embedded() };
        assert_eq!(text(&events_of(&registry, &slow, mocked()).await), "at last");
    }

    #[test]
    fn only_what_needs_consent_and_has_it_was_allowed() {
        let command = ServerCommand { command: "sh".into(), ..ServerCommand::default() };
        let server = Connection::process("s", command);
        let open = Connection::http("h", "https://example.com");
        let registry = || Registry::new(Arc::new(|_| None));
        assert!(!registry().was_allowed(&server) && !registry().was_allowed(&open));
        let agreed = registry().asking(Arc::new(|_| true));
        assert!(agreed.was_allowed(&server));
        assert!(!agreed.was_allowed(&open), "nobody was asked");
    }

    #[tokio::test]
    async fn a_connection_without_its_secret_fails_in_words_and_shows_it() {
        let registry = Registry::new(Arc::new(|_| None));
        let credentials = crate::model::connection::Credentials::Token {
            token: crate::model::connection::SecretAt::Variable("MY_TOKEN".into()),
        };
        let connection =
            Connection { credentials, ..Connection::nats("prod", "nats://127.0.0.1:1") };
        let problem = registry.test_connection(&connection).await.unwrap_err();
        assert!(problem.to_string().contains("MY_TOKEN"), "{problem}");
        assert!(matches!(
            registry.connection_states().borrow().get("prod"),
            Some(ConnectionState::Failed(_))
        ));
    }
}
