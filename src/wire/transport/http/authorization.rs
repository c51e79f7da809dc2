//! Who we are, in each request: a bearer token, or user and password, and the headers of the
//! connection's settings.

use reqwest::{
    RequestBuilder,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};

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
    credentials: ResolvedCredentials,
    /// Those of the connection's settings.
    headers: HeaderMap,
}

/// What names us.
enum ResolvedCredentials {
    None,
    Bearer(HeaderValue),
    Basic { user: String, password: String },
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

    /// A request with that, but for what it says itself.
    pub fn add_to(&self, request: RequestBuilder, said: &HeaderMap) -> RequestBuilder {
        let mut headers = self.headers.clone();
        said.keys().for_each(|name| drop(headers.remove(name)));
        let request = request.headers(headers);
        match &self.credentials {
            _ if said.contains_key(AUTHORIZATION) => request,
            ResolvedCredentials::None => request,
            ResolvedCredentials::Bearer(value) => request.header(AUTHORIZATION, value.clone()),
            ResolvedCredentials::Basic { user, password } => {
                request.basic_auth(user, Some(password))
            }
        }
    }
}

async fn resolve_credentials(
    connection: &Connection,
    secrets: &Secrets,
) -> Result<ResolvedCredentials, CallError> {
    if let Credentials::Password { user, password } = &connection.credentials {
        let password = secrets.resolve_secret(connection, password).await?;
        return Ok(ResolvedCredentials::Basic { user: user.clone(), password });
    }
    let token = settings::resolve_token(connection, secrets, "over HTTP").await?;
    let Some(token) = token else { return Ok(ResolvedCredentials::None) };
    let mut value =
        HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| messages::bad_token())?;
    value.set_sensitive(true);
    Ok(ResolvedCredentials::Bearer(value))
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
