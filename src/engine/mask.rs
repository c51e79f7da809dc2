//! Secrets taken out of texts before they are kept: by name, by shape, and by the values of known
//! variables.

use std::{
    borrow::Cow,
    ops::Range,
    sync::{Arc, PoisonError, RwLock},
};

use serde_json::Value;

use super::secret::{self, SecretPlaces};

/// What is in a secret's place.
pub(crate) const MASKED: &str = "***";

/// A value shorter than this is too common a word to be hidden wherever it is.
pub(crate) const SHORTEST: usize = 6;

/// Values that become known while the program runs. Clones are one list.
#[derive(Clone, Default)]
pub struct LearnedSecrets(Arc<RwLock<Vec<String>>>);

impl LearnedSecrets {
    /// Every mask with this list hides the value from now on.
    pub fn register_secret(&self, value: &str) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.extend(secret_spellings(value.to_owned()));
        known.sort();
        known.dedup();
    }
}

/// Knows the values that must not be seen.
#[derive(Clone, Default)]
pub struct Mask {
    values: Vec<String>,
    learned: LearnedSecrets,
    /// What only looks like a secret is none.
    only_known: bool,
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
        let mut known: Vec<String> = values.into_iter().flat_map(secret_spellings).collect();
        known.sort();
        known.dedup();
        Self { values: known, ..Self::default() }
    }

    /// The same, and it hides what is learned from now on.
    #[must_use]
    pub fn with_learned(self, learned: LearnedSecrets) -> Self {
        Self { learned, ..self }
    }

    /// The same, and it hides what the arguments of a call hold under names of secrets: a service may
    /// repeat that anywhere. `arguments` is JSON; any other text adds nothing.
    #[must_use]
    pub fn of_call(&self, arguments: &str) -> Self {
        let mut mask = self.clone();
        let mut found = Vec::new();
        collect_secrets(&serde_json::from_str(arguments).unwrap_or_default(), false, &mut found);
        if !found.is_empty() {
            mask.values.extend(found.into_iter().flat_map(secret_spellings));
            mask.values.sort();
            mask.values.dedup();
        }
        mask
    }

    /// The same for the known values, and nothing that only looks like a secret.
    #[must_use]
    pub(crate) fn of_known(self) -> Self {
        Self { only_known: true, ..self }
    }

    /// What is made of each known value.
    fn of_each<T>(&self, make: impl Fn(&str) -> T) -> Vec<T> {
        let learned = self.learned.0.read().unwrap_or_else(PoisonError::into_inner);
        self.values.iter().chain(learned.iter()).map(|value| make(value)).collect()
    }

    /// The text with every secret replaced.
    #[must_use]
    pub fn mask_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let places = self.find_secrets(text).places;
        if places.is_empty() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(mask_ranges(text, 0..text.len(), &places))
        }
    }

    /// The same, and what is at these places is replaced, too.
    #[must_use]
    pub fn mask_text_at(&self, text: &str, places: Vec<Range<usize>>) -> String {
        let mut all = self.find_secrets(text).places;
        all.extend(places);
        mask_ranges(text, 0..text.len(), &secret::merge_ranges(all))
    }

    /// The text with the known values replaced, and nothing that only looks like a secret.
    #[must_use]
    pub fn mask_known<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let places = self.of_each(|value| occurrences(text, value).collect::<Vec<_>>()).concat();
        if places.is_empty() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(mask_ranges(text, 0..text.len(), &secret::merge_ranges(places)))
    }

    /// The start of a text that was cut, without what may be the start of a secret at its end.
    #[must_use]
    pub(crate) fn without_begun<'t>(&self, start: &'t str) -> &'t str {
        &start[..self.find_secrets(start).begun.unwrap_or(start.len())]
    }

    /// Headers with every secret in their values replaced.
    pub fn mask_headers<'h>(
        &'h self,
        headers: &'h [(String, String)],
    ) -> impl Iterator<Item = (String, String)> + 'h {
        let is_cookie = |name: &str| {
            ["cookie", "set-cookie"].iter().any(|known| name.eq_ignore_ascii_case(known))
        };
        headers.iter().map(move |(name, value)| {
            let value = if is_cookie(name) {
                MASKED.to_owned()
            } else {
                self.mask_named_value(name, value).into_owned()
            };
            (name.clone(), value)
        })
    }

    /// A value that is under a name, with every secret replaced.
    #[must_use]
    pub fn mask_named_value<'t>(&self, name: &str, value: &'t str) -> Cow<'t, str> {
        let hidden = !value.is_empty() && secret::is_secret_name(name)
            || secret::looks_secret(name, value).is_some();
        if hidden { Cow::Borrowed(MASKED) } else { self.mask_text(value) }
    }

    /// Where secrets stand in a text, and where one may have begun at its end.
    pub(super) fn find_secrets(&self, text: &str) -> SecretPlaces {
        let looks_so =
            if self.only_known { SecretPlaces::default() } else { secret::find_secrets(text) };
        let SecretPlaces { mut places, begun } = looks_so;
        let found = self.of_each(|value| {
            (occurrences(text, value).collect::<Vec<_>>(), secret::partial_match_start(text, value))
        });
        let begun = found.iter().filter_map(|(_, begun)| *begun).chain(begun).min();
        places.extend(found.into_iter().flat_map(|(places, _)| places));
        SecretPlaces { places: secret::merge_ranges(places), begun }
    }

    /// How many values it knows: what was masked while it knew fewer may show one of them.
    #[must_use]
    pub fn value_count(&self) -> usize {
        self.of_each(|_| ()).len()
    }

    /// The length of the longest value that it knows.
    pub(super) fn longest_secret_len(&self) -> usize {
        self.of_each(str::len).into_iter().max().unwrap_or_default()
    }
}

/// The texts under names of secrets, but for what is there in their place: a reference, a mask, or the
/// name itself.
fn collect_secrets(value: &Value, is_secret: bool, found: &mut Vec<String>) {
    match value {
        Value::String(text)
            if is_secret
                && text != MASKED
                && !secret::is_reference(text)
                && !secret::is_secret_name(text) =>
        {
            found.push(text.clone());
        }
        Value::Array(items) => {
            items.iter().for_each(|item| collect_secrets(item, is_secret, found));
        }
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            collect_secrets(member, is_secret || secret::is_secret_name(name), found);
        }),
        _ => {}
    }
}

/// Where a value is, also where it overlaps with itself.
fn occurrences(text: &str, value: &str) -> impl Iterator<Item = Range<usize>> {
    let first = value.chars().next().map_or(1, char::len_utf8);
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find(value)?;
        from = at + first;
        Some(at..at + value.len())
    })
}

/// A value as it may stand in a text: as it is, and as JSON writes it where that differs. None of
/// one that is too short.
fn secret_spellings(value: String) -> impl Iterator<Item = String> {
    let long = value.trim().len() >= SHORTEST;
    let written = serde_json::Value::from(value.as_str()).to_string();
    let inner = written.trim_matches('"').to_owned();
    let inner = (inner != value).then_some(inner);
    [inner, Some(value)].into_iter().flatten().filter(move |_| long)
}

/// That part of a text with the places in it replaced; the sign is where a place begins.
pub(super) fn mask_ranges(text: &str, part: Range<usize>, places: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(part.len());
    let mut from = part.start;
    let first = places.partition_point(|place| place.end <= part.start);
    for place in places[first..].iter().take_while(|place| place.start < part.end) {
        if place.start >= part.start {
            out.push_str(&text[from..place.start]);
            out.push_str(MASKED);
        }
        from = place.end.min(part.end);
    }
    out.push_str(&text[from..part.end]);
    out
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
        assert_eq!(mask().mask_text("xhunter2hunter2y abc"), "x***y abc");
        assert_eq!(mask().mask_text(r#"{"q":"a\"quoted"}"#), r#"{"q":"***"}"#);
        assert_eq!(mask().mask_named_value("authorization", "Bearer x"), "***");
        assert_eq!(mask().mask_named_value("id", "7f1c"), "7f1c");
        assert_eq!(format!("{:?}", mask()), "Mask of 3 values");
        assert_eq!(mask().mask_known("token=x1y2z3 hunter2hunter2"), "token=x1y2z3 ***");
        assert_eq!(mask().of_known().mask_text("token=x1y2z3 hunter2hunter2"), "token=x1y2z3 ***");
    }

    #[test]
    fn of_a_text_that_is_cut_no_start_of_a_secret_is_left() {
        for (start, left) in [
            ("it is hunter2hunt", "it is "),
            ("it is sk-proj-01", "it is "),
            ("it is over", "it is over"),
        ] {
            assert_eq!(mask().without_begun(start), left);
        }
        assert_eq!(mask().of_known().without_begun("sk-proj-01"), "sk-proj-01");
    }

    #[test]
    fn what_is_at_a_place_is_hidden_with_what_is_known() {
        let text = "pw: ab, hunter2hunter2, c";
        let hidden_at = |place: Range<usize>| mask().mask_text_at(text, Vec::from([place]));
        assert_eq!(hidden_at(4..6), "pw: ***, ***, c");
        assert_eq!(hidden_at(4..9), "pw: ***, c");
    }

    #[test]
    fn what_is_learned_later_is_hidden_by_masks_that_were_there_before() {
        let learned = LearnedSecrets::default();
        let mask = mask().with_learned(learned.clone());
        assert_eq!(mask.mask_text("correct-horse and hunter2hunter2"), "correct-horse and ***");
        learned.register_secret("correct-horse");
        learned.register_secret("no");
        assert_eq!(mask.mask_text("correct-horse, no hunter2hunter2"), "***, no ***");
    }

    #[test]
    fn what_a_call_passes_as_a_secret_is_hidden_in_its_answer() {
        let of = |arguments: &str| mask().of_call(arguments);
        let answer = r#"{"said":"Corr3ct horse","me":"ada lovelace"}"#;
        for (arguments, hidden) in [
            (r#"{"user":"ada lovelace","password":"Corr3ct horse"}"#, true),
            (r#"{"login":{"passwords":1,"secret":["Corr3ct horse"]}}"#, true),
            (r#"{"user":"Corr3ct horse"}"#, false),
            (r#"{"password":"ada"}"#, false),
            ("not JSON, password: Corr3ct horse", false),
        ] {
            let expected =
                if hidden { answer.replace("Corr3ct horse", "***") } else { answer.into() };
            assert_eq!(of(arguments).mask_text(answer), expected, "{arguments}");
        }
        // What is only there in its place hides nothing.
        for arguments in [r#"{"password":"{{env.PASSWORD}}"}"#, r#"{"password":"password"}"#] {
            assert_eq!(of(arguments).value_count(), mask().value_count(), "{arguments}");
        }
    }

    #[test]
    fn values_are_hidden_where_they_overlap() {
        let mask = Mask::new(["abcdef".to_owned(), "defghi".to_owned(), "ananan".to_owned()]);
        assert_eq!(mask.mask_text("1 abcdefghi 2"), "1 *** 2");
        assert_eq!(mask.mask_text("1 anananan 2"), "1 *** 2");
        assert_eq!(mask.find_secrets("1 anana").begun, Some(2));
    }

    proptest! {
        #[test]
        fn masking_twice_is_masking_once(text in r#"[a-z0-9":={} -]{0,80}"#) {
            let once = mask().mask_text(&text).into_owned();
            prop_assert_eq!(mask().mask_text(&once).into_owned(), once);
        }
    }
}
