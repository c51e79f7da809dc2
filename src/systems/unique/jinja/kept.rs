//! Templates that were stopped since they take too long. With the same values they would be stopped
//! again, as late: they aren't tried again.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

/// How many are kept: more than the prompts of a tool, and few enough to look through.
const MOST: usize = 64;

struct Stopped {
    text: String,
    fuel: u64,
    /// The names of the template, with the values that they had.
    values: Vec<(String, Option<Value>)>,
    words: String,
}

/// The newest first.
static STOPPED: Mutex<VecDeque<Stopped>> = Mutex::new(VecDeque::new());

/// Why a template with this much fuel was stopped before, where it was.
pub(super) fn known_stop<'v>(
    text: &str,
    fuel: u64,
    value_of: &impl Fn(&str) -> Option<&'v Value>,
) -> Option<String> {
    let is_same = |known: &&Stopped| {
        let mut values = known.values.iter();
        known.fuel == fuel
            && known.text == text
            && values.all(|(name, value)| value_of(name) == value.as_ref())
    };
    stopped().iter().find(is_same).map(|known| known.words.clone())
}

/// Keeps why a template was stopped; with it come its names, and what gives them values.
pub(super) fn keep_stop<'v>(
    text: &str,
    fuel: u64,
    (names, value_of): (&HashSet<&str>, &impl Fn(&str) -> Option<&'v Value>),
    words: &str,
) {
    let values = names.iter().map(|name| ((*name).to_owned(), value_of(name).cloned()));
    let values = values.collect();
    let mut stopped = stopped();
    stopped.truncate(MOST - 1);
    stopped.push_front(Stopped { text: text.to_owned(), fuel, values, words: words.to_owned() });
}

fn stopped() -> MutexGuard<'static, VecDeque<Stopped>> {
    STOPPED.lock().unwrap_or_else(PoisonError::into_inner)
}
