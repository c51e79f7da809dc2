//! What processors make of an output. One that fails leaves the output as it is, as upstream, and
//! the reason is kept.

use serde_json::Value;

use super::{
    condition::{CheckedValue, is_met},
    place::{remove_value, set_value},
    read::{Extracted, FieldValue, NamedPath, Processor},
};
use crate::systems::opensearch::{
    java,
    java_regex::JavaPattern,
    json_path::{JsonPath, PathMiss, read_document},
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

/// An output as paths see it: a text is read as JSON where it is some.
fn tree_of(value: &Value) -> Result<Value, String> {
    match value {
        Value::String(text) => read_document(text).ok_or_else(|| "the output is not JSON".into()),
        other => Ok(other.clone()),
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
            let checked = checked_value(value, path.as_ref());
            let route = routes.iter().find(|(condition, _)| is_met(condition, &checked));
            let chosen = route.map_or(default, |(_, processors)| processors);
            Ok(Some(apply_inner(value.clone(), chosen, remarks)))
        }
        Processor::ExtractJson { kind, default } => extract_json(value, *kind, default.as_ref()),
        Processor::ForEach { path, processors } => for_each(value, path, processors, remarks),
        Processor::JsonPathFilter { path, default } => {
            match tree_of(value).map(|tree| path.try_read(&tree)) {
                Ok(Ok(picked)) => Ok(Some(picked)),
                _ if default.is_some() => Ok(default.clone()),
                Ok(Err(_)) => Err(format!("jsonpath_filter: {} picks nothing", path.text)),
                Err(why) => Err(format!("jsonpath_filter: {why}")),
            }
        }
        Processor::ProcessAndSet { path, processors } => {
            let processed = apply_inner(value.clone(), processors, remarks);
            let mut tree = tree_of(value).map_err(|why| format!("process_and_set: {why}"))?;
            set_value(&mut tree, &path.text, &processed)
                .map_err(|why| format!("process_and_set: {why}"))?;
            Ok(Some(tree))
        }
        Processor::RegexCapture { pattern, groups } => capture_groups(value, pattern, groups),
        Processor::RegexReplace { pattern, replacement, every } => {
            let replaced = pattern.replace(&java::output_text(value), replacement, *every);
            replaced
                .map(|text| Some(Value::String(text)))
                .map_err(|why| format!("regex_replace: {why}"))
        }
        Processor::RemoveJsonPath { paths } => {
            let mut tree = tree_of(value).map_err(|why| format!("remove_jsonpath: {why}"))?;
            for path in paths {
                if let Err(why) = remove_value(&mut tree, &path.text) {
                    remarks.push(format!("remove_jsonpath: {why}"));
                }
            }
            Ok(Some(tree))
        }
        Processor::SetField { path, value: field } => {
            let mut tree = tree_of(value).map_err(|why| format!("set_field: {why}"))?;
            let set = match field {
                FieldValue::Fixed(fixed) => fixed.clone(),
                FieldValue::From { path: source, default } => field_value(source, &tree, default)?,
            };
            set_value(&mut tree, &path.text, &set).map_err(|why| format!("set_field: {why}"))?;
            Ok(Some(tree))
        }
        Processor::ToString { escape_json } => {
            let text = java::output_text(value);
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

/// What the conditions of routes are held to: what a path picks; the output itself where there is
/// none, or it cannot be asked.
fn checked_value(value: &Value, path: Option<&NamedPath>) -> CheckedValue {
    let Some(path) = path else { return CheckedValue::Output(value.clone()) };
    match tree_of(value).map(|tree| path.try_read(&tree)) {
        Ok(Ok(picked)) => CheckedValue::Picked(picked),
        Ok(Err(PathMiss::NotFound)) => CheckedValue::Picked(Value::Null),
        Ok(Err(PathMiss::Unreadable | PathMiss::TooMany)) | Err(_) => {
            CheckedValue::Output(value.clone())
        }
    }
}

fn field_value(source: &NamedPath, tree: &Value, default: &Option<Value>) -> Result<Value, String> {
    match source.try_read(tree) {
        // A null that is found counts as nothing, unless there is a default.
        Ok(Value::Null) if default.is_none() => Err("set_field: source_path holds null".into()),
        Ok(value) => Ok(value),
        Err(_) => default.clone().ok_or_else(|| "set_field: source_path picks nothing".into()),
    }
}

fn for_each(
    value: &Value,
    path: &NamedPath,
    processors: &[Processor],
    remarks: &mut Vec<String>,
) -> Result<Option<Value>, String> {
    let mut tree = tree_of(value).map_err(|why| format!("for_each: {why}"))?;
    let items = match path.try_read(&tree) {
        Ok(Value::Array(items)) if items.is_empty() => return Ok(None),
        Ok(Value::Array(items)) => items,
        Ok(_) => return Err(format!("for_each: {} is no list", path.text)),
        Err(_) => return Err(format!("for_each: {} picks nothing", path.text)),
    };
    let processed = items.into_iter().map(|item| apply_inner(item, processors, remarks)).collect();
    let list = path.text.strip_suffix("[*]").unwrap_or(&path.text);
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
    pattern: &JavaPattern,
    groups: &[i32],
) -> Result<Option<Value>, String> {
    let found = pattern
        .first_groups(&java::output_text(value))
        .map_err(|why| format!("regex_capture: {why}"))?;
    let Some(found) = found else {
        return Err("regex_capture: the pattern matches nothing".into());
    };
    let known = |group: &i32| usize::try_from(*group).ok().and_then(|group| found.get(group));
    let captured: Vec<Value> =
        groups.iter().filter_map(known).map(|part| part.clone().into()).collect();
    match captured.as_slice() {
        [] => Err("regex_capture: the pattern has no such group".into()),
        [one] => Ok(Some(one.clone())),
        _ => Ok(Some(captured.into())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, json};

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
            (json!({"type": "jsonpath_filter", "path": "$.q", "default": 5}), json!(5.0)),
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
            (json!([{"type": "regex_capture", "pattern": "(a"}]), "the pattern (a"),
            (
                json!([{"type": "regex_capture", "pattern": "(a)", "groups": [1]}]),
                "groups is a text",
            ),
            (json!([{"type": "for_each", "path": "$.a", "processors": []}]), "empty"),
            (json!("{"), "not JSON"),
        ] {
            let error = read_processors(&processor).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    /// Any JSON, with members and texts that paths and patterns ask for.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[ab{}\\[\\]\"$:1, ü]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[ab]", inner, 0..3)
                    .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    fn any_processor() -> impl Strategy<Value = Value> {
        let path = r"\$?(\.a|\.b|\[\*\]|\[0\]|\.\.a|\[\?\(@\.a>0\)\]|\.length\(\)|\[|'){0,3}";
        let pattern = r"(a|\(|\)|\.|\*|\$|\\d|\[ab\]|\?){1,4}";
        let kinds = prop::sample::select(super::super::read::TYPES);
        let leaf = (kinds, path, pattern, "[a$1{}\\\\]{0,4}", any_json()).prop_map(
            |(kind, path, pattern, with, value)| {
                json!({
                    "type": kind, "path": path, "paths": [path, "$.a"], "pattern": pattern,
                    "replacement": with, "value": value, "groups": "[0,1]",
                    "routes": [{">0": [{"type": "to_string"}]}, {"exists": []}],
                })
            },
        );
        leaf.prop_recursive(2, 6, 2, |inner| {
            (inner.clone(), inner).prop_map(|(mut outer, inner)| {
                outer["processors"] = json!([inner]);
                outer["default"] = json!([inner]);
                outer
            })
        })
    }

    proptest! {
        /// Processors that can be made give a value for every output, and say why they leave one.
        #[test]
        fn any_output_is_processed(
            listed in prop::collection::vec(any_processor(), 0..4), input in any_json(),
        ) {
            for list in [Value::from(listed.clone()), Value::from(listed).to_string().into()] {
                let Ok(processors) = read_processors(&list) else { continue };
                let processed = apply_processors(input.clone(), &processors);
                prop_assert!(processed.remarks.iter().all(|remark| !remark.is_empty()));
                if processors.is_empty() {
                    prop_assert_eq!(&processed.value, &input);
                }
                let is_text = matches!(processors.last(), Some(Processor::ToString { .. }));
                prop_assert!(!is_text || processed.value.is_string());
            }
        }
    }
}
