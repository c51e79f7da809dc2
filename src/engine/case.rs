//! Cases: saved calls with expectations. Read from a file, written to one, and held against what
//! came.
//!
//! | file | does |
//! | --- | --- |
//! | [`script`] | a case as data, read with every issue at its place |
//! | [`verdict`] | holds an answer against what is expected |
//! | [`offer`] | what a case may expect of an answer that came |
//! | [`page`] | a case as the text of a file, with comments |

pub mod offer;
pub mod page;
pub mod script;
pub mod verdict;
