//! Schemas that all hold for one value, as those of an `allOf` do.

use std::{cmp::Ordering, sync::LazyLock};

use serde_json::{Map, Number, Value, json};

use super::super::{
    contradictions::types_of, decimal, equal::values_equal, node::Types, parts::validation_options,
    patterns::compile_pattern,
};

const UNIONS: [&str; 2] = ["anyOf", "oneOf"];

/// A schema for each type that can be named.
static TYPE_SCHEMAS: LazyLock<Vec<(Types, Value)>> = LazyLock::new(|| {
    Types::WORDS.iter().map(|(of, name, _)| (*of, json!({"type": name}))).collect()
});

#[derive(Clone, Debug, Default)]
pub(super) struct Conjunction<'s> {
    parts: Vec<&'s Map<String, Value>>,
    /// One of the schemas allows nothing.
    nothing: bool,
    /// The unions of which a branch is among the parts.
    chosen: Vec<&'s Value>,
}

impl<'s> FromIterator<&'s Value> for Conjunction<'s> {
    fn from_iter<I: IntoIterator<Item = &'s Value>>(schemas: I) -> Self {
        let mut all = Self::default();
        schemas.into_iter().for_each(|schema| all.push(schema));
        all
    }
}

impl<'s> Conjunction<'s> {
    #[must_use]
    pub fn of(schema: &'s Value) -> Self {
        std::iter::once(schema).collect()
    }

    fn push(&mut self, schema: &'s Value) {
        match schema {
            Value::Object(keywords) => {
                self.parts.push(keywords);
                let all = keywords.get("allOf").and_then(Value::as_array).into_iter().flatten();
                all.for_each(|part| self.push(part));
            }
            other => self.nothing |= other == &Value::Bool(false),
        }
    }

    pub fn parts(&self) -> impl Iterator<Item = &'s Map<String, Value>> + '_ {
        self.parts.iter().copied()
    }

    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.nothing
    }

    #[must_use]
    pub fn types(&self) -> Types {
        let of_parts = self.parts().filter_map(|part| part.get("type")).map(types_of);
        of_parts.fold(Types::ALL, Types::intersection)
    }

    /// The values that it lists, where it does.
    #[must_use]
    pub fn values(&self) -> Option<Vec<&'s Value>> {
        let types = self.types();
        let listed = |part: &'s Map<String, Value>| match (part.get("const"), part.get("enum")) {
            (Some(one), _) => Some(vec![one]),
            (None, Some(Value::Array(values))) => Some(values.iter().collect()),
            _ => None,
        };
        let mut values: Vec<&Value> = self.parts().find_map(listed)?;
        values.retain(|value| types.admits(value));
        Some(values)
    }

    /// Whether each of these values is surely none of it.
    #[must_use]
    pub fn refuses_all(&self, values: &[&Value]) -> bool {
        let schema = |part: &Map<String, Value>| {
            validation_options().build(&Value::Object(part.clone())).ok()
        };
        let schemas: Vec<_> = self.parts().filter_map(schema).collect();
        values.iter().all(|value| schemas.iter().any(|schema| !schema.is_valid(value)))
    }

    /// The unions of which no branch is chosen yet.
    pub fn unions(&self) -> impl Iterator<Item = &'s Value> + '_ {
        let all = self.parts().flat_map(|part| UNIONS.iter().filter_map(|name| part.get(*name)));
        all.filter(|union| {
            union.is_array() && !self.chosen.iter().any(|chosen| std::ptr::eq(*chosen, *union))
        })
    }

    /// The same with a branch of one of its unions.
    #[must_use]
    pub fn with_branch(&self, union: &'s Value, branch: &'s Value) -> Self {
        let mut with = self.clone();
        with.chosen.push(union);
        with.push(branch);
        with
    }

    /// Where it names several types, one for each of them.
    #[must_use]
    pub fn by_type(&self) -> Option<Vec<Self>> {
        let types = self.types();
        let names: Vec<Types> = types.iter_names().map(|(of, _)| of).collect();
        let is_named = self.parts().any(|part| part.contains_key("type"));
        let with = |of: Types| {
            let schema = TYPE_SCHEMAS.iter().find(|(known, _)| *known == of);
            let mut one = self.clone();
            schema.into_iter().for_each(|(_, schema)| one.push(schema));
            one
        };
        (is_named && names.len() > 1).then(|| names.into_iter().map(with).collect())
    }

    /// Whether one of the schemas has these keywords as they are.
    #[must_use]
    pub fn gives_all(&self, keywords: &Map<String, Value>, names: &[&str]) -> bool {
        self.parts().any(|part| {
            names.iter().all(|name| match (part.get(*name), keywords.get(*name)) {
                (Some(own), Some(asked)) => values_equal(own, asked),
                (own, asked) => own.is_none() && asked.is_none(),
            })
        })
    }

    /// What holds for a member of an object; `None` where nothing is said of it.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Self> {
        let mut of_name = Vec::new();
        for part in self.parts() {
            let own = |keyword: &str| part.get(keyword).and_then(Value::as_object);
            let before = of_name.len();
            of_name.extend(own("properties").and_then(|members| members.get(name)));
            of_name.extend(matching_patterns(part, name));
            if of_name.len() == before {
                of_name.extend(part.get("additionalProperties"));
            }
        }
        (!of_name.is_empty()).then(|| of_name.into_iter().collect())
    }

    /// Whether a union of which no branch is chosen yet declares a member of this name in one of
    /// them; without a name, any.
    #[must_use]
    pub fn union_declares(&self, name: Option<&str>) -> bool {
        let branches = self.unions().filter_map(Value::as_array).flatten();
        branches.into_iter().any(|branch| declares(branch, name))
    }

    /// The same of what holds under a condition.
    #[must_use]
    pub fn condition_declares(&self, name: Option<&str>) -> bool {
        self.parts().any(|part| conditional(part).any(|schema| declares(schema, name)))
    }

    /// The names of the members that it declares.
    pub fn declared(&self) -> impl Iterator<Item = &'s str> + '_ {
        let members = self.parts().filter_map(|part| part.get("properties")?.as_object());
        members.flat_map(Map::keys).map(String::as_str)
    }

    /// The names of the members that it requires.
    pub fn required(&self) -> impl Iterator<Item = &'s str> + '_ {
        let names = self.parts().filter_map(|part| part.get("required")?.as_array());
        names.flatten().filter_map(Value::as_str)
    }
}

/// The schemas of which one holds where a condition does.
fn conditional(keywords: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let branches = ["then", "else"].into_iter().filter_map(|name| keywords.get(name));
    let dependent = keywords.get("dependentSchemas").and_then(Value::as_object);
    branches.chain(dependent.into_iter().flat_map(Map::values))
}

/// Whether a schema says something of a member of this name, or of any.
fn declares(schema: &Value, name: Option<&str>) -> bool {
    let Value::Object(keywords) = schema else { return false };
    let own = keywords.get("properties").and_then(Value::as_object);
    let is_own = own.is_some_and(|own| name.map_or(!own.is_empty(), |name| own.contains_key(name)));
    let others = ["patternProperties", "additionalProperties", "unevaluatedProperties", "$ref"];
    let is_other = |name: &str| keywords.get(name).is_some_and(|rule| !rule.is_boolean());
    let unions = UNIONS.into_iter().chain(["allOf"]).filter_map(|name| keywords.get(name));
    is_own
        || others.into_iter().any(is_other)
        || unions.filter_map(Value::as_array).flatten().any(|branch| declares(branch, name))
        || conditional(keywords).any(|branch| declares(branch, name))
}

/// The schemas of members whose names match a pattern that this one does.
pub(super) fn matching_patterns<'s>(
    keywords: &'s Map<String, Value>,
    name: &str,
) -> Vec<&'s Value> {
    let patterns = keywords.get("patternProperties").and_then(Value::as_object);
    let matching = patterns.into_iter().flatten().filter(|(pattern, _)| matches(pattern, name));
    matching.map(|(_, schema)| schema).collect()
}

/// Whether a name matches a pattern; what is no pattern matches nothing.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    compile_pattern(pattern).is_ok_and(|pattern| pattern.is_valid(&name.into()))
}

/// The least or the greatest number that is allowed.
pub(super) struct Bound<'s> {
    at: &'s Number,
    is_exclusive: bool,
}

impl<'s> Bound<'s> {
    /// Those of a schema; draft 4 says beside a bound whether it is exclusive.
    #[must_use]
    pub fn list(keywords: &'s Map<String, Value>, is_upper: bool) -> Vec<Self> {
        let [inclusive, exclusive] = match is_upper {
            true => ["maximum", "exclusiveMaximum"],
            false => ["minimum", "exclusiveMinimum"],
        };
        let number = |name: &str| keywords.get(name).and_then(Value::as_number);
        let draft4 = keywords.get(exclusive) == Some(&Value::Bool(true));
        let own = number(inclusive).map(|at| Self { at, is_exclusive: draft4 });
        own.into_iter().chain(number(exclusive).map(|at| Self { at, is_exclusive: true })).collect()
    }

    /// Whether what it allows is also allowed by another one.
    #[must_use]
    pub fn is_within(&self, other: &Self, is_upper: bool) -> bool {
        match decimal::compare(self.at, other.at) {
            Some(Ordering::Equal) => self.is_exclusive || !other.is_exclusive,
            Some(Ordering::Less) => is_upper,
            Some(Ordering::Greater) => !is_upper,
            None => false,
        }
    }
}
