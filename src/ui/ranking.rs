//! The order of what a typed text finds, the same in the palette, in every picker and in every
//! type-ahead.
//!
//! Exact names first, then those that begin with the text, then those in which a word does, then
//! fuzzy matches; what only a description holds comes last. Something that deletes, or that changes
//! a running system, has to be named to come first.

use std::cmp::Reverse;

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

/// Something that can be found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RankedItem<'c> {
    pub name: &'c str,
    /// A second name; empty where there is none.
    pub alias: &'c str,
    pub description: &'c str,
    /// It can't be chosen now; it comes after its equals.
    pub unusable: bool,
    /// It can't be chosen here, but at another place; it comes after all in which a word begins so.
    pub elsewhere: bool,
    /// It deletes, or changes a running system.
    pub risky: bool,
}

/// How a text matches; the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Closeness {
    Exact,
    Prefix,
    WordStart,
    Fuzzy,
    Description,
}

/// The rows of the candidates that match, best first; an empty text keeps all in their order.
#[must_use]
pub(crate) fn rank_candidates<'c>(
    text: &str,
    candidates: impl IntoIterator<Item = RankedItem<'c>>,
) -> Vec<usize> {
    let mut query = Query::new(text);
    if query.text.is_empty() {
        return (0..candidates.into_iter().count()).collect();
    }
    let mut found = Vec::new();
    for (row, candidate) in candidates.into_iter().enumerate() {
        if let Some((closeness, score)) = query.candidate_closeness(candidate) {
            let unnamed = candidate.risky && closeness > Closeness::Prefix;
            let least = if candidate.elsewhere { Closeness::WordStart } else { Closeness::Exact };
            found.push((
                unnamed,
                closeness.max(least),
                Reverse(score),
                candidate.unusable,
                candidate.risky,
                row,
            ));
        }
    }
    found.sort_unstable();
    // The first row is the one that Enter takes.
    if found.first().is_some_and(|(unnamed, ..)| *unnamed) {
        return Vec::new();
    }
    found.into_iter().map(|(.., row)| row).collect()
}

/// What was typed.
pub(crate) struct Query {
    text: String,
    words: Vec<String>,
    pattern: Pattern,
    matcher: Matcher,
    letters: Vec<char>,
}

impl Query {
    pub fn new(text: &str) -> Self {
        let text = text.trim().to_lowercase();
        Self {
            words: text.split_whitespace().map(str::to_owned).collect(),
            pattern: Pattern::parse(&text, CaseMatching::Ignore, Normalization::Smart),
            matcher: Matcher::new(Config::DEFAULT),
            letters: Vec::new(),
            text,
        }
    }

    /// Whether nothing was typed but spaces.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether each of its words is somewhere in a text in small letters.
    pub fn is_said_in(&self, lower: &str) -> bool {
        self.words.iter().all(|word| lower.contains(word.as_str()))
    }

    /// How closely it matches, and how well among those that match as closely.
    fn candidate_closeness(&mut self, candidate: RankedItem<'_>) -> Option<(Closeness, u32)> {
        let names = [candidate.name, candidate.alias];
        let by_name =
            names.iter().filter(|name| !name.is_empty()).filter_map(|name| self.of_name(name));
        by_name.min_by_key(|(closeness, score)| (*closeness, Reverse(*score))).or_else(|| {
            let all = names
                .into_iter()
                .chain([candidate.description])
                .collect::<Vec<_>>()
                .join(" ")
                .to_lowercase();
            self.is_said_in(&all).then_some((Closeness::Description, 0))
        })
    }

    fn of_name(&mut self, name: &str) -> Option<(Closeness, u32)> {
        let (lower, starts) = word_starts(name);
        self.of_lowered(name, &lower, &starts)
    }

    /// How closely a name matches, which is there in small letters, with the starts of its words,
    /// too.
    pub fn of_lowered(
        &mut self,
        name: &str,
        lower: &str,
        starts: &[usize],
    ) -> Option<(Closeness, u32)> {
        if lower.trim_end_matches('…') == self.text.trim_end_matches('…') {
            return Some((Closeness::Exact, 0));
        }
        if lower.starts_with(&self.text) {
            return Some((Closeness::Prefix, 0));
        }
        if starts.iter().any(|start| lower[*start..].starts_with(&self.text)) {
            return Some((Closeness::WordStart, 0));
        }
        let score =
            self.pattern.score(Utf32Str::new(name, &mut self.letters), &mut self.matcher)?;
        Some((Closeness::Fuzzy, score))
    }
}

/// The name in small letters, and where its words begin: `tell-joke` and `tellJoke` have two.
pub(crate) fn word_starts(name: &str) -> (String, Vec<usize>) {
    let (mut lower, mut starts) = (String::with_capacity(name.len()), Vec::new());
    let mut before = ' ';
    for letter in name.chars() {
        let begins = !before.is_alphanumeric() || (before.is_lowercase() && letter.is_uppercase());
        if letter.is_alphanumeric() && begins {
            starts.push(lower.len());
        }
        lower.extend(letter.to_lowercase());
        before = letter;
    }
    (lower, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named<'c>(names: &[&'c str], text: &str) -> Vec<&'c str> {
        let candidates = names.iter().map(|name| RankedItem { name, ..RankedItem::default() });
        rank_candidates(text, candidates).into_iter().map(|row| names[row]).collect()
    }

    #[test]
    fn exact_then_prefix_then_word_then_fuzzy() {
        let names = ["s-e-n-d", "resend", "re-send", "send many", "send…"];
        assert_eq!(named(&names, "send")[..3], ["send…", "send many", "re-send"]);
        assert_eq!(named(&names, "SEND")[0], "send…");
        assert_eq!(named(&["tellJoke", "jokes"], "joke"), ["jokes", "tellJoke"]);
        assert_eq!(named(&names, " "), names);
        assert_eq!(named(&["İx", "ß-straße"], "straße"), ["ß-straße"]);
    }

    #[test]
    fn names_come_before_descriptions() {
        let of = |name, description| RankedItem { name, description, ..RankedItem::default() };
        let candidates =
            [of("push", "Send the tools"), of("sleep and end", ""), of("other", "nothing")];
        assert_eq!(rank_candidates("send", candidates), [1, 0]);
        assert_eq!(rank_candidates("push tools", candidates), [0]);
        let alias =
            [RankedItem { name: "a", alias: "joke", ..RankedItem::default() }, of("joker", "")];
        assert_eq!(rank_candidates("joke", alias), [0, 1]);
    }

    #[test]
    fn what_deletes_comes_first_only_where_it_is_named() {
        let of = |name, risky| RankedItem { name, risky, ..RankedItem::default() };
        let candidates =
            [of("delete column", true), of("rename column", false), of("delete…", true)];
        assert_eq!(rank_candidates("column", candidates), [1, 0]);
        assert_eq!(rank_candidates("del", candidates), [0, 2]);
        assert_eq!(rank_candidates("delete", candidates), [2, 0]);
        assert_eq!(rank_candidates("lete", candidates), Vec::<usize>::new());
    }

    #[test]
    fn what_can_be_chosen_comes_before_its_equal() {
        let of = |unusable| RankedItem { name: "send", unusable, ..RankedItem::default() };
        assert_eq!(rank_candidates("send", [of(true), of(false)]), [1, 0]);
        let risky = RankedItem { risky: true, ..of(false) };
        assert_eq!(rank_candidates("send", [of(true), risky]), [1, 0]);
    }

    #[test]
    fn what_works_here_comes_before_what_is_called_so_elsewhere() {
        let elsewhere = RankedItem {
            name: "restart",
            unusable: true,
            elsewhere: true,
            ..RankedItem::default()
        };
        let here = |name| RankedItem { name, ..RankedItem::default() };
        for name in ["restart server", "server restart"] {
            assert_eq!(rank_candidates("restart", [elsewhere, here(name)]), [1, 0], "{name}");
        }
        assert_eq!(rank_candidates("restart", [here("r-e-s-t-a-r-t"), elsewhere]), [1, 0]);
    }
}
