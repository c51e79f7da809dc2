//! Schemas whose parts lead to each other so often that a single value would be checked without
//! end: `allOf` with two references to a schema that has two such references itself, and so on; or
//! with references to what they are in.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    encoding::escape_token, flaws::KeywordFlaw, pointer::Pointer, resolve::Addresses,
    subschemas::list_subschemas,
};

/// So many schemas may look at one value.
const MOST_LOOKS: u64 = 50_000;

const WORDS: &str = "leads to other schemas so often that a value would take too long to check";

/// Keywords with schemas for the value that the schema itself is for, one or a list.
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// The same with schemas by name.
const NAMED: [&str; 2] = ["dependentSchemas", "dependencies"];
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The keywords that would have to go for every value to be checked in time; the innermost come
/// first, and those further out count without them.
pub(super) fn endless_keywords(schema: &Value) -> Vec<KeywordFlaw> {
    let places: HashMap<String, &Value> = list_subschemas(schema).into_iter().collect();
    let is_branching = |schema: &&Value| {
        schema.as_object().is_some_and(|keywords| keywords.keys().any(|name| leads_in_place(name)))
    };
    // Most schemas have too few of these for that.
    if places.values().filter(|schema| is_branching(schema)).count() < 8 {
        return Vec::new();
    }
    let addresses = Addresses::from_schema(schema);
    let mut looks =
        Looks { places: &places, addresses: &addresses, known: HashMap::new(), found: Vec::new() };
    let mut order: Vec<&String> = places.keys().collect();
    order.sort();
    for place in order {
        looks.count(place, 0);
    }
    looks.found
}

fn leads_in_place(keyword: &str) -> bool {
    IN_PLACE.contains(&keyword) || NAMED.contains(&keyword) || REFERENCES.contains(&keyword)
}

struct Looks<'s> {
    places: &'s HashMap<String, &'s Value>,
    addresses: &'s Addresses,
    /// `None`: it is being counted, further out.
    known: HashMap<String, Option<u64>>,
    found: Vec<KeywordFlaw>,
}

/// Deeper chains are not followed: a validator doesn't get there.
const DEEPEST: usize = 2_000;

impl Looks<'_> {
    /// How many schemas look at a value that this one is for. One that leads back to itself for the
    /// same value would look at it without end.
    fn count(&mut self, place: &str, depth: usize) -> u64 {
        if let Some(known) = self.known.get(place) {
            return known.unwrap_or(MOST_LOOKS + 1);
        }
        let Some(keywords) = self.places.get(place).and_then(|schema| schema.as_object()) else {
            return 1;
        };
        if depth > DEEPEST {
            return 1;
        }
        self.known.insert(place.to_owned(), None);
        let mut all: u64 = 1;
        for (keyword, value) in keywords {
            let mut of_keyword: u64 = 0;
            for next in self.next_places(place, keyword, value) {
                of_keyword = of_keyword.saturating_add(self.count(&next, depth + 1));
            }
            if of_keyword > MOST_LOOKS {
                let at = Pointer::parse(place).unwrap_or_default();
                self.found.push(KeywordFlaw::at_keyword(&at, keyword, WORDS.to_owned()));
            } else {
                all = all.saturating_add(of_keyword);
            }
        }
        let all = all.min(MOST_LOOKS);
        self.known.insert(place.to_owned(), Some(all));
        all
    }

    /// The schemas that a keyword has for the same value.
    fn next_places(&self, place: &str, keyword: &str, value: &Value) -> Vec<String> {
        let below = || format!("{place}/{}", escape_token(keyword));
        match value {
            Value::Array(items) if IN_PLACE.contains(&keyword) => {
                (0..items.len()).map(|row| format!("{}/{row}", below())).collect()
            }
            Value::Object(_) if IN_PLACE.contains(&keyword) => vec![below()],
            Value::Object(named) if NAMED.contains(&keyword) => {
                named.keys().map(|name| format!("{}/{}", below(), escape_token(name))).collect()
            }
            Value::String(reference) if REFERENCES.contains(&keyword) => {
                self.addresses.resolve(keyword, reference, place).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::validate::Checker;

    /// Each of these refers twice to the next.
    fn doubling(keyword: &str, length: usize) -> Value {
        let mut defs = serde_json::Map::new();
        for number in 0..length {
            let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
            defs.insert(format!("d{number}"), json!({keyword: [next, next]}));
        }
        defs.insert(format!("d{length}"), json!({"type": "string"}));
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs})
    }

    #[test]
    fn what_would_never_end_is_left_out_and_the_rest_counts() {
        for keyword in ["allOf", "anyOf"] {
            let schema = std::sync::Arc::new(doubling(keyword, 60));
            let opened = Checker::compile_lenient(&schema);
            assert!(!opened.findings.is_empty(), "{keyword}");
            assert!(
                opened.findings.iter().all(|finding| finding.words.contains("too long to check"))
            );
            let checker = opened.checker.unwrap();
            assert_eq!(checker.issues(&json!({"a": "x"})), []);
            assert_eq!(checker.issues(&json!(3)).len(), 1);
            assert!(Checker::compile(&schema).is_err());
        }
    }

    /// The validator would take 20 times as long with each step that it goes round.
    #[test]
    fn a_schema_that_leads_to_itself_for_the_same_value_is_left_out() {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let itself = vec![json!({"$ref": "#/$defs/A"}); 20];
            let schema = std::sync::Arc::new(json!({
                "$defs": {"A": {keyword: itself}},
                "properties": {"x": {"$ref": "#/$defs/A"}, "y": {"type": "string"}},
            }));
            let opened = Checker::compile_lenient(&schema);
            assert_eq!(opened.findings.len(), 20, "{keyword}");
            let checker = opened.checker.unwrap();
            _ = checker.issues(&json!({"x": 1}));
            assert_eq!(checker.issues(&json!({"y": 1})).len(), 1);
            assert!(Checker::compile(&schema).is_err());
        }
    }

    #[test]
    fn what_is_only_large_or_leads_back_to_itself_stays() {
        let branches: Vec<Value> = (0..400)
            .map(|number| json!({"allOf": [{"properties": {"k": {"const": number}}}]}))
            .collect();
        for schema in [
            json!({"anyOf": branches}),
            doubling("allOf", 10),
            json!({"$defs": {"tree": {"allOf": [{"properties": {"left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}}}]}}, "$ref": "#/$defs/tree"}),
        ] {
            assert_eq!(endless_keywords(&schema).len(), 0, "{schema}");
            assert!(Checker::compile(&schema).is_ok());
        }
    }
}
