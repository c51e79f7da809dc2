//! Calls as the history keeps them, one JSON object a line; what can be said about kept calls
//! without opening them.
//!
//! | file | does |
//! | --- | --- |
//! | [`lines`] | writes and reads the lines, and masks what must not be in them |
//! | [`wanted`] | what of the history is looked for |
//! | [`tally`] | goes through lines and sums calls up |
//! | [`sent`] | the arguments of a call with what its variables were |
//! | [`argument_words`] | the arguments of a call in a few words |
//! | [`compare`] | two calls beside each other: answers, JSON, times |

pub(crate) mod argument_words;
pub mod compare;
pub mod lines;
pub(crate) mod sent;
pub mod tally;
pub mod wanted;
