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
        parse::Part,
        parse::parse_template,
        render::{RenderError, Rendered, render_template},
        text_map::{TextMap, text_of},
    },
};

/// The parameter that names those which are put in as they are.
pub const NO_ESCAPE: &str = "no_escape_params";
/// The parameter that allows a body to keep placeholders.
pub const SKIP_VALIDATION: &str = "skip_validating_missing_parameters";
/// What makes an escaped copy of a parameter, where a value asks for it.
const TO_STRING: &str = ".toString()";

/// A body, filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub rendered: Rendered,
    /// What it says; `None` where it is several objects, line by line.
    pub json: Option<Value>,
    /// Parameters that are missing, for which a null stands in the place of a quoted placeholder.
    pub nulled: Vec<String>,
}

/// Why a body cannot be sent.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyError {
    Template(RenderError),
    /// It is neither an object nor an array, nor such line by line.
    InvalidPayload(Rendered),
    /// Names that nothing gives a value.
    Unfilled(Vec<String>, Rendered),
}

impl fmt::Display for BodyError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Template(error) => to.write_str(&error.message()),
            Self::InvalidPayload(rendered) => {
                write!(to, "the body is no JSON object or array: {}", rendered.text)
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
    if is_checked && !unfilled.is_empty() {
        return Err(BodyError::Unfilled(unfilled, rendered));
    }
    Ok(Body { rendered, json, nulled })
}

/// A template in which `"${parameters.NAME:-null}"` of missing parameters is `null`, without the
/// quotes; and those names. A name is one word.
fn apply_null_rule(template: &str, parameters: &TextMap) -> (String, Vec<String>) {
    let mut nulled = BTreeSet::new();
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
        match after.strip_prefix(":-null}\"") {
            Some(after) if !name.is_empty() && text_of(parameters, name).is_none() => {
                text.push_str("null");
                nulled.insert(name.to_owned());
                rest = after;
            }
            _ => {
                text.push_str(&opening);
                rest = inside;
            }
        }
    }
    text.push_str(rest);
    (text, nulled.into_iter().collect())
}

/// The parameters with `NAME.toString()` for each that a value asks for in that way.
fn add_text_copies(parameters: &TextMap) -> TextMap {
    let mut with_copies = parameters.clone();
    if !parameters.values().flatten().any(|value| value.contains(TO_STRING)) {
        return with_copies;
    }
    let Ok(asking) = Regex::new(r"\$\{parameters\.(.+?)\.toString\(\)\}") else {
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
    let mut lines = text.split('\n').map(str::trim).filter(|line| !line.is_empty()).peekable();
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
    let no_parameters = TextMap::new();
    let is_asked = |part: &Part<'_>| matches!(part, Part::Placeholder(_));
    if !parse_template(template, PARAMETERS).iter().any(is_asked) {
        return Vec::new();
    }
    apply_null_rule(template, &no_parameters).1
}
