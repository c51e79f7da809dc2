//! What comes from the other side of a connection.

use crate::{
    model::{call::CallError, stage::FrameWay},
    systems::mcp::rpc::{frame::Frame, id::Id},
};

pub(crate) enum TransportArrival {
    Frame(Frame),
    /// What went with the request of this id, or came with its answer, beside the frames.
    Headers {
        id: Id,
        way: FrameWay,
        headers: Vec<(String, String)>,
    },
    /// A line of a process's standard error.
    Words(String),
    /// HTTP answered a POST with what is no frame.
    Answered {
        id: Id,
        /// 0 where there was no answer at all.
        status: u16,
        body: String,
    },
    /// Nothing more comes.
    Over(CallError),
}
