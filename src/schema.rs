//! JSON Schema as a vocabulary for forms; knows no tools and no terminal.

pub mod literal;
pub mod pointer;
