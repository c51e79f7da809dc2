//! A schema made ready to say whether a value is right, whole and part by part.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::{
    draft::Draft,
    flaws::{self, KeywordFlaw},
    growth,
    issues::Issues,
    node::NodeKey,
    parts::{SchemaParts, validation_options},
    patterns,
    readable::{readable_schema, without_empty_references},
    tree::Schema,
};
pub(crate) use super::{
    finding::SchemaFinding,
    issues::{ChooseBranch, Issue, MOST_ISSUES},
};

/// How often a schema is compiled again without what was found wrong.
const MOST_ROUNDS: usize = 16;

/// A compiled schema.
pub struct Checker {
    whole: Validator,
    parts: SchemaParts,
    patterns: RefCell<HashMap<String, Option<Validator>>>,
    /// Whether defaults are what their schemas allow.
    defaults: RefCell<HashMap<NodeKey, bool>>,
}

/// A schema as far as it can be relied on.
#[derive(Debug)]
pub struct OpenedSchema {
    /// None where the schema is invalid as a whole.
    pub checker: Option<Checker>,
    pub findings: Vec<SchemaFinding>,
    /// How it is read where it does not say so itself.
    pub reading: Option<String>,
    /// The schema without what the findings are about; anything goes where it is invalid as a
    /// whole.
    pub schema: Arc<Value>,
}

impl Checker {
    /// Compiles a schema; no reference is ever followed out of it. Formats are checked in every
    /// draft.
    pub fn compile(schema: &Value) -> Result<Self, Vec<SchemaFinding>> {
        let schema = &*without_empty_references(schema);
        let endless = growth::endless_keywords(schema);
        if !endless.is_empty() {
            return Err(endless.into_iter().map(|flaw| flaw.finding).collect());
        }
        match validation_options().build(schema) {
            Ok(whole) => Ok(Self::from_validator(
                whole,
                &Arc::new(schema.clone()),
                Draft::declared_in(schema).unwrap_or(Draft::Draft202012),
            )),
            Err(error) => Err(flaws::schema_findings(schema, &error)),
        }
    }

    /// All that is wrong with a schema, as its form says it; nothing where it compiles.
    #[must_use]
    pub fn find_flaws(schema: &Value) -> Vec<SchemaFinding> {
        let Err(strict) = Self::compile(schema) else { return Vec::new() };
        let lenient = Self::compile_lenient(&Arc::new(schema.clone())).findings;
        let flaws = if lenient.is_empty() { strict } else { lenient };
        flaws.into_iter().map(SchemaFinding::into_flaw).collect()
    }

    /// Compiles a schema for forms, in which a flaw costs its keyword and never the form: it is a finding,
    /// and the rest of the schema counts. Without `$schema` the draft is read off the keywords;
    /// what is meant counts (see `readable.rs`).
    #[must_use]
    pub fn compile_lenient(schema: &Arc<Value>) -> OpenedSchema {
        let (draft, reason) = Draft::declared_in(schema)
            .map_or_else(|| Draft::infer_from(schema), |draft| (draft, None));
        let reading =
            reason.map(|reason| format!("no \"$schema\": read as {draft}, because {reason}"));
        let mut shown = readable_schema(schema);
        let mut findings = Vec::new();
        let mut flaws: Vec<KeywordFlaw> = flaws::unknown_draft(&shown).into_iter().collect();
        flaws.extend(growth::endless_keywords(&shown));
        for _ in 0..MOST_ROUNDS {
            for flaw in flaws {
                flaw.apply_repair(Arc::make_mut(&mut shown));
                findings.push(flaw.finding);
            }
            let error = match validation_options()
                .with_draft(draft.for_validator())
                .build(&without_examples(&shown))
            {
                Ok(whole) => {
                    return OpenedSchema {
                        checker: Some(Self::from_validator(whole, &shown, draft)),
                        findings,
                        reading,
                        schema: shown,
                    };
                }
                Err(error) => error,
            };
            flaws = flaws::find_flaws(&shown, draft, &error);
            if flaws.is_empty() {
                findings.extend(flaws::schema_findings(&shown, &error));
                break;
            }
        }
        OpenedSchema { checker: None, findings, reading, schema: Arc::new(Value::Bool(true)) }
    }

    fn from_validator(whole: Validator, schema: &Arc<Value>, draft: Draft) -> Self {
        Self {
            whole,
            parts: SchemaParts::new(schema, draft),
            patterns: RefCell::default(),
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

    /// The same, with the issues of a union said for the branch that is chosen.
    #[must_use]
    pub fn issues_by(&self, value: &Value, chosen: &ChooseBranch<'_>) -> Vec<Issue> {
        let mut issues = Issues::new(chosen);
        for error in self.whole.iter_errors(value) {
            issues.add_error(&error);
            if issues.found.len() >= MOST_ISSUES {
                break;
            }
        }
        issues.found
    }

    /// Whether a value fits the part of the schema at a JSON pointer; `None` when that cannot be
    /// known.
    #[must_use]
    pub fn fits_part(&self, part: &str, value: &Value) -> Option<bool> {
        self.parts.fits_part(part, value)
    }

    /// Whether all that a node was made from allows its default.
    pub(super) fn allows_default(&self, schema: &Schema, key: &NodeKey, default: &Value) -> bool {
        if let Some(known) = self.defaults.borrow().get(key) {
            return *known;
        }
        let mut places = key.places.iter().filter_map(|place| schema.pointer(*place));
        let allowed = places.all(|part| self.fits_part(&part, default) != Some(false));
        self.defaults.borrow_mut().insert(key.clone(), allowed);
        allowed
    }

    /// Whether a name matches a pattern of the schema.
    #[must_use]
    pub fn matches(&self, pattern: &str, name: &str) -> bool {
        let mut patterns = self.patterns.borrow_mut();
        let validator = patterns
            .entry(pattern.to_owned())
            .or_insert_with(|| patterns::compile_pattern(pattern).ok());
        validator
            .as_ref()
            .is_some_and(|validator| validator.is_valid(&Value::String(name.to_owned())))
    }
}

/// Longer lists of examples are not compiled.
const MANY_EXAMPLES: usize = 64;

/// A schema without its long lists of examples: nothing is checked by them, and they may be longer
/// than all the rest.
fn without_examples(schema: &Value) -> Value {
    let members = |members: &Map<String, Value>| {
        members.iter().map(|(name, value)| (name.clone(), without_examples(value))).collect()
    };
    match schema {
        Value::Object(keywords) => {
            let is_long =
                |value: &Value| value.as_array().is_some_and(|items| items.len() > MANY_EXAMPLES);
            let kept =
                keywords.iter().filter(|(name, value)| *name != "examples" || !is_long(value));
            let kept = kept.map(|(name, value)| match (name.as_str(), value) {
                ("enum" | "const" | "default" | "example" | "dependentRequired", data) => {
                    (name.clone(), data.clone())
                }
                // What is in these are names, not keywords.
                (
                    "properties" | "patternProperties" | "$defs" | "definitions"
                    | "dependentSchemas" | "dependencies",
                    Value::Object(named),
                ) => (name.clone(), Value::Object(members(named))),
                _ => (name.clone(), without_examples(value)),
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => items.iter().map(without_examples).collect(),
        other => other.clone(),
    }
}

impl std::fmt::Debug for Checker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn issues(schema: &Value, value: &Value) -> Vec<String> {
        let checker = Checker::compile(schema).unwrap();
        checker
            .issues(value)
            .into_iter()
            .map(|issue| format!("{} {}", issue.at, issue.words))
            .collect()
    }

    #[test]
    fn a_text_that_is_to_hold_json_does() {
        let schema = json!({"properties": {"a": {"type": "string", "format": "json"}}});
        assert_eq!(
            issues(&schema, &json!({"a": "{"})),
            ["/a is not a JSON text, such as {\"a\": 1}"]
        );
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
                "/count is less than 1",
                "/kind must be one of a or b",
                "/list has more than 1 item",
                "/list/0/id is required",
                "/missing is required",
                "/name is shorter than 3 characters",
                "/too-much-here has a name that is longer than 8 characters",
                "/too-much-here is not a known member",
                "/when is not a date, such as 2026-11-21",
            ]
        );
    }

    #[test]
    fn unions_say_what_they_want_or_what_the_nearest_branch_misses() {
        let schema =
            json!({"properties": {"v": {"anyOf": [{"type": "string"}, {"type": "null"}]}}});
        assert_eq!(issues(&schema, &json!({"v": 1})), ["/v must be text or null"]);
        let schema = json!({"properties": {"v": {"anyOf": [{"enum": ["a"]}, {"const": "b"}]}}});
        assert_eq!(issues(&schema, &json!({"v": 1})), ["/v must be one of a or b"]);
        let branch = |kind: &str, member: &str| json!({"properties": {"kind": {"const": kind}, member: {"type": "number"}}, "required": ["kind", member]});
        let schema = json!({"properties": {"v": {"oneOf": [branch("circle", "r"), branch("square", "side")]}}});
        assert_eq!(issues(&schema, &json!({"v": {"kind": "square"}})), ["/v/side is required"]);
        assert_eq!(
            issues(&schema, &json!({"v": {"kind": "square", "side": "x"}})),
            ["/v/side is not a number"]
        );
        let schema = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
        assert_eq!(issues(&schema, &json!({})), [" needs a or b"]);
    }

    #[test]
    fn formats_are_checked_in_every_draft_and_nothing_is_fetched() {
        let schema =
            json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "format": "email"});
        assert_eq!(
            issues(&schema, &json!("x")),
            [" is not an e-mail address, such as ann@example.com"]
        );
        let findings =
            Checker::compile(&json!({"$ref": "https://example.com/schema.json"})).unwrap_err();
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
        let opened = Checker::compile_lenient(&schema);
        let told: Vec<String> = opened.findings.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 5, "{told:#?}");
        for (at, words) in [
            ("/properties/far/$ref", "references are never followed over a network"),
            ("/properties/near/$ref", "doesn't exist"),
            ("/properties/file/allOf/0/$ref", "other.json"),
            ("/properties/odd/pattern", "isn't a regular expression that"),
            ("/patternProperties/[", "isn't a regular expression"),
        ] {
            assert!(
                told.iter().any(|told| told.contains(at) && told.contains(words)),
                "{at}: {told:#?}"
            );
        }
        let checker = opened.checker.unwrap();
        let words: Vec<String> = checker
            .issues(&json!({"good": "x", "odd": "y", "far": 1}))
            .into_iter()
            .map(|issue| issue.words)
            .collect();
        assert_eq!(words.len(), 2, "{words:?}");
        assert_eq!(opened.schema["properties"]["far"], json!({"title": "Far"}));
    }

    /// The places of the findings, and the issues of a value: a flaw costs its keyword.
    fn opened(schema: Value, value: &Value) -> (Vec<String>, Vec<String>) {
        let opened = Checker::compile_lenient(&Arc::new(schema));
        let places = opened.findings.iter().map(|finding| finding.at.to_string()).collect();
        let issues = opened.checker.expect("a form").issues(value);
        (places, issues.into_iter().map(|issue| format!("{} {}", issue.at, issue.words)).collect())
    }

    #[test]
    fn a_flaw_costs_its_keyword_and_the_rest_is_checked() {
        let with = |flawed: Value| json!({"properties": {"a": flawed, "n": {"type": "integer"}}});
        for (flawed, at) in [
            (json!({"type": "any"}), vec!["/properties/a/type"]),
            (json!({"type": ["string", "any"]}), vec!["/properties/a/type"]),
            (json!({"required": true}), vec!["/properties/a/required"]),
            (json!({"title": null}), vec!["/properties/a/title"]),
            (json!({"additionalProperties": null}), vec!["/properties/a/additionalProperties"]),
            (
                json!({"properties": null, "items": 3}),
                vec!["/properties/a/properties", "/properties/a/items"],
            ),
            (
                json!({"properties": {"b": null, "c": {"type": "text"}}}),
                vec!["/properties/a/properties/b", "/properties/a/properties/c/type"],
            ),
            (json!({"items": {"items": {"title": null}}}), vec!["/properties/a/items/items/title"]),
            (json!({"anyOf": [{"type": "string"}, "text"]}), vec!["/properties/a/anyOf/1"]),
            (json!({"anyOf": {}}), vec!["/properties/a/anyOf"]),
            (
                json!({"minLength": "3", "maxLength": -1, "pattern": null}),
                vec!["/properties/a/minLength", "/properties/a/maxLength", "/properties/a/pattern"],
            ),
            (json!({"items": {"pattern": "(["}}), vec!["/properties/a/items/pattern"]),
            (json!({"$ref": 3}), vec!["/properties/a/$ref"]),
            (json!({"required": ["b", 3]}), vec!["/properties/a/required"]),
            (json!(null), vec!["/properties/a"]),
            (json!("text"), vec!["/properties/a"]),
            (json!({"enum": "x"}), vec!["/properties/a/enum"]),
            (
                json!({"$defs": {"x": 3}, "format": 7, "multipleOf": 0}),
                vec!["/properties/a/$defs/x", "/properties/a/format", "/properties/a/multipleOf"],
            ),
        ] {
            for draft in [
                None,
                Some("http://json-schema.org/draft-07/schema#"),
                Some("https://json-schema.org/draft/2020-12/schema"),
            ] {
                let mut schema = with(flawed.clone());
                if let Some(draft) = draft {
                    schema["$schema"] = draft.into();
                }
                let (mut places, issues) = opened(schema, &json!({"n": "x"}));
                let mut at: Vec<&str> = at
                    .iter()
                    .copied()
                    .filter(|at| draft.is_none_or(|d| !d.contains("07")) || !at.contains("$defs"))
                    .collect();
                places.sort();
                at.sort_unstable();
                assert_eq!(places, at, "{draft:?} {flawed}");
                assert_eq!(issues, ["/n is not a whole number"], "{draft:?} {flawed}");
            }
        }
    }

    #[test]
    fn without_a_draft_the_one_that_is_used_counts() {
        let tuple = json!({"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false});
        assert_eq!(
            opened(tuple, &json!(["a", "b"])),
            (vec![], vec!["/1 is not a whole number".into()])
        );
        let bound = json!({"properties": {"n": {"minimum": 3, "exclusiveMinimum": true}, "m": {"type": "any"}}});
        assert_eq!(
            opened(bound.clone(), &json!({"n": 3})),
            (vec!["/properties/m/type".into()], vec!["/n must be more than 3".into()])
        );
        let reading = Checker::compile_lenient(&Arc::new(bound)).reading.unwrap();
        assert!(reading.contains("draft 4") && reading.contains("exclusiveMinimum"), "{reading}");
        assert_eq!(Checker::compile_lenient(&Arc::new(json!({"type": "string"}))).reading, None);
        let named = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "items": [{"type": "string"}], "maxItems": 1});
        let (places, issues) = opened(named, &json!([1, 2]));
        assert_eq!((places, issues), (vec!["/items".into()], vec![" has more than 1 item".into()]));
    }

    #[test]
    fn what_is_there_twice_counts_once() {
        let schema = json!({"$schema": "http://json-schema.org/draft-04/schema#", "required": ["a", "a"],
            "properties": {"a": {"type": ["string", "string"]}, "o": {"required": []}}});
        let found = Checker::compile_lenient(&Arc::new(schema.clone()));
        assert!(found.findings.iter().all(|finding| !finding.unchecked), "{:?}", found.findings);
        let mut places = opened(schema.clone(), &json!({})).0;
        places.sort();
        assert_eq!(places, ["/properties/a/type", "/properties/o/required", "/required"]);
        assert_eq!(opened(schema, &json!({"a": 1})).1, ["/a is not text"]);
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
        let findings =
            Checker::compile(&json!({"properties": {"a": {"type": "strin"}}})).unwrap_err();
        assert_eq!(findings[0].at.to_string(), "/properties/a/type");
    }

    #[test]
    fn parts_are_asked_on_their_own() {
        let schema = json!({"$defs": {"n": {"type": "integer"}}, "if": {"$ref": "#/$defs/n"}, "then": {"minimum": 3}});
        let checker = Checker::compile(&schema).unwrap();
        assert_eq!(checker.fits_part("/if", &json!(1)), Some(true));
        assert_eq!(checker.fits_part("/if", &json!("a")), Some(false));
        assert!(checker.matches("^x-", "x-a") && !checker.matches("^x-", "a"));
    }

    #[test]
    fn any_part_can_be_asked_in_any_draft() {
        for draft in [
            "http://json-schema.org/draft-04/schema#",
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2020-12/schema",
        ] {
            let schema = json!({"$schema": draft, "$defs": {"n": {"type": "integer", "minimum": 3}, "r": {"$ref": "#/$defs/n"}, "a b": {"maxLength": 1}},
                "properties": {"u": {"anyOf": [{"$ref": "#/$defs/r"}, {"type": "string"}, {"$ref": "#/$defs/a b"}]}, "d": {"default": 1, "maximum": 3}}});
            let checker = Checker::compile_lenient(&Arc::new(schema)).checker.unwrap();
            for (part, value, fits) in [
                ("/properties/u/anyOf/0", json!(3), true),
                ("/properties/u/anyOf/0", json!(2), false),
                ("/properties/u/anyOf/1", json!("a"), true),
                ("/properties/u/anyOf/2", json!("ab"), false),
                ("/properties/d", json!(4), false),
                ("/properties", json!(4), true),
                ("/properties/u", json!(2.5), true),
                ("/$defs/r", json!(2), false),
            ] {
                assert_eq!(checker.fits_part(part, &value), Some(fits), "{draft} {part} {value}");
            }
            assert_eq!(checker.fits_part("/properties/none", &json!(1)), None);
        }
    }
}
