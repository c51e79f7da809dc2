//! How each system's calls ride on transports: one file and one row for each system that can be called.

pub mod agents;
pub mod commonground;
pub mod procedure;
pub mod ride;
pub mod trustgraph;

use procedure::Procedure;
use ride::Ride;

/// How one system's calls are made.
#[derive(Clone, Copy)]
pub enum Manner {
    /// One request, and what comes back for it on the same bus.
    Ride(&'static dyn Ride),
    /// Several steps, over whatever they need.
    Procedure(&'static dyn Procedure),
}

/// Every system that can be called.
const MANNERS: &[Manner] = &[Manner::Ride(&trustgraph::TrustGraphRide), Manner::Procedure(&commonground::CommonGroundCalls)];

/// How calls of that system are made; `None`: it has none yet.
#[must_use]
pub fn of(system: &str) -> Option<Manner> {
    let is_of = |manner: &Manner| match manner {
        Manner::Ride(ride) => ride.system() == system,
        Manner::Procedure(procedure) => procedure.system() == system,
    };
    MANNERS.iter().copied().find(is_of)
}
