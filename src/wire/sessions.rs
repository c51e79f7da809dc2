//! How each system's calls ride on transports: one file and one row for each system that can be called.

pub mod agents;
pub mod commonground;
pub mod exchange;
pub mod multi_step;
pub mod trustgraph;

use exchange::Exchange;
use multi_step::MultiStep;

/// How one system's calls are made.
#[derive(Clone, Copy)]
pub enum CallDriver {
    /// One request, and what comes back for it on the same bus.
    Exchange(&'static dyn Exchange),
    /// Several steps, over whatever they need.
    MultiStep(&'static dyn MultiStep),
}

/// Every system that can be called.
const CALL_DRIVERS: &[CallDriver] =
    &[CallDriver::Exchange(&trustgraph::TrustGraphExchange), CallDriver::MultiStep(&commonground::CommonGroundCalls)];

/// How calls of that system are made; `None`: it has none yet.
#[must_use]
pub fn of(system: &str) -> Option<CallDriver> {
    let is_of = |manner: &CallDriver| match manner {
        CallDriver::Exchange(exchange) => exchange.system() == system,
        CallDriver::MultiStep(procedure) => procedure.system() == system,
    };
    CALL_DRIVERS.iter().copied().find(is_of)
}
