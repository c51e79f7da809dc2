//! The other side: what a server of toolcrib's own says to clients of either era. Pure.
//!
//! | file | does |
//! | --- | --- |
//! | [`toolbox`] | the tools as `tools/list` has them, under names that every client takes |
//! | [`dialogue`] | one client: reads its messages, answers what can be answered at once |
//! | [`envelope`] | what a request of either era says about itself |
//! | [`reply`] | results, errors and notifications as frames |
//! | [`client_questions`] | what a client can be asked, and how |
//! | [`call_report`] | the events of a call as what its client is informed |
//! | [`http_rules`] | who may ask over HTTP, and whether headers say what the body says |

pub mod call_report;
pub mod client_questions;
pub mod dialogue;
pub mod envelope;
pub mod http_rules;
pub mod reply;
pub mod served_task;
pub mod toolbox;
