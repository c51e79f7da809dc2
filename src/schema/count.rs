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

#[cfg(test)]
mod tests {
    use super::count_text;

    #[test]
    fn only_one_is_singular() {
        assert_eq!(count_text(0_usize, "entry", "entries"), "0 entries");
        assert_eq!(count_text(1_u64, "entry", "entries"), "1 entry");
        assert_eq!(count_text(21_u64, "entry", "entries"), "21 entries");
    }
}
