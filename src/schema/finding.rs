//! What is wrong with a schema itself, and which of it can be left out so that the rest still counts.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use super::{pointer::Pointer, resolve::Addresses, words};

/// What is wrong with a schema itself; the pointer is within the schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema is not valid at \"{at}\": {words}")]
pub struct SchemaFinding {
    pub at: Pointer,
    pub words: String,
}

/// More findings than these are not listed.
const MOST: usize = 100;

/// All that is wrong with a schema that does not compile; at least one.
pub(super) fn of(schema: &Value, error: &ValidationError<'_>) -> Vec<SchemaFinding> {
    let flaws = flaws(schema, error);
    if !flaws.is_empty() {
        return flaws;
    }
    let meta = jsonschema::meta::validator_for(schema);
    let mut found: Vec<SchemaFinding> = Vec::new();
    for error in meta.iter().flat_map(|meta| meta.iter_errors(schema)).take(MOST) {
        let finding = finding(&error);
        if !found.contains(&finding) {
            found.push(finding);
        }
    }
    if found.is_empty() { vec![finding(error)] } else { found }
}

fn finding(error: &ValidationError<'_>) -> SchemaFinding {
    let words = match error.kind() {
        ValidationErrorKind::Referencing(problem) => problem.to_string(),
        kind => words::of(kind),
    };
    SchemaFinding { at: Pointer::parse(error.instance_path().as_str()).unwrap_or_default(), words }
}

/// What can be left out to get over an error.
pub(super) fn flaws(schema: &Value, error: &ValidationError<'_>) -> Vec<SchemaFinding> {
    let named = schema.get("$schema").and_then(Value::as_str);
    if let Some(named) = named
        && jsonschema::Draft::default().detect(schema) == jsonschema::Draft::Unknown
    {
        let words = format!("{named:?} is no version of JSON Schema that is known; read as 2020-12");
        return vec![SchemaFinding { at: Pointer::root().child("$schema"), words }];
    }
    let mut flaws = Vec::new();
    if matches!(error.kind(), ValidationErrorKind::Referencing(_)) {
        let addresses = Addresses::of(schema);
        walk(schema, &Pointer::root(), &mut |at, name, member| {
            let reference = member.as_str().filter(|_| REFERENCES.contains(&name));
            let astray = reference.filter(|reference| {
                let target = addresses.resolve(name, reference, &at.to_string());
                !is_known(reference) && target.is_none_or(|target| schema.pointer(&target).is_none())
            });
            flaws.extend(astray.map(|reference| SchemaFinding { at: at.child(name), words: stray_words(reference) }));
        });
    } else if let Some(pattern) = bad_pattern(error) {
        let words = || "is not a regular expression that can be checked; it is left out".to_owned();
        walk(schema, &Pointer::root(), &mut |at, name, member| {
            if name == "pattern" && member.as_str() == Some(&pattern) {
                flaws.push(SchemaFinding { at: at.child(name), words: words() });
            }
            if name == "patternProperties" && member.get(&pattern).is_some() {
                flaws.push(SchemaFinding { at: at.child(name).child(pattern.clone()), words: words() });
            }
        });
    }
    flaws.truncate(MOST);
    flaws
}

/// The text that an error says is no regular expression.
fn bad_pattern(error: &ValidationError<'_>) -> Option<String> {
    match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => error.instance().as_str().map(ToOwned::to_owned),
        ValidationErrorKind::PropertyNames { error } => bad_pattern(error),
        _ => None,
    }
}

/// Shows every keyword of a schema, with the place of the schema that has it.
fn walk(schema: &Value, at: &Pointer, visit: &mut impl FnMut(&Pointer, &str, &Value)) {
    match schema {
        Value::Object(members) => {
            let are_names = at.last().is_some_and(|last| last == "properties");
            for (name, member) in members {
                visit(at, name, member);
                if are_names || !DATA.contains(&name.as_str()) {
                    walk(member, &at.child(name.clone()), visit);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, &at.item(index), visit);
            }
        }
        _ => {}
    }
}

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords whose content is data, not schemas.
const DATA: [&str; 5] = ["enum", "const", "default", "examples", "example"];

/// The schemas of JSON Schema itself are known without being part of a schema.
fn is_known(reference: &str) -> bool {
    ["http://json-schema.org/draft", "https://json-schema.org/draft"].iter().any(|known| reference.starts_with(known))
}

fn stray_words(reference: &str) -> String {
    if reference.starts_with('#') {
        return format!("{reference:?} leads nowhere in this schema; it is left out");
    }
    let is_file = !reference.contains("://") || reference.starts_with("file:");
    if is_file {
        return format!("{reference:?} is not part of this schema, nor a file that may be read; it is left out");
    }
    format!("{reference:?} is left out: references are never followed over a network")
}

/// Takes a keyword out of a schema.
pub(super) fn leave_out(schema: &mut Value, at: &Pointer) {
    let (Some(parent), Some(name)) = (at.parent(), at.last()) else { return };
    if let Some(Value::Object(members)) = parent.get_mut(schema) {
        members.shift_remove(name);
    }
}
