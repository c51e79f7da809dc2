//! How each system's calls ride on transports: one file and one row for each system that can be called.

pub mod ride;
pub mod trustgraph;

use ride::Ride;

/// Every system that can be called.
const RIDES: &[&dyn Ride] = &[&trustgraph::TrustGraphRide];

/// How calls of that system ride; `None`: it has none yet.
#[must_use]
pub fn of(system: &str) -> Option<&'static dyn Ride> {
    RIDES.iter().copied().find(|ride| ride.system() == system)
}
