//! OpenSearch: tools and agents of its ML framework, and dynamic tools, which call APIs of the
//! cluster itself.
//!
//! Templates: [`template`] fills placeholders in; [`connector`] and [`dynamic`] have the two sets of
//! rules around it; [`tool_parameters`] says what a tool gets, [`output`] what a later step gets of
//! it, through [`json_path`] and [`processors`]. [`java`], [`lenient_json`] and [`strict_json`] read
//! and write texts as the server's libraries do.

pub mod connector;
pub mod dynamic;
pub mod java;
pub mod json_path;
pub mod keys;
pub mod lenient_json;
pub mod output;
pub mod processors;
pub mod strict_json;
pub mod template;
pub mod tool_parameters;
