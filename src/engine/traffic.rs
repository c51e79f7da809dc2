//! What was received on a bus, joined into conversations: bounded, counted, filtered, watched for
//! patterns, kept as a trace.
//!
//! | file | holds |
//! | --- | --- |
//! | [`record`] | messages and conversations up to a bound; which of them a filter shows |
//! | [`conversation`] | a request with all that belongs to it, and how it is |
//! | [`conversations`] | those that are kept, and which are parts of others |
//! | [`cards`] | which cards belong to what is chosen |
//! | [`heard`] | what is kept of it |
//! | [`names`] | what conversations are known by |
//! | [`filter`] | which conversations are meant, as people type it |
//! | [`alerts`] | filters that ring |
//! | [`rates`] | how much crosses each subject |
//! | [`span`] | spans of time, and how far back to begin |
//! | [`trace`] | all of it as JSON lines, written and read |

pub mod alerts;
pub mod cards;
pub mod conversation;
mod conversations;
pub mod filter;
pub mod heard;
mod names;
pub mod rates;
pub mod record;
pub mod span;
pub mod trace;
