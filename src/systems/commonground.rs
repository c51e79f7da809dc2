//! CommonGround `v1r4`: tools whose commands travel over NATS and whose arguments and results are cards.
//!
//! What crosses the wire: [`subject`], [`headers`] and [`trace`] name and check its parts, [`command`] makes messages of them from a
//! [`context`], which also fills in a [`template`]; [`idempotency`] reads what services mark in their bucket.

pub mod command;
pub mod context;
pub mod headers;
pub mod idempotency;
pub mod subject;
pub mod template;
pub mod trace;
