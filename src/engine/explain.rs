//! Why things are as they are, and the smallest changes that would turn them around; as data, so
//! that screen and command line can carry them out.
//!
//! [`tool`] says why a tool is hidden and what would show it. [`state`] says how one comes into a
//! state and out of it. [`request`] says what a set of groups never gets to. [`difference`] is what
//! a change of tools or context would do, before it is made.

pub mod difference;
pub mod request;
pub mod state;
pub mod tool;
