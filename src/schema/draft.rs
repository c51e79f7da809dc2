//! The versions of JSON Schema, and which of them a schema is written in.

use std::fmt;

use serde_json::Value;

use super::subschemas;

/// A version of JSON Schema: the one that `$schema` names, else the one whose keywords are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

impl Draft {
    const ALL: [Self; 5] =
        [Self::Draft4, Self::Draft6, Self::Draft7, Self::Draft201909, Self::Draft202012];

    #[must_use]
    pub fn detect(schema: &Value) -> Self {
        Self::declared_in(schema).unwrap_or_else(|| Self::infer_from(schema).0)
    }

    /// The version that `$schema` names.
    #[must_use]
    pub fn declared_in(schema: &Value) -> Option<Self> {
        let named = schema.get("$schema")?.as_str()?;
        let marks = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"];
        marks
            .into_iter()
            .zip(Self::ALL)
            .find(|(mark, _)| named.contains(mark))
            .map(|(_, draft)| draft)
    }

    /// The newest version with the fewest keywords that it does not know in this form;
    /// with the reason where that is not the newest of all.
    #[must_use]
    pub fn infer_from(schema: &Value) -> (Self, Option<&'static str>) {
        let signs = find_signs(schema);
        let misfits = |draft: &Self| signs.iter().filter(|sign| !sign.fits_draft(*draft)).count();
        // Of equals the last one counts.
        let draft = Self::ALL.into_iter().rev().min_by_key(misfits).unwrap_or(Self::Draft202012);
        let reason =
            signs.iter().find(|sign| sign.fits_draft(draft) && !sign.fits_draft(Self::Draft202012));
        (draft, reason.map(|sign| sign.words).filter(|_| draft != Self::Draft202012))
    }

    /// Keywords beside `$ref` count.
    #[must_use]
    pub fn counts_siblings_of_ref(self) -> bool {
        self >= Self::Draft201909
    }

    /// The same for the validator.
    pub(super) fn for_validator(self) -> jsonschema::Draft {
        match self {
            Self::Draft4 => jsonschema::Draft::Draft4,
            Self::Draft6 => jsonschema::Draft::Draft6,
            Self::Draft7 => jsonschema::Draft::Draft7,
            Self::Draft201909 => jsonschema::Draft::Draft201909,
            Self::Draft202012 => jsonschema::Draft::Draft202012,
        }
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Draft4 => "draft 4",
            Self::Draft6 => "draft 6",
            Self::Draft7 => "draft 7",
            Self::Draft201909 => "draft 2019-09",
            Self::Draft202012 => "draft 2020-12",
        })
    }
}

/// A keyword in a form that only some versions know.
struct Sign {
    since: Draft,
    until: Draft,
    words: &'static str,
}

impl Sign {
    fn fits_draft(&self, draft: Draft) -> bool {
        self.since <= draft && draft <= self.until
    }
}

fn find_signs(schema: &Value) -> Vec<Sign> {
    let mut signs = Vec::new();
    for (at, schema) in subschemas::list_subschemas(schema) {
        match schema {
            // Draft 4 knows true and false only where they are said of further members and items.
            Value::Bool(_)
                if !at.ends_with("/additionalProperties") && !at.ends_with("/additionalItems") =>
            {
                signs.push(sign_since(Draft::Draft6));
            }
            Value::Object(keywords) => {
                signs.extend(
                    keywords
                        .iter()
                        .filter_map(|(name, value)| keyword_sign(name, value, at.is_empty())),
                );
            }
            _ => {}
        }
    }
    signs
}

fn sign_since(since: Draft) -> Sign {
    Sign { since, until: Draft::Draft202012, words: "" }
}

fn keyword_sign(keyword: &str, value: &Value, is_root: bool) -> Option<Sign> {
    let until =
        |until: Draft, words: &'static str| Some(Sign { since: Draft::Draft4, until, words });
    match (keyword, value) {
        ("items", Value::Array(_)) => until(Draft::Draft201909, "\"items\" is a list"),
        ("exclusiveMinimum", Value::Bool(_)) => {
            until(Draft::Draft4, "\"exclusiveMinimum\" is true or false")
        }
        ("exclusiveMaximum", Value::Bool(_)) => {
            until(Draft::Draft4, "\"exclusiveMaximum\" is true or false")
        }
        ("id", Value::String(id)) if is_root && id.contains("://") => {
            until(Draft::Draft4, "it is named by \"id\"")
        }
        ("$recursiveRef" | "$recursiveAnchor", _) => Some(Sign {
            since: Draft::Draft201909,
            until: Draft::Draft201909,
            words: "it has \"$recursiveRef\"",
        }),
        ("exclusiveMinimum" | "exclusiveMaximum", Value::Number(_))
        | ("const" | "contains" | "propertyNames" | "$id", _) => Some(sign_since(Draft::Draft6)),
        ("if" | "then" | "else", _) => Some(sign_since(Draft::Draft7)),
        (
            "dependentRequired"
            | "dependentSchemas"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "minContains"
            | "maxContains"
            | "$anchor",
            _,
        ) => Some(sign_since(Draft::Draft201909)),
        ("prefixItems" | "$dynamicRef" | "$dynamicAnchor", _) => {
            Some(sign_since(Draft::Draft202012))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_draft_is_named_or_read_off_the_keywords() {
        assert_eq!(
            Draft::detect(
                &json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": []})
            ),
            Draft::Draft7
        );
        assert_eq!(Draft::detect(&json!(true)), Draft::Draft202012);
        assert_eq!(
            Draft::detect(&json!({"$schema": "https://example.com/mine", "items": [{}]})),
            Draft::Draft201909
        );
        let inferred = |schema: Value| Draft::infer_from(&schema).0;
        assert_eq!(
            inferred(json!({"properties": {"a": {"minimum": 0, "exclusiveMinimum": true}}})),
            Draft::Draft4
        );
        assert_eq!(
            inferred(
                json!({"minimum": 0, "exclusiveMinimum": true, "properties": {"a": {"const": 1}, "b": {"const": 1}}})
            ),
            Draft::Draft202012
        );
        assert_eq!(inferred(json!({"items": [{}], "dependentRequired": {}})), Draft::Draft201909);
        assert_eq!(
            inferred(json!({"prefixItems": [{}], "items": [{}]})),
            Draft::Draft202012,
            "of equals the newest"
        );
        assert_eq!(
            inferred(json!({"default": {"items": [1]}, "properties": {"items": {"enum": [[1]]}}})),
            Draft::Draft202012
        );
        assert_eq!(Draft::infer_from(&json!({"items": [{}]})).1, Some("\"items\" is a list"));
    }

    #[test]
    fn definitions_that_only_a_reference_leads_to_are_looked_at() {
        let schema = json!({"$ref": "#/components/schemas/A", "components": {"schemas": {"A": {"exclusiveMaximum": true}}}});
        assert_eq!(Draft::detect(&schema), Draft::Draft4);
    }
}
