//! JSON Schema as a vocabulary for forms; knows no tools and no terminal.
//!
//! A [`tree::Schema`] gives a [`node::Node`] for each place: references followed, `allOf` merged,
//! null and constants taken out of unions. [`fields::layout_fields`] lays a value out as a flat list of
//! fields, each with a [`kind::Kind`]; [`validate::Checker`] says what is wrong, field by field.

pub mod blank;
pub(crate) mod chance;
pub(crate) mod contradictions;
pub mod count;
pub mod decimal;
pub(crate) mod encoding;
pub mod equal;
pub mod example;
pub mod fields;
pub(crate) mod inclusion;
pub(crate) mod inlined;
pub mod kind;
pub mod literal;
pub(crate) mod mentions;
pub mod messages;
pub mod metaschema;
pub mod moment;
pub mod natural_order;
pub mod node;
pub(crate) mod nullable;
pub(crate) mod ordering;
pub mod parse;
pub mod phrase;
pub mod pointer;
pub mod references;
pub mod secrets;
pub mod subschemas;
pub mod tree;
pub mod ui_schema;
pub mod validate;

mod draft;
mod example_text;
mod field;
mod finding;
mod flaws;
mod growth;
mod issues;
mod merge;
mod names;
mod parts;
mod patterns;
mod places;
mod readable;
mod resolve;
mod rules;
mod simple;
mod table;
mod unions;
mod variant;
