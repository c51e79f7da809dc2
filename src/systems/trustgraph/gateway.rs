//! TrustGraph's gateway: what goes to its services and what their answers mean, over HTTP and over
//! WebSocket.
//!
//! [`endpoints`] says which service is behind a type of tool and what it is sent, [`answer`] reads
//! what comes back piece by piece, and [`messages`] distinguishes the gateway's errors: several of
//! them look like success. The gateway's own side, for stubs: [`served`] says what a request asks
//! and what a service answers, [`refusal`] what is said to a request that goes to none.

pub mod answer;
pub mod endpoints;
pub mod messages;
pub mod refusal;
pub mod rehearsal;
pub mod served;
pub mod table;
