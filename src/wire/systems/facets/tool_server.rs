//! Serving tools, whichever system they are of, to clients of a system's own protocol.

use std::{net::SocketAddr, sync::Arc};

use futures::future::BoxFuture;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::responder::Question;
use crate::{
    model::{
        call::{CallError, Event},
        problem::Problem,
    },
    schema::literal::Literal,
    systems::facets::served::ServedTool,
    wire::transport::bus::Bus,
};

/// Can serve tools.
pub trait ToolServer: Sync {
    /// Serves one client over its pipes, until these end or `stop`.
    fn serve_pipes(
        &self,
        host: Arc<dyn ToolHost>,
        pipes: Pipes,
        stop: CancellationToken,
    ) -> BoxFuture<'static, ()>;

    /// Listens for clients over HTTP.
    ///
    /// # Errors
    /// When the address is not ours to listen at.
    fn listen(
        &self,
        host: Arc<dyn ToolHost>,
        place: ListenPlace,
    ) -> BoxFuture<'static, Result<Box<dyn ListeningServer>, Problem>>;
}

/// Where to listen, and for whom.
pub struct ListenPlace {
    pub address: String,
    /// What a client has to send with each request; `None`: any may ask.
    pub token: Option<String>,
}

/// Listens already.
pub trait ListeningServer: Send {
    /// What a client is configured with.
    fn url(&self) -> String;

    /// Where it listens.
    fn address(&self) -> SocketAddr;

    /// Serves clients until `stop`.
    fn run(self: Box<Self>, stop: CancellationToken) -> BoxFuture<'static, ()>;
}

/// What a client writes, and what it reads.
pub struct Pipes {
    /// Bytes, however they are cut; it ends when the client has closed its end.
    pub input: mpsc::Receiver<Vec<u8>>,
    /// Lines without their ends.
    pub output: mpsc::Sender<String>,
}

/// A tool's place among those of a host.
pub type ToolRow = usize;

/// Has tools, knows which of them are available, and runs calls of them.
pub trait ToolHost: Send + Sync + 'static {
    /// What it is, for people.
    fn title(&self) -> String;

    /// What a model should know before it uses the tools.
    fn instructions(&self) -> String;

    /// All tools, available or not; they stay the same.
    fn tools(&self) -> &[ServedTool];

    /// The rows of those that are available now, in order.
    fn available(&self) -> Vec<ToolRow>;

    /// Changes when other tools are available.
    fn changes(&self) -> watch::Receiver<u64>;

    /// Why a tool is not available.
    fn hidden_reason(&self, row: ToolRow) -> String;

    /// Calls a tool with arguments that are an object, and says every event, the end exactly once.
    /// Dropping it cancels the call.
    fn run_call<'h>(
        &'h self,
        row: ToolRow,
        arguments: &'h Literal,
        channels: CallChannels,
    ) -> BoxFuture<'h, ()>;

    /// The servers behind the tools that speak a protocol with more than tools, by the names of
    /// their connections.
    fn servers(&self) -> Vec<String>;

    /// The open connection to one of them.
    ///
    /// # Errors
    /// When it cannot be reached.
    fn open_server<'h>(&'h self, name: &'h str) -> BoxFuture<'h, Result<Arc<dyn Bus>, CallError>>;

    /// Says something to whoever runs the server.
    fn note(&self, words: &str);
}

/// Where a call says what comes of it.
pub struct CallChannels {
    pub events: mpsc::Sender<Event>,
    /// What a server behind the tool asks meanwhile; who drops a question declines it.
    pub questions: mpsc::Sender<Question>,
}
