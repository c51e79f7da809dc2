//! The keyword `pattern`, compiled when a text is first held against it: a large schema has
//! hundreds, and a form asks for few.

use std::sync::OnceLock;

use jsonschema::{Keyword, ValidationError, Validator, paths::Location};
use serde_json::{Map, Value, json};

use super::messages;

struct Pattern {
    text: String,
    /// `None`: it is too large to be compiled, so nothing can be known.
    compiled: OnceLock<Option<Validator>>,
}

impl Pattern {
    fn validator(&self) -> Option<&Validator> {
        self.compiled.get_or_init(|| compile_pattern(&self.text).ok()).as_ref()
    }
}

impl<'i> Keyword<'i> for Pattern {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if !instance.is_string() {
            return Ok(());
        }
        let Some(validator) = self.validator() else {
            return Err(ValidationError::custom("could not be checked: its pattern is too large"));
        };
        validator
            .validate(instance)
            .map_err(|error| ValidationError::custom(messages::error_message(error.kind())))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        !instance.is_string()
            || self.validator().is_some_and(|validator| validator.is_valid(instance))
    }
}

/// What a validator makes of `pattern`. One that is no regular expression is an error now, as
/// without this.
///
/// # Errors
/// As the validator's own.
pub(super) fn pattern_keyword<'s>(
    _: &'s Map<String, Value>,
    pattern: &'s Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'s>> {
    let Value::String(text) = pattern else { return Err(ValidationError::schema("isn't text")) };
    let compiled = OnceLock::new();
    if !is_plainly_right(text) {
        let _ = compiled.set(Some(compile_pattern(text)?));
    }
    Ok(Box::new(Pattern { text: text.clone(), compiled }))
}

/// Alone, and by the validator's own rules.
pub(super) fn compile_pattern(pattern: &str) -> Result<Validator, ValidationError<'static>> {
    jsonschema::options().offline().build(&json!({"pattern": pattern}))
}

/// Whether a text is a regular expression, be it one that is too large to be compiled.
#[must_use]
pub(super) fn is_pattern(text: &str) -> bool {
    is_plainly_right(text) || compile_pattern(text).is_ok()
}

/// Groups within each other, at most, that each of the engines takes.
const PLAIN_GROUPS: usize = 30;

/// Whether it can be read without being compiled. What looks around or back cannot, and what has
/// many groups may be too deep for the engine that it is compiled for.
fn is_plainly_right(pattern: &str) -> bool {
    pattern.bytes().filter(|byte| *byte == b'(').count() <= PLAIN_GROUPS
        && jsonschema_regex::is_valid_ecma_regex(pattern)
        && jsonschema_regex::to_rust_regex(pattern)
            .is_ok_and(|pattern| regex_syntax::parse(&pattern).is_ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ours(pattern: &str) -> Option<Validator> {
        jsonschema::options()
            .offline()
            .with_keyword("pattern", pattern_keyword)
            .build(&json!({"pattern": pattern}))
            .ok()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn it_holds_what_the_validators_own_holds(
            pattern in r"[\^]?([a-c.]|\[[\^]?[a-c]-?\]|\\[dDsSwWbpPukxc1]|\(\?[:=!<]*|[()|]|[*+?]|\{[0-9],?\}|\{|\}|\\p\{L[ux]?\}|é){0,8}\$?",
            text in "[a-cé1 _-]{0,6}",
        ) {
            let theirs = compile_pattern(&pattern).ok();
            let ours = ours(&pattern);
            prop_assert_eq!(theirs.is_some(), ours.is_some(), "{}", pattern);
            if let (Some(theirs), Some(ours)) = (theirs, ours) {
                let text = Value::String(text);
                prop_assert_eq!(theirs.is_valid(&text), ours.is_valid(&text), "{}", pattern);
                prop_assert_eq!(theirs.iter_errors(&text).count(), ours.iter_errors(&text).count());
            }
        }
    }
}
