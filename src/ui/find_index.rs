//! What a typed text finds among many items: names as everywhere, and below those what is said of
//! them. It is made once, so that a key costs little with 10,000 of them.

use std::cmp::Reverse;

use super::ranking::{Closeness, Query, word_starts};

/// An item as it is searched.
pub(crate) struct Findable {
    names: Vec<FindableName>,
    /// Its names and what is said of it, in small letters.
    all: String,
}

struct FindableName {
    written: String,
    lower: String,
    starts: Vec<usize>,
}

impl Findable {
    /// An item with its names (empty ones are none), and what is said of it.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>, said: &[&str]) -> Self {
        let name = |written: &str| {
            let (lower, starts) = word_starts(written);
            FindableName { written: written.to_owned(), lower, starts }
        };
        let names: Vec<FindableName> =
            names.into_iter().filter(|name| !name.is_empty()).map(name).collect();
        let mut all = String::new();
        for text in names.iter().map(|name| name.lower.as_str()) {
            all.push_str(text);
            all.push(' ');
        }
        for text in said {
            all.push_str(&text.to_lowercase());
            all.push(' ');
        }
        Self { names, all }
    }

    fn closeness(&self, query: &mut Query) -> Option<(Closeness, u32)> {
        let by_name = self
            .names
            .iter()
            .filter_map(|name| query.of_lowered(&name.written, &name.lower, &name.starts))
            .min_by_key(|(closeness, score)| (*closeness, Reverse(*score)));
        by_name.or_else(|| query.is_said_in(&self.all).then_some((Closeness::Description, 0)))
    }
}

/// The items, and what the last text found of them.
#[derive(Default)]
pub(crate) struct FindIndex {
    items: Vec<Findable>,
    last: Option<(String, Vec<usize>)>,
}

impl FindIndex {
    /// The rows of the items that match, best first; an empty text keeps all in their order.
    pub fn find(&mut self, text: &str) -> Vec<usize> {
        let mut query = Query::new(text);
        if query.is_empty() {
            self.last = None;
            return (0..self.items.len()).collect();
        }
        // What a longer text finds is among what its beginning found; signs of patterns may turn
        // that round.
        let is_plain = !text.contains(['!', '^', '\'', '$', '\\']);
        let last = self.last.take();
        let narrower = last.filter(|(before, _)| is_plain && text.starts_with(before.as_str()));
        let all = || (0..self.items.len()).collect();
        let rows: Vec<usize> = narrower.map_or_else(all, |(_, rows)| rows);
        let mut found: Vec<_> = rows
            .into_iter()
            .filter_map(|row| {
                let (closeness, score) = self.items.get(row)?.closeness(&mut query)?;
                Some((closeness, Reverse(score), row))
            })
            .collect();
        found.sort_unstable();
        let rows: Vec<usize> = found.into_iter().map(|(.., row)| row).collect();
        self.last = is_plain.then(|| (text.to_owned(), rows.clone()));
        rows
    }
}

impl FromIterator<Findable> for FindIndex {
    fn from_iter<T: IntoIterator<Item = Findable>>(items: T) -> Self {
        Self { items: items.into_iter().collect(), last: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::ranking::{RankedItem, rank_candidates};

    const ITEMS: [(&str, &str, &str); 5] = [
        ("tool_001", "Find Invoices", "Lists what is owed"),
        ("tool_002", "", "Does Invoice number 39"),
        ("invoice-send", "", "Sends one"),
        ("sum", "Adds Up", "Adds number 2 to number 3"),
        ("in-voice", "", ""),
    ];

    fn index() -> FindIndex {
        ITEMS.iter().map(|(name, title, said)| Findable::new([*name, *title], &[*said])).collect()
    }

    #[test]
    fn names_and_titles_come_before_what_is_said() {
        let mut index = index();
        let mut found = |text: &str| -> Vec<&str> {
            index.find(text).into_iter().map(|row| ITEMS[row].0).collect()
        };
        assert_eq!(found("invoice"), ["invoice-send", "tool_001", "in-voice", "tool_002"]);
        assert_eq!(found("NUMBER 39"), ["tool_002"]);
        assert_eq!(found("number"), ["tool_002", "sum"]);
        assert_eq!(found("adds"), ["sum"]);
        assert_eq!(found("nothing"), Vec::<&str>::new());
        assert_eq!(found(" ").len(), ITEMS.len());
    }

    #[test]
    fn typing_on_finds_the_same_as_the_whole_text_does() {
        for text in ["invoice s", "number 3", "tool_00", "a!d", "su^", "send…", "two  words"] {
            let mut typed = index();
            for (end, letter) in text.char_indices() {
                let part = &text[..end + letter.len_utf8()];
                assert_eq!(typed.find(part), index().find(part), "{part}");
            }
            let candidates = ITEMS.iter().map(|(name, title, said)| RankedItem {
                name,
                alias: title,
                description: said,
                ..RankedItem::default()
            });
            assert_eq!(typed.find(text), rank_candidates(text, candidates), "{text}");
        }
    }
}
