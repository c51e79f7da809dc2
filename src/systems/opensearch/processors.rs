//! Output processors: small steps that make something else of a tool's output, one after another.
//!
//! [`read`] reads what a tool says of them, [`apply`] makes them; [`condition`] chooses among routes,
//! [`place`] sets and removes values within an output.

pub mod apply;
pub mod condition;
pub mod place;
pub mod read;
