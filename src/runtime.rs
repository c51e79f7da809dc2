//! The only place where things run: the terminal or the window, the event loop, and what carries
//! effects out.

pub mod agent_loop;
mod answering;
pub mod ask_run;
pub mod browser;
mod calls;
mod connection_states;
pub mod connection_test;
pub mod discovering;
mod editor;
pub mod eras;
pub mod event_loop;
mod folder;
mod following;
pub mod hidden_line;
pub(crate) mod images;
pub mod input_decoder;
pub mod input_reader;
mod journaling;
mod kept;
pub mod launch;
mod model_run;
pub(crate) mod notifications;
pub mod now;
pub(crate) mod open_files;
pub mod perform;
mod plain;
mod pushing;
mod quiet;
mod reading;
pub mod registry;
mod resources;
mod saves;
mod sign_in;
mod signals;
pub mod terminal;
mod terminal_host;
mod terminal_images;
mod terminal_program;
mod watching;
pub mod whole_call;
#[cfg(feature = "window")]
mod window;
