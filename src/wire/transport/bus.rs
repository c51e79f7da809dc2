//! What every transport offers: publish to subjects, subscribe to them, and know its state.

use std::sync::Arc;

use async_nats::jetstream;
use futures::future::BoxFuture;

use super::{
    line::Line,
    message::{Address, Outgoing},
    news::News,
};
use crate::model::{call::CallProblem, connection::TransportKind};

/// Something under way that ends well or with a problem in words.
pub type Doing<'a, T> = BoxFuture<'a, Result<T, CallProblem>>;

/// Looks a secret up by the name of its environment variable.
pub type Secrets = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// An open connection.
pub trait Bus: Send + Sync {
    /// What it is made of, which says how addresses are spelled.
    fn transport(&self) -> TransportKind;

    /// Where it leads, without secrets: `nats://127.0.0.1:4222`.
    fn place(&self) -> String;

    /// What was found there, in a few words: the server's name and version.
    fn greeting(&self) -> String;

    /// Messages at a place from now on, also after the connection broke and is back. Dropping the line ends the subscription.
    fn subscribe<'a>(&'a self, at: &'a Address, share: Share) -> Doing<'a, Line>;

    /// Hands a message over. Refuses at once, with the reason, when it could not leave now.
    fn send<'a>(&'a self, message: Outgoing) -> Doing<'a, ()>;

    /// A fresh place that only this process listens to; `None` where the transport has none. Where there is none, a subscription is
    /// known to the server once it is made.
    fn inbox(&self) -> Option<Address>;

    /// What keeps messages there, where something does: JetStream.
    fn streams(&self) -> Option<jetstream::Context> {
        None
    }

    /// Its state, what the other side says about the connection itself, and how often things went wrong since it was opened.
    fn news(&self) -> &News;
}

/// Who gets a message when several subscribe to its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Every subscriber.
    Each,
    /// One of the subscribers that name the same group.
    OneOf(&'static str),
    /// Whoever only looks on: hears all and takes nothing away, makes no place that is not there, never holds a sender back. What comes
    /// faster than it is taken is let go and counted. Wildcards are heard where the transport has any, and packets say their subject.
    Aside,
}
