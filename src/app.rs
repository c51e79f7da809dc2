//! The application without a terminal: what a user can do, what happens then, and what the world is asked for.
//!
//! Input becomes an [`actions::Act`] through the [`keymap`]; a focused view turns it into a message;
//! update changes the state and answers with effects. No clock, no I/O, no drawing.

pub mod actions;
pub mod input;
pub mod keymap;
pub mod notices;
