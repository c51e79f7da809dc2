//! Whether a schema allows null beside what it asks for, and the same schema with it or without: in
//! the words that it has for that already.

use serde_json::{Map, Value, json};

/// How OpenAPI 3.0 says it.
pub(crate) const NULLABLE: &str = "nullable";

const UNIONS: [&str; 2] = ["anyOf", "oneOf"];
/// What may stand beside a reference in every draft, as it says nothing of values.
const BESIDE_REFERENCE: [&str; 4] = ["title", "description", "default", "examples"];

/// How a schema says which values it allows.
enum Spelling {
    Union(&'static str),
    Reference,
    /// `type`, `enum`, or both.
    Values,
}

/// `None` where it can't be said beside what the schema says: of null alone, of what allows
/// anything, of constants and rules.
fn spelling(schema: &Map<String, Value>) -> Option<Spelling> {
    let has = |name: &str| schema.contains_key(name);
    if has("const") {
        return None;
    }
    let union = UNIONS.into_iter().find(|name| schema.get(*name).is_some_and(Value::is_array));
    match (has("type"), union) {
        (false, Some(union)) => {
            let has_both = UNIONS.iter().all(|name| has(name));
            let is_null_alone = branches(schema, union).all(is_null_branch);
            (!has_both && !is_null_alone).then_some(Spelling::Union(union))
        }
        (true, Some(_)) => None,
        (false, None) if has("$ref") => Some(Spelling::Reference),
        (true, None) => {
            (!type_names(schema)?.iter().all(|name| *name == "null")).then_some(Spelling::Values)
        }
        (false, None) => {
            let values = schema.get("enum")?.as_array()?;
            values.iter().any(|value| !value.is_null()).then_some(Spelling::Values)
        }
    }
}

/// The types that a schema names, where each is a word.
fn type_names(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => names.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// Whether null is allowed beside what the schema asks for; `None` where it is no question.
#[must_use]
pub(crate) fn allows_null(schema: &Map<String, Value>) -> Option<bool> {
    Some(match spelling(schema)? {
        Spelling::Union(union) => branches(schema, union).any(branch_allows_null),
        Spelling::Reference => false,
        Spelling::Values => {
            let listed = schema.get("enum").and_then(Value::as_array);
            let by_type = type_names(schema).is_none_or(|names| names.contains(&"null"));
            let by_word = schema.get(NULLABLE) == Some(&Value::Bool(true));
            (by_type || by_word) && listed.is_none_or(|values| values.contains(&Value::Null))
        }
    })
}

fn branches<'s>(schema: &'s Map<String, Value>, union: &str) -> impl Iterator<Item = &'s Value> {
    schema.get(union).and_then(Value::as_array).into_iter().flatten()
}

/// The branch of null alone.
fn is_null_branch(branch: &Value) -> bool {
    let Some(branch) = branch.as_object() else { return false };
    let is_only = |names: Vec<&str>| !names.is_empty() && names.iter().all(|name| *name == "null");
    let values = branch.get("enum").and_then(Value::as_array);
    branch.get("const") == Some(&Value::Null)
        || values.is_some_and(|values| !values.is_empty() && values.iter().all(Value::is_null))
        || type_names(branch).is_some_and(is_only)
}

fn branch_allows_null(branch: &Value) -> bool {
    is_null_branch(branch) || branch.as_object().and_then(allows_null) == Some(true)
}

/// The schema with null allowed beside what it asks for, or not; as it is where that is no question.
#[must_use]
pub(crate) fn with_null(schema: &Map<String, Value>, on: bool) -> Map<String, Value> {
    let mut changed = schema.clone();
    if allows_null(schema).is_none_or(|now| now == on) {
        return changed;
    }
    match (spelling(schema), on) {
        (Some(Spelling::Union(union)), true) => {
            let list = changed.get_mut(union).and_then(Value::as_array_mut);
            list.into_iter().for_each(|list| list.push(json!({"type": "null"})));
        }
        (Some(Spelling::Union(union)), false) => {
            let kept = branches(schema, union).filter(|branch| !is_null_branch(branch));
            let without = |branch: &Value| match branch {
                Value::Object(branch) => Value::Object(with_null(branch, false)),
                other => other.clone(),
            };
            let kept: Vec<Value> = kept.map(without).collect();
            match lone_branch(schema, union, &kept) {
                Some(branch) => {
                    changed.shift_remove(union);
                    changed.extend(branch);
                }
                None => drop(changed.insert(union.to_owned(), kept.into())),
            }
        }
        (Some(Spelling::Reference), _) => {
            let reference = changed.shift_remove("$ref").unwrap_or_default();
            changed.insert("anyOf".to_owned(), json!([{"$ref": reference}, {"type": "null"}]));
        }
        (Some(Spelling::Values), on) => set_values(&mut changed, on),
        (None, _) => {}
    }
    changed
}

/// The only branch that is left of a union, where it can be the schema itself.
fn lone_branch(
    schema: &Map<String, Value>,
    union: &str,
    kept: &[Value],
) -> Option<Map<String, Value>> {
    let [Value::Object(branch)] = kept else { return None };
    let mut beside = schema.keys().filter(|name| *name != union);
    let is_free = match branch.contains_key("$ref") {
        true => beside.all(|name| BESIDE_REFERENCE.contains(&name.as_str())),
        false => beside.all(|name| !branch.contains_key(name) && name != "discriminator"),
    };
    is_free.then(|| branch.clone())
}

fn set_values(schema: &mut Map<String, Value>, on: bool) {
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
        values.extend(on.then_some(Value::Null));
    }
    if schema.contains_key(NULLABLE) {
        schema.insert(NULLABLE.to_owned(), on.into());
    }
    let is_said = on && schema.get(NULLABLE) == Some(&Value::Bool(true));
    let Some(names) = type_names(schema).filter(|_| !is_said) else { return };
    let mut names: Vec<String> =
        names.into_iter().filter(|name| *name != "null").map(str::to_owned).collect();
    names.extend(on.then(|| "null".to_owned()));
    let named = match names.as_slice() {
        [only] => Value::from(only.as_str()),
        several => several.into(),
    };
    schema.insert("type".to_owned(), named);
}

/// The members in which a schema differs from another one; without a value those that go.
#[must_use]
pub(crate) fn member_changes(
    from: &Map<String, Value>,
    to: &Map<String, Value>,
) -> Vec<(String, Option<Value>)> {
    let gone = from.keys().filter(|name| !to.contains_key(*name)).map(|name| (name.clone(), None));
    let set = to.iter().filter(|(name, value)| from.get(*name) != Some(*value));
    gone.chain(set.map(|(name, value)| (name.clone(), Some(value.clone())))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(schema: &Value) -> &Map<String, Value> {
        schema.as_object().unwrap()
    }

    #[test]
    fn null_comes_and_goes_in_the_words_of_the_schema() {
        for (without, with) in [
            (json!({"type": "string"}), json!({"type": ["string", "null"]})),
            (
                json!({"type": ["string", "integer"]}),
                json!({"type": ["string", "integer", "null"]}),
            ),
            (
                json!({"type": "string", "nullable": false}),
                json!({"type": "string", "nullable": true}),
            ),
            (json!({"enum": ["a", 1]}), json!({"enum": ["a", 1, null]})),
            (
                json!({"type": "string", "enum": ["a"], "title": "A"}),
                json!({"type": ["string", "null"], "enum": ["a", null], "title": "A"}),
            ),
            (
                json!({"$ref": "#/$defs/a", "description": "A"}),
                json!({"description": "A", "anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}),
            ),
            (
                json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}),
                json!({"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
            ),
        ] {
            assert_eq!(allows_null(object(&without)), Some(false), "{without}");
            assert_eq!(allows_null(object(&with)), Some(true), "{with}");
            assert_eq!(Value::Object(with_null(object(&without), true)), with);
            assert_eq!(Value::Object(with_null(object(&with), false)), without);
            assert_eq!(with_null(object(&with), true), *object(&with));
        }
    }

    #[test]
    fn what_a_union_of_one_and_null_says_beside_stays() {
        let off = |schema: Value| Value::Object(with_null(object(&schema), false));
        assert_eq!(
            off(
                json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "default": null})
            ),
            json!({"type": "string", "maxLength": 3, "default": null})
        );
        for branch in [json!({"const": null}), json!({"enum": [null]})] {
            let with = json!({"oneOf": [{"type": "string"}, branch]});
            assert_eq!(allows_null(object(&with)), Some(true), "{with}");
            assert_eq!(off(with), json!({"type": "string"}));
        }
        // Both have words: neither are lost.
        assert_eq!(
            off(
                json!({"anyOf": [{"type": "null"}, {"type": "string", "title": "a"}], "title": "b"})
            ),
            json!({"anyOf": [{"type": "string", "title": "a"}], "title": "b"})
        );
        assert_eq!(
            off(
                json!({"anyOf": [{"type": ["string", "null"]}, {"type": "integer", "nullable": true}]})
            ),
            json!({"anyOf": [{"type": "string"}, {"type": "integer", "nullable": false}]})
        );
        // Rules beside a reference are none before 2019.
        assert_eq!(
            off(json!({"anyOf": [{"$ref": "#/a"}, {"type": "null"}], "minLength": 1})),
            json!({"anyOf": [{"$ref": "#/a"}], "minLength": 1})
        );
    }

    #[test]
    fn it_is_no_question_of_null_alone_of_anything_and_of_constants() {
        for schema in [
            json!({"type": "null"}),
            json!({}),
            json!({"const": 1}),
            json!({"enum": [null]}),
            json!({"type": "string", "anyOf": [{"minLength": 1}]}),
            json!({"anyOf": [{"type": "null"}]}),
            json!({"oneOf": []}),
        ] {
            assert_eq!(allows_null(object(&schema)), None, "{schema}");
            assert_eq!(with_null(object(&schema), true), *object(&schema));
        }
        // An enum without null forbids what the type allows.
        let unlisted = json!({"type": ["string", "null"], "enum": ["a"]});
        assert_eq!(allows_null(object(&unlisted)), Some(false));
        assert_eq!(with_null(object(&unlisted), true)["enum"], json!(["a", null]));
    }
}
