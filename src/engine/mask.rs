//! Secrets taken out of texts before they are kept: by name, by shape, and by the values of known
//! variables. All that is kept or shown goes through here: history, exports, stubs, cases, previews.
//!
//! JSON is masked as the values that it holds, and stays JSON: a secret number becomes a text. Any
//! other text, and an answer that comes in pieces, is masked as it is written.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    ops::Range,
    sync::{Arc, PoisonError, RwLock},
};

use serde_json::{Map, Value, json};

use super::{
    mask_json::{JsonPart, begins_json, decode, replace_parts},
    secret::{self, SecretPlaces},
    secret_spellings::spellings_of,
};

/// What is in a secret's place.
pub(crate) const MASKED: &str = "***";

/// A value shorter than this is too common a word to be hidden wherever it is.
pub(crate) const SHORTEST: usize = 6;

/// A longer JSON is masked as any other text: it would take long to read.
const LONGEST_JSON: usize = 1024 * 1024;

/// So often is JSON within the texts of JSON read, too.
const NESTED: usize = 4;

/// Values that become known while the program runs. Clones are one list.
#[derive(Clone, Default)]
pub struct LearnedSecrets(Arc<RwLock<Vec<String>>>);

impl LearnedSecrets {
    /// Every mask with this list hides the value from now on.
    pub fn register_secret(&self, value: &str) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.extend(secret_spellings(value));
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
        let known = values.into_iter().flat_map(|value| secret_spellings(&value));
        let mut known: Vec<String> = known.collect();
        known.sort();
        known.dedup();
        Self { values: known, ..Self::default() }
    }

    /// Hides what was learned and is learned from now on, beside what looks like a secret.
    #[must_use]
    pub fn of_learned(learned: LearnedSecrets) -> Self {
        Self { values: Vec::new(), learned, only_known: false }
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
            mask.values.extend(found.iter().flat_map(|value| secret_spellings(value)));
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

    /// The text with every secret replaced. What is JSON is that afterwards, unless it is very long,
    /// and only what is secret in it changes.
    #[must_use]
    pub fn mask_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.mask_nested(text, NESTED)
    }

    fn mask_nested<'t>(&self, text: &'t str, deeper: usize) -> Cow<'t, str> {
        let places = self.find_secrets(text).places;
        let is_json = deeper > 0 && text.len() <= LONGEST_JSON && begins_json(text);
        // What is written by the numbers of its letters is only seen where the JSON is read.
        if places.is_empty() && !(is_json && text.contains("\\u")) {
            return Cow::Borrowed(text);
        }
        let mut mask = |part: JsonPart<'_>, _: Range<usize>| self.mask_part(part, deeper - 1);
        let read = if is_json { replace_parts(text, &mut mask) } else { None };
        let Some(masked) = read else {
            return match places.is_empty() {
                true => Cow::Borrowed(text),
                false => Cow::Owned(mask_ranges(text, 0..text.len(), &places)),
            };
        };
        // What is a secret by what is around its text.
        let left = self.find_secrets(&masked).places;
        let mut mask =
            |part: JsonPart<'_>, at: Range<usize>| mask_part_at(&masked, part, at, &left);
        let around = if left.is_empty() { None } else { replace_parts(&masked, &mut mask) };
        let masked = around.unwrap_or(masked);
        if masked == text { Cow::Borrowed(text) } else { Cow::Owned(masked) }
    }

    /// What is in the place of a part of JSON; `None`: the part itself.
    fn mask_part(&self, part: JsonPart<'_>, deeper: usize) -> Option<String> {
        let is_named =
            |name: &str, text: &str| !self.only_known && secret::is_named_secret(name, text);
        match part {
            JsonPart::Text { name, text: value } | JsonPart::Plain { name, written: value }
                if is_named(name, value) =>
            {
                Some(MASKED.to_owned())
            }
            JsonPart::Name(text) | JsonPart::Text { text, .. } => {
                match self.mask_nested(text, deeper) {
                    Cow::Owned(masked) => Some(masked),
                    Cow::Borrowed(_) => None,
                }
            }
            JsonPart::Plain { written, .. } => {
                matches!(self.mask_known(written), Cow::Owned(_)).then(|| MASKED.to_owned())
            }
        }
    }

    /// A value that is under a name, with every secret in it replaced.
    #[must_use]
    pub fn mask_value(&self, name: &str, value: &Value) -> Value {
        let text = json!({name: value}).to_string();
        let Cow::Owned(masked) = self.mask_text(&text) else { return value.clone() };
        let members: Option<Map<String, Value>> = serde_json::from_str(&masked).ok();
        let first = members.and_then(|members| members.into_iter().next());
        first.map_or_else(|| MASKED.into(), |(_, value)| value)
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

/// The texts and numbers under names of secrets, but for what is there in their place: a reference, a
/// mask, or the name itself.
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
        Value::Number(number) if is_secret => found.push(number.to_string()),
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

/// What is in the place of a part of JSON that is there, where one of the places is in it.
fn mask_part_at(
    json: &str,
    part: JsonPart<'_>,
    at: Range<usize>,
    places: &[Range<usize>],
) -> Option<String> {
    let first = places.partition_point(|place| place.end <= at.start);
    let within = places[first..].iter().take_while(|place| place.start < at.end);
    let within: Vec<Range<usize>> =
        within.map(|place| place.start.max(at.start)..place.end.min(at.end)).collect();
    match part {
        _ if within.is_empty() => None,
        JsonPart::Plain { .. } => Some(MASKED.to_owned()),
        JsonPart::Name(_) | JsonPart::Text { .. } => {
            let inner = mask_ranges(json, at, &within);
            Some(decode(&format!("\"{inner}\"")).into_owned())
        }
    }
}

/// A value as it may be written in a text; none of one that is too short.
fn secret_spellings(value: &str) -> BTreeSet<String> {
    if value.trim().len() >= SHORTEST { spellings_of(value) } else { BTreeSet::new() }
}

/// That part of a text with the places in it replaced; the sign is where a place begins.
pub(super) fn mask_ranges(text: &str, part: Range<usize>, places: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(part.len());
    let mut from = part.start;
    let first = places.partition_point(|place| place.end <= part.start);
    for place in places[first..].iter().take_while(|place| place.start < part.end) {
        if place.start >= part.start {
            out.push_str(&text[from..place.start]);
            let quote = missing_quote(&text[..place.start], &text[place.start..]);
            out.extend([quote, MASKED, quote]);
        }
        from = place.end.min(part.end);
    }
    out.push_str(&text[from..part.end]);
    out
}

/// The quote that the sign needs where a member of JSON has no text: `"pin":123456`. It is that of
/// the member's name, which is escaped in JSON within JSON.
fn missing_quote<'t>(before: &'t str, rest: &str) -> &'t str {
    let trim = |text: &'t str| text.trim_end_matches([' ', '\t', '\n', '\r']);
    let quote = || {
        let name = trim(trim(before).strip_suffix(':')?);
        let start = name.strip_suffix('"')?.trim_end_matches('\\').len();
        Some(&name[start..])
    };
    // Where a quote comes first, the sign is within it.
    let is_quoted = rest.starts_with(['"', '\'', '\\']);
    quote().filter(|_| !is_quoted).unwrap_or_default()
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
        assert_eq!(format!("{:?}", mask()), "Mask of 4 values");
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

    #[test]
    fn json_is_json_when_it_is_masked() {
        let arguments = r#"{"password": 12345678901, "api_key":"hun t\"er2\"", "b":"keep"}"#;
        let mask = mask().of_call(arguments);
        let key = "sk-abcdefghijklmnopqrstuvwxyz0123456789";
        for (text, masked) in [
            (arguments, r#"{"password": "***", "api_key":"***", "b":"keep"}"#),
            // By its value, wherever it is; what is a part of another number, too.
            (
                r#"{"n":12345678901,"l":[1, 12345678901],"t":"12345678901 x","m":9123456789010}"#,
                r#"{"n":"***","l":[1, "***"],"t":"*** x","m":"***"}"#,
            ),
            (r#"{"t":"hun t\"er2\""}"#, r#"{"t":"***"}"#),
            // JSON within JSON.
            (
                r#"{"text":"{\"t\":\"hun t\\\"er2\\\"\",\"pin_token\":12345678}","n":1.50}"#,
                r#"{"text":"{\"t\":\"***\",\"pin_token\":\"***\"}","n":1.50}"#,
            ),
            // Letters by their numbers.
            (r#"["hunter2\u0068unter2"]"#, r#"["***"]"#),
            (r#"{"pass\u0077ord":"q7"}"#, r#"{"pass\u0077ord":"***"}"#),
            // What is no JSON is masked as a text, and where it is almost that it doesn't get worse.
            (r#"data: {"password":1234567}"#, r#"data: {"password":"***"}"#),
            (r#"data: "{\"password\" : 1234567}""#, r#"data: "{\"password\" : \"***\"}""#),
            // A text that is no secret alone, but by what is before it.
            (r#"["Bearer","abcdef0123456789"]"#, r#"["Bearer","***"]"#),
        ] {
            assert_eq!(mask.mask_text(text), masked, "{text}");
        }
        for same in [r#"{"token":"***"}"#, r#"{"password":1234}"#, r#"{"a": "\u00e4"}"#] {
            assert!(matches!(mask.mask_text(same), Cow::Borrowed(_)), "{same}");
        }
        let value = json!({"a": [key, 1], "password": 1_234_567, "b": "keep"});
        let masked = json!({"a": ["***", 1], "password": "***", "b": "keep"});
        assert_eq!(mask.mask_value("x", &value), masked);
        assert_eq!(mask.mask_value("password", &json!("q7")), json!("***"));
        assert_eq!(mask.of_known().mask_value("password", &json!("q7")), json!("q7"));
    }

    #[test]
    fn a_secret_is_hidden_as_other_languages_write_it() {
        let mask = Mask::default().of_call(r#"{"password":"pässwört/1"}"#);
        for text in [
            r#"say "pässwört/1""#,
            r#"{"b": "p\u00e4ssw\u00f6rt/1"}"#,
            r#"data: {"b": "p\u00e4ssw\u00f6rt\/1"}"#,
            r#"data: {"text": "{\"b\": \"p\\u00e4ssw\\u00f6rt/1\"}"}"#,
        ] {
            let masked = mask.mask_text(text);
            assert!(masked.contains(MASKED) && !masked.contains("ssw"), "{masked}");
        }
    }

    proptest! {
        #[test]
        fn what_is_json_stays_json(
            text in r#"[\[{]["token:=a1b2c3d4 ,{}\[\]\\-]{0,40}[\]}]"#,
            names in prop::collection::vec(prop_oneof!["password", "note", "token"], 0..4),
            numbers in prop::collection::vec(any::<u64>(), 4),
        ) {
            let members: Vec<Value> = names
                .iter()
                .zip(numbers)
                .map(|(name, number)| json!({name: [number, text], "token": number, "t": {name: text}}))
                .collect();
            for text in [text, Value::from(members).to_string()] {
                let masked = mask().of_call(&text).mask_text(&text).into_owned();
                let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
                prop_assert!(!is_json(&text) || is_json(&masked), "{} {}", text, masked);
            }
        }

        #[test]
        fn masking_twice_is_masking_once(text in r#"[a-z0-9":={} -]{0,80}"#) {
            let once = mask().mask_text(&text).into_owned();
            prop_assert_eq!(mask().mask_text(&once).into_owned(), once);
        }
    }
}
