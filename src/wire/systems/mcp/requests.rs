//! What is wanted of a connection, and what waits there.

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use super::{
    asker::QuestionAnswer,
    problems::{session_gone, session_gone_meanwhile},
    tasks::Following,
};
use crate::{
    model::call::CallError,
    schema::literal::Literal,
    systems::mcp::{
        asked::ServerRequest,
        rpc::{build::Call, id::Id},
    },
    wire::transport::{message::Packet, message_queue::QueueSender},
};

/// What is wanted of a connection.
pub(crate) enum Command {
    Request {
        method: String,
        params: Map<String, Value>,
        inbox: QueueSender,
        leaving: Leaving,
    },
    /// A frame to be sent as it is, and who waits for what comes back.
    Frame {
        text: String,
        inbox: Option<QueueSender>,
    },
    Observe(QueueSender),
    /// Reports from now on which resources have changed.
    Updates(QueueSender),
    Close(oneshot::Sender<()>),
}

/// What whoever made a request learns once the server knows that nobody waits for it any more.
pub(crate) struct Leaving {
    /// Gets the frame that was sent for that, then what the server says of the request all the same.
    pub parting: Option<mpsc::Sender<Packet>>,
    /// Dropped once it is known.
    pub _left: oneshot::Sender<()>,
}

/// A request that waits for its answer.
pub(super) struct Waiting {
    pub inbox: QueueSender,
    pub leaving: Leaving,
    /// How often the server wanted to know more before it answered.
    pub rounds: u32,
    /// The task that became of it.
    pub task: Option<Following>,
    /// The server had begun to answer it.
    pub is_begun: bool,
}

impl Waiting {
    /// How it ends where the server no longer knows the session. Made again, what the server has taken
    /// could be done twice.
    pub fn session_problem(&self) -> CallError {
        match self.is_begun || self.rounds > 0 || self.task.is_some() {
            true => session_gone_meanwhile(),
            false => session_gone(),
        }
    }
}

/// A question that needs no more answering.
pub(super) enum Finished {
    /// A request of the server's own; `None`: it was withdrawn.
    Request(Id, Box<ServerRequest>, Option<QuestionAnswer>),
    /// A result that required input. Without responses it is what its caller gets.
    Result(Box<Repeat>),
    /// A task is to be asked about, or its caller has gone.
    Poll(Box<Waiting>),
    /// The caller has gone who waited for it.
    Left(Box<Waiting>),
}

/// A request that is to be repeated with what the server wanted to know.
pub(super) struct Repeat {
    pub id: Id,
    pub call: Call,
    pub waiting: Waiting,
    /// The answer as it came.
    pub text: String,
    pub state: Option<Literal>,
    pub responses: Option<Map<String, Value>>,
}
