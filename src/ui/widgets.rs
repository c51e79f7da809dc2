//! Pieces of screen that know nothing of tools: lists, one-line texts, panes, tabs, code.

pub mod code;
pub mod difference;
pub mod editing;
pub(crate) mod find_line;
pub mod json_tree;
pub mod line_starts;
pub mod list;
pub mod markdown;
pub mod pane;
pub mod panes;
pub mod reading;
pub mod tabs;
pub mod text_input;
pub mod text_view;
pub mod words;
