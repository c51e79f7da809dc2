//! The only place where things run: the terminal, the event loop, and what carries effects out.

pub mod terminal;
