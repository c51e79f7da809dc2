//! Tokens that are got without the user: for the client itself, for the workload that it runs in, or
//! on the word of an enterprise's identity provider.

use super::{
    fetch::Fetcher,
    tokens::{named_client, no_client, read_secret, refused, request_tokens},
};
use crate::{
    model::{call::CallError, connection::Connection, error_kind::ErrorKind},
    systems::mcp::{
        auth::{
            answers::Grant,
            clients::{AuthMethod, Client},
            documents::ServerMetadata,
            requests::{ID_JAG, ID_TOKEN, JWT_BEARER, TOKEN_EXCHANGE, token_request},
        },
        keys,
        token_settings::{self, GrantKind},
        url::HttpUrl,
    },
    wire::secrets::Secrets,
};

/// For which connection, and how it is asked.
pub(super) struct Unattended<'u> {
    pub connection: &'u Connection,
    pub secrets: &'u Secrets,
    pub fetcher: &'u Fetcher,
}

impl Unattended<'_> {
    /// The grant with a token that the server gives.
    ///
    /// # Errors
    /// When the settings lack something that this takes, or somebody refuses.
    pub async fn get_token(
        &self,
        kind: GrantKind,
        server: &ServerMetadata,
        grant: Grant,
    ) -> Result<Grant, CallError> {
        let named = named_client(self.connection, self.secrets, server).await?;
        let client = named.ok_or_else(|| no_client(self.connection))?;
        let assertion = match kind {
            GrantKind::WorkloadIdentity => Some(self.identity_token().await?),
            GrantKind::EnterpriseManaged => Some(self.exchange_identity(&grant).await?),
            GrantKind::Browser | GrantKind::ClientCredentials => None,
        };
        let resource = grant.resource.clone();
        let scope = grant.scope.clone();
        let mut pairs = match &assertion {
            Some(assertion) => vec![("grant_type", JWT_BEARER), ("assertion", assertion.as_str())],
            None => vec![("grant_type", "client_credentials")],
        };
        pairs.push(("resource", &resource));
        pairs.extend(scope.as_deref().map(|scope| ("scope", scope)));
        request_tokens(self.fetcher, &client, grant, &pairs).await
    }

    async fn identity_token(&self) -> Result<String, CallError> {
        let token = read_secret(self.connection, self.secrets, keys::IDENTITY_TOKEN).await?;
        token.map(|token| token.trim().to_owned()).ok_or_else(|| {
            self.missing(
                "the token that says who this is",
                "identity-token-variable or identity-token-key",
            )
        })
    }

    /// What the identity provider gives for the user's token, for that grant's server alone.
    async fn exchange_identity(&self, grant: &Grant) -> Result<String, CallError> {
        let provider = token_settings::identity_provider(self.connection).ok_or_else(|| {
            let names = "idp-token-endpoint and idp-client-id";
            self.missing("the identity provider of your enterprise", names)
        })?;
        let endpoint = provider.token_endpoint;
        if !HttpUrl::parse(endpoint).is_some_and(|url| url.is_private()) {
            let message = format!("idp-token-endpoint \"{endpoint}\" is not https");
            return Err(CallError::new(ErrorKind::BadSettings, message, "give an https address"));
        }
        let user = self.identity_token().await?;
        let secret = read_secret(self.connection, self.secrets, keys::IDP_CLIENT_SECRET).await?;
        let method = if secret.is_some() { AuthMethod::Basic } else { AuthMethod::None };
        let id = provider.client_id.to_owned();
        let client = Client { id, secret, method, ..Client::default() };
        let mut pairs = vec![
            ("grant_type", TOKEN_EXCHANGE),
            ("requested_token_type", ID_JAG),
            ("audience", &grant.issuer),
            ("resource", &grant.resource),
            ("subject_token", &user),
            ("subject_token_type", ID_TOKEN),
        ];
        pairs.extend(grant.scope.as_deref().map(|scope| ("scope", scope)));
        let refused = |problem| refused(endpoint, problem);
        let got = self.fetcher.post_token(endpoint, token_request(&client, &pairs), None).await;
        let got = got.map_err(|cause| refused(("auth.unreachable", cause)))?;
        let text = |name: &str| got.document[name].as_str();
        let token = text("access_token").filter(|_| got.is_success());
        match token {
            Some(token) if text("issued_token_type") == Some(ID_JAG) => {
                self.secrets.register(token);
                Ok(token.to_owned())
            }
            Some(_) => Err(refused(("auth.token-type", "it is no token of type id-jag".into()))),
            None => {
                let said = [text("error"), text("error_description")].into_iter().flatten();
                let said = said.collect::<Vec<_>>().join(": ");
                Err(refused(("auth.refused", format!("{said} (HTTP {})", got.status))))
            }
        }
    }

    fn missing(&self, what: &str, keys: &str) -> CallError {
        let message = format!("connection \"{}\" lacks {what}", self.connection.name);
        CallError::new(ErrorKind::BadSettings, message, format!("set {keys} of the connection"))
    }
}
