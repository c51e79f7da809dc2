//! Pulsar through a client of our own, which needs neither `protoc` nor C: topics are looked up,
//! produced to and subscribed to.
//!
//! Who wants everything subscribes under a name of their own that the broker forgets with the
//! connection; who shares with others subscribes under the group's name. On topics that keep their
//! messages a slow listener holds the broker back. On those that do not, the broker would throw
//! away what is not taken at once, so it is taken, and what has no room in the line is counted.

mod commands;
pub(crate) mod dial;
pub(crate) mod frame;
mod link;
mod meet;
mod messages;
mod wire;
