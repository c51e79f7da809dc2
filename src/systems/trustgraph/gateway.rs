//! TrustGraph's gateway: what goes to its services and what their answers mean, over HTTP and over WebSocket.
//!
//! [`endpoints`] says which service stands behind a type of tool and what it is sent, [`answer`] reads what comes back piece by piece, and
//! [`words`] tells the gateway's errors apart: several of them look like success.

pub mod answer;
pub mod endpoints;
pub mod words;
