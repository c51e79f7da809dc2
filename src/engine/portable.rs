//! A tool as every system and every format has it, to be carried from one to another.
//!
//! [`tool`] is what is carried and how two of them differ, [`baggage`] a tool with what is left behind,
//! [`fate`] what became of each field, [`formats`] are the lists of functions that model APIs and
//! LangChain take, [`openapi`] reads and writes OpenAPI documents; in these, [`references`] lead to
//! schemas, and [`places`] say where arguments go. [`dialect`] makes JSON Schemas of older ones.
//! [`schema_tool`] is the tool that a JSON Schema describes, [`python`] reads those of functions.
//! [`requests`] compares what is sent, [`update`] takes into an entry what a later version says.

pub mod baggage;
mod dialect;
pub mod fate;
pub mod formats;
pub mod openapi;
mod places;
pub mod python;
mod references;
pub mod requests;
pub mod schema_tool;
pub mod tool;
pub mod update;
