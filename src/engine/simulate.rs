//! Simulation: stepping the workflow from a start context, back and into branches, and what it
//! leaves behind for others to read.
//!
//! [`run`] is the tree of steps. [`audit`] is the document's record of one way through it.
//! [`metrics`] are the document's counters in the Prometheus text format. [`stop`] says where a run
//! is to stop, [`walk`] finds ways that are not chosen step by step.

pub mod audit;
pub mod metrics;
pub mod run;
pub mod stop;
pub mod walk;
