//! Numbers of things in words.

use std::fmt::Display;

/// `1 item`, `3 items`.
#[must_use]
pub fn count_text<N: Copy + Display + PartialEq + From<u8>>(
    number: N,
    one: &str,
    many: &str,
) -> String {
    let thing = if number == N::from(1) { one } else { many };
    format!("{number} {thing}")
}

/// So many names, the first of them, and how many more there are: `a, b and 3 more`.
#[must_use]
pub fn first_names(names: &[impl AsRef<str>], most: usize) -> String {
    let first: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let first = first.join(", ");
    match names.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::{count_text, first_names};

    #[test]
    fn only_one_is_singular() {
        assert_eq!(count_text(0_usize, "entry", "entries"), "0 entries");
        assert_eq!(count_text(1_u64, "entry", "entries"), "1 entry");
        assert_eq!(count_text(21_u64, "entry", "entries"), "21 entries");
    }

    #[test]
    fn names_beyond_the_first_are_counted() {
        assert_eq!(first_names(&["a", "b"], 2), "a, b");
        assert_eq!(first_names(&["a", "b", "c"].map(str::to_owned), 2), "a, b and 1 more");
        assert_eq!(first_names(&[""; 0], 2), "");
    }
}
