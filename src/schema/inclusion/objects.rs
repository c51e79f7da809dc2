//! Whether the members of an object that one schema allows are allowed by another one.

use serde_json::{Map, Value};

use super::{
    super::{contradictions::types_of, node::Types},
    compare::{Declared, Inclusion, Wide},
    conjunction::{Conjunction, matches, matching_patterns},
};

/// Keywords by which a schema says itself which members there are, or that it is only a part of what
/// says it.
const DECLARING: [&str; 12] = [
    "properties",
    "required",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "dependentSchemas",
    "dependencies",
];

impl Inclusion {
    pub(super) fn required_holds(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        let names = wide.value.as_array().into_iter().flatten().filter_map(Value::as_str);
        names.into_iter().all(|name| narrow.required().any(|known| known == name))
    }

    pub(super) fn properties_hold(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        let own = members(wide.keywords, "properties");
        let fits = own.iter().all(|(name, schema)| match narrow.member(name) {
            Some(member) => self.admits(schema, &member),
            None => {
                let name = Some(name.as_str());
                !narrow.union_declares(name) && !narrow.condition_declares(name)
            }
        });
        let is_declared = |name: &str| {
            own.contains_key(name)
                || !matching_patterns(wide.keywords, name).is_empty()
                || wide.keywords.get("additionalProperties").is_some_and(Value::is_object)
        };
        fits && match self.declared {
            Declared::ByNarrow => {
                narrow.declared().all(is_declared) && !narrow.union_declares(None)
            }
            Declared::ByWide => own.keys().all(|name| narrow.member(name).is_some()),
        }
    }

    /// Whether a schema of an object that declares no member at all is wide enough: a caller gives
    /// those that the narrow one declares. Where it only adds rules to another schema, that one
    /// declares them.
    pub(super) fn members_are_declared(
        &self,
        wide: &Map<String, Value>,
        narrow: &Conjunction<'_>,
    ) -> bool {
        let is_whole = wide.get("type").is_some_and(|of| types_of(of).contains(Types::OBJECT))
            && !DECLARING.iter().any(|keyword| wide.contains_key(*keyword));
        let declares = || narrow.declared().next().is_some() || narrow.union_declares(None);
        self.declared == Declared::ByWide || !is_whole || !declares()
    }

    pub(super) fn patterns_hold(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        members(wide.keywords, wide.keyword).iter().all(|(pattern, schema)| {
            let mut same =
                narrow.parts().filter_map(|part| members(part, "patternProperties").get(pattern));
            let is_same = same.any(|known| self.admits(schema, &Conjunction::of(known)));
            let mut declared = narrow.declared().filter(|name| matches(pattern, name));
            let fits = declared
                .all(|name| narrow.member(name).is_none_or(|member| self.admits(schema, &member)));
            fits && (is_same || narrow.is_closed())
        })
    }

    /// Members that the wide schema neither declares nor has a pattern for.
    pub(super) fn others_hold(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        let own = members(wide.keywords, "properties");
        let own_patterns = members(wide.keywords, "patternProperties");
        let is_other = |name: &&str| {
            !own.contains_key(*name) && matching_patterns(wide.keywords, name).is_empty()
        };
        let by_pattern = narrow.parts().flat_map(|part| members(part, "patternProperties"));
        let mut others = by_pattern.filter(|(pattern, _)| !own_patterns.contains_key(*pattern));
        let rest: Conjunction<'_> =
            narrow.parts().filter_map(|part| part.get("additionalProperties")).collect();
        narrow
            .declared()
            .filter(is_other)
            .all(|name| narrow.member(name).is_none_or(|member| self.admits(wide.value, &member)))
            && others.all(|(_, schema)| self.admits(wide.value, &Conjunction::of(schema)))
            && (narrow.is_closed() || self.admits(wide.value, &rest))
    }

    /// Whether a member that both declare, and one of them requires, can't be of both.
    pub(super) fn members_are_apart(&self, one: &Conjunction<'_>, other: &Conjunction<'_>) -> bool {
        let are_objects = Types::OBJECT.contains(one.types().intersection(other.types()));
        are_objects
            && one.required().chain(other.required()).any(|name| {
                let both = one.member(name).zip(other.member(name));
                both.is_some_and(|(one, other)| self.are_apart(&one, &other))
            })
    }
}

impl Conjunction<'_> {
    /// Members that are not declared are not allowed.
    fn is_closed(&self) -> bool {
        let forbids =
            |keyword: &str| self.parts().any(|part| part.get(keyword) == Some(&Value::Bool(false)));
        let may_declare = || self.union_declares(None) || self.condition_declares(None);
        forbids("additionalProperties") || forbids("unevaluatedProperties") && !may_declare()
    }
}

/// The schemas that a keyword holds by name.
fn members<'s>(keywords: &'s Map<String, Value>, keyword: &str) -> &'s Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    keywords.get(keyword).and_then(Value::as_object).unwrap_or(&NONE)
}
