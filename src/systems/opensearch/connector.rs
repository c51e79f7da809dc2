//! What a connector's request is made of: body, address and headers, each with rules of its own.
//!
//! [`body`] also has how parameters are prepared for all three; [`address`] and [`headers`] fill
//! in theirs. [`request`] puts them together for a step.

pub mod address;
pub mod body;
pub mod headers;
pub mod request;
