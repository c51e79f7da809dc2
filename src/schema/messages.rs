//! Plain words for what is wrong with a value. They never quote the value, which may be a secret.

use crate::schema::count::count_text;
use jsonschema::{
    JsonType, JsonTypeSet,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::Value;

use super::{
    node::{Bound, Node, ObjectRules, Types},
    phrase::{join_alternatives, value_text},
};

/// How many values are named before the rest is only counted, and in how many letters.
const NAMED: usize = 8;
const NAMED_CELLS: usize = 60;

/// What the value should have been, of these.
#[must_use]
pub(crate) fn one_of(values: &[&Value]) -> String {
    let named: Vec<String> = values.iter().take(NAMED).map(|value| value_text(value)).collect();
    match values.len() {
        1 => format!("must be {}", named.concat()),
        many if many > NAMED => {
            let mut cells = 0;
            let fits = |name: &&String| {
                cells += name.chars().count() + 2;
                cells <= NAMED_CELLS
            };
            let fitting = named.iter().take_while(fits).count().max(1);
            format!("must be one of {} or {} more", named[..fitting].join(", "), many - fitting)
        }
        _ => {
            format!("must be one of {}", join_alternatives(named.iter().map(String::as_str)))
        }
    }
}

/// The types a value may have.
pub(super) fn allowed_types(kind: &TypeKind) -> Types {
    let one = |json: JsonType| match json {
        JsonType::Null => Types::NULL,
        JsonType::Boolean => Types::BOOLEAN,
        JsonType::Integer => Types::INTEGER,
        JsonType::Number => Types::NUMBER,
        JsonType::String => Types::TEXT,
        JsonType::Array => Types::LIST,
        JsonType::Object => Types::OBJECT,
    };
    let several = |set: JsonTypeSet| set.iter().map(one).fold(Types::NONE, Types::union);
    match kind {
        TypeKind::Single(json) => one(*json),
        TypeKind::Multiple(set) => several(*set),
    }
}

/// `is not text`, `is not a whole number`, `must be text or null`.
#[must_use]
pub(crate) fn wrong_type(types: Types) -> String {
    let article = |word: &str| match word {
        "text" | "null" | "true or false" => "",
        "object" => "an ",
        _ => "a ",
    };
    let mut each = types.iter_names();
    match (each.next(), each.next()) {
        (Some((_, only)), None) => format!("is not {}{only}", article(only)),
        _ => format!("must be {}", types.to_words()),
    }
}

/// An example of what a format wants.
#[must_use]
pub(crate) fn format_words(format: &str) -> (&str, &'static str) {
    match format {
        "date" => ("date", "2026-11-21"),
        "time" => ("time", "14:30:00Z"),
        "date-time" => ("date and time", "2026-11-21T14:30:00Z"),
        "duration" => ("duration", "PT1H30M"),
        "email" | "idn-email" => ("e-mail address", "ann@example.com"),
        "uri" | "iri" | "url" => ("URI", "https://example.com/a"),
        "uri-reference" | "iri-reference" => ("URI or path", "/a#b"),
        "uuid" => ("UUID", "123e4567-e89b-12d3-a456-426614174000"),
        "ipv4" => ("IPv4 address", "192.0.2.1"),
        "ipv6" => ("IPv6 address", "2001:db8::1"),
        "hostname" | "idn-hostname" => ("host name", "example.com"),
        "regex" => ("regular expression", "^[a-z]+$"),
        "json" => ("JSON text", "{\"a\": 1}"),
        "json-pointer" => ("JSON pointer", "/a/0"),
        other => (other, ""),
    }
}

/// What is wanted, in few words: `text`, `date, such as 2026-11-21`, `whole number, 1 to 10`.
#[must_use]
pub(crate) fn describe_expected(node: &Node) -> String {
    if let Some(choices) = &node.choices {
        let count = choices.options.len();
        return if choices.open {
            format!("text, or one of {count}")
        } else {
            format!("one of {count}")
        };
    }
    if let Some(constant) = &node.constant {
        return format!("only {}", value_text(constant));
    }
    let types = node.shown_types();
    let looks = ["multiline", "textarea", "markdown", "password"];
    let format = node
        .text
        .format
        .as_deref()
        .filter(|format| types == Types::TEXT && !looks.contains(format));
    let mut words = match format.map(format_words) {
        Some((words, "")) => format!("text, {words}"),
        Some((words, example)) => format!("{words}, such as {example}"),
        None if types == Types::TEXT && describe_content(node).is_some() => {
            describe_content(node).unwrap_or_default()
        }
        None if types == Types::ALL.difference(Types::NULL) => match node.unions.first() {
            Some(union) if !union.of_types => format!("one of {} kinds", union.branches.len()),
            _ => "anything".into(),
        },
        None => types.to_words(),
    };
    if let Some(rules) = describe_bounds(node) {
        words.push_str(", ");
        words.push_str(&rules);
    }
    words
}

/// The same where null is allowed, too: `text or null`, `whole number or null, 1 to 10`.
#[must_use]
pub(crate) fn with_null(words: &str) -> String {
    let (first, rules) = words.split_once(", ").unwrap_or((words, ""));
    let first = first.replace(" or ", ", ");
    if rules.is_empty() { format!("{first} or null") } else { format!("{first} or null, {rules}") }
}

/// What the names of an object's members match, where only such are allowed: `names match ^x-`.
#[must_use]
pub(crate) fn pattern_words(object: &ObjectRules) -> String {
    let patterns = object.patterns.iter().map(|(pattern, _)| &**pattern);
    format!("names match {}", join_alternatives(patterns))
}

/// Patterns that are seen often, and what they match.
const KNOWN_PATTERNS: [(&[&str], &str); 4] = [
    (
        &["^[A-Za-z_][A-Za-z0-9_]*$", "^[a-zA-Z_][a-zA-Z0-9_]*$"],
        "letters, digits and _, with no digit first",
    ),
    (
        &["^[A-Za-z0-9_-]+$", "^[a-zA-Z0-9_-]+$", "^[A-Za-z0-9_-]*$", "^[a-zA-Z0-9_-]*$"],
        "letters, digits, _ and -",
    ),
    (&["^[0-9]+$", r"^\d+$"], "digits"),
    (&[r"^\s*[+-]?\p{Nd}+(_\p{Nd}+)*\s*$"], "a whole number"),
];

/// What a pattern matches, where it is one of those that are seen often.
fn known_pattern(pattern: &str) -> Option<&'static str> {
    let known = KNOWN_PATTERNS.iter().find(|(patterns, _)| patterns.contains(&pattern));
    known.map(|(_, words)| *words)
}

/// What a text holds: `base64 of image/png`, `text/markdown`.
fn describe_content(node: &Node) -> Option<String> {
    match (&node.text.encoding, &node.text.media_type) {
        (Some(encoding), Some(media)) => Some(format!("{encoding} of {media}")),
        (Some(encoding), None) => Some(format!("text, {encoding}")),
        (None, media) => media.as_ref().map(|media| format!("text, {media}")),
    }
}

/// The bounds of a value, in few words.
#[must_use]
pub(crate) fn describe_bounds(node: &Node) -> Option<String> {
    let mut rules = Vec::new();
    let bound = |bound: &Bound, than: &str, inclusive: &str| {
        format!("{} {}", if bound.exclusive { than } else { inclusive }, bound.at)
    };
    match (&node.number.min, &node.number.max) {
        (Some(min), Some(max)) if !min.exclusive && !max.exclusive => {
            rules.push(format!("{} to {}", min.at, max.at));
        }
        (min, max) => {
            rules.extend(min.as_ref().map(|min| bound(min, "more than", "at least")));
            rules.extend(max.as_ref().map(|max| bound(max, "less than", "at most")));
        }
    }
    rules.extend(node.number.multiple_of.as_ref().map(|step| format!("in steps of {step}")));
    let range = |min: Option<u64>, max: Option<u64>, one: &str, many: &str| match (
        min.filter(|min| *min > 0),
        max,
    ) {
        (Some(min), Some(max)) if min == max => {
            Some(format!("exactly {}", count_text(min, one, many)))
        }
        (Some(min), Some(max)) => Some(format!("{min} to {}", count_text(max, one, many))),
        (Some(min), None) => Some(format!("at least {}", count_text(min, one, many))),
        (None, Some(max)) => Some(format!("at most {}", count_text(max, one, many))),
        (None, None) => None,
    };
    rules.extend(range(node.text.min, node.text.max, "character", "characters"));
    rules.extend(node.text.patterns.iter().map(|pattern| {
        known_pattern(pattern).map_or_else(|| format!("matching {pattern}"), str::to_owned)
    }));
    rules.extend(range(node.list.min, node.list.max, "item", "items"));
    rules.extend(node.list.unique.then(|| "unique values".to_owned()));
    rules.extend(range(node.object.min, node.object.max, "member", "members"));
    (!rules.is_empty()).then(|| rules.join(", "))
}

/// What an error of the validator says about its own place.
pub(super) fn error_message(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::Type { kind } => wrong_type(allowed_types(kind)),
        Kind::Required { .. } => "is required".into(),
        Kind::Enum { options } => one_of(
            &options.as_array().map(|values| values.iter().collect::<Vec<_>>()).unwrap_or_default(),
        ),
        Kind::Constant { expected_value } => one_of(&[expected_value]),
        Kind::MinLength { limit: 1 } => "must not be empty".into(),
        Kind::MinLength { limit } => {
            format!("is shorter than {}", count_text(*limit, "character", "characters"))
        }
        Kind::MaxLength { limit } => {
            format!("is longer than {}", count_text(*limit, "character", "characters"))
        }
        Kind::MinItems { limit } => {
            format!("has fewer than {}", count_text(*limit, "item", "items"))
        }
        Kind::MaxItems { limit } => {
            format!("has more than {}", count_text(*limit, "item", "items"))
        }
        Kind::AdditionalItems { limit } => {
            format!("has more than {}", count_text(*limit as u64, "item", "items"))
        }
        Kind::MinProperties { limit } => {
            format!("has fewer than {}", count_text(*limit, "member", "members"))
        }
        Kind::MaxProperties { limit } => {
            format!("has more than {}", count_text(*limit, "member", "members"))
        }
        Kind::Minimum { limit } => format!("is less than {limit}"),
        Kind::Maximum { limit } => format!("is more than {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("is not a multiple of {multiple_of}"),
        Kind::Pattern { pattern } => match known_pattern(pattern) {
            Some(words) => format!("must be {words}"),
            None => format!("does not match {pattern}"),
        },
        Kind::Format { format } => match format_words(format) {
            (words, "") => format!("is not a valid {words}"),
            (words, example) => {
                format!(
                    "is not {} {words}, such as {example}",
                    if words.starts_with(['e', 'I']) { "an" } else { "a" }
                )
            }
        },
        Kind::UniqueItems => "has the same item twice".into(),
        Kind::Contains => "has no item of the required kind".into(),
        Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } => {
            "is not a known member".into()
        }
        Kind::UnevaluatedItems { .. } => "has items that are not allowed".into(),
        Kind::FalseSchema => "must not be set".into(),
        Kind::Not { schema } => describe_not(schema),
        Kind::OneOfMultipleValid { .. } => "matches more than one of the alternatives".into(),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => "matches none of the \
            alternatives"
            .into(),
        Kind::ContentEncoding { content_encoding } => format!("is not {content_encoding}"),
        Kind::ContentMediaType { content_media_type } => format!("is not {content_media_type}"),
        Kind::FromUtf8 { .. } => "doesn't contain text".into(),
        Kind::PropertyNames { error } => format!("has a name that {}", error_message(error.kind())),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "could not be checked: its pattern takes too long".into()
        }
        Kind::Custom { message, .. } => message.clone(),
        Kind::Referencing(error) => format!("could not be checked: {error}"),
    }
}

fn describe_not(schema: &Value) -> String {
    if let Some(constant) = schema.get("const") {
        return format!("must not be {}", value_text(constant));
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let words: Vec<String> = values.iter().map(value_text).collect();
        return format!("must not be {}", join_alternatives(words.iter().map(String::as_str)));
    }
    if let Some(name) = schema.get("type").and_then(Value::as_str) {
        return format!("must not be {}", Types::from_name(name).to_words());
    }
    if let Some(Value::Array(names)) = schema.get("required") {
        let words: Vec<String> = names.iter().map(value_text).collect();
        return format!("must not have {}", words.join(" together with "));
    }
    "is excluded by the schema".into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::tree::Schema;

    #[test]
    fn long_choices_are_counted() {
        let values: Vec<Value> = (0..20).map(|n| json!(n)).collect();
        assert_eq!(
            one_of(&values.iter().collect::<Vec<_>>()),
            "must be one of 0, 1, 2, 3, 4, 5, 6, 7 or 12 more"
        );
        let long: Vec<Value> = (0..20).map(|n| json!(format!("country number {n}"))).collect();
        assert_eq!(
            one_of(&long.iter().collect::<Vec<_>>()),
            "must be one of country number 0, country number 1, country number 2 or 17 more"
        );
    }

    #[test]
    fn a_choice_of_kinds_is_not_anything() {
        let expected = |schema: Value| describe_expected(&Schema::new(schema).root_node());
        assert_eq!(expected(json!({})), "anything");
        let kinds = json!({"oneOf": [{"properties": {"a": {}}, "required": ["a"]}, {"type": "array", "items": {}}]});
        assert_eq!(expected(kinds), "one of 2 kinds");
    }

    #[test]
    fn null_is_said_beside_the_rest() {
        let with = ["text", "text or number", "whole number, 1 to 10"].map(with_null);
        assert_eq!(with, ["text or null", "text, number or null", "whole number or null, 1 to 10"]);
    }
}
