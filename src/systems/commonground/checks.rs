//! What is wrong with CommonGround's definitions.

use crate::{
    engine::lint::{self, check::Check, ground::Ground},
    model::finding::Finding,
};

/// Every check of CommonGround's own.
pub const CHECKS: &[Check] = &[];

/// Findings of CommonGround's own checks.
#[must_use]
pub fn check(ground: &Ground<'_>) -> Vec<Finding> {
    lint::run(CHECKS, ground, |system| system == super::keys::SYSTEM)
}
