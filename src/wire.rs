//! Transports, sessions, and services that answer.
//!
//! A transport moves bytes and knows no system; a session joins a transport and a system for one call.

pub mod registry;
