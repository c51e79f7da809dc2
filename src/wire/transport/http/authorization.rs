//! Who we are, in each request: a bearer token, or user and password, and the headers of the
//! connection's settings.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use super::messages;
use crate::{
    model::{
        call::CallError,
        connection::{Connection, Credentials, SettingValue},
    },
    wire::{secrets::Secrets, transport::settings},
};

/// What each request says of us.
pub(crate) struct Authorization {
    /// What names us.
    credentials: Option<HeaderValue>,
    /// Those of the connection's settings.
    headers: HeaderMap,
}

impl Authorization {
    /// What the connection's settings say, with its secrets looked up.
    ///
    /// # Errors
    /// When a secret is missing, can't be sent in a header, or is of a kind that HTTP doesn't know.
    pub async fn resolve(connection: &Connection, secrets: &Secrets) -> Result<Self, CallError> {
        let credentials = resolve_credentials(connection, secrets).await?;
        Ok(Self { credentials, headers: resolve_headers(connection, secrets).await? })
    }

    /// Adds that to the headers of a request, but for what it says itself.
    pub fn add_to(&self, headers: &mut HeaderMap) {
        let credentials = self.credentials.iter().map(|value| (&AUTHORIZATION, value));
        for (name, value) in credentials.chain(&self.headers) {
            if !headers.contains_key(name) {
                headers.insert(name.clone(), value.clone());
            }
        }
    }
}

async fn resolve_credentials(
    connection: &Connection,
    secrets: &Secrets,
) -> Result<Option<HeaderValue>, CallError> {
    let words = if let Credentials::Password { user, password } = &connection.credentials {
        let password = secrets.resolve_secret(connection, password).await?;
        let encoded = STANDARD.encode(format!("{user}:{password}"));
        // Whoever reads it knows the password.
        secrets.register(&encoded);
        format!("Basic {encoded}")
    } else {
        let token = settings::resolve_token(connection, secrets, "over HTTP").await?;
        let Some(token) = token else { return Ok(None) };
        format!("Bearer {token}")
    };
    let mut value = HeaderValue::from_str(&words).map_err(|_| messages::bad_token())?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// The headers of a connection's settings, with their secrets looked up.
///
/// # Errors
/// When a secret is not there, or one of them cannot be a header.
pub(crate) async fn resolve_headers(
    connection: &Connection,
    secrets: &Secrets,
) -> Result<HeaderMap, CallError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &connection.headers {
        let is_secret = matches!(value, SettingValue::Secret(_));
        let value = secrets.resolve_value(connection, value).await?;
        let header = HeaderName::try_from(name).ok().zip(HeaderValue::try_from(value).ok());
        let (header, mut value) = header.ok_or_else(|| messages::bad_header(name))?;
        value.set_sensitive(is_secret);
        headers.insert(header, value);
    }
    Ok(headers)
}
