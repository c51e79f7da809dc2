//! A tool as every system and every format has it, to be carried from one to another.
//!
//! [`tool`] is what is carried and how two of them differ, [`fate`] what became of each field,
//! [`formats`] are the lists of functions that model APIs and LangChain take, [`openapi`] reads and
//! writes OpenAPI documents.

pub mod fate;
pub mod formats;
pub mod openapi;
pub mod tool;
