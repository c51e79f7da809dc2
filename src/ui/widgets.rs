//! Pieces of screen that know nothing of tools: lists, one-line texts, panes, tabs.

pub mod list;
pub mod pane;
pub mod text_input;
