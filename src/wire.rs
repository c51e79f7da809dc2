//! Transports, the life of a call, and what each system does on the wire.
//!
//! A [`transport`] moves bytes and knows no system. One row of [`systems`] says what a system does
//! over transports: how its calls ride on them, how what is deployed is read and written, who
//! answers in its place. A [`session`] joins the two for one call, from the request to the end and
//! the strays after it. The [`registry`] opens connections at first use and keeps them for the
//! calls of this process; systems see it as a [`connector`]. [`secrets`] are what that takes. A
//! [`tap`] only looks on; what it hears may point to attachments on a [`card_source`]. An [`agent`]
//! is asked like a tool, and said step by step; a [`model_endpoint`] is a model itself. What waits between two of them is bounded by a
//! [`byte_budget`], or in a [`queue`] of so many places. [`accepting`] is where others connect to, and [`guard`] says whose requests are let in;
//! [`locked`] compares what is there with what the workspace locked. [`discovery`] asks on a connection which services are there, and announces ours. [`now`] is the clock; a [`stub_call`] is answered within this process. What runs beside
//! something else is started by [`spawning`].

pub mod accepting;
pub mod agent;
pub mod backoff;
pub mod byte_budget;
pub mod card_source;
pub mod connector;
pub mod deployed;
pub mod discovery;
pub mod guard;
pub mod locked;
pub mod management;
pub mod model_endpoint;
pub mod now;
#[cfg(feature = "nats")]
pub(crate) mod plain_file;
pub mod postgres;
pub mod queue;
pub mod registry;
pub mod secrets;
pub mod session;
pub(crate) mod spawning;
pub mod stub_call;
pub mod systems;
pub mod tap;
pub mod tls;
pub mod transport;
