//! The processors that a tool names: `[{"type": "to_string", "escape_json": true}]`.

use serde_json::{Map, Value};

use crate::systems::opensearch::{
    java,
    java_regex::{DotRule, JavaPattern},
    json_path::{JsonPath, PathMiss},
    lenient_json,
};

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
        path: Option<NamedPath>,
        routes: Vec<(String, Vec<Processor>)>,
        default: Vec<Processor>,
    },
    ExtractJson {
        kind: Extracted,
        default: Option<Value>,
    },
    ForEach {
        path: NamedPath,
        processors: Vec<Processor>,
    },
    JsonPathFilter {
        path: NamedPath,
        default: Option<Value>,
    },
    ProcessAndSet {
        path: NamedPath,
        processors: Vec<Processor>,
    },
    RegexCapture {
        pattern: JavaPattern,
        groups: Vec<i32>,
    },
    RegexReplace {
        pattern: JavaPattern,
        replacement: String,
        every: bool,
    },
    RemoveJsonPath {
        paths: Vec<NamedPath>,
    },
    SetField {
        path: NamedPath,
        value: FieldValue,
    },
    ToString {
        escape_json: bool,
    },
}

/// A path as a processor names it. One that cannot be read fails when it is asked, and the output
/// stays as it is then.
#[derive(Clone, Debug)]
pub struct NamedPath {
    pub text: String,
    parsed: Result<JsonPath, String>,
}

impl NamedPath {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), parsed: JsonPath::parse(text) }
    }

    /// What it picks.
    ///
    /// # Errors
    /// When it picks nothing, with the reason.
    pub fn try_read(&self, value: &Value) -> Result<Value, PathMiss> {
        self.parsed.as_ref().map_err(|_| PathMiss::Unreadable)?.try_read(value)
    }

    /// Why it cannot be read.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        self.parsed.as_ref().err().map(String::as_str)
    }
}

impl Processor {
    /// Why paths of it, and of processors that it holds, cannot be read.
    #[must_use]
    pub fn path_faults(&self) -> Vec<String> {
        let (paths, inner): (Vec<&NamedPath>, Vec<&Self>) = match self {
            Self::Conditional { path, routes, default } => {
                let routes = routes.iter().flat_map(|(_, processors)| processors);
                (path.iter().collect(), routes.chain(default).collect())
            }
            Self::ForEach { path, processors } | Self::ProcessAndSet { path, processors } => {
                (vec![path], processors.iter().collect())
            }
            Self::JsonPathFilter { path, .. } => (vec![path], Vec::new()),
            Self::SetField { path, value: FieldValue::From { path: source, .. } } => {
                (vec![path, source], Vec::new())
            }
            Self::SetField { path, .. } => (vec![path], Vec::new()),
            Self::RemoveJsonPath { paths } => (paths.iter().collect(), Vec::new()),
            Self::ExtractJson { .. }
            | Self::RegexCapture { .. }
            | Self::RegexReplace { .. }
            | Self::ToString { .. } => (Vec::new(), Vec::new()),
        };
        let own = paths.into_iter().filter_map(NamedPath::fault).map(str::to_owned);
        own.chain(inner.into_iter().flat_map(Self::path_faults)).collect()
    }
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
    From { path: NamedPath, default: Option<Value> },
}

/// The processors that a value lists: a list, or the JSON text of one.
///
/// # Errors
/// When one of them cannot be made, with which and why.
pub fn read_processors(value: &Value) -> Result<Vec<Processor>, String> {
    match value {
        Value::String(text) => {
            let items = lenient_json::read_items(text);
            read_list(&items.map_err(|why| format!("not JSON: {why}"))?.into(), 0)
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
    let default = members.get("default").filter(|value| !value.is_null()).map(java::with_doubles);
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
        "for_each" => {
            Processor::ForEach { path: read_path(members, "path")?, processors: processors()? }
        }
        "jsonpath_filter" => {
            Processor::JsonPathFilter { path: read_path(members, "path")?, default }
        }
        "process_and_set" => Processor::ProcessAndSet {
            path: read_path(members, "path")?,
            processors: processors()?,
        },
        "regex_capture" => {
            let groups = members.get("groups").map_or(Ok(vec![1]), read_groups)?;
            Processor::RegexCapture { pattern: read_pattern(members)?, groups }
        }
        "regex_replace" => Processor::RegexReplace {
            pattern: read_pattern(members)?,
            replacement: match members.get("replacement") {
                Some(Value::String(text)) => text.clone(),
                Some(_) => return Err("replacement is a text".into()),
                None => String::new(),
            },
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

fn read_path(members: &Map<String, Value>, name: &str) -> Result<NamedPath, String> {
    required_text(members, name).map(NamedPath::new)
}

/// A pattern; a dot in it takes the end of a line too.
fn read_pattern(members: &Map<String, Value>) -> Result<JavaPattern, String> {
    JavaPattern::parse(required_text(members, "pattern")?, DotRule::AnyLetter)
}

/// Numbers of groups: a text with one, or with a list of them, or a list of texts.
fn read_groups(groups: &Value) -> Result<Vec<i32>, String> {
    let wrong = || format!("groups is a text, such as \"1\" or \"[1,2]\", not {groups}");
    let number = |text: &str| text.trim().parse().map_err(|_| wrong());
    let numbers: Vec<i32> = match groups {
        Value::String(text) => {
            let text = text.trim();
            let listed = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
            match listed.map(str::trim) {
                Some("") => Vec::new(),
                Some(listed) => listed.split(',').map(number).collect::<Result<_, _>>()?,
                None => vec![number(text)?],
            }
        }
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().ok_or_else(wrong).and_then(number))
            .collect::<Result<_, _>>()?,
        // A server reads a number as 1.0, which is no number of a group.
        _ => return Err(wrong()),
    };
    if numbers.is_empty() { Err(wrong()) } else { Ok(numbers) }
}

fn read_paths(members: &Map<String, Value>) -> Result<Vec<NamedPath>, String> {
    let paths = members.get("paths").and_then(Value::as_array).filter(|paths| !paths.is_empty());
    paths
        .ok_or("it needs paths, a list")?
        .iter()
        .map(|path| {
            let path = path.as_str().filter(|path| !path.trim().is_empty());
            path.map(NamedPath::new).ok_or_else(|| "each of paths is a text".into())
        })
        .collect()
}

fn read_field(members: &Map<String, Value>) -> Result<Processor, String> {
    let path = read_path(members, "path")?;
    let value = match (members.get("value"), members.contains_key("source_path")) {
        (Some(_), true) => return Err("value and source_path exclude each other".into()),
        (None, false) => return Err("it needs value or source_path".into()),
        (Some(_), false) if members.contains_key("default") => {
            return Err("default goes with source_path only".into());
        }
        (Some(value), false) => FieldValue::Fixed(java::with_doubles(value)),
        (None, true) => FieldValue::From {
            path: read_path(members, "source_path")?,
            default: members.get("default").map(java::with_doubles),
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
    Ok(Processor::Conditional { path: path.map(NamedPath::new), routes, default })
}
