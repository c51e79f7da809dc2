//! Answering calls in the place of a system's own services: by samples, by the rules of stubs, or
//! by hand.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{
    model::{
        call::CallError, catalog::Catalog, connection::Connection, problem::Problem,
        service::Service, stub::StubService, tool::Tool,
    },
    systems::facets::by_hand::WaitingCall,
    wire::connector::Connector,
};

/// Reports on their way at most.
const QUEUE: usize = 1_024;

/// Can answer for tools.
pub trait Responder: Sync {
    /// Whether a connection leads to this system.
    fn is_at(&self, connection: &Connection) -> bool;

    /// What only some can.
    fn abilities(&self) -> ResponderAbilities;

    /// Who answers for what.
    ///
    /// # Errors
    /// When a tool is not there or cannot be answered for on that connection.
    fn prepare(&self, wanted: &ResponderRequest<'_>)
    -> Result<Box<dyn PreparedResponder>, Problem>;

    /// Answers by hand the calls of one tool, which come to that target; `None` where that is not
    /// possible.
    fn by_hand(
        &self,
        tool: String,
        target: String,
        questions: mpsc::Sender<Question>,
    ) -> Option<Box<dyn PreparedResponder>> {
        let _ = (tool, target, questions);
        None
    }
}

/// What a system can do beside answering by rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponderAbilities {
    /// A person can answer.
    pub by_hand: bool,
    /// Calls that came before can be answered.
    pub backlog: bool,
    /// The connection to name for that: `a connection with [connections.NAME.commonground]`.
    pub connection: &'static str,
}

/// What is to be answered for.
pub struct ResponderRequest<'w> {
    pub connection: &'w Connection,
    pub catalog: &'w Catalog,
    /// As somebody named them; none: all that there is a sample for.
    pub tools: &'w [String],
    pub stubs: Option<Stubs<'w>>,
    /// Who is asked for what no stub has rules for.
    pub by_hand: Option<mpsc::Sender<Question>>,
    /// Calls too that came before.
    pub backlog: bool,
    /// Where to listen instead of where the connection leads to.
    pub listen: Option<&'w str>,
    /// Finds what somebody named.
    pub lookup: &'w dyn Lookup,
    /// Takes what somebody should know before.
    pub warn: &'w dyn Fn(String),
}

/// The services of a stub file.
#[derive(Clone, Debug)]
pub struct Stubs<'w> {
    /// The file, for people.
    pub file: &'w str,
    pub services: Vec<StubService>,
}

/// Finds what somebody named, or says what is near.
pub trait Lookup {
    /// The tool that a word means.
    fn find_tool(&self, word: &str) -> Result<&Tool, Problem>;

    /// The service that a word means, or that the tool of that word has.
    fn find_service(&self, word: &str) -> Result<&Service, Problem>;
}

/// Knows who answers for what, and listens to nothing yet.
pub trait PreparedResponder: Send {
    /// Listens. Once this is done, every call is received.
    fn start<'a>(
        self: Box<Self>,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Box<dyn Responding>, CallError>>;
}

/// Listens already.
pub trait Responding: Send {
    /// What is odd about the start.
    fn warnings(&self) -> Vec<String>;

    /// What is listened to and for whom, line by line.
    fn listening_lines(&self) -> Vec<String>;

    /// What is served, for those who look for services there; nothing where that can't be
    /// announced.
    fn announced_services(&self) -> Vec<ServedTarget> {
        Vec::new()
    }

    /// What the connection says from now on: that it broke, that it is there again. `None`: it has
    /// none.
    fn connection_notices(&self) -> Option<broadcast::Receiver<String>> {
        None
    }

    /// The last address that is listened to.
    fn last_address(&self) -> String;

    /// Answers calls, several at once, until `stop`. Reports that nobody takes in time are left
    /// out.
    fn run(
        self: Box<Self>,
        reports: mpsc::Sender<Report>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, ()>;
}

/// Something that is served.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedTarget {
    /// Its name, as in the reports.
    pub name: String,
    /// In a sentence; may be empty.
    pub about: String,
    /// Where its requests go.
    pub subject: String,
    /// Who share the requests there.
    pub group: String,
    /// Its entries, as a file of a workspace could hold them.
    pub descriptor: Value,
}

/// What became of one call.
#[derive(Clone, Debug)]
pub struct Report {
    /// As in the question of it, where there was one.
    pub number: u64,
    pub tool: String,
    pub caller: String,
    /// What was done, for people.
    pub words: String,
    /// Whether the caller has its answer.
    pub answered: bool,
    pub problem: Option<CallError>,
    /// All of it in one line.
    pub line: String,
    /// What belongs below that line.
    pub details: Vec<String>,
    /// The same for programs.
    pub json: Value,
}

/// A call that waits for an answer by hand.
#[derive(Debug)]
pub struct Question {
    pub asking: Asking,
    /// Dropped, or given none, it leaves the call without an answer.
    pub reply: oneshot::Sender<Option<Value>>,
}

/// What is asked.
#[derive(Debug)]
pub struct Asking {
    /// As in what is notified of it in the end.
    pub number: u64,
    pub waiting: Arc<dyn WaitingCall>,
    pub arguments: Map<String, Value>,
    /// The answer before could not be written.
    pub failed: Option<CallError>,
}

/// Runs what reports in its own terms, and passes its reports on.
pub(crate) async fn forward_reports<T, F>(
    run: impl FnOnce(mpsc::Sender<T>) -> F,
    reports: mpsc::Sender<Report>,
) where
    T: Into<Report>,
    F: Future<Output = ()>,
{
    let (sender, mut own) = mpsc::channel::<T>(QUEUE);
    let passing = async {
        while let Some(report) = own.recv().await {
            if reports.send(report.into()).await.is_err() {
                return;
            }
        }
    };
    tokio::join!(run(sender), passing);
}
