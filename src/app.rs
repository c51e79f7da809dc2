//! The application without a terminal: what a user can do, what happens then, and what the world is
//! asked for.
//!
//! Input becomes an [`actions::Action`] through the [`keymap`]; a focused view turns it into a
//! [`message::Message`]; [`update::update`] changes the [`state::State`] and answers with
//! [`effect::Effect`]s. No clock, no I/O, no drawing.

pub mod actions;
pub mod agent_run;
pub mod answering;
pub mod ask_cases;
pub mod batch;
mod call_request;
pub mod calls;
pub(crate) mod case_mask;
pub mod cases;
pub mod change;
pub mod checking;
pub mod compose;
pub mod connection_test;
pub mod deployed;
pub mod documents;
pub mod edited_text;
pub mod effect;
pub mod file_versions;
pub mod folder;
pub mod form_file;
pub mod goals;
pub mod history;
pub mod input;
pub mod keymap;
pub mod message;
pub mod model_page;
pub mod moved;
pub mod network_state;
pub mod notices;
pub mod notifications;
pub mod outside_text;
pub mod question;
pub mod resending;
pub mod resources;
pub mod revision;
pub mod sign_in;
pub mod state;
pub mod step_run;
pub mod stubs;
pub mod tour;
pub mod undo;
pub(crate) mod unsaved_messages;
pub mod update;
pub mod verbs;
pub mod watching;
pub mod what_if;
pub mod workflow;
