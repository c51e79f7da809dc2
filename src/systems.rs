//! One folder per ecosystem, pure: reads descriptors, gives their schema, checks them, renders
//! requests, decodes replies.
//!
//! [`system`] says what each of them gives, [`facets`] what only some give; the [`table`] has a row
//! for each. [`gate_tables`] are those of `toolcrib.toml` for systems without gates of their own,
//! [`schema_form`] is the form of a schema, [`entry_rules`] checks entries by the schemas of their forms,
//! and [`pydantic`] reads configurations as Python programs do. [`read`], [`findings`],
//! [`calling`], [`mocking`], [`agents`], [`by_hand`], [`stubs`], [`watched`], [`covered`],
//! [`health`] and [`model_text`] ask them all. [`convert`] carries tools from one to another,
//! to a [`target`], [`comparison`] says what differs between those of two sides, and [`changes`] between two versions of one;
//! [`update`] brings those that are there up to what a source says, [`list_sources`] compares lists
//! with the files that they come from.
//! [`discovery`] is what services say themselves; [`start`] is what a user agrees to before a server is started, [`lock`] what entries looked like
//! where they are, and what changed, [`model_settings`] what a connection says of a model behind it, `offered` the
//! functions that models see.

pub mod agents;
pub mod by_hand;
pub mod calling;
pub mod case_arguments;
pub mod changes;
pub mod check_codes;
pub mod commonground;
pub mod comparison;
pub mod convert;
pub mod covered;
pub mod deployed;
pub mod discovery;
pub mod entry_rules;
pub mod facets;
pub mod findings;
pub(crate) mod gate_tables;
pub mod health;
pub mod list_sources;
pub mod lock;
pub mod mcp;
pub(crate) mod mocking;
pub mod model_settings;
pub mod model_text;
pub(crate) mod offered;
pub mod opensearch;
pub mod permission;
pub(crate) mod pydantic;
pub mod read;
pub mod rename;
pub mod run_files;
pub(crate) mod schema_form;
pub mod search_proxy;
pub mod sending;
pub mod settings;
pub mod start;
pub(crate) mod step_comparison;
pub mod stubs;
pub mod system;
pub mod table;
pub mod target;
pub mod trustgraph;
pub mod unique;
pub(crate) mod unknown_names;
pub mod update;
pub mod watched;

pub use table::{by_id, every_system};
