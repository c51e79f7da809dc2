//! Transports, sessions, and services that answer.
//!
//! A [`transport`] moves bytes and knows no system. One row of [`sessions`] says how a system's calls ride on transports. A [`session`]
//! joins the two for one call, from the request to the end and the strays after it. The [`registry`] opens connections at first use and keeps
//! them for the calls of this process. [`secrets`] are what that takes. A [`tap`] only looks on; what it hears may point to attachments on a
//! [`card_source`]. [`serve`] is the other side: services of our own that answer.

pub mod backoff;
pub mod card_source;
pub mod deployed;
pub mod dialogue;
pub mod management;
pub mod overhearing;
pub mod postgres;
pub mod queue;
pub mod registry;
pub mod secrets;
pub mod serve;
pub mod session;
pub mod sessions;
pub mod tap;
pub mod tls;
pub mod transport;
