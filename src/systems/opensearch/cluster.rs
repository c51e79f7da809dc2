//! A cluster to try tools and agents with where there is none: as much of OpenSearch's API as its
//! clients need, answered from what a workspace has and by the rules of stubs.
//!
//! | | |
//! | --- | --- |
//! | [`access`] | who is let in |
//! | [`answer`] | a request, its answer, and the shapes of failures |
//! | [`records`] | agents, connectors, models, memories, tasks: what the ML framework keeps |
//! | [`search`] | queries over documents and records |
//! | [`documents`] | indices and their documents |
//! | [`state`] | all of that together |
//! | [`stubs`] | what a stub answers, in the place of a path, a model or a tool |
//! | [`tools`] | tools that the framework brings along |
//! | [`memory`] | conversations and their messages |
//! | [`runs`] | an agent at work |
//! | [`framework`] | the paths of `/_plugins/_ml` |
//! | [`routes`] | all paths |
//!
//! It is a stand-in, not a cluster: a query that it does not know is refused by name.

pub mod access;
pub mod answer;
pub mod documents;
pub mod framework;
pub mod memory;
pub mod records;
pub mod routes;
pub mod runs;
pub mod search;
pub mod state;
pub mod stubs;
pub mod tools;
