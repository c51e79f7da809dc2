//! Lists put in order by one copy of the standard library's sort: `sort_by_key` makes a copy for
//! each place that sorts, which adds 6 kB to the program, and there are many of them.

use std::cmp::Ordering;

/// Puts a list in order as `sort_by`, `sort_by_key` and `sort_by_cached_key` do; what is equal stays
/// in its order. It is somewhat slower: what is sorted for each key, line or check has those.
pub(crate) trait PutInOrder<T> {
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    fn order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> PutInOrder<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let rows = ordered_rows(self.len(), &mut |one, other| compare(&self[one], &self[other]));
        take_order(rows, &mut |one, other| self.swap(one, other));
    }

    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|one, other| key(one).cmp(&key(other)));
    }

    fn order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        let rows = ordered_rows(self.len(), &mut |one, other| keys[one].cmp(&keys[other]));
        take_order(rows, &mut |one, other| self.swap(one, other));
    }
}

/// The rows of a list in the order of what is in them.
fn ordered_rows(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..count).collect();
    rows.sort_by(|one, other| compare(*one, *other));
    rows
}

/// Swaps the items of a list until in each place is what was in the row named there.
fn take_order(mut rows: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..rows.len() {
        let mut place = first;
        while rows[place] != first {
            let from = std::mem::replace(&mut rows[place], place);
            swap(place, from);
            place = from;
        }
        rows[place] = place;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_the_standard_library(items in prop::collection::vec((0_u8..9, any::<u8>()), 0..40)) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            let mut by_key = items.clone();
            by_key.order_by_key(|item| item.0);
            prop_assert_eq!(&by_key, &expected);
            let mut by_cached_key = items.clone();
            by_cached_key.order_by_cached_key(|item| item.0.to_string());
            prop_assert_eq!(&by_cached_key, &expected);
            let mut backwards = items;
            backwards.order_by(|one, other| other.0.cmp(&one.0));
            expected.sort_by_key(|item| std::cmp::Reverse(item.0));
            prop_assert_eq!(backwards, expected);
        }
    }
}
