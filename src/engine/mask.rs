//! Secrets taken out of texts before they are kept: by name, by shape, and by the values of known variables.

use std::{
    borrow::Cow,
    ops::Range,
    sync::{Arc, PoisonError, RwLock},
};

use super::secret;

/// What stands in a secret's place.
pub const MASKED: &str = "***";

/// A value shorter than this is too common a word to be hidden wherever it stands.
pub const SHORTEST: usize = 6;

/// So much of a known value, at the end of a piece, is taken for its beginning.
const BEGINNING: usize = 4;

/// How far back a secret is looked for that began in an earlier piece.
const CARRIED: usize = 512;

/// Values that become known while the program runs. Clones are one list.
#[derive(Clone, Default)]
pub struct Learned(Arc<RwLock<Vec<String>>>);

impl Learned {
    /// Every mask with this list hides the value from now on.
    pub fn learn(&self, value: &str) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.extend(spellings(value.to_owned()));
        known.sort();
        known.dedup();
    }
}

/// Knows the values that must not be seen.
#[derive(Clone, Default)]
pub struct Mask {
    values: Vec<String>,
    learned: Learned,
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask of {} values", self.values.len())
    }
}

impl Mask {
    /// Hides these values wherever they stand, beside what looks like a secret.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut known: Vec<String> = values.into_iter().flat_map(spellings).collect();
        known.sort();
        known.dedup();
        Self { values: known, learned: Learned::default() }
    }

    /// The same, and it hides what is learned from now on.
    #[must_use]
    pub fn learning(self, learned: Learned) -> Self {
        Self { learned, ..self }
    }

    /// What is made of each known value.
    fn of_each<T>(&self, make: impl Fn(&str) -> T) -> Vec<T> {
        let learned = self.learned.0.read().unwrap_or_else(PoisonError::into_inner);
        self.values.iter().chain(learned.iter()).map(|value| make(value)).collect()
    }

    /// The text with every secret replaced.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let places = self.places(text);
        if places.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(replaced(text, &places)) }
    }

    /// The same of headers.
    pub fn headers<'h>(&'h self, headers: &'h [(String, String)]) -> impl Iterator<Item = (String, String)> + 'h {
        let is_cookie = |name: &str| ["cookie", "set-cookie"].iter().any(|known| name.eq_ignore_ascii_case(known));
        headers.iter().map(move |(name, value)| {
            let value = if is_cookie(name) { MASKED.to_owned() } else { self.named(name, value).into_owned() };
            (name.clone(), value)
        })
    }

    /// The same of a value that stands under a name.
    #[must_use]
    pub fn named<'t>(&self, name: &str, value: &'t str) -> Cow<'t, str> {
        let hidden = !value.is_empty() && secret::is_secret_name(name) || secret::looks_secret(name, value).is_some();
        if hidden { Cow::Borrowed(MASKED) } else { self.text(value) }
    }

    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut places = secret::places(text);
        let found = self.of_each(|value| text.match_indices(value).map(|(at, found)| at..at + found.len()).collect::<Vec<_>>());
        places.extend(found.into_iter().flatten());
        secret::merged(places)
    }

    /// Where a known value may have begun at the end of a text.
    fn begun(&self, text: &str) -> Option<usize> {
        let ends = |value: &str| {
            let most = value.len().saturating_sub(1).min(text.len());
            (BEGINNING..=most).rev().find(|length| value.is_char_boundary(*length) && text.ends_with(&value[..*length]))
        };
        self.of_each(ends).into_iter().flatten().max().map(|length| text.len() - length)
    }
}

/// A value as it may stand in a text: as it is, and as JSON writes it where that differs. None of one that is too short.
fn spellings(value: String) -> impl Iterator<Item = String> {
    let long = value.trim().len() >= SHORTEST;
    let written = serde_json::Value::from(value.as_str()).to_string();
    let inner = written.trim_matches('"').to_owned();
    let inner = (inner != value).then_some(inner);
    [inner, Some(value)].into_iter().flatten().filter(move |_| long)
}

fn replaced(text: &str, places: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for place in places {
        out.push_str(&text[from..place.start]);
        out.push_str(MASKED);
        from = place.end;
    }
    out.push_str(&text[from..]);
    out
}

/// Masks an answer that comes in pieces, where a secret may lie in several of them.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// The end of what came before.
    carried: String,
}

impl Pieces {
    /// The next pieces with their parts of every secret replaced. Of a secret whose first few letters came earlier, those are gone by.
    pub fn next<'t>(&mut self, mask: &Mask, pieces: &[&'t str]) -> Vec<Cow<'t, str>> {
        let mut start = self.carried.len();
        let mut whole = std::mem::take(&mut self.carried);
        whole.extend(pieces.iter().copied());
        let mut places = mask.places(&whole);
        places.extend(mask.begun(&whole).map(|at| at..whole.len()));
        let places = secret::merged(places);
        let mut first = 0;
        let masked = pieces.iter().map(|piece| {
            let end = start + piece.len();
            first += places[first..].iter().take_while(|place| place.end <= start).count();
            let ours = places[first..].iter().take_while(|place| place.start < end);
            let ours: Vec<_> = ours.map(|place| place.start.max(start) - start..place.end.min(end) - start).collect();
            start = end;
            if ours.is_empty() { Cow::Borrowed(*piece) } else { Cow::Owned(replaced(piece, &ours)) }
        });
        let masked = masked.collect();
        self.carried = carried(&whole);
        masked
    }
}

fn carried(text: &str) -> String {
    let mut from = text.len().saturating_sub(CARRIED);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..].to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mask() -> Mask {
        Mask::new(["hunter2hunter2".to_owned(), "a\"quoted".to_owned(), "abc".to_owned()])
    }

    #[test]
    fn known_values_are_hidden_wherever_they_stand() {
        assert_eq!(mask().text("xhunter2hunter2y abc"), "x***y abc");
        assert_eq!(mask().text(r#"{"q":"a\"quoted"}"#), r#"{"q":"***"}"#);
        assert_eq!(mask().named("authorization", "Bearer x"), "***");
        assert_eq!(mask().named("id", "7f1c"), "7f1c");
        assert_eq!(format!("{:?}", mask()), "Mask of 3 values");
    }

    #[test]
    fn what_is_learned_later_is_hidden_by_masks_that_were_there_before() {
        let learned = Learned::default();
        let mask = mask().learning(learned.clone());
        assert_eq!(mask.text("correct-horse and hunter2hunter2"), "correct-horse and ***");
        learned.learn("correct-horse");
        learned.learn("no");
        assert_eq!(mask.text("correct-horse, no hunter2hunter2"), "***, no ***");
    }

    fn in_pieces(text: &str, size: usize) -> String {
        let mut pieces = Pieces::default();
        let letters: Vec<char> = text.chars().collect();
        let cut: Vec<String> = letters.chunks(size.max(1)).map(|piece| piece.iter().collect()).collect();
        let one_by_one: String = cut.iter().map(|piece| pieces.next(&mask(), &[piece]).concat()).collect();
        let at_once: Vec<&str> = cut.iter().map(String::as_str).collect();
        let at_once = Pieces::default().next(&mask(), &at_once).concat();
        // Together nothing of a secret is seen, not even its beginning.
        assert!(!at_once.contains("hunt") && !at_once.contains("sk-"), "{size}: {at_once}");
        one_by_one
    }

    #[test]
    fn what_is_split_over_pieces_is_hidden_but_for_its_beginning() {
        for size in 1..14 {
            let kept = in_pieces("it is hunter2hunter2, really", size);
            assert!(!kept.contains("unter2") && kept.ends_with(", really"), "{size}: {kept}");
            let kept = in_pieces("it is sk-proj-0123456789abcdef0123456789 here", size);
            assert!(!kept.contains("0123456789abcdef01") && kept.ends_with(" here"), "{size}: {kept}");
        }
    }

    proptest! {
        #[test]
        fn harmless_pieces_stay_as_they_are(text in "[a-z .]{0,60}", size in 1_usize..9) {
            prop_assert_eq!(in_pieces(&text, size), text);
        }

        #[test]
        fn masking_twice_is_masking_once(text in r#"[a-z0-9":={} -]{0,80}"#) {
            let once = mask().text(&text).into_owned();
            prop_assert_eq!(mask().text(&once).into_owned(), once);
        }
    }
}
