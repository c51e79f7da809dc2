//! Calls that were made, kept as stubs.

use serde_json::{Map, Value};

use crate::{
    engine::mask::Mask,
    model::{
        call::{Call, Request},
        problem::Problem,
        stub::StubService,
        trace::Trace,
    },
};

/// Has calls that a stub can answer as they were answered.
pub trait Stubs: Sync {
    /// The services of a stub that answers as a call of this session was answered; several where it
    /// asked several. Secrets are masked.
    ///
    /// # Errors
    /// When the call had no answer.
    fn of_call(&self, call: &Call, mask: &Mask) -> Result<Vec<StubService>, Problem>;

    /// The same of a call in the history; `text` is its whole answer.
    ///
    /// # Errors
    /// As [`Self::of_call`].
    fn of_trace(&self, trace: &Trace, text: &str) -> Result<Vec<StubService>, Problem>;

    /// The configuration that a request carries, which rules of a stub may ask for.
    fn request_config(&self, request: &Request) -> Map<String, Value> {
        let _ = request;
        Map::new()
    }
}
