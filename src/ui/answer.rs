//! A call's answer to look at, live or kept: its views, its events, its strays. Invoke and History
//! show it.
//!
//! | file | does |
//! | --- | --- |
//! | [`actions`] | what can be done with it |
//! | [`pane`] | which view, where in it, its keys |
//! | [`draw`] | draws it |
//! | [`events`], [`event_page`] | a call's events as rows, and one of them in full |
//! | [`rendered`], [`bytes`] | the answer as Markdown, and as bytes |
//! | [`headers`], [`attachments`] | what went and came beside the bodies, and with a call's steps |
//! | [`images`] | its images, below its text |
//! | [`queried`] | the part of it that a path selects |
//! | [`progress`] | how far a call is that has not been answered yet |
//! | [`unmet`] | what of a test's expectations the answer doesn't meet |
//! | [`parts`] | images, audio, resources and links of an answer |

pub mod actions;
pub mod attachments;
pub mod bytes;
pub mod draw;
pub mod event_page;
pub mod events;
pub mod headers;
mod images;
pub mod pane;
pub mod parts;
mod progress;
mod queried;
pub mod rendered;
mod unmet;
