//! Cases: saved calls with expectations. Read from a file, written to one, and held against what came.
//!
//! | file | does |
//! | --- | --- |
//! | [`script`] | a case as data, read with every issue at its place |
//! | [`verdict`] | holds an answer against what is expected |
//! | [`page`] | a case as the text of a file, with comments |

pub mod page;
pub mod script;
pub mod verdict;
