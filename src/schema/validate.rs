//! What is wrong with a value, each issue at its own field and in plain words.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use jsonschema::{Registry, ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Value, json};

use super::{
    node::Types,
    phrase::{alternatives, plain},
    pointer::Pointer,
    words,
};

/// An issue of a value: where, and in words that follow the field's name: `is required`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    pub at: Pointer,
    pub words: String,
    /// The keyword that says so.
    pub keyword: String,
}

/// What is wrong with a schema itself; the pointer is within the schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema is not valid at \"{at}\": {words}")]
pub struct SchemaFinding {
    pub at: Pointer,
    pub words: String,
}

/// More issues than these are not listed.
pub const MOST_ISSUES: usize = 500;

/// The address under which the schema stands for its own parts.
const ADDRESS: &str = "toolcrib:schema";

/// A compiled schema.
pub struct Checker {
    whole: Validator,
    registry: Option<Registry<'static>>,
    draft: Value,
    parts: RefCell<HashMap<String, Option<Arc<Validator>>>>,
}

impl Checker {
    /// Compiles a schema; no reference is ever followed out of it. Formats are checked in every draft.
    pub fn compile(schema: &Value) -> Result<Self, Vec<SchemaFinding>> {
        let whole = options().build(schema).map_err(|error| vec![finding(&error)])?;
        Ok(Self {
            whole,
            registry: None,
            draft: schema.get("$schema").cloned().unwrap_or(json!("https://json-schema.org/draft/2020-12/schema")),
            parts: RefCell::default(),
        }
        .with_registry(schema))
    }

    fn with_registry(mut self, schema: &Value) -> Self {
        let branches = |members: &serde_json::Map<String, Value>| {
            ["anyOf", "oneOf", "if", "patternProperties"].iter().any(|name| members.contains_key(*name))
        };
        // Only unions, conditions and patterns ask for parts, and the registry holds a copy of the schema.
        if any_object(schema, &branches) {
            let draft = jsonschema::Draft::default().detect(schema);
            let registry = Registry::new().draft(draft).add(ADDRESS, schema.clone());
            self.registry = registry.and_then(jsonschema::RegistryBuilder::prepare).ok();
        }
        self
    }

    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.whole.is_valid(value)
    }

    /// The issues of a value, each once, at most [`MOST_ISSUES`].
    #[must_use]
    pub fn issues(&self, value: &Value) -> Vec<Issue> {
        let mut issues = Issues::default();
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
    jsonschema::options().offline().should_validate_formats(true)
}

fn finding(error: &ValidationError<'_>) -> SchemaFinding {
    let words = match error.kind() {
        ValidationErrorKind::Referencing(problem) => problem.to_string(),
        kind => words::of(kind),
    };
    SchemaFinding { at: Pointer::parse(error.instance_path().as_str()).unwrap_or_default(), words }
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

#[derive(Default)]
struct Issues {
    found: Vec<Issue>,
}

impl Issues {
    fn add(&mut self, at: Pointer, words: String, keyword: &str) {
        if self.found.len() < MOST_ISSUES && !self.found.iter().rev().take(50).any(|known| known.at == at && known.words == words)
        {
            self.found.push(Issue { at, words, keyword: keyword.to_owned() });
        }
    }

    /// The issues that an error comes to.
    fn take(&mut self, error: &ValidationError<'_>) {
        let at = Pointer::parse(error.instance_path().as_str()).unwrap_or_default();
        let kind = error.kind();
        let keyword = kind.keyword();
        match kind {
            ValidationErrorKind::Required { property } => {
                self.add(at.child(plain(property)), words::of(kind), keyword);
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    self.add(at.child(name.clone()), words::of(kind), keyword);
                }
            }
            ValidationErrorKind::PropertyNames { error } => {
                let name = error.instance().as_str().map(ToOwned::to_owned);
                self.add(name.map_or_else(|| at.clone(), |name| at.child(name)), words::of(kind), keyword);
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                self.take_union(at, keyword, context);
            }
            _ => self.add(at, words::of(kind), keyword),
        }
    }

    /// A value that fits no branch: what all branches want together, else what the nearest one misses.
    fn take_union(&mut self, at: Pointer, keyword: &str, branches: &[Vec<ValidationError<'static>>]) {
        let place = at.to_string();
        let is_own = |error: &ValidationError<'_>| error.instance_path().as_str() == place;
        let wanted = branches.iter().map(|errors| Wanted::of(errors, &is_own)).collect::<Vec<_>>();
        if let Some(words) = Wanted::together(&wanted) {
            self.add(at, words, keyword);
            return;
        }
        let nearest = branches.iter().zip(&wanted).filter(|(errors, _)| !errors.is_empty());
        let nearest = nearest.min_by_key(|(errors, wanted)| (wanted.is_far(errors, &place), errors.len()));
        let Some((errors, _)) = nearest else {
            self.add(at, "fits none of the alternatives".into(), keyword);
            return;
        };
        for error in errors {
            self.take(error);
        }
    }
}

/// What a branch of a union wants of the value itself.
enum Wanted {
    Types(Types),
    Values(Vec<Value>),
    Members(Vec<String>),
    More,
}

impl Wanted {
    fn of(errors: &[ValidationError<'static>], is_own: &impl Fn(&ValidationError<'_>) -> bool) -> Self {
        use ValidationErrorKind as Kind;
        if !errors.iter().all(is_own) {
            return Self::More;
        }
        let members = errors.iter().map(|error| match error.kind() {
            Kind::Required { property } => Some(plain(property)),
            _ => None,
        });
        if let Some(members) = members.collect::<Option<Vec<_>>>() {
            return Self::Members(members);
        }
        for error in errors {
            match error.kind() {
                Kind::Type { kind } => return Self::Types(words::types(kind)),
                Kind::Constant { expected_value } => return Self::Values(vec![(**expected_value).clone()]),
                Kind::Enum { options } => return Self::Values(options.as_array().cloned().unwrap_or_default()),
                _ => {}
            }
        }
        Self::More
    }

    fn together(all: &[Self]) -> Option<String> {
        let members = all.iter().map(|wanted| match wanted {
            Self::Members(names) => Some(names.join(" and ")),
            _ => None,
        });
        if let Some(names) = members.collect::<Option<Vec<_>>>().filter(|names| !names.is_empty()) {
            return Some(format!("needs {}", alternatives(names.iter().map(String::as_str))));
        }
        let mut types = Types::NONE;
        let mut values = Vec::new();
        for wanted in all {
            match wanted {
                Self::Types(more) => types = types.or(*more),
                Self::Values(more) => values.extend(more),
                Self::Members(_) | Self::More => return None,
            }
        }
        match (types.is_empty(), values.is_empty()) {
            (true, true) => None,
            (false, true) => Some(words::wrong_type(types)),
            (true, false) => Some(words::one_of(&values)),
            (false, false) => Some(format!("{}, or {}", words::one_of(&values), types.words())),
        }
    }

    /// 2 for another type than the value has, 1 where the member that tells branches apart differs.
    fn is_far(&self, errors: &[ValidationError<'static>], place: &str) -> u8 {
        if matches!(self, Self::Types(_)) {
            return 2;
        }
        let tag = |error: &ValidationError<'_>| {
            let depth = |path: &str| path.matches('/').count();
            matches!(error.kind(), ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. })
                && depth(error.instance_path().as_str()) <= depth(place) + 1
        };
        u8::from(errors.iter().any(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issues(schema: &Value, value: &Value) -> Vec<String> {
        let checker = Checker::compile(schema).unwrap();
        checker.issues(value).into_iter().map(|issue| format!("{} {}", issue.at, issue.words)).collect()
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
