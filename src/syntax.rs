//! JSON, YAML and TOML as the user wrote them: values with their places, and edits that change only their own lines.
//!
//! A [`source::Source`] is immutable; an edit gives a new one and the [`edit::Patch`] that led there, whose inverse leads back byte for byte.

pub mod edit;
pub mod source;
