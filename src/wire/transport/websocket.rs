//! A gateway's socket: frames of JSON, each with the id of the request that it belongs to.
//!
//! All calls share one socket. The first frame says who we are, also where nobody needs to be
//! anyone; a frame goes to whoever listens for its id, and one that belongs to nobody goes to all
//! of them, so that it is seen.

pub(crate) mod dial;
mod link;
mod messages;
