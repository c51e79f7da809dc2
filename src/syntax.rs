//! JSON, YAML and TOML as the user wrote them: values with their places, and edits that change only
//! their own lines.
//!
//! A [`source::Source`] is immutable; an edit gives a new one and the [`edit::Patch`] that led
//! there, whose inverse leads back byte for byte. Each format has one folder: `parse` makes the
//! common [`tree`] from the text, `edit` writes a change into it, `print` writes new values.

pub(crate) mod arranged;
mod change;
mod cut;
mod draft;
pub mod edit;
mod edit_strategies;
mod flow;
pub(crate) mod json;
mod laid_out;
pub mod lazy_value;
pub mod lines;
mod minimal_edits;
pub mod nested;
mod number;
mod page;
pub(crate) mod parallel;
pub mod place;
pub mod print;
pub mod python;
pub mod python_json;
mod segments;
pub mod shared_text;
pub mod shared_values;
pub mod source;
mod source_edits;
mod toml;
mod tree;
pub mod value;
mod whole;
mod yaml;
