//! Cases: saved calls with expectations. Read from a file, written to one, and held against what
//! came.
//!
//! | file | does |
//! | --- | --- |
//! | [`read`] | the case that a file holds, of either kind |
//! | [`script`] | a case as data, read with every issue at its place |
//! | [`expected`] | variables in what is expected |
//! | [`verdict`] | holds an answer against what is expected |
//! | [`tries`] | all runs of a case, and whether enough of them held |
//! | [`result`] | what is kept of that with the call |
//! | [`accept`] | takes an answer into what a case expects |
//! | [`offer`] | what a case may expect of an answer that came |
//! | [`ask`] | a question to a model, with the tools that it is to choose |
//! | [`choice`] | holds what a model chose against that, and counts it tool by tool |
//! | [`page`] | a case as the text of a file, with comments |

pub mod accept;
pub mod ask;
pub mod ask_page;
pub mod choice;
pub mod expected;
pub mod offer;
pub mod page;
pub mod read;
pub mod result;
pub mod script;
pub mod tries;
pub mod verdict;
