//! Composing a workflow: what a user wants of states, arrows, groups and tools, as the changes of
//! files that it results in.
//!
//! Every function here is pure: [`context`] is the workspace as it is, a wish goes in, and a
//! [`plan::Plan`] comes out, which can be looked at before it is made as one step of undo.
//! [`states`], [`arrows`], [`groups`] and [`cells`] change gates; [`entries`] makes tools, [`moving`] puts them into other files,
//! [`pasting`] copies them and takes them in, [`sources`] remembers where they come from; [`services`] makes the service that a tool calls; [`imports`] takes in the
//! tools of a running system; [`connections`] says where a tool's calls go.

pub mod arrows;
pub mod cells;
pub mod connections;
pub mod context;
pub mod entries;
mod entry_lines;
pub mod groups;
pub mod imports;
pub mod moving;
pub mod pasting;
pub mod plan;
pub mod server_block;
mod server_values;
mod server_words;
pub mod services;
pub mod sources;
pub(crate) mod start;
pub mod states;
