//! Scenarios: a saved start, steps and expectations, as data; read and written as plain values, and
//! run against tools.
//!
//! [`script`] is the scenario itself. [`reader`] makes one from a value and says clearly where it
//! can't; [`writer`] makes the value again, also from a simulation. [`page`] is its text for a
//! file. [`trial`] runs one and reports each step with what was expected and what came.
//! [`coverage`] counts what runs exercised, [`junit`] is the report for CI.

pub(crate) mod accept;
pub(crate) mod comments;
pub mod coverage;
pub mod junit;
pub mod page;
pub mod reader;
pub mod script;
pub mod trial;
pub mod writer;
