//! Taking an answer into what a case expects: only what differs changes, and the file's comments
//! and order stay.

use serde_json::{Map, Value};

use super::{
    expected::ExpectedValues,
    offer::{drop_masked, suggest_expectations},
    script::{Case, Expect},
    verdict::{Finding, Verdict, check_answer},
};
use crate::{
    engine::mask::Mask,
    model::call::Outcome,
    schema::pointer::Pointer,
    syntax::{edit::Edit, source::Source},
};

/// A case's file as it would expect the answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Accepted {
    pub text: String,
    /// The same answer held against that.
    pub verdict: Verdict,
}

/// The text of a case's file with what came in the place of each expectation that differs. What an
/// answer can't decide, such as a schema, stays, and differs still in the verdict; so does JSON of
/// which nothing is left, and variables that have what came. Secrets stay out, those of the case's
/// arguments too.
///
/// # Errors
/// In words: no answer came, nothing of it can be taken over, or the text can't be edited.
pub(crate) fn accept_answer(
    source: &Source,
    verdict: &Verdict,
    mask: &Mask,
) -> Result<Accepted, String> {
    let answer = &verdict.answer;
    if answer.outcome.is_none() || answer.is_unanswered() {
        return Err("no answer came that could be accepted".to_owned());
    }
    let case = Case::from_source(source).map_err(|issue| issue.to_string())?;
    let mask = mask.of_call(&case.arguments.to_json());
    let value = source.value(0).cloned().ok_or("the file is empty")?;
    let given = value.get("expect").cloned().unwrap_or_default();
    let failed = verdict.findings.iter().filter(|finding| finding.difference.is_some());
    let failed: Vec<&Finding> = failed.collect();
    let mut edited = source.clone();
    let json = json_taken_over(&case.expect, verdict, &mask);
    for edit in edits(&given, &failed, verdict, json.as_ref().ok(), &mask) {
        edited = edited.apply(0, &edit).map_err(|error| error.to_string())?.0;
    }
    let text = edited.text().to_string();
    if text == **source.text() {
        let mut named: Vec<&str> = failed.iter().map(|finding| finding.what).collect();
        named.dedup();
        let why = json.err().filter(|_| named == ["json"]).unwrap_or("edit the case");
        return Err(format!("{} can't be accepted: {why}", named.join(", ")));
    }
    let case = Case::from_source(&edited).map_err(|issue| issue.to_string())?;
    let verdict = check_answer(&case, answer.clone(), verdict.values.clone());
    Ok(Accepted { text, verdict })
}

fn edits(
    given: &Value,
    failed: &[&Finding],
    Verdict { answer, values, .. }: &Verdict,
    json: Option<&Value>,
    mask: &Mask,
) -> Vec<Edit> {
    let at = |name: &str| Pointer::root().child("expect").child(name);
    let set = |name: &str, to: Value| Some(Edit::Set { at: at(name), to: to.into() });
    let offers = suggest_expectations(answer, mask);
    let offered = |name: &str| {
        offers.iter().find(|offer| offer.what == name).map(|offer| offer.value.clone())
    };
    let mut edits = Vec::new();
    let mut is_text_done = false;
    for finding in failed {
        let what: &str = finding.what;
        let edit = match what {
            "outcome" => set(what, answer.outcome.unwrap_or(Outcome::Succeeded).as_str().into()),
            "error" => match (&answer.error, given.get("error")) {
                (None, _) => Some(Edit::Remove { at: at(what) }),
                (Some((kind, _)), Some(Value::String(_))) => set(what, kind.as_str().into()),
                _ => None,
            },
            "json" => json.cloned().and_then(|to| set(what, to)),
            "contains" if is_text_done => None,
            "contains" => {
                is_text_done = true;
                let kept = texts_that_hold(given.get(what), failed, values);
                match kept.is_empty().then(|| offered(what)) {
                    None => set(what, kept.into()),
                    // One text stays one text.
                    Some(Some(other)) => match (given.get(what), other.get(0)) {
                        (Some(Value::String(_)), Some(text)) => set(what, text.clone()),
                        _ => set(what, other),
                    },
                    Some(None) => Some(Edit::Remove { at: at(what) }),
                }
            }
            "under" | "first" | "gap" => offered(what).and_then(|limit| set(what, limit)),
            "chunks" if answer.chunks > 0 => set(what, answer.chunks.into()),
            "chunks" => Some(Edit::Remove { at: at(what) }),
            _ => None,
        };
        edits.extend(edit);
    }
    edits
}

/// The texts that the answer has.
fn texts_that_hold(
    given: Option<&Value>,
    failed: &[&Finding],
    values: &ExpectedValues,
) -> Vec<Value> {
    let texts = given.and_then(Value::as_array).into_iter().flatten();
    let is_missing = |text: &str| {
        let quoted = format!("{:?}", values.fill_text(text));
        failed.iter().any(|finding| finding.what == "contains" && finding.expected == quoted)
    };
    texts.filter(|text| text.as_str().is_some_and(|text| !is_missing(text))).cloned().collect()
}

/// The JSON that is expected with what came.
///
/// # Errors
/// In words, where nothing of it is left to be expected.
fn json_taken_over(expect: &Expect, verdict: &Verdict, mask: &Mask) -> Result<Value, &'static str> {
    let Some(wanted) = &expect.json else { return Err("nothing of it is expected") };
    let Ok(came) = serde_json::from_str::<Value>(verdict.answer.json_text()) else {
        return Err("the answer isn't JSON");
    };
    let ignored: Vec<&[String]> = expect.ignore.iter().map(Pointer::tokens).collect();
    let came = verdict.values.keep_named(wanted, came);
    let taken = taken_over("", (wanted, &came), &ignored, mask);
    // Any object has all of an empty one.
    let is_left = |taken: &Value| *taken != Value::Object(Map::new()) || taken == wanted;
    taken.filter(is_left).ok_or("nothing of it is left")
}

/// What was asked for under a name, with the values that came: members that were not asked for stay
/// out, those that are gone or hold a secret go, and what isn't looked at stays as it was.
fn taken_over(
    name: &str,
    (wanted, came): (&Value, &Value),
    ignored: &[&[String]],
    mask: &Mask,
) -> Option<Value> {
    if ignored.iter().any(|rest| rest.is_empty()) {
        return Some(wanted.clone());
    }
    let below = |name: &str| -> Vec<&[String]> {
        let split = ignored.iter().filter_map(|place| place.split_first());
        split.filter(|(token, _)| *token == "*" || *token == name).map(|(_, rest)| rest).collect()
    };
    let taken_as_it_is = |came: &Value| drop_masked(mask.mask_value(name, came));
    match (wanted, came) {
        (Value::Object(wanted), Value::Object(came)) => {
            let member = |(name, wanted): (&String, &Value)| {
                let ignored = below(name);
                let is_ignored = ignored.iter().any(|rest| rest.is_empty());
                // What isn't looked at may be gone.
                let came = came.get(name).or(is_ignored.then_some(wanted))?;
                Some((name.clone(), taken_over(name, (wanted, came), &ignored, mask)?))
            };
            Some(Value::Object(wanted.iter().filter_map(member).collect::<Map<_, _>>()))
        }
        (Value::Array(wanted), Value::Array(came)) => {
            let item = |(row, came): (usize, &Value)| match wanted.get(row) {
                Some(wanted) => taken_over("", (wanted, came), &below(&row.to_string()), mask),
                None => taken_as_it_is(came),
            };
            came.iter().enumerate().map(item).collect::<Option<_>>().map(Value::Array)
        }
        (_, came) => taken_as_it_is(came),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::verdict::Answer, *};
    use crate::{
        model::connection::{Connection, RequestVariable},
        syntax::source::Format,
    };

    fn came(text: &str, outcome: Outcome, error: Option<&str>) -> Answer {
        Answer {
            outcome: Some(outcome),
            error: error.map(|kind| (kind.into(), "m".into())),
            text: text.into(),
            took_ms: 400,
            sent_ms: Some(0),
            chunks: 1,
            ..Answer::default()
        }
    }

    fn accept(text: &str, answer: Answer) -> Result<Accepted, String> {
        let source = Source::parse(Format::Yaml, text).unwrap();
        let case = Case::from_source(&source).unwrap();
        let verdict = check_answer(&case, answer, ExpectedValues::default());
        assert!(!verdict.has_passed());
        accept_answer(&source, &verdict, &Mask::default())
    }

    #[test]
    fn only_what_differs_changes_and_comments_stay() {
        let text = "\
# mine
case: user  # the first
expect:
  json:
    name: Ada # never changes
    gone: 1
    orders:
    - {id: 1, total: 2}
    # the last
    - {id: 2}
  contains: [Ada, Lovelace]
  under: 100ms # fast
call: user
";
        let json = r#"{"name":"Ada","at":"now","orders":[{"id":1,"total":3,"more":0},{"id":5}]}"#;
        let accepted = accept(text, came(json, Outcome::Succeeded, None)).unwrap();
        let expected = text
            .replace("    gone: 1\n", "")
            .replace("total: 2", "total: 3")
            .replace("{id: 2}", "{id: 5}")
            .replace("[Ada, Lovelace]", "[Ada]")
            .replace("100ms", "1s");
        assert_eq!(accepted.text, expected);
        assert!(accepted.verdict.has_passed());
    }

    #[test]
    fn variables_that_have_what_came_stay() {
        let text = "\
call: a
expect:
  json: {shop: '{{var.shop}}', at: '{{var.at}}', n: 1}
  contains: ['{{var.shop}}', '{{var.at}}', other]
";
        let source = Source::parse(Format::Yaml, text).unwrap();
        let case = Case::from_source(&source).unwrap();
        let mut dev = Connection::http("dev", "http://localhost");
        let shown = |text: &str| RequestVariable::Shown(text.into());
        dev.variables = [("shop", shown("Basel")), ("at", shown("home"))]
            .map(|(name, variable)| (name.to_owned(), variable))
            .into();
        let values = ExpectedValues::over(&case, &dev).unwrap();
        let json = r#"{"shop":"Basel","at":"work","n":2}"#;
        let verdict = check_answer(&case, came(json, Outcome::Succeeded, None), values);
        assert_eq!(verdict.differences().count(), 3, "{verdict:?}");
        let accepted = accept_answer(&source, &verdict, &Mask::default()).unwrap();
        assert!(accepted.verdict.has_passed(), "{:?}", accepted.verdict);
        let now = Case::from_source(&Source::parse(Format::Yaml, accepted.text).unwrap()).unwrap();
        assert_eq!(now.expect.json, Some(json!({"shop": "{{var.shop}}", "at": "work", "n": 2})));
        assert_eq!(now.expect.contains, ["{{var.shop}}"]);
    }

    #[test]
    fn another_end_is_accepted_with_its_error() {
        let text = "call: a\nexpect: {error: cold} # so far\n";
        let warm = accept(text, came("", Outcome::Failed, Some("warm"))).unwrap();
        assert_eq!(warm.text, text.replace("cold", "warm"));
        let fine = accept(text, came("x", Outcome::Succeeded, None)).unwrap();
        assert!(fine.verdict.has_passed() && !fine.text.contains("error"), "{}", fine.text);
        let failed = accept("call: a\n", came("", Outcome::Failed, Some("warm"))).unwrap();
        assert_eq!(failed.text, "call: a\nexpect:\n  outcome: failed\n");
    }

    #[test]
    fn secrets_and_what_no_answer_decides_stay_out() {
        let json = r#"{"password":"hunter2hunter2","n":2}"#;
        let text = "call: a\nexpect: {json: {password: old, n: 1}}\n";
        let accepted = accept(text, came(json, Outcome::Succeeded, None)).unwrap();
        assert!(!accepted.text.contains("hunter2") && accepted.text.contains("n: 2"));
        // What the call passed as a secret, however the service writes it.
        let text = "call: a\narguments: {password: pässwört1}\nexpect: {json: {b: old, n: 1}}\n";
        let json = r#"{"b":"p\u00e4ssw\u00f6rt1","n":2}"#;
        let accepted = accept(text, came(json, Outcome::Succeeded, None)).unwrap();
        assert_eq!(accepted.text, text.replace("b: old, n: 1", "n: 2"));
        let schema = "call: a\nexpect: {schema: {required: [x]}}\n";
        let refused = accept(schema, came(json, Outcome::Succeeded, None)).unwrap_err();
        assert_eq!(refused, "schema can't be accepted: edit the case");
        let lost = accept("call: a\n", came("", Outcome::Lost, Some("no-server"))).unwrap_err();
        assert_eq!(lost, "no answer came that could be accepted");
    }

    #[test]
    fn what_is_not_looked_at_stays_as_it_is() {
        let text = "\
call: a
expect: {json: {at: 7, a: 2, \"x/y\": 3, gone: 4, l: [{at: 1, n: 1}]}, ignore: [/at, /x~1y, /gone, '/l/*/at']}
";
        let json = r#"{"at":5,"a":1,"x/y":1,"l":[{"at":2,"n":2},{"at":3,"n":3}]}"#;
        let accepted = accept(text, came(json, Outcome::Succeeded, None)).unwrap();
        let expected =
            text.replace("a: 2", "a: 1").replace("{at: 1, n: 1}", "{at: 1, n: 2}, {at: 3, n: 3}");
        assert_eq!(accepted.text, expected);
        assert!(accepted.verdict.has_passed(), "{:?}", accepted.verdict);
    }

    #[test]
    fn no_case_is_left_that_any_answer_passes() {
        let text = "call: a\nexpect: {json: {password: old, gone: 1}}\n";
        for json in [r#"{"password":"hunter2hunter2","other":1}"#, "{}"] {
            let refused = accept(text, came(json, Outcome::Succeeded, None)).unwrap_err();
            assert_eq!(refused, "json can't be accepted: nothing of it is left");
        }
        let refused = accept(text, came("Hi", Outcome::Succeeded, None)).unwrap_err();
        assert_eq!(refused, "json can't be accepted: the answer isn't JSON");
    }
}
