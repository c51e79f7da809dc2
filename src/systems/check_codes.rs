//! The codes of the checks of entries, of every system.

use super::{entry_rules, table::every_system};
use crate::engine::{health::HEALTH, lint};

fn sentences() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_systems = every_system().iter().flat_map(|system| system.check_sentences());
    let of_schemas = (entry_rules::CODE, entry_rules::ABOUT);
    lint::sentences(lint::CHECKS).into_iter().chain(of_systems).chain([of_schemas])
}

/// What the check of a code finds, in a sentence; `None` where the code isn't that of a check of
/// entries.
#[must_use]
pub fn check_about(code: &str) -> Option<&'static str> {
    sentences().find(|(known, _)| *known == code).map(|(_, about)| about)
}

/// Those codes, and the ones of the tools' health.
#[must_use]
pub(super) fn check_codes() -> Vec<&'static str> {
    sentences().map(|(code, _)| code).chain(HEALTH.iter().map(|check| check.code)).collect()
}
