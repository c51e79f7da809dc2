//! A call's arguments from the words of a command line, held against the tool's schema.

use std::{io::Read as _, sync::Arc, time::Duration};

use serde_json::{Map, Value};

use super::out::CommandOutput;
use crate::{
    engine::workflow::similar,
    model::{
        duration,
        problem::{Problem, ProblemKind},
        tool::Tool,
    },
    schema::{
        literal::Literal,
        pointer::Pointer,
        validate::{Checker, Issue, SchemaFinding},
    },
    store::files,
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
    systems::{calling, facets::call_meta::MetaFault, table},
};

/// Arguments from `--args` with `key=text` and `key:=json` in their place, numbers as they are
/// written there.
///
/// # Errors
/// When a word is neither, a value is not JSON, a key is twice, or the file cannot be read.
pub(crate) fn read_arguments(whole: Option<&str>, words: &[String]) -> Result<Literal, Problem> {
    set_pairs(read_base(whole)?, words, &Value::Null)
}

/// What `--args` gives; without it, no arguments.
fn read_base(whole: Option<&str>) -> Result<Source, Problem> {
    match whole {
        Some(given) => read_whole(given, "--args"),
        None => parse_json("{}").map_err(argument_problem),
    }
}

/// Sets each in its place, by the schema of the arguments where that is known.
fn set_pairs(mut arguments: Source, words: &[String], schema: &Value) -> Result<Literal, Problem> {
    let mut seen: Vec<&str> = Vec::new();
    for word in words {
        let (key, to) = parse_pair(word)?;
        if seen.contains(&key) {
            return Err(argument_problem(format!("\"{key}\" is given twice"))
                .with_remedy("give each argument once; write a list as key:='[1, 2]'"));
        }
        seen.push(key);
        let set = Edit::Set { at: place_of(key, schema), to };
        arguments =
            arguments.apply(0, &set).map_err(|error| argument_problem(error.to_string()))?.0;
    }
    to_literal(&arguments).map_err(argument_problem)
}

/// The place of an argument: `customer.name` is within `customer`, where the schema has that, and no
/// argument of the whole name.
fn place_of(key: &str, schema: &Value) -> Pointer {
    let is_listed = |name: &str| schema["properties"].get(name).is_some();
    match key.split_once('.') {
        Some((first, _)) if !is_listed(key) && is_listed(first) => {
            Pointer::from_iter(key.split('.'))
        }
        _ => Pointer::root().child(key),
    }
}

/// The same for a tool: where its schema takes no text for an argument, what is written as
/// `key=text` is JSON, if it can be.
///
/// # Errors
/// As [`read_arguments`].
pub(crate) fn read_typed(
    tool: &Tool,
    whole: Option<&str>,
    words: &[String],
) -> Result<Literal, Problem> {
    let base = read_base(whole)?;
    let schema = table::arguments_schema(tool);
    let arguments = set_pairs(base.clone(), words, &schema)?;
    // What of the schema can't be used is reported where the arguments are checked.
    let (Some(checker), _) = lenient_checker(&schema) else {
        return Ok(arguments);
    };
    let issues = checker.issues(arguments.value());
    let is_no_text = |key: &str| {
        let mut of_key = issues.iter().filter(|issue| issue.keyword == "type");
        of_key.any(|issue| issue.at == place_of(key, &schema))
    };
    let typed: Vec<String> = words
        .iter()
        .map(|word| match word.split_once('=') {
            Some((key, text)) if is_no_text(key) && parse_json(text).is_ok() => {
                format!("{key}:={text}")
            }
            _ => word.clone(),
        })
        .collect();
    set_pairs(base, &typed, &schema)
}

/// An object that an option gives: JSON, a file, or `-` for standard input.
///
/// # Errors
/// When it cannot be read, or is no object.
pub(crate) fn read_object(given: &str, option: &'static str) -> Result<Literal, Problem> {
    let source = read_whole(given, option)?;
    to_literal(&source).map_err(argument_problem)
}

fn argument_problem(cause: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::Input, "reading the arguments", cause)
}

fn parse_pair(word: &str) -> Result<(&str, Literal), Problem> {
    let form = "write key=text, or key:=json for numbers, lists and true or false";
    let (key, text) = word
        .split_once('=')
        .ok_or_else(|| argument_problem(format!("\"{word}\" has no =")).with_remedy(form))?;
    let (key, value) = match key.strip_suffix(':') {
        None => (key, text.into()),
        Some(key) => {
            let value = parse_json(text).and_then(|source| to_literal(&source));
            (
                key,
                value.map_err(|cause| {
                    argument_problem(format!("the value of \"{key}\" is not JSON: {cause}"))
                        .with_remedy(form)
                })?,
            )
        }
    };
    match key.is_empty() {
        true => Err(argument_problem(format!("\"{word}\" isn't an argument")).with_remedy(form)),
        false => Ok((key, value)),
    }
}

fn parse_json(text: &str) -> Result<Source, String> {
    Source::parse(Format::Json, text)
        .map_err(|error| format!("{} (column {})", error.message, error.column))
}

fn to_literal(source: &Source) -> Result<Literal, String> {
    let text = source.to_json(0).ok_or("it is empty")?;
    Literal::parse(&text).map_err(|error| error.to_string())
}

/// `-` for standard input, JSON itself, or a file by its ending; an object, as JSON.
fn read_whole(given: &str, option: &'static str) -> Result<Source, Problem> {
    let (from, format, text) = if given == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| argument_problem(format!("standard input: {error}")))?;
        ("standard input", Format::Json, text)
    } else if given.trim_start().starts_with(['{', '[']) {
        (option, Format::Json, given.to_owned())
    } else {
        let path = std::path::Path::new(given);
        (
            given,
            Format::from_path(path).unwrap_or(Format::Json),
            files::read_text(path)?.text.to_string(),
        )
    };
    let source = Source::parse(format, text)
        .map_err(|error| argument_problem(format!("{from}: {error}")))?;
    match source.value(0).filter(|value| value.is_object()).and_then(|_| source.to_json(0)) {
        Some(text) => parse_json(&text).map_err(argument_problem),
        None => Err(argument_problem(format!("{from}: this isn't an object")).with_remedy(
            "give an object with a member for each argument: {\"topic\": \"llamas\"}",
        )),
    }
}

/// Holds what a call says in `_meta` against what the protocol allows and the tool's server takes.
///
/// # Errors
/// Everything that does not fit, in one sentence for each.
pub(crate) fn check_meta(tool: &Tool, meta: &Map<String, Value>) -> Result<(), Problem> {
    let faults = calling::meta_faults(tool, meta);
    if faults.is_empty() {
        return Ok(());
    }
    let sentence = |fault: &MetaFault| match &fault.option {
        Some(option) => format!("{}: {option}", fault.words),
        None => fault.words.clone(),
    };
    let cause = faults.iter().map(sentence).collect::<Vec<_>>().join("; ");
    let doing = format!("checking the _meta of a call of {}", tool.entry.key);
    Err(Problem::new(ProblemKind::Input, doing, cause)
        .with_remedy("correct it, or send it as it is with --no-check"))
}

/// Checks by a schema as far as it can be used; of one that is invalid also what is wrong with it.
fn lenient_checker(schema: &Value) -> (Option<Checker>, Vec<SchemaFinding>) {
    if let Ok(checker) = Checker::compile(schema) {
        return (Some(checker), Vec::new());
    }
    let opened = Checker::compile_lenient(&Arc::new(schema.clone()));
    (opened.checker, opened.findings)
}

/// Holds arguments against the tool's schema, and against the names that it lists. No arguments can
/// be right for a schema that is invalid: that is a warning, and what is left of it counts.
///
/// # Errors
/// Everything that does not fit, in one sentence for each.
pub(crate) fn check_arguments(
    tool: &Tool,
    arguments: &Value,
    out: &CommandOutput,
) -> Result<(), Problem> {
    let schema = table::arguments_schema(tool);
    let (checker, flaws) = lenient_checker(&schema);
    for flaw in flaws {
        out.warn(format_args!("the arguments of {}: {flaw}", tool.entry.key));
    }
    let issues = checker.map_or_else(Vec::new, |checker| checker.issues(arguments));
    let mut told: Vec<String> =
        issues.iter().map(|issue| issue_sentence(issue, arguments)).collect();
    told.extend(
        arguments
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, _)| unknown_argument(&schema, name)),
    );
    if told.is_empty() {
        return Ok(());
    }
    let file = tool.entry.id.file();
    let kept = match table::is_kept(&tool.entry) {
        true => format!(", as {file} has it (`toolcrib mcp keep` compares that with the server)"),
        false => String::new(),
    };
    let remedy =
        format!("{}{kept}; or send it anyway with --no-check", describe_arguments(tool, &schema));
    Err(Problem::new(
        ProblemKind::Input,
        format!("checking the arguments of {}", tool.entry.key),
        told.join("; "),
    )
    .with_remedy(remedy))
}

fn issue_sentence(issue: &Issue, value: &Value) -> String {
    let name =
        if issue.at.is_root() { "the arguments".to_owned() } else { issue.at.tokens().join(".") };
    // Within a value that is JSON already, a text is one on purpose.
    let is_argument = issue.at.tokens().len() == 1;
    let typed =
        is_argument && issue.keyword == "type" && issue.at.get(value).is_some_and(Value::is_string);
    let hint =
        if typed { " (what isn't text is written as JSON)".to_owned() } else { String::new() };
    format!("{name} {}{hint}", issue.words)
}

/// What is odd about a name that the tool does not list, when it lists any.
fn unknown_argument(schema: &Value, name: &str) -> Option<String> {
    let listed = schema.get("properties")?.as_object().filter(|listed| !listed.is_empty())?;
    let open =
        schema.get("additionalProperties").is_some() || schema.get("patternProperties").is_some();
    if open || listed.contains_key(name) {
        return None;
    }
    Some(match similar::nearest_name(name, listed.keys().map(String::as_str)) {
        Some(near) => format!("there is no argument \"{name}\"; did you mean \"{near}\"?"),
        None => format!("there is no argument \"{name}\""),
    })
}

/// What the tool takes, in words.
fn describe_arguments(tool: &Tool, schema: &Value) -> String {
    let listed = Pointer::root().child("properties");
    let names: Vec<&str> = listed
        .get(schema)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    match names.is_empty() {
        true => format!("{} lists no arguments", tool.entry.key),
        false => format!("{} takes {}", tool.entry.key, names.join(", ")),
    }
}

/// A time on the command line; longer than none.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    parse_pause(text).and_then(|time| match time.is_zero() {
        true => Err(format!("it must be more than zero: {}", duration_hint())),
        false => Ok(time),
    })
}

/// A time on the command line that may be none at all.
pub(crate) fn parse_pause(text: &str) -> Result<Duration, String> {
    duration::parse_duration(text).ok_or_else(duration_hint)
}

fn duration_hint() -> String {
    format!("write {}", duration::EXAMPLES)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn pairs_are_text_or_json_and_stand_above_the_rest() {
        let read = read_arguments(
            Some(r#"{"a": 1, "b": "old"}"#),
            &words(&["b=new=er", "c:=[1, true]", "d="]),
        )
        .unwrap();
        assert_eq!(read.value(), &json!({"a": 1, "b": "new=er", "c": [1, true], "d": ""}));
    }

    #[test]
    fn a_part_of_an_argument_is_given_by_its_path() {
        let schema = json!({"properties": {"customer": {"type": "object"}, "a.b": {}}});
        let given = words(&["customer.name=Ada", "customer.age:=3", "a.b=c", "other.x=y"]);
        let read = set_pairs(parse_json("{}").unwrap(), &given, &schema).unwrap();
        let wanted = json!({"customer": {"name": "Ada", "age": 3}, "a.b": "c", "other.x": "y"});
        assert_eq!(read.value(), &wanted);
    }

    #[test]
    fn numbers_stay_as_they_are_written() {
        let read = read_arguments(
            Some(r#"{"a": 1.50, "b": [1e3]}"#),
            &words(&["c:=12345678901234567890123", "a:=2.0"]),
        )
        .unwrap();
        assert_eq!(read.to_json(), r#"{"a":2.0,"b":[1e3],"c":12345678901234567890123}"#);
    }

    #[test]
    fn what_is_no_pair_is_told() {
        for (given, cause) in [
            (&["topic"][..], "\"topic\" has no ="),
            (&["=x"], "\"=x\" isn't an argument"),
            (&["n:=[1"], "the value of \"n\" is not JSON"),
            (&["a=1", "a=2"], "\"a\" is given twice"),
        ] {
            let problem = read_arguments(None, &words(given)).unwrap_err();
            assert!(problem.cause.starts_with(cause) && !problem.remedy.is_empty(), "{problem}");
        }
        assert!(read_arguments(Some("{\"a\": }"), &[]).is_err());
        assert!(read_arguments(Some("[1]"), &[]).is_err(), "a file of that name is not there");
    }
}
