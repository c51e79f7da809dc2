//! Editing texts in place: byte for byte, by example, and as properties of random edits.

#[path = "syntax/edits.rs"]
mod edits;
#[path = "syntax/json_dialects.rs"]
mod json_dialects;
#[path = "syntax/odd_texts.rs"]
mod odd_texts;
#[path = "syntax/properties.rs"]
mod properties;
#[path = "syntax/shared_values.rs"]
mod shared_values;
