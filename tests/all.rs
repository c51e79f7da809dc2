//! All tests that go through the public face of the library or the real binary; one target, so linking is short.

#[path = "all/findings.rs"]
mod findings;
#[path = "all/form.rs"]
mod form;
#[path = "all/vectors.rs"]
mod vectors;

#[path = "all/nats.rs"]
mod nats;
#[path = "all/support.rs"]
mod support;
