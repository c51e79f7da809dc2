//! Texts with placeholders: `${parameters.name:-default}`, filled in as Apache commons-text does.
//!
//! [`parse`] reads one for its placeholders, [`render`] fills it in, [`text_map`] has what it is
//! filled in with, [`marks`] what a placeholder is made of.

pub mod marks;
pub mod parse;
pub mod render;
pub mod text_map;
