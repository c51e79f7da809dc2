//! All tests that go through the public face of the library or the real binary; one target, so linking is short.

#[path = "all/findings.rs"]
mod findings;
#[path = "all/samples.rs"]
mod samples;
#[path = "all/odd_texts.rs"]
mod odd_texts;
#[path = "all/syntax_properties.rs"]
mod syntax_properties;
#[path = "all/vectors.rs"]
mod vectors;

#[path = "all/nats.rs"]
mod nats;
#[path = "all/support.rs"]
mod support;
