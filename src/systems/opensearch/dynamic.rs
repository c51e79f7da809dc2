//! The request that a `DynamicTool` sends, and what it makes of the answer.

use std::fmt;

use serde_json::Value;

use super::{
    java::{self, Numbers},
    json_path::{JsonPath, read_document},
    keys, strict_json,
    template::{
        marks::PARAMETERS,
        render::{RenderError, Rendered, render_template},
        text_map::{TextMap, text_of},
    },
};

/// Methods that OpenSearch knows, in capitals only.
pub const METHODS: &[&str] =
    &["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "CONNECT"];

/// A request to an API of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct DynamicRequest {
    pub method: String,
    /// Its path, and what is behind `?`.
    pub uri: Rendered,
    pub body: Option<DynamicBody>,
}

/// The body of such a request.
#[derive(Clone, Debug, PartialEq)]
pub struct DynamicBody {
    pub rendered: Rendered,
    pub json: Value,
}

/// Why a tool has no request to send.
#[derive(Clone, Debug, PartialEq)]
pub enum DynamicError {
    NoUri,
    NoMethod,
    BadMethod(String),
    /// The body is not JSON, and why.
    BadBody {
        rendered: Rendered,
        why: String,
    },
    Template(&'static str, RenderError),
}

impl fmt::Display for DynamicError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoUri => to.write_str("the tool has no uri"),
            Self::NoMethod => to.write_str("the tool has no method"),
            Self::BadMethod(method) => {
                write!(to, "{method:?} is no method; they are {}", METHODS.join(", "))
            }
            Self::BadBody { rendered, why } => {
                write!(to, "the body is not JSON ({why}): {}", rendered.text)
            }
            Self::Template(place, error) => write!(to, "{place}: {}", error.message()),
        }
    }
}

/// The request of a tool that got these parameters. Values are put in as they are.
///
/// # Errors
/// When the tool cannot send it.
pub fn build_request(parameters: &TextMap) -> Result<DynamicRequest, DynamicError> {
    let uri = match parameters.get(keys::URI) {
        // Upstream takes a null for the text.
        Some(uri) => uri.as_deref().unwrap_or("null"),
        None => return Err(DynamicError::NoUri),
    };
    if uri.trim().is_empty() {
        return Err(DynamicError::NoUri);
    }
    let method = text_of(parameters, keys::METHOD).ok_or(DynamicError::NoMethod)?;
    if !METHODS.contains(&method) {
        return Err(DynamicError::BadMethod(method.to_owned()));
    }
    let rendered = |place, template: &str| {
        render_template(template, PARAMETERS, parameters)
            .map_err(|error| DynamicError::Template(place, error))
    };
    let uri = rendered(keys::URI, uri)?;
    let template = text_of(parameters, keys::REQUEST_BODY).filter(|text| is_given(text));
    let body = match template {
        None => None,
        Some(template) => {
            let rendered = rendered(keys::REQUEST_BODY, template)?;
            match strict_json::parse_unique(&rendered.text) {
                Ok(json) => Some(DynamicBody { rendered, json }),
                Err(error) => {
                    return Err(DynamicError::BadBody { rendered, why: error.to_string() });
                }
            }
        }
    };
    Ok(DynamicRequest { method: method.to_owned(), uri, body })
}

/// The text that a tool makes of an answer, whatever its status: what its filter picks, or all of
/// it.
///
/// # Errors
/// When the filter picks nothing, or cannot be read, with why.
pub fn filter_answer(answer: &str, response_filter: Option<&str>) -> Result<String, String> {
    let Some(filter) = response_filter.filter(|text| is_given(text)) else {
        return Ok(answer.to_owned());
    };
    let path = JsonPath::parse(filter)?;
    let value = read_document(answer)
        .ok_or_else(|| format!("the answer isn't JSON, so {filter} selects nothing"))?;
    let picked =
        path.read(&value).ok_or_else(|| format!("{filter} selects nothing in the answer"))?;
    Ok(java::value_text(&picked, Numbers::AsRead))
}

fn is_given(text: &str) -> bool {
    !text.is_empty() && text != "null"
}
