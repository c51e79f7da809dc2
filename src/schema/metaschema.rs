//! Whether a document is a schema by the schema of its draft alone: no reference is followed, and a
//! draft that is not known counts as the newest.

use std::sync::OnceLock;

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Value, json};

use super::{messages, patterns, pointer::Pointer};

/// The drafts by the address that names them, without the empty fragment at its end; the newest is
/// the last.
const DRAFTS: [&str; 5] = [
    "http://json-schema.org/draft-04/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

const REGEX: &str = "regex";
/// Formats of addresses, which nothing here is to check.
const UNCHECKED: [&str; 4] = ["uri", "uri-reference", "json-pointer", "iri"];

/// What is wrong with a schema; the pointer is within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaFlaw {
    pub at: Pointer,
    pub words: String,
}

/// Why a pattern is none; `None` where it is one.
pub(crate) type PatternFault = fn(&str) -> Option<String>;

/// The schemas of the drafts, with patterns in one dialect. Each is compiled when it is first asked
/// about: compiled, the five take megabytes.
pub(crate) struct Metaschemas {
    of: [OnceLock<Option<Validator>>; DRAFTS.len()],
    pattern_fault: PatternFault,
}

/// Why a pattern is none to the validator, which reads the regular expressions of ECMAScript.
#[must_use]
pub(crate) fn ecma_fault(pattern: &str) -> Option<String> {
    (!patterns::is_pattern(pattern)).then(|| "is not a regular expression".to_owned())
}

/// Whether an address names a draft that is known, with an empty fragment at its end or without.
#[must_use]
pub(crate) fn is_draft(address: &str) -> bool {
    DRAFTS.contains(&address.strip_suffix('#').unwrap_or(address))
}

impl Metaschemas {
    #[must_use]
    pub const fn new(pattern_fault: PatternFault) -> Self {
        Self { of: [const { OnceLock::new() }; DRAFTS.len()], pattern_fault }
    }

    /// The first thing that is wrong with a schema.
    #[must_use]
    pub fn first_flaw(&self, schema: &Value) -> Option<SchemaFlaw> {
        let named = schema
            .get("$schema")
            .and_then(Value::as_str)
            .map(|address| address.trim_end_matches('#'));
        let draft = named
            .and_then(|named| DRAFTS.iter().position(|address| *address == named))
            .unwrap_or(DRAFTS.len() - 1);
        self.of[draft]
            .get_or_init(|| self.compile(DRAFTS[draft]))
            .as_ref()?
            .iter_errors(schema)
            .next()
            .map(|error| self.flaw_from_error(&error))
    }

    fn compile(&self, address: &str) -> Option<Validator> {
        let pattern_fault = self.pattern_fault;
        let options = jsonschema::options()
            .offline()
            .should_validate_formats(true)
            .with_format(REGEX, move |text: &str| pattern_fault(text).is_none());
        UNCHECKED
            .into_iter()
            .fold(options, |options, name| options.with_format(name, |_: &str| true))
            .build(&json!({"$schema": address, "$ref": address}))
            .ok()
    }

    fn flaw_from_error(&self, error: &ValidationError<'_>) -> SchemaFlaw {
        let at = Pointer::parse(error.instance_path().as_str()).unwrap_or_default();
        if let ValidationErrorKind::PropertyNames { error } = error.kind() {
            return SchemaFlaw { at, words: self.flaw_from_error(error).words };
        }
        let words = match (error.kind(), error.instance().as_str()) {
            (ValidationErrorKind::Format { format }, Some(pattern)) if format == REGEX => {
                (self.pattern_fault)(pattern).unwrap_or_default()
            }
            (kind, _) => messages::error_message(kind),
        };
        SchemaFlaw { at, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_draft_is_there_with_its_dialect_of_patterns() {
        let metaschemas = Metaschemas::new(|pattern| (pattern == "odd").then(|| "is odd".into()));
        for address in DRAFTS {
            let flaw = |member: &str, value: Value| {
                let schema = json!({"$schema": format!("{address}#"), member: value});
                metaschemas.first_flaw(&schema).map(|flaw| format!("{} {}", flaw.at, flaw.words))
            };
            assert_eq!(flaw("pattern", json!("(?P<y>a)")), None, "{address}");
            assert_eq!(flaw("$ref", json!("https://example.org/absent")), None, "{address}");
            assert_eq!(
                flaw("pattern", json!("odd")).as_deref(),
                Some("/pattern is odd"),
                "{address}"
            );
            assert!(flaw("type", json!(5)).is_some(), "{address}");
        }
        assert_eq!(
            metaschemas.first_flaw(&json!({"$schema": "urn:unknown", "type": "object"})),
            None
        );
    }

    #[test]
    fn patterns_are_those_of_ecmascript() {
        assert_eq!([ecma_fault(r"^\d+(?=x)$"), ecma_fault(r"\p{L}")], [None, None]);
        assert!(ecma_fault("(").is_some());
        assert!(
            is_draft("http://json-schema.org/draft-07/schema#")
                && is_draft("https://json-schema.org/draft/2020-12/schema")
        );
        assert!(
            !is_draft("https://json-schema.org/draft-07/schema")
                && !is_draft("http://json-schema.org/draft-07/schema##")
        );
    }
}
