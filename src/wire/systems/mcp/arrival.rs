//! What comes from the other side of a connection.

use crate::{
    model::call::CallError,
    systems::mcp::rpc::{frame::Frame, id::Id},
};

pub(crate) enum TransportArrival {
    Frame(Frame),
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
