//! Authorization over HTTP: how a token for a server is found and got, as documents and decisions.
//!
//! [`challenge`] reads what a server says with its refusal, [`places`] says where its documents are
//! looked for, [`documents`] reads and checks them, [`scopes`] and [`clients`] decide what is asked
//! for and as whom, [`requests`] writes the requests, [`jwt`] what is signed of them, [`answers`]
//! reads what comes back.

pub mod answers;
pub mod challenge;
pub mod clients;
pub mod documents;
pub mod jwt;
pub mod places;
pub mod requests;
pub mod scopes;
