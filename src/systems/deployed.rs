//! Systems whose entries can be read and written while they run.
//!
//! [`deployment`] says what each of them gives, [`item`] is an entry there, [`push`] what a write
//! changes, [`catalog`] reads items as the tools they are.

pub mod catalog;
pub mod deployment;
pub mod item;
pub mod push;
