//! Whether one schema allows all that another one does.
//!
//! What can't be proven counts as not included. A member that an object does not declare, and does
//! not forbid either, is one that nobody gives: its schema may become any other.

pub(crate) use compare::{Declared, includes, is_constraint};

mod compare;
mod conjunction;
mod objects;
