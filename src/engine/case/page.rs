//! A case as the text of a YAML file, with comments for who reads it.

use serde_json::{Map, Value, json};

use super::{script::Case, verdict::Answer};
use crate::{
    engine::members::duration_text,
    model::call::Outcome,
    schema::literal::Literal,
    syntax::{place::Format, print},
};

/// Where a workspace keeps its cases.
pub const FOLDER: &str = "cases";

const HEAD: &str = "\
# A call kept as a case: `toolcrib test FILE` makes it again and says where the answer differs.
# Under expect may stand: outcome, error (its type), contains (a text or several), json (all of it must be in the answer),
# schema (which the answer fits), under (a time: 500ms, 30s, 2m), chunks (at least so many).
";

/// An answer longer than this is not expected word by word.
const LONGEST: usize = 400;

/// What to expect of an answer like this one: its outcome, and its JSON or its text where they are short enough to be read.
#[must_use]
pub fn expected_of(answer: &Answer) -> Map<String, Value> {
    let mut expect = Map::new();
    expect.insert("outcome".into(), answer.outcome.unwrap_or(Outcome::Succeeded).word().into());
    if let Some((kind, _)) = &answer.error {
        expect.insert("error".into(), kind.as_str().into());
    }
    let text = answer.text.trim();
    let short =
        serde_json::from_str::<Value>(text).ok().filter(|value| text.len() <= LONGEST && (value.is_object() || value.is_array()));
    if let Some(value) = short {
        expect.insert("json".into(), value);
    } else if let Some(first) = text.lines().next().filter(|first| !first.is_empty()) {
        let part: String = first.trim().chars().take(80).collect();
        expect.insert("contains".into(), json!([part]));
    }
    if answer.chunks > 1 {
        expect.insert("chunks".into(), 2.into());
    }
    expect
}

/// The text of a new case. The user and the connection stay open where they are not given.
#[must_use]
pub fn text(name: &str, tool: &str, arguments: &Literal, expect: &Map<String, Value>, answer: &Answer) -> String {
    let mut text = HEAD.to_owned();
    text.push_str(&print::value(Format::Yaml, &json!({"case": name, "call": tool})));
    // Numbers stay as they were typed.
    let arguments = arguments.json();
    let arguments = Literal::parse(&format!("{{\"arguments\":{arguments}}}")).unwrap_or_else(|_| json!({"arguments": {}}).into());
    text.push_str(&print::literal(Format::Yaml, &arguments));
    let took = answer.outcome.map_or_else(String::new, |outcome| {
        format!("# when it was kept it {} after {} ms, with {} chunks\n", outcome.word(), answer.took_ms, answer.chunks)
    });
    text.push_str(&took);
    text.push_str(&print::value(Format::Yaml, &json!({"expect": expect})));
    text
}

/// A case in one line, for a list.
#[must_use]
pub fn summary(case: &Case) -> String {
    let expect = &case.expect;
    let parts = [
        Some(expect.outcome.unwrap_or(Outcome::Succeeded).word().to_owned()),
        expect.json.is_some().then(|| "json".to_owned()),
        (!expect.contains.is_empty()).then(|| "contains".to_owned()),
        expect.schema.is_some().then(|| "schema".to_owned()),
        expect.under.map(|under| format!("under {}", duration_text(under))),
        expect.chunks.map(|chunks| format!("{chunks} chunks")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engine::case::verdict::judge, syntax::source::Source};

    fn kept(answer: &Answer) -> String {
        let arguments = Literal::parse(r#"{"question": "Why: # \"so\"?", "share": 1.50, "deep": {"list": [1, null]}}"#).unwrap();
        text("why # not", "ask", &arguments, &expected_of(answer), answer)
    }

    #[test]
    fn a_kept_case_is_read_again_and_holds() {
        for answer in [
            Answer {
                outcome: Some(Outcome::Succeeded),
                text: "late deliveries\n(41 %)".into(),
                took_ms: 91,
                chunks: 3,
                error: None,
            },
            Answer {
                outcome: Some(Outcome::Succeeded),
                text: r#"{"a": [1, "x: y"]}"#.into(),
                took_ms: 9,
                chunks: 1,
                error: None,
            },
            Answer { outcome: Some(Outcome::Failed), error: Some(("cold".into(), "m".into())), ..Answer::default() },
            Answer { outcome: Some(Outcome::Succeeded), text: "- 'odd': {".into(), ..Answer::default() },
        ] {
            let text = kept(&answer);
            let case = Case::read(&Source::parse(Format::Yaml, text.as_str()).unwrap())
                .unwrap_or_else(|issue| panic!("{issue}\n{text}"));
            assert_eq!((case.name.as_str(), case.tool.as_str()), ("why # not", "ask"));
            assert_eq!(case.arguments.json(), r#"{"question":"Why: # \"so\"?","share":1.50,"deep":{"list":[1,null]}}"#);
            let verdict = judge(&case, answer);
            assert!(verdict.holds(), "{:?}\n{text}", verdict.findings);
        }
    }
}
