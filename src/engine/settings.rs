//! What settings files say: the workspace's `toolcrib.toml`, and tables of known keys as the user's
//! `config.toml` has them too.
//!
//! Reading never fails: what is wrong in a file is a finding with its place, and the rest of the
//! file counts. [`table`] reads a table of known keys; [`workspace`] and [`connections`] say which
//! there are, [`system_settings`] those that a system adds to a connection; [`connection_form`] is
//! the schema of a connection's keys, [`named_values`] variables of a server and headers,
//! [`variables`] those of requests, [`gate_table`] says when tools are available whose own files
//! cannot.

mod check_table;
pub mod connection_form;
pub mod connections;
pub mod gate_table;
pub mod named_values;
pub mod system_settings;
pub mod table;
pub mod variables;
pub mod workspace;
