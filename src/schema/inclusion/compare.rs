//! Whether one schema allows all that another one does, keyword by keyword.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::{
    super::{
        contradictions::types_of, decimal, equal::values_equal, node::Types,
        parts::validation_options,
    },
    conjunction::{Bound, Conjunction},
};
/// So many comparisons of schemas are made at most: unions within each other multiply.
const MOST: usize = 20_000;
/// How deep schemas lie within each other at most.
const DEEPEST: usize = 64;

/// Whose members the other schema must declare, too, even where it would allow them undeclared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    ByWide,
    ByNarrow,
}

/// Whether the wide schema allows all values of the narrow one; both are without references.
#[must_use]
pub(crate) fn includes(wide: &Value, narrow: &Value, declared: Declared) -> bool {
    let inclusion = Inclusion { declared, left: Cell::new(MOST), depth: Cell::new(0) };
    inclusion.admits(wide, &Conjunction::of(narrow))
}

pub(super) struct Inclusion {
    pub(super) declared: Declared,
    left: Cell<usize>,
    depth: Cell<usize>,
}

/// What a keyword asks of the values that a schema allows.
struct Rule {
    keyword: &'static str,
    /// The values that it says something of.
    about: Types,
    holds: fn(&Inclusion, &Wide<'_>, &Conjunction<'_>) -> bool,
}

/// A keyword of the wide schema, with those beside it.
pub(super) struct Wide<'s> {
    pub keyword: &'static str,
    pub value: &'s Value,
    pub keywords: &'s Map<String, Value>,
}

const RULES: [Rule; 38] = [
    rule("type", Types::ALL, |_, wide, narrow| {
        let types = narrow.types();
        types.is_empty() || types_of(wide.value).contains(types)
    }),
    // Where the narrow schema lists its values, each has been tried.
    rule("enum", Types::ALL, |_, _, _| false),
    rule("const", Types::ALL, |_, _, _| false),
    rule("minimum", Types::NUMBER, Inclusion::bounds_hold),
    rule("exclusiveMinimum", Types::NUMBER, Inclusion::bounds_hold),
    rule("maximum", Types::NUMBER, Inclusion::bounds_hold),
    rule("exclusiveMaximum", Types::NUMBER, Inclusion::bounds_hold),
    rule("multipleOf", Types::NUMBER, Inclusion::multiple_holds),
    rule("minLength", Types::TEXT, Inclusion::least_holds),
    rule("maxLength", Types::TEXT, Inclusion::most_holds),
    rule("pattern", Types::TEXT, Inclusion::is_given),
    rule("format", Types::TEXT, Inclusion::is_given),
    rule("contentEncoding", Types::TEXT, Inclusion::is_given),
    rule("contentMediaType", Types::TEXT, Inclusion::is_given),
    rule("contentSchema", Types::TEXT, Inclusion::is_given),
    rule("minItems", Types::LIST, Inclusion::least_holds),
    rule("maxItems", Types::LIST, Inclusion::most_holds),
    rule("uniqueItems", Types::LIST, |inclusion, wide, narrow| {
        wide.value == &Value::Bool(false) || inclusion.is_given(wide, narrow)
    }),
    rule("items", Types::LIST, Inclusion::items_hold),
    rule("prefixItems", Types::LIST, Inclusion::items_hold),
    rule("additionalItems", Types::LIST, Inclusion::items_hold),
    rule("unevaluatedItems", Types::LIST, Inclusion::is_given),
    rule("contains", Types::LIST, |_, wide, narrow| {
        narrow.gives_all(wide.keywords, &["contains", "minContains", "maxContains"])
    }),
    rule("minProperties", Types::OBJECT, Inclusion::least_holds),
    rule("maxProperties", Types::OBJECT, Inclusion::most_holds),
    rule("required", Types::OBJECT, Inclusion::required_holds),
    rule("properties", Types::OBJECT, Inclusion::properties_hold),
    rule("patternProperties", Types::OBJECT, Inclusion::patterns_hold),
    rule("additionalProperties", Types::OBJECT, Inclusion::others_hold),
    rule("unevaluatedProperties", Types::OBJECT, Inclusion::is_given),
    rule("propertyNames", Types::OBJECT, |inclusion, wide, narrow| {
        let names = narrow.parts().filter_map(|part| part.get(wide.keyword));
        inclusion.admits(wide.value, &names.collect())
    }),
    rule("dependentRequired", Types::OBJECT, Inclusion::is_given),
    rule("dependentSchemas", Types::OBJECT, Inclusion::is_given),
    rule("dependencies", Types::OBJECT, Inclusion::is_given),
    rule("if", Types::ALL, |inclusion, wide, narrow| {
        let part = |name: &str| wide.keywords.get(name).unwrap_or(&Value::Null);
        narrow.gives_all(wide.keywords, &["if", "then", "else"])
            || ["then", "else"].iter().all(|name| inclusion.admits(part(name), narrow))
    }),
    rule("not", Types::ALL, |inclusion, wide, narrow| {
        let mut excluded = narrow.parts().filter_map(|part| part.get("not"));
        excluded.any(|other| inclusion.admits(other, &Conjunction::of(wide.value)))
            || inclusion.are_apart(&Conjunction::of(wide.value), narrow)
    }),
    rule("allOf", Types::ALL, |inclusion, wide, narrow| {
        branches(wide.value).all(|part| inclusion.admits(part, narrow))
    }),
    rule("anyOf", Types::ALL, |inclusion, wide, narrow| {
        branches(wide.value).any(|branch| inclusion.admits(branch, narrow))
    }),
];

const fn rule(
    keyword: &'static str,
    about: Types,
    holds: fn(&Inclusion, &Wide<'_>, &Conjunction<'_>) -> bool,
) -> Rule {
    Rule { keyword, about, holds }
}

/// Keywords that [`RULES`] has no row for, of which one that is given makes a schema another.
const ONLY_IF_GIVEN: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Whether a keyword says what is valid.
#[must_use]
pub(crate) fn is_constraint(keyword: &str) -> bool {
    ["then", "else", "oneOf", "minContains", "maxContains"].contains(&keyword)
        || ONLY_IF_GIVEN.contains(&keyword)
        || RULES.iter().any(|rule| rule.keyword == keyword)
}

fn branches(union: &Value) -> impl Iterator<Item = &Value> {
    union.as_array().into_iter().flatten()
}

/// The same but for what says nothing of values.
fn same_constraints(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let counts = |name: &&String| is_constraint(name);
    one.keys().chain(other.keys()).filter(counts).all(|name| {
        match (one.get(name), other.get(name)) {
            (Some(one), Some(other)) => values_equal(one, other),
            _ => false,
        }
    })
}

impl Inclusion {
    pub(super) fn admits(&self, wide: &Value, narrow: &Conjunction<'_>) -> bool {
        self.within_bounds(|| self.admits_all(wide, narrow))
    }

    /// What a comparison says; no where too much was compared already.
    fn within_bounds(&self, compare: impl FnOnce() -> bool) -> bool {
        if self.left.get() == 0 || self.depth.get() == DEEPEST {
            return false;
        }
        self.left.set(self.left.get() - 1);
        self.depth.set(self.depth.get() + 1);
        let answer = compare();
        self.depth.set(self.depth.get() - 1);
        answer
    }

    fn admits_all(&self, wide: &Value, narrow: &Conjunction<'_>) -> bool {
        let keywords = match wide {
            _ if narrow.is_nothing() => return true,
            Value::Bool(true) | Value::Null => return true,
            Value::Object(keywords) => keywords,
            _ => return false,
        };
        if narrow.parts().any(|part| same_constraints(keywords, part)) {
            return true;
        }
        if let Some(values) = narrow.values() {
            return validation_options()
                .build(wide)
                .is_ok_and(|wide| values.iter().all(|value| wide.is_valid(value)));
        }
        self.keywords_hold(keywords, narrow)
            || narrow.unions().any(|union| {
                branches(union).all(|branch| self.admits(wide, &narrow.with_branch(union, branch)))
            })
            || narrow.by_type().is_some_and(|each| each.iter().all(|of| self.admits(wide, of)))
    }

    fn keywords_hold(&self, keywords: &Map<String, Value>, narrow: &Conjunction<'_>) -> bool {
        let types = narrow.types();
        let is_given = |name: &&&str| keywords.contains_key(**name);
        let rules = RULES.iter().filter(|rule| {
            keywords.contains_key(rule.keyword) && !rule.about.intersection(types).is_empty()
        });
        let mut rules = rules.map(|rule| {
            let value = &keywords[rule.keyword];
            (rule.holds)(self, &Wide { keyword: rule.keyword, value, keywords }, narrow)
        });
        ONLY_IF_GIVEN.iter().filter(is_given).all(|name| narrow.gives_all(keywords, &[*name]))
            && rules.all(|holds| holds)
            && self.members_are_declared(keywords, narrow)
            && keywords.get("oneOf").is_none_or(|union| self.one_holds(union, narrow))
    }

    /// Exactly one of the branches.
    fn one_holds(&self, union: &Value, narrow: &Conjunction<'_>) -> bool {
        let wide: Vec<&Value> = branches(union).collect();
        let is_apart =
            |branch: &Value, from: &Conjunction<'_>| self.are_apart(&Conjunction::of(branch), from);
        let is_only = |row: usize| {
            let mut others = wide.iter().enumerate().filter(|(other, _)| *other != row);
            self.admits(wide[row], narrow) && others.all(|(_, branch)| is_apart(branch, narrow))
        };
        let mut known = narrow.parts().filter_map(|part| part.get("oneOf"));
        // Of a value of one branch only it is known that it is in none of the others.
        let follows = |old: &Value| {
            let old: Vec<&Value> = branches(old).collect();
            let home = |branch: &Value| {
                let same = wide.iter().position(|one| same_schemas(one, branch));
                let admitting =
                    || wide.iter().position(|one| self.admits(one, &Conjunction::of(branch)));
                same.or_else(admitting)
            };
            let is_one_of_old = |branch: &Value, but: &Value| {
                old.iter().any(|one| !std::ptr::eq(*one, but) && same_schemas(one, branch))
            };
            old.iter().all(|branch| {
                home(branch).is_some_and(|home| {
                    wide.iter().enumerate().filter(|(row, _)| *row != home).all(|(_, other)| {
                        is_one_of_old(other, branch) || is_apart(other, &Conjunction::of(branch))
                    })
                })
            })
        };
        known.any(follows) || (0..wide.len()).any(is_only)
    }

    /// Whether no value is of both.
    pub(super) fn are_apart(&self, one: &Conjunction<'_>, other: &Conjunction<'_>) -> bool {
        self.within_bounds(|| {
            one.is_nothing()
                || other.is_nothing()
                || one.types().intersection(other.types()).is_empty()
                || [(one, other), (other, one)].into_iter().any(|(one, other)| {
                    one.values().is_some_and(|values| other.refuses_all(&values))
                        || one.unions().any(|union| {
                            let with = |branch| one.with_branch(union, branch);
                            branches(union).all(|branch| self.are_apart(&with(branch), other))
                        })
                })
                || self.members_are_apart(one, other)
        })
    }

    fn is_given(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        narrow.gives_all(wide.keywords, &[wide.keyword])
    }

    fn bounds_hold(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        let is_upper = wide.keyword.ends_with("aximum");
        Bound::list(wide.keywords, is_upper).iter().all(|bound| {
            let mut known = narrow.parts().flat_map(|part| Bound::list(part, is_upper));
            known.any(|known| known.is_within(bound, is_upper))
        })
    }

    fn multiple_holds(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        let is_multiple = |of: &Value| match (of.as_u64(), wide.value.as_u64()) {
            (Some(of), Some(wide)) => wide != 0 && of % wide == 0,
            _ => values_equal(of, wide.value),
        };
        let are_whole = !narrow.types().intersection(Types::NUMBER).contains(Types::NUMBER);
        (are_whole && wide.value.as_f64() == Some(1.0))
            || narrow.parts().filter_map(|part| part.get(wide.keyword)).any(is_multiple)
    }

    fn least_holds(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        wide.value.as_f64() == Some(0.0) || self.limit_holds(wide, narrow, std::cmp::Ordering::Less)
    }

    fn most_holds(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        self.limit_holds(wide, narrow, std::cmp::Ordering::Greater)
    }

    /// Whether there is a limit that is not on the wrong side of the wide one.
    fn limit_holds(
        &self,
        wide: &Wide<'_>,
        narrow: &Conjunction<'_>,
        wrong: std::cmp::Ordering,
    ) -> bool {
        let mut known = narrow.parts().filter_map(|part| part.get(wide.keyword));
        known.any(|known| match (known, wide.value) {
            (Value::Number(known), Value::Number(wide)) => {
                decimal::compare(known, wide).is_some_and(|order| order != wrong)
            }
            _ => false,
        })
    }

    fn items_hold(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        let wide = Items::of(wide.keywords);
        let known: Vec<Items<'_>> = narrow.parts().map(Items::of).collect();
        let own = known.iter().map(|items| items.places.len()).max().unwrap_or(0);
        let most = narrow.parts().filter_map(|part| part.get("maxItems")?.as_u64()).min();
        // The place after the last one is that of all further items.
        (0..=own.max(wide.places.len()))
            .take_while(|row| most.is_none_or(|most| (*row as u64) < most))
            .all(|row| {
                let item = known.iter().filter_map(|items| items.at(row)).collect();
                self.admits(wide.at(row).unwrap_or(&Value::Bool(true)), &item)
            })
    }
}

fn same_schemas(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => same_constraints(one, other),
        _ => one == other,
    }
}

/// The schemas of a list's items.
struct Items<'s> {
    places: &'s [Value],
    rest: Option<&'s Value>,
}

impl<'s> Items<'s> {
    fn of(keywords: &'s Map<String, Value>) -> Self {
        let list = |name: &str| keywords.get(name).and_then(Value::as_array).map(Vec::as_slice);
        match (list("prefixItems"), list("items")) {
            (None, Some(places)) => Self { places, rest: keywords.get("additionalItems") },
            (places, _) => Self { places: places.unwrap_or_default(), rest: keywords.get("items") },
        }
    }

    fn at(&self, row: usize) -> Option<&'s Value> {
        self.places.get(row).or(self.rest)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Which of two schemas allows more.
    fn compare(old: &Value, new: &Value) -> &'static str {
        let holds = |wide, narrow| includes(wide, narrow, Declared::ByNarrow);
        match (holds(new, old), holds(old, new)) {
            (true, true) => "same",
            (true, false) => "wider",
            (false, true) => "narrower",
            (false, false) => "unclear",
        }
    }

    #[test]
    fn a_schema_is_wider_narrower_or_the_same() {
        let object = |members: Value| json!({"type": "object", "properties": members});
        let kind = |of: &str, required: Value| json!({"type": "object", "properties": {"kind": {"const": of}, "v": {"type": "string"}}, "required": required});
        let (p, q) = (kind("p", json!(["kind"])), kind("q", json!(["kind"])));
        for (old, new, expected) in [
            (json!({"maximum": 10}), json!({"maximum": 50}), "wider"),
            (json!({"minimum": 0}), json!({"exclusiveMinimum": 0}), "narrower"),
            (json!({"minimum": 0}), json!({"minimum": 0, "exclusiveMinimum": true}), "narrower"),
            (json!({"minimum": 0}), json!({"minimum": 0.0}), "same"),
            (json!({"minimum": 0, "maximum": 9}), json!({"minimum": 1, "maximum": 10}), "unclear"),
            (json!({"type": "string", "minimum": 0}), json!({"type": "string"}), "same"),
            (json!({"multipleOf": 6}), json!({"multipleOf": 3}), "wider"),
            (json!({"minLength": 2}), json!({"minLength": 3}), "narrower"),
            (json!({}), json!({"minLength": 0}), "same"),
            (json!({"maxItems": 2}), json!({}), "wider"),
            (json!({"pattern": "^a"}), json!({"pattern": "^b"}), "unclear"),
            (json!({"type": "string"}), json!({"type": "string", "format": "email"}), "narrower"),
            (json!({"const": "q"}), json!({"const": "qq"}), "unclear"),
            (json!({"const": "q"}), json!({"enum": ["q", "r"]}), "wider"),
            (json!({"enum": [1, 9]}), json!({"type": "integer", "maximum": 9}), "wider"),
            (
                json!({"type": ["string", "null"]}),
                json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
                "same",
            ),
            (json!({"oneOf": [p, q]}), json!({"oneOf": [p]}), "narrower"),
            (json!({"oneOf": [p, q]}), json!({"oneOf": [q, p, {"type": "null"}]}), "wider"),
            (
                json!({"oneOf": [p, q]}),
                json!({"oneOf": [kind("p", json!(["kind", "v"])), q]}),
                "narrower",
            ),
            (json!({"oneOf": [p, q]}), json!({"anyOf": [p, q]}), "same"),
            // A value that was one of one branch may be one of two now.
            (
                json!({"oneOf": [{"type": "string"}]}),
                json!({"oneOf": [{"type": "string"}, {"minLength": 2}]}),
                "unclear",
            ),
            // That it is one of one branch only was known before.
            (
                json!({"oneOf": [{"type": "string"}, {"type": "string", "minLength": 2}]}),
                json!({"oneOf": [{"type": "string"}, {"type": "string", "minLength": 2}, {"type": "null"}]}),
                "wider",
            ),
            (
                json!({"allOf": [{"minimum": 1}, {"maximum": 3}]}),
                json!({"minimum": 1, "maximum": 3}),
                "same",
            ),
            (json!({"not": {"const": 1}}), json!({"not": {"enum": [1, 2]}}), "narrower"),
            (json!({"not": {"const": 1}}), json!({}), "wider"),
            (json!({}), json!({"if": {"type": "string"}, "then": {"minLength": 1}}), "narrower"),
            (json!({"required": ["a"]}), json!({"required": ["a", "b"]}), "narrower"),
            (
                object(json!({"a": {}})),
                json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
                "narrower",
            ),
            (
                json!({"additionalProperties": {"type": "integer"}}),
                json!({"additionalProperties": {"type": "number"}}),
                "wider",
            ),
            (
                json!({"patternProperties": {"^x-": {"maxLength": 5}}}),
                json!({"patternProperties": {"^x-": {"maxLength": 4}}}),
                "narrower",
            ),
            (object(json!({"a": {"maximum": 1}})), object(json!({"a": {"maximum": 2}})), "wider"),
            (
                json!({"prefixItems": [{"type": "integer"}, {}]}),
                json!({"prefixItems": [{"type": "number"}, {}]}),
                "wider",
            ),
            (
                json!({"prefixItems": [{}], "items": false}),
                json!({"prefixItems": [{}, {}], "items": false}),
                "wider",
            ),
            (
                json!({"items": [{}], "additionalItems": false}),
                json!({"items": [{"type": "null"}], "additionalItems": false}),
                "narrower",
            ),
            (json!({"dependentRequired": {"a": ["b"]}}), json!({}), "wider"),
            (
                json!({"propertyNames": {"maxLength": 3}}),
                json!({"propertyNames": {"maxLength": 4}}),
                "wider",
            ),
            (json!(true), json!(false), "narrower"),
            (json!({"title": "a", "default": 1}), json!({"title": "b"}), "same"),
            (json!({"$ref": "#/$defs/a"}), json!({"$ref": "#/$defs/b"}), "unclear"),
        ] {
            assert_eq!(compare(&old, &new), expected, "{old} → {new}");
        }
    }

    #[test]
    fn a_member_of_one_can_be_asked_for_in_the_other() {
        let (one, two) =
            (json!({"properties": {"a": {}}}), json!({"properties": {"a": {}, "b": {}}}));
        assert!(includes(&one, &two, Declared::ByWide));
        assert!(!includes(&one, &two, Declared::ByNarrow));
        assert!(
            includes(&two, &one, Declared::ByNarrow) && !includes(&two, &one, Declared::ByWide)
        );
    }

    #[test]
    fn unions_within_unions_end() {
        let mut schema = json!({"type": "string", "pattern": "a"});
        let mut other = json!({"type": "string", "pattern": "b"});
        for _ in 0..40 {
            schema = json!({"anyOf": [
                {"type": "object", "properties": {"a": schema}}, {"type": "array", "items": schema}]});
            other = json!({"anyOf": [
                {"type": "array", "items": other}, {"type": "object", "properties": {"a": other}}]});
            if schema.to_string().len() > 200_000 {
                break;
            }
        }
        assert_eq!(compare(&schema, &other), "unclear");
    }
}
