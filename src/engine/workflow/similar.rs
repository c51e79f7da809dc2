//! "Did you mean": the nearest of several names by edit distance.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

/// A longer name is written by no hand: comparing two of several thousand letters, or hashing one
/// without each of them, takes as long as a second.
const LONGEST: usize = 200;

/// The candidate nearest to `name`, if near enough to be a slip of the hand: one edit in three
/// letters, at most three. Case and spaces alone count as the smallest slip, also in names of over
/// 200 letters, which are near nothing else. Of equally near ones the first.
pub(crate) fn nearest_name<'n>(
    name: &str,
    candidates: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    nearest_of(name, &mut candidates.into_iter())
}

fn nearest_of<'n>(name: &str, candidates: &mut dyn Iterator<Item = &'n str>) -> Option<&'n str> {
    let letters: Vec<char> = name.chars().collect();
    let bound = max_edits(&letters);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.filter(|candidate| *candidate != name) {
        if folded_chars(candidate).eq(folded_chars(name)) {
            return Some(candidate);
        }
        let limit = best.map_or(bound, |(distance, _)| distance.saturating_sub(1));
        if let Some(distance) =
            edit_distance(&letters, &candidate.chars().collect::<Vec<_>>(), limit)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Names among which many others are looked for: what [`nearest_name`] answers, found faster than by a
/// comparison of all with all.
#[derive(Debug)]
pub struct Names<'n> {
    names: Vec<Name<'n>>,
    /// Rows by their folded names.
    folded: HashMap<String, Vec<usize>>,
    /// Rows by the hashes of their names, whole and without one letter: names that are one edit
    /// apart share one.
    shortened: Vec<(u64, usize)>,
}

#[derive(Debug)]
struct Name<'n> {
    text: &'n str,
    letters: Vec<char>,
    /// A bit for each letter: an edit changes two of them at most.
    bits: u64,
}

impl<'n> Name<'n> {
    fn from_text(text: &'n str) -> Self {
        let letters: Vec<char> = text.chars().collect();
        let bits = letters.iter().fold(0, |bits, letter| bits | 1 << (u32::from(*letter) % 64));
        Self { text, letters, bits }
    }

    fn deletion_hashes(&self) -> impl Iterator<Item = u64> {
        // The last leaves no letter out.
        let ways = if self.letters.len() > LONGEST { 0 } else { self.letters.len() + 1 };
        (0..ways).map(|gone| {
            let mut hasher = DefaultHasher::new();
            self.letters
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != gone)
                .for_each(|(_, letter)| letter.hash(&mut hasher));
            hasher.finish()
        })
    }
}

impl<'n> Names<'n> {
    #[must_use]
    pub fn from_names(names: impl IntoIterator<Item = &'n str>) -> Self {
        let names: Vec<Name<'n>> = names.into_iter().map(Name::from_text).collect();
        let mut by_fold: HashMap<String, Vec<usize>> = HashMap::new();
        for (row, name) in names.iter().enumerate() {
            by_fold.entry(fold_name(name.text)).or_default().push(row);
        }
        let mut shortened: Vec<_> = names
            .iter()
            .enumerate()
            .flat_map(|(row, name)| name.deletion_hashes().map(move |hash| (hash, row)))
            .collect();
        shortened.sort_unstable();
        Self { names, folded: by_fold, shortened }
    }

    /// As [`nearest_name`] of these names.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&'n str> {
        let others = |row: &usize| self.names[*row].text != name;
        if let Some(row) =
            self.folded.get(&fold_name(name)).into_iter().flatten().copied().find(others)
        {
            return Some(self.names[row].text);
        }
        let wanted = Name::from_text(name);
        let bound = max_edits(&wanted.letters);
        if let Some(row) = self.one_edit_from(&wanted) {
            return Some(self.names[row].text);
        }
        let (mut best, mut limit) = (None, bound);
        for other in &self.names {
            // Those one edit away are known.
            if limit < 2 {
                break;
            }
            let may_be =
                (wanted.bits ^ other.bits).count_ones() as usize <= 2 * limit && other.text != name;
            if may_be && let Some(distance) = edit_distance(&wanted.letters, &other.letters, limit)
            {
                best = Some(other.text);
                limit = distance.saturating_sub(1);
            }
        }
        best
    }

    /// The name that one added, missing, wrong or swapped letter leads to; the first of several.
    #[must_use]
    pub fn one_edit_away(&self, name: &str) -> Option<&'n str> {
        self.one_edit_from(&Name::from_text(name)).map(|row| self.names[row].text)
    }

    fn one_edit_from(&self, wanted: &Name<'_>) -> Option<usize> {
        let rows = wanted.deletion_hashes().flat_map(|hash| {
            let first = self.shortened.partition_point(|(known, _)| *known < hash);
            self.shortened[first..]
                .iter()
                .take_while(move |(known, _)| *known == hash)
                .map(|(_, row)| *row)
        });
        rows.filter(|row| edit_distance(&wanted.letters, &self.names[*row].letters, 1) == Some(1))
            .min()
    }
}

/// How many edits a slip of the hand makes at most.
fn max_edits(letters: &[char]) -> usize {
    (letters.len() / 3).clamp(1, 3)
}

/// A name without what the eye passes over: case, spaces, and the kind of dash.
#[must_use]
pub(crate) fn fold_name(name: &str) -> String {
    folded_chars(name).collect()
}

fn folded_chars(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'))
        .flat_map(char::to_lowercase)
}

/// The number of single-letter edits between two names, swapped neighbours counting as one; `None`
/// when above `limit`, or where a name is longer than [`LONGEST`].
fn edit_distance(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit || a.len().max(b.len()) > LONGEST {
        return None;
    }
    let (mut before, mut current) = (Vec::<usize>::new(), Vec::with_capacity(b.len() + 1));
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (row, left) in a.iter().enumerate() {
        current.clear();
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
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut current);
    }
    above.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_leaves_strangers() {
        let states = ["analysis", "results", "modification"];
        assert_eq!(nearest_name("anaylsis", states), Some("analysis"));
        assert_eq!(nearest_name("Results", states), Some("results"));
        assert_eq!(nearest_name("result", states), Some("results"));
        assert_eq!(nearest_name("research", states), None);
        assert_eq!(nearest_name("analysis", ["analysis"]), None, "a name is no slip of itself");
        assert_eq!(nearest_name("in-review", ["in_review"]), Some("in_review"));
    }

    #[test]
    fn long_names_are_near_what_folds_alike_alone() {
        let long = "x".repeat(LONGEST + 1);
        let names = [long.to_uppercase(), "y".repeat(100_000)];
        let all = Names::from_names(names.iter().map(String::as_str));
        assert_eq!(all.shortened.len(), 0, "each hash reads all of a name");
        assert_eq!(all.nearest(&long), Some(&*names[0]));
        assert_eq!(all.nearest(&format!("{long}z")), None);
        assert_eq!(nearest_name(&format!("{long}z"), [&*long]), None);
        assert_eq!(nearest_name(&long[1..], [&*"x".repeat(LONGEST - 1)]), Some(&long[2..]));
    }

    proptest::proptest! {
        #[test]
        fn names_that_are_looked_for_often_are_found_as_others(
            names in proptest::collection::vec("[abA]{0,4}[-_ ]?[ab]{0,6}", 0..12), name in "[abA]{0,4}[-_ ]?[ab]{0,6}",
        ) {
            let names = || names.iter().map(String::as_str);
            proptest::prop_assert_eq!(Names::from_names(names()).nearest(&name), nearest_name(&name, names()));
        }
    }

    fn distance_within(a: &str, b: &str, limit: usize) -> Option<usize> {
        edit_distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>(), limit)
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
