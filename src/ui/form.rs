//! Forms: a value edited through its schema, one field a row.
//!
//! The flow: schema and value → `schema::fields` (a flat list; nesting is depth and folds) → one
//! widget a field from the table in [`registry`] → [`view::Form`], which owns focus, scroll, folds
//! and drafts. The value stays outside: a form is given it by [`view::Form::sync_value`] and answers
//! input with edits. Screens embed a [`host::FormHost`], which turns those into messages. A new widget is a file with a [`cell::Widget`] and a row in the table.

pub mod actions;
pub mod by_name;
pub mod cell;
pub mod host;
pub mod notes;
mod null;
pub mod panes;
pub mod previews;
pub mod registry;
pub mod templates;
pub mod view;
pub mod work;

mod adds;
mod area;
mod calendar;
mod change;
mod chip_places;
mod chips;
mod choice;
mod clip;
mod constant;
mod draw;
mod filling;
mod find;
mod focus;
mod fold;
mod help;
mod input;
mod issues;
mod layout;
mod listing;
mod made;
mod moment;
mod mouse;
mod multi_line;
mod number;
mod or_null;
mod path;
mod raw_json;
mod read_only;
mod rename;
mod reply;
mod secret;
mod several;
mod share;
pub(crate) mod shared;
mod spelling;
mod start;
mod text;
mod toggle;
mod typed_list;
mod union_line;
mod variant;
