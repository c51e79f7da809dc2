//! `{{…}}` in arguments: `{{env.NAME}}` is a variable of the environment, `{{var.NAME}}` one of the
//! settings, `{{answer.TOOL}}` the newest answer of a tool, and `{{answer.TOOL/pointer}}` a part of
//! it.
//!
//! Answers are filled in before a request is made, variables of the settings when it is made.
//! Variables of the environment, and secrets among those of the settings, are filled in as the last
//! thing before it is sent, so that their values stand neither on the screen nor in the history.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use crate::{
    engine::settings::table::is_variable_name,
    model::{
        call::{CallError, Request},
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
        shown::visible_text,
    },
    schema::{literal::Literal, phrase::value_text},
};

const OPEN: &str = "{{";
const CLOSE: &str = "}}";
const ENVIRONMENT: &str = "env.";
const VARIABLE: &str = "var.";
const ANSWER: &str = "answer.";

/// Why a text that somebody else wrote is not sent.
const NO_VARIABLES: &str = "only you name those, in {{env.…}} and {{var.…}}";

/// What is between the braces of a template that a text holds, in order.
pub(crate) fn template_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(OPEN).skip(1).filter_map(|rest| rest.split_once(CLOSE).map(|(name, _)| name.trim()))
}

/// Whether a text names an earlier answer.
#[must_use]
pub(crate) fn names_answer(text: &str) -> bool {
    template_names(text).any(|name| name.starts_with(ANSWER))
}

/// Whether what a text is, and of which type, is known when it is sent: it names an answer or a
/// variable of the settings.
#[must_use]
pub(crate) fn is_filled_in(text: &str) -> bool {
    names_answer(text) || variable_names(text).next().is_some()
}

/// The tools whose answers are named, each once.
#[must_use]
pub(crate) fn answered_tools(arguments: &Literal) -> BTreeSet<String> {
    let json = arguments.to_json();
    let parts = template_names(&json).filter_map(|name| name.strip_prefix(ANSWER));
    parts.map(|part| part.split('/').next().unwrap_or_default().to_owned()).collect()
}

/// The arguments with earlier answers in the place of their templates; `answer` gives the newest
/// text of a tool.
///
/// # Errors
/// When a template names nothing that is there, or what is there names a variable.
pub(crate) fn with_answers(
    arguments: &Literal,
    answer: &dyn Fn(&str) -> Option<String>,
) -> Result<Literal, Problem> {
    let json = arguments.to_json();
    if !names_answer(&json) {
        return Ok(arguments.clone());
    }
    let lookup = |name: &str| match name.strip_prefix(ANSWER) {
        Some(rest) => part_of(rest, answer).map(Some),
        None => Ok(None),
    };
    let filled = fill_value(arguments.value(), &lookup);
    // It would be filled in with the others, and its value handed to the tool.
    let checked = filled.and_then(|filled| match added_variable(arguments.value(), &filled) {
        Some(name) => {
            // It is what the answer says, and may be long.
            let name = format!("{OPEN}{:.60}{CLOSE}", visible_text(&name));
            Err(format!("an earlier answer names the variable {name}: {NO_VARIABLES}"))
        }
        None => Ok(filled),
    });
    checked.map(Into::into).map_err(|cause| {
        Problem::new(ProblemKind::Input, "filling in the arguments", cause)
            .with_remedy("call that tool first, or remove the template")
    })
}

/// The first variable that a value names more often than what it was made from: parts that name
/// none may do so together.
fn added_variable(before: &Value, after: &Value) -> Option<String> {
    let mut own = variables_of(before);
    variables_of(after).into_iter().find(|name| match own.iter().position(|one| one == name) {
        Some(at) => {
            own.swap_remove(at);
            false
        }
        None => true,
    })
}

fn part_of(name: &str, answer: &dyn Fn(&str) -> Option<String>) -> Result<Value, String> {
    let (tool, pointer) = name.find('/').map_or((name, ""), |at| name.split_at(at));
    let text = answer(tool).ok_or_else(|| format!("there is no answer of \"{tool}\" yet"))?;
    if pointer.is_empty() {
        return Ok(text.into());
    }
    let value: Value = serde_json::from_str(&text)
        .map_err(|_| format!("the answer of \"{tool}\" is not JSON, so it has no {pointer}"))?;
    value
        .pointer(pointer)
        .cloned()
        .ok_or_else(|| format!("the answer of \"{tool}\" has no {pointer}"))
}

/// The variables of the settings that a text, which may be JSON, names, in order.
pub(crate) fn variable_names(text: &str) -> impl Iterator<Item = &str> {
    // Behind a template that isn't closed the braces of JSON close it, after a quote.
    let names = template_names(text).filter(|name| !name.contains('"'));
    names.filter_map(|name| name.strip_prefix(VARIABLE))
}

/// The variables of the environment that a text, which may be JSON, names, in order.
pub(crate) fn environment_names(text: &str) -> impl Iterator<Item = &str> {
    let names = template_names(text).filter_map(|name| name.strip_prefix(ENVIRONMENT));
    names.filter(|name| is_variable_name(name))
}

/// The variables of the settings that a request names, each once.
#[must_use]
pub(crate) fn request_variables(request: &Request) -> BTreeSet<&str> {
    let headers = request.headers.iter().map(|(_, value)| value.as_str());
    headers.chain([&*request.body]).flat_map(variable_names).collect()
}

/// The request with variables of the settings in the place of their templates, in headers and body;
/// those that `value` leaves out stay.
///
/// # Errors
/// The first that `value` refuses, in its words.
pub(crate) fn with_variables(request: Request, value: &Lookup<'_>) -> Result<Request, String> {
    if request_variables(&request).is_empty() {
        return Ok(request);
    }
    let lookup = |name: &str| name.strip_prefix(VARIABLE).map_or(Ok(None), value);
    fill_request(request, &lookup)
}

/// The same of a value.
///
/// # Errors
/// As [`with_variables`].
pub(crate) fn value_with_variables(arguments: &Value, value: &Lookup<'_>) -> Result<Value, String> {
    fill_value(arguments, &|name: &str| name.strip_prefix(VARIABLE).map_or(Ok(None), value))
}

/// The request with what is filled in last in the place of its templates, in headers and body, and in
/// its arguments, of which some systems make what they send as they send it: variables of the
/// environment, and those of the settings that are among `values`.
///
/// # Errors
/// When the environment has no such variable.
pub(crate) fn with_environment(
    request: Request,
    variable: &dyn Fn(&str) -> Option<String>,
    values: &BTreeMap<String, Value>,
) -> Result<Request, CallError> {
    let lookup = |name: &str| {
        if let Some(name) = name.strip_prefix(ENVIRONMENT) {
            let lacking = || format!("the environment has no variable {name}");
            return variable(name).map(|value| Some(value.into())).ok_or_else(lacking);
        }
        Ok(name.strip_prefix(VARIABLE).and_then(|name| values.get(name).cloned()))
    };
    let problem = |message| CallError {
        kind: ErrorKind::NoVariable,
        message,
        remedy: "set it before toolcrib starts".into(),
    };
    let arguments: Arc<str> = match has_variable(&request.arguments) {
        true => fill_text(&request.arguments, &lookup).map_err(problem)?.into(),
        false => Arc::clone(&request.arguments),
    };
    let filled = fill_request(request, &lookup).map_err(problem)?;
    Ok(Request { arguments, ..filled })
}

/// Whether what is between the braces of a template is a variable.
fn is_variable(name: &str) -> bool {
    name.starts_with(ENVIRONMENT) || name.starts_with(VARIABLE)
}

/// Whether a text names a variable.
fn has_variable(text: &str) -> bool {
    template_names(text).any(is_variable)
}

fn fill_request(request: Request, lookup: &Lookup<'_>) -> Result<Request, String> {
    let in_headers = request.headers.iter().any(|(_, value)| has_variable(value));
    if !in_headers && !has_variable(&request.body) {
        return Ok(request);
    }
    let body: Arc<str> = fill_text(&request.body, lookup)?.into();
    let mut headers = request.headers;
    for (_, value) in &mut headers {
        if has_variable(value) {
            *value = value_text(&in_text(value, lookup)?);
        }
    }
    Ok(Request { body, headers, ..request })
}

/// Whether a variable would be filled in anywhere in a value, in texts that hold JSON too.
#[must_use]
pub(crate) fn names_variable(value: &Value) -> bool {
    !variables_of(value).is_empty()
}

/// The variables that would be filled in, in order, each as often as it is named.
fn variables_of(value: &Value) -> Vec<String> {
    let mut names = Vec::new();
    collect_variables(value, &mut names);
    names
}

/// Looks where [`fill_value`] fills in.
fn collect_variables(value: &Value, names: &mut Vec<String>) {
    match value {
        // Long texts have seldom one, and are looked at while they are drawn.
        Value::String(text) if text.contains(OPEN) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if inner.is_object() || inner.is_array() => collect_variables(&inner, names),
            _ => {
                let named = template_names(text).filter(|name| is_variable(name));
                names.extend(named.map(str::to_owned));
            }
        },
        Value::Array(items) => {
            for item in items {
                collect_variables(item, names);
            }
        }
        Value::Object(members) => {
            for member in members.values() {
                collect_variables(member, names);
            }
        }
        _ => {}
    }
}

/// A piece of a text: itself, or the name of a variable of the environment that is filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextPiece<'t> {
    Text(&'t str),
    Variable(&'t str),
}

/// A text in pieces, for programs that fill in variables in their own way. Other templates are text.
#[must_use]
pub(crate) fn split_variables(text: &str) -> Vec<TextPiece<'_>> {
    let mut pieces = Vec::new();
    // Where the text before a variable begins, and from where on templates are looked for.
    let (mut start, mut at) = (0, 0);
    while let Some(open) = text[at..].find(OPEN).map(|found| at + found) {
        let inner = open + OPEN.len();
        let Some(close) = text[inner..].find(CLOSE).map(|found| inner + found) else { break };
        at = close + CLOSE.len();
        let name = text[inner..close].trim().strip_prefix(ENVIRONMENT);
        if let Some(name) = name.filter(|name| is_variable_name(name)) {
            pieces.extend([TextPiece::Text(&text[start..open]), TextPiece::Variable(name)]);
            start = at;
        }
    }
    pieces.push(TextPiece::Text(&text[start..]));
    pieces.retain(|piece| *piece != TextPiece::Text(""));
    pieces
}

/// Gives the value of what is between the braces of a template; `None`: it stays.
pub(crate) type Lookup<'l> = dyn Fn(&str) -> Result<Option<Value>, String> + 'l;

/// A text that may be JSON, which may hold JSON as text.
fn fill_text(text: &str, lookup: &Lookup<'_>) -> Result<String, String> {
    if !text.contains(OPEN) {
        return Ok(text.to_owned());
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() || value.is_array() => {
            Ok(fill_value(&value, lookup)?.to_string())
        }
        _ => in_text(text, lookup).map(|value| value_text(&value)),
    }
}

fn fill_value(value: &Value, lookup: &Lookup<'_>) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) if text.contains(OPEN) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if inner.is_object() || inner.is_array() => fill_text(text, lookup)?.into(),
            _ => in_text(text, lookup)?,
        },
        Value::Array(items) => {
            items.iter().map(|item| fill_value(item, lookup)).collect::<Result<Vec<_>, _>>()?.into()
        }
        Value::Object(members) => {
            let filled = members
                .iter()
                .map(|(name, member)| Ok((name.clone(), fill_value(member, lookup)?)));
            Value::Object(filled.collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}

/// A text with its templates filled in; one that is nothing but a template becomes the value
/// itself. Unknown templates stay.
fn in_text(text: &str, lookup: &Lookup<'_>) -> Result<Value, String> {
    let alone = text
        .trim()
        .strip_prefix(OPEN)
        .and_then(|rest| rest.strip_suffix(CLOSE))
        .filter(|name| !name.contains(CLOSE));
    if let Some(value) = alone.map(|name| lookup(name.trim())).transpose()?.flatten() {
        return Ok(value);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        out.push_str(before);
        let Some((name, later)) = after.split_once(CLOSE) else {
            out.push_str(OPEN);
            rest = after;
            continue;
        };
        match lookup(name.trim())? {
            Some(value) => out.push_str(&value_text(&value)),
            None => out.push_str(&format!("{OPEN}{name}{CLOSE}")),
        }
        rest = later;
    }
    out.push_str(rest);
    Ok(out.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        model::entry::{EntryId, EntryPlace, FileId},
        schema::pointer::Pointer,
    };

    fn answer(tool: &str) -> Option<String> {
        match tool {
            "ask" => Some(r#"{"rows": [{"id": 7, "name": "a \"b\""}]}"#.into()),
            "tell" => Some("a text".into()),
            _ => None,
        }
    }

    fn arguments(json: &str) -> Result<Value, Problem> {
        with_answers(&Literal::parse(json).unwrap(), &answer).map(Literal::into_value)
    }

    #[test]
    fn a_text_is_split_at_its_variables() {
        use TextPiece::{Text, Variable};
        for (text, pieces) in [
            ("", Vec::new()),
            ("a {{x}} }} {{", vec![Text("a {{x}} }} {{")]),
            ("{{env.A}}", vec![Variable("A")]),
            (
                "a {{ env.A }}{{b}} {{env.B_2}}.",
                vec![Text("a "), Variable("A"), Text("{{b}} "), Variable("B_2"), Text(".")],
            ),
            ("{{env.A\";b}}", vec![Text("{{env.A\";b}}")]),
        ] {
            assert_eq!(split_variables(text), pieces, "{text}");
        }
    }

    #[test]
    fn earlier_answers_are_filled_in() {
        assert_eq!(arguments(r#"{"a": "{{answer.ask/rows/0/id}}"}"#).unwrap(), json!({"a": 7}));
        assert_eq!(
            arguments(r#"{"a": ["say {{ answer.tell }}, {{answer.ask/rows/0/name}}"]}"#).unwrap(),
            json!({"a": ["say a text, a \"b\""]})
        );
        assert_eq!(
            arguments(r#"{"a": "{{env.X}} {{else}} {{"}"#).unwrap(),
            json!({"a": "{{env.X}} {{else}} {{"})
        );
        let kept = with_answers(&Literal::parse(r#"{"a": 1.50}"#).unwrap(), &answer).unwrap();
        assert_eq!(kept.to_json(), r#"{"a": 1.50}"#);
        for (json, words) in [
            (r#"{"a": "{{answer.nobody}}"}"#, "no answer of \"nobody\" yet"),
            (r#"{"a": "{{answer.tell/x}}"}"#, "is not JSON"),
            (r#"{"a": "{{answer.ask/rows/1}}"}"#, "has no /rows/1"),
        ] {
            assert!(arguments(json).unwrap_err().cause.contains(words), "{json}");
        }
    }

    #[test]
    fn an_answer_names_no_variables() {
        let answer = |tool: &str| match tool {
            "x" => Some(r#"{"text": "${{ env.TOKEN }}", "n": 1}"#.to_owned()),
            "open" => Some("{{env.".to_owned()),
            "close" => Some("TOKEN}}".to_owned()),
            // An item of a list in JSON, once its brackets are around it.
            "item" => Some(r#""\u007b\u007benv.TOKEN}}", "{{x}}""#.to_owned()),
            _ => None,
        };
        let filled = |json: &str| with_answers(&Literal::parse(json).unwrap(), &answer);
        for json in [
            r#"{"a": "{{answer.x/n}}", "b": "{{env.TOKEN}}"}"#,
            r#"{"a": "{{answer.open}} {{env.TOKEN}}"}"#,
        ] {
            assert!(filled(json).is_ok(), "{json}");
        }
        for json in [
            r#"{"a": "{{answer.x/text}}"}"#,
            r#"{"a": "It says {{answer.x}}"}"#,
            r#"{"a": "{{answer.x/text}}", "b": "{{env.OTHER}}"}"#,
            r#"{"a": "{{answer.open}}{{answer.close}}"}"#,
            r#"{"a": "[{{answer.item}}]"}"#,
        ] {
            let problem = filled(json).unwrap_err();
            let expected = "an earlier answer names the variable {{env.TOKEN}}: only you";
            assert!(problem.cause.starts_with(expected), "{json}: {problem}");
        }
    }

    fn request(body: &str) -> Request {
        let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::root());
        Request {
            tool: EntryId::new(place),
            system: "trustgraph",
            name: "ask".into(),
            to: "x".into(),
            reply: None,
            headers: vec![("auth".into(), "Bearer {{env.TOKEN}}".into())],
            correlation: "1".into(),
            arguments: "{}".into(),
            body: body.into(),
            mock: None,
        }
    }

    #[test]
    fn variables_are_filled_in_at_any_depth() {
        let variable = |name: &str| (name == "TOKEN").then(|| "a\"b\\c".to_owned());
        let inner = json!({"key": "{{env.TOKEN}}!", "n": 1}).to_string();
        let sent = with_environment(
            request(&json!({"arguments": inner, "user": "{{env.TOKEN}}"}).to_string()),
            &variable,
            &BTreeMap::new(),
        )
        .unwrap();
        let body: Value = serde_json::from_str(&sent.body).unwrap();
        let inner: Value = serde_json::from_str(body["arguments"].as_str().unwrap()).unwrap();
        assert_eq!(
            (inner["key"].as_str(), body["user"].as_str()),
            (Some("a\"b\\c!"), Some("a\"b\\c"))
        );
        assert_eq!(sent.headers[0].1, "Bearer a\"b\\c");
        let none = BTreeMap::new();
        let problem = with_environment(request("{{env.NOBODY}}"), &variable, &none).unwrap_err();
        assert!(problem.message.contains("no variable NOBODY"), "{problem:?}");
    }

    #[test]
    fn variables_of_the_settings_keep_their_types_and_those_without_a_value_stay() {
        let inner = json!({"limit": "{{var.LIMIT}}", "url": "{{ var.BASE }}/a"}).to_string();
        let body = json!({"arguments": inner, "key": "{{var.KEY}}"}).to_string();
        let value = |name: &str| match name {
            "LIMIT" => Ok(Some(json!(5))),
            "BASE" => Ok(Some(json!("http://h"))),
            "KEY" => Ok(None),
            other => Err(format!("no {other}")),
        };
        let made = with_variables(request(&body), &value).unwrap();
        let read: Value = serde_json::from_str(&made.body).unwrap();
        assert_eq!(read["arguments"], json!(r#"{"limit":5,"url":"http://h/a"}"#));
        assert_eq!(made.headers[0].1, "Bearer {{env.TOKEN}}");
        assert_eq!(request_variables(&made), BTreeSet::from(["KEY"]));
        let unclosed = request(&json!({"arguments": {"key": "{{var.KEY"}}).to_string());
        assert_eq!(request_variables(&unclosed), BTreeSet::new());
        let kept = BTreeMap::from([("KEY".to_owned(), json!("{{env.TOKEN}}"))]);
        let sent = with_environment(made, &|_| Some("t".into()), &kept).unwrap();
        let read: Value = serde_json::from_str(&sent.body).unwrap();
        assert_eq!(read["key"], json!("{{env.TOKEN}}"), "what is filled in is not read again");
        assert_eq!(sent.headers[0].1, "Bearer t");
        assert_eq!(with_variables(request("{{var.X}}"), &value).unwrap_err(), "no X");
        assert!(names_variable(&json!({"a": ["{{var.X}}"]})));
    }

    /// A direct call of CommonGround has its arguments in rows, and none in its body.
    #[test]
    fn arguments_that_are_in_no_body_are_filled_in_last() {
        let arguments = r#"{"shop":"{{var.SHOP}}","key":"{{env.TOKEN}}","n":1.50}"#;
        let made = Request { arguments: arguments.into(), ..request("{}") };
        let made = with_variables(made, &|name| Err(format!("no {name}"))).unwrap();
        assert_eq!(&*made.arguments, arguments, "the history has them as they were typed");
        let values = BTreeMap::from([("SHOP".to_owned(), json!("main"))]);
        let sent = with_environment(made, &|_| Some("t".into()), &values).unwrap();
        let read: Value = serde_json::from_str(&sent.arguments).unwrap();
        assert_eq!((&read["shop"], &read["key"]), (&json!("main"), &json!("t")));
    }

    proptest! {
        #[test]
        fn what_has_no_template_stays(text in r#"[a-z{} .]{0,40}"#) {
            prop_assume!(!has_variable(&text));
            prop_assert_eq!(in_text(&text, &|_| Ok(None)).unwrap(), Value::from(text));
        }
    }
}
