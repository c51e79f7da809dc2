//! The processors that a tool names: `[{"type": "to_string", "escape_json": true}]`.

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value};

use crate::systems::opensearch::json_path::JsonPath;

/// The types, as they are written; the server does not mind capitals.
pub const TYPES: &[&str] = &[
    "conditional",
    "extract_json",
    "for_each",
    "jsonpath_filter",
    "process_and_set",
    "regex_capture",
    "regex_replace",
    "remove_jsonpath",
    "set_field",
    "to_string",
];

/// How deep processors may hold processors.
const DEEPEST: usize = 32;

/// A processor that can be made.
#[derive(Clone, Debug)]
pub enum Processor {
    /// The first route whose condition holds, or the default.
    Conditional {
        path: Option<JsonPath>,
        routes: Vec<(String, Vec<Processor>)>,
        default: Vec<Processor>,
    },
    ExtractJson {
        kind: Extracted,
        default: Option<Value>,
    },
    ForEach {
        path: String,
        processors: Vec<Processor>,
    },
    JsonPathFilter {
        path: JsonPath,
        default: Option<Value>,
    },
    ProcessAndSet {
        path: String,
        processors: Vec<Processor>,
    },
    RegexCapture {
        pattern: Regex,
        groups: Vec<usize>,
    },
    RegexReplace {
        pattern: Regex,
        replacement: String,
        every: bool,
    },
    RemoveJsonPath {
        paths: Vec<String>,
    },
    SetField {
        path: String,
        value: FieldValue,
    },
    ToString {
        escape_json: bool,
    },
}

/// What is looked for in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extracted {
    Either,
    Object,
    Array,
}

/// Where a field's value is from.
#[derive(Clone, Debug)]
pub enum FieldValue {
    Fixed(Value),
    From { path: JsonPath, default: Option<Value> },
}

/// The processors that a value lists: a list, or the JSON text of one.
///
/// # Errors
/// When one of them cannot be made, with which and why.
pub fn read_processors(value: &Value) -> Result<Vec<Processor>, String> {
    match value {
        Value::String(text) => {
            let list = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
            read_list(&list, 0)
        }
        list => read_list(list, 0),
    }
}

fn read_list(value: &Value, depth: usize) -> Result<Vec<Processor>, String> {
    if depth > DEEPEST {
        return Err(format!("processors nest more than {DEEPEST} deep"));
    }
    let one = [value.clone()];
    let items = match value {
        Value::Array(items) => items.as_slice(),
        Value::Object(_) if depth > 0 => &one,
        _ => return Err("a list of processors is expected".into()),
    };
    items
        .iter()
        .enumerate()
        .map(|(at, item)| {
            let members = item.as_object().ok_or("a processor is an object")?;
            read_processor(members, depth).map_err(|why| format!("processor {}: {why}", at + 1))
        })
        .collect()
}

fn read_processor(members: &Map<String, Value>, depth: usize) -> Result<Processor, String> {
    let kind = members.get("type").and_then(Value::as_str).ok_or("it has no type")?;
    let processors = || {
        let list = read_list(members.get("processors").unwrap_or(&Value::Null), depth + 1)?;
        if list.is_empty() { Err("processors is empty".to_owned()) } else { Ok(list) }
    };
    let default = members.get("default").filter(|value| !value.is_null()).cloned();
    Ok(match kind.to_ascii_lowercase().as_str() {
        "conditional" => read_conditional(members, depth)?,
        "extract_json" => {
            let kind = members.get("extract_type").map_or(Ok("auto"), |kind| {
                kind.as_str().ok_or("extract_type is auto, object or array")
            })?;
            let kind = match kind.to_ascii_lowercase().as_str() {
                "auto" => Extracted::Either,
                "object" => Extracted::Object,
                "array" => Extracted::Array,
                _ => return Err("extract_type is auto, object or array".into()),
            };
            Processor::ExtractJson { kind, default }
        }
        "for_each" => Processor::ForEach { path: path_text(members)?, processors: processors()? },
        "jsonpath_filter" => {
            Processor::JsonPathFilter { path: JsonPath::parse(&path_text(members)?)?, default }
        }
        "process_and_set" => {
            Processor::ProcessAndSet { path: path_text(members)?, processors: processors()? }
        }
        "regex_capture" => {
            let groups = members.get("groups").map_or(Ok(vec![1]), read_groups)?;
            Processor::RegexCapture { pattern: read_pattern(members)?, groups }
        }
        "regex_replace" => Processor::RegexReplace {
            pattern: read_pattern(members)?,
            replacement: text(members, "replacement").unwrap_or_default().to_owned(),
            every: members.get("replace_all").is_none_or(|every| *every == Value::Bool(true)),
        },
        "remove_jsonpath" => Processor::RemoveJsonPath { paths: read_paths(members)? },
        "set_field" => read_field(members)?,
        "to_string" => Processor::ToString {
            escape_json: members.get("escape_json") == Some(&Value::Bool(true)),
        },
        _ => return Err(format!("{kind} is no type; they are {}", TYPES.join(", "))),
    })
}

fn text<'m>(members: &'m Map<String, Value>, name: &str) -> Option<&'m str> {
    members.get(name).and_then(Value::as_str)
}

fn required_text<'m>(members: &'m Map<String, Value>, name: &str) -> Result<&'m str, String> {
    text(members, name)
        .filter(|text| !text.trim().is_empty())
        .ok_or_else(|| format!("it needs {name}, a text"))
}

/// The path of a processor, which can be read.
fn path_text(members: &Map<String, Value>) -> Result<String, String> {
    let path = required_text(members, "path")?;
    JsonPath::parse(path)?;
    Ok(path.to_owned())
}

/// A pattern of Java's, as far as it means the same here; a dot takes the end of a line too.
fn read_pattern(members: &Map<String, Value>) -> Result<Regex, String> {
    let pattern = required_text(members, "pattern")?;
    RegexBuilder::new(pattern).dot_matches_new_line(true).build().map_err(|_| {
        format!("the pattern {pattern} is wrong, or looks around or back, which is not tried here")
    })
}

fn read_groups(groups: &Value) -> Result<Vec<usize>, String> {
    let wrong = || format!("groups is a number or a list of numbers, not {groups}");
    let parsed = match groups {
        Value::String(text) => serde_json::from_str(text).map_err(|_| wrong())?,
        other => other.clone(),
    };
    let number = |value: &Value| -> Option<usize> {
        match value {
            Value::String(text) => text.trim().parse().ok(),
            other => other.as_u64().and_then(|number| usize::try_from(number).ok()),
        }
    };
    let numbers = match &parsed {
        Value::Array(items) => items.iter().map(number).collect::<Option<Vec<_>>>(),
        one => number(one).map(|number| vec![number]),
    };
    numbers.filter(|numbers| !numbers.is_empty()).ok_or_else(wrong)
}

fn read_paths(members: &Map<String, Value>) -> Result<Vec<String>, String> {
    let paths = members.get("paths").and_then(Value::as_array).filter(|paths| !paths.is_empty());
    paths
        .ok_or("it needs paths, a list")?
        .iter()
        .map(|path| {
            let path = path.as_str().filter(|path| !path.trim().is_empty());
            let path = path.ok_or("each of paths is a text")?;
            JsonPath::parse(path)?;
            Ok(path.to_owned())
        })
        .collect()
}

fn read_field(members: &Map<String, Value>) -> Result<Processor, String> {
    let path = path_text(members)?;
    let value = match (members.get("value"), members.contains_key("source_path")) {
        (Some(_), true) => return Err("value and source_path exclude each other".into()),
        (None, false) => return Err("it needs value or source_path".into()),
        (Some(_), false) if members.contains_key("default") => {
            return Err("default goes with source_path only".into());
        }
        (Some(value), false) => FieldValue::Fixed(value.clone()),
        (None, true) => FieldValue::From {
            path: JsonPath::parse(required_text(members, "source_path")?)?,
            default: members.get("default").cloned(),
        },
    };
    Ok(Processor::SetField { path, value })
}

fn read_conditional(members: &Map<String, Value>, depth: usize) -> Result<Processor, String> {
    let path = text(members, "path").filter(|path| !path.is_empty());
    let routes =
        members.get("routes").and_then(Value::as_array).ok_or("it needs routes, a list")?;
    let routes: Vec<(String, Vec<Processor>)> = routes
        .iter()
        .filter_map(Value::as_object)
        .flatten()
        .map(|(condition, list)| Ok((condition.clone(), read_list(list, depth + 1)?)))
        .collect::<Result<_, String>>()?;
    if routes.is_empty() {
        return Err("routes is empty".into());
    }
    let default =
        members.get("default").map_or(Ok(Vec::new()), |list| read_list(list, depth + 1))?;
    Ok(Processor::Conditional { path: path.map(JsonPath::parse).transpose()?, routes, default })
}
