//! Small services that really do something, to try calls on: pure functions from a request to the
//! pieces of an answer.

pub mod calculator;
pub mod collections;
pub mod joke;
pub mod rag;
pub mod sample;

use sample::Sample;

/// Every sample service.
pub(crate) const SAMPLES: &[Sample] = &[
    Sample { name: "joke-service", topic: "joke", answer: joke::answer_request },
    Sample { name: "calculator", topic: "calc", answer: calculator::answer_request },
    Sample { name: "custom-rag", topic: "custom-rag", answer: rag::answer_request },
];
