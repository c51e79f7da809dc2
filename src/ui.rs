//! Drawing and input: reads the application's state, draws it, and answers input with messages.
//!
//! A view owns only cursor, scroll and folds. All drawing goes through ratatui's `Frame`, all
//! colours through [`styles`].

pub mod action_rows;
pub mod actions;
pub mod answer;
pub mod ascii;
pub mod ask_cases;
pub mod canvas;
pub mod cases;
pub mod content_parts;
pub mod copies;
pub mod copy_menu;
pub mod everywhere;
pub mod filled_text;
pub mod find_index;
pub mod form;
pub mod frames;
pub mod images;
pub mod line_wrap;
mod moved;
pub mod overlays;
pub mod pasted;
mod placeholders;
pub mod plain;
pub mod ranking;
pub mod root;
pub mod running;
pub mod screens;
pub mod selection;
pub mod sheet;
pub mod stubs;
pub mod styles;
pub mod theme;
pub mod tour;
pub mod view;
pub mod widgets;
