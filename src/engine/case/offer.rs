//! What a case may expect of an answer like the one that came, without the secrets in it.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::verdict::Answer;
use crate::{
    engine::mask::{MASKED, Mask},
    model::{call::Outcome, duration},
};

/// A value longer than this is not expected word by word.
const LONGEST: usize = 400;

/// A longer schema says so much that another good answer hardly fits it.
const LONGEST_SCHEMA: usize = 2_000;

/// So many letters of an answer are looked at.
const LARGEST: usize = 256 * 1024;

/// So deep a schema is made.
const DEEPEST: usize = 4;

/// An expectation that the answer meets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Suggestion {
    /// The key in the case: `outcome`, `json`, …
    pub what: &'static str,
    pub value: Value,
    /// A case has it unless it is taken out; any other one is there to be chosen.
    pub usual: bool,
}

/// All that a case may expect of an answer like this one.
#[must_use]
pub(crate) fn suggest_expectations(answer: &Answer, mask: &Mask) -> Vec<Suggestion> {
    let mut offers = Vec::new();
    let mut add = |what, value, usual| offers.push(Suggestion { what, value, usual });
    // What never went out says nothing about the tool, but that it is to answer.
    if answer.is_unsent() {
        add("outcome", Outcome::Succeeded.as_str().into(), true);
        return offers;
    }
    // Who stopped the call says nothing about how the tool ends one.
    let is_stopped = answer.outcome == Some(Outcome::Cancelled);
    add("outcome", answer.outcome.unwrap_or(Outcome::Succeeded).as_str().into(), !is_stopped);
    if let Some((kind, _)) = &answer.error {
        add("error", kind.as_str().into(), true);
    }
    let near = |text: &str| text.trim().chars().take(LARGEST).collect::<String>();
    let (text, json) = (near(&answer.text), near(answer.json_text()));
    let text = mask.mask_text(&text);
    let masked = mask.mask_text(&json);
    let of_json = |text: &str| {
        serde_json::from_str::<Value>(text)
            .ok()
            .filter(|value| value.is_object() || value.is_array())
    };
    let is_json = of_json(&json).is_some();
    let value = of_json(&masked).and_then(drop_masked);
    // The types say something where values are too long, or secret.
    let is_cut = is_json
        && match &value {
            Some(Value::Object(members)) => members.values().any(is_long),
            Some(value) => is_long(value),
            None => true,
        };
    if let Some(value) = value {
        let usual = match &value {
            Value::Object(members) => members.is_empty() || members.values().any(is_expected),
            value => !is_long(value),
        };
        add("json", value, usual);
    }
    // What comes in pieces mostly differs each time: a word of it may come again.
    let is_stream = answer.chunks > 1 && !is_json;
    let part = if is_stream { longest_word(&text) } else { telling_part(&text) };
    if let Some(part) = part {
        add("contains", json!([part]), !is_json && !is_stream);
    }
    // Names and types are no secrets; what a secret is masked with may be of another type.
    if let Some(value) = of_json(&json) {
        let schema = schema_of(&value, 0);
        let usual = is_cut && is_at_most(&schema, LONGEST_SCHEMA);
        add("schema", schema, usual);
    }
    if answer.outcome.is_some() {
        add("under", duration::print_duration(generous_limit(answer.answered_in())).into(), false);
    }
    // What a stream's times were once is no promise.
    let times = [("first", answer.first_after()), ("gap", answer.times.longest_wait_ms())];
    for (what, ms) in times.into_iter().filter(|_| answer.chunks > 1) {
        let limit = ms.map(|ms| duration::print_duration(generous_limit(ms)));
        if let Some(limit) = limit {
            add(what, limit.into(), false);
        }
    }
    if answer.chunks > 0 {
        add("chunks", answer.chunks.min(2).into(), answer.chunks > 1);
    }
    offers
}

/// What is expected of those that were chosen.
pub(crate) fn chosen_expectations(
    offers: &[Suggestion],
    is_chosen: impl Fn(&Suggestion) -> bool,
) -> Map<String, Value> {
    offers
        .iter()
        .filter(|offer| is_chosen(offer))
        .map(|offer| (offer.what.to_owned(), offer.value.clone()))
        .collect()
}

/// Whether a member of an answer is expected unless that is taken out: it comes again, and is short
/// enough to be read.
#[must_use]
pub(crate) fn is_expected(value: &Value) -> bool {
    !changes_each_time(value) && !is_long(value)
}

fn is_long(value: &Value) -> bool {
    !is_at_most(value, LONGEST)
}

/// Whether a value takes no more letters than that as JSON.
fn is_at_most(value: &Value, letters: usize) -> bool {
    value.to_string().len() <= letters
}

/// Whether a value looks as if it were another one each time: a moment, or a random id. A case that
/// expects it would fail when it is called again.
fn changes_each_time(value: &Value) -> bool {
    let is_id = |text: &str| {
        let groups: Vec<&str> = text.split('-').collect();
        let sizes: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let is_hex = |letter: char| letter == '-' || letter.is_ascii_hexdigit();
        sizes == [8, 4, 4, 4, 12] && text.chars().all(is_hex)
    };
    // Seconds or milliseconds since 1970, of these decades.
    let is_clock = |text: &str| {
        let whole = text.split('.').next().unwrap_or_default();
        let is_digits = text.chars().all(|letter| letter == '.' || letter.is_ascii_digit());
        is_digits && matches!(whole.len(), 10 | 13) && whole.starts_with(['1', '2'])
    };
    let is_date_and_time = |text: &str| {
        let mut parts = text.splitn(2, ['T', ' ']);
        let date = parts.next().unwrap_or_default();
        let is_date = date.len() == 10 && date.split('-').count() == 3;
        let is_number = |part: &str| part.chars().all(|letter| letter.is_ascii_digit());
        let time = parts.next().unwrap_or_default();
        is_date && date.split('-').all(is_number) && time.contains(':')
    };
    match value {
        Value::String(text) => is_id(text) || is_clock(text) || is_date_and_time(text),
        Value::Number(number) => is_clock(&number.to_string()),
        _ => false,
    }
}

/// What of a value holds no secret; a list with one is none at all, since its items are held
/// against each other by their place.
pub(super) fn drop_masked(value: Value) -> Option<Value> {
    match value {
        Value::String(text) if text.contains(MASKED) => None,
        Value::Array(items) => {
            items.into_iter().map(drop_masked).collect::<Option<_>>().map(Value::Array)
        }
        Value::Object(members) => Some(Value::Object(
            members
                .into_iter()
                .filter_map(|(name, value)| Some((name, drop_masked(value)?)))
                .collect(),
        )),
        value => Some(value),
    }
}

/// A part of the first line that says something, and that is no secret: a bracket alone is in every
/// answer.
fn telling_part(masked: &str) -> Option<String> {
    let says = |text: &str| text.contains(char::is_alphanumeric);
    let line = masked.lines().find(|line| line.split(MASKED).any(says))?;
    let longest = line.split(MASKED).map(str::trim).max_by_key(|part| part.len())?;
    Some(whole_words(longest, 80)).filter(|part| says(part)).map(str::to_owned)
}

/// The first of its longest words.
fn longest_word(masked: &str) -> Option<String> {
    const LONGEST: usize = 40;
    let words = masked.split(|letter: char| !letter.is_alphanumeric());
    let fits = words.map(|word| (word.chars().count(), word)).filter(|(size, _)| *size <= LONGEST);
    let longest = fits.rev().max_by_key(|(size, _)| *size).map(|(_, word)| word);
    longest.filter(|word| !word.is_empty()).map(str::to_owned)
}

/// The beginning of a text, which ends within no word and no number where it has several.
fn whole_words(text: &str, longest: usize) -> &str {
    let Some((end, next)) = text.char_indices().nth(longest) else { return text };
    let is_within =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '+');
    let cut = &text[..end];
    if !is_within(next) {
        return cut;
    }
    match cut.trim_end_matches(is_within).trim_end() {
        "" => cut,
        words => words,
    }
}

/// Twice the time, and rounded up.
fn generous_limit(took_ms: u64) -> Duration {
    const STEPS: [u64; 12] =
        [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000, 60_000, 120_000];
    let wanted = took_ms.saturating_mul(2);
    let step = STEPS.into_iter().find(|step| *step >= wanted);
    Duration::from_millis(step.unwrap_or_else(|| wanted.div_ceil(60_000).saturating_mul(60_000)))
}

/// A schema that the value fits: types, and which members are there.
fn schema_of(value: &Value, depth: usize) -> Value {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let mut schema = json!({"type": kind});
    match value {
        _ if depth >= DEEPEST => {}
        Value::Object(members) if !members.is_empty() => {
            schema["required"] = members.keys().cloned().collect();
            let properties: Map<String, Value> = members
                .iter()
                .map(|(name, value)| (name.clone(), schema_of(value, depth + 1)))
                .collect();
            schema["properties"] = properties.into();
        }
        Value::Array(items) => {
            let mut each = items.iter().map(|item| schema_of(item, depth + 1));
            if let Some(first) = each.next()
                && each.all(|other| other == first)
            {
                schema["items"] = first;
            }
        }
        _ => {}
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_ends_within_no_word() {
        for (text, longest, part) in [
            ("the oven is cold", 20, "the oven is cold"),
            ("the oven is cold", 14, "the oven is"),
            ("the oven is cold", 8, "the oven"),
            ("{\"pi\": 3.14159, \"e\": 2.71828}", 12, "{\"pi\":"),
            ("abcdefghij", 4, "abcd"),
        ] {
            assert_eq!(whole_words(text, longest), part, "{text} {longest}");
        }
    }
    use crate::schema::validate::Checker;

    const KEY: &str = "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD";

    fn answer(text: &str) -> Answer {
        Answer {
            outcome: Some(Outcome::Succeeded),
            text: text.into(),
            took_ms: 214,
            chunks: 3,
            ..Answer::default()
        }
    }

    #[test]
    fn moments_and_random_ids_change_each_time() {
        for (value, changes) in [
            (json!("1796048352.8050888"), true),
            (json!(1_796_048_352_805_u64), true),
            (json!("2026-11-30T14:35:36Z"), true),
            (json!("6f1c9c1e-2a43-4f0e-9d0b-1f8c2c3f4a5b"), true),
            (json!("2026-11-30"), false),
            (json!("Ada"), false),
            (json!(42), false),
            (json!(["1796048352"]), false),
        ] {
            assert_eq!(changes_each_time(&value), changes, "{value}");
        }
    }

    #[test]
    fn the_outcome_of_a_call_that_was_stopped_is_not_expected() {
        let usual = |outcome| {
            let answer = Answer { outcome: Some(outcome), ..answer("a joke") };
            let offers = suggest_expectations(&answer, &Mask::default());
            offers.iter().any(|offer| offer.what == "outcome" && offer.usual)
        };
        assert!(usual(Outcome::Succeeded) && usual(Outcome::Failed));
        assert!(!usual(Outcome::Cancelled));
    }

    #[test]
    fn of_a_call_that_was_not_sent_nothing_but_a_success_is_expected() {
        let unsent = Answer {
            outcome: Some(Outcome::Lost),
            error: Some(("no-variable".into(), "no variable".into())),
            ..Answer::default()
        };
        let offers = suggest_expectations(&unsent, &Mask::default());
        let all = chosen_expectations(&offers, |_| true);
        assert_eq!(Value::Object(all), json!({"outcome": "succeeded"}));
    }

    #[test]
    fn of_a_stream_is_expected_what_comes_again() {
        let mut answer = answer("Late deliveries, and damaged deliverables.\nMore of them");
        let offered = |answer: &Answer| {
            let offers = suggest_expectations(answer, &Mask::default());
            let usual = offers.iter().filter(|offer| offer.usual).map(|offer| offer.what);
            let all = chosen_expectations(&offers, |_| true);
            (usual.collect::<Vec<_>>(), all["contains"].clone(), all["under"].clone())
        };
        answer.took_ms = 5_200;
        let stream = (vec!["outcome", "chunks"], json!(["deliverables"]), json!("15s"));
        assert_eq!(offered(&answer), stream);
        answer.chunks = 1;
        let whole = json!(["Late deliveries, and damaged deliverables."]);
        assert_eq!(offered(&answer), (vec!["outcome", "contains"], whole, json!("15s")));
    }

    #[test]
    fn of_long_json_short_members_and_the_types_are_expected() {
        let rows: Vec<Value> = (0..30).map(|row| json!({"id": row, "note": "as ever"})).collect();
        let value = json!({"page": 1, "at": "2026-11-30T14:35:36Z", "rows": rows});
        let usual = |value: &Value| {
            let text = serde_json::to_string_pretty(value).unwrap();
            assert!(text.len() > LONGEST);
            let offers = suggest_expectations(&answer(&text), &Mask::default());
            offers.into_iter().filter(|offer| offer.usual).collect::<Vec<_>>()
        };
        let names =
            |offers: &[Suggestion]| offers.iter().map(|offer| offer.what).collect::<Vec<_>>();
        let of_object = usual(&value);
        assert_eq!(names(&of_object), ["outcome", "json", "schema", "chunks"]);
        let members = of_object[1].value.as_object().unwrap();
        let expected = members.iter().filter(|(_, value)| is_expected(value));
        assert_eq!(expected.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["page"]);
        assert_eq!(names(&usual(&value["rows"])), ["outcome", "schema", "chunks"]);
        assert_eq!(names(&usual(&json!({"rows": rows}))), ["outcome", "schema", "chunks"]);
        let short: Map<String, Value> =
            (0..50).map(|row| (format!("member-{row}"), "as ever".into())).collect();
        assert_eq!(names(&usual(&short.into())), ["outcome", "json", "chunks"]);
    }

    #[test]
    fn a_part_that_is_expected_says_something() {
        for (text, part) in [
            ("{\n  \"a\": [1", Some("\"a\": [1")),
            ("---\n\n= 42 =\n", Some("= 42 =")),
            ("*** ***\nmore", Some("more")),
            ("{}\n", None),
        ] {
            assert_eq!(telling_part(text).as_deref(), part, "{text}");
        }
    }

    #[test]
    fn secrets_are_offered_nowhere() {
        let value = json!({"count": 2, "password": "hunter2", "note": "***", "deep": {"key": KEY, "kept": [1]}, "list": [KEY]});
        let offers = suggest_expectations(&answer(&value.to_string()), &Mask::default());
        assert_eq!(
            chosen_expectations(&offers, |offer| offer.usual)["json"],
            json!({"count": 2, "deep": {"kept": [1]}})
        );
        let printed = Value::Object(chosen_expectations(&offers, |_| true)).to_string();
        assert!(!printed.contains(KEY) && !printed.contains("hunter2"), "{printed}");
    }

    #[test]
    fn a_schema_a_time_and_chunks_can_be_chosen() {
        let value = json!({"rows": [{"id": 1}, {"id": 2}], "more": null});
        let offers = suggest_expectations(&answer(&value.to_string()), &Mask::default());
        let all = chosen_expectations(&offers, |_| true);
        let schema = json!({
            "type": "object", "required": ["rows", "more"],
            "properties": {
                "rows": {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "number"}}}},
                "more": {"type": "null"},
            },
        });
        assert_eq!(
            (&all["schema"], &all["under"], &all["chunks"]),
            (&schema, &json!("500ms"), &json!(2))
        );
        assert!(Checker::compile(&schema).unwrap().issues(&value).is_empty());
        assert!(
            !chosen_expectations(&offers, |offer| offer.usual).contains_key("schema")
                && !chosen_expectations(&offers, |offer| offer.usual).contains_key("under")
        );
        assert_eq!(
            [0, 60, 3_000, 90_000].map(|took| generous_limit(took).as_millis()),
            [100, 200, 10_000, 180_000]
        );
    }
}
