//! Pure behaviour on the model: the filter, the workflow and its analysis, simulation, lint.
//!
//! | file | decides |
//! | --- | --- |
//! | [`gated`] | what all of it reads of a tool: key, name, gate |
//! | [`filter`] | which tools a context gets and why not the others; where the state goes; who may ask for which groups |
//! | [`workflow`] | the graph of states that tools make under the groups asked for, and everything that can be said about it |
//! | [`lint`] | what is wrong with descriptors, whatever their system |
//! | [`simulate`] | stepping the workflow, with branches; its audit record and counters |
//! | [`services`] | small services that really answer, to try calls on |
//!
//! Nothing here reads a clock, a file or the network, and nothing knows a system.

pub mod diff;
pub mod filter;
pub mod gated;
pub mod lint;
pub mod services;
pub mod simulate;
pub mod workflow;
