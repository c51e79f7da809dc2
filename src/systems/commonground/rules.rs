//! The management API's own rules for a definition, in its order and with its texts.
//!
//! The API reads YAML as PyYAML does, so that the rules stand on a [`Reading`] of the text, not on
//! the value that toolcrib shows. Where the API stops at the first rule that is broken, all that
//! are broken are reported here, the one it would name first.

use serde_json::{Map, Value, json};

use super::{entries, keys};
use crate::{
    schema::{metaschema::Metaschemas, pointer::Pointer},
    syntax::python::{PythonOddity, Reading, pattern, text as python},
};

/// What the API holds parameters against: no reference is followed, and patterns are Python's.
static METASCHEMAS: Metaschemas = Metaschemas::new(|given| {
    let fault = pattern::check_pattern(given).err()?;
    Some(format!("{} is not a 'regex': {fault}", python::repr(&given.into())))
});

/// A rule of the API, in the order in which it checks them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    Tags,
    Mapping,
    Name,
    Fields,
    Items,
    Schema,
    Reserved,
    Lifecycle,
    Subject,
    Storable,
}

/// Why the API does not take a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub rule: Rule,
    /// Within the definition.
    pub at: Pointer,
    /// The HTTP status that it answers with.
    pub status: u16,
    /// Its own words; for a field those of its validator, without the field's name.
    pub text: String,
    /// The field that its validator names, and the kind of error.
    pub field: Option<Field>,
}

/// What the API's validator says of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub kind: &'static str,
}

/// What a definition breaks, the API's first complaint first; nothing where it is accepted.
#[must_use]
pub fn refusals(read: &Reading) -> Vec<Refusal> {
    let mut found = Refusals { of: Vec::new(), read };
    found.check_tags();
    let Value::Object(members) = &read.value else {
        found.push_refusal(Rule::Mapping, Pointer::root(), "YAML root must be a mapping");
        return found.of;
    };
    let name = entries::definition_name(&read.value);
    if name.is_none() {
        found.push_refusal(
            Rule::Name,
            member_pointer(entries::name_key(&read.value)),
            "tool_name is required",
        );
    }
    found.check_fields(members);
    if let Some(parameters @ Value::Object(_)) = members.get(keys::PARAMETERS) {
        found.check_parameters(name.unwrap_or_default(), parameters);
    }
    if let Some(name) = name.filter(|name| keys::RESERVED.contains(name)) {
        let text = format!("tool_name is reserved for internal tools: {name}");
        found.push_refusal(Rule::Reserved, member_pointer(entries::name_key(&read.value)), text);
    }
    let text = |key: &str| members.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    if text(keys::AFTER_EXECUTION)
        .is_some_and(|after| ![keys::SUSPEND, keys::TERMINATE].contains(&after))
    {
        found.push_refusal(
            Rule::Lifecycle,
            member_pointer(keys::AFTER_EXECUTION),
            "after_execution must be 'suspend' or 'terminate'",
        );
    }
    if text(keys::TARGET_SUBJECT)
        .is_some_and(|subject| !subject.contains(".cmd.tool.") || subject.contains(".cmd.sys."))
    {
        let text = "target_subject must be an external tool subject (contain '.cmd.tool.' and not '.cmd.sys.')";
        found.push_refusal(Rule::Subject, member_pointer(keys::TARGET_SUBJECT), text);
    }
    found.check_storable();
    found.of.sort_by_key(|refusal| refusal.rule);
    found.of
}

/// Whether the API takes parameters for a JSON Schema.
#[must_use]
pub(crate) fn is_schema(parameters: &Value) -> bool {
    METASCHEMAS.first_flaw(parameters).is_none()
}

/// The row that the API stores of an accepted definition.
#[must_use]
pub fn stored_row(value: &Value) -> Value {
    let or = |key: &str, default: Value| value.get(key).cloned().unwrap_or(default);
    json!({
        keys::TOOL_NAME: entries::definition_name(value),
        keys::DESCRIPTION: or(keys::DESCRIPTION, Value::Null),
        keys::PARAMETERS: or(keys::PARAMETERS, json!({})),
        keys::TARGET_SUBJECT: or(keys::TARGET_SUBJECT, Value::Null),
        keys::AFTER_EXECUTION: or(keys::AFTER_EXECUTION, Value::Null),
        keys::OPTIONS: or(keys::OPTIONS, json!({})),
    })
}

fn member_pointer(key: &str) -> Pointer {
    Pointer::root().child(key)
}

struct Refusals<'r> {
    of: Vec<Refusal>,
    read: &'r Reading,
}

impl Refusals<'_> {
    fn push_refusal(&mut self, rule: Rule, at: Pointer, text: impl Into<String>) {
        self.of.push(Refusal { rule, at, status: 400, text: text.into(), field: None });
    }

    fn check_tags(&mut self) {
        for (at, oddity) in &self.read.oddities {
            if let PythonOddity::Tag(tag) = oddity {
                let text = format!(
                    "could not determine a constructor for the tag '{}'",
                    tag.replace("!!", "tag:yaml.org,2002:")
                );
                self.of.push(Refusal {
                    rule: Rule::Tags,
                    at: at.clone(),
                    status: 400,
                    text,
                    field: None,
                });
            }
        }
    }

    fn push_field(
        &mut self,
        at: Pointer,
        name: impl Into<String>,
        kind: &'static str,
        text: impl Into<String>,
    ) {
        let field = Some(Field { name: name.into(), kind });
        self.of.push(Refusal { rule: Rule::Fields, at, status: 400, text: text.into(), field });
    }

    /// The types of the members, all said at once and in the order of the API's validator.
    fn check_fields(&mut self, members: &Map<String, Value>) {
        self.check_types(members);
        let order = |refusal: &Refusal| {
            let name = refusal
                .field
                .as_ref()
                .map(|field| field.name.split('.').next().unwrap_or_default().to_owned());
            name.and_then(|name| keys::MEMBERS.iter().position(|member| *member == name))
        };
        self.of.sort_by_key(order);
    }

    fn check_types(&mut self, members: &Map<String, Value>) {
        let odd = |key: &str| {
            let place = member_pointer(key);
            let kinds =
                self.read.oddities.iter().find(|(at, oddity)| {
                    *at == place && matches!(oddity, PythonOddity::NotJson(_))
                });
            kinds.is_some()
        };
        let dates: Vec<&str> = keys::MEMBERS.into_iter().filter(|key| odd(key)).collect();
        let no_text = "Input should be a valid string";
        for key in [keys::TARGET_SUBJECT, keys::AFTER_EXECUTION] {
            match members.get(key) {
                None => self.push_field(member_pointer(key), key, "missing", "Field required"),
                Some(Value::String(_)) if dates.contains(&key) => {
                    self.push_field(member_pointer(key), key, "string_type", no_text);
                }
                Some(Value::String(text)) if text.is_empty() => {
                    self.push_field(
                        member_pointer(key),
                        key,
                        "string_too_short",
                        "String should have at least 1 character",
                    );
                }
                Some(Value::String(_)) => {}
                Some(_) => self.push_field(member_pointer(key), key, "string_type", no_text),
            }
        }
        match members.get(keys::DESCRIPTION) {
            Some(Value::String(_)) if !dates.contains(&keys::DESCRIPTION) => {}
            None | Some(Value::Null) => {}
            Some(_) => {
                self.push_field(
                    member_pointer(keys::DESCRIPTION),
                    keys::DESCRIPTION,
                    "string_type",
                    no_text,
                );
            }
        }
        for key in [keys::PARAMETERS, keys::OPTIONS] {
            if members.get(key).is_some_and(|value| !value.is_object()) {
                self.push_field(
                    member_pointer(key),
                    key,
                    "dict_type",
                    "Input should be a valid dictionary",
                );
            }
        }
        for (at, oddity) in &self.read.oddities {
            let (PythonOddity::Key(_), [home, key]) = (oddity, at.tokens()) else { continue };
            if [keys::PARAMETERS, keys::OPTIONS].contains(&home.as_str()) {
                let field =
                    Some(Field { name: format!("{home}.{key}.[key]"), kind: "string_type" });
                self.of.push(Refusal {
                    rule: Rule::Fields,
                    at: at.clone(),
                    status: 400,
                    text: no_text.into(),
                    field,
                });
            }
        }
    }

    fn check_parameters(&mut self, name: &str, parameters: &Value) {
        bare_arrays(parameters, &member_pointer(keys::PARAMETERS), "$", &mut |at, path| {
            let text =
                format!("tool_yaml[{name}].parameters: {path} is array but missing `items` object");
            self.push_refusal(Rule::Items, at, text);
        });
        if let Some(flaw) = METASCHEMAS.first_flaw(parameters) {
            let text =
                format!("tool_yaml[{name}].parameters: invalid JSON Schema ({})", flaw.words);
            self.push_refusal(Rule::Schema, member_pointer(keys::PARAMETERS).join(&flaw.at), text);
        }
    }

    fn check_storable(&mut self) {
        for key in keys::MEMBERS {
            let found =
                self.read.value.get(key).and_then(|value| with_nul(value, &member_pointer(key)));
            if let Some(at) = found {
                let text = "the database keeps no text with the character NUL";
                self.of.push(Refusal {
                    rule: Rule::Storable,
                    at,
                    status: 500,
                    text: text.into(),
                    field: None,
                });
            }
        }
        for (at, oddity) in &self.read.oddities {
            let PythonOddity::NotJson(kind) = oddity else { continue };
            let kept = at.tokens().len() > 1
                && [keys::PARAMETERS, keys::OPTIONS].contains(&at.tokens()[0].as_str());
            if !kept {
                continue;
            }
            let text = match *kind {
                "float" => "a number that is none (.nan, .inf) cannot be stored as JSON".to_owned(),
                kind => format!("Object of type {kind} is not JSON serializable"),
            };
            self.of.push(Refusal {
                rule: Rule::Storable,
                at: at.clone(),
                status: 500,
                text,
                field: None,
            });
        }
    }
}

/// The first place that a text or a key with NUL is at.
fn with_nul(value: &Value, at: &Pointer) -> Option<Pointer> {
    match value {
        Value::String(text) => text.contains('\0').then(|| at.clone()),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(row, item)| with_nul(item, &at.item(row)))
        }
        Value::Object(members) => {
            members.iter().find_map(|(key, value)| match key.contains('\0') {
                true => Some(at.clone()),
                false => with_nul(value, &at.child(key)),
            })
        }
        _ => None,
    }
}

/// Finds every `type: array` without a non-empty map of items, where and in the order in which the
/// API looks for it: it looks at nothing beside the items of an array, and at no items beside
/// anything else.
fn bare_arrays(schema: &Value, at: &Pointer, path: &str, found: &mut impl FnMut(Pointer, &str)) {
    if let Value::Array(rows) = schema {
        for (row, below) in rows.iter().enumerate() {
            bare_arrays(below, &at.item(row), &format!("{path}[{row}]"), found);
        }
    }
    let Value::Object(members) = schema else { return };
    if members.get("type").and_then(Value::as_str) == Some("array") {
        match members.get("items") {
            Some(items @ Value::Object(members)) if !members.is_empty() => {
                bare_arrays(items, &at.child("items"), &format!("{path}.items"), found);
            }
            _ => found(at.clone(), path),
        }
        return;
    }
    for key in ["properties", "anyOf", "oneOf", "allOf", "$defs", "definitions"] {
        let below = members.get(key).unwrap_or(&Value::Null);
        match (key, below) {
            ("anyOf" | "oneOf" | "allOf", Value::Array(_)) => {
                bare_arrays(below, &at.child(key), &format!("{path}.{key}"), found);
            }
            ("properties" | "$defs" | "definitions", Value::Object(members)) => {
                for (name, below) in members {
                    bare_arrays(
                        below,
                        &at.child(key).child(name),
                        &format!("{path}.{key}.{name}"),
                        found,
                    );
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::source::{Format, Source};

    fn told(parameters: &Value) -> Option<String> {
        let definition = json!({
            "tool_name": "lamp", "after_execution": "suspend", "parameters": parameters,
            "target_subject": "cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch",
        });
        let source = Source::parse(Format::Json, definition.to_string()).unwrap();
        refusals(&source.as_python(0).unwrap())
            .first()
            .map(|first| format!("{} {} {}", first.status, first.at, first.text))
    }

    #[test]
    fn schemas_are_judged_as_the_api_does() {
        for taken in [
            json!({"$schema": "https://example.org/own"}),
            json!({"$schema": "http://json-schema.org/draft-07/schema"}),
            json!({"$ref": "https://example.org/other.json"}),
            json!({"$ref": "#/$defs/absent"}),
            json!({"properties": {"a": {"$dynamicRef": "#nowhere"}}, "$id": "odd id"}),
            json!({"pattern": "(?P<y>a)\\Z"}),
            json!({"patternProperties": {"a{,3}(?#c)(?>a)": {}}}),
            json!({"type": "array", "items": {"type": "string"}, "properties": {"a": {"type": "array"}}}),
            json!({"items": {"type": "array"}}),
            json!({"format": "regex", "default": "("}),
            json!({"x-pattern": "("}),
        ] {
            assert_eq!(told(&taken), None, "{taken}");
        }
        for (refused, about) in [
            (json!({"pattern": "\\p{L}"}), "400 /parameters/pattern"),
            (json!({"pattern": "(?<n>a)"}), "is not a 'regex'"),
            (
                json!({"properties": {"a": {"pattern": "a\\z"}}}),
                "400 /parameters/properties/a/pattern",
            ),
            (json!({"patternProperties": {"a(?i)b": {}}}), "is not a 'regex'"),
            (
                json!({"$schema": "http://json-schema.org/draft-07/schema#", "required": true}),
                "400 /parameters/required",
            ),
            (json!({"$schema": 5}), "400 /parameters/$schema"),
            (json!({"$ref": 5}), "400 /parameters/$ref"),
            (json!({"$id": "a#b"}), "400 /parameters/$id"),
            (json!({"description": "a\u{0}b"}), "500 /parameters/description"),
            (json!({"anyOf": [[{"type": "array"}]]}), "$.anyOf[0][0] is array"),
            (
                json!({"$defs": {"z": {"type": "array"}}, "properties": {"a": {"type": "array"}}}),
                "$.properties.a is array",
            ),
        ] {
            let told = told(&refused).unwrap_or_default();
            assert!(told.contains(about), "{refused}: {told}");
        }
    }
}
