//! The only place where things run: the terminal, the event loop, and what carries effects out.

mod answering;
mod editor;
pub mod event_loop;
pub mod exploring;
mod folder;
pub mod input_decoder;
pub mod input_reader;
mod kept;
pub mod launch;
pub mod now;
pub mod perform;
mod reading;
pub mod registry;
mod signals;
pub mod terminal;
mod terminal_host;
pub mod unseen;
mod watching;
