//! What is kept of what was received: messages, and marks between them.

use std::{borrow::Cow, sync::Arc};

use crate::model::traffic::{ObservedMessage, Tapped};

/// A message that is kept.
#[derive(Clone, Debug)]
pub struct Message {
    /// Counts from 1.
    pub number: u64,
    pub crossing: Arc<ObservedMessage>,
    /// The conversation that it belongs to; where that is part of another, it is received there as
    /// well.
    pub conversation: u64,
    pub label: Cow<'static, str>,
}

/// A gap, or words about the connection, and the message that it comes after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrafficMark {
    pub after: u64,
    pub what: Tapped,
}
