//! What processors make of an output. One that fails leaves the output as it is, as upstream, and
//! the reason is kept.

use regex::{Captures, Regex};
use serde_json::Value;

use super::{
    place::{remove_value, set_value},
    read::{Extracted, FieldValue, Processor},
};
use crate::systems::opensearch::{
    java::{self, Numbers},
    json_path::JsonPath,
};

/// An output after processors.
#[derive(Clone, Debug, PartialEq)]
pub struct Processed {
    pub value: Value,
    /// Why processors left it as it was, each in a sentence.
    pub remarks: Vec<String>,
}

/// Makes processors, one after another.
#[must_use]
pub fn apply_processors(input: Value, processors: &[Processor]) -> Processed {
    let mut processed = Processed { value: input, remarks: Vec::new() };
    for processor in processors {
        match apply_processor(&processed.value, processor, &mut processed.remarks) {
            Ok(Some(value)) => processed.value = value,
            Ok(None) => {}
            Err(why) => processed.remarks.push(why),
        }
    }
    processed
}

fn text_of(value: &Value) -> String {
    java::value_text(value, Numbers::AsRead)
}

/// An output as paths see it: a text is read as JSON where it is some.
fn tree_of(value: &Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        other => other.clone(),
    }
}

/// What a processor makes of a value; `None` where it leaves it.
fn apply_processor(
    value: &Value,
    processor: &Processor,
    remarks: &mut Vec<String>,
) -> Result<Option<Value>, String> {
    match processor {
        Processor::Conditional { path, routes, default } => {
            let checked = match path {
                Some(path) => path.read(&tree_of(value)).unwrap_or(Value::Null),
                None => value.clone(),
            };
            let route = routes.iter().find(|(condition, _)| holds(condition, &checked));
            let chosen = route.map_or(default, |(_, processors)| processors);
            Ok(Some(apply_inner(value.clone(), chosen, remarks)))
        }
        Processor::ExtractJson { kind, default } => extract_json(value, *kind, default.as_ref()),
        Processor::ForEach { path, processors } => for_each(value, path, processors, remarks),
        Processor::JsonPathFilter { path, default } => match path.read(&tree_of(value)) {
            Some(picked) => Ok(Some(picked)),
            None if default.is_some() => Ok(default.clone()),
            None => Err("jsonpath_filter: the path picks nothing".into()),
        },
        Processor::ProcessAndSet { path, processors } => {
            let processed = apply_inner(value.clone(), processors, remarks);
            let mut tree = tree_of(value);
            set_value(&mut tree, path, &processed)
                .map_err(|why| format!("process_and_set: {why}"))?;
            Ok(Some(tree))
        }
        Processor::RegexCapture { pattern, groups } => capture_groups(value, pattern, groups),
        Processor::RegexReplace { pattern, replacement, every } => {
            replace_matches(&text_of(value), pattern, replacement, *every)
                .map(|text| Some(Value::String(text)))
        }
        Processor::RemoveJsonPath { paths } => {
            let mut tree = tree_of(value);
            for path in paths {
                if let Err(why) = remove_value(&mut tree, path) {
                    remarks.push(format!("remove_jsonpath: {why}"));
                }
            }
            Ok(Some(tree))
        }
        Processor::SetField { path, value: field } => {
            let mut tree = tree_of(value);
            let set = match field {
                FieldValue::Fixed(fixed) => fixed.clone(),
                FieldValue::From { path: source, default } => field_value(source, &tree, default)?,
            };
            set_value(&mut tree, path, &set).map_err(|why| format!("set_field: {why}"))?;
            Ok(Some(tree))
        }
        Processor::ToString { escape_json } => {
            let text = text_of(value);
            let text = if *escape_json { java::escape_json(&text) } else { text };
            Ok(Some(Value::String(text)))
        }
    }
}

fn apply_inner(value: Value, processors: &[Processor], remarks: &mut Vec<String>) -> Value {
    let processed = apply_processors(value, processors);
    remarks.extend(processed.remarks);
    processed.value
}

fn field_value(source: &JsonPath, tree: &Value, default: &Option<Value>) -> Result<Value, String> {
    match source.read(tree) {
        // A null that is found counts as nothing, unless there is a default.
        Some(Value::Null) if default.is_none() => Err("set_field: source_path holds null".into()),
        Some(value) => Ok(value),
        None => default.clone().ok_or_else(|| "set_field: source_path picks nothing".into()),
    }
}

fn for_each(
    value: &Value,
    path: &str,
    processors: &[Processor],
    remarks: &mut Vec<String>,
) -> Result<Option<Value>, String> {
    let mut tree = tree_of(value);
    let items = match JsonPath::parse(path)?.read(&tree) {
        Some(Value::Array(items)) if items.is_empty() => return Ok(None),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(format!("for_each: {path} is no list")),
        None => return Err(format!("for_each: {path} picks nothing")),
    };
    let processed = items.into_iter().map(|item| apply_inner(item, processors, remarks)).collect();
    let list = path.strip_suffix("[*]").unwrap_or(path);
    let places = JsonPath::parse(list)?.locate(&tree);
    if places.is_empty() || places.iter().any(crate::schema::pointer::Pointer::is_root) {
        return Err(format!("for_each: {list} cannot be set"));
    }
    set_value(&mut tree, list, &processed).map_err(|why| format!("for_each: {why}"))?;
    Ok(Some(tree))
}

fn extract_json(
    value: &Value,
    kind: Extracted,
    default: Option<&Value>,
) -> Result<Option<Value>, String> {
    let Value::String(text) = value else { return Ok(None) };
    let start = match kind {
        Extracted::Object => text.find('{'),
        Extracted::Array => text.find('['),
        Extracted::Either => text.find(['{', '[']),
    };
    let found = start.and_then(|start| {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        values.next()?.ok()
    });
    match (found, default) {
        (Some(found), _) => Ok(Some(found)),
        (None, Some(default)) => Ok(Some(default.clone())),
        (None, None) => Err("extract_json: no JSON is found in the text".into()),
    }
}

fn capture_groups(
    value: &Value,
    pattern: &Regex,
    groups: &[usize],
) -> Result<Option<Value>, String> {
    let text = text_of(value);
    let Some(found) = pattern.captures(&text) else {
        return Err("regex_capture: the pattern matches nothing".into());
    };
    let captured: Vec<Value> = groups
        .iter()
        .filter(|group| **group < found.len())
        .map(|group| found.get(*group).map_or(Value::Null, |part| part.as_str().into()))
        .collect();
    match captured.as_slice() {
        [] => Err("regex_capture: the pattern has no such group".into()),
        [one] => Ok(Some(one.clone())),
        _ => Ok(Some(captured.into())),
    }
}

fn replace_matches(
    text: &str,
    pattern: &Regex,
    replacement: &str,
    every: bool,
) -> Result<String, String> {
    let limit = if every { 0 } else { 1 };
    let mut failure = None;
    let replaced = pattern.replacen(text, limit, |found: &Captures<'_>| {
        expand(replacement, found).unwrap_or_else(|why| {
            failure = Some(why);
            String::new()
        })
    });
    match failure {
        Some(why) => Err(format!("regex_replace: {why}")),
        None => Ok(replaced.into_owned()),
    }
}

/// A replacement in Java's spelling: `$1`, `${name}`, `\$`.
fn expand(replacement: &str, found: &Captures<'_>) -> Result<String, String> {
    let mut text = String::new();
    let mut letters = replacement.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.push(letters.next().ok_or("the replacement ends in \\")?),
            '$' if letters.next_if_eq(&'{').is_some() => {
                let mut name = String::new();
                loop {
                    match letters.next().ok_or("} is missing in the replacement")? {
                        '}' => break,
                        letter => name.push(letter),
                    }
                }
                text.push_str(found.name(&name).map_or("", |part| part.as_str()));
            }
            '$' => {
                let digit = letters.next().and_then(|letter| letter.to_digit(10));
                let mut group = digit.ok_or("$ takes a number in the replacement")? as usize;
                // Further digits count as long as there is such a group.
                while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(10)) {
                    let longer = group * 10 + digit as usize;
                    if longer >= found.len() {
                        break;
                    }
                    group = longer;
                    letters.next();
                }
                if group >= found.len() {
                    return Err(format!("the pattern has no group {group}"));
                }
                text.push_str(found.get(group).map_or("", |part| part.as_str()));
            }
            _ => text.push(letter),
        }
    }
    Ok(text)
}

/// Whether a condition of a route holds for a value.
fn holds(condition: &str, value: &Value) -> bool {
    let is_empty = value.as_array().is_some_and(Vec::is_empty);
    if value.is_null() || is_empty {
        return matches!(condition, "null" | "not_exists");
    }
    let text = text_of(value);
    if condition == "exists" || condition == text {
        return true;
    }
    if let Ok(number) = text.trim().parse::<f64>() {
        let against = |mark: &str| {
            condition.strip_prefix(mark).map(|rest| rest.trim().parse::<f64>().unwrap_or(f64::NAN))
        };
        if let Some(other) = against(">=") {
            return number >= other;
        }
        if let Some(other) = against("<=") {
            return number <= other;
        }
        if let Some(other) = against(">") {
            return number > other;
        }
        if let Some(other) = against("<") {
            return number < other;
        }
        if let Some(other) = against("==") {
            return (number - other).abs() < 1e-10;
        }
    }
    if let Some(pattern) = condition.strip_prefix("regex:") {
        return Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|regex| regex.is_match(&text));
    }
    condition.strip_prefix("contains:").is_some_and(|part| text.contains(part))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::systems::opensearch::processors::read::read_processors;

    fn processed(input: Value, processors: &Value) -> Value {
        apply_processors(input, &read_processors(processors).unwrap()).value
    }

    #[test]
    fn each_processor_does_what_it_says() {
        let hits = json!({"hits": [{"id": 1, "x": "a"}, {"id": 2, "x": "b"}], "n": 7});
        for (processor, expected) in [
            (json!({"type": "jsonpath_filter", "path": "$.hits[*].id"}), json!([1, 2])),
            (json!({"type": "jsonpath_filter", "path": "$.q", "default": "-"}), json!("-")),
            (json!({"type": "TO_STRING"}), json!(hits.to_string())),
            (
                json!({"type": "remove_jsonpath", "paths": ["$.hits[*].x", "$.n", "$.q"]}),
                json!({"hits": [{"id": 1}, {"id": 2}]}),
            ),
            (
                json!({"type": "set_field", "path": "$.first", "source_path": "$.hits[0].id"}),
                json!({"hits": hits["hits"], "n": 7, "first": 1}),
            ),
            (
                json!({"type": "for_each", "path": "$.hits[*]",
                    "processors": [{"type": "jsonpath_filter", "path": "$.x"}]}),
                json!({"hits": ["a", "b"], "n": 7}),
            ),
            (
                json!({"type": "process_and_set", "path": "$.n",
                    "processors": [{"type": "jsonpath_filter", "path": "$.hits.length()"}]}),
                json!({"hits": hits["hits"], "n": 2}),
            ),
            (json!({"type": "regex_capture", "pattern": "\"id\":(\\d)"}), json!("1")),
            (
                json!({"type": "regex_replace", "pattern": "^.*\"n\":(\\d).*$", "replacement": "n=$1"}),
                json!("n=7"),
            ),
            (
                json!({"type": "conditional", "path": "$.n", "routes": [
                    {"<5": [{"type": "to_string"}]},
                    {">=7": [{"type": "jsonpath_filter", "path": "$.n"}]},
                ]}),
                json!(7),
            ),
        ] {
            assert_eq!(processed(hits.clone(), &json!([processor])), expected, "{processor}");
        }
        let text = json!("Sure: {\"a\": [1]} and more");
        assert_eq!(processed(text.clone(), &json!([{"type": "extract_json"}])), json!({"a": [1]}));
        let array = json!([{"type": "extract_json", "extract_type": "array"}]);
        assert_eq!(processed(text, &array), json!([1]));
        assert_eq!(
            processed(json!("a\"/b"), &json!([{"type": "to_string", "escape_json": true}])),
            json!("a\\\"\\/b")
        );
    }

    #[test]
    fn what_cannot_be_made_is_refused_in_words() {
        for (processor, why) in [
            (json!([{"type": "x"}]), "is no type"),
            (json!([{}]), "no type"),
            (json!([{"type": "set_field", "path": "$.a"}]), "value or source_path"),
            (json!([{"type": "regex_capture", "pattern": "(?=a)"}]), "looks around"),
            (json!([{"type": "for_each", "path": "$.a", "processors": []}]), "empty"),
            (json!("{"), "not JSON"),
        ] {
            let error = read_processors(&processor).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
