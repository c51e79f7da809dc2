//! What lies over the screen: menus, questions, prompts, texts.
//!
//! [`menu`], [`prompt`], [`confirm`] and [`page`] are the four forms; [`palette`], [`help`] and [`questions`] fill them.

pub mod confirm;
pub mod help;
pub mod menu;
pub mod page;
pub mod palette;
pub mod prompt;
pub mod questions;
pub mod sheet;
