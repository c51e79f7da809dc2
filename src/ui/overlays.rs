//! What lies over the screen: menus, questions, prompts, texts.
//!
//! [`menu`], [`prompt`], [`confirm`], [`ticked`], [`checklist`], [`value_form`], [`proposal`] and
//! [`page`] are the forms; [`palette`], [`help`], [`connections`], [`discovery`], [`importing`],
//! [`modes`], [`notices`], [`questions`], [`samples`], [`era_comparison`], [`server_import`] and
//! [`ask_model`] fill them. [`welcome`] is a form of its own; [`way_back`] leads back to it.

pub mod ask_model;
pub mod checklist;
pub mod confirm;
pub mod connections;
pub mod discovery;
pub mod era_comparison;
pub mod help;
pub mod importing;
pub mod menu;
pub mod modal;
pub mod modes;
pub mod notices;
pub mod page;
pub mod palette;
pub mod paste;
pub mod prompt;
pub mod proposal;
pub mod questions;
pub mod samples;
pub mod server_import;
pub mod ticked;
pub mod value_form;
pub mod way_back;
pub mod welcome;
