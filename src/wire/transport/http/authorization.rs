//! Who we are, in each request: a bearer token, or user and password.

use reqwest::{
    RequestBuilder,
    header::{AUTHORIZATION, HeaderValue},
};

use super::messages;
use crate::{
    model::{
        call::CallError,
        connection::{Connection, Credentials},
    },
    wire::{secrets::Secrets, transport::settings},
};

/// What names us.
pub(super) enum Authorization {
    None,
    Bearer(HeaderValue),
    Basic { user: String, password: String },
}

impl Authorization {
    /// What the connection's settings say, with its secret looked up.
    ///
    /// # Errors
    /// When the secret is not there, cannot stand in a header, or is of a kind that HTTP has not.
    pub async fn resolve(connection: &Connection, secrets: &Secrets) -> Result<Self, CallError> {
        if let Credentials::Password { user, password } = &connection.credentials {
            let password = secrets.resolve_secret(connection, password).await?;
            return Ok(Self::Basic { user: user.clone(), password });
        }
        let token = settings::resolve_token(connection, secrets, "over HTTP").await?;
        let Some(token) = token else { return Ok(Self::None) };
        let mut value =
            HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| messages::bad_token())?;
        value.set_sensitive(true);
        Ok(Self::Bearer(value))
    }

    /// A request with that.
    pub fn add_to(&self, request: RequestBuilder) -> RequestBuilder {
        match self {
            Self::None => request,
            Self::Bearer(value) => request.header(AUTHORIZATION, value.clone()),
            Self::Basic { user, password } => request.basic_auth(user, Some(password)),
        }
    }
}
