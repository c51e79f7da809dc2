//! The order in which people count names: `c2` before `c10`.

use std::cmp::Ordering;

/// Compares two texts, in which digits beside each other are one number.
#[must_use]
pub fn compare(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    while !left.is_empty() && !right.is_empty() {
        let (a, b) = (first_part(left), first_part(right));
        let is_number = |part: &str| part.starts_with(|letter: char| letter.is_ascii_digit());
        let order = match is_number(a) && is_number(b) {
            true => {
                let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            }
            false => a.cmp(b),
        };
        if order.is_ne() {
            return order;
        }
        (left, right) = (&left[a.len()..], &right[b.len()..]);
    }
    left.len().cmp(&right.len()).then_with(|| one.cmp(other))
}

/// The number at the start of a text, else its first letter.
fn first_part(text: &str) -> &str {
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let letter = text.chars().next().map_or(0, char::len_utf8);
    &text[..digits.max(letter)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_as_numbers() {
        let mut names = ["c10", "c2", "c1", "d", "c", "c02", "c2b", "é3", "c100.yaml", "c9.yaml"];
        names.sort_by(|one, other| compare(one, other));
        let counted = ["c", "c1", "c02", "c2", "c2b", "c9.yaml", "c10", "c100.yaml", "d", "é3"];
        assert_eq!(names, counted);
    }
}
