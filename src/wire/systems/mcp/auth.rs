//! Authorization over HTTP, live: [`fetch`] makes its requests, [`walk`] looks at the documents of
//! a server, [`grants`] keeps what was got, [`sign_in`] gets it with the user, [`unattended`]
//! without, by the [`tokens`] of an authorization server for who can be [`signing`] where that is
//! wanted; [`authority`] uses it on a connection, [`report`] says a person.

pub mod authority;
pub mod fetch;
pub mod grants;
pub mod report;
pub mod sign_in;
mod signing;
pub mod tokens;
mod unattended;
pub mod walk;
