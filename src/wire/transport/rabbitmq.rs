//! RabbitMQ through lapin: durable fanout exchanges, and queues bound to them for who listens.
//!
//! A message goes to an exchange with the routing key empty. Who shares with others listens on a
//! queue that all of the group share; who wants everything has a queue of its own, which goes with
//! the connection. Taken messages are acknowledged once they are in the line, so a slow listener
//! holds the broker back and nothing is dropped.

mod bounded;
pub(crate) mod dial;
mod link;
mod messages;
