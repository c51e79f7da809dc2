//! Whether a value fits a schema that says simple things, said without compiling it: a large one
//! takes its time to compile, and what a form has to know for its first picture is mostly whether a
//! default is allowed or which branch a value has.

use serde_json::{Map, Value};

use super::{draft::Draft, encoding::escape_token, equal::values_equal, node::Types};

/// So deep schemas within schemas are looked at.
const DEEPEST: usize = 12;

/// Keywords that say something of texts alone, and so on.
const OF_TEXTS: [&str; 6] =
    ["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"];
const OF_NUMBERS: [&str; 5] =
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const OF_LISTS: [&str; 10] = [
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
];
const OF_OBJECTS: [&str; 11] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
];
/// Keywords whose meaning is not looked at here.
const OTHERS: [&str; 7] =
    ["$dynamicRef", "$recursiveRef", "if", "contentSchema", "discriminator", "disallow", "extends"];

/// Whether a value fits a keyword that means the same alone: its place, its name, and what it says.
type KeywordCheck<'a> = dyn Fn(&str, (&str, &Value), &Value) -> Option<bool> + 'a;

/// A keyword of a schema and what it says.
#[derive(Clone, Copy)]
struct Keyword<'s> {
    name: &'s str,
    rule: &'s Value,
}

/// A schema whose parts are asked about.
pub(super) struct SimpleSchema<'s> {
    pub(super) root: &'s Value,
    pub(super) draft: Draft,
    /// Where a reference leads that is at a place.
    pub(super) target: &'s dyn Fn(&str, &str) -> Option<String>,
    pub(super) alone: &'s KeywordCheck<'s>,
}

impl SimpleSchema<'_> {
    /// Whether a value fits the part at a JSON pointer; `None` when that cannot be known here.
    pub(super) fn fits_part(&self, pointer: &str, value: &Value) -> Option<bool> {
        self.fits_schema(self.root.pointer(pointer)?, pointer, value, DEEPEST)
    }

    fn fits_schema(&self, part: &Value, at: &str, value: &Value, depth: usize) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let keywords = match part {
            Value::Bool(any) => return Some(*any),
            part => part.as_object()?,
        };
        // In older drafts nothing counts beside a reference.
        if let Some(Value::String(reference)) = keywords.get("$ref")
            && !self.draft.counts_siblings_of_ref()
        {
            return self.fits_reference(reference, at, value, depth);
        }
        all_fit(
            keywords
                .iter()
                .map(|(name, rule)| Keyword { name, rule })
                .map(|keyword| self.fits_keyword(keyword, keywords, at, value, depth)),
        )
    }

    fn fits_reference(
        &self,
        reference: &str,
        at: &str,
        value: &Value,
        depth: usize,
    ) -> Option<bool> {
        let target = (self.target)(reference, at)?;
        self.fits_schema(self.root.pointer(&target)?, &target, value, depth)
    }

    fn fits_keyword(
        &self,
        keyword: Keyword<'_>,
        beside: &Map<String, Value>,
        at: &str,
        value: &Value,
        depth: usize,
    ) -> Option<bool> {
        let Keyword { name, rule } = keyword;
        let below = |step: &str, part: &Value, value: &Value| {
            self.fits_schema(part, &format!("{at}/{name}{step}"), value, depth)
        };
        let branches = || {
            let branches = rule.as_array()?.iter().enumerate();
            Some(branches.map(|(index, branch)| below(&format!("/{index}"), branch, value)))
        };
        match name {
            // A draft 4 integer has no fraction, not even `.0`.
            "type" if value.is_number() && self.draft == Draft::Draft4 => {
                self.fits_alone(name, rule, at, value)
            }
            "type" => parse_types(rule).map(|types| types.admits(value)),
            "enum" => Some(rule.as_array()?.iter().any(|known| values_equal(known, value))),
            "const" if self.draft > Draft::Draft4 => Some(values_equal(rule, value)),
            "$ref" => self.fits_reference(rule.as_str()?, at, value, depth),
            "allOf" => all_fit(branches()?),
            "anyOf" => one_fits(branches()?),
            "oneOf" => {
                let fitting = branches()?.collect::<Option<Vec<bool>>>()?;
                Some(fitting.into_iter().filter(|fits| *fits).count() == 1)
            }
            "not" => below("", rule, value).map(|fits| !fits),
            _ if OF_TEXTS.contains(&name) => match value {
                Value::String(text) => fits_size_bound(name, rule, text.chars().count())
                    .or_else(|| self.fits_alone(name, rule, at, value)),
                _ => Some(true),
            },
            // In draft 4 two of them mean something together.
            _ if OF_NUMBERS.contains(&name) => match value.is_number() {
                true if self.draft == Draft::Draft4 && name != "multipleOf" => None,
                true => self.fits_alone(name, rule, at, value),
                false => Some(true),
            },
            _ if OF_LISTS.contains(&name) => match value {
                Value::Array(items) => match (name, rule) {
                    ("items", Value::Array(_)) if !items.is_empty() => None,
                    ("items", _) if items.is_empty() => Some(true),
                    ("items", _) if !beside.contains_key("prefixItems") => {
                        all_fit(items.iter().map(|item| below("", rule, item)))
                    }
                    ("uniqueItems", _) if items.len() < 2 => Some(true),
                    ("prefixItems" | "additionalItems" | "unevaluatedItems", _)
                        if items.is_empty() =>
                    {
                        Some(true)
                    }
                    _ => fits_size_bound(name, rule, items.len()),
                },
                _ => Some(true),
            },
            _ if OF_OBJECTS.contains(&name) => match value {
                Value::Object(members) => self.of_object(keyword, beside, members, &below),
                _ => Some(true),
            },
            _ if OTHERS.contains(&name) || name == "const" => None,
            // It checks nothing.
            _ => Some(true),
        }
    }

    fn fits_alone(&self, name: &str, rule: &Value, at: &str, value: &Value) -> Option<bool> {
        (self.alone)(&format!("{at}/{name}"), (name, rule), value)
    }

    fn of_object(
        &self,
        Keyword { name, rule }: Keyword<'_>,
        beside: &Map<String, Value>,
        members: &Map<String, Value>,
        below: &dyn Fn(&str, &Value, &Value) -> Option<bool>,
    ) -> Option<bool> {
        match (name, rule) {
            ("required", Value::Array(names)) => {
                let required = names.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
                Some(required.into_iter().all(|name| members.contains_key(name)))
            }
            ("required" | "minProperties" | "maxProperties", _) => {
                fits_size_bound(name, rule, members.len())
            }
            _ if members.is_empty() => Some(true),
            ("properties", Value::Object(declared)) => {
                all_fit(declared.iter().filter_map(|(member, part)| {
                    let value = members.get(member)?;
                    Some(below(&format!("/{}", escape_token(member)), part, value))
                }))
            }
            ("additionalProperties", _) if !beside.contains_key("patternProperties") => {
                let declared = beside.get("properties").and_then(Value::as_object);
                let others = members.iter().filter(|(member, _)| {
                    !declared.is_some_and(|known| known.contains_key(*member))
                });
                all_fit(others.map(|(_, value)| below("", rule, value)))
            }
            _ => None,
        }
    }
}

fn parse_types(rule: &Value) -> Option<Types> {
    match rule {
        Value::String(name) => Some(Types::from_name(name)),
        Value::Array(names) => Some(
            names
                .iter()
                .filter_map(Value::as_str)
                .map(Types::from_name)
                .fold(Types::NONE, Types::union),
        ),
        _ => None,
    }
}

/// What a keyword that bounds a size says of it.
fn fits_size_bound(name: &str, rule: &Value, size: usize) -> Option<bool> {
    let limit = usize::try_from(rule.as_u64()?).ok()?;
    match name {
        "minLength" | "minItems" | "minProperties" => Some(size >= limit),
        "maxLength" | "maxItems" | "maxProperties" => Some(size <= limit),
        _ => None,
    }
}

/// No is no, whatever cannot be known beside it.
fn all_fit(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut told = Some(true);
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            Some(true) => {}
            None => told = None,
        }
    }
    told
}

fn one_fits(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all_fit(answers.map(|answer| answer.map(|fits| !fits))).map(|none| !none)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn fits(schema: &Value, draft: Draft, value: &Value) -> Option<bool> {
        let target = |reference: &str, _: &str| reference.strip_prefix('#').map(ToOwned::to_owned);
        let alone = |_: &str, (name, rule): (&str, &Value), value: &Value| {
            let schema = json!({name: rule});
            let options = jsonschema::options().with_draft(draft.for_validator());
            options.build(&schema).ok().map(|validator| validator.is_valid(value))
        };
        SimpleSchema { root: schema, draft, target: &target, alone: &alone }.fits_part("", value)
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            (-3..4i64).prop_map(Value::from),
            Just(json!(1.0)),
            Just(json!(2.5)),
            "[ab]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(2, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec(("[abc]", inner), 0..3)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn type_name() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "string", "integer", "number", "boolean", "array", "object", "null",
        ])
    }

    fn schemas() -> impl Strategy<Value = Value> {
        let keyword = prop_oneof![
            type_name().prop_map(|name| ("type", json!(name))),
            prop::collection::hash_set(type_name(), 1..3)
                .prop_map(|names| ("type", json!(names.into_iter().collect::<Vec<_>>()))),
            prop::collection::vec(values(), 1..3).prop_map(|values| {
                let mut distinct: Vec<Value> = Vec::new();
                for value in values {
                    if !distinct.iter().any(|known| values_equal(known, &value)) {
                        distinct.push(value);
                    }
                }
                ("enum", Value::from(distinct))
            }),
            values().prop_map(|value| ("const", value)),
            (
                0..3u8,
                prop::sample::select(vec![
                    "minLength",
                    "maxItems",
                    "minItems",
                    "maxProperties",
                    "minProperties",
                    "maxLength"
                ])
            )
                .prop_map(|(limit, name)| (name, json!(limit))),
            Just(("required", json!(["a"]))),
            Just(("minimum", json!(1))),
            Just(("exclusiveMaximum", json!(2))),
            Just(("multipleOf", json!(2))),
            Just(("pattern", json!("a"))),
            Just(("uniqueItems", json!(true))),
            Just(("title", json!("T"))),
            Just(("x-odd", json!({"type": 3}))),
            Just(("$ref", json!("#/definitions/d"))),
        ];
        let leaf = prop::collection::vec(keyword.clone(), 0..3).prop_map(object).boxed();
        leaf.prop_recursive(3, 24, 3, move |inner| {
            let list = prop::collection::vec(inner.clone(), 1..3);
            let nested = prop_oneof![
                (prop::sample::select(vec!["allOf", "anyOf", "oneOf"]), list)
                    .prop_map(|(name, list)| (name, Value::from(list))),
                (
                    prop::sample::select(vec![
                        "not",
                        "items",
                        "additionalProperties",
                        "propertyNames",
                        "contains"
                    ]),
                    inner.clone()
                ),
                any::<bool>().prop_map(|any| ("additionalProperties", json!(any))),
                prop::collection::vec(("[abc]", inner), 1..3).prop_map(|members| (
                    "properties",
                    Value::Object(members.into_iter().collect())
                )),
            ];
            (prop::collection::vec(keyword.clone(), 0..2), prop::collection::vec(nested, 1..3))
                .prop_map(|(mut plain, nested)| {
                    plain.extend(nested);
                    object(plain)
                })
        })
    }

    fn object(keywords: Vec<(&'static str, Value)>) -> Value {
        Value::Object(keywords.into_iter().map(|(name, rule)| (name.to_owned(), rule)).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]
        #[test]
        fn what_is_told_is_what_the_validator_says(schema in schemas(), part in schemas(), value in values()) {
            for draft in [Draft::Draft4, Draft::Draft7, Draft::Draft202012] {
                let mut root = schema.clone();
                root["definitions"] = json!({"d": part});
                let Ok(validator) = jsonschema::options().with_draft(draft.for_validator()).build(&root) else { continue };
                if let Some(told) = fits(&root, draft, &value) {
                    prop_assert_eq!(told, validator.is_valid(&value), "{} {} {}", draft, root, value);
                }
            }
        }
    }

    #[test]
    fn simple_things_are_told() {
        for (schema, value, expected) in [
            (
                json!({"type": "array", "items": {"type": "string", "pattern": "a"}}),
                json!([]),
                Some(true),
            ),
            (
                json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
                json!(["a"]),
                Some(true),
            ),
            (json!({"type": "array", "items": {"type": "string"}}), json!([1]), Some(false)),
            (
                json!({"type": "object", "properties": {"a": {"format": "uri"}}}),
                json!({}),
                Some(true),
            ),
            (
                json!({"oneOf": [{"type": "string", "format": "uri"}, {"type": "array"}]}),
                json!([]),
                Some(true),
            ),
            (
                json!({"oneOf": [{"type": "string", "pattern": "^y"}, {"type": "string"}]}),
                json!("x"),
                Some(true),
            ),
            (
                json!({"type": "string", "if": {"minLength": 3}, "then": {"pattern": "y"}}),
                json!("x"),
                None,
            ),
            (json!({"type": "string", "if": {"minLength": 3}}), json!(3), Some(false)),
            (
                json!({"definitions": {"d": {"type": "boolean"}}, "allOf": [{"$ref": "#/definitions/d"}]}),
                json!(true),
                Some(true),
            ),
            (
                json!({"definitions": {"d": {"$ref": "#/definitions/d"}}, "$ref": "#/definitions/d"}),
                json!(true),
                None,
            ),
        ] {
            assert_eq!(fits(&schema, Draft::Draft7, &value), expected, "{schema} {value}");
        }
    }
}
