//! One request sent many times, a few at once, to see how long it takes.

use std::collections::HashSet;

use crate::{
    engine::series::CallSeries,
    model::{
        call::{CallId, Request},
        clock::Millis,
    },
};

#[derive(Clone, Debug)]
pub struct CallBatch {
    pub request: Request,
    /// The connection's name.
    pub connection: String,
    pub began: Millis,
    pub times: usize,
    pub at_once: usize,
    /// How many are still to be sent.
    pub waiting: usize,
    pub running: HashSet<CallId>,
    pub series: CallSeries,
}

impl CallBatch {
    #[must_use]
    pub fn under_way(&self) -> bool {
        self.waiting > 0 || !self.running.is_empty()
    }
}
