//! Answers as TrustGraph's gateway answers, over HTTP (whole, or as a stream of events) and over
//! its WebSocket.
//!
//! | file | does |
//! | --- | --- |
//! | [`doors`] | which sample or stub answers for what behind which service |
//! | [`house`] | what both ways share: who is let in, what a request is for, who is notified of it |
//! | [`listening`] | takes connections until it is stopped |
//! | [`http`] | one request and its answer |
//! | [`socket`] | one WebSocket, on which many requests run at once |

pub mod doors;
pub mod house;
pub mod http;
pub mod listening;
pub mod socket;
