//! Keywords of a schema that cannot count, and how the schema does without them.

use std::collections::HashMap;

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::{Map, Value};

use super::{
    draft::Draft,
    equal::values_equal,
    finding::{IGNORED, SchemaFinding},
    messages,
    node::Types,
    patterns,
    phrase::value_text,
    pointer::Pointer,
    resolve::Addresses,
    subschemas::{self, SubschemaShape, held_by},
};

/// A keyword that cannot count as it is.
#[derive(Clone, Debug)]
pub(super) struct KeywordFlaw {
    pub(super) finding: SchemaFinding,
    repair: Repair,
}

/// What a schema has in place of a flaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repair {
    LeaveOut,
    /// A schema that allows anything.
    Anything,
    /// A list with each value once.
    Once,
    /// A list of the texts in it.
    Texts,
}

/// Keywords that only say something, and check nothing.
const SAYS: [&str; 16] = [
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentMediaType",
    "contentEncoding",
    "contentSchema",
    "$vocabulary",
    "$schema",
    "$defs",
    "definitions",
];

/// More findings than these are not listed.
const MOST: usize = 100;

impl KeywordFlaw {
    /// A keyword of the schema at a place.
    pub(super) fn at_keyword(schema: &Pointer, name: &str, words: String) -> Self {
        let unchecked = !SAYS.contains(&name);
        let finding =
            SchemaFinding { at: schema.child(name), words, schema: schema.clone(), unchecked };
        Self { finding, repair: Repair::LeaveOut }
    }

    /// Takes the flaw out of the schema.
    pub(super) fn apply_repair(&self, schema: &mut Value) {
        let at = &self.finding.at;
        match self.repair {
            Repair::LeaveOut => {
                let (Some(parent), Some(name)) = (at.parent(), at.last()) else { return };
                if let Some(Value::Object(members)) = parent.get_mut(schema) {
                    members.shift_remove(name);
                }
            }
            Repair::Anything => {
                if let Some(place) = at.get_mut(schema) {
                    *place = Value::Object(Map::new());
                }
            }
            Repair::Once | Repair::Texts => {
                let Some(Value::Array(list)) = at.get_mut(schema) else { return };
                for value in std::mem::take(list) {
                    if (self.repair == Repair::Once || value.is_string())
                        && !list.iter().any(|known| values_equal(known, &value))
                    {
                        list.push(value);
                    }
                }
            }
        }
    }
}

/// What keeps a schema from compiling, with the error that says so: first what the draft's own
/// schema finds, then references and patterns, then whatever the error is about.
pub(super) fn find_flaws(
    schema: &Value,
    draft: Draft,
    error: &ValidationError<'_>,
) -> Vec<KeywordFlaw> {
    let mut flaws = find_misshapen(schema, draft);
    let is_about_reference = matches!(error.kind(), ValidationErrorKind::Referencing(_));
    flaws.extend(if is_about_reference { broken_references(schema) } else { bad_patterns(schema) });
    if flaws.is_empty() {
        flaws.extend(at_fault(schema, error));
    }
    flaws
}

/// All that is wrong with a schema that does not compile; at least one.
pub(super) fn schema_findings(schema: &Value, error: &ValidationError<'_>) -> Vec<SchemaFinding> {
    let mut flaws: Vec<SchemaFinding> =
        find_misnamed(schema, error).into_iter().map(|flaw| flaw.finding).collect();
    if !flaws.is_empty() {
        flaws.truncate(MOST);
        return flaws;
    }
    let meta = jsonschema::meta::validator_for(schema);
    let mut found: Vec<SchemaFinding> = Vec::new();
    for error in meta.iter().flat_map(|meta| meta.iter_errors(schema)).take(MOST) {
        let finding = error_finding(&error);
        if !found.contains(&finding) {
            found.push(finding);
        }
    }
    if found.is_empty() { vec![error_finding(error)] } else { found }
}

fn error_finding(error: &ValidationError<'_>) -> SchemaFinding {
    let at = Pointer::parse(error.instance_path().as_str()).unwrap_or_default();
    let words = match error.kind() {
        ValidationErrorKind::Referencing(problem) => problem.to_string(),
        _ => flaw_message(at.last().unwrap_or_default(), error.instance(), error),
    };
    SchemaFinding { schema: at.parent().unwrap_or_default(), at, words, unchecked: true }
}

/// References that lead nowhere, patterns that are none, a `$schema` that is not known.
pub(super) fn find_misnamed(schema: &Value, error: &ValidationError<'_>) -> Vec<KeywordFlaw> {
    if let Some(flaw) = unknown_draft(schema) {
        return vec![flaw];
    }
    if matches!(error.kind(), ValidationErrorKind::Referencing(_)) {
        broken_references(schema)
    } else if is_about_pattern(error) {
        bad_patterns(schema)
    } else {
        Vec::new()
    }
}

/// A `$schema` that names no version of JSON Schema.
pub(super) fn unknown_draft(schema: &Value) -> Option<KeywordFlaw> {
    let named = schema.get("$schema").and_then(Value::as_str)?;
    if jsonschema::Draft::default().detect(schema) != jsonschema::Draft::Unknown {
        return None;
    }
    let words = format!(
        "{named:?} isn't a known version of JSON Schema; read as {}",
        Draft::detect(schema)
    );
    Some(KeywordFlaw::at_keyword(&Pointer::root(), "$schema", words))
}

/// Keywords whose value is not what the draft's schema of schemas wants.
fn find_misshapen(schema: &Value, draft: Draft) -> Vec<KeywordFlaw> {
    let meta = match draft {
        Draft::Draft4 => jsonschema::draft4::meta::validator(),
        Draft::Draft6 => jsonschema::draft6::meta::validator(),
        Draft::Draft7 => jsonschema::draft7::meta::validator(),
        Draft::Draft201909 => jsonschema::draft201909::meta::validator(),
        Draft::Draft202012 => jsonschema::draft202012::meta::validator(),
    };
    let mut flaws: Vec<KeywordFlaw> = Vec::new();
    for (at, schema) in subschemas::list_subschemas(schema) {
        let (Some(keywords), Ok(at)) = (schema.as_object(), Pointer::parse(&at)) else { continue };
        let alone = without_subschemas(keywords);
        let mut own: Vec<KeywordFlaw> = Vec::new();
        for error in meta.iter_errors(&alone).filter(|error| !is_about_pattern(error)) {
            let Ok(within) = Pointer::parse(error.instance_path().as_str()) else { continue };
            let flaw = flaw_from_error(&at, keywords, within.tokens(), &error);
            own.extend(
                flaw.filter(|flaw| own.iter().all(|known| known.finding.at != flaw.finding.at)),
            );
        }
        flaws.append(&mut own);
    }
    flaws
}

/// A schema with nothing in the schemas that it holds, so that only its own keywords are judged.
fn without_subschemas(keywords: &Map<String, Value>) -> Value {
    let emptied =
        |value: &Value| if value.is_object() { Value::Object(Map::new()) } else { value.clone() };
    let own = keywords.iter().map(|(name, value)| {
        let value = match (held_by(name), value) {
            (SubschemaShape::Schemas, Value::Array(schemas)) => {
                schemas.iter().map(emptied).collect()
            }
            (SubschemaShape::Schemas, schema) => emptied(schema),
            (SubschemaShape::Named, Value::Object(schemas)) => Value::Object(
                schemas.iter().map(|(name, schema)| (name.clone(), emptied(schema))).collect(),
            ),
            (_, value) => value.clone(),
        };
        (name.clone(), value)
    });
    Value::Object(own.collect())
}

/// The flaw that an error of the schema of schemas results in, by its place within a schema.
fn flaw_from_error(
    schema: &Pointer,
    keywords: &Map<String, Value>,
    within: &[String],
    error: &ValidationError<'_>,
) -> Option<KeywordFlaw> {
    let (name, rest) = within.split_first()?;
    let value = keywords.get(name)?;
    let mut flaw = KeywordFlaw::at_keyword(
        schema,
        name,
        format!("{}{IGNORED}", flaw_message(name, value, error)),
    );
    let says = |flaw: &mut KeywordFlaw, words: &str, repair: Repair| {
        flaw.finding.words = words.into();
        flaw.repair = repair;
    };
    match (held_by(name), rest, value) {
        (SubschemaShape::Schemas | SubschemaShape::Named, [inner, ..], _)
            if !value.get(inner).is_some_and(Value::is_array) =>
        {
            flaw.finding.at = flaw.finding.at.child(inner.clone());
            flaw.finding.schema = flaw.finding.at.clone();
            says(&mut flaw, "isn't a schema; anything is allowed here", Repair::Anything);
        }
        (_, [inner, ..], Value::Object(_)) => {
            flaw.finding.at = flaw.finding.at.child(inner.clone());
            flaw.finding.unchecked = !value.get(inner).is_some_and(is_empty_list);
        }
        (.., Value::Array(values))
            if lists_types(name, values)
                || matches!(error.kind(), ValidationErrorKind::UniqueItems) =>
        {
            flaw.finding.unchecked = false;
            says(&mut flaw, "names a value twice; the second one has no effect", Repair::Once);
        }
        (.., Value::Array(names)) if name == "required" && names.is_empty() => {
            flaw.finding.unchecked = false;
            says(&mut flaw, "names no member, which this draft doesn't allow", Repair::LeaveOut);
        }
        (.., Value::Array(_)) if name == "required" => {
            says(
                &mut flaw,
                "names a member with something other than text; that name is ignored",
                Repair::Texts,
            );
        }
        _ => {}
    }
    Some(flaw)
}

fn is_empty_list(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

/// The types are all types, so one of them is there twice.
fn lists_types(keyword: &str, values: &[Value]) -> bool {
    let is_type =
        |value: &Value| value.as_str().is_some_and(|name| !Types::from_name(name).is_empty());
    keyword == "type" && !values.is_empty() && values.iter().all(is_type)
}

/// What is wrong with a keyword's value.
fn flaw_message(name: &str, value: &Value, error: &ValidationError<'_>) -> String {
    match (name, value) {
        ("type", _) => format!("{} isn't a type of JSON Schema", value_text(value)),
        ("required", Value::Bool(_)) => {
            "is a list of names beside \"properties\", not true or false".into()
        }
        ("items", Value::Array(_)) => "is a list, which later drafts call \"prefixItems\"".into(),
        ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) => {
            "is a number in this draft".into()
        }
        _ => messages::error_message(error.kind()),
    }
}

/// References that lead to nothing.
fn broken_references(schema: &Value) -> Vec<KeywordFlaw> {
    let found = astray_of(schema, subschemas::list_subschemas(schema));
    if found.is_empty() { astray_of(schema, subschemas::list_objects(schema)) } else { found }
}

fn astray_of(schema: &Value, places: Vec<(String, &Value)>) -> Vec<KeywordFlaw> {
    let addresses = Addresses::from_schema(schema);
    let mut flaws = Vec::new();
    for (at, subschema) in places {
        for name in REFERENCES {
            let Some(reference) = subschema.get(name).and_then(Value::as_str) else { continue };
            let target = addresses.resolve(name, reference, &at);
            if !is_known(reference)
                && target.is_none_or(|target| schema.pointer(&target).is_none())
                && let Ok(at) = Pointer::parse(&at)
            {
                flaws.push(KeywordFlaw::at_keyword(&at, name, stray_words(reference)));
            }
        }
    }
    flaws
}

/// Patterns that the validator cannot read.
fn bad_patterns(schema: &Value) -> Vec<KeywordFlaw> {
    let mut known: HashMap<&str, bool> = HashMap::new();
    let mut flaws = Vec::new();
    let words = format!("isn't a regular expression that can be checked{IGNORED}");
    for (at, subschema) in subschemas::list_subschemas(schema) {
        let Ok(at) = Pointer::parse(&at) else { continue };
        let mut is_bad = |pattern| {
            *known.entry(pattern).or_insert_with(|| patterns::compile_pattern(pattern).is_err())
        };
        if subschema.get("pattern").and_then(Value::as_str).is_some_and(&mut is_bad) {
            flaws.push(KeywordFlaw::at_keyword(&at, "pattern", words.clone()));
        }
        for pattern in subschema
            .get("patternProperties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::keys)
        {
            if is_bad(pattern) {
                let mut flaw = KeywordFlaw::at_keyword(&at, "patternProperties", words.clone());
                flaw.finding.at = flaw.finding.at.child(pattern.clone());
                flaws.push(flaw);
            }
        }
    }
    flaws
}

/// The error is about a text that is no regular expression.
fn is_about_pattern(error: &ValidationError<'_>) -> bool {
    match error.kind() {
        ValidationErrorKind::Format { format } => format == "regex",
        ValidationErrorKind::PropertyNames { error } => is_about_pattern(error),
        _ => false,
    }
}

/// The keyword that an error is about, whatever it says.
fn at_fault(schema: &Value, error: &ValidationError<'_>) -> Option<KeywordFlaw> {
    let [instance, schema_path] = [error.instance_path().as_str(), error.schema_path().as_str()];
    let place = [instance, schema_path].into_iter().filter_map(|path| Pointer::parse(path).ok());
    let at = place.into_iter().find(|at| !at.is_root() && at.get(schema).is_some())?;
    let (parent, name) = (at.parent()?, at.last()?);
    let words = format!("{}{IGNORED}", messages::error_message(error.kind()));
    parent.get(schema)?.is_object().then(|| KeywordFlaw::at_keyword(&parent, name, words))
}

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The schemas of JSON Schema itself are known without being part of a schema.
fn is_known(reference: &str) -> bool {
    ["http://json-schema.org/draft", "https://json-schema.org/draft"]
        .iter()
        .any(|known| reference.starts_with(known))
}

fn stray_words(reference: &str) -> String {
    if reference.starts_with('#') {
        return format!("{reference:?} doesn't exist in this schema{IGNORED}");
    }
    let is_file = !reference.contains("://") || reference.starts_with("file:");
    if is_file {
        return format!(
            "{reference:?} is neither part of this schema nor a file that may be read; it is \
            ignored"
        );
    }
    format!("{reference:?}: references are never followed over a network{IGNORED}")
}
