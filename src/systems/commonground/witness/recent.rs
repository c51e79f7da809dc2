//! The newest of what was received, remembered by name up to a bound.

use std::collections::{HashMap, VecDeque};

/// So much of each kind is remembered.
const REMEMBERED: usize = 4_096;

/// The newest of what was remembered, by name.
#[derive(Debug)]
pub(super) struct Recent<T> {
    by_name: HashMap<String, T>,
    order: VecDeque<String>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { by_name: HashMap::new(), order: VecDeque::new() }
    }
}

impl<T> Recent<T> {
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.by_name.get(name)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.by_name.get_mut(name)
    }

    pub(super) fn insert(&mut self, name: String, value: T) {
        if self.by_name.insert(name.clone(), value).is_none() {
            self.order.push_back(name);
        }
        while self.order.len() > REMEMBERED {
            let Some(oldest) = self.order.pop_front() else { return };
            self.by_name.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_remembered_than_the_newest() {
        let mut recent = Recent::default();
        (0..REMEMBERED + 10).for_each(|number| recent.insert(number.to_string(), number));
        assert_eq!(
            (recent.get("9"), recent.get("10"), recent.by_name.len()),
            (None, Some(&10), REMEMBERED)
        );
    }
}
