//! The tools of a running CommonGround project, as its management API keeps them.
//!
//! [`rows`] reads them, [`push`] says what would change there, [`row`] is what the table of such
//! systems has.

pub mod push;
pub mod row;
pub mod rows;
