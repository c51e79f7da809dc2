//! Cases on the screen: a call kept as one, those of the workspace called again, how they went, and
//! what is done with one. Invoke and History offer it.
//!
//! | file | does |
//! | --- | --- |
//! | [`keep`] | keeps a call as a case |
//! | [`request`] | what of a call a case says; keeps a request before there is an answer |
//! | [`filed`] | the workspace's case files, and what is wrong with some |
//! | [`list`] | lists them to be run, those that failed first |
//! | [`one`] | what is done with one: run, edit, accept its answer |
//! | [`results`] | each expectation of the last run |

pub(crate) mod filed;
pub(crate) mod keep;
pub(crate) mod list;
pub(crate) mod one;
pub(crate) mod request;
pub(crate) mod results;
