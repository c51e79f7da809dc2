//! The body of a connector's request.

use std::{
    collections::{BTreeSet, HashSet},
    fmt,
};

use regex::Regex;
use serde_json::Value;

use crate::systems::opensearch::{
    java,
    strict_json::{self, is_structured},
    template::{
        marks::{PARAMETERS, SUFFIX},
        parse::find_placeholders,
        render::{RenderError, Rendered, render_template},
        text_map::{TextMap, text_of},
    },
};

/// The parameter that names those which are put in as they are.
pub const NO_ESCAPE: &str = "no_escape_params";
/// The parameter that allows a body to keep placeholders.
pub const SKIP_VALIDATION: &str = "skip_validating_missing_parameters";
/// What is behind the name of a placeholder that the null rule is about.
const QUOTED_NULL: &str = ":-null}\"";
/// What a server looks for in a finished body before it looks for names.
const BEGUN: &str = "${parameters";
/// What makes an escaped copy of a parameter, where a value asks for it.
const TO_STRING: &str = ".toString()";

/// A body, filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub rendered: Rendered,
    /// What it says; `None` where it is several objects, line by line.
    pub json: Option<Value>,
    /// Parameters that are missing, for which a null replaces a quoted placeholder.
    pub nulled: Vec<String>,
}

/// Why a body cannot be sent.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyError {
    Template(RenderError),
    /// It is neither an object nor an array, nor such line by line.
    InvalidPayload(Rendered),
    /// Names that nothing gives a value; none where a placeholder is begun that has no name or no
    /// end, which a server takes no better.
    Unfilled(Vec<String>, Rendered),
}

impl fmt::Display for BodyError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Template(error) => to.write_str(&error.message()),
            Self::InvalidPayload(rendered) => {
                write!(to, "the body is no JSON object or array: {}", rendered.text)
            }
            Self::Unfilled(names, _) if names.is_empty() => {
                write!(to, "{BEGUN} is in the body without a name and an end")
            }
            Self::Unfilled(names, _) => {
                write!(to, "nothing gives a value to {}", names.join(", "))
            }
        }
    }
}

/// The parameters that templates of a connector are filled in with: those of the request, escaped,
/// over the connector's own, which are not.
#[must_use]
pub fn prepare_parameters(defaults: &TextMap, request: &TextMap) -> TextMap {
    let mut prepared = defaults.clone();
    prepared.extend(escape_values(request));
    prepared
}

/// Parameters escaped for use between quotes, but for objects, arrays and those that
/// `no_escape_params` lists.
#[must_use]
pub fn escape_values(parameters: &TextMap) -> TextMap {
    let kept: HashSet<&str> =
        text_of(parameters, NO_ESCAPE).unwrap_or_default().split(',').map(str::trim).collect();
    let escaped = |name: &str, value: &str| {
        if kept.contains(name) || is_structured(value) {
            value.to_owned()
        } else {
            java::escape_json(value)
        }
    };
    parameters
        .iter()
        .map(|(name, value)| (name.clone(), value.as_deref().map(|value| escaped(name, value))))
        .collect()
}

/// Fills a body in with prepared parameters.
///
/// # Errors
/// When it cannot be sent as it is then.
pub fn render_body(template: &str, parameters: &TextMap) -> Result<Body, BodyError> {
    let (template, nulled) = apply_null_rule(template, parameters);
    let parameters = add_text_copies(parameters);
    let rendered =
        render_template(&template, PARAMETERS, &parameters).map_err(BodyError::Template)?;
    let json = strict_json::parse_structured(&rendered.text);
    if json.is_none() && !is_ndjson(&rendered.text) {
        return Err(BodyError::InvalidPayload(rendered));
    }
    let is_checked = !text_of(&parameters, SKIP_VALIDATION)
        .is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let unfilled = left_names(&rendered.text);
    if is_checked && (!unfilled.is_empty() || rendered.text.contains(BEGUN)) {
        return Err(BodyError::Unfilled(unfilled, rendered));
    }
    Ok(Body { rendered, json, nulled })
}

/// A template in which `"${parameters.NAME:-null}"` of missing parameters is `null`, without the
/// quotes; and those names. A name is one word.
fn apply_null_rule(template: &str, parameters: &TextMap) -> (String, Vec<String>) {
    let is_missing = |name: &str| text_of(parameters, name).is_none();
    replace_quoted_nulls(template, is_missing, |_| "null".into())
}

/// A template in which something replaces each `"${parameters.NAME:-null}"` that is meant; and the
/// names of those.
fn replace_quoted_nulls(
    template: &str,
    is_meant: impl Fn(&str) -> bool,
    replacement: impl Fn(&str) -> String,
) -> (String, Vec<String>) {
    let mut names = BTreeSet::new();
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    let opening = format!("\"{PARAMETERS}");
    while let Some(at) = rest.find(&opening) {
        let (before, from) = rest.split_at(at);
        let inside = &from[opening.len()..];
        let length = inside
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .unwrap_or(inside.len());
        let (name, after) = inside.split_at(length);
        text.push_str(before);
        match after.strip_prefix(QUOTED_NULL) {
            Some(after) if !name.is_empty() && is_meant(name) => {
                text.push_str(&replacement(name));
                names.insert(name.to_owned());
                rest = after;
            }
            _ => {
                text.push_str(&opening);
                rest = inside;
            }
        }
    }
    text.push_str(rest);
    (text, names.into_iter().collect())
}

/// The parameters with `NAME.toString()` for each that a value asks for in that way.
fn add_text_copies(parameters: &TextMap) -> TextMap {
    let mut with_copies = parameters.clone();
    if !parameters.values().flatten().any(|value| value.contains(TO_STRING)) {
        return with_copies;
    }
    let Ok(asking) =
        Regex::new(r"\$\{parameters\.([^\n\r\x{85}\x{2028}\x{2029}]+?)\.toString\(\)\}")
    else {
        return with_copies;
    };
    for value in parameters.values().flatten() {
        for found in asking.captures_iter(value) {
            if let Some(text) = text_of(parameters, &found[1]) {
                with_copies
                    .insert(format!("{}{TO_STRING}", &found[1]), Some(java::quote_text(text)));
            }
        }
    }
    with_copies
}

/// Whether every line that is not blank is an object or an array, and there is one.
fn is_ndjson(text: &str) -> bool {
    let mut lines = text
        .split('\n')
        .map(|line| line.trim_matches(|letter| letter <= ' '))
        .filter(|line| !line.is_empty())
        .peekable();
    lines.peek().is_some() && lines.all(is_structured)
}

/// The names in a finished text that are placeholders still.
fn left_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(PARAMETERS) {
        let inside = &rest[at + PARAMETERS.len()..];
        let Some(length) = inside.find(SUFFIX) else { break };
        if length > 0 {
            names.push(inside[..length].to_owned());
        }
        rest = &inside[length..];
    }
    names
}

/// Names in a template that the null rule is about, which a plain substitution leaves a text.
#[must_use]
pub fn quoted_null_names(template: &str) -> Vec<String> {
    unquote_nulls(template).1
}

/// A template without the quotes that the null rule is about, and the names between them.
#[must_use]
pub fn unquote_nulls(template: &str) -> (String, Vec<String>) {
    replace_quoted_nulls(template, |_| true, |name| format!("{PARAMETERS}{name}:-null}}"))
}

/// Names that the null rule would be about if they were one word: it leaves their quotes, and a
/// text without a value is the word `null`.
#[must_use]
pub fn kept_null_names(template: &str) -> Vec<&str> {
    let is_word =
        |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    find_placeholders(template, PARAMETERS)
        .into_iter()
        .filter(|found| {
            let is_quoted = template[..found.range.start].ends_with('"')
                && template[found.range.end..].starts_with('"');
            is_quoted && found.default == Some("null") && !is_word(found.name)
        })
        .map(|found| found.name)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::systems::opensearch::{
        connector::{address::render_address, headers::render_headers},
        dynamic::build_request,
        keys,
    };

    fn texts(of: &[(&str, &str)]) -> TextMap {
        of.iter().map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned()))).collect()
    }

    /// Each was run through the server's own code.
    #[test]
    fn what_a_server_refuses_of_a_finished_body_is_refused() {
        let given = texts(&[("a", "x ${parameters y"), ("b", "${parameters.")]);
        for (template, names) in [
            (r#"{"q": "${parameters.a}"}"#, &[][..]),
            (r#"{"q": "${parameters.}"}"#, &[]),
            (r#"{"q": "${parameters"}"#, &[]),
            (r#"{"q": "${parameters.b} ${parameters.c}"}"#, &[" ${parameters.c"]),
        ] {
            let error = render_body(template, &given).unwrap_err();
            let BodyError::Unfilled(left, _) = &error else { panic!("{template}: {error:?}") };
            assert_eq!(left, names, "{template}");
            assert!(!error.to_string().is_empty());
        }
        let skipping = texts(&[(SKIP_VALIDATION, "TRUE")]);
        assert!(render_body(r#"{"q": "${parameters"}"#, &skipping).is_ok());
        // A copy as text is looked for within one line.
        let copied = |name: &str| {
            let asking = format!("${{parameters.{name}.toString()}}");
            render_body(r#"{"q": "${parameters.p}"}"#, &texts(&[("p", &asking), (name, "x")]))
        };
        assert!(copied("c").is_ok());
        assert!(copied("c\u{2028}").is_err());
    }

    #[test]
    fn nulls_of_names_in_one_word_lose_their_quotes() {
        let template = r#"{"a": "${parameters.a:-null}", "b": "${parameters.b.c:-null}"}"#;
        let (unquoted, names) = unquote_nulls(template);
        assert_eq!(
            unquoted,
            template.replacen(r#""${parameters.a:-null}""#, "${parameters.a:-null}", 1)
        );
        assert_eq!(names, ["a"]);
        assert_eq!(kept_null_names(template), ["b.c"]);
    }

    const TEXT: &str = r#"(\$|\$\{parameters\.|:-|\}|a|b|ü| |"|\{|\[|\]|:|,|null|\.toString\(\)|\n|https://h/){0,12}"#;

    proptest! {
        /// Both sets of rules fill in whatever they are given, or refuse it.
        #[test]
        fn any_template_becomes_a_request_or_is_refused(
            template in TEXT, a in TEXT, b in TEXT, kept in "a?,?b?",
        ) {
            let given = texts(&[("a", &a), ("b", &b), (NO_ESCAPE, &kept)]);
            let prepared = prepare_parameters(&texts(&[("b", &template)]), &given);
            if let Ok(body) = render_body(&template, &prepared) {
                prop_assert!(!body.rendered.text.contains(BEGUN));
                prop_assert!(body.json.is_some() || is_ndjson(&body.rendered.text));
            }
            let _ = render_address(&template, &prepared);
            let headers = [("X-A".to_owned(), template.clone())];
            let _ = render_headers(&headers, &given, &prepared, None);
            let mut tool = given;
            tool.insert(keys::METHOD.into(), Some("POST".into()));
            tool.insert(keys::URI.into(), Some(template.clone()));
            tool.insert(keys::REQUEST_BODY.into(), Some(template));
            if let Ok(request) = build_request(&tool) {
                prop_assert_eq!(request.method, "POST");
            }
        }
    }
}
