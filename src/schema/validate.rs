//! A schema made ready to say whether a value is right, whole and part by part.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use jsonschema::{Registry, Validator};
use serde_json::{Value, json};

use super::{finding, issues::Issues, node::NodeKey, tree::Schema};
pub use super::{
    finding::SchemaFinding,
    issues::{Chosen, Issue, MOST_ISSUES},
};

/// The address under which the schema stands for its own parts.
const ADDRESS: &str = "toolcrib:schema";
/// More parts that cannot be relied on than these make the whole schema invalid.
const MOST_FLAWS: usize = 100;

/// A compiled schema.
pub struct Checker {
    whole: Validator,
    registry: Option<Registry<'static>>,
    draft: Value,
    parts: RefCell<HashMap<String, Option<Arc<Validator>>>>,
    /// Whether defaults are what their schemas allow.
    defaults: RefCell<HashMap<NodeKey, bool>>,
}

/// A schema as far as it can be relied on.
#[derive(Debug)]
pub struct Opened {
    /// None where the schema is invalid as a whole.
    pub checker: Option<Checker>,
    pub findings: Vec<SchemaFinding>,
    /// The schema without what the findings are about; anything goes where it is invalid as a whole.
    pub schema: Arc<Value>,
}

impl Checker {
    /// Compiles a schema; no reference is ever followed out of it. Formats are checked in every draft.
    pub fn compile(schema: &Value) -> Result<Self, Vec<SchemaFinding>> {
        match options().build(schema) {
            Ok(whole) => Ok(Self::of(whole, schema)),
            Err(error) => Err(finding::of(schema, &error)),
        }
    }

    /// The same, leaving out references that lead out of the schema and patterns that are none: each is a finding,
    /// and the rest of the schema counts.
    #[must_use]
    pub fn open(schema: &Arc<Value>) -> Opened {
        let mut shown = Arc::clone(schema);
        let mut findings = Vec::new();
        while findings.len() < MOST_FLAWS {
            let error = match options().build(&shown) {
                Ok(whole) => return Opened { checker: Some(Self::of(whole, &shown)), findings, schema: shown },
                Err(error) => error,
            };
            let flaws = finding::flaws(&shown, &error);
            if flaws.is_empty() {
                findings.extend(finding::of(&shown, &error));
                break;
            }
            let mut rest = (*shown).clone();
            for flaw in &flaws {
                finding::leave_out(&mut rest, &flaw.at);
            }
            findings.extend(flaws);
            shown = Arc::new(rest);
        }
        Opened { checker: None, findings, schema: Arc::new(Value::Bool(true)) }
    }

    fn of(whole: Validator, schema: &Value) -> Self {
        let asks = |members: &serde_json::Map<String, Value>| {
            ["anyOf", "oneOf", "if", "patternProperties", "default"].iter().any(|name| members.contains_key(*name))
        };
        // Only unions, conditions, patterns and defaults ask for parts, and the registry holds a copy of the schema.
        let registry = any_object(schema, &asks).then(|| {
            let draft = jsonschema::Draft::default().detect(schema);
            let registry = Registry::new().draft(draft).add(ADDRESS, schema.clone());
            registry.and_then(jsonschema::RegistryBuilder::prepare).ok()
        });
        Self {
            whole,
            registry: registry.flatten(),
            draft: schema.get("$schema").cloned().unwrap_or(json!("https://json-schema.org/draft/2020-12/schema")),
            parts: RefCell::default(),
            defaults: RefCell::default(),
        }
    }

    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.whole.is_valid(value)
    }

    /// The issues of a value, each once, at most [`MOST_ISSUES`].
    #[must_use]
    pub fn issues(&self, value: &Value) -> Vec<Issue> {
        self.issues_by(value, &|_, _| None)
    }

    /// The same, with the issues of a union told for the branch that is chosen.
    #[must_use]
    pub fn issues_by(&self, value: &Value, chosen: &Chosen<'_>) -> Vec<Issue> {
        let mut issues = Issues::new(chosen);
        for error in self.whole.iter_errors(value) {
            issues.take(&error);
            if issues.found.len() >= MOST_ISSUES {
                break;
            }
        }
        issues.found
    }

    /// Whether a value fits the part of the schema at a JSON pointer; `None` when that cannot be told.
    #[must_use]
    pub fn fits(&self, part: &str, value: &Value) -> Option<bool> {
        let known = self.parts.borrow().get(part).cloned();
        let validator = known.unwrap_or_else(|| {
            let validator = self.part(part).map(Arc::new);
            self.parts.borrow_mut().insert(part.to_owned(), validator.clone());
            validator
        });
        validator.map(|validator| validator.is_valid(value))
    }

    /// Whether all that a node was made from allows its default.
    pub(super) fn allows_default(&self, schema: &Schema, key: &NodeKey, default: &Value) -> bool {
        if let Some(known) = self.defaults.borrow().get(key) {
            return *known;
        }
        let mut places = key.places.iter().filter_map(|place| schema.pointer(*place));
        let allowed = places.all(|part| self.fits(&part, default) != Some(false));
        self.defaults.borrow_mut().insert(key.clone(), allowed);
        allowed
    }

    fn part(&self, pointer: &str) -> Option<Validator> {
        let registry = self.registry.as_ref()?;
        let reference = json!({"$schema": self.draft, "$ref": format!("{ADDRESS}#{}", percent_encode(pointer))});
        options().with_registry(registry).build(&reference).ok()
    }

    /// Whether a name matches a pattern of the schema.
    #[must_use]
    pub fn matches(&self, pattern: &str, name: &str) -> bool {
        let key = format!("pattern:{pattern}");
        let known = self.parts.borrow().get(&key).cloned();
        let validator = known.unwrap_or_else(|| {
            let validator = options().build(&json!({"pattern": pattern})).ok().map(Arc::new);
            self.parts.borrow_mut().insert(key, validator.clone());
            validator
        });
        validator.is_some_and(|validator| validator.is_valid(&Value::String(name.to_owned())))
    }
}

impl std::fmt::Debug for Checker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}

fn options<'r>() -> jsonschema::ValidationOptions<'r> {
    // Texts that hold JSON have a format that is in no draft.
    let holds_json = |text: &str| serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
    jsonschema::options().offline().should_validate_formats(true).with_format("json", holds_json)
}

fn any_object(value: &Value, test: &impl Fn(&serde_json::Map<String, Value>) -> bool) -> bool {
    match value {
        Value::Object(members) => test(members) || members.values().any(|member| any_object(member, test)),
        Value::Array(items) => items.iter().any(|item| any_object(item, test)),
        _ => false,
    }
}

fn percent_encode(pointer: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-._~$".contains(byte);
    pointer.bytes().map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issues(schema: &Value, value: &Value) -> Vec<String> {
        let checker = Checker::compile(schema).unwrap();
        checker.issues(value).into_iter().map(|issue| format!("{} {}", issue.at, issue.words)).collect()
    }

    #[test]
    fn a_text_that_is_to_hold_json_does() {
        let schema = json!({"properties": {"a": {"type": "string", "format": "json"}}});
        assert_eq!(issues(&schema, &json!({"a": "{"})), ["/a is not a JSON text, such as {\"a\": 1}"]);
        assert!(issues(&schema, &json!({"a": " [1e400, {}] "})).is_empty());
    }

    #[test]
    fn each_issue_is_at_its_field() {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 3},
                "kind": {"enum": ["a", "b"]},
                "count": {"type": "integer", "minimum": 1},
                "when": {"type": "string", "format": "date"},
                "list": {"type": "array", "items": {"type": "object", "required": ["id"]}, "maxItems": 1},
            },
            "required": ["name", "missing"],
            "additionalProperties": false,
            "propertyNames": {"maxLength": 8},
        });
        let value = json!({"name": "x", "kind": "c", "count": 0, "when": "soon", "list": [{}, {"id": 1}], "too-much-here": 1});
        let mut found = issues(&schema, &value);
        found.sort();
        assert_eq!(
            found,
            [
                "/count less than 1",
                "/kind must be one of a or b",
                "/list more than 1 item",
                "/list/0/id is required",
                "/missing is required",
                "/name shorter than 3 characters",
                "/too-much-here as a name: longer than 8 characters",
                "/too-much-here is not a known member",
                "/when is not a date, such as 2026-11-21",
            ]
        );
    }

    #[test]
    fn unions_say_what_they_want_or_what_the_nearest_branch_misses() {
        let schema = json!({"properties": {"v": {"anyOf": [{"type": "string"}, {"type": "null"}]}}});
        assert_eq!(issues(&schema, &json!({"v": 1})), ["/v must be text or null"]);
        let schema = json!({"properties": {"v": {"anyOf": [{"enum": ["a"]}, {"const": "b"}]}}});
        assert_eq!(issues(&schema, &json!({"v": 1})), ["/v must be one of a or b"]);
        let branch = |kind: &str, member: &str| json!({"properties": {"kind": {"const": kind}, member: {"type": "number"}}, "required": ["kind", member]});
        let schema = json!({"properties": {"v": {"oneOf": [branch("circle", "r"), branch("square", "side")]}}});
        assert_eq!(issues(&schema, &json!({"v": {"kind": "square"}})), ["/v/side is required"]);
        assert_eq!(issues(&schema, &json!({"v": {"kind": "square", "side": "x"}})), ["/v/side is not a number"]);
        let schema = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
        assert_eq!(issues(&schema, &json!({})), [" needs a or b"]);
    }

    #[test]
    fn formats_are_checked_in_every_draft_and_nothing_is_fetched() {
        let schema = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "format": "email"});
        assert_eq!(issues(&schema, &json!("x")), [" is not an e-mail address, such as ann@example.com"]);
        let findings = Checker::compile(&json!({"$ref": "https://example.com/schema.json"})).unwrap_err();
        assert!(findings[0].words.contains("example.com"), "{findings:?}");
    }

    #[test]
    fn what_cannot_be_relied_on_is_left_out_and_told() {
        let schema = Arc::new(json!({"properties": {
            "far": {"$ref": "https://example.com/far.json#/x", "title": "Far"},
            "near": {"$ref": "#/$defs/none"},
            "file": {"allOf": [{"$ref": "other.json"}]},
            "odd": {"type": "string", "pattern": "(?P<x", "minLength": 2},
            "good": {"type": "integer"},
        }, "patternProperties": {"[": {"type": "string"}}}));
        let opened = Checker::open(&schema);
        let told: Vec<String> = opened.findings.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 5, "{told:#?}");
        for (at, words) in [
            ("/properties/far/$ref", "references are never followed over a network"),
            ("/properties/near/$ref", "leads nowhere"),
            ("/properties/file/allOf/0/$ref", "other.json"),
            ("/properties/odd/pattern", "is not a regular expression that"),
            ("/patternProperties/[", "is not a regular expression"),
        ] {
            assert!(told.iter().any(|told| told.contains(at) && told.contains(words)), "{at}: {told:#?}");
        }
        let checker = opened.checker.unwrap();
        let words: Vec<String> =
            checker.issues(&json!({"good": "x", "odd": "y", "far": 1})).into_iter().map(|issue| issue.words).collect();
        assert_eq!(words.len(), 2, "{words:?}");
        assert_eq!(opened.schema["properties"]["far"], json!({"title": "Far"}));
    }

    #[test]
    fn the_chosen_branch_tells_its_issues() {
        let branch = |member: &str| json!({"type": "object", "properties": {member: {"type": "number"}}, "required": [member]});
        let schema = json!({"$defs": {"u": {"oneOf": [branch("a"), branch("b")]}}, "properties": {"v": {"$ref": "#/$defs/u"}}});
        let checker = Checker::compile(&schema).unwrap();
        for (chosen, at) in [(0, "/v/a"), (1, "/v/b")] {
            let issues = checker.issues_by(&json!({"v": {"x": 1}}), &|place, union| {
                assert_eq!((place.to_string().as_str(), union), ("/v", "/$defs/u/oneOf"));
                Some(chosen)
            });
            assert_eq!(issues.iter().map(|issue| issue.at.to_string()).collect::<Vec<_>>(), [at]);
        }
    }

    #[test]
    fn an_invalid_schema_is_found_at_its_place() {
        let findings = Checker::compile(&json!({"properties": {"a": {"type": "strin"}}})).unwrap_err();
        assert_eq!(findings[0].at.to_string(), "/properties/a/type");
    }

    #[test]
    fn parts_are_asked_on_their_own() {
        let schema = json!({"$defs": {"n": {"type": "integer"}}, "if": {"$ref": "#/$defs/n"}, "then": {"minimum": 3}});
        let checker = Checker::compile(&schema).unwrap();
        assert_eq!(checker.fits("/if", &json!(1)), Some(true));
        assert_eq!(checker.fits("/if", &json!("a")), Some(false));
        assert!(checker.matches("^x-", "x-a") && !checker.matches("^x-", "a"));
    }
}
