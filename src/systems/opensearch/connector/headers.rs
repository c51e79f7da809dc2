//! The headers of a connector's request.

use std::fmt;

use crate::systems::opensearch::{
    registration::is_mcp,
    template::{
        marks::{CREDENTIAL, PARAMETERS, SUFFIX},
        render::{RenderError, render_template},
        text_map::TextMap,
    },
};

/// Headers that only credentials may fill in.
pub const REFUSED: &[&str] = &[
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-api-key",
    "x-auth-token",
    "x-auth-header",
    "x-forwarded-for",
    "x-real-ip",
    "x-client-ip",
    "cf-connecting-ip",
    "true-client-ip",
    "x-originating-ip",
    "host",
    "x-forwarded-host",
    "x-forwarded-server",
    "forwarded",
];

/// The environment variable that a value of a connector's credential names in the place of the
/// secret: `$NAME` alone.
#[must_use]
pub fn named_variable(value: &str) -> Option<&str> {
    let name = value.strip_prefix('$')?;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_name =
        name.bytes().all(is_word) && !name.starts_with(|first: char| first.is_ascii_digit());
    (is_name && !name.is_empty()).then_some(name)
}

/// How long a header may be with its name, and all of them.
const LONGEST: usize = 8_192;
const LONGEST_ALL: usize = 65_536;

/// Why headers cannot be sent; each says which one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// A parameter is where only a credential may.
    NotAllowed(String),
    /// Nothing gives a value to a parameter.
    Unresolved(String),
    /// A control character, such as the end of a line, is in it.
    ControlCharacter(String),
    /// It is too long, or all of them are.
    TooLong(String),
    Template(String, RenderError),
}

impl HeaderError {
    /// The header it is about.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::NotAllowed(name)
            | Self::Unresolved(name)
            | Self::ControlCharacter(name)
            | Self::TooLong(name)
            | Self::Template(name, _) => name,
        }
    }
}

impl fmt::Display for HeaderError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            Self::NotAllowed(_) => {
                write!(to, "header {name} can't use ${{parameters.…}}; use ${{credential.…}}")
            }
            Self::Unresolved(_) => write!(to, "header {name} has no value"),
            Self::ControlCharacter(_) => write!(to, "header {name} contains a control character"),
            Self::TooLong(_) => write!(to, "header {name} is too long"),
            Self::Template(_, error) => write!(to, "header {name}: {}", error.message()),
        }
    }
}

/// Fills headers in: credentials first, then prepared parameters, where they may stand.
///
/// # Errors
/// When one of them cannot be sent.
pub fn render_headers(
    headers: &[(String, String)],
    credential: &TextMap,
    parameters: &TextMap,
    protocol: Option<&str>,
) -> Result<Vec<(String, String)>, HeaderError> {
    let filled = |name: &str, value: &str, prefix: &str, from: &TextMap| {
        render_template(value, prefix, from)
            .map(|rendered| rendered.text)
            .map_err(|error| HeaderError::Template(name.to_owned(), error))
    };
    let mut sent = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        sent.push((name.clone(), filled(name, value, CREDENTIAL, credential)?));
    }
    if let Some((name, _)) =
        sent.iter().find(|(name, value)| !takes_parameters(name, protocol) && has_parameter(value))
    {
        return Err(HeaderError::NotAllowed(name.clone()));
    }
    for (name, value) in &mut sent {
        if value.contains(PARAMETERS) {
            *value = filled(name, value, PARAMETERS, parameters)?;
            if value.contains(PARAMETERS) {
                return Err(HeaderError::Unresolved(name.clone()));
            }
        }
    }
    check_values(&sent)?;
    Ok(sent)
}

/// Whether parameters may stand in that header of a connector of that protocol.
#[must_use]
pub fn takes_parameters(name: &str, protocol: Option<&str>) -> bool {
    let is_mcp = protocol.is_some_and(|protocol| is_mcp(&protocol.to_lowercase()));
    !is_mcp && !REFUSED.contains(&name.to_lowercase().as_str())
}

/// Whether a placeholder with a name is in a value.
#[must_use]
pub fn has_parameter(value: &str) -> bool {
    value.match_indices(PARAMETERS).any(|(at, _)| {
        let inside = &value[at + PARAMETERS.len()..];
        inside.find(SUFFIX).is_some_and(|length| length > 0)
    })
}

fn check_values(headers: &[(String, String)]) -> Result<(), HeaderError> {
    let mut all = 0;
    for (name, value) in headers {
        if value.chars().any(|letter| letter.is_ascii_control() && letter != '\t') {
            return Err(HeaderError::ControlCharacter(name.clone()));
        }
        let length = name.encode_utf16().count() + value.encode_utf16().count();
        all += length;
        if length > LONGEST || all > LONGEST_ALL {
            return Err(HeaderError::TooLong(name.clone()));
        }
    }
    Ok(())
}
