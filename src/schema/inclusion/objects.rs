//! Whether the members of an object that one schema allows are allowed by another one.

use serde_json::{Map, Value};

use super::{
    super::node::Types,
    compare::{Declared, Inclusion, Wide},
    conjunction::{Conjunction, matches, matching_patterns},
};

impl Inclusion {
    pub(super) fn required_holds(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        let names = wide.value.as_array().into_iter().flatten().filter_map(Value::as_str);
        names.into_iter().all(|name| narrow.required().any(|known| known == name))
    }

    pub(super) fn properties_hold(&self, wide: &Wide<'_>, narrow: &Conjunction<'_>) -> bool {
        let own = members(wide.keywords, "properties");
        let fits = own.iter().all(|(name, schema)| {
            narrow.member(name).is_none_or(|member| self.admits(schema, &member))
        });
        let is_declared = |name: &str| {
            own.contains_key(name)
                || !matching_patterns(wide.keywords, name).is_empty()
                || wide.keywords.get("additionalProperties").is_some_and(Value::is_object)
        };
        fits && match self.declared {
            Declared::ByNarrow => narrow.declared().all(is_declared),
            Declared::ByWide => own.keys().all(|name| narrow.member(name).is_some()),
        }
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
        self.parts().any(|part| {
            ["additionalProperties", "unevaluatedProperties"]
                .iter()
                .any(|name| part.get(*name) == Some(&Value::Bool(false)))
        })
    }
}

/// The schemas that a keyword holds by name.
fn members<'s>(keywords: &'s Map<String, Value>, keyword: &str) -> &'s Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    keywords.get(keyword).and_then(Value::as_object).unwrap_or(&NONE)
}
