//! MCP: tools of servers that speak the Model Context Protocol, in both of its eras. Pure: bytes are moved elsewhere.
//!
//! [`negotiate`] finds the era and version that a server speaks. [`tool_findings`] looks at what a tool says of itself, and [`headers`] at the
//! arguments that HTTP repeats.

pub mod annotations;
pub mod asked;
pub mod base64;
pub mod codes;
pub mod drift;
pub mod expand;
pub mod fault;
pub mod form;
pub mod headers;
pub mod import;
pub mod negotiate;
pub mod notice;
pub mod pages;
pub mod result_view;
pub mod rpc;
pub mod session;
pub mod task;
mod texts;
pub mod tool_findings;
pub mod version;
