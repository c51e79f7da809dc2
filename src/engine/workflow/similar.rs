//! "Did you mean": the nearest of several names by edit distance.

/// The candidate nearest to `name`, if near enough to be a slip of the hand: one edit in three letters, at most three.
/// Case and blanks alone count as the smallest slip. Of equally near ones the first.
pub fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let letters: Vec<char> = name.chars().collect();
    let bound = (letters.len() / 3).clamp(1, 3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|candidate| *candidate != name) {
        if folded(candidate).eq(folded(name)) {
            return Some(candidate);
        }
        let limit = best.map_or(bound, |(distance, _)| distance.saturating_sub(1));
        if let Some(distance) = distance(&letters, candidate, limit) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// A name without what the eye passes over: case, blanks, and the kind of dash.
#[must_use]
pub fn fold(name: &str) -> String {
    folded(name).collect()
}

fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_')).flat_map(char::to_lowercase)
}

/// The number of single-letter edits between two names, swapped neighbours counting as one; `None` when above `limit`.
#[must_use]
pub fn distance_within(a: &str, b: &str, limit: usize) -> Option<usize> {
    distance(&a.chars().collect::<Vec<_>>(), b, limit)
}

fn distance(a: &[char], b: &str, limit: usize) -> Option<usize> {
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (row, left) in a.iter().enumerate() {
        let mut current = Vec::with_capacity(b.len() + 1);
        current.push(row + 1);
        for (column, right) in b.iter().enumerate() {
            let replaced = above[column] + usize::from(left != right);
            let mut cost = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *left == b[column - 1] && a[row - 1] == *right {
                cost = cost.min(before[column - 1] + 1);
            }
            current.push(cost);
        }
        if current.iter().min().is_some_and(|least| *least > limit) {
            return None;
        }
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_leaves_strangers() {
        let states = ["analysis", "results", "modification"];
        assert_eq!(nearest("anaylsis", states), Some("analysis"));
        assert_eq!(nearest("Results", states), Some("results"));
        assert_eq!(nearest("result", states), Some("results"));
        assert_eq!(nearest("research", states), None);
        assert_eq!(nearest("analysis", ["analysis"]), None, "a name is no slip of itself");
        assert_eq!(nearest("in-review", ["in_review"]), Some("in_review"));
    }

    #[test]
    fn counts_edits() {
        assert_eq!(distance_within("kitten", "sitting", 3), Some(3));
        assert_eq!(distance_within("kitten", "sitting", 2), None);
        assert_eq!(distance_within("ab", "ba", 1), Some(1));
        assert_eq!(distance_within("", "abc", 3), Some(3));
        assert_eq!(distance_within("é", "e", 1), Some(1));
    }
}
