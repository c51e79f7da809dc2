//! What comes from the other side of a connection.

use crate::{
    model::call::CallError,
    systems::mcp::rpc::{frame::Frame, id::Id},
    wire::transport::message::Packet,
};

pub(crate) enum TransportArrival {
    Frame(Frame),
    /// What went with the request of this id, or came with its answer, beside the frames: for who
    /// waits for it.
    Beside {
        id: Id,
        told: Packet,
    },
    /// A line of a process's standard error.
    Words(String),
    /// HTTP answered a POST with what is no frame.
    Answered {
        id: Id,
        /// 0 where there was no answer at all.
        status: u16,
        body: String,
        /// The request went with the id of a session.
        in_session: bool,
        /// It asked for the rest of an answer that the server had begun.
        is_resumed: bool,
    },
    /// Nothing more comes.
    Over(CallError),
}
