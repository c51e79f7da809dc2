//! The other side of a call: services of our own that answer on a real transport.
//!
//! [`executor`] answers CommonGround's commands, and writes the results into its tables; [`asking`] says who knows the answers.
//!
//! For TrustGraph, [`offers`] says which service answers on which queues, [`serving`] listens and answers. An answer goes to the response
//! queue that the descriptor names, with the request's header `id`, as TrustGraph's own services send it; only where the descriptor names none does it go
//! to the request's inbox. It never goes to both, because the caller listens on both and would hear everything twice.
//!
//! For TrustGraph's gateway, [`mod@gateway`] listens itself. What is said, on a bus or there, [`decided`] tells.

pub mod asking;
pub mod beside;
pub mod decided;
pub mod desk;
pub mod executor;
pub mod gateway;
pub mod offers;
pub mod serving;
