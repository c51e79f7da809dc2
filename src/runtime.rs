//! The only place where things run: the terminal, the event loop, and what carries effects out.

pub mod event_loop;
mod folder;
pub mod launch;
pub mod perform;
pub mod terminal;
